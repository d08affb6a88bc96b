//! Which cooperative matrices a device has: the draft of cl_khr_cooperative_matrix.

use crate::cl::*;
use crate::device::Device;
use crate::environment;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::info::Info;
use crate::raw::{FromC, In, Out};
use core::ffi::c_void;
use vendors::matrices::{SUB_GROUP_SIZE, Variant, variants};

/// clGetDeviceCooperativeMatrixInfoKHR
pub fn get_device_cooperative_matrix_info(
    device: cl_device_id,
    param_name: cl_uint,
    input_value_size: usize,
    input_value: In<c_void>,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_DEVICE if device is not a valid device.
    lookup::<Device>(device)?;
    // CL_INVALID_OPERATION if device does not support the extension.
    fail_if(!environment::has("cl_khr_cooperative_matrix"), CL_INVALID_OPERATION)?;
    let size = match param_name {
        CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR => SUB_GROUP_SIZE,
        CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR => {
            // CL_INVALID_VALUE if param_name requires an input_value and it is NULL, or its size is not that of the input's type.
            fail_if(input_value_size != size_of::<cl_uint>(), CL_INVALID_VALUE)?;
            // SAFETY: NULL, or as many bytes as were just compared.
            let input: In<cl_uint> = unsafe { In::from_c(input_value.as_ptr().cast::<cl_uint>()) };
            input.get().ok_or(CL_INVALID_VALUE)?
        }
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    let there = variants().filter(|_| size == SUB_GROUP_SIZE);
    let words: Vec<cl_uint> = there.filter_map(|variant| record(&variant)).flatten().collect();
    Info::list(&words).answer(param_value_size, param_value, param_value_size_ret)
}

/// A cl_device_cooperative_matrix_variant_khr: sizes, component types, saturation. None of what the draft has no number for.
fn record(variant: &Variant) -> Option<[cl_uint; 8]> {
    let [m, n, k] = variant.sizes;
    let [a, b, c, result] = variant.components.map(|component| component.number());
    Some([m, n, k, a?, b?, c?, result?, variant.saturating.into()])
}
