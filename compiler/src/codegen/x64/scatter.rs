//! Gathers and scatters: an address a lane.

use super::encode::{Imm, Size};
use super::ops;
use super::select::Selector;
use super::values::{Parts, Registers, part_size};
use super::vcode::{Amode, Base, Cc, R, RmOf};
use crate::ir::{Address, ConvertOp, Elem, InstData, Type, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// The address of one lane.
    fn place(&mut self, base: &Parts, index: Option<&Parts>, address: &Address, lane: u32) -> Amode {
        let base = self.lane(base, lane);
        let index = index.map(|index| {
            let reg = self.lane(index, lane);
            self.extended_to_64(index.ty.elem, true, reg)
        });
        self.scaled(base, index, address)
    }

    /// Loads a lane from each address: `needed` says which lanes may be loaded, `mask` where `passthru` counts.
    pub fn gather(&mut self, ty: Type, address: &Address, needed: Option<Value>, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        if ty.elem != Elem::Mask && ty.elem.bytes() >= 4 {
            return self.gather_by_machine(ty, address, needed, mask, passthru);
        }
        let (base, index) = (self.get(address.base), address.index.map(|index| self.get(index)));
        let bits = needed.map(|mask| {
            let mask = self.get(mask);
            self.mask_bits(&mask)
        });
        let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let mut place = self.place(&base, index.as_ref(), address, lane);
                if let Some(bits) = bits {
                    place = self.or_scratch_by_bit(place, bits, lane);
                }
                self.load_scalar(ty.elem, place)
            })
            .collect();
        let loaded = self.join_lanes(ty, &lanes);
        self.with_passthru(loaded, mask, passthru)
    }

    /// The address if a bit is on, else the scratch line.
    pub fn or_scratch_by_bit(&mut self, place: Amode, bits: VReg, lane: u32) -> Amode {
        self.or_scratch(place, |s| {
            s.c.test_i(Size::D, bits, (1u32 << lane) as i32);
            Cc::Ne
        })
    }

    /// Stores a lane to each address, the last lanes last.
    pub fn scatter(&mut self, value: &Parts, address: &Address, mask: Option<Value>) {
        let (base, index) = (self.get(address.base), address.index.map(|index| self.get(index)));
        let bits = mask.map(|mask| {
            let mask = self.get(mask);
            self.mask_bits(&mask)
        });
        for lane in 0..u32::from(value.ty.lanes) {
            let mut place = self.place(&base, index.as_ref(), address, lane);
            if let Some(bits) = bits {
                place = self.or_scratch_by_bit(place, bits, lane);
            }
            let scalar = self.lane(value, lane);
            self.store_scalar(value.ty.elem, scalar, place);
        }
    }

    fn gather_by_machine(
        &mut self,
        ty: Type,
        address: &Address,
        needed: Option<Value>,
        mask: Option<Value>,
        passthru: Option<Value>,
    ) -> Parts {
        let bytes = ty.elem.bytes();
        let size = part_size(ty.lanes, bytes);
        let (base, indices, scale, disp) = self.vector_addresses(address);
        let mask_parts = match needed {
            Some(mask) => self.get_mask(mask, bytes).regs,
            None => {
                let ones = self.c.ones();
                Registers::from_elem(ones, super::values::part_count(ty.lanes, bytes))
            }
        };
        let passthru_parts = match (mask.is_some(), passthru) {
            (true, Some(passthru)) => self.get(passthru).regs,
            _ => {
                let zero = self.c.zero();
                Registers::from_elem(zero, mask_parts.len())
            }
        };
        // Where all lanes may be loaded but not all count, the mask still decides.
        let mask_parts = match (needed, mask, passthru) {
            (None, Some(mask), Some(_)) => self.get_mask(mask, bytes).regs,
            _ => mask_parts,
        };
        let quads = indices.bytes == 8;
        if !quads {
            let op = if bytes == 4 { &ops::VPGATHERDD } else { &ops::VPGATHERDQ };
            // 64-bit lanes take the 32-bit indices of half a register.
            let index_regs = if bytes == 4 { indices.regs.clone() } else { self.pieces(&indices) };
            let regs: Registers = (0..mask_parts.len())
                .map(|part| {
                    let from = Amode {
                        base,
                        index: Some((index_regs[part], scale)),
                        disp,
                    };
                    self.gather_part(op, size, from, passthru_parts[part], mask_parts[part])
                })
                .collect();
            return Parts::new(ty, bytes, regs);
        }
        if bytes == 8 {
            let regs: Registers = (0..mask_parts.len())
                .map(|part| {
                    let from = Amode {
                        base,
                        index: Some((indices.regs[part], scale)),
                        disp,
                    };
                    self.gather_part(&ops::VPGATHERQQ, size, from, passthru_parts[part], mask_parts[part])
                })
                .collect();
            return Parts::new(ty, bytes, regs);
        }
        // Four 64-bit indices give four lanes of 32 bits: half a register.
        let masks = self.pieces(&Parts::new(ty.as_mask(), 4, mask_parts));
        let others = self.pieces(&Parts::new(ty, 4, passthru_parts));
        let pieces: Registers = (0..masks.len())
            .map(|piece| {
                let from = Amode {
                    base,
                    index: Some((indices.regs[piece], scale)),
                    disp,
                };
                self.gather_part(&ops::VPGATHERQD, Size::Y, from, others[piece], masks[piece])
            })
            .collect();
        self.join_pieces(ty, 4, &pieces)
    }

    /// Base, vector of indices (32 or 64 bits), logarithm of the scale, displacement.
    fn vector_addresses(&mut self, address: &Address) -> (Base, Parts, u8, i32) {
        let base_is_vector = self.func.ty(address.base).is_vector();
        let scale = address.scale;
        let short = matches!(scale, 1 | 2 | 4 | 8);
        if let Some(index) = address.index
            && !base_is_vector
            && short
        {
            let base = self.scalar(address.base);
            // A sign-extended 32-bit index may stay one.
            let index = match self.func.def_data(index) {
                Some(&InstData::Convert {
                    op: ConvertOp::SExt, arg, ..
                }) if self.func.ty(arg).elem == Elem::I32 => arg,
                _ => index,
            };
            return (Base::Reg(base), self.get(index), scale.ilog2() as u8, address.offset);
        }
        let base = self.get(address.base);
        let Some(index) = address.index else {
            return (Base::None, base, 0, address.offset);
        };
        let index_is_vector = self.func.ty(index).is_vector();
        let index = self.get(index);
        let lanes = if base_is_vector { base.ty.lanes } else { index.ty.lanes };
        let ty = Type::vector(Elem::I64, lanes);
        let offsets = if index_is_vector {
            let wide = if index.bytes == 8 { index } else { self.extend_to(true, &index, 8) };
            match scale {
                1 => wide,
                scale if scale.is_power_of_two() => self.shift_by_constant(crate::ir::BinaryOp::Shl, &wide, scale.ilog2()),
                _ => {
                    let by = self.constant(ty, u64::from(scale));
                    self.binary_parts(crate::ir::BinaryOp::Mul, &wide, &by)
                }
            }
        } else {
            let wide = self.extended_to_64(index.ty.elem, true, index.regs[0]);
            let zero = self.c.constant(0);
            let scaled = self.scaled(zero, Some(wide), &Address { offset: 0, ..*address });
            let offset = self.c.lea(scaled);
            self.splat(ty, offset)
        };
        if base_is_vector {
            let sum = self.binary_parts(crate::ir::BinaryOp::Add, &base, &offsets);
            return (Base::None, sum, 0, address.offset);
        }
        (Base::Reg(base.regs[0]), offsets, 0, address.offset)
    }

    fn gather_part(&mut self, op: &'static super::encode::Op, size: Size, from: Amode, passthru: VReg, mask: VReg) -> VReg {
        let (dst, used_mask) = (self.c.vec(), self.c.vec());
        // The machine clears the mask.
        self.c
            .machine(op, size, R::Tied(dst, passthru), R::Tied(used_mask, mask), RmOf::Mem(from), Imm::No);
        dst
    }
}
