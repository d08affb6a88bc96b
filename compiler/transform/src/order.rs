//! The order of the passes, as data: the one place that says what runs, and when.

use super::registry::*;
use super::{Function, Module, manager};
use Step::{Changed, Machine, Repeat, Run};

/// A step of a pipeline.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Runs a pass.
    Run(&'static Pass),
    /// Runs a pass, and where it changed something, the steps.
    Changed(&'static Pass, &'static [Step]),
    /// Runs a pass and, as long as it changes something, the steps and it again; at most so many times.
    Repeat(u32, &'static Pass, &'static [Step]),
    /// Runs a pass on machines that have what it makes use of.
    Machine(fn() -> bool, &'static Pass),
}

/// What inlining does to each function before it is copied into its callers.
pub const BEFORE_INLINING: &[Step] = &[Run(&SPLIT_COPIES), Run(&MEM2REG), Run(&FOLD), Run(&SIMPLIFY_CFG), Run(&DCE)];

/// A loop around others may be small once these are gone: so many levels are unrolled.
const NESTS: u32 = 4;

/// A work-item's function, after inlining, and after more has become known of it.
pub const WORK_ITEM: &[Step] = &[
    // Inlining has brought addresses of slots to their uses.
    Run(&SPLIT_COPIES),
    Changed(&MEM2REG, &[Run(&FOLD), Run(&SIMPLIFY_CFG)]),
    Repeat(
        NESTS,
        &UNROLL,
        &[
            Run(&SIMPLIFY_CFG),
            Run(&FOLD),
            Run(&KNOWN_TABLES),
            Run(&MEM2REG),
            Run(&FOLD),
            Run(&SIMPLIFY_CFG),
            Run(&DCE),
        ],
    ),
    Run(&RECOMPUTE),
    Run(&SHORT_COUNTERS),
    Run(&CSE),
    Run(&LICM),
    Run(&PROMOTE),
    // What is in one place now may be simpler.
    Run(&FOLD),
    Run(&CSE),
    Run(&DCE),
    Machine(target::has_fma, &CONTRACT),
    Run(&HALVES),
    // Paths that end alike lead to the same place.
    Run(&UNIFY_RETURNS),
    Run(&SIMPLIFY_CFG),
    Run(&DCE),
    Run(&SPLIT_IRREDUCIBLE),
    Run(&LCSSA),
];

/// A work-group's function, as group formation leaves it.
pub const GROUP: &[Step] = &[
    Run(&FOLD),
    Run(&RECIPROCALS),
    Run(&SPLIT_ADDRESSES),
    Run(&SAME_PARAMS),
    Run(&BALANCE),
    Run(&LICM),
    // Now it shows what loops divide by without changing it.
    Changed(&RECIPROCALS, &[Run(&LICM)]),
    Changed(&QUOTIENTS, &[Run(&LICM)]),
    Changed(&CELLS, &[Run(&FOLD), Run(&PROMOTE)]),
    Run(&CSE),
    Run(&SIMPLIFY_CFG),
    Changed(&IDLE_LOOPS, &[Run(&SIMPLIFY_CFG), Run(&FOLD)]),
    Run(&ROWS_ALONG),
    Run(&ROWS_ONE_BY_ONE),
    Run(&ROWS_BY_FOURS),
    Run(&LANE_TABLES),
    Run(&DCE),
    Run(&LEAVE_EARLY),
    Run(&POSTPONE),
];

/// Runs steps in their order.
pub fn run(steps: &[Step], func: &mut Function, module: Option<&Module>) {
    for step in steps {
        match *step {
            Run(pass) => {
                manager::run(pass, func, module);
            }
            Changed(pass, then) => {
                if manager::run(pass, func, module) {
                    run(then, func, module);
                }
            }
            Repeat(most, pass, then) => {
                for _ in 0..most {
                    if !manager::run(pass, func, module) {
                        break;
                    }
                    run(then, func, module);
                }
            }
            Machine(has, pass) => {
                if has() {
                    manager::run(pass, func, module);
                }
            }
        }
    }
}
