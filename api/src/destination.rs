//! Where a command goes: into a queue (clEnqueue…), or into a command-buffer (clCommand…KHR). What both kinds of function check and do is
//! written once, for a destination.

use crate::checked::order::Touch;
use crate::cl::*;
use crate::command_buffer::recording::Recording;
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::event::{Event, wait_list};
use crate::handle::lookup;
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{In, Out};
use std::sync::Arc;

/// Where a command goes.
pub enum Destination {
    /// A queue, behind the events of a wait list.
    Queue {
        /// The queue.
        queue: Arc<Queue>,
        /// What the command waits for.
        wait_list: Vec<Arc<Event>>,
        /// Where the application wants its event.
        event: Out<cl_event>,
    },
    /// A command-buffer.
    CommandBuffer(Recording),
}

impl Destination {
    /// What a clEnqueue… function is given.
    pub fn queue(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: In<cl_event>,
        event: Out<cl_event>,
    ) -> Result<Destination> {
        // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
        let queue = lookup::<Queue>(command_queue)?.clone();
        let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
        Ok(Destination::Queue { queue, wait_list, event })
    }

    /// The context that the command's objects must be of.
    pub fn context(&self) -> &Arc<Context> {
        match self {
            Destination::Queue { queue, .. } => &queue.context,
            Destination::CommandBuffer(recording) => recording.context(),
        }
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Arc<Device> {
        match self {
            Destination::Queue { queue, .. } => &queue.device,
            Destination::CommandBuffer(recording) => recording.device(),
        }
    }

    /// Takes the command that does `work`. Only a queue's command can be blocking. Where the order of commands is looked at, `touches` is what it
    /// accesses.
    pub fn take(
        self,
        command: cl_command_type,
        cost: Cost,
        touches: Vec<Touch>,
        work: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        match self {
            Destination::Queue { queue, wait_list, event } => {
                let mut submission = Submission::new(&queue, command, wait_list, event, cost);
                submission.touches = touches;
                submission.submit(work)
            }
            Destination::CommandBuffer(recording) => recording.take(cost, work),
        }
    }
}
