//! Every text of a compilation, and where each token comes from.
//!
//! A [`Loc`] is one number. Texts lie one after the other in one space of offsets; a token that a macro's expansion made has a number of its own,
//! which leads to where it is spelled and to where the macro was used.

use elsa::FrozenVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A place in a program; 0 is nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc(pub u32);

/// Set in the numbers of places that macros made.
const MACRO: u32 = 1 << 31;

impl Loc {
    /// Nowhere: of what has no place in the program.
    pub const NONE: Loc = Loc(0);

    /// Is it nowhere?
    pub fn is_none(self) -> bool {
        self == Loc::NONE
    }

    /// Did a macro's expansion make it?
    pub fn is_macro(self) -> bool {
        self.0 & MACRO != 0
    }

    /// The place `bytes` further on in the same text, for one that no macro made.
    pub fn after(self, bytes: usize) -> Loc {
        match self.is_macro() || self.is_none() {
            true => self,
            false => Loc(self.0 + bytes as u32),
        }
    }
}

/// Names a text of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(u32);

/// A text.
#[derive(Debug)]
pub struct File {
    /// Its name in diagnostics and in `__FILE__`.
    pub name: Rc<str>,
    /// What it holds. Bytes that are not UTF-8 are characters of a private range, see [`decode`].
    pub text: Rc<str>,
    /// The offset of its first byte.
    pub start: u32,
    /// The `#include` that brought it.
    pub included_from: Loc,
    /// It is a text of the implementation: no warnings are given about it.
    pub is_system: bool,
    lines: std::cell::OnceCell<Vec<u32>>,
    /// `#line`: from the line after this offset, lines are counted from this number, in a file of this name.
    directives: RefCell<Vec<LineDirective>>,
}

#[derive(Clone, Debug)]
struct LineDirective {
    /// The physical line (from 1) that the directive gives a number to.
    from: u32,
    number: u32,
    name: Option<Rc<str>>,
}

impl File {
    /// The offsets in the text at which its lines begin.
    pub fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            std::iter::once(0)
                .chain((0..bytes.len()).filter(|&at| ends(at)).map(|at| at as u32 + 1))
                .collect()
        })
    }

    /// The physical line, from 1, of an offset in the text.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines().partition_point(|&start| start <= offset) as u32
    }

    /// A physical line's text, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        let lines = self.lines();
        let Some(&start) = lines.get(line as usize - 1) else { return "" };
        let end = lines.get(line as usize).map_or(self.text.len(), |&end| end as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// A place as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file's name, after `#line`.
    pub file: Rc<str>,
    /// The line, from 1, after `#line`.
    pub line: u32,
    /// The byte in the line, from 1.
    pub column: u32,
}

/// A token that a macro's expansion made.
#[derive(Clone, Copy, Debug)]
struct Expanded {
    /// Where the token is written: in the macro's definition, in an argument (which may be a place that a macro made), or in a scratch text.
    spelling: Loc,
    /// The macro's name where it was used, which may itself be in an expansion.
    used: Loc,
    /// The token is one of an argument.
    is_argument: bool,
}

/// Every text of a compilation.
#[derive(Default)]
pub struct SourceMap {
    files: FrozenVec<Box<File>>,
    end: Cell<u32>,
    expanded: RefCell<Vec<Expanded>>,
}

/// The first character that stands for a byte that is not UTF-8: byte `b` is the character `FIRST_RAW + b`.
const FIRST_RAW: u32 = 0x10_FE00;

/// A text of bytes: what is not UTF-8 becomes characters of a private range, that [`encode`] turns back.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(FIRST_RAW + byte as u32)));
    }
    text
}

/// The bytes that a character of a text stands for.
pub fn encode(c: char, into: &mut Vec<u8>) {
    match (c as u32).checked_sub(FIRST_RAW) {
        Some(byte @ 0..=255) => into.push(byte as u8),
        _ => into.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

impl SourceMap {
    /// Adds a text. Nothing where all texts together would be longer than 2 GB.
    pub fn add(&self, name: &str, text: String, included_from: Loc, is_system: bool) -> Option<FileId> {
        let start = self.end.get() + 1;
        let end = (start as usize).checked_add(text.len())?;
        if end >= MACRO as usize {
            return None;
        }
        self.end.set(end as u32);
        self.files.push(Box::new(File {
            name: name.into(),
            text: text.into(),
            start,
            included_from,
            is_system,
            lines: Default::default(),
            directives: Default::default(),
        }));
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// The text of this name.
    pub fn file(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// The place of a token that a macro's expansion makes: where it is spelled, and where the macro was used.
    pub fn expanded(&self, spelling: Loc, used: Loc, is_argument: bool) -> Loc {
        let mut all = self.expanded.borrow_mut();
        let index = all.len() as u32;
        if index >= MACRO - 1 {
            return spelling;
        }
        all.push(Expanded {
            spelling,
            used,
            is_argument,
        });
        Loc(MACRO | index)
    }

    fn expansion(&self, loc: Loc) -> Option<Expanded> {
        match loc.is_macro() {
            true => self.expanded.borrow().get((loc.0 & !MACRO) as usize).copied(),
            false => None,
        }
    }

    /// Where the token is written: in a macro's definition or argument.
    pub fn spelling(&self, mut loc: Loc) -> Loc {
        while let Some(expanded) = self.expansion(loc) {
            loc = expanded.spelling;
        }
        loc
    }

    /// Where in the texts the outermost macro that made the token was used.
    pub fn used(&self, mut loc: Loc) -> Loc {
        while let Some(expanded) = self.expansion(loc) {
            loc = expanded.used;
        }
        loc
    }

    /// Where to point for a diagnostic, and the macros to name below it, the outermost first: where in its definition, and its name. An argument is
    /// pointed to where it is written, everything else where the macro was used.
    pub fn point(&self, mut loc: Loc) -> (Loc, Vec<(Loc, String)>) {
        let mut definitions = Vec::new();
        while let Some(expanded) = self.expansion(loc) {
            if expanded.is_argument {
                loc = expanded.spelling;
            } else {
                definitions.push((self.spelling(loc), self.word(self.spelling(expanded.used))));
                loc = expanded.used;
            }
        }
        definitions.reverse();
        (loc, definitions)
    }

    /// The name that is written at a place.
    fn word(&self, loc: Loc) -> String {
        let Some(id) = self.file_of(loc) else { return String::new() };
        let file = self.file(id);
        let rest = file.text.get((loc.0 - file.start) as usize..).unwrap_or_default();
        rest.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect()
    }

    /// The text that holds a place.
    pub fn file_of(&self, loc: Loc) -> Option<FileId> {
        let loc = self.used(loc);
        if loc.is_none() {
            return None;
        }
        let mut low = 0;
        let mut high = self.files.len();
        while low < high {
            let middle = (low + high) / 2;
            match self.files[middle].start <= loc.0 {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low.checked_sub(1).map(|index| FileId(index as u32))
    }

    /// The place as people name it, where the outermost macro was used.
    pub fn position(&self, loc: Loc) -> Option<Position> {
        let loc = self.used(loc);
        let file = self.file(self.file_of(loc)?);
        let offset = loc.0 - file.start;
        let line = file.line_of(offset);
        let column = offset - file.lines()[line as usize - 1] + 1;
        let (name, line) = file.presumed(line);
        Some(Position { file: name, line, column })
    }

    /// Does a text of the implementation hold the place?
    pub fn is_system(&self, loc: Loc) -> bool {
        self.file_of(loc).is_some_and(|id| self.file(id).is_system)
    }

    /// `#line`: the line after physical line `line` of the file has this number, and this name from there on.
    pub fn set_line(&self, file: FileId, line: u32, number: u32, name: Option<&str>) {
        self.file(file).directives.borrow_mut().push(LineDirective {
            from: line + 1,
            number,
            name: name.map(Rc::from),
        });
    }
}

impl File {
    /// A physical line's file name and number after `#line`.
    pub fn presumed(&self, line: u32) -> (Rc<str>, u32) {
        let directives = self.directives.borrow();
        let count = directives.partition_point(|directive| directive.from <= line);
        let named = directives[..count].iter().rev().find_map(|directive| directive.name.clone());
        let number = match directives[..count].last() {
            Some(last) => last.number.saturating_add(line - last.from),
            None => line,
        };
        (named.unwrap_or_else(|| self.name.clone()), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_lines_and_columns() {
        let map = SourceMap::default();
        let a = map.add("a.cl", "int x;\r\n  y\n".into(), Loc::NONE, false).unwrap();
        let b = map.add("b.cl", "z".into(), Loc::NONE, false).unwrap();
        let start = Loc(map.file(a).start);
        let at = |loc: Loc| map.position(loc).map(|p| format!("{}:{}:{}", p.file, p.line, p.column)).unwrap();
        assert_eq!(at(start.after(4)), "a.cl:1:5");
        assert_eq!(at(start.after(10)), "a.cl:2:3");
        assert_eq!(at(Loc(map.file(b).start)), "b.cl:1:1");
        map.set_line(a, 1, 100, Some("c.cl"));
        assert_eq!(at(start.after(10)), "c.cl:100:3");
        assert_eq!(map.position(Loc::NONE), None);
    }

    #[test]
    fn expansions_lead_to_both_ends() {
        let map = SourceMap::default();
        let id = map.add("a.cl", "#define A b\nA\n".into(), Loc::NONE, false).unwrap();
        let start = Loc(map.file(id).start);
        let made = map.expanded(start.after(10), start.after(12), false);
        assert_eq!(map.spelling(made), start.after(10));
        assert_eq!(map.used(made), start.after(12));
        assert_eq!(map.point(made), (start.after(12), vec![(start.after(10), "A".into())]));
    }

    #[test]
    fn bytes_survive() {
        let bytes = b"a\xff\xc3\xa9\x80";
        let mut back = Vec::new();
        decode(bytes).chars().for_each(|c| encode(c, &mut back));
        assert_eq!(back, bytes);
    }
}
