//! Passes over functions at the work-item level (and, where that makes sense, at the work-group level): one pass, one file.
//!
//! A pass takes a function that keeps the IR's rules and leaves one that does; in debug builds that is verified after each.
//! [`standard`] is the one place that says which passes run, and in which order.

pub mod balance;
pub mod cells;
pub mod contract;
pub mod critical_edges;
pub mod cse;
pub mod dce;
pub mod expand_images;
pub mod expand_work_group_ops;
pub mod fold;
pub mod groups_of_one;
pub mod halves;
pub mod idle_loops;
pub mod inline;
pub mod known_tables;
pub mod lane_tables;
pub mod lcssa;
pub mod leave_early;
pub mod licm;
pub mod mem2reg;
mod memory;
pub mod postpone;
pub mod promote;
pub mod quotients;
pub mod reciprocals;
pub mod recompute;
pub mod rows;
pub mod same_params;
pub mod separate;
pub mod short_counters;
pub mod simplify_cfg;
pub mod split_addresses;
pub mod split_copies;
pub mod split_irreducible;
pub mod stoppable;
pub mod stream;
pub mod unify_returns;
pub mod unit_strides;
pub mod unroll;

pub use inline::Inlining;
use ir::verify::debug_verify;
use ir::{FuncRef, Function, Module};

/// A kernel, or a function that is called, optimized and in the form that group formation takes: reducible loops in loop-closed SSA
/// form, one return, no critical edges.
///
/// Calls to large functions may be left, for which the same is done on their own.
pub fn standard(module: &Module, function: FuncRef, inlining: Inlining) -> Function {
    let mut func = inline::run(module, function, inlining, |func| {
        let run = |func: &mut Function, pass| run(func, Some(module), pass);
        run(func, SPLIT_COPIES);
        run(func, MEM2REG);
        run(func, FOLD);
        run(func, SIMPLIFY_CFG);
        run(func, DCE);
    });
    optimize(&mut func, Some(module));
    func
}

/// A function in the form of [`standard`] after accesses to images have become code, or more is known of memory.
pub fn after_expansion(func: &mut Function) {
    optimize(func, None);
}

/// So many loops around each other are unrolled.
const NESTS: usize = 4;

fn unroll_loops(func: &mut Function, module: Option<&Module>) {
    // A loop around others may be small once these are gone.
    for _ in 0..NESTS {
        if !run(func, module, UNROLL) {
            break;
        }
        run(func, module, SIMPLIFY_CFG);
        run(func, module, FOLD);
        if let Some(module) = module {
            debug::timed("    known_tables", || known_tables::run(func, module));
            debug_verify(func, Some(module), "known_tables");
        }
        for pass in [MEM2REG, FOLD, SIMPLIFY_CFG, DCE] {
            run(func, module, pass);
        }
    }
}

fn optimize(func: &mut Function, module: Option<&Module>) {
    let run_in = |func: &mut Function, pass| run(func, module, pass);
    let mut run = |pass| run_in(func, pass);
    // Inlining has brought addresses of slots to their uses.
    run(SPLIT_COPIES);
    if run(MEM2REG) {
        run(FOLD);
        run(SIMPLIFY_CFG);
    }
    unroll_loops(func, module);
    let mut run = |pass| run_in(func, pass);
    run(RECOMPUTE);
    run(SHORT_COUNTERS);
    run(CSE);
    run(LICM);
    run(PROMOTE);
    // What is in one place now may be simpler.
    run(FOLD);
    run(CSE);
    run(DCE);
    if target::has_fma() {
        run(CONTRACT);
    }
    run(HALVES);
    // Ways that end alike lead to the same place.
    run(UNIFY_RETURNS);
    run(SIMPLIFY_CFG);
    run(DCE);
    for pass in [SPLIT_IRREDUCIBLE, LCSSA] {
        run(pass);
    }
}

/// Passes over a function at the work-group level, as group formation leaves it.
pub fn group(func: &mut Function) {
    let mut run = |pass| run(func, None, pass);
    for pass in [FOLD, RECIPROCALS, SPLIT_ADDRESSES, SAME_PARAMS, BALANCE, LICM] {
        run(pass);
    }
    // Now it shows what loops divide by without changing it.
    if run(RECIPROCALS) {
        run(LICM);
    }
    if run(QUOTIENTS) {
        run(LICM);
    }
    if run(CELLS) {
        run(FOLD);
        run(PROMOTE);
    }
    for pass in [CSE, SIMPLIFY_CFG] {
        run(pass);
    }
    if run(IDLE_LOOPS) {
        run(SIMPLIFY_CFG);
        run(FOLD);
    }
    for pass in [ROWS_ALONG, ROWS_ONE_BY_ONE, ROWS_BY_FOURS, LANE_TABLES, DCE, LEAVE_EARLY, POSTPONE] {
        run(pass);
    }
}

/// A pass that takes nothing but a function: its name, and what runs it and tells whether something changed.
type Pass = (&'static str, fn(&mut Function) -> bool);

const BALANCE: Pass = ("balance", balance::run);
const CELLS: Pass = ("cells", cells::run);
const CONTRACT: Pass = ("contract", contract::run);
const CSE: Pass = ("cse", cse::run);
const DCE: Pass = ("dce", dce::run);
const FOLD: Pass = ("fold", fold::run);
const HALVES: Pass = ("halves", halves::run);
const IDLE_LOOPS: Pass = ("idle_loops", idle_loops::run);
const LANE_TABLES: Pass = ("lane_tables", lane_tables::run);
const LEAVE_EARLY: Pass = ("leave_early", leave_early::run);
const LCSSA: Pass = ("lcssa", lcssa::run);
const LICM: Pass = ("licm", licm::run);
const MEM2REG: Pass = ("mem2reg", mem2reg::run);
const POSTPONE: Pass = ("postpone", postpone::run);
const PROMOTE: Pass = ("promote", promote::run);
const QUOTIENTS: Pass = ("quotients", quotients::run);
const RECIPROCALS: Pass = ("reciprocals", reciprocals::run);
const RECOMPUTE: Pass = ("recompute", recompute::run);
const ROWS_ALONG: Pass = ("rows_along", rows::along::run);
const ROWS_BY_FOURS: Pass = ("rows_by_fours", rows::by_fours::run);
const ROWS_ONE_BY_ONE: Pass = ("rows_one_by_one", rows::one_by_one::run);
const SAME_PARAMS: Pass = ("same_params", same_params::run);
const SHORT_COUNTERS: Pass = ("short_counters", short_counters::run);
const SIMPLIFY_CFG: Pass = ("simplify_cfg", simplify_cfg::run);
const SPLIT_ADDRESSES: Pass = ("split_addresses", split_addresses::run);
const SPLIT_COPIES: Pass = ("split_copies", split_copies::run);
const SPLIT_IRREDUCIBLE: Pass = ("split_irreducible", split_irreducible::run);
const UNIFY_RETURNS: Pass = ("unify_returns", unify_returns::run);
const UNROLL: Pass = ("unroll", unroll::run);

fn run(func: &mut Function, module: Option<&Module>, (name, pass): Pass) -> bool {
    let changed = debug::timed(format_args!("    {name}"), || pass(func));
    debug_verify(func, module, name);
    changed
}

#[cfg(test)]
mod filetests;
#[cfg(test)]
mod random_tests;
