//! What every kind of object refuses: handles that are none of its kind, queries that nobody knows, and answers that don't fit.

mod answers;

use answers::Answer::{self, Bytes, List, Text};
use answers::{DEVICE, MEMORY, PLATFORM};
use api::cl::*;
use api::command_buffer::{self, mutable, record};
use api::raw::{FromC, In, Out};
use api::{
    context, device, device_info, event, image, kernel, kernel_info, memory, pipe, platform, program, queue, sampler, semaphore, unified,
};
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
    /// What the query knows, by the type of its answer.
    known: &'static [(Answer, &'static [cl_uint])],
}

fn the_device() -> cl_device_id {
    let mut device = null_mut();
    platform::get_device_ids(NONE, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    device
}

fn kinds() -> Vec<Kind> {
    let (mut platform, device) = (null_mut(), the_device());
    platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    // Everything that has a list of properties was given one property.
    let ours = [CL_CONTEXT_PLATFORM as cl_context_properties, platform as cl_context_properties, 0];
    let context = context::create_context(In::from_slice(&ours), 1, In::from_slice(&[device]), None, NONE).unwrap();
    let properties = [CL_QUEUE_PROPERTIES as cl_queue_properties, CL_QUEUE_PROFILING_ENABLE, 0];
    let queue = queue::create_command_queue_with_properties(context, device, In::from_slice(&properties)).unwrap();
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
    let addressed = [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0];
    let buffer = memory::create_buffer_with_properties(context, In::from_slice(&addressed), 0, 64, NONE).unwrap();
    let filter = [
        cl_sampler_properties::from(CL_SAMPLER_FILTER_MODE),
        cl_sampler_properties::from(CL_FILTER_LINEAR),
        0,
    ];
    let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let commands = command_buffer::create_command_buffer(1, In::from_slice(&[queue]), In::from_slice(&flags)).unwrap();
    kernel::set_kernel_arg_svm_pointer(kernel, 0, NONE).unwrap();
    let fields = [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    let (size, mut command) = ([8_usize; 2], null_mut());
    record::command_nd_range_kernel(
        commands,
        NONE,
        In::from_slice(&fields),
        kernel,
        2,
        In::null(),
        In::from_slice(&size),
        In::null(),
        0,
        In::null(),
        Out::null(),
        Out::from_mut(&mut command),
    )
    .unwrap();
    vec![
        Kind {
            name: "platform",
            object: platform,
            invalid: CL_INVALID_PLATFORM,
            manage: &[platform::unload_platform_compiler],
            query: platform::get_platform_info,
            known: PLATFORM,
        },
        Kind {
            name: "device",
            object: device,
            invalid: CL_INVALID_DEVICE,
            manage: &[device::retain_device, device::release_device],
            query: device_info::get_device_info,
            known: DEVICE,
        },
        Kind {
            name: "context",
            object: context,
            invalid: CL_INVALID_CONTEXT,
            manage: &[context::retain_context, context::release_context],
            query: context::get_context_info,
            known: &[
                (Bytes(4), &[CL_CONTEXT_REFERENCE_COUNT, CL_CONTEXT_NUM_DEVICES]),
                (Bytes(8), &[CL_CONTEXT_DEVICES]),
                (Bytes(24), &[CL_CONTEXT_PROPERTIES]),
            ],
        },
        Kind {
            name: "queue",
            object: queue,
            invalid: CL_INVALID_COMMAND_QUEUE,
            manage: &[queue::retain_command_queue, queue::release_command_queue],
            query: queue::get_command_queue_info,
            known: &[
                (Bytes(4), &[CL_QUEUE_REFERENCE_COUNT]),
                (
                    Bytes(8),
                    &[CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_PROPERTIES, CL_QUEUE_DEVICE_DEFAULT],
                ),
                (Bytes(24), &[CL_QUEUE_PROPERTIES_ARRAY]),
            ],
        },
        Kind {
            name: "memory object",
            object: buffer,
            invalid: CL_INVALID_MEM_OBJECT,
            manage: &[memory::retain_mem_object, memory::release_mem_object],
            query: memory::get_mem_object_info,
            known: MEMORY,
        },
        Kind {
            name: "image",
            object: image::create_image_2d(context, 0, In::from_slice(&[format]), 8, 8, 0, NONE).unwrap(),
            invalid: CL_INVALID_MEM_OBJECT,
            manage: &[memory::retain_mem_object, memory::release_mem_object],
            query: image::get_image_info,
            known: &[
                (Bytes(4), &[CL_IMAGE_NUM_MIP_LEVELS, CL_IMAGE_NUM_SAMPLES]),
                (
                    Bytes(8),
                    &[
                        CL_IMAGE_FORMAT,
                        CL_IMAGE_ELEMENT_SIZE,
                        CL_IMAGE_ROW_PITCH,
                        CL_IMAGE_SLICE_PITCH,
                        CL_IMAGE_WIDTH,
                        CL_IMAGE_HEIGHT,
                        CL_IMAGE_DEPTH,
                        CL_IMAGE_ARRAY_SIZE,
                        CL_IMAGE_BUFFER,
                    ],
                ),
            ],
        },
        Kind {
            name: "sampler",
            object: sampler::create_sampler_with_properties(context, In::from_slice(&filter)).unwrap(),
            invalid: CL_INVALID_SAMPLER,
            manage: &[sampler::retain_sampler, sampler::release_sampler],
            query: sampler::get_sampler_info,
            known: &[
                (
                    Bytes(4),
                    &[
                        CL_SAMPLER_REFERENCE_COUNT,
                        CL_SAMPLER_NORMALIZED_COORDS,
                        CL_SAMPLER_ADDRESSING_MODE,
                        CL_SAMPLER_FILTER_MODE,
                        CL_SAMPLER_MIP_FILTER_MODE,
                        CL_SAMPLER_LOD_MIN,
                        CL_SAMPLER_LOD_MAX,
                    ],
                ),
                (Bytes(8), &[CL_SAMPLER_CONTEXT]),
                (Bytes(24), &[CL_SAMPLER_PROPERTIES]),
            ],
        },
        Kind {
            name: "program",
            object: program,
            invalid: CL_INVALID_PROGRAM,
            manage: &[program::retain_program, program::release_program],
            query: program::get_program_info,
            known: &[
                (
                    Bytes(4),
                    &[
                        CL_PROGRAM_REFERENCE_COUNT,
                        CL_PROGRAM_NUM_DEVICES,
                        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
                        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
                    ],
                ),
                (
                    Bytes(8),
                    &[
                        CL_PROGRAM_CONTEXT,
                        CL_PROGRAM_DEVICES,
                        CL_PROGRAM_BINARY_SIZES,
                        CL_PROGRAM_BINARIES,
                        CL_PROGRAM_NUM_KERNELS,
                    ],
                ),
                (List(1), &[CL_PROGRAM_IL]),
                (Text, &[CL_PROGRAM_SOURCE, CL_PROGRAM_KERNEL_NAMES]),
            ],
        },
        Kind {
            name: "kernel",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[kernel::retain_kernel, kernel::release_kernel],
            query: kernel_info::get_kernel_info,
            known: &[
                (Bytes(4), &[CL_KERNEL_NUM_ARGS, CL_KERNEL_REFERENCE_COUNT]),
                (Bytes(8), &[CL_KERNEL_CONTEXT, CL_KERNEL_PROGRAM]),
                (Text, &[CL_KERNEL_FUNCTION_NAME, CL_KERNEL_ATTRIBUTES]),
            ],
        },
        Kind {
            name: "kernel's argument",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[],
            query: |kernel, name, size, value, ret| kernel_info::get_kernel_arg_info(kernel, 0, name, size, value, ret),
            known: &[
                (Bytes(4), &[CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER]),
                (Bytes(8), &[CL_KERNEL_ARG_TYPE_QUALIFIER]),
                (Text, &[CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_NAME]),
            ],
        },
        Kind {
            name: "kernel's work-group",
            object: kernel,
            invalid: CL_INVALID_KERNEL,
            manage: &[],
            query: |kernel, name, size, value, ret| kernel_info::get_kernel_work_group_info(kernel, NONE, name, size, value, ret),
            known: &[
                (
                    Bytes(8),
                    &[
                        CL_KERNEL_WORK_GROUP_SIZE,
                        CL_KERNEL_LOCAL_MEM_SIZE,
                        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                        CL_KERNEL_PRIVATE_MEM_SIZE,
                        CL_KERNEL_SPILL_MEM_SIZE_INTEL,
                    ],
                ),
                (Bytes(24), &[CL_KERNEL_COMPILE_WORK_GROUP_SIZE]),
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
            known: &[(
                Bytes(8),
                &[
                    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                    CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                    CL_KERNEL_MAX_NUM_SUB_GROUPS,
                    CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
                    CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL,
                ],
            )],
        },
        Kind {
            name: "event",
            object: done,
            invalid: CL_INVALID_EVENT,
            manage: &[event::retain_event, event::release_event],
            query: event::get_event_info,
            known: &[
                (
                    Bytes(4),
                    &[CL_EVENT_COMMAND_TYPE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_REFERENCE_COUNT],
                ),
                (Bytes(8), &[CL_EVENT_COMMAND_QUEUE, CL_EVENT_CONTEXT]),
            ],
        },
        Kind {
            name: "event's times",
            object: done,
            invalid: CL_INVALID_EVENT,
            manage: &[],
            query: event::get_event_profiling_info,
            known: &[(
                Bytes(8),
                &[
                    CL_PROFILING_COMMAND_QUEUED,
                    CL_PROFILING_COMMAND_SUBMIT,
                    CL_PROFILING_COMMAND_START,
                    CL_PROFILING_COMMAND_END,
                    CL_PROFILING_COMMAND_COMPLETE,
                ],
            )],
        },
        Kind {
            name: "semaphore",
            object: semaphore::create_semaphore_with_properties(context, In::from_slice(&semaphore)).unwrap(),
            invalid: CL_INVALID_SEMAPHORE_KHR,
            manage: &[semaphore::retain_semaphore, semaphore::release_semaphore],
            query: semaphore::get_semaphore_info,
            known: &[
                (Bytes(4), &[CL_SEMAPHORE_REFERENCE_COUNT_KHR, CL_SEMAPHORE_TYPE_KHR]),
                (
                    Bytes(8),
                    &[
                        CL_SEMAPHORE_CONTEXT_KHR,
                        CL_SEMAPHORE_PAYLOAD_KHR,
                        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                    ],
                ),
                (Bytes(24), &[CL_SEMAPHORE_PROPERTIES_KHR]),
            ],
        },
        Kind {
            name: "command-buffer",
            object: commands,
            invalid: CL_INVALID_COMMAND_BUFFER_KHR,
            manage: &[
                command_buffer::retain_command_buffer,
                command_buffer::release_command_buffer,
                command_buffer::finalize_command_buffer,
            ],
            query: command_buffer::get_command_buffer_info,
            known: &[
                (
                    Bytes(4),
                    &[
                        CL_COMMAND_BUFFER_NUM_QUEUES_KHR,
                        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
                        CL_COMMAND_BUFFER_STATE_KHR,
                    ],
                ),
                (Bytes(8), &[CL_COMMAND_BUFFER_QUEUES_KHR, CL_COMMAND_BUFFER_CONTEXT_KHR]),
                (Bytes(24), &[CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR]),
            ],
        },
        Kind {
            name: "mutable command",
            object: command,
            invalid: CL_INVALID_MUTABLE_COMMAND_KHR,
            manage: &[],
            query: mutable::get_mutable_command_info,
            known: &[
                (Bytes(4), &[CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR]),
                (
                    Bytes(8),
                    &[
                        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR,
                        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
                        CL_MUTABLE_DISPATCH_KERNEL_KHR,
                    ],
                ),
                (Bytes(24), &[CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR]),
                // Two dimensions.
                (
                    Bytes(16),
                    &[
                        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
                        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
                        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
                    ],
                ),
            ],
        },
        Kind {
            name: "program's build",
            object: program,
            invalid: CL_INVALID_PROGRAM,
            manage: &[],
            query: |program, name, size, value, ret| program::get_program_build_info(program, the_device(), name, size, value, ret),
            known: &[
                (Bytes(4), &[CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BINARY_TYPE]),
                (Bytes(8), &[CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE]),
                (Text, &[CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_LOG]),
            ],
        },
        Kind {
            name: "pipe",
            object: pipe::create_pipe(context, 0, 4, 4, In::null()).unwrap(),
            invalid: CL_INVALID_MEM_OBJECT,
            manage: &[],
            query: pipe::get_pipe_info,
            known: &[
                (Bytes(4), &[CL_PIPE_PACKET_SIZE, CL_PIPE_MAX_PACKETS]),
                (List(8), &[CL_PIPE_PROPERTIES]),
            ],
        },
        Kind {
            name: "unified memory",
            object: context,
            invalid: CL_INVALID_CONTEXT,
            manage: &[],
            query: |context, name, size, value, ret| unified::get_mem_alloc_info(context, NONE, name, size, value, ret),
            known: &[
                (Bytes(4), &[CL_MEM_ALLOC_TYPE_INTEL]),
                (
                    Bytes(8),
                    &[
                        CL_MEM_ALLOC_BASE_PTR_INTEL,
                        CL_MEM_ALLOC_SIZE_INTEL,
                        CL_MEM_ALLOC_DEVICE_INTEL,
                        CL_MEM_ALLOC_FLAGS_INTEL,
                    ],
                ),
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
            let result = (kind.query)(handle, kind.known[0].1[0], 0, Out::null(), Out::null());
            assert_eq!(result, Err(kind.invalid), "{name}: a query of {handle:?}");
        }
        for unknown in [0, 1, 0x7777, cl_uint::MAX] {
            let result = (kind.query)(kind.object, unknown, 0, Out::null(), Out::null());
            assert_eq!(result, Err(CL_INVALID_VALUE), "{name}: query {unknown:#x}");
        }
        for &(answer, names) in kind.known {
            for &known in names {
                check_answer(kind, known, answer);
            }
        }
    }
}

/// A query's answer has the size of its type, and goes where there is room for it and nowhere else.
fn check_answer(kind: &Kind, known: cl_uint, answer: Answer) {
    let name = format!("{}: {known:#x}, {answer:?}", kind.name);
    let mut size = 0;
    let asked = (kind.query)(kind.object, known, 0, Out::null(), Out::from_mut(&mut size));
    assert_eq!(asked, Ok(()), "{name}");
    match answer {
        Bytes(bytes) => assert_eq!(size, bytes, "{name}"),
        List(bytes) => assert_eq!(size % bytes, 0, "{name}: {size}"),
        Text => assert!(size > 0, "{name}"),
    }
    // Neither wanted: nothing is wrong.
    assert_eq!((kind.query)(kind.object, known, 0, Out::null(), Out::null()), Ok(()), "{name}");
    // CL_PROGRAM_BINARIES reads pointers there.
    const UNTOUCHED: u8 = 0;
    let mut value = vec![UNTOUCHED; size + 1];
    let mut ask = |room, ret| {
        // SAFETY: a place with at least this room.
        let place = unsafe { Out::from_c(value.as_mut_ptr().cast::<c_void>()) };
        let result = (kind.query)(kind.object, known, room, place, ret);
        (result, value.clone())
    };
    if size > 0 {
        assert_eq!(
            ask(size - 1, Out::null()),
            (Err(CL_INVALID_VALUE), vec![UNTOUCHED; size + 1]),
            "{name}"
        );
    }
    let mut again = 0;
    let (result, value) = ask(size + 1, Out::from_mut(&mut again));
    assert_eq!((result, again, value[size]), (Ok(()), size, UNTOUCHED), "{name}");
    if let Text = answer {
        assert_eq!(value.iter().position(|&byte| byte == 0), Some(size - 1), "{name}");
    }
}
