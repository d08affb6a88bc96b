//! Work-items to work-group: gangs of work-items in lock step, and loops over gangs between barriers.
//!
//! [`stages`] says which passes run, and in which order; [`registry`] has a row for each.

pub mod aos_elementwise;
pub mod atomic_privatization;
mod byte_widths;
pub mod calls;
mod control_divergence;
mod flat_ids;
pub mod forward_progress;
pub mod gang_guards;
pub mod gather_coalescing;
pub mod grid_stride_loops;
pub mod group;
pub mod half_width;
mod id_bounds;
pub mod idle_groups;
pub mod interchange_gangs;
pub mod interleaved_access;
pub mod jam;
pub mod masked_store_blending;
pub mod one_lane;
pub mod order;
pub mod private_layout;
pub mod range_folding;
pub mod regions;
pub mod registry;
pub mod rematerialize;
pub mod scalarize_loops;
pub mod stages;
pub mod vectorize;
pub mod versioning;
pub mod widen;
pub mod window_alignment;

mod access_groups;
mod in_order;
mod instructions;
mod lane_index_compare;
mod lookahead;
mod retry;
mod short_lanes;
mod subgroup_ops;

pub use calls::hand_on_builtins;
pub use flat_ids::{Sizes, Unfolded, Work, knows_no_ids, unfold};
pub use forward_progress::spins;
pub use group::{GroupFunction, form_group};
pub use id_bounds::{IdBound, id_bounds};
pub use in_order::{AccessOrder, access_order, in_tiles};
pub use private_layout::interleave;
pub use vectorize::{GangFunction, Unsuited, vectorize};

#[cfg(test)]
mod documentation;
#[cfg(test)]
mod filetests;
#[cfg(test)]
mod tests;
