//! A function of the IR: blocks of instructions over values in SSA form.

mod numbered;

use super::entities::{Block, Inst, Slot, Value};
use super::inst::{BlockCall, Flags, InstData, TypeList, ValueList};
use super::memory::{Access, Address};
use super::op::{Builtin, LaneOp};
use super::origin::{Origins, Place};
use super::types::Type;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

/// Whose view a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// One work-item's: scalars, convergent operations, built-ins, slots.
    WorkItem,
    /// A gang's: vectors and masks, with the barriers, built-ins and slots of its work-items.
    Gang,
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
    pub results: ValueList,
}

/// A basic block: parameters, then instructions, the last of which is its only terminator.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Parameters: what other IRs call phis.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// Whoever wrote it knows that it is hardly ever executed ([`crate::cold`]).
    pub cold: bool,
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
    pub results: TypeList,
    /// Blocks, in the order in which they are printed and generated; the entry is the first. Blocks that are not here are dead.
    pub layout: Vec<Block>,
    /// Private memory.
    pub slots: PrimaryMap<Slot, SlotData>,
    /// Where instructions and slots come from in the source; only where the module tells or somebody asks.
    pub origins: Option<Box<Origins>>,
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
            results: TypeList::from_slice(results),
            layout: Vec::new(),
            slots: PrimaryMap::new(),
            origins: None,
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
        }
    }

    /// Makes room for as many blocks, instructions and values as another function has.
    pub fn reserve_for(&mut self, other: &Function) {
        let (blocks, insts, values) = other.counts();
        self.blocks.reserve(blocks);
        self.insts.reserve(insts);
        self.values.reserve(values);
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

    /// A new block at the end of the layout, as often executed as one of this function or another.
    pub fn add_block_like(&mut self, other: &BlockData) -> Block {
        let block = self.add_block();
        self.blocks[block].cold = other.cold;
        block
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
            results: ValueList::new(),
        });
        for (index, &ty) in types.iter().enumerate() {
            let value = self.values.push(ValueData {
                ty,
                def: ValueDef::Result(inst, index as u32),
            });
            self.insts[inst].results.push(value);
        }
        if let Some(origins) = &mut self.origins
            && origins.here.is_known()
        {
            origins.places[inst] = origins.here;
        }
        inst
    }

    /// Where an instruction comes from in the source.
    pub fn place(&self, inst: Inst) -> Place {
        self.origins.as_ref().map_or(Place::default(), |origins| origins.places[inst])
    }

    /// Instructions that are made from now on come from a place, until it is said again; from none if it is not known.
    pub fn follow(&mut self, place: Place) {
        if let Some(origins) = &mut self.origins {
            origins.here = place;
        }
    }

    /// The instructions from `first` on, counted as they were made, come from where another comes from.
    pub fn inherit_place(&mut self, other: Inst, first: usize) {
        let made = self.insts.len();
        if let Some(origins) = &mut self.origins {
            let place = origins.places[other];
            (first..made).for_each(|inst| origins.places[Inst::new(inst)] = place);
        }
    }

    /// The instructions from `first` on, counted as they were made, copy something as a whole.
    pub fn note_copies(&mut self, first: usize) {
        let made = self.insts.len();
        if let Some(origins) = &mut self.origins {
            (first..made).for_each(|inst| origins.copies[Inst::new(inst)] = true);
        }
    }

    /// The instruction is a store that is part of a copy of something as a whole, as far as is known.
    pub fn is_copy(&self, inst: Inst) -> bool {
        self.origins.as_ref().is_some_and(|origins| origins.copies[inst])
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
            _ => self.constant(self.splatted(value)?),
        }
    }

    /// What all lanes have of a vector that is made of it.
    pub fn splatted(&self, value: Value) -> Option<Value> {
        match self.def_data(value)? {
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => Some(args[0]),
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

    /// Takes a block's instructions out, and leaves room for as many: for passes that put them back one by one.
    pub fn take_insts(&mut self, block: Block) -> Vec<Inst> {
        let insts = &mut self.blocks[block].insts;
        let room = Vec::with_capacity(insts.len());
        std::mem::replace(insts, room)
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

    /// The load or store that an instruction is.
    pub fn access(&self, inst: Inst) -> Option<Access> {
        let (&address, &mem, ty, mask, is_store) = match &self.inst(inst).data {
            InstData::Load {
                ty, address, mem, mask, ..
            } => (address, mem, *ty, *mask, false),
            InstData::Store { value, address, mem, mask } => (address, mem, self.ty(*value), *mask, true),
            _ => return None,
        };
        Some(Access {
            address,
            mem,
            ty,
            mask,
            is_store,
        })
    }

    /// Each lane has an address of its own.
    pub fn is_scattered(&self, address: &Address) -> bool {
        let is_vector = |value: Value| self.ty(value).is_vector();
        is_vector(address.base) || address.index.is_some_and(is_vector)
    }

    /// Whether something holds of all instructions of a block but its terminator.
    pub fn all_before_end(&self, block: Block, holds: impl Fn(&InstData) -> bool) -> bool {
        let body = self.block(block).insts.split_last().map_or(&[][..], |(_, body)| body);
        body.iter().all(|&inst| holds(&self.inst(inst).data))
    }

    /// Where a block goes.
    pub fn successors(&self, block: Block) -> SmallVec<[Block; 2]> {
        let mut succs = SmallVec::new();
        self.for_each_successor(block, |succ| succs.push(succ));
        succs
    }

    /// Calls `visit` with each block that a block goes to.
    pub fn for_each_successor(&self, block: Block, mut visit: impl FnMut(Block)) {
        if let Some(&last) = self.blocks[block].insts.last() {
            self.insts[last].data.for_each_target(|target| visit(target.block));
        }
    }

    /// A table with an entry for each block. (What is made later gets one when it is asked for.)
    pub fn per_block<V: Clone>(&self, default: V) -> SecondaryMap<Block, V> {
        table(default, self.blocks.len())
    }

    /// A table with an entry for each instruction.
    pub fn per_inst<V: Clone>(&self, default: V) -> SecondaryMap<Inst, V> {
        table(default, self.insts.len())
    }

    /// A table with an entry for each value.
    pub fn per_value<V: Clone>(&self, default: V) -> SecondaryMap<Value, V> {
        table(default, self.values.len())
    }

    /// How many blocks, instructions and values there ever were: sizes for tables.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.blocks.len(), self.insts.len(), self.values.len())
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

/// A table of one size from the start: growing an entry at a time, as maps do, takes longer than what is asked of most.
fn table<K: EntityRef, V: Clone>(default: V, size: usize) -> SecondaryMap<K, V> {
    let mut table = SecondaryMap::with_default(default);
    table.resize(size);
    table
}

/// A jump's target, in short.
pub fn to(block: Block, args: &[Value]) -> BlockCall {
    BlockCall::new(block, args)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes go through all instructions again and again, and a large function's are more than the caches hold: each more byte costs time.
    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<Option<Value>>(), 4);
        assert!(size_of::<BlockCall>() <= 16, "{}", size_of::<BlockCall>());
        assert!(size_of::<InstData>() <= 40, "{}", size_of::<InstData>());
        assert!(size_of::<InstNode>() <= 56, "{}", size_of::<InstNode>());
    }
}
