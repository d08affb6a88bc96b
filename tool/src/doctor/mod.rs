//! `brolga doctor`: why does my program not see the driver, or why does it refuse it?
//!
//! Each file looks at one thing and gives findings. What could bring a process down, such as loading another driver, is done in a child
//! (`child.rs`).

mod child;
mod loaders;
mod machine;
mod opencl;
mod registrations;
mod self_test;

use super::quoted;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// How good or bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Good,
    /// Worth knowing; programs run.
    Note,
    /// Programs fail, or do not see the driver.
    Problem,
}

/// What was found, and what to do about it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is about: a heading of the report.
    pub about: &'static str,
    /// How good or bad it is.
    pub level: Level,
    /// What was seen.
    pub what: String,
    /// What to do; empty where there is nothing to do.
    pub cure: String,
}

impl Finding {
    /// Something that is as it should be.
    pub fn good(about: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(about, Level::Good, what, "")
    }

    /// Something worth knowing.
    pub fn note(about: &'static str, what: impl Into<String>, cure: impl Into<String>) -> Finding {
        Finding::new(about, Level::Note, what, cure)
    }

    /// Something that keeps programs from running.
    pub fn problem(about: &'static str, what: impl Into<String>, cure: impl Into<String>) -> Finding {
        Finding::new(about, Level::Problem, what, cure)
    }

    fn new(about: &'static str, level: Level, what: impl Into<String>, cure: impl Into<String>) -> Finding {
        Finding {
            about,
            level,
            what: what.into(),
            cure: cure.into(),
        }
    }

    fn json(&self) -> String {
        let level = match self.level {
            Level::Good => "good",
            Level::Note => "note",
            Level::Problem => "problem",
        };
        format!(
            "{{\"about\":{},\"level\":\"{level}\",\"what\":{},\"cure\":{}}}",
            quoted(self.about),
            quoted(&self.what),
            quoted(&self.cure)
        )
    }
}

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("doctor")
        .about("Find out why programs do not see the driver, or why it refuses them")
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the findings as JSON: about, level (good, note, problem), what, cure"),
        )
        .after_help("Exit code 0: programs should run. 1: there is a problem, with what to do about it.")
}

/// Exit code 1 if there is a problem.
pub fn run(arguments: &ArgMatches) -> u8 {
    let mut findings = loaders::findings();
    findings.extend(registrations::findings());
    findings.extend(machine::findings());
    findings.extend(self_test::findings());
    match arguments.get_flag("json") {
        true => {
            let lines: Vec<String> = findings.iter().map(Finding::json).collect();
            println!("[{}]", lines.join(",\n "));
        }
        false => print!("{}", report(&findings)),
    }
    u8::from(findings.iter().any(|finding| finding.level == Level::Problem))
}

fn report(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut about = "";
    for finding in findings {
        if finding.about != about {
            about = finding.about;
            text.push_str(&format!("{about}\n"));
        }
        let sign = match finding.level {
            Level::Good => "ok     ",
            Level::Note => "note   ",
            Level::Problem => "PROBLEM",
        };
        text.push_str(&format!("  {sign} {}\n", finding.what));
        if !finding.cure.is_empty() {
            text.push_str(&format!("          -> {}\n", finding.cure));
        }
    }
    let problems = findings.iter().filter(|finding| finding.level == Level::Problem).count();
    text.push_str(&match problems {
        0 => "No problems.\n".into(),
        1 => "1 problem.\n".into(),
        count => format!("{count} problems.\n"),
    });
    text
}
