//! Blocks of images (SPV_INTEL_subgroups, cl_intel_spirv_subgroups): a sub-group reads or writes rows of bytes, side by side, a row a component.
//! What lies outside the image is read from its edge, and not written.
//!
//! Edges are those of words of 32 bits, whatever is read (cl_intel_subgroups, on bounds): bytes and shorts beyond an edge repeat the word that is there, and
//! not its last part. What is longer than a word is read and written a word at a time.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::image::ImageField;
use super::shape::Leaf;
use super::value::{Pointer, Scalars};
use core::mem::offset_of;
use device::image::ImageRecord;
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction};

/// Bytes of a word, in which bounds are checked.
const WORD: i64 = 4;

/// An image, and where a lane's part of the block begins: bytes from the left, and rows from the top.
struct Block2D {
    data: Value,
    pitch: Value,
    /// Bytes of a row that are texels.
    row: Value,
    rows: Value,
    x: Value,
    y: Value,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn image_block(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::SubgroupImageBlockReadINTEL => {
                let (count, _) = self.spirv.components(inst.result_type);
                let elem = self.result_elem(inst)?;
                let block = self.block_of(inst.word(0), inst.word(1), elem)?;
                let mut results = Scalars::new();
                for component in 0..count {
                    results.push(self.read_from_block(&block, component, elem));
                }
                self.define(inst, results);
            }
            Op::SubgroupImageBlockWriteINTEL => {
                let values = self.scalars(inst.word(2))?;
                let elem = values.first().map(|&value| self.func.ty(value).elem).ok_or(Failure::Unsupported)?;
                let block = self.block_of(inst.word(0), inst.word(1), elem)?;
                let own = self.slot(8, 8)?;
                let own = self.materialize(&own);
                for (component, &value) in values.iter().enumerate() {
                    self.write_to_block(&block, component as u32, value, own);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn block_of(&mut self, image: Id, coordinate: Id, elem: Elem) -> Result<Block2D> {
        let image = self.scalar(image)?;
        let coordinate = self.scalars(coordinate)?;
        let &[left, y] = coordinate.as_slice() else {
            return Err(Failure::Unsupported);
        };
        let rows = self.image_field(image, ImageField::Height);
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        self.flags = Flags::empty();
        let wide = |this: &mut Self, offset: usize| {
            let mem = MemInfo {
                flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
                ..MemInfo::new(Space::Constant, 8)
            };
            this.b().load(Type::I64, Address::offset(image, offset as i32), mem)
        };
        let (data, pitch) = (
            wide(self, offset_of!(ImageRecord, data)),
            wide(self, offset_of!(ImageRecord, row_pitch)),
        );
        let b = &mut self.b();
        let row = b.value(InstData::CallRuntime {
            routine: Runtime::ImageRowBytes,
            args: ValueList::from_slice(&[image]),
        });
        let bytes = b.binary_imm(BinaryOp::Mul, lane, i64::from(elem.bytes()));
        let x = b.add(left, bytes);
        Ok(Block2D {
            data,
            pitch,
            row,
            rows,
            x,
            y,
        })
    }

    fn read_from_block(&mut self, block: &Block2D, component: u32, elem: Elem) -> Value {
        if elem != Elem::I64 {
            let place = self.nearest(block, component, elem, 0);
            return self.load_leaf(&Leaf { elem, offset: 0 }, &place, 1, MemFlags::empty());
        }
        let [low, high] = [0, WORD].map(|offset| {
            let place = self.nearest(block, component, Elem::I32, offset);
            let word = self.load_leaf(
                &Leaf {
                    elem: Elem::I32,
                    offset: 0,
                },
                &place,
                1,
                MemFlags::empty(),
            );
            self.b().convert(ConvertOp::ZExt, Elem::I64, word)
        });
        let b = &mut self.b();
        let high = b.binary_imm(BinaryOp::Shl, high, 32);
        b.or(low, high)
    }

    /// `own` is where a lane writes what has no place in the image.
    fn write_to_block(&mut self, block: &Block2D, component: u32, value: Value, own: Value) {
        let elem = self.func.ty(value).elem;
        let parts = if elem == Elem::I64 {
            let b = &mut self.b();
            let high = b.binary_imm(BinaryOp::LShr, value, 32);
            vec![
                (resize_int(b, Elem::I32, value, false), 0),
                (resize_int(b, Elem::I32, high, false), WORD),
            ]
        } else {
            vec![(value, 0)]
        };
        for (part, offset) in parts {
            let elem = self.func.ty(part).elem;
            let place = self.nearest(block, component, elem, offset);
            let address = self.materialize(&place);
            let inside = self.is_inside(block, component, elem, offset);
            let address = self.b().select(inside, address, own);
            let place = Pointer::new(address, Space::Generic);
            self.store_leaf(&Leaf { elem, offset: 0 }, part, &place, 1, MemFlags::empty());
        }
    }

    /// Where a part of a component is, or the like part of the word that is nearest to it in the image.
    fn nearest(&mut self, block: &Block2D, component: u32, elem: Elem, offset: i64) -> Pointer {
        let zero = self.i32(0);
        let b = &mut self.b();
        let y = b.binary_imm(BinaryOp::Add, block.y, i64::from(component));
        let last_row = b.binary_imm(BinaryOp::Sub, block.rows, 1);
        let mut within = |value: Value, last: Value| {
            let value = b.binary(BinaryOp::SMin, value, last);
            b.binary(BinaryOp::SMax, value, zero)
        };
        let y = within(y, last_row);
        let last = b.binary_imm(BinaryOp::Sub, block.row, i64::from(elem.bytes()));
        let x = b.binary_imm(BinaryOp::Add, block.x, offset);
        // What is in the image stays where it is: rows of images of smaller texels need not end with a word.
        let part = b.binary_imm(BinaryOp::And, x, WORD - 1);
        let last_word = b.binary_imm(BinaryOp::Sub, block.row, WORD);
        let of_last_word = b.add(last_word, part);
        let after = b.icmp(IntCc::Sgt, x, last);
        let before = b.icmp_imm(IntCc::Slt, x, 0);
        let x = b.select(after, of_last_word, x);
        let x = b.select(before, part, x);
        let x = b.binary(BinaryOp::SMin, x, last);
        let x = b.binary(BinaryOp::SMax, x, zero);
        let y = b.convert(ConvertOp::ZExt, Elem::I64, y);
        let down = b.mul(y, block.pitch);
        let row = b.add(block.data, down);
        self.step(Pointer::new(row, Space::Global), x, 1)
    }

    fn is_inside(&mut self, block: &Block2D, component: u32, elem: Elem, offset: i64) -> Value {
        let b = &mut self.b();
        let y = b.binary_imm(BinaryOp::Add, block.y, i64::from(component));
        let x = b.binary_imm(BinaryOp::Add, block.x, offset);
        let end = b.binary_imm(BinaryOp::Add, x, i64::from(elem.bytes()));
        let checks = [
            b.icmp_imm(IntCc::Sge, x, 0),
            b.icmp(IntCc::Sle, end, block.row),
            b.icmp_imm(IntCc::Sge, y, 0),
            b.icmp(IntCc::Slt, y, block.rows),
        ];
        let [a, c, d, e] = checks;
        let (x_inside, y_inside) = (b.and(a, c), b.and(d, e));
        b.and(x_inside, y_inside)
    }
}
