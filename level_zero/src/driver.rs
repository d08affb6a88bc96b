//! The driver. There is one, and it has one device, the machine.

use crate::error::{entry, fail_if};
use crate::handle::{Handle, publish};
use crate::pointer::{In, Out, list};
use crate::ze::*;
use ::device::uuid::uuid;
use core::ffi::{c_char, c_void};
use once_cell::race::OnceBox;
use std::sync::Arc;
use vendors::Features;

/// The version of the interface whose functions this driver has, but for those that the book names as missing.
pub const API_VERSION: u32 = version(1, 13);

/// The driver.
pub struct Driver {
    /// The device's handle is another, hence so must be the place of this.
    _place: u8,
}

/// Extensions of the interface itself, with their versions. Those of SPIR-V are rows of the registry.
const EXTENSIONS: [&str; 10] = [
    "ZE_experimental_command_list_clone",
    "ZE_experimental_event_query_timestamps",
    "ZE_experimental_global_offset",
    "ZE_experimental_immediate_command_list_append",
    "ZE_experimental_module_program",
    "ZE_experimental_relaxed_allocation_limits",
    "ZE_extension_eu_count",
    "ZE_extension_event_query_kernel_timestamps",
    "ZE_extension_kernel_max_group_size_properties",
    "ZE_extension_virtual_mem_readonly_properties",
];

/// Those of a device with images.
const IMAGE_EXTENSIONS: [&str; 5] = [
    "ZE_experimental_image_memory_properties",
    "ZE_experimental_image_view",
    "ZE_extension_image_copy",
    "ZE_extension_image_query_alloc_properties",
    "ZE_extension_image_view",
];

/// The driver's handle.
pub fn driver() -> Handle<Driver> {
    static DRIVER: OnceBox<Arc<Driver>> = OnceBox::new();
    let driver = DRIVER.get_or_init(|| {
        let driver = Arc::new(Driver { _place: 0 });
        publish(driver.clone());
        Box::new(driver)
    });
    Handle::of(driver)
}

/// The names of all extensions.
fn extensions() -> Vec<&'static str> {
    let mut names = vendors::supported().level_zero_extensions();
    names.extend(EXTENSIONS);
    if vendors::supported().features().contains(Features::IMAGES) {
        names.extend(IMAGE_EXTENSIONS);
    }
    names
}

/// Is a driver for processors asked for, among those that flags of zeInit name? All drivers are, where no flag is set.
fn is_wanted(flags: u32) -> bool {
    flags & (ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY) == 0
}

entry! {
    /// zeInit: ZE_RESULT_ERROR_UNINITIALIZED tells the loader that this driver is none of those asked for.
    pub fn zeInit(flags: u32) {
        fail_if(flags & !(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY) != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        fail_if(!is_wanted(flags), ZE_RESULT_ERROR_UNINITIALIZED)
    }

    /// zeInitDrivers: "flags … driver type flags", of which none is for processors: this driver answers to all of them together (UINT32_MAX) only.
    pub fn zeInitDrivers(pCount: Out<u32>, phDrivers: Out<Handle<Driver>>, desc: In<ze_init_driver_type_desc_t>) {
        let desc = desc.get()?;
        pCount.check()?;
        fail_if(desc.flags == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        if desc.flags != u32::MAX {
            return pCount.write(0);
        }
        list(pCount, phDrivers, [driver()].into_iter())
    }

    /// zeDriverGet
    pub fn zeDriverGet(pCount: Out<u32>, phDrivers: Out<Handle<Driver>>) {
        list(pCount, phDrivers, [driver()].into_iter())
    }

    /// zeDriverGetApiVersion
    pub fn zeDriverGetApiVersion(hDriver: Handle<Driver>, version: Out<u32>) {
        hDriver.check()?;
        version.write(API_VERSION)
    }

    /// zeDriverGetProperties
    pub fn zeDriverGetProperties(hDriver: Handle<Driver>, pDriverProperties: Out<ze_driver_properties_t>) {
        hDriver.check()?;
        let version = env!("CARGO_PKG_VERSION");
        pDriverProperties.fill(|properties| {
            properties.uuid = uuid(&format!("Brolga for Level Zero {version}"));
            // It grows from version to version: eight bits each for the three parts.
            properties.driverVersion = version
                .split('.')
                .fold(0, |number, part| number << 8 | part.parse::<u32>().unwrap_or(0) & 0xff);
        })
    }

    /// zeDriverGetIpcProperties: no handle of this driver means anything in another process.
    pub fn zeDriverGetIpcProperties(hDriver: Handle<Driver>, pIpcProperties: Out<ze_driver_ipc_properties_t>) {
        hDriver.check()?;
        pIpcProperties.fill(|properties| properties.flags = 0)
    }

    /// zeDriverGetExtensionProperties
    pub fn zeDriverGetExtensionProperties(hDriver: Handle<Driver>, pCount: Out<u32>, pExtensionProperties: Out<ze_driver_extension_properties_t>) {
        hDriver.check()?;
        let extensions = extensions();
        let properties = extensions.iter().map(|name| ze_driver_extension_properties_t {
            name: fixed(name),
            version: version(1, 0),
        });
        list(pCount, pExtensionProperties, properties)
    }

    /// zeDriverGetExtensionFunctionAddress: there is no function that is not in the tables.
    pub fn zeDriverGetExtensionFunctionAddress(hDriver: Handle<Driver>, name: In<c_char>, ppFunctionAddress: Out<*mut c_void>) {
        hDriver.check()?;
        ppFunctionAddress.check()?;
        fail_if(name.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    }

    /// zeDriverGetLastErrorDescription: build logs, and what is said on stderr, describe errors; there is no other description.
    pub fn zeDriverGetLastErrorDescription(hDriver: Handle<Driver>, ppString: Out<*const c_char>) {
        hDriver.check()?;
        ppString.write(c"".as_ptr())
    }
}
