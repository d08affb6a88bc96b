//! Building, compiling and linking, away from the entry points: §5.8.4 and §5.8.5. What goes in is plain data, so that a build can happen
//! on a thread of its own.

use crate::binary::Binary;
use crate::cl::*;
use crate::context::Context;
use crate::environment;
use crate::error::Result;
use compiler::checked;
use compiler::source::{self, Options, SourceRequest, Standard, Step};
use compiler::{BuildError, BuildErrorKind, BuildOptions, Checks, Module};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a program was made of.
#[derive(Debug)]
pub enum Origin {
    /// clCreateProgramWithSource
    Source(String),
    /// clCreateProgramWithIL
    Il(Vec<u8>),
    /// clCreateProgramWithBinary
    Binary(Binary),
    /// clLinkProgram
    Linked,
}

/// Values of specialization constants.
pub type Specialization = BTreeMap<u32, Vec<u8>>;

/// Which entry point asks.
pub type Ask = Step;

/// A program for a device, as the last build, compile or link left it.
#[derive(Clone, Debug)]
pub struct Build {
    /// CL_PROGRAM_BUILD_STATUS
    pub status: cl_build_status,
    /// CL_PROGRAM_BUILD_OPTIONS
    pub options: String,
    /// CL_PROGRAM_BUILD_LOG
    pub log: String,
    /// CL_PROGRAM_BINARY_TYPE
    pub binary_type: cl_program_binary_type,
    /// The compiled objects that it consists of.
    pub modules: Vec<Arc<Module>>,
    /// The executable.
    pub program: Option<Arc<compiler::Program>>,
    /// Every work-group of its kernels must have the same size.
    pub uniform_groups: bool,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            binary_type: CL_PROGRAM_BINARY_TYPE_NONE as cl_program_binary_type,
            modules: Vec::new(),
            program: None,
            uniform_groups: false,
        }
    }
}

impl Build {
    /// A build of these options that is under way.
    pub fn in_progress(options: &str) -> Build {
        Build {
            status: CL_BUILD_IN_PROGRESS,
            options: options.into(),
            ..Build::default()
        }
    }

    /// There is an executable.
    pub fn is_executable(&self) -> bool {
        self.program.is_some() && self.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE as cl_program_binary_type
    }

    /// What clCreateProgramWithBinary will take back.
    pub fn binary(&self) -> Option<Binary> {
        (self.binary_type != CL_PROGRAM_BINARY_TYPE_NONE as cl_program_binary_type).then(|| Binary {
            binary_type: self.binary_type,
            options: self.options.clone(),
            uniform_groups: self.uniform_groups,
            modules: self.modules.iter().map(|module| module.il.clone()).collect(),
        })
    }

    fn failed(mut self, error: BuildError, code: cl_int) -> (Build, Result<()>) {
        self.status = CL_BUILD_ERROR;
        self.log.push_str(&error.log);
        let code = match error.kind {
            BuildErrorKind::NoCompiler => CL_COMPILER_NOT_AVAILABLE,
            _ => code,
        };
        (self, Err(code))
    }
}

/// Parses options, and adds what the context wants; an option that is not known is `code`, and the log says which.
pub fn parse_options(text: &str, step: Step, code: cl_int, context: &Context) -> core::result::Result<Options, (String, cl_int)> {
    let mut options = Options::parse(text, step).map_err(|error| (format!("{error}\n"), code))?;
    if compiler::reproducible() {
        options.code = options.code.reproducible();
    }
    options.code.initialize_private = context.initializes_private();
    options.code.initialize_local = context.initializes_local();
    options.check(checked::asked_for().map_err(|error| (format!("error: {error}\n"), code))?);
    checked::watch_memory(options.code.checks);
    // What the context initializes is not read too early.
    let checks = &mut options.code.checks;
    checks.set(Checks::UNINIT, checks.contains(Checks::UNINIT) && !context.initializes_private());
    checks.set(
        Checks::UNWRITTEN,
        checks.contains(Checks::UNWRITTEN) && !context.initializes_local(),
    );
    Ok(options)
}

/// Work-groups must be uniform with `-cl-uniform-work-group-size`, and in OpenCL C before 2.0.
fn uniform_groups(origin: &Origin, options: &Options) -> bool {
    options.code.uniform_work_group_size
        || match origin {
            Origin::Source(_) => options.standard < Standard::C20,
            Origin::Binary(binary) => binary.uniform_groups,
            Origin::Il(_) | Origin::Linked => false,
        }
}

/// clCompileProgram, and the first half of clBuildProgram.
pub fn compile(
    origin: &Origin,
    specialization: &Specialization,
    headers: &[(String, Vec<u8>)],
    text: &str,
    options: &Options,
    code: cl_int,
) -> (Build, Result<()>) {
    let mut build = Build::in_progress(text);
    build.uniform_groups = uniform_groups(origin, options);
    let specialization: Vec<(u32, Vec<u8>)> = specialization.iter().map(|(id, bytes)| (*id, bytes.clone())).collect();
    let modules = match origin {
        Origin::Source(text) => {
            let request = SourceRequest {
                source: text.as_bytes(),
                headers,
                options,
                features: environment::language(),
            };
            from_source(&request, &specialization).map(|(log, module)| {
                build.log.push_str(&log);
                vec![module]
            })
        }
        Origin::Il(il) => Module::from_il(il, &specialization).map(|module| vec![module]),
        Origin::Binary(binary) => binary.modules.iter().map(|il| Module::from_il(il, &[])).collect(),
        Origin::Linked => Ok(Vec::new()),
    };
    match modules {
        Ok(modules) => {
            // What our own compiler deviates in is nothing that users could mend.
            if let Origin::Il(_) = origin {
                modules.iter().for_each(|module| build.log.push_str(&module.log));
            }
            build.modules = modules;
            build.status = CL_BUILD_SUCCESS;
            build.binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT as cl_program_binary_type;
            (build, Ok(()))
        }
        Err(error) => build.failed(error, code),
    }
}

/// A program's module, and what clang says. Where what clang made is refused, what it makes with optimization switched off, or on, may be accepted.
fn from_source(request: &SourceRequest, specialization: &[(u32, Vec<u8>)]) -> core::result::Result<(String, Arc<Module>), BuildError> {
    let compiled = source::compile(request)?;
    let asked_for = Module::from_il(&compiled.il, specialization);
    let module = asked_for.or_else(|refusal| {
        let other = source::compile_otherwise(request, &compiled).ok();
        other
            .and_then(|other| Module::from_il(&other.il, specialization).ok())
            .ok_or(refusal)
    })?;
    Ok((compiled.log, module))
}

/// clLinkProgram, and the second half of clBuildProgram.
pub fn link(mut build: Build, options: &BuildOptions, code: cl_int) -> (Build, Result<()>) {
    match compiler::link(&build.modules, options) {
        Ok(program) => {
            build.program = Some(program);
            build.status = CL_BUILD_SUCCESS;
            let library = options.create_library;
            build.binary_type = if library {
                CL_PROGRAM_BINARY_TYPE_LIBRARY
            } else {
                CL_PROGRAM_BINARY_TYPE_EXECUTABLE
            } as cl_program_binary_type;
            (build, Ok(()))
        }
        Err(error) => {
            build.binary_type = CL_PROGRAM_BINARY_TYPE_NONE as cl_program_binary_type;
            build.failed(error, code)
        }
    }
}

/// clBuildProgram
pub fn build(origin: &Origin, specialization: &Specialization, text: &str, options: &Options) -> (Build, Result<()>) {
    match compile(origin, specialization, &[], text, options, CL_BUILD_PROGRAM_FAILURE) {
        (compiled, Ok(())) => link(compiled, &options.code, CL_BUILD_PROGRAM_FAILURE),
        failed => failed,
    }
}
