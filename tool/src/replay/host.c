/* Runs what a process launched, as `brolga replay --write-c` wrote it, and compares what buffers hold. Beside it are the files that it reads.
   cc HOST.c -lOpenCL && ./a.out [NUMBER-OF-A-PLATFORM] */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    size_t bytes;
    cl_mem buffer; /* or an image, or */
    char *pointer;
    size_t region[3]; /* all of an image */
};

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static int number, faults;

static void check(cl_int status, const char *what) {
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(2);
}

static char *load(const char *name, size_t *bytes) {
    FILE *file = fopen(name, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *bytes = ftell(file);
    rewind(file);
    char *contents = malloc(*bytes + 1);
    if (fread(contents, 1, *bytes, file) != *bytes) check(-1, name);
    contents[*bytes] = 0;
    fclose(file);
    return contents;
}

/* What a block of LZ4 holds; NULL where it is not so many bytes. */
static char *unpack(const unsigned char *in, size_t packed, size_t bytes) {
    const unsigned char *end = in + packed;
    unsigned char *start = malloc(bytes + 1), *out = start, *last = start + bytes;
    while (in < end) {
        unsigned token = *in++, more;
        size_t length = token >> 4, back;
        if (length == 15)
            do length += more = in < end ? *in++ : 0;
            while (more == 255);
        if (length > (size_t)(end - in) || length > (size_t)(last - out)) return NULL;
        memcpy(out, in, length);
        out += length;
        in += length;
        if (in == end) break;
        if (end - in < 2) return NULL;
        back = in[0] | in[1] << 8;
        in += 2;
        length = token & 15;
        if (length == 15)
            do length += more = in < end ? *in++ : 0;
            while (more == 255);
        length += 4;
        if (!back || back > (size_t)(out - start) || length > (size_t)(last - out)) return NULL;
        for (; length; length--, out++) *out = out[-(ptrdiff_t)back];
    }
    return out == last ? (char *)start : NULL;
}

static void begin(int platform_number) {
    cl_platform_id platforms[16];
    cl_uint count;
    cl_int status;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    if ((cl_uint)platform_number >= count) check(-1, "the number of the platform");
    check(clGetDeviceIDs(platforms[platform_number], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
}

static cl_program create(const char *name, int is_il) {
    size_t bytes;
    cl_int status;
    const char *contents = load(name, &bytes);
    if (!contents) check(-1, name);
    cl_program program = is_il ? clCreateProgramWithIL(context, contents, bytes, &status)
                               : clCreateProgramWithSource(context, 1, &contents, &bytes, &status);
    check(status, "clCreateProgramWith…");
    return program;
}

static void build_log(cl_int status, cl_program program, const char *what) {
    static char log[1 << 16];
    if (status != CL_SUCCESS && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL) == CL_SUCCESS)
        fprintf(stderr, "%s\n", log);
    check(status, what);
}

static cl_program build(cl_program program, const char *options) {
    build_log(clBuildProgram(program, 1, &device, options, NULL, NULL), program, "clBuildProgram");
    return program;
}

static cl_program link_all(cl_uint count, cl_program *programs, const char *options) {
    cl_int status;
    for (cl_uint i = 0; i < count; i++)
        build_log(clCompileProgram(programs[i], 1, &device, NULL, 0, NULL, NULL, NULL, NULL), programs[i], "clCompileProgram");
    cl_program program = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL, &status);
    check(status, "clLinkProgram");
    return program;
}

static struct memory make(size_t bytes, cl_mem_flags flags) {
    cl_int status;
    struct memory made = {bytes, clCreateBuffer(context, flags, bytes, NULL, &status), NULL, {0}};
    check(status, "clCreateBuffer");
    return made;
}

static struct memory make_shared(size_t bytes) {
    struct memory made = {bytes, NULL, clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0), {0}};
    if (!made.pointer) check(-1, "clSVMAlloc");
    return made;
}

static struct memory make_image(size_t bytes, cl_mem_flags flags, cl_uint kind, cl_uint order, cl_uint type, size_t x, size_t y, size_t z) {
    cl_int status;
    cl_image_format format = {order, type};
    cl_image_desc desc = {.image_type = kind, .image_width = x};
    int has_rows = kind != CL_MEM_OBJECT_IMAGE1D && kind != CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (has_rows) desc.image_height = y;
    if (kind == CL_MEM_OBJECT_IMAGE3D) desc.image_depth = z;
    if (kind == CL_MEM_OBJECT_IMAGE1D_ARRAY) desc.image_array_size = y;
    if (kind == CL_MEM_OBJECT_IMAGE2D_ARRAY) desc.image_array_size = z;
    struct memory made = {bytes, clCreateImage(context, flags, &format, &desc, NULL, &status), NULL, {x, y, z}};
    check(status, "clCreateImage");
    return made;
}

/* Copies all bytes to memory, or from it. */
static void move(struct memory *memory, char *contents, int to_memory) {
    size_t origin[3] = {0};
    if (memory->pointer)
        check(clEnqueueSVMMemcpy(queue, CL_TRUE, to_memory ? memory->pointer : contents, to_memory ? contents : memory->pointer, memory->bytes, 0,
                                 NULL, NULL),
              "clEnqueueSVMMemcpy");
    else if (memory->region[0] && to_memory)
        check(clEnqueueWriteImage(queue, memory->buffer, CL_TRUE, origin, memory->region, 0, 0, contents, 0, NULL, NULL), "clEnqueueWriteImage");
    else if (memory->region[0])
        check(clEnqueueReadImage(queue, memory->buffer, CL_TRUE, origin, memory->region, 0, 0, contents, 0, NULL, NULL), "clEnqueueReadImage");
    else if (to_memory)
        check(clEnqueueWriteBuffer(queue, memory->buffer, CL_TRUE, 0, memory->bytes, contents, 0, NULL, NULL), "clEnqueueWriteBuffer");
    else
        check(clEnqueueReadBuffer(queue, memory->buffer, CL_TRUE, 0, memory->bytes, contents, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static char *contents_of(struct memory *memory, const char *name) {
    size_t bytes = memory->bytes;
    char *contents = strcmp(name, "zero") ? load(name, &bytes) : calloc(bytes, 1);
    if (!contents) {
        char file[32];
        snprintf(file, sizeof file, "%s.lz4", name);
        char *packed = load(file, &bytes);
        if (packed && !(contents = unpack((unsigned char *)packed, bytes, memory->bytes))) check(-1, file);
        free(packed);
        bytes = memory->bytes;
    }
    if (contents && bytes != memory->bytes) check(-1, name);
    return contents;
}

static void set(struct memory *memory, const char *name) {
    char *contents = contents_of(memory, name);
    if (!contents) check(-1, name);
    move(memory, contents, 1);
    free(contents);
}

static cl_kernel kernel_of(cl_program program, const char *name) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, name);
    return kernel;
}

static void argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

static void buffer(cl_kernel kernel, cl_uint index, struct memory *memory, size_t origin, size_t bytes) {
    cl_mem object = memory->buffer;
    if (bytes != memory->bytes) {
        cl_int status;
        cl_buffer_region region = {origin, bytes};
        object = clCreateSubBuffer(object, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        check(status, "clCreateSubBuffer");
    }
    argument(kernel, index, sizeof object, &object);
}

static void sampler(cl_kernel kernel, cl_uint index, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
    cl_int status;
    cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS, normalized, CL_SAMPLER_ADDRESSING_MODE, addressing, CL_SAMPLER_FILTER_MODE, filter, 0};
    cl_sampler made = clCreateSamplerWithProperties(context, list, &status);
    check(status, "clCreateSamplerWithProperties");
    argument(kernel, index, sizeof made, &made);
}

static void pointer(cl_kernel kernel, cl_uint index, struct memory *memory, size_t origin) {
    check(clSetKernelArgSVMPointer(kernel, index, memory->pointer + origin), "clSetKernelArgSVMPointer");
}

/* An SVM pointer in a value. */
static void inside(char *place, struct memory *memory, size_t origin) {
    char *pointer = memory->pointer + origin;
    memcpy(place, &pointer, sizeof pointer);
}

static void launch(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local, const size_t *offset) {
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    cl_int status = clFinish(queue);
    check(status, "clFinish");
    clReleaseKernel(kernel);
    number++;
}

/* The name of contents, as the recorder computes it. */
static void name_of(const unsigned char *contents, size_t bytes, char *name) {
    uint64_t state = 0xcbf29ce484222325u ^ bytes;
    int zero = 1;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, contents + i, bytes - i < 8 ? bytes - i : 8);
        zero &= word == 0;
        state = (state ^ word) * 0x9e3779b97f4a7c15u;
        state ^= state >> 29;
    }
    state = (state ^ (state >> 32)) * 0xd6e8feb86659fd93u;
    snprintf(name, 17, zero ? "zero" : "%016llx", (unsigned long long)(state ^ (state >> 32)));
}

static void after(struct memory *memory, const char *kernel, int which, const char *expected) {
    char name[17], *found = malloc(memory->bytes + 1);
    move(memory, found, 0);
    name_of((unsigned char *)found, memory->bytes, name);
    if (strcmp(name, expected)) {
        faults++;
        printf("launch %d of '%s': memory %d is not as recorded", number - 1, kernel, which);
        char *recorded = contents_of(memory, expected);
        size_t first = 0;
        while (recorded && found[first] == recorded[first]) first++;
        if (recorded) printf(", from byte %zu on", first);
        printf("\n");
        if (recorded) set(memory, expected);
        free(recorded);
    }
    free(found);
}
