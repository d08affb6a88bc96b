//! Preprocessed tokens as text (`brolga preprocess`).

use super::Preprocessor;
use crate::source::FileId;
use crate::token::{Flags, Token, TokenKind};
use std::fmt::Write;

/// So many lines are left empty before a line marker is shorter.
const MOST_EMPTY_LINES: u32 = 8;

impl Preprocessor<'_> {
    /// The whole program as text, with `# line "file"` where lines do not follow each other.
    pub fn into_text(mut self) -> String {
        let mut text = String::new();
        let mut at: Option<(FileId, u32)> = None;
        let mut previous: Option<Token> = None;
        loop {
            let token = self.next();
            if token.kind == TokenKind::Eof {
                break;
            }
            let is_pragma = matches!(token.kind, TokenKind::Pragma(_));
            if is_pragma && !text.is_empty() && !text.ends_with('\n') {
                // A directive has a line of its own.
                text.push('\n');
                at = at.map(|(file, line)| (file, line + 1));
            }
            if token.flags.has(Flags::LINE_START) || is_pragma || previous.is_none() {
                self.move_to(&token, &mut at, &mut text);
            } else if token.flags.has(Flags::SPACE) || previous.is_some_and(|previous| self.would_join(&previous, &token)) {
                text.push(' ');
            }
            text.push_str(&self.session.spelling(&token));
            previous = Some(token);
            if is_pragma {
                text.push('\n');
                previous = None;
                at = at.map(|(file, line)| (file, line + 1));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }

    /// Begins the line on which a token stands.
    fn move_to(&self, token: &Token, at: &mut Option<(FileId, u32)>, text: &mut String) {
        let sources = &self.session.sources;
        let used = sources.used(token.loc);
        let Some(id) = sources.file_of(used) else { return };
        let file = sources.file(id);
        let line = file.line_of(used.0 - file.start);
        match *at {
            Some((current, last)) if current == id && (last..=last + MOST_EMPTY_LINES).contains(&line) => {
                text.extend(std::iter::repeat_n('\n', (line - last) as usize));
            }
            _ => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let (name, number) = file.presumed(line);
                _ = writeln!(text, "# {number} \"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
            }
        }
        *at = Some((id, line));
        let column = used.0 - file.start - file.lines()[line as usize - 1];
        if text.is_empty() || text.ends_with('\n') {
            text.extend(std::iter::repeat_n(' ', column.min(80) as usize));
        } else {
            text.push(' ');
        }
    }

    /// Would two tokens without white space between them be read as something else?
    fn would_join(&self, left: &Token, right: &Token) -> bool {
        let (a, b) = (self.session.spelling(left), self.session.spelling(right));
        let (Some(last), Some(first)) = (a.chars().last(), b.chars().next()) else {
            return false;
        };
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        match left.kind {
            TokenKind::Ident(_) => word(first),
            TokenKind::Number(_) => word(first) || first == '.' || matches!(last, 'e' | 'E' | 'p' | 'P') && matches!(first, '+' | '-'),
            TokenKind::Punct(_) => {
                last == first && "+-&|<>=#:".contains(last)
                    || first == '=' && "+-*/%&|^<>!=".contains(last)
                    || last == '.' && first.is_ascii_digit()
                    || matches!(
                        (last, first),
                        ('-', '>') | ('/', '*') | ('<', ':' | '%') | ('%', ':' | '>') | (':', '>')
                    )
            }
            _ => false,
        }
    }
}
