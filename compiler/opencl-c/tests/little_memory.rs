//! Compilations in a process whose address space is limited (`ulimit -v`), and that no stack of the usual size fits in.

use opencl_c::{CompileOptions, Input, Output, Product, compile};
use std::process::Command;

fn compiled(statements: &str) -> Output {
    let source = format!("#define ID(x) x\nkernel void k(global int *p, int i) {{ {statements} }}");
    let options = CompileOptions::default();
    compile(&Input {
        name: "test.cl",
        source: source.as_bytes(),
        headers: &[],
        options: &options,
    })
}

#[track_caller]
fn compiles(statements: &str) {
    let output = compiled(statements);
    assert!(matches!(output.product, Some(Product::Spirv(_))), "{}", output.log);
}

#[track_caller]
fn refuses(statements: &str, words: &str) {
    let output = compiled(statements);
    assert!(output.product.is_none() && output.log.contains(words), "{}", output.log);
}

/// Leaves this process so much address space beyond what it has.
fn leave(bytes: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages: u64 = pages
        .split(' ')
        .next()
        .and_then(|pages| pages.parse().ok())
        .expect("a number first");
    // SAFETY: plain calls with valid places.
    unsafe {
        let rlim_cur = pages * libc::sysconf(libc::_SC_PAGESIZE) as u64 + bytes;
        let limit = libc::rlimit {
            rlim_cur,
            rlim_max: libc::RLIM_INFINITY,
        };
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
    }
}

/// Runs one of the tests below in a process of its own.
#[track_caller]
fn alone(test: &str) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn small_stacks() {
    alone("on_a_sixteenth");
}

#[test]
fn no_stack() {
    alone("on_none");
}

/// What nests to the limit of a small stack is compiled on it; more is refused, in words that say why.
#[test]
#[ignore = "limits its process's address space: another test runs it"]
fn on_a_sixteenth() {
    leave(50 << 20);
    compiles("p[0] = i;");
    compiles(&format!("p[0] = {}i{};", "(1 + ".repeat(14), ")".repeat(14)));
    compiles(&format!("p[0] = i{};", " + p[i]".repeat(330)));
    compiles(&format!("p[0] = i{};", ", i".repeat(1000)));
    compiles(&format!("{} p[0] = i;", "if (i++) p[1] = i; else ".repeat(56)));
    compiles(&format!("p[0] = {}i{};", "ID(".repeat(250), ")".repeat(250)));
    compiles(&format!("\n#if {}1{}\np[0] = i;\n#endif\n", "(".repeat(190), ")".repeat(190)));
    let memory = "there is no memory for a larger stack";
    refuses(
        &format!("p[0] = {}i{};", "(1 + ".repeat(20), ")".repeat(20)),
        &format!("exceeded maximum of 16: {memory}"),
    );
    refuses(
        &format!("p[0] = i{};", ", i".repeat(1100)),
        &format!("too many operators: {memory}"),
    );
    refuses(&format!("p[0] = {}i;", "~-".repeat(50)), &format!("nesting is too deep: {memory}"));
}

#[test]
#[ignore = "limits its process's address space: another test runs it"]
fn on_none() {
    compiles("p[0] = i;");
    leave(42 << 20);
    refuses("p[0] = i;", "fatal error: out of memory: there is none for a stack to compile on");
}
