//! Where the operating system is met: what another system has in another form is here, and nowhere else in the driver. (What the command `brolga` needs for
//! itself, and what is compiled for one processor, is not.)

pub(crate) mod affinity;
pub(crate) mod caches;
pub mod cgroup;
pub mod child;
pub(crate) mod clock;
pub mod code;
pub(crate) mod copy;
pub mod fault;
pub mod files;
pub(crate) mod fork;
pub(crate) mod futex;
pub(crate) mod maps;
pub(crate) mod memory;
pub mod pages;
pub mod process;
pub(crate) mod processor;
pub(crate) mod stdout;
pub mod threads;
pub mod virtual_memory;
