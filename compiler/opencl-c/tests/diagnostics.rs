//! The language's restrictions, as programs (`diagnostics/*.cl`) with what is to be said of each line in a comment at its end:
//!
//! ```text
//! // options: -cl-std=CL2.0 -w -Werror -Wno-format without cl_khr_fp16      the first line; `without` takes features away
//! float f(int x) { return y; }   // error: use of undeclared identifier 'y'
//! ```
//!
//! `error`, `warning` and `note` name the severity; `// error: a // note: b` expects two. Every error and warning must be expected, in its line, and every
//! expectation must be met. What is found when SPIR-V is made of the program counts, too.

use opencl_c::diagnostics::Severity;
use opencl_c::preprocessor::Preprocessor;
use opencl_c::{CompileOptions, Input, Session, emit, parse};
use std::path::Path;

/// What programs here may count on.
const FEATURES: &[&str] = &[
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_subgroups",
    "cl_khr_subgroup_ballot",
    "__opencl_c_fp64",
    "__opencl_c_int64",
    "__opencl_c_images",
    "__opencl_c_3d_image_writes",
    "__opencl_c_read_write_images",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_pipes",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
];

fn options(line: &str) -> CompileOptions {
    let mut options = CompileOptions {
        version: 120,
        features: FEATURES.iter().map(|name| name.to_string()).collect(),
        error_limit: 0,
        ..CompileOptions::default()
    };
    let (words, without) = line.split_once("without").unwrap_or((line, ""));
    for word in words.split_whitespace() {
        match word {
            "-w" => options.no_warnings = true,
            "-Werror" => options.warnings_are_errors = true,
            _ => match (word.strip_prefix("-cl-std=CL"), word.strip_prefix("-Wno-")) {
                (Some(version), _) => options.version = version.replace('.', "").parse::<u32>().expect(word) * 10,
                (_, Some(flag)) => options.disabled_warnings.push(flag.to_owned()),
                _ => panic!("no option {word}"),
            },
        }
    }
    options
        .features
        .retain(|name| !without.split_whitespace().any(|other| other == name));
    options
}

/// Line, severity, and text of what is said of a program.
fn diagnosed(name: &str, source: &str) -> Vec<(u32, &'static str, String)> {
    let first = source.lines().next().unwrap_or_default();
    let options = options(first.strip_prefix("// options:").unwrap_or_default());
    let session = Session::new(options.clone());
    let input = Input {
        name,
        source: source.as_bytes(),
        headers: &[],
        options: &options,
    };
    let program = parse::parse(&session, Preprocessor::new(&session, &input));
    if !session.diagnostics.has_errors() {
        emit::emit(&session, &program);
    }
    let list = session.diagnostics.list();
    list.into_iter()
        .map(|diagnostic| {
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let line = session
                .sources
                .position(session.sources.point(diagnostic.loc).0)
                .map_or(0, |position| position.line);
            let flag = diagnostic.flag.map_or(String::new(), |flag| format!(" [-W{}]", flag.0));
            (line, severity, diagnostic.message + &flag)
        })
        .collect()
}

/// What a line's comments expect.
fn expected(line: &str) -> Vec<(&str, &str)> {
    line.split("// ")
        .skip(1)
        .filter_map(|comment| comment.split_once(": "))
        .filter(|(severity, _)| ["error", "warning", "note"].contains(severity))
        .map(|(severity, text)| (severity, text.trim()))
        .collect()
}

fn check(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let source = std::fs::read_to_string(path).expect("the file is read");
    let mut found = diagnosed(&name, &source);
    let mut wrong = String::new();
    for (index, line) in source.lines().enumerate() {
        let number = index as u32 + 1;
        for (severity, text) in expected(line) {
            match found
                .iter()
                .position(|one| one.0 == number && one.1 == severity && one.2.contains(text))
            {
                Some(at) => _ = found.remove(at),
                None => wrong += &format!("{name}:{number}: there is no {severity}: {text}\n"),
            }
        }
    }
    // Notes say more of what is expected anyway.
    for (line, severity, text) in found.into_iter().filter(|one| one.1 != "note") {
        wrong += &format!("{name}:{line}: not expected: {severity}: {text}\n");
    }
    wrong
}

#[test]
fn every_line_is_diagnosed_as_it_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .expect("the directory is there")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let mut wrong = String::new();
    let mut count = 0;
    for file in &files {
        wrong += &check(file);
        count += std::fs::read_to_string(file)
            .expect("the file is read")
            .lines()
            .map(|line| expected(line).len())
            .sum::<usize>();
    }
    println!("{} programs, {count} diagnostics", files.len());
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn an_expectation_can_fail() {
    let found = diagnosed("test.cl", "// options: -cl-std=CL1.2\nint f() { return x; }\n");
    assert_eq!(found, [(2, "error", "use of undeclared identifier 'x'".to_owned())]);
    assert_eq!(expected("x; // error: a // note: b"), [("error", "a"), ("note", "b")]);
}
