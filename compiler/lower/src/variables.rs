//! Variables that debuggers show. Without optimization, they stay in memory.

use super::function::Lowering;
use ir::*;
use rustc_hash::FxHashSet;
use spirv::{FloatEncoding, Id, Module, Type as SpirvType};

/// So deep, types are told.
const DEPTH: u32 = 8;

/// So deep behind pointers.
const BEHIND: u32 = 3;

/// More members of a struct, or elements of something that has them, are told as bytes.
const MOST_MEMBERS: usize = 256;

/// Parts of a variable's type in all, members of members included. What comes after is told as bytes: types can share parts, so that a tree of them grows
/// exponentially with their depth.
const MOST_PARTS: usize = 4096;

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
    for inst in func.insts() {
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
pub(super) fn variable_type(module: &Module, id: Id) -> VariableType {
    let mut left = MOST_PARTS;
    part(module, id, DEPTH, &mut left)
}

/// A type inside of which so deep is told, and so many parts more.
fn part(module: &Module, id: Id, depth: u32, left: &mut usize) -> VariableType {
    let unknown = || VariableType::Bytes(module.layout(id).map_or(0, |layout| layout.size));
    *left = left.saturating_sub(1);
    if depth == 0 || *left == 0 {
        return unknown();
    }
    let budget = *left;
    let mut inner = |id: Id| Box::new(part(module, id, depth - 1, left));
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
            VariableType::Pointer(known.then(|| Box::new(part(module, pointee, (depth - 1).min(BEHIND), left))))
        }
        SpirvType::Struct(layout) if layout.members.len() <= MOST_MEMBERS.min(budget) => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use environment::{Environment, validate};

    fn parts(ty: &VariableType) -> usize {
        1 + match ty {
            VariableType::Vector(inner, _) | VariableType::Array(inner, _) | VariableType::Pointer(Some(inner)) => parts(inner),
            VariableType::Struct(.., members) => members.iter().map(|(.., member)| parts(member)).sum(),
            _ => 0,
        }
    }

    /// Each struct has 200 pointers to the next one: 200 to the power of 3 parts, if all were told.
    #[test]
    fn types_that_share_parts_stay_small() {
        let members = |name: &str| format!(" %{name}").repeat(200);
        let text = format!(
            "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\nOpName %a \"a\"
            %int = OpTypeInt 32 0\n%c = OpTypeStruct{}\n%to_c = OpTypePointer Function %c\n%b = OpTypeStruct{}
            %to_b = OpTypePointer Function %b\n%a = OpTypeStruct{}\n",
            members("int"),
            members("to_c"),
            members("to_b"),
        );
        let binary = spirv::parse(&spirv::assemble(&text).expect("it is assembled")).expect("it is read");
        let (module, _) = validate(binary, &Environment::device(), &[], false).expect("it is valid");
        let a = (1..100).find(|&id| module.name(id).as_deref() == Some("a")).expect("it has a name");
        let count = parts(&variable_type(&module, a));
        assert!((MOST_PARTS / 2..2 * MOST_PARTS).contains(&count), "{count}");
    }
}
