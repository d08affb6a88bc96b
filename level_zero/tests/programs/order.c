// What waits for what: events of queues, lists and the host, fences, timestamps; copies and fills; sizes that memory holds when a command runs.
#include "common.h"

enum { ITEMS = 4096 };

static ze_command_list_handle_t immediate_of(ze_command_queue_mode_t mode) {
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    ze_module_handle_t module = load(arguments[1], "kernels", NULL);
    ze_kernel_handle_t scale = kernel_of(module, "scale"), counting = kernel_of(module, "count");
    int *data = shared(ITEMS * sizeof *data), *copy = shared(ITEMS * sizeof *copy), factor = 1;
    OK(zeKernelSetGroupSize(scale, 64, 1, 1));
    OK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    OK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    ze_event_pool_handle_t pool = pool_of(4);
    ze_event_handle_t go = event_of(pool, 0), filled = event_of(pool, 1), scaled = event_of(pool, 2), copied = event_of(pool, 3);
    ze_command_queue_handle_t one = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), other = queue_of(ZE_COMMAND_QUEUE_MODE_DEFAULT);

    // A queue that waits for the host, and one that waits for that queue.
    ze_command_list_handle_t first = list_of(), second = list_of();
    uint32_t seven = 7;
    ze_group_count_t groups = {ITEMS / 64, 1, 1};
    OK(zeCommandListAppendMemoryFill(first, data, &seven, sizeof seven, ITEMS * sizeof *data, filled, 1, &go));
    OK(zeCommandListAppendLaunchKernel(first, scale, &groups, scaled, 1, &filled));
    OK(zeCommandListClose(first));
    OK(zeCommandListAppendMemoryCopy(second, copy, data, ITEMS * sizeof *data, copied, 1, &scaled));
    OK(zeCommandListClose(second));
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    OK(zeFenceCreate(other, &fence_desc, &fence));
    OK(zeCommandQueueExecuteCommandLists(other, 1, &second, fence));
    OK(zeCommandQueueExecuteCommandLists(one, 1, &first, NULL));
    EXPECT(ZE_RESULT_NOT_READY, zeFenceQueryStatus(fence));
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryStatus(filled));
    EXPECT(ZE_RESULT_NOT_READY, zeEventHostSynchronize(copied, 1000000));
    EXPECT(ZE_RESULT_NOT_READY, zeCommandQueueSynchronize(one, 0));
    OK(zeEventHostSignal(go));
    OK(zeFenceHostSynchronize(fence, UINT64_MAX));
    OK(zeEventQueryStatus(copied));
    OK(zeCommandQueueSynchronize(one, UINT64_MAX));
    OK(zeCommandQueueSynchronize(other, UINT64_MAX));
    for (int i = 0; i < ITEMS; i++) CHECK(copy[i] == 1007);
    EXPECT(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, zeCommandQueueExecuteCommandLists(one, 1, &first, fence));
    OK(zeFenceReset(fence));
    EXPECT(ZE_RESULT_NOT_READY, zeFenceQueryStatus(fence));

    // When it was, in order, on the clock that host and device share.
    ze_kernel_timestamp_result_t fill_time, scale_time, copy_time;
    OK(zeEventQueryKernelTimestamp(filled, &fill_time));
    OK(zeEventQueryKernelTimestamp(scaled, &scale_time));
    OK(zeEventQueryKernelTimestamp(copied, &copy_time));
    uint64_t host_now, device_now;
    OK(zeDeviceGetGlobalTimestamps(device, &host_now, &device_now));
    CHECK(fill_time.global.kernelStart <= fill_time.global.kernelEnd);
    CHECK(fill_time.global.kernelEnd <= scale_time.global.kernelStart && scale_time.global.kernelStart < scale_time.global.kernelEnd);
    CHECK(scale_time.global.kernelEnd <= copy_time.global.kernelStart && copy_time.global.kernelEnd <= device_now);
    ze_kernel_timestamp_result_t *times = shared(2 * sizeof *times);
    ze_event_handle_t asked[] = {filled, scaled};
    ze_command_list_handle_t now = immediate_of(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    OK(zeCommandListAppendQueryKernelTimestamps(now, 2, asked, times, NULL, NULL, 0, NULL));
    CHECK(times[0].context.kernelEnd == fill_time.context.kernelEnd && times[1].global.kernelStart == scale_time.global.kernelStart);
    uint32_t results = 0;
    OK(zeEventQueryTimestampsExp(filled, device, &results, NULL));
    CHECK(results == 1);
    OK(zeEventQueryTimestampsExp(filled, device, &results, times));
    CHECK(results == 1 && times[0].global.kernelEnd == fill_time.global.kernelEnd);
    uint64_t *stamp = shared(sizeof *stamp);
    OK(zeCommandListAppendWriteGlobalTimestamp(now, stamp, NULL, 0, NULL));
    CHECK(*stamp >= device_now);

    // Events that are reset by commands, signaled and waited for by commands.
    OK(zeCommandListAppendEventReset(now, go));
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryStatus(go));
    OK(zeCommandListAppendSignalEvent(now, go));
    OK(zeEventQueryStatus(go));
    OK(zeCommandListAppendWaitOnEvents(now, 1, &go));
    OK(zeEventHostReset(go));
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryStatus(go));

    // An immediate list that does not wait for its commands.
    ze_command_list_handle_t later = immediate_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    OK(zeEventHostReset(copied));
    OK(zeCommandListAppendBarrier(later, NULL, 1, &go));
    for (int i = 0; i < 100; i++) OK(zeCommandListAppendLaunchKernel(later, scale, &groups, i == 99 ? copied : NULL, 0, NULL));
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryStatus(copied));
    OK(zeEventHostSignal(go));
    OK(zeEventHostSynchronize(copied, UINT64_MAX));
    for (int i = 0; i < ITEMS; i++) CHECK(data[i] == 101007);

    // Regions: a window of a picture, and a box.
    for (int i = 0; i < ITEMS; i++) {
        data[i] = i;
        copy[i] = -1;
    }
    ze_copy_region_t from = {4 * 3, 5, 0, 4 * 4, 2, 0}, to = {0, 1, 0, 4 * 4, 2, 0};
    OK(zeCommandListAppendMemoryCopyRegion(now, copy, &to, 4 * 8, 0, data, &from, 4 * 64, 0, NULL, 0, NULL));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) CHECK(copy[y * 8 + x] == (y >= 1 && y < 3 && x < 4 ? (y + 4) * 64 + x + 3 : -1));
    ze_copy_region_t box = {0, 0, 1, 4 * 2, 2, 2}, corner = {0, 0, 0, 4 * 2, 2, 2};
    OK(zeCommandListAppendMemoryCopyRegion(now, copy, &corner, 4 * 2, 4 * 4, data, &box, 4 * 4, 4 * 16, NULL, 0, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++) CHECK(copy[z * 4 + y * 2 + x] == (z + 1) * 16 + y * 4 + x);
    ze_copy_region_t next = {4 * 1, 0, 0, 4 * 4, 2, 0};
    EXPECT(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, zeCommandListAppendMemoryCopyRegion(now, data, &to, 4 * 64, 0, data, &next, 4 * 64, 0, NULL, 0, NULL));
    char bytes[256];
    OK(zeCommandListAppendMemoryFill(now, bytes, "ab", 2, 255, NULL, 0, NULL));
    CHECK(bytes[0] == 'a' && bytes[1] == 'b' && bytes[254] == 'a');

    // Sizes that stand in memory when the command runs.
    int *counter;
    OK(zeModuleGetGlobalPointer(module, "counter", NULL, (void **)&counter));
    ze_group_count_t *sizes = shared(2 * sizeof *sizes);
    uint32_t *kernels = shared(sizeof *kernels);
    ze_command_list_handle_t indirect = list_of();
    OK(zeCommandListAppendLaunchKernelIndirect(indirect, counting, sizes, NULL, 0, NULL));
    ze_kernel_handle_t twice[] = {counting, counting};
    OK(zeCommandListAppendLaunchMultipleKernelsIndirect(indirect, 2, twice, kernels, sizes, NULL, 0, NULL));
    OK(zeCommandListClose(indirect));
    sizes[0] = (ze_group_count_t){3, 2, 1};
    sizes[1] = (ze_group_count_t){10, 1, 1};
    *kernels = 2;
    OK(zeCommandQueueExecuteCommandLists(one, 1, &indirect, NULL));
    OK(zeCommandQueueSynchronize(one, UINT64_MAX));
    CHECK(*counter == 5 + 8 * (6 + 6 + 10));
    *kernels = 0;
    sizes[0].groupCountX = 0;
    OK(zeCommandQueueExecuteCommandLists(one, 1, &indirect, NULL));
    OK(zeCommandQueueSynchronize(one, UINT64_MAX));
    CHECK(*counter == 5 + 8 * (6 + 6 + 10));

    // Cooperative launches are of as many groups as can rely on each other.
    uint32_t most;
    OK(zeKernelSuggestMaxCooperativeGroupCount(counting, &most));
    CHECK(most == 1);
    ze_group_count_t single = {1, 1, 1}, two = {2, 1, 1};
    OK(zeCommandListAppendLaunchCooperativeKernel(now, counting, &single, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListAppendLaunchCooperativeKernel(now, counting, &two, NULL, 0, NULL));

    ze_command_list_handle_t lists[] = {first, second, now, later, indirect};
    for (int i = 0; i < 5; i++) OK(zeCommandListDestroy(lists[i]));
    ze_event_handle_t events[] = {go, filled, scaled, copied};
    for (int i = 0; i < 4; i++) OK(zeEventDestroy(events[i]));
    OK(zeEventPoolDestroy(pool));
    OK(zeFenceDestroy(fence));
    OK(zeCommandQueueDestroy(one));
    OK(zeCommandQueueDestroy(other));
    puts("everything in its order");
    return 0;
}
