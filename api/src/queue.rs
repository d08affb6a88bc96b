//! Command-queues: §5.1, and the order in which their commands run (§5.11 to §5.13, §5.15).
//!
//! A queue is run by whoever has time: a thread that waits for it, the thread that enqueues (a small command on an idle queue runs at
//! once, and nobody is woken), or a thread of the scheduler's. An in-order queue is served by one thread at a time and needs no
//! dependencies between its commands; an out-of-order queue is served by several.
//!
//! A large command on an idle in-order queue is held back until somebody cares (a flush, a wait, a query, a second command, a command
//! elsewhere that depends on it): so a thread that enqueues and then finishes runs it itself.

mod submission;
mod synchronization;

pub use crate::device_queue::set_default_device_command_queue;
pub use submission::{Cost, Submission, enqueue_nothing};
pub use synchronization::*;

use crate::checked::order;
use crate::cl::*;
use crate::context::{self, Commands, Context};
use crate::device::Device;
use crate::device_queue::{self, DeviceQueue};
use crate::environment;
use crate::error::{Result, fail_if};
use crate::event::Event;
use crate::handle::{self, Handle, Kind, Object, lookup, lookup_to_ask, publish};
use crate::info::Info;
use crate::raw::{In, Out, named};
use crate::scheduler::{self, Served};
use ::device::fork;
use ::device::lock::{Condvar, Guard, Lock};
use ::device::trace::{self, Row};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::Arc;

/// A command-queue.
#[derive(Debug)]
pub struct Queue {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// Its device.
    pub device: Arc<Device>,
    /// CL_QUEUE_PROPERTIES
    properties: AtomicU64,
    /// CL_QUEUE_PROPERTIES_ARRAY, with the zero that ends it; empty if none were given.
    property_list: Vec<cl_queue_properties>,
    state: Lock<State>,
    /// As many commands have ended as some thread waits for.
    rested: Condvar,
    /// Which process's threads serve the queue (`device::fork::generation`).
    generation: u64,
    /// Its number in traces.
    number: u64,
}

/// The commands that have not ended.
#[derive(Debug, Default)]
struct State {
    /// In order: every command that has not begun. Out of order: those that wait for nothing.
    pending: VecDeque<Arc<Event>>,
    /// Threads that run a command of the queue now.
    servers: u32,
    /// The scheduler knows that there is something to do.
    scheduled: bool,
    /// Commands taken in, and commands ended.
    enqueued: u64,
    ended: u64,
    /// The least number of ended commands that a thread waits for: a wake-up costs as much as a small command, so there is none for each.
    awaited: Option<u64>,
    /// Out of order: every command that has not ended, for barriers and markers.
    outstanding: Vec<Arc<Event>>,
    /// Out of order: the barrier that commands have to wait for.
    barrier: Option<Arc<Event>>,
}

impl Object for Queue {
    const KIND: Kind = Kind::Queue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
    // Its events may name it, and it can be asked about then, but it takes no command and waits for none.
    const SERVES_WHEN_RELEASED: bool = false;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Queue {
    /// What the application holds of it.
    pub fn id(&self) -> cl_command_queue {
        self.handle.as_ptr()
    }

    /// Where a trace shows its commands.
    pub fn row(&self) -> Row {
        if self.is_in_order() {
            Row::Queue(self.number)
        } else {
            Row::Overlapping(self.number)
        }
    }

    /// CL_QUEUE_PROFILING_ENABLE
    pub fn profiles(&self) -> bool {
        self.has(CL_QUEUE_PROFILING_ENABLE)
    }

    fn has(&self, property: cl_command_queue_properties) -> bool {
        self.properties.load(Ordering::Relaxed) & property != 0
    }

    fn is_in_order(&self) -> bool {
        !self.has(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    }

    /// The queue was made before a fork(): whoever ran its commands stayed in the parent, and nobody must wait for them.
    pub fn is_orphan(&self) -> bool {
        self.generation != fork::generation()
    }

    /// How many threads may serve the queue.
    fn server_limit(&self) -> u32 {
        if self.is_in_order() {
            1
        } else {
            self.device.compute_units().max(2)
        }
    }

    /// A command can begin.
    fn has_ready(&self, state: &State) -> bool {
        state.servers < self.server_limit() && state.pending.front().is_some_and(|event| event.is_unblocked() || event.has_ended())
    }

    /// Tells the scheduler, if a command can begin and it does not know.
    fn kick(self: &Arc<Queue>, mut state: Guard<'_, State>) {
        if !state.scheduled && self.has_ready(&state) {
            state.scheduled = true;
            drop(state);
            scheduler::schedule(self.clone());
        }
    }

    /// Sees to it that the commands will run (clFlush).
    pub fn flush(self: &Arc<Queue>) {
        self.kick(self.state.lock());
    }

    /// A command of the queue has nothing to wait for any more.
    pub fn became_ready(self: &Arc<Queue>, event: &Arc<Event>) {
        let mut state = self.state.lock();
        if !self.is_in_order() {
            state.pending.push_back(event.clone());
        }
        self.kick(state);
    }

    /// Serves the queue, if there is something to do and no one does it, until `event` has ended, or nothing is ready. False if there was
    /// nothing to do.
    pub fn help(self: &Arc<Queue>, event: Option<&Event>) -> bool {
        self.serve_until(self.state.lock(), event)
    }

    fn serve_until<'a>(self: &'a Arc<Queue>, mut state: Guard<'a, State>, until: Option<&Event>) -> bool {
        if !self.has_ready(&state) {
            return false;
        }
        while self.has_ready(&state) && !until.is_some_and(Event::has_ended) {
            let Some(event) = state.pending.pop_front() else { break };
            state.servers += 1;
            // Others may serve an out-of-order queue, too.
            self.kick(state);
            event.run();
            state = self.state.lock();
            state.servers -= 1;
            self.forget(&mut state, Some(&event));
        }
        self.kick(state);
        true
    }

    /// A command has ended.
    fn forget(&self, state: &mut State, event: Option<&Arc<Event>>) {
        state.ended += 1;
        if let Some(event) = event
            && !self.is_in_order()
        {
            let place = event.place.load(Ordering::Relaxed);
            state.outstanding.swap_remove(place);
            if let Some(moved) = state.outstanding.get(place) {
                moved.place.store(place, Ordering::Relaxed);
            }
            if state.barrier.as_ref().is_some_and(|barrier| Arc::ptr_eq(barrier, event)) {
                state.barrier = None;
            }
        }
        if state.awaited.is_some_and(|awaited| state.ended >= awaited) {
            state.awaited = None;
            self.rested.notify_all();
        }
    }

    /// Waits until every command that was enqueued before has ended (clFinish), running them where no one else does.
    pub fn finish(self: &Arc<Queue>) {
        if self.is_orphan() {
            return;
        }
        if !self.is_in_order() {
            let outstanding = self.state.lock().outstanding.clone();
            for event in outstanding {
                event.wait();
            }
            return;
        }
        let mut state = self.state.lock();
        let enqueued = state.enqueued;
        while state.ended < enqueued {
            if self.has_ready(&state) {
                self.serve_until(state, None);
                state = self.state.lock();
            } else {
                state.awaited = Some(state.awaited.map_or(enqueued, |awaited| awaited.min(enqueued)));
                self.rested.wait(&mut state);
            }
        }
    }

    /// Takes the queue for a command that runs right now, if it is idle. [`Queue::leave`] gives it back.
    fn enter_idle(&self) -> bool {
        let mut state = self.state.lock();
        let idle = state.pending.is_empty() && state.servers == 0 && state.outstanding.is_empty();
        if idle {
            state.servers = 1;
            state.enqueued += 1;
        }
        idle
    }

    fn leave(self: &Arc<Queue>) {
        let mut state = self.state.lock();
        state.servers -= 1;
        self.forget(&mut state, None);
        if !state.pending.is_empty() {
            self.kick(state);
        }
    }

    /// Commands that have not ended: all of them if the queue is out of order, else nothing (order says it all).
    fn outstanding(&self) -> Vec<Arc<Event>> {
        self.state.lock().outstanding.clone()
    }
}

impl Commands for Queue {
    fn finish_all(self: Arc<Queue>) {
        Queue::finish(&self);
    }

    fn terminate_all(self: Arc<Queue>) {
        let events: Vec<Arc<Event>> = {
            let state = self.state.lock();
            state.pending.iter().chain(&state.outstanding).cloned().collect()
        };
        events.iter().for_each(|event| event.terminate());
        self.flush();
    }
}

impl Served for Queue {
    fn serve(self: Arc<Queue>) {
        let mut state = self.state.lock();
        state.scheduled = false;
        self.serve_until(state, None);
    }
}

/// What a property list of clCreateCommandQueueWithProperties says.
fn parse_properties(list: &[cl_queue_properties]) -> Result<(cl_command_queue_properties, Option<cl_queue_properties>)> {
    const KNOWN: cl_command_queue_properties =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    let mut properties = 0;
    let (mut size, mut has_hints) = (None, false);
    for (name, value) in named(list, CL_INVALID_VALUE)? {
        let one_of = |values: [cl_uint; 3]| values.iter().any(|&one| value == cl_queue_properties::from(one));
        match name as cl_uint {
            // CL_INVALID_VALUE if values specified in properties are not valid.
            CL_QUEUE_PROPERTIES => {
                fail_if(value & !KNOWN != 0, CL_INVALID_VALUE)?;
                properties = value;
            }
            CL_QUEUE_SIZE => size = Some(value),
            CL_QUEUE_PRIORITY_KHR if environment::has("cl_khr_priority_hints") => {
                let valid = one_of([CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR]);
                fail_if(!valid, CL_INVALID_VALUE)?;
                has_hints = true;
            }
            CL_QUEUE_THROTTLE_KHR if environment::has("cl_khr_throttle_hints") => {
                let valid = one_of([CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR]);
                fail_if(!valid, CL_INVALID_VALUE)?;
                has_hints = true;
            }
            _ => return Err(CL_INVALID_VALUE),
        }
    }
    // CL_QUEUE_ON_DEVICE_DEFAULT "can only be used with CL_QUEUE_ON_DEVICE", which "can only be used with
    // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"; CL_QUEUE_SIZE "can only be specified if CL_QUEUE_ON_DEVICE is set".
    let on_device = properties & CL_QUEUE_ON_DEVICE != 0;
    fail_if(properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0 && !on_device, CL_INVALID_VALUE)?;
    fail_if(
        on_device && properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0,
        CL_INVALID_VALUE,
    )?;
    fail_if(size.is_some() && !on_device, CL_INVALID_VALUE)?;
    // CL_INVALID_QUEUE_PROPERTIES: hints are for queues of the host.
    fail_if(on_device && has_hints, CL_INVALID_QUEUE_PROPERTIES)?;
    Ok((properties, size))
}

fn create(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    size: Option<cl_queue_properties>,
    property_list: Vec<cl_queue_properties>,
) -> Result<cl_command_queue> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_DEVICE if device is not a valid device or is not associated with context.
    let device = lookup::<Device>(device)?;
    fail_if(!context.has(&device), CL_INVALID_DEVICE)?;
    if properties & CL_QUEUE_ON_DEVICE != 0 {
        return device_queue::create(&context, &device, properties, size, property_list);
    }
    let queue = Arc::new(Queue {
        handle: Handle::default(),
        context: context.clone(),
        device: device.clone(),
        properties: AtomicU64::new(properties),
        property_list,
        state: Lock::default(),
        rested: Condvar::new(),
        generation: fork::generation(),
        number: trace::new_queue(),
    });
    trace::name_queue(queue.number, &format!("queue {}", queue.number));
    context.add_queue(&(queue.clone() as Arc<dyn Commands>));
    publish(queue)
}

/// clCreateCommandQueueWithProperties
pub fn create_command_queue_with_properties(
    context: cl_context,
    device: cl_device_id,
    properties: In<cl_queue_properties>,
) -> Result<cl_command_queue> {
    context::alive(context)?;
    lookup::<Device>(device)?;
    let list = properties.properties().unwrap_or_default();
    let (properties, size) = parse_properties(&list)?;
    create(context, device, properties, size, list)
}

/// clCreateCommandQueue
pub fn create_command_queue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
) -> Result<cl_command_queue> {
    context::alive(context)?;
    lookup::<Device>(device)?;
    // CL_INVALID_VALUE if values specified in properties are not valid.
    fail_if(
        properties & !(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE) != 0,
        CL_INVALID_VALUE,
    )?;
    create(context, device, properties, None, Vec::new())
}

/// clRetainCommandQueue
pub fn retain_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    if lookup::<DeviceQueue>(command_queue).is_ok() {
        return handle::retain::<DeviceQueue>(command_queue);
    }
    handle::retain::<Queue>(command_queue)
}

/// clReleaseCommandQueue, which "performs an implicit flush"
pub fn release_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    if lookup::<DeviceQueue>(command_queue).is_ok() {
        return handle::release::<DeviceQueue>(command_queue);
    }
    let queue = lookup::<Queue>(command_queue)?.clone();
    handle::release::<Queue>(command_queue)?;
    // After the release: what is enqueued from now on sees it, and is not held back.
    queue.flush();
    Ok(())
}

/// clGetCommandQueueInfo
pub fn get_command_queue_info(
    command_queue: cl_command_queue,
    param_name: cl_command_queue_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue, or not a valid command-queue for param_name.
    if let Ok(queue) = lookup_to_ask::<DeviceQueue>(command_queue) {
        return queue.info(param_name)?.answer(param_value_size, param_value, param_value_size_ret);
    }
    let queue = lookup_to_ask::<Queue>(command_queue)?;
    let info = match param_name {
        CL_QUEUE_CONTEXT => Info::of(queue.context.id()),
        CL_QUEUE_DEVICE => Info::of(queue.device.id()),
        CL_QUEUE_REFERENCE_COUNT => Info::of(queue.handle.references()),
        CL_QUEUE_PROPERTIES => Info::of(queue.properties.load(Ordering::Relaxed)),
        CL_QUEUE_PROPERTIES_ARRAY => Info::list(&queue.property_list),
        CL_QUEUE_SIZE => return Err(CL_INVALID_COMMAND_QUEUE),
        // "If there is no default device command-queue, NULL is returned."
        CL_QUEUE_DEVICE_DEFAULT => Info::of(device_queue::default_id(&queue.context, &queue.device)),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clSetCommandQueueProperty
pub fn set_command_queue_property(
    command_queue: cl_command_queue,
    properties: cl_command_queue_properties,
    enable: cl_bool,
    old_properties: Out<cl_command_queue_properties>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    lookup::<Queue>(command_queue)?;
    // CL_INVALID_OPERATION if the device's OpenCL version is 1.1 or newer.
    let _ = (properties, enable, old_properties);
    Err(CL_INVALID_OPERATION)
}

/// clFlush
pub fn flush(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    lookup::<Queue>(command_queue)?.flush();
    Ok(())
}

/// clFinish
pub fn finish(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    queue.finish();
    if order::wanted() {
        order::seen_queue(queue.number);
    }
    Ok(())
}
