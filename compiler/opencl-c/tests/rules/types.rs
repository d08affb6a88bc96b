//! Address spaces, arguments of kernels, and types of OpenCL.

use super::*;

#[test]
fn packets_are_passed_by_pointers_to_them() {
    refused_in(
        200,
        "kernel void k(write_only pipe int p) { float x = 1; write_pipe(p, &x); }",
        "a packet of this pipe is 'int': it can't be passed by '__private float *'",
    );
    refused_in(
        200,
        "kernel void k(read_only pipe int p) { uint x; read_pipe(p, &x); }",
        "it can't be passed by '__private uint *'",
    );
    accepted_in(
        200,
        "kernel void k(write_only pipe int p, read_only pipe int q, global int *g) { const int x = 1; write_pipe(p, &x); read_pipe(q, g); }",
    );
}

#[test]
fn address_spaces_do_not_mix() {
    all_statements(
        120,
        &[
            ("p = gp;", "changes address space of pointer", "p = &i;"),
            (
                "lp = (local int *)gp;",
                "changes address space of pointer",
                "gp = (global int *)(global float *)gp;",
            ),
            ("gp == lp;", "non-overlapping address spaces", "gp == gp + 1;"),
            ("gp - lp;", "are not pointers to compatible types", "gp - gp;"),
            ("i ? gp : lp;", "incompatible operand types", "i ? gp : 0;"),
            ("global int q;", "cannot be declared in global address space", "int q;"),
            ("local int q;", "cannot be declared in local address space", "local int *q;"),
        ],
    );
    all(
        120,
        &[
            ("int g;", "must reside in constant address space", "constant int g = 1;"),
            ("constant int g;", "must be initialized", "constant int g = 1;"),
            ("global local int *p;", "multiple address spaces", "void f(global int *p);"),
            (
                "struct S { global int a; };",
                "field may not be qualified with an address space",
                "struct S { global int *a; };",
            ),
            (
                "void f(global int x);",
                "parameter may not be qualified with an address space",
                "void f(private int x);",
            ),
            (
                "global int f(void);",
                "return type cannot be qualified with address space",
                "global int *f(void);",
            ),
            (
                "kernel void k() { local int a = 1; }",
                "'__local' variable cannot have an initializer",
                "kernel void k() { local int a; a = 1; }",
            ),
            (
                "kernel void k() { { local int a; } }",
                "can only be declared in the outermost scope",
                "kernel void k() { local int a; }",
            ),
            (
                "void f() { generic int *p; }",
                "does not support the 'generic' type qualifier",
                "void f() { private int *p; }",
            ),
        ],
    );
    accepted_in(
        300,
        "int g = 1; global int h; static int s; void f(global int *p) { int *q = p; generic int *r = q; static int t; }",
    );
    refused_in(300, "local int l;", "must reside in global or constant address space");
    refused_in(
        300,
        "void f(generic int *p, global int *g) { g = p; }",
        "changes address space of pointer",
    );
    accepted_in(300, "void f(generic int *p, global int *g) { g = (global int *)p; }");
    refused_in(
        300,
        "void f(global int **p) { int **q = p; }",
        "changes address space of nested pointer",
    );
    accepted_in(300, "void f(int *global *p) { int **q = p; }");
    refused_in(
        300,
        "void f() { constant int c = 1; }",
        "cannot be declared in constant address space",
    );
    accepted_in(300, "kernel void f() { constant int c = 1; }");
    refused_in(300, "void f() { static local int c; }", "static local variable must reside in");
    refused_in(300, "void f() { atomic_int a = 1; }", "only in global address space");
    accepted_in(300, "atomic_int a = 1; void f() { atomic_int b; atomic_init(&b, 1); }");
    refused_in(
        300,
        "kernel void k(ndrange_t n) {}",
        "cannot be used as the type of a kernel parameter",
    );
    accepted_in(300, "void f(ndrange_t n) { ndrange_t m = n; }");
    refused_in(300, "void f(constant int *c) { int *p = c; }", "changes address space of pointer");
}

#[test]
fn kernels_take_what_the_host_can_give() {
    all(
        120,
        &[
            (
                "kernel int k() { return 1; }",
                "kernel must have void return type",
                "kernel void k() {}",
            ),
            ("static kernel void k() {}", "cannot be declared static", "kernel void k() {}"),
            (
                "kernel void k(bool b) {}",
                "'bool' cannot be used as the type of a kernel parameter",
                "kernel void k(global bool *b) {}",
            ),
            (
                "kernel void k(size_t n) {}",
                "'size_t' cannot be used",
                "kernel void k(global size_t *n) {}",
            ),
            (
                "kernel void k(event_t e) {}",
                "'event_t' cannot be used",
                "kernel void k(sampler_t s, image2d_t i) {}",
            ),
            (
                "kernel void k(int *p) {}",
                "must reside in '__global', '__constant' or '__local'",
                "kernel void k(global int *p) {}",
            ),
            (
                "kernel void k(global int **p) {}",
                "must reside in",
                "kernel void k(local int *p) {}",
            ),
            (
                "kernel void k(global int * global *p) {}",
                "pointer to a pointer",
                "kernel void k(constant int *p) {}",
            ),
            (
                "struct S { global int *p; }; kernel void k(struct S s) {}",
                "struct kernel parameters may not contain pointers",
                "struct S { global int *p; }; kernel void k(global struct S *s) {}",
            ),
            (
                "struct S { struct { bool b; } in[2]; }; kernel void k(struct S s) {}",
                "a struct with a 'bool' in it",
                "struct S { bool b; }; kernel void k(global struct S *s) {}",
            ),
            (
                "struct S { size_t n; }; kernel void k(struct S s) {}",
                "a struct with a 'size_t' in it",
                "struct S { ulong n; }; kernel void k(struct S s) {}",
            ),
            (
                "typedef ptrdiff_t T; union U { int a; T t[2]; }; kernel void k(union U u) {}",
                "a union with a 'size_t' in it",
                "typedef long T; union U { int a; T t[2]; }; kernel void k(union U u) {}",
            ),
            (
                "typedef size_t T; kernel void k(T n) {}",
                "'T' cannot be used as the type of a kernel parameter",
                "typedef ulong T; kernel void k(T n) {}",
            ),
            (
                "void f(half h) {}",
                "declaring function parameter of type 'half' is not allowed",
                "void f(half *h) {}",
            ),
            (
                "__attribute__((reqd_work_group_size(1, 1, 1))) void f() {}",
                "can only be applied to an OpenCL kernel function",
                "__attribute__((reqd_work_group_size(1, 1, 1))) kernel void f() {}",
            ),
            (
                "__attribute__((reqd_work_group_size(1, 1))) kernel void f() {}",
                "requires exactly 3 arguments",
                "__attribute__((vec_type_hint(float4))) kernel void f() {}",
            ),
            (
                "__attribute__((reqd_work_group_size(0, 1, 1))) kernel void f() {}",
                "must be greater than 0",
                "__attribute__((work_group_size_hint(1, 1, 1))) kernel void f() {}",
            ),
        ],
    );
}

#[test]
fn types_of_opencl_have_rules_of_their_own() {
    all_statements(
        120,
        &[
            ("image2d_t q;", "can only be used as a function parameter", "sampler_t q = 0;"),
            ("image2d_t *q;", "pointer to type 'image2d_t' is invalid", "int *q;"),
            ("sampler_t q[2];", "array of 'sampler_t' type is invalid", "int q[2];"),
            ("im = im;", "invalid operands to binary expression", "i = get_image_width(im);"),
            ("&im;", "invalid argument type 'image2d_t' to unary expression", "&i;"),
            ("(int)im;", "cannot be cast", "(int)x;"),
            ("event_t e = 1;", "with an expression of incompatible type 'int'", "event_t e = 0;"),
            ("x = (half)1;", "casting to type 'half' is not allowed", "x = (float)1;"),
            ("half h;", "of type 'half' is not allowed", "half *h;"),
            (
                "half *h; x = *h;",
                "loading directly from pointer to type 'half'",
                "half *h; x = vload_half(0, h);",
            ),
            (
                "half *h; *h = x;",
                "assigning directly to pointer to type 'half'",
                "half2 h; h = h + h;",
            ),
            ("int q[i];", "variable length arrays are not supported", "int q[3];"),
            ("int q[-1];", "array with a negative size", "int q[k];"),
            ("void q;", "incomplete type 'void'", "void *q;"),
            ("int (*fp)(int);", "pointers to functions are not allowed", "int *fp;"),
            ("p = f;", "taking address of function is not allowed", "p = 0;"),
            ("register int q;", "does not support the 'register' storage class", "int q;"),
            ("static int q;", "cannot be declared static", "const int q = 1;"),
            ("int restrict q;", "restrict requires a pointer", "int *restrict q;"),
            ("asm(\"nop\");", "inline assembly is not supported", ";"),
            ("vec_step(s);", "'vec_step' requires built-in scalar or vector type", "vec_step(v);"),
            ("sizeof(void);", "invalid application of 'sizeof' to a void type", "sizeof(int[3]);"),
            (
                "long long unsigned short q;",
                "invalid combination of type specifiers",
                "unsigned long long q;",
            ),
        ],
    );
    all(
        120,
        &[
            (
                "struct S { image2d_t i; };",
                "cannot be used to declare a structure or union field",
                "struct S { int i; };",
            ),
            (
                "struct S { int a : 3; };",
                "bit-fields are not supported in OpenCL",
                "struct S { int a; };",
            ),
            ("void f(int a, ...);", "variadic arguments are not allowed", "void f(int a);"),
            (
                "static int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *p) { *p = f(3); }",
                "recursion is not supported",
                "static int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *p) { *p = 3; }",
            ),
            (
                "int f(int n) { return n ? f(n - 1) : 0; }",
                "recursion is not supported",
                "int g(int); int f(int n) { return g(n); }",
            ),
            (
                "int g(int); int f(int n) { return g(n); } int g(int n) { return f(n); }",
                "recursion is not supported",
                "int g(int n) { return n; } int f(int n) { return g(g(n)); }",
            ),
            (
                "_Static_assert(sizeof(int) == 8, \"odd\");",
                "static assertion failed: odd",
                "_Static_assert(sizeof(float3) == 16, \"odd\");",
            ),
            (
                "void f(read_write image2d_t i);",
                "'read_write' cannot be used",
                "void f(write_only image2d_t i);",
            ),
            (
                "void f(read_only int i);",
                "can only be used for pipe and image type",
                "void f(read_only image2d_t i);",
            ),
        ],
    );
    let bits = "struct S { int a : 3; }; int f(struct S s) { s.a = 2; return s.a; }";
    let features = [FEATURES, &["__cl_clang_bitfields"]].concat();
    assert_eq!(check(120, &features, bits).0, 0);
    let half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nhalf f(half h) { half g = h + 1.0h; return g; }";
    accepted_in(120, half);
    let (errors, log) = check(120, &[], "double d(double x) { return x; }");
    assert!(errors > 0 && log.contains("requires cl_khr_fp64"), "{log}");
}

#[test]
fn atomic_objects_belong_to_functions() {
    for (wrong, message, right) in [
        ("*a = 3;", "cannot be assigned to", "atomic_store(a, 3);"),
        ("(*a)++;", "invalid argument type", "atomic_fetch_add(a, 1);"),
        ("*a += 2;", "cannot be assigned to", "atomic_fetch_add(a, 2);"),
    ] {
        let around = |statement: &str| format!("void f(global atomic_int *a) {{ {statement} }}");
        refused_in(200, &around(wrong), message);
        accepted_in(200, &around(right));
    }
    let (errors, log) = check(300, FEATURES, "int f(global atomic_int *a) { return *a; }");
    assert!(errors == 0 && log.contains("[-Wopencl-atomic-read]"), "{log}");
}
