//! Programs that are nearly right: those of the tests, changed at random. Whatever becomes of one, the compiler says so: it doesn't panic, and it ends soon.
//!
//! `OPENCL_C_INPUTS` is how many there are, `OPENCL_C_SEED` where they begin. An input depends on the seed and its number alone; one that fails is left
//! in the target directory.

mod searched;

use opencl_c::{CompileOptions, Input, compile};
use searched::FEATURES;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seconds of processor time that an input may take that is no longer than [`LONGEST`].
const LIMIT: f64 = 2.0;
/// In bytes.
const LONGEST: usize = 1 << 16;

/// A generator of random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) as usize) % end.max(1)
    }

    /// A number of at least 1, and at most one of the list's.
    fn count(&mut self, most: &[usize]) -> usize {
        let most = most[self.below(most.len())];
        1 + self.below(most)
    }
}

/// The programs of the tests: three times those that compile, for each that is wrong.
fn sources() -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |directory: &str| -> Vec<Vec<u8>> {
        let entries = std::fs::read_dir(here.join(directory)).expect("the directory is there");
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.iter().map(|file| std::fs::read(file).expect("the file is read")).collect()
    };
    let (right, wrong) = (read("../../tests/opencl_c"), read("tests/diagnostics"));
    let count = 3 * wrong.len();
    right.into_iter().cycle().take(count).chain(wrong).collect()
}

/// Where the tokens of a text begin, more or less.
fn tokens(text: &[u8]) -> Vec<usize> {
    let class = |byte: u8| match byte {
        b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b' ' | b'\t' => 1,
        other => u16::from(other) + 2,
    };
    let mut starts: Vec<usize> = (0..text.len())
        .filter(|&at| at == 0 || class(text[at]) != class(text[at - 1]) || class(text[at]) > 1)
        .collect();
    starts.push(text.len());
    starts
}

/// What tokens are replaced by besides those of other programs.
const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "<",
    "^",
    "*",
    "&",
    "##",
    "#",
    "\n#define X X(",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"a\"\n",
    "\"",
    "'",
    "\\\n",
    "/*",
    "//",
    "0",
    "-1",
    "1e999",
    "0x1p-2000f",
    "9999999999999999999999",
    "1.0h",
    "struct S {",
    "union",
    "enum",
    "typedef",
    "kernel",
    "local",
    "generic",
    "const",
    "volatile",
    "sizeof",
    "__attribute__((packed, aligned(64)))",
    "goto",
    "switch",
    "case 1 ... 5:",
    "default:",
    "do",
    "while",
    "for (;;)",
    "return",
    "__VA_ARGS__",
    "_Pragma(\"unroll\")",
    "half",
    "double",
    "image2d_t",
    "pipe int",
    "event_t",
    "sampler_t",
    "ndrange_t",
    "float16",
    "as_int",
    "convert_char4_sat_rte",
    "vload3",
    "printf(",
    "atomic_int",
    "__builtin_shufflevector(",
    "__builtin_offsetof(",
    "({",
    "})",
    "?",
    ":",
    "&&",
    "...",
    ".x",
    ".s0123",
    "->",
    "int",
    "void",
    "float3",
    "(int4)(",
    "{ [3] = ",
    "static",
    "extern",
    "inline",
    "typeof(",
    "_Static_assert(",
    "_Atomic(",
    "long long",
    "unsigned",
    "\u{e9}",
    "\0",
];

fn mutated(sources: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = sources[random.below(sources.len())].clone();
    for _ in 0..random.count(&[1, 2, 6]) {
        let starts = tokens(&text);
        let at = random.below(starts.len() - 1);
        let length = random.count(&[1, 3, 20, 200]);
        let range = starts[at]..starts[(at + length).min(starts.len() - 1)];
        let there = text[range.clone()].to_vec();
        match random.below(9) {
            0 => _ = text.splice(range, []),
            1 => {
                let times = random.count(&[2, 8, 300]);
                _ = text.splice(range.end..range.end, there.repeat(times));
            }
            2 => {
                let other = random.below(starts.len());
                _ = text.splice(starts[other]..starts[other], there);
            }
            3 | 4 => _ = text.splice(range, WORDS[random.below(WORDS.len())].bytes()),
            5 => _ = text.splice(range.start..range.start, WORDS[random.below(WORDS.len())].bytes()),
            6 => {
                let other = &sources[random.below(sources.len())];
                let starts = tokens(other);
                let from = random.below(starts.len() - 1);
                let to = (from + length).min(starts.len() - 1);
                _ = text.splice(range, other[starts[from]..starts[to]].iter().copied());
            }
            7 => {
                let at = random.below(text.len());
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            _ => {
                let at = random.below(text.len());
                text.insert(at, random.next() as u8);
            }
        }
        text.truncate(LONGEST);
        if text.is_empty() {
            text.push(b'\n');
        }
    }
    text
}

fn options(random: &mut Random) -> CompileOptions {
    CompileOptions {
        version: [120, 200, 300][random.below(3)],
        features: FEATURES.map(String::from).to_vec(),
        debug_information: random.below(4) == 0,
        kernel_arg_info: random.below(4) == 0,
        whole: random.below(2) == 0,
        ..CompileOptions::default()
    }
}

fn left(text: &[u8], number: u64) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutated-{number}.cl"));
    std::fs::write(&path, text).expect("the input is written");
    path
}

/// Seconds of processor time that this process has used: a busy machine makes no input slow. Wall-clock time where the system doesn't say.
fn processor_time(since: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 of proc(5), counted from the third, in hundredths of a second.
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split(' ')
        .flat_map(str::parse)
        .collect();
    match stat.is_empty() {
        true => since.elapsed().as_secs_f64(),
        false => fields[10..12].iter().sum::<f64>() / 100.0,
    }
}

/// An input and how it is compiled, by its number.
fn input(sources: &[Vec<u8>], number: u64) -> (Vec<u8>, CompileOptions) {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..4 {
        random.next();
    }
    (mutated(sources, &mut random), options(&mut random))
}

/// Compiles inputs; gives how many were accepted, and the failures.
fn run(count: u64, seed: u64) -> (u64, Vec<String>) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let sources = sources();
    let (mut accepted, mut failures) = (0, Vec::new());
    let start = Instant::now();
    let watched = sources.clone();
    // What doesn't end can't be stopped: whoever waits for it ends the process.
    std::thread::spawn(move || {
        let mut at = (0, 0.0);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let (number, now) = (NUMBER.load(Ordering::Relaxed), processor_time(start));
            if number != at.0 {
                at = (number, now);
            } else if now - at.1 > 4.0 * LIMIT {
                eprintln!("it does not end: {}", left(&input(&watched, number).0, number).display());
                std::process::abort();
            }
        }
    });
    for number in seed..seed + count {
        let (text, options) = input(&sources, number);
        let input = Input {
            name: "mutated.cl",
            source: &text,
            headers: &[],
            options: &options,
        };
        let before = processor_time(start);
        NUMBER.store(number, Ordering::Relaxed);
        let output = catch_unwind(AssertUnwindSafe(|| compile(&input)));
        let took = processor_time(start) - before;
        match output {
            Err(_) => failures.push(format!("it panics: {}", left(&text, number).display())),
            Ok(_) if took > LIMIT => failures.push(format!("{took} s: {}", left(&text, number).display())),
            Ok(output) => {
                accepted += u64::from(output.product.is_some());
                if output.product.is_none() && output.log.is_empty() {
                    failures.push(format!("refused without a word: {}", left(&text, number).display()));
                }
            }
        }
        if (number - seed) % 10_000 == 9_999 {
            println!(
                "{} inputs, {accepted} accepted, {} failures, {:.0} s of processor time",
                number - seed + 1,
                failures.len(),
                processor_time(start)
            );
        }
    }
    (accepted, failures)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn mutated_programs_are_compiled_or_refused() {
    let count = number("OPENCL_C_INPUTS", 300);
    let (accepted, failures) = run(count, number("OPENCL_C_SEED", 1));
    println!("{count} inputs, {accepted} accepted");
    assert!(accepted > count / 100, "{accepted} of {count}: too few to reach what makes modules");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
