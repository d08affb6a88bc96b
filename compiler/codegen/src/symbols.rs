//! What debuggers and profilers are told of machine code: names, and how to walk its frames.
//!
//! Debuggers have an interface for code that is made at run time (GDB manual, "JIT Compilation Interface"): a list of object files in memory, and
//! a function that they stop at when the list changes. `perf` walks kernels by their frame pointers, and reads names from a file.

use super::elf::{self, Symbol};
use device::fork::PerProcess;
use device::lock::Lock;
use std::cell::UnsafeCell;
use std::io::Write;
use std::ptr::{NonNull, null_mut};

/// Code that debuggers know of while this value lives.
#[derive(Debug)]
pub struct Announced {
    entry: NonNull<Entry>,
}

// SAFETY: the entry is this value's own, and what links it to others is changed under the lock.
unsafe impl Send for Announced {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for Announced {}

impl Announced {
    /// Tells debuggers of functions, and of the sections of debugging information that belong to them, by name.
    pub fn new(symbols: &[Symbol], sections: &[(&str, Vec<u8>)]) -> Announced {
        let image = elf::object_file(symbols, sections).into_boxed_slice();
        let entry = Box::new(Entry {
            next: null_mut(),
            previous: null_mut(),
            file: image.as_ptr(),
            file_bytes: image.len() as u64,
            _image: image,
        });
        let entry = NonNull::from(Box::leak(entry));
        change(entry, Action::Register, |list| {
            let next = list.first;
            // SAFETY: the list holds entries that live, and is changed under the lock only.
            unsafe {
                (*entry.as_ptr()).next = next;
                if let Some(next) = next.as_mut() {
                    next.previous = entry.as_ptr();
                }
            }
            list.first = entry.as_ptr();
        });
        Announced { entry }
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        let entry = self.entry.as_ptr();
        change(self.entry, Action::Unregister, |list| {
            // SAFETY: as above.
            let Entry { next, previous, .. } = unsafe { &*entry };
            if list.first == entry {
                list.first = *next;
            }
            // SAFETY: as above.
            unsafe {
                if let Some(previous) = previous.as_mut() {
                    previous.next = *next;
                }
                if let Some(next) = next.as_mut() {
                    next.previous = *previous;
                }
            }
        });
        // SAFETY: made by `new`, out of the list, and dropped once.
        drop(unsafe { Box::from_raw(entry) });
    }
}

/// Changes the list and lets a debugger look at it.
fn change(entry: NonNull<Entry>, action: Action, work: impl FnOnce(&mut List)) {
    static ORDER: PerProcess<Lock<()>> = PerProcess::new(|| Lock::new(()));
    let _order = ORDER.get().lock();
    // SAFETY: the lock is held, and nobody else in this process touches the list; a debugger reads it while the process stands still.
    let list = unsafe { &mut *__jit_debug_descriptor.0.get() };
    work(list);
    list.action = action as u32;
    list.entry = entry.as_ptr();
    __jit_debug_register_code();
    list.action = Action::None as u32;
    list.entry = null_mut();
}

/// `jit_code_entry`, and what it points to.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    file_bytes: u64,
    _image: Box<[u8]>,
}

/// `jit_actions_t`
enum Action {
    None,
    Register,
    Unregister,
}

/// `jit_descriptor`
#[repr(C)]
struct List {
    version: u32,
    action: u32,
    /// What `action` is about.
    entry: *mut Entry,
    first: *mut Entry,
}

#[repr(transparent)]
struct Shared(UnsafeCell<List>);

// SAFETY: see `change`.
unsafe impl Sync for Shared {}

/// Debuggers know the list by its name.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
static __jit_debug_descriptor: Shared = Shared(UnsafeCell::new(List {
    version: 1,
    action: 0,
    entry: null_mut(),
    first: null_mut(),
}));

/// Debuggers stop here, by its name too.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn __jit_debug_register_code() {
    // SAFETY: nothing; but it is not left out, and what was written before is written.
    unsafe { core::arch::asm!("") };
}

/// Tells `perf` what code is where: a line a function in `/tmp/perf-PID.map`.
pub fn write_perf_map(symbols: &[Symbol]) {
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let line = |Symbol { name, addresses }: &Symbol| format!("{:x} {:x} {name}\n", addresses.start, addresses.end - addresses.start);
    let lines: String = symbols.iter().map(line).collect();
    // A profile without names is no reason to fail a launch.
    let _ = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(lines.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_listed(entry: NonNull<Entry>) -> bool {
        let mut found = false;
        change(entry, Action::None, |list| {
            let mut at = list.first;
            // SAFETY: under the lock, as `change` has it.
            while let Some(entry_here) = unsafe { at.as_ref() } {
                found |= at == entry.as_ptr();
                at = entry_here.next;
            }
        });
        found
    }

    #[test]
    fn what_is_announced_is_listed_until_it_is_dropped() {
        let announced: Vec<Announced> = (0..3).map(|_| Announced::new(&[], &[])).collect();
        let entries: Vec<NonNull<Entry>> = announced.iter().map(|one| one.entry).collect();
        assert!(entries.iter().all(|&entry| is_listed(entry)));
        let [first, second, third] = announced.try_into().unwrap_or_else(|_| unreachable!());
        drop(second);
        assert!(is_listed(entries[0]) && is_listed(entries[2]));
        drop(first);
        assert!(is_listed(entries[2]));
        drop(third);
    }
}
