//! Gathers: loads of lanes that each have an address of their own.

use super::encode::{Imm, Op, Size};
use super::machine::{Amode, Base, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, BinaryOp, ConvertOp, Elem, InstData, Type, Value};
use regalloc2::{RegClass, VReg};

impl Selector<'_> {
    /// Loads a lane from each address: `needed` says which lanes may be loaded, `mask` where `passthru` counts.
    pub fn gather(&mut self, ty: Type, address: &Address, needed: Option<Value>, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        if needed.is_none()
            && let Some(rows) = self.rows(ty, address)
        {
            let loaded = self.load_rows(ty, address, &rows);
            return self.with_passthru(loaded, mask, passthru);
        }
        if self.gathers_natively(ty, address, needed.is_some()) {
            let gathered = self.gather_under_mask(ty, address, needed, passthru.filter(|_| needed.is_some()));
            return if needed.is_some() {
                gathered
            } else {
                self.with_passthru(gathered, mask, passthru)
            };
        }
        let Some(needed) = needed else {
            let loaded = self.load_lanes(ty, address);
            return self.with_passthru(loaded, mask, passthru);
        };
        if !self.c.target.masks && ty.elem != Elem::Mask {
            return self.gather_masked(ty, address, needed, mask, passthru);
        }
        let loaded = self.gather_by_lane(ty, address, needed);
        self.with_passthru(loaded, mask, passthru)
    }

    /// Loads the lanes one after the other: those that may not be loaded from memory that nobody minds.
    fn gather_by_lane(&mut self, ty: Type, address: &Address, needed: Value) -> Parts {
        let places = self.places(address);
        let on = self.get(needed);
        let bits = self.mask_bits(&on);
        let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let place = self.place(&places, address, lane);
                let place = self.or_scratch_by_bit(place, bits, lane);
                self.load_scalar(ty.elem, place)
            })
            .collect();
        self.join_lanes(ty, &lanes)
    }

    /// The lanes are loaded one after the other, each from an address of its own.
    pub fn is_loaded_by_lane(&self, ty: Type, address: &Address, mask: Option<Value>) -> bool {
        let has_addresses = ty.is_vector() && !self.is_consecutive(address) && self.real_mask(mask).is_none();
        let otherwise = || {
            self.gathers_natively(ty, address, false) || self.rows(ty, address).is_some() || self.strided_load(ty, address, false).is_some()
        };
        has_addresses && !otherwise()
    }

    /// Loads all lanes, one after the other: on most machines that takes no longer than their gathers.
    fn load_lanes(&mut self, ty: Type, address: &Address) -> Parts {
        let places = self.places(address);
        let lanes = u32::from(ty.lanes);
        if ty.elem == Elem::Mask {
            let lanes: Vec<VReg> = (0..lanes)
                .map(|lane| {
                    let place = self.place(&places, address, lane);
                    self.load_scalar(ty.elem, place)
                })
                .collect();
            return self.join_lanes(ty, &lanes);
        }
        let bytes = ty.elem.bytes();
        let per_piece = 16 / bytes;
        let pieces: Registers = (0..lanes.div_ceil(per_piece))
            .map(|piece| {
                let first = piece * per_piece;
                let place = self.place(&places, address, first);
                let mut reg = match bytes {
                    8 => self.c.v2(&ops::VMOVSD, Size::X, place),
                    4 => self.c.v2(&ops::VMOVSS, Size::X, place),
                    _ => {
                        let scalar = self.c.load_int(bytes, place);
                        self.c.int_to_v(Size::D, scalar)
                    }
                };
                for lane in 1..per_piece.min(lanes - first) {
                    let place = self.place(&places, address, first + lane);
                    reg = match bytes {
                        8 => self.c.v3(&ops::VMOVHPS, Size::X, reg, place),
                        4 => self.c.v3i(&ops::VINSERTPS, Size::X, reg, place, (lane as u8) << 4),
                        2 => self.c.v3i(&ops::VPINSRW, Size::X, reg, place, lane as u8),
                        _ => self.c.v3i(&ops::VPINSRB, Size::X, reg, place, lane as u8),
                    };
                }
                reg
            })
            .collect();
        self.join_pieces(ty, bytes, &pieces)
    }

    /// As if there were no mask where all lanes are on, else by the machine's masked gathers, or, of bytes and shorts, for which it has none, lane by lane.
    fn gather_masked(&mut self, ty: Type, address: &Address, needed: Value, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        let on = self.get(needed);
        let by_machine = ty.elem.bytes() >= 4;
        let cc = self.test_all(&on);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let loaded = self.load_lanes(ty, address);
        let results: Registers = loaded.regs.iter().map(|_| self.c.param(done, RegClass::Float)).collect();
        self.c.jump(done, &loaded.regs);
        self.continue_in(slow);
        let gathered = if by_machine {
            self.gather_by_machine(ty, address, needed, passthru)
        } else {
            let gathered = self.gather_by_lane(ty, address, needed);
            self.with_passthru(gathered, mask, passthru)
        };
        debug_assert_eq!((gathered.bytes, gathered.regs.len()), (loaded.bytes, loaded.regs.len()));
        self.c.jump(done, &gathered.regs);
        self.continue_in(done);
        Parts::new(ty, loaded.bytes, results)
    }

    fn gather_by_machine(&mut self, ty: Type, address: &Address, mask: Value, passthru: Option<Value>) -> Parts {
        let bytes = ty.elem.bytes();
        let size = self.part_size(ty.lanes, bytes);
        let (base, indices, scale, disp) = self.vector_addresses(address);
        let mask_parts = self.get_mask(mask, bytes).regs;
        let passthru_parts = match passthru {
            Some(passthru) => self.get(passthru).regs,
            None => {
                let zero = self.c.zero();
                Registers::from_elem(zero, mask_parts.len())
            }
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
    pub fn vector_addresses(&mut self, address: &Address) -> (Base, Parts, u8, i32) {
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
                scale if scale.is_power_of_two() => self.shift_by_constant(BinaryOp::Shl, &wide, scale.ilog2()),
                _ => {
                    let by = self.constant(ty, u64::from(scale));
                    self.binary_parts(BinaryOp::Mul, &wide, &by)
                }
            }
        } else {
            let wide = self.extended_to_64(index.ty.elem, true, index.regs[0]);
            let zero = self.c.constant(0);
            let scaled = self.scaled(Amode::reg(zero, 0), Some(wide), &Address { offset: 0, ..*address });
            let offset = self.c.lea(scaled);
            self.splat(ty, offset)
        };
        if base_is_vector {
            let sum = self.binary_parts(BinaryOp::Add, &base, &offsets);
            return (Base::None, sum, 0, address.offset);
        }
        (Base::Reg(base.regs[0]), offsets, 0, address.offset)
    }

    fn gather_part(&mut self, op: &'static Op, size: Size, from: Amode, passthru: VReg, mask: VReg) -> VReg {
        let (dst, used_mask) = (self.c.vec(), self.c.vec());
        // The machine clears the mask.
        self.c
            .machine(op, size, R::Tied(dst, passthru), R::Tied(used_mask, mask), RmOf::Mem(from), Imm::No);
        dst
    }
}
