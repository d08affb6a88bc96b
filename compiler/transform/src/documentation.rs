//! `docs/passes.md` says what the registry and the order say.

use super::order::{BEFORE_INLINING, GROUP, Step, WORK_ITEM};
use super::registry::{Level, PASSES};
use std::fmt::Write;
use std::path::Path;

/// One line a step, indented by what it depends on.
fn list(text: &mut String, steps: &[Step], depth: usize) {
    let indent = "  ".repeat(depth);
    for step in steps {
        let (name, why, then): (_, String, &[Step]) = match *step {
            Step::Run(pass) => (pass.name, String::new(), &[]),
            Step::Changed(pass, then) => (pass.name, ", and where it changed something:".into(), then),
            Step::Repeat(most, pass, then) => (pass.name, format!(", at most {most} times as long as it changes something:"), then),
            Step::Machine(_, pass) => (pass.name, ", where the machine has what it makes use of".into(), &[]),
        };
        writeln!(text, "{indent}- `{name}`{why}").expect("a string");
        list(text, then, depth + 1);
    }
}

fn documentation() -> String {
    let mut text = String::from(
        "# Passes\n\nMade from `compiler/transform/src/registry.rs` and `order.rs`; `BROLGA_BLESS=1 cargo test -p brolga-transform documentation` writes it anew.\n\n",
    );
    text += "`BROLGA_PASSES` is a list with commas of `disable=PASS`, `print-after=PASS`, `print-changed` and `bisect=N`.\n\n";
    text += "| pass | level | what it does |\n|---|---|---|\n";
    for pass in PASSES {
        let level = match pass.level {
            Level::WorkItem => "work-item",
            Level::Gang => "gang",
            Level::Group => "group",
            Level::Either => "either",
        };
        let required = if pass.is_required {
            " Can't be disabled: later stages rely on it."
        } else {
            ""
        };
        writeln!(text, "| `{}` | {level} | {}{required} |", pass.name, pass.purpose).expect("a string");
    }
    for (title, steps) in [
        ("Before inlining", BEFORE_INLINING),
        ("A work-item's function", WORK_ITEM),
        ("A work-group's function", GROUP),
    ] {
        writeln!(text, "\n## {title}\n").expect("a string");
        list(&mut text, steps, 0);
    }
    text
}

#[test]
fn documentation_is_what_the_registry_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/passes.md");
    let wanted = documentation();
    if std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(&path, &wanted).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/passes.md is stale (BROLGA_BLESS=1 writes it anew)");
}

#[test]
fn names_are_unique_and_each_pass_that_runs_has_its_row() {
    fn visit(steps: &[Step]) {
        for step in steps {
            let (pass, then): (_, &[Step]) = match *step {
                Step::Run(pass) | Step::Machine(_, pass) => (pass, &[]),
                Step::Changed(pass, then) | Step::Repeat(_, pass, then) => (pass, then),
            };
            assert!(super::registry::find(pass.name).is_some(), "{} has no row", pass.name);
            visit(then);
        }
    }
    [BEFORE_INLINING, WORK_ITEM, GROUP].into_iter().for_each(visit);
    let mut names: Vec<_> = PASSES.iter().map(|pass| pass.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}
