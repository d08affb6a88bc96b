//! Sharing with OpenGL and EGL: functions that every dispatch table has. No context here shares objects with either.

use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::handle::lookup;
use crate::memory::Memory;
use crate::queue::Queue;
use crate::raw::In;
use core::ffi::c_void;

/// clCreateFromGL…, clCreateFromEGLImageKHR, clCreateEventFromGLsyncKHR, clCreateEventFromEGLSyncKHR
pub fn create(context: cl_context) -> Result<*mut c_void> {
    lookup::<Context>(context)?;
    // CL_INVALID_CONTEXT if context was not created from a GL context (or an EGL display).
    Err(CL_INVALID_CONTEXT)
}

/// clGetGLObjectInfo, clGetGLTextureInfo
pub fn get_object_info(memobj: cl_mem) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object.
    lookup::<Memory>(memobj)?;
    // CL_INVALID_GL_OBJECT if there is no GL object associated with memobj.
    Err(CL_INVALID_GL_OBJECT)
}

/// clEnqueueAcquireGLObjects, clEnqueueReleaseGLObjects and those of EGL
pub fn enqueue(command_queue: cl_command_queue) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue.
    lookup::<Queue>(command_queue)?;
    // CL_INVALID_CONTEXT if the context associated with command_queue was not created from an OpenGL context.
    Err(CL_INVALID_CONTEXT)
}

/// clGetGLContextInfoKHR
pub fn get_gl_context_info(_properties: In<cl_context_properties>) -> Result<()> {
    // CL_INVALID_OPERATION: the platform has no device that is associated with an OpenGL context.
    Err(CL_INVALID_OPERATION)
}

/// clCreateSubDevicesEXT (cl_ext_device_fission, which clCreateSubDevices has replaced)
pub fn create_sub_devices(in_device: cl_device_id) -> Result<()> {
    // CL_INVALID_DEVICE if in_device is not a valid device.
    lookup::<Device>(in_device)?;
    // CL_INVALID_VALUE if values specified in properties are not supported by the device.
    Err(CL_INVALID_VALUE)
}
