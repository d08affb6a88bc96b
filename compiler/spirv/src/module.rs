//! The typed module: what lowering reads.

use super::{Binary, Constant, ConstantRef, ConstantValue, Header, Id, Instruction, Layout, MatrixType, Type, disassemble, string};
use rspirv::spirv::{self, Capability, FunctionControl, LinkageType, Op, StorageClass};
use std::ops::Range;
use std::sync::Arc;

/// A module that is valid in the environment that it was validated for, with everything about ids looked up once.
///
/// Only [`environment::validate`] makes one.
#[derive(Debug)]
pub struct Module {
    pub binary: Arc<Binary>,
    pub ids: Vec<IdRecord>,
    pub types: Vec<(Type, Option<Layout>)>,
    pub constants: Vec<Constant>,
    /// Sorted by target, then member.
    pub decorations: Vec<DecorationRecord>,
    /// (target, member + 1 or 0, instruction), sorted.
    pub names: Vec<(Id, u32, u32)>,
    /// Sorted by id.
    pub extended_sets: Vec<(Id, ExtendedSet)>,
    /// Capabilities that the module declares, and those that they imply.
    pub capabilities: Vec<Capability>,
    /// Those that the grammar does not know ([`crate::newer`]).
    pub newer_capabilities: Vec<u32>,
    /// Names of the extensions that the module declares.
    pub extensions: Vec<String>,
    /// 32 or 64: the width of a pointer and of `size_t`.
    pub address_bits: u32,
    /// Kernels.
    pub entry_points: Vec<EntryPoint>,
    /// Variables outside functions.
    pub global_variables: Vec<GlobalVariable>,
    /// Functions in the module's order; those without blocks are imported.
    pub functions: Vec<Function>,
    /// Constants that have a SpecId.
    pub spec_constants: Vec<SpecConstant>,
}

/// What is known of an id.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdRecord {
    /// The id of the value's type; 0 for what has no type.
    pub type_id: Id,
    /// What the id names.
    pub what: What,
    /// Where it is in the list of its kind.
    pub index: u32,
}

/// What an id names, and so which list its index is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Nothing that has an index.
    #[default]
    Other,
    /// `Module::types`
    Type,
    /// `Module::constants`; OpUndef in a function is one too.
    Constant,
    /// `Module::functions`
    Function,
    /// `Module::global_variables`
    GlobalVariable,
    /// A parameter, or an instruction's result in a function: the index of its block.
    Local,
    /// A block of a function.
    Label,
}

/// A decoration of an id or a member. Groups are resolved: their members have the group's decorations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecorationRecord {
    pub target: Id,
    /// Member + 1; 0 for the target as a whole.
    pub member: u32,
    pub instruction: u32,
}

/// OpEntryPoint with its execution modes.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPoint {
    /// The function's id.
    pub function: Id,
    /// The kernel's name.
    pub name: String,
    /// The variables that it is declared to use.
    pub interface: Vec<Id>,
    /// Its execution modes.
    pub modes: Vec<ExecutionMode>,
}

/// OpExecutionMode or OpExecutionModeId.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionMode {
    /// Which mode. Modes whose operands are ids (LocalSizeId) stand as such, too; `operands` holds the values of these ids.
    pub mode: spirv::ExecutionMode,
    /// Literals, or values of constants; FPFastMathDefault has a type's id first.
    pub operands: Vec<u32>,
}

/// OpVariable outside functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Its id.
    pub id: Id,
    /// The pointer type that it has.
    pub type_id: Id,
    /// Where it lives.
    pub class: StorageClass,
    /// What it holds.
    pub pointee: Id,
    /// Its initial value: a constant, or another variable's id as an address.
    pub initializer: Option<ConstantRef>,
}

/// OpFunction.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its id.
    pub id: Id,
    /// Its OpTypeFunction.
    pub type_id: Id,
    /// Its result's type.
    pub result_type: Id,
    /// Inline, DontInline, Pure, Const.
    pub control: FunctionControl,
    /// OpFunctionParameter's ids.
    pub parameters: Vec<Id>,
    /// Blocks in the module's order; the first is the entry.
    pub blocks: Vec<Block>,
}

impl Function {
    /// Puts its blocks in another order: given are their positions.
    pub fn put_in_order(&mut self, order: &[u32]) {
        self.blocks = order.iter().map(|&block| self.blocks[block as usize].clone()).collect();
    }
}

/// A block: OpLabel to its terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The label's id.
    pub label: Id,
    /// Instructions behind the label (OpLine and the like too), the last of which is the terminator.
    pub instructions: Range<u32>,
}

/// A constant that clSetProgramSpecializationConstant can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its SpecId.
    pub spec_id: u32,
    /// Its id in the module.
    pub id: Id,
    /// Bytes of its value; 1 for a Boolean.
    pub size: u32,
}

/// What OpExtInstImport imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedSet {
    /// `OpenCL.std`
    OpenClStd,
    /// `OpenCL.DebugInfo.100` and the older `DebugInfo`: no meaning for execution.
    DebugInfo,
    /// `NonSemantic.*`: no meaning at all.
    NonSemantic,
}

/// A decoration with its operands.
#[derive(Clone, Copy, Debug)]
pub struct Decoration<'m> {
    /// Which decoration.
    pub kind: spirv::Decoration,
    /// Its operands' words.
    pub operands: &'m [u32],
    /// The OpDecorate, OpMemberDecorate or other instruction that gives it.
    pub instruction: u32,
}

impl Module {
    /// The header.
    pub fn header(&self) -> &Header {
        &self.binary.header
    }

    /// The instruction at an index.
    pub fn instruction(&self, index: u32) -> Instruction<'_> {
        self.binary.instruction(index)
    }

    /// The instructions of a range.
    pub fn instructions(&self, range: Range<u32>) -> impl DoubleEndedIterator<Item = Instruction<'_>> + ExactSizeIterator {
        range.map(|index| self.binary.instruction(index))
    }

    /// The instruction that defines an id.
    pub fn definition(&self, id: Id) -> Option<Instruction<'_>> {
        self.binary.definition(id)
    }

    /// Where an instruction is, in words from the module's start.
    pub fn word_offset(&self, instruction: u32) -> u32 {
        self.binary.word_offset(instruction)
    }

    pub fn record(&self, id: Id) -> IdRecord {
        self.ids.get(id as usize).copied().unwrap_or_default()
    }

    fn listed(&self, id: Id, what: What) -> Option<usize> {
        let record = self.record(id);
        (record.what == what).then_some(record.index as usize)
    }

    /// The type that `type_id` names, if it names a type.
    pub fn find_type(&self, type_id: Id) -> Option<&Type> {
        self.listed(type_id, What::Type).map(|index| &self.types[index].0)
    }

    /// The type that `type_id` names; Void where it names none (which validation excludes).
    pub fn ty(&self, type_id: Id) -> &Type {
        self.find_type(type_id).unwrap_or(&Type::Void)
    }

    /// Size and alignment of a type in memory; `None` for Void and function types.
    pub fn layout(&self, type_id: Id) -> Option<Layout> {
        self.types[self.listed(type_id, What::Type)?].1
    }

    /// The id of a value's type; 0 for what has none.
    pub fn type_of(&self, value: Id) -> Id {
        self.record(value).type_id
    }

    /// The type of a value.
    pub fn value_type(&self, value: Id) -> &Type {
        self.ty(self.type_of(value))
    }

    /// Components of a vector type, or of a cooperative matrix's in a work-item, 1 for anything else; and the component's type, or the type itself.
    pub fn components(&self, type_id: Id) -> (u32, Id) {
        match *self.ty(type_id) {
            Type::Vector { component, count } => (count, component),
            Type::CooperativeMatrix(matrix) => (matrix.length, matrix.component),
            _ => (1, type_id),
        }
    }

    /// The width of integers, or of a vector's, where it is none of 8, 16, 32 and 64.
    pub fn odd_width(&self, type_id: Id) -> Option<u32> {
        self.ty(self.components(type_id).1).odd_width()
    }

    /// The parts of a vector, array or cooperative matrix, which are all of one type: that type, and how many there are.
    pub fn elements(&self, type_id: Id) -> Option<(Id, u64)> {
        match *self.ty(type_id) {
            Type::Vector { component, count } => Some((component, u64::from(count))),
            Type::Array { element, length } => Some((element, length)),
            Type::CooperativeMatrix(matrix) => Some((matrix.component, u64::from(matrix.length))),
            _ => None,
        }
    }

    /// A cooperative matrix's type.
    pub fn matrix(&self, type_id: Id) -> Option<&MatrixType> {
        match self.find_type(type_id) {
            Some(Type::CooperativeMatrix(matrix)) => Some(matrix),
            _ => None,
        }
    }

    /// The constant that `id` names: OpConstant…, OpSpecConstant…, or OpUndef.
    pub fn constant_ref(&self, id: Id) -> Option<ConstantRef> {
        self.listed(id, What::Constant).map(|index| ConstantRef(index as u32))
    }

    /// The constant that `id` names.
    pub fn constant(&self, id: Id) -> Option<&Constant> {
        self.constant_ref(id).map(|reference| self.resolve(reference))
    }

    /// The constant behind a reference.
    pub fn resolve(&self, reference: ConstantRef) -> &Constant {
        &self.constants[reference.0 as usize]
    }

    /// The value of an integer or Boolean constant, zero-extended.
    pub fn constant_bits(&self, id: Id) -> Option<u64> {
        match self.constant(id)?.value {
            ConstantValue::Bits(bits) => Some(bits),
            ConstantValue::Bool(value) => Some(u64::from(value)),
            ConstantValue::Null => Some(0),
            _ => None,
        }
    }

    /// The function with this id.
    pub fn function(&self, id: Id) -> Option<&Function> {
        self.listed(id, What::Function).map(|index| &self.functions[index])
    }

    /// The module-scope variable with this id.
    pub fn global_variable(&self, id: Id) -> Option<&GlobalVariable> {
        self.listed(id, What::GlobalVariable).map(|index| &self.global_variables[index])
    }

    /// What an OpExtInstImport's id stands for.
    pub fn extended_set(&self, id: Id) -> Option<ExtendedSet> {
        let at = self.extended_sets.binary_search_by_key(&id, |&(set, _)| set).ok()?;
        Some(self.extended_sets[at].1)
    }

    /// Decorations of an id as a whole.
    pub fn decorations(&self, target: Id) -> impl Iterator<Item = Decoration<'_>> {
        self.decorations_at(target, 0)
    }

    fn decorations_at(&self, target: Id, member: u32) -> impl Iterator<Item = Decoration<'_>> {
        let first = self.decorations.partition_point(|d| (d.target, d.member) < (target, member));
        self.decorations[first..]
            .iter()
            .take_while(move |d| (d.target, d.member) == (target, member))
            .filter_map(|d| self.decoration_of(d.instruction))
    }

    /// The decoration that an OpDecorate or its kin gives.
    pub fn decoration_of(&self, index: u32) -> Option<Decoration<'_>> {
        let instruction = self.binary.instruction(index);
        let skip = if matches!(instruction.op(), Op::MemberDecorate | Op::MemberDecorateString) {
            2
        } else {
            1
        };
        let (&kind, operands) = instruction.operands.get(skip..)?.split_first()?;
        Some(Decoration {
            kind: spirv::Decoration::from_u32(kind)?,
            operands,
            instruction: index,
        })
    }

    /// The operands of a decoration of an id, if it has that decoration.
    pub fn decoration(&self, target: Id, kind: spirv::Decoration) -> Option<&[u32]> {
        self.decorations(target).find(|d| d.kind == kind).map(|d| d.operands)
    }

    /// Does an id have a decoration?
    pub fn is_decorated(&self, target: Id, kind: spirv::Decoration) -> bool {
        self.decoration(target, kind).is_some()
    }

    /// The BuiltIn decoration of a variable.
    pub fn built_in(&self, variable: Id) -> Option<spirv::BuiltIn> {
        self.decoration(variable, spirv::Decoration::BuiltIn)?
            .first()
            .and_then(|&word| spirv::BuiltIn::from_u32(word))
    }

    /// Name and kind of an id's linkage.
    pub fn linkage(&self, target: Id) -> Option<(String, LinkageType)> {
        let operands = self.decoration(target, spirv::Decoration::LinkageAttributes)?;
        Some((string(operands)?, LinkageType::from_u32(*operands.last()?)?))
    }

    /// OpName's text for an id, if it is there and not empty.
    pub fn name(&self, id: Id) -> Option<String> {
        self.name_at(id, 0)
    }

    /// OpMemberName's text.
    pub fn member_name(&self, id: Id, member: u32) -> Option<String> {
        self.name_at(id, member.saturating_add(1))
    }

    fn name_at(&self, id: Id, member: u32) -> Option<String> {
        let at = self
            .names
            .binary_search_by_key(&(id, member), |&(id, member, _)| (id, member))
            .ok()?;
        let skip = if member == 0 { 1 } else { 2 };
        string(self.binary.instruction(self.names[at].2).operands.get(skip..)?).filter(|name| !name.is_empty())
    }

    /// What a variable holds, by its type or, behind an untyped pointer, as it says itself; `None` where nothing says it.
    pub fn held_type(&self, variable: &Instruction<'_>) -> Option<Id> {
        match (self.ty(variable.result_type).pointer()?, variable.op()) {
            ((_, 0), Op::UntypedVariableKHR) => variable.operands.get(1).copied(),
            ((_, pointee), Op::Variable) if pointee != 0 => Some(pointee),
            _ => None,
        }
    }

    /// OpString's text.
    pub fn string(&self, id: Id) -> Option<String> {
        self.binary
            .definition(id)
            .filter(|i| i.op() == Op::String)
            .and_then(|i| string(i.operands))
    }

    /// Does the module declare a capability that the grammar does not know?
    pub fn has_newer_capability(&self, number: u32) -> bool {
        self.newer_capabilities.contains(&number)
    }

    /// Does the module declare the capability, or another that implies it?
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// File, line and column that OpLine gives for an instruction in a block.
    pub fn line(&self, index: u32) -> Option<(String, u32, u32)> {
        for before in (0..index).rev() {
            let instruction = self.binary.instruction(before);
            match instruction.op() {
                Op::Line => {
                    return Some((
                        self.string(instruction.word(0)).unwrap_or_default(),
                        instruction.word(1),
                        instruction.word(2),
                    ));
                }
                Op::NoLine | Op::Label | Op::Function => return None,
                _ => {}
            }
        }
        None
    }

    /// An instruction as text, ids by their names.
    pub fn disassemble(&self, index: u32) -> String {
        disassemble(&self.binary, index, &|id| self.name(id))
    }
}
