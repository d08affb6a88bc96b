//! Guards: conditions under which work-items leave the kernel at its start, having done nothing.

use super::trends::Trend;
use ir::Function;

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
