//! From coordinates to texels: addressing and filter modes (OpenCL SPIR-V Environment, section "Addressing and Filter Modes").
//!
//! No coordinate leads out of the image: infinities and NaNs, with which everything is undefined, lead somewhere inside.

use device::image::{Addressing, SamplerWord};
use ir::*;
use smallvec::SmallVec;

/// A coordinate, and the image's size along it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// An `i32` or `f32`.
    pub coordinate: Value,
    /// An `i32`.
    pub size: Value,
    /// It is a layer's number.
    pub layer: bool,
}

/// A texel along one axis.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Its number, an `i32` inside the image.
    pub index: Value,
    /// The place that is meant is inside; none where it is for certain.
    pub inside: Option<Value>,
}

impl Spot {
    /// One that is inside.
    pub fn inside(index: Value) -> Spot {
        Spot { index, inside: None }
    }
}

/// All of some conditions; none of none.
pub fn both(b: &mut Builder, conditions: impl Iterator<Item = Value>) -> Option<Value> {
    let conditions: SmallVec<[Value; 3]> = conditions.collect();
    conditions.into_iter().reduce(|a, c| b.and(a, c))
}

/// The integer that a coordinate is the floor of, if it can be seen: itself, or what was made a float of it, perhaps with a part of one added
/// (the middle of a texel). Numbers too large for that to be exact are far outside of any image.
pub fn whole_number(func: &Function, coordinate: Value) -> Option<Value> {
    if func.ty(coordinate).elem == Elem::I32 {
        return Some(coordinate);
    }
    match func.def_data(coordinate)? {
        InstData::Convert {
            op: ConvertOp::SToF, arg, ..
        } if func.ty(*arg).elem == Elem::I32 => Some(*arg),
        InstData::Binary {
            op: BinaryOp::FAdd,
            args: [a, c],
        } => {
            let part = |value: Value| {
                let part = func.constant(value).map(|bits| f32::from_bits(bits as u32));
                part.is_some_and(|part| (0.0..1.0).contains(&part))
            };
            let (number, other) = if part(*a) { (*c, *a) } else { (*a, *c) };
            let plain = matches!(func.def_data(number), Some(InstData::Convert { .. }));
            if plain && part(other) { whole_number(func, number) } else { None }
        }
        _ => None,
    }
}

impl Axis {
    fn is_float(&self, b: &Builder) -> bool {
        b.ty(self.coordinate).elem.is_float()
    }

    fn last(&self, b: &mut Builder) -> Value {
        b.binary_imm(BinaryOp::Sub, self.size, 1)
    }

    fn clamp_int(&self, b: &mut Builder, index: Value) -> Value {
        let last = self.last(b);
        let zero = b.i32(0);
        let low = b.binary(BinaryOp::SMax, index, zero);
        b.binary(BinaryOp::SMin, low, last)
    }

    /// An index that may be outside, as the addressing mode has it; `clamped` is the index brought inside.
    fn spot(&self, b: &mut Builder, sampler: SamplerWord, index: Value) -> Spot {
        let inside = match sampler.addressing() {
            Addressing::Clamp => Some(b.icmp(IntCc::Ult, index, self.size)),
            _ => None,
        };
        Spot {
            index: self.clamp_int(b, index),
            inside,
        }
    }

    /// The coordinate is inside: for writes, whose coordinates are integers.
    pub fn holds(&self, b: &mut Builder) -> Value {
        b.icmp(IntCc::Ult, self.coordinate, self.size)
    }

    /// Where the lanes' coordinates are known to be neighbours: a lane's index, and whether it is inside. The index is put together in a way
    /// that shows that it does not wrap, which holds where all lanes are inside.
    pub fn neighbours(&self, b: &mut Builder, no_wrap: bool) -> Option<(Value, Value)> {
        let x = whole_number(b.func, self.coordinate)?;
        let inside = b.icmp(IntCc::Ult, x, self.size);
        if no_wrap {
            return Some((x, inside));
        }
        let lane = b.builtin(Builtin::SubGroupLocalId, 0);
        let first = b.sub(x, lane);
        b.flags = Flags::NSW;
        let again = b.add(first, lane);
        b.flags = Flags::empty();
        Some((again, inside))
    }

    /// The texel of the nearest filter.
    pub fn nearest(&self, b: &mut Builder, sampler: SamplerWord) -> Spot {
        if self.layer {
            return self.layer(b);
        }
        if !sampler.is_normalized() {
            if let Some(index) = whole_number(b.func, self.coordinate) {
                return self.spot(b, sampler, index);
            }
            let whole = b.unary(UnaryOp::Floor, self.coordinate);
            return self.clamped(b, sampler, whole);
        }
        let (u, size) = self.texels(b, sampler);
        let whole = b.unary(UnaryOp::Floor, u);
        match sampler.addressing() {
            Addressing::Repeat => {
                let index = self.index_of(b, whole, 0.0);
                let over = b.icmp(IntCc::Sge, index, self.size);
                let wrapped = b.sub(index, self.size);
                let index = b.select(over, wrapped, index);
                // A NaN, or a fraction that is rounded up to one.
                Spot::inside(self.clamp_int(b, index))
            }
            Addressing::MirroredRepeat => Spot::inside(self.clamp_float(b, whole, size)),
            _ => self.clamped(b, sampler, whole),
        }
    }

    /// The texels of the linear filter, and what each counts for.
    pub fn linear(&self, b: &mut Builder, sampler: SamplerWord) -> SmallVec<[(Spot, Option<Value>); 2]> {
        if self.layer {
            return SmallVec::from_iter([(self.layer(b), None)]);
        }
        let (u, size) = self.texels(b, sampler);
        let (half, one) = (b.f32(0.5), b.f32(1.0));
        let x = b.binary(BinaryOp::FSub, u, half);
        let whole = b.unary(UnaryOp::Floor, x);
        let weight = b.fsub(x, whole);
        let rest = b.fsub(one, weight);
        let (low, high) = match sampler.addressing() {
            Addressing::Repeat if sampler.is_normalized() => {
                let low = self.index_of(b, whole, -1.0);
                let high = b.binary_imm(BinaryOp::Add, low, 1);
                let below = b.icmp_imm(IntCc::Slt, low, 0);
                let wrapped = b.add(low, self.size);
                let low = b.select(below, wrapped, low);
                let over = b.icmp(IntCc::Sge, high, self.size);
                let wrapped = b.sub(high, self.size);
                let high = b.select(over, wrapped, high);
                (Spot::inside(self.clamp_int(b, low)), Spot::inside(self.clamp_int(b, high)))
            }
            Addressing::Clamp => {
                // Far enough outside for both texels to be, and no farther than integers go.
                let (below, above) = (b.f32(-2.0), size);
                let bounded = b.binary(BinaryOp::FMax, whole, below);
                let bounded = b.binary(BinaryOp::FMin, bounded, above);
                let low = b.convert(ConvertOp::FToS, Elem::I32, bounded);
                let high = b.binary_imm(BinaryOp::Add, low, 1);
                (self.spot(b, sampler, low), self.spot(b, sampler, high))
            }
            _ => {
                let next = b.fadd(whole, one);
                (
                    Spot::inside(self.clamp_float(b, whole, size)),
                    Spot::inside(self.clamp_float(b, next, size)),
                )
            }
        };
        SmallVec::from_iter([(low, Some(rest)), (high, Some(weight))])
    }

    /// The texels of the linear filter are neighbours, or both the one at an edge: nothing wraps around, and nothing is border.
    pub fn has_neighbours(sampler: SamplerWord) -> bool {
        match sampler.addressing() {
            Addressing::Clamp => false,
            Addressing::Repeat => !sampler.is_normalized(),
            _ => true,
        }
    }

    /// The first of two texels side by side, and what they count for; the number of a layer, and nothing.
    ///
    /// At an edge the texel there counts for all. There must be two texels at least ([`Axis::has_neighbours`] says for which samplers).
    pub fn neighbourhood(&self, b: &mut Builder, sampler: SamplerWord) -> (Value, Option<[Value; 2]>) {
        if self.layer {
            return (self.layer(b).index, None);
        }
        let (u, size) = self.texels(b, sampler);
        let (zero, half, one, two) = (b.f32(0.0), b.f32(0.5), b.f32(1.0), b.f32(2.0));
        let last = b.fsub(size, one);
        let x = b.fsub(u, half);
        let x = b.binary(BinaryOp::FMax, x, zero);
        let x = b.binary(BinaryOp::FMin, x, last);
        let whole = b.unary(UnaryOp::Floor, x);
        let last_but_one = b.fsub(size, two);
        let first = b.binary(BinaryOp::FMin, whole, last_but_one);
        let weight = b.fsub(x, first);
        let rest = b.fsub(one, weight);
        let index = b.convert(ConvertOp::FToS, Elem::I32, first);
        (index, Some([rest, weight]))
    }

    /// The coordinate in texels, before the filter's floor, and the size as a float.
    fn texels(&self, b: &mut Builder, sampler: SamplerWord) -> (Value, Value) {
        let s = match self.is_float(b) {
            true => self.coordinate,
            false => b.convert(ConvertOp::SToF, Elem::F32, self.coordinate),
        };
        let size = b.convert(ConvertOp::SToF, Elem::F32, self.size);
        if !sampler.is_normalized() {
            return (s, size);
        }
        let part = match sampler.addressing() {
            Addressing::Repeat => {
                let whole = b.unary(UnaryOp::Floor, s);
                b.fsub(s, whole)
            }
            Addressing::MirroredRepeat => {
                let half = b.f32(0.5);
                let halved = b.fmul(s, half);
                let nearest = b.unary(UnaryOp::Nearest, halved);
                let even = b.fadd(nearest, nearest);
                let distance = b.fsub(s, even);
                b.unary(UnaryOp::FAbs, distance)
            }
            _ => s,
        };
        (b.fmul(part, size), size)
    }

    /// A whole float as an index, at least `least`; also a NaN.
    fn index_of(&self, b: &mut Builder, whole: Value, least: f32) -> Value {
        let least = b.f32(least);
        let bounded = b.binary(BinaryOp::FMax, whole, least);
        b.convert(ConvertOp::FToS, Elem::I32, bounded)
    }

    /// A whole float as an index inside.
    fn clamp_float(&self, b: &mut Builder, whole: Value, size: Value) -> Value {
        let (zero, one) = (b.f32(0.0), b.f32(1.0));
        let last = b.fsub(size, one);
        let low = b.binary(BinaryOp::FMax, whole, zero);
        let both = b.binary(BinaryOp::FMin, low, last);
        b.convert(ConvertOp::FToS, Elem::I32, both)
    }

    /// A whole float, which may be outside, under an addressing mode that clamps.
    fn clamped(&self, b: &mut Builder, sampler: SamplerWord, whole: Value) -> Spot {
        let size = b.convert(ConvertOp::SToF, Elem::F32, self.size);
        match sampler.addressing() {
            Addressing::Clamp => {
                let below = b.f32(-1.0);
                let bounded = b.binary(BinaryOp::FMax, whole, below);
                let bounded = b.binary(BinaryOp::FMin, bounded, size);
                let index = b.convert(ConvertOp::FToS, Elem::I32, bounded);
                self.spot(b, sampler, index)
            }
            _ => Spot::inside(self.clamp_float(b, whole, size)),
        }
    }

    fn layer(&self, b: &mut Builder) -> Spot {
        if !self.is_float(b) {
            return Spot::inside(self.clamp_int(b, self.coordinate));
        }
        let whole = b.unary(UnaryOp::Nearest, self.coordinate);
        let size = b.convert(ConvertOp::SToF, Elem::F32, self.size);
        Spot::inside(self.clamp_float(b, whole, size))
    }
}
