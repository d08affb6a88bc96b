//! A kernel in Zig (`zig/kernel.zig`), compiled by Zig's own SPIR-V back end.

use brolga_tests::{Context, Program, Range};
use std::process::Command;

/// Zig where it is installed: as a program, or as Python's package `ziglang`.
fn zig() -> Option<Vec<&'static str>> {
    let ways = [vec!["zig"], vec!["python3", "-m", "ziglang"]];
    ways.into_iter().find(|way| {
        let version = Command::new(way[0]).args(&way[1..]).arg("version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn a_kernel_in_zig_runs() {
    let Some(zig) = zig() else {
        println!("skipped: neither zig nor 'python3 -m ziglang' is installed (pip install ziglang)");
        return;
    };
    let folder = std::env::temp_dir().join(format!("brolga-zig-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for modules");
    let context = Context::new();
    let starts: Vec<u32> = (1..=64).collect();
    let expected: Vec<u32> = starts
        .iter()
        .map(|&start| {
            let next = |&x: &u32| (x != 1).then(|| if x % 2 == 0 { x / 2 } else { 3 * x + 1 });
            std::iter::successors(Some(start), next).count() as u32 - 1
        })
        .collect();
    for mode in ["ReleaseSmall", "ReleaseSafe", "Debug"] {
        let module = folder.join("kernel.spv");
        let output = Command::new(zig[0])
            .args(&zig[1..])
            .args(["build-obj", "-target", "spirv64-opencl", "-ofmt=spirv", "-fno-llvm", "-O", mode])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/zig/kernel.zig"))
            .arg(format!("-femit-bin={}", module.display()))
            .envs(["ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"].map(|name| (name, folder.join("cache"))))
            .output()
            .expect("zig");
        assert!(output.status.success(), "{mode}: {}", String::from_utf8_lossy(&output.stderr));
        let il = std::fs::read(&module).expect("the module");
        let built = Program::from_il(&context, &il).expect("a program").build("");
        let program = built.unwrap_or_else(|log| panic!("{mode}: {log}"));
        let numbers = context.buffer(&starts);
        let range = Range::new([64]).local([8]);
        program.kernel("collatz").run(&context, &range, &[&numbers, &60u32]);
        assert_eq!(numbers.read(), [&expected[..60], &starts[60..]].concat(), "{mode}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
