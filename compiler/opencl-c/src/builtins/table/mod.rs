//! The rows, by theme. Section numbers are those of the OpenCL C specification, version 3.0.

mod async_copy;
mod atomics;
mod groups;
mod images;
mod integer;
mod intel;
mod math;
mod memory;
mod misc;
mod relational;
mod sub_groups;
mod work_items;

use super::row::Row;

pub(super) static ALL: &[&[Row]] = &[
    work_items::ROWS,
    math::ROWS,
    math::FAST,
    integer::ROWS,
    integer::EXTENDED,
    relational::ROWS,
    memory::ROWS,
    memory::SHUFFLES,
    async_copy::ROWS,
    atomics::FENCES,
    atomics::C1X,
    atomics::C11,
    images::ROWS,
    images::MIPMAPS,
    groups::ROWS,
    sub_groups::ROWS,
    sub_groups::KHR,
    intel::ROWS,
    misc::ROWS,
];

/// A row for an instruction of OpenCL.std that is called what the function is called.
macro_rules! std_row {
    ($signature:literal, $bases:expr, $lanes:expr; $name:ident) => {
        crate::builtins::row::Row::of(
            stringify!($name),
            $signature,
            $bases,
            $lanes,
            "",
            crate::builtins::row::Emit::Std(rspirv::spirv::OpenclStd100Op::$name),
        )
    };
}

use std_row;
