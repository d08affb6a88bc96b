//! Loops in which each lane goes along a row of its own: `for (i = 0; i < n; i++) c[row * n + i] = a[row * n + i] * b[i]`.
//!
//! In each turn such a loop gathers the words that are behind those of the turn before. What saves the gathers:
//! - [`along`]: one lane after the other, with vectors along its row, where turns don't wait for each other;
//! - [`by_fours`]: four turns at a time, of which each lane's words are loaded together, and rows become columns.
//! - [`one_by_one`]: where neither can be, one lane after the other, turn by turn.
//!
//! The first two take turns together; whether what one stores is what a later one loads, [`apart`] asks where the loop begins.
//!
//! For the work-group level.

pub mod along;
mod apart;
pub mod by_fours;
mod bytes;
pub mod one_by_one;
mod row;
mod row_loop;
