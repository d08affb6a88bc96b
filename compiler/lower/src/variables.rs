//! Variables that debuggers show. Without optimization, they stay in memory.

use super::function::Lowering;
use ir::*;
use rustc_hash::FxHashSet;
use spirv::{FloatEncoding, Id, Module, Type as SpirvType};

/// So deep, types are told.
pub(super) const DEPTH: u32 = 8;

/// So deep behind pointers.
const BEHIND: u32 = 3;

/// More members of a struct, or elements of something that has them, are told as bytes.
const MOST_MEMBERS: usize = 256;

impl Lowering<'_, '_> {
    /// The function, lowered. With `-cl-opt-disable` its variables stay in memory, if lines are known: somebody debugs it.
    pub(super) fn finish(mut self) -> Function {
        let options = &self.program.options;
        if options.optimizations_disabled && options.checks.is_empty() {
            match self
                .func
                .origins
                .as_ref()
                .is_some_and(|origins| origins.places.values().any(|place| place.is_known()))
            {
                true => keep(&mut self.func),
                false => self.func.origins = None,
            }
        }
        self.func
    }
}

/// Has loads and stores of variables done as they are written.
fn keep(func: &mut Function) {
    let Some(origins) = &func.origins else { return };
    let named = |slot: Slot| origins.variables[slot].as_ref().is_some_and(|variable| !variable.name.is_empty());
    let mut pointers: FxHashSet<Value> = FxHashSet::default();
    let mut accesses = Vec::new();
    // Addresses are computed before they are used, in the order of the source's blocks.
    for &inst in func.layout.iter().flat_map(|&block| &func.block(block).insts) {
        match func.inst(inst).data {
            InstData::SlotAddress { slot } if named(slot) => drop(pointers.insert(func.result(inst))),
            InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            } if pointers.contains(&a) || pointers.contains(&b) => drop(pointers.insert(func.result(inst))),
            InstData::Load { address, .. } | InstData::Store { address, .. } if pointers.contains(&address.base) => accesses.push(inst),
            _ => {}
        }
    }
    for inst in accesses {
        if let InstData::Load { mem, .. } | InstData::Store { mem, .. } = &mut func.inst_mut(inst).data {
            mem.flags |= MemFlags::VOLATILE;
        }
    }
}

/// What a type is to those who look at variables.
pub(super) fn variable_type(module: &Module, id: Id, depth: u32) -> VariableType {
    let unknown = || VariableType::Bytes(module.layout(id).map_or(0, |layout| layout.size));
    if depth == 0 {
        return unknown();
    }
    let inner = |id: Id| Box::new(variable_type(module, id, depth - 1));
    match module.ty(id) {
        SpirvType::Bool => VariableType::Scalar("bool"),
        SpirvType::Int { width: 8 } => VariableType::Scalar("char"),
        SpirvType::Int { width: 16 } => VariableType::Scalar("short"),
        SpirvType::Int { width: 32 } => VariableType::Scalar("int"),
        SpirvType::Int { width: 64 } => VariableType::Scalar("long"),
        SpirvType::Float {
            width,
            encoding: FloatEncoding::Ieee754,
        } => VariableType::Scalar(match width {
            16 => "half",
            32 => "float",
            _ => "double",
        }),
        &SpirvType::Vector { component, count } => VariableType::Vector(inner(component), count.into()),
        &SpirvType::Array { element, length } => VariableType::Array(inner(element), length),
        // Structs can lead to themselves.
        &SpirvType::Pointer { pointee, .. } => {
            let known = module.ty(pointee) != &SpirvType::Void;
            VariableType::Pointer(known.then(|| Box::new(variable_type(module, pointee, (depth - 1).min(BEHIND)))))
        }
        SpirvType::Struct(layout) if layout.members.len() <= MOST_MEMBERS => {
            let members = layout
                .members
                .iter()
                .zip(&layout.offsets)
                .enumerate()
                .map(|(number, (&member, &offset))| {
                    let name = module.member_name(id, number as u32).unwrap_or_else(|| format!("member{number}"));
                    (name.into(), offset, *inner(member))
                });
            let bytes = module.layout(id).map_or(0, |layout| layout.size);
            let name = module.name(id).unwrap_or_default();
            let tag = name.strip_prefix("struct.").or(name.strip_prefix("union.")).unwrap_or(&name);
            VariableType::Struct(tag.into(), bytes, members.collect())
        }
        _ => unknown(),
    }
}
