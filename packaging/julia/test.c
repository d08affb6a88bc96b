/* Runs a kernel in SPIR-V by PoCL's prefixed entry points, as KernelAbstractions does: test LIBPOCL TRIPLE.spv */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

#define PO(name) ((__typeof__(&name))function("PO" #name))
#define CHECK(condition)                                                                                                                             \
    do {                                                                                                                                             \
        if (!(condition)) {                                                                                                                          \
            fprintf(stderr, "line %d: %s is false, error %d\n", __LINE__, #condition, error);                                                        \
            exit(1);                                                                                                                                 \
        }                                                                                                                                            \
    } while (0)

int main(int argc, char **argv)
{
    cl_int error = 0;
    CHECK(argc == 3);
    /* With a loader in the process, whose functions have the names that the driver's have. */
    CHECK(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL));
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    static unsigned char il[65536];
    FILE *file = fopen(argv[2], "rb");
    CHECK(file);
    size_t length = fread(il, 1, sizeof il, file);
    fclose(file);

    cl_platform_id platform;
    cl_device_id device;
    char name[64] = "";
    CHECK(PO(clGetPlatformIDs)(1, &platform, NULL) == CL_SUCCESS);
    CHECK(PO(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS);
    CHECK(strcmp(name, "Brolga") == 0);
    CHECK(PO(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS);
    cl_context context = PO(clCreateContext)(NULL, 1, &device, NULL, NULL, &error);
    CHECK(context);
    cl_command_queue queue = PO(clCreateCommandQueueWithProperties)(context, device, NULL, &error);
    CHECK(queue);
    cl_program program = PO(clCreateProgramWithIL)(context, il, length, &error);
    CHECK(program);
    CHECK(PO(clBuildProgram)(program, 1, &device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = PO(clCreateKernel)(program, "triple", &error);
    CHECK(kernel);
    cl_uint words[1000];
    for (cl_uint i = 0; i < 1000; i++) {
        words[i] = i ^ 0x55;
    }
    cl_mem buffer = PO(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words, &error);
    CHECK(buffer);
    CHECK(PO(clSetKernelArg)(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    size_t global = 1000;
    CHECK(PO(clEnqueueNDRangeKernel)(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(PO(clEnqueueReadBuffer)(queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL) == CL_SUCCESS);
    for (cl_uint i = 0; i < 1000; i++) {
        CHECK(words[i] == (i ^ 0x55) * 3 + i);
    }
    CHECK(PO(clReleaseMemObject)(buffer) == CL_SUCCESS && PO(clReleaseKernel)(kernel) == CL_SUCCESS);
    printf("a kernel by POcl functions of %s: right\n", name);
    return 0;
}
