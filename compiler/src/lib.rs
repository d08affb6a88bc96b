//! SPIR-V in, machine code out.
//!
//! The way of a kernel: `source` (OpenCL C through clang) → `spirv` (parse) → `environment` (validate) → `lower` (to the IR of `ir`) →
//! `passes` → `gangs` (work-items to work-group) → `codegen`. [`Module`], [`Program`], [`Kernel`] and [`Variant`] are the stops on that way
//! that the rest of the driver sees. Knows nothing of OpenCL's objects.

pub mod builtins;
pub mod cache;
pub mod codegen;
pub mod debug;
pub mod environment;
pub mod facade;
pub mod form;
pub mod gangs;
pub mod interpret;
pub mod ir;
pub mod kernel;
pub mod lower;
pub mod passes;
pub mod program;
pub mod source;
pub mod spirv;

pub use facade::*;
pub use kernel::{Kernel, OtherGroups, Variant};
pub use program::{Program, link};
