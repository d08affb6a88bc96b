/* What the test programs share: a device, a program, and a word where something fails. */

#ifndef COMMON_H
#define COMMON_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                                                                              \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                                                \
            fprintf(stderr, __VA_ARGS__);                                                                                                  \
            fprintf(stderr, "\n");                                                                                                         \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

struct setup {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

static inline struct setup set_up_with(const char *source, const char *options)
{
    struct setup s;
    cl_platform_id platform;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);
    CHECK(status == CL_SUCCESS, "clGetPlatformIDs: %d", status);
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL);
    CHECK(status == CL_SUCCESS, "clGetDeviceIDs: %d", status);
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateContext: %d", status);
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateCommandQueueWithProperties: %d", status);
    s.program = clCreateProgramWithSource(s.context, 1, &source, NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateProgramWithSource: %d", status);
    status = clBuildProgram(s.program, 1, &s.device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(s.program, s.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        CHECK(0, "clBuildProgram: %d\n%s", status, log);
    }
    return s;
}

static inline struct setup set_up(const char *source)
{
    return set_up_with(source, "");
}

/* Runs `kernel` over n work-items with a buffer of `size` bytes as its only argument, which is written and read back. */
static inline void run(struct setup *s, const char *name, size_t n, void *data, size_t size)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(s->program, name, &status);
    CHECK(status == CL_SUCCESS, "clCreateKernel: %d", status);
    cl_mem buffer = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, size, data, &status);
    CHECK(status == CL_SUCCESS, "clCreateBuffer: %d", status);
    status = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    CHECK(status == CL_SUCCESS, "clSetKernelArg: %d", status);
    status = clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", status);
    status = clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueReadBuffer: %d", status);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

static inline void tear_down(struct setup *s)
{
    clReleaseProgram(s->program);
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
}

#endif
