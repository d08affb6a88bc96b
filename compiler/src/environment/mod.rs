//! The OpenCL SPIR-V environment: is a module one that this device takes?
//!
//! Implements the universal validity rules of the SPIR-V specification as far as the Kernel environment has a use for them, and the OpenCL SPIR-V
//! Environment Specification 3.1.1, sections 2 to 5. Rules are values ([`rules::RULES`]); what breaks one is a [`Diagnostic`].

mod build;
mod diagnostics;
pub mod rules;

pub use build::Specialization;
pub use diagnostics::{Diagnostic, MAX_ERRORS, Report, Rule, Severity};

use crate::spirv::{Binary, Module};

/// Validates a module. What holds of the result, lowering may rely upon.
pub fn validate(binary: Binary, specialization: Specialization<'_>) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut report = Report::default();
    let module = build::build(binary, specialization, &mut report);
    let failed = report.has_errors();
    let diagnostics = report.diagnostics(&module.binary);
    if failed { Err(diagnostics) } else { Ok((module, diagnostics)) }
}

/// Diagnostics as a build log: a paragraph each.
pub fn log(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}
