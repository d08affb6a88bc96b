//! The machine: its capabilities, cores and affinity, the worker pool, work-group execution, memory, printf and clocks.
//!
//! Knows nothing of OpenCL's objects nor of SPIR-V: it runs [`abi::KernelEntry`]s over ranges of work-groups.

pub mod abi;
