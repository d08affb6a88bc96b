//! `brolga validate`: does a module keep the rules of an environment?

use compiler::environment::{self, Diagnostic, Environment, Severity};
use compiler::spirv;
use std::process::ExitCode;

struct Options {
    environment: Environment,
    strict: bool,
    json: bool,
    text: bool,
    files: Vec<String>,
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        environment: Environment::device(),
        strict: false,
        json: false,
        text: false,
        files: Vec::new(),
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if super::env::option(&mut options.environment, argument, &mut arguments)? {
            continue;
        }
        match argument.as_str() {
            "--strict" => options.strict = true,
            "--json" => options.json = true,
            "--text" => options.text = true,
            option if option.starts_with("--") => return Err(format!("there is no option {option}")),
            file => options.files.push(file.into()),
        }
    }
    if options.files.is_empty() {
        Err("which files?".into())
    } else {
        Ok(options)
    }
}

/// Exit code 0 if all files are valid, 1 if one is not, 2 if one can't be read.
pub fn run(arguments: &[String]) -> ExitCode {
    let options = match options(arguments) {
        Ok(options) => options,
        Err(error) => return super::usage(&format!("brolga validate: {error}")),
    };
    let mut code = 0;
    let mut reports = Vec::new();
    for file in &options.files {
        let verdict = match std::fs::read(file) {
            Ok(bytes) => judge(&bytes, &options),
            Err(error) => {
                eprintln!("{file}: {error}");
                code = 2;
                continue;
            }
        };
        code = code.max(u8::from(!verdict.valid));
        if options.json {
            reports.push(verdict.json(file));
        } else {
            print!(
                "{file}: {}\n{}",
                if verdict.valid { "valid" } else { "refused" },
                verdict.text(options.text)
            );
        }
    }
    if options.json {
        println!("[{}]", reports.join(",\n "));
    }
    ExitCode::from(code)
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
