/* Processes that end while commands, callbacks and a build are under way: by exit(), by returning, and with nothing released. */

#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 16, EVENTS = 200 };

static void CL_CALLBACK told(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    ++*(volatile int *)data;
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program;
    ++*(volatile int *)data;
}

static void leave(int round)
{
    static int calls;
    struct setup s = set_up("kernel void k(global int *a, int n) { int x = 0; for (int i = 0; i < n; i++) x = x * 3 + i; a[get_global_id(0)] = x; }");
    cl_int status;
    cl_kernel kernel = clCreateKernel(s.program, "k", &status);
    CHECK(status == CL_SUCCESS, "clCreateKernel: %d", status);
    cl_mem buffer = clCreateBuffer(s.context, 0, N * sizeof(int), NULL, &status);
    int n = 2000;
    size_t size = N;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    for (int i = 0; i < EVENTS; i++) {
        cl_event event;
        status = clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event);
        CHECK(status == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", status);
        clSetEventCallback(event, CL_COMPLETE, told, &calls);
        clReleaseEvent(event);
    }
    clFlush(s.queue);
    if (round % 3 == 1) {
        const char *source = "kernel void other(global int *a) { a[0] = 1; }";
        cl_program program = clCreateProgramWithSource(s.context, 1, &source, NULL, &status);
        clBuildProgram(program, 0, NULL, NULL, built, &calls);
    }
    if (round % 3 == 2) {
        clReleaseMemObject(buffer);
        clReleaseKernel(kernel);
        tear_down(&s);
    }
    usleep(round * 1000);
    exit(0);
}

int main(void)
{
    for (int round = 0; round < 9; round++) {
        pid_t child = fork();
        CHECK(child >= 0, "fork");
        if (child == 0) {
            alarm(120);
            leave(round);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child, "waitpid");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "round %d ended with %#x", round, status);
    }
    return 0;
}
