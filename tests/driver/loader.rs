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
    assert!(text(CL_PLATFORM_VERSION).starts_with("OpenCL 3.1"));
    assert_eq!(text(CL_PLATFORM_PROFILE), "FULL_PROFILE");
    assert!(text(CL_PLATFORM_EXTENSIONS).split(' ').any(|name| name == "cl_khr_icd"));
    assert_eq!(device.info(CL_DEVICE_PLATFORM).unwrap().number(), device.platform as u64);
}

/// vYYYY-MM-DD-XX, whether or not there is such a version.
#[test]
fn the_conformance_version_has_its_form() {
    const CONFORMANCE_VERSION: u32 = 0x1072;
    let text = Device::under_test().text(CONFORMANCE_VERSION);
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(form, "v0000-00-00-00", "{text}");
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

/// The library that the loader was led to, if it is this driver and not a peer.
fn library() -> Option<String> {
    let directory = std::env::var("OCL_ICD_VENDORS").ok()?;
    let path = std::fs::read_to_string(std::path::Path::new(&directory).join("brolga.icd")).ok()?;
    Some(path.trim().to_owned())
}

fn lines_of(program: &str, arguments: &[&str]) -> Vec<String> {
    let output = std::process::Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_library_exports_opencl_and_nothing_else() {
    let Some(library) = library() else { return };
    let lines = lines_of("nm", &["-D", "--defined-only", &library]);
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').nth(2)?.split('@').next()).collect();
    // Debuggers learn of kernels through these two.
    let for_debuggers = ["__jit_debug_descriptor", "__jit_debug_register_code"];
    for name in for_debuggers {
        assert!(names.contains(&name), "{name} is not exported");
    }
    for name in names.iter().filter(|name| !for_debuggers.contains(name)) {
        assert!(
            name.strip_prefix("cl").is_some_and(|rest| rest.starts_with(char::is_uppercase)),
            "{name} is exported"
        );
    }
    for name in include_str!("core_functions.txt").lines() {
        assert!(names.contains(&name), "{name} is not exported");
    }
}

#[test]
fn the_library_needs_the_system_only() {
    let Some(library) = library() else { return };
    let lines = lines_of("readelf", &["-d", &library]);
    for line in lines.iter().filter(|line| line.contains("(NEEDED)")) {
        let allowed = ["[libc.so.", "[libm.so.", "[libgcc_s.so.", "[ld-linux"];
        assert!(allowed.iter().any(|name| line.contains(name)), "{line}");
    }
}

/// Looks a function up in the library, not in the loader.
fn function_of(library: *mut c_void, name: &std::ffi::CStr) -> *mut c_void {
    // SAFETY: the library is open and stays so.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

#[test]
fn a_program_linked_straight_to_the_library() {
    type GetPlatforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    let Some(library) = library() else { return };
    let path = std::ffi::CString::new(library).unwrap();
    // SAFETY: a shared library; its initialisers are the same that ran when the loader opened it.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null());
    let (mut platform, mut count) = (null_mut(), 0);
    // SAFETY: the functions have these types by the specification.
    unsafe {
        let get_platforms: GetPlatforms = std::mem::transmute(function_of(library, c"clGetPlatformIDs"));
        assert_eq!(get_platforms(1, &mut platform, &mut count), CL_SUCCESS);
        assert!(count == 1 && !platform.is_null());
        let get_address: GetAddress = std::mem::transmute(function_of(library, c"clGetExtensionFunctionAddress"));
        for name in [
            c"clIcdGetPlatformIDsKHR",
            c"clIcdGetFunctionAddressForPlatformKHR",
            c"clIcdSetPlatformDispatchDataKHR",
        ] {
            assert!(!get_address(name.as_ptr()).is_null(), "{name:?}");
        }
        assert!(get_address(c"clNoSuchFunctionKHR".as_ptr()).is_null());
        // Each entry of the dispatch table can be jumped through.
        let table = *platform.cast::<*const *const c_void>();
        for slot in 0..117 {
            assert!(!(*table.add(slot)).is_null(), "slot {slot} of the dispatch table");
        }
        // A loader that gives dispatch data finds something in handles that it has from one that gives none.
        let data = *platform.cast::<*const *const c_void>().add(1);
        assert!(!data.is_null() && !(*data.add(1)).is_null());
    }
}

#[test]
fn the_whole_list_of_platforms_is_given_in_parts() {
    let mut count = 0;
    assert_eq!(cl!(clGetPlatformIDs(0, null_mut(), &mut count)), CL_SUCCESS);
    assert!(count >= 1);
    assert_eq!(cl!(clGetPlatformIDs(0, null_mut(), null_mut())), CL_INVALID_VALUE);
    let mut id = null_mut();
    assert_eq!(cl!(clGetPlatformIDs(0, &mut id, null_mut())), CL_INVALID_VALUE);
}

/// clinfo asks every query there is, of platform, device, image formats and a kernel.
#[test]
fn clinfo_runs_clean() {
    let output = match std::process::Command::new("clinfo").output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return eprintln!("skipped: no clinfo"),
        output => output.unwrap(),
    };
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    for line in text.lines() {
        assert!(!line.contains(": error -"), "{line}");
    }
    assert!(text.contains("Device Name"));
}
