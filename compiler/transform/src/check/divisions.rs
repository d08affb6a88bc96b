//! Integer divisions have results: the divisor is not 0, and the quotient fits.

use super::{Guard, Guarded};
use ir::*;

/// The guard of an integer division, unless its divisor is a constant that divides everything.
pub fn guard(func: &mut Function, at: Block, op: BinaryOp, [dividend, divisor]: [Value; 2]) -> Option<Guard> {
    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
    if func
        .signed_constant(divisor)
        .is_some_and(|divisor| divisor != 0 && !(signed && divisor == -1))
    {
        return None;
    }
    let mut b = Builder::new(func, at);
    let mut ok = b.icmp_imm(IntCc::Ne, divisor, 0);
    if signed {
        let least = 1_u64 << (b.ty(dividend).elem.bits() - 1);
        let least = b.icmp_imm(IntCc::Ne, dividend, least as i64);
        let divides = b.icmp_imm(IntCc::Ne, divisor, -1);
        let fits = b.or(least, divides);
        ok = b.and(ok, fits);
    }
    let of = Guarded::Division { dividend, divisor };
    Some(Guard { ok, of })
}
