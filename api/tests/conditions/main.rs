//! Conditions that many pages share: each is tried on every function that has it, and every function is also called with nothing wrong.

mod released;

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write, buffer, map};
use api::{
    command_buffer, context, event, image, kernel, launch, memory, pipe, platform, program, queue, sampler, semaphore, svm, unified,
};
use std::ptr::null_mut;

const NONE: *mut c_void = null_mut();
const ORIGIN: [usize; 3] = [0; 3];
const REGION: [usize; 3] = [4, 4, 1];

/// What commands are given.
#[derive(Clone, Copy)]
struct Given {
    queue: cl_command_queue,
    buffer: cl_mem,
    image: cl_mem,
    kernel: cl_kernel,
    semaphore: cl_semaphore_khr,
    command_buffer: cl_command_buffer_khr,
    blocking: cl_bool,
    /// The wait list.
    count: cl_uint,
    list: In<cl_event>,
    /// Memory of the host.
    host: *mut c_void,
    /// Where the image is mapped.
    mapped: *mut c_void,
}

/// The same, and what it is of.
struct Objects {
    context: cl_context,
    device: cl_device_id,
    program: cl_program,
    given: Given,
}

fn text(text: &std::ffi::CStr) -> In<c_char> {
    // SAFETY: a string, which lives as long as the test's call.
    unsafe { In::from_c(text.as_ptr()) }
}

fn origin() -> In<usize> {
    In::from_slice(&ORIGIN)
}

fn region() -> In<usize> {
    In::from_slice(&REGION)
}

fn image_2d(context: cl_context) -> Result<cl_mem, cl_int> {
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    image::create_image_2d(context, 0, In::from_slice(&[format]), 8, 8, 0, NONE)
}

impl Objects {
    /// Of a context that can be terminated.
    fn new() -> Objects {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let properties = [CL_CONTEXT_TERMINATE_KHR, 1, 0];
        let context = context::create_context(In::from_slice(&properties), 1, In::from_slice(&[device]), None, NONE).unwrap();
        let queue = queue::create_command_queue(context, device, 0).unwrap();
        let source = c"kernel void k() { }";
        let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
        let command_buffer = command_buffer::create_command_buffer(1, In::from_slice(&[queue]), In::null()).unwrap();
        command_buffer::finalize_command_buffer(command_buffer).unwrap();
        let properties = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
        let mut given = Given {
            queue,
            buffer: memory::create_buffer(context, 0, 4096, NONE).unwrap(),
            image: image_2d(context).unwrap(),
            kernel: kernel::create_kernel(program, text(c"k")).unwrap(),
            semaphore: semaphore::create_semaphore_with_properties(context, In::from_slice(&properties)).unwrap(),
            command_buffer,
            blocking: CL_FALSE,
            count: 0,
            list: In::null(),
            host: svm::svm_alloc(context, 0, 4096, 0).unwrap(),
            mapped: NONE,
        };
        given.mapped = map_image(&given).unwrap();
        Objects {
            context,
            device,
            program,
            given,
        }
    }
}

fn map_image(g: &Given) -> Result<*mut c_void, cl_int> {
    let mut pitch = 0;
    let (pitch, slice) = (Out::from_mut(&mut pitch), Out::null());
    image::enqueue_map(
        g.queue,
        g.image,
        g.blocking,
        CL_MAP_READ,
        origin(),
        region(),
        pitch,
        slice,
        g.count,
        g.list,
        Out::null(),
    )
}

/// What a function takes besides a queue and a wait list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    Nothing,
    Buffer,
    Image,
    Kernel,
    Semaphore,
    CommandBuffer,
}

type Call = fn(&Given) -> Result<(), cl_int>;

/// Every function that enqueues a command with a wait list.
#[rustfmt::skip]
const COMMANDS: &[(&str, &[Takes], bool, Call)] = &[
    ("clEnqueueReadBuffer", &[Takes::Buffer], true,
        |g| buffer::enqueue_read_or_write::<Read>(g.queue, g.buffer, g.blocking, 0, 64, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueWriteBuffer", &[Takes::Buffer], true,
        |g| buffer::enqueue_read_or_write::<Write>(g.queue, g.buffer, g.blocking, 0, 64, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueReadBufferRect", &[Takes::Buffer], true,
        |g| buffer::enqueue_read_or_write_rect::<Read>(g.queue, g.buffer, g.blocking, origin(), origin(), region(), 0, 0, 0, 0, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueWriteBufferRect", &[Takes::Buffer], true,
        |g| buffer::enqueue_read_or_write_rect::<Write>(g.queue, g.buffer, g.blocking, origin(), origin(), region(), 0, 0, 0, 0, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueCopyBuffer", &[Takes::Buffer], false,
        |g| buffer::enqueue_copy(g.queue, g.buffer, g.buffer, 0, 64, 64, g.count, g.list, Out::null())),
    ("clEnqueueCopyBufferRect", &[Takes::Buffer], false,
        |g| buffer::enqueue_copy_rect(g.queue, g.buffer, g.buffer, origin(), In::from_slice(&[0, 8, 0]), region(), 8, 0, 8, 0, g.count, g.list, Out::null())),
    ("clEnqueueFillBuffer", &[Takes::Buffer], false,
        |g| buffer::enqueue_fill(g.queue, g.buffer, In::from_slice(&[1]), 1, 0, 64, g.count, g.list, Out::null())),
    ("clEnqueueMapBuffer", &[Takes::Buffer], true,
        |g| map::enqueue_map_buffer(g.queue, g.buffer, g.blocking, CL_MAP_READ, 0, 64, g.count, g.list, Out::null()).map(drop)),
    ("clEnqueueReadImage", &[Takes::Image], true,
        |g| image::enqueue_read_or_write::<Read>(g.queue, g.image, g.blocking, origin(), region(), 0, 0, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueWriteImage", &[Takes::Image], true,
        |g| image::enqueue_read_or_write::<Write>(g.queue, g.image, g.blocking, origin(), region(), 0, 0, HostPointer(g.host.cast()), g.count, g.list, Out::null())),
    ("clEnqueueFillImage", &[Takes::Image], false,
        |g| image::enqueue_fill(g.queue, g.image, In::from_slice(&[0; 16]), origin(), region(), g.count, g.list, Out::null())),
    ("clEnqueueCopyImage", &[Takes::Image], false,
        |g| image::enqueue_copy(g.queue, g.image, g.image, origin(), In::from_slice(&[4, 4, 0]), region(), g.count, g.list, Out::null())),
    ("clEnqueueCopyImageToBuffer", &[Takes::Image, Takes::Buffer], false,
        |g| image::enqueue_copy_image_to_buffer(g.queue, g.image, g.buffer, origin(), region(), 0, g.count, g.list, Out::null())),
    ("clEnqueueCopyBufferToImage", &[Takes::Buffer, Takes::Image], false,
        |g| image::enqueue_copy_buffer_to_image(g.queue, g.buffer, g.image, 0, origin(), region(), g.count, g.list, Out::null())),
    ("clEnqueueMapImage", &[Takes::Image], true, |g| map_image(g).map(drop)),
    ("clEnqueueUnmapMemObject", &[Takes::Image], false,
        |g| map::enqueue_unmap_mem_object(g.queue, g.image, g.mapped, g.count, g.list, Out::null())),
    ("clEnqueueMigrateMemObjects", &[Takes::Buffer], false,
        |g| map::enqueue_migrate_mem_objects(g.queue, 1, In::from_slice(&[g.buffer]), 0, g.count, g.list, Out::null())),
    ("clEnqueueNDRangeKernel", &[Takes::Kernel], false,
        |g| launch::enqueue_nd_range_kernel(g.queue, g.kernel, 1, In::null(), region(), In::null(), g.count, g.list, Out::null())),
    ("clEnqueueTask", &[Takes::Kernel], false,
        |g| launch::enqueue_task(g.queue, g.kernel, g.count, g.list, Out::null())),
    ("clEnqueueNativeKernel", &[Takes::Nothing], false,
        |g| launch::enqueue_native_kernel(g.queue, Some(nothing), In::null(), 0, 0, In::null(), In::null(), g.count, g.list, Out::null())),
    ("clEnqueueMarkerWithWaitList", &[Takes::Nothing], false,
        |g| queue::enqueue_marker_with_wait_list(g.queue, g.count, g.list, Out::null())),
    ("clEnqueueBarrierWithWaitList", &[Takes::Nothing], false,
        |g| queue::enqueue_barrier_with_wait_list(g.queue, g.count, g.list, Out::null())),
    ("clEnqueueSVMFree", &[Takes::Nothing], false,
        |g| svm::enqueue_svm_free(g.queue, 0, In::null(), None, NONE, g.count, g.list, Out::null())),
    ("clEnqueueSVMMemcpy", &[Takes::Nothing], true,
        |g| svm::enqueue_svm_memcpy(g.queue, g.blocking, g.host, g.host.wrapping_byte_add(64), 64, g.count, g.list, Out::null())),
    ("clEnqueueSVMMemFill", &[Takes::Nothing], false,
        |g| svm::enqueue_svm_mem_fill(g.queue, g.host, In::from_slice(&[1]), 1, 64, g.count, g.list, Out::null())),
    ("clEnqueueSVMMap", &[Takes::Nothing], true,
        |g| svm::enqueue_svm_map(g.queue, g.blocking, CL_MAP_READ, g.host, 64, g.count, g.list, Out::null())),
    ("clEnqueueSVMUnmap", &[Takes::Nothing], false,
        |g| svm::enqueue_svm_unmap(g.queue, g.host, g.count, g.list, Out::null())),
    ("clEnqueueSVMMigrateMem", &[Takes::Nothing], false,
        |g| svm::enqueue_svm_migrate_mem(g.queue, 1, In::from_slice(&[g.host.cast_const()]), In::null(), 0, g.count, g.list, Out::null())),
    ("clEnqueueMemFillINTEL", &[Takes::Nothing], false,
        |g| unified::enqueue_mem_fill(g.queue, g.host, In::from_slice(&[1]), 1, 64, g.count, g.list, Out::null())),
    ("clEnqueueMemsetINTEL", &[Takes::Nothing], false,
        |g| unified::enqueue_memset(g.queue, g.host, 1, 64, g.count, g.list, Out::null())),
    ("clEnqueueMemcpyINTEL", &[Takes::Nothing], true,
        |g| unified::enqueue_memcpy(g.queue, g.blocking, g.host, g.host.wrapping_byte_add(64), 64, g.count, g.list, Out::null())),
    ("clEnqueueMigrateMemINTEL", &[Takes::Nothing], false,
        |g| unified::enqueue_migrate_mem(g.queue, g.host, 64, CL_MIGRATE_MEM_OBJECT_HOST, g.count, g.list, Out::null())),
    ("clEnqueueMemAdviseINTEL", &[Takes::Nothing], false,
        |g| unified::enqueue_mem_advise(g.queue, g.host, 64, 0, g.count, g.list, Out::null())),
    ("clEnqueueSignalSemaphoresKHR", &[Takes::Semaphore], false,
        |g| semaphore::enqueue_signal_semaphores(g.queue, 1, In::from_slice(&[g.semaphore]), In::null(), g.count, g.list, Out::null())),
    ("clEnqueueWaitSemaphoresKHR", &[Takes::Semaphore], false,
        |g| semaphore::enqueue_wait_semaphores(g.queue, 1, In::from_slice(&[g.semaphore]), In::null(), g.count, g.list, Out::null())),
    ("clEnqueueCommandBufferKHR", &[Takes::CommandBuffer], false,
        |g| command_buffer::enqueue_command_buffer(1, In::from_slice(&[g.queue]), g.command_buffer, g.count, g.list, Out::null())),
];

unsafe extern "C" fn nothing(_: *mut c_void) {}

impl Given {
    /// Puts something else in the place of an object; gives the error for what is no such object.
    fn replace(&mut self, what: Takes, by: &Given) -> Option<cl_int> {
        match what {
            Takes::Nothing => return None,
            Takes::Buffer => self.buffer = by.buffer,
            Takes::Image => (self.image, self.mapped) = (by.image, by.mapped),
            Takes::Kernel => self.kernel = by.kernel,
            Takes::Semaphore => self.semaphore = by.semaphore,
            Takes::CommandBuffer => self.command_buffer = by.command_buffer,
        }
        Some(match what {
            Takes::Kernel => CL_INVALID_KERNEL,
            Takes::Semaphore => CL_INVALID_SEMAPHORE_KHR,
            Takes::CommandBuffer => CL_INVALID_COMMAND_BUFFER_KHR,
            _ => CL_INVALID_MEM_OBJECT,
        })
    }

    /// Something that is no object of the right kind in every place.
    fn of_garbage(&self, garbage: *mut c_void) -> Given {
        Given {
            buffer: garbage,
            image: garbage,
            kernel: garbage,
            semaphore: garbage,
            command_buffer: garbage,
            ..*self
        }
    }
}

#[test]
fn commands() {
    let (own, foreign) = (Objects::new(), Objects::new());
    let some_memory = 0_u64;
    let garbage = [own.context, NONE, std::ptr::from_ref(&some_memory).cast_mut().cast()];
    let foreign_event = event::create_user_event(foreign.context).unwrap();
    let failed = event::create_user_event(own.context).unwrap();
    event::set_user_event_status(failed, -5).unwrap();
    let (foreign_events, failed_events) = ([foreign_event], [failed]);
    for &(name, takes, can_block, call) in COMMANDS {
        let check = |what: &str, code: cl_int, given: Given| assert_eq!(call(&given), Err(code), "{name}: {what}");
        for wrong in garbage {
            check("no queue", CL_INVALID_COMMAND_QUEUE, Given { queue: wrong, ..own.given });
            let list = [wrong];
            let list = In::from_slice(&list);
            check(
                "no event",
                CL_INVALID_EVENT_WAIT_LIST,
                Given {
                    count: 1,
                    list,
                    ..own.given
                },
            );
            for &what in takes {
                let mut given = own.given;
                if let Some(code) = given.replace(what, &own.given.of_garbage(wrong)) {
                    check("no such object", code, given);
                }
            }
        }
        let list = In::from_slice(&foreign_events);
        check("events without a count", CL_INVALID_EVENT_WAIT_LIST, Given { list, ..own.given });
        check(
            "a count without events",
            CL_INVALID_EVENT_WAIT_LIST,
            Given { count: 1, ..own.given },
        );
        check(
            "an event of another context",
            CL_INVALID_CONTEXT,
            Given {
                count: 1,
                list,
                ..own.given
            },
        );
        for &what in takes {
            let mut given = own.given;
            if given.replace(what, &foreign.given).is_some() {
                check("an object of another context", CL_INVALID_CONTEXT, given);
            }
        }
        if can_block {
            let (count, list) = (1, In::from_slice(&failed_events));
            let given = Given {
                blocking: CL_TRUE,
                count,
                list,
                ..own.given
            };
            check("blocks for what failed", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, given);
            assert_eq!(
                call(&Given {
                    blocking: CL_TRUE,
                    ..own.given
                }),
                Ok(()),
                "{name}, blocking"
            );
        }
        assert_eq!(call(&own.given), Ok(()), "{name}");
        assert_eq!(queue::finish(own.given.queue), Ok(()), "{name}");
    }
    context::terminate_context(own.context).unwrap();
    for &(name, .., call) in COMMANDS {
        assert_eq!(call(&own.given), Err(CL_CONTEXT_TERMINATED_KHR), "{name}");
    }
    event::release_event(failed).unwrap();
}

type CreateIn = fn(cl_context, &Objects) -> Result<*mut c_void, cl_int>;
/// Of an object, or of something that is none.
type CreateOf = fn(Option<*mut c_void>, &Objects) -> Result<(), cl_int>;

/// Every function that creates something in a context.
#[rustfmt::skip]
const IN_CONTEXTS: &[(&str, CreateIn)] = &[
    ("clCreateCommandQueue", |context, own| queue::create_command_queue(context, own.device, 0)),
    ("clCreateCommandQueueWithProperties", |context, own| queue::create_command_queue_with_properties(context, own.device, In::null())),
    ("clCreateBuffer", |context, _| memory::create_buffer(context, 0, 64, NONE)),
    ("clCreateBufferWithProperties", |context, _| memory::create_buffer_with_properties(context, In::null(), 0, 64, NONE)),
    ("clCreateImage2D", |context, _| image_2d(context)),
    ("clCreateImage3D", |context, _| {
        let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
        image::create_image_3d(context, 0, In::from_slice(&[format]), 4, 4, 4, 0, 0, NONE)
    }),
    ("clCreatePipe", |context, _| pipe::create_pipe(context, 0, 4, 4, In::null())),
    ("clCreateSampler", |context, _| sampler::create_sampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST)),
    ("clCreateSamplerWithProperties", |context, _| sampler::create_sampler_with_properties(context, In::null())),
    ("clCreateProgramWithSource", |context, _| program::create_program_with_source(context, 1, In::from_slice(&[c"".as_ptr()]), In::null())),
    ("clCreateProgramWithIL", |context, _| {
        let header: Vec<u8> = [0x0723_0203_u32, 0x10000, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        program::create_program_with_il(context, In::from_slice(&header), header.len())
    }),
    ("clCreateUserEvent", |context, _| event::create_user_event(context)),
    ("clSVMAlloc", |context, _| svm::svm_alloc(context, 0, 64, 0)),
    ("clHostMemAllocINTEL", |context, _| unified::host_mem_alloc(context, In::null(), 64, 0)),
    ("clDeviceMemAllocINTEL", |context, own| unified::device_mem_alloc(context, own.device, In::null(), 64, 0)),
    ("clSharedMemAllocINTEL", |context, own| unified::shared_mem_alloc(context, own.device, In::null(), 64, 0)),
    ("clCreateSemaphoreWithPropertiesKHR", |context, _| {
        let properties = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
        semaphore::create_semaphore_with_properties(context, In::from_slice(&properties))
    }),
];

/// Every function that creates something of another object.
#[rustfmt::skip]
const OF_OBJECTS: &[(&str, cl_int, CreateOf)] = &[
    ("clCreateSubBuffer", CL_INVALID_MEM_OBJECT, |wrong, own| {
        let part: [usize; 2] = [0, 64];
        // SAFETY: a region of two sizes.
        let part = unsafe { In::from_c(part.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(wrong.unwrap_or(own.given.buffer), 0, CL_BUFFER_CREATE_TYPE_REGION, part).map(drop)
    }),
    ("clCreateKernel", CL_INVALID_PROGRAM, |wrong, own| kernel::create_kernel(wrong.unwrap_or(own.program), text(c"k")).map(drop)),
    ("clCreateKernelsInProgram", CL_INVALID_PROGRAM, |wrong, own| {
        kernel::create_kernels_in_program(wrong.unwrap_or(own.program), 0, Out::null(), Out::from_mut(&mut 0))
    }),
    ("clCloneKernel", CL_INVALID_KERNEL, |wrong, own| kernel::clone_kernel(wrong.unwrap_or(own.given.kernel)).map(drop)),
    ("clCreateCommandBufferKHR", CL_INVALID_COMMAND_QUEUE, |wrong, own| {
        command_buffer::create_command_buffer(1, In::from_slice(&[wrong.unwrap_or(own.given.queue)]), In::null()).map(drop)
    }),
];

#[test]
fn creation() {
    let own = Objects::new();
    for (name, create) in IN_CONTEXTS {
        for wrong in [NONE, own.device, own.given.buffer] {
            assert_eq!(create(wrong, &own).err(), Some(CL_INVALID_CONTEXT), "{name}");
        }
        assert!(create(own.context, &own).is_ok(), "{name}");
    }
    for (name, code, create) in OF_OBJECTS {
        for wrong in [NONE, own.device, own.context] {
            assert_eq!(create(Some(wrong), &own), Err(*code), "{name}");
        }
        assert_eq!(create(None, &own), Ok(()), "{name}");
    }
    context::terminate_context(own.context).unwrap();
    for (name, create) in IN_CONTEXTS {
        assert_eq!(create(own.context, &own).err(), Some(CL_CONTEXT_TERMINATED_KHR), "{name}");
    }
    for (name, _, create) in OF_OBJECTS {
        assert_eq!(create(None, &own), Err(CL_CONTEXT_TERMINATED_KHR), "{name}");
    }
}
