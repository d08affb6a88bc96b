//! The parser: tokens to the typed tree, in one pass.
//!
//! C cannot be parsed without knowing which names are types, so the parser analyses what it reads as it reads it. The files here follow the grammar, those
//! of [`crate::sema`] the rules.

mod attributes;
mod block;
mod declarator;
mod expr;
mod external;
mod generic;
mod init;
mod keywords;
mod local;
mod postfix;
mod primary;
mod record;
mod specifiers;
mod stmt;
mod tokens;

pub(crate) use attributes::Attrs;
pub(crate) use declarator::{Declarator, ParamDecl};
pub(crate) use expr::BinaryOp;
pub(crate) use init::{Designator, InitItem, Initializer};
pub(crate) use keywords::Keyword;
pub(crate) use specifiers::{DeclType, Specifiers, Storage};

use crate::builtins::Builtins;
use crate::hir::{Body, Const, FunctionId, GlobalId, LocalId, Program};
use crate::intern::Symbol;
use crate::preprocessor::Preprocessor;
use crate::sema::{BlockState, CallShape, FunctionState, KnownBlock, Lang, Scopes};
use crate::session::Session;
use crate::source::Loc;
use crate::token::{Token, TokenKind};
use crate::types::{RecordId, Types};
use keywords::Keywords;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How deeply brackets may nest: clang's `-fbracket-depth`.
const BRACKET_DEPTH: u32 = 256;
/// How deeply anything else may: operators before an operand, `else if`, `?:`.
const NESTING: u32 = 1024;
/// How many operators an expression may have, so that walking its tree does not exhaust the stack.
const OPERATORS: u32 = 16384;

/// The state of a parse.
pub struct Parser<'a> {
    pub(crate) session: &'a Session,
    preprocessor: Preprocessor<'a>,
    pub(crate) lang: Lang,
    keywords: Keywords,
    /// Structs and unions whose members are being read, the innermost last.
    open_records: Vec<RecordId>,
    /// The current token.
    token: Token,
    /// Where the token before it began.
    pub(crate) previous: Loc,
    ahead: VecDeque<Token>,
    brackets: u32,
    nesting: u32,
    operators: u32,
    /// Are statements and initializers parts of an expression here?
    in_expression: bool,
    /// Has nesting gone too deep? Then the rest is not read.
    stopped: bool,
    pub(crate) program: Program,
    pub(crate) builtins: Builtins,
    /// Which overload of a built-in function a call has turned out to mean.
    pub(crate) chosen: FxHashMap<CallShape, usize>,
    /// How many parts all initializers have.
    pub(crate) kept_parts: u64,
    /// How many bytes all string literals have as they are written.
    kept_characters: usize,
    /// Which symbols have been looked up among the names that the language declares.
    pub(crate) met: Vec<bool>,
    pub(crate) scopes: Scopes,
    /// The body that expressions are added to: the current function's, or one for expressions at program scope.
    pub(crate) body: Body,
    pub(crate) function: Option<FunctionState>,
    /// All functions of a name.
    pub(crate) functions: FxHashMap<Symbol, Vec<FunctionId>>,
    /// String literals, by their bytes.
    pub(crate) strings: FxHashMap<Vec<u8>, crate::hir::GlobalId>,
    /// Whether operations may be contracted from here on.
    pub(crate) contract: bool,
    /// The alignments that `#pragma pack` limits members to; the last counts, 0 is no limit.
    pack: Vec<u32>,
    /// The values of the function's `const` variables that are known.
    pub(crate) known_locals: FxHashMap<LocalId, Const>,
    /// The block literals that are being read, from the outermost.
    pub(crate) blocks: Vec<BlockState>,
    /// The function's variables that hold blocks, and the program's.
    pub(crate) known_blocks: FxHashMap<LocalId, KnownBlock>,
    pub(crate) global_blocks: FxHashMap<GlobalId, FunctionId>,
    /// Has `#pragma OPENCL EXTENSION` enabled `cl_khr_fp16`, without which a `half` can only be pointed to?
    pub(crate) half_enabled: bool,
    /// Depth of expressions that are not evaluated: operands of `sizeof`.
    pub(crate) unevaluated: u32,
    /// Calls of functions, to find recursion: caller, callee and where.
    pub(crate) calls: Vec<(FunctionId, FunctionId, Loc)>,
}

/// Parses and analyses a program. What is wrong is reported to the session; the tree of a program with errors is not to be emitted.
pub fn parse<'a>(session: &'a Session, preprocessor: Preprocessor<'a>) -> Program {
    let lang = Lang::new(&session.options);
    let mut parser = Parser {
        session,
        preprocessor,
        keywords: Keywords::new(&lang),
        open_records: Vec::new(),
        token: Token {
            kind: TokenKind::Eof,
            loc: Loc::default(),
            flags: Default::default(),
        },
        previous: Loc::default(),
        ahead: VecDeque::new(),
        brackets: 0,
        nesting: 0,
        operators: 0,
        in_expression: false,
        stopped: false,
        program: Program::default(),
        builtins: Builtins::new(&session.options),
        chosen: FxHashMap::default(),
        kept_parts: 0,
        kept_characters: 0,
        met: Vec::new(),
        scopes: Scopes::default(),
        body: Body::default(),
        function: None,
        functions: FxHashMap::default(),
        strings: FxHashMap::default(),
        contract: lang.contract,
        pack: vec![0],
        half_enabled: false,
        known_locals: FxHashMap::default(),
        blocks: Vec::new(),
        known_blocks: FxHashMap::default(),
        global_blocks: FxHashMap::default(),
        lang,
        unevaluated: 0,
        calls: Vec::new(),
    };
    parser.advance();
    parser.translation_unit();
    parser.check_recursion();
    parser.program
}

impl<'a> Parser<'a> {
    pub(crate) fn types(&mut self) -> &mut Types {
        &mut self.program.types
    }

    pub(crate) fn types_ref(&self) -> &Types {
        &self.program.types
    }

    /// A name as text.
    pub(crate) fn text(&self, name: Symbol) -> &'a str {
        self.session.name(name)
    }
}
