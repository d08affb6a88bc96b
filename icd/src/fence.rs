//! The fence around every entry point: what becomes of an error, and of a panic.

use api::cl::{CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, cl_int};
use api::error::Result;
use api::watch;
use device::fence::fenced;

/// Runs an entry point; a panic is reported on stderr and becomes CL_OUT_OF_HOST_MEMORY, which every function may return.
pub fn fence<T>(name: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    fenced(name, || {
        let began = watch::begin_call();
        let result = body();
        if let Some(began) = began {
            watch::call(name, began, result.as_ref().err().copied().unwrap_or(CL_SUCCESS));
        }
        result
    })
    .unwrap_or(Err(CL_OUT_OF_HOST_MEMORY))
}

/// What a function returns that answers with an error code.
pub fn status(result: Result<()>) -> cl_int {
    result.err().unwrap_or(CL_SUCCESS)
}

/// What a function returns that answers with a pointer, and an error code through `errcode_ret`.
pub fn object<T>(result: Result<*mut T>, errcode_ret: *mut cl_int) -> *mut T {
    if !errcode_ret.is_null() {
        let code = result.as_ref().err().copied().unwrap_or(CL_SUCCESS);
        // SAFETY: not NULL, hence valid, as the function's specification demands.
        unsafe { errcode_ret.write(code) };
    }
    result.unwrap_or(core::ptr::null_mut())
}

/// What a function returns after a panic that cannot return an error code.
pub trait Nothing {
    /// The value that means failure.
    const NOTHING: Self;
}

impl<T> Nothing for *mut T {
    const NOTHING: Self = core::ptr::null_mut();
}

impl Nothing for () {
    const NOTHING: Self = ();
}
