//! Pipes: §5.4. The device has none (CL_DEVICE_PIPE_SUPPORT is CL_FALSE).

use crate::cl::*;
use crate::context::Context;
use crate::error::Result;
use crate::handle::lookup;
use crate::memory::Memory;

/// clCreatePipe
pub fn create_pipe(context: cl_context) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    lookup::<Context>(context)?;
    // CL_INVALID_OPERATION if no devices in context support pipes.
    Err(CL_INVALID_OPERATION)
}

/// clGetPipeInfo
pub fn get_pipe_info(pipe: cl_mem) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if pipe is a not a valid pipe object.
    lookup::<Memory>(pipe)?;
    Err(CL_INVALID_MEM_OBJECT)
}
