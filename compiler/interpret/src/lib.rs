//! The oracle: runs kernels at the work-item level, so that every back end and every gang width can be compared with it.
//!
//! A gang of W work-items runs in lock step, block by block: of the blocks that lanes wait for, the first in an order that keeps loops
//! together is executed next, by all lanes that wait for it. That is when compiled code executes it, too, so that operations across the
//! sub-group see the same active lanes. Gangs are coroutines (stacks of activations, no threads): barriers and operations across the
//! work-group suspend a gang until all gangs that have not ended are suspended. Work-items that returned, trapped or came to
//! `unreachable` are not waited for.
//!
//! Global memory is the host's, by address, as for compiled code.

mod collective;
mod gang;
mod group;
mod images;
mod memory;
pub mod order;
pub mod random;
#[cfg(test)]
mod tests;

use core::fmt;
pub use group::run;
pub use memory::GlobalMemory;

/// What the launch record does not say.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// Work-items in a gang, 1 to 64.
    pub gang_width: u32,
    /// Bytes of local memory, those of local arguments included.
    pub local_bytes: u64,
    /// Where the module's program-scope variables are.
    pub globals: &'a [u64],
    /// How many blocks gangs may execute in all, before the launch is given up as endless.
    pub max_blocks: u64,
}

/// Why a launch did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A work-item trapped: the reason and its global id. (The first one of the group; the group came to its end.)
    Trap {
        /// `device::abi::Trap` as a number.
        reason: u32,
        /// Its global id.
        item: [u64; 3],
    },
    /// More blocks were executed than [`Config::max_blocks`].
    Endless,
    /// Something that the interpreter can't run, in words.
    Unsupported(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Trap { reason, item } => write!(f, "work-item {item:?} trapped, reason {reason}"),
            Stop::Endless => f.write_str("the launch did not end within the number of blocks allowed"),
            Stop::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Stop {}
