//! What an entry point that fails returns.

use crate::cl::cl_int;

/// The error is one of the specification's codes.
pub type Result<T> = core::result::Result<T, cl_int>;

/// One error condition of an entry point: the code, where the condition holds.
pub fn fail_if(condition: bool, code: cl_int) -> Result<()> {
    if condition { Err(code) } else { Ok(()) }
}
