//! What the driver promises of machines with many cores. These are bounds of the scheduling: what else the machine at hand does is no part of a simulation.

use scale::launch::{Groups, Launch, Outcome, repeat};
use scale::model::{MS, Machine, US};

/// The last of some launches in a row: threads have been started, a few with each, and costs are known.
fn settled(machine: &Machine, launch: Launch) -> Outcome {
    let times = if launch.work() < MS { 60 } else { 8 };
    repeat(machine, launch, times).pop().expect("some")
}

fn even(groups: u64, nanoseconds: u64) -> Launch {
    Launch {
        groups,
        nanoseconds,
        kind: Groups::Even,
    }
}

const CORES: [usize; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

#[test]
fn launches_of_many_milliseconds_use_all_cores() {
    for kind in [Groups::Even, Groups::Rising] {
        let launch = Launch {
            kind,
            ..even(4096, 250_000)
        };
        for cores in CORES {
            let machine = Machine::of_cores(cores);
            let outcome = settled(&machine, launch);
            let efficiency = outcome.efficiency(&machine, &launch);
            let bound = if let Groups::Even = kind { 0.96 } else { 0.88 };
            assert!(efficiency >= bound, "{kind:?} on {cores} cores: {efficiency:.3}, {outcome:?}");
        }
    }
}

/// Groups of a microsecond are handed out by thousands: what a thread spends between its chunks stays below three hundredths of them.
#[test]
fn handing_out_costs_little_on_any_number_of_cores() {
    let launch = even(1 << 20, 1000);
    for cores in CORES {
        let machine = Machine::of_cores(cores);
        let outcome = settled(&machine, launch);
        let chunk = launch.work() / outcome.chunks;
        let share = outcome.between as f64 / chunk as f64;
        assert!(share < 0.03, "{cores} cores: {share:.4} of a chunk, {outcome:?}");
        assert!(outcome.tail as f64 <= 0.05 * outcome.time as f64, "{cores} cores: {outcome:?}");
        assert!(outcome.efficiency(&machine, &launch) >= 0.94, "{cores} cores: {outcome:?}");
    }
}

/// A launch that 32 cores share well does not suffer from hundreds.
#[test]
fn small_launches_do_not_get_slower_with_more_cores() {
    let launch = even(4096, 100);
    let best = CORES
        .map(|cores| settled(&Machine::of_cores(cores), launch).time)
        .into_iter()
        .min()
        .expect("some");
    for cores in [32, 64, 128, 256] {
        let outcome = settled(&Machine::of_cores(cores), launch);
        assert!(
            outcome.time < 2 * best,
            "{cores} cores: {} us, {} at best",
            outcome.time / US,
            best / US
        );
    }
}

/// What takes less than waking another thread stays where it is.
#[test]
fn tiny_launches_wake_nobody() {
    for cores in CORES {
        let outcome = settled(&Machine::of_cores(cores), even(16, 100));
        assert_eq!(outcome.threads, 1, "{cores} cores");
        assert!(outcome.time < 2 * US, "{cores} cores: {outcome:?}");
    }
}

/// A burst of launches that are too short to wake anybody for has workers stay awake for it, and shares them.
#[test]
fn a_burst_of_small_launches_is_shared() {
    let launch = even(64, 100);
    for cores in CORES {
        let outcomes = repeat(&Machine::of_cores(cores), launch, 100);
        assert!(outcomes[..5].iter().all(|outcome| outcome.threads == 1), "{cores} cores");
        let last = &outcomes[90..];
        let time = last.iter().map(|outcome| outcome.time).sum::<u64>() / last.len() as u64;
        let share = time as f64 / launch.work() as f64;
        assert!(share < 0.8, "{cores} cores: {share:.2}, {:?}", last[9]);
    }
}

#[test]
fn all_hands_are_there_soon() {
    for cores in CORES {
        let outcome = settled(&Machine::of_cores(cores), even(4096, 250_000));
        assert_eq!(outcome.threads, cores, "{outcome:?}");
        assert!(outcome.ramp < 100 * US, "{cores} cores: {} us", outcome.ramp / US);
    }
}

/// Slow cores take part as far as they can, and a core that is taken away delays the end by no more than what it held.
#[test]
fn cores_may_differ_and_go_away() {
    let launch = even(65_536, 10_000);
    let hybrid = Machine::hybrid(8, 8);
    let outcome = settled(&hybrid, launch);
    assert!(outcome.efficiency(&hybrid, &launch) > 0.98, "{outcome:?}");
    let period = 8 * MS;
    let stolen = Machine::of_cores(16).with_a_stolen_core(period);
    let outcome = settled(&stolen, launch);
    let ideal = launch.work() as f64 / stolen.capacity();
    assert!(
        (outcome.time as f64) < ideal + (period + 2 * MS) as f64,
        "{outcome:?}, {ideal} at best"
    );
}

#[test]
fn simulations_agree() {
    let time = || settled(&Machine::of_cores(64), even(65_536, 1000)).time as f64;
    let (a, b) = (time(), time());
    assert!((a / b - 1.0).abs() < 0.05, "{a} and {b}");
}
