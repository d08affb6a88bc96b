//! The driver as a host program would use it: what the entry points are behind the loader.

use super::replay::Image;
use api::cl::*;
use api::error::name;
use api::image::{self, create_image};
use api::raw::{FromC, HostPointer, In, Out};
use api::{context, event, kernel, launch, memory, platform, program, queue, sampler, svm, transfer};
use std::ffi::CString;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// A context with the device and a queue.
pub struct Host {
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

/// The function that failed, with its error's name.
fn told<T>(function: &str, result: Result<T, cl_int>) -> Result<T, String> {
    result.map_err(|code| format!("{function}: {} ({code})", name(code)))
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text with a NUL in it".to_owned())
}

/// What is given by its address; null for no bytes.
pub fn value<T: ?Sized>(value: &T) -> In<u8> {
    if size_of_val(value) == 0 {
        return In::null();
    }
    // SAFETY: the value lives as long as the pointer.
    unsafe { FromC::from_c((&raw const *value).cast::<u8>()) }
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

impl Host {
    /// The driver's device, a context and a queue.
    pub fn new() -> Result<Host, String> {
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
        Ok(Host { device, context, queue })
    }

    /// A program of SPIR-V, which its first word tells, or OpenCL C.
    pub fn create(&self, bytes: &[u8]) -> Result<cl_program, String> {
        if bytes.starts_with(&0x0723_0203_u32.to_le_bytes()) {
            let made = program::create_program_with_il(self.context, In::from_slice(bytes), bytes.len());
            return told("clCreateProgramWithIL", made);
        }
        let (strings, lengths) = ([bytes.as_ptr().cast()], [bytes.len()]);
        let made = program::create_program_with_source(self.context, 1, In::from_slice(&strings), In::from_slice(&lengths));
        told("clCreateProgramWithSource", made)
    }

    /// Gives a specialization constant its value.
    pub fn specialize(&self, program: cl_program, id: u32, bytes: &[u8]) -> Result<(), String> {
        let set = program::set_program_specialization_constant(program, id, bytes.len(), value(bytes));
        told("clSetProgramSpecializationConstant", set)
    }

    /// The end of a build. One that fails is told with its log; that of one that does not is printed.
    fn built(&self, program: cl_program, function: &str, result: Result<(), cl_int>) -> Result<(), String> {
        let device = self.device;
        let log = text(|size, value, ret| program::get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, value, ret));
        let log = log.trim_end();
        result.map_err(|code| format!("{function}: {} ({code})\n{log}", name(code)))?;
        if !log.trim().is_empty() {
            eprintln!("{log}");
        }
        Ok(())
    }

    /// Builds a program for the device.
    pub fn build(&self, program: cl_program, options: &str) -> Result<(), String> {
        let options = c_string(options)?;
        // SAFETY: a string that a NUL ends.
        let given = unsafe { FromC::from_c(options.as_ptr()) };
        let built = program::build_program(program, 1, In::from_slice(&[self.device]), given, None, null_mut());
        self.built(program, "clBuildProgram", built)
    }

    /// Compiles programs, and links them.
    pub fn link(&self, programs: &[cl_program], options: &str) -> Result<cl_program, String> {
        let (devices, none) = ([self.device], None);
        for &program in programs {
            let devices = In::from_slice(&devices);
            let compiled = program::compile_program(program, 1, devices, In::null(), 0, In::null(), In::null(), none, null_mut());
            self.built(program, "clCompileProgram", compiled)?;
        }
        let options = c_string(options)?;
        // SAFETY: a string that a NUL ends.
        let given = unsafe { FromC::from_c(options.as_ptr()) };
        let (count, programs, mut status) = (programs.len() as u32, In::from_slice(programs), 0);
        let devices = In::from_slice(&devices);
        let status_place = Out::from_mut(&mut status);
        let linked = program::link_program(self.context, 1, devices, given, count, programs, None, null_mut(), status_place);
        self.built(linked, "clLinkProgram", if status == CL_SUCCESS { Ok(()) } else { Err(status) })?;
        Ok(linked)
    }

    /// The names of a program's kernels, with semicolons between.
    pub fn kernel_names(&self, program: cl_program) -> String {
        text(|size, value, ret| program::get_program_info(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret))
    }

    /// A kernel by its name.
    pub fn kernel(&self, program: cl_program, name: &str) -> Result<cl_kernel, String> {
        let name = c_string(name)?;
        // SAFETY: a string that a NUL ends.
        told(
            "clCreateKernel",
            kernel::create_kernel(program, unsafe { FromC::from_c(name.as_ptr()) }),
        )
    }

    /// Releases a kernel.
    pub fn release(&self, kernel: cl_kernel) -> Result<(), String> {
        told("clReleaseKernel", kernel::release_kernel(kernel))
    }

    /// Sets an argument.
    pub fn set(&self, kernel: cl_kernel, index: u32, size: usize, value: In<u8>) -> Result<(), String> {
        told(&format!("argument {index}"), kernel::set_kernel_arg(kernel, index, size, value))
    }

    /// Sets an argument to an SVM pointer.
    pub fn set_pointer(&self, kernel: cl_kernel, index: u32, pointer: *const c_void) -> Result<(), String> {
        told(
            &format!("argument {index}"),
            kernel::set_kernel_arg_svm_pointer(kernel, index, pointer),
        )
    }

    /// A buffer of zeros.
    pub fn buffer(&self, flags: cl_mem_flags, bytes: usize) -> Result<cl_mem, String> {
        told("clCreateBuffer", memory::create_buffer(self.context, flags, bytes, null_mut()))
    }

    /// A part of a buffer.
    pub fn part(&self, buffer: cl_mem, origin: usize, size: usize) -> Result<cl_mem, String> {
        let region = cl_buffer_region { origin, size };
        // SAFETY: the region lives longer than the call.
        let place = unsafe { FromC::from_c((&raw const region).cast::<c_void>()) };
        let made = memory::create_sub_buffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, place);
        told("clCreateSubBuffer", made)
    }

    /// Shared virtual memory, to which the host may write when it likes.
    pub fn shared(&self, bytes: usize) -> Result<*mut c_void, String> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
        told("clSVMAlloc", svm::svm_alloc(self.context, flags, bytes, 0))
    }

    /// Runs a kernel. Gives the time from enqueueing to its end.
    pub fn launch(&self, kernel: cl_kernel, global: &[usize], offset: &[usize], local: Option<&[usize]>) -> Result<Duration, String> {
        let mut done: cl_event = null_mut();
        let began = Instant::now();
        let enqueued = launch::enqueue_nd_range_kernel(
            self.queue,
            kernel,
            global.len() as u32,
            In::from_slice(offset),
            In::from_slice(global),
            local.map_or(In::null(), In::from_slice),
            0,
            In::null(),
            Out::from_mut(&mut done),
        );
        enqueued.map_err(|code| match code {
            CL_INVALID_KERNEL_ARGS => "the kernel has more arguments than are given".to_owned(),
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
        let queue = self.queue;
        let read =
            transfer::buffer::enqueue_read_or_write::<transfer::Read>(queue, buffer, CL_TRUE, 0, size, place, 0, In::null(), Out::null());
        told("clEnqueueReadBuffer", read)?;
        Ok(bytes)
    }

    /// An image.
    pub fn image(&self, flags: cl_mem_flags, image: &Image) -> Result<cl_mem, String> {
        let format = cl_image_format {
            image_channel_order: image.order,
            image_channel_data_type: image.data_type,
        };
        let [width, second, third] = image.region;
        // Layers are counted in the dimension after the last that each layer has.
        let (height, depth, layers) = match image.kind {
            CL_MEM_OBJECT_IMAGE1D => (0, 0, 0),
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (0, 0, second),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => (second, 0, third),
            CL_MEM_OBJECT_IMAGE2D => (second, 0, 0),
            _ => (second, third, 0),
        };
        let desc = cl_image_desc {
            image_type: image.kind,
            image_width: width,
            image_height: height,
            image_depth: depth,
            image_array_size: layers,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            mem_object: null_mut(),
        };
        let (format, desc) = ([format], [desc]);
        let made = create_image(self.context, flags, In::from_slice(&format), In::from_slice(&desc), null_mut());
        told("clCreateImage", made)
    }

    /// A sampler of normalized coordinates, addressing mode and filter mode.
    pub fn sampler(&self, [normalized, addressing, filter]: [u32; 3]) -> Result<cl_sampler, String> {
        told(
            "clCreateSampler",
            sampler::create_sampler(self.context, normalized, addressing, filter),
        )
    }

    /// All pixels of an image.
    pub fn read_image(&self, image: cl_mem, region: [usize; 3], size: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0_u8; size];
        told(
            "clEnqueueReadImage",
            self.move_image::<transfer::Read>(image, region, bytes.as_mut_ptr()),
        )?;
        Ok(bytes)
    }

    /// Fills an image.
    pub fn write_image(&self, image: cl_mem, region: [usize; 3], bytes: &[u8]) -> Result<(), String> {
        let from = bytes.as_ptr().cast_mut();
        told("clEnqueueWriteImage", self.move_image::<transfer::Write>(image, region, from))
    }

    fn move_image<D: transfer::Direction>(&self, image: cl_mem, region: [usize; 3], place: *mut u8) -> Result<(), cl_int> {
        let (origin, region) = (In::from_slice(&[0; 3]), In::from_slice(&region));
        let (none, place) = (In::null(), HostPointer(place));
        image::enqueue_read_or_write::<D>(self.queue, image, CL_TRUE, origin, region, 0, 0, place, 0, none, Out::null())
    }

    /// Fills a buffer.
    pub fn write(&self, buffer: cl_mem, bytes: &[u8]) -> Result<(), String> {
        let (queue, size, place) = (self.queue, bytes.len(), HostPointer(bytes.as_ptr().cast_mut()));
        let written =
            transfer::buffer::enqueue_read_or_write::<transfer::Write>(queue, buffer, CL_TRUE, 0, size, place, 0, In::null(), Out::null());
        told("clEnqueueWriteBuffer", written)
    }
}
