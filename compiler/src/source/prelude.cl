// Goes before every program: what clang's SPIR-V back end gets wrong, said in a way that it gets right.

#if defined(__opencl_c_atomic_order_seq_cst) && defined(__opencl_c_atomic_scope_device)
// clang 22 hands order and scope of this function to OpAtomicLoad untranslated. The plain function, which is stronger, comes out right.
#define atomic_load_explicit(object, ...) atomic_load(object)
#endif

#ifdef __opencl_c_pipes
// clang 22 stops at its own definition, a cast of a pointer.
reserve_id_t __brolga_null_reserve_id(void);
#undef CLK_NULL_RESERVE_ID
#define CLK_NULL_RESERVE_ID __brolga_null_reserve_id()
#endif

// clang 22 writes vload_half3 for this function, but three aligned halves take the room of four.
#define vloada_half3(offset, p) vload_half3(0, (p) + 4 * (offset))
