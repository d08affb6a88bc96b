//! The compiler as the rest of the driver sees it: SPIR-V in, machine code out.
//!
//! The way of a kernel: `source` (OpenCL C through clang) → `spirv` (parse) → `environment` (validate) → `lower` (to the IR of `ir`) →
//! `transform` → `vectorize` (work-items to work-group) → `codegen`, a crate each. [`Module`], [`Program`], [`Kernel`] and [`Variant`] are
//! the stops on that way that the rest of the driver sees. [`Module::from_il`] parses and validates; [`link`] makes one [`Program`] of
//! modules, lowers it and finds its kernels; [`Kernel::variant`] compiles what a launch needs, when it first needs it. Knows nothing of
//! OpenCL's objects.

pub mod buffers;
#[cfg(test)]
mod built;
pub mod checked;
pub mod groups;
pub mod kernel;
pub mod local_size;
mod module;
pub mod nd_range;
mod no_wrap;
pub mod pipeline;
pub mod prepared;
mod program;
mod rent;
pub mod unfolded;
mod variants;

pub use analysis::WIDTHS as GANG_WIDTHS;
pub use interface::*;
pub use kernel::{Kernel, OtherGroups, Variant};
pub use module::Module;
pub use program::{Program, link};
pub use target::reproducible;
pub use transform::check;
pub use {codegen, debug, environment, interpret, ir, passes, source, spirv, transform, vectorize};
