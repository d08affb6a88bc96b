/* A kernel is launched with many local sizes again and again, and says of each work-item where it stands; the argument says which sizes. */

#include "common.h"

enum { MOST = 1024 * 3, WORDS = 6 };

static const char source[] = "kernel void who(global uint *r, local uint *l) {\n"
                             "  size_t gx = get_global_id(0), gy = get_global_id(1);\n"
                             "  uint lx = get_local_id(0), ly = get_local_id(1), n = get_local_size(0) * get_local_size(1);\n"
                             "  uint at = ly * get_local_size(0) + lx;\n"
                             "  l[at] = gx + 1000 * gy;\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  global uint *m = r + (gy * get_global_size(0) + gx) * 6;\n"
                             "  m[0] = lx + 10000 * ly; m[1] = get_group_id(0) + 10000 * get_group_id(1); m[2] = n;\n"
                             "  m[3] = get_enqueued_local_size(0); m[4] = l[n - 1 - at]; m[5] = get_num_groups(0);\n"
                             "}\n";

static struct setup s;
static cl_kernel kernel;
static cl_mem buffer;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Three groups in a row, and two rows of them where the group has rows; the last may be cut off. */
static void launch(size_t x, size_t y, size_t cut)
{
    static cl_uint found[MOST * WORDS];
    size_t global[2] = {3 * x - cut, y > 1 ? 2 * y : 1}, local[2] = {x, y};
    clSetKernelArg(kernel, 1, x * y * sizeof(cl_uint), NULL);
    cl_int status = clEnqueueNDRangeKernel(s.queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", status);
    size_t bytes = global[0] * global[1] * WORDS * sizeof(cl_uint);
    status = clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, bytes, found, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueReadBuffer: %d", status);
    for (size_t i = 0; i < global[0] * global[1]; i++) {
        size_t gx = i % global[0], gy = i / global[0], group = gx / x;
        size_t lx = gx % x, ly = gy % y, row = least(x, global[0] - group * x), items = row * y;
        size_t other = items - 1 - (ly * row + lx);
        cl_uint want[WORDS] = {lx + 10000 * ly, group + 10000 * (gy / y), items, x, group * x + other % row + 1000 * (gy / y * y + other / row), 3};
        for (size_t word = 0; word < WORDS; word++)
            CHECK(found[i * WORDS + word] == want[word], "groups of %zu x %zu, work-item %zu, word %zu: %u, not %u", x, y, i, word,
                  found[i * WORDS + word], want[word]);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cl_int status;
    s = set_up_with(source, "-cl-std=CL3.0");
    kernel = clCreateKernel(s.program, "who", &status);
    CHECK(status == CL_SUCCESS, "clCreateKernel: %d", status);
    buffer = clCreateBuffer(s.context, 0, MOST * WORDS * sizeof(cl_uint), NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateBuffer: %d", status);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    if (strcmp(what, "few") == 0)
        for (int i = 0; i < 40; i++)
            launch(64 * (i % 4 + 1), 1, 0);
    if (strcmp(what, "many") == 0)
        for (int i = 0; i < 3; i++) {
            for (size_t x = 1; x <= 70; x++)
                launch(x, 1, 0);
            for (size_t y = 1; y <= 12; y++)
                for (size_t x = 1; x <= 36; x += 5 - i)
                    launch(x, y, 0);
            for (size_t x = 11; x <= 70; x++)
                launch(x, 1, x / 3);
        }
    if (strcmp(what, "often") == 0)
        for (int round = 0; round < 4; round++) {
            fprintf(stderr, "round %d\n", round);
            for (int i = 0; i < 128; i++)
                for (int j = 0; j < 17; j++)
                    launch(i < 64 ? i + 1 : 2 * (i % 8) + 1, i < 64 ? 1 : i / 8 - 6, i % 3 == 2 && i < 64 ? i / 4 : 0);
            /* The one that is used most in each round. */
            for (int j = 0; j < 64; j++)
                launch(70, 1, 0);
        }
    if (strcmp(what, "hot") == 0) {
        for (size_t x = 1; x <= 40; x++)
            launch(16 * (x % 20 + 1), 1, 0);
        for (int i = 0; i < 100; i++)
            launch(16 * 19, 1, 0);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    tear_down(&s);
    return 0;
}
