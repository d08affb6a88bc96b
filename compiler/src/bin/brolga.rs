//! `brolga`: what the driver makes of SPIR-V, off line.

use compiler::{environment, spirv};
use std::process::ExitCode;

const USAGE: &str = "usage: brolga validate FILE…";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, files)) if command == "validate" && !files.is_empty() => validate(files),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn validate(files: &[String]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{file}: {error}");
                code = ExitCode::from(2);
                continue;
            }
        };
        let text = match spirv::parse(&bytes) {
            Err(error) => Err(format!("error: {error}\n")),
            Ok(binary) => match environment::validate(binary, &environment::Environment::device(), &[], false) {
                Ok((_, warnings)) => Ok(environment::log(&warnings)),
                Err(errors) => Err(environment::log(&errors)),
            },
        };
        match text {
            Ok(warnings) => print!("{file}: valid\n{warnings}"),
            Err(errors) => {
                print!("{file}: refused\n{errors}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
