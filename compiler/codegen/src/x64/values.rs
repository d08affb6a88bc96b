//! The way from parts of a value ([`super::parts`]) to its lanes and back, constants, and lanes that are all the same.

use super::encode::{Imm, Op, Size};
use super::machine::{Amode, Base, R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::selector::Selector;
use super::widths::Fits;
use ir::{Elem, Type};
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

impl Selector<'_> {
    /// The size of a part of a vector.
    pub fn part_size(&self, lanes: u16, bytes: u32) -> Size {
        self.c.target.part_size(lanes, bytes)
    }

    /// How many parts a vector has.
    pub fn part_count(&self, lanes: u16, bytes: u32) -> usize {
        self.c.target.part_count(lanes, bytes)
    }

    /// Bytes among the function's constants.
    pub fn pooled(&mut self, bytes: &[u8]) -> Amode {
        let offset = match self.pool.get(bytes) {
            Some(&offset) => offset,
            None => {
                let pool = &mut self.c.pool;
                let offset = pool.len().next_multiple_of(bytes.len());
                pool.resize(offset, 0);
                pool.extend_from_slice(bytes);
                self.pool.insert(bytes.into(), offset as u32);
                offset as u32
            }
        };
        Amode::new(Base::Pool(offset), 0)
    }

    /// A part by its bytes, in memory.
    pub fn pooled_part(&mut self, size: Size, byte: impl Fn(usize) -> u8) -> Amode {
        let data: SmallVec<[u8; 64]> = (0..size.bytes() as usize).map(byte).collect();
        self.pooled(&data)
    }

    /// Each lane of a part the same bits, in memory.
    pub fn pooled_splat(&mut self, size: Size, bytes: u32, bits: u64) -> Amode {
        let lanes = u64::MAX / (u64::MAX >> (64 - 8 * bytes));
        let all = bits & (u64::MAX >> (64 - 8 * bytes));
        let data = [all.wrapping_mul(lanes).to_le_bytes(); 8];
        self.pooled(&data.as_flattened()[..size.bytes() as usize])
    }

    /// A part by its bytes, in a register.
    pub fn vector_constant(&mut self, size: Size, byte: impl Fn(usize) -> u8) -> VReg {
        let mem = self.pooled_part(size, byte);
        self.c.v2(&ops::VMOVUPS, size, mem)
    }

    /// Each lane of a part the same bits, in a register.
    pub fn splat_bits(&mut self, size: Size, bytes: u32, bits: u64) -> VReg {
        let ones = u64::MAX >> (64 - 8 * bytes);
        match bits & ones {
            0 => self.c.zero(),
            all if all == ones => self.c.ones(),
            _ if self.c.target.masks => {
                let unit = if bytes == 8 { Size::Q } else { Size::D };
                let mem = self.pooled_splat(unit, bytes, bits);
                self.broadcast(size, unit.bytes(), mem)
            }
            _ => {
                let mem = self.pooled_splat(size, bytes, bits);
                self.c.v2(&ops::VMOVUPS, size, mem)
            }
        }
    }

    /// The same, in memory or a register, whichever is cheaper.
    pub fn splat_source(&mut self, size: Size, bytes: u32, bits: u64) -> Src {
        let ones = u64::MAX >> (64 - 8 * bytes);
        match bits & ones {
            0 => Src::Reg(self.c.zero()),
            all if all == ones => Src::Reg(self.c.ones()),
            _ => Src::Mem(self.pooled_splat(size, bytes, bits)),
        }
    }

    /// The same for operations that spread an element of `bytes` bytes as they read it, where there are such.
    pub fn spread_source(&mut self, size: Size, bytes: u32, bits: u64) -> Src {
        let ones = u64::MAX >> (64 - 8 * bytes);
        let trivial = [0, ones].contains(&(bits & ones));
        match self.c.target.masks && bytes >= 4 && !trivial {
            true => Src::Broadcast(self.pooled(&bits.to_le_bytes()[..bytes as usize])),
            false => self.splat_source(size, bytes, bits),
        }
    }

    /// A scalar constant.
    pub fn scalar_bits(&mut self, elem: Elem, bits: u64) -> VReg {
        match (elem, bits) {
            (Elem::F32 | Elem::F64, 0) => self.c.zero(),
            (Elem::F32, _) => {
                let mem = self.pooled(&(bits as u32).to_le_bytes());
                self.c.v2(&ops::VMOVSS, Size::X, mem)
            }
            (Elem::F64, _) => {
                let mem = self.pooled(&bits.to_le_bytes());
                self.c.v2(&ops::VMOVSD, Size::X, mem)
            }
            _ => self.c.constant(bits),
        }
    }

    /// A constant of any type.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Parts {
        if !ty.is_vector() {
            let reg = self.scalar_bits(ty.elem, bits);
            return Parts::scalar(ty, reg);
        }
        if self.c.target.in_mask_register(ty) {
            let reg = self.mask_constant(0u64.wrapping_sub(bits & 1));
            return Parts::mask_register(ty, reg);
        }
        let bytes = self.c.target.canonical_bytes(ty);
        let bits = if ty.elem == Elem::Mask { 0u64.wrapping_sub(bits & 1) } else { bits };
        let part = self.splat_bits(self.part_size(ty.lanes, bytes), bytes, bits);
        Parts::new(ty, bytes, vec![part; self.part_count(ty.lanes, bytes)])
    }

    /// The 128 bits of a vector in which byte `at` is, in the low half of a register.
    pub fn sixteen_bytes(&mut self, parts: &Parts, at: u32) -> VReg {
        let size = parts.size();
        let reg = parts.regs[(at / size.bytes()) as usize];
        match at % size.bytes() / 16 {
            0 => reg,
            piece => self.c.v_rm(&ops::VEXTRACTI128_RM, size, reg, piece as u8),
        }
    }

    /// One lane as a scalar. A mask's lane comes as 0 or 1.
    pub fn lane(&mut self, parts: &Parts, lane: u32) -> VReg {
        if parts.in_mask_register() {
            return self.mask_lane(parts, lane);
        }
        let reg = self.raw_lane(parts, lane);
        match parts.ty.elem {
            Elem::Mask if parts.ty.is_vector() => self.c.alu_i(super::build::Alu::And, Size::D, reg, 1),
            _ => reg,
        }
    }

    /// The same, but a mask's lane as it is: in its lowest bytes all ones or 0.
    pub fn raw_lane(&mut self, parts: &Parts, lane: u32) -> VReg {
        if !parts.ty.is_vector() {
            return parts.regs[0];
        }
        let at = lane * parts.bytes;
        let reg = self.sixteen_bytes(parts, at);
        self.lane_of_register(parts.ty.elem, parts.bytes, reg, at % 16 / parts.bytes)
    }

    /// A lane of 128 bits as a scalar.
    pub fn lane_of_register(&mut self, elem: Elem, bytes: u32, reg: VReg, lane: u32) -> VReg {
        let extract = |s: &mut Self, op: &'static Op| s.c.v_to_int_rm(op, Size::X, reg, Imm::I8(lane as u8));
        match (elem, bytes, lane) {
            (Elem::F32 | Elem::F64, _, 0) => reg,
            (Elem::F32, ..) => self.c.v2i(&ops::VPSHUFD, Size::X, reg, lane as u8),
            (Elem::F64, ..) => self.c.v2i(&ops::VPSHUFD, Size::X, reg, 0xee),
            (_, 1, _) => extract(self, &ops::VPEXTRB_RM),
            (_, 2, _) => extract(self, &ops::VPEXTRW_RM),
            (_, 4, 0) => self.c.v_low_to_int(Size::D, reg),
            (_, 4, _) => extract(self, &ops::VPEXTRD_RM),
            (_, _, 0) => self.c.v_low_to_int(Size::Q, reg),
            _ => extract(self, &ops::VPEXTRQ_RM),
        }
    }

    /// A register with a scalar in a lane of its 128 bits.
    pub fn insert_in_register(&mut self, elem: Elem, bytes: u32, into: VReg, scalar: VReg, lane: u32) -> VReg {
        let imm = lane as u8;
        match (elem, bytes) {
            (Elem::F32, _) => self.c.v3i(&ops::VINSERTPS, Size::X, into, scalar, imm << 4),
            (Elem::F64, _) if lane == 0 && self.c.target.masks => {
                let dst = self.c.vec();
                self.c
                    .machine(&ops::VMOVSD, Size::X, R::Def(dst), R::Use(into), RmOf::Reg(scalar), Imm::No);
                dst
            }
            (Elem::F64, _) if lane == 0 => self.c.v3i(&ops::VPBLENDD, Size::X, into, scalar, 3),
            (Elem::F64, _) => self.c.v3(&ops::VPUNPCKLQDQ, Size::X, into, scalar),
            (_, 1) => self.c.v3i(&ops::VPINSRB, Size::X, into, scalar, imm),
            (_, 2) => self.c.v3i(&ops::VPINSRW, Size::X, into, scalar, imm),
            (_, 4) => self.c.v3i(&ops::VPINSRD, Size::X, into, scalar, imm),
            _ => self.c.v3i(&ops::VPINSRQ, Size::X, into, scalar, imm),
        }
    }

    /// A register whose first lane is a scalar, and the others anything.
    pub fn first_of_part(&mut self, elem: Elem, bytes: u32, scalar: VReg) -> VReg {
        match elem {
            Elem::F32 | Elem::F64 => scalar,
            _ => self.c.int_to_v(if bytes == 8 { Size::Q } else { Size::D }, scalar),
        }
    }

    /// Two halves of a register.
    pub fn join_halves(&mut self, low: VReg, high: VReg) -> VReg {
        self.c.v3i(&ops::VINSERTI128, Size::Y, low, high, 1)
    }

    /// A vector of these scalars.
    pub fn join_lanes(&mut self, ty: Type, lanes: &[VReg]) -> Parts {
        if !ty.is_vector() {
            return Parts::scalar(ty, lanes[0]);
        }
        if ty.elem == Elem::Mask {
            // Built as bytes 0 or 1, then spread over the lanes.
            let bits = self.join_lanes(ty.with_elem(Elem::I8), lanes);
            if self.c.target.masks {
                return self.nonzero_lanes(&bits);
            }
            let zero = self.c.zero();
            let size = bits.size();
            let regs: Registers = bits.regs.iter().map(|&part| self.c.v3(&ops::VPSUBB, size, zero, part)).collect();
            return Parts::new(ty, 1, regs);
        }
        let bytes = ty.elem.bytes();
        let pieces: Registers = lanes
            .chunks((16 / bytes) as usize)
            .map(|lanes| {
                let mut value = self.first_of_part(ty.elem, bytes, lanes[0]);
                for (index, &lane) in lanes.iter().enumerate().skip(1) {
                    value = self.insert_in_register(ty.elem, bytes, value, lane, index as u32);
                }
                value
            })
            .collect();
        self.join_pieces(ty, bytes, &pieces)
    }

    /// A vector of pieces of 128 bits.
    pub fn join_pieces(&mut self, ty: Type, bytes: u32, pieces: &[VReg]) -> Parts {
        self.join_pieces_of(Size::X, ty, bytes, pieces)
    }

    /// A vector of pieces of 128 or 256 bits, or whole registers.
    pub fn join_pieces_of(&mut self, piece: Size, ty: Type, bytes: u32, pieces: &[VReg]) -> Parts {
        let whole = self.part_size(ty.lanes, bytes);
        let mut regs = Registers::from_slice(pieces);
        if piece == Size::X && whole > Size::X {
            regs = regs.chunks(2).map(|pair| self.join_halves(pair[0], pair[1])).collect();
        }
        if piece < Size::Z && whole == Size::Z {
            regs = regs
                .chunks(2)
                .map(|pair| self.c.v3i(&ops::VINSERTI64X4, Size::Z, pair[0], pair[1], 1))
                .collect();
        }
        Parts::new(ty, bytes, regs)
    }

    /// A vector's pieces of 128 bits.
    pub fn pieces(&mut self, parts: &Parts) -> Registers {
        self.pieces_of(Size::X, parts)
    }

    /// A vector's pieces of 128 or 256 bits.
    pub fn pieces_of(&mut self, piece: Size, parts: &Parts) -> Registers {
        let size = parts.size();
        if size <= piece {
            return parts.regs.clone();
        }
        let op = if piece == Size::X {
            &ops::VEXTRACTI128_RM
        } else {
            &ops::VEXTRACTI64X4_RM
        };
        let count = (size.bytes() / piece.bytes()) as u8;
        parts
            .regs
            .iter()
            .flat_map(|&reg| {
                (0..count)
                    .map(|number| if number == 0 { reg } else { self.c.v_rm(op, size, reg, number) })
                    .collect::<Registers>()
            })
            .collect()
    }

    /// The same scalar in each lane.
    pub fn splat(&mut self, ty: Type, scalar: VReg) -> Parts {
        if !ty.is_vector() {
            return Parts::scalar(ty, scalar);
        }
        let scalar = match ty.elem {
            Elem::Mask => self.c.group3(3, Size::D, scalar),
            _ => scalar,
        };
        if self.c.target.in_mask_register(ty) {
            let reg = self.mask_of_int(scalar);
            return Parts::mask_register(ty, reg);
        }
        let bytes = self.c.target.canonical_bytes(ty);
        let size = self.part_size(ty.lanes, bytes);
        let part = match scalar.class() {
            RegClass::Int if self.c.target.masks => self.broadcast_int(size, bytes, scalar),
            _ => {
                let low = self.first_of_part(ty.elem, bytes, scalar);
                self.broadcast(size, bytes, low)
            }
        };
        Parts::new(ty, bytes, vec![part; self.part_count(ty.lanes, bytes)])
    }

    /// The lowest lane of a register in all lanes.
    pub fn broadcast(&mut self, size: Size, bytes: u32, low: impl Into<Src>) -> VReg {
        let op = match bytes {
            1 => &ops::VPBROADCASTB,
            2 => &ops::VPBROADCASTW,
            4 => &ops::VPBROADCASTD,
            _ => &ops::VPBROADCASTQ,
        };
        self.c.v2(op, size, low)
    }

    /// A general register in all lanes; there must be mask registers.
    fn broadcast_int(&mut self, size: Size, bytes: u32, scalar: VReg) -> VReg {
        let op = match bytes {
            1 => &ops::VPBROADCASTB_INT,
            2 => &ops::VPBROADCASTW_INT,
            4 => &ops::VPBROADCASTD_INT,
            _ => &ops::VPBROADCASTQ_INT,
        };
        let dst = self.c.vec();
        self.c.machine(op, size, R::Def(dst), R::No, RmOf::Reg(scalar), Imm::No);
        dst
    }

    /// Does something to each part.
    pub fn map(&mut self, parts: &Parts, mut each: impl FnMut(&mut Self, VReg) -> VReg) -> Parts {
        let regs: Registers = parts.regs.iter().map(|&part| each(self, part)).collect();
        Parts {
            ty: parts.ty,
            bytes: parts.bytes,
            regs,
        }
    }

    /// Does something to the parts of two values held alike; the result has the first one's type.
    pub fn zip(&mut self, a: &Parts, b: &Parts, mut each: impl FnMut(&mut Self, VReg, VReg) -> VReg) -> Parts {
        let regs: Registers = a.regs.iter().zip(&b.regs).map(|(&a, &b)| each(self, a, b)).collect();
        Parts {
            ty: a.ty,
            bytes: a.bytes,
            regs,
        }
    }

    /// One operation with two operands on each part.
    pub fn zip_op(&mut self, op: &'static Op, a: &Parts, b: &Sources) -> Parts {
        let size = a.size();
        let regs: Registers = a.regs.iter().zip(b).map(|(&a, &b)| self.c.v3(op, size, a, b)).collect();
        Parts {
            ty: a.ty,
            bytes: a.bytes,
            regs,
        }
    }

    /// One operation with one operand on each part.
    pub fn map_op(&mut self, op: &'static Op, a: &Parts) -> Parts {
        let size = a.size();
        self.map(a, |s, part| s.c.v2(op, size, part))
    }

    /// A mask as a vector of lanes of `bytes` bytes, 0 or all ones, whether there are mask registers or not.
    pub fn mask_as_lanes(&mut self, mask: &Parts, bytes: u32) -> Parts {
        match mask.in_mask_register() {
            true => self.lanes_of_mask(mask, bytes),
            false => self.mask(mask, bytes),
        }
    }

    /// A vector of 0 or all ones as masks are held; other vectors as they are.
    pub fn as_mask_is_held(&mut self, lanes: &Parts) -> Parts {
        match self.c.target.in_mask_register(lanes.ty) {
            true => self.mask_of_lanes(lanes),
            false => lanes.clone(),
        }
    }

    /// A mask in lanes of `bytes` bytes; as it is where there are mask registers.
    pub fn mask(&mut self, mask: &Parts, bytes: u32) -> Parts {
        if !mask.ty.is_vector() || mask.bytes == bytes || mask.in_mask_register() {
            return mask.clone();
        }
        if mask.bytes < bytes {
            return self.widen(mask, bytes, true);
        }
        self.pack_lanes(mask, bytes, Fits::Signed)
    }
}
