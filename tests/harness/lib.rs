//! What tests and benchmarks of the whole driver stand on: OpenCL's objects as Rust values, through the system's ICD loader like any program.
//!
//! Objects panic where OpenCL reports an error that a test did not ask for; tests of errors call the functions themselves, by [`cl!`].

mod buffer;
mod context;
mod device_queue;
mod image;
mod info;
mod kernel;
mod program;
pub mod soak;
pub mod spirv;
pub mod version3;

pub use buffer::{Buffer, Plain};
pub use cl_sys;
pub use context::{Context, Device, Event};
pub use device_queue::{CL_QUEUE_SIZE, DeviceQueue};
pub use image::{Image, ImageFormat, Sampler, Shape};
pub use info::{Info, info};
pub use kernel::{Argument, Kernel, Local, Range};
pub use program::Program;

/// Calls an OpenCL function. Tests may pass anything: whether the driver stands it is what they are about.
#[macro_export]
macro_rules! cl {
    ($function:ident ( $($argument:expr),* $(,)? )) => {{
        #[allow(unused_imports)]
        use $crate::cl_sys::*;
        #[allow(unused_imports)]
        use $crate::version3::*;
        // The arguments are calls of safe code and pointers to what outlives the call.
        #[allow(clippy::macro_metavars_in_unsafe)]
        // SAFETY: the test's arguments are valid for this function, or are what the function must refuse.
        #[allow(unused_unsafe)]
        let result = unsafe { $function($($argument),*) };
        result
    }};
}

/// Panics with the name of what failed.
#[track_caller]
pub fn check(status: i32, what: &str) {
    assert_eq!(status, 0, "{what}");
}
