//! `brolga env`: what an environment takes, for people or as an attribute for MLIR.

use clap::{Arg, ArgAction, ArgMatches, Command};
use compiler::environment::Environment;
use compiler::spirv::newer;

/// An environment by its name.
fn named(name: &str) -> Result<Environment, String> {
    let names = || Environment::names().collect::<Vec<_>>().join(", ");
    Environment::named(name).ok_or_else(|| format!("there is no environment {name:?}; there are {}", names()))
}

/// The options that say which environment is meant, with what switched on and off.
pub fn options() -> [Arg; 4] {
    let option = |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    [
        option("env", "NAME").help("Another environment than the device's own: opencl1.2 … opencl3.1, opencl3.0-embedded, level-zero, …; opencl3.0-minimal and its kin have what the version asks of every device, and nothing else"),
        option("with", "NAME").action(ArgAction::Append).help(
            "With a feature or extension that it may have: core:images, cl_khr_fp16, ZE_extension_subgroups, ZE_DEVICE_MODULE_FLAG_FP64, …",
        ),
        option("without", "NAME")
            .action(ArgAction::Append)
            .help("Without a feature or extension"),
        option("spirv", "1.N").help("With no newer version of SPIR-V than this"),
    ]
}

/// The environment that [`options`] describe. What is switched later on the command line counts.
pub fn chosen(arguments: &ArgMatches) -> Result<Environment, String> {
    let mut environment = match arguments.get_one::<String>("env") {
        Some(name) => named(name)?,
        None => Environment::device(),
    };
    let switches = |option: &str, on: bool| -> Vec<(usize, String, bool)> {
        let places = arguments.indices_of(option).into_iter().flatten();
        let names = arguments.get_many::<String>(option).into_iter().flatten();
        places.zip(names).map(|(place, name)| (place, name.clone(), on)).collect()
    };
    let mut all = [switches("with", true), switches("without", false)].concat();
    all.sort();
    for (_, name, on) in all {
        environment.switch(&name, on)?;
    }
    if let Some(version) = arguments.get_one::<String>("spirv") {
        environment.up_to(version)?;
    }
    Ok(environment)
}

/// The subcommand's place on the command line.
pub fn command() -> Command {
    Command::new("env")
        .about("Say what an environment takes: versions, capabilities, extensions")
        .args(options())
        .arg(
            Arg::new("mlir")
                .long("mlir")
                .action(ArgAction::SetTrue)
                .help("As a target environment of MLIR's SPIR-V dialect"),
        )
}

/// Prints what an environment takes.
pub fn run(arguments: &ArgMatches) -> u8 {
    let environment = match chosen(arguments) {
        Ok(environment) => environment,
        Err(error) => return super::refuse("env", &error),
    };
    match arguments.get_flag("mlir") {
        true => println!("{}", compiler::environment::mlir::target_env(&environment)),
        false => print!("{}", text(&environment)),
    }
    0
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
    let numbers = registry.newer_capabilities().into_iter();
    let capabilities = registry
        .capabilities()
        .into_iter()
        .filter(|&capability| environment.has_capability(capability))
        .map(|capability| format!("{capability:?}"))
        .chain(numbers.filter_map(|number| Some(newer::capability(number)?.0.to_string())))
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
    if registry.has("SPV_KHR_cooperative_matrix") {
        text.push_str(&matrices());
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

/// The multiplications of cooperative matrices, a line for those that differ in their sizes alone.
fn matrices() -> String {
    let mut text = format!(
        "cooperative matrices, in sub-groups of {}, as A by B plus C gives result: rows x columns of the result x columns of A\n",
        vendors::matrices::SUB_GROUP_SIZE
    );
    let mut families: Vec<(String, String)> = Vec::new();
    for variant in vendors::matrices::variants() {
        let [a, b, c, result] = variant.components;
        let saturating = if variant.saturating { ", saturating" } else { "" };
        let [m, n, k] = variant.sizes;
        let (kind, size) = (
            format!("{a:?} by {b:?} plus {c:?} gives {result:?}{saturating}"),
            format!(" {m}x{n}x{k}"),
        );
        match families.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sizes)) => sizes.push_str(&size),
            None => families.push((kind, size)),
        }
    }
    for (kind, sizes) in families {
        text.push_str(&format!("  {kind}:{sizes}\n"));
    }
    text
}
