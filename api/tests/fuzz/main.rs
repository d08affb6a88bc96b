//! Random use of the driver, in search of what no test thought of: calls of the host API in any order (`calls.rs`), and programs, options and
//! binaries that are nearly right (`programs.rs`).
//!
//! A case is a seed, which stands for a list of steps; steps mean something in any order and number, so that a case that fails can be made shorter.
//! Cases run in processes of their own, since failing means to crash, to hang, or to be stopped by a sanitizer. `cargo test` runs a few;
//! `BROLGA_FUZZ_SECONDS=60` runs for that long, from `BROLGA_FUZZ_SEED` on. What fails is printed with its seed and the steps that are left of it,
//! and can be run alone: `BROLGA_FUZZ_CASE=seed:skipped`, as the report says.

mod calls;
mod programs;
mod random;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A kind of case.
struct Target {
    /// The ignored test that runs cases.
    test: &'static str,
    /// How many steps a seed stands for.
    steps: fn(u64) -> usize,
    /// Runs a seed's steps without those that are skipped; how many of them were calls of the driver's.
    run: fn(u64, &dyn Fn(usize) -> bool) -> usize,
}

const CALLS: Target = Target {
    test: "run_calls",
    steps: |_| calls::STEPS,
    run: calls::run,
};

const PROGRAMS: Target = Target {
    test: "run_programs",
    steps: programs::steps,
    run: programs::run,
};

/// A case that goes on for longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Steps that are skipped, as ranges: `3-9,12-12`.
fn parse_skipped(text: &str) -> BTreeSet<usize> {
    let ranges = text.split(',').filter_map(|range| {
        let (from, to) = range.split_once('-')?;
        Some(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?)
    });
    ranges.flatten().collect()
}

fn write_skipped(skipped: &BTreeSet<usize>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &step in skipped {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == step => *to = step,
            _ => ranges.push((step, step)),
        }
    }
    ranges.iter().map(|(from, to)| format!("{from}-{to}")).collect::<Vec<_>>().join(",")
}

/// The child's part: cases from a seed on until it is ended, or the one case that it is told.
fn cases(target: &Target) {
    if let Ok(case) = std::env::var("BROLGA_FUZZ_CASE") {
        let (seed, skipped) = case.split_once(':').unwrap_or((&case, ""));
        let skipped = parse_skipped(skipped);
        (target.run)(seed.parse().expect("a seed"), &|step| skipped.contains(&step));
        println!("fuzz: ok");
        return;
    }
    let (first, count) = (number("BROLGA_FUZZ_SEED").unwrap_or(1), number("BROLGA_FUZZ_COUNT").unwrap_or(1));
    for seed in first..first + count {
        println!("fuzz: seed {seed}");
        let calls = (target.run)(seed, &|_| false);
        println!("fuzz: calls {calls}");
    }
    println!("fuzz: ok");
}

/// How a child ended: well, or how not; the last seed that it began, and how many calls the seeds before made.
struct End {
    failure: Option<String>,
    seed: u64,
    cases: u64,
    calls: u64,
}

fn child(target: &Target, variables: &[(&str, String)]) -> End {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", target.test, "--ignored", "--nocapture"]);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let errors = std::env::temp_dir().join(format!("brolga-fuzz-{}-{}", std::process::id(), target.test));
    command.stdout(Stdio::piped());
    command.stderr(std::fs::File::create(&errors).expect("a file"));
    let mut child = command.spawn().expect("this program runs");
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let reader = std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let (mut seed, mut cases, mut calls, mut good, mut hangs) = (0, 0, 0, false, false);
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                // libtest writes its own text into the same lines.
                let Some((_, line)) = line.split_once("fuzz: ") else { continue };
                match line.split_once(' ') {
                    Some(("seed", number)) => seed = number.parse().unwrap_or(0),
                    Some(("calls", number)) => (cases, calls) = (cases + 1, calls + number.parse::<u64>().unwrap_or(0)),
                    _ => good |= line == "ok",
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                hangs = true;
                let _ = child.kill();
                break;
            }
        }
    }
    let status = child.wait().expect("the child ends");
    let _ = reader.join();
    let text = String::from_utf8_lossy(&std::fs::read(&errors).unwrap_or_default()).into_owned();
    let _ = std::fs::remove_file(&errors);
    let reported = text.contains("WARNING: ThreadSanitizer") || text.contains("ERROR: AddressSanitizer");
    let failure = (hangs || !status.success() || !good || reported).then(|| {
        let what = if hangs { "it hangs".to_owned() } else { status.to_string() };
        let start = text
            .find("WARNING: ThreadSanitizer")
            .or_else(|| text.find("ERROR: AddressSanitizer"))
            .unwrap_or(0);
        let text: String = text[start..].chars().take(6000).collect();
        format!("{what}\n{text}")
    });
    End {
        failure,
        seed,
        cases,
        calls,
    }
}

/// Leaves out steps for as long as the case goes on failing (halves, quarters, and so on).
fn shrink(target: &Target, seed: u64, until: Instant) -> BTreeSet<usize> {
    let all = (target.steps)(seed);
    let mut skipped = BTreeSet::new();
    let mut length = all.div_ceil(2);
    while length > 0 {
        for from in (0..all).step_by(length) {
            let more: BTreeSet<usize> = (from..all.min(from + length)).filter(|step| !skipped.contains(step)).collect();
            if more.is_empty() || Instant::now() > until {
                continue;
            }
            let tried: BTreeSet<usize> = skipped.union(&more).copied().collect();
            let case = format!("{seed}:{}", write_skipped(&tried));
            if child(target, &[("BROLGA_FUZZ_CASE", case)]).failure.is_some() {
                skipped = tried;
            }
        }
        length /= 2;
    }
    skipped
}

/// Runs cases for as long as it was asked to, or a few; reports the first that fails.
fn search(target: &Target, few: u64, batch: u64) {
    let seconds = number("BROLGA_FUZZ_SECONDS");
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut seed = number("BROLGA_FUZZ_SEED").unwrap_or(1);
    let (mut cases, mut calls) = (0, 0);
    let count = if until.is_some() { batch } else { few };
    loop {
        let variables = [("BROLGA_FUZZ_SEED", seed.to_string()), ("BROLGA_FUZZ_COUNT", count.to_string())];
        let end = child(target, &variables);
        (cases, calls) = (cases + end.cases, calls + end.calls);
        if let Some(failure) = end.failure {
            let seed = end.seed;
            let skipped = shrink(target, seed, Instant::now() + 3 * PATIENCE);
            let left: Vec<usize> = (0..(target.steps)(seed)).filter(|step| !skipped.contains(step)).collect();
            panic!(
                "{} seed {seed}, steps {left:?}: BROLGA_FUZZ_CASE={seed}:{}\n{failure}",
                target.test,
                write_skipped(&skipped)
            );
        }
        seed += count;
        if until.is_none_or(|until| Instant::now() > until) {
            break;
        }
    }
    println!("{}: {cases} cases, {calls} calls, no failure", target.test);
}

#[test]
fn random_calls() {
    search(&CALLS, 100, 50);
}

#[test]
fn nearly_right_programs() {
    search(&PROGRAMS, 12, 100);
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn run_calls() {
    cases(&CALLS);
}

#[test]
#[ignore = "run by a test, in a process of its own"]
fn run_programs() {
    cases(&PROGRAMS);
}

#[test]
fn skipped_steps_are_written_as_they_are_read() {
    let skipped = BTreeSet::from([0, 1, 2, 5, 9, 10]);
    assert_eq!(write_skipped(&skipped), "0-2,5-5,9-10");
    assert_eq!(parse_skipped("0-2,5-5,9-10"), skipped);
    assert_eq!(parse_skipped(""), BTreeSet::new());
}
