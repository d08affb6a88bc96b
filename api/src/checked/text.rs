//! A finding in words, and as a line of JSON.

use super::{AccessKind, Finding, Launched, Object, Site, What, source};
use compiler::ArgumentKind;
use compiler::ir::Space;
use std::fmt::Write as _;

/// A finding that is told.
pub struct Told<'a> {
    launched: &'a Launched<'a>,
    site: &'a Site,
    finding: &'a Finding,
    /// The work-item's ids.
    global: [u64; 3],
    local: [u64; 3],
    group: [u64; 3],
}

/// The object that an access left.
struct Described {
    /// In words: `argument 2 'in' (a buffer of 4096 bytes)`.
    words: String,
    readable: u64,
    writable: u64,
}

impl Told<'_> {
    pub fn new<'a>(launched: &'a Launched, site: &'a Site, finding: &'a Finding) -> Told<'a> {
        let [width, height, _] = launched.global.map(|size| size.max(1));
        let item = [finding.item % width, finding.item / width % height, finding.item / width / height];
        let each = |of: fn(u64, u64) -> u64| [0, 1, 2].map(|axis| of(item[axis], launched.local[axis].max(1)));
        Told {
            launched,
            site,
            finding,
            global: [0, 1, 2].map(|axis| item[axis] + launched.offset[axis]),
            local: each(|id, size| id % size),
            group: each(|id, size| id / size),
        }
    }

    fn kernel(&self) -> &str {
        &self.launched.kernel.info().name
    }

    /// The same for all findings of one place.
    pub fn key(&self) -> String {
        let place = self
            .site
            .trace
            .iter()
            .map(|place| format!("{}:{}:{}", place.file, place.line, place.column));
        let place: Vec<String> = place.collect();
        let number = if place.is_empty() {
            format!("{:?}", self.site)
        } else {
            place.join(" ")
        };
        format!("{} {number} {:?}", self.kernel(), self.site.what)
    }

    /// Everything in one line.
    pub fn sentence(&self) -> String {
        let place = self.site.trace.first();
        let place = place.map_or(String::new(), |place| format!(" {}:{}:{}", place.file, place.line, place.column));
        let [global, local] = [self.global, self.local].map(|id| format!("({}, {}, {})", id[0], id[1], id[2]));
        format!(
            "kernel '{}'{place}: {}, by work-item {global}, local {local}",
            self.kernel(),
            self.what()
        )
    }

    /// For people: the sentence, the line, the calls, how often.
    pub fn paragraph(&self) -> String {
        let mut text = format!("brolga check: {}\n", self.sentence());
        if let Some((place, calls)) = self.site.trace.split_first() {
            if let Some(line) = source::line(&self.launched.kernel.program, place) {
                text += &source::with_caret(&line, place);
            }
            let mut function = &place.function;
            for call in calls {
                let _ = writeln!(text, "  in '{function}', called from {}:{}:{}", call.file, call.line, call.column);
                function = &call.function;
            }
        }
        if self.finding.count > 1 {
            let _ = writeln!(text, "  {} times in this launch", self.finding.count);
        }
        text
    }

    fn what(&self) -> String {
        match &self.site.what {
            What::Access { access, object } => self.access(*access, object),
            What::Alignment { access, object, align } => {
                let (done, words) = (done(*access), self.describe(object).words);
                let (bytes, beyond) = (self.finding.bytes, self.finding.detail % u64::from(*align));
                format!("{done} of {bytes} bytes at an address {beyond} beyond a multiple of {align}, in {words}")
            }
            What::Division => match self.finding.detail as i64 {
                0 => "integer division by zero".to_owned(),
                dividend => format!("division of {dividend} by -1, whose result is too large"),
            },
            What::Assumption => "what is assumed here does not hold".to_owned(),
            What::Uninitialized { object } => format!("read of {}, which was not written before", self.describe(object).words),
            What::Barrier => {
                let (come, all) = (self.finding.detail as u32, self.finding.detail >> 32);
                format!("barrier that {come} of the {all} work-items of the group came to")
            }
        }
    }

    fn access(&self, access: AccessKind, object: &Object) -> String {
        let bytes = u64::from(self.finding.bytes);
        let done = done(access);
        let Described { words, readable, writable } = self.describe(object);
        let distance = self.finding.detail as i64;
        let inside = distance >= 0 && (distance as u64).saturating_add(bytes) <= readable;
        let place = if inside && access.writes() && writable < readable {
            format!("{distance} bytes into {words}, which may only be read")
        } else if distance < 0 {
            format!("{} bytes before the beginning of {words}", distance.unsigned_abs())
        } else if distance as u64 > readable {
            format!("{} bytes beyond the end of {words}", distance as u64 - readable)
        } else if distance as u64 == readable {
            format!("just beyond the end of {words}")
        } else {
            let beyond = (distance as u64).saturating_add(bytes) - readable;
            format!("the last {beyond} of them beyond the end of {words}")
        };
        format!("{done} of {bytes} bytes, {place}")
    }

    fn describe(&self, object: &Object) -> Described {
        let named = |name: &str| if name.is_empty() { String::new() } else { format!(" '{name}'") };
        match object {
            &Object::Argument(number) => {
                let info = &self.launched.kernel.info().arguments[number as usize];
                let word = |at: u64| {
                    let place = info.extent.unwrap_or(0) + at;
                    let bytes = self.launched.block.get(place as usize..).and_then(|rest| rest.first_chunk());
                    bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
                };
                let (readable, writable) = (word(8), word(16));
                let words = match info.kind {
                    ArgumentKind::LocalPointer => format!("{readable} bytes of local memory"),
                    _ if readable == 0 => "null, or an empty buffer".to_owned(),
                    _ if writable == 0 => format!("a read-only buffer of {readable} bytes"),
                    _ => format!("a buffer of {readable} bytes"),
                };
                Described {
                    words: format!("argument {number}{} ({words})", named(&info.name)),
                    readable,
                    writable,
                }
            }
            Object::Variable {
                space,
                name,
                bytes,
                constant,
            } => {
                let kind = match space {
                    Space::Local => "local variable",
                    Space::Private => "private variable",
                    Space::Constant => "constant",
                    _ => "program-scope variable",
                };
                Described {
                    words: format!("the {kind}{} of {bytes} bytes", named(name)),
                    readable: *bytes,
                    writable: if *constant { 0 } else { *bytes },
                }
            }
        }
    }

    /// A line of JSON.
    pub fn json(&self) -> String {
        let mut text = String::from("{");
        let mut field = |name: &str, value: String| {
            let comma = if text.len() > 1 { "," } else { "" };
            let _ = write!(text, "{comma}\"{name}\":{value}");
        };
        field("kernel", quoted(self.kernel()));
        field("check", quoted(self.site.what.check()));
        if let Some(place) = self.site.trace.first() {
            field("file", quoted(&place.file));
            field("line", place.line.to_string());
            field("column", place.column.to_string());
        }
        let list = |id: [u64; 3]| format!("[{},{},{}]", id[0], id[1], id[2]);
        field("global_id", list(self.global));
        field("local_id", list(self.local));
        field("group_id", list(self.group));
        field("count", self.finding.count.to_string());
        field("message", quoted(&self.what()));
        text + "}\n"
    }
}

/// What was done, before `of 4 bytes`.
fn done(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic access",
        AccessKind::CopyFrom => "copy from memory",
        AccessKind::CopyTo => "copy to memory",
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
