//! Program objects: §5.8.

mod info;

pub use info::{get_program_build_info, get_program_info};

use crate::binary::Binary;
use crate::build::{self, Build, Origin, Specialization};
use crate::cl::*;
use crate::context::{self, Callback, Context};
use crate::device::{self, Device};
use crate::environment;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::raw::{FromC, In, Out};
use ::device::blocks::stocked;
use ::device::fork;
use ::device::lock::{Condvar, Guard, Lock};
use ::device::threads;
use compiler::source::{Options, Step};
use compiler::{ArgumentInfo, Module};
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use once_cell::race::OnceBox;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A program.
#[derive(Debug)]
pub struct Program {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// The devices it is for.
    pub devices: Vec<Arc<Device>>,
    pub origin: Origin,
    specialization: Lock<Specialization>,
    /// One for each device.
    builds: Lock<Vec<Build>>,
    /// A build has ended.
    built: Condvar,
    /// Which process's thread makes a build that is under way (`device::fork::generation`).
    builder: AtomicU64,
    /// Its kernels with all that is known of their arguments, where it was built without that.
    described: OnceBox<Option<Arc<compiler::Program>>>,
    /// Kernel objects that live.
    pub kernels: AtomicUsize,
}

impl Object for Program {
    const KIND: Kind = Kind::Program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Program {
    fn create(context: &Arc<Context>, devices: Vec<Arc<Device>>, origin: Origin) -> Program {
        let builds = vec![Build::default(); devices.len()];
        Program {
            handle: Handle::default(),
            context: context.clone(),
            devices,
            origin,
            specialization: Lock::default(),
            builds: Lock::new(builds),
            built: Condvar::new(),
            builder: AtomicU64::new(0),
            described: OnceBox::new(),
            kernels: AtomicUsize::new(0),
        }
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_program {
        self.handle.as_ptr()
    }

    /// How it was last built for a device.
    pub fn build_for(&self, device: &Arc<Device>) -> Option<Build> {
        let place = self.devices.iter().position(|own| Arc::ptr_eq(own, device))?;
        Some(self.builds.lock()[place].clone())
    }

    /// Is there an executable for a device?
    pub fn is_built_for(&self, device: &Arc<Device>) -> bool {
        let place = self.devices.iter().position(|own| Arc::ptr_eq(own, device));
        place.is_some_and(|place| self.builds.lock()[place].is_executable())
    }

    /// The builds for each device. A build that is under way is waited for.
    fn settled(&self) -> Guard<'_, Vec<Build>> {
        let mut builds = self.builds.lock();
        let under_way = |builds: &[Build]| builds.iter().any(|build| build.status == CL_BUILD_IN_PROGRESS);
        // A child of fork() would wait in vain.
        while under_way(&builds) && self.builder.load(Ordering::Relaxed) == fork::generation() {
            self.built.wait(&mut builds);
        }
        builds
    }

    /// The first executable there is; a build that is under way is waited for.
    pub fn executable(&self) -> Option<(Arc<compiler::Program>, bool)> {
        let builds = self.settled();
        let build = builds.iter().find(|build| build.is_executable())?;
        Some((build.program.clone()?, build.uniform_groups))
    }

    /// How it was last built, where there is an executable.
    pub fn built(&self) -> Option<Build> {
        self.settled().iter().find(|build| build.is_executable()).cloned()
    }

    /// The values of its specialization constants.
    pub fn constants(&self) -> Specialization {
        self.specialization.lock().clone()
    }

    fn set_builds(&self, devices: &[Arc<Device>], build: &Build) {
        let mut builds = self.builds.lock();
        for (place, device) in self.devices.iter().enumerate() {
            // What is built for a device is there for its sub-devices.
            let mut lineage = std::iter::successors(Some(device), |device| device.parent.as_ref());
            if lineage.any(|device| devices.iter().any(|wanted| Arc::ptr_eq(wanted, device))) {
                builds[place] = build.clone();
            }
        }
        self.built.notify_all();
    }

    /// What a kernel's arguments were declared as, though the program was built without `-cl-kernel-arg-info`: its source is compiled once more
    /// for it, when somebody asks. `None` where there is no source to ask.
    pub fn described_arguments(&self, kernel: &str) -> Option<Vec<ArgumentInfo>> {
        let described = self.described.get_or_init(|| Box::new(self.describe()));
        let kernels = &described.as_ref()?.kernels;
        Some(kernels.iter().find(|other| other.info.name == kernel)?.info.arguments.clone())
    }

    fn describe(&self) -> Option<Arc<compiler::Program>> {
        let Origin::Source(_) = self.origin else { return None };
        let text = self.settled().iter().find(|build| build.is_executable())?.options.clone();
        let mut options = build::parse_options(&text, Step::Build, CL_INVALID_BUILD_OPTIONS, &self.context).ok()?;
        options.code.kernel_arg_info = true;
        build::build(&self.origin, &self.specialization.lock(), &text, &options).0.program
    }
}

/// clCreateProgramWithSource
pub fn create_program_with_source(
    context: cl_context,
    count: cl_uint,
    strings: In<*const c_char>,
    lengths: In<usize>,
) -> Result<cl_program> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_VALUE if count is zero or if strings or any entry in strings is NULL.
    fail_if(count == 0, CL_INVALID_VALUE)?;
    let strings = strings.list(count as usize).ok_or(CL_INVALID_VALUE)?;
    let lengths = lengths.list(count as usize);
    let mut source = String::new();
    for (index, &string) in strings.iter().enumerate() {
        fail_if(string.is_null(), CL_INVALID_VALUE)?;
        // "If an element in lengths is zero, its accompanying string is null-terminated."
        match lengths.as_ref().map_or(0, |lengths| lengths[index]) {
            // SAFETY: a string that a NUL ends, as the application says.
            0 => source.push_str(&unsafe { In::from_c(string) }.text().unwrap_or_default()),
            length => {
                // SAFETY: a string of this length, as the application says.
                let bytes: In<u8> = unsafe { In::from_c(string.cast::<u8>()) };
                let text = String::from_utf8_lossy(bytes.bytes(length).unwrap_or_default()).into_owned();
                source.push_str(text.trim_end_matches('\0'));
            }
        }
    }
    publish(Arc::new(Program::create(&context, context.devices.clone(), Origin::Source(source))))
}

/// clCreateProgramWithIL
pub fn create_program_with_il(context: cl_context, il: In<u8>, length: usize) -> Result<cl_program> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_OPERATION if no devices associated with context support intermediate language programs.
    fail_if(environment::registry().intermediate_languages().is_empty(), CL_INVALID_OPERATION)?;
    // CL_INVALID_VALUE if il is NULL or if length is zero.
    fail_if(length == 0, CL_INVALID_VALUE)?;
    let il = il.bytes(length).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if the length-byte memory pointed to by il does not contain well-formed intermediate language input that can be
    // consumed by the OpenCL runtime.
    fail_if(!looks_like_spirv(il), CL_INVALID_VALUE)?;
    publish(Arc::new(Program::create(
        &context,
        context.devices.clone(),
        Origin::Il(il.to_vec()),
    )))
}

/// A header of SPIR-V, in either byte order.
fn looks_like_spirv(il: &[u8]) -> bool {
    const MAGIC: u32 = 0x0723_0203;
    il.len() >= 20 && il.len().is_multiple_of(4) && (il.starts_with(&MAGIC.to_le_bytes()) || il.starts_with(&MAGIC.to_be_bytes()))
}

/// clCreateProgramWithBinary
pub fn create_program_with_binary(
    context: cl_context,
    num_devices: cl_uint,
    device_list: In<cl_device_id>,
    lengths: In<usize>,
    binaries: In<*const u8>,
    binary_status: Out<cl_int>,
) -> Result<cl_program> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    let devices = some_devices_among(&context.devices, num_devices, device_list)?;
    // CL_INVALID_VALUE if lengths or binaries is NULL or if any entry in lengths[i] is zero or binaries[i] is NULL.
    let lengths = lengths.list(num_devices as usize).ok_or(CL_INVALID_VALUE)?;
    let pointers = binaries.list(num_devices as usize).ok_or(CL_INVALID_VALUE)?;
    let mut found = Vec::new();
    for (index, (&length, &pointer)) in lengths.iter().zip(&pointers).enumerate() {
        if length == 0 || pointer.is_null() {
            binary_status.write_at(index, CL_INVALID_VALUE);
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: a binary of this length, as the application says.
        let bytes: In<u8> = unsafe { In::from_c(pointer) };
        let binary = bytes.bytes(length).and_then(Binary::decode);
        binary_status.write_at(index, if binary.is_some() { CL_SUCCESS } else { CL_INVALID_BINARY });
        found.extend(binary);
    }
    // CL_INVALID_BINARY if an invalid program binary was encountered for any device.
    fail_if(found.len() < devices.len(), CL_INVALID_BINARY)?;
    // The devices are one machine: what is built for one is built for all.
    let binary = found.swap_remove(0);
    let loaded = Build {
        binary_type: binary.binary_type,
        ..Build::default()
    };
    let program = Program::create(&context, devices, Origin::Binary(binary));
    *program.builds.lock() = vec![loaded; program.devices.len()];
    publish(Arc::new(program))
}

/// clCreateProgramWithBuiltInKernels: there are none.
pub fn create_program_with_built_in_kernels(
    context: cl_context,
    num_devices: cl_uint,
    device_list: In<cl_device_id>,
    kernel_names: In<c_char>,
) -> Result<cl_program> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    some_devices_among(&context.devices, num_devices, device_list)?;
    // CL_INVALID_VALUE if kernel_names is NULL or kernel_names contains a kernel name that is not supported by any of the devices.
    let _ = kernel_names;
    Err(CL_INVALID_VALUE)
}

/// clRetainProgram
pub fn retain_program(program: cl_program) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    handle::retain::<Program>(program)
}

/// clReleaseProgram
pub fn release_program(program: cl_program) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    handle::release::<Program>(program)
}

/// clSetProgramReleaseCallback
pub fn set_program_release_callback(program: cl_program, pfn_notify: ObjectNotify, user_data: *mut c_void) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    lookup::<Program>(program)?;
    // CL_INVALID_OPERATION if no devices associated with program support destructors for program scope global variables.
    let _ = (pfn_notify, user_data);
    Err(CL_INVALID_OPERATION)
}

/// clSetProgramSpecializationConstant
pub fn set_program_specialization_constant(program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: In<u8>) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object created from an intermediate language.
    let program = lookup::<Program>(program)?;
    let Origin::Il(il) = &program.origin else {
        return Err(CL_INVALID_PROGRAM);
    };
    // CL_INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier.
    let module = Module::from_il(il, &[]).map_err(|_| CL_INVALID_SPEC_ID)?;
    let constant = module
        .spec_constants
        .iter()
        .find(|constant| constant.id == spec_id)
        .ok_or(CL_INVALID_SPEC_ID)?;
    // CL_INVALID_VALUE if spec_size does not match the size of the specialization constant in the module or if spec_value is NULL.
    fail_if(spec_size != constant.size as usize, CL_INVALID_VALUE)?;
    let value = spec_value.bytes(spec_size).ok_or(CL_INVALID_VALUE)?;
    program.specialization.lock().insert(spec_id, value.to_vec());
    Ok(())
}

/// The device list of clBuildProgram, clCompileProgram and clLinkProgram: all devices of the program or the context where it is NULL.
fn devices_among(all: &[Arc<Device>], num_devices: cl_uint, device_list: In<cl_device_id>) -> Result<Vec<Arc<Device>>> {
    // CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or if device_list is not NULL and num_devices is zero.
    fail_if(device_list.is_null() != (num_devices == 0), CL_INVALID_VALUE)?;
    if device_list.is_null() {
        return Ok(all.to_vec());
    }
    some_devices_among(all, num_devices, device_list)
}

/// The device list of clCreateProgramWithBinary and clCreateProgramWithBuiltInKernels.
fn some_devices_among(all: &[Arc<Device>], num_devices: cl_uint, device_list: In<cl_device_id>) -> Result<Vec<Arc<Device>>> {
    // CL_INVALID_VALUE if device_list is NULL or num_devices is zero.
    fail_if(num_devices == 0, CL_INVALID_VALUE)?;
    let devices = device::from_list(&device_list.list(num_devices as usize).ok_or(CL_INVALID_VALUE)?)?;
    // CL_INVALID_DEVICE if any device in device_list is not in the list of devices associated with the program or the context.
    let known = |device: &Arc<Device>| all.iter().any(|own| Arc::ptr_eq(own, device));
    fail_if(!devices.iter().all(known), CL_INVALID_DEVICE)?;
    Ok(devices)
}

/// What clBuildProgram and clCompileProgram check before they begin.
fn check_rebuild(program: &Program, devices: &[Arc<Device>]) -> Result<()> {
    // CL_INVALID_OPERATION if the build of a program executable for any of the devices by a previous call has not completed.
    let busy = |device: &Arc<Device>| program.build_for(device).is_some_and(|build| build.status == CL_BUILD_IN_PROGRESS);
    fail_if(devices.iter().any(busy), CL_INVALID_OPERATION)?;
    // CL_INVALID_OPERATION if there are kernel objects attached to program.
    fail_if(program.kernels.load(Ordering::Acquire) > 0, CL_INVALID_OPERATION)
}

/// Builds, here or on a thread of its own if the application wants to be told.
fn perform(
    program: &Arc<Program>,
    devices: Vec<Arc<Device>>,
    options: &str,
    notify: Option<Callback>,
    work: impl FnOnce(&Program) -> (Build, Result<()>) + Send + 'static,
) -> Result<()> {
    program.builder.store(fork::generation(), Ordering::Relaxed);
    program.set_builds(&devices, &Build::in_progress(options));
    let owner = program.clone();
    let text = options.to_owned();
    let finish = move || {
        let (build, result) = catch_unwind(AssertUnwindSafe(|| stocked(|| work(&owner)))).unwrap_or_else(|_| {
            // Whoever waits for the build must not wait for ever.
            let failed = Build {
                status: CL_BUILD_ERROR,
                log: "error: the compiler failed\n".into(),
                ..Build::in_progress(&text)
            };
            (failed, Err(CL_OUT_OF_RESOURCES))
        });
        owner.set_builds(&devices, &build);
        if let Some(notify) = notify {
            notify.call(owner.id());
        }
        result
    };
    match notify {
        None => finish(),
        Some(_) => {
            // The application learns of the outcome by asking the program. Where the system has no thread for us, the caller's has to do.
            threads::spawn_or_call("brolga-build", move || {
                let _ = finish();
            });
            Ok(())
        }
    }
}

/// clBuildProgram
pub fn build_program(
    program: cl_program,
    num_devices: cl_uint,
    device_list: In<cl_device_id>,
    options: In<c_char>,
    pfn_notify: ObjectNotify,
    user_data: *mut c_void,
) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    let program = lookup::<Program>(program)?;
    let devices = devices_among(&program.devices, num_devices, device_list)?;
    // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL.
    fail_if(pfn_notify.is_none() && !user_data.is_null(), CL_INVALID_VALUE)?;
    check_rebuild(&program, &devices)?;
    // CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource, clCreateProgramWithIL or clCreateProgramWithBinary.
    fail_if(matches!(program.origin, Origin::Linked), CL_INVALID_OPERATION)?;
    let text = options.text().unwrap_or_default();
    // CL_INVALID_BUILD_OPTIONS if the build options specified by options are invalid.
    let options = parse_or_log(&program, &devices, &text, Step::Build, CL_INVALID_BUILD_OPTIONS)?;
    let notify = Callback::new(pfn_notify, user_data);
    perform(&program, devices, &text.clone(), notify, move |program| {
        let specialization = program.specialization.lock().clone();
        build::build(&program.origin, &specialization, &text, &options)
    })
}

/// Options that are refused are named in the build log.
fn parse_or_log(program: &Program, devices: &[Arc<Device>], text: &str, step: Step, code: cl_int) -> Result<Options> {
    build::parse_options(text, step, code, &program.context).map_err(|(log, code)| {
        let build = Build {
            status: CL_BUILD_ERROR,
            options: text.into(),
            log,
            ..Build::default()
        };
        program.set_builds(devices, &build);
        code
    })
}

/// clCompileProgram
pub fn compile_program(
    program: cl_program,
    num_devices: cl_uint,
    device_list: In<cl_device_id>,
    options: In<c_char>,
    num_input_headers: cl_uint,
    input_headers: In<cl_program>,
    header_include_names: In<*const c_char>,
    pfn_notify: ObjectNotify,
    user_data: *mut c_void,
) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    let program = lookup::<Program>(program)?;
    let devices = devices_among(&program.devices, num_devices, device_list)?;
    // CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not NULL or if num_input_headers is not
    // zero and header_include_names or input_headers are NULL.
    fail_if((num_input_headers == 0) != input_headers.is_null(), CL_INVALID_VALUE)?;
    fail_if((num_input_headers == 0) != header_include_names.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL.
    fail_if(pfn_notify.is_none() && !user_data.is_null(), CL_INVALID_VALUE)?;
    check_rebuild(&program, &devices)?;
    // CL_INVALID_OPERATION if program has no source or IL available, i.e. it has not been created with clCreateProgramWithSource or
    // clCreateProgramWithIL.
    fail_if(!matches!(program.origin, Origin::Source(_) | Origin::Il(_)), CL_INVALID_OPERATION)?;
    let mut headers = Vec::new();
    let programs = input_headers.list(num_input_headers as usize).unwrap_or_default();
    let names = header_include_names.list(num_input_headers as usize).unwrap_or_default();
    for (&header, &name) in programs.iter().zip(&names) {
        // SAFETY: a name that a NUL ends, as the application says.
        let name = unsafe { In::<c_char>::from_c(name) }.text().ok_or(CL_INVALID_VALUE)?;
        let header = lookup::<Program>(header)?;
        // CL_INVALID_CONTEXT if the context associated with program and programs in input_headers are not the same.
        fail_if(!Arc::ptr_eq(&header.context, &program.context), CL_INVALID_CONTEXT)?;
        match &header.origin {
            Origin::Source(text) => headers.push((name, text.clone().into_bytes())),
            _ => return Err(CL_INVALID_OPERATION),
        }
    }
    let text = options.text().unwrap_or_default();
    // CL_INVALID_COMPILER_OPTIONS if the compiler options specified by options are invalid.
    let options = parse_or_log(&program, &devices, &text, Step::Compile, CL_INVALID_COMPILER_OPTIONS)?;
    let notify = Callback::new(pfn_notify, user_data);
    perform(&program, devices, &text.clone(), notify, move |program| {
        let specialization = program.specialization.lock().clone();
        build::compile(
            &program.origin,
            &specialization,
            &headers,
            &text,
            &options,
            CL_COMPILE_PROGRAM_FAILURE,
        )
    })
}

/// clLinkProgram: a program also where linking fails, so that its log can be read.
pub fn link_program(
    context: cl_context,
    num_devices: cl_uint,
    device_list: In<cl_device_id>,
    options: In<c_char>,
    num_input_programs: cl_uint,
    input_programs: In<cl_program>,
    pfn_notify: ObjectNotify,
    user_data: *mut c_void,
    errcode_ret: Out<cl_int>,
) -> cl_program {
    let linked = link_checked(
        context,
        (num_devices, device_list),
        options,
        (num_input_programs, input_programs),
        Callback::new(pfn_notify, user_data),
        pfn_notify.is_none() && !user_data.is_null(),
    );
    let (program, code) = match linked {
        Ok((program, result)) => (program, result.err().unwrap_or(CL_SUCCESS)),
        Err(code) => (core::ptr::null_mut(), code),
    };
    errcode_ret.write(code);
    program
}

fn link_checked(
    context: cl_context,
    (num_devices, device_list): (cl_uint, In<cl_device_id>),
    options: In<c_char>,
    (num_input_programs, input_programs): (cl_uint, In<cl_program>),
    notify: Option<Callback>,
    stray_user_data: bool,
) -> Result<(cl_program, Result<()>)> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    let devices = devices_among(&context.devices, num_devices, device_list)?;
    // CL_INVALID_VALUE if num_input_programs is zero or input_programs is NULL.
    fail_if(num_input_programs == 0, CL_INVALID_VALUE)?;
    let inputs = input_programs.list(num_input_programs as usize).ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL.
    fail_if(stray_user_data, CL_INVALID_VALUE)?;
    let mut modules = Vec::new();
    let mut uniform_groups = false;
    for &input in &inputs {
        // CL_INVALID_PROGRAM if programs specified in input_programs are not valid program objects.
        let input = lookup::<Program>(input)?;
        // CL_INVALID_CONTEXT if the context associated with programs in input_programs is not the same as context.
        fail_if(!Arc::ptr_eq(&input.context, &context), CL_INVALID_CONTEXT)?;
        for device in &devices {
            let build = input.build_for(device).ok_or(CL_INVALID_OPERATION)?;
            // CL_INVALID_OPERATION if the compilation or build of a program executable for any of the devices has not completed, or if an
            // input is not a compiled object or library.
            fail_if(build.status == CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION)?;
            let linkable = [CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_PROGRAM_BINARY_TYPE_LIBRARY];
            fail_if(!linkable.contains(&cl_bitfield::from(build.binary_type)), CL_INVALID_OPERATION)?;
        }
        let build = input.build_for(&devices[0]).unwrap_or_default();
        uniform_groups |= build.uniform_groups;
        match &input.origin {
            // A compiled object or library that came as a binary, and was not built again.
            Origin::Binary(binary) if build.modules.is_empty() => {
                for il in &binary.modules {
                    modules.push(Module::from_il(il, &[]).map_err(|_| CL_INVALID_OPERATION)?);
                }
                uniform_groups |= binary.uniform_groups;
            }
            _ => modules.extend(build.modules),
        }
    }
    let text = options.text().unwrap_or_default();
    // CL_INVALID_LINKER_OPTIONS if the linker options specified by options are invalid.
    let options = build::parse_options(&text, Step::Link, CL_INVALID_LINKER_OPTIONS, &context).map_err(|(_, code)| code)?;
    let program = Arc::new(Program::create(&context, devices.clone(), Origin::Linked));
    let id = publish(program.clone())?;
    let result = perform(&program, devices, &text.clone(), notify, move |_| {
        let unlinked = Build {
            modules,
            uniform_groups,
            ..Build::in_progress(&text)
        };
        build::link(unlinked, &options.code, CL_LINK_PROGRAM_FAILURE)
    });
    Ok((id, result))
}
