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

use super::scalarize_loops;
use super::versioning::window_versioning;
use super::widen::knows_no_gangs;
use analysis::{Analyses, GangFacts, Layout};
use ir::*;
use passes::Plan;
use target::Machine;
use target::costs::assumed;

/// A gang of one lane is better. The function must be in the form that group formation takes.
pub fn pays(func: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    // (Work-items that meet at barriers would keep what they need behind them in memory.)
    let meet = |inst| matches!(func.inst(inst).data, InstData::Barrier { .. });
    if facts.width == 1 || !matches!(facts.layout, Layout::Rows { .. }) || !knows_no_gangs(func) || func.insts().any(meet) {
        return false;
    }
    let Some(around) = scalarize_loops::around(func, facts, machine, known) else {
        return false;
    };
    // Inside of the borders, lanes stay together in loops over windows.
    let has_windows = || window_versioning::inside(func, facts).is_some();
    let pays = assumed::MARGIN * around.by_lane < around.vectors && !has_windows();
    plan.note("one_lane", || {
        let taken = if pays { "one lane" } else { "a gang" };
        format!(
            "around loops that lanes go through one by one: {:.1} cycles a gang as vectors, {:.1} lane by lane: {taken}",
            around.vectors, around.by_lane
        )
    });
    pays
}
