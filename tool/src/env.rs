//! `brolga env`: what an environment takes, for people or as an attribute for MLIR.

use compiler::environment::Environment;
use std::process::ExitCode;

/// An environment by its name.
pub fn named(name: &str) -> Result<Environment, String> {
    let names = || Environment::names().collect::<Vec<_>>().join(", ");
    Environment::named(name).ok_or_else(|| format!("there is no environment {name:?}; there are {}", names()))
}

/// Options that say which environment is meant, with what switched on and off. Gives whether it was one of them.
pub fn option<'a>(environment: &mut Environment, option: &str, arguments: &mut impl Iterator<Item = &'a String>) -> Result<bool, String> {
    let mut value = || arguments.next().map(String::as_str).ok_or_else(|| format!("what {option}?"));
    match option {
        "--env" => *environment = named(value()?)?,
        "--with" => environment.switch(value()?, true)?,
        "--without" => environment.switch(value()?, false)?,
        "--spirv" => environment.up_to(value()?)?,
        _ => return Ok(false),
    }
    Ok(true)
}

pub fn run(arguments: &[String]) -> ExitCode {
    let mut environment = Environment::device();
    let mut mlir = false;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match option(&mut environment, argument, &mut arguments) {
            Ok(true) => {}
            Ok(false) if argument == "--mlir" => mlir = true,
            Ok(false) => return super::usage(&format!("brolga env: there is no option {argument}")),
            Err(error) => return super::usage(&format!("brolga env: {error}")),
        }
    }
    if mlir {
        println!("{}", compiler::environment::mlir::target_env(&environment));
    } else {
        print!("{}", text(&environment));
    }
    ExitCode::SUCCESS
}

fn text(environment: &Environment) -> String {
    let registry = &environment.registry;
    let versioned = |list: Vec<(&'static str, vendors::Version)>| -> Vec<String> {
        list.into_iter()
            .map(|(name, version)| format!("{name} {}.{}.{}", version >> 22, version >> 12 & 0x3ff, version & 0xfff))
            .collect()
    };
    let plain = |list: Vec<&'static str>| list.into_iter().map(String::from).collect::<Vec<_>>();
    let (major, minor) = environment.newest;
    let mut text = format!(
        "{}: SPIR-V 1.0 to {major}.{minor}, Physical{}\n",
        environment.name, environment.address_bits
    );
    let capabilities = registry
        .capabilities()
        .into_iter()
        .filter(|&capability| environment.has_capability(capability))
        .map(|capability| format!("{capability:?}"))
        .collect();
    for (title, names) in [
        ("SPIR-V capabilities", capabilities),
        ("Level Zero extensions", plain(registry.level_zero_extensions())),
        ("SPIR-V extensions", plain(registry.spirv_extensions())),
        ("SPIR-V extended instruction sets", plain(registry.instruction_sets())),
        ("OpenCL extensions", versioned(registry.extensions())),
        ("OpenCL C features", versioned(registry.language_features())),
    ] {
        text.push_str(&format!("{title}:\n"));
        for name in names {
            text.push_str(&format!("  {name}\n"));
        }
    }
    text.push_str("not enabled:\n");
    for row in vendors::rows().filter(|row| !registry.has(row.name)) {
        let why = if row.missing.is_empty() {
            "this environment is without it"
        } else {
            row.missing
        };
        text.push_str(&format!("  {}: {why}\n", row.name));
    }
    text
}
