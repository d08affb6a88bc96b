//! Types of shared virtual memory, and allocations of a type: cl_khr_unified_svm 0.9.0, an experimental extension. As all memory is the host's, the types
//! differ in what they say of themselves.

use crate::allocations::SharedKind;
use crate::cl::*;
use crate::context::{self, Context};
use crate::device::Device;
use crate::environment;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::info::Info;
use crate::machine;
use crate::raw::{In, Out};
use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Arc;

/// The extension's name.
pub const NAME: &str = "cl_khr_unified_svm";

const DEVICE: cl_bitfield = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
    | CL_SVM_CAPABILITY_DEVICE_READ_KHR
    | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
    | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
    | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
const HOST: cl_bitfield = CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR;
const CONCURRENT: cl_bitfield = CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;
const ANYWHERE: cl_bitfield = CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR;

/// CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: coarse-grain and fine-grain buffers, device, host, what one device
/// shares with the host, and what the system allocates.
pub const TYPES: [cl_bitfield; 6] = [
    DEVICE | ANYWHERE | CL_SVM_CAPABILITY_HOST_MAP_KHR,
    DEVICE | ANYWHERE | CL_SVM_CAPABILITY_HOST_MAP_KHR | HOST | CONCURRENT,
    DEVICE | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR,
    DEVICE | ANYWHERE | CL_SVM_CAPABILITY_HOST_OWNED_KHR | HOST | CONCURRENT,
    DEVICE | HOST | CONCURRENT,
    DEVICE | ANYWHERE | CL_SVM_CAPABILITY_HOST_MAP_KHR | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR | HOST | CONCURRENT,
];

/// Is the extension there?
pub fn is_there() -> bool {
    environment::has(NAME)
}

/// CL_INVALID_OPERATION if it is not. Its functions can be had from a driver without it only by whoever knows their addresses.
fn check_support() -> Result<()> {
    fail_if(!is_there(), CL_INVALID_OPERATION)
}

/// What a property list of clSVMAllocWithPropertiesKHR asks for.
struct Asked {
    list: Vec<cl_properties>,
    device: Option<Arc<Device>>,
    flags: cl_bitfield,
    alignment: usize,
}

impl Asked {
    fn new(context: &Context, properties: In<cl_properties>) -> Result<Asked> {
        // CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name, if the value specified for a
        // supported property name is not valid, or if the same property name is specified more than once
        let known = [
            (CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, !0),
            (CL_SVM_ALLOC_ACCESS_FLAGS_KHR, CL_SVM_ALLOC_ACCESS_ALL_KHR),
            (CL_SVM_ALLOC_ALIGNMENT_KHR, !0),
        ];
        let fields = properties.bit_fields(&known, CL_INVALID_PROPERTY)?;
        let [device, flags, alignment] = [0, 1, 2].map(|place| fields.values[place].unwrap_or(0));
        let device = match device {
            0 => None,
            handle => Some(
                lookup::<Device>(handle as usize as cl_device_id)
                    .map_err(|_| CL_INVALID_PROPERTY)?
                    .clone(),
            ),
        };
        fail_if(device.as_ref().is_some_and(|device| !context.has(device)), CL_INVALID_PROPERTY)?;
        // The alignment must be a power of two and must be equal to or smaller than the size of the largest data type
        fail_if(
            alignment != 0 && (!alignment.is_power_of_two() || alignment > machine::MEMORY_ALIGNMENT as cl_properties),
            CL_INVALID_PROPERTY,
        )?;
        Ok(Asked {
            list: fields.list,
            device,
            flags,
            alignment: alignment as usize,
        })
    }

    /// The associated device handle property is required unless the specified SVM type contains CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR.
    fn suits(&self, capabilities: cl_bitfield) -> bool {
        self.device.is_some() || capabilities & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0
    }
}

/// clSVMAllocWithPropertiesKHR
pub fn svm_alloc_with_properties(
    context: cl_context,
    properties: In<cl_properties>,
    svm_type_index: cl_uint,
    size: usize,
) -> Result<*mut c_void> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context
    let context = context::alive(context)?;
    // CL_INVALID_OPERATION if no devices in context support the SVM type specified by svm_type_index
    check_support()?;
    let asked = Asked::new(&context, properties)?;
    // CL_INVALID_VALUE if svm_type_index is greater than the number of SVM types supported by the devices in context
    let capabilities = *TYPES.get(svm_type_index as usize).ok_or(CL_INVALID_VALUE)?;
    fail_if(!asked.suits(capabilities), CL_INVALID_PROPERTY)?;
    // When size is zero, clSVMAllocWithPropertiesKHR must return a NULL pointer and must not generate an error.
    if size == 0 {
        return Ok(null_mut());
    }
    // CL_OUT_OF_RESOURCES if there is a failure to allocate resources
    fail_if(size as u64 > machine::max_allocation_bytes(), CL_OUT_OF_RESOURCES)?;
    let kind = SharedKind::Typed {
        index: svm_type_index,
        properties: asked.list,
        device: asked.device,
        flags: asked.flags,
    };
    context.svm.allocate(size, asked.alignment, kind).map_err(|_| CL_OUT_OF_RESOURCES)
}

/// clSVMFreeWithPropertiesKHR
pub fn svm_free_with_properties(context: cl_context, properties: In<cl_properties>, flags: cl_bitfield, ptr: *mut c_void) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context
    let context = lookup::<Context>(context)?;
    check_support()?;
    // CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name: there are none.
    properties.bit_fields(&[], CL_INVALID_PROPERTY)?;
    // CL_INVALID_VALUE if flags contains an invalid SVM free flag: there are none;
    fail_if(flags != 0, CL_INVALID_VALUE)?;
    // if ptr is not a value returned by clSVMAlloc, clSVMAllocWithPropertiesKHR, or a NULL pointer
    fail_if(!ptr.is_null() && !context.svm.free(ptr, SharedKind::is_svm), CL_INVALID_VALUE)
}

/// clGetSVMPointerInfoKHR
pub fn get_svm_pointer_info(
    context: cl_context,
    device: cl_device_id,
    ptr: *const c_void,
    param_name: cl_uint,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context
    let context = lookup::<Context>(context)?;
    check_support()?;
    // CL_INVALID_DEVICE if device is not a valid device, or is not associated with context
    if !device.is_null() {
        let device = lookup::<Device>(device)?;
        fail_if(!context.has(&device), CL_INVALID_DEVICE)?;
    }
    let found = context.svm.find(ptr.cast()).filter(|found| found.kind.is_svm());
    let index = found.as_ref().and_then(|found| found.kind.svm_type());
    let (properties, associated, flags): (&[cl_properties], _, _) = match found.as_ref().map(|found| &found.kind) {
        Some(SharedKind::Typed {
            properties, device, flags, ..
        }) => (properties, device.as_ref(), *flags),
        _ => (&[], None, 0),
    };
    let info = match param_name {
        CL_SVM_INFO_TYPE_INDEX_KHR => Info::of(index.unwrap_or(cl_uint::MAX)),
        CL_SVM_INFO_CAPABILITIES_KHR => Info::of(index.map_or(0, |index| TYPES[index as usize])),
        CL_SVM_INFO_PROPERTIES_KHR => Info::list(properties),
        CL_SVM_INFO_ACCESS_FLAGS_KHR => Info::of(flags),
        CL_SVM_INFO_BASE_PTR_KHR => Info::of(found.as_ref().map_or(0, |found| found.start)),
        CL_SVM_INFO_SIZE_KHR => Info::of(found.as_ref().map_or(0, |found| found.bytes)),
        CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => Info::of(associated.map_or(null_mut(), |device| device.id())),
        // CL_INVALID_VALUE if param_name is not one of the supported values
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clGetSVMSuggestedTypeIndexKHR: of the types that have what is required, the one with most of what is desired.
pub fn get_svm_suggested_type_index(
    context: cl_context,
    required_capabilities: cl_bitfield,
    desired_capabilities: cl_bitfield,
    properties: In<cl_properties>,
    size: usize,
    suggested_svm_type_index: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context
    let context = lookup::<Context>(context)?;
    check_support()?;
    Asked::new(&context, properties)?;
    // CL_INVALID_VALUE if suggested_svm_type_index is NULL
    fail_if(suggested_svm_type_index.is_null(), CL_INVALID_VALUE)?;
    let fits = |capabilities: cl_bitfield| {
        capabilities & required_capabilities == required_capabilities && size as u64 <= machine::max_allocation_bytes()
    };
    // Of equals, the first.
    let suggested = (0..)
        .zip(TYPES)
        .filter(|&(_, capabilities)| fits(capabilities))
        .min_by_key(|&(_, capabilities)| (desired_capabilities & !capabilities).count_ones());
    suggested_svm_type_index.write(suggested.map_or(cl_uint::MAX, |(index, _)| index));
    Ok(())
}

/// May a pointer be mapped? All may but those of a type that says otherwise.
pub fn can_be_mapped(context: &Context, pointer: *const c_void) -> bool {
    let found = context.svm.find(pointer.cast());
    let index = found.and_then(|found| match found.kind {
        SharedKind::Typed { index, .. } => Some(index),
        _ => None,
    });
    index.is_none_or(|index| TYPES[index as usize] & CL_SVM_CAPABILITY_HOST_MAP_KHR != 0)
}
