/* Kernels that go wrong, each in a process of its own: what the process is told, and how it goes on. The argument says what goes wrong. */

#include "common.h"
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 64 };

static const char *source = "kernel void wild(global int *a, ulong far) { if (get_global_id(0) == 37) a[far + get_global_id(0)] = 1; }"
                            "kernel void strings(global int *a) {"
                            "  if (get_global_id(0)) return;"
                            "  printf(\"number %s float %s good %s\\n\", a[0], 3.5f, \"yes\");"
                            "  printf(\"%d %d %n %q %\", 1); printf(\"%s\\n\"); printf(\"%*d\\n\", 1, 2); }"
                            "kernel void greedy(global int *a) { volatile int large[1 << 29]; large[a[0]] = 1; a[0] = large[a[0]]; }"
                            "kernel void trap(global int *a) { if (get_global_id(0) == 37) __builtin_trap(); a[get_global_id(0)] = 7; }"
                            "kernel void fine(global int *a) { a[get_global_id(0)]++; }";

static void of_the_application(int signal)
{
    static const char text[] = "the application was told\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(100 + signal);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strstr(what, "handler"))
        signal(SIGSEGV, of_the_application);
    struct setup s = set_up(source);
    int numbers[N] = {0};
    if (strstr(what, "fault")) {
        cl_int status;
        cl_kernel kernel = clCreateKernel(s.program, "wild", &status);
        cl_mem buffer = clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
        /* 16 TiB before: no memory is there. */
        cl_ulong far = -((cl_ulong)1 << 42);
        size_t size = N, group = 16;
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        clSetKernelArg(kernel, 1, sizeof far, &far);
        clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL);
        clFinish(s.queue);
        fprintf(stderr, "the process lives\n");
        return 1;
    }
    if (strcmp(what, "strings") == 0)
        run(&s, "strings", N, numbers, sizeof numbers);
    if (strcmp(what, "trap") == 0) {
        int trapped[N] = {0};
        run(&s, "trap", N, trapped, sizeof trapped);
    }
    if (strcmp(what, "greedy") == 0) {
        /* No machine has more addresses now than the group's arrays need. */
        struct rlimit limit = {(rlim_t)1 << 34, (rlim_t)1 << 34};
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
        for (int i = 0; i < 3; i++)
            run(&s, "greedy", N, (int[N]){0}, sizeof numbers);
    }
    run(&s, "fine", N, numbers, sizeof numbers);
    for (int i = 0; i < N; i++)
        CHECK(numbers[i] == 1, "item %d is %d", i, numbers[i]);
    tear_down(&s);
    return 0;
}
