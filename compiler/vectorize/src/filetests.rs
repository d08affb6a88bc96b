//! Runs passes on the files in `compiler/vectorize/filetests`: see [`passes::filetest`].

use super::registry::{all, run_named};
use passes::filetest;
use std::collections::BTreeSet;
use std::path::Path;

passes::filetests! {
    "filetests", run_named,
    range_folding
    range_folding_open
    expand_images
    expand_images_none
    find_aos_elementwise
    find_aos_elementwise_differ
    form_group
    divergent_loop_splitting
    divergent_loop_splitting_together
    branch_versioning
    branch_versioning_cut
    grid_stride_loops
    grid_stride_loops_cut
    groups_of_one_ids
    half_width
    half_width_few
    hoist_checks
    hoist_checks_gather
    jam
    jam_one_gang
    scalarize_loops
    scalarize_loops_together
    narrow
    narrow_nothing
    quotient_versioning
    quotient_versioning_cut
    private_layout
    private_layout_alone
    infer_noalias
    infer_noalias_unknown
    sixteen_bits
    sixteen_bits_one_register
    stoppable
    stoppable_never
    nontemporal_stores
    nontemporal_stores_reads
    atomic_privatization
    atomic_privatization_old_values
    bounds_versioning
    bounds_versioning_cut
    unit_strides
    unit_strides_long
    vectorize
    aos_elementwise
    aos_elementwise_differ
    widen
    widen_one_gang
    window_versioning
    window_versioning_cut
    gather_coalescing
    gather_coalescing_in_order
}

/// Passes for which no file shows that they act. The list must not grow.
const ACT_IN_NO_FILE: &[&str] = &[];
/// Passes for which no file shows that they leave alone what they must. The list must not grow.
const MISS_IN_NO_FILE: &[&str] = &[
    "contract",
    "critical_edges",
    "cse",
    "demanded_bits",
    "form_group",
    "idle_loops",
    "known_tables",
    "lane_tables",
    "lcssa",
    "leave_early",
    "licm",
    "local_memory_forwarding",
    "phi_of_ops",
    "promote",
    "reassociate",
    "rows_along",
    "rows_by_fours",
    "rows_one_by_one",
    "same_params",
    "sink",
    "split_addresses",
    "split_copies",
    "split_irreducible",
    "unify_returns",
    "unroll",
    "vectorize",
];

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
    let lists = [act, miss].map(|names| names.into_iter().collect::<Vec<_>>());
    // Left: as it is; right: as it is known. Shorten the lists when you have added files.
    assert_eq!(
        lists,
        [ACT_IN_NO_FILE, MISS_IN_NO_FILE],
        "passes without a file where they act, or where they must not"
    );
}
