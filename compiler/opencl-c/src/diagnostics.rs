//! Errors, warnings and notes: collected in the order in which they are found, and rendered as C compilers do.

use crate::options::CompileOptions;
use crate::source::{Loc, SourceMap};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::fmt::Write;

/// A warning's flag, as `-W<flag>` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning(pub &'static str);

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is made of the program.
    Error,
    /// Something is made of it.
    Warning,
    /// Says more about the diagnostic before it.
    Note,
}

/// Something to say about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Where.
    pub loc: Loc,
    /// What.
    pub message: String,
    /// The warning's flag.
    pub flag: Option<Warning>,
    /// Ranges to underline: from the first token's place to the last token's place, both included.
    pub ranges: Vec<(Loc, Loc)>,
}

/// All that there is to say about a program.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: RefCell<Vec<Diagnostic>>,
    /// Errors that have been reported. Twice in one place says no more than once.
    known: RefCell<FxHashSet<(Loc, String)>>,
    errors: Cell<usize>,
    warnings: Cell<usize>,
    /// The last diagnostic was left out, and so are its notes.
    muted: Cell<bool>,
    /// How deep [`Diagnostics::suppress`] is nested.
    suppressed: Cell<usize>,
    swallowed: Cell<usize>,
    no_warnings: bool,
    warnings_are_errors: bool,
    disabled: Vec<String>,
    error_limit: usize,
}

/// The diagnostic that was reported last, for notes and ranges.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    diagnostics: &'a Diagnostics,
    index: Option<usize>,
}

impl Builder<'_> {
    /// Adds a note.
    pub fn note(self, loc: Loc, message: impl Into<String>) -> Self {
        self.diagnostics.note(loc, message.into());
        self
    }

    /// Underlines from the token at `first` to the token at `last`.
    pub fn range(self, first: Loc, last: Loc) -> Self {
        if let Some(index) = self.index
            && let Some(diagnostic) = self.diagnostics.list.borrow_mut().get_mut(index)
        {
            diagnostic.ranges.push((first, last));
        }
        self
    }
}

impl Diagnostics {
    /// Nothing to say yet.
    pub fn new(options: &CompileOptions) -> Diagnostics {
        Diagnostics {
            no_warnings: options.no_warnings,
            warnings_are_errors: options.warnings_are_errors,
            disabled: options.disabled_warnings.clone(),
            error_limit: options.error_limit,
            ..Diagnostics::default()
        }
    }

    fn add(&self, severity: Severity, loc: Loc, message: String, flag: Option<Warning>) -> Builder<'_> {
        let again = severity == Severity::Error && self.suppressed.get() == 0 && !self.known.borrow_mut().insert((loc, message.clone()));
        let silent = again
            || match severity {
                Severity::Error => {
                    if self.suppressed.get() > 0 {
                        self.swallowed.set(self.swallowed.get() + 1);
                        true
                    } else {
                        self.errors.set(self.errors.get() + 1);
                        self.error_limit > 0 && self.errors.get() > self.error_limit
                    }
                }
                Severity::Warning => {
                    let disabled = flag.is_some_and(|flag| self.disabled.iter().any(|name| name == flag.0));
                    let silent = self.no_warnings || disabled || self.suppressed.get() > 0;
                    if !silent {
                        self.warnings.set(self.warnings.get() + 1);
                    }
                    silent
                }
                Severity::Note => self.muted.get(),
            };
        if severity != Severity::Note {
            self.muted.set(silent);
        }
        let mut list = self.list.borrow_mut();
        if !silent {
            list.push(Diagnostic {
                severity,
                loc,
                message,
                flag,
                ranges: Vec::new(),
            });
        }
        Builder {
            diagnostics: self,
            index: (!silent).then(|| list.len() - 1),
        }
    }

    /// Reports an error.
    pub fn error(&self, loc: Loc, message: String) -> Builder<'_> {
        self.add(Severity::Error, loc, message, None)
    }

    /// Reports a warning, or an error with `-Werror`.
    pub fn warning(&self, flag: Warning, loc: Loc, message: String) -> Builder<'_> {
        let disabled = self.no_warnings || self.disabled.iter().any(|name| name == flag.0);
        let severity = match self.warnings_are_errors && !disabled {
            true => Severity::Error,
            false => Severity::Warning,
        };
        self.add(severity, loc, message, Some(flag))
    }

    /// Reports a note to the diagnostic before it.
    pub fn note(&self, loc: Loc, message: String) {
        self.add(Severity::Note, loc, message, None);
    }

    /// Runs something of which no diagnostics are kept; says whether it would have reported errors.
    pub fn suppress<T>(&self, run: impl FnOnce() -> T) -> (T, bool) {
        let before = self.swallowed.get();
        self.suppressed.set(self.suppressed.get() + 1);
        let value = run();
        self.suppressed.set(self.suppressed.get() - 1);
        (value, self.swallowed.get() > before)
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.errors.get()
    }

    /// Are there errors?
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// Are there so many errors that nobody reads more?
    pub fn gave_up(&self) -> bool {
        self.error_limit > 0 && self.errors() > self.error_limit
    }

    /// What there is to say so far.
    pub fn list(&self) -> Vec<Diagnostic> {
        self.list.borrow().clone()
    }

    /// Everything as text, with the counts at the end.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut text = String::new();
        for diagnostic in self.list.borrow().iter() {
            render_one(diagnostic, sources, &mut text);
        }
        if self.gave_up() {
            text.push_str("fatal error: too many errors emitted, stopping now\n");
        }
        let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let shown = match self.gave_up() {
            true => self.error_limit + 1,
            false => self.errors(),
        };
        match (self.warnings.get(), shown) {
            (0, 0) => {}
            (0, errors) => _ = writeln!(text, "{} generated.", counted(errors, "error")),
            (warnings, 0) => _ = writeln!(text, "{} generated.", counted(warnings, "warning")),
            (warnings, errors) => {
                _ = writeln!(text, "{} and {} generated.", counted(warnings, "warning"), counted(errors, "error"));
            }
        }
        text
    }
}

fn render_one(diagnostic: &Diagnostic, sources: &SourceMap, text: &mut String) {
    let (loc, macros) = sources.point(diagnostic.loc);
    if diagnostic.severity != Severity::Note {
        render_includes(loc, sources, text);
    }
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let flag = match (diagnostic.flag, diagnostic.severity) {
        (Some(Warning(flag)), Severity::Error) => format!(" [-Werror,-W{flag}]"),
        (Some(Warning(flag)), _) => format!(" [-W{flag}]"),
        (None, _) => String::new(),
    };
    render_line(
        loc,
        severity,
        &format!("{}{flag}", diagnostic.message),
        &diagnostic.ranges,
        sources,
        text,
    );
    /// Of a long chain of macros, the first and the last are told.
    const TOLD: usize = 6;
    for (index, (definition, name)) in macros.iter().enumerate() {
        if macros.len() > TOLD && index == TOLD / 2 {
            _ = writeln!(text, "note: (skipping {} expansions in backtrace)", macros.len() - TOLD);
        }
        if macros.len() > TOLD && (TOLD / 2..macros.len() - TOLD / 2).contains(&index) {
            continue;
        }
        render_line(*definition, "note", &format!("expanded from macro '{name}'"), &[], sources, text);
    }
}

fn render_includes(loc: Loc, sources: &SourceMap, text: &mut String) {
    let mut file = sources.file_of(loc);
    while let Some(id) = file {
        let from = sources.file(id).included_from;
        if let Some(position) = sources.position(from) {
            _ = writeln!(text, "In file included from {}:{}:", position.file, position.line);
        }
        file = sources.file_of(from);
    }
}

fn render_line(loc: Loc, severity: &str, message: &str, ranges: &[(Loc, Loc)], sources: &SourceMap, text: &mut String) {
    let (Some(position), Some(id)) = (sources.position(loc), sources.file_of(loc)) else {
        _ = writeln!(text, "{severity}: {message}");
        return;
    };
    _ = writeln!(
        text,
        "{}:{}:{}: {severity}: {message}",
        position.file, position.line, position.column
    );
    let file = sources.file(id);
    let line = file.line_of(loc.0 - file.start);
    let start = file.start + file.lines()[line as usize - 1];
    let source = file.line_text(line);
    let mut marks = vec![b' '; source.len() + 1];
    for &(first, last) in ranges {
        let (first, last) = (sources.point(first).0, sources.point(last).0);
        let within = |loc: Loc| (loc.0 >= start && loc.0 <= start + source.len() as u32).then(|| (loc.0 - start) as usize);
        if let (Some(first), Some(last)) = (within(first), within(last)) {
            let last = last + word_length(source.get(last..).unwrap_or_default());
            for mark in marks.iter_mut().take(last).skip(first) {
                *mark = b'~';
            }
        }
    }
    if let Some(mark) = marks.get_mut(position.column as usize - 1) {
        *mark = b'^';
    }
    // Very long lines are no help to anybody.
    const LONGEST: usize = 400;
    if source.len() > LONGEST {
        return;
    }
    // A tab stays one, so that the caret stands below what it is about; a character of several bytes has one mark.
    let mut below = String::new();
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        match (marks[at], c) {
            (b' ', '\t') => below.push('\t'),
            (mark, _) => below.push(mark as char),
        }
    }
    _ = writeln!(text, "{source}\n{}", below.trim_end());
}

/// How many bytes the token at the start of a text has, as far as underlining goes.
fn word_length(text: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match text.find(|c| !word(c)).unwrap_or(text.len()) {
        0 => text.chars().next().map_or(0, char::len_utf8),
        length => length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(options: CompileOptions) -> (Diagnostics, SourceMap, Loc) {
        let sources = SourceMap::default();
        let id = sources.add("a.cl", "int x;\n\tfoo(1 + bar);\n".into(), Loc::NONE, false).unwrap();
        let loc = Loc(sources.file(id).start);
        (Diagnostics::new(&options), sources, loc)
    }

    #[test]
    fn a_caret_stands_below_the_place() {
        let (diagnostics, sources, loc) = with(CompileOptions::default());
        diagnostics.error(loc.after(14), "no".into()).range(loc.after(12), loc.after(16));
        diagnostics.warning(Warning("foo"), loc, "hm".into()).note(loc.after(4), "here");
        let expected = "a.cl:2:8: error: no\n\tfoo(1 + bar);\n\t    ~~^~~~~\n\
                        a.cl:1:1: warning: hm [-Wfoo]\nint x;\n^\na.cl:1:5: note: here\nint x;\n    ^\n\
                        1 warning and 1 error generated.\n";
        assert_eq!(diagnostics.render(&sources), expected);
    }

    #[test]
    fn warnings_obey_the_options() {
        let (diagnostics, sources, loc) = with(CompileOptions {
            no_warnings: true,
            ..CompileOptions::default()
        });
        diagnostics.warning(Warning("foo"), loc, "hm".into()).note(loc, "here");
        assert_eq!(diagnostics.render(&sources), "");
        let (diagnostics, sources, loc) = with(CompileOptions {
            warnings_are_errors: true,
            disabled_warnings: vec!["bar".into()],
            ..CompileOptions::default()
        });
        diagnostics.warning(Warning("bar"), loc, "hm".into());
        assert!(!diagnostics.has_errors());
        diagnostics.warning(Warning("foo"), loc, "hm".into());
        assert!(diagnostics.render(&sources).contains("error: hm [-Werror,-Wfoo]"));
        assert!(diagnostics.has_errors());
    }

    #[test]
    fn there_is_a_limit() {
        let (diagnostics, sources, loc) = with(CompileOptions {
            error_limit: 2,
            ..CompileOptions::default()
        });
        for place in 0..5 {
            diagnostics.error(loc.after(place), "no".into());
            diagnostics.error(loc.after(place), "no".into());
        }
        let text = diagnostics.render(&sources);
        assert!(diagnostics.gave_up() && text.contains("too many errors"), "{text}");
        assert_eq!(text.matches("error: no").count(), 2);
    }

    #[test]
    fn what_is_suppressed_is_noticed() {
        let (diagnostics, sources, loc) = with(CompileOptions::default());
        let ((), failed) = diagnostics.suppress(|| _ = diagnostics.error(loc, "no".into()));
        assert!(failed && !diagnostics.has_errors());
        assert_eq!(diagnostics.render(&sources), "");
    }
}
