//! cl_intel_device_attribute_query, beside what the system says of the processor.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, cl};
use std::ptr::null_mut;

#[cfg(target_arch = "x86_64")]
const IP_VERSION: u32 = 0x4250;
#[cfg(target_arch = "x86_64")]
const ID: u32 = 0x4251;
const SLICES: u32 = 0x4252;
const SUB_SLICES: u32 = 0x4253;
const UNITS: u32 = 0x4254;
const THREADS: u32 = 0x4255;
#[cfg(target_arch = "x86_64")]
const FEATURES: u32 = 0x4256;
const CL_DEVICE_PARTITION_BY_COUNTS: isize = 0x1087;

/// A field of the first processor of /proc/cpuinfo.
#[cfg(target_arch = "x86_64")]
fn field(name: &str) -> u32 {
    let text = std::fs::read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo");
    let found = text
        .lines()
        .find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == name));
    found.expect(name).1.trim().parse().expect("a number")
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_version_is_the_processors() {
    let device = Context::new().device;
    let version = device.number(IP_VERSION) as u32;
    let expected = [field("cpu family"), field("model"), field("stepping")];
    assert_eq!([version >> 22, version >> 12 & 0x3ff, version & 0xfff], expected);
    // The signature has the same three in it.
    assert_eq!(device.number(ID) as u32 & 0xf, expected[2]);
    assert_eq!(device.number(FEATURES), 0);
}

#[test]
fn compute_units_are_among_the_execution_units() {
    let device = Context::new().device;
    let units = device.number(CL_DEVICE_MAX_COMPUTE_UNITS);
    let all: u64 = [SLICES, SUB_SLICES, UNITS, THREADS]
        .map(|query| device.number(query))
        .iter()
        .product();
    assert!(all >= units, "{all} execution units, {units} compute units");
    if units < 2 {
        println!("the device can't be divided: one compute unit");
        return;
    }
    // A part of one compute unit lies in one slice.
    let (list, mut part, mut count) = ([CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0], null_mut(), 0u32);
    assert_eq!(
        cl!(clCreateSubDevices(device.id, list.as_ptr(), 1, &mut part, &mut count)),
        CL_SUCCESS
    );
    let mut slices = 0u32;
    let status = cl!(clGetDeviceInfo(part, SLICES, 4, (&raw mut slices).cast(), null_mut()));
    assert_eq!((status, slices), (CL_SUCCESS, 1));
    assert_eq!(cl!(clReleaseDevice(part)), CL_SUCCESS);
}
