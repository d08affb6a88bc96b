//! Why lowering stops.

use interface::{BuildError, BuildErrorKind};
use spirv::Module;

/// What could not be lowered. Whoever knows the place adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// An instruction, operand or type that is beyond this compiler: told with the instruction's text.
    Unsupported,
    /// What is wrong, in words.
    Message(String),
    /// A symbol is missing, doubled or of two types.
    Link(String),
}

impl Failure {
    /// The diagnostic, with the place that it is about.
    pub(super) fn at(self, place: &str) -> BuildError {
        let (kind, log) = match self {
            Failure::Unsupported => (BuildErrorKind::Invalid, format!("error: not supported: {place}\n")),
            Failure::Message(text) => (BuildErrorKind::Invalid, format!("error: {text}\n  at {place}\n")),
            Failure::Link(text) => (BuildErrorKind::Link, format!("error: {text}\n")),
        };
        BuildError { kind, log }
    }
}

/// An instruction as diagnostics tell it: its text, and the line that it came from, where that is known.
pub(super) fn place(module: &Module, index: u32) -> String {
    let text = module.disassemble(index);
    match module.line(index) {
        Some((file, line, column)) => format!("{text}\n  from {file}:{line}:{column}"),
        None => format!("{text} (word {})", module.word_offset(index)),
    }
}
