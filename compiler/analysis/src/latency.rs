//! Latencies of instructions, in cycles.

use ir::{BinaryOp, ConvertOp, Function, InstData, UnaryOp};

/// Each lane accesses memory at a place of its own.
pub fn is_scattered(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Load { address, .. } | InstData::Store { address, .. } => {
            func.ty(address.base).is_vector() || address.index.is_some_and(|index| func.ty(index).is_vector())
        }
        _ => false,
    }
}

/// Cycles until the result of an instruction is there, where lanes have places of their own: these go through memory to be used, and what is
/// loaded is put together again.
pub fn latency_of(func: &Function, data: &InstData) -> u32 {
    let scattered = if is_scattered(func, data) { 30 } else { 0 };
    scattered + latency(data)
}

/// Cycles until the result of an instruction is there, about.
pub fn latency(data: &InstData) -> u32 {
    match data {
        InstData::Const { .. } => 0,
        InstData::Fma { .. } | InstData::Dot { .. } => 4,
        InstData::Binary { op, .. } => match op {
            BinaryOp::FDiv | BinaryOp::FRem => 12,
            op if op.is_int_division() => 20,
            op if op.is_float() => 4,
            _ => 1,
        },
        InstData::Unary { op: UnaryOp::Sqrt, .. } => 16,
        InstData::Unary {
            op: UnaryOp::Nearest | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::FTrunc,
            ..
        } => 4,
        InstData::Load { .. } | InstData::LoadInterleaved { .. } => 6,
        InstData::FloatCompare { .. } | InstData::Lane { .. } => 3,
        InstData::Convert {
            op: ConvertOp::FPromote | ConvertOp::FDemote,
            ..
        } => 7,
        _ => 1,
    }
}
