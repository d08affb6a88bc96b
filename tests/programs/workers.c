/* Workers that are forked while other threads of the parent are inside the driver, as Python's multiprocessing does it: each child uses
 * OpenCL afresh, and none hangs on what a thread that it does not have was doing. */

#include "common.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, THREADS = 3, CHILDREN = 24 };

static struct setup shared;
static volatile int over;

static void *work(void *nothing)
{
    (void)nothing;
    while (!over) {
        int numbers[N] = {0};
        struct setup s = shared;
        cl_int status;
        s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
        CHECK(status == CL_SUCCESS, "clCreateCommandQueueWithProperties: %d", status);
        run(&s, "k", N, numbers, sizeof numbers);
        CHECK(numbers[N - 1] == 1, "%d", numbers[N - 1]);
        clReleaseCommandQueue(s.queue);
    }
    return NULL;
}

int main(void)
{
    static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)]++; }";
    shared = set_up(source);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        CHECK(child >= 0, "fork");
        if (child == 0) {
            alarm(120);
            struct setup s;
            cl_platform_id platform;
            cl_int status = clGetPlatformIDs(1, &platform, NULL);
            CHECK(status == CL_SUCCESS, "clGetPlatformIDs: %d", status);
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL);
            s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
            CHECK(status == CL_SUCCESS, "clCreateContext: %d", status);
            s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
            cl_mem buffer = clCreateBuffer(s.context, 0, N * sizeof(int), NULL, &status);
            CHECK(status == CL_SUCCESS, "clCreateBuffer: %d", status);
            int numbers[N] = {0}, seven = 7;
            cl_event event;
            status = clEnqueueFillBuffer(s.queue, buffer, &seven, sizeof seven, 0, sizeof numbers, 0, NULL, &event);
            CHECK(status == CL_SUCCESS, "clEnqueueFillBuffer: %d", status);
            status = clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 1, &event, NULL);
            CHECK(status == CL_SUCCESS && numbers[N - 1] == 7, "clEnqueueReadBuffer: %d, %d", status, numbers[N - 1]);
            clFinish(shared.queue); /* the parent's: nobody is left who could do its work, and nobody may wait for it */
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child, "waitpid");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d ended with %#x", i, status);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tear_down(&shared);
    return 0;
}
