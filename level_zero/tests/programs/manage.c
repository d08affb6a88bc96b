// System management: the device's name and memory, and that there is no power to be managed. The core's handles serve (ZES_ENABLE_SYSMAN).
#include "common.h"
#include <level_zero/zes_api.h>

int main(void) {
    begin();
    zes_device_handle_t managed = (zes_device_handle_t)device;
    ze_device_properties_t core = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    OK(zeDeviceGetProperties(device, &core));
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    OK(zesDeviceGetProperties(managed, &properties));
    CHECK(properties.core.type == ZE_DEVICE_TYPE_CPU && !strcmp(properties.core.name, core.name));
    CHECK(!strncmp(properties.modelName, core.name, sizeof properties.modelName - 1) && properties.vendorName[0]);
    CHECK(properties.numSubdevices == 0 && !strcmp(properties.serialNumber, "unknown"));
    zes_device_state_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    OK(zesDeviceGetState(managed, &state));
    CHECK(state.reset == 0);

    uint32_t count = 0;
    OK(zesDeviceEnumMemoryModules(managed, &count, NULL));
    CHECK(count == 1);
    zes_mem_handle_t module;
    OK(zesDeviceEnumMemoryModules(managed, &count, &module));
    zes_mem_properties_t memory = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};
    OK(zesMemoryGetProperties(module, &memory));
    CHECK(memory.location == ZES_MEM_LOC_SYSTEM && memory.physicalSize >= core.maxMemAllocSize && memory.busWidth == -1);
    zes_mem_state_t now = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
    OK(zesMemoryGetState(module, &now));
    CHECK(now.free > 0 && now.free <= now.size && now.size == memory.physicalSize);

    count = 7;
    OK(zesDeviceEnumPowerDomains(managed, &count, NULL));
    CHECK(count == 0);
    zes_pwr_handle_t power;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, zesDeviceGetCardPowerDomain(managed, &power));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zesDeviceEnumFans(managed, NULL, NULL));
    puts("managed");
    return 0;
}
