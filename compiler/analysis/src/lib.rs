//! What is known of a function at the work-item level under a launch: one analysis, one file. Analyses change nothing.

pub mod access;
mod analyses;
pub mod bits;
pub mod counted;
mod facts;
pub mod first_lane;
mod group_order;
pub mod guards;
pub mod latency;
pub mod linear;
pub mod no_wrap;
pub mod products;
pub mod recurrence;
pub mod registers;
mod rounds;
mod shape;
pub mod tallies;
pub mod throughput;
pub mod trends;
pub mod uniformity;

pub use analyses::{Analyses, Analysis, AnalysisSet, Flow};
pub use facts::GangFacts;
pub use group_order::depends_on_group_order;
pub use shape::{GangShape, Layout, WIDTHS, gang_shape};
