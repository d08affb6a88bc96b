//! Tests that are files: an IR text whose first line is a script, and behind it, as comments, what must become of it.
//!
//! `BROLGA_BLESS=1 cargo test -p CRATE filetests` writes that part anew; look at the difference before committing it.

use crate::script::{Outcome, Script};
use crate::{Context, Settings};
use ir::Function;
use std::path::{Path, PathBuf};
use target::Machine;

/// The `.ir` files of a folder, by name.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "ir"))
        .collect();
    files.sort();
    files
}

/// Runs a file's script. Without a target it is for AVX2, whatever machine this is.
pub fn run(text: &str, apply: impl FnMut(&str, &mut Function, &mut Context) -> Option<bool>) -> Result<Outcome, String> {
    let mut script = Script::of_text(text).ok_or("the first line must be a script: `; test: dce`")??;
    script.machine = script.machine.or_else(|| Machine::named("avx2"));
    script.run(text, &Settings::default(), apply)
}

/// Runs a file's script, and compares.
pub fn check(path: &Path, apply: impl FnMut(&str, &mut Function, &mut Context) -> Option<bool>) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let outcome = run(&text, apply)?;
    let input: Vec<&str> = text.lines().take_while(|line| !line.starts_with("; function")).collect();
    let output = outcome.func.to_string();
    let output: String = output
        .lines()
        .chain(outcome.notes.iter().map(String::as_str))
        .map(|line| format!("; {line}\n"))
        .collect();
    let wanted = format!("{}\n\n{output}", input.join("\n").trim_end());
    if text == wanted {
        Ok(())
    } else if std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::write(path, wanted).map_err(|error| error.to_string())
    } else {
        Err(format!("the result is another now:\n{output}\n(BROLGA_BLESS=1 takes it as right)"))
    }
}

/// Names the tests of a folder, a `#[test]` a file, and one that finds files that are not named. `$apply` runs a pass by name.
#[macro_export]
macro_rules! filetests {
    ($folder:expr, $apply:expr, $($name:ident)*) => {
        fn folder() -> std::path::PathBuf {
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($folder)
        }

        $(
            #[test]
            fn $name() {
                let path = folder().join(concat!(stringify!($name), ".ir"));
                if let Err(error) = $crate::filetest::check(&path, $apply) {
                    panic!("{}: {error}", path.display());
                }
            }
        )*

        #[test]
        fn every_file_is_a_test() {
            let named = [$(concat!(stringify!($name), ".ir")),*];
            let files = $crate::filetest::files(&folder());
            let names = files.iter().filter_map(|path| path.file_name()?.to_str());
            let missing: Vec<_> = names.filter(|name| !named.contains(name)).collect();
            assert!(missing.is_empty(), "name these in filetests.rs: {missing:?}");
        }
    };
}
