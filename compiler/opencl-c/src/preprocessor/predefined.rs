//! What is read before the program: predefined macros, and what the options define and include.

use super::Preprocessor;
use super::include::Place;
use super::macros::{BUILTINS, Macro, Meaning};
use crate::Input;
use crate::options::{CompileOptions, PreprocessorOption};
use crate::source::{Loc, decode};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

/// Macros that are the same for every program.
const ALWAYS: &str = include_str!("predefined.cl");

/// The first version of OpenCL C with feature macros.
const FEATURE_MACROS_SINCE: u32 = 300;

impl<'a> Preprocessor<'a> {
    /// Puts on the stack what is read first: the predefined macros, then what the options define and include, then the program.
    pub(super) fn start(&mut self, input: &Input<'a>) {
        for (symbol, builtin) in BUILTINS {
            let definition = Macro {
                loc: Loc::NONE,
                meaning: Meaning::Builtin(builtin),
                body: Vec::new(),
                disabled: Cell::new(false),
            };
            self.set_macro(symbol, Some(Rc::new(definition)));
        }
        let options = input.options;
        for option in &options.preprocessor {
            if let PreprocessorOption::Directory(directory) = option {
                self.directories.push(directory.clone());
            }
        }
        let sources = &self.session.sources;
        let beside = Path::new(input.name).parent().filter(|parent| !parent.as_os_str().is_empty());
        let place = Place::Disk(beside.unwrap_or(Path::new(".")).join("program"));
        let Some(main) = sources.add(input.name, decode(input.source), Loc::NONE, false) else {
            self.stop(Loc::NONE, "the program is too long");
            return;
        };
        self.main = Some(main);
        self.include_depth = 1;
        self.push_file(main, place.clone());
        let texts = [
            ("<command line>", given(options), false),
            ("<built-in>", versions(options) + ALWAYS, true),
        ];
        for (name, text, is_system) in texts {
            if let Some(file) = sources.add(name, text, Loc::NONE, is_system) {
                self.include_depth += 1;
                self.push_file(file, place.clone());
            }
        }
    }
}

/// Macros that depend on the version, the device and the options.
fn versions(options: &CompileOptions) -> String {
    let mut text = String::with_capacity(ALWAYS.len() + 4096);
    let mut define = |name: &str, value: &str| _ = writeln!(text, "#define {name} {value}");
    define("__OPENCL_C_VERSION__", &options.version.to_string());
    define("__OPENCL_VERSION__", &options.device_version.to_string());
    define("__FINITE_MATH_ONLY__", if options.finite_math_only { "1" } else { "0" });
    if options.fast_relaxed_math {
        define("__FAST_RELAXED_MATH__", "1");
        define("__FAST_MATH__", "1");
    }
    if options.fused_multiply_add {
        define("FP_FAST_FMAF", "1");
        if options.has("cl_khr_fp64") {
            define("FP_FAST_FMA", "1");
        }
    }
    for name in &options.features {
        if name.starts_with("cl_") || options.version >= FEATURE_MACROS_SINCE {
            define(name, "1");
        }
    }
    define("__IMAGE_SUPPORT__", "1");
    text
}

/// `-D`, `-U` and `-include` as directives.
fn given(options: &CompileOptions) -> String {
    let mut text = String::new();
    for option in &options.preprocessor {
        _ = match option {
            PreprocessorOption::Define(definition) => {
                // A line's end would end the definition.
                let definition = definition.split(['\n', '\r']).next().unwrap_or_default();
                match definition.split_once('=') {
                    Some((head, body)) => writeln!(text, "#define {head} {body}"),
                    None => writeln!(text, "#define {definition} 1"),
                }
            }
            PreprocessorOption::Undefine(name) => writeln!(text, "#undef {name}"),
            PreprocessorOption::Directory(_) | PreprocessorOption::Include(_) => Ok(()),
        };
    }
    for option in &options.preprocessor {
        if let PreprocessorOption::Include(name) = option {
            _ = writeln!(text, "#include \"{name}\"");
        }
    }
    text
}
