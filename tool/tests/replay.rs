//! What `BROLGA_RECORD` records is run again: by the command, and by the C program that it writes, through the system's loader.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A kernel with an argument of each kind.
const SOURCE: &str = "kernel void scale(global float *out, global const float *in, float factor, local float *tile) {
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)] * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] += tile[get_local_size(0) - 1 - l];
}
";

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn brolga(arguments: &[&str], variables: &[(&str, &Path)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brolga"));
    command.env_remove("BROLGA_RECORD").envs(variables.iter().copied());
    let output = command.args(arguments).output().expect("the command");
    (output.status.code(), text(&output))
}

/// A directory of a test's own, which is not there yet.
fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// Records two launches of [`SOURCE`].
fn record(name: &str) -> PathBuf {
    let directory = fresh(name);
    let file = directory.with_extension("cl");
    std::fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).expect("a directory for tests");
    std::fs::write(&file, SOURCE).expect("a file");
    let arguments = "--global 64 --local 16 --arg buffer:f32:64 --arg readonly:f32:64:iota --arg value:f32:2.5 --arg local:64 --repeat 2";
    let mut all = vec!["run", file.to_str().expect("a path of text")];
    all.extend(arguments.split(' '));
    let (code, said) = brolga(&all, &[("BROLGA_RECORD", &directory)]);
    assert_eq!(code, Some(0), "{said}");
    directory
}

fn replay(directory: &Path, more: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["replay", directory.to_str().expect("a path of text")];
    all.extend(more);
    brolga(&all, &[])
}

#[test]
fn launches_are_replayed_to_the_same_bytes() {
    let directory = record("same");
    let (code, said) = replay(&directory, &[]);
    assert_eq!((code, said.as_str()), (Some(0), "2 of 2 launches as recorded\n"));
    let (code, said) = replay(&directory, &["--check"]);
    assert_eq!((code, said.as_str()), (Some(0), "2 of 2 launches as recorded\n"));
    // What is recorded again is another trace.
    let (code, said) = brolga(
        &["replay", directory.to_str().expect("a path of text")],
        &[("BROLGA_RECORD", &directory)],
    );
    assert_eq!(code, Some(0));
    assert!(said.contains("trace.txt: File exists"), "{said}");
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn what_is_not_as_recorded_is_told() {
    let directory = record("other");
    let file = directory.join("trace.txt");
    let trace = std::fs::read_to_string(&file).expect("the trace");
    // 2.5, and 3.
    assert!(trace.contains("value 2 00002040"), "{trace}");
    let first = trace.replacen("value 2 00002040", "value 2 00004040", 1);
    std::fs::write(&file, first).expect("the trace");
    let (code, said) = replay(&directory, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("launch 0 of 'scale': memory 0 is not as recorded, from byte "),
        "{said}"
    );
    // The second begins with what was recorded.
    assert!(said.contains("1 of 2 launches as recorded"), "{said}");
    std::fs::write(&file, trace + "nonsense 1\n").expect("the trace");
    let (code, said) = replay(&directory, &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("'nonsense 1' is no line of a trace"), "{said}");
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn a_host_program_in_c_does_the_same() {
    let directory = record("c");
    let (code, said) = replay(&directory, &["--write-c", "host.c"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let compiled = Command::new("cc")
        .args(["-o", "host", "host.c", "-l:libOpenCL.so.1"])
        .current_dir(&directory)
        .output();
    let compiled = match compiled {
        Ok(compiled) if !text(&compiled).contains("CL/cl.h: No such file") => compiled,
        other => {
            println!("skipped: there is no C compiler, or OpenCL's headers are not installed: {other:?}");
            return;
        }
    };
    assert_eq!(text(&compiled), "");
    // Through the loader; what the program does is recorded and replayed in its turn.
    let again = fresh("c-again");
    let ran = Command::new("./host")
        .current_dir(&directory)
        .env("BROLGA_RECORD", &again)
        .output()
        .expect("the program");
    if text(&ran).contains("clGetPlatformIDs: -1001") {
        println!("skipped: the loader finds no driver");
        return;
    }
    assert_eq!(text(&ran), "2 launches, 0 buffers not as recorded\n");
    if again.exists() {
        let (code, said) = replay(&again, &[]);
        assert_eq!((code, said.as_str()), (Some(0), "2 of 2 launches as recorded\n"));
    } else {
        println!("the loader's first platform is another driver");
    }
    for directory in [directory, again] {
        let _ = std::fs::remove_dir_all(directory);
    }
}
