//! Loops that try again because another work-item came in between.
//!
//! `do { old = *p; } while (atomic_cmpxchg(p, old, old + x) != old)` is how floats are added up, and much else. Its exchange compares with
//! what was seen in the same place, so it fails only where another one has succeeded meanwhile: whoever iterates waits for nobody, and the
//! lanes of a gang can go through the loop one after the other ([`super::scalarize_loops`]). A lock (`while (atomic_cmpxchg(p, 0, 1))`)
//! compares with what it wants to see, and waits until somebody puts it there.

use ir::cfg::{Cfg, Loops};
use ir::*;

/// All iterations but the last of a loop end with an exchange that failed because another one succeeded.
pub(super) fn only_retries(func: &Function, tree: &DominatorTree, cfg: &Cfg, loops: &Loops, index: usize) -> bool {
    let natural = &loops.loops[index];
    natural.blocks.iter().any(|&block| {
        let InstData::Branch { condition, targets } = func.terminator(block) else {
            return false;
        };
        let Some(&InstData::IntCompare { cc, args: [a, b] }) = func.def_data(*condition) else {
            return false;
        };
        let succeeded = match cc {
            IntCc::Eq => &targets[0],
            IntCc::Ne => &targets[1],
            _ => return false,
        };
        !loops.contains(index, succeeded.block)
            && natural.latches.iter().all(|&latch| tree.dominates(block, latch))
            && [(a, b), (b, a)]
                .into_iter()
                .any(|(old, expected)| tries(func, cfg, loops, index, old, expected))
    })
}

/// `old` is what a comparison and exchange in the loop found where it had to find `expected`, and each iteration expects what was last seen
/// there.
fn tries(func: &Function, cfg: &Cfg, loops: &Loops, index: usize, old: Value, expected: Value) -> bool {
    let bits = |value: Value| without_casts(func, value);
    let Some(exchange) = func.def_inst(bits(old)) else { return false };
    let InstData::AtomicCas {
        expected: compared,
        address,
        ..
    } = func.inst(exchange).data
    else {
        return false;
    };
    if bits(compared) != bits(expected) {
        return false;
    }
    let header = loops.loops[index].header;
    let is_seen = |value: Value| {
        let value = bits(value);
        value == bits(old) || is_loaded_inside(func, loops, index, value, address)
    };
    if is_seen(expected) {
        return true;
    }
    let ValueDef::Param(block, position) = func.def(bits(expected)) else {
        return false;
    };
    block == header
        && cfg.preds[header].iter().filter(|&&pred| loops.contains(index, pred)).all(|&pred| {
            let targets = func.terminator(pred).targets();
            let mut back = targets.iter().filter(|call| call.block == header);
            back.all(|call| is_seen(call.args[position as usize]))
        })
}

/// A value whose bits this one has.
fn without_casts(func: &Function, mut value: Value) -> Value {
    while let Some(&InstData::Convert {
        op: ConvertOp::Bitcast,
        arg,
        ..
    }) = func.def_data(value)
    {
        value = arg;
    }
    value
}

/// The value is loaded from an address, once each iteration.
fn is_loaded_inside(func: &Function, loops: &Loops, index: usize, value: Value, address: Value) -> bool {
    let Some(load) = func.def_inst(value) else { return false };
    let is_inside = || {
        loops.loops[index]
            .blocks
            .iter()
            .any(|&block| func.block(block).insts.contains(&load))
    };
    match func.inst(load).data {
        InstData::Load { address: from, .. } => is_same(func, &from, address) && is_inside(),
        InstData::AtomicLoad { address: from, .. } => from == address && is_inside(),
        _ => false,
    }
}

/// An address of an access is the same as one that has been added up.
fn is_same(func: &Function, address: &Address, sum: Value) -> bool {
    if address.offset != 0 {
        return false;
    }
    let Some(index) = address.index else { return address.base == sum };
    let Some([a, b]) = func.binary(BinaryOp::Add, sum) else {
        return false;
    };
    let is_index = |value: Value| match func.def_data(value) {
        Some(&InstData::Convert {
            op: ConvertOp::SExt, arg, ..
        }) if func.ty(index) == Type::I32 => arg == index,
        _ => value == index,
    };
    let is_scaled = |value: Value| match func.def_data(value) {
        Some(&InstData::Binary { op, args: [by, amount] }) if address.scale > 1 => {
            let scale = func.constant(amount).and_then(|amount| match op {
                BinaryOp::Mul => Some(amount),
                BinaryOp::Shl => 1u64.checked_shl(amount as u32),
                _ => None,
            });
            scale == Some(u64::from(address.scale)) && is_index(by)
        }
        _ => address.scale == 1 && is_index(value),
    };
    (a == address.base && is_scaled(b)) || (b == address.base && is_scaled(a))
}
