//! How a command gets into its queue.

use super::Queue;
use crate::checked::order::{self, Touch};
use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::event::{Event, Moment, Work, guarded, wait_list};
use crate::handle::publish;
use crate::raw::{In, Out};
use crate::{machine, watch};
use ::device::trace;
use core::sync::atomic::Ordering;
use std::sync::Arc;

/// How long a command is expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Less than to wake a thread.
    Small,
    /// More than that, or unknown.
    Large,
    /// The caller waits for it anyway.
    Blocking,
}

/// What an enqueue function says of its command.
pub struct Submission<'a> {
    /// The queue.
    pub queue: &'a Arc<Queue>,
    /// CL_EVENT_COMMAND_TYPE
    pub command: cl_command_type,
    /// What the command waits for.
    pub wait_list: Vec<Arc<Event>>,
    /// The wait list is not the application's, but whatever came before.
    pub after_all: bool,
    /// Where the application wants its event.
    pub event: Out<cl_event>,
    /// How long it takes.
    pub cost: Cost,
    /// What it is and accesses, for [`order`]; needed only where that is wanted.
    pub name: Option<String>,
    /// What it accesses, likewise.
    pub touches: Vec<Touch>,
}

impl<'a> Submission<'a> {
    /// A command after a wait list of the application's.
    pub fn new(
        queue: &'a Arc<Queue>,
        command: cl_command_type,
        wait_list: Vec<Arc<Event>>,
        event: Out<cl_event>,
        cost: Cost,
    ) -> Submission<'a> {
        Submission {
            queue,
            command,
            wait_list,
            after_all: false,
            event,
            cost,
            name: None,
            touches: Vec::new(),
        }
    }

    /// The number of the command where the order of commands is looked at.
    fn number(&self, barrier: bool) -> Option<u64> {
        let entry = || order::Entry {
            queue: (self.queue.number, self.queue.is_in_order()),
            name: self.name.clone().unwrap_or_else(|| watch::command_name(self.command).to_owned()),
            wait_list: self.wait_list.iter().map(|event| event.number()).collect(),
            after_all: self.after_all,
            barrier,
            touches: &self.touches,
        };
        order::wanted().then(|| order::enqueue(&self.queue.context, &entry()))
    }

    /// Enqueues the command that does `work`. If it is blocking, waits for it.
    pub fn submit(self, work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
        self.queue.context.check_alive()?;
        if self.cost != Cost::Large && self.wait_list.iter().all(|event| event.status() == CL_COMPLETE) && self.queue.enter_idle() {
            return self.run_now(work);
        }
        let blocking = self.cost == Cost::Blocking;
        let wait_list = if blocking { self.wait_list.clone() } else { Vec::new() };
        let event = self.enqueue(Box::new(work), false)?;
        if blocking {
            event.wait();
            // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the operation is blocking and the execution status of any of the events in
            // event_wait_list is a negative integer value.
            fail_if(
                wait_list.iter().any(|event| event.status() < 0),
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            )?;
            fail_if(event.status() < 0, event.status())?;
        }
        Ok(())
    }

    /// Runs the command on this thread. The queue was entered.
    fn run_now(self, work: impl FnOnce() -> Result<()>) -> Result<()> {
        struct Leave<'a>(&'a Arc<Queue>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.leave();
            }
        }
        let number = self.number(false);
        let entered = Leave(self.queue);
        let blocking = self.cost == Cost::Blocking;
        let began = if self.queue.profiles() || trace::enabled() {
            machine::nanoseconds()
        } else {
            0
        };
        let result = guarded(work);
        drop(entered);
        if trace::enabled() {
            watch::command(self.queue.row(), self.command, began, machine::nanoseconds());
        }
        if let Err(code) = result {
            self.queue.context.report_failure(code);
        }
        if !self.event.is_null() {
            let status = result.err().unwrap_or(CL_COMPLETE);
            let event = Event::ended(self.queue, self.command, status, began);
            event.set_number(number);
            self.event.write(publish(Arc::new(event))?);
        }
        if let (true, Some(number)) = (blocking, number) {
            order::seen(number);
        }
        if blocking { result } else { Ok(()) }
    }

    /// Enqueues the command, whatever the queue is doing. A barrier holds up every later command of an out-of-order queue.
    pub fn enqueue(self, work: Work, barrier: bool) -> Result<Arc<Event>> {
        let queue = self.queue;
        queue.context.check_alive()?;
        let event = Arc::new(Event::command(queue, self.command, Some(work)));
        event.set_number(self.number(barrier));
        event.stamp(Moment::Queued);
        if !self.event.is_null() {
            self.event.write(publish(event.clone())?);
        }
        for other in &self.wait_list {
            event.wait_for(other, !self.after_all);
            if let Some(other) = other.queue.as_ref().filter(|other| !Arc::ptr_eq(other, queue)) {
                other.flush();
            }
        }
        let in_order = queue.is_in_order();
        let mut state = queue.state.lock();
        state.enqueued += 1;
        if in_order {
            state.pending.push_back(event.clone());
        } else {
            if let Some(barrier) = &state.barrier {
                event.wait_for(barrier, true);
            }
            event.place.store(state.outstanding.len(), Ordering::Relaxed);
            state.outstanding.push(event.clone());
            if barrier {
                state.barrier = Some(event.clone());
            }
        }
        let ready = event.unblock();
        if ready && !in_order {
            state.pending.push_back(event.clone());
        }
        if queue.context.is_terminated() {
            // Since this function began: nobody else may have seen the command.
            drop(state);
            event.terminate();
            state = queue.state.lock();
        }
        let alone = in_order && state.pending.len() == 1 && state.servers == 0;
        // A command-buffer may bring commands to a queue that the application has released: there, nobody is left who could care.
        if !(alone && ready) || queue.handle.is_released() {
            queue.kick(state);
        }
        Ok(event)
    }
}

/// A command of an application that does nothing but keep its place in the order: device and host have the same memory.
pub fn enqueue_nothing(
    queue: &Arc<Queue>,
    command: cl_command_type,
    cost: Cost,
    (num_events_in_wait_list, event_wait_list): (cl_uint, In<cl_event>),
    event: Out<cl_event>,
) -> Result<()> {
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    Submission::new(queue, command, wait_list, event, cost).submit(|| Ok(()))
}
