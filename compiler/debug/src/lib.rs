//! `BROLGA_DEBUG`: what people may see of the driver's work, on stderr.

use device::clock;
use device::lock::Lock;
use device::trace::{self, Row, Span};
use once_cell::race::OnceBox;
use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

fn topics() -> &'static [String] {
    static TOPICS: OnceBox<Vec<String>> = OnceBox::new();
    TOPICS.get_or_init(|| {
        let topics = listed(&std::env::var("BROLGA_DEBUG").unwrap_or_default());
        if topics.iter().any(|topic| topic == "help") && !is_a_tool() {
            put(vendors::variables::help());
        }
        Box::new(topics)
    })
}

fn listed(topics: &str) -> Vec<String> {
    let topics = topics.split(',').map(|topic| topic.trim().to_owned());
    topics.filter(|topic| !topic.is_empty()).collect()
}

/// What a tool shows on its standard output, instead of what `BROLGA_DEBUG` says.
static FOR_A_TOOL: Lock<Option<Vec<String>>> = Lock::new(None);

/// For tools: from now on these topics are shown, on stdout. (The driver never does that: stdout is the application's.)
pub fn show_on_stdout(topics: &str) {
    *FOR_A_TOOL.lock() = Some(listed(topics));
    IS_A_TOOL.store(true, Ordering::Relaxed);
}

static IS_A_TOOL: AtomicBool = AtomicBool::new(false);

fn is_a_tool() -> bool {
    IS_A_TOOL.load(Ordering::Relaxed)
}

/// `BROLGA_DEBUG`, a list with commas, names this topic (or `all`).
pub fn wants(topic: &str) -> bool {
    let named = |topics: &[String]| topics.iter().any(|wanted| wanted == topic || wanted == "all");
    if is_a_tool() {
        return FOR_A_TOOL.lock().as_deref().is_some_and(named);
    }
    named(topics())
}

/// Shows a text under a heading, if its topic is wanted.
pub fn show(topic: &str, heading: impl Display, text: impl FnOnce() -> String) {
    if wants(topic) {
        put(format_args!("; brolga {topic}: {heading}\n{}", text()));
    }
}

/// Tells of something that took time.
pub fn say(topic: &str, began: u64, ended: u64, what: impl Display) {
    let micros = ended.saturating_sub(began) as f64 / 1e3;
    put(format_args!("; brolga {topic}: {micros:>10.1} us {what}"));
}

/// One line, or more; where nobody can read it, it is lost. (Not `eprintln!`, which panics then.)
fn put(text: impl Display) {
    if is_a_tool() {
        let _ = std::io::stdout().write_all(format!("{text}\n").as_bytes());
        return;
    }
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// Tells the user of a mistake outside any call that could answer with an error, such as the value of a variable.
pub fn complain(text: impl Display) {
    put(format_args!("brolga: {text}"));
}

/// Does a piece of work, tells how long it took if `timing` is wanted, and leaves a span if there is a trace.
pub fn timed<T>(what: impl Display, work: impl FnOnce() -> T) -> T {
    let timing = wants("timing");
    if !timing && !trace::enabled() {
        return work();
    }
    let began = clock::now();
    let result = work();
    let ended = clock::now();
    if timing {
        say("timing", began, ended, &what);
    }
    trace::write(&Span {
        row: Row::Thread,
        category: "compile",
        name: what.to_string().trim(),
        began,
        ended,
        arguments: &[],
    });
    result
}
