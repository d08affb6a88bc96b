//! What the entry points refuse, page by page, in the pages' order of conditions. (Commands' and images' pages have tests of their own.)

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write, buffer, map};
use api::{context, device, event, kernel, kernel_info, memory, pipe, platform, program, queue, sampler, semaphore, svm, unified};
use std::ptr::null_mut;

struct Fixture {
    platform: cl_platform_id,
    device: cl_device_id,
    context: cl_context,
    other_context: cl_context,
    queue: cl_command_queue,
}

const NONE: *mut c_void = null_mut();

fn text(text: &std::ffi::CStr) -> In<c_char> {
    // SAFETY: a string, which lives as long as the test's call.
    unsafe { In::from_c(text.as_ptr()) }
}

fn out<T>(place: &mut T) -> Out<c_void> {
    // SAFETY: a valid place.
    unsafe { Out::from_c(std::ptr::from_mut(place).cast()) }
}

impl Fixture {
    fn new() -> Fixture {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let create = || context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
        let context = create();
        Fixture {
            platform,
            device,
            context,
            other_context: create(),
            queue: queue::create_command_queue(context, device, 0).unwrap(),
        }
    }

    fn kernel(&self, source: &std::ffi::CStr) -> (cl_program, cl_kernel) {
        let program = program::create_program_with_source(self.context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
        (program, kernel::create_kernel(program, text(c"k")).unwrap())
    }
}

/// Calls, and what each must return.
macro_rules! refused {
    ($($code:ident: $call:expr;)*) => {
        $(assert_eq!($call.err(), Some($code), stringify!($call));)*
    };
}

#[test]
fn platforms_and_devices() {
    let Fixture { platform, device, .. } = Fixture::new();
    let mut count = 0;
    let mut place = null_mut();
    refused! {
        CL_INVALID_VALUE: platform::get_platform_ids(0, Out::from_mut(&mut place), Out::null());
        CL_INVALID_VALUE: platform::get_platform_ids(1, Out::null(), Out::null());
        CL_INVALID_PLATFORM: platform::get_platform_info(device, CL_PLATFORM_NAME, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: platform::get_platform_info(platform, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: platform::get_platform_info(platform, CL_PLATFORM_NAME, 1, out(&mut count), Out::null());
        CL_INVALID_PLATFORM: device::get_device_ids(device, CL_DEVICE_TYPE_ALL, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE_TYPE: device::get_device_ids(platform, 0, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE_TYPE: device::get_device_ids(platform, 1 << 20, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_VALUE: device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, Out::from_mut(&mut place), Out::null());
        CL_INVALID_VALUE: device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::null(), Out::null());
        CL_DEVICE_NOT_FOUND: device::get_device_ids(platform, CL_DEVICE_TYPE_GPU, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE: device::get_device_info(platform, CL_DEVICE_NAME, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: device::get_device_info(device, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: device::get_device_info(device, CL_DEVICE_TYPE, 7, out(&mut count), Out::null());
        CL_INVALID_DEVICE: device::get_host_timer(platform, Out::from_mut(&mut 0));
        CL_INVALID_VALUE: device::get_host_timer(device, Out::null());
        CL_INVALID_VALUE: device::get_device_and_host_timer(device, Out::null(), Out::from_mut(&mut 0));
        CL_INVALID_VALUE: device::get_device_and_host_timer(device, Out::from_mut(&mut 0), Out::null());
        CL_INVALID_DEVICE: device::get_device_and_host_timer(platform, Out::from_mut(&mut 0), Out::from_mut(&mut 0));
        CL_INVALID_PLATFORM: platform::icd_set_platform_dispatch_data(device, NONE);
    }
}

#[test]
fn sub_devices() {
    let Fixture { platform, device, .. } = Fixture::new();
    let mut units: cl_uint = 0;
    device::get_device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS, 4, out(&mut units), Out::null()).unwrap();
    let units = units as cl_device_partition_property;
    let equally = CL_DEVICE_PARTITION_EQUALLY as cl_device_partition_property;
    let counts = CL_DEVICE_PARTITION_BY_COUNTS as cl_device_partition_property;
    let domain = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as cl_device_partition_property;
    let create = |device, properties: &[cl_device_partition_property]| {
        device::create_sub_devices(device, In::from_slice(properties), 0, Out::null(), Out::from_mut(&mut 0))
    };
    let mut place = null_mut();
    refused! {
        CL_INVALID_DEVICE: create(platform, &[equally, 1, 0]);
        CL_INVALID_VALUE: device::create_sub_devices(device, In::null(), 0, Out::null(), Out::from_mut(&mut 0));
        CL_INVALID_VALUE: create(device, &[0]);
        CL_INVALID_VALUE: create(device, &[77, 1, 0]);
        CL_INVALID_VALUE: create(device, &[equally, 0, 0]);
        CL_INVALID_VALUE: create(device, &[equally, -1, 0]);
        CL_INVALID_VALUE: create(device, &[domain, 1 << 20, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[equally, units + 1, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, units + 1, 0, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, units, 1, 0, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, -1, 0, 0]);
        CL_DEVICE_PARTITION_FAILED: create(device, &[equally, units, 0]);
    }
    if units > 1 {
        let two = [counts, 1, 1, 0, 0];
        assert_eq!(
            device::create_sub_devices(device, In::from_slice(&two), 1, Out::from_mut(&mut place), Out::null()),
            Err(CL_INVALID_VALUE)
        );
        let one = [counts, 1, 0, 0];
        device::create_sub_devices(device, In::from_slice(&one), 1, Out::from_mut(&mut place), Out::null()).unwrap();
        assert_eq!(create(place, &[equally, 1, 0]), Err(CL_DEVICE_PARTITION_FAILED));
        device::release_device(place).unwrap();
    }
}

#[test]
fn contexts() {
    let Fixture {
        platform, device, context, ..
    } = Fixture::new();
    let create = |properties: &[cl_context_properties], count, devices: In<cl_device_id>, user_data| {
        context::create_context(In::from_slice(properties), count, devices, None, user_data)
    };
    let devices = [device];
    let list = In::from_slice(&devices);
    let name = CL_CONTEXT_PLATFORM as cl_context_properties;
    let ours = platform as cl_context_properties;
    let mut data = 0_u8;
    let data = std::ptr::from_mut(&mut data).cast::<c_void>();
    refused! {
        CL_INVALID_PLATFORM: create(&[name, device as cl_context_properties, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: create(&[77, 1, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: create(&[name, ours, name, ours, 0], 1, list, NONE);
        CL_INVALID_VALUE: create(&[0], 0, list, NONE);
        CL_INVALID_VALUE: create(&[0], 1, In::null(), NONE);
        CL_INVALID_VALUE: create(&[0], 1, list, data);
        CL_INVALID_DEVICE: create(&[0], 1, In::from_slice(&[context]), NONE);
        CL_INVALID_DEVICE_TYPE: context::create_context_from_type(In::null(), 0, None, NONE);
        CL_DEVICE_NOT_FOUND: context::create_context_from_type(In::null(), CL_DEVICE_TYPE_GPU, None, NONE);
        CL_INVALID_VALUE: context::create_context_from_type(In::null(), CL_DEVICE_TYPE_CPU, None, data);
        CL_INVALID_CONTEXT: context::retain_context(device);
        CL_INVALID_CONTEXT: context::release_context(NONE);
        CL_INVALID_CONTEXT: context::get_context_info(device, CL_CONTEXT_DEVICES, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: context::get_context_info(context, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROPERTY: create(&[CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1 << 20, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: context::create_context_from_type(In::from_slice(&[77, 1, 0]), CL_DEVICE_TYPE_CPU, None, NONE);
        CL_INVALID_PLATFORM: context::create_context_from_type(In::from_slice(&[name, 64, 0]), CL_DEVICE_TYPE_CPU, None, NONE);
        CL_INVALID_VALUE: context::set_context_destructor_callback(context, None, NONE);
        CL_INVALID_CONTEXT: context::set_context_destructor_callback(device, None, NONE);
    }
}

#[test]
fn queues() {
    let Fixture {
        device, context, queue, ..
    } = Fixture::new();
    let create =
        |properties: &[cl_queue_properties]| queue::create_command_queue_with_properties(context, device, In::from_slice(properties));
    let (name, size) = (CL_QUEUE_PROPERTIES as cl_queue_properties, CL_QUEUE_SIZE as cl_queue_properties);
    refused! {
        CL_INVALID_CONTEXT: queue::create_command_queue(device, device, 0);
        CL_INVALID_DEVICE: queue::create_command_queue(context, context, 0);
        CL_INVALID_VALUE: queue::create_command_queue(context, device, 1 << 40);
        CL_INVALID_VALUE: create(&[77, 0, 0]);
        CL_INVALID_VALUE: create(&[name, 1 << 40, 0]);
        CL_INVALID_VALUE: create(&[name, 0, name, 0, 0]);
        CL_INVALID_VALUE: create(&[name, CL_QUEUE_ON_DEVICE, 0]);
        CL_INVALID_VALUE: create(&[size, 16, 0]);
        CL_INVALID_QUEUE_PROPERTIES: create(&[name, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0]);
        CL_INVALID_VALUE: create(&[CL_QUEUE_PRIORITY_KHR as cl_queue_properties, 99, 0]);
        CL_INVALID_COMMAND_QUEUE: queue::retain_command_queue(context);
        CL_INVALID_COMMAND_QUEUE: queue::release_command_queue(context);
        CL_INVALID_COMMAND_QUEUE: queue::get_command_queue_info(context, CL_QUEUE_CONTEXT, 0, Out::null(), Out::null());
        CL_INVALID_COMMAND_QUEUE: queue::get_command_queue_info(queue, CL_QUEUE_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: queue::get_command_queue_info(queue, 1, 0, Out::null(), Out::null());
        CL_INVALID_CONTEXT: queue::set_default_device_command_queue(device, device, queue);
        CL_INVALID_DEVICE: queue::set_default_device_command_queue(context, context, queue);
        CL_INVALID_OPERATION: queue::set_default_device_command_queue(context, device, queue);
        CL_INVALID_COMMAND_QUEUE: queue::set_command_queue_property(context, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, Out::null());
        CL_INVALID_OPERATION: queue::set_command_queue_property(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, Out::null());
        CL_INVALID_CONTEXT: queue::create_command_queue_with_properties(device, device, In::null());
        CL_INVALID_DEVICE: queue::create_command_queue_with_properties(context, context, In::null());
        CL_INVALID_COMMAND_QUEUE: queue::enqueue_marker(context, Out::from_mut(&mut null_mut()));
        CL_INVALID_COMMAND_QUEUE: queue::enqueue_barrier(context);
        CL_INVALID_COMMAND_QUEUE: queue::enqueue_wait_for_events(context, 1, In::from_slice(&[queue]));
        CL_INVALID_COMMAND_QUEUE: queue::flush(context);
        CL_INVALID_COMMAND_QUEUE: queue::finish(context);
        CL_INVALID_VALUE: queue::enqueue_marker(queue, Out::null());
        CL_INVALID_VALUE: queue::enqueue_wait_for_events(queue, 0, In::null());
        CL_INVALID_EVENT: queue::enqueue_wait_for_events(queue, 1, In::from_slice(&[queue]));
        CL_INVALID_EVENT_WAIT_LIST: queue::enqueue_marker_with_wait_list(queue, 1, In::null(), Out::null());
        CL_INVALID_EVENT_WAIT_LIST: queue::enqueue_barrier_with_wait_list(queue, 0, In::from_slice(&[queue]), Out::null());
        CL_INVALID_EVENT_WAIT_LIST: queue::enqueue_barrier_with_wait_list(queue, 1, In::from_slice(&[queue]), Out::null());
    }
}

#[test]
fn buffers_and_sub_buffers() {
    let Fixture { device, context, .. } = Fixture::new();
    let create = |flags, size, pointer| memory::create_buffer(context, flags, size, pointer);
    let mut host = [0_u64; 64];
    let pointer = host.as_mut_ptr().cast::<c_void>();
    let buffer = create(CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4096, NONE).unwrap();
    let write_only = create(CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 4096, NONE).unwrap();
    let part = |parent, flags, region: [usize; 2]| {
        // SAFETY: a region of two sizes.
        let info = unsafe { In::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, info)
    };
    let sub = part(buffer, 0, [0, 128]).unwrap();
    refused! {
        CL_INVALID_CONTEXT: memory::create_buffer(device, 0, 4, NONE);
        CL_INVALID_VALUE: create(1 << 40, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, pointer);
        CL_INVALID_VALUE: create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 4, pointer);
        CL_INVALID_BUFFER_SIZE: create(0, 0, NONE);
        CL_INVALID_BUFFER_SIZE: create(0, usize::MAX, NONE);
        CL_INVALID_HOST_PTR: create(CL_MEM_COPY_HOST_PTR, 4, NONE);
        CL_INVALID_HOST_PTR: create(0, 4, pointer);
        CL_INVALID_PROPERTY: memory::create_buffer_with_properties(context, In::from_slice(&[77, 1, 0]), 0, 4, NONE);
        CL_INVALID_MEM_OBJECT: part(sub, 0, [0, 64]);
        CL_INVALID_MEM_OBJECT: part(context, 0, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_WRITE_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_READ_WRITE, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_USE_HOST_PTR, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_HOST_WRITE_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_HOST_READ_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(buffer, 0, [4096, 64]);
        CL_INVALID_BUFFER_SIZE: part(buffer, 0, [0, 0]);
        CL_MISALIGNED_SUB_BUFFER_OFFSET: part(buffer, 0, [4, 64]);
        CL_INVALID_VALUE: memory::create_sub_buffer(buffer, 0, 1, In::null());
        CL_INVALID_VALUE: memory::create_sub_buffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, In::null());
        CL_INVALID_MEM_OBJECT: memory::retain_mem_object(context);
        CL_INVALID_MEM_OBJECT: memory::release_mem_object(context);
        CL_INVALID_VALUE: memory::set_mem_object_destructor_callback(buffer, None, NONE);
        CL_INVALID_MEM_OBJECT: memory::get_mem_object_info(context, CL_MEM_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: memory::get_mem_object_info(buffer, 1, 0, Out::null(), Out::null());
    }
}

#[test]
fn pipes() {
    let Fixture { device, context, .. } = Fixture::new();
    let create = |flags, packet, packets| pipe::create_pipe(context, flags, packet, packets, In::null());
    let made = create(0, 12, 10).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let (mut size, mut flags, mut kind) = (0_u32, 0_u64, 0_u32);
    pipe::get_pipe_info(made, CL_PIPE_PACKET_SIZE, 4, out(&mut size), Out::null()).unwrap();
    memory::get_mem_object_info(made, CL_MEM_FLAGS, 8, out(&mut flags), Out::null()).unwrap();
    memory::get_mem_object_info(made, CL_MEM_TYPE, 4, out(&mut kind), Out::null()).unwrap();
    assert_eq!(
        (size, flags, kind),
        (12, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_PIPE)
    );
    refused! {
        CL_INVALID_CONTEXT: pipe::create_pipe(device, 0, 4, 4, In::null());
        CL_INVALID_VALUE: create(CL_MEM_READ_ONLY, 4, 4);
        CL_INVALID_VALUE: pipe::create_pipe(context, 0, 4, 4, In::from_slice(&[0]));
        CL_INVALID_PIPE_SIZE: create(0, 0, 4);
        CL_INVALID_PIPE_SIZE: create(0, 4, 0);
        CL_INVALID_PIPE_SIZE: create(0, pipe::MAX_PACKET_SIZE + 1, 4);
        CL_MEM_OBJECT_ALLOCATION_FAILURE: create(0, pipe::MAX_PACKET_SIZE, cl_uint::MAX);
        CL_INVALID_MEM_OBJECT: pipe::get_pipe_info(buffer, CL_PIPE_PACKET_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: pipe::get_pipe_info(made, CL_MEM_SIZE, 0, Out::null(), Out::null());
    }
}

#[test]
fn shared_memory() {
    let Fixture {
        device, context, queue, ..
    } = Fixture::new();
    let allocate = |flags, size, alignment| svm::svm_alloc(context, flags, size, alignment);
    let flags = cl_properties::from(CL_MEM_ALLOC_FLAGS_INTEL);
    refused! {
        CL_INVALID_CONTEXT: svm::svm_alloc(device, 0, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_SVM_ATOMICS, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_USE_HOST_PTR, 4, 0);
        CL_INVALID_VALUE: allocate(0, 4, 3);
        CL_INVALID_VALUE: allocate(0, 4, 1 << 20);
        CL_INVALID_BUFFER_SIZE: allocate(0, 0, 0);
        CL_INVALID_BUFFER_SIZE: allocate(0, usize::MAX, 0);
        CL_INVALID_VALUE: svm::enqueue_svm_free(queue, 1, In::null(), None, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_map(queue, CL_TRUE, CL_MAP_READ, NONE, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_unmap(queue, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_memcpy(queue, CL_TRUE, NONE, NONE, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_mem_fill(queue, NONE, In::from_slice(&[0]), 1, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_free(queue, 0, In::from_slice(&[device]), None, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_migrate_mem(queue, 0, In::null(), In::null(), 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_migrate_mem(queue, 1, In::from_slice(&[device.cast_const()]), In::null(), 0, 0, In::null(), Out::null());
        CL_INVALID_CONTEXT: unified::mem_free(device, NONE);
        CL_INVALID_CONTEXT: unified::mem_blocking_free(device, NONE);
        CL_INVALID_VALUE: unified::mem_blocking_free(context, device);
        CL_INVALID_CONTEXT: unified::get_mem_alloc_info(device, NONE, CL_MEM_ALLOC_TYPE_INTEL, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: unified::shared_mem_alloc(context, context, In::null(), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, 0, flags, 0, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, 1 << 20, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::shared_mem_alloc(context, device, In::from_slice(&[flags, 6, 0]), 4, 0);
        CL_INVALID_VALUE: unified::enqueue_migrate_mem(queue, NONE, 4, 1 << 20, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::enqueue_mem_advise(queue, NONE, 4, 77, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::enqueue_memcpy(queue, CL_TRUE, NONE, NONE, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::enqueue_mem_fill(queue, NONE, In::from_slice(&[0]), 1, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::mem_free(context, device);
        CL_INVALID_BUFFER_SIZE: unified::host_mem_alloc(context, In::null(), 0, 0);
        CL_INVALID_VALUE: unified::host_mem_alloc(context, In::null(), 4, 3);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[77, 0, 0]), 4, 0);
        CL_INVALID_DEVICE: unified::device_mem_alloc(context, context, In::null(), 4, 0);
        CL_INVALID_VALUE: unified::get_mem_alloc_info(context, NONE, 1, 0, Out::null(), Out::null());
    }
    let pointer = allocate(CL_MEM_READ_WRITE, 64, 0).unwrap().cast::<u8>();
    let at = |offset: usize| pointer.wrapping_add(offset).cast::<c_void>();
    let fill = |offset, size, pattern| {
        svm::enqueue_svm_mem_fill(
            queue,
            at(offset),
            In::from_slice(&[0; 8]),
            pattern,
            size,
            0,
            In::null(),
            Out::null(),
        )
    };
    refused! {
        CL_MEM_COPY_OVERLAP: svm::enqueue_svm_memcpy(queue, CL_TRUE, at(0), at(8), 16, 0, In::null(), Out::null());
        CL_INVALID_VALUE: fill(0, 16, 3);
        CL_INVALID_VALUE: fill(1, 16, 4);
        CL_INVALID_VALUE: fill(0, 6, 4);
        CL_INVALID_VALUE: svm::enqueue_svm_map(queue, CL_TRUE, CL_MAP_READ, at(0), 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_migrate_mem(queue, 1, In::from_slice(&[at(0).cast_const()]), In::from_slice(&[65]), 0, 0, In::null(), Out::null());
    }
    svm::svm_free(context, pointer.cast());
}

#[test]
fn events_and_semaphores() {
    let Fixture {
        device,
        context,
        other_context,
        queue,
        ..
    } = Fixture::new();
    let mine = event::create_user_event(context).unwrap();
    let foreign = event::create_user_event(other_context).unwrap();
    let mut done = null_mut();
    queue::enqueue_marker(queue, Out::from_mut(&mut done)).unwrap();
    queue::finish(queue).unwrap();
    unsafe extern "C" fn told(_: cl_event, _: cl_int, _: *mut c_void) {}
    let binary = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR];
    let devices = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as cl_properties;
    refused! {
        CL_INVALID_CONTEXT: event::create_user_event(device);
        CL_INVALID_EVENT: event::set_user_event_status(context, 0);
        CL_INVALID_EVENT: event::set_user_event_status(done, 0);
        CL_INVALID_VALUE: event::set_user_event_status(mine, CL_RUNNING);
        CL_INVALID_VALUE: event::wait_for_events(0, In::from_slice(&[mine]));
        CL_INVALID_VALUE: event::wait_for_events(1, In::null());
        CL_INVALID_EVENT: event::wait_for_events(1, In::from_slice(&[queue]));
        CL_INVALID_CONTEXT: event::wait_for_events(2, In::from_slice(&[done, foreign]));
        CL_INVALID_CONTEXT: queue::enqueue_marker_with_wait_list(queue, 1, In::from_slice(&[foreign]), Out::null());
        CL_INVALID_EVENT: event::get_event_info(queue, CL_EVENT_CONTEXT, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: event::get_event_info(mine, 1, 0, Out::null(), Out::null());
        CL_INVALID_EVENT: event::set_event_callback(queue, CL_COMPLETE, Some(told), NONE);
        CL_INVALID_VALUE: event::set_event_callback(mine, CL_COMPLETE, None, NONE);
        CL_INVALID_VALUE: event::set_event_callback(mine, CL_QUEUED, Some(told), NONE);
        CL_INVALID_EVENT: event::retain_event(queue);
        CL_INVALID_CONTEXT: queue::enqueue_wait_for_events(queue, 1, In::from_slice(&[foreign]));
        CL_INVALID_DEVICE: semaphore::create_semaphore_with_properties(context, In::from_slice(&[binary[0], binary[1], devices, context as cl_properties, 0, 0]));
        CL_INVALID_DEVICE: semaphore::create_semaphore_with_properties(context, In::from_slice(&[binary[0], binary[1], devices, 0, 0]));
        CL_INVALID_PROPERTY: semaphore::create_semaphore_with_properties(context, In::from_slice(&[binary[0], 77, 0]));
        CL_INVALID_PROPERTY: semaphore::create_semaphore_with_properties(context, In::from_slice(&[binary[0], binary[1], binary[0], binary[1], 0]));
        CL_INVALID_SEMAPHORE_KHR: semaphore::get_semaphore_handle_for_type(queue);
        CL_INVALID_VALUE: semaphore::enqueue_wait_semaphores(queue, 0, In::null(), In::null(), 0, In::null(), Out::null());
        CL_PROFILING_INFO_NOT_AVAILABLE: event::get_event_profiling_info(mine, CL_PROFILING_COMMAND_END, 0, Out::null(), Out::null());
        CL_PROFILING_INFO_NOT_AVAILABLE: event::get_event_profiling_info(done, CL_PROFILING_COMMAND_END, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: event::get_event_profiling_info(done, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: semaphore::create_semaphore_with_properties(context, In::null());
        CL_INVALID_VALUE: semaphore::create_semaphore_with_properties(context, In::from_slice(&[0]));
        CL_INVALID_PROPERTY: semaphore::create_semaphore_with_properties(context, In::from_slice(&[77]));
        CL_INVALID_VALUE: semaphore::enqueue_signal_semaphores(queue, 0, In::null(), In::null(), 0, In::null(), Out::null());
        CL_INVALID_SEMAPHORE_KHR: semaphore::enqueue_signal_semaphores(queue, 1, In::from_slice(&[queue]), In::null(), 0, In::null(), Out::null());
    }
    event::set_user_event_status(mine, 0).unwrap();
    assert_eq!(event::set_user_event_status(mine, 0), Err(CL_INVALID_OPERATION));
    let failed = event::create_user_event(context).unwrap();
    event::set_user_event_status(failed, -1).unwrap();
    let waited = event::wait_for_events(2, In::from_slice(&[done, failed]));
    assert_eq!(waited, Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
}

#[test]
fn samplers() {
    let Fixture { context, .. } = Fixture::new();
    let create = |list: &[cl_sampler_properties]| sampler::create_sampler_with_properties(context, In::from_slice(list));
    let name = |name: cl_uint| cl_sampler_properties::from(name);
    refused! {
        CL_INVALID_VALUE: sampler::create_sampler(context, 7, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        CL_INVALID_VALUE: sampler::create_sampler(context, CL_TRUE, 7, CL_FILTER_NEAREST);
        CL_INVALID_VALUE: sampler::create_sampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 7);
        CL_INVALID_VALUE: create(&[77, 0, 0]);
        CL_INVALID_VALUE: create(&[name(CL_SAMPLER_FILTER_MODE), 7, 0]);
        CL_INVALID_VALUE: create(&[name(CL_SAMPLER_NORMALIZED_COORDS), 0, name(CL_SAMPLER_NORMALIZED_COORDS), 0, 0]);
    }
}

/// What the host said that it would not do with a buffer's memory.
#[test]
fn access_of_the_host() {
    let Fixture { context, queue, .. } = Fixture::new();
    let mut host = [0_u8; 64];
    let place = HostPointer(host.as_mut_ptr());
    let make = |flags| memory::create_buffer(context, flags, 64, NONE).unwrap();
    let [read, write, none] = [CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS].map(make);
    let reads = |buffer| buffer::enqueue_read_or_write::<Read>(queue, buffer, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
    let writes = |buffer| buffer::enqueue_read_or_write::<Write>(queue, buffer, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
    let (origin, region) = (In::from_slice(&[0; 3]), In::from_slice(&[4, 4, 1]));
    let reads_rect = |buffer| {
        buffer::enqueue_read_or_write_rect::<Read>(
            queue,
            buffer,
            CL_TRUE,
            origin,
            origin,
            region,
            0,
            0,
            0,
            0,
            place,
            0,
            In::null(),
            Out::null(),
        )
    };
    let writes_rect = |buffer| {
        buffer::enqueue_read_or_write_rect::<Write>(
            queue,
            buffer,
            CL_TRUE,
            origin,
            origin,
            region,
            0,
            0,
            0,
            0,
            place,
            0,
            In::null(),
            Out::null(),
        )
    };
    let maps = |buffer, flags| map::enqueue_map_buffer(queue, buffer, CL_TRUE, flags, 0, 64, 0, In::null(), Out::null());
    refused! {
        CL_INVALID_OPERATION: reads(write);
        CL_INVALID_OPERATION: reads(none);
        CL_INVALID_OPERATION: writes(read);
        CL_INVALID_OPERATION: writes(none);
        CL_INVALID_OPERATION: reads_rect(write);
        CL_INVALID_OPERATION: writes_rect(read);
        CL_INVALID_OPERATION: maps(write, CL_MAP_READ);
        CL_INVALID_OPERATION: maps(read, CL_MAP_WRITE);
        CL_INVALID_OPERATION: maps(read, CL_MAP_WRITE_INVALIDATE_REGION);
        CL_INVALID_OPERATION: maps(none, CL_MAP_READ);
        CL_INVALID_VALUE: maps(read, 1 << 20);
        CL_INVALID_VALUE: maps(read, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION);
        CL_INVALID_VALUE: map::enqueue_map_buffer(queue, read, CL_TRUE, CL_MAP_READ, 60, 5, 0, In::null(), Out::null());
        CL_INVALID_VALUE: map::enqueue_unmap_mem_object(queue, read, place.0.cast(), 0, In::null(), Out::null());
        CL_INVALID_VALUE: map::enqueue_migrate_mem_objects(queue, 0, In::from_slice(&[read]), 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: map::enqueue_migrate_mem_objects(queue, 1, In::null(), 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: map::enqueue_migrate_mem_objects(queue, 1, In::from_slice(&[read]), 1 << 20, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_copy(queue, read, write, 60, 0, 5, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_copy(queue, read, write, 0, 60, 5, 0, In::null(), Out::null());
        CL_MEM_COPY_OVERLAP: buffer::enqueue_copy(queue, read, read, 0, 4, 8, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_fill(queue, read, In::null(), 4, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_fill(queue, read, In::from_slice(&[0; 256]), 256, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_fill(queue, read, In::from_slice(&[0; 4]), 4, 64, 4, 0, In::null(), Out::null());
    }
    let copy_rect = |source: &[usize; 3], region: &[usize; 3], row, slice| {
        let (source, region) = (In::from_slice(source), In::from_slice(region));
        buffer::enqueue_copy_rect(
            queue,
            read,
            write,
            source,
            origin,
            region,
            row,
            slice,
            row,
            slice,
            0,
            In::null(),
            Out::null(),
        )
    };
    refused! {
        CL_INVALID_VALUE: copy_rect(&[0; 3], &[4, 0, 1], 0, 0);
        CL_INVALID_VALUE: copy_rect(&[0; 3], &[16, 5, 1], 0, 0);
        CL_INVALID_VALUE: copy_rect(&[61, 0, 0], &[4, 1, 1], 0, 0);
        CL_INVALID_VALUE: copy_rect(&[0; 3], &[8, 2, 1], 7, 0);
        CL_INVALID_VALUE: copy_rect(&[0; 3], &[8, 2, 2], 8, 15);
        CL_INVALID_VALUE: copy_rect(&[0; 3], &[8, 2, 2], 8, 17);
        CL_INVALID_VALUE: buffer::enqueue_copy_rect(queue, read, write, In::null(), origin, region, 0, 0, 0, 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_copy_rect(queue, read, write, origin, In::null(), region, 0, 0, 0, 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: buffer::enqueue_copy_rect(queue, read, write, origin, origin, In::null(), 0, 0, 0, 0, 0, In::null(), Out::null());
        CL_MEM_COPY_OVERLAP: buffer::enqueue_copy_rect(queue, read, read, origin, In::from_slice(&[2, 0, 0]), region, 8, 0, 8, 0, 0, In::null(), Out::null());
    }
}

#[test]
fn programs_and_kernels() {
    let fixture = Fixture::new();
    let Fixture { device, context, .. } = fixture;
    let source = c"kernel void k(global int *a, local int *l, float f) { a[0] = (int)f + l[0]; }";
    let (built, k) = fixture.kernel(source);
    let strings = [source.as_ptr()];
    let unbuilt = program::create_program_with_source(context, 1, In::from_slice(&strings), In::null()).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let foreign = memory::create_buffer(fixture.other_context, 0, 64, NONE).unwrap();
    let set = |index, size, value: In<u8>| kernel::set_kernel_arg(k, index, size, value);
    let (word, handle) = ([0_u8; 4], (buffer as usize).to_ne_bytes());
    refused! {
        CL_INVALID_CONTEXT: program::create_program_with_source(device, 1, In::from_slice(&strings), In::null());
        CL_INVALID_VALUE: program::create_program_with_source(context, 0, In::from_slice(&strings), In::null());
        CL_INVALID_VALUE: program::create_program_with_source(context, 1, In::null(), In::null());
        CL_INVALID_PROGRAM: program::build_program(context, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 1, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 0, In::from_slice(&[device]), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 0, In::null(), In::null(), None, device);
        CL_INVALID_BUILD_OPTIONS: program::build_program(unbuilt, 0, In::null(), text(c"-no-such-option"), None, NONE);
        CL_INVALID_OPERATION: program::build_program(built, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: program::get_program_info(context, CL_PROGRAM_SOURCE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: program::get_program_info(built, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM_EXECUTABLE: program::get_program_info(unbuilt, CL_PROGRAM_NUM_KERNELS, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: program::get_program_build_info(built, context, CL_PROGRAM_BUILD_LOG, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: program::get_program_build_info(built, device, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM: kernel::create_kernel(context, text(c"k"));
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernel(unbuilt, text(c"k"));
        CL_INVALID_KERNEL_NAME: kernel::create_kernel(built, text(c"other"));
        CL_INVALID_VALUE: kernel::create_kernel(built, In::null());
        CL_INVALID_VALUE: kernel::create_kernels_in_program(built, 0, Out::from_mut(&mut null_mut()), Out::null());
        CL_INVALID_KERNEL: kernel::clone_kernel(built);
        CL_INVALID_KERNEL: kernel::set_kernel_arg(built, 0, 8, In::null());
        CL_INVALID_ARG_INDEX: set(3, 4, In::from_slice(&word));
        CL_INVALID_ARG_VALUE: set(2, 4, In::null());
        CL_INVALID_ARG_SIZE: set(2, 8, In::from_slice(&handle));
        CL_INVALID_ARG_SIZE: set(0, 4, In::from_slice(&handle));
        CL_INVALID_MEM_OBJECT: set(0, 8, In::from_slice(&(context as usize).to_ne_bytes()));
        CL_INVALID_CONTEXT: set(0, 8, In::from_slice(&(foreign as usize).to_ne_bytes()));
        CL_INVALID_ARG_VALUE: set(1, 4, In::from_slice(&word));
        CL_INVALID_ARG_SIZE: set(1, 0, In::null());
        CL_MAX_SIZE_RESTRICTION_EXCEEDED: set(1, 1 << 30, In::null());
        CL_INVALID_ARG_VALUE: kernel::set_kernel_arg_svm_pointer(k, 2, NONE);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_address(k, 2, 0);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_svm_pointer(k, 9, NONE);
        CL_INVALID_VALUE: kernel::set_kernel_exec_info(k, 1, 0, In::null());
        CL_INVALID_KERNEL: kernel_info::get_kernel_info(built, CL_KERNEL_NUM_ARGS, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_info(k, 1, 0, Out::null(), Out::null());
        CL_INVALID_ARG_INDEX: kernel_info::get_kernel_arg_info(k, 9, CL_KERNEL_ARG_NAME, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: kernel_info::get_kernel_work_group_info(k, context, CL_KERNEL_WORK_GROUP_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_work_group_info(k, device, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_work_group_info(k, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, Out::null(), Out::null());
    }
}

#[test]
fn launches() {
    let fixture = Fixture::new();
    let Fixture { queue, .. } = fixture;
    let (_, k) = fixture.kernel(c"kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    let sizes = |size: usize| [size; 3];
    let launch = |queue, kernel, dimensions, offset: In<usize>, global: &[usize], local: In<usize>| {
        api::launch::enqueue_nd_range_kernel(
            queue,
            kernel,
            dimensions,
            offset,
            In::from_slice(global),
            local,
            0,
            In::null(),
            Out::null(),
        )
    };
    refused! {
        CL_INVALID_KERNEL_ARGS: launch(queue, k, 1, In::null(), &sizes(4), In::null());
    }
    let buffer = memory::create_buffer(fixture.context, 0, 64, NONE).unwrap();
    kernel::set_kernel_arg(k, 0, 8, In::from_slice(&(buffer as usize).to_ne_bytes())).unwrap();
    let foreign = queue::create_command_queue(fixture.other_context, fixture.device, 0).unwrap();
    refused! {
        CL_INVALID_COMMAND_QUEUE: launch(k, k, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_KERNEL: launch(queue, queue, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_CONTEXT: launch(foreign, k, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_WORK_DIMENSION: launch(queue, k, 0, In::null(), &sizes(4), In::null());
        CL_INVALID_WORK_DIMENSION: launch(queue, k, 4, In::null(), &sizes(4), In::null());
        CL_INVALID_GLOBAL_OFFSET: launch(queue, k, 1, In::from_slice(&sizes(usize::MAX)), &sizes(4), In::null());
        CL_INVALID_WORK_GROUP_SIZE: launch(queue, k, 1, In::null(), &sizes(4), In::from_slice(&sizes(0)));
        CL_INVALID_WORK_ITEM_SIZE: launch(queue, k, 1, In::null(), &sizes(1 << 20), In::from_slice(&sizes(1 << 20)));
        CL_INVALID_WORK_GROUP_SIZE: launch(queue, k, 3, In::null(), &sizes(64), In::from_slice(&sizes(64)));
    }
    // The buffer is gone, and the kernel did not keep it.
    memory::release_mem_object(buffer).unwrap();
    assert_eq!(launch(queue, k, 1, In::null(), &sizes(4), In::null()), Err(CL_INVALID_KERNEL_ARGS));
}

#[test]
fn programs_that_are_no_source() {
    let Fixture { device, context, .. } = Fixture::new();
    let (header, words) = ([3_u8, 2, 0x23, 7], [0_u8; 20]);
    let binary = |count, devices: In<cl_device_id>, lengths: In<usize>, binaries: In<*const u8>| {
        let mut status = [99; 2];
        let made = program::create_program_with_binary(context, count, devices, lengths, binaries, Out::from_mut(&mut status[0]));
        made.map_err(|code| (code, status[0]))
    };
    let (devices, lengths, binaries) = ([device], [20], [words.as_ptr()]);
    let (list, lengths, binaries) = (In::from_slice(&devices), In::from_slice(&lengths), In::from_slice(&binaries));
    refused! {
        CL_INVALID_VALUE: program::create_program_with_il(context, In::null(), 20);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&words), 0);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&words), 20);
        CL_INVALID_VALUE: program::create_program_with_il(context, In::from_slice(&header), 4);
        CL_INVALID_CONTEXT: program::create_program_with_binary(device, 1, list, lengths, binaries, Out::null());
        CL_INVALID_CONTEXT: program::create_program_with_built_in_kernels(device, 1, list, text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 0, list, text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, In::null(), text(c"k"));
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, list, In::null());
        CL_INVALID_VALUE: program::create_program_with_built_in_kernels(context, 1, list, text(c"k"));
        CL_INVALID_DEVICE: program::create_program_with_built_in_kernels(context, 1, In::from_slice(&[context]), text(c"k"));
    }
    assert_eq!(binary(0, list, lengths, binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, In::null(), lengths, binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, list, In::null(), binaries).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(binary(1, list, lengths, In::null()).err(), Some((CL_INVALID_VALUE, 99)));
    assert_eq!(
        binary(1, list, In::from_slice(&[0]), binaries).err(),
        Some((CL_INVALID_VALUE, CL_INVALID_VALUE))
    );
    assert_eq!(
        binary(1, list, lengths, In::from_slice(&[std::ptr::null()])).err(),
        Some((CL_INVALID_VALUE, CL_INVALID_VALUE))
    );
    assert_eq!(
        binary(1, list, lengths, binaries).err(),
        Some((CL_INVALID_BINARY, CL_INVALID_BINARY))
    );
    assert_eq!(
        binary(1, In::from_slice(&[context]), lengths, binaries).err(),
        Some((CL_INVALID_DEVICE, 99))
    );
}

#[test]
fn compiling_and_linking() {
    let fixture = Fixture::new();
    let Fixture { device, context, .. } = fixture;
    let make =
        |source: &std::ffi::CStr| program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    let (good, wrong, missing) = (
        make(c"kernel void k() { }"),
        make(c"kernel void k() { no }"),
        make(c"void f(); kernel void k() { f(); }"),
    );
    let compile = |program, options: In<c_char>, count, headers: In<cl_program>, names: In<*const c_char>| {
        program::compile_program(program, 0, In::null(), options, count, headers, names, None, NONE)
    };
    let plain = |program| compile(program, In::null(), 0, In::null(), In::null());
    let (headers, names) = ([good], [c"h".as_ptr()]);
    let (headers, names) = (In::from_slice(&headers), In::from_slice(&names));
    let link = |context, devices: &[cl_device_id], options: In<c_char>, inputs: &[cl_program]| {
        let mut code = 99;
        let list = if devices.is_empty() { In::null() } else { In::from_slice(devices) };
        let inputs_ = if inputs.is_empty() { In::null() } else { In::from_slice(inputs) };
        let (devices, count) = (devices.len() as cl_uint, inputs.len() as cl_uint);
        let program = program::link_program(
            context,
            devices,
            list,
            options,
            count,
            inputs_,
            None,
            NONE,
            Out::from_mut(&mut code),
        );
        // A link that fails makes a program too, whose log tells why.
        assert_eq!(program.is_null(), code != CL_SUCCESS && code != CL_LINK_PROGRAM_FAILURE);
        if code == CL_SUCCESS { Ok(program) } else { Err(code) }
    };
    let (built, kernel) = fixture.kernel(c"kernel void k() { }");
    refused! {
        CL_INVALID_PROGRAM: plain(context);
        CL_INVALID_VALUE: program::compile_program(good, 1, In::null(), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::compile_program(good, 0, In::from_slice(&[device]), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_DEVICE: program::compile_program(good, 1, In::from_slice(&[context]), In::null(), 0, In::null(), In::null(), None, NONE);
        CL_INVALID_DEVICE: program::build_program(good, 1, In::from_slice(&[context]), In::null(), None, NONE);
        CL_INVALID_VALUE: program::compile_program(good, 0, In::null(), In::null(), 0, In::null(), In::null(), None, device);
        CL_INVALID_VALUE: compile(good, In::null(), 0, headers, names);
        CL_INVALID_VALUE: compile(good, In::null(), 1, In::null(), names);
        CL_INVALID_VALUE: compile(good, In::null(), 1, headers, In::null());
        CL_INVALID_PROGRAM: compile(good, In::null(), 1, In::from_slice(&[context]), names);
        CL_INVALID_COMPILER_OPTIONS: compile(good, text(c"-no-such-option"), 0, In::null(), In::null());
        CL_INVALID_OPERATION: plain(built);
        CL_COMPILE_PROGRAM_FAILURE: plain(wrong);
        CL_BUILD_PROGRAM_FAILURE: program::build_program(wrong, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: kernel::create_kernels_in_program(context, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernels_in_program(wrong, 0, Out::null(), Out::null());
        CL_INVALID_OPERATION: link(context, &[], In::null(), &[good]);
    }
    plain(good).unwrap();
    plain(missing).unwrap();
    refused! {
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernel(good, text(c"k"));
        CL_INVALID_CONTEXT: link(device, &[], In::null(), &[good]);
        CL_INVALID_VALUE: link(context, &[], In::null(), &[]);
        CL_INVALID_DEVICE: link(context, &[context], In::null(), &[good]);
        CL_INVALID_PROGRAM: link(context, &[], In::null(), &[good, context]);
        CL_INVALID_OPERATION: link(context, &[], In::null(), &[good, built]);
        CL_INVALID_LINKER_OPTIONS: link(context, &[], text(c"-no-such-option"), &[good]);
        CL_LINK_PROGRAM_FAILURE: link(context, &[], In::null(), &[missing]);
        CL_LINK_PROGRAM_FAILURE: link(context, &[], In::null(), &[good, good]);
    }
    let linked = link(context, &[device], In::null(), &[good]).unwrap();
    refused! {
        CL_INVALID_OPERATION: plain(linked);
        CL_INVALID_OPERATION: program::build_program(linked, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: program::set_program_release_callback(context, None, NONE);
        CL_INVALID_OPERATION: program::set_program_release_callback(built, None, NONE);
        CL_INVALID_PROGRAM: program::set_program_specialization_constant(context, 0, 4, In::from_slice(&[0; 4]));
        CL_INVALID_PROGRAM: program::set_program_specialization_constant(built, 0, 4, In::from_slice(&[0; 4]));
        CL_INVALID_PROGRAM: program::get_program_build_info(context, device, CL_PROGRAM_BUILD_STATUS, 0, Out::null(), Out::null());
        CL_INVALID_KERNEL: kernel::set_kernel_exec_info(built, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, In::null());
        CL_INVALID_VALUE: kernel::set_kernel_exec_info(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, In::null());
        CL_INVALID_KERNEL: kernel::set_kernel_arg_svm_pointer(built, 0, NONE);
        CL_INVALID_KERNEL: kernel::set_kernel_arg_address(built, 0, 0);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_address(kernel, 0, 0);
        CL_INVALID_KERNEL: kernel_info::get_kernel_work_group_info(built, device, CL_KERNEL_WORK_GROUP_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: kernel_info::get_kernel_sub_group_info(kernel, context, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, In::null(), 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_sub_group_info(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, In::null(), 0, Out::null(), Out::null());
    }
}

#[test]
fn suggested_sizes() {
    let fixture = Fixture::new();
    let Fixture { queue, .. } = fixture;
    let (_, k) = fixture.kernel(c"kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    let foreign = queue::create_command_queue(fixture.other_context, fixture.device, 0).unwrap();
    let (some, none) = ([64_usize; 3], [64_usize, 0, 64]);
    let (some, none, most) = (In::from_slice(&some), In::from_slice(&none), [usize::MAX; 3]);
    let mut answer = [0_usize; 3];
    let ask = |queue, kernel, dimensions, offset, size, answer: &mut [usize; 3]| {
        api::launch::get_kernel_suggested_local_work_size(queue, kernel, dimensions, offset, size, Out::from_mut(&mut answer[0]))
    };
    refused! {
        CL_INVALID_KERNEL_ARGS: ask(queue, k, 1, In::null(), some, &mut answer);
    }
    let buffer = memory::create_buffer(fixture.context, 0, 64, NONE).unwrap();
    kernel::set_kernel_arg(k, 0, 8, In::from_slice(&(buffer as usize).to_ne_bytes())).unwrap();
    refused! {
        CL_INVALID_COMMAND_QUEUE: ask(k, k, 1, In::null(), some, &mut answer);
        CL_INVALID_KERNEL: ask(queue, queue, 1, In::null(), some, &mut answer);
        CL_INVALID_CONTEXT: ask(foreign, k, 1, In::null(), some, &mut answer);
        CL_INVALID_WORK_DIMENSION: ask(queue, k, 0, In::null(), some, &mut answer);
        CL_INVALID_WORK_DIMENSION: ask(queue, k, 4, In::null(), some, &mut answer);
        CL_INVALID_GLOBAL_WORK_SIZE: ask(queue, k, 1, In::null(), In::null(), &mut answer);
        CL_INVALID_GLOBAL_WORK_SIZE: ask(queue, k, 2, In::null(), none, &mut answer);
        CL_INVALID_GLOBAL_OFFSET: ask(queue, k, 1, In::from_slice(&most), some, &mut answer);
        CL_INVALID_VALUE: api::launch::get_kernel_suggested_local_work_size(queue, k, 1, In::null(), some, Out::null());
    }
    assert_eq!(answer, [0; 3]);
    ask(queue, k, 2, In::null(), some, &mut answer).unwrap();
    assert!(answer[0] > 0 && answer[1] > 0 && answer[2] == 0);
}

/// cl_ext_immutable_memory_objects
#[test]
fn what_cannot_be_changed() {
    let fixture = Fixture::new();
    let Fixture { context, queue, .. } = fixture;
    let mut host = [7_u8; 64];
    let pointer = host.as_mut_ptr().cast::<c_void>();
    let place = HostPointer(pointer.cast());
    let make = |flags, pointer| memory::create_buffer(context, flags | CL_MEM_IMMUTABLE_EXT, 64, pointer);
    let part = |parent, flags| {
        let region: [usize; 2] = [0, 64];
        // SAFETY: a region of two sizes.
        let info = unsafe { In::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, info)
    };
    let constant = make(CL_MEM_COPY_HOST_PTR, pointer).unwrap();
    let own = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let inherits = part(constant, 0).unwrap();
    let (origin, region) = (In::from_slice(&[0; 3]), In::from_slice(&[4, 4, 1]));
    let maps = |flags| map::enqueue_map_buffer(queue, constant, CL_TRUE, flags, 0, 64, 0, In::null(), Out::null());
    let (_, writes) = fixture.kernel(c"kernel void k(global int *a, global const int *b, constant int *c) { a[0] += b[0] + c[0]; }");
    let handle = (constant as usize).to_ne_bytes();
    let set = |index| kernel::set_kernel_arg(writes, index, 8, In::from_slice(&handle));
    refused! {
        CL_INVALID_VALUE: make(0, NONE);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, pointer);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_WRITE_ONLY, pointer);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY, pointer);
        CL_INVALID_VALUE: part(constant, CL_MEM_READ_WRITE);
        CL_INVALID_VALUE: pipe::create_pipe(context, CL_MEM_IMMUTABLE_EXT, 4, 4, In::null());
        CL_INVALID_VALUE: svm::svm_alloc(context, CL_MEM_IMMUTABLE_EXT, 4, 0);
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write::<Write>(queue, constant, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write::<Write>(queue, inherits, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write_rect::<Write>(queue, constant, CL_TRUE, origin, origin, region, 0, 0, 0, 0, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_copy(queue, own, constant, 0, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_copy_rect(queue, own, constant, origin, origin, region, 0, 0, 0, 0, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_fill(queue, constant, In::from_slice(&[0]), 1, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE);
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE_INVALIDATE_REGION);
        CL_INVALID_ARG_VALUE: set(0);
    }
    set(1).unwrap();
    set(2).unwrap();
    maps(CL_MAP_READ).unwrap();
    buffer::enqueue_copy(queue, constant, own, 0, 0, 64, 0, In::null(), Out::null()).unwrap();
    host.fill(0);
    buffer::enqueue_read_or_write::<Read>(queue, own, CL_TRUE, 0, 64, place, 0, In::null(), Out::null()).unwrap();
    assert_eq!(host, [7; 64]);
}
