//! Register allocation: which value is where at which instruction, and what has to be moved for it.
//!
//! A linear scan over code in SSA form (Wimmer, Mössenböck: Optimized Interval Splitting in a Linear Scan Register Allocator, 2005; Wimmer,
//! Franz: Linear Scan Register Allocation on SSA Form, 2010). It takes time that grows as the code does:
//!
//! - [`liveness`]: where each value lives, as ranges of positions, and where it is used;
//! - [`interval`]: parts of values' lives, each in one place;
//! - [`scan`]: goes through the intervals in the order in which they start, and gives each the register that is free for longest, or splits
//!   it or another; [`registers`] know what is in each register when;
//! - [`slots`]: places on the stack for what does not fit;
//! - [`resolve`]: the moves between the parts of an interval, and on the edges between blocks; [`parallel_moves`] puts those of one place in order.
//!
//! Values never change, so that one store is enough wherever a value goes to the stack. What comes out has the form that regalloc2 gives,
//! whose checker looks at it in debug builds.

mod interval;
mod liveness;
mod parallel_moves;
mod position;
mod registers;
mod resolve;
mod scan;
mod slots;
#[cfg(test)]
mod tests;

use super::function::Function;
use regalloc2::{MachineEnv, Output};

/// Allocates the registers of a function.
pub fn allocate(function: &Function, machine: &MachineEnv) -> Result<Output, String> {
    let (values, fixed) = liveness::find(function);
    let mut scan = scan::Scan::new(function, values, fixed, machine);
    scan.run()?;
    let slots = slots::assign(function, &scan);
    resolve::resolve(function, &scan, slots)
}
