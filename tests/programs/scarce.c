/* A process that may have little memory: what needs more fails with the error that its page names, failing leaves nothing behind, and all
 * goes on where there is memory again. */

#include "common.h"
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 64, PIECE = 8 << 20, PIECES = 1000, ROUNDS = 5 };

static void limit_address_space(rlim_t more)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1, "/proc/self/statm");
    fclose(file);
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (more)
        limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
}

static void increments(struct setup *s, const char *when)
{
    int numbers[N] = {0};
    run(s, "k", N, numbers, sizeof numbers);
    for (int i = 0; i < N; i++)
        CHECK(numbers[i] == 1, "%s: item %d is %d", when, i, numbers[i]);
}

/* The limit is there from the start (`ulimit -v`): the driver takes little of it for itself. */
static void from_the_start(rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
    cl_platform_id platform;
    cl_device_id device;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);
    CHECK(status == CL_SUCCESS, "clGetPlatformIDs: %d", status);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateContext: %d", status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateCommandQueueWithProperties: %d", status);
    for (int i = 0; i < 8; i++) {
        cl_mem buffer = clCreateBuffer(context, 0, 4 << 20, NULL, &status);
        CHECK(status == CL_SUCCESS, "clCreateBuffer: %d", status);
        status = clEnqueueFillBuffer(queue, buffer, "x", 1, 0, 4 << 20, 0, NULL, NULL);
        CHECK(status == CL_SUCCESS && clFinish(queue) == CL_SUCCESS, "clEnqueueFillBuffer: %d", status);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        from_the_start((rlim_t)atoi(argv[1]) << 20);
        return 0;
    }
    static cl_mem pieces[PIECES];
    /* A thread that allocates for the first time may reserve 64 MiB of addresses for itself, whenever that is. */
    mallopt(M_ARENA_MAX, 1);
    struct setup s = set_up("kernel void k(global int *a) { a[get_global_id(0)]++; }"
                            "kernel void greedy(global int *a) { volatile int large[1 << 19]; large[a[0]] = 1; a[0] = large[a[0]]; }");
    increments(&s, "with all memory");
    limit_address_space((rlim_t)256 << 20);
    int first = 0;
    for (int round = 0; round < ROUNDS; round++) {
        cl_int status = CL_SUCCESS;
        int count = 0;
        while (count < PIECES && (pieces[count] = clCreateBuffer(s.context, 0, PIECE, NULL, &status)))
            count++;
        CHECK(status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer: %d after %d", status, count);
        CHECK(count >= 8, "only %d buffers", count);
        CHECK(round == 0 || count >= first - 1, "%d buffers at first, %d in round %d", first, count, round);
        first = round == 0 ? count : first;
        cl_image_format format = {CL_RGBA, CL_FLOAT};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4096, .image_height = 4096};
        cl_mem image = clCreateImage(s.context, 0, &format, &desc, NULL, &status);
        CHECK(!image && status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateImage: %d", status);
        cl_mem pipe = clCreatePipe(s.context, 0, 1024, 1 << 20, NULL, &status);
        CHECK(!pipe && status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreatePipe: %d", status);
        CHECK(!clSVMAlloc(s.context, 0, (size_t)512 << 20, 0), "clSVMAlloc");
        /* 2 MiB a work-item of private memory, and no memory for it. */
        size_t size = 1024;
        cl_kernel kernel = clCreateKernel(s.program, "greedy", &status);
        CHECK(status == CL_SUCCESS, "clCreateKernel: %d", status);
        clSetKernelArg(kernel, 0, sizeof pieces[0], &pieces[0]);
        cl_event event;
        status = clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &size, &size, 0, NULL, &event);
        if (status == CL_SUCCESS) {
            CHECK(clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "there was memory");
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
            clReleaseEvent(event);
        }
        CHECK(status == CL_OUT_OF_RESOURCES || status == CL_MEM_OBJECT_ALLOCATION_FAILURE, "the launch: %d", status);
        clReleaseKernel(kernel);
        increments(&s, "with next to none");
        for (int i = 0; i < count; i++)
            clReleaseMemObject(pieces[i]);
    }
    limit_address_space(0);
    increments(&s, "with all memory again");
    tear_down(&s);
    return 0;
}
