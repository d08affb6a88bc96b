//! The passes between a work-item's function and a work-group's, one row each, and all passes by name.
//!
//! `docs/passes.md` is made of these rows and those of `transform`; `BROLGA_BLESS=1 cargo test -p brolga-vectorize documentation` writes it
//! anew.

use super::*;
use analysis::AnalysisSet;
use gather_coalescing::Words;
use passes::Pass;
use versioning::Budget;

const FLOW_AND_UNIFORMITY: AnalysisSet = AnalysisSet::FLOW.union(AnalysisSet::UNIFORMITY);
const ACCESSES: AnalysisSet = FLOW_AND_UNIFORMITY.union(AnalysisSet::ACCESSES);

/// Privatizes atomics on the first bytes of buffers.
pub const ATOMIC_PRIVATIZATION: Pass = Pass::gang(
    "atomic_privatization",
    |func, gang, _| {
        if let Some(sets) = gang.own_sets {
            gang.facts.tallies = atomic_privatization::run(func, &gang.facts, sets);
        }
        !gang.facts.tallies.each.is_empty()
    },
    "Privatizes atomics on the first bytes of buffers: each thread adds up for itself first.",
);
/// Deals out the iterations of grid-stride loops.
pub const GRID_STRIDE_LOOPS: Pass = Pass::gang(
    "grid_stride_loops",
    |func, gang, known| grid_stride_loops::run(func, &mut gang.facts, &gang.machine, known, &mut gang.plan),
    "Deals the iterations of grid-stride loops out so that gangs go along memory.",
)
.uses(AnalysisSet::FLOW);
/// Finds conditions under which whole work-groups do nothing.
pub const IDLE_GROUPS: Pass = Pass::gang(
    "idle_groups",
    |func, gang, known| {
        gang.facts.guards = idle_groups::guards(func, &gang.facts, known);
        !gang.facts.guards.is_empty()
    },
    "Finds conditions under which whole work-groups do nothing; the loop over groups leaves those out.",
)
.uses(FLOW_AND_UNIFORMITY.union(AnalysisSet::TRENDS))
.keeps(AnalysisSet::all());
/// Runs gangs in the order in which lanes far apart stay in their lines.
pub const INTERCHANGE_GANGS: Pass = Pass::gang(
    "interchange_gangs",
    |func, gang, known| {
        gang.facts.first_along = interchange_gangs::first(func, &gang.facts, known, &mut gang.plan);
        gang.facts.first_along.is_some()
    },
    "Runs gangs below each other before those beside each other, where lanes apart stay in their lines.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::all());
/// Makes gangs of one lane of kernels that are little more than loops that lanes go through one by one.
pub const ONE_LANE: Pass = Pass::gang(
    "one_lane",
    |func, gang, known| {
        let pays = one_lane::pays(func, &gang.facts, &gang.machine, known, &mut gang.plan);
        if pays {
            gang.facts.width = 1;
        }
        pays
    },
    "Makes gangs of one lane of kernels that are little more than loops that lanes go through one by one.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::FLOW);
/// Halves the gang where long values need more registers than there are.
pub const HALF_WIDTH: Pass = Pass::gang(
    "half_width",
    |func, gang, known| {
        let pays = half_width::pays(func, &gang.facts, &gang.machine, known, &mut gang.plan);
        gang.facts.width >>= u32::from(pays);
        pays
    },
    "Halves the gang where long values need more registers than there are.",
)
.uses(FLOW_AND_UNIFORMITY)
.keeps(AnalysisSet::FLOW.union(AnalysisSet::DEMANDED_BITS));
/// Computes in 8 or 16 bits what is extended from as many and cut to them.
pub const SHORT_LANES: Pass = Pass::gang(
    "short_lanes",
    |func, gang, known| short_lanes::run(func, &gang.facts, &gang.machine, known, &mut gang.plan),
    "Computes in 8 or 16 bits what is extended from as many and cut to them.",
)
.uses(AnalysisSet::FLOW.union(AnalysisSet::UNIFORMITY).union(AnalysisSet::DEMANDED_BITS))
.keeps(AnalysisSet::FLOW);
/// Makes gangs longer than the machine's vectors where that pays.
pub const WIDEN: Pass = Pass::gang(
    "widen",
    |func, gang, known| {
        let factor = widen::factor(func, &gang.facts, &gang.machine, false, known, &mut gang.plan);
        gang.facts.width *= factor;
        factor > 1
    },
    "Makes gangs longer than the machine's vectors where that pays.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::FLOW.union(AnalysisSet::DEMANDED_BITS));
/// Finds accesses to records that may stay as they are in memory.
pub const FIND_AOS_ELEMENTWISE: Pass = Pass::gang(
    "find_aos_elementwise",
    |func, gang, known| {
        gang.records = aos_elementwise::candidates(func, &gang.facts, known);
        false
    },
    "Finds accesses to records that may stay as they are in memory; changes nothing.",
)
.uses(ACCESSES);
/// Coalesces gathers of bytes into words, and of words into pairs.
pub const GATHER_COALESCING: Pass = Pass::gang(
    "gather_coalescing",
    |func, gang, known| gather_coalescing::run(func, &gang.facts, &gang.machine, known, Words::Whole, &gang.records),
    "Coalesces gathers of bytes into words, and of words into pairs.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::FLOW);
/// The same, and gathers of bytes that are not a whole word.
pub const PARTIAL_WORD_COALESCING: Pass = Pass::gang(
    "partial_word_coalescing",
    |func, gang, known| gather_coalescing::run(func, &gang.facts, &gang.machine, known, Words::Any, &gang.records),
    "Coalesces gathers of bytes into words, those of parts of a word as well, and of words into pairs.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::FLOW);
/// Interleaves the lanes' copies of private arrays.
pub const PRIVATE_LAYOUT: Pass = Pass::gang(
    "private_layout",
    |func, gang, _| {
        gang.facts.lane_strides = interleave(func, gang.facts.width, &mut gang.plan);
        func.slots.keys().any(|slot| gang.facts.lane_strides[slot] != 0)
    },
    "Lays private arrays out by element instead of by lane.",
)
.keeps(AnalysisSet::FLOW);
/// Folds conditions that value ranges decide.
pub const RANGE_FOLDING: Pass = Pass::gang(
    "range_folding",
    |func, gang, known| range_folding::run(func, &gang.facts, known),
    "Folds conditions that value ranges decide.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Versions loops over windows for gangs that no clamp of their indices changes.
pub const WINDOW_VERSIONING: Pass = Pass::gang(
    "window_versioning",
    |func, gang, known| versioning::window_versioning::run(func, &gang.facts, known, Budget::new("window_versioning", &mut gang.plan)),
    "Versions loops over windows for gangs that no clamp of their indices changes.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Has all lanes go over windows from the same place on, where edges cut some of them off.
pub const WINDOW_ALIGNMENT: Pass = Pass::gang(
    "window_alignment",
    |func, gang, known| window_alignment::run(func, &gang.facts, known),
    "Has all lanes go over windows from the same place on, where edges cut some of them off.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Scalarizes loops full of gathers.
pub const SCALARIZE_LOOPS: Pass = Pass::gang(
    "scalarize_loops",
    |func, gang, known| scalarize_loops::run(func, &gang.facts, &gang.machine, known, &mut gang.plan),
    "Scalarizes loops full of gathers, one lane after the other.",
)
.uses(ACCESSES);
/// Versions code for gangs that a division of their ids leaves in one row.
pub const QUOTIENT_VERSIONING: Pass = Pass::gang(
    "quotient_versioning",
    |func, gang, known| versioning::quotient_versioning::run(func, &gang.facts, known, Budget::new("quotient_versioning", &mut gang.plan)),
    "Versions code for gangs that a division of their ids leaves in one row.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Versions code for gangs whose indices are inside their bounds.
pub const BOUNDS_VERSIONING: Pass = Pass::gang(
    "bounds_versioning",
    |func, gang, known| versioning::bounds_versioning::run(func, &gang.facts, known, Budget::new("bounds_versioning", &mut gang.plan)),
    "Versions code for gangs whose indices are inside their bounds.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Versions a loop of checked mode for gangs whose accesses in it are inside their objects.
pub const HOIST_CHECKS: Pass = Pass::gang(
    "hoist_checks",
    |func, gang, known| versioning::hoist_checks::run(func, &gang.facts, known, Budget::new("hoist_checks", &mut gang.plan)),
    "Versions a loop of checked mode for gangs whose accesses in it are inside their objects.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Versions a branch for gangs whose lanes all take the same side.
pub const BRANCH_VERSIONING: Pass = Pass::gang(
    "branch_versioning",
    |func, gang, known| versioning::branch_versioning::run(func, &gang.facts, known, Budget::new("branch_versioning", &mut gang.plan)),
    "Versions a branch for gangs whose lanes all take the same side.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Splits a divergent loop into an unmasked main loop and a masked remainder.
pub const DIVERGENT_LOOP_SPLITTING: Pass = Pass::gang(
    "divergent_loop_splitting",
    |func, gang, known| {
        versioning::divergent_loop_splitting::run(func, &gang.facts, known, Budget::new("divergent_loop_splitting", &mut gang.plan))
    },
    "Splits a divergent loop into an unmasked main loop and a masked remainder.",
)
.uses(FLOW_AND_UNIFORMITY);
/// Accesses records as they are in memory where all components are treated alike.
pub const AOS_ELEMENTWISE: Pass = Pass::gang(
    "aos_elementwise",
    |func, gang, known| {
        let changed = aos_elementwise::run(func, &gang.facts, known, &mut gang.plan);
        gang.records.clear();
        changed
    },
    "Accesses records as they are in memory where all components are treated alike.",
)
.uses(ACCESSES)
.keeps(AnalysisSet::FLOW);
/// Gives values a lane a work-item, and makes masks of divergent control flow.
pub const VECTORIZE: Pass = Pass::gang(
    "vectorize",
    |func, gang, known| match vectorize(func, &gang.facts, &gang.machine, known) {
        Ok(vector) => {
            gang.put(func, vector);
            true
        }
        Err(Unsuited(why)) => {
            gang.unsuited = Some(why);
            false
        }
    },
    "Gives values a lane a work-item, and makes masks of divergent control flow.",
)
.uses(ACCESSES)
.required();
/// Runs several gangs at once where they share what they load, or where iterations wait for each other.
pub const JAM: Pass = Pass::gang(
    "jam",
    |func, gang, _| {
        let vector = gang.take(func);
        let jammed = match gang.gangs_at_once {
            Some(count) => jam::at_once(vector, &mut gang.facts, count),
            None => jam::run(vector, &mut gang.facts, &gang.machine, &mut gang.plan),
        };
        gang.put(func, jammed);
        gang.facts.gangs_at_once > 1
    },
    "Runs several gangs at once where they share loads, or where iterations wait for each other (unroll-and-jam).",
);
/// Writes the loops over gangs between barriers, and over the groups of a row.
pub const FORM_GROUP: Pass = Pass::gang(
    "form_group",
    |func, gang, _| {
        let group = form_group(gang.take(func), &gang.facts);
        (*func, gang.frame_bytes) = (group.func, group.frame_bytes);
        true
    },
    "Writes the loops over gangs between barriers, and over the groups of a row.",
)
.required();

/// Between a gang's function with its scalars, and the parts that passes take.
trait Parts {
    fn take(&mut self, func: &mut ir::Function) -> GangFunction;
    fn put(&mut self, func: &mut ir::Function, vector: GangFunction);
}

impl Parts for passes::Gang<'_> {
    fn take(&mut self, func: &mut ir::Function) -> GangFunction {
        let empty = ir::Function::new(String::new(), ir::Level::Gang, &[]);
        GangFunction {
            func: std::mem::replace(func, empty),
            shared: std::mem::take(&mut self.shared),
        }
    }

    fn put(&mut self, func: &mut ir::Function, vector: GangFunction) {
        (*func, self.shared) = (vector.func, vector.shared);
    }
}

/// The passes of this crate.
pub const PASSES: &[Pass] = &[
    ATOMIC_PRIVATIZATION,
    GRID_STRIDE_LOOPS,
    IDLE_GROUPS,
    INTERCHANGE_GANGS,
    ONE_LANE,
    HALF_WIDTH,
    SHORT_LANES,
    WIDEN,
    FIND_AOS_ELEMENTWISE,
    GATHER_COALESCING,
    PARTIAL_WORD_COALESCING,
    PRIVATE_LAYOUT,
    RANGE_FOLDING,
    WINDOW_VERSIONING,
    WINDOW_ALIGNMENT,
    SCALARIZE_LOOPS,
    QUOTIENT_VERSIONING,
    BOUNDS_VERSIONING,
    HOIST_CHECKS,
    BRANCH_VERSIONING,
    DIVERGENT_LOOP_SPLITTING,
    AOS_ELEMENTWISE,
    VECTORIZE,
    JAM,
    FORM_GROUP,
];

/// The compiler's passes.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    transform::registry::PASSES.iter().chain(PASSES)
}

/// Runs the pass or the list of that name. True if something changed; none if nothing is called that.
pub fn run_named(name: &str, func: &mut ir::Function, context: &mut passes::Context) -> Option<bool> {
    if let Some((.., steps)) = stages::LISTS.iter().find(|(list, ..)| *list == name) {
        let before = func.to_string();
        passes::run(steps, func, context);
        return Some(before != func.to_string());
    }
    Some(passes::run_pass(find(name)?, func, context))
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    all().find(|pass| pass.name == name)
}
