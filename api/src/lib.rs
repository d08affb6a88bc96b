//! The OpenCL object model, and the meaning of every entry point.
//!
//! One file an object, in the order of the specification's chapters (the OpenCL API, unified specification 3.0; sections are its). An entry
//! point reads like its page there: each error condition is a line, under a comment that gives it in the specification's words. The C side
//! of each (symbols, dispatch table, panics) is the crate above; what a pointer of the application may be used for is said in [`raw`].

#![allow(
    clippy::too_many_arguments,
    reason = "entry points have the parameters that the specification gives them"
)]

mod allocations;
mod atomic;
pub mod binary;
pub mod build;
mod checked;
#[allow(non_camel_case_types, non_upper_case_globals, reason = "the names are the headers'")]
pub mod cl;
pub mod command_buffer;
pub mod context;
pub mod destination;
pub mod device;
pub mod device_info;
pub mod device_queue;
pub mod environment;
pub mod error;
pub mod event;
pub mod handle;
pub mod image;
pub mod info;
pub mod kernel;
pub mod kernel_info;
pub mod launch;
mod machine;
pub mod matrices;
pub mod memory;
mod notifier;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod raw;
pub mod record;
mod rect;
mod report;
pub mod sampler;
mod scheduler;
pub mod semaphore;
pub mod sharing;
pub mod svm;
pub mod transfer;
pub mod unified;
pub mod unified_svm;
pub mod watch;

pub use checked::host::at_exit;
