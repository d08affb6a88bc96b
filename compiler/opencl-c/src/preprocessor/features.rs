//! Macros that the preprocessor knows: `__FILE__`, `__LINE__`, …, and the questions `__has_…(…)`.

use super::Preprocessor;
use super::macros::{Builtin, Has, Meaning};
use crate::intern::Symbol;
use crate::sema::is_intrinsic;
use crate::source::Loc;
use crate::token::{Punct, Token, TokenKind};
use std::time::{SystemTime, UNIX_EPOCH};

/// Attributes that programs ask for with `__has_attribute`.
const ATTRIBUTES: &[&str] = &[
    "address_space",
    "aligned",
    "alloc_size",
    "always_inline",
    "annotate",
    "assume",
    "assume_aligned",
    "cold",
    "const",
    "convergent",
    "deprecated",
    "diagnose_if",
    "enable_if",
    "ext_vector_type",
    "fallthrough",
    "flatten",
    "gnu_inline",
    "hot",
    "intel_reqd_sub_group_size",
    "internal_linkage",
    "may_alias",
    "mode",
    "noalias",
    "noconvergent",
    "nodebug",
    "noduplicate",
    "noinline",
    "nomerge",
    "nonnull",
    "noreturn",
    "nosvm",
    "nothrow",
    "opencl_constant",
    "opencl_generic",
    "opencl_global",
    "opencl_local",
    "opencl_private",
    "opencl_unroll_hint",
    "optnone",
    "overloadable",
    "packed",
    "pure",
    "reqd_work_group_size",
    "returns_nonnull",
    "section",
    "transparent_union",
    "unavailable",
    "unused",
    "used",
    "vec_type_hint",
    "vector_size",
    "visibility",
    "warn_unused_result",
    "weak",
    "work_group_size_hint",
];

/// What programs ask for with `__has_builtin` that is no function: some of its operands are types.
const BUILTIN_SYNTAX: &[&str] = &[
    "__builtin_astype",
    "__builtin_choose_expr",
    "__builtin_convertvector",
    "__builtin_offsetof",
    "__builtin_shufflevector",
    "__builtin_types_compatible_p",
];

/// Features and extensions of C that programs ask for.
const EXTENSIONS: &[&str] = &[
    "attribute_deprecated_with_message",
    "attribute_ext_vector_type",
    "attribute_overloadable",
    "attribute_unavailable_with_message",
    "blocks",
    "c_alignas",
    "c_alignof",
    "c_generic_selections",
    "c_static_assert",
    "gnu_asm",
    "overloadable_unmarked",
    "statement_attributes_with_gnu_syntax",
];

impl Preprocessor<'_> {
    /// Expands a macro that the preprocessor knows.
    pub(super) fn builtin(&mut self, name: Token, builtin: Builtin) -> Option<Token> {
        let sources = &self.session.sources;
        let used = sources.used(name.loc);
        let kind = match builtin {
            Builtin::File => {
                let position = sources.position(used);
                self.string(position.map_or_else(String::new, |position| position.file.to_string()))
            }
            Builtin::FileName => {
                let file = sources
                    .position(used)
                    .map_or_else(String::new, |position| position.file.to_string());
                self.string(file.rsplit('/').next().unwrap_or_default().to_owned())
            }
            Builtin::BaseFile => self.string(self.main.map_or_else(String::new, |main| sources.file(main).name.to_string())),
            Builtin::Line => {
                // In arguments that go over several lines, the line at which the macro's use ends would do as well; that of the name is simpler.
                let line = sources.position(used).map_or(1, |position| position.line);
                self.number(line)
            }
            Builtin::Counter => {
                self.counter += 1;
                self.number(self.counter - 1)
            }
            Builtin::Date => self.string(date(seconds())),
            Builtin::Time => self.string(time(seconds())),
            Builtin::Timestamp => self.string("??? ??? ?? ??:??:?? ????".to_owned()),
            Builtin::IncludeLevel => self.number(self.include_depth.saturating_sub(1) as u32),
            Builtin::Has(has) => {
                let answer = self.has(name, has)?;
                self.number(answer)
            }
        };
        Some(Token { kind, ..name })
    }

    fn number(&self, value: u32) -> TokenKind {
        TokenKind::Number(self.session.intern(&value.to_string()))
    }

    fn string(&self, text: String) -> TokenKind {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        TokenKind::Str(self.session.intern(&format!("\"{escaped}\"")))
    }

    /// The answer to `__has_…(…)`. Nothing, after an error, where the parentheses are wrong.
    fn has(&mut self, name: Token, has: Has) -> Option<u32> {
        if has == Has::Include {
            return Some(self.has_include(name)? as u32);
        }
        let error = |preprocessor: &Self, loc: Loc, what: &str| {
            let name = preprocessor.session.spelling(&name).into_owned();
            preprocessor.session.error(loc, format!("missing {what} after '{name}'"));
            None
        };
        let open = self.raw();
        if !open.is(Punct::LParen) {
            return error(self, name.loc, "'('");
        }
        let (mut depth, mut words) = (0, Vec::new());
        loop {
            let token = self.raw();
            match token.kind {
                TokenKind::LineEnd | TokenKind::Eof => return error(self, token.loc, "')'"),
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            words.push(token);
        }
        let Some(symbol) = words.first().and_then(Token::ident) else {
            return Some(0);
        };
        let word = self.session.name(symbol);
        let plain = word
            .strip_prefix("__")
            .and_then(|word| word.strip_suffix("__"))
            .filter(|word| !word.is_empty())
            .unwrap_or(word);
        Some(match has {
            Has::Attribute => ATTRIBUTES.contains(&plain) as u32,
            Has::Builtin => (BUILTIN_SYNTAX.contains(&word) || is_intrinsic(word)) as u32,
            Has::Extension | Has::Feature => (EXTENSIONS.contains(&plain) || self.is_extension(symbol)) as u32,
            Has::Identifier => 1,
            Has::Target => matches!(word, "spirv64" | "spirv") as u32,
            Has::Warning | Has::Nothing | Has::Include => 0,
        })
    }

    fn is_extension(&self, symbol: Symbol) -> bool {
        self.session.name(symbol).starts_with("cl_") && self.definition(symbol).is_some_and(|it| it.meaning == Meaning::Object)
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// `__DATE__`, in UTC: `Mmm dd yyyy`.
fn date(seconds: u64) -> String {
    // Days are counted from the first of March of the year 0, so that a leap day is a year's last one.
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12;
    let year = year_of_era + era * 400 + (month < 2) as u64;
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    format!("{} {day:2} {year}", MONTHS[month as usize])
}

/// `__TIME__`, in UTC: `hh:mm:ss`.
fn time(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "Jan  1 1970");
        assert_eq!(date(951_782_400), "Feb 29 2000");
        assert_eq!(date(1_735_689_599), "Dec 31 2024");
        assert_eq!(time(86_399), "23:59:59");
    }
}
