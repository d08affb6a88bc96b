//! Bytes of rows, of which those of all iterations are loaded as a word; and shorts, of which two words are.

use ir::*;
use rustc_hash::FxHashMap;

/// Bits of a word.
const WORD: u32 = 32;

/// Bytes or shorts of rows.
#[derive(Default)]
pub(super) struct Bytes {
    /// By what the loop loads: the word.
    pub words: FxHashMap<Value, Option<Value>>,
}

impl Bytes {
    /// The byte or short of an iteration, if the instruction loads one; `data` is what it is in this iteration.
    pub fn load(&mut self, func: &mut Function, block: Block, iteration: u32, (inst, data): (Inst, &InstData)) -> Option<Value> {
        let &InstData::Load { ty, address, mem, .. } = data else {
            return None;
        };
        let word = self.words.get_mut(&func.result(inst))?;
        let mut b = Builder::new(func, block);
        let bit = bit(ty.elem, iteration);
        if bit == 0 {
            *word = Some(b.load(ty.with_elem(Elem::I32), address, mem));
        }
        let moved = shifted(&mut b, BinaryOp::LShr, (*word)?, bit);
        let is_byte = ty.elem.bits() == 8;
        let number = b.convert(ConvertOp::Trunc, if is_byte { Elem::I8 } else { Elem::I16 }, moved);
        Some(match ty.elem.is_int() {
            true => number,
            false => b.convert(ConvertOp::Bitcast, ty.elem, number),
        })
    }

    /// What the instruction makes of a byte or short of an iteration, if it only makes a number of it.
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
        let from = func.ty(arg).elem;
        let (bits, bit) = (from.bits(), bit(from, iteration));
        let mut b = Builder::new(func, block);
        let number = if signed {
            let high = shifted(&mut b, BinaryOp::Shl, word, WORD - bits - bit);
            shifted(&mut b, BinaryOp::AShr, high, WORD - bits)
        } else {
            let low = shifted(&mut b, BinaryOp::LShr, word, bit);
            if bit + bits == WORD {
                low
            } else {
                b.binary_imm(BinaryOp::And, low, from.bit_mask() as i64)
            }
        };
        Some(match elem {
            Elem::I32 => number,
            elem => b.convert(ConvertOp::SToF, elem, number),
        })
    }
}

/// Where an iteration's byte or short is in its word.
fn bit(elem: Elem, iteration: u32) -> u32 {
    iteration * elem.bits() % WORD
}

/// A word, so many bits to one side.
fn shifted(b: &mut Builder, op: BinaryOp, word: Value, bits: u32) -> Value {
    if bits == 0 {
        return word;
    }
    b.binary_imm(op, word, bits.into())
}
