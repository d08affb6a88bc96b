//! SPIR-V from text, in the syntax of SPIRV-Tools' assembler: for tests, and for whoever has no other assembler at hand.
//!
//! A line is an instruction: `%result = OpName operands`, or `OpName operands`. `;` begins a comment. Ids are names or numbers. `; Version: 1.4` and
//! `; Generator: 43` (a tool's registered number) in comments set the header; without them it is version 1.2 and no tool.

use super::grammar::{self, OpInfo, is_id, is_mask};
use super::{Id, fold, newer};
use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier, ext_inst_table};
use rspirv::spirv::{self, Op};
use std::collections::HashMap;

/// Assembles a module. The error says in which line, and what.
pub fn assemble(text: &str) -> Result<Vec<u8>, String> {
    let mut assembler = Assembler::default();
    let mut header = Header {
        version: 0x0001_0200,
        generator: 0,
    };
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let at = |error: String| format!("line {}: {error}", number + 1);
        if let Some(comment) = line.trim().strip_prefix(';') {
            header.note(comment).map_err(at)?;
            continue;
        }
        let tokens = tokens(line).map_err(at)?;
        if !tokens.is_empty() {
            words.extend(assembler.instruction(&tokens).map_err(at)?);
        }
    }
    let all = [spirv::MAGIC_NUMBER, header.version, header.generator, assembler.bound + 1, 0];
    Ok(all.into_iter().chain(words).flat_map(u32::to_ne_bytes).collect())
}

struct Header {
    version: u32,
    generator: u32,
}

impl Header {
    fn note(&mut self, comment: &str) -> Result<(), String> {
        let Some((key, value)) = comment.split_once(':') else {
            return Ok(());
        };
        let bad = || format!("{}: {}?", key.trim(), value.trim());
        match key.trim() {
            "Version" => {
                let (major, minor) = value.trim().split_once('.').ok_or_else(bad)?;
                let [major, minor] = [major, minor].map(|part| part.parse::<u8>().ok());
                self.version = u32::from(major.ok_or_else(bad)?) << 16 | u32::from(minor.ok_or_else(bad)?) << 8;
            }
            "Generator" => {
                if let Ok(tool) = value.trim().parse::<u16>() {
                    self.generator = u32::from(tool) << 16;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The words of a line; strings keep their first quotation mark.
fn tokens(line: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut characters = line.chars().peekable();
    while let Some(&first) = characters.peek() {
        if first.is_whitespace() {
            characters.next();
        } else if first == ';' {
            break;
        } else if first == '"' {
            let mut string = String::from(characters.next().unwrap_or('"'));
            loop {
                match characters.next() {
                    None => return Err("a string without an end".into()),
                    Some('"') => break,
                    Some('\\') => string.extend(characters.next()),
                    Some(other) => string.push(other),
                }
            }
            tokens.push(string);
        } else {
            let mut token = String::new();
            while let Some(next) = characters.next_if(|next| !next.is_whitespace() && *next != ';') {
                token.push(next);
            }
            tokens.push(token);
        }
    }
    Ok(tokens)
}

#[derive(Default)]
struct Assembler {
    ids: HashMap<String, Id>,
    bound: u32,
    /// Width and whether it is a float, of types; and of the values of these types.
    numbers: HashMap<Id, (u32, bool)>,
}

impl Assembler {
    fn id(&mut self, token: &str) -> Result<Id, String> {
        let name = token.strip_prefix('%').ok_or_else(|| format!("{token} is no id"))?;
        if let Some(&id) = self.ids.get(name) {
            return Ok(id);
        }
        self.bound += 1;
        self.ids.insert(name.into(), self.bound);
        Ok(self.bound)
    }

    fn instruction(&mut self, tokens: &[String]) -> Result<Vec<u32>, String> {
        let (result, rest) = match tokens {
            [result, equals, rest @ ..] if equals == "=" => (Some(self.id(result)?), rest),
            _ => (None, tokens),
        };
        let (name, operands) = rest.split_first().ok_or("an instruction is missing")?;
        let info = lookup(name)?;
        if info.has_result != result.is_some() {
            return Err(format!("{name} {} a result", if info.has_result { "has" } else { "has not" }));
        }
        let mut operands = operands.iter();
        let mut words = vec![0];
        let mut result_type = 0;
        if info.has_type {
            result_type = self.id(operands.next().ok_or("the type is missing")?)?;
            words.push(result_type);
        }
        words.extend(result);
        let start = words.len();
        self.operands(info.operands(), &mut operands, result_type, start, &mut words)?;
        if let Some(left) = operands.next() {
            return Err(format!("{left} is too much"));
        }
        if let Some(result) = result {
            let number = match info.op() {
                Op::TypeInt => Some((words[start], false)),
                Op::TypeFloat => Some((words[start], true)),
                _ => self.numbers.get(&result_type).copied(),
            };
            self.numbers.extend(number.map(|number| (result, number)));
        }
        words[0] = (words.len() as u32) << 16 | u32::from(info.opcode);
        Ok(words)
    }

    fn operands<'t>(
        &mut self,
        kinds: &[LogicalOperand],
        tokens: &mut (impl ExactSizeIterator<Item = &'t String> + Clone),
        result_type: Id,
        start: usize,
        words: &mut Vec<u32>,
    ) -> Result<(), String> {
        for operand in kinds {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(&operand.kind, tokens, result_type, start, words)?,
                OperandQuantifier::ZeroOrOne if tokens.len() == 0 => {}
                OperandQuantifier::ZeroOrOne => self.operand(&operand.kind, tokens, result_type, start, words)?,
                OperandQuantifier::ZeroOrMore => {
                    while tokens.len() > 0 {
                        self.operand(&operand.kind, tokens, result_type, start, words)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn operand<'t>(
        &mut self,
        kind: &OperandKind,
        tokens: &mut (impl ExactSizeIterator<Item = &'t String> + Clone),
        result_type: Id,
        start: usize,
        words: &mut Vec<u32>,
    ) -> Result<(), String> {
        use OperandKind as K;
        let pair = match kind {
            K::PairLiteralIntegerIdRef => Some((None, K::IdRef)),
            K::PairIdRefLiteralInteger => Some((Some(K::IdRef), K::LiteralInteger)),
            K::PairIdRefIdRef => Some((Some(K::IdRef), K::IdRef)),
            _ => None,
        };
        if let Some((first, second)) = pair {
            match first {
                Some(first) => self.operand(&first, tokens, result_type, start, words)?,
                None => {
                    let selector = self.numbers.get(&words[start]).copied();
                    number(next(tokens)?, selector.unwrap_or((32, false)), words)?;
                }
            }
            return self.operand(&second, tokens, result_type, start, words);
        }
        let token = next(tokens)?;
        match kind {
            kind if is_id(kind) => words.push(self.id(token)?),
            K::LiteralString => {
                let text = token.strip_prefix('"').ok_or_else(|| format!("{token} is no string"))?;
                let mut bytes = text.as_bytes().to_vec();
                bytes.resize((bytes.len() / 4 + 1) * 4, 0);
                words.extend(bytes.as_chunks::<4>().0.iter().map(|&chunk| u32::from_le_bytes(chunk)));
            }
            K::LiteralInteger | K::LiteralFloat => number(token, (32, *kind == K::LiteralFloat), words)?,
            K::LiteralContextDependentNumber => {
                let ty = self.numbers.get(&result_type).copied();
                number(token, ty.unwrap_or((32, false)), words)?;
            }
            K::LiteralExtInstInteger => words.push(match token.parse() {
                Ok(number) => number,
                Err(_) => extended_instruction(token).ok_or_else(|| format!("OpenCL.std has no {token}"))?,
            }),
            K::LiteralSpecConstantOpInteger => {
                let info = lookup(&format!("Op{token}"))?;
                words.push(info.opcode.into());
                let inner = words.len();
                self.operands(info.operands(), tokens, result_type, inner, words)?;
            }
            _ => {
                let value = enumerant(kind, token)?;
                words.push(value);
                let more = grammar::parameters(kind, value).ok_or_else(|| format!("{token} is no {kind:?}"))?;
                self.operands(&more, tokens, result_type, start, words)?;
            }
        }
        Ok(())
    }
}

fn next<'t>(tokens: &mut impl Iterator<Item = &'t String>) -> Result<&'t str, String> {
    tokens.next().map(String::as_str).ok_or_else(|| "operands are missing".into())
}

fn lookup(name: &str) -> Result<&'static OpInfo, String> {
    name.strip_prefix("Op")
        .and_then(grammar::named)
        .ok_or_else(|| format!("there is no instruction {name}"))
}

fn extended_instruction(name: &str) -> Option<u32> {
    let found = ext_inst_table("OpenCL.std")?.iter().find(|grammar| grammar.opname == name)?;
    Some(found.opcode.into())
}

/// A number of a width, as words; with `!` before it, one word whatever the width is.
fn number(token: &str, (width, float): (u32, bool), words: &mut Vec<u32>) -> Result<(), String> {
    let bad = || format!("{token} is no number");
    let hexadecimal = |text: &str| {
        text.strip_prefix("0x")
            .map(|digits| u64::from_str_radix(digits, 16).map_err(|_| bad()))
    };
    if let Some(word) = token.strip_prefix('!') {
        let word = hexadecimal(word).unwrap_or_else(|| word.parse().map_err(|_| bad()))?;
        words.push(u32::try_from(word).map_err(|_| bad())?);
        return Ok(());
    }
    let beyond = || format!("{token} has more than the {width} bits of its type (!{token} is a word as it stands)");
    let value = match hexadecimal(token) {
        Some(value) => value?,
        None if float => fold::from_f64(token.parse().map_err(|_| bad())?, width).ok_or_else(bad)?,
        None => {
            let value: i128 = token.parse().map_err(|_| bad())?;
            if value < -(1 << (width - 1)) {
                return Err(beyond());
            }
            // A negative number's bits above the width are its sign's.
            if value < 0 {
                fold::mask(value as u64, width)
            } else {
                u64::try_from(value).map_err(|_| beyond())?
            }
        }
    };
    if fold::mask(value, width) != value {
        return Err(beyond());
    }
    words.push(value as u32);
    if width > 32 {
        words.push((value >> 32) as u32);
    }
    Ok(())
}

/// The value of an enumerant, or of a mask (`A|B`), by name; or a plain number.
fn enumerant(kind: &OperandKind, token: &str) -> Result<u32, String> {
    if let Ok(value) = token.parse() {
        return Ok(value);
    }
    let unknown = || format!("{token} is no {kind:?}");
    if !is_mask(kind) {
        macro_rules! values {
            ($($value:ident),*) => {
                match kind {
                    $(OperandKind::$value => token.parse::<spirv::$value>().ok().map(|value| value as u32),)*
                    _ => None,
                }
            };
        }
        return values!(
            SourceLanguage,
            ExecutionModel,
            AddressingModel,
            MemoryModel,
            ExecutionMode,
            StorageClass,
            SamplerAddressingMode,
            SamplerFilterMode,
            ImageFormat,
            FPRoundingMode,
            FPDenormMode,
            FPOperationMode,
            LinkageType,
            AccessQualifier,
            HostAccessQualifier,
            FunctionParameterAttribute,
            Decoration,
            BuiltIn,
            Scope,
            GroupOperation,
            Capability,
            PackedVectorFormat,
            LoadCacheControl,
            StoreCacheControl,
            FPEncoding
        )
        .or_else(|| dimension(kind, token))
        .or_else(|| newer::named(kind, token))
        .ok_or_else(unknown);
    }
    let mut mask = 0;
    for name in token.split('|').filter(|name| *name != "None") {
        macro_rules! masks {
            ($($mask:ident),*) => {
                match kind {
                    $(OperandKind::$mask => spirv::$mask::all().iter_names().find(|(flag, _)| same(flag, name)).map(|(_, flag)| flag.bits()),)*
                    _ => None,
                }
            };
        }
        mask |= masks!(
            ImageOperands,
            FPFastMathMode,
            SelectionControl,
            LoopControl,
            FunctionControl,
            MemorySemantics,
            MemoryAccess,
            CooperativeMatrixOperands,
            MatrixMultiplyAccumulateOperands
        )
        .ok_or_else(unknown)?;
    }
    Ok(mask)
}

/// `DONT_UNROLL` is `DontUnroll`.
fn same(flag: &str, name: &str) -> bool {
    flag.replace('_', "").eq_ignore_ascii_case(name)
}

/// Dimensions begin with digits, which Rust's names can't.
fn dimension(kind: &OperandKind, token: &str) -> Option<u32> {
    (*kind == OperandKind::Dim)
        .then(|| format!("Dim{token}").parse::<spirv::Dim>().ok().map(|dim| dim as u32))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{disassemble, parse};

    #[test]
    fn what_is_assembled_is_disassembled() {
        let text = r#"
            ; Version: 1.4
            OpCapability Kernel
            %std = OpExtInstImport "OpenCL.std"
            OpMemoryModel Physical64 OpenCL
            OpDecorate %x FPFastMathMode NotNaN|Fast
            %long = OpTypeInt 64 0
            %double = OpTypeFloat 64
            %image = OpTypeImage %long 2D 0 0 0 0 Unknown ReadOnly
            %minus = OpConstant %long -1
            %half = OpConstant %double 0.5
            %sum = OpSpecConstantOp %long IAdd %minus %minus
            %y = OpExtInst %double %std fmax %half %half
            OpSwitch %minus %a 4294967296 %b
            %z = OpLoad %long %p Aligned|NoAliasINTELMask 8 %list
        "#;
        let binary = parse(&assemble(text).unwrap()).unwrap();
        assert_eq!(binary.header.version, (1, 4));
        let lines: Vec<String> = (0..binary.len()).map(|index| disassemble(&binary, index, &|_| None)).collect();
        assert_eq!(lines[1], "%1 = OpExtInstImport \"OpenCL.std\"");
        assert_eq!(lines[3], "OpDecorate %2 FPFastMathMode NotNaN|Fast");
        assert_eq!(lines[6], "%5 = OpTypeImage %3 2D 0 0 0 0 Unknown ReadOnly");
        assert_eq!(lines[7], "%6 = OpConstant %3 18446744073709551615");
        assert_eq!(lines[8], "%7 = OpConstant %4 0.5");
        assert_eq!(lines[9], "%8 = OpSpecConstantOp %3 IAdd %6 %6");
        assert_eq!(lines[11], "OpSwitch %6 %10 4294967296 %11");
        assert_eq!(lines[12], "%12 = OpLoad %3 %13 Aligned|NoAliasINTELMask 8 %14");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        assert_eq!(assemble("OpNop\nOpNopp"), Err("line 2: there is no instruction OpNopp".into()));
        assert_eq!(assemble("%x = OpTypeInt 32"), Err("line 1: operands are missing".into()));
        assert_eq!(assemble("OpCapability Fancy"), Err("line 1: Fancy is no Capability".into()));
    }

    #[test]
    fn literals_are_as_wide_as_their_types() {
        let constant = |ty: &str, literal: &str| {
            let bytes = assemble(&format!("%t = {ty}\n%c = OpConstant %t {literal}"))?;
            Ok(bytes[bytes.len() - 4..]
                .iter()
                .rev()
                .fold(0u32, |word, &byte| word << 8 | u32::from(byte)))
        };
        let beyond = |literal: &str, width: u32| -> Result<u32, String> {
            Err(format!(
                "line 2: {literal} has more than the {width} bits of its type (!{literal} is a word as it stands)"
            ))
        };
        assert_eq!(constant("OpTypeInt 8 0", "255"), Ok(255));
        assert_eq!(constant("OpTypeInt 8 0", "-128"), Ok(128));
        assert_eq!(constant("OpTypeInt 8 0", "!511"), Ok(511));
        assert_eq!(constant("OpTypeInt 8 0", "511"), beyond("511", 8));
        assert_eq!(constant("OpTypeInt 8 0", "-129"), beyond("-129", 8));
        assert_eq!(constant("OpTypeInt 16 0", "0x10000"), beyond("0x10000", 16));
        assert_eq!(constant("OpTypeInt 32 0", "4294967296"), beyond("4294967296", 32));
        assert_eq!(
            constant("OpTypeInt 64 0", "18446744073709551616"),
            beyond("18446744073709551616", 64)
        );
        assert_eq!(constant("OpTypeFloat 16", "0x3c00"), Ok(0x3c00));
    }
}
