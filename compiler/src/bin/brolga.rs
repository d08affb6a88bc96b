//! `brolga`: what the driver makes of SPIR-V, off line.

use compiler::lower::lower;
use compiler::{BuildOptions, environment, spirv};
use std::process::ExitCode;

const USAGE: &str = "usage: brolga validate FILE…   is it a module that the driver takes?\n       brolga dump FILE…       its kernels in the IR, as one work-item sees them";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, files)) if command == "validate" && !files.is_empty() => validate(files),
        Some((command, files)) if command == "dump" && !files.is_empty() => dump(files),
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

fn dump(files: &[String]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let lowered = std::fs::read(file).map_err(|error| format!("error: {error}\n")).and_then(|bytes| {
            let module = compiler::Module::from_il(&bytes, &[]).map_err(|error| error.log)?;
            lower(&[module.spirv()], &BuildOptions::default()).map_err(|error| error.log)
        });
        match lowered {
            Ok(lowered) => {
                for kernel in &lowered.kernels {
                    println!("; {} is {}: {:?}", kernel.function, kernel.info.name, kernel.info);
                }
                print!("{}", lowered.module);
            }
            Err(errors) => {
                print!("{file}: refused\n{errors}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
