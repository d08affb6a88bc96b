//! Brolga.
