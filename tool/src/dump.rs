//! `brolga dump`: a module in each form that it takes on its way to machine code.

use clap::{Arg, ArgAction, ArgMatches, Command};
use compiler::spirv;
use compiler::{BuildOptions, LaunchFacts, Module, debug, link};
use std::path::PathBuf;

/// Work-items of the group that code is shown for, where the kernel does not say.
const LOCAL_SIZE: [u64; 3] = [64, 1, 1];

/// What is asked for.
struct Options {
    module: bool,
    ir: bool,
    /// Topics of BROLGA_DEBUG that are shown while kernels are compiled.
    compiled: Vec<&'static str>,
}

/// The subcommand's place on the command line.
pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("dump")
        .about("Show modules in the forms that they take on their way to machine code")
        .arg(flag("module", "The module's instructions"))
        .arg(flag(
            "ir",
            "Its kernels in the IR, as one work-item sees them (if nothing else is asked for)",
        ))
        .arg(flag("code", "The same for a work-group, and machine code"))
        .arg(flag(
            "plan",
            "What is decided about gangs and loops, by which costs (BROLGA_TARGET says for which machine)",
        ))
        .arg(super::validate::files())
}

/// Prints the instructions of modules (`--module`), what they are lowered to (`--ir`), the code of their kernels (`--code`), and what was decided about it (`--plan`).
pub fn run(arguments: &ArgMatches) -> u8 {
    let module = arguments.get_flag("module");
    let mut compiled = Vec::new();
    if arguments.get_flag("code") {
        compiled.extend(["ir", "asm"]);
    }
    if arguments.get_flag("plan") {
        compiled.push("plan");
    }
    let options = Options {
        module,
        ir: arguments.get_flag("ir") || (!module && compiled.is_empty()),
        compiled,
    };
    let mut worst = 0;
    for file in arguments.get_many::<PathBuf>("files").into_iter().flatten() {
        let dumped = std::fs::read(file)
            .map_err(|error| format!("error: {error}\n"))
            .and_then(|bytes| dump(&bytes, &options));
        if let Err(errors) = dumped {
            print!("{}: refused\n{errors}", file.display());
            worst = 1;
        }
    }
    worst
}

fn dump(bytes: &[u8], options: &Options) -> Result<(), String> {
    // Its instructions can be shown of a module that is not valid, too.
    if options.module {
        let binary = spirv::parse(bytes).map_err(|error| format!("error: {error}\n"))?;
        print!("{}", spirv::listing(&binary));
    }
    if !options.ir && options.compiled.is_empty() {
        return Ok(());
    }
    let module = Module::from_il(bytes, &[]).map_err(|error| error.log)?;
    // What the driver shows with BROLGA_DEBUG is shown here: one topic after the other.
    if options.ir {
        debug::show_on_stdout("ir");
    }
    let program = link(&[module], &BuildOptions::default()).map_err(|error| error.log)?;
    if !options.compiled.is_empty() {
        debug::show_on_stdout(&options.compiled.join(","));
        for kernel in &program.kernels {
            let local_size = kernel.info.required_local_size.unwrap_or(LOCAL_SIZE);
            let facts = LaunchFacts::usual(local_size);
            println!("; kernel {} for work-groups of {local_size:?}", kernel.info.name);
            kernel.variant(&facts).map_err(|error| error.log)?;
        }
    }
    Ok(())
}
