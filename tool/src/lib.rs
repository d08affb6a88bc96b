//! `brolga`: what the driver makes of programs and of the machine, off line.
//!
//! A file a subcommand: `command()` is its place on the command line, from which help, manual pages and completions are made; `run` does it and gives
//! the exit code: 0, 1 where something was found wrong, 2 where the arguments are.

mod assemble;
mod builtins;
mod cache;
mod compile;
mod doctor;
mod documents;
mod dump;
mod env;
mod host;
mod opt;
mod replay;
mod run;
mod validate;
mod variables;

use clap::{ArgMatches, Command};
use std::ffi::OsString;
use std::io::Write;

/// A subcommand, and what does it.
type Subcommand = (fn() -> Command, fn(&ArgMatches) -> u8);

/// Every subcommand, in the order of the help.
const SUBCOMMANDS: &[Subcommand] = &[
    (validate::command, validate::run),
    (env::command, env::run),
    (assemble::command, assemble::run),
    (compile::command, compile::run),
    (compile::preprocess_command, compile::preprocess),
    (builtins::command, builtins::run),
    (dump::command, dump::run),
    (opt::command, opt::run),
    (run::command, run::run),
    (replay::command, replay::run),
    (doctor::command, doctor::run),
    (cache::command, cache::run),
    (variables::command, variables::run),
    (documents::command, documents::run),
];

/// The whole command line.
pub fn command() -> Command {
    Command::new("brolga")
        .version(env!("CARGO_PKG_VERSION"))
        .about("What the OpenCL driver Brolga makes of programs and of the machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(SUBCOMMANDS.iter().map(|(command, _)| command()))
}

/// Does what a command line asks for, the program's name first. Gives the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    // A reader that has seen enough (`head`) ends the command, as it ends others. Rust's start, and Python's, have this signal ignored.
    // SAFETY: no handler of anybody's is replaced: the process is the command's.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let (name, arguments) = matches.subcommand().expect("one is required");
    let (_, run) = SUBCOMMANDS
        .iter()
        .find(|(command, _)| command().get_name() == name)
        .expect("clap knows no others");
    let code = run(arguments);
    // Inside the library, no end of a program of Rust's writes what is left.
    let _ = std::io::stdout().flush();
    code
}

/// Says what is wrong with the arguments of a subcommand. Gives the exit code for that.
fn refuse(subcommand: &str, why: &str) -> u8 {
    eprintln!("brolga {subcommand}: {why}");
    2
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", control as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
