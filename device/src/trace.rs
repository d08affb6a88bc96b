//! `BROLGA_TRACE=FILE.json`: what the driver did when, in the Trace Event Format that Perfetto and chrome://tracing open (its "JSON Array
//! Format", whose closing bracket is optional, so that a process that is killed leaves a file that can be read).
//!
//! `%p` in the name stands for the number of the process; a child of fork() writes to its parent's file.
//!
//! A row for each thread, where it ran work-groups, compiled, or was in an entry point; and a row for each queue, with its commands.
//! Where the variable is not set, [`enabled`] is one load.

use crate::lock::Lock;
use crate::{clock, fork, os};
use once_cell::race::OnceBox;
use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a span is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The calling thread's row.
    Thread,
    /// The row of a queue whose commands follow each other.
    Queue(u64),
    /// The rows of a queue whose commands overlap: as many as it takes.
    Overlapping(u64),
}

/// Something that took time.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// Its row.
    pub row: Row,
    /// What kind of thing: `api`, `kernel`, `command`, `compile`.
    pub category: &'static str,
    /// What it is.
    pub name: &'a str,
    /// When it began, by [`clock::now`].
    pub began: u64,
    /// When it ended.
    pub ended: u64,
    /// More about it: names and values.
    pub arguments: &'a [(&'a str, u64)],
}

/// Queues have rows behind all threads'.
const FIRST_QUEUE_ROW: u64 = 1 << 30;

struct Trace {
    file: File,
    started: Lock<bool>,
}

fn trace() -> Option<&'static Trace> {
    static TRACE: OnceBox<Option<Trace>> = OnceBox::new();
    let made = TRACE.get_or_init(|| {
        let path = std::env::var("BROLGA_TRACE").ok().filter(|path| !path.is_empty());
        let path = path.map(|path| path.replace("%p", &std::process::id().to_string()));
        // Each event is one write to the end, whoever writes.
        let file = path.and_then(|path| {
            let _ = std::fs::remove_file(&path);
            OpenOptions::new().append(true).create(true).open(path).ok()
        });
        let started = Lock::new(false);
        Box::new(file.map(|file| Trace { file, started }))
    });
    made.as_ref()
}

/// Does anybody want to see spans?
pub fn enabled() -> bool {
    trace().is_some()
}

/// The time, if spans are wanted.
pub fn begin() -> Option<u64> {
    enabled().then(clock::now)
}

/// Writes a span.
pub fn write(span: &Span<'_>) {
    let Some(trace) = trace() else { return };
    start(trace);
    let process = std::process::id();
    let mut line = String::new();
    let row = match span.row {
        Row::Thread => thread_row(trace),
        Row::Queue(number) | Row::Overlapping(number) => FIRST_QUEUE_ROW + number,
    };
    let (name, category) = (Json(span.name), span.category);
    let micros = |nanoseconds: u64| nanoseconds as f64 / 1e3;
    let mut arguments = String::new();
    for (index, (name, value)) in span.arguments.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(arguments, "{comma}\"{}\":{value}", Json(name));
    }
    let common = format_args!("\"name\":\"{name}\",\"cat\":\"{category}\",\"pid\":{process},\"tid\":{row},\"args\":{{{arguments}}}");
    let began = micros(span.began);
    let _ = match span.row {
        Row::Overlapping(_) => {
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            let id = NUMBER.fetch_add(1, Ordering::Relaxed);
            let ended = micros(span.ended);
            write!(
                line,
                ",\n{{\"ph\":\"b\",\"id\":{id},\"ts\":{began:.3},{common}}},\n{{\"ph\":\"e\",\"id\":{id},\"ts\":{ended:.3},{common}}}"
            )
        }
        _ => {
            let length = micros(span.ended.saturating_sub(span.began));
            write!(line, ",\n{{\"ph\":\"X\",\"ts\":{began:.3},\"dur\":{length:.3},{common}}}")
        }
    };
    put(trace, &line);
}

/// Names a queue's row.
pub fn name_queue(number: u64, name: &str) {
    if let Some(trace) = trace() {
        start(trace);
        name_row(trace, FIRST_QUEUE_ROW + number, name);
    }
}

/// A number for a new queue's row.
pub fn new_queue() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The first line begins the list.
fn start(trace: &Trace) {
    let mut started = trace.started.lock();
    if !std::mem::replace(&mut *started, true) {
        let process = std::process::id();
        let name = "\"ph\":\"M\",\"name\":\"process_name\",\"tid\":0,\"args\":{\"name\":\"OpenCL on Brolga\"}";
        put(trace, &format!("[\n{{{name},\"pid\":{process}}}"));
    }
}

/// The calling thread's row, which gets its name when it is first used.
fn thread_row(trace: &Trace) -> u64 {
    thread_local! {
        /// The row, and the process that the thread was in.
        static ROW: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }
    let generation = fork::generation() + 1;
    ROW.with(|cell| {
        if cell.get().1 != generation {
            let thread = os::threads::id();
            cell.set((thread, generation));
            let thread_name = std::thread::current().name().unwrap_or("application").to_owned();
            name_row(trace, thread, &thread_name);
        }
        cell.get().0
    })
}

fn name_row(trace: &Trace, row: u64, name: &str) {
    let (process, name) = (std::process::id(), Json(name));
    put(
        trace,
        &format!(",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{row},\"args\":{{\"name\":\"{name}\"}}}}"),
    );
}

fn put(trace: &Trace, text: &str) {
    // A full disk is no reason to stop computing.
    let _ = (&trace.file).write_all(text.as_bytes());
}

/// Text inside a JSON string.
struct Json<'a>(&'a str);

impl std::fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(Json("a \"b\" \\ \n").to_string(), "a \\\"b\\\" \\\\ \\u000a");
    }
}
