//! Gangs of one lane, for kernels that are little more than loops that lanes go through one by one.
//!
//! ```c
//! float sum = 0;
//! for (int j = rows[i]; j < rows[i + 1]; j++)
//!     sum += values[j] * x[columns[j]];
//! y[i] = sum;
//! ```
//!
//! [`super::scalarize_loops`] has each lane go through the loop by itself. Handing it what it needs, and putting its result into the lane of a vector, takes
//! more than the two loads and the store around the loop would take as scalars: then the whole kernel is better run one work-item after the other.
//!
//! The same goes for kernels without loops of which lanes are in rows of their own, as along the diagonals of a table, and that do little with what they
//! load there: what addresses, loads and stores take lane by lane is all that they take, and vectors are put together only to be taken apart again.

use super::jam;
use super::scalarize_loops::{self, Around};
use super::versioning::window_versioning;
use super::widen::knows_no_gangs;
use analysis::access::LaneOrder;
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analyses, GangFacts, Layout};
use ir::*;
use passes::Plan;
use target::Machine;
use target::costs::assumed;
use target::costs::effort::SOME_OPERATIONS;

/// A gang of one lane is better. The function must be in the form that group formation takes.
pub fn pays(func: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    // (Gangs below each other store what lies together at once. Work-items that meet at barriers would keep what they need behind them in memory.)
    let meet = |inst| matches!(func.inst(inst).data, InstData::Barrier { .. });
    if facts.width == 1
        || jam::in_columns(facts)
        || !matches!(facts.layout, Layout::Rows { .. })
        || !knows_no_gangs(func)
        || func.insts().any(meet)
    {
        return false;
    }
    let (around, what) = match scalarize_loops::around(func, facts, machine, known) {
        Some(around) => (around, "around loops that lanes go through one by one"),
        None => match in_rows_of_their_own(func, facts, machine, known) {
            Some(rows) => (rows, "lanes in rows of their own"),
            None => return false,
        },
    };
    // Inside of the borders, lanes stay together in loops over windows.
    let has_windows = || window_versioning::inside(func, facts).is_some();
    let pays = assumed::MARGIN * around.by_lane < around.vectors && !has_windows();
    plan.note("one_lane", || {
        let taken = if pays { "one lane" } else { "a gang" };
        format!(
            "{what}: {:.1} cycles a gang as vectors, {:.1} lane by lane: {taken}",
            around.vectors, around.by_lane
        )
    });
    pays
}

/// What a gang takes as vectors and lane by lane, where there are no loops, and some lanes access rows of their own. None if anything is accessed that
/// another pass may find in order: what lies by quotients or masks of ids, or by what is loaded.
fn in_rows_of_their_own(func: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses) -> Option<Around> {
    let known = known.of(func, facts)?;
    if !known.loops.loops.is_empty() {
        return None;
    }
    let accesses = known.accesses(func);
    let mut rows = false;
    for inst in func.insts() {
        let data = &func.inst(inst).data;
        if let Some(access) = func.access(inst) {
            let has_stride = || {
                accesses
                    .stride(&access.address)
                    .or_else(|| accesses.stride_where_active(&access))
                    .is_some()
            };
            let in_order = accesses.order(inst) != Some(LaneOrder::Scattered) || has_stride();
            let address = [Some(access.address.base), access.address.index];
            let apart = || {
                address
                    .into_iter()
                    .flatten()
                    .all(|value| is_apart(func, known.uniformity, value, SOME_OPERATIONS))
            };
            match in_order {
                true => {}
                false if apart() => rows = true,
                false => return None,
            }
        } else if !data.is_pure() && !data.is_terminator() || matches!(data, InstData::CallRuntime { .. }) {
            return None;
        }
    }
    rows.then(|| scalarize_loops::everywhere(func, &known, facts, machine))
}

/// From lane to lane a value grows by the same, which nobody knows before the launch.
fn is_apart(func: &Function, uniformity: &Uniformity, value: Value, depth: u32) -> bool {
    if uniformity.shape(value) != Shape::Varying {
        return true;
    }
    let (Some(depth), Some(data)) = (depth.checked_sub(1), func.def_data(value)) else {
        return false;
    };
    let apart = |value: Value| is_apart(func, uniformity, value, depth);
    match *data {
        InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub,
            args: [a, b],
        } => apart(a) && apart(b),
        InstData::Binary {
            op: BinaryOp::Mul,
            args: [a, b],
        } => [a, b].iter().any(|&value| uniformity.shape(value).is_uniform()) && apart(a) && apart(b),
        InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
            arg,
            ..
        } => apart(arg),
        _ => false,
    }
}
