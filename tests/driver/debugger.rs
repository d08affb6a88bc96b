//! A debugger stops in a kernel by its name, and walks from there through the driver into the program.

use std::path::Path;
use std::process::Command;

#[test]
fn gdb_stops_in_kernels_and_walks_out_of_them() {
    for target in ["auto", "cranelift"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
        let programs = Path::new(env!("PROGRAMS"));
        let picture = std::env::temp_dir().join(format!("brolga-debugged-{}", std::process::id()));
        let output = Command::new("gdb")
            .args(["-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off"])
            .args([
                "-ex",
                "set breakpoint pending on",
                "-ex",
                "break mandelbrot",
                "-ex",
                "run",
                "-ex",
                "backtrace",
            ])
            // Out of the prologue, where the stack pointer has moved.
            .args([
                "-ex",
                "stepi 20",
                "-ex",
                "echo and now\\n",
                "-ex",
                "backtrace",
                "-ex",
                "kill",
                "--args",
            ])
            .arg(programs.join("mandelbrot"))
            .arg(sources.join("mandelbrot.cl"))
            .arg(programs.join("mandelbrot.spv"))
            .arg(&picture)
            .env("BROLGA_TARGET", target)
            .output();
        let Ok(output) = output else {
            return println!("no gdb on this machine");
        };
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        if text.contains("Operation not permitted") || text.contains("Could not trace") {
            return println!("gdb may not debug here: {text}");
        }
        let (first, second) = text.split_once("and now").unwrap_or_else(|| panic!("{text}"));
        for walk in [first, second] {
            let frames: Vec<&str> = walk.lines().filter(|line| line.starts_with('#')).collect();
            assert!(frames.first().is_some_and(|line| line.contains("mandelbrot")), "{text}");
            // The kernel runs on the thread that waits for it or enqueues it, or on a worker.
            let end = ["main (", "clone"];
            let whole = frames.iter().any(|line| end.iter().any(|end| line.contains(end)));
            assert!(whole && !walk.contains("Backtrace stopped"), "{target}: {text}");
        }
    }
}
