//! Places of lanes that all are as far from the beginning of rows of their own.

use analysis::access::uniform_and_rest;
use ir::*;

/// Words or bytes that lanes have in places of their own, all as far from the beginning of their rows.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub base: Value,
    /// A vector of so many of them that is to be added to a base that is the same for all lanes.
    pub plus: Option<Value>,
    /// How many from the beginning, for all lanes.
    pub index: Value,
    /// The size of one.
    pub bytes: u32,
    /// How many lanes.
    pub lanes: u16,
    /// The lanes that access theirs, if not all do.
    pub mask: Option<Value>,
}

impl Row {
    /// What a load or store accesses.
    pub fn of(func: &Function, inst: Inst) -> Option<Row> {
        let Access {
            address, mem, ty, mask, ..
        } = func.access(inst)?;
        let (bytes, lanes) = (ty.elem.bytes(), ty.lanes);
        let is_plain = !mem.flags.contains(MemFlags::VOLATILE) && ty.elem != Elem::Mask;
        if !is_plain || !ty.lanes.is_multiple_of(4) || address.scale != bytes {
            return None;
        }
        let (base, index) = (address.base, address.index?);
        match [base, index].map(|value| func.ty(value).is_vector()) {
            [true, false] => Some(Row {
                base,
                plus: None,
                index,
                bytes,
                lanes,
                mask,
            }),
            [false, true] => {
                let (index, plus) = uniform_and_rest(func, index).next()?;
                let plus = Some(plus);
                Some(Row {
                    base,
                    plus,
                    index,
                    bytes,
                    lanes,
                    mask,
                })
            }
            _ => None,
        }
    }

    /// Both are the same distance from the beginnings of the same rows.
    pub fn is_same_place(&self, other: &Row) -> bool {
        let place = |row: &Row| (row.base, row.plus, row.index, row.bytes);
        place(self) == place(other)
    }

    /// Where the rows begin.
    pub fn beginning(&self, b: &mut Builder) -> Value {
        let Some(plus) = self.plus else { return self.base };
        let plus = b.convert(ConvertOp::SExt, Elem::I64, plus);
        let bytes = b.binary_imm(BinaryOp::Shl, plus, i64::from(self.bytes.ilog2()));
        let base = b.splat(b.ty(bytes).lanes, self.base);
        b.add(base, bytes)
    }
}
