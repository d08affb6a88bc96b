//! OpenCL C to SPIR-V, in process.
//!
//! Source, embedded headers and options go in ([`Input`]); SPIR-V words or diagnostics come out ([`Output`]). The crate knows nothing of the
//! driver that uses it.
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | holds every text and says where a token comes from |
//! | [`diagnostics`] | collects errors, warnings and notes, and renders them |
//! | [`intern`] | names as small numbers |
//! | [`token`], [`lexer`], [`literal`] | what the parser reads |
//! | [`preprocessor`] | C99's translation phases 1 to 4 |
//! | [`options`] | what a compilation is asked for |
//! | [`types`], [`hir`] | types, and the typed tree of a program |
//! | [`builtins`] | built-in functions, and what headers declare |
//! | [`emit`] | SPIR-V of the typed tree |
//! | [`session`] | the above, shared by the phases of one compilation |

pub mod builtins;
pub mod diagnostics;
pub mod emit;
pub mod hir;
pub mod intern;
pub mod lexer;
pub mod literal;
pub mod options;
pub mod parse;
pub mod preprocessor;
mod sema;
pub mod session;
pub mod source;
mod spelling;
mod stack;
pub mod token;
pub mod types;

pub use intern::Symbol;
pub use options::CompileOptions;
pub use session::Session;
pub use source::Loc;

/// A program to compile.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The source's name in diagnostics and in `__FILE__`.
    pub name: &'a str,
    /// OpenCL C.
    pub source: &'a [u8],
    /// Embedded headers: name as in `#include`, text.
    pub headers: &'a [(String, Vec<u8>)],
    /// What the compilation is asked for.
    pub options: &'a CompileOptions,
}

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What was made of it, unless there were errors.
    pub product: Option<Product>,
    /// Diagnostics, rendered.
    pub log: String,
}

/// What a compilation makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Product {
    /// A SPIR-V module's words.
    Spirv(Vec<u32>),
    /// Preprocessed text.
    Text(String),
    /// Nothing but diagnostics.
    Nothing,
}

/// Reads a program and says what is wrong with it. Nothing is made of it.
pub fn check(input: &Input) -> Output {
    with_session(input, |session| {
        parse::parse(session, preprocessor::Preprocessor::new(session, input));
        Some(Product::Nothing)
    })
}

/// Preprocesses a program (`-E`).
pub fn preprocess(input: &Input) -> Output {
    with_session(input, |session| {
        Some(Product::Text(preprocessor::Preprocessor::new(session, input).into_text()))
    })
}

/// Compiles a program to SPIR-V.
pub fn compile(input: &Input) -> Output {
    with_session(input, |session| {
        let program = parse::parse(session, preprocessor::Preprocessor::new(session, input));
        (!session.diagnostics.has_errors()).then(|| Product::Spirv(emit::emit(session, &program)))
    })
}

/// Runs a compilation where there is room for it. There is no product if something was reported as an error, at whatever phase: what cannot be
/// said in SPIR-V is found when it is emitted.
fn with_session(input: &Input, work: impl Fn(&Session) -> Option<Product> + Sync) -> Output {
    let output = stack::with_room(|part| {
        let session = Session::with_part_of_room(input.options.clone(), part);
        let product = work(&session);
        Output {
            product: product.filter(|_| !session.diagnostics.has_errors()),
            log: session.render(),
        }
    });
    output.unwrap_or_else(|| Output {
        product: None,
        log: "fatal error: out of memory: there is none for a stack to compile on\n".to_owned(),
    })
}
