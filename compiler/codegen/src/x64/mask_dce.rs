//! Masks that nobody wants as a whole go.
//!
//! A comparison makes a mask for each of its vector's registers, and of these one for all lanes ([`super::masks`]). What selects by it
//! takes the parts; whether anything takes the whole shows at the end only.

use super::machine::{Inst, Kind};
use super::ops;
use regalloc2::{Operand, OperandKind, VReg};

/// By instruction, whether it makes a mask for nothing. `handed_on` are the values that blocks give to each other.
pub fn unused_masks(insts: &[Inst], operands: &[Operand], vregs: usize, handed_on: impl Iterator<Item = VReg>) -> Vec<bool> {
    let makes_mask = |inst: &Inst| match &inst.kind {
        Kind::Machine(machine) => [&ops::KUNPCKBW, &ops::KUNPCKWD, &ops::KORQ, &ops::KSHIFTLQ]
            .iter()
            .any(|&op| std::ptr::eq(op, machine.op)),
        _ => false,
    };
    let mut unused = vec![false; insts.len()];
    if !insts.iter().any(makes_mask) {
        return unused;
    }
    let operands_of = |inst: &Inst| &operands[inst.start as usize..inst.start as usize + usize::from(inst.count)];
    let mut uses = vec![0u32; vregs];
    handed_on.for_each(|reg| uses[reg.vreg()] += 1);
    let used = |inst: &Inst| {
        operands_of(inst)
            .iter()
            .filter(|operand| operand.kind() == OperandKind::Use)
            .map(|operand| operand.vreg().vreg())
    };
    insts.iter().flat_map(used).for_each(|reg| uses[reg] += 1);
    // Uses come after what they use.
    for (index, inst) in insts.iter().enumerate().rev().filter(|(_, inst)| makes_mask(inst)) {
        let mut made = operands_of(inst).iter().filter(|operand| operand.kind() == OperandKind::Def);
        if made.all(|operand| uses[operand.vreg().vreg()] == 0) {
            unused[index] = true;
            used(inst).for_each(|reg| uses[reg] -= 1);
        }
    }
    unused
}
