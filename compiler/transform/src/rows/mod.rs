//! Loops in which each lane goes along a row of its own: `for (i = 0; i < n; i++) c[row * n + i] = a[row * n + i] * b[i]`.
//!
//! In each iteration such a loop gathers the words that are behind those of the iteration before. What saves the gathers:
//! - [`along`]: one lane after the other, with vectors along its row, where iterations don't wait for each other;
//! - [`by_fours`]: four iterations at a time, of which each lane's words are loaded together, and rows become columns.
//! - [`one_by_one`]: where neither can be, one lane after the other, iteration by iteration.
//!
//! The first two take turns together; whether what one stores is what a later one loads, [`runtime_alias_checks`] asks where the loop
//! begins.
//!
//! For the work-group level.

pub mod along;
pub mod by_fours;
mod bytes;
mod dots;
mod dots_by_fours;
mod lanes;
pub mod one_by_one;
mod order;
mod row;
mod row_loop;
mod runtime_alias_checks;
