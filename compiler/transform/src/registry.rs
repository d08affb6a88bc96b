//! The passes, one row each: what they are called, where they run and what they are for.
//!
//! `docs/passes.md` is made of these rows; `BROLGA_BLESS=1 cargo test -p brolga-transform documentation` writes it anew.

use super::*;

/// Which functions a pass takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// One work-item's view of a kernel, before vectorization.
    WorkItem,
    /// A work-item's function, for a launch whose gangs are known: these passes know what the launch promises, and `form.rs` runs them.
    Gang,
    /// A work-group's function, with vectors and loops over gangs.
    Group,
    /// Work-item or group.
    Either,
}

/// How a pass is run. What it returns says whether it changed the function.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// It takes nothing but the function.
    Function(fn(&mut Function) -> bool),
    /// It reads the module's constants or functions as well, and does nothing without a module.
    Module(fn(&mut Function, &Module) -> bool),
    /// It takes more, of the launch or the machine; whoever knows that runs it.
    Elsewhere,
}

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, for people and for `BROLGA_PASSES`.
    pub name: &'static str,
    /// Which functions it takes.
    pub level: Level,
    /// How it is run.
    pub run: Run,
    /// Later stages rely on the form that it establishes, so it can't be left out.
    pub is_required: bool,
    /// What it does, in one line.
    pub purpose: &'static str,
}

const fn function(name: &'static str, level: Level, run: fn(&mut Function) -> bool, purpose: &'static str) -> Pass {
    Pass {
        name,
        level,
        run: Run::Function(run),
        is_required: false,
        purpose,
    }
}

const fn elsewhere(name: &'static str, level: Level, purpose: &'static str) -> Pass {
    Pass {
        name,
        level,
        run: Run::Elsewhere,
        is_required: false,
        purpose,
    }
}

const fn required(pass: Pass) -> Pass {
    Pass { is_required: true, ..pass }
}

/// Reassociates chains of one operation so that operands known first are taken first.
pub const BALANCE: Pass = function(
    "balance",
    Level::Either,
    balance::run,
    "Reassociates chains of one operation so that operands known first are taken first.",
);
/// Forwards values that gangs hand on in local memory from stores to loads.
pub const CELLS: Pass = function(
    "cells",
    Level::Group,
    cells::run,
    "Forwards values that gangs hand on in local memory from stores to loads.",
);
/// Contracts a product and a sum to one fused operation.
pub const CONTRACT: Pass = function(
    "contract",
    Level::WorkItem,
    contract::run,
    "Contracts a product and a sum to one fused operation.",
);
/// Splits critical edges.
pub const CRITICAL_EDGES: Pass = function("critical_edges", Level::Either, critical_edges::run, "Splits critical edges.");
/// Replaces an instruction by the result of a dominating one that computes the same.
pub const CSE: Pass = function(
    "cse",
    Level::Either,
    cse::run,
    "Replaces an instruction by the result of a dominating one that computes the same.",
);
/// Deletes instructions, block parameters, blocks and slots that nothing needs.
pub const DCE: Pass = function(
    "dce",
    Level::Either,
    dce::run,
    "Deletes instructions, block parameters, blocks and slots that nothing needs.",
);
/// Folds constants, simplifies algebraically, folds addresses into base + index * scale + offset.
pub const FOLD: Pass = function(
    "fold",
    Level::Either,
    fold::run,
    "Folds constants, simplifies algebraically, folds addresses into base + index * scale + offset.",
);
/// Has a kernel whose groups are single work-items read of its group what it would read alone.
pub const GROUPS_OF_ONE: Pass = function(
    "groups_of_one",
    Level::WorkItem,
    groups_of_one::run,
    "Has a kernel whose groups are single work-items read of its group what it would read alone.",
);
/// Computes arithmetic of halves in floats where the machine has none of halves.
pub const HALVES: Pass = function(
    "halves",
    Level::WorkItem,
    halves::run,
    "Computes arithmetic of halves in floats where the machine has none of halves.",
);
/// Bounds gang loops: leaves out iterations in which nothing happens.
pub const IDLE_LOOPS: Pass = function(
    "idle_loops",
    Level::Group,
    idle_loops::run,
    "Bounds gang loops: leaves out iterations in which nothing happens.",
);
/// Spills a vector before a loop that extracts its lanes by a variable index.
pub const LANE_TABLES: Pass = function(
    "lane_tables",
    Level::Group,
    lane_tables::run,
    "Spills a vector before a loop that extracts its lanes by a variable index.",
);
/// Establishes loop-closed SSA, with critical edges split.
pub const LCSSA: Pass = required(function(
    "lcssa",
    Level::WorkItem,
    lcssa::run,
    "Establishes loop-closed SSA, with critical edges split.",
));
/// Bounds gang loops: leaves a loop whose later iterations do nothing.
pub const LEAVE_EARLY: Pass = function(
    "leave_early",
    Level::Group,
    leave_early::run,
    "Bounds gang loops: leaves a loop whose later iterations do nothing.",
);
/// Moves loop-invariant code in front of the loop.
pub const LICM: Pass = function("licm", Level::Either, licm::run, "Moves loop-invariant code in front of the loop.");
/// Promotes private memory of which constant parts are accessed to SSA values.
pub const MEM2REG: Pass = function(
    "mem2reg",
    Level::WorkItem,
    mem2reg::run,
    "Promotes private memory of which constant parts are accessed to SSA values.",
);
/// Sinks pure instructions to the nearest block that dominates their uses.
pub const POSTPONE: Pass = function(
    "postpone",
    Level::Either,
    postpone::run,
    "Sinks pure instructions to the nearest block that dominates their uses.",
);
/// Keeps a memory location that a loop reads and writes in a value while the loop runs.
pub const PROMOTE: Pass = function(
    "promote",
    Level::Either,
    promote::run,
    "Keeps a memory location that a loop reads and writes in a value while the loop runs.",
);
/// Divides vectors by a varying scalar through its reciprocal.
pub const QUOTIENTS: Pass = function(
    "quotients",
    Level::Group,
    quotients::run,
    "Divides vectors by a varying scalar through its reciprocal.",
);
/// Turns division by constants and loop invariants into multiplication.
pub const RECIPROCALS: Pass = function(
    "reciprocals",
    Level::Either,
    reciprocals::run,
    "Turns division by constants and loop invariants into multiplication.",
);
/// Computes once after a merge what both predecessors compute (phi of operations).
pub const RECOMPUTE: Pass = function(
    "recompute",
    Level::WorkItem,
    recompute::run,
    "Computes once after a merge what both predecessors compute (phi of operations).",
);
/// Vectorizes a loop along each lane's row by its iterations, one lane after the other.
pub const ROWS_ALONG: Pass = function(
    "rows_along",
    Level::Group,
    rows::along::run,
    "Vectorizes a loop along each lane's row by its iterations, one lane after the other.",
);
/// Runs four iterations of a loop along rows at once and transposes.
pub const ROWS_BY_FOURS: Pass = function(
    "rows_by_fours",
    Level::Group,
    rows::by_fours::run,
    "Runs four iterations of a loop along rows at once and transposes.",
);
/// Scalarizes loops along rows with a loop-carried dependence, one lane after the other.
pub const ROWS_ONE_BY_ONE: Pass = function(
    "rows_one_by_one",
    Level::Group,
    rows::one_by_one::run,
    "Scalarizes loops along rows with a loop-carried dependence, one lane after the other.",
);
/// Replaces block parameters that are the same on every edge.
pub const SAME_PARAMS: Pass = function(
    "same_params",
    Level::Group,
    same_params::run,
    "Replaces block parameters that are the same on every edge.",
);
/// Narrows 64-bit values of which only the lower 32 bits are demanded.
pub const SHORT_COUNTERS: Pass = function(
    "short_counters",
    Level::WorkItem,
    short_counters::run,
    "Narrows 64-bit values of which only the lower 32 bits are demanded.",
);
/// Simplifies the flow graph: decided branches, empty blocks, if-conversion of small sides.
pub const SIMPLIFY_CFG: Pass = function(
    "simplify_cfg",
    Level::Either,
    simplify_cfg::run,
    "Simplifies the flow graph: decided branches, empty blocks, if-conversion of small sides.",
);
/// Writes out what a machine's addressing mode can't do.
pub const SPLIT_ADDRESSES: Pass = function(
    "split_addresses",
    Level::Group,
    split_addresses::run,
    "Writes out what a machine's addressing mode can't do.",
);
/// Splits copies to and from private memory into loads and stores of elements.
pub const SPLIT_COPIES: Pass = function(
    "split_copies",
    Level::WorkItem,
    split_copies::run,
    "Splits copies to and from private memory into loads and stores of elements.",
);
/// Makes every loop reducible by dispatch blocks.
pub const SPLIT_IRREDUCIBLE: Pass = required(function(
    "split_irreducible",
    Level::WorkItem,
    split_irreducible::run,
    "Makes every loop reducible by dispatch blocks.",
));
/// Gives a function a single return.
pub const UNIFY_RETURNS: Pass = required(function(
    "unify_returns",
    Level::WorkItem,
    unify_returns::run,
    "Gives a function a single return.",
));
/// Unrolls small loops of a constant trip count fully.
pub const UNROLL: Pass = function(
    "unroll",
    Level::WorkItem,
    unroll::run,
    "Unrolls small loops of a constant trip count fully.",
);
/// Reads tables of constants at places that are known.
pub const KNOWN_TABLES: Pass = Pass {
    run: Run::Module(known_tables::run),
    ..elsewhere(
        "known_tables",
        Level::WorkItem,
        "Replaces loads from constant tables at known places by what the tables hold.",
    )
};

/// Every pass, by level and name.
pub const PASSES: &[Pass] = &[
    BALANCE,
    CELLS,
    CONTRACT,
    CRITICAL_EDGES,
    CSE,
    DCE,
    FOLD,
    GROUPS_OF_ONE,
    HALVES,
    IDLE_LOOPS,
    LANE_TABLES,
    LCSSA,
    LEAVE_EARLY,
    LICM,
    MEM2REG,
    POSTPONE,
    PROMOTE,
    QUOTIENTS,
    RECIPROCALS,
    RECOMPUTE,
    ROWS_ALONG,
    ROWS_BY_FOURS,
    ROWS_ONE_BY_ONE,
    SAME_PARAMS,
    SHORT_COUNTERS,
    SIMPLIFY_CFG,
    SPLIT_ADDRESSES,
    SPLIT_COPIES,
    SPLIT_IRREDUCIBLE,
    UNIFY_RETURNS,
    UNROLL,
    KNOWN_TABLES,
    elsewhere(
        "tallies",
        Level::Gang,
        "Privatizes atomics on the first bytes of buffers: each thread adds up for itself first.",
    ),
    elsewhere(
        "grid_loops",
        Level::Gang,
        "Deals the iterations of grid-stride loops out so that gangs go along memory.",
    ),
    elsewhere("narrow", Level::Gang, "Converts and divides in 32 bits what fits them."),
    elsewhere(
        "half_width",
        Level::Gang,
        "Halves the gang where long values need more registers than there are.",
    ),
    elsewhere(
        "widen",
        Level::Gang,
        "Makes gangs longer than the machine's vectors where that pays.",
    ),
    elsewhere(
        "words",
        Level::Gang,
        "Coalesces gathers of bytes into words, and of words into pairs.",
    ),
    elsewhere("sixteen_bits", Level::Gang, "Computes with bytes in 16 bits."),
    elsewhere("decided", Level::Gang, "Folds conditions that value ranges decide."),
    elsewhere(
        "windows",
        Level::Gang,
        "Versions loops over windows for gangs that no clamp of their indices changes.",
    ),
    elsewhere(
        "lane_by_lane",
        Level::Gang,
        "Scalarizes loops full of gathers, one lane after the other.",
    ),
    elsewhere(
        "one_quotient",
        Level::Gang,
        "Versions code for gangs that a division of their ids leaves in one row.",
    ),
    elsewhere(
        "unclamped",
        Level::Gang,
        "Versions code for gangs whose indices are inside their bounds.",
    ),
    elsewhere(
        "full_path",
        Level::Gang,
        "Versions a branch for gangs whose lanes all take the same side.",
    ),
    elsewhere(
        "full_loops",
        Level::Gang,
        "Splits a divergent loop into an unmasked main loop and a masked remainder.",
    ),
    elsewhere(
        "whole_records",
        Level::Gang,
        "Accesses records as they are in memory where all components are treated alike.",
    ),
];

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
