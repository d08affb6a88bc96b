//! Operations across lanes: broadcast, extraction, votes. Permutations are in [`super::permute`], reductions and scans in [`super::reduce`].

use super::emit::Emitter;
use super::values::{Parts, Registers, int_part, lane_type, part_count, scalar_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{Elem, LaneOp, Type, Value, eval};

impl Emitter<'_> {
    /// [`ir::InstData::Lane`].
    pub fn lane_op(&mut self, op: LaneOp, ty: Type, args: &[Value]) -> Result<Parts, String> {
        Ok(match op {
            LaneOp::Splat => {
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
            LaneOp::AnyTrue => {
                let mask = self.get(args[0]);
                let any = self.any_true(&mask);
                Parts::scalar(ty, any)
            }
            LaneOp::AllTrue => {
                let mask = self.get(args[0]);
                let all = self.all_true(&mask);
                Parts::scalar(ty, all)
            }
            LaneOp::Reduce(op) => self.reduce(op, args[0], args[1]),
            LaneOp::InclusiveScan(op) => self.scan(op, args[0], args[1], true),
            LaneOp::ExclusiveScan(op) => self.scan(op, args[0], args[1], false),
            LaneOp::Compress => self.compress(args[0], args[1]),
            LaneOp::Expand => self.expand(args[0], args[1]),
        })
    }

    fn iota(&mut self, ty: Type) -> Parts {
        let bytes = ty.elem.bytes() as usize;
        if !ty.is_vector() {
            return self.constant(ty, 0);
        }
        let per_part = 16 / bytes;
        let regs: Registers = (0..part_count(ty.lanes, bytes as u32))
            .map(|part| {
                self.vector_constant(int_part(bytes as u32), |byte| {
                    let lane = part * per_part + byte / bytes;
                    if byte % bytes == 0 { lane as u8 } else { 0 }
                })
            })
            .collect();
        Parts::new(ty, bytes as u32, regs)
    }

    /// A vector with its masks as bytes 0 or all ones, so that each lane has its own bytes in memory.
    pub fn in_memory_form(&mut self, vector: &Parts) -> Parts {
        if vector.ty.elem == Elem::Mask {
            self.mask(vector, 1)
        } else {
            vector.clone()
        }
    }

    pub fn lane_address(&mut self, start: clif::Value, lanes: u16, bytes: u32, index: clif::Value) -> clif::Value {
        let index = self.as_i32(index);
        let index = self.ins().band_imm_u(index, i64::from(lanes - 1));
        let index = self.ins().uextend(types::I64, index);
        let offset = self.ins().imul_imm_u(index, i64::from(bytes));
        self.ins().iadd(start, offset)
    }

    /// A lane loaded from memory where masks are bytes 0 or all ones; a mask's lane comes as 0 or 1.
    pub fn load_lane(&mut self, elem: Elem, address: clif::Value) -> clif::Value {
        let value = self
            .ins()
            .load(scalar_type(elem), clif::MemFlagsData::new().with_notrap(), address, 0);
        if elem == Elem::Mask {
            self.ins().band_imm_s(value, 1)
        } else {
            value
        }
    }

    fn extract_dynamic(&mut self, vector: &Parts, index: clif::Value) -> Parts {
        let vector = self.in_memory_form(vector);
        let start = self.spill(&vector, 0);
        let address = self.lane_address(start, vector.ty.lanes, vector.bytes, index);
        let value = self.load_lane(vector.ty.elem, address);
        Parts::scalar(vector.ty.with_lanes(1), value)
    }

    fn insert(&mut self, vector: &Parts, scalar: clif::Value, lane: u32) -> Parts {
        let scalar = match vector.ty.elem {
            Elem::Mask => self.ins().bmask(lane_type(Elem::Mask, vector.bytes), scalar),
            _ => scalar,
        };
        let mut result = vector.clone();
        let per_part = vector.lanes_per_part();
        let reg = &mut result.regs[(lane / per_part) as usize];
        *reg = self.ins().insertlane(*reg, scalar, (lane % per_part) as u8);
        result
    }

    /// Bit `i` is lane `i`, as an `i32`.
    pub fn mask_bits(&mut self, mask: &Parts) -> clif::Value {
        if !mask.ty.is_vector() {
            return self.ins().uextend(types::I32, mask.regs[0]);
        }
        let mut mask = mask.clone();
        while mask.regs.len() > 1 && mask.bytes > 1 {
            let bytes = mask.bytes / 2;
            mask = self.mask(&mask, bytes);
        }
        let lanes = u32::from(mask.ty.lanes);
        let low = self.ins().vhigh_bits(types::I32, mask.regs[0]);
        match mask.regs.get(1) {
            Some(&upper) => {
                let high = self.ins().vhigh_bits(types::I32, upper);
                let high = self.ins().ishl_imm_u(high, 16);
                self.ins().bor(low, high)
            }
            None if mask.is_partial() => self.ins().band_imm_u(low, (1i64 << lanes) - 1),
            None => low,
        }
    }

    /// Lane `i` is bit `i` of an `i32`.
    fn bits_mask(&mut self, ty: Type, bits: clif::Value) -> Parts {
        if !ty.is_vector() {
            let bit = self.ins().band_imm_s(bits, 1);
            let bit = self.ins().ireduce(types::I8, bit);
            return Parts::scalar(ty, bit);
        }
        let spread = self.ins().splat(types::I32X4, bits);
        let regs: Registers = (0..part_count(ty.lanes, 4))
            .map(|part| {
                let own = self.vector_constant(types::I32X4, |byte| ((1u32 << (part * 4 + byte / 4)) >> (8 * (byte % 4))) as u8);
                let bit = self.ins().band(spread, own);
                self.ins().icmp(IntCC::Equal, bit, own)
            })
            .collect();
        Parts::new(ty, 4, regs)
    }

    /// Some lane is true, as 0 or 1.
    pub fn any_true(&mut self, mask: &Parts) -> clif::Value {
        if !mask.ty.is_vector() {
            return mask.regs[0];
        }
        let mut all = mask.regs[0];
        for &part in &mask.regs[1..] {
            all = self.ins().bor(all, part);
        }
        if mask.is_partial() {
            let lanes = self.own_lanes(mask);
            all = self.ins().band(all, lanes);
        }
        self.ins().vany_true(all)
    }

    /// All lanes are true, as 0 or 1.
    pub fn all_true(&mut self, mask: &Parts) -> clif::Value {
        if !mask.ty.is_vector() {
            return mask.regs[0];
        }
        let mut all = mask.regs[0];
        for &part in &mask.regs[1..] {
            all = self.ins().band(all, part);
        }
        if mask.is_partial() {
            let lanes = self.own_lanes(mask);
            let others = self.ins().bnot(lanes);
            all = self.ins().bor(all, others);
        }
        self.ins().vall_true(all)
    }

    /// All ones in those lanes of the only part that are lanes of the value.
    fn own_lanes(&mut self, mask: &Parts) -> clif::Value {
        let used = usize::from(mask.ty.lanes) * mask.bytes as usize;
        self.vector_constant(mask.clif_type(), |byte| if byte < used { 0xff } else { 0 })
    }

    fn compress(&mut self, value: Value, mask: Value) -> Parts {
        let vector = self.get(value);
        let vector = self.in_memory_form(&vector);
        let mask = self.get(mask);
        let bits = self.mask_bits(&mask);
        let mut address = self.buffer(0, u32::from(vector.ty.lanes) * vector.bytes);
        for lane in 0..u32::from(vector.ty.lanes) {
            let value = self.raw_lane(&vector, lane);
            self.ins().store(clif::MemFlagsData::new().with_notrap(), value, address, 0);
            address = self.step_if_set(address, bits, lane, vector.bytes);
        }
        self.reload(vector.ty, vector.bytes, 0)
    }

    fn expand(&mut self, value: Value, mask: Value) -> Parts {
        let vector = self.get(value);
        let vector = self.in_memory_form(&vector);
        let mask = self.get(mask);
        let bits = self.mask_bits(&mask);
        let mut address = self.spill(&vector, 0);
        let mut lanes = Vec::new();
        for lane in 0..u32::from(vector.ty.lanes) {
            lanes.push(self.load_lane(vector.ty.elem, address));
            if lane + 1 < u32::from(vector.ty.lanes) {
                address = self.step_if_set(address, bits, lane, vector.bytes);
            }
        }
        self.join_lanes(vector.ty, &lanes)
    }

    /// The next lane's address if bit `lane` is on.
    fn step_if_set(&mut self, address: clif::Value, bits: clif::Value, lane: u32, bytes: u32) -> clif::Value {
        let bit = self.ins().ushr_imm_u(bits, i64::from(lane));
        let bit = self.ins().band_imm_u(bit, 1);
        let bit = self.ins().uextend(types::I64, bit);
        let step = self.ins().imul_imm_u(bit, i64::from(bytes));
        self.ins().iadd(address, step)
    }

    /// A lane as it is in the register: a mask's lane as 0 or all ones.
    pub fn raw_lane(&mut self, vector: &Parts, lane: u32) -> clif::Value {
        let per_part = vector.lanes_per_part();
        self.ins()
            .extractlane(vector.regs[(lane / per_part) as usize], (lane % per_part) as u8)
    }
}
