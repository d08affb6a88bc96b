//! Modules: SPIR-V that has been parsed and validated.

use environment::Environment;
use interface::{BuildError, BuildErrorKind, SpecConstant};
use std::sync::Arc;

/// A parsed and validated SPIR-V module: a compiled object in the sense of clCompileProgram.
#[derive(Debug)]
pub struct Module {
    /// The SPIR-V words as they came.
    pub il: Vec<u8>,
    /// Warnings (tolerated deviations and the like).
    pub log: String,
    /// Specialization constants that the module declares.
    pub spec_constants: Vec<SpecConstant>,
    /// The proof that it is valid, and what lowering reads.
    spirv: spirv::Module,
}

impl Module {
    /// Parses and validates against the device's environment for OpenCL.
    ///
    /// `specialization` holds (`SpecId`, bytes) pairs; constants that are not named keep their default.
    pub fn from_il(il: &[u8], specialization: &[(u32, Vec<u8>)]) -> Result<Arc<Module>, BuildError> {
        Module::of(il, specialization, &Environment::device())
    }

    /// The same against an environment.
    pub fn of(il: &[u8], specialization: &[(u32, Vec<u8>)], environment: &Environment) -> Result<Arc<Module>, BuildError> {
        let binary = spirv::parse(il).map_err(|error| BuildError {
            kind: if error.is_not_spirv() {
                BuildErrorKind::NotSpirv
            } else {
                BuildErrorKind::Invalid
            },
            log: format!("error: {error}\n"),
        })?;
        debug::show("spirv", format_args!("a module of {} instructions", binary.len()), || {
            spirv::listing(&binary)
        });
        let (spirv, warnings) = environment::validate(binary, environment, specialization, false).map_err(|errors| BuildError {
            kind: BuildErrorKind::Invalid,
            log: environment::log(&errors),
        })?;
        Ok(Arc::new(Module {
            il: il.to_vec(),
            log: environment::log(&warnings),
            spec_constants: spirv
                .spec_constants
                .iter()
                .map(|c| SpecConstant {
                    id: c.spec_id,
                    size: c.size,
                })
                .collect(),
            spirv,
        }))
    }

    /// The typed module, for lowering.
    pub fn spirv(&self) -> &spirv::Module {
        &self.spirv
    }
}
