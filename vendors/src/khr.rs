//! Khronos's extensions, by what they are about.

mod api;
mod images;
mod kernels;
mod numbers;
mod spirv;
mod sub_groups;

use crate::row::Row;

/// In the order in which they are reported.
pub(crate) static ROWS: [&[&Row]; 6] = [numbers::ROWS, sub_groups::ROWS, kernels::ROWS, images::ROWS, spirv::ROWS, api::ROWS];
