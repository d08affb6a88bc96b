//! `brolga`, as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tool::run(std::env::args_os()))
}
