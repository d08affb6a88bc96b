//! Arithmetic on IR values, written as arithmetic: `x * x + 1.0` appends a multiplication and an addition.
//!
//! An expression knows its float's format, but not how many lanes there are. Comparisons give masks, which are expressions too. Constants are
//! doubles, rounded to the format of what they meet.

mod polynomials;
mod tables;

pub use polynomials::polynomials;

use super::common::{approximately, constant, roughly, shortly, with_flags};
use ir::*;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops;

/// Where expressions are written.
pub struct Writer<'a> {
    builder: RefCell<Builder<'a>>,
    /// What gets the tables that expressions look up, where they may.
    tables: Option<RefCell<&'a mut Module>>,
    has_powers: bool,
}

/// What expressions may make use of.
#[derive(Default)]
pub struct Offer<'a> {
    /// What gets tables.
    pub tables: Option<&'a mut Module>,
    /// [`super::Precision::has_powers`]
    pub has_powers: bool,
}

/// A value, and where what is computed from it goes.
#[derive(Clone, Copy)]
pub struct Expr<'a> {
    value: Value,
    writer: &'a Writer<'a>,
}

/// Some expressions.
pub type ExprList<'a> = SmallVec<[Expr<'a>; 3]>;

/// Writes expressions of `args` at the builder.
pub fn write(b: &mut Builder, args: &[Value], f: impl for<'a> FnOnce(&[Expr<'a>]) -> ExprList<'a>) -> ValueList {
    write_with(b, Offer::default(), args, f)
}

/// The same with what the machine has.
pub fn write_with(b: &mut Builder, offer: Offer, args: &[Value], f: impl for<'a> FnOnce(&[Expr<'a>]) -> ExprList<'a>) -> ValueList {
    let (values, block) = {
        let writer = Writer {
            tables: offer.tables.map(RefCell::new),
            has_powers: offer.has_powers,
            builder: RefCell::new(Builder {
                block: b.block,
                flags: b.flags,
                func: &mut *b.func,
            }),
        };
        let args: ExprList = args.iter().map(|&value| Expr { value, writer: &writer }).collect();
        let values: ValueList = f(&args).iter().map(|result| result.value).collect();
        let block = writer.builder.borrow().block;
        (values, block)
    };
    b.block = block;
    values
}

/// An expression, or a number in the format of another one.
pub trait Operand<'a> {
    /// As an expression.
    fn like(self, other: Expr<'a>) -> Expr<'a>;
}

impl<'a> Operand<'a> for Expr<'a> {
    fn like(self, _: Expr<'a>) -> Expr<'a> {
        self
    }
}

impl<'a> Operand<'a> for f64 {
    fn like(self, other: Expr<'a>) -> Expr<'a> {
        let elem = other.elem();
        other.emit(|b| constant(b, elem, self))
    }
}

impl<'a> Expr<'a> {
    fn emit(self, f: impl FnOnce(&mut Builder) -> Value) -> Expr<'a> {
        let value = f(&mut self.writer.builder.borrow_mut());
        Expr { value, ..self }
    }

    fn unary(self, op: UnaryOp) -> Expr<'a> {
        self.emit(|b| b.unary(op, self.value))
    }

    fn binary(self, op: BinaryOp, other: impl Operand<'a>) -> Expr<'a> {
        let other = other.like(self);
        self.emit(|b| b.binary(op, self.value, other.value))
    }

    fn binary_imm(self, op: BinaryOp, bits: u64) -> Expr<'a> {
        self.emit(|b| b.binary_imm(op, self.value, bits as i64))
    }

    fn compare(self, cc: FloatCc, other: impl Operand<'a>) -> Expr<'a> {
        let other = other.like(self);
        self.emit(|b| b.fcmp(cc, self.value, other.value))
    }

    /// The type of a component.
    pub fn elem(self) -> Elem {
        self.writer.builder.borrow().ty(self.value).elem
    }

    /// Whether this is a double; all others have the format of floats.
    pub fn is_double(self) -> bool {
        matches!(self.elem(), Elem::F64 | Elem::I64)
    }

    /// One of two things: the one for floats or the one for doubles.
    pub fn by_format<T>(self, single: T, double: T) -> T {
        if self.is_double() { double } else { single }
    }

    /// Expressions may look up entries of tables.
    pub fn has_tables(self) -> bool {
        self.writer.tables.is_some()
    }

    /// [`super::Precision::has_powers`]
    pub fn has_powers(self) -> bool {
        self.writer.has_powers
    }

    /// A number in this format.
    pub fn number(self, value: f64) -> Expr<'a> {
        value.like(self)
    }

    /// `self * factor + addend`, rounded once.
    pub fn fma(self, factor: impl Operand<'a>, addend: impl Operand<'a>) -> Expr<'a> {
        let (factor, addend) = (factor.like(self), addend.like(self));
        self.emit(|b| b.fma(self.value, factor.value, addend.value))
    }

    /// The magnitude.
    pub fn abs(self) -> Expr<'a> {
        self.unary(UnaryOp::FAbs)
    }

    /// The square root.
    pub fn sqrt(self) -> Expr<'a> {
        self.unary(UnaryOp::Sqrt)
    }

    /// The square root, which may be wrong by a unit or two.
    pub fn rough_sqrt(self) -> Expr<'a> {
        self.emit(|b| approximately(b, |b| b.unary(UnaryOp::Sqrt, self.value)))
    }

    /// The quotient, which may be wrong by a unit or two of doubles, for functions that divide twice: they would wait for that, as those of floats do not.
    /// The divisor is 0, infinite, or of a magnitude whose inverse is a normal number.
    pub fn over(self, divisor: Expr<'a>) -> Expr<'a> {
        if self.is_double() {
            self.rough_over(divisor)
        } else {
            self / divisor
        }
    }

    /// The quotient by such a divisor, which may be wrong by a unit or two.
    pub fn rough_over(self, divisor: Expr<'a>) -> Expr<'a> {
        self.emit(|b| approximately(b, |b| b.fdiv(self.value, divisor.value)))
    }

    /// The quotient by such a divisor, to 2^-14.
    pub fn short_over(self, divisor: Expr<'a>) -> Expr<'a> {
        self.emit(|b| shortly(b, |b| b.fdiv(self.value, divisor.value)))
    }

    /// The inverse of such a number, to eleven bits.
    pub fn rough_inverse(self) -> Expr<'a> {
        self.emit(|b| {
            let one = constant(b, b.ty(self.value).elem, 1.0);
            roughly(b, |b| b.fdiv(one, self.value))
        })
    }

    /// The square root, to 2^-14.
    pub fn short_sqrt(self) -> Expr<'a> {
        self.emit(|b| shortly(b, |b| b.unary(UnaryOp::Sqrt, self.value)))
    }

    /// The nearest whole number, the even one of two.
    pub fn nearest(self) -> Expr<'a> {
        self.unary(UnaryOp::Nearest)
    }

    /// The whole number next to it below.
    pub fn floor(self) -> Expr<'a> {
        self.unary(UnaryOp::Floor)
    }

    /// What it is more than the whole number next to it below, if it is not infinite, within a unit. Zeros have some sign.
    pub fn above_floor(self) -> Expr<'a> {
        let floor = self.floor();
        self.emit(|b| with_flags(b, Flags::NINF | Flags::NSZ | Flags::AFN, |b| b.fsub(self.value, floor.value)))
    }

    /// The whole number next to it toward 0.
    pub fn trunc(self) -> Expr<'a> {
        self.unary(UnaryOp::FTrunc)
    }

    /// This magnitude with the sign of `sign`.
    pub fn with_sign_of(self, sign: impl Operand<'a>) -> Expr<'a> {
        self.binary(BinaryOp::CopySign, sign)
    }

    /// This, which is not negative, with the sign of another number.
    pub fn signed_as(self, sign: Expr<'a>) -> Expr<'a> {
        (self.bits() ^ (sign.bits() & sign.sign_bit())).float()
    }

    /// This times 2 to a whole number.
    pub fn scaled(self, whole: Expr<'a>) -> Expr<'a> {
        self.binary(BinaryOp::Scale, whole)
    }

    /// The fraction of a number, less than `limit` and at least half of that ([`BinaryOp::Fraction`], which says what flags do).
    pub fn fraction(self, limit: f64, flags: Flags) -> Expr<'a> {
        self.part(BinaryOp::Fraction, limit, flags)
    }

    /// The exponent that belongs to [`Self::fraction`].
    pub fn exponent(self, limit: f64, flags: Flags) -> Expr<'a> {
        self.part(BinaryOp::Exponent, limit, flags)
    }

    fn part(self, op: BinaryOp, limit: f64, flags: Flags) -> Expr<'a> {
        let limit = limit.like(self);
        self.emit(|b| {
            let before = std::mem::replace(&mut b.flags, flags);
            let part = b.binary(op, self.value, limit.value);
            b.flags = before;
            part
        })
    }

    /// At least this; a NaN stays one.
    pub fn at_least(self, low: impl Operand<'a>) -> Expr<'a> {
        low.like(self).binary(BinaryOp::FMax, self)
    }

    /// At most this; a NaN stays one.
    pub fn at_most(self, high: impl Operand<'a>) -> Expr<'a> {
        high.like(self).binary(BinaryOp::FMin, self)
    }

    /// At most this, and this where it is a NaN.
    pub fn number_at_most(self, high: impl Operand<'a>) -> Expr<'a> {
        self.binary(BinaryOp::FMin, high)
    }

    /// `self < other`
    pub fn lt(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Olt, other)
    }

    /// `self > other`
    pub fn gt(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Ogt, other)
    }

    /// `self >= other`
    pub fn ge(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Oge, other)
    }

    /// `self == other`
    pub fn equals(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Oeq, other)
    }

    /// `self != other`, or one of them is a NaN.
    pub fn differs(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Une, other)
    }

    /// One of the two is a NaN.
    pub fn unordered(self, other: impl Operand<'a>) -> Expr<'a> {
        self.compare(FloatCc::Uno, other)
    }

    /// Of a mask: one of two floats.
    pub fn select(self, yes: Expr<'a>, no: impl Operand<'a>) -> Expr<'a> {
        let no = no.like(yes);
        self.emit(|b| b.select(self.value, yes.value, no.value))
    }

    /// Of a mask: a number, or else the float.
    pub fn number_or(self, yes: f64, no: Expr<'a>) -> Expr<'a> {
        self.select(yes.like(no), no)
    }

    /// The bits of a float, as an integer.
    pub fn bits(self) -> Expr<'a> {
        self.emit(|b| b.bitcast(b.ty(self.value).elem.as_int(), self.value))
    }

    /// The bit of the sign among the bits.
    pub fn sign_bit(self) -> u64 {
        1 << (self.elem().bits() - 1)
    }

    /// The float with these bits.
    pub fn float(self) -> Expr<'a> {
        let elem = self.by_format(Elem::F32, Elem::F64);
        self.emit(|b| b.bitcast(elem, self.value))
    }

    /// Of an integer: 0 of its type.
    pub fn zero(self) -> Expr<'a> {
        self.emit(|b| b.constant(b.ty(self.value), 0))
    }

    /// Of an integer: with a constant added.
    pub fn plus(self, constant: i64) -> Expr<'a> {
        self.binary_imm(BinaryOp::Add, constant as u64)
    }

    /// Of a signed integer: divided by 2^bits, rounded down.
    pub fn signed_shift(self, bits: u64) -> Expr<'a> {
        self.binary_imm(BinaryOp::AShr, bits)
    }

    /// Of a signed integer: whether it is more than a constant.
    pub fn exceeds(self, constant: i64) -> Expr<'a> {
        self.emit(|b| b.icmp_imm(IntCc::Sgt, self.value, constant))
    }

    /// Of an integer: its last 32 bits.
    pub fn low_word(self) -> Expr<'a> {
        match self.elem() {
            Elem::I32 => self,
            _ => self.emit(|b| b.convert(ConvertOp::Trunc, Elem::I32, self.value)),
        }
    }

    /// An `i32`.
    pub fn word(self, value: i32) -> Expr<'a> {
        self.emit(|b| b.i32(value))
    }

    /// Of an integer: whether the bits that are on in `bits` are all off.
    pub fn lacks(self, bits: u64) -> Expr<'a> {
        let some = self & bits;
        self.emit(|b| b.icmp_imm(IntCc::Eq, some.value, 0))
    }

    /// In another format of floats, rounded to the nearest.
    pub fn to(self, elem: Elem) -> Expr<'a> {
        match (self.elem(), elem) {
            (from, to) if from == to => self,
            (Elem::F16 | Elem::BF16, Elem::F64) => self.to(Elem::F32).to(elem),
            (Elem::F64, Elem::F16 | Elem::BF16) => self.to(Elem::F32).to(elem),
            (from, to) => {
                let op = if from.bits() < to.bits() {
                    ConvertOp::FPromote
                } else {
                    ConvertOp::FDemote
                };
                self.emit(|b| b.convert(op, to, self.value))
            }
        }
    }

    /// Of a signed integer: as a float.
    pub fn int_to(self, elem: Elem) -> Expr<'a> {
        self.emit(|b| b.convert(ConvertOp::SToF, elem, self.value))
    }

    /// Of a small whole number: as an `i32`.
    pub fn small_int(self) -> Expr<'a> {
        self.emit(|b| b.convert(ConvertOp::FToS, Elem::I32, self.value))
    }

    /// The polynomial with these coefficients, the lowest first ([`polynomials`]).
    pub fn polynomial(self, coefficients: &[f64]) -> Expr<'a> {
        let [value] = polynomials([(self, coefficients)]);
        value
    }

    /// What a function of the mathematics library gives.
    pub fn call(self, routine: Runtime, others: &[Expr<'a>]) -> Expr<'a> {
        let args = std::iter::once(self).chain(others.iter().copied()).map(|arg| arg.value).collect();
        self.emit(|b| b.value(InstData::CallRuntime { routine, args }))
    }

    /// In the lanes of this mask what `slow` gives, and in the others `usual`. The slow code is jumped around where no lane needs it, which is nearly
    /// always.
    pub fn slowly<const N: usize>(self, slow: impl FnOnce() -> [Expr<'a>; N], usual: [Expr<'a>; N]) -> [Expr<'a>; N] {
        self.choose(true, slow, usual)
    }

    /// The same where lanes need it now and then.
    pub fn sometimes<const N: usize>(self, other: impl FnOnce() -> [Expr<'a>; N], usual: [Expr<'a>; N]) -> [Expr<'a>; N] {
        self.choose(false, other, usual)
    }

    fn choose<const N: usize>(self, cold: bool, slow: impl FnOnce() -> [Expr<'a>; N], usual: [Expr<'a>; N]) -> [Expr<'a>; N] {
        let values = usual.map(|expr| expr.value);
        let after = {
            let b = &mut *self.writer.builder.borrow_mut();
            let types = values.map(|value| b.ty(value));
            let (other, after) = (b.add_block(&[]), b.add_block(&types));
            b.func.block_mut(other).cold = cold;
            b.branch(self.value, BlockCall::new(other, &[]), BlockCall::new(after, &values));
            b.block = other;
            after
        };
        let values = slow().map(|expr| expr.value);
        let b = &mut *self.writer.builder.borrow_mut();
        b.jump(after, &values);
        b.block = after;
        std::array::from_fn(|n| Expr {
            value: b.params(after)[n],
            writer: self.writer,
        })
    }
}

/// Operators of floats, and, for `+` and `-`, of integers.
macro_rules! arithmetic {
    ($($operator:ident $method:ident $float:ident $int:ident;)+) => {
        $(
            impl<'a, T: Operand<'a>> ops::$operator<T> for Expr<'a> {
                type Output = Expr<'a>;
                fn $method(self, other: T) -> Expr<'a> {
                    self.binary(if self.elem().is_float() { BinaryOp::$float } else { BinaryOp::$int }, other)
                }
            }

            impl<'a> ops::$operator<Expr<'a>> for f64 {
                type Output = Expr<'a>;
                fn $method(self, other: Expr<'a>) -> Expr<'a> {
                    self.like(other).$method(other)
                }
            }
        )+
    };
}
arithmetic! {
    Add add FAdd Add;
    Sub sub FSub Sub;
    Mul mul FMul Mul;
    Div div FDiv UDiv;
}

impl ops::Neg for Expr<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(UnaryOp::FNeg)
    }
}

impl ops::Not for Expr<'_> {
    type Output = Self;
    fn not(self) -> Self {
        self.unary(UnaryOp::Not)
    }
}

/// Operators of integers and masks, with others and with constants.
macro_rules! bitwise {
    ($($operator:ident $method:ident $op:ident;)+) => {
        $(
            impl<'a> ops::$operator for Expr<'a> {
                type Output = Expr<'a>;
                fn $method(self, other: Expr<'a>) -> Expr<'a> {
                    self.binary(BinaryOp::$op, other)
                }
            }

            impl<'a> ops::$operator<u64> for Expr<'a> {
                type Output = Expr<'a>;
                fn $method(self, bits: u64) -> Expr<'a> {
                    self.binary_imm(BinaryOp::$op, bits)
                }
            }
        )+
    };
}
bitwise! {
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
    Shl shl Shl;
    Shr shr LShr;
}
