// A whole program: a module, kernels, a list, a queue; results are looked at. Then what modules and kernels say of themselves.
#include "common.h"

enum { ITEMS = 10000, GROUP = 64 };

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    OK(zeDeviceGetProperties(device, &properties));
    CHECK(properties.type == ZE_DEVICE_TYPE_CPU && properties.name[0] && properties.timerResolution == 1);
    ze_device_module_properties_t modules = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    OK(zeDeviceGetModuleProperties(device, &modules));
    CHECK(modules.spirvVersionSupported >= ZE_MAKE_VERSION(1, 2) && modules.fp32flags & ZE_DEVICE_FP_FLAG_FMA);
    printf("%s, SPIR-V %u.%u\n", properties.name, ZE_MAJOR_VERSION(modules.spirvVersionSupported), ZE_MINOR_VERSION(modules.spirvVersionSupported));

    // Specialization constants.
    uint32_t id = 7, value = 3;
    const void *values[] = {&value};
    ze_module_constants_t constants = {1, &id, values};
    ze_module_handle_t module = load(arguments[1], "kernels", &constants);

    uint32_t names_count = 0;
    OK(zeModuleGetKernelNames(module, &names_count, NULL));
    CHECK(names_count == 4);
    const char *names[4];
    OK(zeModuleGetKernelNames(module, &names_count, names));
    CHECK(!strcmp(names[0], "add") && !strcmp(names[3], "count"));

    int *a = shared(ITEMS * sizeof *a), *b = shared(ITEMS * sizeof *b), *c = shared(ITEMS * sizeof *c);
    for (int i = 0; i < ITEMS; i++) {
        a[i] = i;
        b[i] = 3 * i;
        c[i] = -1;
    }
    ze_kernel_handle_t add = kernel_of(module, "add");
    uint32_t size[3];
    OK(zeKernelSuggestGroupSize(add, ITEMS, 1, 1, &size[0], &size[1], &size[2]));
    CHECK(size[0] > 0 && ITEMS % size[0] == 0 && size[1] == 1 && size[2] == 1);
    OK(zeKernelSetGroupSize(add, size[0], 1, 1));
    OK(zeKernelSetArgumentValue(add, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(add, 1, sizeof b, &b));
    OK(zeKernelSetArgumentValue(add, 2, sizeof c, &c));

    ze_kernel_handle_t scale = kernel_of(module, "scale");
    int factor = 2;
    OK(zeKernelSetGroupSize(scale, 100, 1, 1));
    OK(zeKernelSetArgumentValue(scale, 0, sizeof c, &c));
    OK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));

    // Blocks of a work-group through local memory.
    ze_kernel_handle_t reverse = kernel_of(module, "reverse");
    OK(zeKernelSetGroupSize(reverse, GROUP, 1, 1));
    OK(zeKernelSetArgumentValue(reverse, 0, sizeof a, &a));
    OK(zeKernelSetArgumentValue(reverse, 1, GROUP * sizeof(int), NULL));

    ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = list_of();
    ze_group_count_t groups = {ITEMS / size[0], 1, 1}, hundreds = {ITEMS / 100, 1, 1}, few = {2, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, add, &groups, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchKernel(list, scale, &hundreds, NULL, 0, NULL));
    // What is set behind an append is the next launch's.
    factor = 7;
    OK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchKernel(list, reverse, &few, NULL, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    for (int i = 0; i < ITEMS; i++) CHECK(c[i] == 2 * 4 * i + 3);
    for (int i = 0; i < ITEMS; i++) CHECK(a[i] == (i < 2 * GROUP ? i / GROUP * GROUP + GROUP - 1 - i % GROUP : i));

    // A list is executed as often as one likes; reset, it is as new.
    for (int i = 0; i < 3; i++) OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    OK(zeCommandListReset(list));

    // A variable of the module, before and after work-items count it up. The kernel requires its group size.
    int *counter;
    size_t bytes;
    OK(zeModuleGetGlobalPointer(module, "counter", &bytes, (void **)&counter));
    CHECK(bytes == sizeof *counter && *counter == 5);
    ze_kernel_handle_t counting = kernel_of(module, "count");
    ze_kernel_properties_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    // ze_kernel_max_group_size_properties_ext_t, which older headers lack.
    struct {
        ze_structure_type_t stype;
        void *pNext;
        uint32_t maxGroupSize;
    } most = {.stype = (ze_structure_type_t)0x10013};
    kernel.pNext = &most;
    OK(zeKernelGetProperties(counting, &kernel));
    CHECK(most.maxGroupSize >= 8);
    CHECK(kernel.numKernelArgs == 0 && kernel.requiredGroupSizeX == 8 && kernel.maxSubgroupSize > 0);
    EXPECT(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, zeKernelSetGroupSize(counting, 9, 1, 1));
    char name[16];
    size_t length = sizeof name;
    OK(zeKernelGetName(counting, &length, name));
    CHECK(length == 6 && !strcmp(name, "count"));
    ze_group_count_t thousand = {10, 10, 10};
    OK(zeCommandListAppendLaunchKernel(list, counting, &thousand, NULL, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    CHECK(*counter == 8005);

    // The binary makes the same module, constants and all.
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_NATIVE};
    OK(zeModuleGetNativeBinary(module, &desc.inputSize, NULL));
    uint8_t *binary = malloc(desc.inputSize);
    OK(zeModuleGetNativeBinary(module, &desc.inputSize, binary));
    desc.pInputModule = binary;
    ze_module_handle_t again;
    OK(zeModuleCreate(context, device, &desc, &again, NULL));
    ze_kernel_handle_t same = kernel_of(again, "scale");
    OK(zeKernelSetArgumentValue(same, 0, sizeof c, &c));
    OK(zeKernelSetArgumentValue(same, 1, sizeof factor, &factor));
    c[0] = 10;
    ze_command_queue_desc_t at_once = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t immediate;
    OK(zeCommandListCreateImmediate(context, device, &at_once, &immediate));
    ze_group_count_t one = {1, 1, 1};
    OK(zeCommandListAppendLaunchKernel(immediate, same, &one, NULL, 0, NULL));
    CHECK(c[0] == 73);

    ze_kernel_handle_t kernels[] = {add, scale, reverse, counting, same};
    for (int i = 0; i < 5; i++) OK(zeKernelDestroy(kernels[i]));
    ze_module_handle_t all[] = {module, again};
    for (int i = 0; i < 2; i++) OK(zeModuleDestroy(all[i]));
    OK(zeCommandListDestroy(immediate));
    OK(zeCommandListDestroy(list));
    OK(zeCommandQueueDestroy(queue));
    OK(zeMemFree(context, a));
    OK(zeMemFree(context, b));
    OK(zeMemFree(context, c));
    OK(zeContextDestroy(context));
    puts("sums are right");
    return 0;
}
