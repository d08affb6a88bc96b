//! What a pass is, and what runs passes: rows, lists, the runner.
//!
//! A [`Pass`] is a row: a name, the functions that it takes, a function pointer, what it is for. The rows are where the passes are: `transform` has
//! those over work-items' and work-groups' functions, `vectorize` those in between. A list of [`Step`]s says which of them run, in which order and
//! under which conditions. [`run`] takes a function through a list; around each pass it times, verifies, and does what [`Settings`] say.

mod context;
pub mod filetest;
mod manager;
mod order;
mod pass;
mod plan;
pub mod script;

pub use context::{Context, Gang};
pub use manager::{Settings, run_pass};
pub use order::{Condition, Step, run};
pub use pass::{Level, Pass, Run};
pub use plan::Plan;
