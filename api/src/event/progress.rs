//! How far a command has come: words that one thread writes and others read, in an order that makes what was done before seen as well.

use crate::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

/// Its status, and what it still waits for.
#[derive(Debug)]
pub struct Progress {
    status: AtomicI32,
    blockers: AtomicUsize,
    blocker_failed: AtomicBool,
}

impl Progress {
    /// Of a command that is held back until [`Progress::unblock`] is called once.
    pub fn new(status: i32) -> Progress {
        Progress {
            status: AtomicI32::new(status),
            blockers: AtomicUsize::new(1),
            blocker_failed: AtomicBool::new(false),
        }
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS. Who sees a status sees what was done before it was set.
    pub fn status(&self) -> i32 {
        self.status.load(Ordering::Acquire)
    }

    /// The new status.
    pub fn set_status(&self, status: i32) {
        self.status.store(status, Ordering::Release);
    }

    /// One thing more to wait for.
    pub fn block(&self) {
        self.blockers.fetch_add(1, Ordering::AcqRel);
    }

    /// One thing less to wait for. True if it was the last: then all is seen that was done before any of the others ended.
    pub fn unblock(&self) -> bool {
        self.blockers.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Nothing that it waits for is left.
    pub fn is_unblocked(&self) -> bool {
        self.blockers.load(Ordering::Acquire) == 0
    }

    /// What it waits for has failed.
    pub fn fail(&self) {
        self.blocker_failed.store(true, Ordering::Release);
    }

    /// Something that it waited for failed.
    pub fn blocker_failed(&self) -> bool {
        self.blocker_failed.load(Ordering::Acquire)
    }
}
