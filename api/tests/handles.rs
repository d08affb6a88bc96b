//! What every kind of object refuses: handles that are none of its kind, queries that nobody knows, and answers that don't fit.

use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{command_buffer, context, device, event, image, kernel, kernel_info, memory, platform, program, queue, sampler, semaphore};
use std::ptr::null_mut;

const NONE: *mut c_void = null_mut();

type Manage = fn(*mut c_void) -> Result<(), cl_int>;
type Query = fn(*mut c_void, cl_uint, usize, Out<c_void>, Out<usize>) -> Result<(), cl_int>;

/// A kind of object: an object of it, the error for what is none, and its functions.
struct Kind {
    name: &'static str,
    object: *mut c_void,
    invalid: cl_int,
    manage: &'static [Manage],
    query: Query,
    /// What the query knows, each answered by at least four bytes.
    known: &'static [cl_uint],
}

fn kinds() -> Vec<Kind> {
    let (mut platform, mut device) = (null_mut(), null_mut());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
    let queue = queue::create_command_queue(context, device, CL_QUEUE_PROFILING_ENABLE).unwrap();
    let source = c"kernel void increment(global int *a) { a[0] += 1; }";
    let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    // SAFETY: strings, which live as long as the calls.
    let (options, name) = unsafe { (In::from_c(c"-cl-kernel-arg-info".as_ptr()), In::from_c(c"increment".as_ptr())) };
    program::build_program(program, 0, In::null(), options, None, NONE).unwrap();
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    let mut done = null_mut();
    queue::enqueue_marker(queue, Out::from_mut(&mut done)).unwrap();
    queue::finish(queue).unwrap();
    let semaphore = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
    let kernel = kernel::create_kernel(program, name).unwrap();
    vec![
        Kind {
            name: "platform",
            object: platform,
            invalid: CL_INVALID_PLATFORM,
            manage: &[platform::unload_platform_compiler],
            query: platform::get_platform_info,
            known: &[
                CL_PLATFORM_NAME,
                CL_PLATFORM_VERSION,
                CL_PLATFORM_PROFILE,
                CL_PLATFORM_NUMERIC_VERSION,
                CL_PLATFORM_HOST_TIMER_RESOLUTION,
            ],
        },
        Kind {
            name: "device",
            object: device,
            invalid: CL_INVALID_DEVICE,
            manage: &[device::retain_device, device::release_device],
            query: device::get_device_info,
            known: &[
                CL_DEVICE_TYPE,
                CL_DEVICE_NAME,
                CL_DEVICE_MAX_WORK_ITEM_SIZES,
                CL_DEVICE_PLATFORM,
                CL_DEVICE_NUMERIC_VERSION,
            ],
        },
        Kind {
            name: "context",
            object: context,
            invalid: CL_INVALID_CONTEXT,
            manage: &[context::retain_context, context::release_context],
            query: context::get_context_info,
            known: &[CL_CONTEXT_REFERENCE_COUNT, CL_CONTEXT_NUM_DEVICES, CL_CONTEXT_DEVICES],
        },
        Kind {
            name: "queue",
            object: queue,
            invalid: CL_INVALID_COMMAND_QUEUE,
            manage: &[queue::retain_command_queue, queue::release_command_queue],
            query: queue::get_command_queue_info,
            known: &[
                CL_QUEUE_CONTEXT,
                CL_QUEUE_DEVICE,
                CL_QUEUE_REFERENCE_COUNT,
                CL_QUEUE_PROPERTIES,
                CL_QUEUE_DEVICE_DEFAULT,
            ],
        },
        Kind {
            name: "memory object",
            object: memory::create_buffer(context, 0, 64, NONE).unwrap(),
            invalid: CL_INVALID_MEM_OBJECT,
            manage: &[memory::retain_mem_object, memory::release_mem_object],
            query: memory::get_mem_object_info,
            known: &[
                CL_MEM_TYPE,
                CL_MEM_FLAGS,
                CL_MEM_SIZE,
                CL_MEM_MAP_COUNT,
                CL_MEM_CONTEXT,
                CL_MEM_OFFSET,
                CL_MEM_USES_SVM_POINTER,
            ],
        },
        Kind {
            name: "image",
            object: image::create_image_2d(context, 0, In::from_slice(&[format]), 8, 8, 0, NONE).unwrap(),
            invalid: CL_INVALID_MEM_OBJECT,
            manage: &[memory::retain_mem_object, memory::release_mem_object],
            query: image::get_image_info,
            known: &[
                CL_IMAGE_FORMAT,
                CL_IMAGE_ELEMENT_SIZE,
                CL_IMAGE_ROW_PITCH,
                CL_IMAGE_WIDTH,
                CL_IMAGE_NUM_SAMPLES,
            ],
        },
        Kind {
            name: "sampler",
            object: sampler::create_sampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST).unwrap(),
            invalid: CL_INVALID_SAMPLER,
            manage: &[sampler::retain_sampler, sampler::release_sampler],
            query: sampler::get_sampler_info,
            known: &[CL_SAMPLER_REFERENCE_COUNT, CL_SAMPLER_CONTEXT, CL_SAMPLER_FILTER_MODE],
        },
        Kind {
            name: "program",
            object: program,
            invalid: CL_INVALID_PROGRAM,
            manage: &[program::retain_program, program::release_program],
            query: program::get_program_info,
            known: &[
                CL_PROGRAM_CONTEXT,
                CL_PROGRAM_DEVICES,
                CL_PROGRAM_SOURCE,
                CL_PROGRAM_BINARY_SIZES,
                CL_PROGRAM_BINARIES,
                CL_PROGRAM_NUM_KERNELS,
            ],
        },
        Kind {
            name: "kernel",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[kernel::retain_kernel, kernel::release_kernel],
            query: kernel_info::get_kernel_info,
            known: &[CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_CONTEXT, CL_KERNEL_PROGRAM],
        },
        Kind {
            name: "kernel's argument",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[],
            query: |kernel, name, size, value, ret| kernel_info::get_kernel_arg_info(kernel, 0, name, size, value, ret),
            known: &[
                CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                CL_KERNEL_ARG_TYPE_NAME,
                CL_KERNEL_ARG_TYPE_QUALIFIER,
            ],
        },
        Kind {
            name: "kernel's work-group",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[],
            query: |kernel, name, size, value, ret| kernel_info::get_kernel_work_group_info(kernel, NONE, name, size, value, ret),
            known: &[
                CL_KERNEL_WORK_GROUP_SIZE,
                CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                CL_KERNEL_LOCAL_MEM_SIZE,
                CL_KERNEL_PRIVATE_MEM_SIZE,
            ],
        },
        Kind {
            name: "kernel's sub-groups",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[],
            query: |kernel, name, size, value, ret| {
                let local = [8_usize; 3];
                // SAFETY: three sizes.
                let input = unsafe { In::from_c(local.as_ptr().cast::<c_void>()) };
                kernel_info::get_kernel_sub_group_info(kernel, NONE, name, 8, input, size, value, ret)
            },
            known: &[
                CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                CL_KERNEL_MAX_NUM_SUB_GROUPS,
                CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
            ],
        },
        Kind {
            name: "event",
            object: done,
            invalid: CL_INVALID_EVENT,
            manage: &[event::retain_event, event::release_event],
            query: event::get_event_info,
            known: &[
                CL_EVENT_COMMAND_QUEUE,
                CL_EVENT_CONTEXT,
                CL_EVENT_COMMAND_TYPE,
                CL_EVENT_COMMAND_EXECUTION_STATUS,
            ],
        },
        Kind {
            name: "event's times",
            object: done,
            invalid: CL_INVALID_EVENT,
            manage: &[],
            query: event::get_event_profiling_info,
            known: &[
                CL_PROFILING_COMMAND_QUEUED,
                CL_PROFILING_COMMAND_START,
                CL_PROFILING_COMMAND_COMPLETE,
            ],
        },
        Kind {
            name: "semaphore",
            object: semaphore::create_semaphore_with_properties(context, In::from_slice(&semaphore)).unwrap(),
            invalid: CL_INVALID_SEMAPHORE_KHR,
            manage: &[semaphore::retain_semaphore, semaphore::release_semaphore],
            query: semaphore::get_semaphore_info,
            known: &[
                CL_SEMAPHORE_CONTEXT_KHR,
                CL_SEMAPHORE_TYPE_KHR,
                CL_SEMAPHORE_PAYLOAD_KHR,
                CL_SEMAPHORE_PROPERTIES_KHR,
            ],
        },
        Kind {
            name: "command-buffer",
            object: command_buffer::create_command_buffer(1, In::from_slice(&[queue]), In::null()).unwrap(),
            invalid: CL_INVALID_COMMAND_BUFFER_KHR,
            manage: &[
                command_buffer::retain_command_buffer,
                command_buffer::release_command_buffer,
                command_buffer::finalize_command_buffer,
            ],
            query: command_buffer::get_command_buffer_info,
            known: &[
                CL_COMMAND_BUFFER_QUEUES_KHR,
                CL_COMMAND_BUFFER_STATE_KHR,
                CL_COMMAND_BUFFER_CONTEXT_KHR,
            ],
        },
    ]
}

#[test]
fn every_kind_of_object() {
    let kinds = kinds();
    let some_memory = [0x0123_4567_89ab_cdef_u64; 32];
    let memory = std::ptr::from_ref(&some_memory).cast_mut().cast::<c_void>();
    for kind in &kinds {
        let name = kind.name;
        let mut wrong = vec![memory, kind.object.wrapping_byte_add(8), kind.object.wrapping_byte_add(1 << 20)];
        // A platform may be NULL.
        if kind.invalid != CL_INVALID_PLATFORM {
            wrong.push(NONE);
        }
        wrong.extend(kinds.iter().filter(|other| other.invalid != kind.invalid).map(|other| other.object));
        for handle in wrong {
            for (index, manage) in kind.manage.iter().enumerate() {
                assert_eq!(manage(handle), Err(kind.invalid), "{name}: function {index} of {handle:?}");
            }
            let result = (kind.query)(handle, kind.known[0], 0, Out::null(), Out::null());
            assert_eq!(result, Err(kind.invalid), "{name}: a query of {handle:?}");
        }
        for unknown in [0, 1, 0x7777, cl_uint::MAX] {
            let result = (kind.query)(kind.object, unknown, 0, Out::null(), Out::null());
            assert_eq!(result, Err(CL_INVALID_VALUE), "{name}: query {unknown:#x}");
        }
        for &known in kind.known {
            let (mut size, mut value) = (0, [0_u8; 3]);
            assert_eq!(
                (kind.query)(kind.object, known, 0, Out::null(), Out::from_mut(&mut size)),
                Ok(()),
                "{name}: {known:#x}"
            );
            assert!(size >= 4, "{name}: {known:#x} has {size} bytes");
            // SAFETY: a valid place.
            let place = unsafe { Out::from_c(value.as_mut_ptr().cast::<c_void>()) };
            let result = (kind.query)(kind.object, known, 3, place, Out::null());
            assert_eq!((result, value), (Err(CL_INVALID_VALUE), [0; 3]), "{name}: {known:#x} in 3 bytes");
            // Neither wanted: nothing is wrong.
            assert_eq!(
                (kind.query)(kind.object, known, 0, Out::null(), Out::null()),
                Ok(()),
                "{name}: {known:#x}"
            );
        }
    }
}
