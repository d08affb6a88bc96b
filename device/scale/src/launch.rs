//! Launches on a modelled machine, and what came of them.

use crate::cost::Cost;
use crate::job::{Job, Work};
use crate::lead::{lead, run_measured};
use crate::model::{Machine, NS};
use crate::{pool, simulation};
use core::ops::Range;
use std::cell::RefCell;
use std::rc::Rc;

/// What work-groups cost.
#[derive(Clone, Copy, Debug)]
pub enum Groups {
    /// All the same.
    Even,
    /// The last ones up to twice the mean, the first ones next to nothing.
    Rising,
    /// One in 64 takes 16 times as long as each of the others.
    Spikes,
}

/// A launch: so many work-groups, of so many nanoseconds each in the mean, on a core of full speed.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub groups: u64,
    pub nanoseconds: u64,
    pub kind: Groups,
}

impl Launch {
    /// What a range of groups takes, in picoseconds.
    fn time(&self, groups: Range<u64>) -> u64 {
        let mean = self.nanoseconds * NS;
        let count = groups.end - groups.start;
        match self.kind {
            Groups::Even => count * mean,
            // The mean of the range's first and last group, of a line from 0 to twice the mean.
            Groups::Rising => {
                (u128::from(count) * u128::from(mean) * u128::from(groups.start + groups.end) / u128::from(self.groups)) as u64
            }
            Groups::Spikes => {
                let spikes = groups.end.div_ceil(64) - groups.start.div_ceil(64);
                (count - spikes) * mean * 64 / 79 + spikes * 16 * mean * 64 / 79
            }
        }
    }

    /// What all of it takes on one core of full speed, in picoseconds.
    pub fn work(&self) -> u64 {
        self.time(0..self.groups)
    }
}

/// What came of a launch. Times are picoseconds.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// From the call to its return.
    pub time: u64,
    /// Threads that took part.
    pub threads: usize,
    /// Pieces that the groups were handed out in.
    pub chunks: u64,
    /// Between two chunks of a thread, in the mean.
    pub between: u64,
    /// From the call until the last thread that took part had begun.
    pub ramp: u64,
    /// From the end of a thread's last chunk until the return, in the mean.
    pub tail: u64,
}

impl Outcome {
    /// The share of what the machine can do that went into the launch's groups.
    pub fn efficiency(&self, machine: &Machine, launch: &Launch) -> f64 {
        launch.work() as f64 / (self.time as f64 * machine.capacity())
    }
}

/// A chunk that a thread has done.
struct Done {
    thread: usize,
    began: u64,
    ended: u64,
}

struct Running<'a> {
    launch: Launch,
    cost: &'a Cost,
    done: RefCell<Vec<Done>>,
}

// SAFETY: a simulation is one thread of the system's.
unsafe impl Sync for Running<'_> {}
// SAFETY: as above.
unsafe impl Send for Running<'_> {}

impl Running<'_> {
    fn run(&self, groups: Range<u64>) -> bool {
        let (began, ended) = simulation::work(self.launch.time(groups));
        self.done.borrow_mut().push(Done {
            thread: simulation::this(),
            began,
            ended,
        });
        true
    }

    fn outcome(&self, began: u64, ended: u64) -> Outcome {
        let done = self.done.borrow();
        let threads = 1 + done.iter().map(|chunk| chunk.thread).max().unwrap_or(0);
        let (mut between, mut gaps, mut ramp, mut tail, mut members) = (0, 0, 0, 0, 0);
        for thread in 0..threads {
            let mut last: Option<&Done> = None;
            for chunk in done.iter().filter(|chunk| chunk.thread == thread) {
                match last {
                    None => ramp = ramp.max(chunk.began - began),
                    Some(last) => {
                        between += chunk.began - last.ended;
                        gaps += 1;
                    }
                }
                last = Some(chunk);
            }
            if let Some(last) = last {
                tail += ended - last.ended;
                members += 1;
            }
        }
        Outcome {
            time: ended - began,
            threads: members,
            chunks: done.len() as u64,
            between: between / gaps.max(1),
            ramp,
            tail: tail / members.max(1) as u64,
        }
    }
}

struct Rest<'a> {
    running: &'a Running<'a>,
    first: u64,
}

impl Work for Rest<'_> {
    fn run(&self, job: &Job, units: Range<u64>, _: u32) -> bool {
        let groups = self.first + units.start..self.first + units.end;
        run_measured(self.running.cost, job, units.end - units.start, || self.running.run(groups)).0
    }
}

/// Runs a launch so often in a row, on threads that the first one starts; what came of each.
pub fn repeat(machine: &Machine, launch: Launch, times: usize) -> Vec<Outcome> {
    // The pool belongs to a thread of the system, and that to this simulation.
    let simulate = || {
        let outcomes = Rc::new(RefCell::new(Vec::new()));
        let results = outcomes.clone();
        simulation::run(machine, move || {
            let cost = Cost::default();
            for _ in 0..times {
                let outcome = once(launch, &cost);
                results.borrow_mut().push(outcome);
            }
            pool::shutdown();
        });
        outcomes.take()
    };
    std::thread::scope(|scope| scope.spawn(simulate).join().expect("the simulation ends"))
}

/// As `device::launch::run_in`, with modelled groups.
fn once(launch: Launch, cost: &Cost) -> Outcome {
    let began = simulation::clock();
    let running = Running {
        launch,
        cost,
        done: RefCell::default(),
    };
    let workers = pool::hands(usize::MAX);
    let done = lead(cost, launch.groups, workers, true, |groups| running.run(groups));
    if done < launch.groups {
        let rest = Rest {
            running: &running,
            first: done,
        };
        let left = launch.groups - done;
        pool::run_shared(&rest, left, cost.sharing(left, workers), usize::MAX);
    }
    running.outcome(began, simulation::clock())
}
