//! Guards: conditions under which work-items leave the kernel at its start, having done nothing.

use ir::Function;

/// How something changes as an id grows; a condition is false before it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It stays.
    Same,
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
}

impl Trend {
    /// That of the negative, or of the contrary.
    pub fn reversed(self) -> Trend {
        match self {
            Trend::Same => Trend::Same,
            Trend::Rises => Trend::Falls,
            Trend::Falls => Trend::Rises,
        }
    }

    /// That of a sum. `None` where the two go different ways.
    pub fn and(self, other: Trend) -> Option<Trend> {
        match (self, other) {
            (Trend::Same, trend) | (trend, Trend::Same) => Some(trend),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// A condition that is monotone in where a work-item is: a work-item for which it holds leaves at once.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Computes it for a work-item, from built-in variables: one block, which returns a mask.
    pub condition: Function,
    /// Along the groups of each dimension, for the same place in the group.
    pub groups: [Trend; 3],
    /// Along the work-items of a group.
    pub items: [Trend; 3],
}
