//! What entry points answer with, and the fence around each.

use crate::ze::*;
use ::device::fence::fenced;
use compiler::debug;

/// What an entry point does, or the code that says why not.
pub type Result<T> = core::result::Result<T, ze_result_t>;

/// An error if a condition holds.
pub fn fail_if(condition: bool, code: ze_result_t) -> Result<()> {
    if condition { Err(code) } else { Ok(()) }
}

/// Runs an entry point; a panic becomes ZE_RESULT_ERROR_UNKNOWN.
pub fn answer(name: &str, body: impl FnOnce() -> Result<()>) -> ze_result_t {
    let began = debug::wants("api").then(::device::clock::now);
    let code = fenced(name, || body().err().unwrap_or(ZE_RESULT_SUCCESS)).unwrap_or(ZE_RESULT_ERROR_UNKNOWN);
    if let Some(began) = began {
        debug::say("api", began, ::device::clock::now(), format_args!("{name}: {code:#x}"));
    }
    code
}

/// Defines entry points, whose bodies give a [`Result`].
macro_rules! entry {
    ($($(#[$doc:meta])* pub fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the function's specification says.
            pub unsafe extern "C" fn $name($($parameter: $type),*) -> crate::ze::ze_result_t {
                crate::error::answer(stringify!($name), move || $body)
            }
        )*
    };
}
pub(crate) use entry;
