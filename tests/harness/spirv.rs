//! SPIR-V from text, by `spirv-as` (SPIRV-Tools).

use std::io::Write;
use std::process::{Command, Stdio};

/// Assembles a module; panics with the assembler's message.
pub fn assemble(text: &str) -> Vec<u8> {
    let mut child = Command::new("spirv-as")
        .args(["--target-env", "spv1.2", "--preserve-numeric-ids", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-as (Debian: spirv-tools)");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(text.as_bytes())
        .expect("spirv-as reads");
    let output = child.wait_with_output().expect("spirv-as ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
