//! The extension registry: what the OpenCL and SPIR-V environments of this device are made of, as data.
//!
//! A [`Row`] is an extension, or a core feature that a device may lack. Whatever the driver reports or accepts is a function of the rows that are
//! enabled ([`Registry`]): extension strings, feature macros, device queries, function addresses, clang's options, SPIR-V extensions,
//! capabilities and instruction sets. There is no other place to write such a thing down, so nothing can be reported and refused, or accepted
//! and not reported.

mod core;
mod ext;
mod intel;
mod khr;
pub mod limits;
pub mod matrices;
mod registry;
mod row;
pub mod sub_group_products;
pub mod variables;

pub use registry::{REQUIRED_BY_3_1, Registry, supported};
pub use row::{AtomicCapabilities, Features, FloatAtomics, Names, Row, Svm, Version, version};

/// Every row, enabled or not: core features first, then extensions by vendor.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let tables = [core::ROWS].into_iter().chain(khr::ROWS).chain([ext::ROWS, intel::ROWS]);
    tables.flat_map(|rows| rows.iter().copied())
}
