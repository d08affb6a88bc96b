//! C programs (`programs/`), each in a process of its own, for what concerns a whole process. A program that ends with 0 was content.

use std::path::Path;
use std::process::Command;

#[track_caller]
fn run(name: &str, arguments: &[&str]) -> String {
    run_with(name, arguments, &[])
}

#[track_caller]
fn run_with(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let program = Path::new(env!("PROGRAMS")).join(name);
    let output = Command::new(&program)
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; was it built?", program.display()));
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{name}: {}\n{text}", output.status);
    text
}

/// The host sets flush-to-zero, another rounding mode and unmasked traps; kernels compute as always, and the host finds its state again.
#[test]
fn the_hosts_floating_point_state() {
    run("fenv", &[]);
}

/// Parent and child both use OpenCL after fork().
#[test]
fn fork() {
    run("fork", &[]);
}

/// Workers are forked while other threads are inside the driver.
#[test]
fn workers_that_are_forked() {
    run("workers", &[]);
}

/// The host's own malloc.
#[test]
fn an_allocator_of_the_hosts() {
    run("malloc", &[]);
}

/// The process may have little memory.
#[test]
fn memory_that_is_scarce() {
    run("scarce", &[]);
}

/// `ulimit -v`, in MiB, when the process begins.
#[test]
fn memory_that_is_scarce_from_the_start() {
    for limit in ["150", "200", "300", "500", "1100"] {
        run("scarce", &[limit]);
    }
}

/// What `failures` with these arguments writes to stdout and stderr, and how it ends.
fn failure(what: &str, variables: &[(&str, &str)]) -> (String, String, std::process::ExitStatus) {
    let program = Path::new(env!("PROGRAMS")).join("failures");
    let mut command = Command::new(&program);
    let output = command.arg(what).envs(variables.iter().copied()).output().expect("it was built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status)
}

/// A fault in a kernel ends the process, as it does everywhere; but a line says which kernel it was, and where.
#[test]
fn a_fault_in_a_kernel() {
    use std::os::unix::process::ExitStatusExt;
    let (_, words, status) = failure("fault", &[]);
    for part in [
        "brolga: kernel 'wild'",
        "work-group",
        "address 0x",
        "argument 0 points to, 256 bytes",
    ] {
        assert!(words.contains(part), "{part}: {words:?}");
    }
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "{words}");
    let (_, words, status) = failure("fault", &[("BROLGA_QUIET", "1")]);
    assert!(!words.contains("brolga"), "{words:?}");
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "{words}");
    let (_, words, status) = failure("fault with a handler", &[]);
    assert!(
        words.contains("kernel 'wild'") && words.contains("the application was told"),
        "{words:?}"
    );
    assert_eq!(status.code(), Some(100 + libc::SIGSEGV));
}

/// printf with arguments that its format does not expect.
#[test]
fn printf_with_wrong_arguments() {
    let (printed, words, status) = failure("strings", &[]);
    assert!(status.success(), "{words}");
    assert!(printed.contains("good yes"), "{printed:?}");
}

/// What ends a launch is said once.
#[test]
fn errors_that_no_function_returns() {
    let (_, words, status) = failure("greedy", &[]);
    assert!(status.success(), "{words}");
    assert_eq!(words.matches("brolga: kernel 'greedy'").count(), 1, "{words:?}");
    let (_, words, status) = failure("greedy", &[("BROLGA_QUIET", "1")]);
    assert!(status.success() && words.is_empty(), "{words:?}");
}

/// `__builtin_trap()` ends the launch, and a line says so; the process goes on.
#[test]
fn a_trap_in_a_kernel() {
    let (_, words, status) = failure("trap", &[]);
    assert!(status.success(), "{words}");
    assert_eq!(words.matches("brolga: kernel 'trap'").count(), 1, "{words:?}");
    assert!(words.contains("[37, 0, 0]"), "{words:?}");
}

/// How often the kernel of `variants` was compiled for one local size, and how often for many.
fn variants(what: &str) -> [usize; 2] {
    let text = run_with("variants", &[what], &[("BROLGA_DEBUG", "timing")]);
    let of = |kind: &str| {
        text.lines()
            .filter(|line| line.contains("variant of who for") && line.contains(kind))
            .count()
    };
    [of("local_size: Exactly("), of("local_size: Told")]
}

/// Few local sizes have code of their own. Of many, most share code, so that cycling through them compiles nothing; one that is used more than
/// the others that share gets its own.
#[test]
fn many_local_sizes() {
    assert_eq!(variants("few"), [4, 0]);
    let [own, shared] = variants("many");
    // 16 sizes, six of them with groups that are cut off, too.
    assert!(own == 16 + 6 && (1..=20).contains(&shared), "{own} and {shared}");
    assert_eq!(variants("hot"), [16 + 1, 1]);
}

/// 128 local sizes, each used some times in a row, in several rounds: the first compiles a bounded number of variants, the later ones none.
#[test]
fn many_local_sizes_in_rounds() {
    let text = run_with("variants", &["often"], &[("BROLGA_DEBUG", "timing")]);
    let rounds: Vec<&str> = text.split("round ").skip(1).collect();
    let compiled: Vec<usize> = rounds.iter().map(|round| round.matches("variant of who for").count()).collect();
    assert!(
        compiled.len() == 4 && compiled[0] <= 64 && compiled[1] <= 4 && compiled[2..] == [0, 0],
        "{compiled:?}"
    );
}

/// More kinds of launches than shared variants serve: the others have one that assumes next to nothing, and nothing is compiled twice.
#[test]
fn many_kinds_of_launches() {
    let text = run_with("kinds", &[], &[("BROLGA_DEBUG", "timing")]);
    let (first, second) = text.split_once("round 1").expect("two rounds");
    let compiled = [first, second].map(|round| round.matches("variant of who for").count());
    let general = first.matches("zero_offset: false, aligned_offset: false, small_ids: false").count();
    assert!(
        compiled[0] <= 80 && compiled[1] == 0 && (1..=15).contains(&general),
        "{compiled:?}, {general}"
    );
}

/// Exits with work, callbacks and a build under way.
#[test]
fn leaving_while_work_is_under_way() {
    run("leave", &[]);
}

/// A loader inside the host, which exports OpenCL's names, and opens the driver in each way that loaders use.
#[test]
fn a_loader_inside_the_host() {
    let vendors = std::env::var("OCL_ICD_VENDORS").unwrap_or_default();
    let Ok(driver) = std::fs::read_to_string(Path::new(&vendors).join("brolga.icd")) else {
        // Another driver, wherever it may be.
        return;
    };
    for way in ["local", "global", "deepbind"] {
        run("embedded", &[way, driver.trim()]);
    }
}

/// Calls and launches on stderr, and a trace that others can read.
#[test]
fn what_people_may_see() {
    let trace = Path::new(env!("PROGRAMS")).join("trace.json");
    let variables = [("BROLGA_DEBUG", "api,launch,spirv"), ("BROLGA_TRACE", trace.to_str().unwrap())];
    let text = run_with("fenv", &[], &variables);
    assert!(text.contains(" us clBuildProgram: CL_SUCCESS\n"), "{text}");
    assert!(text.contains("OpEntryPoint Kernel %"), "{text}");
    assert!(
        text.contains(" work-items in groups of [") && text.contains("]: complete\n"),
        "{text}"
    );
    let trace = std::fs::read_to_string(trace).unwrap();
    // A list that lacks nothing but its end.
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(lines[0], "[");
    for (index, line) in lines.iter().enumerate().skip(1) {
        let line = line.strip_suffix(',').unwrap_or(line);
        assert!(line.starts_with("{\"ph\":\"") && line.ends_with('}'), "line {index}: {line}");
        assert_eq!(line.matches('{').count(), line.matches('}').count(), "line {index}: {line}");
        assert_eq!(lines[index].ends_with(','), index + 1 < lines.len(), "line {index}: {line}");
    }
    for category in ["api", "command", "kernel", "compile"] {
        assert!(trace.contains(&format!("\"cat\":\"{category}\"")), "no {category} in the trace");
    }
    // A launch has its kernel's name on its queue's row, too.
    let named = |line: &&str| line.contains("\"cat\":\"command\"") && line.contains("\"name\":\"k\"");
    assert!(lines.iter().any(named), "{trace}");
}

/// SIGCHLD is ignored, then handled by a handler that reaps every child: programs build all the same, and the handler is never called.
#[test]
fn children() {
    run("children", &[]);
}

/// The demo, as `make demo` runs it.
#[test]
fn demo() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let (source, module) = (directory.join("mandelbrot.cl"), Path::new(env!("PROGRAMS")).join("mandelbrot.spv"));
    let picture = Path::new(env!("PROGRAMS")).join("test");
    let text = run(
        "mandelbrot",
        &[source.to_str().unwrap(), module.to_str().unwrap(), picture.to_str().unwrap()],
    );
    assert!(text.contains("from source") && text.contains("from spirv"), "{text}");
    for kind in ["source", "spirv"] {
        let bytes = std::fs::read(format!("{}-{kind}.png", picture.display())).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}

/// With `BROLGA_REPRODUCIBLE=1` the same bits come out of each code generator, whatever the width of gangs and the number of threads would be.
#[test]
fn results_that_are_the_same_everywhere() {
    let hashes = |reproducible: &str, target: &str, threads: &str, width: &str| {
        let variables = [
            ("BROLGA_FRONTEND", "own"),
            ("BROLGA_REPRODUCIBLE", reproducible),
            ("BROLGA_TARGET", target),
            ("BROLGA_THREADS", threads),
            ("BROLGA_GANG_WIDTH", width),
        ];
        run_with("reproducible", &[], &variables)
    };
    // Those of all machines: they change with the built-in functions, and with nothing else.
    let expected = include_str!("../programs/reproducible.txt");
    for (target, threads, width) in [
        ("cranelift", "1", ""),
        ("cranelift", "3", "4"),
        ("avx2-base", "1", "16"),
        ("avx2", "7", ""),
        ("avx512-base", "2", "4"),
        ("avx512", "16", ""),
        ("auto", "", "32"),
    ] {
        assert_eq!(
            hashes("1", target, threads, width),
            expected,
            "{target}, {threads} threads, gangs of {width}"
        );
    }
    // Without it, they differ: in what the driver chooses, and in what is computed.
    let (narrow, wide) = (hashes("0", "auto", "1", "4"), hashes("0", "auto", "1", "16"));
    let differing = |a: &str, b: &str| -> Vec<String> {
        let pairs = a.lines().zip(b.lines());
        let names = pairs.filter(|(a, b)| a != b).filter_map(|(a, _)| a.split(' ').next());
        names.map(str::to_owned).collect()
    };
    let by_width = differing(&narrow, &wide);
    assert!(
        ["sizes", "groups"]
            .iter()
            .all(|name| by_width.iter().any(|differs| differs == name)),
        "{narrow}\n{wide}"
    );
    assert!(differing(expected, &wide).contains(&"fused".to_owned()), "{expected}\n{wide}");
}
