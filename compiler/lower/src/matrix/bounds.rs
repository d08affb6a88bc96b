//! Matrices of which a part lies outside of what is there (SPV_INTEL_joint_matrix), and which row and column a component is.
//!
//! Bounds are those of memory: so many lines of so many elements. The X offset counts lines from the pointer, the Y offset elements along a line, whatever
//! the layout is, as the programs have it that DPC++ is tested with. Offsets have no sign.

use super::LANES;
use super::load_store::{Layout, Memory};
use super::order::{Order, Place};
use crate::arithmetic::resize_int;
use crate::function::{Lowering, Result};
use ir::*;
use spirv::{Id, Instruction};

/// What is there: values are `i64`.
pub(super) struct Bounds {
    /// Line, and element along it, of this lane's part of the first component.
    from: [Value; 2],
    /// Lines, and elements of one.
    sizes: [Value; 2],
}

impl<'m> Lowering<'_, 'm> {
    /// Memory with bounds; given are the positions of the first offset, and of the first size.
    pub(super) fn bounded(&mut self, inst: &Instruction<'m>, mut memory: Memory, [offsets, sizes]: [usize; 2]) -> Result<Memory> {
        let offsets = self.two_sizes(inst, offsets)?;
        let sizes = self.two_sizes(inst, sizes)?;
        let bytes = memory.leaf.elem.bytes();
        let b = &mut self.b();
        let lines = b.mul(offsets[0], memory.stride);
        let along = b.binary_imm(BinaryOp::Mul, offsets[1], bytes.into());
        let by = b.add(lines, along);
        let start = b.add(memory.start.base, by);
        memory.start.base = start;
        memory.starts.insert(0, start);
        memory.bounds = Some(self.bounds(&memory.order, memory.layout, offsets, sizes));
        Ok(memory)
    }

    fn bounds(&mut self, order: &Order, layout: Layout, offsets: [Value; 2], sizes: [Value; 2]) -> Bounds {
        let lane = self.lane_place(order, layout);
        let from = [0, 1].map(|axis| self.b().add(offsets[axis], lane[axis]));
        Bounds { from, sizes }
    }

    fn two_sizes(&mut self, inst: &Instruction<'m>, first: usize) -> Result<[Value; 2]> {
        let size = |this: &mut Self, id: Id| {
            let value = this.scalar(id)?;
            Ok(resize_int(&mut this.b(), Elem::I64, value, false))
        };
        Ok([size(self, inst.word(first))?, size(self, inst.word(first + 1))?])
    }

    /// Is this lane's component there? `None` if all is.
    pub(super) fn is_in_bounds(&mut self, memory: &mut Memory, component: u32) -> Option<Value> {
        let bounds = memory.bounds.as_ref()?;
        Some(self.inside(bounds, memory.layout, &memory.order, component))
    }

    fn inside(&mut self, bounds: &Bounds, layout: Layout, order: &Order, component: u32) -> Value {
        let place = layout.place(order.element(Place { component, lane: 0 }));
        let b = &mut self.b();
        let [line, along] = [0, 1].map(|axis| {
            let at = b.binary_imm(BinaryOp::Add, bounds.from[axis], place[axis].into());
            b.icmp(IntCc::Ult, at, bounds.sizes[axis])
        });
        b.and(line, along)
    }

    /// A matrix of one value, and zeros where it is out of bounds.
    pub(super) fn matrix_construct(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let matrix = self.matrix_type(inst.result_type)?;
        let order = self.matrix_order(&matrix);
        let (offsets, sizes) = (self.two_sizes(inst, 0)?, self.two_sizes(inst, 2)?);
        let value = self.scalar(inst.word(4))?;
        self.flags = Flags::empty();
        let zero = self.constant(self.func.ty(value), 0);
        let bounds = self.bounds(&order, Layout::Rows, offsets, sizes);
        let scalars = (0..matrix.length)
            .map(|component| {
                let inside = self.inside(&bounds, Layout::Rows, &order, component);
                self.b().select(inside, value, zero)
            })
            .collect();
        self.define(inst, scalars);
        Ok(())
    }

    /// The row and the column of a component that is known when the kernel runs.
    pub(super) fn matrix_coordinate(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let type_id = self.spirv.type_of(inst.word(0));
        let order = self.matrix_order(&self.matrix_type(type_id)?);
        let [height, width] = order.word;
        let index = self.scalar(inst.word(1))?;
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        self.flags = Flags::empty();
        let b = &mut self.b();
        // All of these are powers of two.
        let part = |b: &mut Builder, value: Value, of: u32| {
            let whole = b.binary_imm(BinaryOp::LShr, value, i64::from(of.trailing_zeros()));
            (whole, b.binary_imm(BinaryOp::And, value, i64::from(of - 1)))
        };
        let (word, within) = part(b, index, order.in_word());
        let before = b.binary_imm(BinaryOp::Mul, word, i64::from(LANES));
        let word = b.add(before, lane);
        let ((row, column), (down, across)) = (part(b, word, order.columns), part(b, within, width));
        let row = b.binary_imm(BinaryOp::Mul, row, i64::from(height));
        let column = b.binary_imm(BinaryOp::Mul, column, i64::from(width));
        let coordinate = [b.add(row, down), b.add(column, across)];
        self.define(inst, coordinate.into_iter().collect());
        Ok(())
    }
}
