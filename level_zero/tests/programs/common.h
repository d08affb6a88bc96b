// What the programs share: a device of the driver, modules from files, and checks that say where they failed.
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(code, call)                                                                    \
    do {                                                                                      \
        ze_result_t got = (call);                                                             \
        if (got != (code)) {                                                                  \
            fprintf(stderr, "%s:%d: %s: 0x%x instead of 0x%x\n", __FILE__, __LINE__, #call, got, (unsigned)(code)); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)
#define OK(call) EXPECT(ZE_RESULT_SUCCESS, call)
#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;

static void begin(void) {
    OK(zeInit(0));
    uint32_t count = 1;
    OK(zeDriverGet(&count, &driver));
    CHECK(count == 1);
    count = 1;
    OK(zeDeviceGet(driver, &count, &device));
    CHECK(count == 1);
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    OK(zeContextCreate(driver, &desc, &context));
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    CHECK(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    CHECK(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

// The module in DIRECTORY/NAME.spv.
static inline ze_module_handle_t load(const char *directory, const char *name, const ze_module_constants_t *constants) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", directory, name);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .pConstants = constants};
    uint8_t *il = read_file(path, &desc.inputSize);
    desc.pInputModule = il;
    ze_module_handle_t module;
    OK(zeModuleCreate(context, device, &desc, &module, NULL));
    free(il);
    return module;
}

static inline ze_kernel_handle_t kernel_of(ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    OK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

static inline void *shared(size_t size) {
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer;
    OK(zeMemAllocShared(context, &on_device, &on_host, size, 64, device, &pointer));
    return pointer;
}

static inline ze_command_queue_handle_t queue_of(ze_command_queue_mode_t mode) {
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_command_queue_handle_t queue;
    OK(zeCommandQueueCreate(context, device, &desc, &queue));
    return queue;
}

static inline ze_command_list_handle_t list_of(void) {
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    OK(zeCommandListCreate(context, device, &desc, &list));
    return list;
}

static inline ze_event_pool_handle_t pool_of(uint32_t count) {
    ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        .count = count,
    };
    ze_event_pool_handle_t pool;
    OK(zeEventPoolCreate(context, &desc, 1, &device, &pool));
    return pool;
}

static inline ze_event_handle_t event_of(ze_event_pool_handle_t pool, uint32_t index) {
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    OK(zeEventCreate(pool, &desc, &event));
    return event;
}
