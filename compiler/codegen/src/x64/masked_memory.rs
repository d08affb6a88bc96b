//! Memory under mask registers: the lanes that are off are not touched, whatever their width. Consecutive, gathered and scattered.

use super::encode::{Imm, Op, Size};
use super::machine::{Amode, More, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, Elem, Type, Value, ValueDef};
use regalloc2::VReg;

/// Loads and stores of whole registers, by the width of the lanes that a mask counts.
fn moves(bytes: u32) -> [&'static Op; 2] {
    match bytes {
        1 => [&ops::VMOVDQU8, &ops::VMOVDQU8_RM],
        2 => [&ops::VMOVDQU16, &ops::VMOVDQU16_RM],
        4 => [&ops::VMOVUPS, &ops::VMOVUPS_RM],
        _ => [&ops::VMOVUPD, &ops::VMOVUPD_RM],
    }
}

impl Selector<'_> {
    /// Consecutive lanes where the mask is true, else those of `passthru`.
    pub fn load_under_mask(&mut self, ty: Type, place: Amode, mask: Value, passthru: Option<Value>) -> Parts {
        let mask = self.get(mask);
        if ty.elem == Elem::Mask {
            let bytes = self.load_parts_under_mask(ty.with_elem(Elem::I8), place, &mask, None);
            let loaded = self.nonzero_lanes(&bytes);
            let Some(passthru) = passthru else {
                return loaded;
            };
            let passthru = self.get(passthru);
            return self.select_parts(&mask, &loaded, &passthru);
        }
        let passthru = passthru.map(|passthru| self.get(passthru));
        self.load_parts_under_mask(ty, place, &mask, passthru)
    }

    fn load_parts_under_mask(&mut self, ty: Type, place: Amode, mask: &Parts, passthru: Option<Parts>) -> Parts {
        let bytes = ty.elem.bytes();
        let size = self.part_size(ty.lanes, bytes);
        let masks = self.masks_of_parts(mask, bytes, true);
        let regs: Registers = masks
            .iter()
            .enumerate()
            .map(|(part, &mask)| {
                let from = self.plus(place, part as u32 * size.bytes());
                let dst = self.c.vec();
                let reg = match &passthru {
                    Some(passthru) => R::Tied(dst, passthru.regs[part]),
                    None => R::Def(dst),
                };
                let more = More {
                    mask: Some(mask),
                    zeroing: passthru.is_none(),
                    ..More::default()
                };
                self.c
                    .machine_with(moves(bytes)[0], size, reg, R::No, RmOf::Mem(from), Imm::No, more);
                dst
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// Stores consecutive lanes where the mask is true.
    pub fn store_under_mask(&mut self, value: &Parts, mask: &Parts, place: Amode) {
        let value = match value.ty.elem {
            Elem::Mask => self.mask_as_bytes(value),
            _ => value.clone(),
        };
        let size = value.size();
        let masks = self.masks_of_parts(mask, value.bytes, true);
        for (part, (&reg, &mask)) in value.regs.iter().zip(&masks).enumerate() {
            let to = self.plus(place, part as u32 * size.bytes());
            self.store_lanes_of(size, value.bytes, reg, mask, to);
        }
    }

    /// Loads the lanes of a register, so many bytes each, that are on in a mask register; the others are 0.
    pub fn load_lanes_of(&mut self, size: Size, bytes: u32, mask: VReg, from: Amode) -> VReg {
        let dst = self.c.vec();
        let more = More {
            mask: Some(mask),
            zeroing: true,
            ..More::default()
        };
        self.c
            .machine_with(moves(bytes)[0], size, R::Def(dst), R::No, RmOf::Mem(from), Imm::No, more);
        dst
    }

    /// Stores the lanes of a register, so many bytes each, that are on in a mask register.
    pub fn store_lanes_of(&mut self, size: Size, bytes: u32, reg: VReg, mask: VReg, to: Amode) {
        let more = More {
            mask: Some(mask),
            ..More::default()
        };
        self.c
            .machine_with(moves(bytes)[1], size, R::Use(reg), R::No, RmOf::Mem(to), Imm::No, more);
    }

    /// Gathers and scatters by the machine: lanes of 32 bits and more whose distances are not known, or which may be off.
    pub fn gathers_natively(&self, ty: Type, address: &Address, masked: bool) -> bool {
        let wide = ty.elem != Elem::Mask && ty.elem.bytes() >= 4;
        let one_by_one = || self.steps(address).is_some() || self.goes_along(address);
        self.c.target.masks && ty.is_vector() && wide && (masked || !one_by_one())
    }

    /// Each lane goes along memory of its own, iteration by iteration. What it comes to is seldom in the nearest cache; and a gather is so
    /// many micro-operations that the machine cannot begin with the next while it waits for one (Zen 4: a quarter of the time, lane by
    /// lane).
    fn goes_along(&self, address: &Address) -> bool {
        let is_vector = |value: Value| self.func.ty(value).is_vector();
        let iterations = address.index.map_or_else(
            || matches!(self.func.def(address.base), ValueDef::Param(..)),
            |index| !is_vector(index),
        );
        iterations && is_vector(address.base)
    }

    /// Loads lanes from addresses of their own where the mask is true, else those of `passthru`.
    pub fn gather_under_mask(&mut self, ty: Type, address: &Address, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        let bytes = ty.elem.bytes();
        let scattered = self.scattered(ty, address, mask);
        let others = match passthru {
            Some(passthru) => {
                let passthru = self.get(passthru);
                self.pieces_of(scattered.piece, &passthru)
            }
            None => {
                let zero = self.c.zero();
                Registers::from_elem(zero, scattered.masks.len())
            }
        };
        let op = match (scattered.index_bytes, bytes) {
            (4, 4) => &ops::VGATHERDD,
            (4, _) => &ops::VGATHERDQ,
            (_, 4) => &ops::VGATHERQD,
            _ => &ops::VGATHERQQ,
        };
        let pieces: Registers = (0..scattered.masks.len())
            .map(|part| {
                let (dst, left) = (self.c.vec(), self.c.mask());
                let more = More {
                    mask: Some(scattered.masks[part]),
                    left: Some(left),
                    ..More::default()
                };
                let from = RmOf::Mem(scattered.places[part]);
                self.c
                    .machine_with(op, scattered.size, R::Tied(dst, others[part]), R::No, from, Imm::No, more);
                dst
            })
            .collect();
        self.join_pieces_of(scattered.piece, ty, bytes, &pieces)
    }

    /// Stores lanes to addresses of their own where the mask is true; the last lanes last, as the machine does it.
    pub fn scatter_under_mask(&mut self, value: &Parts, address: &Address, mask: Option<Value>) {
        let scattered = self.scattered(value.ty, address, mask);
        let op = match (scattered.index_bytes, value.bytes) {
            (4, 4) => &ops::VSCATTERDD,
            (4, _) => &ops::VSCATTERDQ,
            (_, 4) => &ops::VSCATTERQD,
            _ => &ops::VSCATTERQQ,
        };
        let pieces = self.pieces_of(scattered.piece, value);
        for (part, &piece) in pieces.iter().enumerate() {
            let left = self.c.mask();
            let more = More {
                mask: Some(scattered.masks[part]),
                left: Some(left),
                ..More::default()
            };
            let to = RmOf::Mem(scattered.places[part]);
            self.c.machine_with(op, scattered.size, R::Use(piece), R::No, to, Imm::No, more);
        }
    }

    /// How the lanes of a gather or scatter fall into instructions.
    fn scattered(&mut self, ty: Type, address: &Address, mask: Option<Value>) -> Scattered {
        let bytes = ty.elem.bytes();
        let (base, indices, scale, disp) = self.vector_addresses(address);
        // As many lanes as the wider of both has in a register.
        let width = bytes.max(indices.bytes);
        let size = self.part_size(ty.lanes, width);
        let piece = if bytes < width { size.half() } else { size };
        let index_regs = match indices.bytes < width {
            true => self.pieces_of(size.half(), &indices),
            false => indices.regs.clone(),
        };
        let masks = match mask {
            Some(mask) => {
                let mask = self.get(mask);
                self.masks_of_parts(&mask, width, true)
            }
            None => {
                let lanes = u32::from(ty.lanes).min(size.bytes() / width);
                let ones = match lanes < size.bytes() / width {
                    true => self.mask_constant((1 << lanes) - 1),
                    false => self.mask_constant(u64::MAX),
                };
                Registers::from_elem(ones, index_regs.len())
            }
        };
        let places = index_regs.iter().map(|&index| Amode {
            base,
            index: Some((index, scale)),
            disp,
        });
        Scattered {
            size,
            piece,
            index_bytes: indices.bytes,
            places: places.collect(),
            masks,
        }
    }

    /// The bytes 0 and 1 that a mask is in memory.
    pub fn mask_as_bytes(&mut self, mask: &Parts) -> Parts {
        let bytes = self.mask_as_lanes(mask, 1);
        let (zero, size) = (self.c.zero(), bytes.size());
        let ones = self.map(&bytes, |s, part| s.c.v3(&ops::VPSUBB, size, zero, part));
        Parts::new(mask.ty.with_elem(Elem::I8), 1, ones.regs)
    }
}

/// A gather or scatter, instruction by instruction.
struct Scattered {
    /// The size of what is wider, lanes or indices.
    size: Size,
    /// The size of the lanes' registers.
    piece: Size,
    index_bytes: u32,
    places: Vec<Amode>,
    masks: Registers,
}
