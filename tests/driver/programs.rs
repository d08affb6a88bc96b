//! C programs (`programs/`), each in a process of its own, for what concerns a whole process. A program that ends with 0 was content.

use std::path::Path;
use std::process::Command;

#[track_caller]
fn run(name: &str, arguments: &[&str]) -> String {
    let program = Path::new(env!("PROGRAMS")).join(name);
    let output = Command::new(&program)
        .args(arguments)
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
