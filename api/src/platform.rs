//! The platform: §4.1 "Querying Platform Info", and the platform's side of cl_khr_icd.

use crate::cl::*;
use crate::device::Device;
use crate::environment;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::info::Info;
use crate::machine;
use crate::raw::Out;
use crate::unified_svm;
use core::ffi::c_void;
use once_cell::race::OnceBox;
use std::sync::Arc;

/// The driver's one platform.
#[derive(Debug)]
pub struct Platform {
    handle: Handle,
    /// The machine's processors, as one device.
    pub device: Arc<Device>,
}

impl Object for Platform {
    const KIND: Kind = Kind::Platform;
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Platform {
    /// The platform, which is made when it is first asked for and lives as long as the process.
    pub fn the() -> Result<&'static Arc<Platform>> {
        static PLATFORM: OnceBox<Arc<Platform>> = OnceBox::new();
        PLATFORM.get_or_try_init(|| {
            let platform = Arc::new(Platform {
                handle: Handle::default(),
                device: Arc::new(Device::root()),
            });
            publish(platform.device.clone())?;
            publish(platform.clone())?;
            Ok(Box::new(platform))
        })
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_platform_id {
        self.handle.as_ptr()
    }

    /// The platform's device, if it is of a type.
    pub fn device_of_type(&self, device_type: cl_device_type) -> Result<Option<&Arc<Device>>> {
        const TYPES: cl_device_type =
            CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
        // CL_INVALID_DEVICE_TYPE if device_type is not a valid value.
        fail_if(
            device_type == 0 || (device_type != CL_DEVICE_TYPE_ALL && device_type & !TYPES != 0),
            CL_INVALID_DEVICE_TYPE,
        )?;
        Ok((device_type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU) != 0).then_some(&self.device))
    }
}

/// The platform that a function means: NULL is allowed where "the behavior is implementation-defined", and means ours.
pub fn named(platform: cl_platform_id) -> Result<&'static Arc<Platform>> {
    let the = Platform::the()?;
    if !platform.is_null() {
        // CL_INVALID_PLATFORM if platform is not a valid platform.
        lookup::<Platform>(platform)?;
    }
    Ok(the)
}

/// clGetPlatformIDs, clIcdGetPlatformIDsKHR
pub fn get_platform_ids(num_entries: cl_uint, platforms: Out<cl_platform_id>, num_platforms: Out<cl_uint>) -> Result<()> {
    // CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL,
    fail_if(num_entries == 0 && !platforms.is_null(), CL_INVALID_VALUE)?;
    // or if both num_platforms and platforms are NULL.
    fail_if(num_platforms.is_null() && platforms.is_null(), CL_INVALID_VALUE)?;
    platforms.write_list(num_entries as usize, [Platform::the()?.id()]);
    num_platforms.write(1);
    Ok(())
}

/// clGetPlatformInfo
pub fn get_platform_info(
    platform: cl_platform_id,
    param_name: cl_platform_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    named(platform)?;
    let info = match param_name {
        CL_PLATFORM_PROFILE => Info::text("FULL_PROFILE"),
        CL_PLATFORM_VERSION => Info::text(&environment::version_text("OpenCL ")),
        CL_PLATFORM_NUMERIC_VERSION => Info::of(environment::opencl_version()),
        CL_PLATFORM_NAME => Info::text("Brolga"),
        CL_PLATFORM_VENDOR => Info::text(environment::VENDOR),
        CL_PLATFORM_EXTENSIONS => Info::text(&environment::names(environment::extensions())),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => Info::list(&environment::names_and_versions(environment::extensions())),
        CL_PLATFORM_HOST_TIMER_RESOLUTION => Info::of::<cl_ulong>(machine::timer_resolution()),
        CL_PLATFORM_ICD_SUFFIX_KHR => Info::text("BROLGA"),
        CL_PLATFORM_SEMAPHORE_TYPES_KHR if environment::has("cl_khr_semaphore") => Info::of(CL_SEMAPHORE_TYPE_BINARY_KHR as cl_uint),
        CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR if unified_svm::is_there() => Info::list(&unified_svm::TYPES),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clGetDeviceIDs
pub fn get_device_ids(
    platform: cl_platform_id,
    device_type: cl_device_type,
    num_entries: cl_uint,
    devices: Out<cl_device_id>,
    num_devices: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_PLATFORM if platform is not a valid platform.
    let platform = named(platform)?;
    let found = platform.device_of_type(device_type)?;
    // CL_INVALID_VALUE if num_entries is equal to zero and devices is not NULL or if both num_devices and devices are NULL.
    fail_if(num_entries == 0 && !devices.is_null(), CL_INVALID_VALUE)?;
    fail_if(num_devices.is_null() && devices.is_null(), CL_INVALID_VALUE)?;
    // CL_DEVICE_NOT_FOUND if no OpenCL devices that matched device_type were found.
    let device = found.ok_or(CL_DEVICE_NOT_FOUND)?;
    devices.write_list(num_entries as usize, [device.id()]);
    num_devices.write(1);
    Ok(())
}

/// clIcdSetPlatformDispatchDataKHR
pub fn icd_set_platform_dispatch_data(platform: cl_platform_id, dispatch_data: *mut c_void) -> Result<()> {
    // CL_INVALID_PLATFORM if platform is not a valid platform.
    let platform = lookup::<Platform>(platform)?;
    handle::set_dispatch_data(dispatch_data, &[platform.handle(), platform.device.handle()]);
    Ok(())
}

/// clUnloadPlatformCompiler
pub fn unload_platform_compiler(platform: cl_platform_id) -> Result<()> {
    // CL_INVALID_PLATFORM if platform is not a valid platform.
    lookup::<Platform>(platform)?;
    Ok(())
}

/// clUnloadCompiler
pub fn unload_compiler() -> Result<()> {
    Ok(())
}
