//! Blocks, terminators, and that each thing stands in one place only.

use super::Verifier;
use crate::*;
use cranelift_entity::{EntityRef, SecondaryMap};

impl Verifier<'_> {
    /// Blocks, terminators, and that each thing is in the tables and stands in one place only. False where nothing else can be checked.
    pub(super) fn structure(&mut self) -> bool {
        if !self.check(!self.func.layout.is_empty(), "a function has at least one block") {
            return false;
        }
        let func = self.func;
        let (block_count, inst_count, value_count) = func.counts();
        let mut seen_blocks: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(block_count);
        let mut seen_insts: SecondaryMap<Inst, bool> = SecondaryMap::with_capacity(inst_count);
        for &block in &func.layout {
            if block.index() >= block_count || std::mem::replace(&mut seen_blocks[block], true) {
                self.fail(format_args!("{block} stands twice in the layout, or is none of this function"));
                return false;
            }
        }
        for &block in &func.layout {
            (self.block, self.inst) = (Some(block), None);
            for (index, &param) in func.block(block).params.iter().enumerate() {
                let right = param.index() < value_count && func.def(param) == ValueDef::Param(block, index as u32);
                self.check(right, format_args!("parameter {index}, {param}, is defined elsewhere"));
            }
            let insts = &func.block(block).insts;
            if insts.is_empty() {
                self.fail("the block is empty; it must end with a terminator");
            }
            for (position, &inst) in insts.iter().enumerate() {
                if inst.index() >= inst_count || std::mem::replace(&mut seen_insts[inst], true) {
                    self.fail(format_args!("{inst} stands twice, or is none of this function"));
                    return false;
                }
                self.inst = Some(inst);
                let node = func.inst(inst);
                let last = position + 1 == insts.len();
                if node.data.is_terminator() != last {
                    self.fail(match last {
                        true => "a block ends with a terminator",
                        false => "a terminator stands at a block's end only",
                    });
                }
                for (index, &result) in node.results.iter().enumerate() {
                    let right = result.index() < value_count && func.def(result) == ValueDef::Result(inst, index as u32);
                    self.check(right, format_args!("result {index}, {result}, is defined elsewhere"));
                }
                node.data.for_each_operand(|&value| {
                    self.check(value.index() < value_count, format_args!("{value} is no value of this function"));
                });
                for target in node.data.targets() {
                    let known = target.block.index() < block_count && seen_blocks[target.block];
                    self.check(known, format_args!("{} is not in the layout", target.block));
                    self.check(target.block != func.entry(), "the entry block can't be jumped to");
                }
            }
        }
        (self.block, self.inst) = (None, None);
        self.messages.is_empty()
    }
}
