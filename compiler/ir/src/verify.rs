//! Checks that a function keeps the rules of the IR: blocks and terminators, types and numbers of operands, dominance, and what each
//! level allows. Takes time in proportion to the function's size.
//!
//! What the verifier finds is a fault of the code that made the function, never of the user's program.

mod across;
mod expect;
mod memory;
mod operands;
mod structure;
mod uses;

use super::*;
use core::fmt;

/// The rules that a function breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function's name.
    pub function: String,
    /// One text for each broken rule: block, instruction, what is wrong. No more than [`VerifyError::LIMIT`].
    pub messages: Vec<String>,
}

impl VerifyError {
    /// No more messages than this are collected.
    pub const LIMIT: usize = 20;
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function @{} breaks the rules of the IR:", self.function)?;
        for message in &self.messages {
            write!(f, "\n  {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyError {}

/// Checks a function; with its module, calls and global variables too.
pub fn verify(func: &Function, module: Option<&Module>) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        func,
        module,
        block: None,
        inst: None,
        messages: Vec::new(),
    };
    if verifier.structure() {
        verifier.instructions();
        verifier.uses();
    }
    match verifier.messages.is_empty() {
        true => Ok(()),
        false => Err(VerifyError {
            function: func.name.clone(),
            messages: verifier.messages,
        }),
    }
}

/// Checks all functions of a module.
pub fn verify_module(module: &Module) -> Result<(), VerifyError> {
    module.functions.values().try_for_each(|func| verify(func, Some(module)))
}

/// Panics in debug builds where `func` breaks a rule. `after` says which step made it so.
#[track_caller]
pub fn debug_verify(func: &Function, module: Option<&Module>, after: &str) {
    if cfg!(debug_assertions)
        && let Err(error) = verify(func, module)
    {
        panic!("after {after}: {error}\n{func}");
    }
}

struct Verifier<'a> {
    func: &'a Function,
    module: Option<&'a Module>,
    block: Option<Block>,
    inst: Option<Inst>,
    messages: Vec<String>,
}

impl Verifier<'_> {
    fn fail(&mut self, message: impl fmt::Display) {
        if self.messages.len() >= VerifyError::LIMIT {
            return;
        }
        let place = match (self.block, self.inst) {
            (Some(block), Some(inst)) => format!("{block}: `{}`: ", self.func.display_inst(inst)),
            (Some(block), None) => format!("{block}: "),
            _ => String::new(),
        };
        self.messages.push(format!("{place}{message}"));
    }

    fn check(&mut self, holds: bool, message: impl fmt::Display) -> bool {
        if !holds {
            self.fail(message);
        }
        holds
    }
}

#[cfg(test)]
mod tests;
