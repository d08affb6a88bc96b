//! An instruction as text, for diagnostics and `brolga dump`.

use super::grammar::{self, is_id};
use super::{Binary, Id, newer, string};
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Op, OpenclStd100Op, StorageClass};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Lines of a listing's header, as SPIRV-Tools' disassembler writes it.
pub const LISTING_HEADER: u32 = 5;

/// All instructions of a module, one a line, under a header of comments that the assembler reads; ids by the names that the module gives them.
pub fn listing(binary: &Binary) -> String {
    let header = binary.header;
    let named = binary.instructions().filter(|instruction| instruction.op() == Op::Name);
    let names: FxHashMap<Id, String> = named
        .filter_map(|instruction| Some((instruction.word(0), string(instruction.operands.get(1..)?)?)))
        .filter(|(_, name)| !name.is_empty())
        .collect();
    let (major, minor) = header.version;
    let mut text = format!(
        "; SPIR-V\n; Version: {major}.{minor}\n; Generator: {}\n; Bound: {}\n; Schema: {}\n",
        header.tool(),
        header.bound,
        header.schema
    );
    for index in 0..binary.len() {
        text.push_str(&disassemble(binary, index, &|id| names.get(&id).cloned()));
        text.push('\n');
    }
    text
}

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
            OperandKind::LiteralExtInstInteger => match built_in_function(binary, instruction.word(0), word) {
                Some(name) => write!(text, "{name:?}"),
                None => write!(text, "{word}"),
            },
            OperandKind::LiteralContextDependentNumber => write!(text, "{}", literal(binary, instruction.result_type, words)),
            _ => match grammar::enumerant(&kind, word) {
                Some(operand) => write!(text, "{}", enumerant_name(&operand.to_string())),
                None => match newer::enumerant(kind, word) {
                    Some((name, _)) => write!(text, "{name}"),
                    None => write!(
                        text,
                        "{}",
                        words.iter().rev().fold(0u64, |value, &word| value << 32 | u64::from(word))
                    ),
                },
            },
        };
    };
    // The operands were walked when the module was read; what is left out by an error here is only text.
    let _ = grammar::walk(instruction.info, instruction.result_type, instruction.operands, binary, &mut put);
    text
}

/// `Kind(A)` without the kind, `Kind(NOT_NAN | NSZ)` as `NotNan|Nsz`.
fn enumerant_name(text: &str) -> String {
    let inner = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(text);
    let is_mask = !inner.contains(|c: char| c.is_ascii_lowercase());
    match inner {
        "" | "0x0" => "None".into(),
        mask if is_mask => mask.split([' ', '_']).map(capitalized).collect(),
        name => name.into(),
    }
}

/// `ALIGNED` as `Aligned`; names of vendors, `2D` and the like stay.
fn capitalized(word: &str) -> String {
    match word {
        "NAN" => "NaN".into(),
        "NSZ" | "KHR" | "EXT" | "INTEL" => word.into(),
        _ if word.starts_with(|c: char| !c.is_ascii_uppercase()) => word.into(),
        _ => word.get(..1).unwrap_or_default().to_owned() + &word.get(1..).unwrap_or_default().to_ascii_lowercase(),
    }
}

/// The function of OpenCL.std with this number, if the import is of that set.
fn built_in_function(binary: &Binary, import: Id, number: u32) -> Option<OpenclStd100Op> {
    let import = binary.definition(import)?;
    let set = string(import.operands).unwrap_or_default();
    (import.op() == Op::ExtInstImport && set == "OpenCL.std").then(|| OpenclStd100Op::from_u32(number))?
}

/// A type in few words, as OpenCL C would name it; `name` is asked for names of structs.
pub fn type_text(binary: &Binary, type_id: Id, name: &dyn Fn(Id) -> Option<String>) -> Option<String> {
    fn text(binary: &Binary, type_id: Id, name: &dyn Fn(Id) -> Option<String>, depth: u32) -> Option<String> {
        let declaration = binary.definition(type_id).filter(|declaration| declaration.op().is_type())?;
        let inner = |id: Id| match depth {
            0 => None,
            _ => text(binary, id, name, depth - 1),
        };
        let inner = |id: Id| inner(id).unwrap_or_else(|| format!("%{id}"));
        let word = |position| declaration.word(position);
        Some(match (declaration.op(), word(0)) {
            (Op::TypeInt, 8) => "char".into(),
            (Op::TypeInt, 16) => "short".into(),
            (Op::TypeInt, 32) => "int".into(),
            (Op::TypeInt, 64) => "long".into(),
            (Op::TypeFloat, 16) => "half".into(),
            (Op::TypeFloat, 32) => "float".into(),
            (Op::TypeFloat, 64) => "double".into(),
            (Op::TypeVector, component) => format!("{}{}", inner(component), word(1)),
            (Op::TypeArray, element) => format!("array of {}", inner(element)),
            (Op::TypePointer, class) => {
                let class = StorageClass::from_u32(class).map_or(String::new(), |class| format!("{class:?} "));
                format!("{class}{}*", inner(word(1)))
            }
            (Op::TypeUntypedPointerKHR, class) => {
                let class = StorageClass::from_u32(class).map_or(String::new(), |class| format!("{class:?} "));
                format!("{class}*")
            }
            (Op::TypeStruct, _) => name(type_id).map_or("struct".into(), |name| format!("struct {name}")),
            _ => declaration.info.name().trim_start_matches("OpType").to_lowercase(),
        })
    }
    text(binary, type_id, name, 4)
}

/// What an id is, in few words: a type, or the type of a value, with the value of a number.
pub fn id_text(binary: &Binary, id: Id, name: &dyn Fn(Id) -> Option<String>) -> Option<String> {
    if let Some(text) = type_text(binary, id, name) {
        return Some(text);
    }
    let definition = binary.definition(id)?;
    let text = type_text(binary, definition.result_type, name)?;
    Some(match definition.op() {
        Op::Constant => format!("{text} {}", literal(binary, definition.result_type, definition.operands)),
        _ => text,
    })
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
