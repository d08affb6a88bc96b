//! Integer functions (6.15.3) and those of cl_khr_extended_bit_ops and cl_khr_integer_dot_product.

use super::std_row;
use crate::builtins::row::{ALL, Emit, FLOATS, INTEGERS, Row, SIGNED, UNSIGNED, VECTORS, WORDS};
use crate::types::Scalar;
use rspirv::spirv::{Op, OpenclStd100Op as StdOp};

const fn signed(name: &'static str, signature: &'static str, s: StdOp, u: StdOp) -> Row {
    Row::of(name, signature, INTEGERS, ALL, "", Emit::Signed(s, u))
}

const fn upsample(result: &'static str, bases: &'static [Scalar]) -> Row {
    Row::of("upsample", result, bases, ALL, "", Emit::Upsample)
}

const fn number(
    name: &'static str,
    signature: &'static str,
    bases: &'static [Scalar],
    lanes: &'static [u8],
    ops: (StdOp, StdOp, StdOp),
) -> Row {
    Row::of(name, signature, bases, lanes, "", Emit::Number(ops.0, ops.1, ops.2))
}

const MIN: (StdOp, StdOp, StdOp) = (StdOp::s_min, StdOp::u_min, StdOp::fmin_common);
const MAX: (StdOp, StdOp, StdOp) = (StdOp::s_max, StdOp::u_max, StdOp::fmax_common);
const CLAMP: (StdOp, StdOp, StdOp) = (StdOp::s_clamp, StdOp::u_clamp, StdOp::fclamp);
const NARROW_SIGNED: &[Scalar] = &[Scalar::Int, Scalar::Short, Scalar::Char];
const NARROW_UNSIGNED: &[Scalar] = &[Scalar::UInt, Scalar::UShort, Scalar::UChar];

pub static ROWS: &[Row] = &[
    signed("abs", "ugentype(gentype)", StdOp::s_abs, StdOp::u_abs),
    signed("abs_diff", "ugentype(gentype, gentype)", StdOp::s_abs_diff, StdOp::u_abs_diff),
    signed("add_sat", "gentype(gentype, gentype)", StdOp::s_add_sat, StdOp::u_add_sat),
    signed("hadd", "gentype(gentype, gentype)", StdOp::s_hadd, StdOp::u_hadd),
    signed("rhadd", "gentype(gentype, gentype)", StdOp::s_rhadd, StdOp::u_rhadd),
    signed("mad_hi", "gentype(gentype, gentype, gentype)", StdOp::s_mad_hi, StdOp::u_mad_hi),
    signed("mad_sat", "gentype(gentype, gentype, gentype)", StdOp::s_mad_sat, StdOp::u_mad_sat),
    signed("mul_hi", "gentype(gentype, gentype)", StdOp::s_mul_hi, StdOp::u_mul_hi),
    signed("sub_sat", "gentype(gentype, gentype)", StdOp::s_sub_sat, StdOp::u_sub_sat),
    std_row!("gentype(gentype)", INTEGERS, ALL; clz),
    std_row!("gentype(gentype)", INTEGERS, ALL; ctz),
    std_row!("gentype(gentype)", INTEGERS, ALL; popcount),
    std_row!("gentype(gentype, gentype)", INTEGERS, ALL; rotate),
    upsample("widegentype(gentype, ugentype)", NARROW_SIGNED),
    upsample("widegentype(gentype, gentype)", NARROW_UNSIGNED),
    Row::of(
        "mad24",
        "gentype(gentype, gentype, gentype)",
        WORDS,
        ALL,
        "",
        Emit::Signed(StdOp::s_mad24, StdOp::u_mad24),
    ),
    Row::of(
        "mul24",
        "gentype(gentype, gentype)",
        WORDS,
        ALL,
        "",
        Emit::Signed(StdOp::s_mul24, StdOp::u_mul24),
    ),
    number("min", "gentype(gentype, gentype)", INTEGERS, ALL, MIN),
    number("min", "gentype(gentype, sgentype)", INTEGERS, VECTORS, MIN),
    number("max", "gentype(gentype, gentype)", INTEGERS, ALL, MAX),
    number("max", "gentype(gentype, sgentype)", INTEGERS, VECTORS, MAX),
    number("clamp", "gentype(gentype, gentype, gentype)", INTEGERS, ALL, CLAMP),
    number("clamp", "gentype(gentype, sgentype, sgentype)", INTEGERS, VECTORS, CLAMP),
    // 6.15.4: the same of floats.
    number("min", "gentype(gentype, gentype)", FLOATS, ALL, MIN),
    number("min", "gentype(gentype, sgentype)", FLOATS, VECTORS, MIN),
    number("max", "gentype(gentype, gentype)", FLOATS, ALL, MAX),
    number("max", "gentype(gentype, sgentype)", FLOATS, VECTORS, MAX),
    number("clamp", "gentype(gentype, gentype, gentype)", FLOATS, ALL, CLAMP),
    number("clamp", "gentype(gentype, sgentype, sgentype)", FLOATS, VECTORS, CLAMP),
];

const BIT_OPS: &str = "cl_khr_extended_bit_ops";

const fn bits(name: &'static str, signature: &'static str, bases: &'static [Scalar], op: Op) -> Row {
    Row::of(name, signature, bases, ALL, BIT_OPS, Emit::Bits(op))
}

const DOT: &str = "__opencl_c_integer_dot_product_input_4x8bit";
const DOT_PACKED: &str = "__opencl_c_integer_dot_product_input_4x8bit_packed";

const fn dot(name: &'static str, signature: &'static str, op: Op) -> Row {
    Row::new(name, signature, DOT, Emit::IntegerDot { op, packed: false })
}

const fn packed(name: &'static str, signature: &'static str, op: Op) -> Row {
    Row::new(name, signature, DOT_PACKED, Emit::IntegerDot { op, packed: true })
}

pub static EXTENDED: &[Row] = &[
    bits(
        "bitfield_insert",
        "gentype(gentype, gentype, uint, uint)",
        INTEGERS,
        Op::BitFieldInsert,
    ),
    bits(
        "bitfield_extract_signed",
        "gentype(gentype, uint, uint)",
        SIGNED,
        Op::BitFieldSExtract,
    ),
    bits(
        "bitfield_extract_signed",
        "igentype(gentype, uint, uint)",
        UNSIGNED,
        Op::BitFieldSExtract,
    ),
    bits(
        "bitfield_extract_unsigned",
        "ugentype(gentype, uint, uint)",
        SIGNED,
        Op::BitFieldUExtract,
    ),
    bits(
        "bitfield_extract_unsigned",
        "gentype(gentype, uint, uint)",
        UNSIGNED,
        Op::BitFieldUExtract,
    ),
    bits("bit_reverse", "gentype(gentype)", INTEGERS, Op::BitReverse),
    dot("dot", "uint(uchar4, uchar4)", Op::UDotKHR),
    dot("dot", "int(char4, char4)", Op::SDotKHR),
    dot("dot", "int(uchar4, char4)", Op::SUDotKHR),
    dot("dot", "int(char4, uchar4)", Op::SUDotKHR),
    dot("dot_acc_sat", "uint(uchar4, uchar4, uint)", Op::UDotAccSatKHR),
    dot("dot_acc_sat", "int(char4, char4, int)", Op::SDotAccSatKHR),
    dot("dot_acc_sat", "int(uchar4, char4, int)", Op::SUDotAccSatKHR),
    dot("dot_acc_sat", "int(char4, uchar4, int)", Op::SUDotAccSatKHR),
    packed("dot_4x8packed_uu_uint", "uint(uint, uint)", Op::UDotKHR),
    packed("dot_4x8packed_ss_int", "int(uint, uint)", Op::SDotKHR),
    packed("dot_4x8packed_us_int", "int(uint, uint)", Op::SUDotKHR),
    packed("dot_4x8packed_su_int", "int(uint, uint)", Op::SUDotKHR),
    packed("dot_acc_sat_4x8packed_uu_uint", "uint(uint, uint, uint)", Op::UDotAccSatKHR),
    packed("dot_acc_sat_4x8packed_ss_int", "int(uint, uint, int)", Op::SDotAccSatKHR),
    packed("dot_acc_sat_4x8packed_us_int", "int(uint, uint, int)", Op::SUDotAccSatKHR),
    packed("dot_acc_sat_4x8packed_su_int", "int(uint, uint, int)", Op::SUDotAccSatKHR),
];
