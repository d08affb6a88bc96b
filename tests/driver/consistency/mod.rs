//! What the device reports and what it takes are the same thing: for each capability, extension, version, instruction set, scope, memory order and
//! atomic query there is a module that needs just that. If the device reports it, the module builds and runs; if not, it is refused, and the log
//! says its name. What is no matter of SPIR-V (extensions, functions, macros of OpenCL C) is compared with the registry. Then each row of the registry is turned off (`BROLGA_WITHOUT`, in a process of its own), which has to turn both sides.

mod capabilities;
pub mod device;
mod features;
mod module;
mod registry;
mod scopes;

use crate::drafts;
use brolga_tests::{Context, Program, Range};
use device::Reported;
use module::Module;

/// What creating a program gives where no intermediate language is taken: CL_INVALID_OPERATION.
const NO_IL: &str = "clCreateProgramWithIL: -59";

/// Something that a device may have, and a module that needs it.
struct Case {
    /// What it is; the log of a refusal says it.
    name: String,
    reported: bool,
    module: Module,
}

/// Every case, as the device reports it.
fn cases(reported: &Reported) -> Vec<Case> {
    let mut cases = capabilities::cases(reported);
    cases.extend(scopes::cases(reported));
    cases.extend(features::cases(reported));
    for name in extensions() {
        cases.push(Case {
            name: name.into(),
            reported: reported.spirv_extensions.iter().any(|extension| extension == name),
            module: Module::new().extension(name),
        });
    }
    for name in ["OpenCL.std", "OpenCL.DebugInfo.100", "GLSL.std.450", "OpenCL.nothing"] {
        cases.push(Case {
            name: name.into(),
            reported: reported.instruction_sets.iter().any(|set| set == name),
            module: Module::new().import(name),
        });
    }
    for minor in 0..=7 {
        cases.push(Case {
            name: format!("1.{minor}"),
            reported: reported.versions.contains(&minor),
            module: Module::new().version(minor),
        });
    }
    cases
}

/// SPIR-V extensions that the registry knows, and some that no device of OpenCL's has.
fn extensions() -> Vec<&'static str> {
    let mut names: Vec<&str> = vendors::rows().flat_map(|row| row.spirv_extensions).copied().collect();
    names.extend(["SPV_NV_ray_tracing", "SPV_KHR_nothing"]);
    names.sort_unstable();
    names.dedup();
    names
}

/// Builds a case's module and runs it, or sees it refused by its name, or by that of something else that it needs and that is not there.
fn judge(context: &Context, reported: &Reported, case: &Case) -> Result<(), String> {
    let text = case.module.text();
    let il = compiler::spirv::assemble(&text).map_err(|error| format!("{}: {error}\n{text}", case.name))?;
    let built = Program::from_il(context, &il)
        .map_err(|status| format!("clCreateProgramWithIL: {status}"))
        .and_then(|program| program.build(""));
    match (built, case.reported) {
        (Ok(program), true) => {
            let out = context.zeros::<u32>(64);
            program.kernel("k").run(context, &Range::new([1]).local([1]), &[&out]);
            let got = out.read()[0];
            if got == case.module.expected {
                Ok(())
            } else {
                Err(format!("{}: {got:#x}, expected {:#x}\n{text}", case.name, case.module.expected))
            }
        }
        (Ok(_), false) => Err(format!("{} is not reported, but its module builds\n{text}", case.name)),
        (Err(log), true) => Err(format!("{} is reported, but its module is refused:\n{log}\n{text}", case.name)),
        // A device that takes no intermediate language says so before it reads anything.
        (Err(log), false) if log.contains(&case.name) || log == NO_IL => Ok(()),
        (Err(log), false) if case.module.needs().any(|name| !reported.has(name) && log.contains(name)) => Ok(()),
        (Err(log), false) => Err(format!("{} is refused, but not by its name:\n{log}\n{text}", case.name)),
    }
}

#[test]
fn what_is_reported_is_taken_and_nothing_else() {
    let context = Context::new();
    let reported = Reported::of(&context.device);
    let cases = cases(&reported);
    let faults: Vec<String> = reported
        .contradictions()
        .into_iter()
        .chain(registry::differences(&context))
        .chain(cases.iter().filter_map(|case| judge(&context, &reported, case).err()))
        .collect();
    let count = cases.iter().filter(|case| case.reported).count();
    println!(
        "{} cases: {count} reported and run, {} refused by name",
        cases.len(),
        cases.len() - count
    );
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// For the process in which a row is off: what differs from before differs on both sides.
const BEFORE: &str = "BROLGA_TEST_BEFORE";

/// What the process without a row does: it builds what is no longer reported, and has to see it refused.
#[test]
fn without_a_row() {
    let (Ok(row), Ok(before)) = (std::env::var("BROLGA_WITHOUT"), std::env::var(BEFORE)) else {
        return; // Another test's work, in a process that it starts.
    };
    let context = Context::new();
    let reported = Reported::of(&context.device);
    let gone: Vec<Case> = cases(&reported)
        .into_iter()
        .zip(before.chars())
        .filter(|(case, before)| *before == '1' && !case.reported)
        .map(|(case, _)| case)
        .collect();
    let faults: Vec<String> = reported
        .contradictions()
        .into_iter()
        .chain(registry::differences(&context))
        .chain(gone.iter().filter_map(|case| judge(&context, &reported, case).err()))
        .collect();
    assert!(faults.is_empty(), "without {row}:\n{}", faults.join("\n\n"));
    println!("without {row}: {} fewer", gone.len());
}

/// Rows of drafts, each in a process that asks for it, in which the other tests here have to hold.
#[test]
fn a_draft_that_is_asked_for_is_there_on_both_sides() {
    for row in vendors::rows().filter(|row| row.provisional) {
        let test = "consistency::what_is_reported_is_taken_and_nothing_else";
        drafts::ask(row.name, test, "reported and run");
    }
}

#[test]
fn a_row_that_is_off_is_off_on_both_sides() {
    let context = Context::new();
    let before: String = cases(&Reported::of(&context.device))
        .iter()
        .map(|case| if case.reported { '1' } else { '0' })
        .collect();
    // Without these there is nobody to ask: the loader passes over a driver that is none of its kind, and what is taken can't be queried.
    let nobody = ["cl_khr_icd", "cl_khr_spirv_queries"];
    let mut faults = Vec::new();
    for row in vendors::rows().filter(|row| row.enabled && !nobody.contains(&row.name)) {
        let output = std::process::Command::new(std::env::current_exe().expect("this test's program"))
            .args(["--exact", "consistency::without_a_row", "--nocapture"])
            .env("BROLGA_WITHOUT", row.name)
            .env(BEFORE, &before)
            .output()
            .expect("this test's program again");
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || !text.contains(&format!("without {}: ", row.name)) {
            faults.push(format!("{text}{}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
