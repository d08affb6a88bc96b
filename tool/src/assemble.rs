//! `brolga assemble`: SPIR-V from text.

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use std::io::Write;
use std::path::PathBuf;

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("assemble").about("Write SPIR-V from text to standard output").arg(
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
            .help("SPIR-V in the assembly language of SPIRV-Tools"),
    )
}

/// Exit code 1 if the text is no module.
pub fn run(arguments: &ArgMatches) -> u8 {
    let file: &PathBuf = arguments.get_one("file").expect("it is required");
    let assembled = std::fs::read_to_string(file)
        .map_err(|error| error.to_string())
        .and_then(|text| compiler::spirv::assemble(&text));
    match assembled.and_then(|bytes| std::io::stdout().write_all(&bytes).map_err(|error| error.to_string())) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            1
        }
    }
}
