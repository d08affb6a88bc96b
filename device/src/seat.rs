//! What a thread needs to run kernel code: its worker record, stack and arena. Kept for the thread's next launch.

use crate::abi::{Found, WorkerRecord};
use crate::arena::Arena;
use crate::enqueue::Family;
use crate::findings::Findings;
use crate::stack::Stack;
use std::cell::Cell;
use std::ptr;

/// A thread's place at a launch.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Seat {
    /// First, so that the runtime's functions find the seat from the record that generated code hands them.
    pub(crate) record: WorkerRecord,
    pub(crate) stack: Stack,
    pub(crate) arena: Arena,
    /// What the running groups have printed.
    pub(crate) printed: Vec<u8>,
    /// What checks have found in the running groups.
    pub(crate) found: Findings,
    /// The family of the launch whose groups are running, if it has one.
    pub(crate) family: *const Family<'static>,
    /// What the running groups have asked the family to launch.
    pub(crate) asked: Vec<u64>,
}

impl Default for Seat {
    fn default() -> Seat {
        Seat {
            record: WorkerRecord {
                local_memory: ptr::null_mut(),
                private_memory: ptr::null_mut(),
                arena_end: ptr::null_mut(),
                scratch: ptr::null_mut(),
                index: 0,
                trap: 0,
                trap_item: [0; 3],
                frame: 0,
                readable: Found::default(),
                writable: Found::default(),
            },
            stack: Stack::default(),
            arena: Arena::default(),
            printed: Vec::new(),
            found: Findings::new(),
            family: ptr::null(),
            asked: Vec::new(),
        }
    }
}

thread_local! {
    static SEAT: Cell<Option<Box<Seat>>> = const { Cell::new(None) };
}

/// Calls `f` with the calling thread's seat (with a fresh one when the thread is ending, or when its seat is taken).
pub(crate) fn with_seat<R>(f: impl FnOnce(&mut Seat) -> R) -> R {
    let mut seat = SEAT.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = f(&mut seat);
    // A thread that is ending has no place for it any more: it is dropped then.
    let _ = SEAT.try_with(|place| place.set(Some(seat)));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_seat() {
        let address = || with_seat(|seat| ptr::from_ref(seat) as usize);
        let first = address();
        assert_eq!(address(), first);
        let (outer, inner) = with_seat(|seat| (ptr::from_ref(seat) as usize, address()));
        assert_ne!(outer, inner);
    }
}
