//! `brolga dump`: a module's kernels in the IR.

use compiler::BuildOptions;
use compiler::lower::lower;
use std::process::ExitCode;

/// Prints what files are lowered to.
pub fn dump(files: &[String]) -> ExitCode {
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
