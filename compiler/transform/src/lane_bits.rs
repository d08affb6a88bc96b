//! Bits of indices that all lanes of a gang have, apart from those that differ from lane to lane.
//!
//! ```c
//! x[i >> 1]       // of gangs that begin at multiples of 16: x[(first >> 1) + (lane >> 1)]
//! x[i ^ 1]        //                                         x[first + (lane ^ 1)]
//! t[i & 3]        //                                         t[lane & 3]
//! ```
//!
//! Sums that do not wrap are taken apart where they are extended, too. What lanes differ by is a constant then, and back ends load what lies close together
//! as rows, and shuffle them.

use analysis::first_lane::trailing_zeros;
use ir::*;

/// Takes them apart, in a work-group's function. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in func.take_insts(block) {
            if let Some((data, flags)) = apart(func, block, inst) {
                let node = func.inst_mut(inst);
                (node.data, node.flags) = (data, flags);
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// What takes the instruction's place, behind what it is made of, which is written.
fn apart(func: &mut Function, block: Block, inst: Inst) -> Option<(InstData, Flags)> {
    if let Some(bits) = LaneBits::of(func, inst) {
        return Some(bits.write(&mut Builder::new(func, block)));
    }
    let InstData::Convert { op, ty, arg, .. } = func.inst(inst).data else {
        return None;
    };
    let flags = func.inst(func.def_inst(arg)?).flags;
    let is_whole = match op {
        ConvertOp::SExt => flags.contains(Flags::NSW),
        ConvertOp::ZExt => flags.contains(Flags::NUW),
        _ => false,
    };
    let (first, lanes) = is_whole.then(|| first_and_lanes(func, arg))??;
    eval::constant_lanes(func, lanes)?;
    let mut b = Builder::new(func, block);
    let first = b.convert(op, ty.elem, first);
    let args = [b.splat(ty.lanes, first), b.convert(op, ty.elem, lanes)];
    let op = BinaryOp::Add;
    Some((InstData::Binary { op, args }, flags))
}

/// A sum of what all lanes have and of something else.
fn first_and_lanes(func: &Function, sum: Value) -> Option<(Value, Value)> {
    let [a, b] = func.binary(BinaryOp::Add, sum)?;
    match (func.splatted(a), func.splatted(b)) {
        (Some(first), _) => Some((first, b)),
        (_, Some(first)) => Some((first, a)),
        _ => None,
    }
}

/// An operation on bits, of `first + lanes`, where lanes do not carry into what they have in common.
struct LaneBits {
    op: BinaryOp,
    first: Value,
    lanes: Value,
    /// What the operation does to the first lane, and to the lanes.
    constants: [u64; 2],
    ty: Type,
}

impl LaneBits {
    fn of(func: &Function, inst: Inst) -> Option<LaneBits> {
        use BinaryOp::*;
        let InstData::Binary { op, args: [sum, by] } = func.inst(inst).data else {
            return None;
        };
        let ty = func.ty(sum);
        if !ty.is_vector() || !matches!(op, And | Or | Xor | LShr | AShr) {
            return None;
        }
        let by = func.constant(by)?;
        let (first, lanes) = first_and_lanes(func, sum)?;
        let known = eval::constant_lanes(func, lanes)?;
        let apart = 1u64.checked_shl(trailing_zeros(func, first)).unwrap_or(0).wrapping_sub(1) & ty.elem.bit_mask();
        let constants = match op {
            // (As a mask leaves nothing of the upper bits, what carries into them does not matter.)
            And if by & !apart == 0 => [0, by],
            _ if known.iter().any(|&lane| lane & !apart != 0) => return None,
            And | Or | Xor => [by & !apart, by & apart],
            _ => [by; 2],
        };
        Some(LaneBits {
            op,
            first,
            lanes,
            constants,
            ty,
        })
    }

    fn write(&self, b: &mut Builder) -> (InstData, Flags) {
        let [of_first, of_lanes] = self.constants;
        let by = b.constant(self.ty, of_lanes);
        let first = match (self.op, of_first) {
            (BinaryOp::And, 0) => {
                let args = [self.lanes, by];
                return (InstData::Binary { op: self.op, args }, Flags::default());
            }
            (BinaryOp::Or | BinaryOp::Xor, 0) => self.first,
            _ => {
                let by = b.constant(self.ty.with_lanes(1), of_first);
                b.binary(self.op, self.first, by)
            }
        };
        let first = b.splat(self.ty.lanes, first);
        let lanes = b.binary(self.op, self.lanes, by);
        let (op, args) = (BinaryOp::Add, [first, lanes]);
        (InstData::Binary { op, args }, Flags::NSW | Flags::NUW)
    }
}
