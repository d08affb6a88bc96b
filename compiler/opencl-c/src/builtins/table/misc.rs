//! printf (6.15.14), address spaces (6.15.10), pipes (6.15.17), clocks, and what kernels enqueue (6.15.18).

use crate::builtins::row::{Emit, Group, Row};
use rspirv::spirv::Op;

const PIPES: &str = "2.0 & __opencl_c_pipes";
const PIPES_SUB: &str = "2.0 & __opencl_c_pipes & sub_groups";

const fn space(name: &'static str, signature: &'static str) -> Row {
    Row::new(name, signature, "generic", Emit::ToSpace)
}

const fn pipe(name: &'static str, signature: &'static str, op: Op, group: Option<Group>) -> Row {
    let when = if let Some(Group::Sub) = group { PIPES_SUB } else { PIPES };
    Row::new(name, signature, when, Emit::Pipe(op, group))
}

const fn clock(name: &'static str, signature: &'static str, when: &'static str, scope: Group, parts: bool) -> Row {
    Row::new(name, signature, when, Emit::Clock { scope, parts })
}

const CLOCK_DEVICE: &str = "cl_khr_kernel_clock & __opencl_c_kernel_clock_scope_device";
const CLOCK_WORK: &str = "cl_khr_kernel_clock & __opencl_c_kernel_clock_scope_work_group";
const CLOCK_SUB: &str = "cl_khr_kernel_clock & __opencl_c_kernel_clock_scope_sub_group";

/// What only a device that enqueues kernels itself can do.
const fn enqueue(name: &'static str, signature: &'static str, emit: Emit) -> Row {
    Row::new(name, signature, "2.0 & __opencl_c_device_enqueue", emit)
}

const WORK: Option<Group> = Some(Group::Work);
const SUB: Option<Group> = Some(Group::Sub);

pub static ROWS: &[Row] = &[
    Row::new("printf", "int(const constant char*, ...)", "1.2", Emit::Printf),
    space("to_global", "global void*(const generic void*)"),
    space("to_local", "local void*(const generic void*)"),
    space("to_private", "private void*(const generic void*)"),
    Row::new("get_fence", "cl_mem_fence_flags(const generic void*)", "generic", Emit::GetFence),
    pipe("read_pipe", "int(rpipe, gen void*)", Op::ReadPipe, None),
    pipe("read_pipe", "int(rpipe, reserve_id_t, uint, gen void*)", Op::ReservedReadPipe, None),
    pipe("write_pipe", "int(wpipe, const gen void*)", Op::WritePipe, None),
    pipe(
        "write_pipe",
        "int(wpipe, reserve_id_t, uint, const gen void*)",
        Op::ReservedWritePipe,
        None,
    ),
    pipe("reserve_read_pipe", "reserve_id_t(rpipe, uint)", Op::ReserveReadPipePackets, None),
    pipe("reserve_write_pipe", "reserve_id_t(wpipe, uint)", Op::ReserveWritePipePackets, None),
    pipe("commit_read_pipe", "void(rpipe, reserve_id_t)", Op::CommitReadPipe, None),
    pipe("commit_write_pipe", "void(wpipe, reserve_id_t)", Op::CommitWritePipe, None),
    pipe("is_valid_reserve_id", "bool(reserve_id_t)", Op::IsValidReserveId, None),
    pipe(
        "work_group_reserve_read_pipe",
        "reserve_id_t(rpipe, uint)",
        Op::GroupReserveReadPipePackets,
        WORK,
    ),
    pipe(
        "work_group_reserve_write_pipe",
        "reserve_id_t(wpipe, uint)",
        Op::GroupReserveWritePipePackets,
        WORK,
    ),
    pipe(
        "work_group_commit_read_pipe",
        "void(rpipe, reserve_id_t)",
        Op::GroupCommitReadPipe,
        WORK,
    ),
    pipe(
        "work_group_commit_write_pipe",
        "void(wpipe, reserve_id_t)",
        Op::GroupCommitWritePipe,
        WORK,
    ),
    pipe(
        "sub_group_reserve_read_pipe",
        "reserve_id_t(rpipe, uint)",
        Op::GroupReserveReadPipePackets,
        SUB,
    ),
    pipe(
        "sub_group_reserve_write_pipe",
        "reserve_id_t(wpipe, uint)",
        Op::GroupReserveWritePipePackets,
        SUB,
    ),
    pipe(
        "sub_group_commit_read_pipe",
        "void(rpipe, reserve_id_t)",
        Op::GroupCommitReadPipe,
        SUB,
    ),
    pipe(
        "sub_group_commit_write_pipe",
        "void(wpipe, reserve_id_t)",
        Op::GroupCommitWritePipe,
        SUB,
    ),
    pipe("get_pipe_num_packets", "uint(rpipe)", Op::GetNumPipePackets, None),
    pipe("get_pipe_num_packets", "uint(wpipe)", Op::GetNumPipePackets, None),
    pipe("get_pipe_max_packets", "uint(rpipe)", Op::GetMaxPipePackets, None),
    pipe("get_pipe_max_packets", "uint(wpipe)", Op::GetMaxPipePackets, None),
    Row::new("__brolga_null_reserve_id", "reserve_id_t()", PIPES, Emit::Op(Op::ConstantNull)),
    clock("clock_read_device", "ulong()", CLOCK_DEVICE, Group::Device, false),
    clock("clock_read_work_group", "ulong()", CLOCK_WORK, Group::Work, false),
    clock("clock_read_sub_group", "ulong()", CLOCK_SUB, Group::Sub, false),
    clock("clock_read_hilo_device", "uint2()", CLOCK_DEVICE, Group::Device, true),
    clock("clock_read_hilo_work_group", "uint2()", CLOCK_WORK, Group::Work, true),
    clock("clock_read_hilo_sub_group", "uint2()", CLOCK_SUB, Group::Sub, true),
    enqueue(
        "enqueue_kernel",
        "int(queue_t, kernel_enqueue_flags_t, ndrange_t, ...)",
        Emit::Enqueue(Op::EnqueueKernel),
    ),
    enqueue(
        "enqueue_marker",
        "int(queue_t, uint, const gen clk_event_t*, gen clk_event_t*)",
        Emit::Device(Op::EnqueueMarker),
    ),
    enqueue("get_default_queue", "queue_t()", Emit::Device(Op::GetDefaultQueue)),
    enqueue("create_user_event", "clk_event_t()", Emit::Device(Op::CreateUserEvent)),
    enqueue("retain_event", "void(clk_event_t)", Emit::Device(Op::RetainEvent)),
    enqueue("release_event", "void(clk_event_t)", Emit::Device(Op::ReleaseEvent)),
    enqueue("is_valid_event", "bool(clk_event_t)", Emit::Device(Op::IsValidEvent)),
    enqueue(
        "set_user_event_status",
        "void(clk_event_t, int)",
        Emit::Device(Op::SetUserEventStatus),
    ),
    enqueue(
        "capture_event_profiling_info",
        "void(clk_event_t, clk_profiling_info, global void*)",
        Emit::Device(Op::CaptureEventProfilingInfo),
    ),
    enqueue("ndrange_1D", "ndrange_t(size_t)", Emit::NdRange(1)),
    enqueue("ndrange_1D", "ndrange_t(size_t, size_t)", Emit::NdRange(1)),
    enqueue("ndrange_1D", "ndrange_t(size_t, size_t, size_t)", Emit::NdRange(1)),
    enqueue("ndrange_2D", "ndrange_t(const gen size_t*)", Emit::NdRange(2)),
    enqueue("ndrange_2D", "ndrange_t(const gen size_t*, const gen size_t*)", Emit::NdRange(2)),
    enqueue(
        "ndrange_2D",
        "ndrange_t(const gen size_t*, const gen size_t*, const gen size_t*)",
        Emit::NdRange(2),
    ),
    enqueue("ndrange_3D", "ndrange_t(const gen size_t*)", Emit::NdRange(3)),
    enqueue("ndrange_3D", "ndrange_t(const gen size_t*, const gen size_t*)", Emit::NdRange(3)),
    enqueue(
        "ndrange_3D",
        "ndrange_t(const gen size_t*, const gen size_t*, const gen size_t*)",
        Emit::NdRange(3),
    ),
    enqueue("get_kernel_work_group_size", "uint(...)", Emit::Enqueue(Op::GetKernelWorkGroupSize)),
    enqueue(
        "get_kernel_preferred_work_group_size_multiple",
        "uint(...)",
        Emit::Enqueue(Op::GetKernelPreferredWorkGroupSizeMultiple),
    ),
    enqueue(
        "get_kernel_sub_group_count_for_ndrange",
        "uint(ndrange_t, ...)",
        Emit::Enqueue(Op::GetKernelNDrangeSubGroupCount),
    ),
    enqueue(
        "get_kernel_max_sub_group_size_for_ndrange",
        "uint(ndrange_t, ...)",
        Emit::Enqueue(Op::GetKernelNDrangeMaxSubGroupSize),
    ),
];
