// Each kind of mistake, and the error that names it.
#include "common.h"

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    // Handles: none, one of another kind, one that is gone.
    uint32_t number = 0;
    void *pointer;
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeDeviceGet(NULL, &number, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeDeviceGetStatus((ze_device_handle_t)context));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeContextGetStatus((ze_context_handle_t)(void *)&number));
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t gone;
    OK(zeContextCreate(driver, &context_desc, &gone));
    OK(zeContextDestroy(gone));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeContextDestroy(gone));

    // Pointers.
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeDriverGet(NULL, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeDeviceGetProperties(device, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeContextCreate(driver, NULL, &gone));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeContextCreate(driver, &context_desc, NULL));

    // Memory.
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    OK(zeDeviceGetProperties(device, &properties));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeMemAllocDevice(context, &on_device, 0, 1, device, &pointer));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeMemAllocDevice(context, &on_device, properties.maxMemAllocSize + 1, 1, device, &pointer));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, zeMemAllocDevice(context, &on_device, 16, 3, device, &pointer));
    on_device.flags = 0x1000;
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeMemAllocDevice(context, &on_device, 16, 1, device, &pointer));
    on_device.flags = 0;
    OK(zeMemAllocDevice(context, &on_device, 1000, 4096, device, &pointer));
    CHECK((uintptr_t)pointer % 4096 == 0);
    ze_memory_allocation_properties_t of_memory = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner;
    OK(zeMemGetAllocProperties(context, (char *)pointer + 999, &of_memory, &owner));
    CHECK(of_memory.type == ZE_MEMORY_TYPE_DEVICE && owner == device);
    void *base;
    size_t bytes;
    OK(zeMemGetAddressRange(context, (char *)pointer + 10, &base, &bytes));
    CHECK(base == pointer && bytes == 1000);
    OK(zeMemGetAllocProperties(context, &number, &of_memory, NULL));
    CHECK(of_memory.type == ZE_MEMORY_TYPE_UNKNOWN);
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeMemFree(context, (char *)pointer + 1));
    OK(zeMemFree(context, pointer));

    // A module that is none, with a log that says so; one that breaks a rule of the environment; flags that mean nothing.
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .pInputModule = (const uint8_t *)"no module at all", .inputSize = 16};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    EXPECT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, zeModuleCreate(context, device, &desc, &module, &log));
    size_t length = 0;
    OK(zeModuleBuildLogGetString(log, &length, NULL));
    CHECK(length > 1);
    char *text = malloc(length);
    OK(zeModuleBuildLogGetString(log, &length, text));
    CHECK(strlen(text) + 1 == length && strstr(text, "error"));
    OK(zeModuleBuildLogDestroy(log));
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.spv", arguments[1]);
    uint8_t *il = read_file(path, &desc.inputSize);
    desc.pInputModule = il;
    desc.pBuildFlags = "-ze-opt-disable -no-such-flag";
    EXPECT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, zeModuleCreate(context, device, &desc, &module, NULL));
    desc.pBuildFlags = "-ze-opt-disable";
    uint32_t unknown = 99;
    const void *values[] = {&unknown};
    ze_module_constants_t constants = {1, &unknown, values};
    desc.pConstants = &constants;
    EXPECT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, zeModuleCreate(context, device, &desc, &module, NULL));
    desc.pConstants = NULL;
    OK(zeModuleCreate(context, device, &desc, &module, NULL));
    // The addressing model (word 1 of OpMemoryModel) has to be Physical64.
    for (size_t i = 20; i + 12 <= desc.inputSize; i += 4) {
        uint32_t words[3];
        memcpy(words, il + i, sizeof words);
        if (words[0] == (3u << 16 | 14) && words[1] == 2) {
            words[1] = 1;
            memcpy(il + i, words, sizeof words);
            break;
        }
    }
    ze_module_handle_t narrow;
    EXPECT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, zeModuleCreate(context, device, &desc, &narrow, &log));
    OK(zeModuleBuildLogGetString(log, &length, NULL));
    text = realloc(text, length);
    OK(zeModuleBuildLogGetString(log, &length, text));
    CHECK(strstr(text, "Physical64"));
    desc.format = ZE_MODULE_FORMAT_NATIVE;
    EXPECT(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, zeModuleCreate(context, device, &desc, &narrow, NULL));

    // Kernels.
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "subtract"};
    ze_kernel_handle_t kernel;
    EXPECT(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, zeKernelCreate(module, &kernel_desc, &kernel));
    EXPECT(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, zeModuleGetGlobalPointer(module, "add", NULL, NULL));
    kernel = kernel_of(module, "scale");
    EXPECT(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, zeKernelSetArgumentValue(kernel, 2, 4, &number));
    EXPECT(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, zeKernelSetArgumentValue(kernel, 1, 8, &pointer));
    EXPECT(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, zeKernelSetGroupSize(kernel, 0, 1, 1));
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeKernelSetCacheConfig(kernel, 4));
    OK(zeKernelSetCacheConfig(kernel, ZE_CACHE_CONFIG_FLAG_LARGE_SLM));
    EXPECT(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, zeKernelSetGroupSize(kernel, 1 << 20, 1 << 20, 1));
    ze_command_list_handle_t list = list_of();
    ze_group_count_t one = {1, 1, 1};
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeCommandListAppendLaunchKernel(list, kernel, NULL, NULL, 0, NULL));
    // More local memory than there is.
    ze_kernel_handle_t reverse = kernel_of(module, "reverse");
    void *nowhere = NULL;
    OK(zeKernelSetArgumentValue(reverse, 0, sizeof nowhere, &nowhere));
    OK(zeKernelSetArgumentValue(reverse, 1, 1 << 24, NULL));
    EXPECT(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, zeCommandListAppendLaunchKernel(list, reverse, &one, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_SIZE, zeCommandListAppendBarrier(list, NULL, 1, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_SIZE, zeCommandListAppendMemoryFill(list, &number, "abc", 3, 4, NULL, 0, NULL));

    // Queues, lists, events.
    ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_SIZE, zeCommandQueueExecuteCommandLists(queue, 0, &list, NULL));
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t immediate;
    OK(zeCommandListCreateImmediate(context, device, &queue_desc, &immediate));
    EXPECT(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, zeCommandQueueExecuteCommandLists(queue, 1, &immediate, NULL));
    // The group of queues that copy: it launches nothing, and its lists are not the other's.
    queue_desc.ordinal = 1;
    OK(zeCommandListCreateImmediate(context, device, &queue_desc, &immediate));
    EXPECT(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, zeCommandListAppendLaunchKernel(immediate, kernel, &one, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryFill(immediate, &number, "abcd", 4, sizeof number, NULL, 0, NULL));
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = 1};
    ze_command_list_handle_t copies;
    OK(zeCommandListCreate(context, device, &list_desc, &copies));
    OK(zeCommandListClose(copies));
    EXPECT(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, zeCommandQueueExecuteCommandLists(queue, 1, &copies, NULL));
    list_desc.commandQueueGroupOrdinal = queue_desc.ordinal = 2;
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListCreate(context, device, &list_desc, &copies));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListCreateImmediate(context, device, &queue_desc, &immediate));
    queue_desc.ordinal = 0;
    queue_desc.mode = 9;
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeCommandListCreateImmediate(context, device, &queue_desc, &immediate));
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_IPC, .count = 1};
    ze_event_pool_handle_t pool;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    pool_desc.flags = 0;
    pool_desc.count = 0;
    EXPECT(ZE_RESULT_ERROR_INVALID_SIZE, zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    pool = pool_of(1);
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_event_handle_t event;
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventCreate(pool, &event_desc, &event));
    event = event_of(pool, 0);
    ze_kernel_timestamp_result_t time;
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryKernelTimestamp(event, &time));
    uint32_t results = 1;
    EXPECT(ZE_RESULT_NOT_READY, zeEventQueryTimestampsExp(event, device, &results, &time));

    // What is not there is said to be not there.
    ze_ipc_mem_handle_t ipc;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, zeMemGetIpcHandle(context, il, &ipc));
    free(text);
    free(il);
    puts("each mistake has its error");
    return 0;
}
