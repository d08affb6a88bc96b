//! The driver's scheduling on machines that are not here: the sources of its pool, jobs, locks and costs run on modelled cores, in modelled time.
//!
//! The sources are the driver's own, compiled a second time. Here each access to an atomic costs what the machine's caches make of it ([`model`]),
//! sleeping and waking cost what they cost under Linux, and a work-group takes the time that its launch says. What differs is told: the order of memory
//! accesses is sequential (the model checker of `device/interleavings` looks after that), accesses to what is not atomic are free, and each thread has
//! a core of its own as long as there are any. (Traits of locks are `parking_lot`'s, as there.)
//!
//! A simulation does not depend on what else the machine at hand does. Two differ a little all the same: by what the allocator has share a line of cache.

#[path = "../../src/arrivals.rs"]
mod arrivals;
#[path = "../../src/attention.rs"]
mod attention;
#[path = "../../src/cost.rs"]
#[allow(dead_code, reason = "what other parts of the driver use, the scheduling does not")]
mod cost;
#[path = "../../src/job.rs"]
#[allow(dead_code, reason = "as above")]
mod job;
pub mod launch;
#[path = "../../src/lead.rs"]
mod lead;
#[path = "../../src/lock.rs"]
#[allow(dead_code, reason = "as above")]
mod lock;
pub mod model;
#[path = "../../src/pool.rs"]
#[allow(dead_code, reason = "as above")]
mod pool;
mod simulation;
#[path = "../../src/sleeper.rs"]
mod sleeper;
mod substitutes;

use substitutes::{atomic, clock, fork, machine, os};
