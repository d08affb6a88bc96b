//! Numbers for registers with which regalloc2 takes time that grows as the code does, in code of thousands of blocks.
//!
//! It goes through the registers by number, and at each block that one lives through it looks whether the register is a parameter of the
//! block: in a list of all parameters, by number, from where it remembers to have come. It stops at the first higher number; so parameters
//! are numbered last. And it remembers how far it came only at registers whose life has a gap, so that markers stand between the parameters:
//! registers of no value, which two blocks that follow a branch read, and nothing in between.

use super::function::Function;
use super::machine::{Inst, Kind};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PRegSet, RegClass, VReg};

/// With fewer blocks it does not matter.
const MANY_BLOCKS: usize = 250;
/// Parameters from one marker to the next, at least.
const DISTANCE: usize = 16;

/// A branch at whose end a register without a value is defined, for both blocks that follow it.
struct Marker {
    block: usize,
    readers: [usize; 2],
    reg: usize,
}

impl Function {
    /// Numbers registers anew, if there are many blocks.
    pub(super) fn number(&mut self) {
        if self.blocks.len() <= MANY_BLOCKS {
            return;
        }
        let mut numbers = vec![0; self.vregs];
        let params = self.blocks.iter().flat_map(|block| &block.params);
        params.for_each(|param| numbers[param.vreg()] = usize::MAX);
        let others = numbers.iter_mut().filter(|number| **number == 0);
        let mut next = others.enumerate().map(|(number, place)| *place = number).count();
        let mut markers: Vec<Marker> = Vec::new();
        let mut since = 0;
        for (number, block) in self.blocks.iter().enumerate() {
            for param in &block.params {
                numbers[param.vreg()] = next;
                next += 1;
            }
            since += block.params.len();
            if since >= DISTANCE
                && let Some(readers) = self.only_ways_on(number)
            {
                since = 0;
                markers.push(Marker {
                    block: number,
                    readers,
                    reg: next,
                });
                next += 1;
            }
        }
        self.vregs = next;
        let renumber = |reg: &mut VReg| *reg = VReg::new(numbers[reg.vreg()], reg.class());
        for block in &mut self.blocks {
            block.params.iter_mut().for_each(renumber);
            block.args.iter_mut().flatten().for_each(renumber);
        }
        for operand in &mut self.operands {
            let mut reg = operand.vreg();
            renumber(&mut reg);
            *operand = Operand::new(reg, operand.constraint(), operand.kind(), operand.pos());
        }
        self.write_markers(&markers);
    }

    /// The two blocks behind a block, if both are still to come, and nothing else leads to them.
    fn only_ways_on(&self, block: usize) -> Option<[usize; 2]> {
        let [a, b] = self.blocks[block].succs[..] else { return None };
        let ways = [a.index(), b.index()];
        let only = |&way: &usize| way > block && self.blocks[way].preds.len() == 1;
        (ways[0] != ways[1] && ways.iter().all(only)).then_some(ways)
    }

    fn write_markers(&mut self, markers: &[Marker]) {
        let mut first: Vec<Option<usize>> = vec![None; self.blocks.len()];
        let mut last = first.clone();
        for marker in markers {
            last[marker.block] = Some(marker.reg);
            marker.readers.iter().for_each(|&reader| first[reader] = Some(marker.reg));
        }
        let operands = &mut self.operands;
        let mut inst = |reg: usize, kind: OperandKind, pos: OperandPos| {
            let reg = VReg::new(reg, RegClass::Int);
            operands.push(Operand::new(reg, OperandConstraint::Any, kind, pos));
            Inst {
                kind: Kind::Start,
                start: operands.len() as u32 - 1,
                count: 1,
                clobbers: PRegSet::empty(),
            }
        };
        let mut insts = Vec::with_capacity(self.insts.len() + 3 * markers.len());
        for (number, block) in self.blocks.iter_mut().enumerate() {
            let start = insts.len() as u32;
            insts.extend(first[number].map(|reg| inst(reg, OperandKind::Use, OperandPos::Early)));
            insts.extend_from_slice(&self.insts[block.insts.start as usize..block.insts.end as usize - 1]);
            insts.extend(last[number].map(|reg| inst(reg, OperandKind::Def, OperandPos::Late)));
            insts.push(self.insts[block.insts.end as usize - 1]);
            block.insts = start..insts.len() as u32;
        }
        self.insts = insts;
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Cc;
    use super::super::target::Target;
    use super::super::vcode::VCode;
    use super::*;

    /// So many branches, of which the two ways meet in a block with a parameter.
    fn branches(count: usize) -> Function {
        let mut code = VCode::new(Target::AVX2);
        let entry = code.block();
        code.start(entry);
        let mut value = code.int();
        code.special(Kind::Constant(1), &[Operand::reg_def(value)], PRegSet::empty());
        for _ in 0..count {
            let (side, meet) = (code.block(), code.block());
            let param = code.param(meet, RegClass::Int);
            code.branch(Cc::E, (side, &[]), (meet, &[value]));
            code.start(side);
            let other = code.int();
            code.special(Kind::Constant(2), &[Operand::reg_def(other)], PRegSet::empty());
            code.jump(meet, &[other]);
            code.start(meet);
            value = param;
        }
        code.ret(Some(value));
        code.finish()
    }

    fn readers(function: &Function, reg: usize) -> usize {
        let reads = |operand: &&Operand| operand.vreg().vreg() == reg && operand.kind() == OperandKind::Use;
        function.operands.iter().filter(reads).count()
    }

    #[test]
    fn parameters_come_last_with_markers_between_them() {
        const COUNT: usize = 1000;
        let function = branches(COUNT);
        let params: Vec<usize> = function
            .blocks
            .iter()
            .flat_map(|block| &block.params)
            .map(|param| param.vreg())
            .collect();
        let (least, others) = (params[0], 1 + COUNT);
        assert_eq!((params.len(), least), (COUNT, others));
        let markers: Vec<usize> = (least..function.vregs).filter(|reg| !params.contains(reg)).collect();
        assert!(markers.len() >= COUNT / DISTANCE - 1, "{markers:?}");
        assert!(markers.iter().all(|&reg| readers(&function, reg) == 2));
        // The blocks still hold all instructions, one block's behind the other's.
        let mut next = 0;
        for block in &function.blocks {
            assert_eq!(block.insts.start, next);
            next = block.insts.end;
        }
        assert_eq!(next as usize, function.insts.len());
    }

    #[test]
    fn few_blocks_stay_as_they_are() {
        let function = branches(10);
        assert_eq!(function.vregs, 1 + 2 * 10);
    }
}
