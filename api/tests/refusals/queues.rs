//! Queues, events and semaphores.

use crate::*;

#[test]
fn queues() {
    let Fixture {
        device, context, queue, ..
    } = Fixture::new();
    let create =
        |properties: &[cl_queue_properties]| queue::create_command_queue_with_properties(context, device, In::from_slice(properties));
    let [name, size, priority, throttle] =
        [CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR].map(cl_queue_properties::from);
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let of_device = create(&[name, on_device, size, 16, 0]).unwrap();
    refused! {
        CL_INVALID_CONTEXT: queue::create_command_queue(device, device, 0);
        CL_INVALID_DEVICE: queue::create_command_queue(context, context, 0);
        CL_INVALID_VALUE: queue::create_command_queue(context, device, 1 << 40);
        CL_INVALID_VALUE: create(&[77, 0, 0]);
        CL_INVALID_VALUE: create(&[name, 1 << 40, 0]);
        CL_INVALID_VALUE: create(&[name, 0, name, 0, 0]);
        CL_INVALID_VALUE: create(&[name, CL_QUEUE_ON_DEVICE, 0]);
        CL_INVALID_VALUE: create(&[size, 16, 0]);
        CL_INVALID_VALUE: create(&[priority, 99, 0]);
        CL_INVALID_VALUE: create(&[throttle, 99, 0]);
        CL_INVALID_QUEUE_PROPERTIES: create(&[name, on_device, priority, cl_queue_properties::from(CL_QUEUE_PRIORITY_LOW_KHR), 0]);
        CL_INVALID_QUEUE_PROPERTIES: create(&[name, on_device, throttle, cl_queue_properties::from(CL_QUEUE_THROTTLE_LOW_KHR), 0]);
        CL_INVALID_VALUE: create(&[name, CL_QUEUE_ON_DEVICE_DEFAULT, 0]);
        CL_INVALID_QUEUE_PROPERTIES: create(&[name, on_device, size, 1 << 40, 0]);
        CL_INVALID_COMMAND_QUEUE: queue::retain_command_queue(context);
        CL_INVALID_COMMAND_QUEUE: queue::release_command_queue(context);
        CL_INVALID_COMMAND_QUEUE: queue::get_command_queue_info(context, CL_QUEUE_CONTEXT, 0, Out::null(), Out::null());
        CL_INVALID_COMMAND_QUEUE: queue::get_command_queue_info(queue, CL_QUEUE_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: queue::get_command_queue_info(queue, 1, 0, Out::null(), Out::null());
        CL_INVALID_CONTEXT: queue::set_default_device_command_queue(device, device, queue);
        CL_INVALID_DEVICE: queue::set_default_device_command_queue(context, context, queue);
        CL_INVALID_COMMAND_QUEUE: queue::set_default_device_command_queue(context, device, queue);
        CL_INVALID_VALUE: queue::get_command_queue_info(of_device, 1, 0, Out::null(), Out::null());
        CL_INVALID_COMMAND_QUEUE: queue::flush(of_device);
        CL_INVALID_COMMAND_QUEUE: queue::finish(of_device);
        CL_INVALID_COMMAND_QUEUE: queue::enqueue_barrier(of_device);
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
    let made = semaphore::create_semaphore_with_properties(context, In::from_slice(&[binary[0], binary[1], 0])).unwrap();
    let failed = event::create_user_event(context).unwrap();
    event::set_user_event_status(failed, -1).unwrap();
    // A command that has not ended, of a queue that takes times.
    let timed = queue::create_command_queue(context, device, CL_QUEUE_PROFILING_ENABLE).unwrap();
    let mut waits = null_mut();
    queue::enqueue_marker_with_wait_list(timed, 1, In::from_slice(&[mine]), Out::from_mut(&mut waits)).unwrap();
    let (made, failed) = ([made], [failed]);
    let (made, failed) = (In::from_slice(&made), In::from_slice(&failed));
    refused! {
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: semaphore::enqueue_wait_semaphores(queue, 1, made, In::null(), 1, failed, Out::null());
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: semaphore::enqueue_signal_semaphores(queue, 1, made, In::null(), 1, failed, Out::null());
        CL_INVALID_VALUE: semaphore::enqueue_wait_semaphores(queue, 1, In::null(), In::null(), 0, In::null(), Out::null());
        CL_PROFILING_INFO_NOT_AVAILABLE: event::get_event_profiling_info(waits, CL_PROFILING_COMMAND_END, 0, Out::null(), Out::null());
        CL_INVALID_SEMAPHORE_KHR: semaphore::enqueue_wait_semaphores(queue, 1, In::from_slice(&[queue]), In::null(), 0, In::null(), Out::null());
    }
    event::set_user_event_status(mine, 0).unwrap();
    assert_eq!(event::set_user_event_status(mine, 0), Err(CL_INVALID_OPERATION));
    let failed = event::create_user_event(context).unwrap();
    event::set_user_event_status(failed, -1).unwrap();
    let waited = event::wait_for_events(2, In::from_slice(&[done, failed]));
    assert_eq!(waited, Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
}

/// Objects that are for one device, where there are two.
#[test]
fn of_the_other_device() {
    let fixture = Fixture::new();
    let Some((both, part)) = fixture.divided() else { return };
    let Fixture { device, context, .. } = fixture;
    let (whole, divided) = (
        queue::create_command_queue(both, device, 0).unwrap(),
        queue::create_command_queue(both, part, 0).unwrap(),
    );
    let properties = |device: cl_device_id| {
        let list = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as cl_properties;
        [
            CL_SEMAPHORE_TYPE_KHR as cl_properties,
            CL_SEMAPHORE_TYPE_BINARY_KHR,
            list,
            device as cl_properties,
            0,
            0,
        ]
    };
    let two = [&properties(device)[..4], &[part as cl_properties, 0, 0]].concat();
    let of_whole = [semaphore::create_semaphore_with_properties(both, In::from_slice(&properties(device))).unwrap()];
    let of_whole = In::from_slice(&of_whole);
    let commands = command_buffer::create_command_buffer(1, In::from_slice(&[whole]), In::null()).unwrap();
    command_buffer::finalize_command_buffer(commands).unwrap();
    refused! {
        CL_INVALID_DEVICE: queue::create_command_queue(context, part, 0);
        CL_INVALID_DEVICE: queue::create_command_queue_with_properties(context, part, In::null());
        CL_INVALID_DEVICE: queue::set_default_device_command_queue(context, part, whole);
        CL_INVALID_DEVICE: unified::device_mem_alloc(context, part, In::null(), 4, 0);
        CL_INVALID_DEVICE: unified::shared_mem_alloc(context, part, In::null(), 4, 0);
        CL_INVALID_DEVICE: semaphore::create_semaphore_with_properties(context, In::from_slice(&properties(part)));
        CL_INVALID_DEVICE: semaphore::create_semaphore_with_properties(both, In::from_slice(&two));
        CL_INVALID_PROPERTY: semaphore::create_semaphore_with_properties(both, In::from_slice(&[properties(part)[0], properties(part)[1], 0]));
        CL_INVALID_COMMAND_QUEUE: semaphore::enqueue_wait_semaphores(divided, 1, of_whole, In::null(), 0, In::null(), Out::null());
        CL_INVALID_COMMAND_QUEUE: semaphore::enqueue_signal_semaphores(divided, 1, of_whole, In::null(), 0, In::null(), Out::null());
        CL_INVALID_DEVICE: command_buffer::enqueue_command_buffer(1, In::from_slice(&[divided]), commands, 0, In::null(), Out::null());
    }
    // A program that was built for the part alone.
    let source = c"kernel void k() { }";
    let program = program::create_program_with_source(both, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    program::build_program(program, 1, In::from_slice(&[part]), In::null(), None, NONE).unwrap();
    let k = kernel::create_kernel(program, text(c"k")).unwrap();
    let size = In::from_slice(&[4]);
    let launch = |queue| api::launch::enqueue_nd_range_kernel(queue, k, 1, In::null(), size, In::null(), 0, In::null(), Out::null());
    let mut answer = 0;
    refused! {
        CL_INVALID_PROGRAM_EXECUTABLE: launch(whole);
        CL_INVALID_PROGRAM_EXECUTABLE: api::launch::enqueue_task(whole, k, 0, In::null(), Out::null());
        CL_INVALID_PROGRAM_EXECUTABLE: api::launch::get_kernel_suggested_local_work_size(whole, k, 1, In::null(), size, Out::from_mut(&mut answer));
        CL_INVALID_DEVICE: kernel_info::get_kernel_work_group_info(k, NONE, CL_KERNEL_WORK_GROUP_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: kernel_info::get_kernel_sub_group_info(k, NONE, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, In::null(), 0, Out::null(), Out::null());
    }
    launch(divided).unwrap();
    queue::finish(divided).unwrap();
}

/// A queue that was released lives as long as its events do, which name it; but it serves no more.
#[test]
fn a_released_queue() {
    let fixture = Fixture::new();
    let gate = event::create_user_event(fixture.context).unwrap();
    let (gates, mut marker, mut named) = ([gate], NONE, NONE);
    let released = queue::create_command_queue(fixture.context, fixture.device, 0).unwrap();
    queue::enqueue_marker_with_wait_list(released, 1, In::from_slice(&gates), Out::from_mut(&mut marker)).unwrap();
    queue::release_command_queue(released).unwrap();
    refused! {
        CL_INVALID_COMMAND_QUEUE: queue::finish(released);
        CL_INVALID_COMMAND_QUEUE: queue::flush(released);
        CL_INVALID_COMMAND_QUEUE: queue::release_command_queue(released);
        CL_INVALID_COMMAND_QUEUE: queue::enqueue_marker_with_wait_list(released, 0, In::null(), Out::null());
    }
    event::get_event_info(marker, CL_EVENT_COMMAND_QUEUE, 8, out(&mut named), Out::null()).unwrap();
    assert_eq!(named, released);
    queue::get_command_queue_info(released, CL_QUEUE_CONTEXT, 8, out(&mut named), Out::null()).unwrap();
    assert_eq!(named, fixture.context);
    event::set_user_event_status(gate, CL_COMPLETE).unwrap();
    event::wait_for_events(1, In::from_slice(&[marker])).unwrap();
    event::release_event(gate).unwrap();
    event::release_event(marker).unwrap();
}
