//! What kernels compute, compared with the same computed here.

mod arithmetic;
mod async_copies;
mod atomics;
mod barriers;
mod calls;
mod clang;
mod columns;
mod control;
mod conversions;
mod early_return;
mod ends;
mod enqueue;
mod exchanged;
mod failing;
mod flat;
mod float8;
mod float_modes;
mod global_ids;
mod grids;
mod integers;
pub mod joint_matrices;
mod joint_matrix_bounds;
mod large;
mod math;
mod matrices;
mod matrix_tiles;
mod neighbours;
mod older_joint_matrices;
mod other_headers;
mod pipes;
mod private;
mod rows;
mod strides;
mod sub_group_products;
mod sub_groups;
mod tables;
mod values;
mod windows;
mod wraps;

/// Whether a test of what clang lacks is to be skipped, which it then says: clang alone is asked (`BROLGA_FRONTEND=clang`).
fn left_to_clang(why: &str) -> bool {
    let left = compiler::source::Frontend::chosen() == compiler::source::Frontend::Clang;
    if left {
        println!("skipped: {why}");
    }
    left
}
