// options: -cl-std=CL1.2
// Kernels and what the host can give them (6.11, a, d, g, h, p).
struct pointer { global int *p; };
struct boolean { bool b; };
struct sized { size_t n; };
struct nested { int n; struct { struct sized s[2]; } in; };
union both { int n; global int *p; };
typedef size_t count;
kernel int result(void) { return 1; } // error: kernel must have void return type
kernel float4 vector_result(void) { return 0; } // error: kernel must have void return type
static kernel void internal(void) {} // error: kernel functions cannot be declared static
kernel void variadic(int n, ...) {} // error: variadic arguments are not allowed // error: kernel functions cannot have variadic arguments
kernel void a1(bool b) {} // error: 'bool' cannot be used as the type of a kernel parameter
kernel void a2(size_t n) {} // error: 'size_t' cannot be used as the type of a kernel parameter
kernel void a3(ptrdiff_t n) {} // error: 'ptrdiff_t' cannot be used
kernel void a4(intptr_t n) {} // error: 'intptr_t' cannot be used
kernel void a5(uintptr_t n) {} // error: 'uintptr_t' cannot be used
kernel void a6(count n) {} // error: 'count' cannot be used
kernel void a7(event_t e) {} // error: 'event_t' cannot be used
kernel void a8(half h) {} // error: declaring function parameter of type 'half' is not allowed
kernel void b1(int *p) {} // error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void b2(private int *p) {} // error: pointer arguments to kernel functions must reside in
kernel void b3(global int *global *p) {} // error: kernel parameter cannot be declared as a pointer to a pointer
kernel void b4(int p[]) {} // error: pointer arguments to kernel functions must reside in
kernel void c1(struct pointer s) {} // error: struct kernel parameters may not contain pointers
kernel void c2(struct boolean s) {} // error: a struct with a 'bool' in it
kernel void c3(struct sized s) {} // error: a struct with a 'size_t' in it
kernel void c4(struct nested s) {} // error: a struct with a 'size_t' in it
kernel void c5(union both u) {} // error: union kernel parameters may not contain pointers
kernel void d1(global struct pointer *s, global bool *b, global size_t *n, constant half *h, local float4 *v) {}
kernel void d2(int n, float4 v, sampler_t s, image2d_t i, write_only image3d_t o) {}
kernel void d3(void) { return; }
kernel void d4(void) { return 1; } // warning: void function 'd4' should not return a value
void caller(global struct pointer *s) { d3(); d1(s, 0, 0, 0, 0); }
__attribute__((reqd_work_group_size(8, 8, 1))) void no_kernel(void) {} // error: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
__attribute__((vec_type_hint(int))) void no_kernel2(void) {} // error: attribute 'vec_type_hint' can only be applied
kernel __attribute__((reqd_work_group_size(8, 8))) void two(void) {} // error: requires exactly 3 arguments
kernel __attribute__((reqd_work_group_size(8, 0, 1))) void zero(void) {} // error: must be greater than 0
