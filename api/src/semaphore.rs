//! Semaphores: §5.13 (cl_khr_semaphore). All are binary.
//!
//! A wait command takes the signal when it is enqueued, if there is one; else it gets an event of its own to wait for, and signals go to
//! these events in the order of the waits. A signal command that fails brings its failure instead: nobody waits for what will not come.

use crate::cl::*;
use crate::context::{self, Context};
use crate::device::{self, Device};
use crate::error::{Result, fail_if};
use crate::event::{self, Event};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::info::Info;
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{In, Out};
use ::device::lock::Lock;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::sync::Arc;

/// A semaphore.
#[derive(Debug)]
pub struct Semaphore {
    handle: Handle,
    context: Arc<Context>,
    /// The device that it is for.
    device: Arc<Device>,
    /// CL_SEMAPHORE_PROPERTIES_KHR
    properties: Vec<cl_properties>,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The signal that no wait has taken: CL_COMPLETE, or how its command failed.
    signal: Option<cl_int>,
    /// What the waits wait for that found no signal.
    waits: VecDeque<Arc<Event>>,
}

impl Object for Semaphore {
    const KIND: Kind = Kind::Semaphore;
    const INVALID: cl_int = CL_INVALID_SEMAPHORE_KHR;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Semaphore {
    /// Takes the signal; or the event that will bring it, or has brought its failure.
    fn take(&self) -> Option<Arc<Event>> {
        let mut state = self.state.lock();
        let signal = state.signal.take();
        if signal == Some(CL_COMPLETE) {
            return None;
        }
        let gate = Arc::new(Event::gate(&self.context));
        match signal {
            Some(failure) => gate.open(failure),
            None => state.waits.push_back(gate.clone()),
        }
        Some(gate)
    }

    fn signal(&self, status: cl_int) {
        let gate = {
            let mut state = self.state.lock();
            let gate = state.waits.pop_front();
            if gate.is_none() {
                state.signal = Some(status);
            }
            gate
        };
        if let Some(gate) = gate {
            gate.open(status);
        }
    }

    fn is_signaled(&self) -> bool {
        self.state.lock().signal == Some(CL_COMPLETE)
    }
}

/// What a signal command does; should it be dropped before it was done, the command has failed.
struct Signal {
    semaphores: Vec<Arc<Semaphore>>,
    due: AtomicBool,
}

impl Signal {
    fn send(&self, status: cl_int) {
        if self.due.swap(false, Ordering::AcqRel) {
            self.semaphores.iter().for_each(|semaphore| semaphore.signal(status));
        }
    }

    /// The command was not enqueued.
    fn withdraw(&self) {
        self.due.store(false, Ordering::Release);
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        self.send(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
}

/// clCreateSemaphoreWithPropertiesKHR
pub fn create_semaphore_with_properties(context: cl_context, sema_props: In<cl_properties>) -> Result<cl_semaphore_khr> {
    const TYPE: cl_properties = CL_SEMAPHORE_TYPE_KHR as cl_properties;
    const DEVICES: cl_properties = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as cl_properties;
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_VALUE if sema_props is NULL.
    fail_if(sema_props.is_null(), CL_INVALID_VALUE)?;
    let mut properties = Vec::new();
    let (mut has_type, mut devices) = (false, None);
    loop {
        let name = sema_props.at(properties.len()).ok_or(CL_INVALID_VALUE)?;
        properties.push(name);
        match name {
            0 => break,
            // CL_INVALID_PROPERTY if the value specified for a supported property name is not valid, or if the same property name is
            // specified more than once.
            TYPE => {
                let value = sema_props.at(properties.len()).ok_or(CL_INVALID_VALUE)?;
                properties.push(value);
                fail_if(has_type || value != CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY)?;
                has_type = true;
            }
            DEVICES => {
                fail_if(devices.is_some(), CL_INVALID_PROPERTY)?;
                let mut list = Vec::new();
                loop {
                    let device = sema_props.at(properties.len()).ok_or(CL_INVALID_VALUE)?;
                    properties.push(device);
                    if device == 0 {
                        break;
                    }
                    list.push(device as cl_device_id);
                }
                devices = Some(list);
            }
            // CL_INVALID_PROPERTY if a property name in sema_props is not a supported property name.
            _ => return Err(CL_INVALID_PROPERTY),
        }
    }
    // CL_INVALID_VALUE if sema_props do not specify CL_SEMAPHORE_TYPE_KHR.
    fail_if(!has_type, CL_INVALID_VALUE)?;
    let device = match devices {
        // CL_INVALID_DEVICE if CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR does not identify exactly one valid device, or it is not one of the
        // devices within context.
        Some(list) => {
            let list = device::from_list(&list)?;
            fail_if(list.len() != 1 || !context.has(&list[0]), CL_INVALID_DEVICE)?;
            list[0].clone()
        }
        // CL_INVALID_PROPERTY if context is a multiple device context and sema_props does not specify it.
        None => {
            fail_if(context.devices.len() != 1, CL_INVALID_PROPERTY)?;
            context.devices[0].clone()
        }
    };
    publish(Arc::new(Semaphore {
        handle: Handle::default(),
        context: context.clone(),
        device,
        properties,
        state: Lock::default(),
    }))
}

/// The semaphores of a command.
fn semaphores(queue: &Queue, num_sema_objects: cl_uint, sema_objects: In<cl_semaphore_khr>) -> Result<Vec<Arc<Semaphore>>> {
    // CL_INVALID_VALUE if num_sema_objects is 0.
    fail_if(num_sema_objects == 0, CL_INVALID_VALUE)?;
    let mut list = Vec::new();
    for object in sema_objects.list(num_sema_objects as usize).ok_or(CL_INVALID_VALUE)? {
        // CL_INVALID_SEMAPHORE_KHR if any of the semaphore objects specified by sema_objects is not valid.
        let semaphore = lookup::<Semaphore>(object)?;
        // CL_INVALID_CONTEXT if the context associated with command_queue and any of the semaphore objects are not the same.
        fail_if(!Arc::ptr_eq(&semaphore.context, &queue.context), CL_INVALID_CONTEXT)?;
        // CL_INVALID_COMMAND_QUEUE if the device associated with command_queue is not the one of the semaphore.
        fail_if(!Arc::ptr_eq(&semaphore.device, &queue.device), CL_INVALID_COMMAND_QUEUE)?;
        list.push(semaphore.clone());
    }
    Ok(list)
}

/// The wait list of a command on semaphores.
fn wait_list(queue: &Queue, num_events_in_wait_list: cl_uint, event_wait_list: In<cl_event>) -> Result<Vec<Arc<Event>>> {
    let list = event::wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in event_wait_list is a negative integer
    // value.
    fail_if(
        list.iter().any(|event| event.status() < 0),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    )?;
    Ok(list)
}

/// clEnqueueWaitSemaphoresKHR
pub fn enqueue_wait_semaphores(
    command_queue: cl_command_queue,
    num_sema_objects: cl_uint,
    sema_objects: In<cl_semaphore_khr>,
    _sema_payload_list: In<cl_ulong>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    let semaphores = semaphores(&queue, num_sema_objects, sema_objects)?;
    let mut wait_list = wait_list(&queue, num_events_in_wait_list, event_wait_list)?;
    wait_list.extend(semaphores.iter().filter_map(|semaphore| semaphore.take()));
    Submission::new(&queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, wait_list, event, Cost::Small).submit(|| Ok(()))
}

/// clEnqueueSignalSemaphoresKHR
pub fn enqueue_signal_semaphores(
    command_queue: cl_command_queue,
    num_sema_objects: cl_uint,
    sema_objects: In<cl_semaphore_khr>,
    _sema_payload_list: In<cl_ulong>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    let semaphores = semaphores(&queue, num_sema_objects, sema_objects)?;
    let wait_list = wait_list(&queue, num_events_in_wait_list, event_wait_list)?;
    let signal = Arc::new(Signal {
        semaphores,
        due: AtomicBool::new(true),
    });
    let work = {
        let signal = signal.clone();
        move || {
            signal.send(CL_COMPLETE);
            Ok(())
        }
    };
    Submission::new(&queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, wait_list, event, Cost::Small)
        .submit(work)
        .inspect_err(|_| signal.withdraw())?;
    // Somebody may wait for it elsewhere.
    queue.flush();
    Ok(())
}

/// clRetainSemaphoreKHR
pub fn retain_semaphore(sema_object: cl_semaphore_khr) -> Result<()> {
    // CL_INVALID_SEMAPHORE_KHR if sema_object is not a valid semaphore object.
    handle::retain::<Semaphore>(sema_object)
}

/// clReleaseSemaphoreKHR
pub fn release_semaphore(sema_object: cl_semaphore_khr) -> Result<()> {
    // CL_INVALID_SEMAPHORE_KHR if sema_object is not a valid semaphore object.
    handle::release::<Semaphore>(sema_object)
}

/// clGetSemaphoreInfoKHR
pub fn get_semaphore_info(
    sema_object: cl_semaphore_khr,
    param_name: cl_uint,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_SEMAPHORE_KHR if sema_object is not a valid semaphore.
    let semaphore = lookup::<Semaphore>(sema_object)?;
    let info = match param_name {
        CL_SEMAPHORE_CONTEXT_KHR => Info::of(semaphore.context.id()),
        CL_SEMAPHORE_REFERENCE_COUNT_KHR => Info::of(semaphore.handle.references()),
        CL_SEMAPHORE_PROPERTIES_KHR => Info::list(&semaphore.properties),
        CL_SEMAPHORE_TYPE_KHR => Info::of(CL_SEMAPHORE_TYPE_BINARY_KHR as cl_uint),
        CL_SEMAPHORE_PAYLOAD_KHR => Info::of::<cl_ulong>(semaphore.is_signaled().into()),
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => Info::of(semaphore.device.id()),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clGetSemaphoreHandleForTypeKHR: no semaphore can be exported.
pub fn get_semaphore_handle_for_type(sema_object: cl_semaphore_khr) -> Result<()> {
    // CL_INVALID_SEMAPHORE_KHR if sema_object is not a valid semaphore, or if sema_object is not exportable.
    lookup::<Semaphore>(sema_object)?;
    Err(CL_INVALID_SEMAPHORE_KHR)
}
