//! Markers and barriers: §5.12.

use super::{Cost, Queue, Submission};
use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::event::{Event, wait_list};
use crate::handle::lookup;
use crate::raw::{In, Out};
use std::sync::Arc;

/// clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList and their predecessors: a command that does nothing, after the wait list, or
/// where that is empty after all that came before.
pub fn enqueue_synchronization(
    queue: &Arc<Queue>,
    command: cl_command_type,
    mut wait_list: Vec<Arc<Event>>,
    event: Out<cl_event>,
) -> Result<()> {
    let after_all = wait_list.is_empty();
    if after_all {
        wait_list = queue.outstanding();
    }
    let barrier = command == CL_COMMAND_BARRIER;
    let submission = Submission {
        queue,
        command,
        wait_list,
        after_all,
        event,
        cost: Cost::Small,
        name: None,
        touches: Vec::new(),
    };
    if queue.is_in_order() || !barrier {
        return submission.submit(|| Ok(()));
    }
    submission.enqueue(Box::new(|| Ok(())), true).map(drop)
}

/// clEnqueueMarkerWithWaitList
pub fn enqueue_marker_with_wait_list(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    enqueue_synchronization(&queue, CL_COMMAND_MARKER, wait_list, event)
}

/// clEnqueueBarrierWithWaitList
pub fn enqueue_barrier_with_wait_list(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    enqueue_synchronization(&queue, CL_COMMAND_BARRIER, wait_list, event)
}

/// clEnqueueMarker
pub fn enqueue_marker(command_queue: cl_command_queue, event: Out<cl_event>) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if event is NULL.
    fail_if(event.is_null(), CL_INVALID_VALUE)?;
    enqueue_synchronization(&queue, CL_COMMAND_MARKER, Vec::new(), event)
}

/// clEnqueueBarrier
pub fn enqueue_barrier(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    enqueue_synchronization(&queue, CL_COMMAND_BARRIER, Vec::new(), Out::null())
}

/// clEnqueueWaitForEvents
pub fn enqueue_wait_for_events(command_queue: cl_command_queue, num_events: cl_uint, event_list: In<cl_event>) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_VALUE if num_events is zero or event_list is NULL.
    fail_if(num_events == 0 || event_list.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_EVENT if event objects specified in event_list are not valid events.
    let list = wait_list(num_events, event_list, &queue.context).map_err(|code| {
        if code == CL_INVALID_EVENT_WAIT_LIST {
            CL_INVALID_EVENT
        } else {
            code
        }
    })?;
    enqueue_synchronization(&queue, CL_COMMAND_BARRIER, list, Out::null())
}
