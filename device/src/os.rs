//! Where the operating system is met: what another system has in another form is here, and nowhere else in this crate.

pub(crate) mod affinity;
pub(crate) mod caches;
pub mod cgroup;
pub(crate) mod clock;
pub(crate) mod copy;
pub mod fault;
pub(crate) mod fork;
pub(crate) mod futex;
pub(crate) mod maps;
pub(crate) mod memory;
pub(crate) mod pages;
pub(crate) mod stdout;
pub(crate) mod threads;
