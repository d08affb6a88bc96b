//! `cargo run -p brolga-tests --bin soak [COMMANDS] [THREADS] [SEED]`: a million random commands on eight threads, every result checked,
//! and memory that does not grow.

use brolga_tests::soak;
use std::time::Instant;

fn main() {
    let number = |place: usize, default: u64| std::env::args().nth(place).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (commands, threads, seed) = (number(1, 1_000_000), number(2, 8) as usize, number(3, 1));
    let part = (commands / 10).max(1);
    let (mut done, mut first) = (0, 0);
    let began = Instant::now();
    for step in 0..10 {
        let part = soak::run(threads, part, seed * 100 + step);
        done += part.commands;
        let memory = soak::resident_bytes() >> 20;
        first = if step == 1 { memory } else { first };
        println!(
            "{done:>9} commands, {} failed as they had to, {} callbacks, {memory} MiB, {:.1} s",
            part.failures,
            part.callbacks,
            began.elapsed().as_secs_f64()
        );
        assert!(step < 2 || memory <= first + 64, "memory grows: {first} MiB, now {memory}");
    }
}
