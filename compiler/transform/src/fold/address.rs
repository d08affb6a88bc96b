//! Sums and products of 64-bit addresses become part of the memory operation: `base + index * scale + offset`.
//!
//! Addresses are modulo 2^64, so 64-bit sums can always be taken apart. An index of 32 bits is sign-extended by the operation: what was
//! added to or multiplied with it before the extension can be taken apart only where it is known not to wrap.

use super::Folder;
use ir::*;
use target::costs::effort::OPERATIONS;

impl Folder<'_> {
    pub(super) fn addresses(&mut self, inst: Inst) {
        let (InstData::Load { address, .. }
        | InstData::Store { address, .. }
        | InstData::LoadInterleaved { address, .. }
        | InstData::StoreInterleaved { address, .. }) = &self.func.inst(inst).data
        else {
            return;
        };
        let mut address = *address;
        let mut changed = false;
        for _ in 0..OPERATIONS {
            let simpler = self.fold_index(&address).or_else(|| self.fold_base(&address));
            let Some(simpler) = simpler.or_else(|| self.take_constant_out(&address)) else {
                break;
            };
            address = simpler;
            changed = true;
        }
        if !changed {
            return;
        }
        self.changed = true;
        if let InstData::Load { address: old, .. }
        | InstData::Store { address: old, .. }
        | InstData::LoadInterleaved { address: old, .. }
        | InstData::StoreInterleaved { address: old, .. } = &mut self.func.inst_mut(inst).data
        {
            *old = address;
        }
    }

    fn fold_base(&self, address: &Address) -> Option<Address> {
        let [a, b] = self.func.binary(BinaryOp::Add, address.base)?;
        if let Some(constant) = self.func.signed_constant(b) {
            let offset = i64::from(address.offset).checked_add(constant)?;
            return Some(Address {
                base: a,
                offset: i32::try_from(offset).ok()?,
                ..*address
            });
        }
        if address.index.is_some() {
            return None;
        }
        let with = |base, (index, scale)| Address {
            base,
            index: Some(index),
            scale,
            offset: address.offset,
        };
        self.scaled(b)
            .map(|scaled| with(a, scaled))
            .or_else(|| self.scaled(a).map(|scaled| with(b, scaled)))
    }

    /// `value` as an index with a scale, if it looks like one.
    fn scaled(&self, value: Value) -> Option<(Value, u32)> {
        match *self.data(value)? {
            InstData::Binary {
                op: BinaryOp::Shl | BinaryOp::Mul,
                args: [x, _],
            } => Some((x, self.factor(value)?)),
            InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            } if self.ty(arg).elem == Elem::I32 => Some((arg, 1)),
            _ => None,
        }
    }

    /// The constant, up to 2^31, that a product or a shift multiplies with.
    fn factor(&self, value: Value) -> Option<u32> {
        let factor = match *self.data(value)? {
            InstData::Binary {
                op: BinaryOp::Shl,
                args: [_, b],
            } => 1u64.checked_shl(u32::try_from(self.bits(b)?).ok()?)?,
            InstData::Binary {
                op: BinaryOp::Mul,
                args: [_, b],
            } => self.bits(b)?,
            _ => return None,
        };
        u32::try_from(factor).ok().filter(|factor| (1..=1 << 31).contains(factor))
    }

    fn fold_index(&self, address: &Address) -> Option<Address> {
        let index = address.index?;
        let scale = i64::from(address.scale);
        let elem = self.ty(index).elem;
        let without_index = |offset: i64| {
            Some(Address {
                index: None,
                scale: 1,
                offset: i32::try_from(offset).ok()?,
                ..*address
            })
        };
        if let Some(constant) = self.func.signed_constant(index)
            && self.ty(index).lanes <= self.ty(address.base).lanes
        {
            return without_index(constant.checked_mul(scale)?.checked_add(i64::from(address.offset))?);
        }
        let exact = elem == Elem::I64 || self.flags(index).contains(Flags::NSW);
        match *self.data(index)? {
            InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            } if self.ty(arg).elem == Elem::I32 => Some(Address {
                index: Some(arg),
                ..*address
            }),
            // (Gathers take vectors of 32 bits.)
            InstData::Convert {
                op: ConvertOp::Trunc, arg, ..
            } if self.ty(arg) == Type::I64 && self.flags(index).contains(Flags::NSW) => Some(Address {
                index: Some(arg),
                ..*address
            }),
            InstData::Binary {
                op: BinaryOp::Add,
                args: [x, c],
            } if exact => {
                let constant = self.func.signed_constant(c)?;
                let offset = constant.checked_mul(scale)?.checked_add(i64::from(address.offset))?;
                Some(Address {
                    index: Some(x),
                    offset: i32::try_from(offset).ok()?,
                    ..*address
                })
            }
            InstData::Binary {
                op: BinaryOp::Shl | BinaryOp::Mul,
                args: [x, _],
            } if exact => {
                let scale = self.factor(index)?.checked_mul(address.scale).filter(|&scale| scale <= 1 << 31)?;
                Some(Address {
                    index: Some(x),
                    scale,
                    ..*address
                })
            }
            _ => None,
        }
    }

    /// `base + (x + (y + c))` as `base + (x + y) + c`: neighbours, and gangs that run at once, have the sum in common.
    fn take_constant_out(&mut self, address: &Address) -> Option<Address> {
        let index = address.index.filter(|&index| self.ty(index) == Type::I64)?;
        let [a, b] = self.func.binary(BinaryOp::Add, index)?;
        let (x, y, constant) = [(a, b), (b, a)].into_iter().find_map(|(x, sum)| {
            let [y, c] = self.func.binary(BinaryOp::Add, sum)?;
            Some((x, y, self.func.signed_constant(c)?))
        })?;
        let offset = constant.checked_mul(address.scale.into())?.checked_add(i64::from(address.offset))?;
        let offset = i32::try_from(offset).ok()?;
        let index = self.emit(InstData::Binary {
            op: BinaryOp::Add,
            args: [x, y],
        });
        Some(Address {
            index: Some(index),
            offset,
            ..*address
        })
    }
}
