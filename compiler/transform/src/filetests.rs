//! Runs passes on the files in `compiler/transform/filetests`: see [`passes::filetest`].

use super::*;
use cranelift_entity::EntityRef;

/// A pass of this crate, a list, or what takes more than a function.
fn apply(name: &str, func: &mut Function, context: &mut Context) -> Option<bool> {
    let module = context.module?;
    let before = func.to_string();
    match name {
        "inline" => *func = inline::run(module, FuncRef::new(0), Inlining::WhatPays, |_| ()),
        "standard" => *func = standard(module, FuncRef::new(0), Inlining::WhatPays),
        "group" => passes::run(order::GROUP, func, context),
        "expand_work_group_ops" => {
            let scratch = expand_work_group_ops::Scratch {
                offset: 64,
                max_items: 256,
            };
            expand_work_group_ops::run(func, scratch);
        }
        name => return Some(passes::run_pass(registry::find(name)?, func, context)),
    }
    Some(before != func.to_string())
}

passes::filetests! {
    "filetests", apply,
    reassociate
    local_memory_forwarding
    check
    check_nothing
    contract
    contract_dots
    critical_edges
    cse
    cse_opposites
    cse_signs
    dce
    expand_work_group_ops
    fold_addresses
    fold_booleans
    fold_bounds
    fold_floats
    fold_integers
    fold_rotations
    groups_of_one
    halves
    halves_floats
    idioms
    idioms_others
    idle_loops
    inline
    known_tables
    lane_tables
    lcssa
    lcssa_merge
    leave_early
    licm
    mem2reg
    mem2reg_fill
    sink
    promote
    quotients
    quotients_short
    reciprocals
    reciprocals_varying
    phi_of_ops
    rows
    rows_along
    rows_apart
    rows_bytes
    rows_dots
    rows_one_by_one
    rows_stores
    rows_twice
    same_params
    same_params_of_nests
    shift_products
    shift_products_fast
    shift_products_short
    short_circuit
    demanded_bits
    simplify_cfg
    simplify_cfg_loops
    split_addresses
    split_copies
    split_irreducible
    split_irreducible_three
    unify_returns
    unroll
    unroll_coefficients
    unroll_stages
}
