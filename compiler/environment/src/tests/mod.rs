//! The rules' cases; and mutated modules: whatever comes, there is an answer, and no panic.

use super::{Environment, validate};
use spirv::{assemble, parse};

mod deviations;
mod extensions;
mod float8;
mod joint_matrices;
mod level_zero;
mod messages;
mod pairs;
mod profiles;
mod rule_cases;
mod rule_page;
mod text;

const ARITHMETIC: &str = include_str!("../../../pipeline/tests/spirv/valid/arithmetic.spvasm");
const LOOP: &str = include_str!("../../../pipeline/tests/spirv/valid/loop.spvasm");
const CONSTANTS: &str = include_str!("../../../pipeline/tests/spirv/valid/constants.spvasm");
const SMALL: &str = include_str!("../../../pipeline/tests/spirv/valid/small.spvasm");
const IMAGES: &str = include_str!("../../../pipeline/tests/spirv/valid/images.spvasm");
const MATRICES: &str = include_str!("../../../pipeline/tests/spirv/valid/matrices.spvasm");
const FLOAT_MODES: &str = include_str!("../../../pipeline/tests/spirv/valid/float_modes.spvasm");

/// Modules to start from.
const SEEDS: [&str; 5] = [ARITHMETIC, LOOP, CONSTANTS, FLOAT_MODES, MATRICES];

/// A generator of numbers that gives the same ones each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_ne_bytes(word)).collect()
}

fn answer(bytes: &[u8], environment: &Environment) -> bool {
    parse(bytes).is_ok_and(|binary| validate(binary, environment, &[], false).is_ok())
}

#[test]
fn seeds_are_valid() {
    let environment = Environment::device();
    for seed in SEEDS {
        let bytes = assemble(seed).unwrap();
        let binary = parse(&bytes).unwrap();
        if let Err(errors) = validate(binary, &environment, &[], true) {
            panic!("{}", super::log(&errors));
        }
    }
}

#[test]
fn extensions_of_other_environments_are_refused_with_the_reason() {
    let text = SMALL.replacen("OpMemoryModel", "OpExtension \"SPV_KHR_abort\"\nOpMemoryModel", 1);
    let bytes = assemble(&text).unwrap();
    let binary = parse(&bytes).unwrap();
    let Err(errors) = validate(binary, &Environment::device(), &[], true) else {
        panic!("it is taken");
    };
    let log = super::log(&errors);
    assert!(
        log.contains("SPV_KHR_abort") && log.contains("no OpenCL environment has it"),
        "{log}"
    );
}

#[test]
fn mutated_modules_are_answered() {
    let environment = Environment::device();
    let mut random = Random(1);
    let mut taken = 0;
    let seeds = SEEDS.map(|seed| words(&assemble(seed).unwrap()));
    for round in 0..4_000 {
        for seed in &seeds {
            let mut words = seed.clone();
            mutate(&mut words, &mut random, round);
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            taken += usize::from(answer(&bytes, &environment));
        }
    }
    // Some mutations do no harm: the test would be of no use if all were refused at the door.
    assert!(taken > 100, "{taken}");
}

/// `MUTATED_MODULES` (a million), as far as lowering: no panic, none that takes more than a second of the processor, IR that is sound, and no memory
/// that is lost.
#[test]
#[ignore = "a million modules take minutes: make fuzz"]
fn many_mutated_modules() {
    let modules: usize = std::env::var("MUTATED_MODULES").map_or(1_000_000, |count| count.parse().expect("a number"));
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut seeds = [ARITHMETIC, LOOP, CONSTANTS, IMAGES, MATRICES]
        .map(|seed| words(&assemble(seed).unwrap()))
        .to_vec();
    seeds.extend(cases());
    let round = |random: &mut Random, round: usize| {
        let mut words = seeds[round % seeds.len()].clone();
        mutate(&mut words, random, round / seeds.len());
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let start = processor_time();
        let valid = parse(&bytes)
            .ok()
            .and_then(|binary| validate(binary, &Environment::device(), &[], false).ok());
        let lowered = valid.map(|(module, _)| {
            let lowered = lower::lower(&[&module], &interface::BuildOptions::default());
            if let Ok(lowered) = &lowered {
                let sound = ir::verify::verify_module(&lowered.module);
                assert!(sound.is_ok(), "{sound:?}: {words:?}");
            }
            lowered.is_ok()
        });
        let took = processor_time() - start;
        assert!(took.as_secs() < 1, "it took {took:?}: {words:?}");
        [lowered.is_some(), lowered.unwrap_or(false)]
    };
    let part = |seed: usize, count: usize| {
        let mut random = Random(seed as u64);
        (0..count)
            .map(|number| round(&mut random, number))
            .fold([0, 0], |[a, b], [valid, lowered]| {
                [a + usize::from(valid), b + usize::from(lowered)]
            })
    };
    let half = |first: usize| {
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..threads)
                .map(|thread| scope.spawn(move || part(first + thread, modules / 2 / threads)))
                .collect();
            started
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .fold([0, 0], |[a, b], [valid, lowered]| [a + valid, b + lowered])
        })
    };
    let first = half(1);
    // What the first half needed, the second uses again.
    let before = allocated_bytes();
    let second = half(1 + threads);
    let growth = allocated_bytes().saturating_sub(before);
    let [valid, lowered] = [0, 1].map(|count| first[count] + second[count]);
    println!(
        "{modules} modules of {} kinds: {valid} valid, {lowered} lowered; {} KiB more are allocated than after the first half",
        seeds.len(),
        growth / 1024
    );
    assert!(lowered > modules / 100, "too few get as far as lowering for the test to be of use");
    assert!(growth < 1 << 20, "memory grew by {growth} bytes");
}

/// The modules that the driver's tests run.
fn cases() -> Vec<Vec<u32>> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");
    let files = std::fs::read_dir(directory).expect("the cases").flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
        .iter()
        .map(|file| words(&assemble(&std::fs::read_to_string(file).expect("a case")).expect("a module")))
        .collect()
}

/// What this thread had of the processor.
fn processor_time() -> std::time::Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Bytes of memory that are allocated. (What the process has would not do: it grows with the largest module so far.)
fn allocated_bytes() -> usize {
    // SAFETY: it looks at the allocator's own numbers.
    let counts = unsafe { libc::mallinfo2() };
    counts.uordblks + counts.hblkhd
}

/// One to three changes: of a word, of a bit, of the order of instructions, of their number.
fn mutate(words: &mut Vec<u32>, random: &mut Random, round: usize) {
    for _ in 0..=round % 3 {
        let starts = starts(words);
        let at = 5 + random.below(words.len() - 5);
        let instruction = starts[random.below(starts.len())];
        let length = ((words[instruction] >> 16) as usize).clamp(1, words.len() - instruction);
        match random.below(8) {
            0 => words[at] = random.below(64) as u32,
            1 => words[at] ^= 1 << random.below(32),
            2 => words[at] = words[5 + random.below(words.len() - 5)],
            // Another opcode of the same length.
            3 => words[instruction] = words[instruction] & 0xffff_0000 | random.below(450) as u32,
            4 => drop(words.drain(instruction..instruction + length)),
            5 => {
                let copy: Vec<u32> = words[instruction..instruction + length].to_vec();
                let to = starts[random.below(starts.len())];
                words.splice(to..to, copy);
            }
            6 => words.truncate(at),
            _ => {
                let id = 1 + random.below(40) as u32;
                let operand = instruction + 1 + random.below(length);
                if operand < words.len() {
                    words[operand] = id;
                }
            }
        }
        if words.len() <= 6 {
            return;
        }
    }
}

fn starts(words: &[u32]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 5;
    while at < words.len() {
        starts.push(at);
        at += ((words[at] >> 16) as usize).max(1);
    }
    starts
}
