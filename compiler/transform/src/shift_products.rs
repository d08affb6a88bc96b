//! Products of vectors of integers with constants next to a power of two become a shift and a sum, where that keeps the machine busy for less.
//!
//! ```c
//! x * 9    // (x << 3) + x
//! x * 31   // (x << 5) - x
//! ```
//!
//! Where no instruction multiplies vectors of 64-bit integers, it takes three products of 32 bits, and what adds them up. Numbers that addresses
//! are made of stay products: from these the back end reads how far apart lanes are. (Strength reduction: Cocke, Kennedy: An Algorithm for Reduction of
//! Operator Strength, 1977.)

use analysis::access::in_addresses;
use ir::*;
use target::{Costs, Machine};

/// Replaces. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    let found = |func: &Function, inst: Inst| parts(func, inst, &machine.costs);
    if !func.insts().any(|inst| found(func, inst).is_some()) {
        return false;
    }
    let in_address = in_addresses(func);
    let mut map = ValueMap::default();
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in func.take_insts(block) {
            match found(func, inst) {
                Some((x, shift, op)) if !in_address[func.result(inst)] => {
                    let mut b = Builder::new(func, block);
                    let shifted = b.binary_imm(BinaryOp::Shl, x, shift.into());
                    let value = b.binary(op, shifted, x);
                    map.insert(func.result(inst), value);
                }
                _ => func.block_mut(block).insts.push(inst),
            }
        }
    }
    func.substitute(&map);
    !map.is_empty()
}

/// What a product multiplies, how far that is shifted, and what is done with it then, if it pays.
fn parts(func: &Function, inst: Inst, costs: &Costs) -> Option<(Value, u32, BinaryOp)> {
    let InstData::Binary {
        op: BinaryOp::Mul,
        args: [x, factor],
    } = func.inst(inst).data
    else {
        return None;
    };
    let ty = func.ty(x);
    let product = match ty.elem {
        Elem::I32 => costs.vector_multiplication,
        Elem::I64 => costs.vector_long_multiplication,
        _ => return None,
    };
    let factor = func.constant(factor)?;
    if !ty.is_vector() || 2.0 * costs.integer_vector >= product {
        return None;
    }
    match factor {
        3.. if (factor - 1).is_power_of_two() => Some((x, (factor - 1).trailing_zeros(), BinaryOp::Add)),
        3.. if factor < ty.elem.bit_mask() && (factor + 1).is_power_of_two() => Some((x, (factor + 1).trailing_zeros(), BinaryOp::Sub)),
        _ => None,
    }
}
