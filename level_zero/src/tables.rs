//! The tables of functions that a loader asks for, slot by slot.
//!
//! Tables grow: a slot belongs to those that are asked for in the version that brought it, or a later one. What is not there is NULL, which the loader answers
//! with ZE_RESULT_ERROR_UNSUPPORTED_FEATURE.

use crate::error::{Result, answer, fail_if};
use crate::pointer::Out;
use crate::ze::*;
use crate::{
    atomic_access, command, context, copy, device, device_info, driver, event, fence, image, image_copy, kernel, kernel_info, list, memory,
    module, queue, sampler, sysman, virtual_memory,
};
use core::ffi::c_void;

/// A slot: the minor version that brought it, and its function.
type Slot = (u32, *const c_void);

/// Fills a table: ZE_RESULT_ERROR_UNSUPPORTED_VERSION of an interface whose first number is another.
fn fill(asked: u32, table: Out<*const c_void>, slots: &[Slot]) -> Result<()> {
    table.check()?;
    fail_if(asked >> 16 != version(1, 0) >> 16, ZE_RESULT_ERROR_UNSUPPORTED_VERSION)?;
    let minor = asked & 0xffff;
    table.write_list(slots.iter().take_while(|(since, _)| *since <= minor).map(|&(_, function)| function));
    Ok(())
}

macro_rules! slot {
    (-) => {
        core::ptr::null()
    };
    ($module:ident :: $name:ident) => {
        $module::$name as *const c_void
    };
}

/// Defines the functions that fill tables. A slot: minor version, name in the table, function or `-`.
macro_rules! tables {
    ($($(#[$doc:meta])* fn $name:ident { $($since:literal $slot:ident [$($function:tt)*],)* })*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The table has the slots of the version.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(version: u32, pDdiTable: Out<*const c_void>) -> ze_result_t {
                answer(stringify!($name), || fill(version, pDdiTable, &[$(($since, slot!($($function)*))),*]))
            }
        )*

        /// Each function that fills a table, and its slots: the version that brought each, and its name.
        #[cfg(test)]
        pub const TABLES: &[(&str, &[(u32, &str)])] = &[$((stringify!($name), &[$(($since, stringify!($slot))),*])),*];
    };
}

tables! {
    /// ze_global_dditable_t
    fn zeGetGlobalProcAddrTable {
        0 pfnInit [driver::zeInit],
        10 pfnInitDrivers [driver::zeInitDrivers],
    }

    /// ze_driver_dditable_t
    fn zeGetDriverProcAddrTable {
        0 pfnGet [driver::zeDriverGet],
        0 pfnGetApiVersion [driver::zeDriverGetApiVersion],
        0 pfnGetProperties [driver::zeDriverGetProperties],
        0 pfnGetIpcProperties [driver::zeDriverGetIpcProperties],
        0 pfnGetExtensionProperties [driver::zeDriverGetExtensionProperties],
        1 pfnGetExtensionFunctionAddress [driver::zeDriverGetExtensionFunctionAddress],
        6 pfnGetLastErrorDescription [driver::zeDriverGetLastErrorDescription],
        13 pfnRTASFormatCompatibilityCheckExt [-],
    }

    /// ze_device_dditable_t
    fn zeGetDeviceProcAddrTable {
        0 pfnGet [device::zeDeviceGet],
        0 pfnGetSubDevices [device::zeDeviceGetSubDevices],
        0 pfnGetProperties [device_info::zeDeviceGetProperties],
        0 pfnGetComputeProperties [device_info::zeDeviceGetComputeProperties],
        0 pfnGetModuleProperties [device_info::zeDeviceGetModuleProperties],
        0 pfnGetCommandQueueGroupProperties [device_info::zeDeviceGetCommandQueueGroupProperties],
        0 pfnGetMemoryProperties [device_info::zeDeviceGetMemoryProperties],
        0 pfnGetMemoryAccessProperties [device_info::zeDeviceGetMemoryAccessProperties],
        0 pfnGetCacheProperties [device_info::zeDeviceGetCacheProperties],
        0 pfnGetImageProperties [device_info::zeDeviceGetImageProperties],
        0 pfnGetExternalMemoryProperties [device_info::zeDeviceGetExternalMemoryProperties],
        0 pfnGetP2PProperties [device::zeDeviceGetP2PProperties],
        0 pfnCanAccessPeer [device::zeDeviceCanAccessPeer],
        0 pfnGetStatus [device::zeDeviceGetStatus],
        1 pfnGetGlobalTimestamps [device::zeDeviceGetGlobalTimestamps],
        2 pfnReserveCacheExt [-],
        2 pfnSetCacheAdviceExt [-],
        3 pfnPciGetPropertiesExt [-],
        7 pfnGetRootDevice [device::zeDeviceGetRootDevice],
        12 pfnImportExternalSemaphoreExt [-],
        12 pfnReleaseExternalSemaphoreExt [-],
        13 pfnGetVectorWidthPropertiesExt [-],
    }

    /// ze_context_dditable_t
    fn zeGetContextProcAddrTable {
        0 pfnCreate [context::zeContextCreate],
        0 pfnDestroy [context::zeContextDestroy],
        0 pfnGetStatus [context::zeContextGetStatus],
        0 pfnSystemBarrier [context::zeContextSystemBarrier],
        0 pfnMakeMemoryResident [context::zeContextMakeMemoryResident],
        0 pfnEvictMemory [context::zeContextEvictMemory],
        0 pfnMakeImageResident [image::zeContextMakeImageResident],
        0 pfnEvictImage [image::zeContextEvictImage],
        1 pfnCreateEx [context::zeContextCreateEx],
    }

    /// ze_command_queue_dditable_t
    fn zeGetCommandQueueProcAddrTable {
        0 pfnCreate [queue::zeCommandQueueCreate],
        0 pfnDestroy [queue::zeCommandQueueDestroy],
        0 pfnExecuteCommandLists [queue::zeCommandQueueExecuteCommandLists],
        0 pfnSynchronize [queue::zeCommandQueueSynchronize],
        9 pfnGetOrdinal [queue::zeCommandQueueGetOrdinal],
        9 pfnGetIndex [queue::zeCommandQueueGetIndex],
    }

    /// ze_command_list_dditable_t
    fn zeGetCommandListProcAddrTable {
        0 pfnCreate [list::zeCommandListCreate],
        0 pfnCreateImmediate [list::zeCommandListCreateImmediate],
        0 pfnDestroy [list::zeCommandListDestroy],
        0 pfnClose [list::zeCommandListClose],
        0 pfnReset [list::zeCommandListReset],
        0 pfnAppendWriteGlobalTimestamp [command::zeCommandListAppendWriteGlobalTimestamp],
        0 pfnAppendBarrier [command::zeCommandListAppendBarrier],
        0 pfnAppendMemoryRangesBarrier [command::zeCommandListAppendMemoryRangesBarrier],
        0 pfnAppendMemoryCopy [copy::zeCommandListAppendMemoryCopy],
        0 pfnAppendMemoryFill [copy::zeCommandListAppendMemoryFill],
        0 pfnAppendMemoryCopyRegion [copy::zeCommandListAppendMemoryCopyRegion],
        0 pfnAppendMemoryCopyFromContext [copy::zeCommandListAppendMemoryCopyFromContext],
        0 pfnAppendImageCopy [image_copy::zeCommandListAppendImageCopy],
        0 pfnAppendImageCopyRegion [image_copy::zeCommandListAppendImageCopyRegion],
        0 pfnAppendImageCopyToMemory [image_copy::zeCommandListAppendImageCopyToMemory],
        0 pfnAppendImageCopyFromMemory [image_copy::zeCommandListAppendImageCopyFromMemory],
        0 pfnAppendMemoryPrefetch [copy::zeCommandListAppendMemoryPrefetch],
        0 pfnAppendMemAdvise [copy::zeCommandListAppendMemAdvise],
        0 pfnAppendSignalEvent [command::zeCommandListAppendSignalEvent],
        0 pfnAppendWaitOnEvents [command::zeCommandListAppendWaitOnEvents],
        0 pfnAppendEventReset [command::zeCommandListAppendEventReset],
        0 pfnAppendQueryKernelTimestamps [command::zeCommandListAppendQueryKernelTimestamps],
        0 pfnAppendLaunchKernel [command::zeCommandListAppendLaunchKernel],
        0 pfnAppendLaunchCooperativeKernel [command::zeCommandListAppendLaunchCooperativeKernel],
        0 pfnAppendLaunchKernelIndirect [command::zeCommandListAppendLaunchKernelIndirect],
        0 pfnAppendLaunchMultipleKernelsIndirect [command::zeCommandListAppendLaunchMultipleKernelsIndirect],
        3 pfnAppendImageCopyToMemoryExt [image_copy::zeCommandListAppendImageCopyToMemoryExt],
        3 pfnAppendImageCopyFromMemoryExt [image_copy::zeCommandListAppendImageCopyFromMemoryExt],
        6 pfnHostSynchronize [list::zeCommandListHostSynchronize],
        9 pfnGetDeviceHandle [list::zeCommandListGetDeviceHandle],
        9 pfnGetContextHandle [list::zeCommandListGetContextHandle],
        9 pfnGetOrdinal [list::zeCommandListGetOrdinal],
        9 pfnImmediateGetIndex [list::zeCommandListImmediateGetIndex],
        9 pfnIsImmediate [list::zeCommandListIsImmediate],
        12 pfnAppendSignalExternalSemaphoreExt [-],
        12 pfnAppendWaitExternalSemaphoreExt [-],
    }

    /// ze_command_list_exp_dditable_t
    fn zeGetCommandListExpProcAddrTable {
        9 pfnCreateCloneExp [list::zeCommandListCreateCloneExp],
        9 pfnImmediateAppendCommandListsExp [list::zeCommandListImmediateAppendCommandListsExp],
        9 pfnGetNextCommandIdExp [-],
        9 pfnUpdateMutableCommandsExp [-],
        9 pfnUpdateMutableCommandSignalEventExp [-],
        9 pfnUpdateMutableCommandWaitEventsExp [-],
        10 pfnGetNextCommandIdWithKernelsExp [-],
        10 pfnUpdateMutableCommandKernelsExp [-],
    }

    /// ze_mem_dditable_t
    fn zeGetMemProcAddrTable {
        0 pfnAllocShared [memory::zeMemAllocShared],
        0 pfnAllocDevice [memory::zeMemAllocDevice],
        0 pfnAllocHost [memory::zeMemAllocHost],
        0 pfnFree [memory::zeMemFree],
        0 pfnGetAllocProperties [memory::zeMemGetAllocProperties],
        0 pfnGetAddressRange [memory::zeMemGetAddressRange],
        0 pfnGetIpcHandle [-],
        0 pfnOpenIpcHandle [-],
        0 pfnCloseIpcHandle [-],
        3 pfnFreeExt [-],
        6 pfnPutIpcHandle [-],
        9 pfnGetPitchFor2dImage [-],
    }

    /// ze_fence_dditable_t
    fn zeGetFenceProcAddrTable {
        0 pfnCreate [fence::zeFenceCreate],
        0 pfnDestroy [fence::zeFenceDestroy],
        0 pfnHostSynchronize [fence::zeFenceHostSynchronize],
        0 pfnQueryStatus [fence::zeFenceQueryStatus],
        0 pfnReset [fence::zeFenceReset],
    }

    /// ze_event_pool_dditable_t
    fn zeGetEventPoolProcAddrTable {
        0 pfnCreate [event::zeEventPoolCreate],
        0 pfnDestroy [event::zeEventPoolDestroy],
        0 pfnGetIpcHandle [-],
        0 pfnOpenIpcHandle [-],
        0 pfnCloseIpcHandle [-],
        6 pfnPutIpcHandle [-],
        9 pfnGetContextHandle [event::zeEventPoolGetContextHandle],
        9 pfnGetFlags [event::zeEventPoolGetFlags],
    }

    /// ze_event_dditable_t
    fn zeGetEventProcAddrTable {
        0 pfnCreate [event::zeEventCreate],
        0 pfnDestroy [event::zeEventDestroy],
        0 pfnHostSignal [event::zeEventHostSignal],
        0 pfnHostSynchronize [event::zeEventHostSynchronize],
        0 pfnQueryStatus [event::zeEventQueryStatus],
        0 pfnHostReset [event::zeEventHostReset],
        0 pfnQueryKernelTimestamp [event::zeEventQueryKernelTimestamp],
        6 pfnQueryKernelTimestampsExt [event::zeEventQueryKernelTimestampsExt],
        9 pfnGetEventPool [event::zeEventGetEventPool],
        9 pfnGetSignalScope [event::zeEventGetSignalScope],
        9 pfnGetWaitScope [event::zeEventGetWaitScope],
    }

    /// ze_module_dditable_t
    fn zeGetModuleProcAddrTable {
        0 pfnCreate [module::zeModuleCreate],
        0 pfnDestroy [module::zeModuleDestroy],
        0 pfnDynamicLink [module::zeModuleDynamicLink],
        0 pfnGetNativeBinary [module::zeModuleGetNativeBinary],
        0 pfnGetGlobalPointer [module::zeModuleGetGlobalPointer],
        0 pfnGetKernelNames [module::zeModuleGetKernelNames],
        0 pfnGetProperties [module::zeModuleGetProperties],
        0 pfnGetFunctionPointer [-],
        3 pfnInspectLinkageExt [-],
    }

    /// ze_module_build_log_dditable_t
    fn zeGetModuleBuildLogProcAddrTable {
        0 pfnDestroy [module::zeModuleBuildLogDestroy],
        0 pfnGetString [module::zeModuleBuildLogGetString],
    }

    /// ze_kernel_dditable_t
    fn zeGetKernelProcAddrTable {
        0 pfnCreate [kernel::zeKernelCreate],
        0 pfnDestroy [kernel::zeKernelDestroy],
        0 pfnSetCacheConfig [kernel::zeKernelSetCacheConfig],
        0 pfnSetGroupSize [kernel::zeKernelSetGroupSize],
        0 pfnSuggestGroupSize [kernel::zeKernelSuggestGroupSize],
        0 pfnSuggestMaxCooperativeGroupCount [kernel::zeKernelSuggestMaxCooperativeGroupCount],
        0 pfnSetArgumentValue [kernel::zeKernelSetArgumentValue],
        0 pfnSetIndirectAccess [kernel::zeKernelSetIndirectAccess],
        0 pfnGetIndirectAccess [kernel_info::zeKernelGetIndirectAccess],
        0 pfnGetSourceAttributes [kernel_info::zeKernelGetSourceAttributes],
        0 pfnGetProperties [kernel_info::zeKernelGetProperties],
        0 pfnGetName [kernel_info::zeKernelGetName],
    }

    /// ze_kernel_exp_dditable_t
    fn zeGetKernelExpProcAddrTable {
        1 pfnSetGlobalOffsetExp [kernel::zeKernelSetGlobalOffsetExp],
        2 pfnSchedulingHintExp [-],
        11 pfnGetBinaryExp [-],
    }

    /// ze_driver_exp_dditable_t
    fn zeGetDriverExpProcAddrTable {
        7 pfnRTASFormatCompatibilityCheckExp [-],
    }

    /// ze_device_exp_dditable_t
    fn zeGetDeviceExpProcAddrTable {
        4 pfnGetFabricVertexExp [-],
    }

    /// ze_image_dditable_t
    fn zeGetImageProcAddrTable {
        0 pfnGetProperties [image::zeImageGetProperties],
        0 pfnCreate [image::zeImageCreate],
        0 pfnDestroy [image::zeImageDestroy],
        3 pfnGetAllocPropertiesExt [image::zeImageGetAllocPropertiesExt],
        5 pfnViewCreateExt [image::zeImageViewCreateExt],
    }

    /// ze_image_exp_dditable_t
    fn zeGetImageExpProcAddrTable {
        2 pfnGetMemoryPropertiesExp [image::zeImageGetMemoryPropertiesExp],
        2 pfnViewCreateExp [image::zeImageViewCreateExp],
        9 pfnGetDeviceOffsetExp [-],
    }

    /// ze_mem_exp_dditable_t
    fn zeGetMemExpProcAddrTable {
        6 pfnGetIpcHandleFromFileDescriptorExp [-],
        6 pfnGetFileDescriptorFromIpcHandleExp [-],
        7 pfnSetAtomicAccessAttributeExp [atomic_access::zeMemSetAtomicAccessAttributeExp],
        7 pfnGetAtomicAccessAttributeExp [atomic_access::zeMemGetAtomicAccessAttributeExp],
    }

    /// ze_event_exp_dditable_t
    fn zeGetEventExpProcAddrTable {
        2 pfnQueryTimestampsExp [event::zeEventQueryTimestampsExp],
    }

    /// ze_sampler_dditable_t
    fn zeGetSamplerProcAddrTable {
        0 pfnCreate [sampler::zeSamplerCreate],
        0 pfnDestroy [sampler::zeSamplerDestroy],
    }

    /// ze_physical_mem_dditable_t
    fn zeGetPhysicalMemProcAddrTable {
        0 pfnCreate [virtual_memory::zePhysicalMemCreate],
        0 pfnDestroy [virtual_memory::zePhysicalMemDestroy],
    }

    /// ze_virtual_mem_dditable_t
    fn zeGetVirtualMemProcAddrTable {
        0 pfnReserve [virtual_memory::zeVirtualMemReserve],
        0 pfnFree [virtual_memory::zeVirtualMemFree],
        0 pfnQueryPageSize [virtual_memory::zeVirtualMemQueryPageSize],
        0 pfnMap [virtual_memory::zeVirtualMemMap],
        0 pfnUnmap [virtual_memory::zeVirtualMemUnmap],
        0 pfnSetAccessAttribute [virtual_memory::zeVirtualMemSetAccessAttribute],
        0 pfnGetAccessAttribute [virtual_memory::zeVirtualMemGetAccessAttribute],
    }

    /// ze_fabric_vertex_exp_dditable_t
    fn zeGetFabricVertexExpProcAddrTable {
        4 pfnGetExp [-],
        4 pfnGetSubVerticesExp [-],
        4 pfnGetPropertiesExp [-],
        4 pfnGetDeviceExp [-],
    }

    /// ze_fabric_edge_exp_dditable_t
    fn zeGetFabricEdgeExpProcAddrTable {
        4 pfnGetExp [-],
        4 pfnGetVerticesExp [-],
        4 pfnGetPropertiesExp [-],
    }

    /// zes_global_dditable_t
    fn zesGetGlobalProcAddrTable {
        5 pfnInit [sysman::zesInit],
    }

    /// zes_driver_dditable_t
    fn zesGetDriverProcAddrTable {
        0 pfnEventListen [-],
        1 pfnEventListenEx [-],
        5 pfnGet [sysman::zesDriverGet],
        8 pfnGetExtensionProperties [sysman::zesDriverGetExtensionProperties],
        8 pfnGetExtensionFunctionAddress [-],
    }

    /// zes_device_dditable_t
    fn zesGetDeviceProcAddrTable {
        0 pfnGetProperties [sysman::zesDeviceGetProperties],
        0 pfnGetState [sysman::zesDeviceGetState],
        0 pfnReset [-],
        0 pfnProcessesGetState [-],
        0 pfnPciGetProperties [-],
        0 pfnPciGetState [-],
        0 pfnPciGetBars [-],
        0 pfnPciGetStats [-],
        0 pfnEnumDiagnosticTestSuites [sysman::zesDeviceEnumNothing],
        0 pfnEnumEngineGroups [sysman::zesDeviceEnumNothing],
        0 pfnEventRegister [-],
        0 pfnEnumFabricPorts [sysman::zesDeviceEnumNothing],
        0 pfnEnumFans [sysman::zesDeviceEnumNothing],
        0 pfnEnumFirmwares [sysman::zesDeviceEnumNothing],
        0 pfnEnumFrequencyDomains [sysman::zesDeviceEnumNothing],
        0 pfnEnumLeds [sysman::zesDeviceEnumNothing],
        0 pfnEnumMemoryModules [sysman::zesDeviceEnumMemoryModules],
        0 pfnEnumPerformanceFactorDomains [sysman::zesDeviceEnumNothing],
        0 pfnEnumPowerDomains [sysman::zesDeviceEnumNothing],
        0 pfnGetCardPowerDomain [-],
        0 pfnEnumPsus [sysman::zesDeviceEnumNothing],
        0 pfnEnumRasErrorSets [sysman::zesDeviceEnumNothing],
        0 pfnEnumSchedulers [sysman::zesDeviceEnumNothing],
        0 pfnEnumStandbyDomains [sysman::zesDeviceEnumNothing],
        0 pfnEnumTemperatureSensors [sysman::zesDeviceEnumNothing],
        4 pfnEccAvailable [sysman::zesDeviceNoEcc],
        4 pfnEccConfigurable [sysman::zesDeviceNoEcc],
        4 pfnGetEccState [-],
        4 pfnSetEccState [-],
        5 pfnGet [sysman::zesDeviceGet],
        5 pfnSetOverclockWaiver [-],
        5 pfnGetOverclockDomains [-],
        5 pfnGetOverclockControls [-],
        5 pfnResetOverclockSettings [-],
        5 pfnReadOverclockState [-],
        5 pfnEnumOverclockDomains [sysman::zesDeviceEnumNothing],
        7 pfnResetExt [-],
        15 pfnPciLinkSpeedUpdateExt [-],
    }

    /// zes_memory_dditable_t
    fn zesGetMemoryProcAddrTable {
        0 pfnGetProperties [sysman::zesMemoryGetProperties],
        0 pfnGetState [sysman::zesMemoryGetState],
        0 pfnGetBandwidth [-],
    }
}

/// Defines functions for tables that stay as they come, with no function: those of the tools, and of what system management finds none of. Loaders ask for them all, and take a driver for
/// none without them.
macro_rules! no_tables {
    ($($name:ident)*) => {
        $(
            /// # Safety
            /// As of the tables above.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(version: u32, pDdiTable: Out<*const c_void>) -> ze_result_t {
                answer(stringify!($name), || fill(version, pDdiTable, &[]))
            }
        )*
    };
}

no_tables! {
    zetGetDeviceProcAddrTable
    zetGetContextProcAddrTable
    zetGetCommandListProcAddrTable
    zetGetModuleProcAddrTable
    zetGetKernelProcAddrTable
    zetGetMetricGroupProcAddrTable
    zetGetMetricGroupExpProcAddrTable
    zetGetMetricProcAddrTable
    zetGetMetricStreamerProcAddrTable
    zetGetMetricQueryPoolProcAddrTable
    zetGetMetricQueryProcAddrTable
    zetGetTracerExpProcAddrTable
    zetGetDebugProcAddrTable
    zesGetSchedulerProcAddrTable
    zesGetPerformanceFactorProcAddrTable
    zesGetPowerProcAddrTable
    zesGetFrequencyProcAddrTable
    zesGetEngineProcAddrTable
    zesGetStandbyProcAddrTable
    zesGetFirmwareProcAddrTable
    zesGetFabricPortProcAddrTable
    zesGetTemperatureProcAddrTable
    zesGetPsuProcAddrTable
    zesGetFanProcAddrTable
    zesGetLedProcAddrTable
    zesGetRasProcAddrTable
    zesGetDiagnosticsProcAddrTable
}
