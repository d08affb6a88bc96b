//! Runs passes on the files in `compiler/vectorize/filetests`: see [`passes::filetest`].

use super::registry::{all, run_named};
use passes::filetest;
use std::collections::BTreeSet;
use std::path::Path;

passes::filetests! {
    "filetests", run_named,
    decided
    decided_open
    expand_images
    expand_images_none
    find_records
    find_records_differ
    form_group
    full_loops
    full_loops_together
    full_path
    full_path_cut
    grid_loops
    grid_loops_cut
    groups_of_one_ids
    half_width
    half_width_few
    hoist_checks
    hoist_checks_gather
    jam
    jam_one_gang
    lane_by_lane
    lane_by_lane_together
    narrow
    narrow_nothing
    one_quotient
    one_quotient_cut
    private_layout
    private_layout_alone
    separate
    separate_unknown
    sixteen_bits
    sixteen_bits_one_register
    stoppable
    stoppable_never
    stream
    stream_reads
    tallies
    tallies_old_values
    unclamped
    unclamped_cut
    unit_strides
    unit_strides_long
    vectorize
    whole_records
    whole_records_differ
    widen
    widen_one_gang
    windows
    windows_cut
    words
    words_in_order
}

/// Passes for which no file shows that they act. The list must not grow.
const ACT_IN_NO_FILE: &[&str] = &[];
/// Passes for which no file shows that they leave alone what they must. The list must not grow.
const MISS_IN_NO_FILE: &[&str] = &[
    "balance",
    "cells",
    "contract",
    "critical_edges",
    "cse",
    "form_group",
    "idle_loops",
    "known_tables",
    "lane_tables",
    "lcssa",
    "leave_early",
    "licm",
    "postpone",
    "promote",
    "recompute",
    "rows_along",
    "rows_by_fours",
    "rows_one_by_one",
    "same_params",
    "short_counters",
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
