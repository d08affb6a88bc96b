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

    /// Lanes of half as many bytes: the low halves. What fits takes a shorter way, masks as signed integers.
    pub fn halve_lanes(&mut self, a: &Parts, fits: Fits) -> Parts {
        let bytes = a.bytes / 2;
        let mut pieces = a.regs.clone();
        let mut size = a.size();
        if size == Size::Y && pieces.len() == 1 {
            pieces = self.pieces(a);
            size = Size::X;
        }
        if fits == Fits::Unknown && a.bytes < 8 {
            let low = self.splat_source(size, a.bytes, u64::MAX >> (64 - 8 * bytes));
            pieces = pieces.iter().map(|&piece| self.c.v3(&ops::VPAND, size, piece, low)).collect();
        }
        let regs: Registers = pieces
            .chunks(2)
            .map(|pair| {
                let (low, high) = (pair[0], pair.get(1).copied().unwrap_or(pair[0]));
                let packed = self.pack(size, a.bytes, fits == Fits::Signed, low, high);
                match size {
                    // What was packed half by half comes into order.
                    Size::Y => self.c.v2i(&ops::VPERMQ, Size::Y, packed, 0xd8),
                    _ => packed,
                }
            })
            .collect();
        Parts::new(a.ty, bytes, regs)
    }

    fn pack(&mut self, size: Size, bytes: u32, signed: bool, low: VReg, high: VReg) -> VReg {
        match (bytes, signed) {
            (8, _) => self.c.v3i(&ops::VSHUFPS, size, low, high, 0x88),
            (4, true) => self.c.v3(&ops::VPACKSSDW, size, low, high),
            (4, false) => self.c.v3(&ops::VPACKUSDW, size, low, high),
            (_, true) => self.c.v3(&ops::VPACKSSWB, size, low, high),
            (_, false) => self.c.v3(&ops::VPACKUSWB, size, low, high),
        }
    }

    /// Lanes of fewer bytes by the machine's truncations, which leave pieces of registers.
    fn narrow(&mut self, a: Parts, bytes: u32) -> Parts {
        let mut current = a;
        while current.bytes > bytes {
            let size = current.size();
            // Several pieces are joined, and must be 128 bits long for that.
            let ratio = match current.regs.len() {
                1 => current.bytes / bytes,
                _ => (current.bytes / bytes).min(size.bytes() / 16),
            };
            let to = current.bytes / ratio;
            let op = truncation(current.bytes, to);
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

    fn truncate_if(&mut self, a: &Parts, to: Type, fits: Fits) -> Parts {
        let mut current = a.clone();
        if self.c.target.masks {
            current = self.narrow(current, to.elem.bytes());
        }
        while current.bytes > to.elem.bytes() {
            current = self.halve_lanes(&current, fits);
        }
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
