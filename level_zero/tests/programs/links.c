// Modules that need each other.
#include "common.h"

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    ze_module_handle_t pair[] = {load(arguments[1], "imports", NULL), load(arguments[1], "exports", NULL)};
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    OK(zeModuleGetProperties(pair[0], &properties));
    CHECK(properties.flags == ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    OK(zeModuleGetProperties(pair[1], &properties));
    CHECK(properties.flags == 0);
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ask"};
    ze_kernel_handle_t kernel;
    EXPECT(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, zeKernelCreate(pair[0], &desc, &kernel));

    // Alone it still lacks what it imports.
    ze_module_build_log_handle_t log;
    EXPECT(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, zeModuleDynamicLink(1, pair, &log));
    size_t length;
    OK(zeModuleBuildLogGetString(log, &length, NULL));
    char *text = malloc(length);
    OK(zeModuleBuildLogGetString(log, &length, text));
    CHECK(strstr(text, "answer"));
    OK(zeModuleBuildLogDestroy(log));
    free(text);

    OK(zeModuleDynamicLink(2, pair, NULL));
    OK(zeModuleGetProperties(pair[0], &properties));
    CHECK(properties.flags == 0);
    OK(zeKernelCreate(pair[0], &desc, &kernel));
    // A module has the kernels of its own.
    ze_kernel_handle_t other;
    EXPECT(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, zeKernelCreate(pair[1], &desc, &other));
    int *answer = shared(sizeof *answer);
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof answer, &answer));
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(context, device, &queue, &list));
    ze_group_count_t one = {1, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL));
    CHECK(*answer == 42);
    puts("modules found each other");
    return 0;
}
