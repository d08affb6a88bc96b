//! Runs passes one at a time: times them, verifies what they leave, shows it, and leaves out what `BROLGA_PASSES` says.

use super::registry::{self, Pass, Run};
use super::{Function, Module, debug_verify};
use once_cell::race::OnceBox;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is done besides running the passes: the value of `BROLGA_PASSES`, a list with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `disable=PASS`: these are left out, unless later stages rely on them.
    pub disabled: Vec<String>,
    /// `print-after=PASS`: the function is shown after each run of these.
    pub printed: Vec<String>,
    /// `print-changed`: the function is shown after each run that changed its text.
    pub print_changed: bool,
    /// `bisect=N`: only the first N runs that can be left out take place; each is told of.
    pub bisect: Option<u64>,
}

impl Settings {
    /// Reads a list such as `disable=licm,print-after=fold,bisect=17`. The error names the item that is not understood.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let pass = |name: &str| match registry::find(name) {
            Some(pass) => Ok(pass.name.to_owned()),
            None => Err(format!("there is no pass {name:?}")),
        };
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            match item.split_once('=') {
                None if item == "print-changed" => settings.print_changed = true,
                Some(("disable", name)) => settings.disabled.push(pass(name)?),
                Some(("print-after", name)) => settings.printed.push(pass(name)?),
                Some(("bisect", count)) => {
                    let count = count.parse().map_err(|_| format!("bisect takes a number, not {count:?}"))?;
                    settings.bisect = Some(count);
                }
                _ => return Err(format!("{item:?} is not disable=PASS, print-after=PASS, print-changed or bisect=N")),
            }
        }
        Ok(settings)
    }

    fn is_idle(&self) -> bool {
        *self == Settings::default()
    }
}

static SETTINGS: OnceBox<Settings> = OnceBox::new();

fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let variable = std::env::var("BROLGA_PASSES").unwrap_or_default();
        Box::new(Settings::parse(&variable).unwrap_or_else(|error| {
            debug::complain(format_args!("BROLGA_PASSES: {error}; it is ignored"));
            Settings::default()
        }))
    })
}

/// Runs that could have been left out so far, for `bisect`.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Runs a pass. True if it changed something.
pub fn run(pass: &Pass, func: &mut Function, module: Option<&Module>) -> bool {
    match (pass.run, module) {
        (Run::Function(run), _) => step(pass.name, func, module, false, run),
        (Run::Module(run), Some(module)) => step(pass.name, func, Some(module), false, |func| run(func, module)),
        (Run::Module(_) | Run::Elsewhere, _) => false,
    }
}

/// Does the work of the pass of that name. Where it is left out, the result is `skipped`.
pub fn step<T>(name: &'static str, func: &mut Function, module: Option<&Module>, skipped: T, work: impl FnOnce(&mut Function) -> T) -> T {
    debug_assert!(registry::find(name).is_some(), "the pass {name} has no row");
    let settings = settings();
    if settings.is_idle() {
        return perform(name, func, module, work);
    }
    if !takes_place(name, func, settings) {
        return skipped;
    }
    let before = settings.print_changed.then(|| func.to_string());
    let result = perform(name, func, module, work);
    let changed = before.is_some_and(|before| before != func.to_string());
    if changed || settings.printed.iter().any(|printed| printed == name) {
        debug::complain(format_args!("after {name}:\n{func}"));
    }
    result
}

fn perform<T>(name: &'static str, func: &mut Function, module: Option<&Module>, work: impl FnOnce(&mut Function) -> T) -> T {
    let result = debug::timed(format_args!("    {name}"), || work(func));
    debug_verify(func, module, name);
    result
}

/// Neither `disable` nor `bisect` leaves this run out.
fn takes_place(name: &str, func: &Function, settings: &Settings) -> bool {
    if registry::find(name).is_none_or(|pass| pass.is_required) {
        return true;
    }
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
        assert!(Settings::parse("disable=lick").unwrap_err().contains("lick"));
        assert!(Settings::parse("bisect=x").unwrap_err().contains("bisect"));
        assert!(Settings::parse("print=fold").unwrap_err().contains("print=fold"));
    }

    #[test]
    fn passes_are_left_out_unless_others_rely_on_them() {
        let func = Function::new("f", ir::Level::WorkItem, &[]);
        let settings = Settings::parse("disable=licm,disable=lcssa").unwrap();
        assert!(!takes_place("licm", &func, &settings));
        assert!(takes_place("lcssa", &func, &settings));
        assert!(takes_place("fold", &func, &settings));
    }
}
