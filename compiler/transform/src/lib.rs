//! Passes over functions at the work-item level (and, where that makes sense, at the work-group level): one pass, one file.
//!
//! A pass takes a function that keeps the IR's rules and leaves one that does; in debug builds that is verified after each.
//! [`order`] is the one place that says which passes run, and in which order; [`registry`] has a row for each.

pub mod bit_width;
pub mod check;
pub mod contract;
pub mod critical_edges;
pub mod cse;
pub mod dce;
pub mod expand_images;
pub mod expand_powers;
pub mod expand_work_group_ops;
pub mod fold;
pub mod groups_of_one;
pub mod halves;
mod hoist_bases;
pub mod idioms;
pub mod idle_loops;
pub mod infer_noalias;
pub mod inline;
pub mod known_tables;
pub mod lane_loads;
pub mod lane_tables;
pub mod lcssa;
pub mod leave_early;
pub mod licm;
pub mod local_memory_forwarding;
pub mod mem2reg;
mod memory;
pub mod nontemporal_stores;
pub mod order;
pub mod phi_compares;
pub mod phi_of_ops;
pub mod promote;
pub mod quotients;
pub mod reassociate;
pub mod reciprocals;
pub mod registry;
pub mod rotate_loops;
pub mod rows;
pub mod same_params;
pub mod schedule;
pub mod shift_products;
pub mod simplify_cfg;
pub mod sink;
pub mod split_addresses;
pub mod split_copies;
pub mod split_irreducible;
pub mod stoppable;
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
    let mut left = FxHashMap::default();
    let mut called = func.callees();
    while let Some(reference) = called.pop() {
        if let Some(mut callee) = callees.remove(&reference) {
            passes::run(order::WORK_ITEM, &mut callee, &mut Context::new(Some(module)));
            called.extend(callee.callees());
            left.insert(reference, callee);
        }
    }
    (func, left)
}

/// A kernel in the form of [`standard`], with checks in it, and what these need.
pub fn checked(module: &Module, function: FuncRef, info: &KernelInfo, checks: Checks) -> (Function, check::Checked) {
    let context = &mut Context::new(Some(module));
    let (mut func, _) = inline::run(module, function, Inlining::All, |_| ());
    check::prepare(&mut func, checks);
    debug_verify(&func, Some(module), "check::prepare");
    // Pointers that are variables become values, which can be followed.
    passes::run(order::BEFORE_CHECKS, &mut func, context);
    let checked = check::run(&mut func, module, info, checks);
    debug_verify(&func, Some(module), "check");
    func.origins = None;
    passes::run(order::BEFORE_INLINING, &mut func, context);
    passes::run(order::WORK_ITEM, &mut func, context);
    (func, checked)
}

#[cfg(test)]
mod filetests;
#[cfg(test)]
mod random_tests;
