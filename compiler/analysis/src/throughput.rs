//! Cycles that instructions keep the machine busy where none waits for another, by the machine's costs.

use crate::latency::is_scattered;
use crate::uniformity::{Shape, Uniformity};
use ir::{BinaryOp, Function, Inst, InstData, Type, UnaryOp, Value, eval};
use target::costs::short_lanes::{BYTE_PRODUCT, BYTE_SHIFT, Saved};
use target::{Costs, Machine};

/// An instruction on vectors; its result, or what it stores, is of this type. Not for accesses that are gathers.
pub fn vector_cycles(data: &InstData, ty: Type, machine: &Machine) -> f32 {
    let costs = &machine.costs;
    let each = match data {
        data if is_float_division(data) => costs.vector_float_division,
        data if is_integer_division(data) => costs.vector_integer_division,
        InstData::Binary {
            op: BinaryOp::RotL | BinaryOp::RotR,
            ..
        } => costs.vector_rotation,
        InstData::Binary { op: BinaryOp::Mul, .. } if ty.elem.bits() == 64 => costs.vector_long_multiplication,
        InstData::Binary { op: BinaryOp::Mul, .. } if ty.elem.bits() == 32 => costs.vector_multiplication,
        InstData::Binary { op: BinaryOp::Mul, .. } if ty.elem.bits() == 8 => BYTE_PRODUCT as f32 * costs.integer_vector,
        InstData::Binary {
            op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr,
            ..
        } if ty.elem.bits() == 8 => BYTE_SHIFT as f32 * costs.integer_vector,
        InstData::Binary { op, .. } if !op.is_float() => costs.integer_vector,
        _ => costs.vector,
    };
    each * ty.bytes().div_ceil(machine.registers.bytes).max(1) as f32
}

/// An instruction of a gang's function. What is done once for all lanes is done meanwhile.
pub fn gang_cycles(func: &Function, inst: Inst, machine: &Machine) -> f32 {
    let node = func.inst(inst);
    let stored = match node.data {
        InstData::Store { value, .. } => Some(value),
        _ => None,
    };
    let value = node.results.first().copied().or(stored);
    let ty = match value.map(|value| func.ty(value)) {
        Some(ty) if ty.is_vector() && !matches!(node.data, InstData::Const { .. }) => ty,
        _ => return 0.0,
    };
    match is_scattered(func, &node.data) {
        true if has_known_places(func, &node.data) => machine.costs.gather_apart(ty.elem.bytes(), ty.lanes.into()),
        true => machine.costs.gather(ty.elem.bytes(), ty.lanes.into()),
        false => vector_cycles(&node.data, ty, machine),
    }
}

/// A load or store whose lanes are known distances behind one address.
fn has_known_places(func: &Function, data: &InstData) -> bool {
    let (InstData::Load { address, .. } | InstData::Store { address, .. }) = data else {
        return false;
    };
    let is_known = |value: Value| eval::constant_lanes(func, value).is_some();
    !func.ty(address.base).is_vector() && address.index.is_some_and(is_known)
}

/// An instruction of a work-item's function in a gang of so many lanes: by what it makes, or what it is made of where that is longer. Lanes that become longer or shorter
/// come from several registers, or go to them.
pub fn lanes_cycles(func: &Function, uniformity: &Uniformity, inst: Inst, lanes: u32, machine: &Machine) -> f32 {
    let node = func.inst(inst);
    let of_lanes = |value: Value| func.ty(value).with_lanes(lanes as u16);
    let registers = |value: Value| of_lanes(value).bytes().div_ceil(machine.registers.bytes).max(1);
    let value = match node.data {
        InstData::Const { .. } => return 0.0,
        InstData::Store { value, .. } => value,
        InstData::IntCompare { args, .. } | InstData::FloatCompare { args, .. } => args[0],
        _ => match node.results.first() {
            Some(&result) => result,
            None => return 0.0,
        },
    };
    if uniformity.shape(node.results.first().copied().unwrap_or(value)) != Shape::Varying {
        return 0.0;
    }
    match node.data {
        InstData::Convert { arg, .. } if func.ty(arg).elem.bits() != func.ty(value).elem.bits() => {
            let of_short = |registers: u32| Saved::new(8, registers);
            let (from, to) = (registers(arg), registers(value));
            let instructions = if from > to { of_short(from).cut() } else { of_short(to).source() };
            instructions as f32 * machine.costs.vector
        }
        _ => vector_cycles(&node.data, of_lanes(value), machine),
    }
}

/// An instruction on scalars.
pub fn scalar_cycles(data: &InstData, costs: &Costs) -> f32 {
    match data {
        data if is_float_division(data) => costs.scalar_float_division,
        data if is_integer_division(data) => costs.scalar_integer_division,
        _ => costs.scalar,
    }
}

/// It is a quotient, a remainder or a root of floating-point numbers, for which machines have one unit.
fn is_float_division(data: &InstData) -> bool {
    match data {
        InstData::Binary { op, .. } => matches!(op, BinaryOp::FDiv | BinaryOp::FRem),
        InstData::Unary { op, .. } => *op == UnaryOp::Sqrt,
        _ => false,
    }
}

/// It is a quotient or a remainder of integers.
pub fn is_integer_division(data: &InstData) -> bool {
    matches!(data, InstData::Binary { op, .. } if op.is_int_division())
}
