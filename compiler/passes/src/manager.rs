//! Runs passes one at a time: times them, verifies what they leave, shows it, and leaves out what `BROLGA_PASSES` says.

use crate::{Context, Pass};
use ir::verify::debug_verify;
use ir::{Function, Level};
use once_cell::race::OnceBox;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is done besides running the passes: the value of `BROLGA_PASSES`, a list with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `disable=PASS`: these are left out, unless later stages rely on them.
    pub disabled: Vec<String>,
    /// `print-before=PASS`: the function is shown before each run of these.
    pub printed_before: Vec<String>,
    /// `print-after=PASS`: the function is shown after each run of these.
    pub printed: Vec<String>,
    /// `print-changed`: the function is shown after each run that changed its text.
    pub print_changed: bool,
    /// `bisect=N`: only the first N runs that can be left out take place; each is told of.
    pub bisect: Option<u64>,
}

impl Settings {
    /// Reads a list such as `disable=licm,print-after=fold,bisect=17`. The error names the item that is not understood; whether there are passes
    /// of these names, [`Settings::unknown`] tells.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            match item.split_once('=') {
                None if item == "print-changed" => settings.print_changed = true,
                Some(("disable", name)) => settings.disabled.push(name.into()),
                Some(("print-before", name)) => settings.printed_before.push(name.into()),
                Some(("print-after", name)) => settings.printed.push(name.into()),
                Some(("bisect", count)) => {
                    let count = count.parse().map_err(|_| format!("bisect takes a number, not {count:?}"))?;
                    settings.bisect = Some(count);
                }
                _ => {
                    return Err(format!(
                        "{item:?} is not disable=PASS, print-before=PASS, print-after=PASS, print-changed or bisect=N"
                    ));
                }
            }
        }
        Ok(settings)
    }

    /// The first name that no pass has.
    pub fn unknown(&self, is_pass: impl Fn(&str) -> bool) -> Option<&str> {
        let mut names = self.disabled.iter().chain(&self.printed).chain(&self.printed_before);
        names.find(|name| !is_pass(name)).map(String::as_str)
    }

    /// Those of `BROLGA_PASSES`.
    pub fn of_process() -> &'static Settings {
        static SETTINGS: OnceBox<Settings> = OnceBox::new();
        SETTINGS.get_or_init(|| {
            let variable = std::env::var("BROLGA_PASSES").unwrap_or_default();
            Box::new(Settings::parse(&variable).unwrap_or_else(|error| {
                debug::complain(format_args!("BROLGA_PASSES: {error}; it is ignored"));
                Settings::default()
            }))
        })
    }

    fn is_idle(&self) -> bool {
        *self == Settings::default()
    }
}

/// Runs that could have been left out so far, for `bisect`.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Runs a pass, unless the settings leave it out. True if it changed something.
pub fn run_pass(pass: &Pass, func: &mut Function, context: &mut Context) -> bool {
    let settings = context.settings;
    if settings.is_idle() {
        return perform(pass, func, context);
    }
    if !takes_place(pass, func, settings) {
        return false;
    }
    if settings.printed_before.iter().any(|printed| printed == pass.name) {
        debug::complain(format_args!("before {}:\n{func}", pass.name));
    }
    let before = settings.print_changed.then(|| func.to_string());
    let result = perform(pass, func, context);
    let changed = before.is_some_and(|before| before != func.to_string());
    if changed || settings.printed.iter().any(|printed| printed == pass.name) {
        debug::complain(format_args!("after {}:\n{func}", pass.name));
    }
    result
}

fn perform(pass: &Pass, func: &mut Function, context: &mut Context) -> bool {
    context.analyses.allow(pass.uses);
    let before = func.counts();
    let result = debug::timed(format_args!("    {}", pass.name), || pass.perform(func, context));
    // What is new changes the function, even where the pass has found nothing to do then.
    if result || before != func.counts() {
        context.analyses.keep(pass.keeps);
    }
    let facts = context.gang.as_ref().map(|gang| &gang.facts);
    context.analyses.debug_check(func, facts, pass.name);
    // (Calls of gangs pass vectors, and masks: not what the module's functions take.)
    debug_verify(func, context.module.filter(|_| func.level == Level::WorkItem), pass.name);
    result
}

/// Neither `disable` nor `bisect` leaves this run out.
fn takes_place(pass: &Pass, func: &Function, settings: &Settings) -> bool {
    if pass.is_required {
        return true;
    }
    let name = pass.name;
    if settings.disabled.iter().any(|disabled| disabled == name) {
        return false;
    }
    let Some(most) = settings.bisect else { return true };
    let run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let taken = run <= most;
    let what = if taken { "runs" } else { "is left out" };
    debug::complain(format_args!("bisect: {run}: {name} {what} ({})", func.name));
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_or_refused_by_name() {
        let settings = Settings::parse("disable=licm, print-after=fold,bisect=17,print-changed").unwrap();
        assert_eq!(settings.disabled, ["licm"]);
        assert_eq!(settings.printed, ["fold"]);
        assert!(settings.print_changed && settings.bisect == Some(17));
        assert!(Settings::parse("").unwrap().is_idle());
        assert_eq!(settings.unknown(|name| name == "licm"), Some("fold"));
        assert_eq!(settings.unknown(|_| true), None);
        assert!(Settings::parse("bisect=x").unwrap_err().contains("bisect"));
        assert!(Settings::parse("print=fold").unwrap_err().contains("print=fold"));
    }

    #[test]
    fn passes_are_left_out_unless_others_rely_on_them() {
        let func = Function::new("f", ir::Level::WorkItem, &[]);
        let settings = Settings::parse("disable=licm,disable=lcssa").unwrap();
        let pass = |name| Pass::function(name, crate::Level::WorkItem, |_| false, "");
        assert!(!takes_place(&pass("licm"), &func, &settings));
        assert!(takes_place(&pass("lcssa").required(), &func, &settings));
        assert!(takes_place(&pass("fold"), &func, &settings));
    }
}
