//! Kernel queries: §5.9.4.

use crate::cl::*;
use crate::device::Device;
use crate::environment::{self, Features, has_feature};
use crate::error::{Result, fail_if};
use crate::handle::{Borrowed, Object, lookup};
use crate::info::Info;
use crate::kernel::{Kernel, Value};
use crate::raw::{FromC, In, Out};
use compiler::{ArgumentInfo, ArgumentKind};
use core::ffi::c_void;
use std::sync::Arc;
use vendors::limits;

/// clGetKernelInfo
pub fn get_kernel_info(
    kernel: cl_kernel,
    param_name: cl_kernel_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is a not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    let info = match param_name {
        CL_KERNEL_FUNCTION_NAME => Info::text(&kernel.info().name),
        CL_KERNEL_NUM_ARGS => Info::of(kernel.info().arguments.len() as cl_uint),
        CL_KERNEL_REFERENCE_COUNT => Info::of(kernel.handle().references()),
        CL_KERNEL_CONTEXT => Info::of(kernel.context().id()),
        CL_KERNEL_PROGRAM => Info::of(kernel.program.id()),
        CL_KERNEL_ATTRIBUTES => Info::text(&kernel.info().attributes),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clGetKernelArgInfo
pub fn get_kernel_arg_info(
    kernel: cl_kernel,
    arg_index: cl_uint,
    param_name: cl_kernel_arg_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is a not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    // CL_INVALID_ARG_INDEX if arg_index is not a valid argument index.
    let argument = kernel.info().arguments.get(arg_index as usize).ok_or(CL_INVALID_ARG_INDEX)?;
    // CL_KERNEL_ARG_INFO_NOT_AVAILABLE if the argument information is not available for kernel. That a program was built without
    // -cl-kernel-arg-info does not mean that nothing is known: some of it is the argument's type, and a source can be asked.
    let declared = || -> Result<ArgumentInfo> {
        if kernel.info().has_argument_info {
            return Ok(argument.clone());
        }
        let arguments = kernel.program.described_arguments(&kernel.info().name);
        let described = arguments.and_then(|arguments| arguments.get(arg_index as usize).cloned());
        described.ok_or(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
    };
    let info = match param_name {
        CL_KERNEL_ARG_ADDRESS_QUALIFIER => Info::of(address_qualifier(argument)),
        CL_KERNEL_ARG_ACCESS_QUALIFIER => Info::of(access_qualifier(argument)),
        CL_KERNEL_ARG_TYPE_NAME => Info::text(&declared()?.type_name),
        CL_KERNEL_ARG_TYPE_QUALIFIER => Info::of(type_qualifier(&declared()?)),
        CL_KERNEL_ARG_NAME if !argument.name.is_empty() => Info::text(&argument.name),
        CL_KERNEL_ARG_NAME => Info::text(&declared()?.name),
        // CL_INVALID_VALUE if param_name is not valid.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

fn address_qualifier(argument: &ArgumentInfo) -> cl_kernel_arg_address_qualifier {
    match argument.kind {
        ArgumentKind::GlobalPointer { constant: true } => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgumentKind::GlobalPointer { .. } | ArgumentKind::Image { .. } | ArgumentKind::Pipe => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgumentKind::LocalPointer => CL_KERNEL_ARG_ADDRESS_LOCAL,
        ArgumentKind::Value | ArgumentKind::Sampler | ArgumentKind::Queue => CL_KERNEL_ARG_ADDRESS_PRIVATE,
    }
}

fn access_qualifier(argument: &ArgumentInfo) -> cl_kernel_arg_access_qualifier {
    match argument.kind {
        ArgumentKind::Image {
            read: true, write: true, ..
        } => CL_KERNEL_ARG_ACCESS_READ_WRITE,
        ArgumentKind::Image { write: true, .. } => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        ArgumentKind::Image { .. } => CL_KERNEL_ARG_ACCESS_READ_ONLY,
        _ => CL_KERNEL_ARG_ACCESS_NONE,
    }
}

/// A bit-field of 64 bits (the crate of constants has a narrower type by mistake).
fn type_qualifier(argument: &ArgumentInfo) -> cl_bitfield {
    let qualifiers = argument.qualifiers;
    [
        (qualifiers.is_const, CL_KERNEL_ARG_TYPE_CONST),
        (qualifiers.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT),
        (qualifiers.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE),
        (qualifiers.is_pipe, CL_KERNEL_ARG_TYPE_PIPE),
    ]
    .into_iter()
    .filter_map(|(set, bit)| set.then_some(bit))
    .fold(CL_KERNEL_ARG_TYPE_NONE, |all, bit| all | bit)
}

/// The kernel and device of a query. "If there is only one device associated with kernel, device can be a NULL value."
fn kernel_and_device(kernel: cl_kernel, device: cl_device_id) -> Result<(Borrowed<Kernel>, Arc<Device>)> {
    // CL_INVALID_KERNEL if kernel is a not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    let devices = &kernel.program.devices;
    // CL_INVALID_DEVICE if device is not in the list of devices associated with kernel or if device is NULL but there is more than one
    // device associated with kernel.
    let device = match (device.is_null(), devices.as_slice()) {
        (true, [only]) => only.clone(),
        (true, _) => return Err(CL_INVALID_DEVICE),
        (false, _) => lookup::<Device>(device)?.clone(),
    };
    fail_if(!devices.iter().any(|own| Arc::ptr_eq(own, &device)), CL_INVALID_DEVICE)?;
    Ok((kernel, device))
}

/// clGetKernelWorkGroupInfo
pub fn get_kernel_work_group_info(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_work_group_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    let (kernel, _) = kernel_and_device(kernel, device)?;
    let info = match param_name {
        CL_KERNEL_WORK_GROUP_SIZE => Info::of(kernel.code.max_work_group_size() as usize),
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE => Info::of(kernel.info().required_local_size.unwrap_or_default().map(|size| size as usize)),
        CL_KERNEL_LOCAL_MEM_SIZE => Info::of::<cl_ulong>(kernel.info().local_bytes + local_arguments(&kernel)),
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::of(kernel.code.preferred_multiple() as usize),
        CL_KERNEL_PRIVATE_MEM_SIZE => Info::of::<cl_ulong>(kernel.info().private_bytes),
        CL_KERNEL_SPILL_MEM_SIZE_INTEL if environment::has("cl_intel_required_subgroup_size") => Info::of::<cl_ulong>(0),
        // CL_INVALID_VALUE if param_name is CL_KERNEL_GLOBAL_WORK_SIZE and device is not a custom device and kernel is not a built-in
        // kernel; or if param_name is not valid.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// Bytes of local memory that arguments have asked for so far.
fn local_arguments(kernel: &Kernel) -> cl_ulong {
    let arguments = kernel.arguments.lock();
    arguments
        .values
        .iter()
        .map(|value| if let Value::Local(bytes) = value { *bytes } else { 0 })
        .sum()
}

/// clGetKernelSubGroupInfo
pub fn get_kernel_sub_group_info(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_sub_group_info,
    input_value_size: usize,
    input_value: In<c_void>,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    let (kernel, _) = kernel_and_device(kernel, device)?;
    // CL_INVALID_OPERATION if device does not support sub-groups.
    fail_if(!has_feature(Features::SUB_GROUPS), CL_INVALID_OPERATION)?;
    // SAFETY: NULL, or `input_value_size` bytes, which the queries read as an array of sizes.
    let input: In<usize> = unsafe { In::from_c(input_value.as_ptr().cast::<usize>()) };
    // CL_INVALID_VALUE if param_name takes an input and its size is not that of the type, or input_value is NULL.
    let sizes = |most: usize| -> Result<Vec<usize>> {
        let count = input_value_size / size_of::<usize>();
        fail_if(
            !input_value_size.is_multiple_of(size_of::<usize>()) || !(1..=most).contains(&count),
            CL_INVALID_VALUE,
        )?;
        Ok(input.list(count).ok_or(CL_INVALID_VALUE)?.to_vec())
    };
    let width = |local: [u64; 3]| u64::from(kernel.code.gang_width(local));
    let info = match param_name {
        // No work-group has a size that is none: it has no sub-groups.
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => Info::of(local_size(&sizes(3)?).map_or(0, |local| width(local) as usize)),
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => Info::of(local_size(&sizes(3)?).map_or(0, |local| {
            let items = local.iter().product::<u64>();
            items.div_ceil(width(local)) as usize
        })),
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let count = sizes(1)?[0];
            let dimensions = param_value_size / size_of::<usize>();
            // CL_INVALID_VALUE: the answer is an array of one to three sizes.
            fail_if(!param_value.is_null() && !(1..=3).contains(&dimensions), CL_INVALID_VALUE)?;
            let local = local_size_for(&kernel, count);
            Info::list(&local[..if param_value.is_null() { 3 } else { dimensions }])
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => Info::of(kernel.code.max_sub_groups() as usize),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => Info::of(kernel.info().sub_groups_per_group.unwrap_or(0) as usize),
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL if environment::has("cl_intel_required_subgroup_size") => {
            Info::of(kernel.info().required_sub_group_size.unwrap_or(0) as usize)
        }
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// A local size that some work-group may have.
fn local_size(sizes: &[usize]) -> Option<[u64; 3]> {
    let items = sizes.iter().try_fold(1_usize, |items, &size| items.checked_mul(size))?;
    let possible = (1..=limits::WORK_GROUP_SIZE).contains(&items);
    possible.then(|| core::array::from_fn(|i| sizes.get(i).map_or(1, |&size| size as u64)))
}

/// A one-dimensional local size that makes so many sub-groups; zeros if there is none.
pub fn local_size_for(kernel: &Kernel, count: usize) -> [usize; 3] {
    let width = kernel.code.preferred_multiple() as usize;
    let fits = |size: usize| {
        let local = [size as u64, 1, 1];
        let matches_required = kernel.info().required_local_size.is_none_or(|required| required == local);
        let groups = local[0].div_ceil(u64::from(kernel.code.gang_width(local)));
        size != 0 && size as u64 <= kernel.code.max_work_group_size() && matches_required && groups == count as u64
    };
    match count.checked_mul(width) {
        Some(size) if fits(size) => [size, 1, 1],
        _ => [0; 3],
    }
}
