//! Lines of the text, and what stands in them: words, numbers, entities, types, addresses.

use super::{ParseError, Result};
use crate::print::MEM_FLAG_NAMES;
use crate::*;
use core::fmt;
use cranelift_entity::EntityRef;

/// Numbers in names of values, blocks and the like are smaller than this.
const MAX_NUMBER: u32 = 1 << 24;

/// The lines that are neither empty nor comments.
pub(super) struct Lines<'t> {
    lines: core::iter::Enumerate<core::str::Lines<'t>>,
    last: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        Lines {
            lines: text.lines().enumerate(),
            last: 1,
        }
    }

    pub(super) fn next(&mut self) -> Option<Line<'t>> {
        loop {
            let (index, text) = self.lines.next()?;
            self.last = index + 1;
            let text = text.trim();
            if !text.is_empty() && !text.starts_with(';') {
                return Some(Line {
                    number: index + 1,
                    rest: text,
                });
            }
        }
    }

    pub(super) fn end(&self, expected: &str) -> ParseError {
        ParseError {
            line: self.last,
            message: format!("expected {expected}, but the text ends"),
        }
    }
}

/// What is still unread of a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub number: usize,
    pub rest: &'t str,
}

impl<'t> Line<'t> {
    pub(super) fn error(&self, message: String) -> ParseError {
        ParseError {
            line: self.number,
            message,
        }
    }

    pub(super) fn expected(&self, what: impl fmt::Display) -> ParseError {
        match self.rest {
            "" => self.error(format!("expected {what}, but the line ends")),
            rest => self.error(format!("expected {what}, but there is `{rest}`")),
        }
    }

    /// Skips the token if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Skips a word (not only the beginning of one).
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let is_next = ahead.word() == word;
        if is_next {
            *self = ahead;
        }
        is_next
    }

    pub(super) fn token(&mut self, token: &str) -> Result<()> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.expected(format_args!("`{token}`"))),
        }
    }

    /// Letters, digits, `_` and `.`; may be empty.
    pub(super) fn word(&mut self) -> &'t str {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// A word that `read` understands.
    pub(super) fn read<T>(&mut self, what: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let before = *self;
        read(self.word()).ok_or_else(|| before.expected(what))
    }

    pub(super) fn number<T: core::str::FromStr>(&mut self, what: &str) -> Result<T> {
        self.read(what, |word| word.parse().ok())
    }

    pub(super) fn signed(&mut self, what: &str) -> Result<i64> {
        let before = *self;
        let negative = self.eat("-");
        let magnitude: u64 = self.number(what)?;
        match negative {
            true => 0i64.checked_sub_unsigned(magnitude),
            false => i64::try_from(magnitude).ok(),
        }
        .ok_or_else(|| before.expected(what))
    }

    pub(super) fn entity<T: EntityRef>(&mut self, prefix: &str) -> Result<T> {
        let before = *self;
        let number = self.word().strip_prefix(prefix).and_then(|digits| digits.parse::<u32>().ok());
        match number.filter(|&number| number < MAX_NUMBER) {
            Some(number) => Ok(T::new(number as usize)),
            None => Err(before.expected(format_args!("`{prefix}` and a number below {MAX_NUMBER}"))),
        }
    }

    pub(super) fn value(&mut self) -> Result<Value> {
        self.entity("v")
    }

    pub(super) fn ty(&mut self) -> Result<Type> {
        self.read("a type", Type::parse)
    }

    /// `item, item, …`
    pub(super) fn list<T, L: FromIterator<T>>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<L> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items.into_iter().collect())
    }

    pub(super) fn values(&mut self) -> Result<ValueList> {
        self.list(Line::value)
    }

    /// Values, or none.
    pub(super) fn values_if_any(&mut self) -> Result<ValueList> {
        match self.rest.starts_with('v') {
            true => self.values(),
            false => Ok(ValueList::new()),
        }
    }

    /// Nothing is left.
    pub(super) fn finish(&self) -> Result<()> {
        match self.rest {
            "" => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }

    /// `N` values.
    pub(super) fn operands<const N: usize>(&mut self) -> Result<[Value; N]> {
        let before = *self;
        let values = self.values()?;
        <[Value; N]>::try_from(values.as_slice()).map_err(|_| before.expected(format_args!("{N} operands")))
    }

    /// `(v1, v2)`, where the parentheses may hold nothing.
    pub(super) fn arguments(&mut self) -> Result<ValueList> {
        self.token("(")?;
        if self.eat(")") {
            return Ok(ValueList::new());
        }
        let args = self.values()?;
        self.token(")")?;
        Ok(args)
    }

    pub(super) fn target(&mut self) -> Result<BlockCall> {
        let block = self.entity("block")?;
        let args = match self.rest.starts_with('(') {
            true => self.arguments()?,
            false => ValueList::new(),
        };
        Ok(BlockCall { block, args })
    }

    pub(super) fn mem(&mut self) -> Result<MemInfo> {
        let space = self.read("an address space", Space::parse)?;
        self.token("align")?;
        let align = self.read("an alignment", Align::parse)?;
        let mut mem = MemInfo {
            align,
            ..MemInfo::new(space, 1)
        };
        for (flag, name) in MEM_FLAG_NAMES {
            if self.eat_word(name) {
                mem.flags |= *flag;
            }
        }
        if self.eat_word("alias") {
            mem.alias = self.number("an alias set")?;
        }
        Ok(mem)
    }

    pub(super) fn address(&mut self) -> Result<Address> {
        self.token("[")?;
        let mut address = Address::base(self.value()?);
        let before = *self;
        if self.eat("+") && self.rest.starts_with('v') {
            address.index = Some(self.value()?);
            self.token("*")?;
            address.scale = self.number("a scale")?;
        } else {
            *self = before;
        }
        let before = *self;
        let sign = match (self.eat("+"), self.eat("-")) {
            (true, _) => 1,
            (_, true) => -1,
            _ => 0,
        };
        if sign != 0 {
            let magnitude: u32 = self.number("an offset")?;
            address.offset = i32::try_from(sign * i64::from(magnitude)).map_err(|_| before.expected("an offset of 32 bits"))?;
        }
        self.token("]")?;
        Ok(address)
    }

    /// `[v0]`: what atomics have.
    pub(super) fn plain_address(&mut self) -> Result<Value> {
        self.token("[")?;
        let address = self.value()?;
        self.token("]")?;
        Ok(address)
    }

    pub(super) fn mask(&mut self) -> Result<Option<Value>> {
        match self.eat_word("mask") {
            true => self.value().map(Some),
            false => Ok(None),
        }
    }

    pub(super) fn order_scope(&mut self) -> Result<(Order, Scope)> {
        Ok((self.read("a memory order", Order::parse)?, self.read("a scope", Scope::parse)?))
    }
}
