//! Walks over the instructions and values of a function's blocks.

use super::{BinaryOp, Block, BlockCall, ConvertOp, FuncRef, Function, Inst, InstData, IntCc, Value, ValueMap};
use cranelift_entity::SecondaryMap;

impl Function {
    /// The instructions of live blocks.
    pub fn insts(&self) -> impl Iterator<Item = Inst> {
        self.insts_of(&self.layout)
    }

    /// The instructions of some blocks.
    pub fn insts_of<'b>(&self, blocks: impl IntoIterator<Item = &'b Block>) -> impl Iterator<Item = Inst> {
        blocks.into_iter().flat_map(|&block| self.block(block).insts.iter().copied())
    }

    /// The functions that it calls, one entry a call.
    pub fn callees(&self) -> Vec<FuncRef> {
        let callee = |inst| match self.inst(inst).data {
            InstData::Call { callee, .. } => Some(callee),
            _ => None,
        };
        self.insts().filter_map(callee).collect()
    }

    /// By value: the block that makes it, if that is one of these.
    pub fn homes(&self, blocks: &[Block]) -> SecondaryMap<Value, Option<Block>> {
        let mut homes = self.per_value(None);
        for &block in blocks {
            self.values_of(block).for_each(|value| homes[value] = Some(block));
        }
        homes
    }

    /// What a block makes: its parameters, and its instructions' results.
    pub fn values_of(&self, block: Block) -> impl Iterator<Item = Value> {
        let node = self.block(block);
        let results = node.insts.iter().flat_map(|&inst| &self.inst(inst).results);
        node.params.iter().chain(results).copied()
    }

    /// The operands of a value that is made by this operation.
    pub fn binary(&self, op: BinaryOp, value: Value) -> Option<[Value; 2]> {
        match *self.def_data(value)? {
            InstData::Binary { op: own, args } if own == op => Some(args),
            _ => None,
        }
    }

    /// The whole number that a value is in other bits, of which none has fewer than 32: the same, if it fits 31 of them.
    pub fn in_any_bits(&self, mut value: Value) -> Value {
        while let Some(InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
            ty,
            arg,
            ..
        }) = self.def_data(value)
            && ty.elem.bytes() >= 4
            && self.ty(*arg).elem.bytes() >= 4
        {
            value = *arg;
        }
        value
    }

    /// What a value compares of integers.
    pub fn comparison(&self, value: Value) -> Option<(IntCc, [Value; 2])> {
        match *self.def_data(value)? {
            InstData::IntCompare { cc, args } => Some((cc, args)),
            _ => None,
        }
    }

    /// The condition by which a block goes one of two ways.
    pub fn branch(&self, block: Block) -> Option<(Value, &[BlockCall; 2])> {
        match self.terminator(block) {
            InstData::Branch { condition, targets } => Some((*condition, targets)),
            _ => None,
        }
    }

    /// What a block hands to a parameter of another, by its position; none if it goes there in several ways.
    pub fn handed(&self, from: Block, to: Block, position: usize) -> Option<Value> {
        let targets = self.terminator(from).targets();
        let mut ways = targets.iter().filter(|target| target.block == to);
        let way = ways.next().filter(|_| ways.next().is_none())?;
        way.args.get(position).copied()
    }

    /// Has instructions computed otherwise: `write` puts what takes an instruction's place at the end of the block, which is where it stood, and gives
    /// what stands for its result. Where it gives nothing the instruction stays. True if something was replaced.
    pub fn expand(&mut self, write: impl FnMut(&mut Function, Block, Inst) -> Option<Value>) -> bool {
        let blocks = self.layout.clone();
        self.expand_in(&blocks, write)
    }

    /// The same in some blocks.
    pub fn expand_in(&mut self, blocks: &[Block], mut write: impl FnMut(&mut Function, Block, Inst) -> Option<Value>) -> bool {
        let mut map = ValueMap::default();
        for &block in blocks {
            for inst in self.take_insts(block) {
                match write(self, block, inst) {
                    Some(value) => map.insert(self.result(inst), value),
                    None => self.block_mut(block).insts.push(inst),
                }
            }
        }
        self.substitute(&map);
        !map.is_empty()
    }

    /// Replaces operands in all live blocks by what `map` has for them in the end.
    pub fn substitute(&mut self, map: &ValueMap) {
        if map.is_empty() {
            return;
        }
        let mut map = map.clone();
        for index in 0..self.layout.len() {
            let block = self.layout[index];
            for position in 0..self.block(block).insts.len() {
                let inst = self.block(block).insts[position];
                self.inst_mut(inst).data.for_each_operand_mut(|value| *value = map.shorten(*value));
            }
        }
    }

    /// How often each value is an operand in live blocks.
    pub fn use_counts(&self) -> SecondaryMap<Value, u32> {
        let mut counts = self.per_value(0);
        for inst in self.insts() {
            self.inst(inst).data.for_each_operand(|&value| counts[value] += 1);
        }
        counts
    }

    /// Instructions in live blocks.
    pub fn inst_count(&self) -> usize {
        self.layout.iter().map(|&block| self.block(block).insts.len()).sum()
    }
}
