//! What passes decide about a kernel's gangs by what they compute it to cost, and why: shown by `BROLGA_DEBUG=plan`, by `brolga opt`, and
//! compared by tests in files.

use std::fmt::{Display, Formatter};

/// Decisions, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Plan {
    lines: Vec<String>,
    is_wanted: bool,
}

impl Plan {
    /// A plan that notes what it is told if `BROLGA_DEBUG` asks for it.
    pub fn of_process() -> Plan {
        Plan {
            is_wanted: debug::wants("plan"),
            ..Plan::default()
        }
    }

    /// A plan that notes what it is told.
    pub fn wanted() -> Plan {
        Plan {
            is_wanted: true,
            ..Plan::default()
        }
    }

    /// An empty plan that notes as much as this one, for what is only tried.
    pub fn branch(&self) -> Plan {
        Plan {
            is_wanted: self.is_wanted,
            ..Plan::default()
        }
    }

    /// Takes over the notes of what was tried.
    pub fn merge(&mut self, branch: Plan) {
        self.lines.extend(branch.lines);
    }

    /// Notes a pass's decision, and what it follows from.
    pub fn note(&mut self, pass: &str, decision: impl FnOnce() -> String) {
        if self.is_wanted {
            self.lines.push(format!("{pass}: {}", decision()));
        }
    }

    /// A line a decision.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
