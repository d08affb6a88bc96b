//! `brolga env`: what an environment takes, for people or as an attribute for MLIR.

use compiler::environment::Environment;
use std::process::ExitCode;
use vendors::limits;

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
        println!("{}", attribute(&environment));
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

/// Names that MLIR's SPIR-V dialect does not have; it refuses an attribute that mentions one.
const UNKNOWN_TO_MLIR: &[&str] = &[
    "ArbitraryPrecisionFixedPointALTERA",
    "ArbitraryPrecisionFloatingPointALTERA",
    "ArbitraryPrecisionIntegersALTERA",
    "ArithmeticFenceEXT",
    "FloatControls2",
    "LongCompositesINTEL",
    "MaskedGatherScatterINTEL",
    "SPV_EXT_arithmetic_fence",
    "SPV_INTEL_arithmetic_fence",
    "SPV_KHR_abort",
    "SPV_KHR_float_controls2",
    "SPV_INTEL_masked_gather_scatter",
    "GlobalVariableHostAccessINTEL",
    "OptNoneEXT",
    "SPV_EXT_optnone",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_INTEL_global_variable_decorations",
    "SPV_INTEL_global_variable_host_access",
    "SPV_INTEL_long_composites",
    "SPV_INTEL_bloat16_conversion",
];

/// `#spirv.target_env<…>`
fn attribute(environment: &Environment) -> String {
    let known = |name: &String| !UNKNOWN_TO_MLIR.contains(&name.as_str());
    // MLIR spells this one in its own way.
    let spelled = |name: String| {
        if name == "BFloat16ConversionINTEL" {
            "Bfloat16ConversionINTEL".into()
        } else {
            name
        }
    };
    let capabilities: Vec<String> = environment
        .registry
        .capabilities()
        .into_iter()
        .map(|capability| spelled(format!("{capability:?}")))
        .filter(known)
        .collect();
    let extensions: Vec<String> = environment
        .registry
        .spirv_extensions()
        .into_iter()
        .map(String::from)
        .filter(known)
        .collect();
    let (major, minor) = environment.newest;
    let [least, most] = [
        limits::SUB_GROUP_SIZES[0],
        limits::SUB_GROUP_SIZES[limits::SUB_GROUP_SIZES.len() - 1],
    ];
    let group = limits::WORK_GROUP_SIZE;
    format!(
        "#spirv.target_env<#spirv.vce<v{major}.{minor}, [{}], [{}]>, api=OpenCL, Unknown:CPU, #spirv.resource_limits<\
         max_compute_workgroup_invocations = {group}, max_compute_workgroup_size = [{group}, {group}, {group}], \
         min_subgroup_size = {least}, max_subgroup_size = {most}>>",
        capabilities.join(", "),
        extensions.join(", ")
    )
}
