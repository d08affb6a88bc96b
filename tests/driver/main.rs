//! Tests of the whole driver through the system's ICD loader, by theme.

mod loader;
