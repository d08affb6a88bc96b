//! `brolga opt`: passes by name over a file of the IR.

use clap::{Arg, ArgAction, ArgMatches, Command};
use compiler::ir::parse::{parse_function, parse_module};
use compiler::ir::verify::verify;
use compiler::ir::{Function, Module};
use compiler::passes::{self, Context, Run};
use compiler::vectorize::{registry, stages};

/// Its place on the command line.
pub fn command() -> Command {
    Command::new("opt")
        .about("Run passes by name over files of the IR, and show what becomes of them")
        .arg(
            Arg::new("passes")
                .long("passes")
                .value_name("PASS,…")
                .help("The passes, in order; `work-item` and `group` stand for all of a level"),
        )
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("List the passes"))
        .arg(
            Arg::new("FILE")
                .num_args(1..)
                .help("The IR's text; of a module, the first function is meant"),
        )
}

/// Runs the passes over the first function of each file, or lists the registry.
pub fn run(arguments: &ArgMatches) -> u8 {
    if arguments.get_flag("list") {
        for pass in registry::all() {
            println!("{:18} {}", pass.name, pass.purpose);
        }
        return 0;
    }
    let files = arguments.get_many::<String>("FILE").unwrap_or_default();
    let Some(passes) = arguments.get_one::<String>("passes").filter(|_| files.len() > 0) else {
        return super::refuse("opt", "name passes (--passes dce,fold) and a file, or ask for the --list");
    };
    let mut code = 0;
    for file in files {
        let result = std::fs::read_to_string(file)
            .map_err(|error| error.to_string())
            .and_then(|text| optimize(&text, passes));
        match result {
            Ok(func) => print!("{func}"),
            Err(error) => {
                eprintln!("{file}: {error}");
                code = 1;
            }
        }
    }
    code
}

/// A module's first function, or a function that stands alone, after the passes.
fn optimize(text: &str, passes: &str) -> Result<Function, String> {
    let module = match text.lines().any(|line| line.starts_with("fn0 =")) {
        true => parse_module(text).map_err(|error| error.to_string())?,
        false => {
            let mut module = Module::default();
            module.functions.push(parse_function(text).map_err(|error| error.to_string())?);
            module
        }
    };
    let mut func = module.functions.values().next().cloned().ok_or("there is no function")?;
    verify(&func, Some(&module)).map_err(|error| error.to_string())?;
    for name in passes.split(',').map(str::trim) {
        let list = stages::LISTS.iter().find(|(list, ..)| *list == name);
        let context = &mut Context::new(Some(&module));
        match (list, registry::find(name)) {
            (Some((.., steps)), _) => passes::run(steps, &mut func, context),
            (None, Some(pass)) if matches!(pass.run, Run::Gang(_)) => {
                return Err(format!("{name} needs to know the launch, and can't be run by itself"));
            }
            (None, Some(pass)) => {
                passes::run_pass(pass, &mut func, context);
            }
            (None, None) => return Err(format!("there is no pass {name} (brolga opt --list)")),
        }
        verify(&func, Some(&module)).map_err(|error| format!("after {name}: {error}\n{func}"))?;
    }
    Ok(func)
}
