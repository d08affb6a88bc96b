//! C programs (`programs/`) that use the driver through the Level Zero loader, each in a process of its own. A program that ends with 0 was content. Where there is no
//! loader or no header of its (Debian: libze1, libze-dev), no C compiler or no `spirv-as`, a test says so and passes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Makes a program's source and the modules into files, and runs it on the driver. `None`, and a line that says why, where something is missing.
fn run(name: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("level-zero-{name}"));
    std::fs::create_dir_all(&made).expect("the target directory can be written to");
    let program = made.join(name);
    let header = ["/usr/include", "/usr/local/include"].map(|place| Path::new(place).join("level_zero/ze_api.h"));
    if !header.iter().any(|header| header.exists()) {
        println!("skipped: there is no level_zero/ze_api.h (Debian: apt-get install libze-dev)");
        return None;
    }
    let mut compile = Command::new(compiler()?);
    compile
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program);
    compile
        .arg(sources.join(name).with_extension("c"))
        .args(["-lze_loader", "-pthread"]);
    made_by(compile)?;
    for module in ["kernels", "imports", "exports", "images"] {
        let mut assemble = Command::new("spirv-as");
        assemble
            .args(["--target-env", "spv1.2", "-o"])
            .arg(made.join(module).with_extension("spv"));
        assemble.arg(sources.join(module).with_extension("spvasm"));
        made_by(assemble)?;
    }
    let mut command = Command::new(&program);
    command
        .arg(&made)
        .env("ZE_ENABLE_ALT_DRIVERS", library())
        .envs(variables.iter().copied());
    Some(command.output().expect("it was made"))
}

/// Runs a tool. `None`, and a line that says so, where there is none.
fn made_by(mut tool: Command) -> Option<()> {
    match tool.output() {
        Err(error) => {
            println!("skipped: {}: {error}", tool.get_program().display());
            None
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(())
        }
    }
}

/// The C compiler. `None`, and a line that says so, where its programs are for another processor than this test's, which is emulated then.
fn compiler() -> Option<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let machine = Command::new(&compiler).arg("-dumpmachine").output();
    if machine.is_ok_and(|machine| !machine.stdout.starts_with(std::env::consts::ARCH.as_bytes())) {
        println!("skipped: {compiler} makes programs for another processor than the driver's");
        return None;
    }
    Some(compiler)
}

/// The driver, which Cargo builds beside the tests.
fn library() -> PathBuf {
    // target/[TRIPLE/]PROFILE/deps/TEST
    let test = std::env::current_exe().expect("a test is a file");
    test.with_file_name("libze_brolga.so")
}

/// Runs a program that is to be content. What it says on stderr.
#[track_caller]
fn is_content(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    let output = run(name, variables)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{name} {variables:?}: {}\n{out}{err}", output.status);
    Some(err)
}

/// Also where the loader has tables of its own between, as with more than one driver.
#[test]
fn a_program_computes() {
    is_content("sums", &[]);
    is_content("sums", &[("ZE_ENABLE_LOADER_INTERCEPT", "1")]);
}

#[test]
fn modules_that_need_each_other() {
    is_content("links", &[]);
}

#[test]
fn everything_in_its_order() {
    is_content("order", &[]);
}

#[test]
fn pictures_are_read_and_written() {
    is_content("images", &[]);
}

#[test]
fn memory_is_mapped() {
    is_content("mapped", &[]);
}

#[test]
fn the_device_is_managed() {
    is_content("manage", &[("ZES_ENABLE_SYSMAN", "1")]);
}

#[test]
fn children_find_the_table_of_handles_free() {
    is_content("forks", &[]);
}

#[test]
fn mistakes_have_their_errors() {
    is_content("refusals", &[]);
}

#[test]
fn checked_mode_tells_of_what_leaves_its_memory_and_of_nothing_else() {
    let Some(told) = is_content("checked", &[("BROLGA_CHECK", "1")]) else {
        return;
    };
    let reports: Vec<&str> = told.lines().filter(|line| line.starts_with("brolga check:")).collect();
    let expected = [
        "brolga check: kernel 'add': write of 4 bytes, just beyond the end of argument 2 (a buffer of 396 bytes), by work-item (99, 0, 0), local (99, 0, 0)",
        "brolga check: kernel 'reverse': write of 4 bytes, just beyond the end of argument 1 (252 bytes of local memory), by work-item (63, 0, 0), local (63, 0, 0)",
        "brolga check: kernel 'reverse': read of 4 bytes, just beyond the end of argument 1 (252 bytes of local memory), by work-item (0, 0, 0), local (0, 0, 0)",
    ];
    assert_eq!(reports.len(), expected.len(), "{told}");
    assert!(expected.iter().all(|line| reports.contains(line)), "{told}");
}

#[test]
fn nothing_is_exported_but_what_a_loader_asks_for() {
    if compiler().is_none() {
        return;
    }
    let symbols = Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output();
    let Ok(symbols) = symbols else {
        println!("skipped: there is no nm");
        return;
    };
    let symbols = String::from_utf8_lossy(&symbols.stdout);
    let names: Vec<&str> = symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert!(names.contains(&"zeGetGlobalProcAddrTable"), "{names:?}");
    // What debuggers look for is there, too (GDB's interface for code that is made at run time).
    let expected = |name: &&str| name.starts_with("ze") || name.starts_with("__jit_debug_");
    assert!(names.iter().all(expected), "{names:?}");
}
