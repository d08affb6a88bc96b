//! Vector loads and stores (6.15.7), and shuffles (6.15.13).

use crate::builtins::row::{Emit, NONE, NUMBERS, ONE, Rounding, Row};
use crate::types::Scalar;
use rspirv::spirv::OpenclStd100Op as StdOp;

/// What is stored as halves.
const STORED: &[Scalar] = &[Scalar::Float, Scalar::Double];

const fn load(name: &'static str, signature: &'static str, op: StdOp) -> Row {
    Row::of(name, signature, NONE, ONE, "", Emit::VectorLoad(op))
}

/// Stores of halves: one value, vectors, and aligned vectors.
const fn store(name: &'static str, signature: &'static str, bases: &'static [Scalar], ops: (StdOp, StdOp), mode: Option<Rounding>) -> Row {
    Row::of(name, signature, bases, ONE, "", Emit::HalfStore(ops.0, ops.1, mode))
}

const SCALAR: (StdOp, StdOp) = (StdOp::vstore_half, StdOp::vstore_half_r);
const VECTOR: (StdOp, StdOp) = (StdOp::vstore_halfn, StdOp::vstore_halfn_r);
const ALIGNED: (StdOp, StdOp) = (StdOp::vstorea_halfn, StdOp::vstorea_halfn_r);

pub static ROWS: &[Row] = &[
    Row::of(
        "vload#",
        "vgentype(size_t, anyc const sgentype*)",
        NUMBERS,
        ONE,
        "",
        Emit::VectorLoad(StdOp::vloadn),
    ),
    Row::of(
        "vstore#",
        "void(vgentype, size_t, any sgentype*)",
        NUMBERS,
        ONE,
        "",
        Emit::VectorStore,
    ),
    load("vload_half", "float(size_t, anyc const half*)", StdOp::vload_half),
    load("vload_half#", "float#(size_t, anyc const half*)", StdOp::vload_halfn),
    load("vloada_half#", "float#(size_t, anyc const half*)", StdOp::vloada_halfn),
    store("vstore_half", "void(sgentype, size_t, any half*)", STORED, SCALAR, None),
    store(
        "vstore_half_rte",
        "void(sgentype, size_t, any half*)",
        STORED,
        SCALAR,
        Some(Rounding::Rte),
    ),
    store(
        "vstore_half_rtz",
        "void(sgentype, size_t, any half*)",
        STORED,
        SCALAR,
        Some(Rounding::Rtz),
    ),
    store(
        "vstore_half_rtp",
        "void(sgentype, size_t, any half*)",
        STORED,
        SCALAR,
        Some(Rounding::Rtp),
    ),
    store(
        "vstore_half_rtn",
        "void(sgentype, size_t, any half*)",
        STORED,
        SCALAR,
        Some(Rounding::Rtn),
    ),
    store("vstore_half#", "void(vgentype, size_t, any half*)", STORED, VECTOR, None),
    store(
        "vstore_half#_rte",
        "void(vgentype, size_t, any half*)",
        STORED,
        VECTOR,
        Some(Rounding::Rte),
    ),
    store(
        "vstore_half#_rtz",
        "void(vgentype, size_t, any half*)",
        STORED,
        VECTOR,
        Some(Rounding::Rtz),
    ),
    store(
        "vstore_half#_rtp",
        "void(vgentype, size_t, any half*)",
        STORED,
        VECTOR,
        Some(Rounding::Rtp),
    ),
    store(
        "vstore_half#_rtn",
        "void(vgentype, size_t, any half*)",
        STORED,
        VECTOR,
        Some(Rounding::Rtn),
    ),
    store("vstorea_half#", "void(vgentype, size_t, any half*)", STORED, ALIGNED, None),
    store(
        "vstorea_half#_rte",
        "void(vgentype, size_t, any half*)",
        STORED,
        ALIGNED,
        Some(Rounding::Rte),
    ),
    store(
        "vstorea_half#_rtz",
        "void(vgentype, size_t, any half*)",
        STORED,
        ALIGNED,
        Some(Rounding::Rtz),
    ),
    store(
        "vstorea_half#_rtp",
        "void(vgentype, size_t, any half*)",
        STORED,
        ALIGNED,
        Some(Rounding::Rtp),
    ),
    store(
        "vstorea_half#_rtn",
        "void(vgentype, size_t, any half*)",
        STORED,
        ALIGNED,
        Some(Rounding::Rtn),
    ),
];

const fn shuffle(name: &'static str, signature: &'static str, op: StdOp) -> Row {
    Row::of(name, signature, NUMBERS, SHUFFLED, "", Emit::Std(op))
}

const SHUFFLED: &[u8] = &[2, 4, 8, 16];

/// `shuffle` and `shuffle2`, for each number of lanes of what is shuffled.
pub static SHUFFLES: &[Row] = &[
    shuffle("shuffle", "gentype(vgentype2, ugentype)", StdOp::shuffle),
    shuffle("shuffle2", "gentype(vgentype2, vgentype2, ugentype)", StdOp::shuffle2),
    shuffle("shuffle", "gentype(vgentype4, ugentype)", StdOp::shuffle),
    shuffle("shuffle2", "gentype(vgentype4, vgentype4, ugentype)", StdOp::shuffle2),
    shuffle("shuffle", "gentype(vgentype8, ugentype)", StdOp::shuffle),
    shuffle("shuffle2", "gentype(vgentype8, vgentype8, ugentype)", StdOp::shuffle2),
    shuffle("shuffle", "gentype(vgentype16, ugentype)", StdOp::shuffle),
    shuffle("shuffle2", "gentype(vgentype16, vgentype16, ugentype)", StdOp::shuffle2),
];
