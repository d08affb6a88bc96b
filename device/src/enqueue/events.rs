//! `clk_event_t`: what a kernel holds of it is a number that says whose it is, where it is, and how often that place was used before.

use super::MAX_EVENTS;
use crate::live::written;
use core::sync::atomic::{AtomicU32, Ordering};

/// `CL_SUBMITTED`
pub(super) const SUBMITTED: i32 = 2;
/// `CL_COMPLETE`
pub(super) const COMPLETE: i32 = 0;

/// An event.
#[derive(Debug, Default)]
pub(super) struct Event {
    generation: u32,
    /// Holders: the kernel's, the launch that completes it, those that wait for it. Nobody: the place is free.
    references: u32,
    /// `SUBMITTED`, `COMPLETE`, or a negative error.
    pub(super) status: i32,
    is_user: bool,
    /// Launches that wait for it.
    pub(super) waiters: Vec<u32>,
    /// Where its times are wanted; 0: nowhere.
    pub(super) wanted_at: u64,
    /// When its launch began and ended, in nanoseconds of the device's clock.
    pub(super) times: [u64; 2],
    /// When it was complete.
    pub(super) complete: u64,
}

/// The events of a family.
#[derive(Debug)]
pub(super) struct Events {
    tag: u64,
    all: Vec<Event>,
    free: Vec<u32>,
}

impl Events {
    pub(super) fn new() -> Events {
        static FAMILIES: AtomicU32 = AtomicU32::new(1);
        Events {
            tag: u64::from(FAMILIES.fetch_add(1, Ordering::Relaxed) as u16) << 48,
            all: Vec::new(),
            free: Vec::new(),
        }
    }

    /// A new event with so many holders; `None` if there are too many.
    pub(super) fn add(&mut self, references: u32, is_user: bool) -> Option<u32> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.all.len() < MAX_EVENTS as usize => {
                self.all.push(Event::default());
                self.all.len() as u32 - 1
            }
            None => return None,
        };
        let event = &mut self.all[index as usize];
        event.references = references;
        event.is_user = is_user;
        event.status = SUBMITTED;
        event.wanted_at = 0;
        event.times = [0; 2];
        Some(index)
    }

    /// What a kernel holds.
    pub(super) fn handle(&self, index: u32) -> u64 {
        self.tag | u64::from(self.all[index as usize].generation & 0xff_ffff) << 24 | u64::from(index + 1)
    }

    /// The event that a kernel means, if it is one.
    pub(super) fn find(&self, handle: u64) -> Option<u32> {
        let index = (handle & 0xff_ffff).checked_sub(1)? as u32;
        let event = self.all.get(index as usize)?;
        (event.references > 0 && self.handle(index) == handle).then_some(index)
    }

    pub(super) fn get(&mut self, index: u32) -> &mut Event {
        &mut self.all[index as usize]
    }

    pub(super) fn retain(&mut self, index: u32) {
        self.all[index as usize].references += 1;
    }

    pub(super) fn release(&mut self, index: u32) {
        let event = &mut self.all[index as usize];
        event.references = event.references.saturating_sub(1);
        if event.references == 0 {
            event.generation = event.generation.wrapping_add(1);
            self.free.push(index);
        }
    }

    /// A user event that has no status yet.
    pub(super) fn is_open(&mut self, index: u32) -> bool {
        let event = self.get(index);
        event.is_user && event.status == SUBMITTED
    }

    /// Puts the times of a complete event where they are wanted: END - START and COMPLETE - START, in nanoseconds.
    pub(super) fn tell_times(&mut self, index: u32) {
        let event = self.get(index);
        let place = core::mem::take(&mut event.wanted_at) as *mut [u64; 2];
        let [began, ended] = event.times;
        let spent = |until: u64| until.saturating_sub(began).max(1);
        if !place.is_null() && !event.is_user {
            // SAFETY: the kernel has said that its times go there (OpenCL C 6.15.18, capture_event_profiling_info).
            unsafe { place.write_unaligned([spent(ended), spent(event.complete)]) };
            written::set(place.cast(), size_of::<[u64; 2]>());
        }
    }
}
