//! Relational functions (6.15.6).

use super::std_row;
use crate::builtins::row::{ALL, Emit, FLOATS, INTEGERS, NUMBERS, Row, SIGNED};
use rspirv::spirv::{Op, OpenclStd100Op as StdOp};

const fn two(name: &'static str, op: Op) -> Row {
    Row::of(name, "relgentype(gentype, gentype)", FLOATS, ALL, "", Emit::Relational(op))
}

const fn one(name: &'static str, op: Op) -> Row {
    Row::of(name, "relgentype(gentype)", FLOATS, ALL, "", Emit::Relational(op))
}

pub static ROWS: &[Row] = &[
    two("isequal", Op::FOrdEqual),
    two("isnotequal", Op::FUnordNotEqual),
    two("isgreater", Op::FOrdGreaterThan),
    two("isgreaterequal", Op::FOrdGreaterThanEqual),
    two("isless", Op::FOrdLessThan),
    two("islessequal", Op::FOrdLessThanEqual),
    two("islessgreater", Op::LessOrGreater),
    two("isordered", Op::Ordered),
    two("isunordered", Op::Unordered),
    one("isfinite", Op::IsFinite),
    one("isinf", Op::IsInf),
    one("isnan", Op::IsNan),
    one("isnormal", Op::IsNormal),
    one("signbit", Op::SignBitSet),
    Row::of("any", "int(gentype)", SIGNED, ALL, "", Emit::AnyAll(Op::Any)),
    Row::of("all", "int(gentype)", SIGNED, ALL, "", Emit::AnyAll(Op::All)),
    std_row!("gentype(gentype, gentype, gentype)", NUMBERS, ALL; bitselect),
    Row::of(
        "select",
        "gentype(gentype, gentype, igentype)",
        INTEGERS,
        ALL,
        "",
        Emit::Std(StdOp::select),
    ),
    Row::of(
        "select",
        "gentype(gentype, gentype, ugentype)",
        INTEGERS,
        ALL,
        "",
        Emit::Std(StdOp::select),
    ),
    Row::of(
        "select",
        "gentype(gentype, gentype, igentype)",
        FLOATS,
        ALL,
        "",
        Emit::Std(StdOp::select),
    ),
    Row::of(
        "select",
        "gentype(gentype, gentype, ugentype)",
        FLOATS,
        ALL,
        "",
        Emit::Std(StdOp::select),
    ),
];
