//! The driver for programs that use oneAPI Level Zero: a second front door, beside OpenCL's, of the same compiler and the same machine.
//!
//! A loader (`libze_loader.so.1`) asks the library for tables of functions ([`tables`]): the library exports those that fill them, and nothing else. One
//! file an object, in the order of the specification; an entry point reads like its page there. What a table has no function for, the loader answers
//! with ZE_RESULT_ERROR_UNSUPPORTED_FEATURE.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are the specification's")]
#![allow(
    clippy::too_many_arguments,
    reason = "entry points have the parameters that the specification gives them"
)]

mod arguments;
mod atomic_access;
mod command;
mod context;
mod copy;
mod device;
mod device_info;
mod driver;
mod error;
mod event;
mod fence;
mod handle;
#[cfg(test)]
mod header;
mod image;
mod image_copy;
mod image_format;
mod kernel;
mod kernel_info;
mod launch;
mod list;
mod memory;
mod module;
mod native;
mod pointer;
mod queue;
mod sampler;
mod sysman;
mod tables;
mod virtual_memory;
mod work;
mod ze;
