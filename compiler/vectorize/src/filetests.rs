//! Runs passes on the files in `compiler/vectorize/filetests`: see [`passes::filetest`].

use super::registry::{all, run_named};
use passes::filetest;
use std::collections::BTreeSet;
use std::path::Path;

passes::filetests! {
    "filetests", run_named,
    aos_elementwise
    aos_elementwise_differ
    atomic_privatization
    atomic_privatization_old_values
    bounds_versioning
    bounds_versioning_choice
    bounds_versioning_choices
    bounds_versioning_cut
    bounds_versioning_long
    bounds_versioning_no_choice
    bounds_versioning_ring
    bounds_versioning_ring_held
    branch_versioning
    branch_versioning_cut
    divergent_loop_splitting
    divergent_loop_splitting_together
    expand_images
    expand_images_none
    find_aos_elementwise
    find_aos_elementwise_differ
    form_group
    gather_coalescing
    gather_coalescing_between
    gather_coalescing_in_order
    grid_stride_loops
    grid_stride_loops_cut
    grid_stride_loops_sees
    groups_of_one_ids
    half_width
    half_width_few
    hoist_checks
    hoist_checks_gather
    idle_groups
    idle_groups_back
    idle_groups_wrap
    infer_noalias
    infer_noalias_unknown
    interchange_gangs
    interchange_gangs_deep
    interchange_gangs_loads
    interchange_gangs_odd
    interchange_gangs_one_row
    interchange_gangs_others
    jam
    jam_columns
    jam_integers
    jam_known_places
    jam_loaded_places
    jam_one_gang
    jam_rare
    jam_rare_stores
    jam_tiles
    jam_tiles_apart
    no_wrap
    no_wrap_unknown
    nontemporal_stores
    nontemporal_stores_reads
    one_lane
    one_lane_polynomial
    one_lane_rows
    one_lane_rows_compute
    one_lane_rows_loaded
    partial_word_coalescing
    partial_word_coalescing_known_places
    private_layout
    private_layout_alone
    private_layout_far
    private_layout_kept
    quotient_versioning
    quotient_versioning_cut
    range_folding
    range_folding_choice
    range_folding_open
    range_folding_powers
    range_folding_sign
    scalarize_loops
    scalarize_loops_together
    stoppable
    stoppable_never
    unit_strides
    unit_strides_long
    vectorize
    vectorize_ends_overlap
    vectorize_long_records
    vectorize_long_records_gathered
    vectorize_reversed
    vectorize_tables
    short_lanes
    short_lanes_wanted
    short_lanes_products
    short_lanes_shifted
    widen
    widen_bytes
    widen_bytes_long
    widen_computes
    widen_computes_doubles
    widen_computes_loads
    widen_computes_rarely
    widen_masked
    widen_masked_gather
    widen_mixes
    widen_one_gang
    widen_parted
    widen_parted_by_data
    widen_parted_rare
    widen_parted_rows
    widen_short_regions
    widen_short_regions_together
    widen_windows
    widen_windows_loaded
    widen_windows_words
    window_alignment
    window_alignment_once
    window_alignment_wraps
    window_versioning
    window_versioning_cut
    window_versioning_unsigned
    window_versioning_unsigned_down
}

/// Passes that change every function: they make one of the next level of it.
const ALWAYS_ACT: &[&str] = &["form_group", "vectorize"];

#[test]
fn each_pass_has_a_file_where_it_acts_and_one_where_it_must_not() {
    let (mut act, mut miss): (BTreeSet<_>, BTreeSet<_>) = all().map(|pass| (pass.name, pass.name)).unzip();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["filetests", "../transform/filetests"] {
        for path in filetest::files(&here.join(folder)) {
            // (Some of `transform`'s need what only its own tests can run.)
            let text = std::fs::read_to_string(&path).expect("the file");
            let Ok(outcome) = filetest::run(&text, run_named) else { continue };
            for (name, changed) in &outcome.changed {
                if *changed { &mut act } else { &mut miss }.remove(name.as_str());
            }
        }
    }
    assert!(act.is_empty(), "passes without a file where they act: {act:?}");
    assert_eq!(Vec::from_iter(miss), ALWAYS_ACT, "passes without a file where they must not act");
}
