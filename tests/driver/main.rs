//! Tests of the whole driver through the system's ICD loader, by theme.

mod attributes;
mod cases;
mod checked;
mod checked_host;
mod checked_pointers;
mod checked_unwritten;
mod conformance;
mod consistency;
mod debugger;
mod drafts;
mod errors;
mod images;
mod kernel;
mod launch;
mod loader;
mod memory;
mod mlir;
mod mlir_kernels;
mod mutated;
mod opencl_c;
mod program;
mod programs;
mod relinked;
mod soak;
mod unified_svm;
mod zig;
