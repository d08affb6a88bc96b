//! Reads the text form of functions and modules that `print` writes.
//!
//! Values and blocks keep the numbers that they have in the text, so that printing what was read gives the text again. A line that begins
//! with `;` is a comment. What is read is well-formed as text only; whether it keeps the IR's rules is [`super::verify`]'s question.

mod function;
mod instruction;
mod line;
mod result_types;

use super::*;
use core::fmt;
use cranelift_entity::EntityRef;
use function::function;
use line::{Line, Lines};

/// Text that is not the IR's text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What was expected and what stands there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T, E = ParseError> = core::result::Result<T, E>;

/// Reads one function: `function workitem @name -> types { … }`.
pub fn parse_function(text: &str) -> Result<Function> {
    let mut lines = Lines::new(text);
    let Some(mut line) = lines.next() else {
        return Err(lines.end("a function"));
    };
    let func = function(&mut line, &mut lines)?;
    match lines.next() {
        None => Ok(func),
        Some(line) => Err(line.expected("the end of the text")),
    }
}

/// Reads a module: `global0 = …` lines, then `fn0 = function … { … }`.
pub fn parse_module(text: &str) -> Result<Module> {
    let mut lines = Lines::new(text);
    let mut module = Module::default();
    while let Some(mut line) = lines.next() {
        if line.rest.starts_with("global") {
            let reference: Global = line.entity("global")?;
            if reference.index() != module.globals.len() {
                return Err(line.error(format!("the next global variable is global{}", module.globals.len())));
            }
            line.token("=")?;
            module.globals.push(global(&mut line)?);
        } else {
            let reference: FuncRef = line.entity("fn")?;
            if reference.index() != module.functions.len() {
                return Err(line.error(format!("the next function is fn{}", module.functions.len())));
            }
            line.token("=")?;
            module.functions.push(function(&mut line, &mut lines)?);
        }
    }
    Ok(module)
}

fn global(line: &mut Line) -> Result<GlobalData> {
    let constant = line.eat_word("constant");
    let (name, rest) = line
        .rest
        .strip_prefix('@')
        .and_then(|rest| rest.rsplit_once(" align "))
        .ok_or_else(|| line.expected("a name and ` align `"))?;
    line.rest = rest;
    let align = line.number("an alignment")?;
    line.token("[")?;
    let digits = line.word();
    let bytes = (0..digits.len())
        .step_by(2)
        .map(|at| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| line.error("expected the contents as hexadecimal bytes".into()))?;
    line.token("]")?;
    let mut relocations = Vec::new();
    while !line.rest.is_empty() {
        let offset = line.number("the offset of an address")?;
        line.token(":")?;
        let target = line.entity("global")?;
        line.token("+")?;
        relocations.push((offset, target, line.signed("an addend")?));
    }
    Ok(GlobalData {
        name: name.to_owned(),
        align,
        constant,
        bytes,
        relocations,
    })
}

#[cfg(test)]
mod tests;
