//! clang's messages, made fit for a build log.

use super::Clang;
use super::child::{End, Output};

/// The name of the program's source in diagnostics.
pub const SOURCE_NAME: &str = "source.cl";

/// What clang said about the program.
pub fn readable(stderr: &[u8]) -> String {
    String::from_utf8_lossy(stderr).into_owned()
}

/// Did clang itself fail, rather than refuse the program?
pub fn is_crash(output: &Output) -> bool {
    let stderr = String::from_utf8_lossy(&output.stderr);
    matches!(output.end, End::Signal(_))
        || stderr.contains("error: error in backend: ")
        || stderr.contains("PLEASE submit a bug report")
        || stderr.contains("clang frontend command failed")
}

/// A log that says so, without the compiler's stack.
pub fn of_crash(output: &Output, source: &[u8], clang: &Clang) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut log = format!(
        "error: clang {} failed on this program (a fault of the compiler, not of the program)\n",
        clang.version
    );
    for line in stderr.lines() {
        let line = line.trim_end();
        let of_the_stack = line.trim_start().starts_with('#') && line.contains(" 0x");
        let about_reports = [
            "PLEASE ",
            "Stack dump",
            "0.\t",
            "clang-",
            "error: Missing module",
            "Debian clang",
            "clang version",
            "Target: ",
            "Thread model: ",
            "InstalledDir: ",
        ];
        if !of_the_stack && !line.is_empty() && !about_reports.iter().any(|start| line.starts_with(start)) {
            log.push_str("note: ");
            log.push_str(line);
            log.push('\n');
        }
    }
    if String::from_utf8_lossy(source).contains("enqueue_kernel") {
        log.push_str("note: the program uses enqueue_kernel, which clang compiles for no SPIR-V; the driver's own front end does (BROLGA_FRONTEND)\n");
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_left_out() {
        let stderr = b"source.cl:1:1: warning: w\nfatal error: error in backend: cannot select\nPLEASE submit a bug report to x\nStack dump:\n0.\tProgram arguments: clang\n #0 0x00007f (/usr/lib+0x1)\n".to_vec();
        let output = Output {
            end: End::Exit(70),
            stdout: Vec::new(),
            stderr,
        };
        assert!(is_crash(&output));
        let clang = Clang {
            path: "/usr/bin/clang-22".into(),
            version: 22,
            identity: String::new(),
        };
        let log = of_crash(&output, b"kernel void k() { enqueue_kernel(); }", &clang);
        assert!(log.starts_with("error: clang 22 failed"), "{log}");
        assert!(
            log.contains("cannot select") && log.contains("own front end does") && !log.contains("0x0000") && !log.contains("PLEASE"),
            "{log}"
        );
    }

    #[test]
    fn refusals_are_no_crashes() {
        let output = Output {
            end: End::Exit(1),
            stdout: Vec::new(),
            stderr: b"source.cl:2:5: error: x\n".to_vec(),
        };
        assert!(!is_crash(&output));
    }
}
