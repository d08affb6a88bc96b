//! Extensions that are there where they are asked for: this process asks.

use api::cl::*;
use api::matrices::get_device_cooperative_matrix_info;
use api::raw::{FromC, In, Out};
use api::{device_info, platform};
use std::ptr::null_mut;
use vendors::matrices::{SUB_GROUP_SIZE, variants};

/// The only test here: the variable is read once a process.
#[test]
fn matrices() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("BROLGA_WITH", "cl_khr_cooperative_matrix") };
    let (mut platform, mut device) = (null_mut(), null_mut());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    for query in [
        CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR,
        CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR,
    ] {
        let mut answer: cl_uint = 0;
        // SAFETY: a word.
        let place = unsafe { Out::from_c((&raw mut answer).cast()) };
        device_info::get_device_info(device, query, 4, place, Out::null()).unwrap();
        assert_eq!(answer, 1);
    }
    let ask = |name: cl_uint, size: Option<cl_uint>, room: usize| {
        let input = size.as_ref().map_or(std::ptr::null(), |size| std::ptr::from_ref(size).cast());
        let (mut words, mut bytes) = (vec![0_u32; room], 0);
        // SAFETY: a word or NULL, and as many words as are told.
        let (input, place) = unsafe { (In::from_c(input), Out::from_c(words.as_mut_ptr().cast())) };
        let input_size = 4 * usize::from(size.is_some());
        get_device_cooperative_matrix_info(device, name, input_size, input, 4 * room, place, Out::from_mut(&mut bytes)).map(|()| {
            words.truncate(bytes / 4);
            words
        })
    };
    let (default, sized) = (
        CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR,
        CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR,
    );
    let all = ask(default, None, 4096).unwrap();
    // The draft has no number for bfloat16.
    let numbered = variants().filter(|variant| variant.components.iter().all(|component| component.number().is_some()));
    assert_eq!(all.len(), 8 * numbered.count());
    // 4x4x4 of floats comes first.
    assert_eq!(all[..8], [4, 4, 4, 1, 1, 1, 1, CL_FALSE]);
    assert_eq!(ask(sized, Some(SUB_GROUP_SIZE), 4096).unwrap(), all);
    assert_eq!(ask(sized, Some(8), 4096).unwrap(), []);
    for refused in [ask(sized, None, 4096), ask(default, None, 8), ask(0x1077, None, 4096)] {
        assert_eq!(refused, Err(CL_INVALID_VALUE));
    }
    let (none, nowhere) = (In::null(), Out::null());
    let nobody = get_device_cooperative_matrix_info(null_mut(), default, 0, none, 0, nowhere, Out::null());
    assert_eq!(nobody, Err(CL_INVALID_DEVICE));
}
