//! What the device says of itself.

use crate::device::{Device, compute_units};
use crate::error::entry;
use crate::handle::Handle;
use crate::pointer::{Out, extension, list_structures};
use crate::queue;
use crate::ze::*;
use ::device::image::limits as images;
use ::device::machine::machine;
use ::device::uuid::uuid;
use compiler::environment::Environment;
use compiler::kernel::preferred_gang_width;
use vendors::{Features, limits};

/// Bytes that a kernel's arguments may have together.
const MAX_ARGUMENT_BYTES: u32 = 4352;

/// All memory is the host's, and the device accesses it as the host does.
const ACCESS: u32 = ZE_MEMORY_ACCESS_CAP_FLAG_RW
    | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC
    | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT
    | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;

/// What arithmetic does, of each width that there is.
const FLOATS: u32 = ZE_DEVICE_FP_FLAG_DENORM
    | ZE_DEVICE_FP_FLAG_INF_NAN
    | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST
    | ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO
    | ZE_DEVICE_FP_FLAG_ROUND_TO_INF
    | ZE_DEVICE_FP_FLAG_FMA;

/// What zeDeviceGetProperties and zesDeviceGetProperties say.
pub fn describe(properties: &mut ze_device_properties_t) {
    let machine = machine();
    let units = compute_units();
    properties.type_ = ZE_DEVICE_TYPE_CPU;
    properties.vendorId = machine.vendor_id;
    properties.deviceId = machine.signature;
    // "Device is integrated with the Host."
    properties.flags = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
    properties.subdeviceId = 0;
    properties.coreClockRate = machine.frequency_mhz;
    properties.maxMemAllocSize = machine.max_allocation_bytes;
    properties.maxHardwareContexts = 1;
    properties.maxCommandQueuePriority = 0;
    // A core has a thread; slices mean nothing here.
    properties.numThreadsPerEU = 1;
    properties.physicalEUSimdWidth = preferred_gang_width();
    properties.numEUsPerSubslice = units;
    properties.numSubslicesPerSlice = 1;
    properties.numSlices = 1;
    // Nanoseconds a tick, or (ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2) ticks a second: a tick is a nanosecond.
    properties.timerResolution = if properties.stype == DEVICE_PROPERTIES_1_2 {
        1_000_000_000
    } else {
        1
    };
    properties.timestampValidBits = u64::BITS;
    properties.kernelTimestampValidBits = u64::BITS;
    properties.uuid = uuid(&format!("{} {units}", machine.name));
    properties.name = fixed(&machine.name);
}

entry! {
    /// zeDeviceGetProperties
    pub fn zeDeviceGetProperties(hDevice: Handle<Device>, pDeviceProperties: Out<ze_device_properties_t>) {
        hDevice.check()?;
        let mut next = core::ptr::null_mut();
        pDeviceProperties.fill(|properties| {
            next = properties.pNext;
            describe(properties);
        })?;
        if let Some(count) = extension::<ze_eu_count_ext_t>(next) {
            count.fill(|count| count.numTotalEUs = compute_units())?;
        }
        if let Some(times) = extension::<ze_event_query_kernel_timestamps_ext_properties_t>(next) {
            let both = ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL | ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED;
            times.fill(|times| times.flags = both)?;
        }
        if let Some(pages) = extension::<ze_device_readonly_memory_ext_properties_t>(next) {
            pages.fill(|pages| pages.readonlyCapability = ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED)?;
        }
        Ok(())
    }

    /// zeDeviceGetComputeProperties
    pub fn zeDeviceGetComputeProperties(hDevice: Handle<Device>, pComputeProperties: Out<ze_device_compute_properties_t>) {
        hDevice.check()?;
        pComputeProperties.fill(|properties| {
            let most = limits::WORK_GROUP_SIZE as u32;
            properties.maxTotalGroupSize = most;
            (properties.maxGroupSizeX, properties.maxGroupSizeY, properties.maxGroupSizeZ) = (most, most, most);
            (properties.maxGroupCountX, properties.maxGroupCountY, properties.maxGroupCountZ) = (u32::MAX, u32::MAX, u32::MAX);
            properties.maxSharedLocalMemory = limits::LOCAL_MEMORY as u32;
            properties.numSubGroupSizes = limits::SUB_GROUP_SIZES.len() as u32;
            properties.subGroupSizes = [0; 8];
            for (size, &known) in properties.subGroupSizes.iter_mut().zip(&limits::SUB_GROUP_SIZES) {
                *size = known as u32;
            }
        })
    }

    /// zeDeviceGetModuleProperties: what the environment that modules are checked against has.
    pub fn zeDeviceGetModuleProperties(hDevice: Handle<Device>, pModuleProperties: Out<ze_device_module_properties_t>) {
        hDevice.check()?;
        let environment = Environment::level_zero_device();
        let features = environment.registry.features();
        let (major, minor) = environment.newest;
        let only = |feature: Features, flags: u32| if features.contains(feature) { flags } else { 0 };
        let mut next = core::ptr::null_mut();
        pModuleProperties.fill(|properties| {
            next = properties.pNext;
            properties.spirvVersionSupported = version(major.into(), minor.into());
            properties.flags = only(Features::FP16, ZE_DEVICE_MODULE_FLAG_FP16)
                | only(Features::FP64, ZE_DEVICE_MODULE_FLAG_FP64)
                | only(Features::INT64_ATOMICS, ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS);
            properties.fp16flags = only(Features::FP16, FLOATS);
            properties.fp32flags = FLOATS | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
            properties.fp64flags = only(Features::FP64, FLOATS | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT);
            properties.maxArgumentsSize = MAX_ARGUMENT_BYTES;
            properties.printfBufferSize = limits::PRINTF_BUFFER as u32;
            properties.nativeKernelSupported = crate::native::FORMAT;
        })?;
        if let Some(atomics) = extension::<ze_float_atomic_ext_properties_t>(next) {
            // The bits are the same in both interfaces.
            let of = |width| environment.float_atomics(width).bits() as u32;
            atomics.fill(|atomics| (atomics.fp16Flags, atomics.fp32Flags, atomics.fp64Flags) = (of(16), of(32), of(64)))?;
        }
        Ok(())
    }

    /// zeDeviceGetCommandQueueGroupProperties: one group whose queues do everything, and one that copies.
    pub fn zeDeviceGetCommandQueueGroupProperties(hDevice: Handle<Device>, pCount: Out<u32>, pCommandQueueGroupProperties: Out<ze_command_queue_group_properties_t>) {
        hDevice.check()?;
        list_structures(pCount, pCommandQueueGroupProperties, queue::GROUPS.len(), |ordinal, group| {
            group.flags = queue::GROUPS[ordinal];
            group.maxMemoryFillPatternSize = MAX_PATTERN;
            group.numQueues = queue::QUEUES;
        })
    }

    /// zeDeviceGetMemoryProperties
    pub fn zeDeviceGetMemoryProperties(hDevice: Handle<Device>, pCount: Out<u32>, pMemProperties: Out<ze_device_memory_properties_t>) {
        hDevice.check()?;
        list_structures(pCount, pMemProperties, 1, |_, memory| {
            memory.flags = 0;
            // Nobody tells.
            (memory.maxClockRate, memory.maxBusWidth) = (0, 64);
            memory.totalSize = machine().memory_bytes;
            memory.name = fixed("the host's memory");
        })
    }

    /// zeDeviceGetMemoryAccessProperties
    pub fn zeDeviceGetMemoryAccessProperties(hDevice: Handle<Device>, pMemAccessProperties: Out<ze_device_memory_access_properties_t>) {
        hDevice.check()?;
        pMemAccessProperties.fill(|access| {
            access.hostAllocCapabilities = ACCESS;
            access.deviceAllocCapabilities = ACCESS;
            access.sharedSingleDeviceAllocCapabilities = ACCESS;
            // There is no other device.
            access.sharedCrossDeviceAllocCapabilities = 0;
            access.sharedSystemAllocCapabilities = ACCESS;
        })
    }

    /// zeDeviceGetCacheProperties: the last cache before the memory.
    pub fn zeDeviceGetCacheProperties(hDevice: Handle<Device>, pCount: Out<u32>, pCacheProperties: Out<ze_device_cache_properties_t>) {
        hDevice.check()?;
        list_structures(pCount, pCacheProperties, 1, |_, cache| {
            cache.flags = 0;
            cache.cacheSize = machine().caches.last_level() as usize;
        })
    }

    /// zeDeviceGetImageProperties
    pub fn zeDeviceGetImageProperties(hDevice: Handle<Device>, pImageProperties: Out<ze_device_image_properties_t>) {
        hDevice.check()?;
        pImageProperties.fill(|properties| {
            let there = vendors::supported().features().contains(Features::IMAGES);
            let only = |most: usize| if there { most as u32 } else { 0 };
            let arguments = if there { images::MAX_ARGUMENTS } else { 0 };
            properties.maxImageDims1D = only(images::MAX_2D);
            properties.maxImageDims2D = only(images::MAX_2D);
            properties.maxImageDims3D = only(images::MAX_3D);
            properties.maxImageBufferSize = only(images::MAX_BUFFER).into();
            properties.maxImageArraySlices = only(images::MAX_ARRAY);
            properties.maxSamplers = if there { images::MAX_SAMPLERS } else { 0 };
            properties.maxReadImageArgs = arguments;
            properties.maxWriteImageArgs = arguments;
        })
    }

    /// zeDeviceGetExternalMemoryProperties: neither imports nor exports.
    pub fn zeDeviceGetExternalMemoryProperties(hDevice: Handle<Device>, pExternalMemoryProperties: Out<ze_device_external_memory_properties_t>) {
        hDevice.check()?;
        pExternalMemoryProperties.fill(|external| {
            (external.memoryAllocationImportTypes, external.memoryAllocationExportTypes) = (0, 0);
            (external.imageImportTypes, external.imageExportTypes) = (0, 0);
        })
    }
}

/// ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
const DEVICE_PROPERTIES_1_2: u32 = 0x2_0006;
