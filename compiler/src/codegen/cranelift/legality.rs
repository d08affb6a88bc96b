//! What this back end says of its operations.

use super::super::{Legality, Operation};
use super::target::{Effort, host};
use crate::ir::{BinaryOp, Elem, Type, UnaryOp};

/// How an operation is done on a type.
pub fn legal(operation: Operation, ty: Type) -> Legality {
    let vector = ty.is_vector();
    let half = matches!(ty.elem, Elem::F16 | Elem::BF16);
    match operation {
        Operation::Unary(UnaryOp::Clz | UnaryOp::Ctz) if vector => Legality::Scalarized,
        Operation::Unary(_) | Operation::Contiguous => Legality::Native,
        Operation::Scattered => Legality::Scalarized,
        Operation::Fma => match host(Effort::Full) {
            Ok(target) if target.fma && ty.elem != Elem::BF16 && (vector || !half) => Legality::Native,
            _ => Legality::Library,
        },
        Operation::Binary(BinaryOp::FRem) => Legality::Library,
        Operation::Binary(op) if vector && ty.elem == Elem::I64 => match op {
            BinaryOp::UMulHi | BinaryOp::SMulHi | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::RotL | BinaryOp::RotR => {
                Legality::Scalarized
            }
            _ if op.is_int_division() => Legality::Scalarized,
            _ => Legality::Native,
        },
        Operation::Binary(_) => Legality::Native,
    }
}
