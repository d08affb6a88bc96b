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
fn launches_that_enqueue_others_are_left_out_by_name() {
    let directory = fresh("enqueues");
    let file = directory.with_extension("cl");
    std::fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).expect("a directory for tests");
    let source = "kernel void parent(global int *out) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{ out[get_global_id(0)] = 1; });
    }";
    std::fs::write(&file, source).expect("a file");
    let file = file.to_str().expect("a path of text");
    let all = ["run", file, "--options=-cl-std=CL3.0", "--global", "1", "--arg", "buffer:i32:4"];
    let (code, said) = brolga(&all, &[("BROLGA_RECORD", &directory)]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = replay(&directory, &[]);
    let expected = "brolga replay: not recorded: a launch of parent it enqueues kernels\n";
    assert!(code == Some(0) && said.contains(expected), "{code:?}: {said}");
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

/// What is the same again and again takes less room, and is the same for the command and for the program in C.
#[test]
fn what_buffers_hold_is_compressed() {
    let directory = fresh("packed");
    let file = directory.with_extension("cl");
    std::fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).expect("a directory for tests");
    std::fs::write(&file, SOURCE).expect("a file");
    let arguments = "--global 64 --local 16 --arg buffer:f32:4096:1.5 --arg readonly:f32:4096:iota --arg value:f32:2.5 --arg local:64";
    let mut all = vec!["run", file.to_str().expect("a path of text")];
    all.extend(arguments.split(' '));
    let (code, said) = brolga(&all, &[("BROLGA_RECORD", &directory)]);
    assert_eq!(code, Some(0), "{said}");
    let sizes = std::fs::read_dir(&directory).expect("the trace").filter_map(|entry| {
        let entry = entry.ok()?;
        let is_packed = entry.path().extension().is_some_and(|extension| extension == "lz4");
        is_packed.then(|| entry.metadata().expect("its size").len())
    });
    let sizes: Vec<u64> = sizes.collect();
    // What the first buffer held before and behind the launch, at least.
    assert!(
        sizes.len() >= 2 && sizes.iter().filter(|&&size| size < 1024).count() >= 2,
        "{sizes:?}"
    );
    let (code, said) = replay(&directory, &[]);
    assert_eq!((code, said.as_str()), (Some(0), "1 of 1 launches as recorded\n"));
    assert_eq!(replay(&directory, &["--write-c", "host.c"]).0, Some(0));
    if let Some(said) = compiled(&directory, None) {
        assert!(said.contains("1 launches, 0 buffers not as recorded"), "{said}");
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// What the program `host.c` in a directory says, compiled and run through the loader. None, with the reason, where that can't be.
fn compiled(directory: &Path, record: Option<&Path>) -> Option<String> {
    let compiled = Command::new("cc")
        .args(["-Wall", "-o", "host", "host.c", "-l:libOpenCL.so.1"])
        .current_dir(directory)
        .output();
    let compiled = match compiled {
        Ok(compiled) if !text(&compiled).contains("CL/cl.h: No such file") => compiled,
        other => {
            println!("skipped: there is no C compiler, or OpenCL's headers are not installed: {other:?}");
            return None;
        }
    };
    let warnings = text(&compiled);
    // A program without images, or without pointers, does not use all of its functions.
    let unused = |line: &&str| line.contains(" warning: ") && !line.contains("-Wunused-function");
    assert!(
        compiled.status.success() && !warnings.lines().any(|line| unused(&line)),
        "{warnings}"
    );
    let mut host = Command::new("./host");
    host.current_dir(directory).env_remove("BROLGA_RECORD");
    if let Some(record) = record {
        host.env("BROLGA_RECORD", record);
    }
    let said = text(&host.output().expect("the program"));
    if said.contains("clGetPlatformIDs: -1001") {
        println!("skipped: the loader finds no driver");
        return None;
    }
    Some(said)
}

#[test]
fn a_host_program_in_c_does_the_same() {
    let directory = record("c");
    let (code, said) = replay(&directory, &["--write-c", "host.c"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    // Through the loader; what the program does is recorded, and replayed as well.
    let again = fresh("c-again");
    let Some(said) = compiled(&directory, Some(&again)) else { return };
    assert_eq!(said, "2 launches, 0 buffers not as recorded\n");
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

/// Kernels with images, a sampler, and a pointer in a struct.
const IMAGES: &str = "kernel void shift(read_only image2d_t in, write_only image2d_t out, sampler_t sampler) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, at, read_imageui(in, sampler, at + (int2)(1, 0)));
}
kernel void layers(read_only image2d_array_t in, write_only image1d_array_t out) {
    int x = get_global_id(0), layer = get_global_id(1);
    write_imageui(out, (int2)(x, layer), read_imageui(in, (int4)(x, 2, layer, 0)));
}
typedef struct { int number; ulong address; } pair;
kernel void through(pair given) { ((global int *)given.address)[get_global_id(0)] += given.number; }
";

/// What the launches of [`IMAGES`] get: two images of 4 × 3, two of 4 × 3 in 2 layers and of 4 in 2 layers, and 16 bytes of shared memory.
const TRACE: &str = "program 0 source images.cl -cl-std=CL3.0
memory 0 12 4 4337 4272 4314 4,3,1
memory 1 12 2 4337 4272 4314 4,3,1
launch 0 shift 2 4,3,1 0,0,0 0,0,0
set 0 twelve
set 1 zero
image 0 0
image 1 1
sampler 2 0 4401 4416
end 0
memory 2 24 4 4339 4272 4314 4,3,2
memory 3 8 2 4341 4272 4314 4,2,1
launch 0 layers 2 4,2,1 0,0,0 0,0,0
set 2 more
image 0 2
image 1 3
end 0
memory 4 20 svm
launch 0 through 1 4,1,1 0,0,0 0,0,0
set 4 zero
value 0 05000000000000000000000000000000
inside 0 8 4 4
end 0
";

/// What the trace that was recorded says of memory behind a launch of a kernel.
fn after(directory: &Path, kernel: &str, memory: usize) -> Vec<u8> {
    let trace = std::fs::read_to_string(directory.join("trace.txt")).expect("the trace");
    let launch = trace.split("\nlaunch ").find(|launch| launch.contains(kernel)).expect("the launch");
    let start = format!("after {memory} ");
    let name = launch.lines().find_map(|line| line.strip_prefix(&start)).expect("what it left");
    std::fs::read(directory.join(name)).expect("a file of contents")
}

/// A trace that was written by hand is replayed, and recorded meanwhile; that is replayed, too, and does the same as a program in C.
#[test]
fn images_samplers_and_pointers_in_values_are_recorded() {
    let (by_hand, recorded) = (fresh("by-hand"), fresh("images"));
    std::fs::create_dir_all(&by_hand).expect("a directory for tests");
    let pixels: Vec<u8> = (0..24).collect();
    for (name, contents) in [
        ("trace.txt", TRACE.as_bytes()),
        ("images.cl", IMAGES.as_bytes()),
        ("twelve", &pixels[..12]),
        ("more", &pixels),
    ] {
        std::fs::write(by_hand.join(name), contents).expect("a file");
    }
    let arguments = ["replay", by_hand.to_str().expect("a path of text")];
    let (code, said) = brolga(&arguments, &[("BROLGA_RECORD", &recorded)]);
    assert_eq!((code, said.as_str()), (Some(0), "3 of 3 launches as recorded\n"));

    assert_eq!(after(&recorded, "shift", 1), [1, 2, 3, 3, 5, 6, 7, 7, 9, 10, 11, 11]);
    assert_eq!(after(&recorded, "layers", 3), [8, 9, 10, 11, 20, 21, 22, 23]);
    let shared: Vec<i32> = after(&recorded, "through", 4)
        .chunks_exact(4)
        .map(|word| i32::from_ne_bytes(word.try_into().expect("four bytes")))
        .collect();
    assert_eq!(shared, [0, 5, 5, 5, 5]);
    let (code, said) = replay(&recorded, &[]);
    assert_eq!((code, said.as_str()), (Some(0), "3 of 3 launches as recorded\n"));

    let (code, said) = replay(&recorded, &["--write-c", "host.c"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    if let Some(said) = compiled(&recorded, None) {
        assert_eq!(said, "3 launches, 0 buffers not as recorded\n");
    }
    for directory in [by_hand, recorded] {
        let _ = std::fs::remove_dir_all(directory);
    }
}
