//! Queues and events: order, dependencies, failures, callbacks, threads. What the commands do is told by native kernels.

use api::cl::*;
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, buffer, map};
use api::{context, device, device_info, event, memory, platform, queue};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

/// A context and the device that it is for.
struct Fixture {
    context: cl_context,
    device: cl_device_id,
}

impl Fixture {
    fn new() -> Fixture {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
        Fixture { context, device }
    }

    fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        queue::create_command_queue(self.context, self.device, properties).unwrap()
    }
}

const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Enqueues a command that does what a closure does.
fn enqueue(queue: cl_command_queue, wait_list: &[cl_event], body: impl FnOnce() + Send + 'static) -> cl_event {
    unsafe extern "C" fn call(arguments: *mut c_void) {
        // SAFETY: the pointer that `enqueue` put there.
        let body = unsafe { Box::from_raw(*arguments.cast::<*mut Box<dyn FnOnce() + Send>>()) };
        body();
    }
    let body: Box<Box<dyn FnOnce() + Send>> = Box::new(Box::new(body));
    let pointer = (Box::into_raw(body) as usize).to_ne_bytes();
    let mut event = null_mut();
    let list = if wait_list.is_empty() {
        In::null()
    } else {
        In::from_slice(wait_list)
    };
    api::launch::enqueue_native_kernel(
        queue,
        Some(call),
        In::from_slice(&pointer),
        pointer.len(),
        0,
        In::null(),
        In::null(),
        wait_list.len() as cl_uint,
        list,
        Out::from_mut(&mut event),
    )
    .unwrap();
    event
}

fn status(event: cl_event) -> cl_int {
    let mut status: cl_int = 99;
    let place = Out::from_mut(&mut status);
    // SAFETY: a valid place for an integer.
    let place: Out<c_void> = unsafe { api::raw::FromC::from_c(place.as_ptr().cast::<c_void>()) };
    event::get_event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, place, Out::null()).unwrap();
    status
}

fn wait(events: &[cl_event]) -> Result<(), cl_int> {
    event::wait_for_events(events.len() as cl_uint, In::from_slice(events))
}

#[test]
fn an_in_order_queue_keeps_its_order() {
    let fixture = Fixture::new();
    let queue = fixture.queue(0);
    let log = Arc::new(Mutex::new(Vec::new()));
    for number in 0..1000 {
        let log = log.clone();
        event::release_event(enqueue(queue, &[], move || log.lock().unwrap().push(number))).unwrap();
    }
    queue::finish(queue).unwrap();
    assert_eq!(*log.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    queue::release_command_queue(queue).unwrap();
}

#[test]
fn a_user_event_holds_up_what_waits_for_it() {
    let fixture = Fixture::new();
    for properties in [0, OUT_OF_ORDER] {
        let queue = fixture.queue(properties);
        let gate = event::create_user_event(fixture.context).unwrap();
        let done = Arc::new(AtomicUsize::new(0));
        let count = |done: &Arc<AtomicUsize>| {
            let done = done.clone();
            move || {
                done.fetch_add(1, Ordering::SeqCst);
            }
        };
        let first = enqueue(queue, &[gate], count(&done));
        let second = enqueue(queue, &[first], count(&done));
        queue::flush(queue).unwrap();
        assert_eq!(
            (status(first), status(second), done.load(Ordering::SeqCst)),
            (CL_QUEUED, CL_QUEUED, 0)
        );
        event::set_user_event_status(gate, CL_COMPLETE).unwrap();
        wait(&[second]).unwrap();
        assert_eq!((status(first), done.load(Ordering::SeqCst)), (CL_COMPLETE, 2));
        assert_eq!(event::set_user_event_status(gate, CL_COMPLETE), Err(CL_INVALID_OPERATION));
        assert_eq!(event::set_user_event_status(first, CL_COMPLETE), Err(CL_INVALID_EVENT));
    }
}

#[test]
fn failure_spreads_to_what_waits_but_not_to_what_follows() {
    let fixture = Fixture::new();
    for properties in [0, OUT_OF_ORDER] {
        let queue = fixture.queue(properties);
        let gate = event::create_user_event(fixture.context).unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let never = ran.clone();
        let first = enqueue(queue, &[gate], move || {
            never.fetch_add(1, Ordering::SeqCst);
        });
        let second = enqueue(queue, &[first], || unreachable!("its wait list failed"));
        let mut marker = null_mut();
        queue::enqueue_marker_with_wait_list(queue, 0, In::null(), Out::from_mut(&mut marker)).unwrap();
        event::set_user_event_status(gate, -77).unwrap();
        assert_eq!(wait(&[second]), Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        assert_eq!(wait(&[marker]), Ok(()));
        assert_eq!(
            (status(gate), status(first), status(second)),
            (
                -77,
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
            )
        );
        assert_eq!(ran.load(Ordering::SeqCst), 0);
        queue::finish(queue).unwrap();
    }
}

#[test]
fn a_user_event_that_nobody_can_set_any_more_frees_what_waits() {
    let fixture = Fixture::new();
    let queue = fixture.queue(0);
    let gate = event::create_user_event(fixture.context).unwrap();
    let first = enqueue(queue, &[gate], || ());
    event::release_event(gate).unwrap();
    assert_eq!(wait(&[first]), Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
}

/// Its callback gets an event that lives, by no reference of the application's.
#[test]
fn a_user_event_that_nobody_can_set_any_more_tells_its_callbacks() {
    unsafe extern "C" fn told(event: cl_event, status: cl_int, sender: *mut c_void) {
        let mut kind: cl_uint = 0;
        // SAFETY: a valid place.
        let place = unsafe { Out::from_c(std::ptr::from_mut(&mut kind).cast()) };
        event::get_event_info(event, CL_EVENT_COMMAND_TYPE, 4, place, Out::null()).unwrap();
        assert_eq!((kind, event::release_event(event)), (CL_COMMAND_USER, Err(CL_INVALID_EVENT)));
        // SAFETY: what the test gave.
        unsafe { tell(event, status, sender) };
    }
    let fixture = Fixture::new();
    let (sender, receiver) = channel::<cl_int>();
    let sender: *mut c_void = Box::into_raw(Box::new(sender)).cast();
    for _ in 0..100 {
        let gate = event::create_user_event(fixture.context).unwrap();
        event::set_event_callback(gate, CL_COMPLETE, Some(told), sender).unwrap();
        event::retain_event(gate).unwrap();
        event::release_event(gate).unwrap();
        assert!(receiver.try_recv().is_err(), "a reference is left");
        event::release_event(gate).unwrap();
        assert_eq!(receiver.recv().unwrap(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
}

#[test]
fn a_barrier_divides_an_out_of_order_queue() {
    let fixture = Fixture::new();
    let queue = fixture.queue(OUT_OF_ORDER);
    for _ in 0..50 {
        let before = Arc::new(AtomicUsize::new(0));
        for _ in 0..8 {
            let before = before.clone();
            event::release_event(enqueue(queue, &[], move || {
                before.fetch_add(1, Ordering::SeqCst);
            }))
            .unwrap();
        }
        queue::enqueue_barrier(queue).unwrap();
        let (sender, receiver) = channel();
        for _ in 0..4 {
            let (before, sender) = (before.clone(), sender.clone());
            event::release_event(enqueue(queue, &[], move || sender.send(before.load(Ordering::SeqCst)).unwrap())).unwrap();
        }
        drop(sender);
        queue::finish(queue).unwrap();
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [8; 4]);
    }
}

#[test]
fn queues_wait_for_each_other() {
    let fixture = Fixture::new();
    let queues: Vec<cl_command_queue> = (0..16).map(|i| fixture.queue(if i % 3 == 0 { OUT_OF_ORDER } else { 0 })).collect();
    let counter = Arc::new(AtomicUsize::new(0));
    let mut last: Option<cl_event> = None;
    for number in 0..2000 {
        let counter = counter.clone();
        let wait_list: Vec<cl_event> = last.into_iter().collect();
        let event = enqueue(queues[number * 7 % 16], &wait_list, move || {
            // Each waits for the one before, whatever the queue.
            assert_eq!(counter.fetch_add(1, Ordering::SeqCst), number);
        });
        if let Some(event) = last.replace(event) {
            event::release_event(event).unwrap();
        }
    }
    wait(&[last.unwrap()]).unwrap();
    assert_eq!(counter.load(Ordering::SeqCst), 2000);
}

#[test]
fn threads_share_a_queue() {
    struct Shared(cl_command_queue);
    // SAFETY: a handle may be used from any thread.
    unsafe impl Sync for Shared {}
    impl Shared {
        fn id(&self) -> cl_command_queue {
            self.0
        }
    }
    let fixture = Fixture::new();
    for properties in [0, OUT_OF_ORDER] {
        let queue = Shared(fixture.queue(properties));
        let done = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let counter = done.clone();
                        let event = enqueue(queue.id(), &[], move || {
                            counter.fetch_add(1, Ordering::SeqCst);
                        });
                        if done.load(Ordering::SeqCst).is_multiple_of(5) {
                            wait(&[event]).unwrap();
                        }
                        event::release_event(event).unwrap();
                    }
                    queue::finish(queue.id()).unwrap();
                });
            }
        });
        assert_eq!(done.load(Ordering::SeqCst), 2000);
    }
}

unsafe extern "C" fn tell(_: cl_event, status: cl_int, sender: *mut c_void) {
    // SAFETY: the sender that the test leaked for this call.
    let sender = unsafe { &*sender.cast::<Sender<cl_int>>() };
    sender.send(status).unwrap();
}

#[test]
fn callbacks_hear_of_each_status_in_order() {
    let fixture = Fixture::new();
    let queue = fixture.queue(0);
    let (sender, receiver) = channel::<cl_int>();
    let sender: *mut c_void = Box::into_raw(Box::new(sender)).cast();
    let gate = event::create_user_event(fixture.context).unwrap();
    let command = enqueue(queue, &[gate], || ());
    for kind in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
        event::set_event_callback(command, kind, Some(tell), sender).unwrap();
    }
    event::set_user_event_status(gate, CL_COMPLETE).unwrap();
    assert_eq!([(); 3].map(|()| receiver.recv().unwrap()), [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
    event::set_event_callback(command, CL_COMPLETE, Some(tell), sender).unwrap();
    assert_eq!(receiver.recv().unwrap(), CL_COMPLETE);

    let gate = event::create_user_event(fixture.context).unwrap();
    event::set_event_callback(gate, CL_COMPLETE, Some(tell), sender).unwrap();
    event::set_user_event_status(gate, -5).unwrap();
    assert_eq!(receiver.recv().unwrap(), -5);
    assert_eq!(
        event::set_event_callback(command, CL_QUEUED, Some(tell), sender),
        Err(CL_INVALID_VALUE)
    );
    assert_eq!(event::set_event_callback(command, CL_COMPLETE, None, sender), Err(CL_INVALID_VALUE));
}

#[test]
fn profiled_times_ascend() {
    let fixture = Fixture::new();
    let queue = fixture.queue(CL_QUEUE_PROFILING_ENABLE);
    let command = enqueue(queue, &[], || ());
    wait(&[command]).unwrap();
    let names = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_COMPLETE,
    ];
    let times = names.map(|name| {
        let mut time: cl_ulong = 0;
        let place = Out::from_mut(&mut time).as_ptr().cast::<c_void>();
        // SAFETY: a valid place for a time.
        let place: Out<c_void> = unsafe { api::raw::FromC::from_c(place) };
        event::get_event_profiling_info(command, name, 8, place, Out::null()).unwrap();
        time
    });
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
}

#[test]
fn buffers_are_read_written_filled_and_mapped() {
    let fixture = Fixture::new();
    let queue = fixture.queue(0);
    let buffer = memory::create_buffer(fixture.context, CL_MEM_READ_WRITE, 4096, null_mut()).unwrap();
    let none = (0, In::null(), Out::null());
    let pattern = [1_u8, 2, 3, 4];
    buffer::enqueue_fill(queue, buffer, In::from_slice(&pattern), 4, 8, 16, none.0, none.1, none.2).unwrap();
    let mut read = [0_u8; 32];
    buffer::enqueue_read_or_write::<Read>(
        queue,
        buffer,
        CL_TRUE,
        0,
        32,
        HostPointer(read.as_mut_ptr()),
        none.0,
        none.1,
        none.2,
    )
    .unwrap();
    assert_eq!(read[8..24], [pattern; 4].concat());
    assert_eq!((&read[..8], &read[24..]), (&[0; 8][..], &[0; 8][..]));

    let pointer = map::enqueue_map_buffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 8, 4, none.0, none.1, none.2).unwrap();
    let again = map::enqueue_map_buffer(queue, buffer, CL_TRUE, CL_MAP_READ, 4, 5, none.0, none.1, none.2);
    assert_eq!(again, Err(CL_INVALID_OPERATION));
    // SAFETY: four mapped bytes.
    unsafe { pointer.cast::<[u8; 4]>().write([9; 4]) };
    assert_eq!(
        map::enqueue_unmap_mem_object(queue, buffer, null_mut(), none.0, none.1, none.2),
        Err(CL_INVALID_VALUE)
    );
    map::enqueue_unmap_mem_object(queue, buffer, pointer, none.0, none.1, none.2).unwrap();
    buffer::enqueue_copy(queue, buffer, buffer, 8, 100, 4, none.0, none.1, none.2).unwrap();
    let overlapping = buffer::enqueue_copy(queue, buffer, buffer, 8, 10, 4, none.0, none.1, none.2);
    assert_eq!(overlapping, Err(CL_MEM_COPY_OVERLAP));
    buffer::enqueue_read_or_write::<Read>(
        queue,
        buffer,
        CL_TRUE,
        100,
        4,
        HostPointer(read.as_mut_ptr()),
        none.0,
        none.1,
        none.2,
    )
    .unwrap();
    assert_eq!(read[..4], [9; 4]);
    let outside = buffer::enqueue_read_or_write::<Read>(
        queue,
        buffer,
        CL_TRUE,
        4090,
        8,
        HostPointer(read.as_mut_ptr()),
        none.0,
        none.1,
        none.2,
    );
    assert_eq!(outside, Err(CL_INVALID_VALUE));
}

#[test]
fn sub_buffers_are_parts_of_their_parents() {
    let fixture = Fixture::new();
    let queue = fixture.queue(0);
    let mut host = [7_u8; 512];
    let parent = memory::create_buffer(fixture.context, CL_MEM_USE_HOST_PTR, 512, host.as_mut_ptr().cast()).unwrap();
    let region = |origin: usize, size: usize| {
        let region = [origin, size];
        // SAFETY: a region of two sizes.
        let info: In<c_void> = unsafe { api::raw::FromC::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, info)
    };
    assert_eq!(region(64, 128), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    assert_eq!(region(128, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(region(384, 129), Err(CL_INVALID_VALUE));
    let part = region(128, 128).unwrap();
    memory::release_mem_object(parent).unwrap();
    buffer::enqueue_fill(queue, part, In::from_slice(&[1]), 1, 0, 128, 0, In::null(), Out::null()).unwrap();
    queue::finish(queue).unwrap();
    assert_eq!((host[127], host[128], host[255], host[256]), (7, 1, 1, 7));
    memory::release_mem_object(part).unwrap();
    assert_eq!(memory::release_mem_object(part), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(memory::release_mem_object(parent), Err(CL_INVALID_MEM_OBJECT));
}

/// Before the wait and after it, and the next signal is as good as ever.
#[test]
fn a_signal_that_fails_fails_its_wait() {
    use api::semaphore;
    let fixture = Fixture::new();
    let (first, second) = (fixture.queue(OUT_OF_ORDER), fixture.queue(0));
    let properties = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
    let semaphore = semaphore::create_semaphore_with_properties(fixture.context, In::from_slice(&properties)).unwrap();
    let list = || In::from_slice(std::slice::from_ref(&semaphore));
    let signal = |wait_list: &[cl_event]| {
        let (count, events) = (wait_list.len() as cl_uint, In::from_slice(wait_list));
        let events = if count == 0 { In::null() } else { events };
        semaphore::enqueue_signal_semaphores(first, 1, list(), In::null(), count, events, Out::null()).unwrap();
    };
    let wait_for_signal = || {
        let mut waited = null_mut();
        semaphore::enqueue_wait_semaphores(second, 1, list(), In::null(), 0, In::null(), Out::from_mut(&mut waited)).unwrap();
        waited
    };
    for waits_first in [true, false] {
        let gate = event::create_user_event(fixture.context).unwrap();
        signal(&[gate]);
        let waited = waits_first.then(wait_for_signal);
        event::set_user_event_status(gate, -5).unwrap();
        queue::finish(first).unwrap();
        let waited = waited.unwrap_or_else(wait_for_signal);
        assert_eq!(wait(&[waited]), Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        signal(&[]);
        assert_eq!(wait(&[wait_for_signal()]), Ok(()));
    }
}

#[test]
fn a_semaphore_orders_queues() {
    use api::semaphore;
    let fixture = Fixture::new();
    let (first, second) = (fixture.queue(0), fixture.queue(OUT_OF_ORDER));
    let properties = [cl_properties::from(CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
    let semaphore = semaphore::create_semaphore_with_properties(fixture.context, In::from_slice(&properties)).unwrap();
    let counter = Arc::new(AtomicUsize::new(0));
    for round in 0..100 {
        let mut waited = null_mut();
        let list = In::from_slice(std::slice::from_ref(&semaphore));
        semaphore::enqueue_wait_semaphores(second, 1, list, In::null(), 0, In::null(), Out::from_mut(&mut waited)).unwrap();
        let seen = counter.clone();
        let after = enqueue(second, &[waited], move || assert_eq!(seen.load(Ordering::SeqCst), round + 1));
        let counter = counter.clone();
        event::release_event(enqueue(first, &[], move || {
            counter.fetch_add(1, Ordering::SeqCst);
        }))
        .unwrap();
        semaphore::enqueue_signal_semaphores(first, 1, list, In::null(), 0, In::null(), Out::null()).unwrap();
        wait(&[after]).unwrap();
    }
    semaphore::release_semaphore(semaphore).unwrap();
    assert_eq!(semaphore::release_semaphore(semaphore), Err(CL_INVALID_SEMAPHORE_KHR));
    assert_eq!(
        semaphore::create_semaphore_with_properties(fixture.context, In::from_slice(&[0])),
        Err(CL_INVALID_VALUE)
    );
}

#[test]
fn devices_are_divided_as_far_as_they_go() {
    let fixture = Fixture::new();
    let mut units: cl_uint = 0;
    let place = Out::from_mut(&mut units).as_ptr().cast::<c_void>();
    // SAFETY: a valid place for an integer.
    let place: Out<c_void> = unsafe { api::raw::FromC::from_c(place) };
    device_info::get_device_info(fixture.device, CL_DEVICE_MAX_COMPUTE_UNITS, 4, place, Out::null()).unwrap();
    let equally = |count: isize| {
        let mut devices = [null_mut(); 256];
        let mut made = 0;
        let properties = [CL_DEVICE_PARTITION_EQUALLY as isize, count, 0];
        let place = Out::from_mut(&mut devices[0]);
        device::create_sub_devices(fixture.device, In::from_slice(&properties), 256, place, Out::from_mut(&mut made))?;
        for &device in &devices[..made as usize] {
            device::release_device(device)?;
            assert_eq!(device::release_device(device), Err(CL_INVALID_DEVICE));
        }
        Ok(made)
    };
    // CL_DEVICE_PARTITION_TYPE is the whole list that clCreateSubDevices was given: counts and properties each end with a zero.
    if units >= 2 {
        let counts = [
            CL_DEVICE_PARTITION_BY_COUNTS as isize,
            1,
            1,
            CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as isize,
            0,
        ];
        let (mut devices, mut list, mut size) = ([null_mut(); 2], [-1_isize; 8], 0);
        device::create_sub_devices(
            fixture.device,
            In::from_slice(&counts),
            2,
            Out::from_mut(&mut devices[0]),
            Out::null(),
        )
        .unwrap();
        // SAFETY: a valid place for eight properties.
        let place: Out<c_void> = unsafe { api::raw::FromC::from_c(list.as_mut_ptr().cast::<c_void>()) };
        let size_place = Out::from_mut(&mut size);
        device_info::get_device_info(devices[0], CL_DEVICE_PARTITION_TYPE, size_of_val(&list), place, size_place).unwrap();
        assert_eq!(list[..size / size_of::<isize>()], counts);
        for device in devices {
            device::release_device(device).unwrap();
        }
    }
    assert_eq!(equally(units as isize), Err(CL_DEVICE_PARTITION_FAILED));
    assert_eq!(equally(units as isize + 1), Err(CL_INVALID_DEVICE_PARTITION_COUNT));
    assert_eq!(equally(0), Err(CL_INVALID_VALUE));
    if (2..=256).contains(&units) {
        assert_eq!(equally(1), Ok(units));
    }
}

/// Two thousand queues of both kinds, two hundred thousand commands that wait for one user event, and a handful of threads.
#[test]
fn many_queues_and_many_commands() {
    const QUEUES: usize = 2000;
    const COMMANDS: usize = 100;
    let fixture = Fixture::new();
    let gate = event::create_user_event(fixture.context).unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let mut queues = Vec::new();
    for index in 0..QUEUES {
        let queue = fixture.queue(if index % 2 == 0 { 0 } else { OUT_OF_ORDER });
        for _ in 0..COMMANDS {
            let done = done.clone();
            let event = enqueue(queue, &[gate], move || {
                done.fetch_add(1, Ordering::Relaxed);
            });
            event::release_event(event).unwrap();
        }
        queues.push(queue);
    }
    assert_eq!(done.load(Ordering::Relaxed), 0);
    event::set_user_event_status(gate, CL_COMPLETE).unwrap();
    for queue in queues {
        queue::finish(queue).unwrap();
        queue::release_command_queue(queue).unwrap();
    }
    assert_eq!(done.load(Ordering::Relaxed), QUEUES * COMMANDS);
    event::release_event(gate).unwrap();
}
