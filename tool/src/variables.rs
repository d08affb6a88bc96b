//! `brolga variables`: the environment variables that the driver reads.

use clap::{Arg, ArgAction, ArgMatches, Command};
use vendors::variables;

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("variables")
        .about("List the environment variables that the driver reads")
        .arg(
            Arg::new("markdown")
                .long("markdown")
                .action(ArgAction::SetTrue)
                .help("As tables in Markdown"),
        )
}

/// Prints the table.
pub fn run(arguments: &ArgMatches) -> u8 {
    match arguments.get_flag("markdown") {
        true => print!("{}", variables::markdown()),
        false => print!("{}", variables::help()),
    }
    0
}
