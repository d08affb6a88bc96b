//! The passes of this crate, one row each: what they are called, where they run and what they are for.
//!
//! `docs/passes.md` is made of these rows and those of `vectorize`; `BROLGA_BLESS=1 cargo test -p brolga-vectorize documentation` writes it
//! anew.

use super::*;
use analysis::AnalysisSet;
use passes::{Level, Pass, Run};

/// Reassociates chains of one operation so that operands known first are taken first.
pub const REASSOCIATE: Pass = Pass::new(
    "reassociate",
    Level::Either,
    Run::Machine(reassociate::run),
    "Reassociates chains of one operation so that operands known first are taken first.",
)
.keeps(AnalysisSet::FLOW);
/// Forwards values that gangs hand on in local memory from stores to loads.
pub const LOCAL_MEMORY_FORWARDING: Pass = Pass::function(
    "local_memory_forwarding",
    Level::Group,
    local_memory_forwarding::run,
    "Forwards values that gangs hand on in local memory from stores to loads.",
);
/// Guards accesses, divisions and assumptions, as in checked mode.
pub const CHECK: Pass = Pass::new(
    "check",
    Level::WorkItem,
    Run::Module(check::run_alone),
    "Guards accesses, divisions and assumptions, as in checked mode.",
);
/// Contracts a product and a sum to one fused operation.
pub const CONTRACT: Pass = Pass::new(
    "contract",
    Level::WorkItem,
    Run::Machine(contract::run),
    "Contracts a product and a sum to one fused operation.",
)
.keeps(AnalysisSet::FLOW);
/// Splits critical edges.
pub const CRITICAL_EDGES: Pass = Pass::function("critical_edges", Level::Either, critical_edges::run, "Splits critical edges.");
/// Replaces an instruction by the result of a dominating one that computes the same.
pub const CSE: Pass = Pass::new(
    "cse",
    Level::Either,
    Run::Analyses(cse::run),
    "Replaces an instruction by the result of a dominating one that computes the same.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Deletes instructions, block parameters, blocks and slots that nothing needs.
pub const DCE: Pass = Pass::new(
    "dce",
    Level::Either,
    Run::Analyses(dce::run),
    "Deletes instructions, block parameters, blocks and slots that nothing needs.",
)
.uses(AnalysisSet::FLOW);
/// Computes fractions, exponents and products with powers of two as the machine has them: by instructions, or by bits.
pub const EXPAND_POWERS: Pass = Pass::new(
    "expand_powers",
    Level::WorkItem,
    Run::Machine(expand_powers::run),
    "Computes fractions, exponents and products with powers of two as the machine has them: by instructions, or by bits.",
)
.keeps(AnalysisSet::FLOW);
/// Folds constants, simplifies algebraically, folds addresses into base + index * scale + offset.
pub const FOLD: Pass = Pass::function(
    "fold",
    Level::Either,
    fold::run,
    "Folds constants, simplifies algebraically, folds addresses into base + index * scale + offset.",
)
.keeps(AnalysisSet::FLOW);
/// Computes arithmetic of halves in floats where the machine has none of halves.
pub const HALVES: Pass = Pass::new(
    "halves",
    Level::WorkItem,
    Run::Machine(halves::run),
    "Computes arithmetic of halves in floats where the machine has none of halves.",
)
.keeps(AnalysisSet::FLOW);
/// Takes the machine's minima and maxima of what is known to be a number.
pub const KNOWN_NUMBERS: Pass = Pass::function(
    "known_numbers",
    Level::WorkItem,
    known_numbers::run,
    "Takes the machine's minima and maxima of what is known to be a number.",
)
.keeps(AnalysisSet::FLOW);
/// Replaces idioms by the operation that they are.
pub const IDIOMS: Pass = Pass::function(
    "idioms",
    Level::WorkItem,
    idioms::run,
    "Replaces idioms (absolute values, saturating differences) by the operation that they are.",
)
.keeps(AnalysisSet::FLOW);
/// Replaces shifts and masks that reverse bits or bytes by the operation that does.
pub const BIT_PERMUTATIONS: Pass = Pass::function(
    "bit_permutations",
    Level::WorkItem,
    bit_permutations::run,
    "Replaces shifts and masks that reverse bits or bytes by the operation that does.",
)
.keeps(AnalysisSet::FLOW);
/// Bounds gang loops: leaves out iterations in which nothing happens.
pub const IDLE_LOOPS: Pass = Pass::new(
    "idle_loops",
    Level::Group,
    Run::Analyses(idle_loops::run),
    "Bounds gang loops: leaves out iterations in which nothing happens.",
)
.uses(AnalysisSet::FLOW);
/// Takes apart bits that all lanes have and those that differ from lane to lane.
pub const LANE_BITS: Pass = Pass::function(
    "lane_bits",
    Level::Group,
    lane_bits::run,
    "Takes apart bits that all lanes have and those that differ from lane to lane.",
)
.keeps(AnalysisSet::FLOW);
/// Counts in lanes what they have counted when they leave a loop.
pub const LANE_COUNTERS: Pass = Pass::new(
    "lane_counters",
    Level::Group,
    Run::Costed(lane_counters::run),
    "Counts in lanes what they have counted when they leave a loop, instead of spreading a scalar.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Loads lanes of a vector that was just loaded as scalars.
pub const LANE_LOADS: Pass = Pass::new(
    "lane_loads",
    Level::Group,
    Run::Machine(lane_loads::run),
    "Loads lanes of a vector in memory as scalars, which come spread over all lanes; stores those of which many lanes are spread.",
)
.keeps(AnalysisSet::FLOW);
/// Spills a vector before a loop that extracts its lanes by a variable index.
pub const LANE_TABLES: Pass = Pass::new(
    "lane_tables",
    Level::Group,
    Run::Analyses(lane_tables::run),
    "Spills a vector before a loop that extracts its lanes by a variable index.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Establishes loop-closed SSA, with critical edges split.
pub const LCSSA: Pass = Pass::new(
    "lcssa",
    Level::WorkItem,
    Run::Analyses(lcssa::run),
    "Establishes loop-closed SSA, with critical edges split.",
)
.uses(AnalysisSet::FLOW)
.required();
/// Bounds gang loops: leaves a loop whose later iterations do nothing.
pub const LEAVE_EARLY: Pass = Pass::new(
    "leave_early",
    Level::Group,
    Run::Analyses(leave_early::run),
    "Bounds gang loops: leaves a loop whose later iterations do nothing.",
)
.uses(AnalysisSet::FLOW);
/// Moves loop-invariant code in front of the loop.
pub const LICM: Pass = Pass::new(
    "licm",
    Level::Either,
    Run::Costed(licm::run),
    "Moves loop-invariant code in front of the loop.",
)
.uses(AnalysisSet::FLOW);
/// Promotes private memory of which constant parts are accessed to SSA values.
pub const MEM2REG: Pass = Pass::new(
    "mem2reg",
    Level::WorkItem,
    Run::Analyses(mem2reg::run),
    "Promotes private memory of which constant parts are accessed to SSA values.",
)
.uses(AnalysisSet::FLOW);
/// Sinks pure instructions to the nearest block that dominates their uses.
pub const SINK: Pass = Pass::new(
    "sink",
    Level::Either,
    Run::Analyses(sink::run),
    "Sinks pure instructions to the nearest block that dominates their uses.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Keeps a memory location that a loop reads and writes in a value while the loop runs.
pub const PROMOTE: Pass = Pass::new(
    "promote",
    Level::Either,
    Run::Analyses(promote::run),
    "Keeps a memory location that a loop reads and writes in a value while the loop runs.",
)
.uses(AnalysisSet::FLOW);
/// Divides vectors by a varying scalar through its reciprocal.
pub const QUOTIENTS: Pass = Pass::new(
    "quotients",
    Level::Group,
    Run::Machine(quotients::run),
    "Divides vectors by a varying scalar through its reciprocal.",
)
.keeps(AnalysisSet::FLOW);
/// Reduces products of vectors with constants next to a power of two.
pub const SHIFT_PRODUCTS: Pass = Pass::new(
    "shift_products",
    Level::Group,
    Run::Costed(shift_products::run),
    "Reduces products of vectors with constants to shifts and sums.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Reorders blocks in which more vectors are live than there are registers.
pub const SCHEDULE: Pass = Pass::new(
    "schedule",
    Level::Group,
    Run::Machine(schedule::run),
    "Reorders blocks in which more vectors are live than there are registers, so that fewer are; in others, has what the next iteration waits for first.",
)
.keeps(AnalysisSet::FLOW);
/// Loads fields of records ahead of stores to others, and leaves out loads and stores of what is known to be there.
pub const RECORD_FIELDS: Pass = Pass::function(
    "record_fields",
    Level::WorkItem,
    record_fields::run,
    "Loads fields of records ahead of stores to others; leaves out loads and stores of what is known to be there.",
)
.keeps(AnalysisSet::FLOW);
/// Turns division by constants and loop invariants into multiplication.
pub const RECIPROCALS: Pass = Pass::function(
    "reciprocals",
    Level::Either,
    reciprocals::run,
    "Turns division by constants and loop invariants into multiplication.",
)
.keeps(AnalysisSet::FLOW);
/// Computes once after a merge what both predecessors compute (phi of operations).
pub const PHI_OF_OPS: Pass = Pass::function(
    "phi_of_ops",
    Level::WorkItem,
    phi_of_ops::run,
    "Computes once after a merge what both predecessors compute (phi of operations).",
);
/// Compares where ways part what is compared where they meet (comparison of a phi of constants).
pub const PHI_COMPARES: Pass = Pass::function(
    "phi_compares",
    Level::WorkItem,
    phi_compares::run,
    "Hands on the outcome of a comparison instead of the constants that are compared (comparison of a phi).",
);
/// Moves the test of a loop from its top to its bottom, with a copy in front of it.
pub const ROTATE_LOOPS: Pass = Pass::new(
    "rotate_loops",
    Level::WorkItem,
    Run::Analyses(rotate_loops::run),
    "Moves the test of a loop from its top to its bottom, with a copy in front of it.",
)
.uses(AnalysisSet::FLOW);
/// Vectorizes a loop along each lane's row by its iterations, one lane after the other.
pub const ROWS_ALONG: Pass = Pass::new(
    "rows_along",
    Level::Group,
    Run::Planned(rows::along::run),
    "Vectorizes a loop along each lane's row by its iterations, one lane after the other.",
)
.uses(AnalysisSet::FLOW);
/// Runs four iterations of a loop along rows at once and transposes.
pub const ROWS_BY_FOURS: Pass = Pass::new(
    "rows_by_fours",
    Level::Group,
    Run::Planned(rows::by_fours::run),
    "Runs four iterations of a loop along rows at once and transposes.",
)
.uses(AnalysisSet::FLOW);
/// Scalarizes loops along rows with a loop-carried dependence, one lane after the other.
pub const ROWS_ONE_BY_ONE: Pass = Pass::new(
    "rows_one_by_one",
    Level::Group,
    Run::Planned(rows::one_by_one::run),
    "Scalarizes loops along rows with a loop-carried dependence, one lane after the other.",
)
.uses(AnalysisSet::FLOW);
/// Replaces block parameters that are the same on every edge.
pub const SAME_PARAMS: Pass = Pass::new(
    "same_params",
    Level::Either,
    Run::Analyses(same_params::run),
    "Replaces block parameters that are the same on every edge.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Narrows 64-bit values of which only the lower 32 bits are demanded.
pub const DEMANDED_BITS: Pass = Pass::new(
    "demanded_bits",
    Level::WorkItem,
    Run::Analyses(bit_width::demanded_bits::run),
    "Narrows 64-bit values of which only the lower 32 bits are demanded.",
)
.uses(AnalysisSet::FLOW.union(AnalysisSet::DEMANDED_BITS))
.keeps(AnalysisSet::FLOW);
/// Simplifies the flow graph: decided branches, empty blocks, if-conversion of small sides.
pub const SIMPLIFY_CFG: Pass = Pass::new(
    "simplify_cfg",
    Level::Either,
    Run::Analyses(simplify_cfg::run),
    "Simplifies the flow graph: decided branches, empty blocks, if-conversion of small sides.",
)
.uses(AnalysisSet::FLOW);
/// Does ahead of a branch what both of its sides do.
pub const HOIST_COMMON: Pass = Pass::new(
    "hoist_common",
    Level::Either,
    Run::Analyses(hoist_common::run),
    "Hoists what both sides of a branch do ahead of it.",
)
.uses(AnalysisSet::FLOW);
/// Stores once, behind where ways meet, what all of them store to the same place.
pub const SINK_COMMON: Pass = Pass::new(
    "sink_common",
    Level::WorkItem,
    Run::Analyses(sink_common::run),
    "Sinks stores of all ways to a block to the same place, as one of what they choose.",
)
.uses(AnalysisSet::FLOW);
/// Writes out what a machine's addressing mode can't do.
pub const SPLIT_ADDRESSES: Pass = Pass::function(
    "split_addresses",
    Level::Group,
    split_addresses::run,
    "Writes out what a machine's addressing mode can't do.",
)
.keeps(AnalysisSet::FLOW);
/// Makes the part of an address that a loop doesn't change its base.
pub const HOIST_BASES: Pass = Pass::new(
    "hoist_bases",
    Level::Group,
    Run::Costed(hoist_bases::run),
    "Makes the part of an address that a loop doesn't change its base.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Makes what the lanes' indices of a gather or a scatter have in common its base.
pub const UNIFORM_BASES: Pass = Pass::function(
    "uniform_bases",
    Level::Group,
    uniform_bases::run,
    "Makes what the lanes' indices of a gather or a scatter have in common its base.",
)
.keeps(AnalysisSet::FLOW);
/// Computes indices of 32 bits that a loop extends in 64 bits.
pub const WIDEN_INDICES: Pass = Pass::new(
    "widen_indices",
    Level::Group,
    Run::Analyses(bit_width::widen_indices::run),
    "Computes indices of 32 bits that a loop extends in 64 bits.",
)
.uses(AnalysisSet::FLOW)
.keeps(AnalysisSet::FLOW);
/// Converts and divides in 32 bits what fits them.
pub const NARROW: Pass = Pass::gang(
    "narrow",
    |func, gang, known| bit_width::narrow::run(func, &gang.facts, known),
    "Converts and divides in 32 bits what fits them.",
)
.uses(AnalysisSet::FLOW.union(AnalysisSet::UNIFORMITY))
.keeps(AnalysisSet::FLOW);
/// Computes with bytes in 16 bits.
pub const SIXTEEN_BITS: Pass = Pass::gang(
    "sixteen_bits",
    |func, gang, known| bit_width::sixteen_bits::run(func, &gang.facts, &gang.machine, known, &mut gang.plan),
    "Computes with bytes in 16 bits.",
)
.uses(AnalysisSet::FLOW.union(AnalysisSet::UNIFORMITY).union(AnalysisSet::DEMANDED_BITS))
.keeps(AnalysisSet::FLOW);
/// Splits copies to and from private memory into loads and stores of elements.
pub const SPLIT_COPIES: Pass = Pass::function(
    "split_copies",
    Level::WorkItem,
    split_copies::run,
    "Splits copies to and from private memory into loads and stores of elements.",
);
/// Makes every loop reducible by dispatch blocks.
pub const SPLIT_IRREDUCIBLE: Pass = Pass::new(
    "split_irreducible",
    Level::WorkItem,
    Run::Analyses(split_irreducible::run),
    "Makes every loop reducible by dispatch blocks.",
)
.uses(AnalysisSet::FLOW)
.required();
/// Gives a function a single return.
pub const UNIFY_RETURNS: Pass = Pass::function(
    "unify_returns",
    Level::WorkItem,
    unify_returns::run,
    "Gives a function a single return.",
)
.required();
/// Unrolls small loops of a constant trip count fully.
pub const UNROLL: Pass = Pass::new(
    "unroll",
    Level::WorkItem,
    Run::Analyses(unroll::run),
    "Unrolls small loops of a constant trip count fully.",
)
.uses(AnalysisSet::FLOW);
/// Replaces loads from constant tables at known places by what the tables hold.
pub const KNOWN_TABLES: Pass = Pass::new(
    "known_tables",
    Level::WorkItem,
    Run::Module(known_tables::run),
    "Replaces loads from constant tables at known places by what the tables hold.",
)
.keeps(AnalysisSet::FLOW);
/// Has a kernel whose groups are single work-items read of its group what it would read alone.
pub const GROUPS_OF_ONE: Pass = Pass::gang(
    "groups_of_one",
    |func, gang, _| groups_of_one::run(func, gang.local_bytes),
    "Has a kernel whose groups are single work-items read of its group what it would read alone.",
)
.required();
/// Tells code which indices don't wrap, by the launch's sizes and arguments.
pub const NO_WRAP: Pass = Pass::gang(
    "no_wrap",
    |func, gang, _| {
        gang.no_wrap
            .is_some_and(|found| no_wrap::run(func, found, gang.launch.arguments.no_wrap()))
    },
    "Tells code which indices don't wrap, by the launch's sizes and arguments.",
)
.keeps(AnalysisSet::FLOW);
/// Replaces sums of groups' and local ids by global ids.
pub const GLOBAL_IDS: Pass = Pass::gang(
    "global_ids",
    |func, gang, _| {
        // Of groups that are not those that were asked for, only what matters is told.
        let local_size = |asked: [u64; 3]| {
            [0, 1, 2].map(|at| match asked[at] {
                0 => gang.launch.local_size.along(at),
                size => Some(size),
            })
        };
        gang.launch
            .whole_groups
            .is_some_and(|asked| global_ids::run(func, local_size(asked)))
    },
    "Replaces sums of groups' and local ids by global ids.",
)
.keeps(AnalysisSet::FLOW)
.required();
/// Exchanges x with the dimension that the launch's x is.
pub const EXCHANGE_DIMENSIONS: Pass = Pass::gang(
    "exchange_dimensions",
    |func, gang, _| {
        gang.launch
            .exchanged
            .is_some_and(|dimension| exchange_dimensions::run(func, dimension))
    },
    "Exchanges x with the dimension that the launch's x is.",
)
.keeps(AnalysisSet::FLOW)
.required();
/// Folds strides among the arguments that the launch says are 1.
pub const UNIT_STRIDES: Pass = Pass::gang(
    "unit_strides",
    |func, gang, _| {
        let changed = unit_strides::run(func, &gang.launch.arguments);
        gang.knows_arguments |= changed;
        changed
    },
    "Folds strides among the arguments that the launch says are 1.",
)
.keeps(AnalysisSet::FLOW);
/// Expands accesses to images for the formats and samplers that the launch has.
pub const EXPAND_IMAGES: Pass = Pass::gang(
    "expand_images",
    |func, gang, _| {
        let changed = expand_images::has_images(func);
        if changed {
            expand_images::run(func, &gang.launch.arguments, &gang.facts);
        }
        changed
    },
    "Expands accesses to images for the formats and samplers that the launch has.",
)
.required();
/// Infers from the launch that buffers don't overlap.
pub const INFER_NOALIAS: Pass = Pass::gang(
    "infer_noalias",
    |func, gang, _| {
        let changed = gang.own_sets.is_some_and(|sets| infer_noalias::run(func, sets));
        gang.knows_arguments |= changed;
        changed
    },
    "Gives buffers that don't overlap in this launch alias sets of their own (as `restrict` would).",
)
.keeps(AnalysisSet::FLOW);
/// Marks stores to large buffers as non-temporal.
pub const NONTEMPORAL_STORES: Pass = Pass::gang(
    "nontemporal_stores",
    |func, gang, _| nontemporal_stores::run(func, &gang.launch.arguments, &gang.facts),
    "Marks stores to buffers larger than the caches as non-temporal.",
)
.keeps(AnalysisSet::all());
/// Has loops end when a context is terminated.
pub const STOPPABLE: Pass = Pass::new(
    "stoppable",
    Level::Group,
    Run::Gang(|func, gang, _| gang.launch.stop_word.is_some_and(|word| stoppable::run(func, word))),
    "Has each loop look at a word, and trap once it is not zero, for contexts that can be terminated.",
)
.required();

/// Merges cold blocks with what is around them.
pub const MERGE_COLD: Pass = Pass::function(
    "merge_cold",
    Level::Gang,
    merge_cold::run,
    "Merges cold blocks with what is around them, for passes that take loops of one block and gangs that go one way.",
);
/// Computes in cold blocks what is hardly ever chosen.
pub const PART_COLD: Pass = Pass::new(
    "part_cold",
    Level::Group,
    Run::Machine(part_cold::run),
    "Computes in cold blocks what selects hardly ever choose, after the passes for which `merge_cold` merged such blocks.",
);

/// The passes of this crate, by level and name.
pub const PASSES: &[Pass] = &[
    REASSOCIATE,
    LOCAL_MEMORY_FORWARDING,
    CHECK,
    CONTRACT,
    CRITICAL_EDGES,
    CSE,
    DCE,
    FOLD,
    GROUPS_OF_ONE,
    GLOBAL_IDS,
    EXCHANGE_DIMENSIONS,
    EXPAND_POWERS,
    HALVES,
    BIT_PERMUTATIONS,
    IDIOMS,
    IDLE_LOOPS,
    KNOWN_NUMBERS,
    LANE_BITS,
    LANE_COUNTERS,
    LANE_LOADS,
    LANE_TABLES,
    LCSSA,
    LEAVE_EARLY,
    LICM,
    MEM2REG,
    MERGE_COLD,
    PART_COLD,
    SINK,
    PROMOTE,
    QUOTIENTS,
    RECIPROCALS,
    RECORD_FIELDS,
    PHI_COMPARES,
    PHI_OF_OPS,
    ROTATE_LOOPS,
    ROWS_ALONG,
    ROWS_BY_FOURS,
    ROWS_ONE_BY_ONE,
    SAME_PARAMS,
    HOIST_COMMON,
    SINK_COMMON,
    SCHEDULE,
    SHIFT_PRODUCTS,
    DEMANDED_BITS,
    SIMPLIFY_CFG,
    SPLIT_ADDRESSES,
    HOIST_BASES,
    UNIFORM_BASES,
    WIDEN_INDICES,
    NARROW,
    SIXTEEN_BITS,
    SPLIT_COPIES,
    SPLIT_IRREDUCIBLE,
    UNIFY_RETURNS,
    UNROLL,
    KNOWN_TABLES,
    NO_WRAP,
    UNIT_STRIDES,
    EXPAND_IMAGES,
    INFER_NOALIAS,
    NONTEMPORAL_STORES,
    STOPPABLE,
];

/// The pass of that name in this crate.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
