//! From a work-item's function to a work-group's: the order of the passes once a launch is known, as data.

use super::registry::*;
use passes::Step::{Changed, Either, If, List, Run};
use passes::{Condition, Step};
use transform::order::WORK_ITEM;
use transform::registry::*;

const HAS_GROUPS_OF_ONE: Condition = Condition {
    text: "each work-item is a group by itself, as the kernel sees it",
    holds: |context| context.gang.as_ref().is_some_and(|gang| gang.launch.groups_of_one),
};

const HAS_WHOLE_GROUPS: Condition = Condition {
    text: "no group that the kernel was to run in is cut off",
    holds: |context| context.gang.as_ref().is_some_and(|gang| gang.launch.whole_groups.is_some()),
};

const HAS_EXCHANGED: Condition = Condition {
    text: "the launch's x is another dimension of the kernel's",
    holds: |context| context.gang.as_ref().is_some_and(|gang| gang.launch.exchanged.is_some()),
};

const SEVERAL_LANES: Condition = Condition {
    text: "gangs have more than one lane",
    holds: |context| context.gang.as_ref().is_some_and(|gang| gang.facts.width > 1),
};

const KNOWS_ARGUMENTS: Condition = Condition {
    text: "the launch has told of arguments or what they point to",
    holds: |context| context.gang.as_ref().is_some_and(|gang| gang.knows_arguments),
};

const HAS_RECORDS: Condition = Condition {
    text: "there are records that may stay whole",
    holds: |context| context.gang.as_ref().is_some_and(|gang| !gang.records.is_empty()),
};

/// What the launch tells is folded, and the function has the form of `transform::standard` again.
const SIMPLIFY: &[Step] = &[List("work-item", WORK_ITEM)];

/// The same where loops stay as they are: the first iteration would be taken out once more.
const FEWER_VALUES: &[Step] = &[Run(&FOLD), Run(&CSE), Run(&DCE), Run(&LCSSA)];

/// A kernel's function, until it is vectorized.
pub const GANG: &[Step] = &[
    // What the launch says, of the function as it was when it was asked about.
    Changed(&NO_WRAP, FEWER_VALUES),
    If(&HAS_GROUPS_OF_ONE, &[Changed(&GROUPS_OF_ONE, SIMPLIFY)]),
    If(&HAS_WHOLE_GROUPS, &[Changed(&GLOBAL_IDS, FEWER_VALUES)]),
    If(&HAS_EXCHANGED, &[Run(&EXCHANGE_DIMENSIONS)]),
    Run(&UNIT_STRIDES),
    Changed(&EXPAND_IMAGES, SIMPLIFY),
    Changed(&INFER_NOALIAS, &[Run(&ATOMIC_PRIVATIZATION)]),
    If(&KNOWS_ARGUMENTS, SIMPLIFY),
    If(&SEVERAL_LANES, &[Changed(&GRID_STRIDE_LOOPS, SIMPLIFY)]),
    Run(&IDLE_GROUPS),
    Run(&NARROW),
    If(
        &SEVERAL_LANES,
        &[
            Run(&SHORT_LANES),
            Run(&NONTEMPORAL_STORES),
            Run(&INTERCHANGE_GANGS),
            // From here on the gang's width stays.
            Either(&ONE_LANE, &[], &[Either(&HALF_WIDTH, &[], &[Run(&WIDEN)])]),
        ],
    ),
    If(
        &SEVERAL_LANES,
        &[Run(&FIND_AOS_ELEMENTWISE), Changed(&GATHER_COALESCING, &[Run(&DCE)])],
    ),
    Run(&SIXTEEN_BITS),
    If(&SEVERAL_LANES, &[Run(&PRIVATE_LAYOUT)]),
    Run(&RANGE_FOLDING),
    If(&SEVERAL_LANES, VERSIONS),
    If(&HAS_RECORDS, &[Run(&AOS_ELEMENTWISE)]),
    // What lanes come to without the others is coalesced.
    If(&SEVERAL_LANES, &[Changed(&PARTIAL_WORD_COALESCING, &[Run(&DCE)])]),
];

/// Versions of the code for gangs of which more is known.
const VERSIONS: &[Step] = &[
    Run(&HOIST_CHECKS),
    Run(&WINDOW_VERSIONING),
    // What is left of such loops are those at edges.
    Run(&WINDOW_ALIGNMENT),
    Run(&SCALARIZE_LOOPS),
    Run(&QUOTIENT_VERSIONING),
    Either(
        &BOUNDS_VERSIONING,
        &[Run(&BRANCH_VERSIONING)],
        // Behind a guard all lanes are together only where they all pass it.
        &[Changed(&BRANCH_VERSIONING, &[Run(&BOUNDS_VERSIONING)])],
    ),
    Run(&DIVERGENT_LOOP_SPLITTING),
];

/// A kernel's function: lanes, then several gangs at once.
pub const VECTOR: &[Step] = &[Changed(&VECTORIZE, &[Changed(&MERGE_COLD, &[Run(&DCE)]), Run(&JAM)])];

/// A function that others call, until it is vectorized.
pub const CALLEE: &[Step] = &[
    If(&HAS_GROUPS_OF_ONE, &[Changed(&GROUPS_OF_ONE, SIMPLIFY)]),
    If(&HAS_WHOLE_GROUPS, &[Changed(&GLOBAL_IDS, FEWER_VALUES)]),
    If(&HAS_EXCHANGED, &[Run(&EXCHANGE_DIMENSIONS)]),
    Changed(&EXPAND_IMAGES, SIMPLIFY),
    Run(&VECTORIZE),
];

/// A gang's function becomes a work-group's.
pub const FORM: &[Step] = &[Run(&FORM_GROUP)];

/// The lists by their names, in the order in which a kernel comes to them.
pub const LISTS: &[(&str, &str, &[Step])] = &[
    (
        "before-inlining",
        "Each function, before it is inlined",
        transform::order::BEFORE_INLINING,
    ),
    (
        "before-checks",
        "A kernel of checked mode, before its checks",
        transform::order::BEFORE_CHECKS,
    ),
    ("work-item", "A work-item's function", WORK_ITEM),
    ("gang", "A work-item's function, for a launch", GANG),
    ("vector", "To a gang's function", VECTOR),
    ("callee", "A function that stays a call, to a gang's", CALLEE),
    ("form", "To a work-group's function", FORM),
    ("group", "A work-group's function", transform::order::GROUP),
];
