//! The tool `brolga`, as a program.

use std::io::Write;
use std::process::{Command, Stdio};

fn brolga(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .args(arguments)
        .output()
        .expect("brolga runs");
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// A module in a file of its own.
fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-{name}.spv", std::process::id()));
    std::fs::write(&path, compiler::spirv::assemble(text).expect("a module")).expect("a file");
    path.display().to_string()
}

const DOUBLES: &str =
    "OpCapability Kernel\nOpCapability Addresses\nOpCapability Float64\nOpMemoryModel Physical64 OpenCL\n%d = OpTypeFloat 64\n";

#[test]
fn validates_for_an_environment_with_switches() {
    let path = file("doubles", DOUBLES);
    assert_eq!(brolga(&["validate", &path]).0, 0);
    assert_eq!(brolga(&["validate", "--env", "level-zero", &path]).0, 0);
    let (code, text) = brolga(&["validate", "--env", "level-zero", "--without", "ZE_DEVICE_MODULE_FLAG_FP64", &path]);
    assert!(code == 1 && text.contains("Float64") && text.contains("CAPABILITY"), "{text}");
    let (code, text) = brolga(&["validate", "--json", "--without", "cl_khr_fp64", &path]);
    assert!(
        code == 1 && text.contains("\"valid\":false") && text.contains("\"rule\":\"CAPABILITY\""),
        "{text}"
    );
    assert_eq!(brolga(&["validate", "--env", "nothing", &path]).0, 2);
    assert_eq!(brolga(&["validate", "--without", "nothing", &path]).0, 2);
    std::fs::remove_file(path).expect("it was there");
}

/// What the device is, and what it would be with each row of the registry, in the form that MLIR reads.
#[test]
fn mlir_reads_the_target_environment() {
    let with: Vec<&str> = vendors::rows().flat_map(|row| ["--with", row.name]).collect();
    for arguments in [
        &["env", "--mlir"][..],
        &["env", "--mlir", "--env", "level-zero"],
        &[&["env", "--mlir"][..], &with[..]].concat(),
    ] {
        let (code, attribute) = brolga(arguments);
        assert!(
            code == 0 && attribute.contains("api=OpenCL") && attribute.contains(":CPU"),
            "{attribute}"
        );
        let child = Command::new("mlir-opt-22")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: mlir-opt-22 is not installed");
            return;
        };
        let text = format!("module attributes {{spirv.target_env = {}}} {{}}", attribute.trim());
        child
            .stdin
            .take()
            .expect("piped")
            .write_all(text.as_bytes())
            .expect("mlir-opt reads");
        let output = child.wait_with_output().expect("mlir-opt ends");
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A module as text, its kernel in the IR, and its code.
#[test]
fn a_module_is_shown_in_each_form() {
    let path = file("small", include_str!("../../compiler/pipeline/tests/spirv/valid/small.spvasm"));
    let (code, text) = brolga(&["dump", &path]);
    assert!(
        code == 0 && text.contains("function workitem @small") && !text.contains("OpEntryPoint"),
        "{text}"
    );
    let (code, text) = brolga(&["dump", "--module", &path]);
    assert!(
        code == 0 && text.contains("OpEntryPoint Kernel %1 \"small\"") && !text.contains("@small"),
        "{text}"
    );
    let (code, text) = brolga(&["dump", "--code", &path]);
    assert!(code == 0 && text.contains("brolga asm") && text.contains("ret"), "{text}");
    assert_eq!(brolga(&["dump"]).0, 2);
    std::fs::remove_file(path).expect("it was there");
}

/// A literal that its type has no room for is no number of that type.
#[test]
fn the_assembler_refuses_what_does_not_fit() {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-wide.spvasm", std::process::id()));
    std::fs::write(&path, "%u8 = OpTypeInt 8 0\n%c = OpConstant %u8 511\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .arg("assemble")
        .arg(&path)
        .output()
        .expect("brolga runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && errors.contains("line 2: 511 has more than the 8 bits"),
        "{errors}"
    );
    std::fs::remove_file(path).expect("it was there");
}

/// `--text` gives the line that the instruction has in `brolga dump --module`.
#[test]
fn errors_lead_to_the_text() {
    let text = include_str!("../../compiler/pipeline/tests/spirv/valid/small.spvasm").replace("OpTypeInt 32 0", "OpTypeInt 32 1");
    let path = file("signed", &text);
    let (code, told) = brolga(&["validate", "--text", &path]);
    let place = "at instruction 6 (word 21, line 12 of the text): %4 = OpTypeInt 32 1";
    assert!(code == 1 && told.contains(place), "{told}");
    let (_, listing) = brolga(&["dump", "--module", &path]);
    assert_eq!(listing.lines().nth(11), Some("%4 = OpTypeInt 32 1"), "{listing}");
    let (_, json) = brolga(&["validate", "--json", &path]);
    assert!(json.contains("\"index\":6,\"word\":21,\"textLine\":12"), "{json}");
    std::fs::remove_file(path).expect("it was there");
}

#[test]
fn bitcode_is_told_from_spirv() {
    for magic in [&b"BC\xc0\xde"[..], &[0xde, 0xc0, 0x17, 0x0b]] {
        let path = std::env::temp_dir().join(format!("brolga-tool-{}-{}.bc", std::process::id(), magic[0]));
        std::fs::write(&path, [magic, &[0; 40]].concat()).expect("a file");
        let (code, told) = brolga(&["validate", &path.display().to_string()]);
        assert!(
            code == 1 && told.contains("this is LLVM bitcode") && told.contains("llvm-spirv"),
            "{told}"
        );
        std::fs::remove_file(path).expect("it was there");
    }
}

#[test]
fn environments_are_listed_and_minimal_ones_say_why() {
    let (code, text) = brolga(&["env", "--env", "opencl3.0-minimal"]);
    assert!(
        code == 0 && text.contains("  Kernel\n") && !text.contains("  ImageBasic\n"),
        "{text}"
    );
    let (code, text) = brolga(&["env"]);
    assert!(
        code == 0 && text.contains("  Pipes\n") && !text.contains("pipes are not compiled"),
        "{text}"
    );
}

/// Help and the book's tables come from one table.
#[test]
fn variables_are_listed() {
    for arguments in [&["variables"][..], &["variables", "--markdown"]] {
        let (code, text) = brolga(arguments);
        assert!(
            code == 0 && vendors::variables::VARIABLES.iter().all(|variable| text.contains(variable.name)),
            "{text}"
        );
    }
}

/// `brolga builtins | head -n 1`, with a reader that is gone before anything is written.
/// Kernels are vectorized as for each machine that BROLGA_TARGET names, and run here; a name that is none is told of.
#[test]
fn kernels_run_as_other_machines_would_have_them() {
    let source = "kernel void scale(global float *out, global const float *in, uint n) {
        float sum = 0;
        for (uint k = 0; k < n; k++) sum += in[k] * (k & 1 ? in[get_global_id(0)] : 2.0f);
        out[get_global_id(0)] = sum;
    }";
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-machines.cl", std::process::id()));
    std::fs::write(&path, source).expect("a file");
    let arguments = [
        "run",
        path.to_str().expect("a path of text"),
        "--global=64",
        "--arg=buffer:f32:64",
        "--arg=buffer:f32:64:iota",
        "--arg=value:u32:64",
        "--print=0",
    ];
    let run = |target: &str| brolga_with(&arguments, &[("BROLGA_TARGET", target)]);
    let (code, expected, said) = run("auto");
    assert!(code == 0 && !expected.is_empty(), "{said}");
    let about = vendors::variables::VARIABLES
        .iter()
        .find(|variable| variable.name == "BROLGA_TARGET");
    let about = about.map_or(String::new(), |variable| format!("{variable:?}"));
    for name in target::names() {
        assert_eq!(run(name), (0, expected.clone(), String::new()), "{name}");
        assert!(about.contains(name), "{name} is not in the variable's description");
    }
    let (code, same, said) = run("zen2");
    assert_eq!((code, same), (0, expected));
    assert!(said.contains("zen3") && said.contains("not \"zen2\""), "{said}");
    std::fs::remove_file(path).expect("it was there");
}

/// What was decided about a kernel's loops: with costs, and for the machine that is named.
#[test]
fn plans_are_shown_for_a_machine() {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-plan.cl", std::process::id()));
    std::fs::write(&path, "kernel void k(global int *a) { a[get_global_id(0)] += 1; }").expect("a file");
    let module = path.with_extension("spv");
    let [source, module] = [&path, &module].map(|path| path.to_str().expect("a path of text"));
    assert_eq!(brolga(&["compile", source, "-o", module]).0, 0);
    let plan = |target: &str| brolga_with(&["dump", "--plan", module], &[("BROLGA_TARGET", target)]);
    let [(0, old, _), (0, new, _)] = [plan("zen3"), plan("zen5")] else {
        panic!("{:?} {:?}", plan("zen3"), plan("zen5"))
    };
    assert!(old.contains("plan: k") && new.contains("plan: k") && old != new, "{old}\n{new}");
    // Without the flag there is the IR alone.
    assert!(!brolga(&["dump", module]).1.contains("plan:"), "the plan is not asked for");
    for path in [source, module] {
        std::fs::remove_file(path).expect("it was there");
    }
}

#[test]
fn a_reader_that_ends_ends_the_command() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .arg("builtins")
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(libc::SIGPIPE));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The command with variables set, with what it writes to stdout.
fn brolga_with(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("brolga runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_cache_is_listed_measured_and_cleared() {
    let directory = std::env::temp_dir().join(format!("brolga-tool-cache-{}", std::process::id()));
    let cache = compiler::source::cache::Cache::at(&directory, 1 << 20).expect("a directory of its own");
    std::fs::write(directory.join("0123.entry"), b"twelve bytes").expect("written");
    assert_eq!(cache.entries().len(), 1);
    let variables = [("BROLGA_CACHE", directory.to_str().expect("plain letters"))];
    let (code, text, _) = brolga_with(&["cache", "list"], &variables);
    assert!(code == 0 && text.contains("12 ") && text.contains("0123.entry"), "{text}");
    let (code, text, _) = brolga_with(&["cache", "size"], &variables);
    assert!(code == 0 && text.starts_with("1 entries, 12 of at most "), "{text}");
    let (code, text, _) = brolga_with(&["cache", "clear"], &variables);
    assert!(code == 0 && text.starts_with("1 files deleted"), "{text}");
    assert_eq!(cache.entries().len(), 0);
    std::fs::remove_dir(directory).expect("it is empty");
    let (code, _, text) = brolga_with(&["cache", "size"], &[("BROLGA_CACHE", "0")]);
    assert!(code == 1 && text.contains("BROLGA_CACHE=0"), "{text}");
    let (code, _, text) = brolga_with(&["cache", "size"], &[("BROLGA_CACHE", "somewhere")]);
    assert!(code == 1 && text.contains("relative"), "{text}");
}

/// What packages put where shells and man look.
#[test]
fn manuals_and_completions_are_written() {
    let directory = std::env::temp_dir().join(format!("brolga-tool-documents-{}", std::process::id()));
    assert_eq!(brolga(&["documents", directory.to_str().expect("plain letters")]).0, 0);
    for (path, word) in [
        ("man/brolga.1", "doctor"),
        ("man/brolga-validate.1", "strict"),
        ("bash/brolga", "validate"),
        ("zsh/_brolga", "validate"),
        ("fish/brolga.fish", "validate"),
    ] {
        let text = std::fs::read_to_string(directory.join(path)).expect("it was written");
        assert!(text.contains(word), "{path}");
    }
    std::fs::remove_dir_all(directory).expect("it was there");
}

/// A directory of registrations of which one is broken: the doctor names it, in both forms of its report.
#[test]
fn the_doctor_names_what_is_broken() {
    let directory = std::env::temp_dir().join(format!("brolga-tool-doctor-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(directory.join("gone.icd"), "/nowhere/libgone.so\n").expect("a file");
    let variables = [("OCL_ICD_VENDORS", directory.to_str().expect("plain letters"))];
    let (code, text, _) = brolga_with(&["doctor"], &variables);
    assert!(
        code == 1 && text.contains("PROBLEM") && text.contains("/nowhere/libgone.so, which does not exist"),
        "{text}"
    );
    let (code, text, _) = brolga_with(&["doctor", "--json"], &variables);
    assert!(
        code == 1 && text.contains(r#""level":"problem""#) && text.contains("/nowhere/libgone.so"),
        "{text}"
    );
    std::fs::remove_dir_all(directory).expect("it was there");
}

/// Passes are run by name over a file of the IR; what does not exist, or can't be run alone, is refused by name.
#[test]
fn passes_are_run_by_name() {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-opt.ir", std::process::id()));
    let text = "function workitem @f -> i32 {\nblock0:\n  v0 = const.i32 2\n  v1 = const.i32 3\n  v2 = add v0, v1\n  return v2\n}\n";
    std::fs::write(&path, text).expect("a file");
    let path = path.display().to_string();
    let (code, text) = brolga(&["opt", "--passes", "fold,dce", &path]);
    assert!(code == 0 && text.contains("const.i32 5") && !text.contains("add"), "{text}");
    assert_ne!(brolga(&["opt", "--passes", "fold,lick", &path]).0, 0);
    assert_eq!(brolga(&["opt", "--passes", "fold", "--disable", "lick", &path]).0, 2);
    assert_eq!(brolga(&["opt", "--passes", "fold"]).0, 2);
    assert_ne!(brolga(&["opt", &path]).0, 0);
    let (code, text) = brolga(&["opt", "--passes", "fold,dce", "--disable", "fold,dce", &path]);
    assert!(code == 0 && text.contains("add"), "{text}");
    let (code, text) = brolga(&["opt", "--list"]);
    assert!(code == 0 && text.contains("licm"), "{text}");
    // A file says itself what is done to it, and for which launch; flags say otherwise.
    let kernel = "; test: gang vector form group; width 8; local 64 1 1; target avx2\nfunction workitem @f {\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 invariant dereferenceable [v0]\n  v2 = builtin global_id 0\n  v3 = load.f32 global align 4 [v1 + v2 * 4]\n  v4 = fadd v3, v3\n  store v4, global align 4 [v1 + v2 * 4]\n  return\n}\n";
    std::fs::write(&path, kernel).expect("a file");
    for (flags, wanted) in [
        (&["--disable", "widen"][..], "load.f32x8"),
        (&[], "f32x32"),
        (&["--width", "4", "--disable", "widen"], "load.f32x4"),
        (&["--launch", "cut-groups", "--local", "20,1,1"], "mask"),
    ] {
        let (code, text) = brolga(&[&["opt", path.as_str()], flags].concat());
        assert!(
            code == 0 && text.contains("function workgroup") && text.contains(wanted),
            "{flags:?}: {text}"
        );
    }
    assert_ne!(brolga(&["opt", "--width", "7", &path]).0, 0);
    std::fs::remove_file(path).expect("it was there");
}

/// Standard output, standard error and exit code of `brolga run` with a kernel in a file.
fn run_kernel(name: &str, source: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-{name}.cl", std::process::id()));
    std::fs::write(&path, source).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .arg("run")
        .arg(&path)
        .args(arguments)
        .env("BROLGA_CACHE", "0")
        .env("BROLGA_FRONTEND", "own")
        .output()
        .expect("brolga runs");
    std::fs::remove_file(&path).expect("it was there");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const SHIFTED: &str = "kernel void shifted(global float *out, global const float *in, float by) {\n    \
    int i = get_global_id(0);\n    out[i] = in[i + 1] + by;\n}\n";

const SHIFTED_ARGUMENTS: [&str; 6] = ["--arg", "buffer:f32:4", "--arg", "readonly:f32:4:iota", "--arg", "value:f32:0.5"];

#[test]
fn runs_kernels_and_prints_saves_and_compares_buffers() {
    let saved = std::env::temp_dir().join(format!("brolga-tool-{}.npy", std::process::id()));
    let saved = saved.display().to_string();
    let with = |more: &[&str]| run_kernel("shifted", SHIFTED, &[&["--global", "3"], &SHIFTED_ARGUMENTS[..], more].concat());
    let (code, text, error) = with(&["--print", "0", "--save", &format!("0:{saved}")]);
    assert_eq!((code, text.as_str()), (Some(0), "0: 1.5 2.5 3.5 0\n"), "{error}");
    let (code, text, _) = with(&["--expect", &format!("0:{saved}"), "--repeat", "3"]);
    assert!(code == Some(0) && text.starts_with("3 runs: "), "{text}");
    let (code, _, error) = with(&["--expect", &format!("1:{saved}")]);
    assert!(
        code == Some(1) && error.contains("element 0 is 0 instead of 1.5 (4 of 4 differ)"),
        "{error}"
    );
    let (code, _, error) = with(&["--print", "2"]);
    assert!(code == Some(2) && error.contains("argument 2 is no buffer"), "{error}");
    std::fs::remove_file(saved).expect("it was saved");
}

#[test]
fn runs_kernels_checked() {
    let arguments = [&["--global", "4", "--check"], &SHIFTED_ARGUMENTS[..]].concat();
    let (code, _, error) = run_kernel("beyond", SHIFTED, &arguments);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("beyond.cl:3:16: read of 4 bytes, just beyond the end of argument 1 'in'"),
        "{error}"
    );
    assert!(
        error.contains("  3 |     out[i] = in[i + 1] + by;\n    |                ^\n"),
        "{error}"
    );
    assert!(error.contains("CL_CHECK_FAILED_BROLGA (-9701)"), "{error}");
}

#[test]
fn runs_kernels_with_buffers_that_nobody_has_written() {
    let source = "kernel void add(global const float *in, global float *out) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }";
    let with = |fill: &str, checks: &str| {
        let (input, check) = (format!("readonly:f32:4:{fill}"), format!("--check={checks}"));
        let (code, _, error) = run_kernel(
            "unwritten",
            source,
            &["--global", "4", &check, "--arg", &input, "--arg", "buffer:f32:4"],
        );
        (code, error)
    };
    let (code, error) = with("unwritten", "global-uninit");
    assert!(code == Some(1) && error.contains("which were not written before"), "{error}");
    for (fill, checks) in [("zero", "global-uninit"), ("unwritten", "1")] {
        let (code, error) = with(fill, checks);
        assert_eq!(code, Some(0), "{error}");
    }
}

/// A kernel with a helper and a loop.
const SUMS: &str = "float scaled(float x, float by)
{
    return x * by + 1.0f;
}

kernel void sums(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += scaled(in[i * n + j], 2.0f);
    out[i] = sum;
}
";

/// What gdb says of a kernel's run, with what it is told to do, where FILE stands for the kernel's file. None where there is no gdb.
fn debugged(name: &str, source: &str, target: &str, commands: &[&str], arguments: &[&str]) -> Option<String> {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-{name}.cl", std::process::id()));
    std::fs::write(&path, source).expect("a file");
    let file = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off"]);
    for command in ["set breakpoint pending on"].iter().chain(commands).chain(&["kill"]) {
        gdb.args(["-ex", &command.replace("FILE", file)]);
    }
    let output = gdb
        .args(["--args", env!("CARGO_BIN_EXE_brolga"), "run"])
        .arg(&path)
        .args(arguments)
        .env("BROLGA_TARGET", target)
        .env("BROLGA_FRONTEND", "own")
        .output();
    std::fs::remove_file(&path).expect("it was there");
    let Ok(output) = output else {
        println!("no gdb on this machine");
        return None;
    };
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    if text.contains("Operation not permitted") || text.contains("Could not trace") {
        println!("gdb may not debug here: {text}");
        return None;
    }
    Some(text.replace(file, "sums.cl"))
}

/// What gdb says of SUMS, with a breakpoint at the line of the loop's body and one at the store behind it.
fn debugged_sums(name: &str, target: &str, options: &str) -> Option<String> {
    let commands = [
        "break FILE:11",
        "run",
        "backtrace 2",
        "list 11,11",
        "delete",
        "break FILE:12",
        "continue",
        "backtrace 1",
    ];
    let options = format!("--options={options}");
    let arguments = [
        &options,
        "--global=64",
        "--local=32",
        "--arg=buffer:f32:64",
        "--arg=buffer:f32:640:iota",
        "--arg=value:i32:10",
    ];
    debugged(name, SUMS, target, &commands, &arguments)
}

#[test]
fn gdb_knows_the_lines_of_kernels() {
    // Checked kernels have lines, as reports need them.
    let checked = "-brolga-check=1";
    for (name, target, options) in [
        ("plain", "auto", "-g"),
        ("cranelift", "cranelift", "-g"),
        ("checked", "auto", checked),
        ("checked-cranelift", "cranelift", checked),
    ] {
        let Some(text) = debugged_sums(name, target, options) else { return };
        let stops: Vec<&str> = text.lines().filter(|line| line.starts_with("#0")).collect();
        let at = |line: &str, number: u32| line.contains("sums (") && line.ends_with(&format!("sums.cl:{number}"));
        assert!(
            matches!(stops[..], [first, then] if at(first, 11) && at(then, 12)),
            "{name}: {text}"
        );
        assert!(text.contains("sum += scaled(in[i * n + j], 2.0f);"), "{name}: {text}");
        // The caller's frame is there, too.
        assert!(text.lines().any(|line| line.starts_with("#1")), "{name}: {text}");
    }
}

#[test]
fn gdb_knows_no_lines_of_programs_built_without_g() {
    let Some(text) = debugged_sums("without", "auto", "") else { return };
    assert!(
        !text.lines().any(|line| line.starts_with("#0")) && text.contains("pending"),
        "{text}"
    );
}

/// A kernel with an argument of each kind that values have.
const ARGUMENTS: &str = "typedef struct { int first; float second; } pair;
kernel void of_each_kind(global float *out, constant short *table, local int *tile, uchar small, long large, double exact, float4 four, pair two)
{
    int i = get_global_id(0);
    tile[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = table[i & 3] + tile[0] + small + large + exact + four.w + two.first + two.second;
}
";

/// A kernel with variables of several kinds.
const VARIABLES: &str = "typedef struct { int first; float second; } pair;
kernel void with_variables(global float *out, int n)
{
    int i = get_global_id(0);
    float4 four = (float4)(i, i + 1, 0.5f, -1);
    float3 three = four.zyx;
    pair two = {n, i * 0.5f};
    int few[3] = {i, n, 7};
    global float *place = out + i;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += four.x + few[k % 3];
    *place = sum + three.y + two.second;
}
";

#[test]
fn gdb_prints_the_variables_of_lanes() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/gdb/brolga.py");
    let source = format!("source {}", script.display());
    for target in ["auto", "cranelift"] {
        let commands = [
            "break FILE:13",
            "run",
            "print sum[3]",
            "print two[2].second",
            "print few[1]",
            "print *place[1] == out[1]",
            "print three[2]",
            &source,
            "print four[2]",
            "print $lane(three, 1)",
            "lane 3",
            "lane 64",
        ];
        let arguments = [
            "--options=-g -cl-opt-disable",
            "--global=32",
            "--local=32",
            "--arg=buffer:f32:32",
            "--arg=value:i32:4",
        ];
        let Some(text) = debugged(&format!("variables-{target}"), VARIABLES, target, &commands, &arguments) else {
            return;
        };
        for part in [
            "$1 = 29",
            "$2 = 1",
            "$3 = {1, 4, 7}",
            "$4 = 1",
            "$5 = {0.5, 3, 2}",
            "$6 = (2, 3, 0.5, -1)",
            "$7 = (0.5, 2, 1)",
            "lane 3: ",
            "i = 3",
            "two = {first = 4, second = 1.5}",
            "there are lanes 0 to ",
        ] {
            assert!(text.contains(part), "{target}: {part}: {text}");
        }
    }
}

#[test]
fn gdb_prints_the_arguments_of_kernels() {
    for target in ["auto", "cranelift"] {
        // Where the kernel begins, and behind everything that it does with its arguments.
        let commands = [
            "break of_each_kind",
            "run",
            "info args",
            "break FILE:7",
            "continue",
            "print table[3]",
            "print tile[0] % 16",
            "print four",
            "print two[4]",
            "print exact + large",
            "info locals",
        ];
        let given = [
            "--options=-g",
            "--global=64",
            "--local=16",
            "--arg=buffer:f32:64:1",
            "--arg=buffer:i16:4:iota",
            "--arg=local:64",
            "--arg=value:u8:200",
            "--arg=value:i64:-5",
            "--arg=value:f64:0.25",
            "--arg=value:f32:1,2,3,4",
            "--arg=value:i32:7,1065353216",
        ];
        let Some(text) = debugged(&format!("arguments-{target}"), ARGUMENTS, target, &commands, &given) else {
            return;
        };
        for line in [
            "small = 200 '\\310'",
            "large = -5",
            "exact = 0.25",
            "four = {1, 2, 3, 4}",
            "$1 = 3",
            "$2 = 0",
            "$3 = {1, 2, 3, 4}",
            "$4 = 0 '\\000'",
            "$5 = -4.75",
            "global_size = {64, 1, 1}",
            "local_size = {16, 1, 1}",
            "num_groups = {4, 1, 1}",
        ] {
            assert!(text.lines().any(|told| told.trim() == line), "{target}: {line}: {text}");
        }
    }
}

#[test]
fn perf_gets_code_and_lines_of_kernels() {
    let path = std::env::temp_dir().join(format!("brolga-tool-{}-perf.cl", std::process::id()));
    std::fs::write(&path, SUMS).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_brolga"))
        .arg("run")
        .arg(&path)
        .args(["--options=-g", "--global=64"])
        .args(["--arg=buffer:f32:64", "--arg=buffer:f32:640:iota", "--arg=value:i32:10"])
        .envs([("BROLGA_DEBUG", "perf"), ("BROLGA_FRONTEND", "own")])
        .stderr(Stdio::null())
        .spawn()
        .expect("brolga runs");
    let id = child.id();
    assert!(child.wait().expect("it ends").success());
    let [dump, map] = [format!("/tmp/jit-{id}.dump"), format!("/tmp/perf-{id}.map")];
    let (dumped, map_text) = (std::fs::read(&dump).expect("a dump"), std::fs::read_to_string(&map).expect("a map"));
    for file in [path, dump.into(), map.into()] {
        std::fs::remove_file(file).expect("it was there");
    }
    assert!(map_text.lines().any(|line| line.ends_with(" sums")), "{map_text}");
    // A header of 40 bytes, then records: a number, their bytes, a time; lines come before the code that they are of.
    assert_eq!(dumped[..4], 0x4a69_5444u32.to_le_bytes());
    let word = |at: usize| u32::from_le_bytes(dumped[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut kinds) = (40, Vec::new());
    while at < dumped.len() {
        let record = &dumped[at..at + word(at + 4) as usize];
        let name: &[u8] = if word(at) == 2 { b"perf.cl\0" } else { b"sums\0" };
        assert!(record.windows(name.len()).any(|part| part == name), "{record:?}");
        kinds.push(word(at));
        at += record.len();
    }
    assert_eq!(kinds, [2, 0]);
}
