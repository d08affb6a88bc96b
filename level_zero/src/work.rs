//! What runs commands: a line of work, one command after the other. A queue has one, and so does an immediate command list.
//!
//! A thread of the line's own runs what is submitted; a thread that waits for the line without a limit of time runs it, too, where no other does.

use crate::error::{Result, fail_if};
use crate::ze::*;
use ::device::fork;
use ::device::lock::{Condvar, Lock};
use ::device::threads;
use core::time::Duration;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Something to do.
pub type Job = Box<dyn FnOnce() -> Result<()> + Send>;

/// A line of work.
pub struct Line {
    state: Lock<State>,
    /// Work has come, or has ended.
    changed: Condvar,
    /// Which process's threads do it.
    generation: u64,
}

#[derive(Default)]
struct State {
    pending: VecDeque<Job>,
    /// Somebody does something.
    busy: bool,
    submitted: u64,
    ended: u64,
    has_thread: bool,
    /// No work will come any more.
    closed: bool,
    /// Of the first job that failed since somebody was told.
    failure: Option<ze_result_t>,
}

impl State {
    /// The next job, if nobody is at one.
    fn begin(&mut self) -> Option<Job> {
        if self.busy {
            return None;
        }
        let job = self.pending.pop_front()?;
        self.busy = true;
        Some(job)
    }
}

impl Line {
    /// With nothing to do.
    pub fn new() -> Arc<Line> {
        Arc::new(Line {
            state: Lock::default(),
            changed: Condvar::new(),
            generation: fork::generation(),
        })
    }

    /// Takes in work, and comes back at once; or, if the line is `synchronous`, when it has ended.
    pub fn submit(self: &Arc<Line>, synchronous: bool, job: Job) -> Result<()> {
        self.check()?;
        let mut state = self.state.lock();
        state.pending.push_back(job);
        state.submitted += 1;
        if synchronous {
            drop(state);
            return self.finish(u64::MAX);
        }
        if !state.has_thread {
            let line = self.clone();
            state.has_thread = threads::spawn("brolga-queue", move || line.serve());
        }
        let has_thread = state.has_thread;
        drop(state);
        self.changed.notify_all();
        // The system has no thread left.
        if has_thread { Ok(()) } else { self.finish(u64::MAX) }
    }

    /// Waits, no longer than so many nanoseconds, until all that was submitted has ended: ZE_RESULT_NOT_READY if it has not. UINT64_MAX is for ever.
    pub fn finish(&self, timeout: u64) -> Result<()> {
        self.check()?;
        let until = deadline(timeout);
        let mut state = self.state.lock();
        let wanted = state.submitted;
        while state.ended < wanted {
            if timeout == u64::MAX
                && let Some(job) = state.begin()
            {
                drop(state);
                self.run(job);
                state = self.state.lock();
                continue;
            }
            let left = left_until(until)?;
            match left {
                Some(left) => self.changed.wait_for(&mut state, left),
                None => self.changed.wait(&mut state),
            }
        }
        state.failure.take().map_or(Ok(()), Err)
    }

    /// No work will come any more; what has come is done.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }

    /// ZE_RESULT_ERROR_DEVICE_LOST in a child of fork(): whoever did the work stayed in the parent.
    fn check(&self) -> Result<()> {
        fail_if(self.generation != fork::generation(), ZE_RESULT_ERROR_DEVICE_LOST)
    }

    fn run(&self, job: Job) {
        let result = catch_unwind(AssertUnwindSafe(job)).unwrap_or(Err(ZE_RESULT_ERROR_UNKNOWN));
        let mut state = self.state.lock();
        state.busy = false;
        state.ended += 1;
        if let Err(code) = result {
            state.failure.get_or_insert(code);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.begin() {
                drop(state);
                self.run(job);
                state = self.state.lock();
            } else if state.closed && state.pending.is_empty() {
                return;
            } else {
                self.changed.wait(&mut state);
            }
        }
    }
}

/// When a wait of so many nanoseconds ends; `None`: never.
pub fn deadline(timeout: u64) -> Option<Instant> {
    if timeout == u64::MAX {
        return None;
    }
    // What the clock does not reach is for ever.
    Instant::now().checked_add(Duration::from_nanos(timeout))
}

/// How long is left, `None` without a limit: ZE_RESULT_NOT_READY if nothing is.
pub fn left_until(deadline: Option<Instant>) -> Result<Option<Duration>> {
    let Some(deadline) = deadline else { return Ok(None) };
    let left = deadline.saturating_duration_since(Instant::now());
    fail_if(left.is_zero(), ZE_RESULT_NOT_READY)?;
    Ok(Some(left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn work_is_done_in_its_order() {
        let (line, done) = (Line::new(), Arc::new(Mutex::new(Vec::new())));
        for number in 0..100 {
            let done = done.clone();
            let job = move || {
                done.lock().expect("no panic").push(number);
                Ok(())
            };
            assert_eq!(line.submit(number % 7 == 0, Box::new(job)), Ok(()));
        }
        assert_eq!(line.finish(u64::MAX), Ok(()));
        assert_eq!(*done.lock().expect("no panic"), (0..100).collect::<Vec<_>>());
        line.close();
    }

    #[test]
    fn a_wait_ends_in_time_and_failures_are_told_once() {
        let line = Line::new();
        let slow = || {
            std::thread::sleep(Duration::from_millis(50));
            Err(ZE_RESULT_ERROR_DEVICE_LOST)
        };
        assert_eq!(line.submit(false, Box::new(slow)), Ok(()));
        assert_eq!(line.finish(0), Err(ZE_RESULT_NOT_READY));
        assert_eq!(line.finish(1_000_000), Err(ZE_RESULT_NOT_READY));
        assert_eq!(line.finish(60_000_000_000), Err(ZE_RESULT_ERROR_DEVICE_LOST));
        assert_eq!(line.finish(u64::MAX), Ok(()));
        line.close();
    }

    #[test]
    fn a_panic_is_an_error() {
        let line = Line::new();
        assert_eq!(line.submit(true, Box::new(|| panic!("on purpose"))), Err(ZE_RESULT_ERROR_UNKNOWN));
    }
}
