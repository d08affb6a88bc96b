// With BROLGA_CHECK=1: a kernel that leaves an allocation is told of, by the queue, the event and the fence as well; one that stays inside is not.
#include "common.h"

enum { ITEMS = 100, LOCAL = 64 };

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    ze_module_handle_t module = load(arguments[1], "kernels", NULL);
    int *a = shared(ITEMS * sizeof *a), *b = shared(ITEMS * sizeof *b);
    int *small = shared((ITEMS - 1) * sizeof *small), *large = shared((ITEMS + 1) * sizeof *large);
    for (int i = 0; i < ITEMS; i++) {
        a[i] = i;
        b[i] = 3 * i;
    }

    ze_kernel_handle_t add = kernel_of(module, "add");
    OK(zeKernelSetGroupSize(add, ITEMS, 1, 1));
    OK(zeKernelSetArgumentValue(add, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(add, 1, sizeof b, &b));
    OK(zeKernelSetArgumentValue(add, 2, sizeof small, &small));
    ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = list_of();
    ze_event_pool_handle_t pool = pool_of(2);
    ze_event_handle_t beyond = event_of(pool, 0), inside = event_of(pool, 1);
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    OK(zeFenceCreate(queue, &desc, &fence));
    ze_group_count_t one = {1, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, add, &one, beyond, 0, NULL));
    // What follows a launch whose checks failed runs. The second pointer leads into the middle of its allocation.
    int *behind = large + 1;
    OK(zeKernelSetArgumentValue(add, 2, sizeof behind, &behind));
    OK(zeCommandListAppendLaunchKernel(list, add, &one, inside, 1, &beyond));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    EXPECT(ZE_RESULT_ERROR_UNKNOWN, zeFenceHostSynchronize(fence, UINT64_MAX));
    EXPECT(ZE_RESULT_ERROR_UNKNOWN, zeCommandQueueSynchronize(queue, UINT64_MAX));
    EXPECT(ZE_RESULT_ERROR_UNKNOWN, zeEventQueryStatus(beyond));
    OK(zeEventHostSynchronize(inside, UINT64_MAX));
    for (int i = 0; i < ITEMS - 1; i++) CHECK(small[i] == 4 * i);
    for (int i = 0; i < ITEMS; i++) CHECK(behind[i] == 4 * i);

    // Local memory that the launch sizes, all of it used.
    ze_kernel_handle_t reverse = kernel_of(module, "reverse");
    OK(zeKernelSetGroupSize(reverse, LOCAL, 1, 1));
    OK(zeKernelSetArgumentValue(reverse, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(reverse, 1, LOCAL * sizeof(int), NULL));
    OK(zeCommandListReset(list));
    OK(zeCommandListAppendLaunchKernel(list, reverse, &one, NULL, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    for (int i = 0; i < LOCAL; i++) CHECK(a[i] == LOCAL - 1 - i);

    // One int too few of it.
    OK(zeKernelSetArgumentValue(reverse, 1, (LOCAL - 1) * sizeof(int), NULL));
    OK(zeCommandListReset(list));
    OK(zeCommandListAppendLaunchKernel(list, reverse, &one, NULL, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    EXPECT(ZE_RESULT_ERROR_UNKNOWN, zeCommandQueueSynchronize(queue, UINT64_MAX));

    // Checks are a module's, too; one that does not exist is refused.
    ze_module_desc_t flags = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .pBuildFlags = "-brolga-check=nonsense"};
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.spv", arguments[1]);
    flags.pInputModule = read_file(path, &flags.inputSize);
    ze_module_handle_t refused;
    EXPECT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, zeModuleCreate(context, device, &flags, &refused, NULL));
    puts("checks are right");
    return 0;
}
