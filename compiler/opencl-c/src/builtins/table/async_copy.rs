//! Asynchronous copies and prefetches (6.15.11), cl_khr_async_work_group_copy_fence and cl_khr_extended_async_copies.

use crate::builtins::row::{ALL, Emit, NUMBERS, Row};
use rspirv::spirv::OpenclStd100Op as StdOp;

const fn row(name: &'static str, signature: &'static str, emit: Emit) -> Row {
    Row::of(name, signature, NUMBERS, ALL, "", emit)
}

const fn rect(name: &'static str, signature: &'static str, dimensions: u8) -> Row {
    Row::new(name, signature, "cl_khr_extended_async_copies", Emit::AsyncCopyRect(dimensions))
}

pub static ROWS: &[Row] = &[
    row(
        "async_work_group_copy",
        "event_t(local gentype*, const global gentype*, size_t, event_t)",
        Emit::AsyncCopy,
    ),
    row(
        "async_work_group_copy",
        "event_t(global gentype*, const local gentype*, size_t, event_t)",
        Emit::AsyncCopy,
    ),
    row(
        "async_work_group_strided_copy",
        "event_t(local gentype*, const global gentype*, size_t, size_t, event_t)",
        Emit::AsyncCopy,
    ),
    row(
        "async_work_group_strided_copy",
        "event_t(global gentype*, const local gentype*, size_t, size_t, event_t)",
        Emit::AsyncCopy,
    ),
    Row::new("wait_group_events", "void(int, any event_t*)", "", Emit::WaitEvents),
    row("prefetch", "void(const global gentype*, size_t)", Emit::Std(StdOp::prefetch)),
    Row::new(
        "async_work_group_copy_fence",
        "void(cl_mem_fence_flags)",
        "cl_khr_async_work_group_copy_fence",
        Emit::CopyFence,
    ),
    rect(
        "async_work_group_copy_2D2D",
        "event_t(local void*, size_t, const global void*, size_t, size_t, size_t, size_t, size_t, size_t, event_t)",
        2,
    ),
    rect(
        "async_work_group_copy_2D2D",
        "event_t(global void*, size_t, const local void*, size_t, size_t, size_t, size_t, size_t, size_t, event_t)",
        2,
    ),
    rect(
        "async_work_group_copy_3D3D",
        "event_t(local void*, size_t, const global void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, event_t)",
        3,
    ),
    rect(
        "async_work_group_copy_3D3D",
        "event_t(global void*, size_t, const local void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, event_t)",
        3,
    ),
];
