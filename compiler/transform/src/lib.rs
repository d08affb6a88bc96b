//! Passes over functions at the work-item level (and, where that makes sense, at the work-group level): one pass, one file.
//!
//! A pass takes a function that keeps the IR's rules and leaves one that does; in debug builds that is verified after each.
//! [`order`] is the one place that says which passes run, and in which order; [`registry`] has a row for each.

pub mod bit_permutations;
pub mod bit_width;
pub mod check;
pub mod contract;
pub mod critical_edges;
pub mod cse;
pub mod dce;
pub mod exchange_dimensions;
pub mod expand_images;
pub mod expand_powers;
pub mod expand_work_group_ops;
pub mod fold;
pub mod global_ids;
pub mod groups_of_one;
pub mod halves;
mod hoist_bases;
pub mod hoist_common;
pub mod idempotence;
pub mod idioms;
pub mod idle_loops;
pub mod infer_noalias;
pub mod inline;
pub mod known_numbers;
pub mod known_tables;
pub mod lane_bits;
pub mod lane_counters;
pub mod lane_loads;
pub mod lane_tables;
pub mod lcssa;
pub mod leave_early;
pub mod licm;
pub mod local_memory_forwarding;
pub mod mem2reg;
mod memory;
pub mod merge_cold;
pub mod no_wrap;
pub mod nontemporal_stores;
pub mod order;
mod own_local;
pub mod part_cold;
pub mod phi_compares;
pub mod phi_of_ops;
pub mod preheaders;
mod promote;
pub mod quotients;
pub mod reassociate;
pub mod reciprocals;
pub mod record_fields;
pub mod registry;
pub mod rotate_loops;
pub mod rows;
pub mod same_params;
pub mod schedule;
pub mod shift_products;
pub mod simplify_cfg;
pub mod sink;
pub mod sink_common;
pub mod split_addresses;
pub mod split_copies;
pub mod split_irreducible;
pub mod stoppable;
mod uniform_bases;
pub mod unify_returns;
pub mod unit_strides;
pub mod unroll;
pub mod versioning;

pub use inline::Inlining;
use interface::{Checks, KernelInfo};
use ir::verify::debug_verify;
use ir::{FuncRef, Function, Module};
use passes::Context;
use rustc_hash::FxHashMap;

/// A kernel, or a function that is called, optimized and in the form that group formation takes: reducible loops in loop-closed SSA
/// form, one return, no critical edges.
///
/// Calls to large functions may be left: those that are called so, directly or not, are with it, in the same form.
pub fn standard(module: &Module, function: FuncRef, inlining: Inlining) -> (Function, FxHashMap<FuncRef, Function>) {
    let (mut func, mut callees) = inline::run(module, function, inlining, |func| {
        passes::run(order::BEFORE_INLINING, func, &mut Context::new(Some(module)));
    });
    passes::run(order::WORK_ITEM, &mut func, &mut Context::new(Some(module)));
    keep_called(&func, &mut callees);
    for callee in callees.values_mut() {
        passes::run(order::WORK_ITEM, callee, &mut Context::new(Some(module)));
    }
    (func, callees)
}

/// A kernel in the form of [`standard`], with checks in it and in what it calls, and what these need.
pub fn checked(
    module: &Module,
    function: FuncRef,
    info: &KernelInfo,
    checks: Checks,
    inlining: Inlining,
) -> (Function, FxHashMap<FuncRef, Function>, check::Checked) {
    let (mut kernel, mut callees) = inline::run(module, function, inlining, |_| ());
    keep_called(&kernel, &mut callees);
    for func in core::iter::once(&mut kernel).chain(callees.values_mut()) {
        check::prepare(func, checks);
        debug_verify(func, Some(module), "check::prepare");
        // Pointers that are variables become values, which can be followed.
        passes::run(order::BEFORE_CHECKS, func, &mut Context::new(Some(module)));
    }
    let checked = check::run(&mut kernel, &mut callees, module, info, checks);
    for func in core::iter::once(&mut kernel).chain(callees.values_mut()) {
        debug_verify(func, Some(module), "check");
        let context = &mut Context::new(Some(module));
        passes::run(order::BEFORE_INLINING, func, context);
        passes::run(order::WORK_ITEM, func, context);
    }
    (kernel, callees, checked)
}

/// Drops what a kernel does not call.
fn keep_called(kernel: &Function, callees: &mut FxHashMap<FuncRef, Function>) {
    let mut kept = FxHashMap::default();
    let mut called = kernel.callees();
    while let Some(reference) = called.pop() {
        if let Some(callee) = callees.remove(&reference) {
            called.extend(callee.callees());
            kept.insert(reference, callee);
        }
    }
    *callees = kept;
}

#[cfg(test)]
mod filetests;
#[cfg(test)]
mod random_tests;
