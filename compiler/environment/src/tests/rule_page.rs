//! `docs/rules.md` says what the rules' table says, each with a case that breaks it and what is answered.

use super::rule_cases::{CASES, OTHER_CASES, ROW_CASES, changed, errors, everything};
use super::{ARITHMETIC, CONSTANTS, FLOAT_MODES, IMAGES, LOOP, MATRICES, SMALL};
use crate::{Diagnostic, Environment, Rule, rules::RULES};
use std::fmt::Write;
use std::path::Path;
use vendors::Registry;

const INTRODUCTION: &str = "# Rules

Made from the table of rules and their tests (`compiler/environment/src/rules.rs`, `tests/rule_cases.rs`);
`BROLGA_BLESS=1 cargo test -p brolga-environment rule_page` writes it anew.

`brolga validate` and build logs name rules by these names. Each has an example that breaks it: the change to a valid module of
`compiler/pipeline/tests/spirv/valid`, and what the driver answers. Lines with `-` are the valid module's, lines with `+` stand in their place.
";

/// The file that a module's text comes from.
fn file(module: &str) -> &'static str {
    let files = [
        (ARITHMETIC, "arithmetic.spvasm"),
        (LOOP, "loop.spvasm"),
        (CONSTANTS, "constants.spvasm"),
        (SMALL, "small.spvasm"),
        (IMAGES, "images.spvasm"),
        (FLOAT_MODES, "float_modes.spvasm"),
        (MATRICES, "matrices.spvasm"),
    ];
    files.iter().find(|(text, _)| *text == module).expect("one of the modules").1
}

/// The lines that differ, with `-` and `+`, by a longest common subsequence.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // Lines in common from here on.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            lines.push(format!("-{}", old[i].trim()));
            i += 1;
        } else {
            lines.push(format!("+{}", new[j].trim()));
            j += 1;
        }
    }
    lines
}

/// What breaks a rule, in Markdown, and what is answered.
fn example(rule: &'static Rule) -> (String, Vec<Diagnostic>) {
    let is = |of: &Rule| std::ptr::eq(of, rule);
    let change = |module, changes| format!("```diff\n{}\n```\n", difference(module, &changed(rule, module, changes)).join("\n"));
    if let Some(&(_, module, changes)) = CASES.iter().find(|(of, ..)| is(of)) {
        let text = format!("In `{}`:\n\n{}", file(module), change(module, changes));
        (text, errors(&changed(rule, module, changes), &everything()))
    } else if let Some(&(_, module, changes, row)) = ROW_CASES.iter().find(|(of, ..)| is(of)) {
        let without = Environment::of_registry(Registry::everything().switched(row, false));
        let text = match changes {
            [] => format!("`{}` on a device without `{row}`.\n", file(module)),
            _ => format!("In `{}`, on a device without `{row}`:\n\n{}", file(module), change(module, changes)),
        };
        (text, errors(&changed(rule, module, changes), &without))
    } else {
        let &(_, text, cases) = OTHER_CASES.iter().find(|(of, ..)| is(of)).expect("each rule has a case");
        let [_, refused] = cases();
        (format!("{text}\n"), refused)
    }
}

fn page() -> String {
    let mut text = String::from(INTRODUCTION);
    for rule in RULES {
        let (example, answers) = example(rule);
        let answer = answers
            .iter()
            .find(|answer| std::ptr::eq(answer.rule, *rule))
            .unwrap_or_else(|| panic!("{} is not broken by its case", rule.id));
        write!(
            text,
            "\n## {}\n\n{}. *{}*\n\n{example}\n```text\n{answer}\n```\n",
            rule.id, rule.sentence, rule.section
        )
        .expect("a string");
    }
    text
}

#[test]
fn the_page_is_what_the_rules_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let wanted = page();
    if std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/rules.md is stale (BROLGA_BLESS=1 writes it anew)");
}

#[test]
fn differences_are_found() {
    assert_eq!(difference("a\nb\nc", "a\nx\nc\nd"), ["-b", "+x", "+d"]);
    assert_eq!(difference("a", "a"), [""; 0]);
}
