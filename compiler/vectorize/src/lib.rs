//! Work-items to work-group: gangs of work-items in lock step, and loops over gangs between barriers.
//!
//! [`stages`] says which passes run, and in which order; [`registry`] has a row for each.

mod apart;
mod behind;
pub mod calls;
pub mod decided;
pub mod full_loops;
pub mod full_path;
pub mod grid_loops;
pub mod group;
pub mod half_width;
pub mod hoist_checks;
pub mod jam;
pub mod lane_by_lane;
pub mod narrow;
mod naturals;
pub mod one_quotient;
pub mod order;
pub mod owned;
pub mod private_layout;
pub mod records;
mod recurrence;
pub mod regions;
pub mod registry;
pub mod sink;
pub mod sixteen_bits;
pub mod spin;
pub mod stages;
pub mod tallies;
pub mod together;
pub mod unclamped;
pub mod vectorize;
pub mod whole_records;
pub mod widen;
pub mod words;

mod across;
mod alike;
mod edges;
mod in_order;
mod instructions;
mod retry;

pub use calls::hand_on_builtins;
pub use group::{GroupFunction, form_group};
pub use in_order::{AccessOrder, access_order_along, reads_id};
pub use private_layout::interleave;
pub use spin::spins;
pub use vectorize::{GangFunction, Unsuited, vectorize};

#[cfg(test)]
mod documentation;
#[cfg(test)]
mod filetests;
#[cfg(test)]
mod tests;
