//! `A * B + C`.
//!
//! Row by row of B, products are added to all components of the result that need the row: these sums do not wait for one another. What a component needs
//! of A is the same for all lanes that are in one row of the result, a broadcast; where a row of B has as many elements as there are lanes, or more, its
//! components are used as they stand.

use super::LANES;
use super::order::{Place, place};
use crate::Failure;
use crate::arithmetic::resize_int;
use crate::conversion::float_to_float;
use crate::function::{Lowering, Result};
use crate::shape;
use crate::value::Scalars;
use ir::*;
use rspirv::spirv::{CooperativeMatrixOperands as Bits, CooperativeMatrixUse as Use};
use rustc_hash::FxHashMap;
use spirv::{Instruction, MatrixType, newer};

/// How products are computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arithmetic {
    /// By fused multiplication and addition, in this format.
    Float(Elem),
    /// In 32 bits.
    Integer { signed: [bool; 2] },
    /// Four bytes of a row, or column, at once. Machines multiply signed by unsigned ones: which of A and B is signed.
    Bytes(Signed),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signed {
    A,
    B,
}

/// What makes a signed byte an unsigned one that is 128 larger, and the other way round.
pub(super) const OFFSET: i64 = 0x8080_8080;

/// What was fetched for a row of B.
type Fetched = Vec<(Vec<Place>, Value)>;

impl Arithmetic {
    fn of(from: Elem, to: Elem, operands: Bits) -> Arithmetic {
        let [a, b] = [Bits::MATRIX_A_SIGNED_COMPONENTS_KHR, Bits::MATRIX_B_SIGNED_COMPONENTS_KHR].map(|sign| operands.contains(sign));
        match from {
            Elem::I8 => Arithmetic::of_bytes(b),
            _ if from.is_float() => Arithmetic::Float(if to == Elem::F64 { Elem::F64 } else { Elem::F32 }),
            _ => Arithmetic::Integer { signed: [a, b] },
        }
    }

    /// Of bytes, where B's are signed or not. If A's are alike, they get the other sign.
    pub(super) fn of_bytes(b_is_signed: bool) -> Arithmetic {
        Arithmetic::Bytes(if b_is_signed { Signed::B } else { Signed::A })
    }

    /// The sum, and the product of what is in A and in B.
    pub(super) fn add(self, builder: &mut Builder, of_a: Value, of_b: Value, sum: Value) -> Value {
        match self {
            Arithmetic::Float(_) => builder.fma(of_a, of_b, sum),
            Arithmetic::Integer { .. } => {
                let product = builder.mul(of_a, of_b);
                builder.add(sum, product)
            }
            Arithmetic::Bytes(Signed::A) => builder.dot(DotOp::SUDot, of_a, of_b, sum),
            Arithmetic::Bytes(Signed::B) => builder.dot(DotOp::SUDot, of_b, of_a, sum),
        }
    }
}

impl<'m> Lowering<'_, 'm> {
    pub(super) fn matrix_product(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let type_of = |operand: usize| self.matrix_type(self.spirv.type_of(inst.word(operand)));
        let [a_type, b_type, c_type] = [type_of(0)?, type_of(1)?, type_of(2)?];
        let result = self.matrix_type(inst.result_type)?;
        let elem = |matrix: MatrixType| shape::scalar(self.spirv.ty(matrix.component)).ok_or(Failure::Unsupported);
        let (from, sum, to) = (elem(a_type)?, elem(c_type)?, elem(result)?);
        let all = self.spirv.matrix_operands(inst);
        let operands = Bits::from_bits_truncate(all);
        let [a, b, c] = [0, 1, 2].map(|position| self.scalars(inst.word(position)));
        let (mut a, mut b, mut c) = (a?, b?, c?);
        self.flags = Flags::empty();
        for (matrix, ty, used_as) in [(&mut a, a_type, Use::MatrixAKHR), (&mut b, b_type, Use::MatrixBKHR)] {
            *matrix = self.as_used(matrix, ty, used_as);
        }
        let narrow = [0, 1].map(|operand| self.float8(self.spirv.type_of(inst.word(operand))));
        for (matrix, format) in [&mut a, &mut b].into_iter().zip(narrow) {
            if let Some(format) = format {
                self.widen(matrix, |b, value| format.widened(b, value));
            }
        }
        let from = if narrow[0].is_some() { Elem::F32 } else { from };
        let is_bfloat = all & newer::BFLOAT16_COMPONENTS != 0;
        if all & newer::BFLOAT16_C != 0 {
            self.widen(&mut c, |b, bits| b.bitcast(Elem::BF16, bits));
        }
        let to = if all & newer::BFLOAT16_RESULT != 0 { Elem::BF16 } else { to };
        for matrix in [&mut a, &mut b] {
            if is_bfloat {
                self.widen(matrix, |b, bits| b.bitcast(Elem::BF16, bits));
            } else if all & newer::TF32_COMPONENTS != 0 {
                self.widen(matrix, as_tf32);
            }
        }
        let from = if is_bfloat { Elem::BF16 } else { from };
        let arithmetic = Arithmetic::of(from, to, operands);
        let mut depth = a_type.columns;
        match arithmetic {
            Arithmetic::Float(wide) => {
                for matrix in [&mut a, &mut b, &mut c] {
                    self.widen(matrix, |b, value| float_to_float(b, wide, value, Rounding::Nearest));
                }
            }
            Arithmetic::Integer { signed } => {
                for (matrix, signed) in [&mut a, &mut b].into_iter().zip(signed) {
                    self.widen(matrix, |b, value| resize_int(b, Elem::I32, value, signed));
                }
            }
            Arithmetic::Bytes(_) => {
                depth /= 4;
                (a, b) = (self.words(&a), self.words(&b));
            }
        }
        let signs = [Bits::MATRIX_A_SIGNED_COMPONENTS_KHR, Bits::MATRIX_B_SIGNED_COMPONENTS_KHR].map(|sign| operands.contains(sign));
        let offset = matches!(arithmetic, Arithmetic::Bytes(_)) && signs[0] == signs[1];
        if offset {
            self.widen(&mut a, |b, word| b.binary_imm(BinaryOp::Xor, word, OFFSET));
        }
        // What saturates is the addition of C to what the products give.
        let saturating = operands.contains(Bits::SATURATING_ACCUMULATION_KHR);
        let mut sums = if saturating {
            let zero = self.constant(Type::scalar(sum), 0);
            c.iter().map(|_| zero).collect()
        } else {
            c.clone()
        };
        self.multiply(&a, &b, &mut sums, [result.columns, depth], arithmetic);
        if offset {
            self.take_offset(&b, &mut sums, [result.columns, depth], arithmetic);
        }
        if saturating {
            let signed = operands.contains(Bits::MATRIX_RESULT_SIGNED_COMPONENTS_KHR);
            let op = if signed { BinaryOp::SAddSat } else { BinaryOp::UAddSat };
            for (sum, &c) in sums.iter_mut().zip(&c) {
                *sum = self.b().binary(op, *sum, c);
            }
        }
        if to.is_float() {
            self.widen(&mut sums, |b, value| float_to_float(b, to, value, Rounding::Nearest));
        }
        if all & newer::BFLOAT16_RESULT != 0 {
            self.widen(&mut sums, |b, value| b.bitcast(Elem::I16, value));
        }
        self.define(inst, sums);
        Ok(())
    }

    /// A matrix in the order of its use, if its type does not say what that is.
    fn as_used(&mut self, matrix: &Scalars, ty: MatrixType, used_as: Use) -> Scalars {
        let used = MatrixType {
            used_as: Some(used_as),
            ..ty
        };
        let (from, to) = (self.matrix_order(&ty), self.matrix_order(&used));
        self.reorder(matrix, from, to)
    }

    /// All components in another format.
    pub(super) fn widen(&mut self, matrix: &mut Scalars, convert: impl Fn(&mut Builder, Value) -> Value) {
        for value in matrix {
            *value = convert(&mut self.b(), *value);
        }
    }

    /// A matrix of bytes as one of words, each four of its bytes.
    fn words(&mut self, bytes: &Scalars) -> Scalars {
        bytes
            .chunks_exact(4)
            .map(|bytes| self.word([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect()
    }

    /// Takes away what products have too much because each byte of A is 128 too large, or too small: so many times the sum of B's columns.
    fn take_offset(&mut self, b: &Scalars, sums: &mut Scalars, [columns, depth]: [u32; 2], arithmetic: Arithmetic) {
        let (zero, offset) = (self.constant(Type::I32, 0), self.constant(Type::I32, OFFSET as u64));
        // By the column of the first lane.
        let mut known: FxHashMap<u32, Value> = FxHashMap::default();
        for (component, sum) in (0..).zip(sums.iter_mut()) {
            let first = component * LANES % columns;
            let total = known.get(&first).copied().unwrap_or_else(|| {
                (0..depth).fold(zero, |total, k| {
                    let places: Vec<Place> = (0..LANES).map(|lane| place(k * columns + (first + lane) % columns)).collect();
                    let words = self.fetch(b, &places);
                    arithmetic.add(&mut self.b(), offset, words, total)
                })
            });
            known.insert(first, total);
            let builder = &mut self.b();
            *sum = builder.binary(BinaryOp::Sub, *sum, total);
        }
    }

    /// Sums of products of an m × k and a k × n matrix are added to the elements of an m × n one.
    fn multiply(&mut self, a: &Scalars, b: &Scalars, sums: &mut Scalars, [columns, depth]: [u32; 2], arithmetic: Arithmetic) {
        for k in 0..depth {
            let (mut rows, mut right_rows) = (Fetched::new(), Fetched::new());
            for (component, sum) in (0..).zip(sums.iter_mut()) {
                let elements = (component * LANES..(component + 1) * LANES).map(|element| (element / columns, element % columns));
                let left: Vec<_> = elements.clone().map(|(row, _)| place(row * depth + k)).collect();
                let right: Vec<_> = elements.map(|(_, column)| place(k * columns + column)).collect();
                let x = self.fetch_again(&mut rows, a, left);
                let y = self.fetch_again(&mut right_rows, b, right);
                *sum = arithmetic.add(&mut self.b(), x, y, *sum);
            }
        }
    }

    /// [`Lowering::fetch`], once.
    fn fetch_again(&mut self, fetched: &mut Fetched, matrix: &Scalars, places: Vec<Place>) -> Value {
        if let Some((_, value)) = fetched.iter().rev().find(|(known, _)| *known == places) {
            return *value;
        }
        let value = self.fetch(matrix, &places);
        fetched.push((places, value));
        value
    }

    /// The integer that has these bytes.
    fn word(&mut self, bytes: [Value; 4]) -> Value {
        if let Some(word) = self.four_bytes(&bytes) {
            return word;
        }
        let b = &mut self.b();
        let parts = [0, 1, 2, 3].map(|part| {
            let wide = b.convert(ConvertOp::ZExt, Elem::I32, bytes[part]);
            match part {
                0 => wide,
                _ => b.binary_imm(BinaryOp::Shl, wide, 8 * part as i64),
            }
        });
        let (low, high) = (b.or(parts[0], parts[1]), b.or(parts[2], parts[3]));
        b.or(low, high)
    }
}

/// What a matrix unit takes of a float: ten bits of fraction.
pub(super) fn as_tf32(b: &mut Builder, value: Value) -> Value {
    let bits = b.bitcast(Elem::I32, value);
    let used = b.binary_imm(BinaryOp::And, bits, -0x2000);
    b.bitcast(Elem::F32, used)
}
