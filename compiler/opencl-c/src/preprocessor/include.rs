//! `#include`: files by name, embedded or on the disk.

use super::{FileFrame, Frame, Preprocessor};
use crate::lexer::Lexer;
use crate::literal;
use crate::source::{Loc, decode};
use crate::token::{Punct, Token, TokenKind};
use std::path::{Path, PathBuf};

/// Where a text was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Among the embedded headers, under this name.
    Embedded(String),
    /// On the disk.
    Disk(PathBuf),
}

/// How deep files may include each other.
const DEEPEST: usize = 200;

impl<'a> Preprocessor<'a> {
    /// `#include`, `#import`
    pub(super) fn include(&mut self, directive: Token, once: bool) {
        let Some((name, quoted, loc)) = self.header_name() else { return };
        self.end_of_directive("include");
        let Some((place, text)) = self.find(&name, quoted) else {
            self.session.error(loc, format!("'{name}' file not found"));
            // What depends on it would fail for no reason of its own.
            self.stopped = true;
            return;
        };
        if self.once.contains(&place) {
            return;
        }
        if once {
            self.once.insert(place.clone());
        }
        if self.include_depth >= DEEPEST {
            self.stop(directive.loc, "#include nested too deeply");
            return;
        }
        let shown = match &place {
            Place::Embedded(name) => name.clone(),
            Place::Disk(path) => path.strip_prefix(".").unwrap_or(path).display().to_string(),
        };
        self.finish_include();
        if !self.count_expanded(text.len() / 64, directive.loc) {
            return;
        }
        match self.session.sources.add(&shown, decode(&text), directive.loc, false) {
            Some(file) => {
                self.include_depth += 1;
                self.push_file(file, place);
            }
            None => self.stop(directive.loc, "the program is too long"),
        }
    }

    /// The directive is over for the file that has it.
    fn finish_include(&mut self) {
        while !matches!(self.raw().kind, TokenKind::LineEnd | TokenKind::Eof) {}
        self.set_in_directive(false);
    }

    pub(super) fn push_file(&mut self, file: crate::source::FileId, place: Place) {
        self.frames.push(Frame::File(FileFrame {
            lexer: Lexer::new(self.session, file),
            file,
            place,
            conditions: Vec::new(),
        }));
    }

    /// A header's name on the rest of the line, and whether it is in quotes.
    fn header_name(&mut self) -> Option<(String, bool, Loc)> {
        let session = self.session;
        let file = self.file_mut()?;
        let loc = file.lexer.loc();
        if let Some(name) = file.lexer.angled_name(session) {
            return Some((name, false, loc.after(1)));
        }
        let token = self.next();
        self.header_name_of(token)
    }

    fn header_name_of(&mut self, token: Token) -> Option<(String, bool, Loc)> {
        match token.kind {
            TokenKind::Str(symbol) => {
                let text = self.session.name(symbol);
                let name = text.trim_start_matches('"').trim_end_matches('"');
                if name.is_empty() {
                    self.session.error(token.loc, "empty filename");
                    return None;
                }
                Some((name.to_owned(), true, token.loc))
            }
            // A macro's expansion.
            TokenKind::Punct(Punct::Lt) => {
                let mut tokens = Vec::new();
                loop {
                    let next = self.next();
                    match next.kind {
                        TokenKind::Punct(Punct::Gt) => return Some((self.joined(&tokens), false, token.loc)),
                        TokenKind::LineEnd | TokenKind::Eof => break,
                        _ => tokens.push(next),
                    }
                }
                self.session.error(token.loc, "expected '>'");
                None
            }
            _ => {
                self.session.error(token.loc, "expected \"FILENAME\" or <FILENAME>");
                None
            }
        }
    }

    /// The operand of `__has_include`, in its parentheses.
    pub(super) fn has_include(&mut self, name: Token) -> Option<bool> {
        let open = self.raw();
        if !open.is(Punct::LParen) {
            self.session.error(name.loc, "missing '(' after '__has_include'");
            return None;
        }
        let (header, quoted, _) = self.header_name()?;
        let close = self.raw();
        if !close.is(Punct::RParen) {
            self.session.error(close.loc, "missing ')' after '__has_include'");
            return None;
        }
        Some(self.find(&header, quoted).is_some())
    }

    /// Finds a file: beside the file that includes it (where its name is in quotes), among the embedded headers, in the directories of `-I`.
    fn find(&self, name: &str, quoted: bool) -> Option<(Place, Vec<u8>)> {
        if quoted && let Some(found) = self.find_beside(name) {
            return Some(found);
        }
        if let Some(found) = self.find_embedded(name) {
            return Some(found);
        }
        if Path::new(name).is_absolute() {
            return read(Path::new(name));
        }
        self.directories.iter().find_map(|directory| read(&directory.join(name)))
    }

    fn find_beside(&self, name: &str) -> Option<(Place, Vec<u8>)> {
        match &self.file()?.place {
            Place::Embedded(includer) => {
                let directory = includer.rsplit_once('/').map_or("", |(directory, _)| directory);
                self.find_embedded(&format!("{directory}/{name}"))
            }
            Place::Disk(path) => {
                let found = self.find_embedded(name);
                found.or_else(|| read(&path.parent().unwrap_or(Path::new(".")).join(name)))
            }
        }
    }

    fn find_embedded(&self, name: &str) -> Option<(Place, Vec<u8>)> {
        if self.headers.is_empty() {
            return None;
        }
        let exact = self.embedded.get_key_value(name);
        let clean = clean(name);
        let (found, &index) = exact.or_else(|| self.embedded.get_key_value(clean.as_str()))?;
        Some((Place::Embedded((*found).to_owned()), self.headers[index].1.clone()))
    }

    /// `#pragma once`
    pub(super) fn include_once(&mut self) {
        if let Some(place) = self.file().map(|file| file.place.clone()) {
            self.once.insert(place);
        }
    }

    /// The operand of `_Pragma` or `#pragma message`: a string's text.
    pub(super) fn text_of(&self, token: &Token) -> String {
        String::from_utf8_lossy(&literal::string(self.session, token)).into_owned()
    }
}

/// A path without `.` and `..`.
fn clean(name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn read(path: &Path) -> Option<(Place, Vec<u8>)> {
    // What is no regular file, as a device, might never end.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    Some((Place::Disk(path.to_owned()), text))
}
