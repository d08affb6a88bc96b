//! Products of matrices whose columns are a sub-group's work-items (SPV_INTEL_subgroup_matrix_multiply_accumulate).
//!
//! A work-item has a column of B and of the sum, as it is needed; an element of A is the same for all, a broadcast. Elements of fewer than 32 bits are
//! multiplied as bytes of words, or as floats.

use super::product::{Arithmetic, OFFSET, as_tf32};
use crate::Failure;
use crate::conversion::float_to_float;
use crate::function::{Lowering, Result};
use crate::value::Scalars;
use ir::*;
use rspirv::spirv::MatrixMultiplyAccumulateOperands as Bits;
use spirv::{Id, Instruction, Module, Type as SpirvType};
use vendors::sub_group_products::{Accumulator, Element, Operand, Product, product};

/// Words of a column of B, and of a row of A in all its work-items.
const WORDS: u32 = 8;

/// What the type of a value is as an operand of a product.
pub(super) fn operand(spirv: &Module, value: Id) -> Option<Operand> {
    let (count, component) = spirv.components(spirv.type_of(value));
    let (is_float, width) = match *spirv.ty(component) {
        SpirvType::Int { width } => (false, width),
        SpirvType::Float { width, .. } => (true, width),
        _ => return None,
    };
    Some(Operand { is_float, width, count })
}

impl<'m> Lowering<'_, 'm> {
    pub(super) fn sub_group_product(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let depth = self.literal(inst.word(0)).ok_or(Failure::Unsupported)?;
        let bits = Bits::from_bits_truncate(inst.operands.get(4).copied().unwrap_or(0));
        let [Some(a), Some(b), Some(c)] = [1, 2, 3].map(|position| operand(self.spirv, inst.word(position))) else {
            return Err(Failure::Unsupported);
        };
        let kind = product(bits, depth, [a, b, c, c]).ok_or(Failure::Unsupported)?;
        let [a, b, c] = [1, 2, 3].map(|position| self.scalars(inst.word(position)));
        let (mut a, b, mut sums) = (a?, b?, c?);
        self.flags = Flags::empty();
        if kind.element != Element::TF32 && kind.sub_group_size == 16 {
            self.words_of_pairs(&mut a);
        }
        let [mut a, b] = [(a, 0), (b, 1)].map(|(words, factor)| self.factors(&words, kind.element, kind.signed[factor]));
        self.accumulators(&mut sums, kind.accumulator, true);
        let is_integer = kind.accumulator == Accumulator::I32;
        let arithmetic = if is_integer {
            Arithmetic::of_bytes(kind.signed[1])
        } else {
            Arithmetic::Float(Elem::F32)
        };
        // Machines multiply signed bytes by unsigned ones.
        let too_much = if is_integer && kind.signed[0] == kind.signed[1] {
            for part in &mut a {
                self.widen(part, |b, word| b.binary_imm(BinaryOp::Xor, word, OFFSET));
            }
            let (zero, offset) = (self.constant(Type::I32, 0), self.constant(Type::I32, OFFSET as u64));
            let columns = b.iter().flatten();
            Some(columns.fold(zero, |total, &word| arithmetic.add(&mut self.b(), offset, word, total)))
        } else {
            None
        };
        for word in 0..WORDS {
            for (a, b) in a.iter().zip(&b) {
                for (row, sum) in sums.iter_mut().enumerate() {
                    let (component, lane) = place(&kind, row, word);
                    let lane = self.i32(lane as i32);
                    let builder = &mut self.b();
                    let of_a = builder.sub_group(SubGroupOp::Broadcast, &[a[component], lane]);
                    *sum = arithmetic.add(builder, of_a, b[word as usize], *sum);
                }
            }
        }
        if let Some(too_much) = too_much {
            self.widen(&mut sums, |b, sum| b.binary(BinaryOp::Sub, sum, too_much));
        }
        self.accumulators(&mut sums, kind.accumulator, false);
        self.define(inst, sums);
        Ok(())
    }

    /// Where a work-item has half a word of A: the whole one in every other, with the next work-item's in the upper half.
    fn words_of_pairs(&mut self, a: &mut Scalars) {
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let next = self.b().binary_imm(BinaryOp::Xor, lane, 1);
        self.widen(a, |b, half| {
            let low = b.convert(ConvertOp::ZExt, Elem::I32, half);
            let high = b.sub_group(SubGroupOp::Shuffle, &[low, next]);
            let high = b.binary_imm(BinaryOp::Shl, high, 16);
            b.or(low, high)
        });
    }

    /// What is multiplied: of each word the same part first, then the next part of each.
    fn factors(&mut self, words: &Scalars, element: Element, signed: bool) -> Vec<Scalars> {
        let parts = match element {
            Element::Int8 | Element::TF32 => 0..1,
            _ => 0..2,
        };
        let part_of = |part: i64| {
            let mut of_words = words.clone();
            self.widen(&mut of_words, |b, word| factor(b, word, element, signed, part));
            of_words
        };
        parts.map(part_of).collect()
    }

    /// C's elements as those that are added to, or these as the result's.
    fn accumulators(&mut self, sums: &mut Scalars, kind: Accumulator, widened: bool) {
        self.widen(sums, |b, value| match (kind, widened) {
            (Accumulator::I32 | Accumulator::F32, _) => value,
            (Accumulator::F16, true) => float_to_float(b, Elem::F32, value, Rounding::Nearest),
            (Accumulator::F16, false) => float_to_float(b, Elem::F16, value, Rounding::Nearest),
            (Accumulator::BF16, true) => {
                let bits = b.bitcast(Elem::BF16, value);
                float_to_float(b, Elem::F32, bits, Rounding::Nearest)
            }
            (Accumulator::BF16, false) => {
                let rounded = float_to_float(b, Elem::BF16, value, Rounding::Nearest);
                b.bitcast(Elem::I16, rounded)
            }
        });
    }
}

/// Where a word of a row of A is: the component, and the work-item.
fn place(kind: &Product, row: usize, word: u32) -> (usize, u32) {
    match kind.element {
        // The upper work-items have the odd rows.
        Element::TF32 => (row / 2, word + WORDS * (row as u32 % 2)),
        _ => (row, word * (kind.sub_group_size / WORDS)),
    }
}

/// The lower or upper half of a word as a float; the even or odd digits of four bits as bytes; or the word.
fn factor(b: &mut Builder, word: Value, element: Element, signed: bool, part: i64) -> Value {
    match element {
        Element::Int8 => word,
        Element::Int4 => {
            let down = b.binary_imm(BinaryOp::LShr, word, 4 * part);
            let digits = b.binary_imm(BinaryOp::And, down, 0x0f0f_0f0f);
            if !signed {
                return digits;
            }
            // 128 more than they are with a sign, and 8 less: no byte borrows of the next.
            let high = b.binary_imm(BinaryOp::Xor, digits, 0x8888_8888);
            let less = b.binary_imm(BinaryOp::Add, high, -0x0808_0808);
            b.binary_imm(BinaryOp::Xor, less, OFFSET)
        }
        Element::F16 => {
            let down = b.binary_imm(BinaryOp::LShr, word, 16 * part);
            let half = b.convert(ConvertOp::Trunc, Elem::I16, down);
            let half = b.bitcast(Elem::F16, half);
            b.convert(ConvertOp::FPromote, Elem::F32, half)
        }
        Element::BF16 => {
            let up = b.binary_imm(BinaryOp::Shl, word, 16 * (1 - part));
            let bits = b.binary_imm(BinaryOp::And, up, -0x1_0000);
            b.bitcast(Elem::F32, bits)
        }
        Element::TF32 => as_tf32(b, word),
    }
}
