//! What the phases of one compilation share.

use crate::diagnostics::{Builder, Diagnostics, Warning};
use crate::intern::{Interner, Symbol};
use crate::options::CompileOptions;
use crate::source::{Loc, SourceMap};
use crate::token::{Pragma, PragmaId};
use elsa::FrozenVec;

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
    pragmas: FrozenVec<Box<Pragma>>,
}

impl Session {
    /// A compilation with nothing read yet.
    pub fn new(options: CompileOptions) -> Session {
        Session {
            diagnostics: Diagnostics::new(&options),
            options,
            sources: SourceMap::default(),
            symbols: Interner::new(),
            pragmas: FrozenVec::new(),
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

    /// Keeps a pragma for a token to refer to.
    pub fn add_pragma(&self, pragma: Pragma) -> PragmaId {
        self.pragmas.push(Box::new(pragma));
        PragmaId(self.pragmas.len() as u32 - 1)
    }

    /// The pragma that a token refers to.
    pub fn pragma(&self, id: PragmaId) -> &Pragma {
        &self.pragmas[id.0 as usize]
    }

    /// All diagnostics as text, with the count of errors and warnings at the end.
    pub fn render(&self) -> String {
        self.diagnostics.render(&self.sources)
    }
}
