//! Which workers stay awake from one launch to the next: in a burst of launches, those that the burst needs.
//!
//! Waking a thread takes as long as a launch of [`crate::cost::SMALL`] does; one that is awake takes part of a launch that is a third of that. So a worker that
//! is called soon after its last chunk waits awake the next time, and a launch that would be shared if somebody were awake says so: when such launches
//! have come in a row, a worker is called for those that follow.

use crate::atomic::{AtomicU64, Ordering};
use crate::job::Apart;

/// A worker stays awake at most this long, in nanoseconds: about what it takes to wake up, so that it costs no more than twice what the better
/// choice would.
pub(crate) const LONG: u64 = 40_000;

/// Launches that others would have taken part of took so long, one after the other, when a worker is called for the next ones.
const WORTH_A_CALL: u64 = 50_000;

/// What launches say of workers that are awake, and the other way round.
#[derive(Default)]
pub(crate) struct Attention {
    /// Until when a worker waits awake.
    until: Apart<AtomicU64>,
    alone: Apart<Alone>,
}

/// Launches in a row that ran on one thread for want of others that were awake.
#[derive(Default)]
struct Alone {
    /// What they took.
    time: AtomicU64,
    /// When the last one ended.
    ended: AtomicU64,
    /// When a worker was last called for such a row.
    called: AtomicU64,
}

impl Attention {
    /// Is a worker awake that has nothing to do? It may have been called a moment ago.
    pub(crate) fn someone_waits_awake(&self, now: u64) -> bool {
        now < self.until.0.load(Ordering::Relaxed)
    }

    /// A worker waits awake from now on for so long.
    pub(crate) fn wait_awake(&self, now: u64, patience: u64) {
        // Many say so at a launch's end, and nearly the same: what nobody writes all can read at once.
        if now + patience > self.until.0.load(Ordering::Relaxed) + patience / 4 {
            self.until.0.store(now + patience, Ordering::Relaxed);
        }
    }

    /// A launch ran on one thread, and would have been shared if another had been awake. Tells whether to call one for those that follow.
    pub(crate) fn ran_alone(&self, began: u64, ended: u64) -> bool {
        let alone = &self.alone.0;
        let last = alone.ended.swap(ended, Ordering::Relaxed);
        // Others' launches at the same time keep their processors busy; after a pause of twice the time, a worker would wait in vain mostly.
        let in_a_row = last <= began && began - last < 2 * (ended - began);
        let before = if in_a_row { alone.time.load(Ordering::Relaxed) } else { 0 };
        let time = before + (ended - began);
        // It takes the one that is called a while until it is there.
        let due = time >= WORTH_A_CALL && ended.saturating_sub(alone.called.load(Ordering::Relaxed)) > 4 * LONG;
        if due {
            alone.called.store(ended, Ordering::Relaxed);
        }
        alone.time.store(if due { 0 } else { time }, Ordering::Relaxed);
        due
    }
}

/// How long a worker waits awake, after it has waited for `waited` and then worked for `worked`: nanoseconds, 0 for a moment only.
pub(crate) fn patience(waited: u64, worked: u64) -> u64 {
    let most = LONG.min(4 * worked);
    if waited <= most { most } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_launches_calls_for_a_worker() {
        let attention = Attention::default();
        let mut now = 1 << 40;
        let mut launch = |pause: u64| {
            now += pause;
            let began = now;
            now += 5_000;
            attention.ran_alone(began, now)
        };
        let mut row = |count: usize, pause: u64| (0..count).filter(|_| launch(pause)).count();
        assert_eq!(row(9, 1_000), 0);
        assert_eq!(row(1, 1_000), 1);
        // It is on its way.
        assert_eq!(row(20, 1_000), 0);
        assert_eq!(row(20, 1_000), 1);
        // With pauses there is no row.
        assert_eq!(row(100, 20_000), 0);
    }

    #[test]
    fn launches_at_the_same_time_are_no_row() {
        let attention = Attention::default();
        let missed = (0..100).filter(|i| attention.ran_alone((1 << 40) + i * 1_000, (1 << 40) + i * 1_000 + 5_000));
        assert_eq!(missed.count(), 0);
    }

    #[test]
    fn who_is_called_soon_waits_awake() {
        assert_eq!(
            (patience(3_000, 4_000), patience(30_000, 4_000), patience(30_000, 1 << 30)),
            (16_000, 0, LONG)
        );
        let attention = Attention::default();
        attention.wait_awake(1_000, LONG);
        assert!(attention.someone_waits_awake(1_000 + LONG - 1) && !attention.someone_waits_awake(1_000 + LONG));
    }
}
