//! Macros' expansion.

use super::{DEEPEST_ARGUMENTS, Frame, Preprocessor};
use crate::intern::{Symbol, sym};
use crate::lexer::Lexer;
use crate::preprocessor::macros::{Macro, Meaning};
use crate::source::Loc;
use crate::token::{Flags, Punct, Token, TokenKind};
use std::rc::Rc;

/// An argument of a macro.
#[derive(Default)]
struct Argument {
    /// As it is given.
    tokens: Vec<Token>,
    /// With its macros expanded, once something asks for it.
    expanded: Option<Vec<Token>>,
}

/// What a body becomes.
struct Output {
    tokens: Vec<Token>,
    /// What is added next is pasted to what was added last.
    paste: Option<Loc>,
    /// What was added last had no tokens: there is nothing to paste to.
    nothing: bool,
}

impl Preprocessor<'_> {
    /// Puts the body of a macro without parameters on the stack.
    pub(super) fn expand_object(&mut self, name: Token, definition: Rc<Macro>) {
        if !self.count_expanded(definition.body.len() + 1, name.loc) {
            return;
        }
        let pastes = definition.body.iter().any(|token| token.is(Punct::HashHash));
        let mut tokens = match pastes {
            true => self.substitute(&name, &definition.body, &[], false, &mut []),
            false => self.placed(&definition.body, name.loc, false),
        };
        finish(&name, &mut tokens);
        self.push_tokens(tokens, Some(definition));
    }

    /// Reads the arguments of a macro, and puts its body with them on the stack.
    pub(super) fn expand_function(&mut self, name: Token, definition: Rc<Macro>) {
        let Meaning::Function { parameters, variadic } = &definition.meaning else {
            return;
        };
        let Some(mut arguments) = self.arguments(&name, &definition, parameters.len(), *variadic) else {
            return;
        };
        let mut tokens = self.substitute(&name, &definition.body, parameters, *variadic, &mut arguments);
        if !self.count_expanded(tokens.len() + 1, name.loc) {
            return;
        }
        finish(&name, &mut tokens);
        self.push_tokens(tokens, Some(definition));
    }

    /// Tokens of a definition or of an argument, at a place where a macro was used.
    fn placed(&self, tokens: &[Token], used: Loc, is_argument: bool) -> Vec<Token> {
        let place = |token: &Token| Token {
            loc: self.session.sources.expanded(token.loc, used, is_argument),
            ..*token
        };
        tokens.iter().map(place).collect()
    }

    /// The arguments after a macro's name. Nothing, with an error, where they don't fit.
    fn arguments(&mut self, name: &Token, definition: &Macro, count: usize, variadic: bool) -> Option<Vec<Argument>> {
        let macro_name = || name.ident().map_or("", |symbol| self.session.name(symbol)).to_owned();
        let opening = self.raw();
        debug_assert!(opening.is(Punct::LParen));
        let mut arguments = vec![Argument::default()];
        let mut depth = 0;
        loop {
            let mut token = self.raw();
            match token.kind {
                TokenKind::Eof | TokenKind::LineEnd => {
                    self.session.error(
                        name.loc,
                        format!("unterminated function-like macro invocation of '{}'", macro_name()),
                    );
                    return None;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 && !(variadic && arguments.len() == count) => {
                    arguments.push(Argument::default());
                    continue;
                }
                // A name met while its macro is disabled is marked for good.
                TokenKind::Ident(symbol) if self.definition(symbol).is_some_and(|definition| definition.disabled.get()) => {
                    token.flags = token.flags.with(Flags::NO_EXPAND, true);
                }
                _ => {}
            }
            if token.flags.has(Flags::LINE_START) {
                token.flags = token.flags.with(Flags::LINE_START, false).with(Flags::SPACE, true);
            }
            if let Some(argument) = arguments.last_mut() {
                argument.tokens.push(token);
            }
        }
        if count == 0 && arguments.len() == 1 && arguments[0].tokens.is_empty() {
            arguments.clear();
        }
        if variadic && arguments.len() + 1 == count {
            arguments.push(Argument::default());
        }
        if arguments.len() != count {
            let what = if arguments.len() < count { "few" } else { "many" };
            let loc = name.loc;
            self.session
                .error(loc, format!("too {what} arguments provided to function-like macro invocation"))
                .note(definition.loc, format!("macro '{}' defined here", macro_name()));
            return None;
        }
        Some(arguments)
    }

    /// A body with arguments in the places of parameters.
    fn substitute(
        &mut self,
        name: &Token,
        body: &[Token],
        parameters: &[Symbol],
        variadic: bool,
        arguments: &mut [Argument],
    ) -> Vec<Token> {
        let mut output = Output {
            tokens: Vec::with_capacity(body.len()),
            paste: None,
            nothing: true,
        };
        let parameter = |token: &Token| token.ident().and_then(|symbol| parameters.iter().position(|&name| name == symbol));
        let is_function = !arguments.is_empty() || !parameters.is_empty();
        let mut index = 0;
        while let Some(token) = body.get(index) {
            index += 1;
            let next_pastes = body.get(index).is_some_and(|next| next.is(Punct::HashHash));
            match token.kind {
                TokenKind::Punct(Punct::HashHash) => output.paste = Some(token.loc),
                TokenKind::Punct(Punct::Hash) if is_function => {
                    let Some(next) = body.get(index) else { break };
                    index += 1;
                    let text = match parameter(next) {
                        Some(at) => self.stringify(&arguments[at].tokens),
                        // `#__VA_OPT__(…)`
                        None => {
                            let end = closing(body, index);
                            let inner = self.optional(name, &body[index..end], parameters, variadic, arguments);
                            index = end;
                            self.stringify(&inner)
                        }
                    };
                    if !self.count_expanded(text.len(), name.loc) {
                        return Vec::new();
                    }
                    let made = Token {
                        kind: TokenKind::Str(self.session.intern(&text)),
                        loc: self.session.sources.expanded(token.loc, name.loc, false),
                        flags: token.flags,
                    };
                    self.add(&mut output, name, &[made]);
                }
                TokenKind::Ident(sym::VA_OPT) if variadic && body.get(index).is_some_and(|next| next.is(Punct::LParen)) => {
                    let end = closing(body, index);
                    let mut inner = self.optional(name, &body[index..end], parameters, variadic, arguments);
                    index = end;
                    spaced_as(token, &mut inner);
                    self.add(&mut output, name, &inner);
                }
                _ => match parameter(token) {
                    None => {
                        let placed = self.placed(std::slice::from_ref(token), name.loc, false);
                        self.add(&mut output, name, &placed);
                    }
                    Some(at) => {
                        let pastes = output.paste.is_some();
                        let is_rest = variadic && at + 1 == parameters.len();
                        // GNU: `, ## __VA_ARGS__` is nothing where there are no arguments, and pastes nothing where there are.
                        let comma = pastes && is_rest && !output.nothing && output.tokens.last().is_some_and(|last| last.is(Punct::Comma));
                        if comma {
                            output.paste = None;
                            if arguments[at].tokens.is_empty() && (parameters.len() > 1 || parameters[at] != sym::VA_ARGS) {
                                output.tokens.pop();
                                output.nothing = true;
                                continue;
                            }
                        }
                        let mut given = match pastes || next_pastes {
                            true => self.placed(&arguments[at].tokens, name.loc, true),
                            false => {
                                if arguments[at].expanded.is_none() {
                                    let tokens = std::mem::take(&mut arguments[at].tokens);
                                    arguments[at].expanded = Some(self.expand_argument(&tokens, name.loc));
                                    arguments[at].tokens = tokens;
                                }
                                let expanded = arguments[at].expanded.take().unwrap_or_default();
                                let placed = self.placed(&expanded, name.loc, true);
                                arguments[at].expanded = Some(expanded);
                                placed
                            }
                        };
                        if !self.count_expanded(given.len(), name.loc) {
                            return Vec::new();
                        }
                        spaced_as(token, &mut given);
                        self.add(&mut output, name, &given);
                    }
                },
            }
        }
        output.tokens
    }

    /// What `__VA_OPT__(…)` stands for: what is in the parentheses where there are variable arguments.
    fn optional(&mut self, name: &Token, body: &[Token], parameters: &[Symbol], variadic: bool, arguments: &mut [Argument]) -> Vec<Token> {
        let inner = match body {
            [_, inner @ .., _] => inner,
            _ => return Vec::new(),
        };
        let present = arguments.last().is_some_and(|last| !last.tokens.is_empty());
        match present && self.argument_depth < DEEPEST_ARGUMENTS {
            true => {
                self.argument_depth += 1;
                let tokens = self.substitute(name, inner, parameters, variadic, arguments);
                self.argument_depth -= 1;
                tokens
            }
            false => Vec::new(),
        }
    }

    /// Adds what a part of a body stands for.
    fn add(&mut self, output: &mut Output, name: &Token, tokens: &[Token]) {
        let pasted = output.paste.take();
        match (pasted, tokens.split_first()) {
            (Some(loc), Some((first, rest))) if !output.nothing => {
                if let Some(left) = output.tokens.pop() {
                    self.paste(left, *first, loc, name, &mut output.tokens);
                }
                output.tokens.extend_from_slice(rest);
            }
            // An empty operand leaves the other one as it is.
            (Some(_), None) => {}
            (_, _) => {
                output.nothing = tokens.is_empty();
                output.tokens.extend_from_slice(tokens);
            }
        }
    }

    /// `left ## right`
    fn paste(&mut self, left: Token, right: Token, loc: Loc, name: &Token, into: &mut Vec<Token>) {
        let text = [self.session.spelling(&left), self.session.spelling(&right)].concat();
        if !self.count_expanded(text.len(), name.loc) {
            return;
        }
        let kind = match text.as_str() {
            text if text.starts_with("//") || text.starts_with("/*") => None,
            _ => Lexer::single(self.session, &text),
        };
        match kind {
            Some(kind) => {
                let mut flags = left.flags;
                if let TokenKind::Ident(symbol) = kind {
                    let disabled = self.definition(symbol).is_some_and(|definition| definition.disabled.get());
                    flags = flags.with(Flags::NO_EXPAND, disabled);
                }
                into.push(Token { kind, flags, ..left });
            }
            None => {
                self.session.error(
                    self.session.sources.expanded(loc, name.loc, false),
                    format!("pasting formed '{text}', an invalid preprocessing token"),
                );
                into.extend([left, right]);
            }
        }
    }

    /// An argument with its macros expanded, as if it were the rest of the program.
    pub(super) fn expand_argument(&mut self, tokens: &[Token], loc: Loc) -> Vec<Token> {
        let plain = |token: &Token| match token.kind {
            TokenKind::Ident(symbol) => token.flags.has(Flags::NO_EXPAND) || self.definition(symbol).is_none(),
            _ => true,
        };
        if tokens.iter().all(plain) {
            return tokens.to_vec();
        }
        if self.argument_depth >= DEEPEST_ARGUMENTS {
            self.stop(loc, "macros' arguments are nested too deeply");
            return Vec::new();
        }
        let mut all = tokens.to_vec();
        all.push(Token {
            kind: TokenKind::Eof,
            loc,
            flags: Flags::default(),
        });
        let bottom = self.frames.len();
        self.push_tokens(all, None);
        self.argument_depth += 1;
        let mut expanded = Vec::with_capacity(tokens.len());
        loop {
            let token = self.next();
            if token.kind == TokenKind::Eof || self.stopped {
                break;
            }
            expanded.push(token);
        }
        self.argument_depth -= 1;
        while self.frames.len() > bottom {
            match self.frames.last() {
                Some(Frame::Tokens(_)) => self.leave_tokens(),
                _ => break,
            }
        }
        expanded
    }

    /// `#` of an argument: its spelling as a string literal.
    pub(super) fn stringify(&self, tokens: &[Token]) -> String {
        let mut text = String::from("\"");
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 && (token.flags.has(Flags::SPACE) || token.flags.has(Flags::LINE_START)) {
                text.push(' ');
            }
            let spelling = self.session.spelling(token);
            match token.kind {
                TokenKind::Str(_) | TokenKind::Char(_) => {
                    for c in spelling.chars() {
                        if c == '"' || c == '\\' {
                            text.push('\\');
                        }
                        text.push(c);
                    }
                }
                _ => text.push_str(&spelling),
            }
        }
        // A backslash at the end would take the quote for itself.
        let backslashes = text.len() - text.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            text.pop();
        }
        text.push('"');
        text
    }
}

/// The index behind the parenthesis that closes the one at `start`.
fn closing(body: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (index, token) in body.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::Punct(Punct::LParen) => depth += 1,
            TokenKind::Punct(Punct::RParen) => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    body.len()
}

/// The first token has the white space before it that `like` has.
fn spaced_as(like: &Token, tokens: &mut [Token]) {
    if let Some(first) = tokens.first_mut() {
        first.flags = first
            .flags
            .with(Flags::SPACE, like.flags.has(Flags::SPACE))
            .with(Flags::LINE_START, like.flags.has(Flags::LINE_START));
    }
}

/// An expansion stands where its macro's name stood.
fn finish(name: &Token, tokens: &mut [Token]) {
    spaced_as(name, tokens);
}
