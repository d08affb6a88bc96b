//! Which instruction an operation is, by the type or the width of its lanes.

use super::encode::{Op, Size};
use super::ops;
use ir::{BinaryOp, Elem, Rounding, Type};

/// The one of four operations for the width of lanes.
pub fn of_width(bytes: u32, [b, w, d, q]: [&'static Op; 4]) -> &'static Op {
    match bytes {
        1 => b,
        2 => w,
        4 => d,
        _ => q,
    }
}

/// The size of operations on an integer type: there are none on 8 and 16 bits.
pub fn int_size(elem: Elem) -> Size {
    if elem.bytes() == 8 { Size::Q } else { Size::D }
}

/// Comparison predicates of VCMPPS.
pub mod predicate {
    /// Equal, ordered.
    pub const EQ: u8 = 0;
    /// Less, ordered.
    pub const LT: u8 = 0x11;
    /// Unordered.
    pub const UNORD: u8 = 3;
    /// Ordered.
    pub const ORD: u8 = 7;
    /// Greater, ordered.
    pub const GT: u8 = 0x1e;
}

/// The instruction for a binary operation, if there is one. (Those of halves are not on all machines.)
pub fn binary_form(op: BinaryOp, ty: Type) -> Option<&'static Op> {
    use BinaryOp::*;
    let (half, others) = match op {
        FAdd => (&ops::VADDPH, [&ops::VADDPS, &ops::VADDPD, &ops::VADDSS, &ops::VADDSD]),
        FSub => (&ops::VSUBPH, [&ops::VSUBPS, &ops::VSUBPD, &ops::VSUBSS, &ops::VSUBSD]),
        FMul => (&ops::VMULPH, [&ops::VMULPS, &ops::VMULPD, &ops::VMULSS, &ops::VMULSD]),
        FDiv => (&ops::VDIVPH, [&ops::VDIVPS, &ops::VDIVPD, &ops::VDIVSS, &ops::VDIVSD]),
        FMin | FMinNum => (&ops::VMINPH, [&ops::VMINPS, &ops::VMINPD, &ops::VMINSS, &ops::VMINSD]),
        FMax | FMaxNum => (&ops::VMAXPH, [&ops::VMAXPS, &ops::VMAXPD, &ops::VMAXSS, &ops::VMAXSD]),
        _ => return None,
    };
    Some(if ty.elem == Elem::F16 { half } else { of_type(ty, others) })
}

/// The one of four operations for a type.
pub fn of_type(ty: Type, [ps, pd, ss, sd]: [&'static Op; 4]) -> &'static Op {
    match (ty.is_vector(), ty.elem) {
        (true, Elem::F64) => pd,
        (true, _) => ps,
        (false, Elem::F64) => sd,
        (false, _) => ss,
    }
}

/// The comparison for a type.
pub fn compare_op(ty: Type) -> &'static Op {
    of_type(ty, [&ops::VCMPPS, &ops::VCMPPD, &ops::VCMPSS, &ops::VCMPSD])
}

/// The immediate of VROUNDPS for a rounding.
pub fn rounding_mode(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Nearest => 8,
        Rounding::Down => 9,
        Rounding::Up => 10,
        Rounding::Zero => 11,
    }
}

/// Tests whether lanes have common bits.
pub const TEST: [&Op; 4] = [&ops::VPTESTMB, &ops::VPTESTMW, &ops::VPTESTMD, &ops::VPTESTMQ];
/// Tests whether lanes have no common bits.
pub const TEST_NONE: [&Op; 4] = [&ops::VPTESTNMB, &ops::VPTESTNMW, &ops::VPTESTNMD, &ops::VPTESTNMQ];

/// Comparisons of signed integers, of each width.
pub const SIGNED: [&Op; 4] = [&ops::VPCMPB, &ops::VPCMPW, &ops::VPCMPD, &ops::VPCMPQ];
/// Comparisons of unsigned integers.
pub const UNSIGNED: [&Op; 4] = [&ops::VPCMPUB, &ops::VPCMPUW, &ops::VPCMPUD, &ops::VPCMPUQ];

/// The comparison of floats whose result is a mask.
pub fn mask_compare_op(ty: Type) -> &'static Op {
    match ty.elem {
        Elem::F16 => &ops::VCMPPH_K,
        _ => of_type(ty, [&ops::VCMPPS_K, &ops::VCMPPD_K, &ops::VCMPSS_K, &ops::VCMPSD_K]),
    }
}
