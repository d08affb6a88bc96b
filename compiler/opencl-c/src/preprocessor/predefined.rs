//! What is read before the program: predefined macros, and what the options define and include.

use super::include::Place;
use super::macros::{BUILTINS, Macro, Meaning};
use super::{Preprocessor, Slot};
use crate::Input;
use crate::lexer::Lexer;
use crate::options::{CompileOptions, PreprocessorOption};
use crate::source::{FileId, Loc, decode};
use crate::token::{Flags, Token, TokenKind};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

/// Macros without parameters: in each text, a line that is no comment is `#define NAME REPLACEMENT`.
const ALWAYS: &str = include_str!("predefined/always.cl");
const HALVES: &str = include_str!("predefined/halves.cl");
const SINCE_2_0: &str = include_str!("predefined/since_2_0.cl");
const ENQUEUE: &str = include_str!("predefined/enqueue.cl");

/// Macros with parameters.
const FUNCTIONS: &str = "\
#define __kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define kernel_exec(X, typen) __kernel_exec(X, typen)
";
const FUNCTIONS_SINCE_2_0: &str = "#define ATOMIC_VAR_INIT(x) (x)\n";

/// The first version of OpenCL C with feature macros.
const FEATURE_MACROS_SINCE: u32 = 300;

/// What a line that defines a macro begins with.
const DEFINE: &str = "#define ";

impl<'a> Preprocessor<'a> {
    /// Defines what is predefined, and puts on the stack what is read first: what the options define and include, then the program.
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
        let functions = match options.version >= 200 {
            true => FUNCTIONS.to_owned() + FUNCTIONS_SINCE_2_0,
            false => FUNCTIONS.to_owned(),
        };
        for (name, text, is_system) in [("<command line>", given(options), false), ("<built-in>", functions, true)] {
            if let Some(file) = sources.add(name, text, Loc::NONE, is_system) {
                self.include_depth += 1;
                self.push_file(file, place.clone());
            }
        }
        if let Some(file) = sources.add("<built-in>", objects(options), Loc::NONE, true) {
            self.predefine(file);
        }
    }

    /// Notes where each macro of a text is defined. Few programs use many: a definition is read when its name is met ([`Preprocessor::definition`]).
    fn predefine(&mut self, file: FileId) {
        self.predefined = Some(file);
        let text = self.session.sources.file(file).text.clone();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if let Some(definition) = line.strip_prefix(DEFINE) {
                let name = definition.split(' ').next().unwrap_or_default();
                let symbol = self.session.intern(name);
                self.set_slot(symbol, Slot::Predefined(at + DEFINE.len()));
            }
            at += line.len();
        }
    }

    /// Reads the definition of a macro without parameters that is predefined, from its name on.
    pub(super) fn read_predefined(&self, at: usize) -> Option<Rc<Macro>> {
        let mut lexer = Lexer::new(self.session, self.predefined?);
        lexer.skip_to(at);
        lexer.in_directive = true;
        let name = lexer.next(self.session);
        let mut body: Vec<Token> = std::iter::from_fn(|| Some(lexer.next(self.session)))
            .take_while(|token| !matches!(token.kind, TokenKind::LineEnd | TokenKind::Eof))
            .collect();
        if let Some(first) = body.first_mut() {
            first.flags = first.flags.with(Flags::SPACE, false);
        }
        Some(Rc::new(Macro {
            loc: name.loc,
            meaning: Meaning::Object,
            body,
            disabled: Cell::new(false),
        }))
    }
}

/// Macros without parameters: those that depend on the version, the device and the options, then those that every program has.
fn objects(options: &CompileOptions) -> String {
    let enqueue = options.version == 200 || options.version >= FEATURE_MACROS_SINCE && options.has("__opencl_c_device_enqueue");
    let parts = [
        (true, ALWAYS),
        (options.has("cl_khr_fp16"), HALVES),
        (options.version >= 200, SINCE_2_0),
        (enqueue, ENQUEUE),
    ];
    let mut text = String::with_capacity(16 << 10);
    let mut define = |name: &str, value: &str| _ = writeln!(text, "{DEFINE}{name} {value}");
    define("__OPENCL_C_VERSION__", &options.version.to_string());
    define("__OPENCL_VERSION__", &options.device_version.to_string());
    define("__FINITE_MATH_ONLY__", if options.finite_math_only { "1" } else { "0" });
    if options.device_version >= 310 {
        define("CL_VERSION_3_1", "310");
    }
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
    for (_, part) in parts.iter().filter(|(is_there, _)| *is_there) {
        text.push_str(part);
    }
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
