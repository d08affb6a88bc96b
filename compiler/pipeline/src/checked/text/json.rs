//! A finding as a line of JSON.

use super::Told;
use ir::SourcePlace;
use std::fmt::Write as _;

impl Told<'_> {
    /// A line of JSON.
    pub fn json(&self) -> String {
        let mut text = String::from("{");
        let mut field = |name: &str, value: String| {
            let comma = if text.len() > 1 { "," } else { "" };
            let _ = write!(text, "{comma}\"{name}\":{value}");
        };
        field("kernel", quoted(self.kernel()));
        field("check", quoted(self.site.what.check()));
        if let Some((place, calls)) = self.site.trace.split_first() {
            field("file", quoted(&place.file));
            field("line", place.line.to_string());
            field("column", place.column.to_string());
            if !calls.is_empty() {
                let call = |call: &SourcePlace| {
                    format!(
                        "{{\"file\":{},\"line\":{},\"column\":{}}}",
                        quoted(&call.file),
                        call.line,
                        call.column
                    )
                };
                field("called_from", format!("[{}]", calls.iter().map(call).collect::<Vec<_>>().join(",")));
            }
        }
        let list = |id: [u64; 3]| format!("[{},{},{}]", id[0], id[1], id[2]);
        field("global_id", list(self.global));
        field("local_id", list(self.local));
        field("group_id", list(self.group));
        if let Some(other) = &self.other {
            if let Some(place) = other.site.trace.first() {
                field("other_file", quoted(&place.file));
                field("other_line", place.line.to_string());
                field("other_column", place.column.to_string());
            }
            field("other_global_id", list(other.global));
        }
        field("count", self.finding.count.to_string());
        field("message", quoted(&self.what()));
        text + "}\n"
    }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_json_wants_them() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\u000ad""#);
    }
}
