//! Values of each type, and conditions.

use super::generator::{FLOATS, Generator, INTS};
use ir::*;

impl Generator<'_> {
    pub fn constant(&mut self, ty: Type) -> Value {
        let bits = match self.random.below(6) {
            0 => 0,
            1 if ty.elem.is_float() => one_bits(ty.elem),
            1 => 1,
            2 => ty.elem.bit_mask() >> 1 >> u32::from(ty.elem.is_float()),
            3 if !ty.elem.is_float() => ty.elem.bit_mask(),
            4 => 1 << self.random.below(u64::from(ty.elem.bits())),
            _ => self.random.next(),
        };
        let value = self.b.constant(ty, bits);
        self.without_nan(value)
    }

    /// A value of a type.
    pub fn value(&mut self, ty: Type, depth: u32) -> Value {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 || self.random.one_in(4) {
            return match (self.variable(ty), self.random.one_in(3)) {
                (Some(variable), false) => self.read(variable),
                _ if (ty == Type::I64 || ty == Type::I32) && self.roots.is_some() => {
                    let number = match self.kinds.pixels && self.random.one_in(2) {
                        true => self.pixels(),
                        false => self.number(4),
                    };
                    self.resized(number, ty).value
                }
                _ => self.constant(ty),
            };
        }
        let depth = depth - 1;
        if self.random.one_in(6) {
            let (mask, a, b) = (self.condition(depth), self.value(ty, depth), self.value(ty, depth));
            return self.b.select(mask, a, b);
        }
        if self.random.one_in(4) {
            return self.converted(ty, depth);
        }
        match ty.elem.is_float() {
            true => self.float(ty, depth),
            false => self.int(ty, depth),
        }
    }

    fn int(&mut self, ty: Type, depth: u32) -> Value {
        use BinaryOp::*;
        if self.random.one_in(5) {
            use UnaryOp::*;
            let op = *self.random.choose(&[Neg, Not, Abs, Clz, Ctz, Popcnt, BitReverse, ByteSwap]);
            let arg = self.value(ty, depth);
            return self.b.unary(op, arg);
        }
        if ty == Type::I32 && self.random.one_in(8) {
            let op = self.random.choose(DotOp::NAMES).0;
            let [a, b] = [(); 2].map(|()| self.value(ty, depth));
            let sum = match self.random.one_in(2) {
                true => self.constant(ty),
                false => self.b.constant(ty, 0),
            };
            let dot = self.b.dot(op, a, b, sum);
            let other = self.value(ty, depth);
            return self.b.add(other, dot);
        }
        let ops = [
            Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr, RotL, RotR, UMulHi, SMulHi, UMin, UMax, SMin, SMax, UAddSat, SAddSat, USubSat,
            SSubSat, UDiv, SDiv, URem, SRem, Add, Sub, Mul,
        ];
        let op = *self.random.choose(&ops);
        let (mut a, mut b) = (self.value(ty, depth), self.value(ty, depth));
        if op.is_int_division() && self.roots.is_some() && self.random.one_in(3) {
            // What grows from lane to lane, by what the group shares.
            (a, b) = (self.b.builtin(Builtin::GlobalId, 0), self.b.builtin(Builtin::GroupId, 0));
            if ty != Type::I64 {
                (a, b) = (self.as_int(a, ty), self.as_int(b, ty));
            }
            let (more, least) = (self.random.below(9) as i64, *self.random.choose(&[1, 3, 8, 16, 50]));
            a = self.b.binary_imm(Add, a, more);
            b = self.b.binary_imm(And, b, 15);
            b = self.b.binary_imm(Add, b, least);
        } else if op.is_int_division() {
            // 1 to 127
            b = self.b.binary_imm(And, b, 127);
            b = self.b.binary_imm(UMax, b, 1);
        }
        self.b.binary(op, a, b)
    }

    pub fn as_int(&mut self, value: Value, ty: Type) -> Value {
        self.b.convert(ConvertOp::Trunc, ty.elem, value)
    }

    fn float(&mut self, ty: Type, depth: u32) -> Value {
        use BinaryOp::*;
        match self.random.below(7) {
            0 if matches!(ty.elem, Elem::F32 | Elem::F64) => self.parts_of_float(ty, depth),
            1 => {
                use UnaryOp::*;
                let op = *self.random.choose(&[FNeg, FAbs, Sqrt, Ceil, Floor, FTrunc, Nearest]);
                let arg = self.value(ty, depth);
                self.b.unary(op, arg)
            }
            2 => {
                let [a, b, c] = [0; 3].map(|_| self.value(ty, depth));
                self.b.fma(a, b, c)
            }
            _ => {
                let op = *self.random.choose(&[FAdd, FSub, FMul, FDiv, FMin, FMax, CopySign]);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                let b = if op == CopySign { self.without_nan(b) } else { b };
                self.b.binary(op, a, b)
            }
        }
    }

    /// A fraction, an exponent, or both put together, of a positive number that is neither very small nor very large: of others they are some numbers.
    fn parts_of_float(&mut self, ty: Type, depth: u32) -> Value {
        let number = |value: f64| eval::from_f64(ty.elem, value);
        let value = self.value(ty, depth);
        let value = self.without_nan(value);
        let size = self.b.unary(UnaryOp::FAbs, value);
        let [least, most] = [-140.0, 100.0].map(|power: f64| self.b.constant(ty, number(power.exp2())));
        let size = self.b.binary(BinaryOp::FMax, least, size);
        let size = self.b.binary(BinaryOp::FMin, most, size);
        let limit = *self.random.choose(&[1.0, 1.5, 2.0]);
        let limit = self.b.constant(ty, number(limit));
        let [fraction, exponent] = [BinaryOp::Fraction, BinaryOp::Exponent].map(|op| self.b.binary(op, size, limit));
        match self.random.below(3) {
            0 => fraction,
            1 => exponent,
            _ => self.b.binary(BinaryOp::Scale, fraction, exponent),
        }
    }

    fn converted(&mut self, ty: Type, depth: u32) -> Value {
        let to_float = ty.elem.is_float();
        let from = match self.random.below(5) {
            0 if to_float => match ty {
                // Halves become doubles by way of floats.
                Type::F32 => *self.random.choose(&[Type::F16, Type::F64]),
                _ => Type::F32,
            },
            1 if !to_float => *self.random.choose(&FLOATS),
            2 if !to_float => {
                let mask = self.condition(depth);
                return self.b.convert(ConvertOp::MaskToInt, ty.elem, mask);
            }
            3 => {
                // The same bits.
                let from = if to_float { ty.as_int() } else { *self.random.choose(&FLOATS) };
                if from.elem.bits() == ty.elem.bits() {
                    let arg = self.value(from, depth);
                    let arg = self.without_nan(arg);
                    let value = self.b.bitcast(ty.elem, arg);
                    return self.without_nan(value);
                }
                *self.random.choose(&INTS)
            }
            _ => *self.random.choose(&INTS),
        };
        let arg = match to_float && self.roots.is_some() && (from == Type::I32 || from == Type::I64) {
            true => {
                let number = match self.kinds.pixels && self.random.one_in(2) {
                    true => self.pixels(),
                    false => self.number(4),
                };
                self.resized(number, from).value
            }
            false => self.value(from, depth),
        };
        let op = match (from.elem.is_float(), to_float) {
            _ if from == ty => return arg,
            (false, false) if from.elem.bits() > ty.elem.bits() => ConvertOp::Trunc,
            (false, false) => *self.random.choose(&[ConvertOp::ZExt, ConvertOp::SExt]),
            (true, true) if from.elem.bits() > ty.elem.bits() => ConvertOp::FDemote,
            (true, true) => ConvertOp::FPromote,
            (true, false) => *self.random.choose(&[ConvertOp::FToS, ConvertOp::FToU]),
            (false, true) => *self.random.choose(&[ConvertOp::SToF, ConvertOp::UToF]),
        };
        let saturate = from.elem.is_float() && !to_float;
        let rounding = if saturate { Rounding::Zero } else { Rounding::Nearest };
        self.b.value(InstData::Convert {
            op,
            ty,
            arg,
            rounding,
            saturate,
        })
    }

    /// A truth value.
    pub fn condition(&mut self, depth: u32) -> Value {
        self.budget -= 1;
        let depth = depth.saturating_sub(1);
        match self.random.below(8) {
            0 if depth > 0 => {
                let op = *self.random.choose(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let (a, b) = (self.condition(depth), self.condition(depth));
                self.b.binary(op, a, b)
            }
            1 if depth > 0 => {
                let a = self.condition(depth);
                self.b.not(a)
            }
            2 | 3 => {
                let ty = *self.random.choose(&FLOATS);
                let (cc, _) = *self.random.choose(FloatCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.fcmp(cc, a, b)
            }
            4 | 5 if self.roots.is_some() => self.bound(),
            6 if !self.masks.is_empty() => *self.random.choose(&self.masks),
            _ => {
                let ty = *self.random.choose(&INTS);
                let (cc, _) = *self.random.choose(IntCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.icmp(cc, a, b)
            }
        }
    }
}
