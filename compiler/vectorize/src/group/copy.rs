//! The gang's code, copied into a loop over gangs: barriers and returns become ends of the gang's iteration.

use super::Writer;
use super::gang_loop::GangValues;
use ir::ssa::Variable;
use ir::*;
use rustc_hash::FxHashMap;

/// A gang's iteration through some blocks: their copies, and where the iteration ends.
pub(super) struct Iteration {
    pub copies: FxHashMap<Block, Block>,
    pub gang: GangValues,
    pub latch: Block,
    /// Takes the number of the marker that was reached.
    pub exit: Option<Variable>,
    /// Is set when a gang has not returned yet.
    pub any: Option<Variable>,
    /// Values that the region has found in the gang's frame and does not make anew, in ascending order.
    pub unchanged: Vec<Value>,
}

impl Writer<'_> {
    pub(super) fn new_blocks(&mut self, blocks: &[Block]) -> FxHashMap<Block, Block> {
        let mut copies = FxHashMap::default();
        for &block in blocks {
            let copy = self.func.add_block_like(self.gang.func.block(block));
            copies.insert(block, copy);
        }
        copies
    }

    fn variable(&mut self, value: Value) -> Variable {
        if let Some(variable) = self.variables[value] {
            return variable;
        }
        let variable = self.ssa.variable(self.gang.func.ty(value));
        self.variables[value] = Some(variable);
        variable
    }

    /// The value is in no other region than the one that makes it, so that its copy there is all that it is.
    fn stays(&self, value: Value) -> bool {
        self.regions.in_step && !self.lasting[value]
    }

    pub(super) fn define(&mut self, value: Value, block: Block, by: Value) {
        if self.stays(value) {
            self.own[value] = by;
            return;
        }
        let variable = self.variable(value);
        self.ssa.define(variable, block, by);
    }

    pub(super) fn use_value(&mut self, value: Value, block: Block) -> Value {
        if self.stays(value) {
            return self.own[value];
        }
        let variable = self.variable(value);
        self.ssa.use_variable(&mut self.func, variable, block)
    }

    pub(super) fn copy_blocks(&mut self, blocks: &[Block], iteration: &Iteration) {
        let gang = self.gang;
        // Loops need their headers open until their latches are written: seal at the end. (What dominates a block comes before it.)
        for &block in blocks {
            let copy = iteration.copies[&block];
            for &param in &gang.func.block(block).params {
                let own = self.func.add_param(copy, gang.func.ty(param));
                self.define(param, copy, own);
            }
        }
        let mut here = std::mem::take(&mut self.here);
        for &block in blocks {
            let copy = iteration.copies[&block];
            here.clear();
            self.func.block_mut(copy).insts.reserve(gang.func.block(block).insts.len());
            for &inst in &gang.func.block(block).insts {
                let node = gang.func.inst(inst);
                self.func.follow(gang.func.place(inst));
                if node.data.is_terminator() {
                    self.copy_terminator((block, copy), &node.data, &mut here, iteration);
                    continue;
                }
                let results = self.copy_inst(copy, node, &mut here, iteration.gang);
                for (&result, by) in node.results.iter().zip(results) {
                    if !self.stays(result) {
                        here.insert(result, Some(by));
                    }
                    self.define(result, copy, by);
                }
            }
        }
        self.func.follow(Place::default());
        self.here = here;
        for &block in blocks {
            self.ssa.seal(iteration.copies[&block]);
        }
    }

    fn copy_inst(&mut self, copy: Block, node: &InstNode, here: &mut Local<Option<Value>>, values: GangValues) -> ValueList {
        match node.data {
            InstData::Builtin { builtin, dimension } => {
                let value = self.builtin(copy, builtin, dimension, values);
                return ValueList::from_slice(&[value]);
            }
            InstData::SlotAddress { slot } => {
                let offset = self.slots[slot.as_u32() as usize];
                let frame = values.frame.expect("a function with slots has a frame");
                let value = Builder::new(&mut self.func, copy).binary_imm(BinaryOp::Add, frame, offset as i64);
                return ValueList::from_slice(&[value]);
            }
            _ => {}
        }
        let data = self.map_operands(copy, &node.data, here);
        let inst = self.func.append(copy, data, node.flags);
        self.func.inst(inst).results.iter().copied().collect()
    }

    fn map_operands(&mut self, copy: Block, data: &InstData, here: &mut Local<Option<Value>>) -> InstData {
        let mut data = data.clone();
        data.for_each_operand_mut(|operand| {
            *operand = match here.get(*operand).copied().flatten() {
                _ if self.stays(*operand) => self.own[*operand],
                Some(known) => known,
                None => {
                    let value = self.use_value(*operand, copy);
                    here.insert(*operand, Some(value));
                    value
                }
            };
        });
        data
    }

    fn copy_terminator(&mut self, (block, copy): (Block, Block), data: &InstData, here: &mut Local<Option<Value>>, iteration: &Iteration) {
        if let Some(marker) = self.regions.barriers[block] {
            self.spill(copy, marker, iteration);
            self.carry(copy, marker);
            if let Some(exit) = iteration.exit {
                let number = Builder::new(&mut self.func, copy).i32(marker as i32);
                self.ssa.define(exit, copy, number);
            }
            if let Some(any) = iteration.any {
                self.store_state(copy, iteration.gang, marker as i32 + 1);
                let one = Builder::new(&mut self.func, copy).i32(1);
                self.ssa.define(any, copy, one);
            }
            self.jump(copy, iteration.latch);
            return;
        }
        match data {
            InstData::Return { .. } => {
                if iteration.any.is_some() || self.regions.gangs_retire {
                    self.store_state(copy, iteration.gang, 0);
                }
                self.jump(copy, iteration.latch);
            }
            InstData::Trap { .. } | InstData::Unreachable => {
                self.func.append(copy, data.clone(), Flags::empty());
            }
            _ => {
                let mut data = self.map_operands(copy, data, here);
                for target in data.targets_mut() {
                    target.block = iteration.copies[&target.block];
                    self.ssa.declare_predecessor(target.block, copy);
                }
                self.func.append(copy, data, Flags::empty());
            }
        }
    }
}
