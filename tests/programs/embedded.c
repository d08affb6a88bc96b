/* A host that has a loader of its own inside: it exports OpenCL's names itself, as a program does that a loader was linked into, and opens
 * the driver by its path, in the way that its argument says. The driver's calls of its own functions must never come out here, and it may be
 * closed at any time. */

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define CALL(expression)                                                                                                                   \
    do {                                                                                                                                   \
        cl_int status_ = (expression);                                                                                                     \
        if (status_ != CL_SUCCESS)                                                                                                         \
            FAIL("%s: %d", #expression, status_);                                                                                          \
    } while (0)

/* The loader's side of each function jumps through the object's first word. */
#define TABLE(object) (*(cl_icd_dispatch **)(object))

#define TRAP(name)                                                                                                                         \
    __attribute__((visibility("default"))) void trap_##name(void) __asm__(#name);                                                          \
    void trap_##name(void) { FAIL("the driver called the host's %s", #name); }
TRAP(clGetPlatformIDs)
TRAP(clGetDeviceIDs)
TRAP(clCreateContext)
TRAP(clRetainContext)
TRAP(clReleaseContext)
TRAP(clRetainEvent)
TRAP(clReleaseEvent)
TRAP(clReleaseCommandQueue)
TRAP(clFinish)
TRAP(clFlush)
TRAP(clEnqueueNDRangeKernel)
TRAP(clEnqueueReadBuffer)
TRAP(clReleaseKernel)
TRAP(clReleaseProgram)
TRAP(clReleaseMemObject)
TRAP(clGetExtensionFunctionAddress)

int main(int count, char **arguments)
{
    if (count != 3)
        FAIL("usage: embedded local|global|deepbind DRIVER");
    int flags = RTLD_NOW;
    flags |= strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    flags |= strcmp(arguments[1], "deepbind") == 0 ? RTLD_DEEPBIND : 0;
    for (int round = 0; round < 2; round++) {
        void *library = dlopen(arguments[2], flags);
        if (!library)
            FAIL("%s", dlerror());
        void *(*address)(const char *) = (void *(*)(const char *))dlsym(library, "clGetExtensionFunctionAddress");
        if (!address)
            FAIL("%s", dlerror());
        cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) =
            (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))address("clIcdGetPlatformIDsKHR");
        cl_platform_id platform;
        CALL(platforms(1, &platform, NULL));
        cl_icd_dispatch *table = TABLE(platform);
        cl_device_id device;
        CALL(table->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
        cl_int status;
        cl_context context = table->clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        CALL(status);
        cl_command_queue queue = TABLE(context)->clCreateCommandQueue(context, device, 0, &status);
        CALL(status);
        const char *source = "kernel void k(global int *a) { a[get_global_id(0)] += 7; }";
        cl_program program = TABLE(context)->clCreateProgramWithSource(context, 1, &source, NULL, &status);
        CALL(status);
        CALL(TABLE(program)->clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        cl_kernel kernel = TABLE(program)->clCreateKernel(program, "k", &status);
        CALL(status);
        int numbers[64] = {0};
        cl_mem buffer = TABLE(context)->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
        CALL(status);
        CALL(TABLE(kernel)->clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        size_t size = 64;
        cl_event event;
        CALL(TABLE(queue)->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
        CALL(TABLE(queue)->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 1, &event, NULL));
        for (int i = 0; i < 64; i++)
            if (numbers[i] != 7)
                FAIL("item %d is %d", i, numbers[i]);
        /* The library is closed while these are under way. */
        for (int i = 0; i < 500; i++)
            CALL(TABLE(queue)->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        CALL(TABLE(queue)->clFlush(queue));
        CALL(TABLE(event)->clReleaseEvent(event));
        CALL(TABLE(buffer)->clReleaseMemObject(buffer));
        CALL(TABLE(kernel)->clReleaseKernel(kernel));
        CALL(TABLE(program)->clReleaseProgram(program));
        CALL(TABLE(queue)->clReleaseCommandQueue(queue));
        CALL(TABLE(context)->clReleaseContext(context));
        if (dlclose(library) != 0)
            FAIL("%s", dlerror());
    }
    return 0;
}
