//! Loops over windows that bounds cut off.

use super::INPUT_BYTES;
use super::generator::{Generator, Roots};
use super::loops::LoopTest;
use ir::*;

impl Generator<'_> {
    /// `for (i = max(x, a) - b; i < min(x + c, n); i += step) v ^= input[i];` with a sign and without one, rotated or not.
    pub fn window(&mut self) {
        let Some(Roots { input, .. }) = self.roots else { return };
        let ty = *self.random.choose(&[Type::I32, Type::I64]);
        let id = self.small_id();
        let id = self.resized(id, ty);
        let signed = self.random.one_in(2);
        let variable = *self.random.choose(&self.variables.clone());
        let bytes = variable.1.bytes();
        if (id.max + 16) * i128::from(bytes) >= i128::from(INPUT_BYTES) {
            return;
        }
        let before = self.random.below(4) as i64;
        let (least, behind) = (before + self.random.below(3) as i64, self.random.below(5) as i64);
        let which = self.random.below(2) as usize;
        let bound = self.uniform(which);
        let bound = self.resized(bound, ty);
        let flags = if signed { Flags::NSW } else { Flags::empty() };
        let (max, min, less, at_most) = match signed {
            true => (BinaryOp::SMax, BinaryOp::SMin, IntCc::Slt, IntCc::Sle),
            false => (BinaryOp::UMax, BinaryOp::UMin, IntCc::Ult, IntCc::Ule),
        };
        let above = self.b.binary_imm(max, id.value, least);
        self.b.flags = flags;
        let begin = self.b.binary_imm(BinaryOp::Add, above, -before);
        let end = self.b.binary_imm(BinaryOp::Add, id.value, behind);
        self.b.flags = Flags::empty();
        let end = self.b.binary(min, end, bound.value);
        let (cc, step) = (*self.random.choose(&[less, at_most]), 1 + self.random.below(2) as i64);
        let size = ty.bytes();
        let counter = (self.b.func.slots.push(SlotData { size, align: size }), ty);
        let rotated = self.random.one_in(2);
        let test = LoopTest { counter, cc, end, rotated };
        let blocks = self.begin_loop(&test, begin);
        let at = self.read(counter);
        let index = match ty {
            Type::I64 => at,
            _ => self
                .b
                .convert(if signed { ConvertOp::SExt } else { ConvertOp::ZExt }, Elem::I64, at),
        };
        let mem = self.input_mem(variable.1);
        let address = Address {
            base: input,
            index: Some(index),
            scale: bytes,
            offset: 0,
        };
        let value = self.b.load(variable.1, address, mem);
        let value = self.without_nan(value);
        self.write(variable, value);
        self.end_loop(&test, blocks, step, flags);
    }
}
