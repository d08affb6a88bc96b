// options: -cl-std=CL2.0
// From 2.0 on, an address may be one of shared virtual memory.
struct pointer { global int *p; };
struct boolean { bool b; };
kernel void b3(global int *global *p) {}
kernel void b4(global int **p) {} // error: pointer arguments to kernel functions must reside in
kernel void b5(generic int *p) {} // error: pointer arguments to kernel functions must reside in
kernel void c1(struct pointer s) {}
kernel void c2(struct boolean s) {} // error: a struct with a 'bool' in it
kernel void e1(reserve_id_t r) {} // error: 'reserve_id_t' cannot be used
kernel void e2(global event_t *e, read_only pipe int p, write_only pipe float4 q) {}
