//! Integers and masks in lanes of another width.

use super::encode::{Imm, Op, Size};
use super::machine::{Amode, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Elem, Type, Value};
use regalloc2::VReg;

/// Whether lanes are what half of their bytes can be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fits {
    Unknown,
    Signed,
    Unsigned,
}

impl Selector<'_> {
    /// Lanes of more bytes. The type stays what it is.
    pub fn widen(&mut self, a: &Parts, bytes: u32, signed: bool) -> Parts {
        let (ratio, size) = (bytes / a.bytes, self.part_size(a.ty.lanes, bytes));
        let chunk = size.bytes() / ratio;
        let op = extension(a.bytes, bytes, signed);
        let piece_size = if chunk == 32 { Size::Y } else { Size::X };
        let pieces = self.pieces_of(piece_size, a);
        let regs: Registers = (0..self.part_count(a.ty.lanes, bytes) as u32)
            .map(|part| {
                let at = part * chunk;
                let piece = pieces[(at / piece_size.bytes()) as usize];
                let piece = match at % piece_size.bytes() {
                    0 => piece,
                    8 => self.c.v2i(&ops::VPSHUFD, Size::X, piece, 0xee),
                    by => self.c.v_shift(&ops::VPSHIFTQ_I8, 3, Size::X, piece, by as u8),
                };
                self.c.v2(op, size, piece)
            })
            .collect();
        Parts::new(a.ty, bytes, regs)
    }

    /// Integers to twice the width.
    pub fn extend(&mut self, signed: bool, a: &Parts) -> Parts {
        self.extend_to(signed, a, a.bytes * 2)
    }

    /// Integers to more bytes.
    pub fn extend_to(&mut self, signed: bool, a: &Parts, bytes: u32) -> Parts {
        let mut wide = if bytes == a.bytes {
            a.clone()
        } else {
            self.widen(a, bytes, signed)
        };
        wide.ty = a.ty.with_elem(int_elem(bytes));
        wide
    }

    /// Integers to more bytes, as they are loaded.
    pub fn extend_from_memory(&mut self, signed: bool, ty: Type, mem: Amode, bytes: u32) -> Parts {
        let size = self.part_size(ty.lanes, bytes);
        let op = extension(ty.elem.bytes(), bytes, signed);
        let step = (size.bytes() * ty.elem.bytes() / bytes) as i32;
        let places = (0..self.part_count(ty.lanes, bytes) as i32).map(|part| Amode {
            disp: mem.disp + part * step,
            ..mem
        });
        let regs: Registers = places.map(|place| self.c.v2(op, size, place)).collect();
        Parts::new(ty.with_elem(int_elem(bytes)), bytes, regs)
    }

    /// Lanes of fewer bytes by packs of two registers: the low parts, or for values outside of what `fits` says, what is nearest to them.
    pub fn pack_lanes(&mut self, a: &Parts, bytes: u32, fits: Fits) -> Parts {
        if a.bytes == bytes {
            return a.clone();
        }
        let (mut regs, mut size, mut width) = (a.regs.clone(), a.size(), a.bytes);
        if size == Size::Y && regs.len() == 1 {
            regs = self.pieces(a);
            size = Size::X;
        }
        let mut in_order = 1;
        if width == 8 && bytes < 8 {
            regs = self.pack(size, width, false, &regs);
            (width, in_order) = (4, 2);
        }
        if fits == Fits::Unknown && bytes < width {
            let low = self.splat_source(size, width, u64::MAX >> (64 - 8 * bytes));
            regs = regs.iter().map(|&piece| self.c.v3(&ops::VPAND, size, piece, low)).collect();
        }
        while width > bytes {
            // What fits the last is within the signed limits of those before.
            let signed = width / 2 > bytes || fits == Fits::Signed;
            regs = self.pack(size, width, signed, &regs);
            (width, in_order) = (width / 2, 2 * in_order);
        }
        if size == Size::Y {
            regs = regs.iter().map(|&packed| self.order_packed(in_order, packed)).collect();
        }
        Parts::new(a.ty, bytes, regs)
    }

    /// Two registers each become one of lanes of half as many bytes; a last one its own upper half.
    fn pack(&mut self, size: Size, bytes: u32, signed: bool, regs: &[VReg]) -> Registers {
        let op = match (bytes, signed) {
            (4, true) => &ops::VPACKSSDW,
            (4, false) => &ops::VPACKUSDW,
            (_, true) => &ops::VPACKSSWB,
            (_, false) => &ops::VPACKUSWB,
        };
        let packed = regs.chunks(2).map(|pair| {
            let (low, high) = (pair[0], pair.get(1).copied().unwrap_or(pair[0]));
            match bytes {
                8 => self.c.v3i(&ops::VSHUFPS, size, low, high, 0x88),
                _ => self.c.v3(op, size, low, high),
            }
        });
        packed.collect()
    }

    /// What was packed half by half, so many registers into one, comes into order: pieces of the lower halves and of the upper ones alternate.
    fn order_packed(&mut self, registers: usize, packed: VReg) -> VReg {
        match registers {
            1 => packed,
            2 => self.c.v2i(&ops::VPERMQ, Size::Y, packed, 0xd8),
            4 => {
                let order = self.vector_constant(Size::Y, |byte| [0, 4, 1, 5, 2, 6, 3, 7][byte / 4] * u8::from(byte % 4 == 0));
                self.c.v3(&ops::VPERMD, Size::Y, order, packed)
            }
            _ => {
                let quarters = self.order_packed(4, packed);
                let order = self.vector_constant(Size::Y, |byte| {
                    let pair = [0, 2, 1, 3][byte % 8 / 2];
                    (byte % 16 / 8 * 8 + pair * 2 + byte % 2) as u8
                });
                self.c.v3(&ops::VPSHUFB, Size::Y, quarters, order)
            }
        }
    }

    /// Lanes of fewer bytes by the machine's conversions, which leave pieces of registers: which one for so many bytes and so many less.
    pub fn narrow(&mut self, a: Parts, bytes: u32, by: impl Fn(u32, u32) -> &'static Op) -> Parts {
        let mut current = a;
        while current.bytes > bytes {
            let size = current.size();
            // Several pieces are joined, and must be 128 bits long for that.
            let ratio = match current.regs.len() {
                1 => current.bytes / bytes,
                _ => (current.bytes / bytes).min(size.bytes() / 16),
            };
            let to = current.bytes / ratio;
            let op = by(current.bytes, to);
            let pieces: Registers = current.regs.iter().map(|&part| self.narrow_part(op, size, part)).collect();
            let piece = if size.bytes() / ratio == 32 { Size::Y } else { Size::X };
            current = self.join_pieces_of(piece, current.ty, to, &pieces);
        }
        current
    }

    /// One part, truncated.
    pub fn narrow_part(&mut self, op: &'static Op, size: Size, part: VReg) -> VReg {
        let dst = self.c.vec();
        self.c.machine(op, size, R::Use(part), R::No, RmOf::Def(dst), Imm::No);
        dst
    }

    /// The low bits of integers, down to the width of `to`.
    pub fn truncate(&mut self, a: &Parts, to: Type) -> Parts {
        self.truncate_if(a, to, Fits::Unknown)
    }

    /// The same of a value of the IR, of which more may be known.
    pub fn truncate_value(&mut self, value: Value, a: &Parts, to: Type) -> Parts {
        let fits = if self.is_at_most(value, u64::MAX >> (64 - to.elem.bits())) {
            Fits::Unsigned
        } else {
            Fits::Unknown
        };
        self.truncate_if(a, to, fits)
    }

    /// The low bits, or for values outside of what `fits` says, what is nearest to them where there are no mask registers.
    pub fn truncate_if(&mut self, a: &Parts, to: Type, fits: Fits) -> Parts {
        let mut current = match self.c.target.masks {
            true => self.narrow(a.clone(), to.elem.bytes(), truncation),
            false => self.pack_lanes(a, to.elem.bytes(), fits),
        };
        current.ty = to;
        current
    }
}

/// The instruction that truncates lanes.
fn truncation(from: u32, to: u32) -> &'static Op {
    match (from, to) {
        (2, _) => &ops::VPMOVWB_RM,
        (4, 2) => &ops::VPMOVDW_RM,
        (4, _) => &ops::VPMOVDB_RM,
        (_, 4) => &ops::VPMOVQD_RM,
        (_, 2) => &ops::VPMOVQW_RM,
        _ => &ops::VPMOVQB_RM,
    }
}

/// The integer type of so many bytes.
pub fn int_elem(bytes: u32) -> Elem {
    match bytes {
        1 => Elem::I8,
        2 => Elem::I16,
        4 => Elem::I32,
        _ => Elem::I64,
    }
}

fn extension(from: u32, to: u32, signed: bool) -> &'static Op {
    match (from, to, signed) {
        (1, 2, true) => &ops::VPMOVSXBW,
        (1, 4, true) => &ops::VPMOVSXBD,
        (1, _, true) => &ops::VPMOVSXBQ,
        (2, 4, true) => &ops::VPMOVSXWD,
        (2, _, true) => &ops::VPMOVSXWQ,
        (_, _, true) => &ops::VPMOVSXDQ,
        (1, 2, false) => &ops::VPMOVZXBW,
        (1, 4, false) => &ops::VPMOVZXBD,
        (1, _, false) => &ops::VPMOVZXBQ,
        (2, 4, false) => &ops::VPMOVZXWD,
        (2, _, false) => &ops::VPMOVZXWQ,
        (_, _, false) => &ops::VPMOVZXDQ,
    }
}
