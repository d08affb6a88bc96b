//! A device, a context with one queue, and events.

use crate::{Info, Program, check, cl, info};
use cl_sys::*;
use std::ptr::{null, null_mut};

/// A device and its platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    pub platform: cl_platform_id,
    pub id: cl_device_id,
}

impl Device {
    /// Every device of every platform that the loader finds.
    pub fn all() -> Vec<Device> {
        let mut count = 0;
        if cl!(clGetPlatformIDs(0, null_mut(), &mut count)) != CL_SUCCESS {
            return Vec::new();
        }
        let mut platforms = vec![null_mut(); count as usize];
        check(cl!(clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut())), "clGetPlatformIDs");
        let devices = |&platform: &cl_platform_id| -> Vec<Device> {
            let mut count = 0;
            if cl!(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count)) != CL_SUCCESS {
                return Vec::new();
            }
            let mut ids = vec![null_mut(); count as usize];
            check(
                cl!(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.as_mut_ptr(), null_mut())),
                "clGetDeviceIDs",
            );
            ids.into_iter().map(|id| Device { platform, id }).collect()
        };
        platforms.iter().flat_map(devices).collect()
    }

    /// The device that the tests are about: the first one.
    pub fn under_test() -> Device {
        let vendors = std::env::var("OCL_ICD_VENDORS").unwrap_or_default();
        let none = || panic!("the ICD loader finds no device (OCL_ICD_VENDORS={vendors}); has the driver been built? 'make check' does");
        Device::all().into_iter().next().unwrap_or_else(none)
    }

    pub fn info(&self, name: cl_device_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetDeviceInfo(self.id, name, size, value, ret)))
    }

    pub fn platform_info(&self, name: cl_platform_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetPlatformInfo(self.platform, name, size, value, ret)))
    }

    pub fn text(&self, name: cl_device_info) -> String {
        self.info(name).expect("a device query").text()
    }

    pub fn number(&self, name: cl_device_info) -> u64 {
        self.info(name).expect("a device query").number()
    }

    pub fn has_extension(&self, name: &str) -> bool {
        self.text(CL_DEVICE_EXTENSIONS).split(' ').any(|extension| extension == name)
    }
}

/// A context of one device with an in-order queue that measures times.
#[derive(Debug)]
pub struct Context {
    pub device: Device,
    pub id: cl_context,
    pub queue: cl_command_queue,
}

// SAFETY: handles, which any thread may use.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// For the device under test.
    pub fn new() -> Context {
        Context::of(Device::under_test())
    }

    pub fn of(device: Device) -> Context {
        let mut status = 0;
        let id = cl!(clCreateContext(null(), 1, &device.id, None, null_mut(), &mut status));
        check(status, "clCreateContext");
        let queue = cl!(clCreateCommandQueue(id, device.id, CL_QUEUE_PROFILING_ENABLE, &mut status));
        check(status, "clCreateCommandQueue");
        Context { device, id, queue }
    }

    /// Builds OpenCL C. Fails with the build log.
    pub fn build(&self, source: &str, options: &str) -> Result<Program, String> {
        Program::from_source(self, source).build(options)
    }

    /// Builds OpenCL C that is right.
    #[track_caller]
    pub fn program(&self, source: &str, options: &str) -> Program {
        self.build(source, options)
            .unwrap_or_else(|log| panic!("the program does not build:\n{log}"))
    }

    pub fn finish(&self) {
        check(cl!(clFinish(self.queue)), "clFinish");
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        cl!(clReleaseCommandQueue(self.queue));
        cl!(clReleaseContext(self.id));
    }
}

/// An event.
#[derive(Debug)]
pub struct Event(pub cl_event);

impl Event {
    /// Waits for the end; fails with the event's error.
    pub fn wait(&self) -> Result<(), cl_int> {
        match cl!(clWaitForEvents(1, &self.0)) {
            CL_SUCCESS => Ok(()),
            error => Err(error),
        }
    }

    pub fn status(&self) -> cl_int {
        let mut status: cl_int = 0;
        let value = std::ptr::from_mut(&mut status).cast();
        check(
            cl!(clGetEventInfo(
                self.0,
                CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of::<cl_int>(),
                value,
                null_mut()
            )),
            "clGetEventInfo",
        );
        status
    }

    /// A time in nanoseconds.
    pub fn time(&self, name: cl_profiling_info) -> u64 {
        info(|size, value, ret| cl!(clGetEventProfilingInfo(self.0, name, size, value, ret)))
            .expect("profiling")
            .number()
    }

    /// How long the command ran, in nanoseconds.
    pub fn duration(&self) -> u64 {
        self.time(CL_PROFILING_COMMAND_END) - self.time(CL_PROFILING_COMMAND_START)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        cl!(clReleaseEvent(self.0));
    }
}
