//! The grammar of the SPIR-V specification (chapter 3), from rspirv's tables, indexed for constant-time look-up.

use super::{Id, newer};
use once_cell::race::OnceBox;
use rspirv::dr::Operand;
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction as Grammar, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, Op};

/// What the grammar says of an opcode.
#[derive(Debug)]
pub struct OpInfo {
    /// rspirv's record: name, capabilities, extensions, operands. Of what rspirv does not know ([`newer`]), one of our own, with a stand-in's opcode.
    pub grammar: &'static Grammar<'static>,
    /// The opcode that modules have.
    pub opcode: u16,
    /// The number of the capability that the instruction needs, of those that rspirv does not know.
    pub newer_capability: Option<u32>,
    /// It has an *IdResultType*.
    pub has_type: bool,
    /// It has an *IdResult*.
    pub has_result: bool,
    /// How its operands are to be read, where that takes no walk.
    pub form: Form,
    /// Some operand is an enumerant or a mask.
    pub has_enumerants: bool,
}

/// The operands of the instructions that modules are full of, so that they can be read without a walk through the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// So many ids, and perhaps more.
    Ids {
        /// How many there must be.
        least: u8,
        /// There may be more.
        more: bool,
    },
    /// So many ids, then any number of literal integers.
    IdsThenNumbers(u8),
    /// So many ids, and perhaps a set of memory operands.
    IdsThenMemory(u8),
    /// An instruction set, one of its instructions, and ids.
    Extended,
    /// Anything else.
    Other,
}

impl Form {
    fn of(operands: &[LogicalOperand]) -> Form {
        use OperandQuantifier::{One, ZeroOrMore, ZeroOrOne};
        let least = operands.iter().take_while(|o| o.quantifier == One && is_id(&o.kind)).count();
        let ids = least as u8;
        let rest: Vec<_> = operands[least..].iter().map(|o| (o.quantifier, o.kind)).collect();
        match rest[..] {
            [] => Form::Ids { least: ids, more: false },
            [(ZeroOrMore, kind)] if is_id(&kind) => Form::Ids { least: ids, more: true },
            // OpPhi: that they are pairs, validation sees.
            [(ZeroOrMore, OperandKind::PairIdRefIdRef)] if ids == 0 => Form::Ids { least: 0, more: true },
            [(ZeroOrMore, OperandKind::LiteralInteger)] => Form::IdsThenNumbers(ids),
            [(ZeroOrOne, OperandKind::MemoryAccess)] => Form::IdsThenMemory(ids),
            [(One, OperandKind::LiteralExtInstInteger), (ZeroOrMore, kind)] if ids == 1 && is_id(&kind) => Form::Extended,
            _ => Form::Other,
        }
    }

    /// The ids among an instruction's operands, if that takes no walk: some at the start, and from a position on.
    pub fn ids(self, operands: &[u32]) -> Option<(&[u32], &[u32])> {
        match self {
            Form::Ids { .. } => Some((operands, &[])),
            Form::IdsThenNumbers(ids) => Some((operands.get(..ids.into())?, &[])),
            // None of the memory operands that are read here is an id.
            Form::IdsThenMemory(ids) if plain_memory_operands(operands.get(ids.into()..)?) == Some(true) => {
                Some((&operands[..ids.into()], &[]))
            }
            Form::Extended => Some((operands.get(..1)?, operands.get(2..)?)),
            _ => None,
        }
    }

    /// Do the operands fit? `None` if that takes a walk.
    pub fn fits(self, operands: &[u32]) -> Option<Result<(), ShapeError>> {
        let at_least = |least: usize| if operands.len() < least { Err(ShapeError::TooFew) } else { Ok(()) };
        Some(match self {
            Form::Ids { least, more: false } if operands.len() > usize::from(least) => Err(ShapeError::TooMany),
            Form::Ids { least, .. } | Form::IdsThenNumbers(least) => at_least(least.into()),
            Form::IdsThenMemory(ids) if plain_memory_operands(operands.get(ids.into()..)?)? => Ok(()),
            Form::Extended => at_least(2),
            _ => return None,
        })
    }
}

/// Are there no memory operands, or only Volatile, Aligned and Nontemporal, with the literal that belongs to them?
pub fn plain_memory_operands(words: &[u32]) -> Option<bool> {
    use spirv::MemoryAccess as Bit;
    const PLAIN: u32 = Bit::VOLATILE.bits() | Bit::ALIGNED.bits() | Bit::NONTEMPORAL.bits();
    match *words {
        [] => Some(true),
        [mask, ..] if mask & !PLAIN != 0 => None,
        [mask] => Some(mask & Bit::ALIGNED.bits() == 0),
        [mask, _] => Some(mask & Bit::ALIGNED.bits() != 0),
        _ => None,
    }
}

impl OpInfo {
    fn new(grammar: &'static Grammar<'static>, opcode: u16, newer_capability: Option<u32>) -> OpInfo {
        let has = |kind: OperandKind| grammar.operands.iter().any(|o| o.kind == kind);
        let (has_type, has_result) = (has(OperandKind::IdResultType), has(OperandKind::IdResult));
        let rest = operands_of(grammar, has_type, has_result);
        OpInfo {
            grammar,
            opcode,
            newer_capability,
            has_type,
            has_result,
            form: Form::of(rest),
            has_enumerants: rest.iter().any(|o| !is_id(&o.kind) && !is_literal(&o.kind)),
        }
    }

    /// The opcode.
    pub fn op(&self) -> Op {
        self.grammar.opcode
    }

    /// Its name with `Op` before it.
    pub fn name(&self) -> String {
        format!("Op{}", self.grammar.opname)
    }

    /// Logical operands behind result type and result.
    pub fn operands(&self) -> &'static [LogicalOperand] {
        operands_of(self.grammar, self.has_type, self.has_result)
    }
}

fn operands_of(grammar: &'static Grammar<'static>, has_type: bool, has_result: bool) -> &'static [LogicalOperand] {
    &grammar.operands[usize::from(has_type) + usize::from(has_result)..]
}

/// Is it an operand that is one id?
pub fn is_id(kind: &OperandKind) -> bool {
    matches!(kind, OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics)
}

/// Is it an operand that is no enumerant, whether id or not?
pub fn is_literal(kind: &OperandKind) -> bool {
    use OperandKind as K;
    matches!(
        kind,
        K::LiteralInteger
            | K::LiteralString
            | K::LiteralFloat
            | K::LiteralContextDependentNumber
            | K::LiteralExtInstInteger
            | K::LiteralSpecConstantOpInteger
            | K::PairLiteralIntegerIdRef
            | K::PairIdRefLiteralInteger
            | K::PairIdRefIdRef
    )
}

/// The operands that an enumerant brings; those of a mask's bits, the lowest bit's first (SPIR-V 3.1), which rspirv sorts by kind. `None` where the
/// grammar has no such enumerant.
pub fn parameters(kind: &OperandKind, word: u32) -> Option<Vec<LogicalOperand>> {
    let Some(word) = newer::without_taken(kind, word) else {
        return Some(Vec::new());
    };
    let whole = enumerant(kind, word)?;
    if !is_mask(kind) || word.count_ones() < 2 {
        return Some(whole.additional_operands());
    }
    let bits = (0..32).map(|bit| word & 1 << bit).filter(|&bit| bit != 0);
    Some(
        bits.filter_map(|bit| enumerant(kind, bit))
            .flat_map(|bit| bit.additional_operands())
            .collect(),
    )
}

/// Is it a mask, each bit of which is an enumerant?
pub fn is_mask(kind: &OperandKind) -> bool {
    use OperandKind as K;
    matches!(
        kind,
        K::ImageOperands
            | K::FPFastMathMode
            | K::SelectionControl
            | K::LoopControl
            | K::FunctionControl
            | K::MemorySemantics
            | K::MemoryAccess
            | K::KernelProfilingInfo
            | K::RayFlags
            | K::FragmentShadingRate
            | K::RawAccessChainOperands
            | K::CooperativeMatrixOperands
            | K::CooperativeMatrixReduce
            | K::TensorAddressingOperands
            | K::MatrixMultiplyAccumulateOperands
            | K::TensorOperands
    )
}

struct Table {
    infos: Vec<OpInfo>,
    /// Index into `infos` + 1 by opcode; 0 where no such opcode is known.
    by_opcode: Vec<u16>,
}

fn table() -> Table {
    let known = INSTRUCTION_TABLE
        .iter()
        .map(|grammar| OpInfo::new(grammar, grammar.opcode as u16, None));
    let newer = newer::INSTRUCTIONS
        .iter()
        .map(|row| OpInfo::new(&row.grammar, row.opcode, Some(row.capability)));
    let infos: Vec<OpInfo> = known.chain(newer).collect();
    let largest = infos.iter().map(|i| usize::from(i.opcode)).max().unwrap_or(0);
    let mut by_opcode = vec![0; largest + 1];
    for (index, info) in infos.iter().enumerate() {
        by_opcode[usize::from(info.opcode)] = index as u16 + 1;
    }
    Table { infos, by_opcode }
}

fn the_table() -> &'static Table {
    static TABLE: OnceBox<Table> = OnceBox::new();
    TABLE.get_or_init(|| Box::new(table()))
}

/// The grammar of an opcode, if there is such an opcode.
pub fn lookup(opcode: u32) -> Option<&'static OpInfo> {
    let table = the_table();
    let index = *table.by_opcode.get(opcode as usize)?;
    table.infos.get((index as usize).wrapping_sub(1))
}

/// The grammar of an instruction by its name, without `Op` before it.
pub fn named(name: &str) -> Option<&'static OpInfo> {
    the_table().infos.iter().find(|info| info.grammar.opname == name)
}

/// An enumerant of the given kind, as rspirv's operand; `None` if the grammar knows no such value.
///
/// The operand knows its name, the operands that follow it, and the capabilities and extensions it needs.
pub fn enumerant(kind: &OperandKind, word: u32) -> Option<Operand> {
    macro_rules! decode {
        (values: $($value:ident),*; masks: $($mask:ident),*) => {
            match kind {
                $(OperandKind::$value => spirv::$value::from_u32(word).map(Operand::$value),)*
                $(OperandKind::$mask => spirv::$mask::from_bits(word).map(Operand::$mask),)*
                _ => None,
            }
        };
    }
    decode!(
        values: SourceLanguage, ExecutionModel, AddressingModel, MemoryModel, ExecutionMode, StorageClass, Dim, SamplerAddressingMode,
            SamplerFilterMode, ImageFormat, ImageChannelOrder, ImageChannelDataType, FPRoundingMode, FPDenormMode, QuantizationModes,
            FPOperationMode, OverflowModes, LinkageType, AccessQualifier, HostAccessQualifier, FunctionParameterAttribute, Decoration, BuiltIn,
            Scope, GroupOperation, KernelEnqueueFlags, Capability, RayQueryIntersection, RayQueryCommittedIntersectionType,
            RayQueryCandidateIntersectionType, PackedVectorFormat, CooperativeMatrixLayout, CooperativeMatrixUse, TensorClampMode,
            InitializationModeQualifier, LoadCacheControl, StoreCacheControl, NamedMaximumNumberOfRegisters, FPEncoding,
            CooperativeVectorMatrixLayout, ComponentType;
        masks: ImageOperands, FPFastMathMode, SelectionControl, LoopControl, FunctionControl, MemorySemantics, MemoryAccess,
            KernelProfilingInfo, RayFlags, FragmentShadingRate, RawAccessChainOperands, CooperativeMatrixOperands, CooperativeMatrixReduce,
            TensorAddressingOperands, MatrixMultiplyAccumulateOperands, TensorOperands
    )
}

/// Why the operands of an instruction do not fit its grammar. Positions count words behind result type and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// Operands are missing.
    TooFew,
    /// Words are left over.
    TooMany,
    /// There is no such enumerant of this kind.
    UnknownEnumerant(OperandKind, u32),
    /// A literal string has no end, or is not UTF-8.
    BadString,
    /// No such opcode, or one that OpSpecConstantOp does not take.
    BadOpcode(u32),
    /// The type of a literal is not known, or is no integer or float type.
    BadLiteralType,
}

/// How many words a literal of a type, or a value's type, takes.
pub trait LiteralWidth {
    /// Words of a literal of the type `type_id`.
    fn of_type(&self, type_id: Id) -> Option<usize>;
    /// Words of a literal of the type of `value`.
    fn of_value(&self, value: Id) -> Option<usize>;
}

/// Walks an instruction's operands, kind by kind, and hands each to `visit` with its words.
pub fn walk<'m>(
    info: &OpInfo,
    result_type: Id,
    words: &'m [u32],
    widths: &dyn LiteralWidth,
    visit: &mut dyn FnMut(OperandKind, &'m [u32]),
) -> Result<(), ShapeError> {
    let mut walk = Walk {
        words,
        widths,
        literal_type: result_type,
        selector: words.first().copied().unwrap_or(0),
        visit,
    };
    walk.all(info.operands())?;
    if walk.words.is_empty() { Ok(()) } else { Err(ShapeError::TooMany) }
}

struct Walk<'m, 'v> {
    words: &'m [u32],
    widths: &'v dyn LiteralWidth,
    literal_type: Id,
    selector: Id,
    visit: &'v mut dyn FnMut(OperandKind, &'m [u32]),
}

impl<'m> Walk<'m, '_> {
    fn all(&mut self, operands: &[LogicalOperand]) -> Result<(), ShapeError> {
        for operand in operands {
            match operand.quantifier {
                OperandQuantifier::One => self.one(&operand.kind)?,
                OperandQuantifier::ZeroOrOne if self.words.is_empty() => {}
                OperandQuantifier::ZeroOrOne => self.one(&operand.kind)?,
                OperandQuantifier::ZeroOrMore => {
                    while !self.words.is_empty() {
                        self.one(&operand.kind)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, kind: &OperandKind, count: usize) -> Result<&'m [u32], ShapeError> {
        let (taken, rest) = self.words.split_at_checked(count).ok_or(ShapeError::TooFew)?;
        self.words = rest;
        (self.visit)(*kind, taken);
        Ok(taken)
    }

    fn one(&mut self, kind: &OperandKind) -> Result<(), ShapeError> {
        use OperandKind as K;
        match kind {
            K::IdRef | K::IdScope | K::IdMemorySemantics | K::LiteralInteger | K::LiteralFloat | K::LiteralExtInstInteger => {
                self.take(kind, 1)?;
            }
            K::LiteralString => {
                let length = super::binary::string_words(self.words).ok_or(ShapeError::BadString)?;
                let words = self.take(kind, length)?;
                super::string(words).ok_or(ShapeError::BadString)?;
            }
            K::LiteralContextDependentNumber => {
                let width = self.widths.of_type(self.literal_type).ok_or(ShapeError::BadLiteralType)?;
                self.take(kind, width)?;
            }
            K::PairLiteralIntegerIdRef => {
                let width = self.widths.of_value(self.selector).ok_or(ShapeError::BadLiteralType)?;
                self.take(&K::LiteralInteger, width)?;
                self.take(&K::IdRef, 1)?;
            }
            K::PairIdRefLiteralInteger => {
                self.take(&K::IdRef, 1)?;
                self.take(&K::LiteralInteger, 1)?;
            }
            K::PairIdRefIdRef => {
                self.take(&K::IdRef, 1)?;
                self.take(&K::IdRef, 1)?;
            }
            K::LiteralSpecConstantOpInteger => {
                let opcode = self.take(kind, 1)?[0];
                let info = lookup(opcode)
                    .filter(|i| i.has_type && i.op() != Op::SpecConstantOp)
                    .ok_or(ShapeError::BadOpcode(opcode))?;
                self.all(info.operands())?;
            }
            _ => {
                let word = *self.words.first().ok_or(ShapeError::TooFew)?;
                let more = parameters(kind, word).ok_or(ShapeError::UnknownEnumerant(*kind, word))?;
                self.take(kind, 1)?;
                if !more.is_empty() {
                    self.all(&more)?;
                }
            }
        }
        Ok(())
    }
}
