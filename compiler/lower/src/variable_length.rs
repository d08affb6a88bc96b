//! Private arrays whose length is known when they are made (SPV_INTEL_variable_length_array): a work-item has so much memory for all that a
//! function has at a time, and takes of it as of a stack. Who wants more is stopped.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::shape::{self, Leaf};
use super::value::{Pointer, Val};
use device::abi::Trap;
use ir::*;
use rspirv::spirv::{Decoration, Op};
use spirv::Instruction;

/// Bytes for a work-item in a function. What is not touched costs nothing but addresses.
const BYTES: u64 = 32 << 10;

/// No array is aligned more strictly.
const ALIGN: u32 = 128;

/// A function's memory for arrays of variable length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamic {
    memory: Pointer,
    /// Where the number of bytes that are taken is.
    taken: Pointer,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn variable_length(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::VariableLengthArrayINTEL => self.variable_length_array(inst)?,
            Op::SaveMemoryINTEL => {
                let dynamic = self.dynamic()?;
                let taken = self.load_taken(&dynamic);
                let mark = Pointer::new(taken, self.space_of(inst.result_type));
                self.bind(inst.result, Val::Pointer(mark));
            }
            Op::RestoreMemoryINTEL => {
                let dynamic = self.dynamic()?;
                let mark = self.scalar(inst.word(0))?;
                self.store_taken(&dynamic, mark);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn variable_length_array(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let Some((_, element)) = self.spirv.ty(inst.result_type).pointer() else {
            return Err(Failure::Unsupported);
        };
        let (size, natural) = (shape::size(self.spirv, element)?, shape::align(self.spirv, element));
        let decorated = self
            .spirv
            .decoration(inst.result, Decoration::Alignment)
            .and_then(|operands| operands.first().copied());
        // Bytes may be anything: the compiler that made them so dropped their type.
        let least = if size == 1 { 16 } else { natural };
        let align = decorated
            .filter(|align| align.is_power_of_two())
            .unwrap_or(least)
            .clamp(least, ALIGN);
        let dynamic = self.dynamic()?;
        let count = self.scalar(inst.word(0))?;
        let (limit, most) = (self.i64(BYTES as i64), self.i64((BYTES / size.max(1)) as i64));
        let taken = self.load_taken(&dynamic);
        let b = &mut self.b();
        let count = resize_int(b, Elem::I64, count, false);
        let up = b.binary_imm(BinaryOp::Add, taken, i64::from(align) - 1);
        let start = b.binary_imm(BinaryOp::And, up, -i64::from(align));
        let bytes = b.binary_imm(BinaryOp::Mul, count, size as i64);
        let end = b.add(start, bytes);
        // The first comparison sees to products that wrap.
        let (fits, ends) = (b.icmp(IntCc::Ule, count, most), b.icmp(IntCc::Ule, end, limit));
        let good = b.and(fits, ends);
        let (go_on, stop) = (self.func.add_block(), self.func.add_block());
        self.b().branch(good, to(go_on, &[]), to(stop, &[]));
        self.block = stop;
        self.b().push(InstData::Trap {
            reason: Trap::PrivateMemory as u32,
        });
        self.block = go_on;
        self.store_taken(&dynamic, end);
        let place = self.step(dynamic.memory, start, 1);
        self.bind(inst.result, Val::Pointer(place));
        Ok(())
    }

    /// The function's memory for such arrays; nothing is taken of it when the function begins.
    fn dynamic(&mut self) -> Result<Dynamic> {
        if let Some(dynamic) = self.dynamic {
            return Ok(dynamic);
        }
        let dynamic = Dynamic {
            memory: self.slot(BYTES, ALIGN)?,
            taken: self.slot(8, 8)?,
        };
        let none = self.i64(0);
        let block = std::mem::replace(&mut self.block, self.prologue);
        self.store_taken(&dynamic, none);
        self.block = block;
        self.dynamic = Some(dynamic);
        Ok(dynamic)
    }

    fn load_taken(&mut self, dynamic: &Dynamic) -> Value {
        self.load_leaf(&TAKEN, &dynamic.taken, 8, MemFlags::empty())
    }

    fn store_taken(&mut self, dynamic: &Dynamic, value: Value) {
        self.store_leaf(&TAKEN, value, &dynamic.taken, 8, MemFlags::empty());
    }
}

const TAKEN: Leaf = Leaf {
    elem: Elem::I64,
    offset: 0,
};
