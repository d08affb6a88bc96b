//! Runs passes on the files in `compiler/transform/filetests`: see [`passes::filetest`].

use super::*;
use cranelift_entity::EntityRef;

/// A pass of this crate, a list, or what takes more than a function.
fn apply(name: &str, func: &mut Function, context: &mut Context) -> Option<bool> {
    let module = context.module?;
    let before = func.to_string();
    match name {
        "inline" => *func = inline::run(module, FuncRef::new(0), Inlining::WhatPays, |_| ()).0,
        "standard" => *func = standard(module, FuncRef::new(0), Inlining::WhatPays).0,
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
    bit_permutations
    bit_permutations_others
    check
    check_nothing
    check_unknown
    contract
    contract_dots
    contract_others
    critical_edges
    critical_edges_split
    cse
    cse_between
    cse_loops
    cse_loops_write
    cse_opposites
    cse_signs
    dce
    demanded_bits
    demanded_bits_upper
    exchange_dimensions
    exchange_dimensions_others
    expand_powers
    expand_powers_as_they_are
    expand_powers_had
    expand_work_group_ops
    fold_addresses
    fold_addresses_exact
    fold_booleans
    fold_choices
    fold_bounds
    fold_floats
    fold_integers
    fold_extended
    fold_lanes
    fold_maxima
    fold_rare
    fold_ranges
    fold_rotations
    fold_shift_amounts
    global_ids
    global_ids_others
    groups_of_one
    groups_of_one_local
    halves
    halves_floats
    hoist_bases
    hoist_bases_constants
    hoist_bases_needed
    hoist_common
    hoist_common_others
    hoist_common_stores
    idioms
    idioms_others
    idioms_sums
    idioms_sums_others
    idle_loops
    idle_loops_busy
    inline
    known_numbers
    known_numbers_others
    known_tables
    lane_bits
    lane_bits_others
    known_tables_written
    lane_counters
    lane_counters_back
    lane_counters_no_masks
    lane_counters_seen
    lane_loads
    lane_loads_computed
    lane_loads_short
    lane_loads_stored
    lane_tables
    lane_tables_once
    lcssa
    lcssa_preheader
    lcssa_closed
    lcssa_merge
    leave_early
    leave_early_again
    licm
    licm_rare
    licm_varying
    local_memory_forwarding
    local_memory_forwarding_waits
    mem2reg
    mem2reg_fill
    merge_cold
    merge_cold_others
    narrow
    narrow_nothing
    part_cold
    part_cold_needed
    phi_compares
    phi_compares_used
    phi_of_ops
    phi_of_ops_differ
    promote
    promote_may_alias
    quotients
    quotients_short
    reassociate
    reassociate_needed
    reciprocals
    record_fields
    record_fields_others
    reciprocals_varying
    rotate_loops
    rotate_loops_bottom
    rotate_loops_left
    rows
    rows_along
    rows_along_carried
    rows_along_rare
    rows_apart
    rows_by_fours_long
    rows_by_fours_strided
    rows_bytes
    rows_extended
    rows_shorts
    rows_dots
    rows_dots_by_fours
    rows_dots_stays
    rows_dots_wrapping
    rows_one_by_one
    rows_one_by_one_changes
    rows_one_by_one_free
    rows_one_by_one_gangs
    rows_rare
    rows_rare_strided
    rows_spaces
    rows_stores
    rows_tested_first
    rows_twice
    same_params
    same_params_handed_on
    same_params_differ
    same_params_computed
    same_params_computed_differ
    same_params_of_nests
    schedule
    schedule_apart
    schedule_atomic
    schedule_call
    schedule_enough
    schedule_few
    schedule_parts
    schedule_parts_store
    schedule_recurrences
    schedule_recurrences_stay
    schedule_store
    shift_products
    shift_products_skylake
    shift_products_zen3
    shift_products_fast
    shift_products_short
    shift_products_handed_on
    shift_products_busy
    shift_products_chained
    shift_products_not_chained
    shift_products_bytes
    short_circuit
    simplify_cfg
    simplify_cfg_cold
    simplify_cfg_loops
    sink_common
    sink_common_around
    sink_common_others
    sink
    sink_both
    sink_latches
    sink_loops
    sixteen_bits
    sixteen_bits_one_register
    sixteen_bits_upper
    sixteen_bits_wrap
    split_addresses
    split_addresses_copies
    split_addresses_plain
    split_copies
    split_copies_buffers
    split_irreducible
    split_irreducible_nested
    split_irreducible_three
    uniform_bases
    uniform_bases_others
    unify_returns
    unify_returns_one
    unroll
    unroll_coefficients
    unroll_counted
    unroll_early
    unroll_early_seen
    unroll_long
    unroll_stages
    widen_indices
    widen_indices_exact
    widen_indices_loaded
    widen_indices_wrap
}
