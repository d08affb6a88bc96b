//! Bytes of rows, of which those of all iterations are loaded as a word.

use super::by_fours::ITERATIONS;
use ir::*;
use rustc_hash::FxHashMap;

/// Bytes of rows, of which those of all iterations are loaded as a word.
#[derive(Default)]
pub(super) struct Bytes {
    /// By what the loop loads: the word.
    pub words: FxHashMap<Value, Option<Value>>,
}

impl Bytes {
    /// The byte of an iteration, if the instruction loads one; `data` is what it is in this iteration.
    pub fn load(&mut self, func: &mut Function, block: Block, iteration: u32, (inst, data): (Inst, &InstData)) -> Option<Value> {
        let &InstData::Load { ty, address, mem, .. } = data else {
            return None;
        };
        let word = self.words.get_mut(&func.result(inst))?;
        let mut b = Builder::new(func, block);
        let word = *word.get_or_insert_with(|| b.load(ty.with_elem(Elem::I32), address, mem));
        let moved = shifted(&mut b, BinaryOp::LShr, word, iteration);
        Some(b.convert(ConvertOp::Trunc, Elem::I8, moved))
    }

    /// What the instruction makes of a byte of an iteration, if it only makes a number of it.
    pub fn number(&self, func: &mut Function, block: Block, iteration: u32, data: &InstData) -> Option<Value> {
        let &InstData::Convert { op, ty, arg, .. } = data else {
            return None;
        };
        let word = (*self.words.get(&arg)?)?;
        let (signed, elem) = match (op, ty.elem) {
            (ConvertOp::SExt | ConvertOp::SToF, elem @ (Elem::I32 | Elem::F32)) => (true, elem),
            (ConvertOp::ZExt | ConvertOp::UToF, elem @ (Elem::I32 | Elem::F32)) => (false, elem),
            _ => return None,
        };
        let mut b = Builder::new(func, block);
        let number = if signed {
            let high = shifted(&mut b, BinaryOp::Shl, word, ITERATIONS - 1 - iteration);
            shifted(&mut b, BinaryOp::AShr, high, ITERATIONS - 1)
        } else {
            let low = shifted(&mut b, BinaryOp::LShr, word, iteration);
            if iteration == ITERATIONS - 1 {
                low
            } else {
                b.binary_imm(BinaryOp::And, low, 0xff)
            }
        };
        Some(match elem {
            Elem::I32 => number,
            elem => b.convert(ConvertOp::SToF, elem, number),
        })
    }
}

/// A word, so many bytes to one side.
fn shifted(b: &mut Builder, op: BinaryOp, word: Value, bytes: u32) -> Value {
    if bytes == 0 {
        return word;
    }
    b.binary_imm(op, word, i64::from(8 * bytes))
}
