//! What work-groups cost: learned from launch to launch, so that small launches wake nobody and big ones come in chunks of sensible size.

use crate::atomic::{AtomicU64, Ordering};
use crate::job::Sharing;

/// A launch that takes less than this stays on the thread that has it: about what waking another thread costs.
pub(crate) const SMALL: u64 = 10_000;

/// The same, if another thread is awake: then it has as much to do as it costs to tell it and to wait for it.
pub(crate) const SMALL_AWAKE: u64 = 3_000;

/// Each further thread that is called should have this much to do, …
const WORTH_A_THREAD: u64 = 10_000;

/// … and this much if it is awake, …
const WORTH_AWAKE: u64 = 1_500;

/// … as long as there are few. Each takes so long from all the others, being told and counting: of launches that take `t` alone, and `t / n + n * TELL`
/// with `n` threads, the best `n` is the root of `t / TELL`.
const TELL: u64 = 300;

/// A chunk takes at least this long, so that sharing out costs nothing to speak of …
const CHUNK: u64 = 20_000;

/// … or this long for each thread that takes part: so often can all of them together take one, since the words that they count by go from core to core …
const CLAIM: u64 = 300;

/// … and at most this long, so that threads can turn to other launches.
const LONG: u64 = 2_000_000;

/// What the device has learned about the cost of a kernel's work-groups. Times are nanoseconds.
#[derive(Debug, Default)]
pub struct Cost {
    /// Picoseconds a group; 0 while unknown.
    picoseconds: AtomicU64,
    /// Launches that went by without being timed.
    untimed: AtomicU64,
}

impl Cost {
    /// What so many groups take, about; `None` while unknown.
    pub fn of(&self, groups: u64) -> Option<u64> {
        match self.picoseconds.load(Ordering::Relaxed) {
            0 => None,
            picoseconds => Some(groups.saturating_mul(picoseconds) / 1000),
        }
    }

    /// How many groups take so long; at least one.
    pub(crate) fn groups_in(&self, nanoseconds: u64) -> u64 {
        match self.picoseconds.load(Ordering::Relaxed) {
            0 => 1,
            picoseconds => (nanoseconds.saturating_mul(1000) / picoseconds).max(1),
        }
    }

    /// Notes that so many groups took so long. One slow run (a page fault, another process) changes the picture little; after a
    /// slow first one, the true cost is soon found.
    pub(crate) fn learn(&self, groups: u64, nanoseconds: u64) {
        if groups == 0 {
            return;
        }
        let sample = (nanoseconds.saturating_mul(1000) / groups).max(1);
        let old = self.picoseconds.load(Ordering::Relaxed);
        let new = match old {
            0 => sample,
            _ if sample < old => old / 4 + sample - sample / 4,
            _ => old - old / 4 + sample / 4,
        };
        // All threads of a launch learn the same, mostly: what nobody writes all can read at once.
        if new.abs_diff(old) > old / 32 {
            self.picoseconds.store(new.max(1), Ordering::Relaxed);
        }
    }

    /// Is it time to look at the clock again? Two looks cost as much as a small launch.
    pub(crate) fn wants_timing(&self) -> bool {
        self.untimed.fetch_add(1, Ordering::Relaxed).is_multiple_of(16)
    }

    /// How a launch of `groups` groups is shared out among up to `workers` threads.
    pub(crate) fn sharing(&self, groups: u64, workers: u32) -> Sharing {
        let workers = u64::from(workers.max(1));
        let (hands, awake) = self.of(groups).map_or((workers, workers), |time| {
            let hands = (time / WORTH_A_THREAD).clamp(1, workers);
            (hands, (time / WORTH_AWAKE).min((time / TELL).isqrt()).clamp(hands, workers))
        });
        // If the estimate is too low by orders of magnitude, every thread still gets a few chunks.
        let grain = self.groups_in(CHUNK).min(groups / (4 * workers));
        // Launches for threads that are awake follow one another, mostly over the same memory: with a chunk each, a thread finds in its cache what it
        // had there. Of what another had, each line takes as long to come as there is to do with it.
        let least = match self.of(groups) {
            Some(time) if time < 2 * SMALL => groups.div_ceil(awake),
            _ => self.groups_in(awake * CLAIM).min(groups / (2 * awake)),
        };
        Sharing {
            grain: grain.max(least).max(1),
            limit: self.groups_in(LONG),
            hands: hands as u32,
            awake: awake as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_the_samples() {
        let cost = Cost::default();
        assert_eq!((cost.of(10), cost.groups_in(1000)), (None, 1));
        cost.learn(100, 1000);
        assert_eq!((cost.of(10), cost.groups_in(1000)), (Some(100), 100));
        for _ in 0..30 {
            cost.learn(1, 1000);
        }
        assert!(cost.of(1).is_some_and(|time| (900..=1000).contains(&time)));
        cost.learn(0, 1 << 40);
        cost.learn(1, u64::MAX);
        assert!(cost.of(u64::MAX).is_some());
    }

    #[test]
    fn sharing_suits_the_cost() {
        let cost = Cost::default();
        let unknown = cost.sharing(1000, 8);
        assert_eq!((unknown.grain, unknown.hands), (1, 8));
        cost.learn(1, 10);
        let cheap = cost.sharing(1_000_000, 8);
        assert_eq!((cheap.grain, cheap.limit, cheap.hands), (2000, 200_000, 8));
        let few = cost.sharing(3000, 8);
        assert_eq!((few.grain, few.hands, few.awake), (187, 3, 8));
        let dear = Cost::default();
        dear.learn(1, 50_000_000);
        assert_eq!((dear.sharing(100, 8).grain, dear.sharing(100, 8).limit), (1, 1));
    }
}
