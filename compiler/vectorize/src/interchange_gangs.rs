//! Gangs below each other are run before those beside each other, where lanes far apart access what is next to what they will access a row below:
//!
//! ```c
//! y[i * h + j] = x[j * w + i];
//! ```
//!
//! Each lane stores to a line of its own, which the gang below goes on with. Along a row of gangs all those lines would be pushed out of the nearest cache
//! before any of them is full. (Loop interchange: Allen, Kennedy: Automatic Loop Interchange, 1984; here of the loops over a group's gangs.)

use super::in_order::Kernel;
use super::widen::knows_no_gangs;
use analysis::access::{Accesses, LaneOrder};
use analysis::{Analyses, GangFacts, Layout};
use ir::cfg::Loops;
use ir::*;
use passes::Plan;
use target::costs::CACHE_LINE;

/// The dimension, not the one that gangs lie along, that gangs had better be run along first.
pub fn first(func: &Function, facts: &GangFacts, known: &mut Analyses, plan: &mut Plan) -> Option<u8> {
    let Layout::Rows { dimension: row } = facts.layout else {
        return None;
    };
    let most = facts.local_size.most();
    let others = || (row + 1..3).filter(|&other| most[usize::from(other)] > 1);
    if others().next().is_none() || !knows_no_gangs(func) {
        return None;
    }
    let apart = {
        let known = known.of(func, facts)?;
        apart(func, known.loops, &known.accesses(func))
    };
    let (width, items) = (facts.width, u64::from(facts.width));
    let kernel = Kernel {
        func,
        flow: known.flow(func),
        width,
        items,
    };
    let first = goes_on(&kernel, &apart, others())?;
    plan.note("interchange_gangs", || {
        format!("lanes apart go on in the same lines along dimension {first}: gangs along it first")
    });
    Some(first)
}

/// Accesses of lanes of a gang to lines of their own. Where there are loops, it is what those access: what is stored behind them is little beside it. (Local
/// memory stays in the nearest cache whatever the order.)
pub fn apart(func: &Function, loops: &Loops, accesses: &Accesses) -> Vec<Access> {
    let counts = |&&block: &&Block| loops.loops.is_empty() || loops.innermost(block).is_some();
    let is_apart = |access: &Access| {
        let shares_a_line = |bytes: i64| bytes.unsigned_abs() < CACHE_LINE.into();
        matches!(access.mem.space, Space::Global | Space::Constant)
            && accesses.order_of(access, access.ty.elem.bytes()) == LaneOrder::Scattered
            && !accesses.stride(&access.address).is_some_and(shares_a_line)
    };
    let insts = func.insts_of(func.layout.iter().filter(counts));
    insts.filter_map(|inst| func.access(inst)).filter(is_apart).collect()
}

/// The first of some dimensions along which work-items go on in the lines of these accesses: near where those before were, or, in loops, in the same place.
pub fn goes_on(kernel: &Kernel, apart: &[Access], mut dimensions: impl Iterator<Item = u8>) -> Option<u8> {
    if apart.is_empty() {
        return None;
    }
    let has_loops = !kernel.flow.loops().loops.is_empty();
    let is_close = |bytes: i64| (has_loops || bytes != 0) && bytes.unsigned_abs() < CACHE_LINE.into();
    dimensions.find(|&dimension| {
        let close = kernel.accesses_along(dimension, |accesses| {
            // (It is an estimate: nothing is taken to wrap.)
            let step = |access: &Access| accesses.stride_unless_wraps(&access.address);
            apart.iter().any(|access| step(access).is_some_and(is_close))
        });
        close == Some(true)
    })
}
