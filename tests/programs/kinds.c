/* A kernel is launched with local sizes of one, two and three dimensions, in full groups and groups that are cut off, with offsets and without: more
   kinds of launches than have variants of their own. Each work-item says where it stands. */

#include "common.h"

enum { MOST = 1 << 16, WORDS = 8, KINDS = 200 };

static const char source[] =
    "kernel void who(global uint *r) {\n"
    "  local uint l[1024];\n"
    "  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "  size_t z = get_global_id(2) - get_global_offset(2);\n"
    "  uint n = get_local_size(0) * get_local_size(1) * get_local_size(2), at = get_local_linear_id();\n"
    "  l[at] = get_global_linear_id();\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  global uint *m = r + ((z * get_global_size(1) + y) * get_global_size(0) + x) * 8;\n"
    "  m[0] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);\n"
    "  m[1] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);\n"
    "  m[2] = n; m[3] = get_work_dim(); m[4] = l[n - 1 - at]; m[5] = get_num_groups(1); m[6] = get_global_id(0); m[7] = get_enqueued_local_size(1);\n"
    "}\n";

static struct setup s;
static cl_kernel kernel;
static cl_mem buffer;

static void launch(int kind)
{
    static cl_uint found[MOST * WORDS];
    cl_uint dimensions = kind % 3 + 1;
    size_t local[3] = {kind * 7 % 13 + 1, dimensions > 1 ? kind * 5 % 7 + 1 : 1, dimensions > 2 ? kind * 3 % 4 + 1 : 1};
    size_t global[3] = {1, 1, 1}, offset[3] = {0, 0, 0};
    for (int d = 0; d < (int)dimensions; d++) {
        global[d] = 2 * local[d] + (kind / 3 % 2 ? (kind + d) % (int)local[d] : 0);
        offset[d] = kind % 5 == 0 ? 3 + d : 0;
    }
    cl_int status = clEnqueueNDRangeKernel(s.queue, kernel, dimensions, offset, global, local, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", status);
    size_t all = global[0] * global[1] * global[2];
    status = clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, all * WORDS * sizeof(cl_uint), found, 0, NULL, NULL);
    CHECK(status == CL_SUCCESS, "clEnqueueReadBuffer: %d", status);
    for (size_t i = 0; i < all; i++) {
        size_t id[3] = {i % global[0], i / global[0] % global[1], i / global[0] / global[1]}, group[3], in[3], size[3];
        for (int d = 0; d < 3; d++) {
            group[d] = id[d] / local[d];
            in[d] = id[d] % local[d];
            size_t rest = global[d] - group[d] * local[d];
            size[d] = rest < local[d] ? rest : local[d];
        }
        size_t items = size[0] * size[1] * size[2], other = items - 1 - ((in[2] * size[1] + in[1]) * size[0] + in[0]);
        size_t x = group[0] * local[0] + other % size[0], y = group[1] * local[1] + other / size[0] % size[1];
        size_t z = group[2] * local[2] + other / size[0] / size[1];
        cl_uint want[WORDS] = {in[0] + 100 * in[1] + 10000 * in[2],
                               group[0] + 100 * group[1] + 10000 * group[2],
                               items,
                               dimensions,
                               (z * global[1] + y) * global[0] + x,
                               (global[1] + local[1] - 1) / local[1],
                               id[0] + offset[0],
                               local[1]};
        for (int word = 0; word < WORDS; word++)
            CHECK(found[i * WORDS + word] == want[word], "kind %d, work-item %zu, word %d: %u, not %u", kind, i, word, found[i * WORDS + word],
                  want[word]);
    }
}

int main(void)
{
    cl_int status;
    s = set_up_with(source, "-cl-std=CL3.0");
    kernel = clCreateKernel(s.program, "who", &status);
    CHECK(status == CL_SUCCESS, "clCreateKernel: %d", status);
    buffer = clCreateBuffer(s.context, 0, MOST * WORDS * sizeof(cl_uint), NULL, &status);
    CHECK(status == CL_SUCCESS, "clCreateBuffer: %d", status);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    for (int round = 0; round < 2; round++) {
        fprintf(stderr, "round %d\n", round);
        for (int kind = 0; kind < KINDS; kind++)
            launch(kind);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    tear_down(&s);
    return 0;
}
