//! Events: §5.11 "Event Objects" and §5.14 "Profiling Operations".
//!
//! An [`Event`] is a command on its way (or a user event). It knows what it waits for only by a count; what waits for it, it knows by name.
//! When it ends, it counts its dependents down, and a dependent that reaches zero is its queue's business (see `queue`).

mod progress;

use self::progress::Progress;
use crate::checked::order;
use crate::cl::*;
use crate::context::{self, Context};
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, lookup_to_ask, publish};
use crate::info::Info;
use crate::machine;
use crate::notifier;
use crate::queue::Queue;
use crate::raw::{HostPointer, In, Out};
use crate::watch;
use ::device::lock::{Condvar, Lock};
use ::device::trace;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a command does when its turn comes.
pub type Work = Box<dyn FnOnce() -> Result<()> + Send>;

/// A command that was enqueued, or a user event.
pub struct Event {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// Its queue; user events have none.
    pub queue: Option<Arc<Queue>>,
    /// CL_EVENT_COMMAND_TYPE
    pub command: cl_command_type,
    /// Its status; of the wait list, how many have not ended (and one while the command is being enqueued), and whether one failed.
    progress: Progress,
    times: [AtomicU64; 4],
    /// Its place among the queue's outstanding commands; the queue's business.
    pub place: AtomicUsize,
    /// Its number where the order of commands is looked at; none for an event of the host's own.
    number: AtomicU64,
    work: Lock<Option<Work>>,
    followers: Lock<Followers>,
    ended: Condvar,
}

/// The moments that profiling tells of; END and COMPLETE are one, for there are no child commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Queued,
    Submitted,
    Started,
    Ended,
}

/// Who is to be told of an event's progress.
#[derive(Default)]
struct Followers {
    dependents: Vec<Dependent>,
    callbacks: Vec<EventCallback>,
}

/// A command that waits for an event.
struct Dependent {
    event: Arc<Event>,
    /// It fails if the event does: the event is in its wait list, not just before it in the queue.
    shares_failure: bool,
}

/// A function that the application registered for an event.
#[derive(Clone, Copy)]
struct EventCallback {
    status: cl_int,
    function: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
    user_data: HostPointer,
}

impl core::fmt::Debug for Event {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Event({:#x}, status {})", self.command, self.status())
    }
}

impl Object for Event {
    const KIND: Kind = Kind::Event;
    const INVALID: cl_int = CL_INVALID_EVENT;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Event {
    /// A command that was just enqueued. It is held back until [`Event::unblock`] is called once.
    pub fn command(queue: &Arc<Queue>, command: cl_command_type, work: Option<Work>) -> Event {
        Event::new(queue.context.clone(), Some(queue.clone()), command, CL_QUEUED, work)
    }

    /// A command that ran at once and has just ended, having begun at a time.
    pub fn ended(queue: &Arc<Queue>, command: cl_command_type, status: cl_int, began: u64) -> Event {
        let event = Event::new(queue.context.clone(), Some(queue.clone()), command, status, None);
        for moment in [Moment::Queued, Moment::Submitted, Moment::Started] {
            event.times[moment as usize].store(began, Ordering::Relaxed);
        }
        event.stamp(Moment::Ended);
        event
    }

    /// An event of the driver's own, which ends with [`Event::open`].
    pub fn gate(context: &Arc<Context>) -> Event {
        Event::new(context.clone(), None, CL_COMMAND_USER, CL_SUBMITTED, None)
    }

    /// Lets pass what waits for a gate, or fail, if the status is an error.
    pub fn open(&self, status: cl_int) {
        self.advance(status);
    }

    fn new(context: Arc<Context>, queue: Option<Arc<Queue>>, command: cl_command_type, status: cl_int, work: Option<Work>) -> Event {
        Event {
            handle: Handle::default(),
            context,
            queue,
            command,
            progress: Progress::new(status),
            times: Default::default(),
            place: AtomicUsize::new(0),
            number: AtomicU64::new(0),
            work: Lock::new(work),
            followers: Lock::default(),
            ended: Condvar::new(),
        }
    }

    /// Its number where the order of commands is looked at ([`order::enqueue`]).
    pub fn number(&self) -> Option<u64> {
        Some(self.number.load(Ordering::Relaxed)).filter(|&number| number != 0)
    }

    /// Gives it its number, before anybody else knows it.
    pub fn set_number(&self, number: Option<u64>) {
        self.number.store(number.unwrap_or(0), Ordering::Relaxed);
    }

    /// The host knows that it has ended.
    fn seen(&self) {
        if let Some(number) = self.number() {
            order::seen(number);
        }
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS
    pub fn status(&self) -> cl_int {
        self.progress.status()
    }

    /// Complete, or failed.
    pub fn has_ended(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// Nothing that it waits for is left.
    pub fn is_unblocked(&self) -> bool {
        self.progress.is_unblocked()
    }

    /// Makes this command wait for another event, which is in its wait list (`shares_failure`) or merely came before it.
    pub fn wait_for(self: &Arc<Event>, other: &Event, shares_failure: bool) {
        let mut followers = other.followers.lock();
        if !other.has_ended() {
            self.progress.block();
            followers.dependents.push(Dependent {
                event: self.clone(),
                shares_failure,
            });
        } else if other.status() < 0 && shares_failure {
            self.progress.fail();
        }
    }

    /// One thing less to wait for. True if it was the last.
    pub fn unblock(&self) -> bool {
        self.progress.unblock()
    }

    /// Takes the time, if the queue's commands are profiled.
    pub fn stamp(&self, moment: Moment) {
        if self.queue.as_ref().is_some_and(|queue| queue.profiles()) {
            self.times[moment as usize].store(machine::nanoseconds(), Ordering::Release);
        }
    }

    /// Runs the command, on whatever thread this is.
    pub fn run(self: &Arc<Event>) {
        let work = self.work.lock().take();
        if let Some(work) = work {
            self.run_with(work);
        }
    }

    /// Ends the command if it has not begun: its context was terminated.
    pub fn terminate(&self) {
        let work = self.work.lock().take();
        if work.is_some() {
            self.advance(CL_CONTEXT_TERMINATED_KHR);
        }
    }

    fn run_with(&self, work: impl FnOnce() -> Result<()>) {
        self.stamp(Moment::Submitted);
        self.advance(CL_SUBMITTED);
        self.stamp(Moment::Started);
        self.advance(CL_RUNNING);
        let began = trace::begin();
        let result = if self.progress.blocker_failed() {
            Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        } else {
            guarded(work)
        };
        self.stamp(Moment::Ended);
        if let (Some(began), Some(queue)) = (began, &self.queue) {
            watch::command(queue.row(), self.command, began, machine::nanoseconds());
        }
        if let Err(code) = result {
            self.context.report_failure(code);
        }
        self.advance(result.err().unwrap_or(CL_COMPLETE));
    }

    /// Sets the status, and tells everyone who wants to know. False if the event has ended before.
    fn advance(&self, status: cl_int) -> bool {
        let mut followers = self.followers.lock();
        if self.has_ended() {
            return false;
        }
        self.progress.set_status(status);
        let due = |callback: &mut EventCallback| status <= callback.status;
        let callbacks: Vec<EventCallback> = followers.callbacks.extract_if(.., due).collect();
        let dependents = if status <= CL_COMPLETE {
            core::mem::take(&mut followers.dependents)
        } else {
            Vec::new()
        };
        drop(followers);
        if status <= CL_COMPLETE {
            self.ended.notify_all();
        }
        if status <= CL_COMPLETE && !callbacks.is_empty() {
            self.seen();
        }
        for callback in callbacks {
            self.notify(callback, status);
        }
        for Dependent { event, shares_failure } in dependents {
            if status < 0 && shares_failure {
                event.progress.fail();
            }
            if event.unblock()
                && let Some(queue) = &event.queue
            {
                queue.became_ready(&event);
            }
        }
        true
    }

    /// Has the notifier call a callback: with the status it was registered for, or with the error.
    fn notify(&self, callback: EventCallback, status: cl_int) {
        let status = if status < 0 { status } else { callback.status };
        // The application has seen the event, since it registered a callback. It may release the event before the call, which keeps it: by no
        // reference of the application's, which another release could take away.
        let Ok(event) = lookup_to_ask::<Event>(self.handle.as_ptr()).map(|event| event.clone()) else {
            return;
        };
        notifier::post(move || {
            // SAFETY: the application gave this function and its argument for this use.
            unsafe { (callback.function)(event.handle.as_ptr(), status, callback.user_data.ptr().cast()) };
        });
    }

    /// Waits for the end, running the queue's commands meanwhile where no one else does.
    pub fn wait(&self) {
        while !self.has_ended() {
            if self.queue.as_ref().is_some_and(|queue| queue.is_orphan()) {
                self.advance(CL_OUT_OF_RESOURCES);
                return;
            }
            if self.queue.as_ref().is_some_and(|queue| queue.help(Some(self))) {
                continue;
            }
            let mut followers = self.followers.lock();
            while !self.has_ended() {
                self.ended.wait(&mut followers);
            }
        }
        self.seen();
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // An event of the driver's own that was never opened, or a command that could not be enqueued: what waits for it is terminated rather
        // than stuck. The application has no callback there, or is not told: the event is going, and can't be handed out again.
        self.followers.get_mut().callbacks.clear();
        if !self.has_ended() {
            self.advance(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        }
    }
}

/// Runs work; a panic becomes an error.
pub fn guarded(work: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(CL_OUT_OF_RESOURCES))
}

/// The events of a wait list, for commands of `context`.
pub fn wait_list(num_events_in_wait_list: cl_uint, event_wait_list: In<cl_event>, context: &Arc<Context>) -> Result<Vec<Arc<Event>>> {
    // CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or event_wait_list is not NULL and
    // num_events_in_wait_list is 0,
    fail_if(
        event_wait_list.is_null() != (num_events_in_wait_list == 0),
        CL_INVALID_EVENT_WAIT_LIST,
    )?;
    if event_wait_list.is_null() {
        return Ok(Vec::new());
    }
    let list = event_wait_list.list(num_events_in_wait_list as usize).unwrap_or_default();
    let mut events = Vec::with_capacity(list.len());
    for event in list {
        // or if event objects in event_wait_list are not valid events.
        let event = lookup::<Event>(event).map_err(|_| CL_INVALID_EVENT_WAIT_LIST)?;
        // CL_INVALID_CONTEXT if context associated with command_queue and events in event_wait_list are not the same.
        fail_if(!Arc::ptr_eq(&event.context, context), CL_INVALID_CONTEXT)?;
        events.push(event.clone());
    }
    Ok(events)
}

/// clCreateUserEvent
pub fn create_user_event(context: cl_context) -> Result<cl_event> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    publish(Arc::new(Event::new(context.clone(), None, CL_COMMAND_USER, CL_SUBMITTED, None)))
}

/// clSetUserEventStatus
pub fn set_user_event_status(event: cl_event, execution_status: cl_int) -> Result<()> {
    // CL_INVALID_EVENT if event is not a valid user event object.
    let event = lookup::<Event>(event)?;
    fail_if(event.command != CL_COMMAND_USER, CL_INVALID_EVENT)?;
    // CL_INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value.
    fail_if(execution_status > CL_COMPLETE, CL_INVALID_VALUE)?;
    // CL_INVALID_OPERATION if the execution_status for event has already been changed by a previous call to clSetUserEventStatus.
    fail_if(!event.advance(execution_status), CL_INVALID_OPERATION)
}

/// clWaitForEvents
pub fn wait_for_events(num_events: cl_uint, event_list: In<cl_event>) -> Result<()> {
    // CL_INVALID_VALUE if num_events is zero or event_list is NULL.
    fail_if(num_events == 0, CL_INVALID_VALUE)?;
    let mut events: Vec<Arc<Event>> = Vec::new();
    for event in event_list.list(num_events as usize).ok_or(CL_INVALID_VALUE)? {
        // CL_INVALID_EVENT if event objects specified in event_list are not valid event objects.
        let event = lookup::<Event>(event)?;
        // CL_INVALID_CONTEXT if events specified in event_list do not belong to the same context.
        fail_if(
            events.first().is_some_and(|first| !Arc::ptr_eq(&first.context, &event.context)),
            CL_INVALID_CONTEXT,
        )?;
        events.push(event.clone());
    }
    for queue in events.iter().filter_map(|event| event.queue.as_ref()).skip(1) {
        queue.flush();
    }
    for event in &events {
        event.wait();
    }
    // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in event_list is a negative integer value.
    fail_if(
        events.iter().any(|event| event.status() < 0),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    )
}

/// clGetEventInfo
pub fn get_event_info(
    event: cl_event,
    param_name: cl_event_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_EVENT if event is not a valid event object.
    let event = lookup::<Event>(event)?;
    let info = match param_name {
        CL_EVENT_COMMAND_QUEUE => Info::of(event.queue.as_ref().map_or(null_mut(), |queue| queue.id())),
        CL_EVENT_CONTEXT => Info::of(event.context.id()),
        CL_EVENT_COMMAND_TYPE => Info::of(event.command),
        CL_EVENT_COMMAND_EXECUTION_STATUS => {
            // Who polls wants to see progress.
            if let Some(queue) = event.queue.as_ref().filter(|_| !event.has_ended()) {
                queue.flush();
            }
            let status = event.status();
            if status <= CL_COMPLETE {
                event.seen();
            }
            Info::of(status)
        }
        CL_EVENT_REFERENCE_COUNT => Info::of(event.handle.references()),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clRetainEvent
pub fn retain_event(event: cl_event) -> Result<()> {
    // CL_INVALID_EVENT if event is not a valid event object.
    handle::retain::<Event>(event)
}

/// clReleaseEvent
pub fn release_event(event: cl_event) -> Result<()> {
    // CL_INVALID_EVENT if event is not a valid event object.
    let event_object = lookup::<Event>(event)?.clone();
    if let Some(queue) = event_object.queue.as_ref().filter(|_| !event_object.has_ended()) {
        queue.flush();
    }
    handle::release::<Event>(event)?;
    // A user event that no one can set any more: what waits for it is terminated rather than stuck.
    if event_object.command == CL_COMMAND_USER && event_object.handle.is_released() {
        event_object.advance(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    Ok(())
}

/// clSetEventCallback
pub fn set_event_callback(
    event: cl_event,
    command_exec_callback_type: cl_int,
    pfn_notify: EventNotify,
    user_data: *mut c_void,
) -> Result<()> {
    // CL_INVALID_EVENT if event is not a valid event object.
    let event = lookup::<Event>(event)?;
    // CL_INVALID_VALUE if pfn_event_notify is NULL or if command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING, or CL_COMPLETE.
    let function = pfn_notify.ok_or(CL_INVALID_VALUE)?;
    fail_if(
        ![CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].contains(&command_exec_callback_type),
        CL_INVALID_VALUE,
    )?;
    let callback = EventCallback {
        status: command_exec_callback_type,
        function,
        user_data: HostPointer(user_data.cast()),
    };
    let mut followers = event.followers.lock();
    let status = event.status();
    if status <= callback.status {
        drop(followers);
        event.notify(callback, status);
    } else {
        followers.callbacks.push(callback);
        drop(followers);
        if let Some(queue) = &event.queue {
            queue.flush();
        }
    }
    Ok(())
}

/// clGetEventProfilingInfo
pub fn get_event_profiling_info(
    event: cl_event,
    param_name: cl_profiling_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_EVENT if event is a not a valid event object.
    let event = lookup::<Event>(event)?;
    let moment = match param_name {
        CL_PROFILING_COMMAND_QUEUED => Moment::Queued,
        CL_PROFILING_COMMAND_SUBMIT => Moment::Submitted,
        CL_PROFILING_COMMAND_START => Moment::Started,
        CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => Moment::Ended,
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    // CL_PROFILING_INFO_NOT_AVAILABLE if the CL_QUEUE_PROFILING_ENABLE flag is not set for the command-queue, if the execution status of
    // the command identified by event is not CL_COMPLETE or if event is a user event object.
    fail_if(
        !event.queue.as_ref().is_some_and(|queue| queue.profiles()),
        CL_PROFILING_INFO_NOT_AVAILABLE,
    )?;
    fail_if(event.status() != CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE)?;
    Info::of::<cl_ulong>(event.times[moment as usize].load(Ordering::Acquire)).answer(param_value_size, param_value, param_value_size_ret)
}
