//! Gangs below each other are run before those beside each other, where lanes far apart access what is next to what they will access a row below:
//!
//! ```c
//! y[i * h + j] = x[j * w + i];
//! ```
//!
//! Each lane stores to a line of its own, which the gang below goes on with. Along a row of gangs all those lines would be pushed out of the nearest cache
//! before any of them is full. (Loop interchange: Allen, Kennedy: Automatic Loop Interchange, 1984; here of the loops over a group's gangs.)

use super::widen::knows_no_gangs;
use analysis::access::{Accesses, LaneOrder};
use analysis::linear::{Extension, Linear, View};
use analysis::{Analyses, GangFacts, Layout};
use ir::*;
use passes::Plan;
use target::costs::CACHE_LINE;
use target::costs::effort::OPERATIONS;

/// The dimension, not the one that gangs lie along, that gangs had better be run along first.
pub fn first(func: &Function, facts: &GangFacts, known: &mut Analyses, plan: &mut Plan) -> Option<u8> {
    let Layout::Rows { dimension: row } = facts.layout else {
        return None;
    };
    let most = facts.local_size.most();
    let mut others = (row + 1..3).filter(|&other| most[usize::from(other)] > 1).peekable();
    if others.peek().is_none() || !knows_no_gangs(func) {
        return None;
    }
    let known = known.of(func, facts)?;
    let first = shares_lines(func, &known.accesses(func), others)?;
    plan.note("interchange_gangs", || {
        format!("lanes apart go on in the same lines along dimension {first}: gangs along it first")
    });
    Some(first)
}

/// The first of some dimensions along which work-items go on in lines that lanes of a gang have to themselves.
pub fn shares_lines(func: &Function, accesses: &Accesses, mut dimensions: impl Iterator<Item = u8>) -> Option<u8> {
    // (Local memory stays in the nearest cache whatever the order.)
    let is_apart = |&inst: &Inst| {
        func.access(inst).is_some_and(|access| {
            let shares_a_line = |bytes: i64| bytes.unsigned_abs() < CACHE_LINE.into();
            matches!(access.mem.space, Space::Global | Space::Constant)
                && accesses.order(inst) == Some(LaneOrder::Scattered)
                && !accesses.stride(&access.address).is_some_and(shares_a_line)
        })
    };
    let scattered: Vec<Access> = func.insts().filter(is_apart).filter_map(|inst| func.access(inst)).collect();
    dimensions.find(|&dimension| {
        let step = |access: &Access| distance(func, &access.address, dimension);
        let is_close = |access: &Access| step(access).is_some_and(|bytes| bytes != 0 && bytes.unsigned_abs() < CACHE_LINE.into());
        scattered.iter().any(is_close)
    })
}

/// Bytes from an access of a work-item to that of the next along a dimension, if that is known.
fn distance(func: &Function, address: &Address, dimension: u8) -> Option<i64> {
    let ids = Ids { func };
    let mut form = Linear::of(func, address.base, None, &ids)?;
    if let Some(index) = address.index {
        form = form.plus(Linear::of(func, index, None, &ids)?.times(address.scale.into())?)?;
    }
    form.terms
        .iter()
        .try_fold(0, |sum: i64, &((value, _), factor)| match id(func, value) {
            Some(other) if other == dimension => sum.checked_add(factor),
            Some(_) => Some(sum),
            None => is_apart_from(func, value, dimension, OPERATIONS).then_some(sum),
        })
}

/// The dimension of an id.
fn id(func: &Function, value: Value) -> Option<u8> {
    match func.def_data(value)? {
        InstData::Builtin {
            builtin: Builtin::GlobalId | Builtin::LocalId,
            dimension,
        } => Some(*dimension),
        _ => None,
    }
}

/// The value is the same along the dimension: what is loaded, or comes by several ways, need not be.
fn is_apart_from(func: &Function, value: Value, dimension: u8, depth: u32) -> bool {
    let (Some(depth), Some(data)) = (depth.checked_sub(1), func.def_data(value)) else {
        return false;
    };
    match data {
        InstData::Builtin {
            builtin: Builtin::GlobalId | Builtin::LocalId | Builtin::GroupId,
            dimension: other,
        } => *other != dimension,
        InstData::Builtin { builtin, .. } => !matches!(builtin, Builtin::GlobalLinearId | Builtin::LocalLinearId),
        InstData::Load { mem, .. } if !mem.flags.contains(MemFlags::INVARIANT) => false,
        data if data.is_repeatable() => !data.any_operand(|&value| !is_apart_from(func, value, dimension, depth)),
        _ => false,
    }
}

/// Ids are terms, and so is what is neither a sum nor a product by a constant. Nothing wraps: it is asked for an estimate.
struct Ids<'a> {
    func: &'a Function,
}

impl View for Ids<'_> {
    fn is_term(&self, value: Value, _: Extension) -> bool {
        !matches!(
            self.func.def_data(value),
            Some(
                InstData::Const { .. }
                    | InstData::Convert {
                        op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                        ..
                    }
                    | InstData::Binary {
                        op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl,
                        ..
                    }
            )
        )
    }

    fn is_exact(&self, _: Value, _: Extension, _: &Linear) -> bool {
        true
    }

    fn through(&self, _: ConvertOp, _: Value, outer: Extension) -> Option<Extension> {
        Some(outer)
    }

    fn product(&self, value: Value, _: [Linear; 2]) -> Option<Linear> {
        Some(Linear::term((value, None), 1))
    }
}
