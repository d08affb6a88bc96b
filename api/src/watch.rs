//! A view of the driver at work for people: `BROLGA_DEBUG=api,launch` tells of calls and launches on stderr as they end, `BROLGA_TRACE=FILE`
//! leaves spans of calls, commands, kernels and compilations (`device::trace`).

use crate::cl::*;
use crate::error;
use ::device::clock;
use ::device::trace::{self, Row, Span};
use compiler::debug;
use core::cell::Cell;
use std::fmt::Display;

/// The time, if somebody wants to know about calls of entry points.
pub fn begin_call() -> Option<u64> {
    (trace::enabled() || debug::wants("api")).then(clock::now)
}

/// An entry point is about to return.
pub fn call(name: &str, began: u64, code: cl_int) {
    let ended = clock::now();
    if debug::wants("api") {
        debug::say("api", began, ended, format_args!("{name}: {}", error::name(code)));
    }
    trace::write(&Span {
        row: Row::Thread,
        category: "api",
        name,
        began,
        ended,
        arguments: &[],
    });
}

/// The time, if somebody wants to know about launches.
pub fn begin_launch() -> Option<u64> {
    (trace::enabled() || debug::wants("launch")).then(clock::now)
}

std::thread_local! {
    /// The kernel that the command which runs on this thread has run, for [`command`].
    static KERNEL: Cell<Option<String>> = const { Cell::new(None) };
}

/// A launch has ended.
pub fn launch(kernel: &str, global: [u64; 3], local: [u64; 3], began: u64, end: impl Display) {
    let ended = clock::now();
    if debug::wants("launch") {
        debug::say(
            "launch",
            began,
            ended,
            format_args!("{kernel}: {global:?} work-items in groups of {local:?}: {end}"),
        );
    }
    let items = global.iter().fold(1, |items: u64, &size| items.saturating_mul(size));
    let arguments = [("work-items", items), ("group", local.iter().product())];
    trace::write(&Span {
        row: Row::Thread,
        category: "kernel",
        name: kernel,
        began,
        ended,
        arguments: &arguments,
    });
    if trace::enabled() {
        KERNEL.set(Some(kernel.into()));
    }
}

/// A queue's command, which ran on this thread, has ended.
pub fn command(queue: Row, command: cl_command_type, began: u64, ended: u64) {
    let launches = matches!(command, CL_COMMAND_NDRANGE_KERNEL | CL_COMMAND_TASK);
    let kernel = KERNEL.take().filter(|_| launches);
    trace::write(&Span {
        row: queue,
        category: "command",
        name: kernel.as_deref().unwrap_or_else(|| command_name(command)),
        began,
        ended,
        arguments: &[],
    });
}

/// What a command does, in a word or two.
pub fn command_name(command: cl_command_type) -> &'static str {
    match command {
        CL_COMMAND_NDRANGE_KERNEL => "kernel",
        CL_COMMAND_TASK => "task",
        CL_COMMAND_NATIVE_KERNEL => "native kernel",
        CL_COMMAND_READ_BUFFER => "read buffer",
        CL_COMMAND_WRITE_BUFFER => "write buffer",
        CL_COMMAND_COPY_BUFFER => "copy buffer",
        CL_COMMAND_READ_BUFFER_RECT => "read buffer rect",
        CL_COMMAND_WRITE_BUFFER_RECT => "write buffer rect",
        CL_COMMAND_COPY_BUFFER_RECT => "copy buffer rect",
        CL_COMMAND_FILL_BUFFER => "fill buffer",
        CL_COMMAND_READ_IMAGE => "read image",
        CL_COMMAND_WRITE_IMAGE => "write image",
        CL_COMMAND_COPY_IMAGE => "copy image",
        CL_COMMAND_COPY_IMAGE_TO_BUFFER => "copy image to buffer",
        CL_COMMAND_COPY_BUFFER_TO_IMAGE => "copy buffer to image",
        CL_COMMAND_FILL_IMAGE => "fill image",
        CL_COMMAND_MAP_BUFFER => "map buffer",
        CL_COMMAND_MAP_IMAGE => "map image",
        CL_COMMAND_UNMAP_MEM_OBJECT => "unmap",
        CL_COMMAND_MIGRATE_MEM_OBJECTS => "migrate",
        CL_COMMAND_MARKER => "marker",
        CL_COMMAND_BARRIER => "barrier",
        CL_COMMAND_SVM_FREE => "SVM free",
        CL_COMMAND_SVM_MEMCPY | CL_COMMAND_MEMCPY_INTEL => "memcpy",
        CL_COMMAND_SVM_MEMFILL | CL_COMMAND_MEMFILL_INTEL => "memfill",
        CL_COMMAND_SVM_MAP => "SVM map",
        CL_COMMAND_SVM_UNMAP => "SVM unmap",
        CL_COMMAND_COMMAND_BUFFER_KHR => "command-buffer",
        CL_COMMAND_SEMAPHORE_WAIT_KHR => "wait for semaphores",
        CL_COMMAND_SEMAPHORE_SIGNAL_KHR => "signal semaphores",
        _ => "command",
    }
}
