//! Whether iterations may be taken together though they load and store the same buffer.
//!
//! `a[i * n + j] -= f * a[k * n + j]` stores what a later iteration loads only if row k begins less than those iterations behind row i. For
//! all that can be known before the launch it may; where the loop begins, a few comparisons of addresses tell.

use super::row::{Row, Walk};
use super::row_loop::RowLoop;
use crate::versioning::{Assumption, Test};
use ir::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Two accesses, one of them a store, of which it shows where the loop begins whether iterations that are taken together keep their order.
pub(super) enum Meeting {
    /// Both go along memory.
    Beside(Pair),
    /// A store along a row, and a load from a place that is the same in all iterations.
    Passing { row: Inst, place: Inst },
}

/// Two accesses that go on by as much in an iteration.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// In the order of an iteration.
    first: Inst,
    second: Inst,
    /// By so much they go on.
    bytes: u32,
    /// The first stores and the second loads: no load may come before what is stored beside it, nor behind.
    sees_stores: bool,
}

/// What of a loop says where its accesses are.
pub(super) struct Accesses<'a> {
    pub func: &'a Function,
    /// The loop's instructions.
    pub body: &'a [Inst],
    pub counter: Value,
    /// A value is from before the loop.
    pub is_outside: &'a dyn Fn(Value) -> bool,
}

impl Accesses<'_> {
    /// What must be asked where the loop begins so that a store along a row may be done together with those of other iterations; `None` if
    /// it never may.
    pub fn meetings(&self, store: Inst) -> Option<Vec<Meeting>> {
        let func = self.func;
        let Access { address: stored, mem, .. } = func.access(store)?;
        let row = Row::of(func, store)?;
        let mut meetings = Vec::new();
        let mut is_before = true;
        for &inst in self.body {
            if inst == store {
                is_before = false;
                continue;
            }
            let Some(Access { address, is_store, .. }) = func.access(inst).filter(|other| other.mem.may_be_changed(mem.space, mem.alias))
            else {
                continue;
            };
            let is_load = !is_store;
            let is_same = Row::of(func, inst).is_some_and(|other| other.is_same_place(&row));
            if is_load && is_before && is_same && address.offset == stored.offset {
                continue;
            }
            let meeting = match Walk::of(func, inst, self.counter, self.is_outside)? {
                Walk::Rows(_) | Walk::Together if address.scale == stored.scale => {
                    let (first, second) = if is_before { (inst, store) } else { (store, inst) };
                    Meeting::Beside(Pair {
                        first,
                        second,
                        bytes: row.bytes,
                        sees_stores: is_load && !is_before,
                    })
                }
                Walk::Rows(_) | Walk::Together => return None,
                Walk::Stays => Meeting::Passing { row: store, place: inst },
            };
            // Of two stores, the first has asked.
            if is_load || is_before {
                meetings.push(meeting);
            }
        }
        Some(meetings)
    }
}

impl RowLoop {
    /// Of accesses whose distance is known, none keep so many iterations from being taken together.
    pub fn may_take(&self, func: &Function, iterations: u32) -> bool {
        self.meetings.iter().all(|meeting| match meeting {
            Meeting::Beside(pair) => pair
                .known_distance(func)
                .is_none_or(|known| !pair.meet(iterations).contains(&known)),
            Meeting::Passing { .. } => true,
        })
    }

    /// Some accesses' distance shows only where the loop begins.
    pub fn must_ask(&self, func: &Function) -> bool {
        self.meetings.iter().any(|meeting| meeting.is_open(func))
    }
}

/// With the counter at `there`, so many iterations of a loop may be taken together, in all lanes.
pub(super) struct Apart<'r> {
    pub rows: &'r RowLoop,
    pub there: Value,
    pub bound: Value,
    pub iterations: u32,
}

impl Assumption for Apart<'_> {
    fn test(&mut self, b: &mut Builder) -> Test {
        let left = self.rows.left(b, self.there, self.bound);
        let mut beginnings = Beginnings::default();
        let mut meet = b.mask(Type::MASK, false);
        for meeting in &self.rows.meetings {
            if meeting.is_open(b.func) {
                let lanes = match meeting {
                    Meeting::Beside(pair) => beginnings.beside(b, pair, self.iterations),
                    &Meeting::Passing { row, place } => beginnings.passing(b, row, place, [self.there, left]),
                };
                meet = b.or(meet, lanes);
            }
        }
        Test::when(b.not(meet))
    }
}

impl Meeting {
    fn is_open(&self, func: &Function) -> bool {
        match self {
            Meeting::Beside(pair) => pair.known_distance(func).is_none(),
            Meeting::Passing { .. } => true,
        }
    }
}

impl Pair {
    /// So many bytes is the second access from the first in an iteration, if that shows.
    fn known_distance(&self, func: &Function) -> Option<i64> {
        let [first, second] = [self.first, self.second].map(|inst| Some((Row::of(func, inst)?, func.access(inst)?.address)));
        let ((first, from), (second, to)) = (first?, second?);
        first.is_same_place(&second).then(|| i64::from(to.offset) - i64::from(from.offset))
    }

    /// At these distances the accesses don't keep their order: the first one of an iteration would come before the second one of an earlier
    /// iteration.
    fn meet(&self, iterations: u32) -> Range<i64> {
        let span = i64::from(iterations) * i64::from(self.bytes);
        if self.sees_stores { 1 - span..span } else { 1..span }
    }
}

/// Where accesses are when the counter is 0, by what that is made of.
#[derive(Default)]
struct Beginnings(FxHashMap<(Value, Option<Value>, Option<Value>), Value>);

impl Beginnings {
    /// Some lane's accesses don't keep their order.
    fn beside(&mut self, b: &mut Builder, pair: &Pair, iterations: u32) -> Value {
        let ((Some((from, first)), Some((to, second))), meet) = ((self.of(b, pair.first), self.of(b, pair.second)), pair.meet(iterations))
        else {
            return b.mask(Type::MASK, true);
        };
        let distance = combined(b, BinaryOp::Sub, to, from);
        let moved = b.binary_imm(BinaryOp::Add, distance, i64::from(second) - i64::from(first) - meet.start);
        let meet = b.icmp_imm(IntCc::Ult, moved, meet.end - meet.start);
        any_active(b, meet, Row::of(b.func, pair.first).or(Row::of(b.func, pair.second)))
    }

    /// Some lane's place is in what its row comes to in the iterations that are left.
    fn passing(&mut self, b: &mut Builder, row: Inst, place: Inst, [there, left]: [Value; 2]) -> Value {
        let (Some((beginning, offset)), Some(Access { address, ty, .. })) = (self.of(b, row), b.func.access(place)) else {
            return b.mask(Type::MASK, true);
        };
        let size = i64::from(ty.elem.bytes()) - 1;
        let row = Row::of(b.func, row);
        let element = row.map_or(1, |row| row.bytes);
        let mut at = address.base;
        if let Some(index) = address.index {
            let bytes = bytes(b, ConvertOp::SExt, index, address.scale);
            at = combined(b, BinaryOp::Add, at, bytes);
        }
        let before = bytes(b, ConvertOp::SExt, there, element);
        let start = combined(b, BinaryOp::Add, beginning, before);
        let behind = combined(b, BinaryOp::Sub, at, start);
        let behind = b.binary_imm(BinaryOp::Add, behind, i64::from(address.offset) - i64::from(offset) + size);

        let left = bytes(b, ConvertOp::ZExt, left, element);
        let end = b.binary_imm(BinaryOp::Add, left, size);
        let end = b.splat(b.ty(behind).lanes, end);
        let meet = b.icmp(IntCc::Ult, behind, end);
        any_active(b, meet, row)
    }

    /// Where an access is when the counter is 0, but for the offset, which comes with it.
    fn of(&mut self, b: &mut Builder, inst: Inst) -> Option<(Value, i32)> {
        let Access { address, .. } = b.func.access(inst)?;
        let beginning = match Row::of(b.func, inst) {
            Some(row) => *self.0.entry((row.base, row.plus, row.minus)).or_insert_with(|| row.beginning(b)),
            None => address.base,
        };
        Some((beginning, address.offset))
    }
}

/// A number of elements in bytes.
fn bytes(b: &mut Builder, extension: ConvertOp, number: Value, element: u32) -> Value {
    let number = b.convert(extension, Elem::I64, number);
    b.binary_imm(BinaryOp::Mul, number, element.into())
}

/// Of two values, in as many lanes as the longer one has.
fn combined(b: &mut Builder, op: BinaryOp, one: Value, other: Value) -> Value {
    let lanes = b.ty(one).lanes.max(b.ty(other).lanes);
    let [one, other] = [one, other].map(|value| if b.ty(value).lanes < lanes { b.splat(lanes, value) } else { value });
    b.binary(op, one, other)
}

/// It holds in a lane that the row's mask lets access it.
fn any_active(b: &mut Builder, lanes: Value, row: Option<Row>) -> Value {
    let lanes = match row.and_then(|row| row.mask) {
        Some(mask) => b.and(lanes, mask),
        None => lanes,
    };
    b.lane(LaneOp::AnyTrue, Type::MASK, &[lanes])
}
