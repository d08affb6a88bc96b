//! What the host does wrong around launches (the check `host`) or could do better (`lanes`), and what it leaves behind at exit (`leaks`).
//!
//! This is told when a kernel is enqueued, as kernels' own faults are, and fails no event: the kernel does what it was asked for.

use crate::handle::{self, Kind};
use crate::kernel::{Arguments, Kernel, Value};
use crate::memory::Memory;
use ::device::fault::Object;
use compiler::checked::{asked_for, end, tell_once};
use compiler::{ArgumentKind, Checks};
use std::fmt::Write as _;
use std::sync::Arc;

/// Looks at the arguments of a kernel that is enqueued: `objects` is what they lead to, `memory` the memory objects among them.
pub fn look(kernel: &Kernel, objects: &[Object], memory: &[Arc<Memory>]) {
    if !kernel.code.checks().contains(Checks::HOST) {
        return;
    }
    let mut faults = overlaps(kernel, objects);
    for memory in memory {
        if memory.mappings.lock().iter().any(|mapping| mapping.writes) {
            let start = memory.address().number();
            let argument = objects.iter().find(|object| object.start == start);
            let name = argument.map_or("an argument".to_owned(), |object| name(kernel, object.argument));
            faults.push(format!("{name} is mapped for writing when the kernel is enqueued"));
        }
    }
    for fault in &faults {
        tell(kernel, fault);
    }
    if !faults.is_empty() {
        end();
    }
}

/// Tells which arguments of a kernel that is enqueued were never set.
pub fn look_at_unset(kernel: &Kernel, arguments: &Arguments) {
    if !kernel.code.checks().contains(Checks::HOST) {
        return;
    }
    for (number, value) in arguments.values.iter().enumerate() {
        if matches!(value, Value::Unset) {
            tell(kernel, &format!("{} was never set", name(kernel, number as u32)));
        }
    }
    end();
}

fn tell(kernel: &Kernel, fault: &str) {
    let sentence = format!("kernel '{}': {fault}", kernel.info().name);
    kernel.context().report(&sentence);
    tell_once(&sentence, &format!("brolga check: {sentence}\n"));
}

/// Tells of work-groups that leave a quarter of the lanes idle that run them. (It slows a kernel down, and is no fault that ends anything.)
pub fn look_at_lanes(kernel: &Kernel, local: [u64; 3], width: u32) {
    if !kernel.code.checks().contains(Checks::LANES) || !kernel.code.keeps_groups() {
        return;
    }
    let items: u64 = local.iter().product();
    let lanes = items.next_multiple_of(width.into());
    let idle = lanes - items;
    if idle * 4 >= lanes {
        let groups = format!("work-groups of {items} work-items leave {idle} of {lanes} lanes idle");
        tell(
            kernel,
            &format!("{groups}: gangs have {width} lanes, which multiples of {width} fill"),
        );
    }
}

/// An argument, as it is told of.
pub fn name(kernel: &Kernel, argument: u32) -> String {
    let name = &kernel.info().arguments[argument as usize].name;
    match name.is_empty() {
        true => format!("argument {argument}"),
        false => format!("argument {argument} '{name}'"),
    }
}

/// Arguments that share memory, though one of them is `restrict` and one is written through.
fn overlaps(kernel: &Kernel, objects: &[Object]) -> Vec<String> {
    let arguments = &kernel.info().arguments;
    let buffers = objects
        .iter()
        .filter(|object| matches!(arguments[object.argument as usize].kind, ArgumentKind::GlobalPointer { .. }));
    let buffers: Vec<&Object> = buffers.collect();
    let mut faults = Vec::new();
    for (position, one) in buffers.iter().enumerate() {
        for other in &buffers[position + 1..] {
            let infos = [one, other].map(|object| &arguments[object.argument as usize]);
            let promised = infos.iter().find(|info| info.qualifiers.is_restrict);
            let shared = one.start < other.start + other.bytes && other.start < one.start + one.bytes;
            if let (true, Some(promised)) = (shared, promised)
                && !infos.iter().all(|info| info.is_only_read)
            {
                faults.push(format!(
                    "{} and {} share memory, though '{}' is restrict and one of the two is written",
                    name(kernel, one.argument),
                    name(kernel, other.argument),
                    promised.name
                ));
            }
        }
    }
    faults
}

/// Tells of objects that the application still holds when the process ends, where that was asked for.
pub fn at_exit() {
    let wanted = asked_for().is_ok_and(|checks| checks.contains(Checks::LEAKS));
    if !wanted {
        return;
    }
    let kinds = [
        (Kind::Context, "contexts"),
        (Kind::Queue, "command-queues"),
        (Kind::DeviceQueue, "on-device queues"),
        (Kind::Memory, "memory objects"),
        (Kind::Program, "programs"),
        (Kind::Kernel, "kernels"),
        (Kind::Event, "events"),
        (Kind::Sampler, "samplers"),
        (Kind::Semaphore, "semaphores"),
        (Kind::CommandBuffer, "command-buffers"),
    ];
    let mut text = String::new();
    for (kind, name) in kinds {
        let count = handle::held(kind);
        if count > 0 {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{name}: {count}");
        }
    }
    if !text.is_empty() {
        tell_once("leaks", &format!("brolga check: never released at exit: {text}\n"));
    }
}
