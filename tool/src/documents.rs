//! `brolga documents`: manual pages and shell completions, made from the command line itself. For packagers; not in the help.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("documents")
        .hide(true)
        .about("Write manual pages and shell completions below a directory")
        .arg(
            Arg::new("directory")
                .value_name("DIRECTORY")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
}

/// Exit code 1 if something can't be written.
pub fn run(arguments: &ArgMatches) -> u8 {
    let directory: &PathBuf = arguments.get_one("directory").expect("it is required");
    match write(directory) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{}: {error}", directory.display());
            1
        }
    }
}

fn write(directory: &Path) -> Result<()> {
    let manual = directory.join("man");
    fs::create_dir_all(&manual)?;
    clap_mangen::generate_to(super::command().disable_help_subcommand(true), &manual)?;
    for (shell, path) in [
        (Shell::Bash, "bash/brolga"),
        (Shell::Zsh, "zsh/_brolga"),
        (Shell::Fish, "fish/brolga.fish"),
    ] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut super::command(), "brolga", &mut script);
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("it has one"))?;
        fs::write(path, script)?;
    }
    Ok(())
}
