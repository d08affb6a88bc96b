//! The environment variables that the driver reads, as a table: what `BROLGA_DEBUG=help`, `brolga variables` and the book say of them comes from here.

use std::fmt::Write;

/// Whom a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Those who run programs on the driver.
    Users,
    /// Those who work on the driver: such a variable may change with any version.
    Developers,
}

/// A variable that the driver, its command or its tests read.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// `BROLGA_…`
    pub name: &'static str,
    /// The form of its value.
    pub value: &'static str,
    /// What holds where it is not set.
    pub default: &'static str,
    /// What it does, in whole sentences.
    pub meaning: &'static str,
    /// Whom it is for.
    pub audience: Audience,
}

const fn user(name: &'static str, value: &'static str, default: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        value,
        default,
        meaning,
        audience: Audience::Users,
    }
}

const fn developer(name: &'static str, value: &'static str, default: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        value,
        default,
        meaning,
        audience: Audience::Developers,
    }
}

/// What `BROLGA_DEBUG` may name, beside `all` and `help`.
pub const TOPICS: &[(&str, &str)] = &[
    ("api", "calls of OpenCL functions as they return: duration, name, error code"),
    ("launch", "kernels as they end: duration, name, work-items, group"),
    ("spirv", "SPIR-V modules as they come, as text"),
    ("frontend", "which front end compiled a program, and what our own refused"),
    ("timing", "how long each step of compilation took"),
    ("ir", "kernels in the driver's IR, as one work-item and as a work-group"),
    ("plan", "what was decided about kernels' gangs, by which costs"),
    ("asm", "kernels' machine code"),
    (
        "perf",
        "writes kernels' names to /tmp/perf-PID.map, their code and lines to /tmp/jit-PID.dump, for perf (gdb knows: break KERNEL)",
    ),
];

/// Every variable, users' first.
pub const VARIABLES: &[Variable] = &[
    user(
        "BROLGA_CACHE",
        "DIRECTORY or 0",
        "$XDG_CACHE_HOME/brolga, or ~/.cache/brolga",
        "The directory of the disk cache, an absolute path; 0 for none.",
    ),
    user(
        "BROLGA_CHECK",
        "1 or CHECK,…",
        "no checks",
        "Checked mode: what kernels are checked for while they run. `help` lists the checks; 1 stands for the usual ones.",
    ),
    user(
        "BROLGA_CHECK_FAIL",
        "event, exit, abort or nothing",
        "event",
        "Checked mode: what follows failed checks: the launch's event ends with -9701, the process ends with exit code 97, it aborts, or nothing.",
    ),
    user(
        "BROLGA_CHECK_LOG",
        "FILE",
        "none",
        "Checked mode: a file to which each report is appended as a line of JSON.",
    ),
    user(
        "BROLGA_CLANG",
        "PATH or NAME",
        "the newest clang-NN, then clang",
        "The clang to compile OpenCL C with: a path, or a name on the PATH.",
    ),
    user(
        "BROLGA_DEBUG",
        "TOPIC,…",
        "nothing",
        "What the driver shows of its work on stderr: a list of topics, `all`, or `help` for this list.",
    ),
    user(
        "BROLGA_FRONTEND",
        "auto, own or clang",
        "auto",
        "What compiles OpenCL C: clang, the driver's own front end, or (auto) our own, and clang, where there is one, what that refuses.",
    ),
    user(
        "BROLGA_QUIET",
        "1",
        "off",
        "No line on stderr where a kernel can't be compiled for a launch, ends before its end, or accesses memory that is not there. \
         Signal handlers are left alone then.",
    ),
    user(
        "BROLGA_RECORD",
        "DIRECTORY",
        "nothing is recorded",
        "A directory, which is made, for a trace of all launches with their programs and buffers: `brolga replay DIRECTORY` runs them again.",
    ),
    user(
        "BROLGA_REPRODUCIBLE",
        "1",
        "off",
        "The same bits from every machine, number of threads and code generator: no fused, reordered or relaxed operations, whatever options allow.",
    ),
    user(
        "BROLGA_TARGET",
        "auto, avx512, avx2, cranelift, avx512-base, avx2-base or a machine",
        "auto",
        "The code generator: the driver's own for AVX-512 or AVX2, Cranelift (everywhere), or the first of these that the machine can run. \
         The -base targets leave out instructions beyond AVX2 or AVX-512 themselves. A target that the machine can't run is taken as auto. \
         A machine (zen3, zen4, zen5, skylake, sapphire-rapids, neoverse-n1, neoverse-v1, neoverse-v2, apple-m1) has kernels vectorized as for it.",
    ),
    user(
        "BROLGA_THREADS",
        "NUMBER",
        "one a processor that the process may use",
        "How many threads run kernels: the compute units of the device.",
    ),
    user(
        "BROLGA_TRACE",
        "FILE",
        "no trace",
        "A file for a trace that ui.perfetto.dev and chrome://tracing open: calls, commands, kernels, work-groups and compilations over time. \
         %p in its name stands for the process's number.",
    ),
    user(
        "BROLGA_WITH",
        "NAME,…",
        "nothing",
        "Extensions whose specifications are drafts that the driver is to have, such as cl_khr_cooperative_matrix. `brolga env` lists them.",
    ),
    user(
        "BROLGA_WITHOUT",
        "NAME,…",
        "nothing",
        "Extensions and features that the driver is to be without, such as cl_khr_fp64,core:images: neither reported nor taken. \
         Without what OpenCL 3.1 asks of every device, the device is one of 3.0.",
    ),
    developer(
        "BROLGA_GANG_WIDTH",
        "1, 2, 4, … lanes",
        "what suits the machine and the kernel",
        "The width of gangs: how many work-items run in one vector.",
    ),
    developer(
        "BROLGA_PASSES",
        "disable=PASS, print-before=PASS, print-after=PASS, print-changed, bisect=N",
        "all passes run, none is shown",
        "Which passes over the IR run, and what is shown around them: a list. `bisect=N` runs the first N that can be left out. `brolga opt --list` has their names.",
    ),
    developer(
        "BROLGA_SEEDS",
        "NUMBER",
        "as many as suit a test run",
        "Tests: how many random kernels are tried.",
    ),
    developer(
        "BROLGA_FIRST_SEED",
        "NUMBER",
        "0",
        "Tests: the first random kernel's seed. With BROLGA_SEEDS=1 that one kernel is shown.",
    ),
    developer("BROLGA_FUZZ_SEED", "NUMBER", "1", "Fuzzing the host API: the first seed."),
    developer(
        "BROLGA_FUZZ_COUNT",
        "NUMBER",
        "1",
        "Fuzzing the host API: how many seeds are tried, one after the other in one process.",
    ),
    developer(
        "BROLGA_FUZZ_SECONDS",
        "NUMBER",
        "a number of seeds that suits a test run",
        "Fuzzing the host API: goes on for that long, a process a seed.",
    ),
    developer(
        "BROLGA_FUZZ_CASE",
        "SEED:SKIPPED",
        "none",
        "Fuzzing the host API: runs one case again, as a report names it.",
    ),
    developer(
        "BROLGA_BLESS",
        "anything",
        "off",
        "Tests: writes what is found into the files of what is expected.",
    ),
    developer(
        "BROLGA_CORPUS",
        "DIRECTORY",
        "none",
        "Tests: SPIR-V modules that validation is compared with spirv-val on.",
    ),
    developer(
        "BROLGA_LARGE",
        "NUMBER",
        "a size that suits a test run",
        "Tests: how many operations the kernel has that is compiled for its size.",
    ),
];

/// For people at a terminal: every variable with its meaning, every topic of `BROLGA_DEBUG`.
pub fn help() -> String {
    let mut text = String::from("Environment variables of Brolga:\n");
    for audience in [Audience::Users, Audience::Developers] {
        if audience == Audience::Developers {
            text.push_str("\nFor work on the driver itself; these may change with any version:\n");
        }
        for variable in VARIABLES.iter().filter(|variable| variable.audience == audience) {
            let _ = writeln!(text, "\n  {}={}", variable.name, variable.value);
            for line in wrapped(variable.meaning, 88) {
                let _ = writeln!(text, "      {line}");
            }
            let _ = writeln!(text, "      Default: {}.", variable.default);
            if variable.name == "BROLGA_DEBUG" {
                for (topic, meaning) in TOPICS {
                    let _ = writeln!(text, "        {topic:<8}{meaning}");
                }
            }
        }
    }
    text
}

/// Tables in Markdown, for the book.
pub fn markdown() -> String {
    let mut text = String::new();
    for (audience, title) in [
        (Audience::Users, "## For users"),
        (
            Audience::Developers,
            "## For work on the driver\n\nThese may change with any version.",
        ),
    ] {
        let _ = writeln!(text, "{title}\n\n| Variable | Value | Default | Meaning |\n|---|---|---|---|");
        for variable in VARIABLES.iter().filter(|variable| variable.audience == audience) {
            let Variable {
                name,
                value,
                default,
                meaning,
                ..
            } = variable;
            let _ = writeln!(text, "| `{name}` | {value} | {default} | {meaning} |");
        }
        text.push('\n');
    }
    text.push_str("## Topics of `BROLGA_DEBUG`\n\n| Topic | What is shown |\n|---|---|\n");
    for (topic, meaning) in TOPICS {
        let _ = writeln!(text, "| `{topic}` | {meaning} |");
    }
    text
}

/// Lines of at most so many characters, where words allow it.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it begins with one");
        if !line.is_empty() && line.len() + 1 + word.len() > most {
            lines.push(word.into());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_sentences_whole() {
        let users: Vec<&str> = VARIABLES
            .iter()
            .filter(|variable| variable.audience == Audience::Users)
            .map(|variable| variable.name)
            .collect();
        assert!(users.is_sorted(), "{users:?}");
        for variable in VARIABLES {
            assert!(variable.name.starts_with("BROLGA_"), "{}", variable.name);
            assert!(variable.meaning.ends_with('.'), "{}", variable.name);
            assert!(
                !variable.meaning.contains('|') && !variable.value.contains('|'),
                "{}",
                variable.name
            );
        }
    }

    #[test]
    fn help_names_every_variable_and_topic() {
        for text in [help(), markdown()] {
            assert!(VARIABLES.iter().all(|variable| text.contains(variable.name)));
            assert!(TOPICS.iter().all(|(topic, _)| text.contains(topic)));
        }
        assert!(help().lines().all(|line| line.chars().count() <= 140));
    }
}
