//! `docs/passes.md` says what the registries and the orders say.

use super::registry::{all, find};
use super::stages::LISTS;
use passes::Step;
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
            Step::Either(pass, then, otherwise) => {
                writeln!(text, "{indent}- `{}`", pass.name).expect("a string");
                for (text_of, steps) in [("where it changed something:", then), ("where it changed nothing:", otherwise)] {
                    if !steps.is_empty() {
                        writeln!(text, "{indent}  - {text_of}").expect("a string");
                        list(text, steps, depth + 2);
                    }
                }
                continue;
            }
            Step::If(condition, then) => {
                writeln!(text, "{indent}- where {}:", condition.text).expect("a string");
                list(text, then, depth + 1);
                continue;
            }
            Step::List(name, _) => {
                writeln!(text, "{indent}- all of the list `{name}`").expect("a string");
                continue;
            }
        };
        writeln!(text, "{indent}- `{name}`{why}").expect("a string");
        list(text, then, depth + 1);
    }
}

fn documentation() -> String {
    let mut text = String::from(
        "# Passes\n\nMade from `registry.rs` and `order.rs` in `compiler/transform/src`, and `registry.rs` and `stages.rs` in `compiler/vectorize/src`; `BROLGA_BLESS=1 cargo test -p brolga-vectorize documentation` writes it anew.\n\n",
    );
    text += "`BROLGA_PASSES` is a list with commas of `disable=PASS`, `print-before=PASS`, `print-after=PASS`, `print-changed` and `bisect=N`.\n\n";
    text += "A pass asks for the analyses that it *uses*; where it changes something, those that it *keeps* are still right.\n\n";
    text += "| pass | level | what it does | uses | keeps |\n|---|---|---|---|---|\n";
    for pass in all() {
        let required = if pass.is_required {
            " Can't be disabled: later stages rely on it."
        } else {
            ""
        };
        writeln!(
            text,
            "| `{}` | {} | {}{required} | {} | {} |",
            pass.name,
            pass.level.name(),
            pass.purpose,
            pass.uses.names(),
            pass.keeps.names()
        )
        .expect("a string");
    }
    for (name, title, steps) in LISTS {
        writeln!(text, "\n## {title}: `{name}`\n").expect("a string");
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
    fn visit(steps: &[Step], seen: &mut Vec<&'static str>) {
        for step in steps {
            let (pass, lists): (_, [&[Step]; 2]) = match *step {
                Step::Run(pass) => (Some(pass), [&[], &[]]),
                Step::Changed(pass, then) | Step::Repeat(_, pass, then) => (Some(pass), [then, &[]]),
                Step::Either(pass, then, otherwise) => (Some(pass), [then, otherwise]),
                Step::If(_, then) | Step::List(_, then) => (None, [then, &[]]),
            };
            seen.extend(pass.map(|pass| pass.name));
            lists.into_iter().for_each(|steps| visit(steps, seen));
        }
    }
    let mut run = Vec::new();
    LISTS.iter().for_each(|(_, _, steps)| visit(steps, &mut run));
    assert!(run.iter().all(|name| find(name).is_some()), "{run:?}");
    let mut names: Vec<_> = all().map(|pass| pass.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    let idle: Vec<_> = names.iter().filter(|name| !run.contains(name)).collect();
    // (The first is checked mode's, which knows the kernel; the second runs within others. Both run by themselves in tests.)
    assert_eq!(idle, [&"check", &"critical_edges"], "no list runs these");
}
