//! On-device queues.

use crate::{Argument, Context, cl, info};
use cl_sys::*;

/// CL_QUEUE_SIZE
pub const CL_QUEUE_SIZE: cl_uint = 0x1094;

/// An on-device queue.
#[derive(Debug)]
pub struct DeviceQueue(pub cl_command_queue);

impl DeviceQueue {
    /// A queue of so many bytes, perhaps the default one.
    pub fn new(context: &Context, size: u64, is_default: bool) -> Result<DeviceQueue, cl_int> {
        let default = if is_default { CL_QUEUE_ON_DEVICE_DEFAULT } else { 0 };
        let properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | default;
        let list = [CL_QUEUE_PROPERTIES.into(), properties, CL_QUEUE_SIZE.into(), size, 0];
        let mut status = 0;
        let id = cl!(clCreateCommandQueueWithProperties(
            context.id,
            context.device.id,
            list.as_ptr(),
            &mut status
        ));
        if status == CL_SUCCESS { Ok(DeviceQueue(id)) } else { Err(status) }
    }

    pub fn number(&self, name: cl_uint) -> u64 {
        let answer = info(|size, value, ret| cl!(clGetCommandQueueInfo(self.0, name, size, value, ret)));
        answer.expect("it is known").number()
    }
}

impl Argument for DeviceQueue {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<cl_command_queue>(), std::ptr::from_ref(&self.0).cast())
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        cl!(clReleaseCommandQueue(self.0));
    }
}
