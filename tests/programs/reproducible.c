/* Kernels whose results may depend on the machine: on the width of gangs, the order of work-groups, fused operations, the mathematics library. Each prints
 * its name and a hash of the bits that it left. */

#include "common.h"
#include <stdint.h>

enum { N = 1 << 14 };

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "float of(uint i) { uint x = i * 2654435761u; x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; return (float)(x >> 8) / 65536.0f - 100.0f; }\n"
    "void add(volatile global uint *to, float x) {\n"
    "  uint old = *to, seen;\n"
    "  while ((seen = atomic_cmpxchg(to, old, as_uint(as_float(old) + x))) != old) old = seen;\n"
    "}\n"
    /* Sums of floats in the order in which work-items come; places that are given out in that order. */
    "kernel void sum_of_all(global uint *r) { add(r, of(get_global_id(0))); }\n"
    "kernel void places(global uint *r) { uint i = get_global_id(0); if (of(i) > 0) r[1 + atomic_inc(r)] = i; }\n"
    "kernel void counts(global uint *r) { atomic_inc(r + (uint)fabs(of(get_global_id(0)))); }\n"
    /* What the driver chooses. */
    "kernel void sizes(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  r[i] = get_local_size(0) * 1000000 + get_max_sub_group_size() * 1000 + get_sub_group_local_id();\n"
    "}\n"
    "kernel void groups(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  r[i] = as_uint(work_group_reduce_add(of(i)) + sub_group_reduce_add(of(i + 7)) + sub_group_scan_inclusive_add(of(i + 9)));\n"
    "}\n"
    /* (1 + 2^-12)^2 - (1 + 2^-11) is 0, or 2^-24 with one rounding. */
    "kernel void fused(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  float x = 1 + 0x1p-12f + r[i], y = 1 + 0x1p-11f + r[i];\n"
    "  r[i] = as_uint(x * x - y);\n"
    "}\n"
    "kernel void loops(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  float sum = 0;\n"
    "  for (uint j = 0; j < 100 + i % 7; j++) sum += of(i + j) / 3 * of(j);\n"
    "  r[i] = as_uint(sum);\n"
    "}\n"
    "kernel void floats(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  float x = of(i), s, c, p = fabs(x);\n"
    "  s = sincos(x, &c);\n"
    "  s += exp(x / 8) + log(p) + pow(p, 1.7f) + tan(x) + atan2(x, c) + erf(x / 50) + tgamma(p / 9) + cbrt(x) + rsqrt(p) + sinh(x / 40);\n"
    "  s += native_exp(x / 8) + native_recip(x) + native_sin(x / 40) + half_log(p) + mad(x, s, c) + fma(x, s, c) + fmod(x, 3.1f) + length((float2)(x, s));\n"
    "  r[i] = as_uint(s + c);\n"
    "}\n"
    "kernel void doubles(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  double x = of(i), p = fabs(x), big = x * 1e9 * p;\n"
    "  double s = sin(big) + cos(big) + tan(big) + sin(x) + erf(x / 50) + erfc(p / 50) + exp(x / 3) + log(p) + pow(p, 2.3) + lgamma(p) + remainder(x, 0.7);\n"
    "  ulong bits = as_ulong(s);\n"
    "  r[i] = (uint)(bits ^ bits >> 32);\n"
    "}\n"
    "kernel void halves(global uint *r) {\n"
    "  uint i = get_global_id(0);\n"
    "  half x = (half)(of(i) / 16), y = (half)(of(i + 1) / 8);\n"
    "  half z = x * y + x / y - sqrt(fabs(x)) + fma(x, y, x) + mad(x, x, y);\n"
    "  r[i] = as_ushort(z);\n"
    "}\n";

static void hash(struct setup *s, const char *name)
{
    static cl_uint words[N];
    memset(words, 0, sizeof words);
    run(s, name, N, words, sizeof words);
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < N; i++)
        sum = (sum ^ words[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)sum);
}

int main(void)
{
    struct setup s = set_up_with(source, "-cl-std=CL3.0 -cl-fast-relaxed-math -cl-denorms-are-zero");
    static const char *const names[] = {"sum_of_all", "places", "counts", "sizes", "groups", "fused", "loops", "floats", "doubles", "halves"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        hash(&s, names[i]);
    tear_down(&s);
    return 0;
}
