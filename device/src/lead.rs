//! What a thread does alone of a launch before it pays to call others, and how it does its chunks once they take part. Both look at the clock, and learn
//! what the launch's work-groups cost.

use crate::clock;
use crate::cost::{Cost, SMALL, SMALL_AWAKE};
use crate::job::Job;
use crate::pool;
use core::ops::Range;

/// Has `run` do groups, of so many, for as long as it does not pay to call others, of whom there are `workers`, this thread among them. `run` tells
/// whether to carry on. Without an estimate nothing is done here, unless the caller is `curious`. Returns how many are done; all, if there is no more to do.
pub(crate) fn lead(cost: &Cost, groups: u64, workers: u32, curious: bool, mut run: impl FnMut(Range<u64>) -> bool) -> u64 {
    if groups == 0 {
        return 0;
    }
    let expected = cost.of(groups);
    let alone = groups == 1 || workers == 1;
    if !alone && expected.map_or(!curious, |time| time >= SMALL || time >= SMALL_AWAKE && pool::someone_waits_awake()) {
        return 0;
    }
    if expected.is_some() && alone && !cost.wants_timing() {
        run(0..groups);
        return groups;
    }
    // First a part, to see whether the estimate holds.
    let mut next = match expected {
        None => 1,
        Some(_) if alone || groups < 8 => groups,
        Some(_) => groups / 8,
    };
    let (mut done, mut before) = (0, clock::now());
    let mut spent = 0;
    loop {
        if !run(done..done + next) {
            return groups;
        }
        let now = clock::now();
        cost.learn(next, now - before);
        spent += now - before;
        before = now;
        done += next;
        let left = groups - done;
        if left == 0 && !alone && spent >= SMALL_AWAKE {
            pool::ran_alone(now - spent, now, cost.sharing(groups, workers).awake);
        }
        let to_come = cost.of(left).unwrap_or(0);
        if left == 0 || (!alone && to_come >= SMALL) {
            return done;
        }
        next = if spent > SMALL { left } else { cost.groups_in(SMALL / 2).min(left) };
    }
}

/// Has `run` do a chunk of a job, and shares what is left of the job by what the chunk took. Returns what `run` does, and when it began and ended.
pub(crate) fn run_measured<R>(cost: &Cost, job: &Job, groups: u64, run: impl FnOnce() -> R) -> (R, Range<u64>) {
    let before = clock::now();
    let result = run();
    let after = clock::now();
    cost.learn(groups, after - before);
    job.set_sharing(cost.sharing(job.total(), job.workers()));
    (result, before..after)
}
