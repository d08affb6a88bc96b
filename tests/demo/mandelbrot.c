/* Draws the Mandelbrot set with OpenCL, once from OpenCL C and once from SPIR-V.
 *
 *     mandelbrot SOURCE.cl MODULE.spv PICTURE
 *
 * writes PICTURE-source.png and PICTURE-spirv.png, and says which device did it and how long it took. An ordinary OpenCL program: it knows
 * nothing of any driver. */

#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 1200, HEIGHT = 800, LIMIT = 500 };

static void fail(const char *what, cl_int status)
{
    fprintf(stderr, "mandelbrot: %s: error %d\n", what, status);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) {
        fprintf(stderr, "mandelbrot: cannot read %s\n", path);
        exit(1);
    }
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

/* A PNG of RGB pixels: one IDAT whose zlib stream has stored (not compressed) blocks, a row a block. */

static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
    }
    return crc;
}

static void put32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *file, const char *type, const unsigned char *data, size_t size)
{
    unsigned char word[4];
    put32(word, (uint32_t)size);
    fwrite(word, 1, 4, file);
    fwrite(type, 1, 4, file);
    if (size)
        fwrite(data, 1, size, file);
    put32(word, ~crc_of(crc_of(~0u, (const unsigned char *)type, 4), data, size));
    fwrite(word, 1, 4, file);
}

static void write_png(const char *path, const unsigned char *rgb, unsigned width, unsigned height)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    unsigned char header[13] = {0};
    put32(header, width);
    put32(header + 4, height);
    header[8] = 8; /* bits */
    header[9] = 2; /* RGB */
    write_chunk(file, "IHDR", header, sizeof header);

    size_t row = 1 + 3 * (size_t)width; /* a filter byte, then pixels */
    unsigned char *stream = malloc(2 + (row + 5) * height + 4), *p = stream;
    *p++ = 0x78;
    *p++ = 0x01;
    uint32_t a = 1, b = 0; /* Adler-32 */
    for (unsigned y = 0; y < height; y++) {
        *p++ = y == height - 1;
        *p++ = (unsigned char)row;
        *p++ = (unsigned char)(row >> 8);
        *p++ = (unsigned char)~row;
        *p++ = (unsigned char)(~row >> 8);
        unsigned char *data = p;
        *p++ = 0;
        memcpy(p, rgb + 3 * (size_t)width * y, 3 * (size_t)width);
        p += 3 * (size_t)width;
        for (; data < p; data++) {
            a = (a + *data) % 65521;
            b = (b + a) % 65521;
        }
    }
    put32(p, b << 16 | a);
    write_chunk(file, "IDAT", stream, (size_t)(p + 4 - stream));
    write_chunk(file, "IEND", NULL, 0);
    free(stream);
    fclose(file);
}

static void color(cl_uint count, unsigned char *rgb)
{
    if (count == LIMIT) {
        rgb[0] = rgb[1] = rgb[2] = 0;
        return;
    }
    double t = sqrt((double)count / LIMIT);
    rgb[0] = (unsigned char)(255 * (0.5 - 0.5 * cos(6.0 * t + 0.2)));
    rgb[1] = (unsigned char)(255 * (0.5 - 0.5 * cos(9.0 * t + 0.4)));
    rgb[2] = (unsigned char)(255 * (0.5 - 0.5 * cos(13.0 * t + 0.9)));
}

static void draw(cl_context context, cl_device_id device, cl_program program, const char *kind, const char *picture, cl_uint *counts)
{
    cl_int status;
    double start = now_ms();
    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    double build = now_ms() - start;
    if (status != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        fail("clBuildProgram", status);
    }
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
    if (!queue)
        fail("clCreateCommandQueueWithProperties", status);
    cl_kernel kernel = clCreateKernel(program, "mandelbrot", &status);
    if (!kernel)
        fail("clCreateKernel", status);
    size_t size = sizeof(cl_uint) * WIDTH * HEIGHT;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, size, NULL, &status);
    if (!buffer)
        fail("clCreateBuffer", status);

    cl_float left = -2.2f, top = -1.0f, step = 3.0f / WIDTH;
    top = -step * HEIGHT / 2;
    cl_uint limit = LIMIT;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof left, &left);
    clSetKernelArg(kernel, 2, sizeof top, &top);
    clSetKernelArg(kernel, 3, sizeof step, &step);
    clSetKernelArg(kernel, 4, sizeof limit, &limit);

    double best = HUGE_VAL;
    size_t global[2] = {WIDTH, HEIGHT};
    for (int run = 0; run < 5; run++) {
        cl_event event;
        cl_ulong begin, end;
        status = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, &event);
        if (status != CL_SUCCESS)
            fail("clEnqueueNDRangeKernel", status);
        status = clWaitForEvents(1, &event);
        if (status != CL_SUCCESS)
            fail("clWaitForEvents", status);
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        best = fmin(best, (double)(end - begin) * 1e-6);
        clReleaseEvent(event);
    }
    status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, counts, 0, NULL, NULL);
    if (status != CL_SUCCESS)
        fail("clEnqueueReadBuffer", status);

    unsigned char *rgb = malloc(3 * WIDTH * HEIGHT);
    double iterations = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        color(counts[i], rgb + 3 * i);
        iterations += counts[i];
    }
    char path[4096];
    snprintf(path, sizeof path, "%s-%s.png", picture, kind);
    write_png(path, rgb, WIDTH, HEIGHT);
    free(rgb);
    printf("  from %-7s build %8.2f ms, kernel %8.2f ms (%.0f million iterations a second), %s\n", kind, build, best, iterations / best * 1e-3, path);

    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseCommandQueue(queue);
}

/* The same in C, for one point. */
static cl_uint expected(size_t x, size_t y)
{
    float step = 3.0f / WIDTH, cr = -2.2f + step * x, ci = -step * HEIGHT / 2 + step * y, zr = 0, zi = 0;
    cl_uint count = 0;
    for (; count < LIMIT && zr * zr + zi * zi < 4; count++) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
    }
    return count;
}

/* Rounding may differ where products and sums are fused, which shows near the border of the set: almost all points must agree. */
static void check(const cl_uint *counts)
{
    size_t wrong = 0, looked = 0;
    for (size_t y = 0; y < HEIGHT; y += 7)
        for (size_t x = 0; x < WIDTH; x += 7, looked++)
            wrong += counts[y * WIDTH + x] != expected(x, y);
    if (wrong * 50 > looked) {
        fprintf(stderr, "mandelbrot: %zu of %zu points are wrong\n", wrong, looked);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: mandelbrot SOURCE.cl MODULE.spv PICTURE\n");
        return 2;
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);
    if (status != CL_SUCCESS)
        fail("clGetPlatformIDs", status);
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (status != CL_SUCCESS)
        fail("clGetDeviceIDs", status);
    char name[256] = "", version[256] = "";
    cl_uint units = 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    printf("%s, %u compute units, %s\n", name, units, version);

    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (!context)
        fail("clCreateContext", status);
    cl_uint *counts = malloc(sizeof(cl_uint) * WIDTH * HEIGHT);
    size_t size;

    cl_bool compiler = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    char *source = read_file(argv[1], &size);
    if (!source) {
        perror(argv[1]);
        return 1;
    }
    if (compiler) {
        cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, &size, &status);
        if (!program)
            fail("clCreateProgramWithSource", status);
        draw(context, device, program, "source", argv[3], counts);
        check(counts);
        clReleaseProgram(program);
    } else {
        printf("  the device has no OpenCL C compiler\n");
    }
    free(source);

    char *module = read_file(argv[2], &size);
    if (module) {
        cl_program program = clCreateProgramWithIL(context, module, size, &status);
        if (!program)
            fail("clCreateProgramWithIL", status);
        draw(context, device, program, "spirv", argv[3], counts);
        check(counts);
        clReleaseProgram(program);
    } else {
        printf("  there is no %s\n", argv[2]);
    }
    free(module);
    free(counts);
    clReleaseContext(context);
    return 0;
}
