//! How values of the IR are held: which Cranelift types, how many parts, and the way from parts to lanes and back.
//!
//! A scalar is one Cranelift value; f16 and bf16 are their bits in an `i16`, a mask is an `i8` of 0 or 1. A vector is 128-bit parts, its
//! lanes in order; where it has less than 128 bits the upper lanes of its only part are anything. The lanes of a mask are 0 or all ones, as
//! wide as what was compared to make it; [`Emitter::mask`] gives them in the width that the user of the mask needs.

use super::emit::Emitter;
use cranelift_codegen::ir::{self as clif, Endianness, InstBuilder, MemFlagsData, types};
use ir::{Elem, Type};
use smallvec::SmallVec;

/// Cranelift values, a register each.
pub type Registers = SmallVec<[clif::Value; 4]>;

/// The bytes that a mask's lane takes where nothing else decides: in parameters of blocks and functions.
pub const MASK_BYTES: u32 = 4;

/// A value of the IR as Cranelift values.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Its type.
    pub ty: Type,
    /// Bytes of a lane in a register; for vector masks this varies.
    pub bytes: u32,
    /// The registers.
    pub regs: Registers,
}

/// The Cranelift type of one lane.
pub fn lane_type(elem: Elem, bytes: u32) -> clif::Type {
    match elem {
        Elem::F32 => types::F32,
        Elem::F64 => types::F64,
        _ => match bytes {
            1 => types::I8,
            2 => types::I16,
            4 => types::I32,
            _ => types::I64,
        },
    }
}

/// The Cranelift type of a scalar.
pub fn scalar_type(elem: Elem) -> clif::Type {
    lane_type(elem, elem.bytes())
}

/// The Cranelift type of a 128-bit part.
pub fn part_type(elem: Elem, bytes: u32) -> clif::Type {
    match lane_type(elem, bytes) {
        types::F32 => types::F32X4,
        types::F64 => types::F64X2,
        types::I8 => types::I8X16,
        types::I16 => types::I16X8,
        types::I32 => types::I32X4,
        _ => types::I64X2,
    }
}

/// The integer vector with lanes of so many bytes.
pub fn int_part(bytes: u32) -> clif::Type {
    part_type(Elem::I8, bytes)
}

/// How many parts `lanes` lanes of `bytes` bytes take.
pub fn part_count(lanes: u16, bytes: u32) -> usize {
    ((u32::from(lanes) * bytes).div_ceil(16)) as usize
}

/// Bytes that a lane takes in parameters.
pub fn canonical_bytes(ty: Type) -> u32 {
    match ty.elem {
        Elem::Mask if ty.is_vector() => MASK_BYTES,
        elem => elem.bytes(),
    }
}

/// The Cranelift types of a value in parameters.
pub fn canonical_types(ty: Type) -> SmallVec<[clif::Type; 4]> {
    let bytes = canonical_bytes(ty);
    match ty.is_vector() {
        false => SmallVec::from_slice(&[lane_type(ty.elem, bytes)]),
        true => SmallVec::from_elem(part_type(ty.elem, bytes), part_count(ty.lanes, bytes)),
    }
}

impl Parts {
    /// A scalar.
    pub fn scalar(ty: Type, value: clif::Value) -> Parts {
        Parts {
            ty,
            bytes: ty.elem.bytes(),
            regs: SmallVec::from_slice(&[value]),
        }
    }

    /// A vector that is no mask, or a mask in lanes of `bytes` bytes.
    pub fn new(ty: Type, bytes: u32, regs: impl IntoIterator<Item = clif::Value>) -> Parts {
        Parts {
            ty,
            bytes,
            regs: regs.into_iter().collect(),
        }
    }

    /// Lanes in a part.
    pub fn lanes_per_part(&self) -> u32 {
        16 / self.bytes
    }

    /// The Cranelift type of its parts, or of the scalar.
    pub fn clif_type(&self) -> clif::Type {
        match self.ty.is_vector() {
            true => part_type(self.ty.elem, self.bytes),
            false => lane_type(self.ty.elem, self.bytes),
        }
    }

    /// The upper lanes of its only part are not lanes of the value.
    pub fn is_partial(&self) -> bool {
        self.ty.is_vector() && u32::from(self.ty.lanes) * self.bytes < 16
    }
}

impl Emitter<'_> {
    /// The same bits as another Cranelift type of the same size.
    pub fn cast(&mut self, to: clif::Type, value: clif::Value) -> clif::Value {
        if self.b.func.dfg.value_type(value) == to {
            return value;
        }
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        self.ins().bitcast(to, flags, value)
    }

    /// Each lane of a part the same bits.
    pub fn splat_bits(&mut self, part: clif::Type, bits: u64) -> clif::Value {
        let bytes = (part.lane_bits() / 8) as usize;
        self.vector_constant(part, |byte| (bits >> (8 * (byte % bytes))) as u8)
    }

    /// A part by its bytes.
    pub fn vector_constant(&mut self, part: clif::Type, byte: impl Fn(usize) -> u8) -> clif::Value {
        let data: [u8; 16] = core::array::from_fn(byte);
        let constant = self.b.func.dfg.constants.insert(clif::ConstantData::from(&data[..]));
        self.ins().vconst(part, constant)
    }

    /// A scalar constant.
    pub fn scalar_bits(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        match ty {
            types::F32 => self.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.ins().f64const(f64::from_bits(bits)),
            _ => {
                let unused = 64 - ty.bits();
                self.ins().iconst(ty, ((bits << unused) as i64) >> unused)
            }
        }
    }

    /// A constant of any type.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Parts {
        if !ty.is_vector() {
            let value = self.scalar_bits(scalar_type(ty.elem), bits);
            return Parts::scalar(ty, value);
        }
        let bytes = canonical_bytes(ty);
        let bits = if ty.elem == Elem::Mask { 0u64.wrapping_sub(bits & 1) } else { bits };
        let part = self.splat_bits(part_type(ty.elem, bytes), bits);
        Parts::new(ty, bytes, SmallVec::<[_; 4]>::from_elem(part, part_count(ty.lanes, bytes)))
    }

    /// One lane as a scalar. A mask's lane comes as 0 or 1.
    pub fn lane(&mut self, parts: &Parts, lane: u32) -> clif::Value {
        if !parts.ty.is_vector() {
            return parts.regs[0];
        }
        let per_part = parts.lanes_per_part();
        let value = self
            .ins()
            .extractlane(parts.regs[(lane / per_part) as usize], (lane % per_part) as u8);
        match parts.ty.elem {
            Elem::Mask => {
                let byte = self.narrow_int(types::I8, value);
                self.ins().band_imm_s(byte, 1)
            }
            _ => value,
        }
    }

    /// A vector of these scalars.
    pub fn join_lanes(&mut self, ty: Type, lanes: &[clif::Value]) -> Parts {
        if !ty.is_vector() {
            return Parts::scalar(ty, lanes[0]);
        }
        if ty.elem == Elem::Mask {
            // Built as bytes 0 or 1, then spread over the lanes.
            let bits = self.join_lanes(ty.with_elem(Elem::I8), lanes);
            let regs: Registers = bits.regs.iter().map(|&part| self.ins().ineg(part)).collect();
            return Parts::new(ty, 1, regs);
        }
        let bytes = ty.elem.bytes();
        let part = part_type(ty.elem, bytes);
        let mut regs = Registers::new();
        for lanes in lanes.chunks((16 / bytes) as usize) {
            let mut value = self.first_of_part(part, lanes[0]);
            for (index, &lane) in lanes.iter().enumerate().skip(1) {
                value = self.ins().insertlane(value, lane, index as u8);
            }
            regs.push(value);
        }
        Parts::new(ty, bytes, regs)
    }

    /// A part whose first lane is a scalar, and the others anything.
    pub fn first_of_part(&mut self, part: clif::Type, scalar: clif::Value) -> clif::Value {
        if part != types::I8X16 {
            return self.ins().scalar_to_vector(part, scalar);
        }
        // There is no such move of bytes.
        let word = self.ins().uextend(types::I32, scalar);
        let words = self.ins().scalar_to_vector(types::I32X4, word);
        self.cast(part, words)
    }

    /// The same scalar in each lane.
    pub fn splat(&mut self, ty: Type, scalar: clif::Value) -> Parts {
        if !ty.is_vector() {
            return Parts::scalar(ty, scalar);
        }
        let bytes = canonical_bytes(ty);
        let scalar = match ty.elem {
            Elem::Mask => self.ins().bmask(lane_type(ty.elem, bytes), scalar),
            _ => scalar,
        };
        let part = self.ins().splat(part_type(ty.elem, bytes), scalar);
        Parts::new(ty, bytes, SmallVec::<[_; 4]>::from_elem(part, part_count(ty.lanes, bytes)))
    }

    /// Does something to each part.
    pub fn map(&mut self, parts: &Parts, mut each: impl FnMut(&mut Self, clif::Value) -> clif::Value) -> Parts {
        let regs: Registers = parts.regs.iter().map(|&part| each(self, part)).collect();
        Parts::new(parts.ty, parts.bytes, regs)
    }

    /// Does something to the parts of two values held alike; the result has the first one's type.
    pub fn zip(&mut self, a: &Parts, b: &Parts, mut each: impl FnMut(&mut Self, clif::Value, clif::Value) -> clif::Value) -> Parts {
        let regs: Registers = a.regs.iter().zip(&b.regs).map(|(&a, &b)| each(self, a, b)).collect();
        Parts::new(a.ty, a.bytes, regs)
    }

    /// A mask in lanes of `bytes` bytes.
    pub fn mask(&mut self, mask: &Parts, bytes: u32) -> Parts {
        let mut mask = mask.clone();
        if !mask.ty.is_vector() {
            return mask;
        }
        while mask.bytes < bytes {
            mask = self.widen_mask(&mask);
        }
        while mask.bytes > bytes {
            mask = self.narrow_mask(&mask);
        }
        mask
    }

    fn widen_mask(&mut self, mask: &Parts) -> Parts {
        let bytes = mask.bytes * 2;
        let regs: Registers = (0..part_count(mask.ty.lanes, bytes))
            .map(|part| match part % 2 {
                0 => self.ins().swiden_low(mask.regs[part / 2]),
                _ => self.ins().swiden_high(mask.regs[part / 2]),
            })
            .collect();
        Parts::new(mask.ty, bytes, regs)
    }

    fn narrow_mask(&mut self, mask: &Parts) -> Parts {
        let bytes = mask.bytes / 2;
        let regs: Registers = (0..part_count(mask.ty.lanes, bytes))
            .map(|part| {
                let low = mask.regs[2 * part];
                let high = mask.regs.get(2 * part + 1).copied().unwrap_or(low);
                match bytes {
                    4 => self.even_words(low, high),
                    _ => self.ins().snarrow(low, high),
                }
            })
            .collect();
        Parts::new(mask.ty, bytes, regs)
    }

    /// The low halves of four 64-bit lanes, as 32-bit lanes.
    pub fn even_words(&mut self, low: clif::Value, high: clif::Value) -> clif::Value {
        let shuffled = self.shuffle(low, high, |byte| {
            let lane = byte / 4;
            (lane % 2 * 8 + lane / 2 * 16 + byte % 4) as u8
        });
        self.cast(types::I32X4, shuffled)
    }

    /// A byte shuffle of two parts; `source` says for each byte of the result which of the 32 it is. Gives an `i8x16`.
    pub fn shuffle(&mut self, a: clif::Value, b: clif::Value, source: impl Fn(usize) -> u8) -> clif::Value {
        let bytes: [u8; 16] = core::array::from_fn(source);
        let (a, b) = (self.cast(types::I8X16, a), self.cast(types::I8X16, b));
        let immediate = self.b.func.dfg.immediates.push(clif::ConstantData::from(&bytes[..]));
        self.ins().shuffle(a, b, immediate)
    }

    /// A scalar integer in no more bits.
    pub fn narrow_int(&mut self, to: clif::Type, value: clif::Value) -> clif::Value {
        let from = self.b.func.dfg.value_type(value);
        if from == to { value } else { self.ins().ireduce(to, value) }
    }
}
