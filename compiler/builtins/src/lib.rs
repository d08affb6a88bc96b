//! OpenCL.std as IR: each function is written once, for one work-item's scalar, and goes through the same passes as the kernels do.
//!
//! [`lower`] writes a function's code, or a call of it, where a kernel uses it. What is small is written in place; what is large becomes a
//! function of the module ([`Library`]), which the inliner and the gang former treat like any other. Vectors, pointers and memory are the
//! business of `lower/`.

mod basic;
mod common;
mod expression;
mod floats;
mod integer;
mod library;
mod math;
mod parts;
pub mod powers;

pub use common::with_flags;
pub use floats::rounded;
pub use library::{Library, LibraryCache, Precision};
pub use math::rsqrt;

use ir::{Builder, Value, ValueList};
pub use rspirv::spirv::OpenclStd100Op as StdOp;

/// Writes an OpenCL.std function of scalars. Functions with several results (`fract`, `modf`, `frexp`, `sincos`, `remquo`, `lgamma_r`) give all
/// of them, the function's value first. None where the function is not one of scalars, or takes no operands of this type.
pub fn lower(b: &mut Builder, library: &mut Library, op: StdOp, args: &[Value]) -> Option<ValueList> {
    let ty = b.ty(*args.first()?);
    if let Some(results) = floats::lower(b, library, op, args) {
        return Some(results);
    }
    if op == StdOp::lgamma_r {
        let mut results = floats::lower(b, library, StdOp::lgamma, args)?;
        results.push(math::gamma_sign(b, args[0]));
        return Some(results);
    }
    if let Some(two) = parts::with_second_result(b, op, args) {
        return Some(ValueList::from_slice(&two));
    }
    let result = if ty.elem.is_int() {
        integer::lower(b, library.precision, op, args).or_else(|| basic::of_integers(b, op, args))
    } else {
        common::lower(b, op, args)
            .or_else(|| basic::lower(b, op, args))
            .or_else(|| parts::lower(b, op, args))
    };
    result.map(|value| ValueList::from_slice(&[value]))
}
