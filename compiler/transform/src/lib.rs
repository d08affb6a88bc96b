//! Passes over functions at the work-item level (and, where that makes sense, at the work-group level): one pass, one file.
//!
//! A pass takes a function that keeps the IR's rules and leaves one that does; in debug builds that is verified after each.
//! [`order`] is the one place that says which passes run, and in which order; [`registry`] has a row for each.

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
pub mod manager;
pub mod mem2reg;
mod memory;
pub mod order;
pub mod postpone;
pub mod promote;
pub mod quotients;
pub mod reciprocals;
pub mod recompute;
pub mod registry;
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
        order::run(order::BEFORE_INLINING, func, Some(module));
    });
    order::run(order::WORK_ITEM, &mut func, Some(module));
    func
}

/// A function in the form of [`standard`] after accesses to images have become code, or more is known of memory.
pub fn after_expansion(func: &mut Function) {
    order::run(order::WORK_ITEM, func, None);
}

/// Passes over a function at the work-group level, as group formation leaves it.
pub fn group(func: &mut Function) {
    order::run(order::GROUP, func, None);
}

#[cfg(test)]
mod documentation;
#[cfg(test)]
mod filetests;
#[cfg(test)]
mod random_tests;
