//! What the phases of one compilation share.

use crate::diagnostics::{Builder, Diagnostics, Warning};
use crate::intern::{Interner, Symbol};
use crate::options::CompileOptions;
use crate::source::{Loc, SourceMap};
use crate::token::{Pragma, PragmaId, Token, TokenKind};
use elsa::FrozenVec;
use std::borrow::Cow;

/// One compilation. Every part may be extended through a shared reference, so that each phase keeps a `&Session`.
pub struct Session {
    /// What the compilation is asked for.
    pub options: CompileOptions,
    /// Every text.
    pub sources: SourceMap,
    /// What there is to say.
    pub diagnostics: Diagnostics,
    /// Every name.
    pub symbols: Interner,
    pragmas: FrozenVec<Box<(Pragma, String)>>,
    part_of_room: u32,
}

impl Session {
    /// A compilation with nothing read yet.
    pub fn new(options: CompileOptions) -> Session {
        Session::with_part_of_room(options, 1)
    }

    /// A compilation on a small stack: a part (2: half) of what the deepest programs need.
    pub(crate) fn with_part_of_room(options: CompileOptions, part_of_room: u32) -> Session {
        Session {
            diagnostics: Diagnostics::new(&options),
            options,
            sources: SourceMap::default(),
            symbols: Interner::new(),
            pragmas: FrozenVec::new(),
            part_of_room,
        }
    }

    /// What a limit of how deep programs may nest is on this compilation's stack, and why if it is less than on others.
    pub(crate) fn limit(&self, usual: u32) -> (u32, &'static str) {
        match self.part_of_room {
            1 => (usual, ""),
            part => (usual / part, ": there is no memory for a larger stack"),
        }
    }

    /// Reports an error. Notes may be added to what is returned.
    pub fn error(&self, loc: Loc, message: impl Into<String>) -> Builder<'_> {
        self.diagnostics.error(loc, message.into())
    }

    /// Reports a warning that `-W<flag>` names.
    pub fn warning(&self, warning: Warning, loc: Loc, message: impl Into<String>) -> Builder<'_> {
        self.diagnostics.warning(warning, loc, message.into())
    }

    /// A name's symbol.
    pub fn intern(&self, name: &str) -> Symbol {
        self.symbols.intern(name)
    }

    /// A symbol's name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// Keeps a pragma, and its text, for a token to refer to.
    pub fn add_pragma(&self, pragma: Pragma, text: String) -> PragmaId {
        self.pragmas.push(Box::new((pragma, text)));
        PragmaId(self.pragmas.len() as u32 - 1)
    }

    /// The pragma that a token refers to.
    pub fn pragma(&self, id: PragmaId) -> &Pragma {
        &self.pragmas[id.0 as usize].0
    }

    /// How a token is written.
    pub fn spelling(&self, token: &Token) -> Cow<'_, str> {
        match token.kind {
            TokenKind::Ident(symbol)
            | TokenKind::Number(symbol)
            | TokenKind::Char(symbol)
            | TokenKind::Str(symbol)
            | TokenKind::Unknown(symbol) => Cow::Borrowed(self.name(symbol)),
            TokenKind::Punct(punct) => Cow::Borrowed(punct.text()),
            TokenKind::Pragma(id) => Cow::Owned(format!("#pragma {}", self.pragmas[id.0 as usize].1)),
            TokenKind::LineEnd | TokenKind::Eof => Cow::Borrowed(""),
        }
    }

    /// All diagnostics as text, with the count of errors and warnings at the end.
    pub fn render(&self) -> String {
        self.diagnostics.render(&self.sources)
    }
}
