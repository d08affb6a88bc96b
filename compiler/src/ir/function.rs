//! A function of the IR: blocks of instructions over values in SSA form.

use super::entities::{Block, FuncRef, Global, Inst, Slot, Value};
use super::inst::{BlockCall, Flags, InstData};
use super::op::{Builtin, LaneOp};
use super::types::{Elem, Type};
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

/// Whose view a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// One work-item's: scalars, convergent operations, built-ins, slots.
    WorkItem,
    /// A work-group's: loops over gangs, vectors and masks; nothing convergent is left. Slots are memory of one activation, whatever gang it
    /// is at.
    WorkGroup,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Parameter number `.1` of a block.
    Param(Block, u32),
    /// Result number `.1` of an instruction.
    Result(Inst, u32),
}

#[derive(Clone, Copy, Debug)]
struct ValueData {
    ty: Type,
    def: ValueDef,
}

/// An instruction in its place.
#[derive(Clone, Debug)]
pub struct InstNode {
    /// Operation and operands.
    pub data: InstData,
    /// What it may assume.
    pub flags: Flags,
    /// Its results.
    pub results: SmallVec<[Value; 1]>,
}

/// A basic block: parameters, then instructions, the last of which is its only terminator.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Parameters: what other IRs call phis.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
}

/// Private memory of a fixed size, one a work-item and activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Bytes.
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

/// A function.
///
/// Its parameters are those of its entry block, the first in [`Function::layout`].
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, for people.
    pub name: String,
    /// Whose view it takes.
    pub level: Level,
    /// Types of what it returns.
    pub results: SmallVec<[Type; 2]>,
    /// Blocks, in the order in which they are printed and generated; the entry is the first. Blocks that are not here are dead.
    pub layout: Vec<Block>,
    /// Private memory.
    pub slots: PrimaryMap<Slot, SlotData>,
    blocks: PrimaryMap<Block, BlockData>,
    insts: PrimaryMap<Inst, InstNode>,
    values: PrimaryMap<Value, ValueData>,
}

impl Function {
    /// A function without blocks.
    pub fn new(name: impl Into<String>, level: Level, results: &[Type]) -> Function {
        Function {
            name: name.into(),
            level,
            results: SmallVec::from_slice(results),
            layout: Vec::new(),
            slots: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
        }
    }

    /// The entry block.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Parameters.
    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry()].params
    }

    /// A new block at the end of the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }

    /// A new block that is not in the layout yet.
    pub fn add_detached_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// A new parameter at the end of a block's.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Param(block, index),
        });
        self.blocks[block].params.push(value);
        value
    }

    /// Keeps those parameters of a block for which `keep(position)` holds. The jumps to it are the caller's business.
    pub fn retain_params(&mut self, block: Block, mut keep: impl FnMut(usize) -> bool) {
        let params = std::mem::take(&mut self.blocks[block].params);
        let kept: Vec<Value> = params
            .into_iter()
            .enumerate()
            .filter(|&(position, _)| keep(position))
            .map(|(_, value)| value)
            .collect();
        for (index, &value) in kept.iter().enumerate() {
            self.values[value].def = ValueDef::Param(block, index as u32);
        }
        self.blocks[block].params = kept;
    }

    /// Adds an instruction with results to the table, in no block yet.
    pub fn make_inst(&mut self, data: InstData, flags: Flags) -> Inst {
        let types = self.result_types(&data);
        self.make_inst_with_results(data, flags, &types)
    }

    /// The same, where the operands are still to be replaced by those of this function: with results of the types given.
    pub fn make_inst_with_results(&mut self, data: InstData, flags: Flags, types: &[Type]) -> Inst {
        let inst = self.insts.push(InstNode {
            data,
            flags,
            results: SmallVec::new(),
        });
        for (index, &ty) in types.iter().enumerate() {
            let value = self.values.push(ValueData {
                ty,
                def: ValueDef::Result(inst, index as u32),
            });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// Adds an instruction at a block's end.
    pub fn append(&mut self, block: Block, data: InstData, flags: Flags) -> Inst {
        let inst = self.make_inst(data, flags);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// Replaces an instruction by one with the same results.
    pub fn replace(&mut self, inst: Inst, data: InstData) {
        debug_assert_eq!(self.result_types(&data).len(), self.insts[inst].results.len());
        self.insts[inst].data = data;
    }

    /// For the parser: puts a block with this number at the layout's end.
    pub(super) fn declare_block(&mut self, block: Block) {
        while !self.blocks.is_valid(block) {
            self.blocks.push(BlockData::default());
        }
        self.layout.push(block);
    }

    /// For the parser: a parameter with this number at the end of a block's.
    pub(super) fn declare_param(&mut self, block: Block, value: Value, ty: Type) {
        let index = self.blocks[block].params.len() as u32;
        self.declare_value(value, ty, ValueDef::Param(block, index));
        self.blocks[block].params.push(value);
    }

    /// For the parser: an instruction whose results come with [`Function::declare_result`].
    pub(super) fn declare_inst(&mut self, block: Block, data: InstData, flags: Flags) -> Inst {
        let results = SmallVec::new();
        let inst = self.insts.push(InstNode { data, flags, results });
        self.blocks[block].insts.push(inst);
        inst
    }

    /// For the parser: the next result of an instruction, with this number.
    pub(super) fn declare_result(&mut self, inst: Inst, value: Value, ty: Type) {
        let index = self.insts[inst].results.len() as u32;
        self.declare_value(value, ty, ValueDef::Result(inst, index));
        self.insts[inst].results.push(value);
    }

    fn declare_value(&mut self, value: Value, ty: Type, def: ValueDef) {
        // Numbers that nothing in the text has.
        let unused = ValueData {
            ty: Type::MASK,
            def: ValueDef::Param(Block::reserved_value(), 0),
        };
        while !self.values.is_valid(value) {
            self.values.push(unused);
        }
        self.values[value] = ValueData { ty, def };
    }

    /// For the parser: the value has been declared.
    pub(super) fn is_defined(&self, value: Value) -> bool {
        let def = self.values.get(value).map(|data| data.def);
        def.is_some_and(|def| def != ValueDef::Param(Block::reserved_value(), 0))
    }

    /// Types of the results that an instruction has.
    pub fn result_types(&self, data: &InstData) -> SmallVec<[Type; 2]> {
        let one = |ty: Type| SmallVec::from_slice(&[ty]);
        match data {
            InstData::Const { ty, .. } | InstData::Load { ty, .. } | InstData::AtomicLoad { ty, .. } => one(*ty),
            InstData::Convert { ty, .. } | InstData::Lane { ty, .. } => one(*ty),
            InstData::LoadInterleaved { ty, factor, .. } => SmallVec::from_elem(*ty, usize::from(*factor)),
            InstData::Unary { arg, .. } => one(self.ty(*arg)),
            InstData::Binary { args, .. } => one(self.ty(args[0])),
            InstData::Fma { args } => one(self.ty(args[0])),
            InstData::Select { args, .. } => one(self.ty(args[0])),
            InstData::IntCompare { args, .. } | InstData::FloatCompare { args, .. } => one(self.ty(args[0]).as_mask()),
            InstData::Builtin { builtin, .. } => one(builtin.ty()),
            InstData::SlotAddress { .. } | InstData::GlobalAddress { .. } => one(Type::I64),
            InstData::AtomicRmw { value, .. } => one(self.ty(*value)),
            InstData::AtomicCas { expected, .. } => one(self.ty(*expected)),
            InstData::SubGroup { op, args } => one(op.result_type(|n| self.ty(args[n]))),
            InstData::WorkGroup { args, .. } => one(self.ty(args[0])),
            InstData::Call { results, .. } => results.clone(),
            InstData::CallRuntime { routine, .. } => routine.signature().1.into_iter().collect(),
            InstData::Image { op, .. } => op.results(),
            InstData::Store { .. }
            | InstData::StoreInterleaved { .. }
            | InstData::Copy { .. }
            | InstData::AtomicStore { .. }
            | InstData::Fence { .. }
            | InstData::Barrier { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Switch { .. }
            | InstData::Return { .. }
            | InstData::Trap { .. }
            | InstData::Unreachable => SmallVec::new(),
        }
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Where a value comes from.
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }

    /// The instruction that makes a value, if it is not a parameter.
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        }
    }

    /// The operation that makes a value, if it is not a parameter.
    pub fn def_data(&self, value: Value) -> Option<&InstData> {
        self.def_inst(value).map(|inst| &self.insts[inst].data)
    }

    /// Where in the argument block the value is loaded from, if it is one of the kernel's arguments.
    pub fn argument(&self, value: Value) -> Option<i32> {
        let InstData::Load { address, .. } = self.def_data(value)? else {
            return None;
        };
        let is_block = matches!(
            self.def_data(address.base)?,
            InstData::Builtin {
                builtin: Builtin::Arguments,
                ..
            }
        );
        (is_block && address.index.is_none()).then_some(address.offset)
    }

    /// The bits of a constant.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.def_data(value)? {
            InstData::Const { bits, .. } => Some(*bits),
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => self.constant(args[0]),
            _ => None,
        }
    }

    /// The bits of an integer constant, sign-extended.
    pub fn signed_constant(&self, value: Value) -> Option<i64> {
        let bits = self.constant(value)?;
        let unused = 64 - self.ty(value).elem.bits();
        Some(((bits << unused) as i64) >> unused)
    }

    /// A block.
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block]
    }

    /// A block, to be changed.
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block]
    }

    /// An instruction.
    pub fn inst(&self, inst: Inst) -> &InstNode {
        &self.insts[inst]
    }

    /// An instruction, to be changed. Its results must stay as many and of the same types.
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstNode {
        &mut self.insts[inst]
    }

    /// An instruction's only result.
    pub fn result(&self, inst: Inst) -> Value {
        self.insts[inst].results[0]
    }

    /// A block's terminator. Panics where the block is not finished.
    pub fn terminator(&self, block: Block) -> &InstData {
        let last = *self.blocks[block].insts.last().expect("a finished block ends with a terminator");
        &self.insts[last].data
    }

    /// A block's terminator, to be changed.
    pub fn terminator_mut(&mut self, block: Block) -> &mut InstData {
        let last = *self.blocks[block].insts.last().expect("a finished block ends with a terminator");
        &mut self.insts[last].data
    }

    /// The functions that it calls, one entry a call.
    pub fn callees(&self) -> Vec<FuncRef> {
        let insts = self.layout.iter().flat_map(|&block| &self.block(block).insts);
        insts
            .filter_map(|&inst| match self.inst(inst).data {
                InstData::Call { callee, .. } => Some(callee),
                _ => None,
            })
            .collect()
    }

    /// Where a block goes.
    pub fn successors(&self, block: Block) -> SmallVec<[Block; 2]> {
        let Some(&last) = self.blocks[block].insts.last() else {
            return SmallVec::new();
        };
        match &self.insts[last].data {
            InstData::Jump { target } => SmallVec::from_slice(&[target.block]),
            InstData::Branch { targets: [a, b], .. } => SmallVec::from_slice(&[a.block, b.block]),
            other => other.targets().iter().map(|target| target.block).collect(),
        }
    }

    /// How many blocks, instructions and values there ever were: sizes for tables.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.blocks.len(), self.insts.len(), self.values.len())
    }

    /// Instructions in live blocks.
    pub fn inst_count(&self) -> usize {
        self.layout.iter().map(|&block| self.blocks[block].insts.len()).sum()
    }

    /// Replaces operands in all live blocks by what `map` has for them in the end.
    pub fn substitute(&mut self, map: &ValueMap) {
        if map.is_empty() {
            return;
        }
        let mut map = map.clone();
        for index in 0..self.layout.len() {
            let block = self.layout[index];
            for position in 0..self.blocks[block].insts.len() {
                let inst = self.blocks[block].insts[position];
                self.insts[inst].data.for_each_operand_mut(|value| *value = map.shorten(*value));
            }
        }
    }

    /// How often each value is an operand in live blocks.
    pub fn use_counts(&self) -> SecondaryMap<Value, u32> {
        let mut counts = SecondaryMap::with_capacity(self.values.len());
        for &block in &self.layout {
            for &inst in &self.blocks[block].insts {
                self.insts[inst].data.for_each_operand(|&value| counts[value] += 1);
            }
        }
        counts
    }

    /// Replaces a block's call to `from` by calls to `to`, arguments kept.
    pub fn retarget(&mut self, block: Block, from: Block, to: Block) {
        for target in self.terminator_mut(block).targets_mut() {
            if target.block == from {
                target.block = to;
            }
        }
    }
}

/// Values that stand for others: what a pass collects before [`Function::substitute`].
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    map: SecondaryMap<Value, PackedOption<Value>>,
    any: bool,
}

impl ValueMap {
    /// From now on `value` is `by`.
    pub fn insert(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        debug_assert_ne!(value, by, "a value can't stand for itself");
        self.map[value] = by.into();
        self.any = true;
    }

    /// What `value` is now.
    pub fn resolve(&self, mut value: Value) -> Value {
        while let Some(by) = self.map[value].expand() {
            value = by;
        }
        value
    }

    /// What `value` is now; what is on the way there is found at once from now on, so that long chains are followed once.
    pub fn shorten(&mut self, value: Value) -> Value {
        let end = self.resolve(value);
        let mut at = value;
        while let Some(by) = self.map[at].expand().filter(|&by| by != end) {
            self.map[at] = end.into();
            at = by;
        }
        end
    }

    /// Nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }
}

/// Initial bytes of a program-scope variable, with addresses in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalData {
    /// Its name, for people.
    pub name: String,
    /// Alignment in bytes.
    pub align: u32,
    /// Nobody writes it.
    pub constant: bool,
    /// Initial contents (all of it).
    pub bytes: Vec<u8>,
    /// (offset, variable, addend): the address of another variable stands there.
    pub relocations: Vec<(u32, Global, i64)>,
}

/// What belongs together: functions that call each other, and the variables that they use.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Functions.
    pub functions: PrimaryMap<FuncRef, Function>,
    /// Program-scope variables and constants.
    pub globals: PrimaryMap<Global, GlobalData>,
}

/// A jump's target, in short.
pub fn to(block: Block, args: &[Value]) -> BlockCall {
    BlockCall::new(block, args)
}

impl super::op::SubGroupOp {
    /// The result's type, given the operands'.
    pub fn result_type(self, arg: impl Fn(usize) -> Type) -> Type {
        use super::op::SubGroupOp::*;
        match self {
            All | Any | Elect | AllEqual => Type::MASK,
            Ballot => Type::scalar(Elem::I32),
            Broadcast | BroadcastFirst | Shuffle | Reduce(_) | InclusiveScan(_) | ExclusiveScan(_) | ClusteredReduce(..) => arg(0),
        }
    }
}
