//! An instruction as text, for diagnostics and `brolga dump`.

use super::grammar::{self, is_id};
use super::{Binary, Id, string};
use rspirv::grammar::OperandKind;
use rspirv::spirv::Op;
use std::fmt::Write;

/// The instruction at `index` in the syntax of SPIRV-Tools' assembler; ids by the names that `name` gives, where it gives one.
pub fn disassemble(binary: &Binary, index: u32, name: &dyn Fn(Id) -> Option<String>) -> String {
    let instruction = binary.instruction(index);
    let mut text = String::new();
    let id = |id: Id| match name(id) {
        Some(name) => format!("%{id}[{name}]"),
        None => format!("%{id}"),
    };
    if instruction.result != 0 {
        text.push_str(&id(instruction.result));
        text.push_str(" = ");
    }
    text.push_str(&instruction.info.name());
    if instruction.result_type != 0 {
        text.push(' ');
        text.push_str(&id(instruction.result_type));
    }
    let mut put = |kind: OperandKind, words: &[u32]| {
        text.push(' ');
        let word = words.first().copied().unwrap_or(0);
        let _ = match kind {
            kind if is_id(&kind) => write!(text, "{}", id(word)),
            OperandKind::LiteralString => write!(text, "{:?}", string(words).unwrap_or_default()),
            OperandKind::LiteralSpecConstantOpInteger => write!(text, "{:?}", Op::from_u32(word).unwrap_or(Op::Nop)),
            OperandKind::LiteralContextDependentNumber => write!(text, "{}", literal(binary, instruction.result_type, words)),
            _ => match grammar::enumerant(&kind, word) {
                Some(operand) => write!(text, "{}", enumerant_name(&operand.to_string())),
                None => write!(
                    text,
                    "{}",
                    words.iter().rev().fold(0u64, |value, &word| value << 32 | u64::from(word))
                ),
            },
        };
    };
    // The operands were walked when the module was read; what is left out by an error here is only text.
    let _ = grammar::walk(instruction.info, instruction.result_type, instruction.operands, binary, &mut put);
    text
}

/// `Kind(A | B)` without the kind.
fn enumerant_name(text: &str) -> String {
    let inner = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(text);
    if inner.is_empty() { "None".into() } else { inner.replace(' ', "") }
}

fn literal(binary: &Binary, type_id: Id, words: &[u32]) -> String {
    let value = words.iter().rev().fold(0u64, |value, &word| value << 32 | u64::from(word));
    match binary.definition(type_id).map(|t| (t.op(), t.word(0))) {
        Some((Op::TypeFloat, 32)) => f32::from_bits(value as u32).to_string(),
        Some((Op::TypeFloat, 64)) => f64::from_bits(value).to_string(),
        Some((Op::TypeFloat, _)) => format!("{value:#x}"),
        _ => value.to_string(),
    }
}
