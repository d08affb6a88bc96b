//! Loads and stores: each work-item its own components. Along the direction in which a matrix lies in memory, neighbouring lanes go along memory.

use super::LANES;
use super::bounds::Bounds;
use super::order::{Order, Place};
use crate::arithmetic::resize_int;
use crate::function::{Lowering, Result};
use crate::shape::{self, Leaf};
use crate::value::{Pointer, Scalars};
use crate::{Failure, memory::Access};
use ir::*;
use rustc_hash::FxHashMap as HashMap;
use spirv::{Id, Instruction, MatrixLayout, MatrixType, MemoryOperands};

/// How elements lie in memory: in lines, a stride apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Rows are contiguous.
    Rows,
    Columns,
    /// So many rows lie together, column by column: a power of two.
    Packed(u32),
}

impl Layout {
    /// The line of an element, and how far along it is.
    pub fn place(self, [row, column]: [u32; 2]) -> [u32; 2] {
        match self {
            Layout::Rows => [row, column],
            Layout::Columns => [column, row],
            Layout::Packed(rows) => [row / rows, column * rows + row % rows],
        }
    }
}

/// Where a matrix is.
pub(super) struct Memory {
    pub matrix: MatrixType,
    pub order: Order,
    pub leaf: Leaf,
    /// Its first element.
    pub start: Pointer,
    pub layout: Layout,
    /// From a row, or column, to the next, in bytes: an `i64`.
    pub stride: Value,
    access: Access,
    /// Where rows, or columns, start that were met so far.
    pub starts: HashMap<u32, Value>,
    /// From an element of the first lane to that of this one: an index, and its scale.
    lane: Option<(Value, u32)>,
    /// What of it is there, if that is asked.
    pub bounds: Option<Bounds>,
}

impl<'m> Lowering<'_, 'm> {
    pub(super) fn matrix_load(&mut self, inst: &Instruction<'m>, mut memory: Memory) -> Result<()> {
        let mut scalars = Scalars::new();
        let mut component = 0;
        while component < memory.matrix.length {
            let pointer = self.matrix_place(&mut memory, component);
            let bytes = memory.whole_word();
            let leaf = match bytes {
                1 => memory.leaf,
                _ => Leaf {
                    elem: Elem::I32,
                    offset: 0,
                },
            };
            let (align, flags) = (memory.align(), memory.access.flags);
            let value = match self.is_in_bounds(&mut memory, component) {
                Some(inside) => {
                    let zero = self.constant(Type::scalar(leaf.elem), 0);
                    let inner = self.func.add_block();
                    let exit = self.func.add_block();
                    let value = self.func.add_param(exit, Type::scalar(leaf.elem));
                    self.b().branch(inside, to(inner, &[]), to(exit, &[zero]));
                    self.block = inner;
                    let loaded = self.load_leaf(&leaf, &pointer, align, flags);
                    self.b().jump(exit, &[loaded]);
                    self.block = exit;
                    value
                }
                None => self.load_leaf(&leaf, &pointer, align, flags),
            };
            let b = &mut self.b();
            match bytes {
                1 => scalars.push(value),
                _ => scalars.extend((0..bytes).map(|byte| {
                    let down = b.binary_imm(BinaryOp::LShr, value, 8 * i64::from(byte));
                    b.convert(ConvertOp::Trunc, Elem::I8, down)
                })),
            }
            component += bytes;
        }
        self.define(inst, scalars);
        Ok(())
    }

    pub(super) fn matrix_store(&mut self, object: Id, mut memory: Memory) -> Result<()> {
        let scalars = self.scalars(object)?;
        for (component, &value) in (0..).zip(&scalars) {
            let pointer = self.matrix_place(&mut memory, component);
            let exit = self.is_in_bounds(&mut memory, component).map(|inside| {
                let (inner, exit) = (self.func.add_block(), self.func.add_block());
                self.b().branch(inside, to(inner, &[]), to(exit, &[]));
                self.block = inner;
                exit
            });
            self.store_leaf(&memory.leaf, value, &pointer, memory.align(), memory.access.flags);
            if let Some(exit) = exit {
                self.b().jump(exit, &[]);
                self.block = exit;
            }
        }
        Ok(())
    }

    /// Where layout, stride and memory operands are among the operands.
    pub(super) fn matrix_memory(&mut self, inst: &Instruction<'m>, type_id: Id, [layout, stride, behind]: [usize; 3]) -> Result<Memory> {
        let matrix = self.matrix_type(type_id)?;
        let elem = shape::scalar(self.spirv.ty(matrix.component)).ok_or(Failure::Unsupported)?;
        let start = self.pointer(inst.word(0))?;
        let (_, pointee) = self.spirv.value_type(inst.word(0)).pointer().ok_or(Failure::Unsupported)?;
        // Of joint matrices, strides are in elements of these.
        let unit = match matrix.joint {
            Some(_) => elem.bytes().into(),
            None => shape::size(self.spirv, pointee)?,
        };
        let layout = match self.literal(inst.word(layout)).and_then(|number| matrix.layout(number)) {
            Some(MatrixLayout::Columns) => Layout::Columns,
            Some(MatrixLayout::Packed) => Layout::Packed(4 / elem.bytes()),
            _ => Layout::Rows,
        };
        let (operands, _) = MemoryOperands::read(inst.operands.get(behind..).unwrap_or(&[]));
        let stride = self.scalar(inst.word(stride))?;
        self.flags = Flags::empty();
        let base = self.materialize(&start);
        let b = &mut self.b();
        let stride = resize_int(b, Elem::I64, stride, false);
        let stride = b.binary_imm(BinaryOp::Mul, stride, unit as i64);
        Ok(Memory {
            order: self.matrix_order(&matrix),
            matrix,
            leaf: Leaf { elem, offset: 0 },
            start: Pointer {
                base,
                index: None,
                offset: 0,
                ..start
            },
            layout,
            stride,
            access: operands.into(),
            starts: HashMap::from_iter([(0, base)]),
            lane: None,
            bounds: None,
        })
    }

    /// The address of a component: where that of the first lane is, and from there to this lane's. Both parts of a row are powers of two apart, so that they
    /// are found one by one also where rows lie together.
    fn matrix_place(&mut self, memory: &mut Memory, component: u32) -> Pointer {
        let [line, along] = memory.layout.place(memory.order.element(Place { component, lane: 0 }));
        let base = self.matrix_line(memory, line);
        let index = match memory.lane {
            Some(index) => index,
            None => *memory.lane.insert(self.matrix_lane(memory)),
        };
        Pointer {
            base,
            index: Some(index),
            offset: (along * memory.leaf.elem.bytes()) as i32,
            ..memory.start
        }
    }

    /// Where a row, or column, starts: so far behind the one before that was asked for.
    fn matrix_line(&mut self, memory: &mut Memory, line: u32) -> Value {
        if let Some(&known) = memory.starts.get(&line) {
            return known;
        }
        let before = (0..line).rev().find(|before| memory.starts.contains_key(before)).unwrap_or(0);
        let (from, stride) = (memory.starts[&before], memory.stride);
        let b = &mut self.b();
        let further = b.binary_imm(BinaryOp::Mul, stride, i64::from(line - before));
        let start = b.add(from, further);
        memory.starts.insert(line, start);
        start
    }

    fn matrix_lane(&mut self, memory: &Memory) -> (Value, u32) {
        let width = memory.order.word[1];
        let bytes = memory.leaf.elem.bytes();
        let stride = memory.stride;
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let span = memory.order.columns.min(LANES);
        match memory.layout {
            Layout::Rows if span == LANES => return (lane, width * bytes),
            Layout::Packed(rows) if span == LANES => return (lane, width * rows * bytes),
            _ => {}
        }
        let [line, along] = self.lane_place(&memory.order, memory.layout);
        let b = &mut self.b();
        let lines = b.mul(line, stride);
        let within = b.binary_imm(BinaryOp::Mul, along, i64::from(bytes));
        (b.add(lines, within), 1)
    }
}

impl Lowering<'_, '_> {
    /// From an element of the first lane to that of this one: lines, and elements along a line. Both are `i64`.
    pub(super) fn lane_place(&mut self, order: &Order, layout: Layout) -> [Value; 2] {
        let [row, column] = self.lane_element(order);
        let b = &mut self.b();
        let place = match layout {
            Layout::Rows => [row, column],
            Layout::Columns => [column, row],
            Layout::Packed(rows) => {
                let together = b.binary_imm(BinaryOp::And, row, i64::from(rows - 1));
                let before = b.binary_imm(BinaryOp::Mul, column, i64::from(rows));
                let line = b.binary_imm(BinaryOp::LShr, row, i64::from(rows.trailing_zeros()));
                [line, b.add(before, together)]
            }
        };
        place.map(|number| b.convert(ConvertOp::ZExt, Elem::I64, number))
    }

    /// From an element of the first lane to that of this one: rows and columns.
    pub(super) fn lane_element(&mut self, order: &Order) -> [Value; 2] {
        let [height, width] = order.word;
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        // The lanes' words are in rows of so many.
        let span = order.columns.min(LANES);
        let b = &mut self.b();
        let row = b.binary_imm(BinaryOp::LShr, lane, i64::from(span.trailing_zeros()));
        let column = b.binary_imm(BinaryOp::And, lane, i64::from(span - 1));
        [
            b.binary_imm(BinaryOp::Mul, row, i64::from(height)),
            b.binary_imm(BinaryOp::Mul, column, i64::from(width)),
        ]
    }
}

impl Memory {
    /// Elements that are loaded at once: those of a word that is contiguous in memory.
    fn whole_word(&self) -> u32 {
        let [height, width] = self.order.word;
        let contiguous = match self.layout {
            Layout::Rows => width,
            Layout::Columns => height,
            Layout::Packed(rows) => height.min(rows),
        };
        let is_whole = contiguous == self.order.in_word() && self.bounds.is_none() && !self.access.flags.contains(MemFlags::VOLATILE);
        if is_whole { self.order.in_word() } else { 1 }
    }

    /// Rows may start anywhere where an element may.
    fn align(&self) -> u32 {
        let bytes = self.leaf.elem.bytes();
        self.access.align.map_or(bytes, |align| align.min(bytes))
    }
}
