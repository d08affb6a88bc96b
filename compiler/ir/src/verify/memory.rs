//! Operands of accesses to memory.

use super::Verifier;
use crate::*;

impl Verifier<'_> {
    /// The address and mask of an access to `ty`.
    fn access(&mut self, ty: Type, address: &Address, mask: Option<Value>) {
        self.check(ty.elem != Elem::Mask, "a mask has no form in memory; convert it to an integer");
        self.elem(address.base, |elem| elem == Elem::I64, "an i64");
        if let Some(index) = address.index {
            self.elem(index, |elem| matches!(elem, Elem::I32 | Elem::I64), "an i32 or i64");
        }
        let scale_right = match address.index {
            Some(_) => (1..=1 << 31).contains(&address.scale),
            None => address.scale == 1,
        };
        self.check(
            scale_right,
            format_args!("{} is no scale (without an index it must be 1)", address.scale),
        );
        for part in [Some(address.base), address.index].into_iter().flatten() {
            let lanes = self.ty(part).lanes;
            let right = lanes == 1 || lanes == ty.lanes;
            self.check(right, format_args!("{part} has {lanes} lanes, the access {}", ty.lanes));
        }
        if let Some(mask) = mask {
            self.expect(mask, ty.as_mask());
        }
    }

    pub(super) fn memory(&mut self, data: &InstData) {
        match data {
            InstData::Load {
                ty,
                address,
                mask,
                passthru,
                ..
            } => {
                self.access(*ty, address, *mask);
                if let Some(passthru) = passthru {
                    self.check(mask.is_some(), "what lanes get that don't load needs a mask");
                    self.expect(*passthru, *ty);
                }
            }
            InstData::Store { value, address, mask, .. } => self.access(self.ty(*value), address, *mask),
            InstData::LoadInterleaved {
                ty, factor, address, mask, ..
            } => {
                self.not_in_work_items();
                self.check(*factor >= 2, "a record has two elements at least");
                self.access(*ty, address, *mask);
            }
            InstData::StoreInterleaved { values, address, mask, .. } => {
                self.not_in_work_items();
                if self.check(values.len() >= 2, "a record has two elements at least") {
                    self.same(values);
                    self.access(self.ty(values[0]), address, *mask);
                }
            }
            InstData::Copy { to, from, bytes, .. } => {
                [to, from, bytes].into_iter().for_each(|&value| self.expect(value, Type::I64));
            }
            InstData::AtomicLoad { ty, address, mask, .. } => self.access(*ty, &Address::base(*address), *mask),
            InstData::AtomicStore { value, address, mask, .. } => self.access(self.ty(*value), &Address::base(*address), *mask),
            InstData::AtomicRmw {
                op, value, address, mask, ..
            } => {
                match op {
                    AtomicOp::Exchange => {}
                    AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => self.elem(*value, Elem::is_float, "a float"),
                    _ => self.elem(*value, Elem::is_int, "an integer"),
                }
                self.access(self.ty(*value), &Address::base(*address), *mask);
            }
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                ..
            } => {
                self.elem(*expected, Elem::is_int, "an integer");
                self.same(&[*expected, *desired]);
                self.access(self.ty(*expected), &Address::base(*address), *mask);
            }
            _ => {}
        }
    }
}
