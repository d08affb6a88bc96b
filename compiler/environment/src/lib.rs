//! The OpenCL SPIR-V environment: is a module one that this device takes?
//!
//! Implements the universal validity rules of the SPIR-V specification as far as the Kernel environment has a use for them, and the OpenCL SPIR-V
//! Environment Specification 3.1.1, sections 2 to 5. Rules are values ([`rules::RULES`]); what breaks one is a [`Diagnostic`]; what is broken
//! harmlessly by a producer in wide use is a row of [`deviations::TOLERATED`].
//!
//! First the typed module is built, then every rule is checked on it, each in linear time (dominators: n log n).

mod build;
mod capabilities;
mod decorations;
pub mod deviations;
mod diagnostics;
mod environments;
mod float_modes;
mod flow;
mod functions;
mod instructions;
mod kernels;
pub mod mlir;
pub mod rules;
mod switches;
#[cfg(test)]
mod tests;
mod types;
mod versions;

pub use build::Specialization;
pub use diagnostics::{Diagnostic, MAX_ERRORS, Report, Rule, Severity};
pub use environments::{Api, Environment};
pub use switches::switches;

use capabilities::Gate;
use deviations::{Deviation, toleration};
use functions::Body;
use rspirv::grammar::OperandKind;
use rustc_hash::FxHashMap;
use spirv::{Binary, Id, Instruction, Module};
use std::mem::Discriminant;
use vendors::Features;

/// Validates a module. What holds of the result, lowering may rely upon.
///
/// With `strict`, nothing is tolerated.
pub fn validate(
    binary: Binary,
    environment: &Environment,
    specialization: Specialization<'_>,
    strict: bool,
) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut report = Report::default();
    let (mut module, deviations) = build::build(binary, specialization, &mut report);
    let features = environment.registry.features();
    let mut validator = Validator {
        module: &module,
        environment,
        features,
        strict,
        report: &mut report,
        gates: Vec::new(),
        enumerants: FxHashMap::default(),
        body: None,
        calls: Vec::new(),
        disordered: Vec::new(),
        half_told: false,
        uses: Vec::new(),
    };
    for (deviation, instruction) in deviations {
        if !validator.deviates(deviation, &module.instruction(instruction)) {
            validator.report.error(toleration(deviation).rule, instruction, "");
        }
    }
    validator.declarations();
    validator.kernels();
    validator.types_and_variables();
    validator.decorations();
    validator.functions();
    for (function, order) in std::mem::take(&mut validator.disordered) {
        module.functions[function as usize].put_in_order(&order);
    }
    let failed = report.has_errors();
    let diagnostics = report.diagnostics(&module.binary);
    if failed { Err(diagnostics) } else { Ok((module, diagnostics)) }
}

/// Diagnostics as a build log: a paragraph each.
pub fn log(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// A validation under way.
struct Validator<'a> {
    module: &'a Module,
    environment: &'a Environment,
    /// The environment's, worked out once.
    features: Features,
    strict: bool,
    report: &'a mut Report,
    /// Whether instructions may be used, by opcode.
    gates: Vec<Gate>,
    /// Enumerants that may be used.
    enumerants: FxHashMap<(Discriminant<OperandKind>, u32), bool>,
    /// The function that is being checked.
    body: Option<Body<'a>>,
    /// Calls: the caller's position, the instruction, the callee's position.
    calls: Vec<(u32, u32, u32)>,
    /// Functions whose blocks are taken in another order: their positions, and positions of blocks.
    disordered: Vec<(u32, Vec<u32>)>,
    /// Values of half without Float16 were told of: once is enough.
    half_told: bool,
    /// Uses of module-scope variables, where interfaces list them all: the function's position, and the variable.
    uses: Vec<(u32, Id)>,
}

impl Validator<'_> {
    /// The instruction deviates so. Is that tolerated? If it is, that is told; under `strict` it is not, and whoever asks tells the error.
    fn deviates(&mut self, deviation: Deviation, instruction: &Instruction<'_>) -> bool {
        if self.strict {
            return false;
        }
        let row = toleration(deviation);
        let detail = format!("tolerated, as {} writes it: {}", row.producers.join(" or "), row.meaning);
        self.report.warning(row.rule, instruction.index, detail);
        true
    }
}
