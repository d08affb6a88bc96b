//! The order of the passes over work-items' and work-groups' functions, as data: what runs, and when. `vectorize` has the order in between.

use super::registry::*;
use passes::Step::{Changed, If, Repeat, Run};
use passes::{Condition, Step};
use target::costs::effort::NESTS;

const HAS_FMA: Condition = Condition {
    text: "the machine fuses a product and a sum",
    holds: |context| context.machine.has_fma,
};

/// What inlining does to each function before it is copied into its callers.
pub const BEFORE_INLINING: &[Step] = &[Run(&SPLIT_COPIES), Run(&MEM2REG), Run(&FOLD), Run(&SIMPLIFY_CFG), Run(&DCE)];

/// What a kernel goes through before it is checked: nothing that changes what its accesses are.
pub const BEFORE_CHECKS: &[Step] = &[Run(&SPLIT_COPIES), Run(&MEM2REG)];

/// A work-item's function, after inlining, and after more has become known of it.
pub const WORK_ITEM: &[Step] = &[
    Run(&EXPAND_POWERS),
    // Inlining has brought addresses of slots to their uses.
    Run(&SPLIT_COPIES),
    Changed(&MEM2REG, &[Run(&FOLD), Run(&SIMPLIFY_CFG)]),
    // Variables that loops leave as they are.
    Changed(&SAME_PARAMS, &[Run(&DCE), Run(&FOLD), Run(&SIMPLIFY_CFG)]),
    Run(&KNOWN_TABLES),
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
    Run(&HOIST_COMMON),
    Changed(&SINK_COMMON, &[Run(&SIMPLIFY_CFG)]),
    Changed(&ROTATE_LOOPS, &[Run(&FOLD), Run(&SIMPLIFY_CFG)]),
    Run(&PHI_OF_OPS),
    Run(&PHI_COMPARES),
    Run(&DEMANDED_BITS),
    Run(&CSE),
    Run(&LICM),
    Run(&PROMOTE),
    // What is in one place now may be simpler.
    Run(&FOLD),
    Run(&IDIOMS),
    Run(&BIT_PERMUTATIONS),
    Run(&CSE),
    Run(&RECORD_FIELDS),
    Run(&DCE),
    If(&HAS_FMA, &[Run(&CONTRACT)]),
    Run(&KNOWN_NUMBERS),
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
    Run(&LANE_BITS),
    Run(&LANE_LOADS),
    Run(&LANE_COUNTERS),
    Run(&RECIPROCALS),
    Run(&SPLIT_ADDRESSES),
    Run(&SAME_PARAMS),
    Run(&REASSOCIATE),
    Run(&LICM),
    // Now it shows what loops divide by without changing it.
    Changed(&RECIPROCALS, &[Run(&LICM)]),
    Changed(&QUOTIENTS, &[Run(&LICM)]),
    Run(&SHIFT_PRODUCTS),
    Changed(&LOCAL_MEMORY_FORWARDING, &[Run(&FOLD), Run(&PROMOTE)]),
    Run(&CSE),
    Run(&SIMPLIFY_CFG),
    Changed(&HOIST_COMMON, &[Run(&SIMPLIFY_CFG)]),
    Changed(&IDLE_LOOPS, &[Run(&SIMPLIFY_CFG), Run(&FOLD)]),
    Run(&ROWS_ALONG),
    // Its accesses are those of lanes.
    Changed(&ROWS_ONE_BY_ONE, &[Run(&SPLIT_ADDRESSES), Run(&LICM), Run(&CSE)]),
    Run(&ROWS_BY_FOURS),
    // Loops are as they stay; the passes behind know of cold blocks.
    Changed(&PART_COLD, &[Run(&DCE)]),
    Run(&LANE_TABLES),
    // Rows are found by whole indices, as they are written.
    Changed(&WIDEN_INDICES, &[Run(&DCE), Run(&CSE)]),
    Changed(&UNIFORM_BASES, &[Run(&LICM), Run(&CSE), Run(&DCE)]),
    Changed(&HOIST_BASES, &[Run(&LICM), Run(&CSE)]),
    Run(&DCE),
    Run(&LEAVE_EARLY),
    Run(&SINK),
    Run(&SCHEDULE),
    // No other pass has to know, and the loops over gangs and groups look too.
    Run(&STOPPABLE),
];
