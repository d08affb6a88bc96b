//! Places of lanes that all are as far from the beginning of rows of their own.

use analysis::access::uniform_and_rest;
use ir::*;

/// Words or bytes that lanes have in places of their own, all as far from the beginning of their rows.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub base: Value,
    /// A vector of so many of them that is to be added to a base that is the same for all lanes.
    pub plus: Option<Value>,
    /// What is subtracted from it, the same for all lanes.
    pub minus: Option<Value>,
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
        let Access { address, ty, mask, .. } = func.access(inst).filter(Access::is_plain)?;
        let (bytes, lanes) = (ty.elem.bytes(), ty.lanes);
        if !lanes.is_multiple_of(4) || address.scale != bytes {
            return None;
        }
        let (base, index) = (address.base, address.index?);
        let (index, plus, minus) = match [base, index].map(|value| func.ty(value).is_vector()) {
            [true, false] => (index, None, None),
            [false, true] => {
                let (sum, minus) = sum_and_minus(func, index);
                let (index, plus) = uniform_and_rest(func, sum).next()?;
                (index, Some(plus), minus)
            }
            _ => return None,
        };
        Some(Row {
            base,
            plus,
            minus,
            index: before_extension(func, index),
            bytes,
            lanes,
            mask,
        })
    }

    /// In each iteration of a loop with such a counter it is the next one of rows that begin at what is from before the loop.
    pub fn goes_along(&self, counter: Value, is_outside: impl Fn(Value) -> bool) -> bool {
        self.index == counter && is_outside(self.base) && self.plus.iter().chain(&self.minus).all(|&value| is_outside(value))
    }

    /// Both are the same distance from the beginnings of the same rows.
    pub fn is_same_place(&self, other: &Row) -> bool {
        let place = |row: &Row| (row.base, row.plus, row.minus, row.index, row.bytes);
        place(self) == place(other)
    }

    /// Where the rows begin.
    pub fn beginning(&self, b: &mut Builder) -> Value {
        let mut bytes = |index: Value| {
            let index = b.convert(ConvertOp::SExt, Elem::I64, index);
            b.binary_imm(BinaryOp::Shl, index, i64::from(self.bytes.ilog2()))
        };
        let (plus, minus) = (self.plus.map(&mut bytes), self.minus.map(&mut bytes));
        let base = minus.map_or(self.base, |minus| b.sub(self.base, minus));
        let Some(plus) = plus else { return base };
        let base = b.splat(b.ty(plus).lanes, base);
        b.add(base, plus)
    }
}

/// An index of 64 bits may be one of 32, which is extended where it is used.
fn before_extension(func: &Function, index: Value) -> Value {
    match func.def_data(index) {
        Some(&InstData::Convert {
            op: ConvertOp::SExt, arg, ..
        }) if func.ty(arg) == Type::I32 => arg,
        _ => index,
    }
}

/// `sum - minus` by lanes, the second the same for all.
fn sum_and_minus(func: &Function, index: Value) -> (Value, Option<Value>) {
    let node = func.def_inst(index).map(|inst| func.inst(inst));
    match node.map(|node| (&node.data, node.flags)) {
        // Shorter differences may wrap before they are extended.
        Some((
            &InstData::Binary {
                op: BinaryOp::Sub,
                args: [sum, minus],
            },
            flags,
        )) if func.ty(index).elem == Elem::I64 || flags.contains(Flags::NSW) => match func.splatted(minus) {
            Some(minus) => (sum, Some(minus)),
            None => (index, None),
        },
        _ => (index, None),
    }
}

/// How a load or store goes over the lanes of a gang and the iterations of a loop.
#[derive(Clone, Copy)]
pub(super) enum Walk {
    /// Each lane along a row of its own, to the next element in each iteration.
    Rows(Row),
    /// A load for all lanes, of the next element in each iteration.
    Together,
    /// A load from a place of its lane's, or of all lanes, that is the same in all iterations.
    Stays,
}

impl Walk {
    /// That of an instruction in a loop with such a counter, if it is one of these; `is_outside` says what is from before the loop.
    pub fn of(func: &Function, inst: Inst, counter: Value, is_outside: impl Fn(Value) -> bool) -> Option<Walk> {
        let access = func.access(inst).filter(Access::is_plain)?;
        if let Some(row) = Row::of(func, inst)
            && row.goes_along(counter, &is_outside)
        {
            return Some(Walk::Rows(row));
        }
        let Access { address, ty, mask, .. } = access;
        let index = address.index.map(|index| before_extension(func, index));
        let goes_on = index == Some(counter) && address.scale == ty.elem.bytes() && is_outside(address.base);
        if access.is_store || func.is_scattered(&address) != ty.is_vector() {
            None
        } else if goes_on && mask.is_none() && !ty.is_vector() {
            Some(Walk::Together)
        } else {
            func.inst(inst).data.all_operands(|&value| is_outside(value)).then_some(Walk::Stays)
        }
    }
}
