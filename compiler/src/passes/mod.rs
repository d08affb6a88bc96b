//! Passes over functions at the work-item level (and, where that makes sense, at the work-group level): one pass, one file.
//!
//! A pass takes a function that keeps the IR's rules and leaves one that does; in debug builds that is verified after each.
//! [`standard`] is the one place that says which passes run, and in which order.

pub mod critical_edges;
pub mod dce;
pub mod inline;
pub mod lcssa;
pub mod mem2reg;
pub mod simplify_cfg;
pub mod split_irreducible;
pub mod unify_returns;

use crate::ir::verify::debug_verify;
use crate::ir::{FuncRef, Function, Module};

/// A kernel, or a function that is called, optimized and in the form that group formation takes: reducible loops in loop-closed SSA
/// form, one return, no critical edges.
///
/// Calls to large functions may be left, for which the same is done on their own.
pub fn standard(module: &Module, function: FuncRef) -> Function {
    let mut func = inline::run(module, function, |func| {
        run(func, module, "mem2reg", mem2reg::run);
        run(func, module, "simplify_cfg", simplify_cfg::run);
        run(func, module, "dce", dce::run);
    });
    run(&mut func, module, "mem2reg", mem2reg::run);
    run(&mut func, module, "simplify_cfg", simplify_cfg::run);
    run(&mut func, module, "dce", dce::run);
    run(&mut func, module, "unify_returns", unify_returns::run);
    run(&mut func, module, "split_irreducible", split_irreducible::run);
    run(&mut func, module, "lcssa", |func| {
        lcssa::run(func);
        true
    });
    func
}

/// A function at the work-group level, cleaned up.
pub fn group(func: &mut Function) {
    simplify_cfg::run(func);
    dce::run(func);
}

fn run(func: &mut Function, module: &Module, name: &str, pass: impl FnOnce(&mut Function) -> bool) -> bool {
    let changed = pass(func);
    if changed {
        debug_verify(func, Some(module), name);
    }
    changed
}

#[cfg(test)]
mod filetests;
