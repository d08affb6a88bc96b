//! `brolga dump`: a module in each form that it takes on its way to machine code.

use compiler::spirv;
use compiler::{BuildOptions, LaunchFacts, Module, debug, link};
use std::process::ExitCode;

/// Work-items of the group that code is shown for, where the kernel does not say.
const LOCAL_SIZE: [u64; 3] = [64, 1, 1];

/// What is asked for.
#[derive(Default)]
struct Options {
    module: bool,
    ir: bool,
    code: bool,
    files: Vec<String>,
}

/// Prints the instructions of modules (`--module`), what they are lowered to (`--ir`), and the code of their kernels (`--code`).
pub fn run(arguments: &[String]) -> ExitCode {
    let mut options = Options::default();
    for argument in arguments {
        match argument.as_str() {
            "--module" => options.module = true,
            "--ir" => options.ir = true,
            "--code" => options.code = true,
            option if option.starts_with("--") => return super::usage(&format!("brolga dump: there is no option {option}")),
            file => options.files.push(file.to_owned()),
        }
    }
    if options.files.is_empty() {
        return super::usage(super::USAGE);
    }
    options.ir |= !options.module && !options.code;
    let mut code = ExitCode::SUCCESS;
    for file in &options.files {
        let dumped = std::fs::read(file)
            .map_err(|error| format!("error: {error}\n"))
            .and_then(|bytes| dump(&bytes, &options));
        if let Err(errors) = dumped {
            print!("{file}: refused\n{errors}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn dump(bytes: &[u8], options: &Options) -> Result<(), String> {
    // Its instructions can be shown of a module that is not valid, too.
    if options.module {
        let binary = spirv::parse(bytes).map_err(|error| format!("error: {error}\n"))?;
        print!("{}", spirv::listing(&binary));
    }
    if !options.ir && !options.code {
        return Ok(());
    }
    let module = Module::from_il(bytes, &[]).map_err(|error| error.log)?;
    // What the driver shows with BROLGA_DEBUG is shown here: one topic after the other.
    if options.ir {
        debug::show_on_stdout("ir");
    }
    let program = link(&[module], &BuildOptions::default()).map_err(|error| error.log)?;
    if options.code {
        debug::show_on_stdout("ir,asm");
        for kernel in &program.kernels {
            let local_size = kernel.info.required_local_size.unwrap_or(LOCAL_SIZE);
            let facts = LaunchFacts::usual(local_size);
            println!("; kernel {} for work-groups of {local_size:?}", kernel.info.name);
            kernel.variant(&facts).map_err(|error| error.log)?;
        }
    }
    Ok(())
}
