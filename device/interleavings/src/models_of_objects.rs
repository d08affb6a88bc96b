//! What threads of the host do with handles and events.

use crate::models::Plain;
use crate::progress::Progress;
use crate::slot::Slot;
use core::ffi::c_void;
use loom::sync::Arc;
use loom::thread;

const KIND: u32 = 3;
const COMPLETE: i32 = 0;
const RUNNING: i32 = 1;

/// Who finds a handle to be one sees the object that was made before, though nothing else told of it.
pub fn what_a_handle_stands_for_is_seen() {
    let shared = Arc::new((Slot::default(), Plain::new()));
    let maker = {
        let shared = shared.clone();
        thread::spawn(move || {
            shared.1.add(7);
            let object: *const Plain = &shared.1;
            shared.0.fill(KIND, object.cast_mut().cast::<c_void>(), core::ptr::null_mut());
        })
    };
    if shared.0.is(KIND) {
        assert_eq!(shared.0.references(), 1);
        // SAFETY: the object lives in what both threads hold.
        let object = unsafe { &*shared.0.object().cast_const().cast::<Plain>() };
        assert_eq!(object.get(), 7);
    }
    maker.join().expect("no panic");
}

/// References that two threads give back are given back once each, and one more is refused.
pub fn references_are_given_back_once() {
    let slot = Arc::new(Slot::default());
    slot.fill(KIND, core::ptr::null_mut(), core::ptr::null_mut());
    let other = {
        let slot = slot.clone();
        thread::spawn(move || slot.drop_reference())
    };
    let own = slot.drop_reference();
    assert_ne!(own, other.join().expect("no panic"));
    assert_eq!(slot.references(), 0);
}

/// Who sees that a command has ended sees what it did.
pub fn what_a_command_did_is_seen_when_it_has_ended() {
    let shared = Arc::new((Progress::new(RUNNING), Plain::new()));
    let command = {
        let shared = shared.clone();
        thread::spawn(move || {
            shared.1.add(1);
            shared.0.set_status(COMPLETE);
        })
    };
    if shared.0.status() == COMPLETE {
        assert_eq!(shared.1.get(), 1);
    }
    command.join().expect("no panic");
}

/// A command that waits for two begins once, on the thread on which the later one ends, and sees what both did, and that one failed.
pub fn a_command_begins_after_all_that_it_waits_for() {
    let shared = Arc::new((Progress::new(RUNNING), [Plain::new(), Plain::new()], Plain::new()));
    shared.0.block();
    let begin = |shared: &(Progress, [Plain; 2], Plain)| {
        assert_eq!(shared.1.each_ref().map(Plain::get), [1; 2]);
        assert!(shared.0.blocker_failed() && shared.0.is_unblocked());
        shared.2.add(1);
    };
    let other = {
        let shared = shared.clone();
        thread::spawn(move || {
            shared.1[0].add(1);
            shared.0.fail();
            if shared.0.unblock() {
                begin(&shared);
            }
        })
    };
    shared.1[1].add(1);
    if shared.0.unblock() {
        begin(&shared);
    }
    other.join().expect("no panic");
    assert_eq!(shared.2.get(), 1);
}
