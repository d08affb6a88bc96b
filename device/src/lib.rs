//! The machine: its capabilities, cores and affinity, the worker pool, work-group execution, memory, printf and clocks.
//!
//! Knows nothing of OpenCL's objects nor of SPIR-V: it runs [`abi::KernelEntry`]s over ranges of work-groups.

pub mod abi;
mod arena;
mod arrivals;
mod atomic;
mod attention;
pub mod blocks;
mod call;
pub mod clock;
pub mod cost;
pub mod enqueue;
mod enter;
pub mod features;
pub mod fence;
pub mod findings;
mod floats;
pub mod fork;
pub mod image;
mod job;
pub mod launch;
mod lead;
pub mod live;
pub mod lock;
pub mod machine;
pub mod memory;
mod os;
pub mod pipe;
mod plan;
pub mod pool;
pub mod printf;
mod seat;
mod sleeper;
mod stack;
pub mod trace;
pub mod uuid;

pub use os::{cgroup, child, code, fault, files, pages, process, threads, virtual_memory};
