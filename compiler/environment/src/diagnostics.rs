//! Rules as values, and what is said when one is broken.

use spirv::{Binary, Id, disassemble, id_text};
use std::fmt;

/// A rule that modules have to keep.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name here, as in `SIGNEDNESS`.
    pub id: &'static str,
    /// Where it stands.
    pub section: &'static str,
    /// What it says.
    pub sentence: &'static str,
}

/// Errors refuse the module; warnings go to the build log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The module is refused.
    Error,
    /// The module is taken all the same.
    Warning,
}

/// A rule broken at a place.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Does it refuse the module?
    pub severity: Severity,
    /// The rule.
    pub rule: &'static Rule,
    /// Which instruction it is, from 0.
    pub index: u32,
    /// Where the instruction begins, in words from the start of the module.
    pub word: u32,
    /// The instruction, disassembled.
    pub instruction: String,
    /// The function that it is in: its name or id.
    pub function: Option<String>,
    /// File, line and column, where OpLine tells.
    pub line: Option<(String, u32, u32)>,
    /// What in particular is wrong; may be empty.
    pub detail: String,
    /// What to do about it; may be empty.
    pub advice: String,
}

impl Diagnostic {
    /// The line of the instruction in the module's text, from 1, as `brolga dump --module` and `spirv-dis` write it.
    pub fn text_line(&self) -> u32 {
        self.index + spirv::LISTING_HEADER + 1
    }
}

/// `{:#}` tells the line of the module's text as well.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = &self.line {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{severity}: {}", self.rule.sentence)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        write!(f, "\n  at instruction {} (word {}", self.index, self.word)?;
        if f.alternate() {
            write!(f, ", line {} of the text", self.text_line())?;
        }
        write!(f, "): {}", self.instruction)?;
        if let Some(function) = &self.function {
            write!(f, "\n  in function {function}")?;
        }
        write!(f, "\n  rule {} ({})", self.rule.id, self.rule.section)?;
        if !self.advice.is_empty() {
            write!(f, "\n  {}", self.advice)?;
        }
        Ok(())
    }
}

/// At most so many errors are told; the rest are counted.
pub const MAX_ERRORS: usize = 50;

/// What was found so far. Text is made only at the end, and only for what is told.
#[derive(Debug, Default)]
pub struct Report {
    found: Vec<Found>,
    errors: usize,
    warnings: usize,
}

#[derive(Debug)]
struct Found {
    severity: Severity,
    rule: &'static Rule,
    instruction: u32,
    detail: String,
    advice: String,
}

impl Report {
    /// A rule is broken by an instruction.
    pub fn error(&mut self, rule: &'static Rule, instruction: u32, detail: impl Into<String>) {
        self.error_with(rule, instruction, detail, "");
    }

    /// A rule is broken by an instruction, and this is what to do about it.
    pub fn error_with(&mut self, rule: &'static Rule, instruction: u32, detail: impl Into<String>, advice: impl Into<String>) {
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            self.push(Severity::Error, rule, instruction, detail.into(), advice.into());
        }
    }

    /// A rule is broken in a way that is taken all the same.
    pub fn warning(&mut self, rule: &'static Rule, instruction: u32, detail: impl Into<String>) {
        self.warnings += 1;
        if self.warnings <= MAX_ERRORS {
            self.push(Severity::Warning, rule, instruction, detail.into(), String::new());
        }
    }

    fn push(&mut self, severity: Severity, rule: &'static Rule, instruction: u32, detail: String, advice: String) {
        self.found.push(Found {
            severity,
            rule,
            instruction,
            detail,
            advice,
        });
    }

    /// Was any error found?
    pub fn has_errors(&self) -> bool {
        self.errors != 0
    }

    /// Everything found, as diagnostics, in the module's order.
    pub fn diagnostics(mut self, binary: &Binary) -> Vec<Diagnostic> {
        self.found.sort_by_key(|found| found.instruction);
        let names = Names::new(binary);
        let untold = self.errors.saturating_sub(MAX_ERRORS);
        if let Some(last) = self.found.last_mut().filter(|_| untold > 0) {
            let gap = if last.advice.is_empty() { "" } else { "\n  " };
            last.advice += &format!("{gap}There are {untold} more errors.");
        }
        self.found
            .into_iter()
            .map(|found| {
                let instruction = found.instruction.min(binary.len().saturating_sub(1));
                Diagnostic {
                    severity: found.severity,
                    rule: found.rule,
                    index: instruction,
                    word: if binary.is_empty() { 0 } else { binary.word_offset(instruction) },
                    instruction: if binary.is_empty() {
                        "(the module is empty)".into()
                    } else {
                        disassemble(binary, instruction, &|id| names.get(id))
                    },
                    function: names.function_of(instruction),
                    line: names.line_of(instruction),
                    detail: names.explain(&found.detail),
                    advice: found.advice,
                }
            })
            .collect()
    }
}

/// Names, functions and lines, gathered only where there is something to tell (the typed module does not exist yet then).
struct Names<'m> {
    binary: &'m Binary,
    names: std::collections::HashMap<Id, String>,
    /// (first instruction, id)
    functions: Vec<(u32, u32, Id)>,
}

impl<'m> Names<'m> {
    fn new(binary: &'m Binary) -> Names<'m> {
        use rspirv::spirv::Op;
        let mut names = std::collections::HashMap::new();
        let mut functions: Vec<(u32, u32, Id)> = Vec::new();
        for instruction in binary.instructions() {
            match instruction.op() {
                // Where no OpName tells, a kernel has its own name.
                Op::EntryPoint => {
                    let text = spirv::string(&instruction.operands[2..]).unwrap_or_default();
                    names.entry(instruction.word(1)).or_insert(text);
                }
                Op::Name => {
                    let text = spirv::string(&instruction.operands[1..]).unwrap_or_default();
                    if !text.is_empty() {
                        names.insert(instruction.word(0), text);
                    }
                }
                Op::Function => functions.push((instruction.index, u32::MAX, instruction.result)),
                Op::FunctionEnd => {
                    if let Some(last) = functions.last_mut() {
                        last.1 = instruction.index;
                    }
                }
                _ => {}
            }
        }
        Names { binary, names, functions }
    }

    fn get(&self, id: Id) -> Option<String> {
        self.names.get(&id).cloned()
    }

    /// A text with what its ids are, in parentheses behind them.
    fn explain(&self, text: &str) -> String {
        let mut parts = text.split('%');
        let mut explained = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            let id = number.parse().unwrap_or(0);
            let name = self.get(id).map_or(String::new(), |name| format!("[{name}]"));
            let kind = id_text(self.binary, id, &|id| self.get(id)).map_or(String::new(), |kind| format!(" ({kind})"));
            explained += &format!("%{number}{name}{kind}{rest}");
        }
        explained
    }

    fn function_of(&self, instruction: u32) -> Option<String> {
        let after = self.functions.partition_point(|&(first, ..)| first <= instruction);
        let &(_, last, id) = self.functions.get(after.checked_sub(1)?)?;
        (instruction <= last).then(|| self.get(id).unwrap_or_else(|| format!("%{id}")))
    }

    fn line_of(&self, instruction: u32) -> Option<(String, u32, u32)> {
        use rspirv::spirv::Op;
        if self.binary.is_empty() {
            return None;
        }
        // A line reaches to the end of its block; an instruction outside blocks has at most the line just before it.
        for index in (0..instruction).rev() {
            let before = self.binary.instruction(index);
            match before.op() {
                Op::Line => {
                    let file = self.binary.definition(before.word(0)).filter(|i| i.op() == Op::String);
                    let file = file.and_then(|i| spirv::string(i.operands)).unwrap_or_default();
                    return Some((file, before.word(1), before.word(2)));
                }
                Op::NoLine | Op::Label | Op::Function | Op::FunctionEnd => return None,
                op if op.is_type() || spirv::is_constant(op) || op.is_annotation() => return None,
                _ => {}
            }
        }
        None
    }
}
