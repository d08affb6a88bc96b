//! Entry points by name: clGetExtensionFunctionAddress and its kin.

use crate::entry;
use api::cl::{c_char, c_void, cl_platform_id};
use api::raw::In;
use api::{environment, platform};
use core::ptr::null_mut;

/// clGetExtensionFunctionAddress
pub fn of(func_name: In<c_char>) -> *mut c_void {
    let extension = |name: &str| entry::find_extension(name).filter(|_| environment::has_function(name));
    let find = |name: &str| {
        entry::find_loader(name)
            .or_else(|| extension(name))
            .or_else(|| entry::find_core(name))
    };
    func_name
        .text()
        .and_then(|name| find(&name))
        .map_or(null_mut(), |address| address.cast_mut())
}

/// clIcdGetFunctionAddressForPlatformKHR: what a loader fills its own dispatch table with.
pub fn for_loader(platform: cl_platform_id, func_name: In<c_char>) -> *mut c_void {
    match for_platform(platform, func_name) {
        address if address.is_null() && !platform.is_null() => func_name
            .text()
            .and_then(|name| entry::find_absent(&name))
            .map_or(null_mut(), |address| address.cast_mut()),
        address => address,
    }
}

/// clGetExtensionFunctionAddressForPlatform
pub fn for_platform(platform: cl_platform_id, func_name: In<c_char>) -> *mut c_void {
    match platform::named(platform) {
        Ok(_) if !platform.is_null() => of(func_name),
        _ => null_mut(),
    }
}
