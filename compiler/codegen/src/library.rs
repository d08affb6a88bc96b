//! Functions that generated code calls by itself: the meaning of operations that have no short form in machine code ([`ir::eval`]).

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__m128i;
use core::ffi::c_void;
use ir::eval;
use ir::{ConvertOp, Elem, Rounding};

/// C's mathematics library, which the standard library links.
mod libm {
    unsafe extern "C" {
        pub safe fn fmaf(x: f32, y: f32, z: f32) -> f32;
        pub safe fn fma(x: f64, y: f64, z: f64) -> f64;
    }
}

/// An operation on one lane, done by [`eval`]: what to call, and the first argument of the call.
///
/// The other arguments are the bits of the operands, as `i64`; so is the result.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// Address of a function `(code, a[, b[, c]]) -> bits`.
    pub address: u64,
    /// Which operation on which type.
    pub code: u64,
}

const BYTE: u64 = 0xff;

fn elem_code(elem: Elem) -> u64 {
    elem as u64
}

fn elem_of(code: u64) -> Elem {
    Elem::ALL[(code & BYTE) as usize]
}

/// Fused multiply-add.
pub fn fma(elem: Elem) -> Evaluation {
    extern "C" fn evaluate(code: u64, a: u64, b: u64, c: u64) -> u64 {
        eval::fma(elem_of(code), a, b, c)
    }
    Evaluation {
        address: evaluate as *const c_void as u64,
        code: elem_code(elem),
    }
}

/// A conversion.
pub fn convert(op: ConvertOp, from: Elem, to: Elem, rounding: Rounding) -> Evaluation {
    extern "C" fn evaluate(code: u64, a: u64) -> u64 {
        let op = ConvertOp::NAMES[(code >> 24 & BYTE) as usize].0;
        let rounding = Rounding::NAMES[(code >> 16 & BYTE) as usize].0;
        eval::convert(op, elem_of(code), elem_of(code >> 8), rounding, a)
    }
    Evaluation {
        address: evaluate as *const c_void as u64,
        code: elem_code(from) | elem_code(to) << 8 | (rounding as u64) << 16 | (op as u64) << 24,
    }
}

/// What Cranelift calls by itself where the machine lacks an instruction.
pub fn machine_library(name: cranelift_codegen::ir::LibCall) -> Option<u64> {
    use cranelift_codegen::ir::LibCall;
    macro_rules! rounding {
        ($float:ident, $method:ident) => {{
            extern "C" fn round(x: $float) -> $float {
                x.$method()
            }
            round as *const c_void
        }};
    }
    let address = match name {
        LibCall::CeilF32 => rounding!(f32, ceil),
        LibCall::CeilF64 => rounding!(f64, ceil),
        LibCall::FloorF32 => rounding!(f32, floor),
        LibCall::FloorF64 => rounding!(f64, floor),
        LibCall::TruncF32 => rounding!(f32, trunc),
        LibCall::TruncF64 => rounding!(f64, trunc),
        LibCall::NearestF32 => rounding!(f32, round_ties_even),
        LibCall::NearestF64 => rounding!(f64, round_ties_even),
        LibCall::FmaF32 => libm::fmaf as *const c_void,
        LibCall::FmaF64 => libm::fma as *const c_void,
        #[cfg(target_arch = "x86_64")]
        LibCall::X86Pshufb => shuffle_bytes as *const c_void,
        LibCall::Memcpy => libc::memcpy as *const c_void,
        LibCall::Memmove => libc::memmove as *const c_void,
        LibCall::Memset => libc::memset as *const c_void,
        LibCall::Memcmp => libc::memcmp as *const c_void,
        _ => return None,
    };
    Some(address as u64)
}

/// `pshufb`, for machines without SSSE3: byte `i` is the one whose number is in the low bits of `control[i]`, or 0 where its high bit is on.
#[cfg(target_arch = "x86_64")]
#[expect(
    improper_ctypes_definitions,
    reason = "the x86-64 ABI says how this type is passed: in a vector register"
)]
extern "C" fn shuffle_bytes(a: __m128i, control: __m128i) -> __m128i {
    // SAFETY: both types are 16 bytes of any value.
    let bytes = |vector| unsafe { core::mem::transmute::<__m128i, [u8; 16]>(vector) };
    let (a, control) = (bytes(a), bytes(control));
    let shuffled = control.map(|byte| if byte & 0x80 != 0 { 0 } else { a[usize::from(byte & 15)] });
    // SAFETY: as above.
    unsafe { core::mem::transmute::<[u8; 16], __m128i>(shuffled) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_their_operations() {
        for (index, (op, name)) in ConvertOp::NAMES.iter().enumerate() {
            assert_eq!(*op as usize, index, "{name}");
        }
        for (index, (rounding, name)) in Rounding::NAMES.iter().enumerate() {
            assert_eq!(*rounding as usize, index, "{name}");
        }
        for (index, elem) in Elem::ALL.iter().enumerate() {
            assert_eq!(*elem as usize, index);
        }
    }
}
