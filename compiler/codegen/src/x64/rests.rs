//! What numbers are more than the whole numbers next to them: AVX-512 has `x - floor(x)` as one instruction, and so for the other ways to round. It gives 0
//! for infinities, zeros of either sign, and differences that are rounded in the same way, as that of a tiny negative number and -1.

use super::forms::{of_type, rounding_mode};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, Elem, Flags, Inst, InstData, Rounding, UnaryOp, Value};
use rustc_hash::FxHashSet;

/// Neither infinities nor the signs of zeros count, nor the last bit.
const FLAGS: Flags = Flags::NINF.union(Flags::NSZ).union(Flags::AFN);

impl Selector<'_> {
    /// Looks for rounded numbers that are only wanted for what they leave of the number.
    pub fn find_rests(&mut self, insts: &[Inst]) {
        if !self.c.target.masks || !self.c.target.estimates {
            return;
        }
        let mut rounded: FxHashSet<Value> = FxHashSet::default();
        for &inst in insts {
            let node = self.func.inst(inst);
            match node.data {
                InstData::Unary { op, .. } if rounding(op).is_some() => {
                    rounded.insert(node.results[0]);
                }
                InstData::Binary {
                    op: BinaryOp::FSub,
                    args: [number, whole],
                } if node.flags.contains(FLAGS)
                    && matches!(self.func.ty(number).elem, Elem::F32 | Elem::F64)
                    && self.uses[whole] == 1
                    && rounded.contains(&whole)
                    && self.rounded_number(whole).is_some_and(|(_, arg)| arg == number) =>
                {
                    self.passed_over.insert(whole);
                }
                _ => {}
            }
        }
    }

    /// How a number was rounded, and which.
    fn rounded_number(&self, whole: Value) -> Option<(Rounding, Value)> {
        match self.func.def_data(whole)? {
            InstData::Unary { op, arg } => Some((rounding(*op)?, *arg)),
            _ => None,
        }
    }

    /// The difference with a rounded number that was passed over for it.
    pub fn rest(&mut self, [number, whole]: [Value; 2]) -> Option<Parts> {
        if !self.passed_over.contains(&whole) {
            return None;
        }
        let (rounding, _) = self.rounded_number(whole)?;
        let a = self.get(number);
        let op = of_type(a.ty, [&ops::VREDUCEPS, &ops::VREDUCEPD, &ops::VREDUCESS, &ops::VREDUCESD]);
        let (size, mode, vector) = (a.size(), rounding_mode(rounding), a.ty.is_vector());
        Some(self.map(&a, |s, part| match vector {
            true => s.c.v2i(op, size, part, mode),
            false => s.c.v3i(op, size, part, part, mode),
        }))
    }
}

fn rounding(op: UnaryOp) -> Option<Rounding> {
    Some(match op {
        UnaryOp::Floor => Rounding::Down,
        UnaryOp::Ceil => Rounding::Up,
        UnaryOp::FTrunc => Rounding::Zero,
        UnaryOp::Nearest => Rounding::Nearest,
        _ => return None,
    })
}
