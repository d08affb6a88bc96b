//! Numbers made of bytes and short integers in memory, as programs make them of pixels and samples: sums, products, differences and choices
//! that mostly stay small.

use super::generator::Generator;
use super::numbers::Number;
use ir::*;

impl Generator<'_> {
    /// A byte or short integer near the work-item's own as a number of 32 bits.
    pub fn pixel(&mut self) -> Number {
        let Some(roots) = self.roots else {
            return self.plain(Type::I32, 77);
        };
        let ty = *self.random.choose(&[Type::I8, Type::I8, Type::I16]);
        let id = self.small_id();
        let address = Address {
            base: roots.input,
            index: Some(id.value),
            scale: ty.bytes(),
            offset: (ty.bytes() * self.random.below(4) as u32) as i32,
        };
        let mem = self.input_mem(ty);
        let pixel = self.b.load(ty, address, mem);
        let half = 1i128 << (ty.elem.bits() - 1);
        let (op, min, max) = match self.random.one_in(3) {
            true => (ConvertOp::SExt, -half, half - 1),
            false => (ConvertOp::ZExt, 0, 2 * half - 1),
        };
        Number {
            value: self.b.convert(op, Elem::I32, pixel),
            ty: Type::I32,
            min,
            max,
        }
    }

    /// A number of 32 bits made of some pixels.
    pub fn pixels(&mut self) -> Number {
        let mut sum = self.pixel();
        for _ in 0..self.random.below(10) {
            sum = self.with_pixels(sum);
            sum = self.resized(sum, Type::I32);
        }
        sum
    }

    fn with_pixels(&mut self, sum: Number) -> Number {
        match self.random.below(12) {
            0..=3 => {
                let (op, other) = (*self.random.choose(&[BinaryOp::Add, BinaryOp::Sub]), self.pixel());
                match self.random.one_in(2) {
                    true => self.exact(op, sum, other),
                    false => self.exact(op, other, sum),
                }
            }
            4 => {
                let other = self.pixel();
                self.exact(BinaryOp::Mul, sum, other)
            }
            5 => self.exact(BinaryOp::Mul, sum, sum),
            6 => {
                let other = self.pixel();
                let (cc, _) = *self.random.choose(IntCc::NAMES);
                let test = self.b.icmp(cc, sum.value, other.value);
                let value = self.b.select(test, sum.value, other.value);
                Number {
                    value,
                    min: sum.min.min(other.min),
                    max: sum.max.max(other.max),
                    ..sum
                }
            }
            7 if sum.min > i32::MIN.into() => Number {
                value: self.b.unary(UnaryOp::Abs, sum.value),
                min: 0,
                max: sum.max.max(-sum.min),
                ..sum
            },
            8 => {
                let other = self.pixel();
                let (op, f): (_, fn(i128, i128) -> i128) = match self.random.one_in(2) {
                    true => (BinaryOp::SMin, Ord::min),
                    false => (BinaryOp::SMax, Ord::max),
                };
                Number {
                    value: self.b.binary(op, sum.value, other.value),
                    min: f(sum.min, other.min),
                    max: f(sum.max, other.max),
                    ..sum
                }
            }
            _ => self.step(sum),
        }
    }
}
