//! The driver as the loader and a program that looks around see it.

use brolga_tests::cl_sys::*;
use brolga_tests::{Device, cl};
use std::ptr::null_mut;

#[test]
fn a_device_is_found() {
    let device = Device::under_test();
    assert!(!device.text(CL_DEVICE_NAME).is_empty());
    assert!(device.number(CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
    assert_eq!(device.number(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU);
}

#[test]
fn the_platform_names_itself() {
    let device = Device::under_test();
    let text = |name| device.platform_info(name).unwrap().text();
    assert!(text(CL_PLATFORM_VERSION).starts_with("OpenCL 3.0"));
    assert_eq!(text(CL_PLATFORM_PROFILE), "FULL_PROFILE");
    assert!(text(CL_PLATFORM_EXTENSIONS).split(' ').any(|name| name == "cl_khr_icd"));
    assert_eq!(device.info(CL_DEVICE_PLATFORM).unwrap().number(), device.platform as u64);
}

#[test]
fn devices_are_found_by_type() {
    let platform = Device::under_test().platform;
    let count = |kind| {
        let mut count = 0;
        let status = cl!(clGetDeviceIDs(platform, kind, 0, null_mut(), &mut count));
        (status, count)
    };
    assert_eq!(count(CL_DEVICE_TYPE_CPU), (CL_SUCCESS, 1));
    assert_eq!(count(CL_DEVICE_TYPE_DEFAULT), (CL_SUCCESS, 1));
    assert_eq!(count(CL_DEVICE_TYPE_GPU).0, CL_DEVICE_NOT_FOUND);
    assert_eq!(count(1 << 40).0, CL_INVALID_DEVICE_TYPE);
}
