//! The lock-free parts of the driver under loom, a model checker: it runs what two or three threads do in every order that the memory model of C and
//! C++ allows, the orders that x86 never shows among them. A load that misses an `Acquire`, or a store that misses a `Release`, is a test that fails on
//! every machine.
//!
//! The sources are the driver's own, compiled a second time: here their atomics are loom's, and the system's sleeping is a condition
//! variable. (Their traits of locks are `parking_lot`'s, as there.) Of `api` these are handles and events, what threads of the host meet at.

#[path = "../../src/arrivals.rs"]
mod arrivals;
#[path = "../../src/job.rs"]
#[allow(dead_code, reason = "what the pool uses, the models do not")]
mod job;
#[path = "../../src/lock.rs"]
#[allow(dead_code, reason = "as above")]
mod lock;
mod models;
mod models_of_objects;
#[path = "../../../api/src/event/progress.rs"]
#[allow(dead_code, reason = "as above")]
mod progress;
#[path = "../../src/sleeper.rs"]
#[allow(dead_code, reason = "as above")]
mod sleeper;
#[path = "../../../api/src/handle/slot.rs"]
#[allow(dead_code, reason = "as above")]
mod slot;
mod substitutes;

use substitutes::{atomic, clock, os, pool};

pub use models::*;
pub use models_of_objects::*;
