//! Commands that access the same memory, one of them writing, though nothing orders them (the check `host`).
//!
//! What is looked at is what the specification promises, not when commands happened to run. A command is behind another if both are in one in-order
//! queue, if its wait list, or a barrier or marker, leads there, or if the host had seen the other end before it enqueued this one: by a wait, a
//! blocking command, a query, a callback. What waits for something that the host ends itself (a user event, a semaphore) may be behind anything.

use crate::context::Context;
use crate::kernel::Kernel;
use crate::memory::Memory;
use ::device::fault::Object;
use ::device::fork::PerProcess;
use ::device::lock::Lock;
use compiler::checked::{asked_for, end, tell_once};
use compiler::{ArgumentKind, Checks};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Weak};

/// So many commands that the host has not seen end are compared with a new one.
const MOST: usize = 256;

/// Memory that a command accesses.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Its object. Where that is gone, others may have its addresses.
    object: Weak<Memory>,
    addresses: Range<usize>,
    writes: bool,
    /// What the command knows it as.
    name: String,
}

impl Touch {
    /// A range of addresses in an object.
    pub fn new(object: &Arc<Memory>, addresses: Range<usize>, writes: bool, name: String) -> Touch {
        let object = Arc::downgrade(object);
        Touch {
            object,
            addresses,
            writes,
            name,
        }
    }

    /// The bytes that two share, if that is a fault.
    fn clash(&self, other: &Touch) -> Option<usize> {
        let (one, two) = (&self.addresses, &other.addresses);
        let bytes = one.end.min(two.end).saturating_sub(one.start.max(two.start));
        (bytes > 0 && (self.writes || other.writes) && other.object.strong_count() > 0).then_some(bytes)
    }
}

/// A command that is enqueued, as far as its order goes.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Its queue's number, and whether that is in order.
    pub queue: (u64, bool),
    /// What it is.
    pub name: String,
    /// Numbers of the commands in its wait list; none for an event of the host's own.
    pub wait_list: Vec<Option<u64>>,
    /// It waits for all commands of its queue.
    pub after_all: bool,
    /// All later commands of its queue wait for it.
    pub barrier: bool,
    /// What it accesses.
    pub touches: &'a [Touch],
}

#[derive(Debug)]
struct Command {
    number: u64,
    queue: u64,
    name: String,
    touches: Vec<Touch>,
    /// The commands that have ended before it begins.
    after: BTreeSet<u64>,
}

/// The commands that the host has not seen end.
#[derive(Debug, Default)]
struct Commands {
    list: VecDeque<Command>,
    /// Of each queue, the command that its next one is behind.
    last: BTreeMap<u64, u64>,
    made: u64,
}

impl Commands {
    /// The commands that are over when one is.
    fn with_those_before(&self, number: u64, all: &mut BTreeSet<u64>) {
        all.insert(number);
        if let Some(command) = self.list.iter().find(|command| command.number == number) {
            all.extend(&command.after);
        }
    }

    /// Takes in a command. Returns its number, and what is wrong with it.
    fn enqueue(&mut self, entry: &Entry) -> (u64, Vec<String>) {
        let (queue, in_order) = entry.queue;
        let mut after = BTreeSet::new();
        if let Some(&last) = self.last.get(&queue) {
            self.with_those_before(last, &mut after);
        }
        for number in entry.wait_list.iter().flatten() {
            self.with_those_before(*number, &mut after);
        }
        let by_the_host = entry.wait_list.contains(&None);
        for command in &self.list {
            if by_the_host || entry.after_all && command.queue == queue {
                after.insert(command.number);
                after.extend(&command.after);
            }
        }
        let faults = self.list.iter().filter(|command| !after.contains(&command.number));
        let faults = faults.filter_map(|command| clash(command, entry)).collect();
        self.made += 1;
        if in_order || entry.barrier {
            self.last.insert(queue, self.made);
        }
        if self.list.len() == MOST {
            self.list.pop_front();
        }
        if let Some(first) = self.list.front() {
            after.retain(|&number| number >= first.number);
        }
        self.list.push_back(Command {
            number: self.made,
            queue,
            name: entry.name.clone(),
            touches: entry.touches.to_vec(),
            after,
        });
        (self.made, faults)
    }

    /// The host has seen commands end.
    fn over(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let mut all = BTreeSet::new();
        numbers.into_iter().for_each(|number| self.with_those_before(number, &mut all));
        self.list.retain(|command| !all.contains(&command.number));
    }
}

/// What is told of two commands that share memory.
fn clash(earlier: &Command, later: &Entry) -> Option<String> {
    let pairs = earlier
        .touches
        .iter()
        .flat_map(|one| later.touches.iter().map(move |other| (one, other)));
    let (one, other, bytes) = pairs.filter_map(|(one, other)| Some((one, other, other.clash(one)?))).next()?;
    let does = |touch: &Touch| format!("{} {}", if touch.writes { "writes" } else { "reads" }, touch.name);
    Some(format!(
        "{} {} and {} {}: they share {bytes} bytes, and no event, barrier or wait orders the two commands",
        earlier.name,
        does(one),
        later.name,
        does(other)
    ))
}

static COMMANDS: PerProcess<Lock<Commands>> = PerProcess::new(Lock::default);

/// Whether the order of commands is looked at.
pub fn wanted() -> bool {
    asked_for().is_ok_and(|checks| checks.contains(Checks::HOST))
}

/// Looks at a command that is enqueued. Returns its number.
pub fn enqueue(context: &Context, entry: &Entry) -> u64 {
    let (number, faults) = COMMANDS.get().lock().enqueue(entry);
    for fault in &faults {
        context.report(fault);
        tell_once(fault, &format!("brolga check: {fault}\n"));
    }
    if !faults.is_empty() {
        end();
    }
    number
}

/// The host has seen a command end, and with it all that come before it.
pub fn seen(number: u64) {
    COMMANDS.get().lock().over([number]);
}

/// The host has seen all commands of a queue end.
pub fn seen_queue(queue: u64) {
    let mut commands = COMMANDS.get().lock();
    let all: Vec<u64> = commands
        .list
        .iter()
        .filter(|command| command.queue == queue)
        .map(|command| command.number)
        .collect();
    commands.over(all);
}

/// What a kernel accesses, by its arguments.
pub fn of_launch(kernel: &Kernel, objects: &[Object], memory: &[Arc<Memory>]) -> Vec<Touch> {
    let known = objects.iter().filter(|object| object.bytes > 0);
    let touches = known.filter_map(|object| {
        let info = &kernel.info().arguments[object.argument as usize];
        let writes = match info.kind {
            ArgumentKind::GlobalPointer { constant } => !constant && !info.is_only_read,
            ArgumentKind::Image { write, .. } => write,
            _ => return None,
        };
        let memory = memory.iter().find(|memory| memory.address().number() == object.start)?;
        let addresses = object.start..object.start + object.bytes;
        Some(Touch::new(memory, addresses, writes, super::host::name(kernel, object.argument)))
    });
    touches.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(queue: u64, in_order: bool, wait_list: &[Option<u64>]) -> Entry<'static> {
        Entry {
            queue: (queue, in_order),
            name: String::new(),
            wait_list: wait_list.to_vec(),
            after_all: false,
            barrier: false,
            touches: &[],
        }
    }

    fn before(commands: &Commands, number: u64) -> Vec<u64> {
        let command = commands.list.iter().find(|command| command.number == number);
        command.map_or(Vec::new(), |command| command.after.iter().copied().collect())
    }

    #[test]
    fn queues_wait_lists_and_barriers_order_commands() {
        let mut commands = Commands::default();
        for (queue, in_order, wait_list, expected) in [
            (1, true, &[][..], &[][..]),
            (1, true, &[], &[1]),
            (2, false, &[], &[]),
            (2, false, &[Some(2)], &[1, 2]),
            (2, false, &[Some(4)], &[1, 2, 4]),
            (3, true, &[None], &[1, 2, 3, 4, 5]),
        ] {
            let (number, _) = commands.enqueue(&entry(queue, in_order, wait_list));
            assert_eq!(before(&commands, number), expected, "of command {number}");
        }
        let barrier = Entry {
            after_all: true,
            barrier: true,
            ..entry(2, false, &[])
        };
        let (barrier, _) = commands.enqueue(&barrier);
        assert_eq!(before(&commands, barrier), [1, 2, 3, 4, 5]);
        let (behind, _) = commands.enqueue(&entry(2, false, &[]));
        assert_eq!(before(&commands, behind), [1, 2, 3, 4, 5, barrier]);
    }

    #[test]
    fn what_the_host_has_seen_end_is_over_with_all_before_it() {
        let mut commands = Commands::default();
        for (queue, wait_list) in [(1, &[][..]), (1, &[]), (2, &[Some(1)]), (3, &[])] {
            commands.enqueue(&entry(queue, true, wait_list));
        }
        commands.over([3]);
        let left: Vec<u64> = commands.list.iter().map(|command| command.number).collect();
        assert_eq!(left, [2, 4]);
    }
}
