//! Fractions, exponents and products with powers of two as the machine has them.
//!
//! The functions of OpenCL.std that are made of powers of two (`exp`, `log`, `pow` and their kin) are written with these operations, which AVX-512
//! has for fractions from 1 to 2. Other machines compute them by the bits of the numbers ([`builtins::powers`]).

use ir::*;
use target::Machine;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    let write = match machine.has_powers {
        true => builtins::powers::by_instructions,
        false => builtins::powers::by_bits,
    };
    let is_power = |inst: Inst| {
        matches!(
            func.inst(inst).data,
            InstData::Binary {
                op: BinaryOp::Scale | BinaryOp::Fraction | BinaryOp::Exponent,
                ..
            }
        )
    };
    if !func.insts().any(is_power) {
        return false;
    }
    func.expand(|func, block, inst| {
        let node = func.inst(inst);
        let flags = node.flags;
        match node.data {
            InstData::Binary { op, args, .. } => write(&mut Builder::new(func, block), op, args, flags),
            _ => None,
        }
    })
}
