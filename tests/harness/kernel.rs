//! Kernels, their arguments, and launches.

use crate::{Buffer, Context, Event, Info, Plain, check, cl, info};
use cl_sys::*;
use std::ptr::{null, null_mut};

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    pub id: cl_kernel,
    pub device: cl_device_id,
}

/// What can be a kernel's argument.
pub trait Argument {
    /// Size and address, as clSetKernelArg takes them.
    fn value(&self) -> (usize, *const c_void);
}

impl<T> Argument for Buffer<'_, T> {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<cl_mem>(), std::ptr::from_ref(&self.id).cast())
    }
}

impl<T: Plain> Argument for T {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<T>(), std::ptr::from_ref(self).cast())
    }
}

/// Bytes of local memory.
#[derive(Clone, Copy, Debug)]
pub struct Local(pub usize);

impl Argument for Local {
    fn value(&self) -> (usize, *const c_void) {
        (self.0, null())
    }
}

/// Global size, local size (chosen by the driver where there is none), offset.
#[derive(Clone, Debug, Default)]
pub struct Range {
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
    pub offset: Option<Vec<usize>>,
}

impl Range {
    /// A range whose local size the driver chooses.
    pub fn new<const N: usize>(global: [usize; N]) -> Range {
        Range {
            global: global.to_vec(),
            ..Range::default()
        }
    }

    pub fn local<const N: usize>(mut self, local: [usize; N]) -> Range {
        self.local = Some(local.to_vec());
        self
    }

    pub fn offset<const N: usize>(mut self, offset: [usize; N]) -> Range {
        self.offset = Some(offset.to_vec());
        self
    }
}

impl Kernel {
    #[track_caller]
    pub fn set(&self, arguments: &[&dyn Argument]) {
        for (index, argument) in arguments.iter().enumerate() {
            let (size, address) = argument.value();
            check(
                cl!(clSetKernelArg(self.id, index as u32, size, address)),
                &format!("clSetKernelArg {index}"),
            );
        }
    }

    /// Enqueues; fails with the error of clEnqueueNDRangeKernel.
    pub fn enqueue(&self, context: &Context, range: &Range) -> Result<Event, cl_int> {
        let pointer = |sizes: &Option<Vec<usize>>| sizes.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        let mut event = null_mut();
        let status = cl!(clEnqueueNDRangeKernel(
            context.queue,
            self.id,
            range.global.len() as u32,
            pointer(&range.offset),
            range.global.as_ptr(),
            pointer(&range.local),
            0,
            null(),
            &mut event,
        ));
        match status {
            CL_SUCCESS => Ok(Event(event)),
            error => Err(error),
        }
    }

    /// Enqueues without an event.
    #[track_caller]
    pub fn enqueue_silently(&self, context: &Context, range: &Range) {
        let pointer = |sizes: &Option<Vec<usize>>| sizes.as_ref().map_or(null(), |sizes| sizes.as_ptr());
        let (global, offset, local) = (range.global.as_ptr(), pointer(&range.offset), pointer(&range.local));
        let dimensions = range.global.len() as u32;
        let status = cl!(clEnqueueNDRangeKernel(
            context.queue,
            self.id,
            dimensions,
            offset,
            global,
            local,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueNDRangeKernel");
    }

    /// Sets the arguments, runs, and waits for the end.
    #[track_caller]
    pub fn run(&self, context: &Context, range: &Range, arguments: &[&dyn Argument]) -> Event {
        self.set(arguments);
        let event = self
            .enqueue(context, range)
            .unwrap_or_else(|status| panic!("clEnqueueNDRangeKernel: {status}"));
        event
            .wait()
            .unwrap_or_else(|status| panic!("the kernel ended with {status}, its event with {}", event.status()));
        event
    }

    pub fn info(&self, name: cl_kernel_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetKernelInfo(self.id, name, size, value, ret)))
    }

    pub fn argument_info(&self, index: u32, name: cl_kernel_arg_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetKernelArgInfo(self.id, index, name, size, value, ret)))
    }

    pub fn work_group_info(&self, name: cl_kernel_work_group_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetKernelWorkGroupInfo(self.id, self.device, name, size, value, ret)))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        cl!(clReleaseKernel(self.id));
    }
}
