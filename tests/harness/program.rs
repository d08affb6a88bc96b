//! Programs.

use crate::{Context, Info, Kernel, check, cl, info};
use cl_sys::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

/// A program, for the one device of its context.
#[derive(Debug)]
pub struct Program {
    pub id: cl_program,
    pub device: cl_device_id,
}

// SAFETY: a handle, which any thread may use.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    pub fn from_source(context: &Context, source: &str) -> Program {
        let mut status = 0;
        let id = cl!(clCreateProgramWithSource(
            context.id,
            1,
            &source.as_ptr().cast(),
            &source.len(),
            &mut status
        ));
        check(status, "clCreateProgramWithSource");
        Program {
            id,
            device: context.device.id,
        }
    }

    /// Fails with the error of clCreateProgramWithIL.
    pub fn from_il(context: &Context, il: &[u8]) -> Result<Program, cl_int> {
        let mut status = 0;
        let id = cl!(clCreateProgramWithIL(context.id, il.as_ptr().cast(), il.len(), &mut status));
        match status {
            CL_SUCCESS => Ok(Program {
                id,
                device: context.device.id,
            }),
            error => Err(error),
        }
    }

    /// Builds; fails with the build log.
    pub fn build(self, options: &str) -> Result<Program, String> {
        let options = CString::new(options).expect("options without NUL");
        match cl!(clBuildProgram(self.id, 1, &self.device, options.as_ptr(), None, null_mut())) {
            CL_SUCCESS => Ok(self),
            status => Err(format!("{status}: {}", self.log())),
        }
    }

    pub fn build_info(&self, name: cl_program_build_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetProgramBuildInfo(self.id, self.device, name, size, value, ret)))
    }

    pub fn info(&self, name: cl_program_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetProgramInfo(self.id, name, size, value, ret)))
    }

    pub fn log(&self) -> String {
        self.build_info(CL_PROGRAM_BUILD_LOG).expect("a build log").text()
    }

    /// A kernel that is there.
    #[track_caller]
    pub fn kernel(&self, name: &str) -> Kernel {
        let name = CString::new(name).expect("a name without NUL");
        let mut status = 0;
        let id = cl!(clCreateKernel(self.id, name.as_ptr(), &mut status));
        check(status, "clCreateKernel");
        Kernel { id, device: self.device }
    }

    /// Compiles without linking; fails with the build log.
    pub fn compile(self, options: &str, headers: &[(&str, &Program)]) -> Result<Program, String> {
        let options = CString::new(options).expect("options without NUL");
        let names: Vec<CString> = headers
            .iter()
            .map(|(name, _)| CString::new(*name).expect("a name without NUL"))
            .collect();
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let ids: Vec<cl_program> = headers.iter().map(|(_, program)| program.id).collect();
        let (names, ids) = match headers.is_empty() {
            true => (null(), null()),
            false => (names.as_ptr(), ids.as_ptr()),
        };
        let status = cl!(clCompileProgram(
            self.id,
            1,
            &self.device,
            options.as_ptr(),
            headers.len() as u32,
            ids,
            names,
            None,
            null_mut()
        ));
        match status {
            CL_SUCCESS => Ok(self),
            status => Err(format!("{status}: {}", self.log())),
        }
    }

    /// Links compiled programs; fails with the error and the log, where there is one.
    pub fn link(context: &Context, programs: &[&Program], options: &str) -> Result<Program, String> {
        let options = CString::new(options).expect("options without NUL");
        let ids: Vec<cl_program> = programs.iter().map(|program| program.id).collect();
        let mut status = 0;
        let device = context.device.id;
        let id = cl!(clLinkProgram(
            context.id,
            1,
            &device,
            options.as_ptr(),
            ids.len() as u32,
            ids.as_ptr(),
            None,
            null_mut(),
            &mut status
        ));
        let program = (!id.is_null()).then_some(Program { id, device });
        match (status, program) {
            (CL_SUCCESS, Some(program)) => Ok(program),
            (status, Some(program)) => Err(format!("{status}: {}", program.log())),
            (status, None) => Err(format!("{status}")),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        cl!(clReleaseProgram(self.id));
    }
}
