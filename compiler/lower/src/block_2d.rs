//! Blocks of two-dimensional memory that a sub-group loads, stores or prefetches together (SPV_INTEL_2d_block_io). Each work-item reads or writes its own
//! share of them, element by element: what it has depends on nothing but its number in the sub-group.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::shape::Leaf;
use super::value::Pointer;
use ir::*;
use rspirv::spirv::Op;
use spirv::Instruction;

/// What an instruction says of its blocks, in elements, as they are in memory.
struct Blocks {
    /// Bytes of an element.
    size: u32,
    width: u64,
    height: u64,
    count: u64,
}

/// The memory that the blocks are in.
struct Plane {
    base: Pointer,
    /// Bytes of a row that are there, rows, and bytes from row to row.
    width: Value,
    height: Value,
    pitch: Value,
    /// Where the first block begins: an element, and a row.
    x: Value,
    y: Value,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn block_2d(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let (base, own) = match inst.op() {
            Op::Subgroup2DBlockLoadINTEL | Op::Subgroup2DBlockLoadTransposeINTEL | Op::Subgroup2DBlockLoadTransformINTEL => (4, 9),
            Op::Subgroup2DBlockStoreINTEL => (5, 4),
            // A hint.
            Op::Subgroup2DBlockPrefetchINTEL => return Ok(true),
            _ => return Ok(false),
        };
        let mut number = |position: usize| self.literal(inst.word(position)).ok_or(Failure::Unsupported);
        let blocks = Blocks {
            size: number(0)? as u32,
            width: number(1)?,
            height: number(2)?,
            count: number(3)?,
        };
        let coordinate = self.scalars(inst.word(base + 4))?;
        let [x, y] = coordinate[..] else { return Err(Failure::Unsupported) };
        let plane = Plane {
            base: self.pointer(inst.word(base))?,
            width: self.wide(inst.word(base + 1))?,
            height: self.wide(inst.word(base + 2))?,
            pitch: self.wide(inst.word(base + 3))?,
            x: resize_int(&mut self.b(), Elem::I64, x, true),
            y: resize_int(&mut self.b(), Elem::I64, y, true),
        };
        let own = self.pointer(inst.word(own))?;
        self.flags = Flags::empty();
        self.share(inst.op(), &blocks, &plane, own)?;
        Ok(true)
    }

    fn wide(&mut self, id: spirv::Id) -> Result<Value> {
        let value = self.scalar(id)?;
        Ok(resize_int(&mut self.b(), Elem::I64, value, true))
    }

    /// The work-item's elements, one after another.
    fn share(&mut self, op: Op, blocks: &Blocks, plane: &Plane, own: Pointer) -> Result<()> {
        let transposed = op == Op::Subgroup2DBlockLoadTransposeINTEL;
        // Rows of memory that become one row of 32-bit values.
        let packed = match op {
            Op::Subgroup2DBlockLoadTransformINTEL => u64::from(4 / blocks.size),
            _ => 1,
        };
        // What the sub-group shares out, row by row: a power of two of columns.
        let (rows, columns) = match transposed {
            true => (blocks.width, blocks.height.next_power_of_two()),
            false => (blocks.height.div_ceil(packed), blocks.width.next_power_of_two()),
        };
        let (lane, lanes) = (self.builtin(Builtin::SubGroupLocalId, 0), self.builtin(Builtin::SubGroupMaxSize, 0));
        let (zero, one) = (self.i64(0), self.i64(1));
        let columns = self.i64(columns as i64);
        let b = &mut self.b();
        let (lane, lanes) = (resize_int(b, Elem::I64, lane, false), resize_int(b, Elem::I64, lanes, false));
        // Work-items side by side in a row, rows at once, and neighbours in a row that one work-item has.
        let across = b.binary(BinaryOp::UMin, lanes, columns);
        let at_once = b.binary(BinaryOp::UDiv, lanes, across);
        let neighbours = b.binary(BinaryOp::UDiv, columns, across);
        let (first_row, place) = (b.binary(BinaryOp::UDiv, lane, across), b.binary(BinaryOp::URem, lane, across));
        let first_column = b.mul(place, neighbours);
        // rows / at_once, rounded up
        let less = b.binary_imm(BinaryOp::Add, at_once, rows as i64 - 1);
        let steps = b.binary(BinaryOp::UDiv, less, at_once);
        let each = b.mul(steps, neighbours);
        let all = b.binary_imm(BinaryOp::Mul, each, blocks.count as i64);
        self.count_loop(zero, all, one, |this, index| {
            let b = &mut this.b();
            let (block, within) = (b.binary(BinaryOp::UDiv, index, each), b.binary(BinaryOp::URem, index, each));
            let (step, neighbour) = (
                b.binary(BinaryOp::UDiv, within, neighbours),
                b.binary(BinaryOp::URem, within, neighbours),
            );
            let below = b.mul(step, at_once);
            let (row, column) = (b.add(below, first_row), b.add(first_column, neighbour));
            let (row, column) = if transposed { (column, row) } else { (row, column) };
            let row = b.binary_imm(BinaryOp::Mul, row, packed as i64);
            let before = b.binary_imm(BinaryOp::Mul, block, blocks.width as i64);
            let elem = Elem::int(blocks.size * 8).ok_or(Failure::Unsupported)?;
            if op == Op::Subgroup2DBlockStoreINTEL {
                let place = this.step(own, index, blocks.size.into());
                let value = this.load_leaf(&Leaf { elem, offset: 0 }, &place, blocks.size, MemFlags::empty());
                let (there, place) = this.element(blocks, plane, before, column, row);
                let (inner, exit) = (this.func.add_block(), this.func.add_block());
                this.b().branch(there, to(inner, &[]), to(exit, &[]));
                this.block = inner;
                this.store_leaf(&Leaf { elem, offset: 0 }, value, &place, blocks.size, MemFlags::empty());
                this.b().jump(exit, &[]);
                this.block = exit;
                return Ok(());
            }
            let mut value = this.element_or_zero(blocks, plane, before, column, row, elem);
            if packed > 1 {
                value = this.b().convert(ConvertOp::ZExt, Elem::I32, value);
            }
            for part in 1..packed {
                let next = this.b().binary_imm(BinaryOp::Add, row, part as i64);
                let more = this.element_or_zero(blocks, plane, before, column, next, elem);
                let b = &mut this.b();
                let more = b.convert(ConvertOp::ZExt, Elem::I32, more);
                let up = b.binary_imm(BinaryOp::Shl, more, part as i64 * i64::from(elem.bits()));
                value = b.or(value, up);
            }
            let kept = this.func.ty(value).elem;
            let place = this.step(own, index, kept.bytes().into());
            this.store_leaf(&Leaf { elem: kept, offset: 0 }, value, &place, kept.bytes(), MemFlags::empty());
            Ok(())
        })
    }

    /// Is an element of a block in the memory, and where? A place that is there in any case, where it is not.
    fn element(&mut self, blocks: &Blocks, plane: &Plane, before: Value, column: Value, row: Value) -> (Value, Pointer) {
        let zero = self.i64(0);
        let b = &mut self.b();
        let mut there = b.icmp_imm(IntCc::Ult, column, blocks.width as i64);
        let in_block = b.icmp_imm(IntCc::Ult, row, blocks.height as i64);
        there = b.and(there, in_block);
        let x = b.add(plane.x, before);
        let (x, y) = (b.add(x, column), b.add(plane.y, row));
        let start = b.binary_imm(BinaryOp::Mul, x, blocks.size.into());
        // An element on the left or above has a huge number, seen without its sign. Widths are multiples of elements.
        for (place, limit) in [(start, plane.width), (y, plane.height)] {
            let inside = b.icmp(IntCc::Ult, place, limit);
            there = b.and(there, inside);
        }
        let down = b.mul(y, plane.pitch);
        let bytes = b.add(down, start);
        let bytes = b.select(there, bytes, zero);
        (there, self.step(plane.base, bytes, 1))
    }

    /// An element; zero where there is none.
    fn element_or_zero(&mut self, blocks: &Blocks, plane: &Plane, before: Value, column: Value, row: Value, elem: Elem) -> Value {
        let (there, place) = self.element(blocks, plane, before, column, row);
        let value = self.load_leaf(&Leaf { elem, offset: 0 }, &place, blocks.size, MemFlags::empty());
        let zero = self.constant(Type::scalar(elem), 0);
        self.b().select(there, value, zero)
    }
}
