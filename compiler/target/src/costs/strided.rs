//! Lanes that lie apart at known distances: registers of memory from which they are taken by shuffles, or into which they are put for stores
//! under masks.

use super::record::{INTERLEAVED, INTERLEAVED_WORDS};
use crate::Machine;

/// Registers of memory that one register of lanes is collected from at most.
pub const MOST_WINDOWS: usize = 8;

/// Lanes that each of them has at least: one alone takes a load and a shuffle as well.
pub const LANES_A_WINDOW: usize = 2;

impl Machine {
    /// Elements of so many bytes that a record has at most whose fields are parted by shuffles.
    pub fn interleaved(&self, bytes: u32) -> usize {
        match bytes {
            4 if self.registers.have_masks_apart() => INTERLEAVED_WORDS,
            _ => INTERLEAVED,
        }
    }
}
