/* The host has set flush-to-zero, another rounding mode and unmasked traps. Kernels compute as OpenCL says, and the host finds its state
 * again after every call. */

#define _GNU_SOURCE
#include "common.h"
#include <fenv.h>

#ifdef __x86_64__
#include <xmmintrin.h>
static unsigned state(void) { return _mm_getcsr() & ~0x3fu; /* without the sticky flags */ }
static void flush_to_zero(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#elif defined __aarch64__
static unsigned long control(void)
{
    unsigned long value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
static unsigned state(void) { return (unsigned)control(); }
static void flush_to_zero(void) { __asm__ volatile("msr fpcr, %0" : : "r"(control() | 1ul << 24)); }
#else
static unsigned state(void) { return (unsigned)fegetround(); }
static void flush_to_zero(void) {}
#endif

static const char source[] = "kernel void k(global float *a) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    float x = a[4 * i], y = a[4 * i + 1];\n"
                             "    a[4 * i] = x + y; a[4 * i + 1] = x * y; a[4 * i + 2] = x / (y - y); a[4 * i + 3] = x * 1e-30f * 1e-10f;\n"
                             "}\n";

enum { N = 64 };

/* The results for one pair of numbers, in the state in which the program started. */
struct result {
    float sum, product, infinity, tiny;
};

int main(void)
{
    struct setup s = set_up(source);
    float data[4 * N];
    struct result want[N];
    for (int i = 0; i < N; i++) {
        volatile float x = 1.0f + i, y = 1e-9f * (i + 1), scale = 1e-30f, scale2 = 1e-10f;
        want[i].sum = x + y;
        want[i].product = x * y;
        volatile float t = x * scale;
        want[i].tiny = t * scale2;
    }
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int traps = 0; traps < 2; traps++)
        for (int m = 0; m < 4; m++)
            for (size_t n = 1; n <= N; n *= 8) { /* few work-items run on this thread, many on others */
                for (int i = 0; i < N; i++) {
                    data[4 * i] = 1.0f + i;
                    data[4 * i + 1] = 1e-9f * (i + 1);
                }
                fesetround(modes[m]);
                flush_to_zero();
                if (traps)
                    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
                unsigned before = state();
                run(&s, "k", n, data, sizeof data);
                unsigned after = state();
                fesetenv(FE_DFL_ENV);
                CHECK(before == after, "the host's state changed from %#x to %#x", before, after);
                for (size_t i = 0; i < n; i++) {
                    CHECK(data[4 * i] == want[i].sum, "sum %zu: %a, not %a (mode %d)", i, data[4 * i], want[i].sum, m);
                    CHECK(data[4 * i + 1] == want[i].product, "product %zu (mode %d)", i, m);
                    CHECK(data[4 * i + 2] > 1e38f, "division by zero %zu: %g", i, data[4 * i + 2]);
                    CHECK(data[4 * i + 3] == want[i].tiny && data[4 * i + 3] > 0, "subnormal %zu: %a, not %a", i, data[4 * i + 3], want[i].tiny);
                }
            }
    /* The program is built with the host's state, too: constants are folded, and conversions made, as always. */
    fesetround(FE_UPWARD);
    flush_to_zero();
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    tear_down(&s);
    s = set_up("kernel void k(global float *a) { a[0] = 0.1f; a[1] = 1.0f / 3.0f; a[2] = 1e-40f; a[3] = a[4] / 0.0f; }");
    float few[5] = {0, 0, 0, 0, 1};
    run(&s, "k", 1, few, sizeof few);
    fesetenv(FE_DFL_ENV);
    CHECK(few[0] == 0.1f && few[1] == 1.0f / 3.0f && few[2] == 1e-40f && few[3] > 1e38f, "%a %a %a %g", few[0], few[1], few[2], few[3]);
    tear_down(&s);
    return 0;
}
