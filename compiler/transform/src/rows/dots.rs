//! Loops that sum products of bytes and do nothing else: four iterations a lane are one instruction.

use super::row_loop::RowLoop;
use ir::*;
use rustc_hash::FxHashSet;

/// Of a lane at once.
pub(super) const BYTES: u32 = 4;

/// A value that iterations add to, or the like.
pub(super) struct Sum {
    /// The position among the loop's parameters.
    pub position: usize,
    /// What puts together the lanes of a vector of such sums.
    pub op: ReduceOp,
    /// What an iteration does. (Minima and maxima of machines have what is so far as the second operand.)
    pub binary: BinaryOp,
    /// What adds.
    pub result: Value,
}

impl Sum {
    /// A parameter that only collects, in any order, and the `result` that the next iteration has of it.
    pub fn of(func: &Function, (block, body): (Block, &[Inst]), lanes: u16, position: usize, result: Value) -> Option<Sum> {
        let param = func.block(block).params[position];
        let inst = func.inst(func.def_inst(result)?);
        let (op, binary) = match inst.data {
            InstData::Binary { op, args } if (args[0] == param) != (args[1] == param) => (reduction(op, args[1] == param)?, op),
            InstData::Fma { args: [a, b, c] } if c == param && a != param && b != param => (ReduceOp::FAdd, BinaryOp::FAdd),
            _ => return None,
        };
        // (Which of two zeros is the greater one is nowhere said.)
        let any_order =
            func.ty(param).elem.is_int() || matches!(op, ReduceOp::FMin | ReduceOp::FMax) || inst.flags.contains(Flags::REASSOC);
        let mut uses = 0;
        for &user in body {
            func.inst(user)
                .data
                .for_each_operand(|&value| uses += usize::from(value == param) + 2 * usize::from(value == result));
        }
        (any_order && uses == 1 && func.ty(param).lanes == lanes).then_some(Sum {
            position,
            op,
            binary,
            result,
        })
    }

    /// The bits that a sum of some iterations alone begins with.
    pub fn start(&self, elem: Elem) -> u64 {
        match self.binary {
            // (The greatest of what is no number is no number: infinity would be more.)
            BinaryOp::FMinNum | BinaryOp::FMaxNum => quiet_nan_bits(elem),
            _ => self.op.identity(elem),
        }
    }

    /// With a sum of some iterations alone.
    pub fn with(&self, b: &mut Builder, so_far: Value, sum: Value) -> Value {
        match self.binary {
            BinaryOp::FMin | BinaryOp::FMax => b.binary(self.binary, sum, so_far),
            op => b.binary(op, so_far, sum),
        }
    }
}

/// An operation by which a vector's lanes can be put together; whether what is so far is the second operand.
fn reduction(op: BinaryOp, is_second: bool) -> Option<ReduceOp> {
    use ReduceOp::*;
    match op {
        BinaryOp::FMin => is_second.then_some(FMin),
        BinaryOp::FMax => is_second.then_some(FMax),
        _ => [Add, Mul, And, Or, Xor, UMin, UMax, SMin, SMax, FAdd, FMin, FMax]
            .into_iter()
            .find(|reduce| reduce.binary() == op),
    }
}

/// A sum of products of bytes.
pub(super) struct Dot {
    /// What it is added to: a parameter of the loop. And what the next iteration has in its place.
    pub sum: [Value; 2],
    /// Whose operands are the loads, in their order.
    pub op: DotOp,
    /// What loads a byte an iteration.
    pub loads: [Inst; 2],
}

/// The sums, if all of them are of products of bytes, each of which is the next one in each iteration, as `goes_along` says of what loads it; what else
/// the loop computes is where bytes are, and nothing is stored.
pub(super) fn only_dots(
    func: &Function,
    rows: &RowLoop,
    body: &[Inst],
    sums: &[Sum],
    goes_along: impl Fn(Inst) -> bool,
) -> Option<Vec<Dot>> {
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let mut dots = Vec::new();
    for sum in sums {
        let param = func.block(rows.block).params[sum.position];
        let add = func.def_inst(sum.result)?;
        let &InstData::Binary { op: BinaryOp::Add, args } = &func.inst(add).data else {
            return None;
        };
        let product = func.def_inst(if args[0] == param { args[1] } else { args[0] })?;
        let &InstData::Binary { op: BinaryOp::Mul, args } = &func.inst(product).data else {
            return None;
        };
        let [(first, a), (second, b)] = [byte(func, args[0])?, byte(func, args[1])?];
        let (op, loads) = match (first, second) {
            (true, true) => (DotOp::SDot, [a, b]),
            (false, false) => (DotOp::UDot, [a, b]),
            (true, false) => (DotOp::SUDot, [a, b]),
            (false, true) => (DotOp::SUDot, [b, a]),
        };
        seen.extend(loads);
        dots.push(Dot {
            sum: [param, sum.result],
            op,
            loads,
        });
    }
    let is_for_them = |inst: &Inst| seen.contains(inst) || func.inst(*inst).data.is_pure();
    let loads = || dots.iter().flat_map(|dot: &Dot| dot.loads);
    let fits = !dots.is_empty() && body.iter().all(is_for_them) && loads().all(|load| body.contains(&load) && goes_along(load));
    fits.then_some(dots)
}

/// What loads the byte that a number of 32 bits is, and whether that is signed.
fn byte(func: &Function, number: Value) -> Option<(bool, Inst)> {
    let (mut value, mut is_signed) = (number, None);
    if func.ty(number).elem != Elem::I32 {
        return None;
    }
    loop {
        let inst = func.def_inst(value)?;
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
