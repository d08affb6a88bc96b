//! Extensions whose specifications are drafts: they are there for a process that asks for them.

use std::process::Command;

/// Runs a test of this program in a process that asks for a row of the registry. It has to say what it was started for, when it has done it.
pub fn ask(row: &str, test: &str, said: &str) {
    let output = Command::new(std::env::current_exe().expect("this test's program"))
        .args(["--exact", test, "--nocapture"])
        .env("BROLGA_WITH", row)
        .output()
        .expect("this test's program again");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains(said), "{row}: {text}{errors}");
}
