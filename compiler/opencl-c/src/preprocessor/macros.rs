//! Macros' definitions: `#define`, `#undef`.

use super::{Preprocessor, Slot};
use crate::diagnostics::Warning;
use crate::intern::{Symbol, sym};
use crate::source::Loc;
use crate::token::{Flags, Punct, Token, TokenKind};
use std::cell::Cell;
use std::rc::Rc;

/// A macro.
pub(super) struct Macro {
    /// Where it is defined.
    pub loc: Loc,
    pub meaning: Meaning,
    /// Its replacement.
    pub body: Vec<Token>,
    /// Its expansion is being read: its name is not expanded.
    pub disabled: Cell<bool>,
}

/// How a macro is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// By its body.
    Object,
    /// By its body with arguments in it.
    Function {
        /// The parameters; the last one of a variadic macro is `__VA_ARGS__` or what was given before `...`.
        parameters: Vec<Symbol>,
        /// The last parameter takes all arguments that are left.
        variadic: bool,
    },
    /// By something that the preprocessor knows.
    Builtin(Builtin),
}

/// A macro that the preprocessor knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    File,
    FileName,
    BaseFile,
    Line,
    Counter,
    Date,
    Time,
    Timestamp,
    IncludeLevel,
    /// One of `__has_…(…)`.
    Has(Has),
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Has {
    Include,
    Attribute,
    Builtin,
    Extension,
    Feature,
    Warning,
    Identifier,
    Target,
    /// Something that C does not have: the answer is 0.
    Nothing,
}

/// The macros that the preprocessor knows.
pub(super) const BUILTINS: [(Symbol, Builtin); 26] = [
    (sym::FILE_MACRO, Builtin::File),
    (sym::FILE_NAME_MACRO, Builtin::FileName),
    (sym::BASE_FILE_MACRO, Builtin::BaseFile),
    (sym::LINE_MACRO, Builtin::Line),
    (sym::COUNTER_MACRO, Builtin::Counter),
    (sym::DATE_MACRO, Builtin::Date),
    (sym::TIME_MACRO, Builtin::Time),
    (sym::TIMESTAMP_MACRO, Builtin::Timestamp),
    (sym::INCLUDE_LEVEL_MACRO, Builtin::IncludeLevel),
    (sym::HAS_INCLUDE, Builtin::Has(Has::Include)),
    (sym::HAS_INCLUDE_NEXT, Builtin::Has(Has::Include)),
    (sym::HAS_ATTRIBUTE, Builtin::Has(Has::Attribute)),
    (sym::HAS_CPP_ATTRIBUTE, Builtin::Has(Has::Nothing)),
    (sym::HAS_C_ATTRIBUTE, Builtin::Has(Has::Nothing)),
    (sym::HAS_DECLSPEC_ATTRIBUTE, Builtin::Has(Has::Nothing)),
    (sym::HAS_BUILTIN, Builtin::Has(Has::Builtin)),
    (sym::HAS_CONSTEXPR_BUILTIN, Builtin::Has(Has::Nothing)),
    (sym::HAS_EXTENSION, Builtin::Has(Has::Extension)),
    (sym::HAS_FEATURE, Builtin::Has(Has::Feature)),
    (sym::HAS_WARNING, Builtin::Has(Has::Warning)),
    (sym::IS_IDENTIFIER, Builtin::Has(Has::Identifier)),
    (sym::IS_TARGET_ARCH, Builtin::Has(Has::Target)),
    (sym::IS_TARGET_VENDOR, Builtin::Has(Has::Target)),
    (sym::IS_TARGET_OS, Builtin::Has(Has::Target)),
    (sym::IS_TARGET_ENVIRONMENT, Builtin::Has(Has::Target)),
    (sym::BUILDING_MODULE, Builtin::Has(Has::Nothing)),
];

const MACRO_REDEFINED: Warning = Warning("macro-redefined");
const BUILTIN_REDEFINED: Warning = Warning("builtin-macro-redefined");

fn put(macros: &mut Vec<Slot>, symbol: Symbol, slot: Slot) {
    let index = symbol.0 as usize;
    if index >= macros.len() {
        macros.resize(index + 1, Slot::NotMet);
    }
    macros[index] = slot;
}

impl Preprocessor<'_> {
    pub(super) fn set_macro(&mut self, symbol: Symbol, definition: Option<Rc<Macro>>) {
        put(self.macros.get_mut(), symbol, Slot::Known(definition));
    }

    /// The macro that a symbol names.
    pub(super) fn definition(&self, symbol: Symbol) -> Option<Rc<Macro>> {
        if let Some(Slot::Known(definition)) = self.macros.borrow().get(symbol.0 as usize) {
            return definition.clone();
        }
        let definition = self.predefined_macro(symbol);
        put(&mut self.macros.borrow_mut(), symbol, Slot::Known(definition.clone()));
        definition
    }

    /// `#define`
    pub(super) fn define(&mut self) {
        let Some((name, symbol)) = self.macro_name() else { return };
        let Some(meaning) = self.parameters() else { return };
        let mut body = Vec::new();
        let mut token = match &meaning {
            Meaning::Function { .. } => self.raw(),
            _ => {
                let token = self.raw();
                if token.kind != TokenKind::LineEnd && !token.flags.has(Flags::SPACE) {
                    self.session.warning(
                        Warning("c99-extensions"),
                        token.loc,
                        "ISO C99 requires whitespace after the macro name",
                    );
                }
                token
            }
        };
        while !matches!(token.kind, TokenKind::LineEnd | TokenKind::Eof) {
            body.push(token);
            token = self.raw();
        }
        if let Some(first) = body.first_mut() {
            first.flags = first.flags.with(Flags::SPACE, false);
        }
        if !self.check_body(&body, &meaning) {
            return;
        }
        let definition = Macro {
            loc: name.loc,
            meaning,
            body,
            disabled: Cell::new(false),
        };
        if let Some(old) = self.definition(symbol) {
            self.check_redefinition(name, symbol, &old, &definition);
        }
        self.set_macro(symbol, Some(Rc::new(definition)));
    }

    fn check_redefinition(&self, name: Token, symbol: Symbol, old: &Macro, new: &Macro) {
        let text = self.session.name(symbol);
        if matches!(old.meaning, Meaning::Builtin(_)) {
            self.session.warning(BUILTIN_REDEFINED, name.loc, "redefining builtin macro");
        } else if !self.same(old, new) && !self.session.sources.is_system(old.loc) {
            self.session
                .warning(MACRO_REDEFINED, name.loc, format!("'{text}' macro redefined"))
                .note(old.loc, "previous definition is here");
        }
    }

    /// Are two definitions the same, but for how much white space they have?
    fn same(&self, a: &Macro, b: &Macro) -> bool {
        a.meaning == b.meaning
            && a.body.len() == b.body.len()
            && std::iter::zip(&a.body, &b.body).all(|(a, b)| a.kind == b.kind && a.flags.has(Flags::SPACE) == b.flags.has(Flags::SPACE))
    }

    /// The name after `#define`, `#undef`, `#ifdef`, … What is wrong with it is reported.
    pub(super) fn macro_name(&mut self) -> Option<(Token, Symbol)> {
        let token = self.raw();
        match token.kind {
            TokenKind::Ident(sym::DEFINED) => self.session.error(token.loc, "'defined' cannot be used as a macro name"),
            TokenKind::Ident(symbol) => return Some((token, symbol)),
            TokenKind::LineEnd => self.session.error(token.loc, "macro name missing"),
            _ => self.session.error(token.loc, "macro name must be an identifier"),
        };
        None
    }

    /// A macro's parameters, if a parenthesis stands right behind its name.
    fn parameters(&mut self) -> Option<Meaning> {
        let immediate = self.file().is_some_and(|file| file.lexer.at_parenthesis());
        if !immediate {
            return Some(Meaning::Object);
        }
        self.raw();
        let mut parameters: Vec<Symbol> = Vec::new();
        let mut token = self.raw();
        if token.is(Punct::RParen) {
            return Some(Meaning::Function {
                parameters,
                variadic: false,
            });
        }
        loop {
            let variadic = match token.kind {
                TokenKind::Punct(Punct::Ellipsis) => {
                    parameters.push(sym::VA_ARGS);
                    true
                }
                TokenKind::Ident(symbol) => {
                    if symbol == sym::VA_ARGS {
                        self.session
                            .error(token.loc, "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro");
                        return None;
                    }
                    if parameters.contains(&symbol) {
                        let name = self.session.name(symbol);
                        self.session.error(token.loc, format!("duplicate macro parameter name '{name}'"));
                        return None;
                    }
                    parameters.push(symbol);
                    false
                }
                TokenKind::LineEnd => {
                    self.session.error(token.loc, "missing ')' in macro parameter list");
                    return None;
                }
                TokenKind::Punct(Punct::RParen) => {
                    self.session.error(token.loc, "expected identifier in macro parameter list");
                    return None;
                }
                _ => {
                    self.session.error(token.loc, "invalid token in macro parameter list");
                    return None;
                }
            };
            token = self.raw();
            // GNU: a name for the variable arguments.
            let variadic = variadic
                || token.is(Punct::Ellipsis) && {
                    token = self.raw();
                    true
                };
            match token.kind {
                TokenKind::Punct(Punct::RParen) => return Some(Meaning::Function { parameters, variadic }),
                TokenKind::Punct(Punct::Comma) if !variadic => token = self.raw(),
                TokenKind::LineEnd => {
                    self.session.error(token.loc, "missing ')' in macro parameter list");
                    return None;
                }
                _ if variadic => {
                    self.session.error(token.loc, "missing ')' in macro parameter list");
                    return None;
                }
                _ => {
                    self.session.error(token.loc, "expected comma in macro parameter list");
                    return None;
                }
            }
        }
    }

    fn check_body(&self, body: &[Token], meaning: &Meaning) -> bool {
        let error = |token: &Token, message: &str| {
            self.session.error(token.loc, message);
            false
        };
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.is(Punct::HashHash) {
                let which = if std::ptr::eq(end, &body[0]) { "start" } else { "end" };
                return error(end, &format!("'##' cannot appear at {which} of macro expansion"));
            }
        }
        let (parameters, is_c99_variadic) = match meaning {
            Meaning::Function { parameters, .. } => (Some(parameters), parameters.last() == Some(&sym::VA_ARGS)),
            _ => (None, false),
        };
        for (index, token) in body.iter().enumerate() {
            if token.kind == TokenKind::Ident(sym::VA_ARGS) && !is_c99_variadic {
                self.session.warning(
                    Warning("pedantic"),
                    token.loc,
                    "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro",
                );
            }
            if let Some(parameters) = parameters
                && token.is(Punct::Hash)
            {
                let next = body.get(index + 1).and_then(Token::ident);
                if !next.is_some_and(|next| parameters.contains(&next) || next == sym::VA_OPT) {
                    return error(token, "'#' is not followed by a macro parameter");
                }
            }
        }
        true
    }

    /// `#undef`
    pub(super) fn undefine(&mut self) {
        let Some((name, symbol)) = self.macro_name() else { return };
        if let Some(old) = self.definition(symbol)
            && matches!(old.meaning, Meaning::Builtin(_))
        {
            self.session.warning(BUILTIN_REDEFINED, name.loc, "undefining builtin macro");
        }
        self.set_macro(symbol, None);
        self.end_of_directive("undef");
    }
}
