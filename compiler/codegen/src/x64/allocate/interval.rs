//! Parts of values' lives.

use super::position::Position;
use regalloc2::PReg;

/// Where a part of a value's life is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Register(PReg),
    /// The value's place on the stack.
    Stack,
}

/// A part of a value's life that is spent in one place.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub value: u32,
    pub start: Position,
    pub end: Position,
    /// Its ranges: a part of those of all values, of which the first and the last may be cut.
    pub ranges: (u32, u32),
    /// Its uses: a part of those of all values.
    pub uses: (u32, u32),
    pub place: Place,
    /// The value's next part.
    pub next: u32,
}
