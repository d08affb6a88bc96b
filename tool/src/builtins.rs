//! `brolga builtins`: OpenCL C's built-in functions.

use clap::{Arg, ArgAction, ArgMatches, Command};
use compiler::environment::Environment;
use opencl_c::CompileOptions;
use opencl_c::builtins::describe;
use std::io::Write;

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("builtins")
        .about("Show OpenCL C's built-in functions: signatures, versions, features")
        .arg(
            Arg::new("NAME")
                .num_args(0..)
                .help("Functions to describe; without one, all are listed"),
        )
        .arg(
            Arg::new("markdown")
                .long("markdown")
                .action(ArgAction::SetTrue)
                .help("All of them as a table in Markdown"),
        )
}

/// Describes the functions, or lists all.
pub fn run(arguments: &ArgMatches) -> u8 {
    if arguments.get_flag("markdown") {
        return show(&describe::markdown(), 0);
    }
    let names: Vec<&String> = arguments.get_many("NAME").unwrap_or_default().collect();
    if names.is_empty() {
        return show(&(describe::families().join("\n") + "\nconvert_T\nas_T\n"), 0);
    }
    let registry = Environment::device().registry;
    let mut options = CompileOptions {
        features: registry.clang_opencl().into_iter().map(String::from).collect(),
        ..CompileOptions::default()
    };
    let (mut code, mut all) = (0, String::new());
    for name in names {
        let Some(text) = describe::describe(name) else {
            let hint = describe::suggestion(name).map_or(String::new(), |other| format!("; did you mean {other}?"));
            eprintln!("brolga builtins: OpenCL C has no function {name}{hint}");
            code = 1;
            continue;
        };
        all += &text;
        let counts: Vec<String> = [("1.2", 120), ("2.0", 200), ("3.0", 300)]
            .into_iter()
            .map(|(text, version)| {
                options.version = version;
                format!("{} in {text}", describe::overloads(name, &options))
            })
            .collect();
        all += &format!("    overloads on this device: {}\n", counts.join(", "));
    }
    show(&all, code)
}

/// Prints a text, of which a reader may want no more than the start. Gives the exit code back.
fn show(text: &str, code: u8) -> u8 {
    let _ = std::io::stdout().write_all(text.as_bytes());
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_an_error() {
        let code = |names: &[&str]| run(&command().get_matches_from(std::iter::once(&"builtins").chain(names)));
        assert_eq!(code(&["fract", "convert_int4_sat", "as_int"]), 0);
        assert_eq!(code(&["fract", "fractt"]), 1);
        assert_eq!(describe::suggestion("fractt"), Some("fract"));
    }
}
