// Virtual memory: addresses, memory that is mapped there twice, copies that use it, and how pages may be accessed.
#include "common.h"

int main(void) {
    begin();
    size_t page;
    OK(zeVirtualMemQueryPageSize(context, device, 1, &page));
    CHECK(page >= 4096);
    char *start;
    OK(zeVirtualMemReserve(context, NULL, 4 * page, (void **)&start));
    CHECK((uintptr_t)start % page == 0);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 2 * page};
    ze_physical_mem_handle_t memory;
    OK(zePhysicalMemCreate(context, device, &desc, &memory));
    ze_memory_access_attribute_t access;
    size_t same;
    OK(zeVirtualMemGetAccessAttribute(context, start, 4 * page, &access, &same));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_NONE && same == 4 * page);

    // The same memory at two places.
    OK(zeVirtualMemMap(context, start, 2 * page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    OK(zeVirtualMemMap(context, start + 2 * page, 2 * page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(context, device, &queue, &list));
    uint32_t pattern = 0x12345678, back = 0;
    OK(zeCommandListAppendMemoryFill(list, start, &pattern, sizeof pattern, 2 * page, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(list, &back, start + 4 * page - 4, sizeof back, NULL, 0, NULL));
    CHECK(back == pattern);
    OK(zeVirtualMemGetAccessAttribute(context, start + page, 3 * page, &access, &same));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE && same == page);

    // A page in the middle changes alone.
    OK(zeVirtualMemSetAccessAttribute(context, start + page, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    OK(zeVirtualMemGetAccessAttribute(context, start + page, 3 * page, &access, &same));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY && same == 3 * page);
    CHECK(*(uint32_t *)(start + page) == pattern);
    // Memory stays where pages lead to it.
    OK(zePhysicalMemDestroy(context, memory));
    OK(zeVirtualMemUnmap(context, start, page));
    CHECK(*(uint32_t *)(start + page) == pattern);
    OK(zeVirtualMemGetAccessAttribute(context, start, 4 * page, &access, &same));
    CHECK(access == ZE_MEMORY_ACCESS_ATTRIBUTE_NONE && same == page);

    // Mistakes.
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeVirtualMemMap(context, start, page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    OK(zePhysicalMemCreate(context, device, &desc, &memory));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeVirtualMemMap(context, start + page, page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeVirtualMemMap(context, start, page, memory, 2 * page, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, zeVirtualMemMap(context, start, page, memory, 1, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, zeVirtualMemMap(context, start + 1, page, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeVirtualMemMap(context, start, 1, memory, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE));
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeVirtualMemMap(context, start, page, memory, 0, (ze_memory_access_attribute_t)3));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeVirtualMemSetAccessAttribute(context, start, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeVirtualMemFree(context, start, page));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeVirtualMemReserve(context, NULL, 1, (void **)&start));
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeVirtualMemQueryPageSize(context, device, 0, &page));
    desc.size = page + 1;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, zePhysicalMemCreate(context, device, &desc, &memory));
    OK(zePhysicalMemDestroy(context, memory));
    OK(zeVirtualMemFree(context, start, 4 * page));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeVirtualMemUnmap(context, start, page));
    puts("mapped");
    return 0;
}
