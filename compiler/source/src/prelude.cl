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

#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 120
#ifdef cl_khr_async_work_group_copy_fence
// clang 22 knows neither this extension nor the next. Copies are done when their function returns, by each work-item its share.
static inline void __attribute__((convergent)) __brolga_copy_fence(cl_mem_fence_flags flags) { barrier(flags); }
#define async_work_group_copy_fence __brolga_copy_fence
#endif

#ifdef cl_khr_extended_async_copies
#define __brolga_copies(to, from)                                                                                                             \
    static inline event_t __attribute__((overloadable, convergent)) __brolga_copy_3D3D(                                                       \
        to void *target, size_t target_offset, const from void *source, size_t source_offset, size_t bytes, size_t elements, size_t lines,    \
        size_t planes, size_t source_line, size_t source_plane, size_t target_line, size_t target_plane, event_t event) {                     \
        for (size_t plane = 0; plane < planes; plane++)                                                                                       \
            for (size_t line = 0; line < lines; line++)                                                                                       \
                async_work_group_copy((to uchar *)target + (target_offset + plane * target_plane + line * target_line) * bytes,               \
                                      (const from uchar *)source + (source_offset + plane * source_plane + line * source_line) * bytes,       \
                                      bytes * elements, event);                                                                               \
        return async_work_group_copy((to uchar *)target, (const from uchar *)source, (size_t)0, event);                                       \
    }                                                                                                                                         \
    static inline event_t __attribute__((overloadable, convergent)) __brolga_copy_2D2D(                                                       \
        to void *target, size_t target_offset, const from void *source, size_t source_offset, size_t bytes, size_t elements, size_t lines,    \
        size_t source_line, size_t target_line, event_t event) {                                                                              \
        return __brolga_copy_3D3D(target, target_offset, source, source_offset, bytes, elements, lines, (size_t)1, source_line, (size_t)0,    \
                                  target_line, (size_t)0, event);                                                                             \
    }
__brolga_copies(local, global)
__brolga_copies(global, local)
#undef __brolga_copies
#define async_work_group_copy_2D2D __brolga_copy_2D2D
#define async_work_group_copy_3D3D __brolga_copy_3D3D
#endif
#endif
