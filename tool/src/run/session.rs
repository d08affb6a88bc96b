//! The driver, as a host program would use it: what the entry points are behind the loader.

use super::argument::Argument;
use api::cl::*;
use api::error::name;
use api::raw::{FromC, HostPointer, In, Out};
use api::{context, event, kernel, launch, memory, platform, program, queue, transfer};
use std::ffi::CString;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// A kernel that is ready to run.
pub struct Session {
    context: cl_context,
    queue: cl_command_queue,
    kernel: cl_kernel,
}

/// The function that failed, with its error's name.
fn told<T>(function: &str, result: Result<T, cl_int>) -> Result<T, String> {
    result.map_err(|code| format!("{function}: {} ({code})", name(code)))
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text with a NUL in it".to_owned())
}

fn pointer<T>(values: &[T]) -> *mut c_void {
    values.as_ptr().cast_mut().cast()
}

/// A query's answer that is text.
fn text(query: impl Fn(usize, Out<c_void>, Out<usize>) -> Result<(), cl_int>) -> String {
    let mut size = 0;
    if query(0, Out::null(), Out::from_mut(&mut size)).is_err() {
        return String::new();
    }
    let mut bytes = vec![0_u8; size];
    // SAFETY: the place has as many bytes as the query is told.
    let place = unsafe { FromC::from_c(bytes.as_mut_ptr().cast::<c_void>()) };
    let answered = query(size, place, Out::null()).is_ok();
    let text = String::from_utf8_lossy(&bytes);
    if answered {
        text.trim_end_matches('\0').to_owned()
    } else {
        String::new()
    }
}

impl Session {
    /// Builds a file for the device. A build that fails gives its log.
    pub fn new(file: &str, options: &str, kernel: Option<&str>) -> Result<Session, String> {
        let (mut platform, mut device) = (null_mut(), null_mut());
        told(
            "clGetPlatformIDs",
            platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()),
        )?;
        let devices = platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null());
        told("clGetDeviceIDs", devices)?;
        let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut());
        let context = told("clCreateContext", context)?;
        let queue = told("clCreateCommandQueue", queue::create_command_queue(context, device, 0))?;
        let program = create_program(context, file)?;
        let options = c_string(options)?;
        // SAFETY: a string that a NUL ends.
        let given = unsafe { FromC::from_c(options.as_ptr()) };
        let built = program::build_program(program, 1, In::from_slice(&[device]), given, None, null_mut());
        let log = text(|size, value, ret| program::get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, value, ret));
        built.map_err(|code| format!("{file} does not build: {} ({code})\n{}", name(code), log.trim_end()))?;
        if !log.trim().is_empty() {
            eprintln!("{}", log.trim_end());
        }
        let names = text(|size, value, ret| program::get_program_info(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret));
        let wanted = match (kernel, names.contains(';')) {
            (Some(kernel), _) => kernel,
            (None, false) => names.as_str(),
            (None, true) => {
                return Err(format!(
                    "{file} has several kernels, --kernel names one: {}",
                    names.replace(';', ", ")
                ));
            }
        };
        let wanted = c_string(wanted)?;
        // SAFETY: a string that a NUL ends.
        let created = kernel::create_kernel(program, unsafe { FromC::from_c(wanted.as_ptr()) });
        let kernel = created.map_err(|_| format!("{file} has no kernel {wanted:?}; it has {}", names.replace(';', ", ")))?;
        Ok(Session { context, queue, kernel })
    }

    /// Sets the kernel's arguments. Gives their buffers; null for what is none.
    pub fn set(&self, arguments: &[Argument]) -> Result<Vec<cl_mem>, String> {
        let mut buffers = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let mut buffer = null_mut();
            let (size, value): (usize, In<u8>) = match argument {
                Argument::Buffer { data, only_read } => {
                    let access = if *only_read { CL_MEM_READ_ONLY } else { CL_MEM_READ_WRITE };
                    let made = memory::create_buffer(self.context, access | CL_MEM_COPY_HOST_PTR, data.bytes.len(), pointer(&data.bytes));
                    buffer = told("clCreateBuffer", made)?;
                    // SAFETY: the handle lives longer than the call.
                    (size_of::<cl_mem>(), unsafe { FromC::from_c((&raw const buffer).cast::<u8>()) })
                }
                Argument::Value(bytes) => (bytes.len(), In::from_slice(bytes)),
                Argument::Local(bytes) => (*bytes, In::null()),
                Argument::Null => (size_of::<cl_mem>(), In::null()),
            };
            told(
                &format!("argument {index}"),
                kernel::set_kernel_arg(self.kernel, index as u32, size, value),
            )?;
            buffers.push(buffer);
        }
        Ok(buffers)
    }

    /// Runs the kernel. Gives the time from enqueueing to its end.
    pub fn launch(&self, global: &[usize], offset: &[usize], local: Option<&[usize]>) -> Result<Duration, String> {
        let mut done: cl_event = null_mut();
        let began = Instant::now();
        let enqueued = launch::enqueue_nd_range_kernel(
            self.queue,
            self.kernel,
            global.len() as u32,
            In::from_slice(offset),
            In::from_slice(global),
            local.map_or(In::null(), In::from_slice),
            0,
            In::null(),
            Out::from_mut(&mut done),
        );
        enqueued.map_err(|code| match code {
            CL_INVALID_KERNEL_ARGS => "the kernel has more arguments than --arg gives".to_owned(),
            code => format!("clEnqueueNDRangeKernel: {} ({code})", name(code)),
        })?;
        let waited = event::wait_for_events(1, In::from_slice(&[done]));
        let time = began.elapsed();
        if waited.is_err() {
            let mut status: cl_int = 0;
            // SAFETY: a place for the status.
            let place = unsafe { FromC::from_c((&raw mut status).cast::<c_void>()) };
            let known = event::get_event_info(done, CL_EVENT_COMMAND_EXECUTION_STATUS, size_of::<cl_int>(), place, Out::null());
            told("clGetEventInfo", known)?;
            return Err(format!("the kernel ended with {} ({status})", name(status)));
        }
        told("clReleaseEvent", event::release_event(done))?;
        Ok(time)
    }

    /// A buffer's bytes.
    pub fn read(&self, buffer: cl_mem, size: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0_u8; size];
        let place = HostPointer(bytes.as_mut_ptr());
        let read = transfer::buffer::enqueue_read_or_write::<transfer::Read>(
            self.queue,
            buffer,
            CL_TRUE,
            0,
            size,
            place,
            0,
            In::null(),
            Out::null(),
        );
        told("clEnqueueReadBuffer", read)?;
        Ok(bytes)
    }
}

/// A program of a file: SPIR-V by its first word, else OpenCL C, whose lines reports tell with the file's name.
fn create_program(context: cl_context, file: &str) -> Result<cl_program, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    if bytes.starts_with(&0x0723_0203_u32.to_le_bytes()) {
        let made = program::create_program_with_il(context, In::from_slice(&bytes), bytes.len());
        return told("clCreateProgramWithIL", made);
    }
    let mut source = format!("#line 1 \"{}\"\n", file.replace('\\', "\\\\").replace('"', "\\\"")).into_bytes();
    source.extend(bytes);
    let (strings, lengths) = ([source.as_ptr().cast()], [source.len()]);
    let made = program::create_program_with_source(context, 1, In::from_slice(&strings), In::from_slice(&lengths));
    told("clCreateProgramWithSource", made)
}
