//! What is read before the program: predefined macros, and what the options define and include.

use super::Preprocessor;
use super::include::Place;
use super::macros::{BUILTINS, Macro, Meaning};
use crate::Input;
use crate::intern::Symbol;
use crate::lexer::Lexer;
use crate::options::{CompileOptions, PreprocessorOption};
use crate::source::{FileId, Loc, decode};
use crate::token::{Flags, Token, TokenKind};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::OnceLock;

/// What some macros depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Always,
    /// `cl_khr_fp16`
    Halves,
    Since2_0,
    /// Enqueueing from kernels.
    Enqueue,
}

impl Part {
    fn is_there(self, options: &CompileOptions) -> bool {
        match self {
            Part::Always => true,
            Part::Halves => options.has("cl_khr_fp16"),
            Part::Since2_0 => options.version >= 200,
            Part::Enqueue => options.version == 200 || has_feature_macro(options, "__opencl_c_device_enqueue"),
        }
    }
}

/// Macros without parameters: a line that is no comment is `#define NAME REPLACEMENT`.
const TEXTS: [(Part, &str); 4] = [
    (Part::Always, include_str!("predefined/always.cl")),
    (Part::Halves, include_str!("predefined/halves.cl")),
    (Part::Since2_0, include_str!("predefined/since_2_0.cl")),
    (Part::Enqueue, include_str!("predefined/enqueue.cl")),
];

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
    /// Puts on the stack what is read first: what the options define and include, then the program.
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
        self.predefined = sources.add("<built-in>", TEXTS.iter().map(|(_, text)| *text).collect(), Loc::NONE, true);
    }

    /// The macro without parameters of this name that is predefined. Few programs use many: each is looked for when its name is met, and its
    /// definition is read then.
    pub(super) fn predefined_macro(&self, symbol: Symbol) -> Option<Rc<Macro>> {
        let options = &self.session.options;
        let file = self.predefined?;
        let name = self.session.name(symbol);
        if let Some(&(part, at)) = offsets().get(name) {
            return part.is_there(options).then(|| self.read_predefined(file, at));
        }
        let number = value(options, name)?;
        let loc = Loc(self.session.sources.file(file).start);
        Some(object(
            loc,
            vec![Token {
                kind: TokenKind::Number(self.session.intern(&number.to_string())),
                loc,
                flags: Flags::default(),
            }],
        ))
    }

    /// Reads a definition, from the macro's name on.
    fn read_predefined(&self, file: FileId, at: usize) -> Rc<Macro> {
        let mut lexer = Lexer::new(self.session, file);
        lexer.skip_to(at);
        lexer.in_directive = true;
        let name = lexer.next(self.session);
        let mut body: Vec<Token> = std::iter::from_fn(|| Some(lexer.next(self.session)))
            .take_while(|token| !matches!(token.kind, TokenKind::LineEnd | TokenKind::Eof))
            .collect();
        if let Some(first) = body.first_mut() {
            first.flags = first.flags.with(Flags::SPACE, false);
        }
        object(name.loc, body)
    }
}

fn object(loc: Loc, body: Vec<Token>) -> Rc<Macro> {
    Rc::new(Macro {
        loc,
        meaning: Meaning::Object,
        body,
        disabled: Cell::new(false),
    })
}

/// Where each macro of [`TEXTS`] is defined: its text, and the offset of its name in all texts one after the other.
fn offsets() -> &'static FxHashMap<&'static str, (Part, usize)> {
    static OFFSETS: OnceLock<FxHashMap<&'static str, (Part, usize)>> = OnceLock::new();
    OFFSETS.get_or_init(|| {
        let mut offsets = FxHashMap::default();
        let mut at = 0;
        for (part, text) in TEXTS {
            for line in text.split_inclusive('\n') {
                if let Some(definition) = line.strip_prefix(DEFINE) {
                    let name = definition.split(' ').next().unwrap_or_default();
                    offsets.insert(name, (part, at + DEFINE.len()));
                }
                at += line.len();
            }
        }
        offsets
    })
}

/// The number that a macro stands for which depends on the version, the device or the options.
fn value(options: &CompileOptions, name: &str) -> Option<u32> {
    let is_there = match name {
        "__OPENCL_C_VERSION__" => return Some(options.version),
        "__OPENCL_VERSION__" => return Some(options.device_version),
        "__FINITE_MATH_ONLY__" => return Some(u32::from(options.finite_math_only)),
        "CL_VERSION_3_1" => return (options.device_version >= 310).then_some(310),
        "__FAST_RELAXED_MATH__" | "__FAST_MATH__" => options.fast_relaxed_math,
        "FP_FAST_FMAF" => options.fused_multiply_add,
        "FP_FAST_FMA" => options.fused_multiply_add && options.has("cl_khr_fp64"),
        _ => name.starts_with("cl_") && options.has(name) || has_feature_macro(options, name),
    };
    is_there.then_some(1)
}

fn has_feature_macro(options: &CompileOptions, name: &str) -> bool {
    options.version >= FEATURE_MACROS_SINCE && name.starts_with("__opencl_c_") && options.has(name)
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
