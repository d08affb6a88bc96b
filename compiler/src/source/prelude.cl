// Goes before every program: what clang's SPIR-V back end gets wrong, said in a way that it gets right.

#if __OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__)
// clang 22 hands order and scope of this function to OpAtomicLoad untranslated. The plain function, which is stronger, comes out right.
#define atomic_load_explicit(object, ...) atomic_load(object)
#endif
