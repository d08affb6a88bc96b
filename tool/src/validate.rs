//! `brolga validate`: does a module keep the rules of an environment?

use super::quoted;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use compiler::environment::{self, Diagnostic, Environment, Severity};
use compiler::spirv;
use std::path::PathBuf;

struct Options {
    environment: Environment,
    strict: bool,
    text: bool,
}

/// The files that a subcommand takes.
pub fn files() -> Arg {
    Arg::new("files")
        .value_name("FILE")
        .num_args(1..)
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("Modules in SPIR-V")
}

/// The subcommand's place on the command line.
pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("validate")
        .about("Check SPIR-V against an environment's rules")
        .args(super::env::options())
        .arg(flag("strict", "Tolerate nothing that breaks a rule"))
        .arg(flag("text", "Give the line of brolga dump --module with errors"))
        .arg(flag("json", "Print the verdicts as JSON"))
        .arg(files())
        .after_help("Exit code 0: all files are valid. 1: one is not. 2: one can't be read, or the arguments are wrong.")
}

/// Exit code 0 if all files are valid, 1 if one is not, 2 if one can't be read.
pub fn run(arguments: &ArgMatches) -> u8 {
    let environment = match super::env::chosen(arguments) {
        Ok(environment) => environment,
        Err(error) => return super::refuse("validate", &error),
    };
    let json = arguments.get_flag("json");
    let options = Options {
        environment,
        strict: arguments.get_flag("strict"),
        text: arguments.get_flag("text"),
    };
    let mut code = 0;
    let mut reports = Vec::new();
    for file in arguments.get_many::<PathBuf>("files").into_iter().flatten() {
        let name = file.display().to_string();
        let verdict = match std::fs::read(file) {
            Ok(bytes) => judge(&bytes, &options),
            Err(error) => {
                eprintln!("{name}: {error}");
                code = 2;
                continue;
            }
        };
        code = code.max(u8::from(!verdict.valid));
        if json {
            reports.push(verdict.json(&name));
        } else {
            print!(
                "{name}: {}\n{}",
                if verdict.valid { "valid" } else { "refused" },
                verdict.text(options.text)
            );
        }
    }
    if json {
        println!("[{}]", reports.join(",\n "));
    }
    code
}

struct Verdict {
    valid: bool,
    /// What keeps it from being read at all.
    unreadable: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

fn judge(bytes: &[u8], options: &Options) -> Verdict {
    let binary = match spirv::parse(bytes) {
        Ok(binary) => binary,
        Err(error) => {
            return Verdict {
                valid: false,
                unreadable: Some(error.to_string()),
                diagnostics: Vec::new(),
            };
        }
    };
    let (valid, diagnostics) = match environment::validate(binary, &options.environment, &[], options.strict) {
        Ok((_, warnings)) => (true, warnings),
        Err(errors) => (false, errors),
    };
    Verdict {
        valid,
        unreadable: None,
        diagnostics,
    }
}

impl Verdict {
    /// For people; with lines of the module's text, if these are wanted.
    fn text(&self, lines: bool) -> String {
        match &self.unreadable {
            Some(error) => format!("error: {error}\n"),
            None if lines => self.diagnostics.iter().map(|diagnostic| format!("{diagnostic:#}\n")).collect(),
            None => environment::log(&self.diagnostics),
        }
    }

    fn json(&self, file: &str) -> String {
        let diagnostics: Vec<String> = self.diagnostics.iter().map(diagnostic_json).collect();
        let error = self
            .unreadable
            .as_ref()
            .map_or(String::new(), |error| format!(",\"error\":{}", quoted(error)));
        format!(
            "{{\"file\":{},\"valid\":{}{error},\"diagnostics\":[{}]}}",
            quoted(file),
            self.valid,
            diagnostics.join(",")
        )
    }
}

fn diagnostic_json(diagnostic: &Diagnostic) -> String {
    let mut fields = vec![
        format!(
            "\"severity\":\"{}\"",
            if diagnostic.severity == Severity::Error {
                "error"
            } else {
                "warning"
            }
        ),
        format!("\"rule\":{}", quoted(diagnostic.rule.id)),
        format!("\"section\":{}", quoted(diagnostic.rule.section)),
        format!("\"sentence\":{}", quoted(diagnostic.rule.sentence)),
        format!("\"index\":{}", diagnostic.index),
        format!("\"word\":{}", diagnostic.word),
        format!("\"textLine\":{}", diagnostic.text_line()),
        format!("\"instruction\":{}", quoted(&diagnostic.instruction)),
        format!("\"detail\":{}", quoted(&diagnostic.detail)),
        format!("\"advice\":{}", quoted(&diagnostic.advice)),
    ];
    if let Some(function) = &diagnostic.function {
        fields.push(format!("\"function\":{}", quoted(function)));
    }
    if let Some((file, line, column)) = &diagnostic.line {
        fields.push(format!(
            "\"source\":{{\"file\":{},\"line\":{line},\"column\":{column}}}",
            quoted(file)
        ));
    }
    format!("{{{}}}", fields.join(","))
}
