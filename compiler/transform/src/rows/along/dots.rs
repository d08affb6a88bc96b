//! Loops that sum products of bytes and do nothing else: four iterations a lane are one instruction.

use super::Along;
use ir::*;
use rustc_hash::FxHashSet;

/// Of a lane at once.
pub(super) const BYTES: u32 = 4;

/// A sum of products of bytes.
pub(super) struct Dot {
    /// Whose operands are the loads, in their order.
    pub op: DotOp,
    /// What loads a byte an iteration.
    pub loads: [Inst; 2],
}

impl Along<'_> {
    /// The loop's sums, if they are all that it is for.
    pub(super) fn only_dots(&self, func: &Function, body: &[Inst], condition: Inst) -> Option<Vec<Dot>> {
        let mut seen: FxHashSet<Inst> = [self.rows.step, condition]
            .into_iter()
            .chain(func.def_inst(self.rows.tested))
            .collect();
        let mut dots = Vec::new();
        for sum in &self.sums {
            let param = func.block(self.rows.block).params[sum.position];
            let add = func.def_inst(sum.result)?;
            let &InstData::Binary { op: BinaryOp::Add, args } = &func.inst(add).data else {
                return None;
            };
            let product = func.def_inst(if args[0] == param { args[1] } else { args[0] })?;
            let &InstData::Binary { op: BinaryOp::Mul, args } = &func.inst(product).data else {
                return None;
            };
            seen.extend([add, product]);
            let [(first, a), (second, b)] = [byte(func, args[0], &mut seen)?, byte(func, args[1], &mut seen)?];
            let (op, loads) = match (first, second) {
                (true, true) => (DotOp::SDot, [a, b]),
                (false, false) => (DotOp::UDot, [a, b]),
                (true, false) => (DotOp::SUDot, [a, b]),
                (false, true) => (DotOp::SUDot, [b, a]),
            };
            dots.push(Dot { op, loads });
        }
        let is_of_them = |inst: &Inst| seen.contains(inst) || matches!(func.inst(*inst).data, InstData::Const { .. });
        (!dots.is_empty() && body.iter().all(is_of_them)).then_some(dots)
    }
}

/// What loads the byte that a number of 32 bits is, and whether that is signed; what makes the number of it has been `seen` then.
fn byte(func: &Function, number: Value, seen: &mut FxHashSet<Inst>) -> Option<(bool, Inst)> {
    let (mut value, mut is_signed) = (number, None);
    if func.ty(number).elem != Elem::I32 {
        return None;
    }
    loop {
        let inst = func.def_inst(value)?;
        seen.insert(inst);
        match &func.inst(inst).data {
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => value = args[0],
            InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                arg,
                ..
            } if is_signed.is_none() => (value, is_signed) = (*arg, Some(*op == ConvertOp::SExt)),
            InstData::Load { ty, .. } if ty.elem == Elem::I8 => return Some((is_signed?, inst)),
            _ => return None,
        }
    }
}
