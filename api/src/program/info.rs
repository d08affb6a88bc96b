//! What a program says of itself: §5.8.8.

use super::Program;
use crate::build::{Build, Origin};
use crate::cl::*;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::info::Info;
use crate::raw::{FromC, In, Out};
use core::ffi::c_void;

/// clGetProgramInfo
pub fn get_program_info(
    program: cl_program,
    param_name: cl_program_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_PROGRAM if program is a not a valid program object.
    let program = lookup::<Program>(program)?;
    let binaries = || -> Vec<Vec<u8>> {
        let builds = program.settled();
        builds.iter().map(|build| binary_of(&program, build)).collect()
    };
    // CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
    // or CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT and a successful program executable has not been built for at least one device in the list of
    // devices associated with program.
    let executable = || {
        program
            .executable()
            .map(|(executable, _)| executable)
            .ok_or(CL_INVALID_PROGRAM_EXECUTABLE)
    };
    let info = match param_name {
        CL_PROGRAM_REFERENCE_COUNT => Info::of(program.handle.references()),
        CL_PROGRAM_CONTEXT => Info::of(program.context.id()),
        CL_PROGRAM_NUM_DEVICES => Info::of(program.devices.len() as cl_uint),
        CL_PROGRAM_DEVICES => Info::list(&program.devices.iter().map(|device| device.id()).collect::<Vec<_>>()),
        CL_PROGRAM_SOURCE => match &program.origin {
            Origin::Source(text) => Info::text(text),
            _ => Info::text(""),
        },
        CL_PROGRAM_IL => match &program.origin {
            Origin::Il(il) => Info::list(il),
            _ => Info::nothing(),
        },
        CL_PROGRAM_BINARY_SIZES => Info::list(&binaries().iter().map(Vec::len).collect::<Vec<_>>()),
        CL_PROGRAM_BINARIES => return copy_binaries(&binaries(), param_value_size, param_value, param_value_size_ret),
        CL_PROGRAM_NUM_KERNELS => Info::of(executable()?.kernels.len()),
        CL_PROGRAM_KERNEL_NAMES => {
            let executable = executable()?;
            Info::text(
                &executable
                    .kernels
                    .iter()
                    .map(|kernel| kernel.info.name.as_str())
                    .collect::<Vec<_>>()
                    .join(";"),
            )
        }
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
            executable()?;
            Info::boolean(false)
        }
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// The bytes of a program's binary; none if it has not been built.
fn binary_of(program: &Program, build: &Build) -> Vec<u8> {
    match (&program.origin, build.status) {
        (Origin::Binary(binary), CL_BUILD_NONE) => binary.encode(),
        _ => build.binary().map(|binary| binary.encode()).unwrap_or_default(),
    }
}

/// CL_PROGRAM_BINARIES: the application gives an array of pointers, each NULL or to where one binary goes.
fn copy_binaries(binaries: &[Vec<u8>], param_value_size: usize, param_value: Out<c_void>, param_value_size_ret: Out<usize>) -> Result<()> {
    let size = size_of_val(binaries.iter().map(|_| core::ptr::null_mut::<u8>()).collect::<Vec<_>>().as_slice());
    if !param_value.is_null() {
        // CL_INVALID_VALUE if the size in bytes specified by param_value_size is < size of return type and param_value is not NULL.
        fail_if(param_value_size < size, CL_INVALID_VALUE)?;
        // SAFETY: an array of as many pointers, as the query demands.
        let places: In<*mut u8> = unsafe { In::from_c(param_value.as_ptr().cast_const().cast::<*mut u8>()) };
        for (binary, place) in binaries.iter().zip(places.list(binaries.len()).unwrap_or_default()) {
            // SAFETY: NULL, or as many bytes as CL_PROGRAM_BINARY_SIZES told.
            let place: Out<u8> = unsafe { Out::from_c(place) };
            place.write_list(binary.len(), binary.iter().copied());
        }
    }
    param_value_size_ret.write(size);
    Ok(())
}

/// clGetProgramBuildInfo
pub fn get_program_build_info(
    program: cl_program,
    device: cl_device_id,
    param_name: cl_program_build_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    let program = lookup::<Program>(program)?;
    // CL_INVALID_DEVICE if device is not in the list of devices associated with program.
    let device = lookup::<Device>(device)?;
    // How a build stands can be asked while it is under way; what it leads to is waited for.
    if matches!(
        param_name,
        CL_PROGRAM_BUILD_LOG | CL_PROGRAM_BINARY_TYPE | CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE
    ) {
        drop(program.settled());
    }
    let build = program.build_for(&device).ok_or(CL_INVALID_DEVICE)?;
    let info = match param_name {
        CL_PROGRAM_BUILD_STATUS => Info::of(build.status),
        CL_PROGRAM_BUILD_OPTIONS => Info::text(&build.options),
        CL_PROGRAM_BUILD_LOG => Info::text(&build.log),
        CL_PROGRAM_BINARY_TYPE => Info::of(build.binary_type),
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => Info::of(build.program.map_or(0, |program| program.global_bytes as usize)),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
