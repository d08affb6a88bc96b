//! On-device queues: §5.1. What kernels do with them is the device's business (`device::enqueue`).

use crate::cl::*;
use crate::context::{self, Context};
use crate::device::Device;
use crate::environment::{Features, has_feature};
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::info::Info;
use ::device::enqueue;
use ::device::lock::Lock;
use std::sync::{Arc, Weak};

/// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
pub const PREFERRED_SIZE: cl_uint = 1 << 20;
/// CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
pub const MAX_SIZE: cl_uint = 16 << 20;
/// CL_DEVICE_MAX_ON_DEVICE_QUEUES
pub const MAX_QUEUES: cl_uint = 64;
/// CL_DEVICE_MAX_ON_DEVICE_EVENTS
pub const MAX_EVENTS: cl_uint = enqueue::MAX_EVENTS;
/// CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES
pub const PROPERTIES: cl_bitfield = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// An on-device queue.
#[derive(Debug)]
pub struct DeviceQueue {
    handle: Handle,
    context: Arc<Context>,
    device: Arc<Device>,
    properties: cl_command_queue_properties,
    /// CL_QUEUE_PROPERTIES_ARRAY
    property_list: Vec<cl_queue_properties>,
    /// What kernels get.
    pub queue: Arc<enqueue::Queue>,
}

impl Object for DeviceQueue {
    const KIND: Kind = Kind::DeviceQueue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// The default queues, at most one of each context and device.
static DEFAULTS: Lock<Vec<Weak<DeviceQueue>>> = Lock::new(Vec::new());

/// CL_QUEUE_DEVICE_DEFAULT
pub fn default_of(context: &Arc<Context>, device: &Arc<Device>) -> Option<Arc<DeviceQueue>> {
    let defaults = DEFAULTS.lock();
    let mut alive = defaults.iter().filter_map(Weak::upgrade);
    alive.find(|queue| queue.is_of(context) && Arc::ptr_eq(&queue.device, device))
}

/// The handle of [`default_of`]; NULL if there is none.
pub fn default_id(context: &Arc<Context>, device: &Arc<Device>) -> cl_command_queue {
    default_of(context, device).map_or(core::ptr::null_mut(), |queue| queue.handle.as_ptr())
}

impl DeviceQueue {
    /// Is it the context's?
    pub fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    fn make_default(self: &Arc<DeviceQueue>) {
        let mut defaults = DEFAULTS.lock();
        defaults.retain(|other| {
            let other = other.upgrade();
            other.is_some_and(|other| !(other.is_of(&self.context) && Arc::ptr_eq(&other.device, &self.device)))
        });
        defaults.push(Arc::downgrade(self));
    }

    /// What clGetCommandQueueInfo tells.
    pub fn info(&self, param_name: cl_command_queue_info) -> Result<Info> {
        Ok(match param_name {
            CL_QUEUE_CONTEXT => Info::of(self.context.id()),
            CL_QUEUE_DEVICE => Info::of(self.device.id()),
            CL_QUEUE_REFERENCE_COUNT => Info::of(self.handle.references()),
            CL_QUEUE_PROPERTIES => Info::of(self.properties),
            CL_QUEUE_PROPERTIES_ARRAY => Info::list(&self.property_list),
            CL_QUEUE_SIZE => Info::of::<cl_uint>(self.queue.size()),
            CL_QUEUE_DEVICE_DEFAULT => Info::of(default_id(&self.context, &self.device)),
            // CL_INVALID_VALUE if param_name is not one of the supported values.
            _ => return Err(CL_INVALID_VALUE),
        })
    }
}

/// Makes an on-device queue of properties that agree with each other.
pub fn create(
    context: &Arc<Context>,
    device: &Arc<Device>,
    properties: cl_command_queue_properties,
    size: Option<cl_queue_properties>,
    property_list: Vec<cl_queue_properties>,
) -> Result<cl_command_queue> {
    // CL_INVALID_QUEUE_PROPERTIES if values specified in properties are valid but are not supported by the device.
    fail_if(!has_feature(Features::DEVICE_ENQUEUE), CL_INVALID_QUEUE_PROPERTIES)?;
    let size = size.unwrap_or(PREFERRED_SIZE.into());
    fail_if(size > cl_queue_properties::from(MAX_SIZE), CL_INVALID_QUEUE_PROPERTIES)?;
    let is_default = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
    // "There can only be one default device queue for each device within a context": who asks for it again gets the one that there is.
    if is_default && let Some(existing) = default_of(context, device) {
        handle::retain::<DeviceQueue>(existing.handle.as_ptr())?;
        return Ok(existing.handle.as_ptr());
    }
    let queue = Arc::new(DeviceQueue {
        handle: Handle::default(),
        context: context.clone(),
        device: device.clone(),
        properties,
        property_list,
        queue: Arc::new(enqueue::Queue::new(size as u32)),
    });
    let id = publish(queue.clone())?;
    if is_default {
        queue.make_default();
    }
    Ok(id)
}

/// clSetDefaultDeviceCommandQueue
pub fn set_default_device_command_queue(context: cl_context, device: cl_device_id, command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_DEVICE if device is not a valid device or is not associated with context.
    let device = lookup::<Device>(device)?;
    fail_if(!context.has(&device), CL_INVALID_DEVICE)?;
    // CL_INVALID_OPERATION if device does not support a replaceable default on-device queue.
    fail_if(!has_feature(Features::DEVICE_ENQUEUE), CL_INVALID_OPERATION)?;
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for device.
    let queue = lookup::<DeviceQueue>(command_queue)?;
    fail_if(
        !queue.is_of(&context) || !Arc::ptr_eq(&queue.device, &device),
        CL_INVALID_COMMAND_QUEUE,
    )?;
    queue.make_default();
    Ok(())
}
