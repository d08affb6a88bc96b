//! Mip levels (OpenCL C, section "Mipmapped Image Reads and Queries"): the record of a level is so many records behind the first, and an access
//! to it is like one to an image of its own.

use super::{Access, Known, Texel};
use core::mem::{offset_of, size_of};
use device::image::{ImageRecord, LevelRange};
use ir::*;

impl Access<'_> {
    /// A read of a level, or of the first.
    pub fn read_from(&self, b: &mut Builder, known: &Known, level: Option<Value>) -> Texel {
        let Some(level) = level else {
            return self.read(b, known);
        };
        if b.ty(level).elem == Elem::I32 {
            return self.read_one(b, known, level);
        }
        let level = self.level_as_float(b, level);
        if !known.sampler.has_linear_levels() || !known.format.encoding.is_float() {
            let half = b.f32(0.5);
            let below = b.fsub(level, half);
            let nearest = b.unary(UnaryOp::Ceil, below);
            let nearest = self.whole(b, nearest);
            return self.read_one(b, known, nearest);
        }
        let last = self.last_level(b);
        let last = b.convert(ConvertOp::SToF, Elem::F32, last);
        let level = bounded(b, level, None, last);
        let below = b.unary(UnaryOp::Floor, level);
        let part = b.fsub(level, below);
        let (zero, one) = (b.f32(0.0), b.f32(1.0));
        let rest = b.fsub(one, part);
        let exact = b.fcmp(FloatCc::Oeq, part, zero);
        let below = self.whole(b, below);
        let above = b.binary_imm(BinaryOp::Add, below, 1);
        let here = self.read_one(b, known, below);
        let there = self.read_one(b, known, above);
        let mut mixed = Texel::new();
        for (&here, &there) in here.iter().zip(&there) {
            // Halves are mixed as floats.
            let [low, high] = [here, there].map(|value| match b.ty(value).elem {
                Elem::F16 => b.convert(ConvertOp::FPromote, Elem::F32, value),
                _ => value,
            });
            let (low, high) = (b.fmul(low, rest), b.fmul(high, part));
            let sum = b.fadd(low, high);
            let sum = match b.ty(here).elem {
                Elem::F16 => b.convert(ConvertOp::FDemote, Elem::F16, sum),
                _ => sum,
            };
            // What the next level has no part in it does not spoil by an infinity, either.
            mixed.push(b.select(exact, here, sum));
        }
        mixed
    }

    /// A write to a level, or to the first.
    pub fn write_to(&self, b: &mut Builder, known: &Known, level: Option<Value>, texel: &[Value]) {
        match level {
            None => self.write(b, known, texel),
            Some(level) => {
                let handles = self.handles_of(b, level);
                self.with(&handles).write(b, known, texel);
            }
        }
    }

    /// A level as the device is told of it: a float within the sampler's range.
    pub fn level_as_float(&self, b: &mut Builder, level: Value) -> Value {
        let Some(&sampler) = self.handles.get(1) else {
            return b.convert(ConvertOp::SToF, Elem::F32, level);
        };
        let range = b.binary_imm(BinaryOp::LShr, sampler, 32);
        let range = b.convert(ConvertOp::Trunc, Elem::I32, range);
        let least = b.binary_imm(BinaryOp::And, range, 0xffff);
        let distance = b.binary_imm(BinaryOp::LShr, range, 16);
        let highest = b.i32(0xffff);
        let most = b.sub(highest, distance);
        let [least, most] = [least, most].map(|steps| {
            let steps = b.convert(ConvertOp::SToF, Elem::F32, steps);
            let step = b.f32(1.0 / LevelRange::STEPS as f32);
            b.fmul(steps, step)
        });
        bounded(b, level, Some(least), most)
    }

    fn read_one(&self, b: &mut Builder, known: &Known, level: Value) -> Texel {
        let handles = self.handles_of(b, level);
        self.with(&handles).read(b, known)
    }

    fn with<'a>(&'a self, handles: &'a [Value]) -> Access<'a> {
        Access { handles, ..*self }
    }

    /// A float that is not negative, as a whole number that is not beyond the last level.
    fn whole(&self, b: &mut Builder, level: Value) -> Value {
        let last = self.last_level(b);
        let last = b.convert(ConvertOp::SToF, Elem::F32, last);
        let level = bounded(b, level, None, last);
        b.convert(ConvertOp::FToS, Elem::I32, level)
    }

    fn last_level(&self, b: &mut Builder) -> Value {
        let levels = self.field(b, Type::I32, offset_of!(ImageRecord, levels));
        b.binary_imm(BinaryOp::Sub, levels, 1)
    }

    /// The handles, the image being a level of it, or the nearest that there is.
    fn handles_of(&self, b: &mut Builder, level: Value) -> ValueList {
        let last = self.last_level(b);
        let zero = b.i32(0);
        let level = b.binary(BinaryOp::SMax, level, zero);
        let level = b.binary(BinaryOp::SMin, level, last);
        let level = b.convert(ConvertOp::SExt, Elem::I64, level);
        let offset = b.binary_imm(BinaryOp::Mul, level, size_of::<ImageRecord>() as i64);
        let mut handles = ValueList::from_slice(self.handles);
        handles[0] = b.add(self.image(), offset);
        handles
    }
}

/// A float from `least` (or 0) to `most`; a NaN is the least.
fn bounded(b: &mut Builder, value: Value, least: Option<Value>, most: Value) -> Value {
    let least = least.unwrap_or_else(|| b.f32(0.0));
    let low = b.binary(BinaryOp::FMax, value, least);
    b.binary(BinaryOp::FMin, low, most)
}
