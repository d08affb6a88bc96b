//! `brolga`: what the driver makes of SPIR-V, off line.

mod dump;
mod env;
mod validate;

use std::process::ExitCode;

const USAGE: &str = "\
usage: brolga validate [ENVIRONMENT] [--strict] [--text] [--json] FILE…
                                                                 are they modules that the environment takes? Nothing that breaks a rule is
                                                                 tolerated (--strict), errors give the line of `brolga dump --module` (--text)
       brolga env [ENVIRONMENT] [--mlir]                         what it takes: versions, capabilities, extensions
       brolga assemble FILE                                      SPIR-V from text, to standard output
       brolga dump [--module] [--ir] [--code] FILE…              a module's instructions; its kernels in the IR, as one work-item sees them;
                                                                 the same for a work-group, and machine code

ENVIRONMENT is this device's own, or
       --env NAME        another: opencl1.2 … opencl3.1, opencl3.0-embedded, level-zero, …; opencl3.0-minimal and its kin have what the version
                         asks of every device, and nothing else
       --with NAME       with a feature or extension that it may have: core:images, cl_khr_fp16, ZE_extension_subgroups,
                         ZE_DEVICE_MODULE_FLAG_FP64, fp32Flags.ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD, …
       --without NAME    without it
       --spirv 1.N       with no newer version of SPIR-V than that";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        return usage(USAGE);
    };
    match command.as_str() {
        "validate" => validate::run(rest),
        "env" => env::run(rest),
        "assemble" => assemble(rest),
        "dump" => dump::run(rest),
        "--help" | "-h" | "help" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => usage(USAGE),
    }
}

/// Tells what is wrong with the arguments.
fn usage(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::from(2)
}

fn assemble(files: &[String]) -> ExitCode {
    use std::io::Write;
    let [file] = files else { return usage(USAGE) };
    let assembled = std::fs::read_to_string(file)
        .map_err(|error| error.to_string())
        .and_then(|text| compiler::spirv::assemble(&text));
    match assembled.and_then(|bytes| std::io::stdout().write_all(&bytes).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}
