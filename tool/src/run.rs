//! `brolga run`: a kernel without a host program.

mod argument;
mod npy;
mod session;

use argument::Argument;
use clap::{Arg, ArgAction, ArgMatches, Command};
use session::Session;
use std::fmt::Write;
use std::time::Duration;

/// The subcommand's place on the command line.
pub fn command() -> Command {
    let many = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help(help)
    };
    let one = |name: &'static str, value: &'static str, help: &'static str| Arg::new(name).long(name).value_name(value).help(help);
    Command::new("run")
        .about("Run a kernel without a host program")
        .after_help(argument::HELP)
        .arg(Arg::new("FILE").required(true).help("OpenCL C, or SPIR-V"))
        .arg(one("kernel", "NAME", "Which kernel; not needed where there is one only"))
        .arg(one("global", "X[,Y[,Z]]", "Work-items").required(true))
        .arg(one(
            "local",
            "X[,Y[,Z]]",
            "Work-items of a group; the driver chooses where it is not given",
        ))
        .arg(one("offset", "X[,Y[,Z]]", "The first global id").default_value("0"))
        .arg(many("arg", "ARGUMENT", "An argument of the kernel, in their order"))
        .arg(
            one("options", "OPTIONS", "Options of clBuildProgram")
                .default_value("")
                .allow_hyphen_values(true),
        )
        .arg(
            one("check", "CHECK,…", "Checked mode: all usual checks, or these")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("1"),
        )
        .arg(many(
            "print",
            "NUMBER[:COUNT]",
            "Print the buffer that an argument is, or its first elements",
        ))
        .arg(many(
            "save",
            "NUMBER:FILE",
            "Write the buffer that an argument is to a file: npy, or bytes for any other name",
        ))
        .arg(many(
            "expect",
            "NUMBER:FILE",
            "Compare the buffer that an argument is with a file's contents",
        ))
        .arg(one("tolerance", "NUMBER", "How far floats may be from what is expected").default_value("0"))
        .arg(one("repeat", "COUNT", "Run it so many times, and print times").default_value("1"))
}

/// Runs a kernel. 0; 1 where the program does not build, the launch fails, or something is not as expected; 2 where the arguments are wrong.
pub fn run(arguments: &ArgMatches) -> u8 {
    match Plan::of(arguments) {
        Err(message) => super::refuse("run", &message),
        Ok(plan) => match plan.run() {
            Ok(text) => {
                print!("{text}");
                0
            }
            Err(message) => {
                eprintln!("brolga run: {message}");
                1
            }
        },
    }
}

/// What the command line asks for.
struct Plan {
    file: String,
    kernel: Option<String>,
    global: Vec<usize>,
    local: Option<Vec<usize>>,
    offset: Vec<usize>,
    arguments: Vec<Argument>,
    options: String,
    print: Vec<(usize, Option<usize>)>,
    save: Vec<(usize, String)>,
    expect: Vec<(usize, String)>,
    tolerance: f64,
    repeat: usize,
}

/// `64`, `64,32`
fn sizes(name: &str, text: &str) -> Result<Vec<usize>, String> {
    let sizes: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
    let sizes = sizes.map_err(|_| format!("--{name} {text}: sizes are numbers with commas"))?;
    match sizes.len() {
        1..=3 => Ok(sizes),
        count => Err(format!("--{name} {text}: one to three dimensions, not {count}")),
    }
}

impl Plan {
    fn of(arguments: &ArgMatches) -> Result<Plan, String> {
        let text = |name: &str| arguments.get_one::<String>(name).cloned();
        let all = |name: &str| arguments.get_many::<String>(name).unwrap_or_default().cloned();
        let given = |name: &str| text(name).map(|value| sizes(name, &value)).transpose();
        let number = |name: &str, text: &str| {
            text.parse()
                .map_err(|_| format!("--{name} {text}: an argument's number, counted from 0"))
        };
        let files = |name: &str| -> Result<Vec<(usize, String)>, String> {
            all(name)
                .map(|value| {
                    let (index, file) = value.split_once(':').ok_or(format!("--{name} {value}: NUMBER:FILE"))?;
                    Ok((number(name, index)?, file.to_owned()))
                })
                .collect()
        };
        let print = |value: String| -> Result<(usize, Option<usize>), String> {
            let (index, count) = value
                .split_once(':')
                .map_or((value.as_str(), None), |(index, count)| (index, Some(count)));
            let count = count.map(|count| count.parse().map_err(|_| format!("--print {value}: NUMBER:COUNT")));
            Ok((number("print", index)?, count.transpose()?))
        };
        let mut options = text("options").unwrap_or_default();
        if let Some(checks) = text("check") {
            options += &format!(" -brolga-check={checks}");
        }
        let global = given("global")?.unwrap_or_default();
        let local = given("local")?;
        let mut offset = given("offset")?.unwrap_or_default();
        if local.as_ref().is_some_and(|local| local.len() != global.len()) || offset.len() > global.len() {
            return Err("--global, --local and --offset have the same number of dimensions".to_owned());
        }
        offset.resize(global.len(), 0);
        let parsed = |name: &str| format!("--{name} is a number");
        let plan = Plan {
            file: text("FILE").unwrap_or_default(),
            kernel: text("kernel"),
            global,
            local,
            offset,
            arguments: all("arg").map(|text| Argument::parse(&text)).collect::<Result<_, _>>()?,
            options,
            print: all("print").map(print).collect::<Result<_, _>>()?,
            save: files("save")?,
            expect: files("expect")?,
            tolerance: text("tolerance").unwrap_or_default().parse().map_err(|_| parsed("tolerance"))?,
            repeat: text("repeat").unwrap_or_default().parse().map_err(|_| parsed("repeat"))?,
        };
        let named = plan.print.iter().map(|(index, _)| index);
        let named = named.chain(plan.save.iter().chain(&plan.expect).map(|(index, _)| index));
        for &index in named {
            if plan.arguments.get(index).is_none_or(|argument| argument.data().is_none()) {
                return Err(format!("argument {index} is no buffer"));
            }
        }
        Ok(plan)
    }

    fn run(&self) -> Result<String, String> {
        let session = Session::new(&self.file, &self.options, self.kernel.as_deref())?;
        let buffers = session.set(&self.arguments)?;
        let mut times = Vec::new();
        for _ in 0..self.repeat.max(1) {
            times.push(session.launch(&self.global, &self.offset, self.local.as_deref())?);
        }
        let mut text = String::new();
        if self.repeat > 1 {
            times.sort();
            let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
            let (least, middle) = (micros(times[0]), micros(times[times.len() / 2]));
            let _ = writeln!(text, "{} runs: least {least:.1} us, median {middle:.1} us", times.len());
        }
        let contents = |index: usize| -> Result<argument::Data, String> {
            let data = self.arguments[index].data().ok_or("no buffer")?;
            let bytes = session.read(buffers[index], data.bytes.len())?;
            Ok(argument::Data { bytes, ..data.clone() })
        };
        for &(index, count) in &self.print {
            let data = contents(index)?;
            let count = count.unwrap_or(data.len()).min(data.len());
            let values: Vec<String> = (0..count).map(|at| data.element(at)).collect();
            let _ = writeln!(text, "{index}: {}", values.join(" "));
        }
        for (index, file) in &self.save {
            let data = contents(*index)?;
            let bytes = if file.ends_with(".npy") { npy::write(&data) } else { data.bytes };
            std::fs::write(file, bytes).map_err(|error| format!("{file}: {error}"))?;
        }
        for (index, file) in &self.expect {
            let found = contents(*index)?;
            let expected = argument::Data::from_file(file, found.ty)?;
            if let Some(difference) = found.difference(&expected, self.tolerance) {
                return Err(format!("argument {index} is not what {file} has: {difference}"));
            }
        }
        Ok(text)
    }
}
