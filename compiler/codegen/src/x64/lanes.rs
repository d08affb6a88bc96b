//! Operations across lanes: broadcast, extraction, votes. Permutations are in [`super::permute`], reductions and scans in [`super::reduce`].

use super::build::{Alu, Shift};
use super::encode::{Imm, Op, Size};
use super::machine::{Amode, Cc, More, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::target::MASK_BYTES;
use ir::{Elem, LaneOp, Type, Value, eval};
use regalloc2::VReg;
use smallvec::SmallVec;

impl Selector<'_> {
    /// [`ir::InstData::Lane`].
    pub fn lane_op(&mut self, op: LaneOp, ty: Type, args: &[Value]) -> Result<Parts, String> {
        Ok(match op {
            LaneOp::Splat => {
                if let Some(&mem) = self.folded_loads.get(&args[0]) {
                    let bytes = ty.elem.bytes();
                    let part = self.broadcast(self.part_size(ty.lanes, bytes), bytes, mem);
                    return Ok(Parts::new(ty, bytes, vec![part; self.part_count(ty.lanes, bytes)]));
                }
                let scalar = self.scalar(args[0]);
                self.splat(ty, scalar)
            }
            LaneOp::Iota => self.iota(ty),
            LaneOp::Extract(lane) => {
                let vector = self.get(args[0]);
                if lane >= vector.ty.lanes {
                    return Err(format!("there is no lane {lane}"));
                }
                let value = self.lane(&vector, u32::from(lane));
                Parts::scalar(ty, value)
            }
            LaneOp::ExtractDynamic => {
                let vector = self.get(args[0]);
                let index = self.scalar(args[1]);
                self.extract_dynamic(&vector, index)
            }
            LaneOp::Insert(lane) => {
                let (vector, scalar) = (self.get(args[0]), self.scalar(args[1]));
                if lane >= vector.ty.lanes {
                    return Err(format!("there is no lane {lane}"));
                }
                self.insert(&vector, scalar, u32::from(lane))
            }
            LaneOp::Permute => match eval::constant_permutation(self.func, [args[0], args[1]]) {
                Some(indices) => {
                    let vector = self.get(args[0]);
                    self.permute_constant(&vector, &indices)
                }
                None => {
                    let (vector, indices) = (self.get(args[0]), self.get(args[1]));
                    self.permute(&vector, &indices)
                }
            },
            LaneOp::MaskBits => {
                let mask = self.get(args[0]);
                let bits = self.mask_bits(&mask);
                Parts::scalar(ty, bits)
            }
            LaneOp::BitsMask => {
                let bits = self.scalar(args[0]);
                self.bits_mask(ty, bits)
            }
            LaneOp::AnyTrue | LaneOp::AllTrue => {
                let mask = self.get(args[0]);
                if !mask.ty.is_vector() {
                    return Ok(mask);
                }
                let cc = if op == LaneOp::AnyTrue {
                    self.test_any(&mask)
                } else {
                    self.test_all(&mask)
                };
                let value = self.c.setcc(cc);
                Parts::scalar(ty, value)
            }
            LaneOp::Reduce(op) => self.reduce(op, args[0], args[1]),
            LaneOp::InclusiveScan(op) => self.scan(op, args[0], args[1], true),
            LaneOp::ExclusiveScan(op) => self.scan(op, args[0], args[1], false),
            LaneOp::Compress => self.compress(args[0], args[1]),
            LaneOp::Expand => self.expand(args[0], args[1]),
        })
    }

    /// The lanes' numbers.
    pub fn iota(&mut self, ty: Type) -> Parts {
        if !ty.is_vector() {
            return self.constant(ty, 0);
        }
        let bytes = ty.elem.bytes();
        let size = self.part_size(ty.lanes, bytes);
        let memory = self.iota_in_memory(ty);
        let regs: Registers = memory.into_iter().map(|mem| self.c.v2(&ops::VMOVUPS, size, mem)).collect();
        Parts::new(ty, bytes, regs)
    }

    /// The same, among the function's constants.
    pub fn iota_in_memory(&mut self, ty: Type) -> SmallVec<[Amode; 4]> {
        let bytes = ty.elem.bytes() as usize;
        let size = self.part_size(ty.lanes, bytes as u32);
        let per_part = size.bytes() as usize / bytes;
        (0..self.part_count(ty.lanes, bytes as u32))
            .map(|part| {
                self.pooled_part(size, |byte| {
                    let lane = part * per_part + byte / bytes;
                    if byte % bytes == 0 { lane as u8 } else { 0 }
                })
            })
            .collect()
    }

    /// A vector with its masks as bytes 0 or all ones, so that each lane has its own bytes in memory.
    pub fn in_memory_form(&mut self, vector: &Parts) -> Parts {
        if vector.ty.elem == Elem::Mask {
            self.mask_as_lanes(vector, 1)
        } else {
            vector.clone()
        }
    }

    /// A lane loaded from memory where masks are bytes 0 or all ones; a mask's lane comes as 0 or 1.
    pub fn load_lane(&mut self, elem: Elem, from: Amode) -> VReg {
        let value = self.load_scalar_bits(elem, from);
        if elem == Elem::Mask { self.lowest_bit(value) } else { value }
    }

    /// A lane number in a general register, modulo the lanes.
    pub fn lane_number(&mut self, lanes: u16, index: VReg) -> VReg {
        self.c.alu_i(Alu::And, Size::D, index, i64::from(lanes - 1))
    }

    fn extract_dynamic(&mut self, vector: &Parts, index: VReg) -> Parts {
        if !vector.ty.is_vector() {
            return vector.clone();
        }
        let vector = self.in_memory_form(vector);
        let start = self.spill(&vector, 0);
        let lane = self.lane_number(vector.ty.lanes, index);
        let from = Amode::lane(start, lane, vector.bytes);
        let value = self.load_lane(vector.ty.elem, from);
        Parts::scalar(vector.ty.with_lanes(1), value)
    }

    fn insert(&mut self, vector: &Parts, scalar: VReg, lane: u32) -> Parts {
        if !vector.ty.is_vector() {
            return Parts::scalar(vector.ty, scalar);
        }
        let scalar = match vector.ty.elem {
            Elem::Mask if vector.in_mask_register() => {
                let bits = self.mask_to_int(vector);
                let others = self.c.alu_i(Alu::And, Size::D, bits, !(1i64 << lane));
                let bit = self.c.shift_i(Shift::Shl, Size::D, scalar, lane as u8);
                let bits = self.c.alu(Alu::Or, Size::D, others, bit);
                let reg = self.mask_of_int(bits);
                return Parts::mask_register(vector.ty, reg);
            }
            Elem::Mask => {
                let negated = self.c.group3(3, Size::D, scalar);
                self.extended_to_64(Elem::I32, true, negated)
            }
            _ => scalar,
        };
        let at = lane * vector.bytes;
        let part = (at / vector.size().bytes()) as usize;
        let piece = self.sixteen_bytes(vector, at);
        let piece = self.insert_in_register(vector.ty.elem, vector.bytes, piece, scalar, at % 16 / vector.bytes);
        let mut result = vector.clone();
        result.regs[part] = match vector.size() {
            Size::Z => {
                let place = (at % 64 / 16) as u8;
                self.c.v3i(&ops::VINSERTI128, Size::Z, vector.regs[part], piece, place)
            }
            Size::Y if at % 32 >= 16 => self.join_halves(vector.regs[part], piece),
            Size::Y if self.c.target.masks => self.c.v3i(&ops::VINSERTI128, Size::Y, vector.regs[part], piece, 0),
            Size::Y => self.blend_words(Size::Y, vector.regs[part], piece, 0x0f),
            _ => piece,
        };
        result
    }

    /// Bit `i` is lane `i`, as an `i32`.
    pub fn mask_bits(&mut self, mask: &Parts) -> VReg {
        if !mask.ty.is_vector() {
            return mask.regs[0];
        }
        if mask.in_mask_register() {
            return self.mask_to_int(mask);
        }
        let mut mask = mask.clone();
        // Lanes of 16 bits have no such instruction, and several registers are packed into one.
        while mask.bytes == 2 || (mask.regs.len() > 1 && mask.bytes > 1) {
            let bytes = mask.bytes / 2;
            mask = self.mask(&mask, bytes);
        }
        let op = match mask.bytes {
            1 => &ops::VPMOVMSKB,
            4 => &ops::VMOVMSKPS,
            _ => &ops::VMOVMSKPD,
        };
        let bits = self.c.v_to_int(op, mask.size(), mask.regs[0]);
        match mask.is_partial() {
            true => self.c.alu_i(Alu::And, Size::D, bits, (1i64 << mask.ty.lanes) - 1),
            false => bits,
        }
    }

    /// Lane `i` is bit `i` of an `i32`.
    fn bits_mask(&mut self, ty: Type, bits: VReg) -> Parts {
        if !ty.is_vector() {
            let bit = self.lowest_bit(bits);
            return Parts::scalar(ty, bit);
        }
        if self.c.target.masks {
            let reg = self.mask_of_int(bits);
            return Parts::mask_register(ty, reg);
        }
        let size = self.part_size(ty.lanes, MASK_BYTES);
        let low = self.c.int_to_v(Size::D, bits);
        let spread = self.broadcast(size, 4, low);
        let per_part = size.bytes() as usize / 4;
        let regs: Registers = (0..self.part_count(ty.lanes, MASK_BYTES))
            .map(|part| {
                let own = self.vector_constant(size, |byte| ((1u64 << (part * per_part + byte / 4)) >> (8 * (byte % 4))) as u8);
                let bit = self.c.v3(&ops::VPAND, size, spread, own);
                self.c.v3(&ops::VPCMPEQD, size, bit, own)
            })
            .collect();
        Parts::new(ty, MASK_BYTES, regs)
    }

    /// The parts of a mask combined into one.
    fn combine_parts(&mut self, op: &'static Op, mask: &Parts) -> VReg {
        let size = mask.size();
        let mut all = mask.regs[0];
        for &part in &mask.regs[1..] {
            all = self.c.v3(op, size, all, part);
        }
        all
    }

    /// Sets the flags by a mask; gives the condition under which some lane is true.
    pub fn test_any(&mut self, mask: &Parts) -> Cc {
        if !mask.ty.is_vector() {
            self.c.test(Size::D, mask.regs[0], mask.regs[0]);
            return Cc::Ne;
        }
        if mask.in_mask_register() {
            return self.mask_test(mask, false);
        }
        let any = self.combine_parts(&ops::VPOR, mask);
        let (bits, _) = self.lane_bits(mask, any);
        self.c.test(Size::D, bits, bits);
        Cc::Ne
    }

    /// The same for all lanes.
    pub fn test_all(&mut self, mask: &Parts) -> Cc {
        if !mask.ty.is_vector() {
            self.c.test(Size::D, mask.regs[0], mask.regs[0]);
            return Cc::Ne;
        }
        if mask.in_mask_register() {
            return self.mask_test(mask, true);
        }
        let all = self.combine_parts(&ops::VPAND, mask);
        let (bits, ones) = self.lane_bits(mask, all);
        self.c.cmp_i(Size::D, bits, i64::from(ones as i32));
        Cc::E
    }

    /// Some bits of each lane of a part of a mask, and how they are where all lanes are true.
    fn lane_bits(&mut self, mask: &Parts, part: VReg) -> (VReg, u32) {
        let size = mask.size();
        let (op, count) = match mask.bytes {
            4 => (&ops::VMOVMSKPS, size.bytes() / 4),
            8 => (&ops::VMOVMSKPD, size.bytes() / 8),
            _ => (&ops::VPMOVMSKB, size.bytes()),
        };
        let bits = self.c.v_to_int(op, size, part);
        if !mask.is_partial() {
            return (bits, u32::MAX >> (32 - count));
        }
        let count = if mask.bytes < 4 {
            u32::from(mask.ty.lanes) * mask.bytes
        } else {
            u32::from(mask.ty.lanes)
        };
        let ones = u32::MAX >> (32 - count);
        let bits = self.c.alu_i(Alu::And, Size::D, bits, i64::from(ones));
        (bits, ones)
    }

    fn compress(&mut self, value: Value, mask: Value) -> Parts {
        if !self.func.ty(value).is_vector() {
            return self.get(value);
        }
        if let Some(packed) = self.moved_by_machine([&ops::VPCOMPRESSD_RM, &ops::VPCOMPRESSQ_RM], value, mask) {
            return packed;
        }
        let (vector, bits) = self.vector_and_bits(value, mask);
        let lanes = u32::from(vector.ty.lanes);
        let start = self.buffer(0, (lanes * vector.bytes).max(32));
        let mut address = self.c.lea(start);
        for lane in 0..lanes {
            let value = self.raw_lane(&vector, lane);
            let elem = vector.ty.elem.in_memory();
            self.store_scalar(elem, value, Amode::reg(address, 0));
            address = self.step_if_set(address, bits, lane, vector.bytes);
        }
        let packed = self.reload(vector.ty, vector.bytes, 0);
        self.as_mask_is_held(&packed)
    }

    fn expand(&mut self, value: Value, mask: Value) -> Parts {
        if !self.func.ty(value).is_vector() {
            return self.get(value);
        }
        if let Some(spread) = self.moved_by_machine([&ops::VPEXPANDD, &ops::VPEXPANDQ], value, mask) {
            return spread;
        }
        let (vector, bits) = self.vector_and_bits(value, mask);
        let start = self.spill(&vector, 0);
        let mut address = self.c.lea(start);
        let mut lanes = Vec::new();
        for lane in 0..u32::from(vector.ty.lanes) {
            lanes.push(self.load_lane(vector.ty.elem, Amode::reg(address, 0)));
            if lane + 1 < u32::from(vector.ty.lanes) {
                address = self.step_if_set(address, bits, lane, vector.bytes);
            }
        }
        self.join_lanes(vector.ty, &lanes)
    }

    /// Compression or expansion of a vector of one register, whose lanes have 32 or 64 bits, where there are mask registers.
    fn moved_by_machine(&mut self, [words, quads]: [&'static Op; 2], value: Value, mask: Value) -> Option<Parts> {
        let vector = self.get(value);
        if !self.c.target.masks || vector.regs.len() != 1 || !matches!(vector.bytes, 4 | 8) {
            return None;
        }
        let mask = self.get(mask);
        let more = More {
            mask: Some(self.masks_of_parts(&mask, vector.bytes, true)[0]),
            zeroing: true,
            ..More::default()
        };
        let (dst, source, size) = (self.c.vec(), vector.regs[0], vector.size());
        let op = if vector.bytes == 4 { words } else { quads };
        // Compression has its result where others have a source.
        let (reg, rm) = match op.code {
            0x8b => (R::Use(source), RmOf::Def(dst)),
            _ => (R::Def(dst), RmOf::Reg(source)),
        };
        self.c.machine_with(op, size, reg, R::No, rm, Imm::No, more);
        Some(Parts::new(vector.ty, vector.bytes, [dst]))
    }

    fn vector_and_bits(&mut self, value: Value, mask: Value) -> (Parts, VReg) {
        let vector = self.get(value);
        let vector = self.in_memory_form(&vector);
        let mask = self.get(mask);
        let bits = self.mask_bits(&mask);
        (vector, bits)
    }

    /// The next lane's address if bit `lane` is on.
    fn step_if_set(&mut self, address: VReg, bits: VReg, lane: u32, bytes: u32) -> VReg {
        let bit = match lane {
            0 => bits,
            _ => self.c.shift_i(Shift::Shr, Size::D, bits, lane as u8),
        };
        let bit = self.lowest_bit(bit);
        self.c.lea(Amode {
            base: super::machine::Base::Reg(address),
            index: Some((bit, bytes.ilog2() as u8)),
            disp: 0,
        })
    }
}
