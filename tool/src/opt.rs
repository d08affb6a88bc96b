//! `brolga opt`: passes by name over files of the IR, for a launch and a machine.

use clap::{Arg, ArgAction, ArgMatches, Command};
use compiler::passes::Settings;
use compiler::passes::script::{Outcome, Script};
use compiler::vectorize::{registry, stages};

/// What a flag sets of the script: the flag, its value's name, what it is.
const SCRIPT: [(&str, &str, &str); 4] = [
    (
        "width",
        "LANES",
        "Lanes of a gang (1, 4, 8, 16 or 32); without, what suits the machine",
    ),
    ("local", "X,Y,Z", "The local size (without: 64)"),
    ("target", "TARGET", "The machine: a value of BROLGA_TARGET; without, this one"),
    (
        "launch",
        "FACT,…",
        "The launch: cut-groups, offset, large-ids, large-objects, groups-of-one, separate, stop, local-bytes=BYTES, large=OFFSET, one=OFFSET:BYTES",
    ),
];

/// What a flag says of the runs, as an item of BROLGA_PASSES.
const SETTINGS: [(&str, &str, &str); 4] = [
    ("disable", "PASS,…", "Leave passes out"),
    ("print-before", "PASS,…", "Show the function before each run of these, on stderr"),
    ("print-after", "PASS,…", "Show the function after each run of these, on stderr"),
    ("bisect", "N", "Run only the first N passes that can be left out, and tell of each"),
];

/// Its place on the command line.
pub fn command() -> Command {
    let valued = |(name, value, help): (&'static str, &'static str, &'static str)| {
        Arg::new(name).long(name).value_name(value).help(help).action(ArgAction::Append)
    };
    Command::new("opt")
        .about("Run passes by name over files of the IR, and show what becomes of them")
        .arg(Arg::new("passes").long("passes").value_name("PASS,…").help(
            "The passes or lists of passes, in order; without, and for the rest as well, what the file's first line says: `; test: PASS…; width 8; …`",
        ))
        .args(SCRIPT.map(valued))
        .args(SETTINGS.map(valued))
        .arg(
            Arg::new("print-changed")
                .long("print-changed")
                .action(ArgAction::SetTrue)
                .help("Show the function after each run that changes it, on stderr"),
        )
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("List the passes, and the lists of passes"))
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
            println!("{:18} {:10} {}", pass.name, pass.level.name(), pass.purpose);
        }
        for (name, title, _) in stages::LISTS {
            println!("{name:18} {:10} {title}", "a list");
        }
        return 0;
    }
    let files = arguments.get_many::<String>("FILE").unwrap_or_default();
    if files.len() == 0 {
        return super::refuse("opt", "name a file, or ask for the --list");
    }
    let settings = match settings(arguments) {
        Ok(settings) => settings,
        Err(error) => return super::refuse("opt", &error),
    };
    let mut code = 0;
    for file in files {
        let result = std::fs::read_to_string(file).map_err(|error| error.to_string()).and_then(|text| {
            let script = script(arguments, &text)?;
            script.run(&text, &settings, registry::run_named)
        });
        match result {
            Ok(Outcome { func, notes, .. }) => {
                print!("{func}");
                notes.iter().for_each(|note| println!("; {note}"));
            }
            Err(error) => {
                eprintln!("{file}: {error}");
                code = 1;
            }
        }
    }
    code
}

/// What the file says of itself, and the flags say otherwise.
fn script(arguments: &ArgMatches, text: &str) -> Result<Script, String> {
    let mut script = Script::of_text(text).unwrap_or_else(|| Ok(Script::default()))?;
    if let Some(passes) = arguments.get_one::<String>("passes") {
        script.passes = passes.split(',').map(|pass| pass.trim().to_owned()).collect();
    }
    for (name, ..) in SCRIPT {
        for value in arguments.get_many::<String>(name).into_iter().flatten() {
            script.set(name, value)?;
        }
    }
    match script.passes.is_empty() {
        true => Err("no passes are named, by --passes or in the file's first line".into()),
        false => Ok(script),
    }
}

fn settings(arguments: &ArgMatches) -> Result<Settings, String> {
    let mut items = Vec::new();
    for (name, ..) in SETTINGS {
        let values = arguments.get_many::<String>(name).into_iter().flatten();
        items.extend(values.flat_map(|value| value.split(',')).map(|value| format!("{name}={value}")));
    }
    if arguments.get_flag("print-changed") {
        items.push("print-changed".into());
    }
    let settings = Settings::parse(&items.join(","))?;
    match settings.unknown(|name| registry::find(name).is_some()) {
        Some(name) => Err(format!("there is no pass {name} (brolga opt --list)")),
        None => Ok(settings),
    }
}
