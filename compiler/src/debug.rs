//! `BROLGA_DEBUG`: what people may see of the driver's work, on stderr.

use once_cell::race::OnceBox;
use std::fmt::Display;
use std::time::Instant;

fn topics() -> &'static [String] {
    static TOPICS: OnceBox<Vec<String>> = OnceBox::new();
    TOPICS.get_or_init(|| {
        let list = std::env::var("BROLGA_DEBUG").unwrap_or_default();
        let topics = list.split(',').map(|topic| topic.trim().to_owned());
        Box::new(topics.filter(|topic| !topic.is_empty()).collect())
    })
}

/// `BROLGA_DEBUG`, a list with commas, names this topic (or `all`).
pub fn wants(topic: &str) -> bool {
    topics().iter().any(|wanted| wanted == topic || wanted == "all")
}

/// Shows a text under a heading, if its topic is wanted.
pub fn show(topic: &str, heading: impl Display, text: impl FnOnce() -> String) {
    if wants(topic) {
        eprintln!("; brolga {topic}: {heading}\n{}", text());
    }
}

/// Does a piece of work, and tells how long it took if `timing` is wanted.
pub fn timed<T>(what: impl Display, work: impl FnOnce() -> T) -> T {
    if !wants("timing") {
        return work();
    }
    let start = Instant::now();
    let result = work();
    eprintln!("; brolga timing: {:>10.1} us {what}", start.elapsed().as_secs_f64() * 1e6);
    result
}
