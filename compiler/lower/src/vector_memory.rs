//! `vload` and `vstore` of OpenCL.std: vectors that are only aligned as their components are, and halves in memory.

use super::Failure;
use super::conversion::{float_to_float, rounding_mode};
use super::function::{Lowering, Result};
use super::shape::Leaf;
use super::value::{Pointer, Scalars};
use builtins::StdOp;
use ir::*;
use spirv::{Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    pub(super) fn vector_memory(&mut self, inst: &Instruction<'m>, op: StdOp, operands: &[Id]) -> Result<()> {
        let operand = |n: usize| operands.get(n).copied().unwrap_or(0);
        let aligned = matches!(op, StdOp::vloada_halfn | StdOp::vstorea_halfn | StdOp::vstorea_halfn_r);
        let half = !matches!(op, StdOp::vloadn | StdOp::vstoren);
        if matches!(op, StdOp::vloadn | StdOp::vload_half | StdOp::vload_halfn | StdOp::vloada_halfn) {
            let (count, _) = self.spirv.components(inst.result_type);
            let elem = self.result_elem(inst)?;
            let in_memory = if half { Elem::F16 } else { elem };
            let place = self.vector_place(operand(1), operand(0), count, in_memory, aligned)?;
            let mut results = Scalars::new();
            for n in 0..count {
                let leaf = Leaf {
                    elem: in_memory,
                    offset: u64::from(n * in_memory.bytes()),
                };
                let value = self.load_leaf(&leaf, &place, vector_align(in_memory, count, aligned), MemFlags::empty());
                self.flags = Flags::empty();
                results.push(if half {
                    float_to_float(&mut self.b(), elem, value, Rounding::Nearest)
                } else {
                    value
                });
            }
            self.define(inst, results);
            return Ok(());
        }
        let rounding = match op {
            StdOp::vstore_half_r | StdOp::vstore_halfn_r | StdOp::vstorea_halfn_r => rounding_mode(operand(3))?,
            _ => Rounding::Nearest,
        };
        let values = self.scalars(operand(0))?;
        let Some(&first) = values.first() else {
            return Err(Failure::Unsupported);
        };
        let count = values.len() as u32;
        let in_memory = if half { Elem::F16 } else { self.func.ty(first).elem };
        let place = self.vector_place(operand(2), operand(1), count, in_memory, aligned)?;
        for (n, &value) in values.iter().enumerate() {
            self.flags = Flags::empty();
            let value = if half {
                float_to_float(&mut self.b(), Elem::F16, value, rounding)
            } else {
                value
            };
            let leaf = Leaf {
                elem: in_memory,
                offset: n as u64 * u64::from(in_memory.bytes()),
            };
            self.store_leaf(&leaf, value, &place, vector_align(in_memory, count, aligned), MemFlags::empty());
        }
        Ok(())
    }

    /// Vector number `offset` behind the pointer. Vectors stand without gaps; of three components, the aligned ones take the room of four.
    fn vector_place(&mut self, pointer: Id, offset: Id, count: u32, elem: Elem, aligned: bool) -> Result<Pointer> {
        let pointer = self.pointer(pointer)?;
        let offset = self.scalar(offset)?;
        let components = if aligned && count == 3 { 4 } else { count };
        Ok(self.step(pointer, offset, u64::from(components * elem.bytes())))
    }
}

fn vector_align(elem: Elem, count: u32, aligned: bool) -> u32 {
    if aligned {
        elem.bytes() * count.next_power_of_two()
    } else {
        elem.bytes()
    }
}
