//! Prints how launches scale on modelled machines: `scale [--json]`.

use scale::launch::{Groups, Launch, Outcome, repeat};
use scale::model::{MS, Machine, NS, US};

const CORES: [usize; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// Launches whose groups are all the same: so many, of so many nanoseconds.
const LAUNCHES: [(u64, u64); 4] = [(4096, 100), (65_536, 1000), (1 << 20, 1000), (4096, 250_000)];

fn main() {
    if std::env::args().any(|word| word == "--json") {
        json();
    } else {
        table();
    }
}

/// The last of some launches in a row, more of small ones: in each of those only a few threads start.
fn settled(machine: &Machine, launch: Launch) -> Outcome {
    let times = if launch.work() < MS { 60 } else { 8 };
    repeat(machine, launch, times).pop().expect("some")
}

fn json() {
    let series = LAUNCHES.map(|(groups, nanoseconds)| {
        let launch = Launch {
            groups,
            nanoseconds,
            kind: Groups::Even,
        };
        let points = CORES.map(|cores| {
            let machine = Machine::of_cores(cores);
            let outcome = settled(&machine, launch);
            format!(
                "[{cores}, {:.1}, {:.3}]",
                outcome.time as f64 / US as f64,
                outcome.efficiency(&machine, &launch)
            )
        });
        format!(
            "  {{\"groups\": {groups}, \"nanoseconds\": {nanoseconds}, \"points\": [{}]}}",
            points.join(", ")
        )
    });
    println!("[\n{}\n]", series.join(",\n"));
}

fn table() {
    println!(
        "{:>7} {:>9} {:>9} {:>8} {:>10} {:>7} {:>7} {:>10} {:>8} {:>7}",
        "cores", "groups", "ns each", "kind", "time (us)", "used %", "chunks", "gap (ns)", "ramp (us)", "tail %"
    );
    for kind in [Groups::Even, Groups::Rising, Groups::Spikes] {
        for (groups, nanoseconds) in LAUNCHES {
            for cores in CORES {
                row(&Machine::of_cores(cores), Launch { groups, nanoseconds, kind });
            }
        }
    }
    let launch = Launch {
        groups: 65_536,
        nanoseconds: 10_000,
        kind: Groups::Even,
    };
    println!("Cores of two speeds; then one core of 64 taken away for half of each 8 ms");
    row(&Machine::hybrid(8, 8), launch);
    row(&Machine::of_cores(64).with_a_stolen_core(8 * MS), launch);
}

fn row(machine: &Machine, launch: Launch) {
    let outcome = settled(machine, launch);
    println!(
        "{:7} {:9} {:9} {:>8} {:10.1} {:7.1} {:7} {:10} {:8.1} {:7.1}",
        machine.cores.len(),
        launch.groups,
        launch.nanoseconds,
        format!("{:?}", launch.kind),
        outcome.time as f64 / US as f64,
        100.0 * outcome.efficiency(machine, &launch),
        outcome.chunks,
        outcome.between / NS,
        outcome.ramp as f64 / US as f64,
        100.0 * outcome.tail as f64 / outcome.time as f64,
    );
}
