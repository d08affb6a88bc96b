//! C99's preprocessor (translation phase 4), with what clang adds to it.
//!
//! [`Preprocessor::next`] reads from a stack of frames: files, and lists of tokens that macros' expansions made. A macro is disabled while a frame of
//! its expansion is on the stack; a name met then is never expanded again.

mod condition;
mod directives;
mod expand;
mod features;
mod include;
mod macros;
mod pragma;
mod predefined;
mod text;

#[cfg(test)]
mod tests;

use crate::Input;
use crate::intern::{Symbol, sym};
use crate::lexer::Lexer;
use crate::session::Session;
use crate::source::{FileId, Loc};
use crate::token::{Flags, Punct, Token, TokenKind};
use include::Place;
use macros::{Macro, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// More tokens from macros' expansions, or bytes of tokens put together, than any program has: what grows so will never end.
const MOST_EXPANDED: usize = 1 << 24;

/// How deep macros' arguments may be nested in each other.
const DEEPEST_ARGUMENTS: usize = 256;

/// Where tokens come from.
enum Frame {
    File(FileFrame),
    Tokens(TokenFrame),
}

/// A text that is being read.
struct FileFrame {
    lexer: Lexer,
    file: FileId,
    /// Where it was found, for the files that it includes.
    place: Place,
    /// The `#if`s that are open.
    conditions: Vec<Condition>,
}

/// Tokens that are to be read before what is below them on the stack.
struct TokenFrame {
    tokens: Vec<Token>,
    at: usize,
    /// The macro whose expansion they are.
    of: Option<Rc<Macro>>,
}

/// An `#if` that is open.
struct Condition {
    loc: Loc,
    /// One of its groups was taken: no other will be.
    taken: bool,
    /// `#else` was there.
    in_else: bool,
}

/// What a symbol stands for.
#[derive(Clone)]
enum Slot {
    /// It was not yet met: it may be predefined.
    NotMet,
    /// A macro, or none.
    Known(Option<Rc<Macro>>),
}

/// Turns a program into tokens for the parser, one at a time.
pub struct Preprocessor<'a> {
    session: &'a Session,
    headers: &'a [(String, Vec<u8>)],
    directories: Vec<PathBuf>,
    frames: Vec<Frame>,
    /// What each symbol stands for, if it is a macro's name.
    macros: RefCell<Vec<Slot>>,
    /// The text of macros that are predefined.
    predefined: Option<FileId>,
    /// `#pragma push_macro`
    pushed: FxHashMap<Symbol, Vec<Option<Rc<Macro>>>>,
    poisoned: FxHashSet<Symbol>,
    /// Files with `#pragma once`.
    once: FxHashSet<Place>,
    embedded: FxHashMap<&'a str, usize>,
    counter: u32,
    include_depth: usize,
    /// How much macros' expansions have made.
    expanded: usize,
    /// How deep in arguments of macros we are.
    argument_depth: usize,
    /// In a directive: `_Pragma` is left alone, and the end of the line ends everything.
    in_directive: bool,
    /// Nothing more is read.
    stopped: bool,
    main: Option<FileId>,
    /// The last place in a file, for the end of the program.
    end: Loc,
}

impl<'a> Preprocessor<'a> {
    /// Starts with the program and the macros that the options define.
    pub fn new(session: &'a Session, input: &Input<'a>) -> Preprocessor<'a> {
        let mut preprocessor = Preprocessor {
            session,
            headers: input.headers,
            directories: Vec::new(),
            frames: Vec::new(),
            macros: RefCell::default(),
            predefined: None,
            pushed: FxHashMap::default(),
            poisoned: FxHashSet::default(),
            once: FxHashSet::default(),
            embedded: FxHashMap::default(),
            counter: 0,
            include_depth: 0,
            expanded: 0,
            argument_depth: 0,
            in_directive: false,
            stopped: false,
            main: None,
            end: Loc::NONE,
        };
        for (index, (name, _)) in input.headers.iter().enumerate() {
            preprocessor.embedded.entry(name.as_str()).or_insert(index);
        }
        preprocessor.start(input);
        preprocessor
    }

    /// What all phases share.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// The next token; at the end [`TokenKind::Eof`], again and again.
    #[allow(clippy::should_implement_trait, reason = "a stream of tokens never ends with None")]
    pub fn next(&mut self) -> Token {
        loop {
            let token = self.raw();
            let TokenKind::Ident(symbol) = token.kind else { return token };
            match self.identifier(token, symbol) {
                Some(token) => return token,
                None => continue,
            }
        }
    }

    /// An identifier that was read: itself, or nothing where it was a macro whose expansion is now on the stack.
    fn identifier(&mut self, token: Token, symbol: Symbol) -> Option<Token> {
        if token.flags.has(Flags::NO_EXPAND) {
            return Some(token);
        }
        let Some(definition) = self.definition(symbol) else {
            if symbol == sym::PRAGMA_OPERATOR && !self.in_directive && self.argument_depth == 0 {
                return self.pragma_operator(token);
            }
            if !self.poisoned.is_empty() && self.poisoned.contains(&symbol) {
                self.session.error(token.loc, "attempt to use a poisoned identifier");
            }
            return Some(token);
        };
        if definition.disabled.get() {
            return Some(Token {
                flags: token.flags.with(Flags::NO_EXPAND, true),
                ..token
            });
        }
        match &definition.meaning {
            Meaning::Builtin(builtin) => self.builtin(token, *builtin),
            Meaning::Object => {
                self.expand_object(token, definition);
                None
            }
            Meaning::Function { .. } => {
                if !self.parenthesis_follows() {
                    return Some(token);
                }
                self.expand_function(token, definition);
                None
            }
        }
    }

    /// The next token before macros are expanded. Directives are acted upon; frames that are read to their ends are left.
    fn raw(&mut self) -> Token {
        loop {
            if self.stopped && self.argument_depth == 0 {
                self.frames.clear();
            }
            match self.frames.last_mut() {
                Some(Frame::Tokens(frame)) => match frame.tokens.get(frame.at) {
                    Some(&token) => {
                        // The end of an argument stays, so that nothing behind it is read.
                        if token.kind != TokenKind::Eof {
                            frame.at += 1;
                        }
                        return token;
                    }
                    None => self.leave_tokens(),
                },
                Some(Frame::File(frame)) => {
                    let token = frame.lexer.next(self.session);
                    match token.kind {
                        TokenKind::Punct(Punct::Hash) if token.flags.has(Flags::LINE_START) && !frame.lexer.in_directive => {
                            if let Some(token) = self.directive(token) {
                                return token;
                            }
                        }
                        TokenKind::Eof => self.leave_file(token),
                        _ => return token,
                    }
                }
                None => {
                    return Token {
                        kind: TokenKind::Eof,
                        loc: self.end,
                        flags: Flags::default().with(Flags::LINE_START, true),
                    };
                }
            }
        }
    }

    /// Leaves a list of tokens; its macro may be expanded again.
    fn leave_tokens(&mut self) {
        if let Some(Frame::Tokens(frame)) = self.frames.pop()
            && let Some(of) = frame.of
        {
            of.disabled.set(false);
        }
    }

    fn leave_file(&mut self, end: Token) {
        let Some(Frame::File(frame)) = self.frames.pop() else { return };
        for condition in frame.conditions.iter().rev() {
            self.session.error(condition.loc, "unterminated conditional directive");
        }
        if Some(frame.file) == self.main {
            self.end = end.loc;
        }
        self.include_depth = self.include_depth.saturating_sub(1);
    }

    /// Is an opening parenthesis the next token?
    fn parenthesis_follows(&self) -> bool {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Tokens(frame) => match frame.tokens.get(frame.at) {
                    Some(token) => return token.is(Punct::LParen),
                    None => continue,
                },
                Frame::File(frame) => return frame.lexer.parenthesis_follows(self.session),
            }
        }
        false
    }

    /// Counts what expansions make. False, after an error, when it is too much.
    fn count_expanded(&mut self, amount: usize, loc: Loc) -> bool {
        self.expanded = self.expanded.saturating_add(amount);
        if self.expanded > MOST_EXPANDED {
            self.stop(loc, "macro expansion does not come to an end");
        }
        !self.stopped
    }

    /// Gives up with an error.
    fn stop(&mut self, loc: Loc, message: &str) {
        if !std::mem::replace(&mut self.stopped, true) {
            self.session.error(loc, message);
        }
    }

    /// The file that is being read.
    fn file(&self) -> Option<&FileFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::File(file) => Some(file),
            Frame::Tokens(_) => None,
        })
    }

    fn file_mut(&mut self) -> Option<&mut FileFrame> {
        self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::File(file) => Some(file),
            Frame::Tokens(_) => None,
        })
    }

    fn push_tokens(&mut self, tokens: Vec<Token>, of: Option<Rc<Macro>>) {
        if let Some(of) = &of {
            of.disabled.set(true);
        }
        self.frames.push(Frame::Tokens(TokenFrame { tokens, at: 0, of }));
    }
}
