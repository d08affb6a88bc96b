//! Command-buffers: §5.17 (cl_khr_command_buffer).
//!
//! A command-buffer is a list of [`Step`]s. Enqueued, it is one command, which takes the steps in the order of their recording: all that a
//! command can depend on was recorded before it, and each step uses the whole machine where that pays. The list is shared with the
//! executions in flight, and copied when an update comes while there are any (`mutable`): so any number of executions can be under way.

pub mod mutable;
pub mod record;
pub mod recording;

use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::event::wait_list;
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::info::Info;
use crate::launch::Ready;
use crate::queue::{Cost, Queue, Submission};
use crate::raw::{In, Out};
use ::device::lock::Lock;
use mutable::MutableCommand;
use std::sync::Arc;

/// CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
pub const QUEUE_PROPERTIES: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
/// CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR
pub const CAPABILITIES: cl_bitfield = CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;

/// A command-buffer whose steps together are no longer than so many small ones is a small command.
const SMALL_STEPS: usize = 8;

/// A command-buffer.
pub struct CommandBuffer {
    handle: Handle,
    /// The queue that it was made for, and runs on unless told otherwise.
    pub queue: Arc<Queue>,
    /// CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR
    properties: Vec<cl_properties>,
    /// CL_COMMAND_BUFFER_FLAGS_KHR
    flags: cl_properties,
    /// CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR
    asserts: cl_properties,
    state: Lock<State>,
}

#[derive(Default)]
struct State {
    finalized: bool,
    steps: Arc<Vec<Step>>,
    /// The commands that the application has handles of; their references go with the command-buffer.
    commands: Vec<Arc<MutableCommand>>,
}

/// A recorded command.
#[derive(Clone)]
enum Step {
    /// Something that takes so long.
    Work(Cost, Arc<dyn Fn() -> Result<()> + Send + Sync>),
    /// A kernel.
    Launch(Arc<Ready>),
    /// A kernel whose arguments have not all been set.
    Incomplete,
}

impl Step {
    fn run(&self) -> Result<()> {
        match self {
            Step::Work(_, work) => work(),
            Step::Launch(ready) => ready.run(),
            Step::Incomplete => Err(CL_INVALID_OPERATION),
        }
    }

    fn cost(&self) -> Cost {
        match self {
            Step::Work(cost, _) => *cost,
            Step::Launch(ready) => ready.cost(),
            Step::Incomplete => Cost::Small,
        }
    }
}

impl State {
    /// CL_COMMAND_BUFFER_STATE_KHR
    fn of_the_lifecycle(&self) -> cl_uint {
        if !self.finalized {
            CL_COMMAND_BUFFER_STATE_RECORDING_KHR
        } else if self.steps.iter().any(|step| matches!(step, Step::Incomplete)) {
            CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
        } else {
            CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
        }
    }
}

impl Object for CommandBuffer {
    const KIND: Kind = Kind::CommandBuffer;
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl CommandBuffer {
    /// What the application holds of it.
    pub fn id(&self) -> cl_command_buffer_khr {
        self.handle.as_ptr()
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.queue.context
    }

    /// The device that its commands are for.
    pub fn device(&self) -> &Arc<Device> {
        &self.queue.device
    }

    /// The application promises never to add work-groups to a kernel's.
    fn asserts_work_groups(&self) -> bool {
        self.asserts & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR != 0
    }
}

/// The properties that clCreateCommandBufferKHR knows, and their valid bits.
const PROPERTIES: [(cl_properties, cl_properties); 2] = [
    (
        CL_COMMAND_BUFFER_FLAGS_KHR,
        CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR,
    ),
    (
        CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
        CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
    ),
];

/// clCreateCommandBufferKHR
pub fn create_command_buffer(
    num_queues: cl_uint,
    queues: In<cl_command_queue>,
    properties: In<cl_properties>,
) -> Result<cl_command_buffer_khr> {
    // CL_INVALID_VALUE if num_queues is not one, or if queues is NULL.
    fail_if(num_queues != 1, CL_INVALID_VALUE)?;
    let queue = queues.get().ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_COMMAND_QUEUE if any command-queue in queues is not a valid command-queue.
    let queue = lookup::<Queue>(queue)?;
    queue.context.check_alive()?;
    // CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is specified more than once.
    // (CL_INVALID_PROPERTY is for values that are valid and not supported, of which there are none.)
    let properties = properties.bit_fields(&PROPERTIES, CL_INVALID_VALUE)?;
    publish(Arc::new(CommandBuffer {
        handle: Handle::default(),
        queue: queue.clone(),
        flags: properties.values[0].unwrap_or_default(),
        asserts: properties.values[1].unwrap_or_default(),
        properties: properties.list,
        state: Lock::default(),
    }))
}

/// clRetainCommandBufferKHR
pub fn retain_command_buffer(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    handle::retain::<CommandBuffer>(command_buffer)
}

/// clReleaseCommandBufferKHR
pub fn release_command_buffer(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    handle::release::<CommandBuffer>(command_buffer)
}

/// clFinalizeCommandBufferKHR
pub fn finalize_command_buffer(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    let buffer = lookup::<CommandBuffer>(command_buffer)?;
    let mut state = buffer.state.lock();
    // CL_INVALID_OPERATION if command_buffer is not in the Recording state.
    fail_if(state.finalized, CL_INVALID_OPERATION)?;
    state.finalized = true;
    Ok(())
}

/// clEnqueueCommandBufferKHR
pub fn enqueue_command_buffer(
    num_queues: cl_uint,
    queues: In<cl_command_queue>,
    command_buffer: cl_command_buffer_khr,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    let buffer = lookup::<CommandBuffer>(command_buffer)?;
    // CL_INVALID_VALUE if queues is NULL and num_queues is > 0, or queues is not NULL and num_queues is 0.
    fail_if(queues.is_null() != (num_queues == 0), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if num_queues is > 0 and not the same value as num_queues set on command_buffer creation.
    fail_if(num_queues > 1, CL_INVALID_VALUE)?;
    let queue = match queues.get() {
        None => buffer.queue.clone(),
        // CL_INVALID_COMMAND_QUEUE if any element of queues is not a valid command-queue.
        Some(queue) => lookup::<Queue>(queue)?.clone(),
    };
    // CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if the properties of any command-queue in queues contains a property not specified by
    // CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: it specifies all that queues of a host can have.
    // CL_INVALID_DEVICE if any element of queues does not have the same device as the command-queue set on command_buffer creation.
    fail_if(!Arc::ptr_eq(&queue.device, buffer.device()), CL_INVALID_DEVICE)?;
    // CL_INVALID_CONTEXT if any element of queues does not have the same context as the command-queue set on command_buffer creation, or
    // if context associated with command_buffer and events in event_wait_list are not the same.
    fail_if(!Arc::ptr_eq(&queue.context, buffer.context()), CL_INVALID_CONTEXT)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, buffer.context())?;
    let steps = {
        let state = buffer.state.lock();
        // CL_INVALID_OPERATION if command_buffer is not in the Executable state.
        fail_if(
            state.of_the_lifecycle() != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            CL_INVALID_OPERATION,
        )?;
        state.steps.clone()
    };
    let is_small = steps.len() <= SMALL_STEPS && steps.iter().all(|step| step.cost() == Cost::Small);
    let cost = if is_small { Cost::Small } else { Cost::Large };
    Submission::new(&queue, CL_COMMAND_COMMAND_BUFFER_KHR, wait_list, event, cost).submit(move || steps.iter().try_for_each(Step::run))
}

/// clGetCommandBufferInfoKHR
pub fn get_command_buffer_info(
    command_buffer: cl_command_buffer_khr,
    param_name: cl_uint,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    let buffer = lookup::<CommandBuffer>(command_buffer)?;
    let info = match param_name {
        CL_COMMAND_BUFFER_NUM_QUEUES_KHR => Info::of::<cl_uint>(1),
        CL_COMMAND_BUFFER_QUEUES_KHR => Info::of(buffer.queue.id()),
        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => Info::of(buffer.handle.references()),
        CL_COMMAND_BUFFER_STATE_KHR => Info::of(buffer.state.lock().of_the_lifecycle()),
        CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => Info::list(&buffer.properties),
        CL_COMMAND_BUFFER_CONTEXT_KHR => Info::of(buffer.context().id()),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
