//! Variables whose types are too small for what they hold.
//!
//! LLVM's SPIR-V back end infers what a pointer leads to from its uses. An array of arrays of pointers that is initialized row by row
//!
//! ```text
//! int *table[2][3] = {{&a, &b, &a}, {&b, &a, &b}};
//! ```
//!
//! is accessed as rows first, and becomes a variable of one row. The second row is then behind its end, where other variables are. What the
//! function's own instructions say of the variable tells how large it has to be: they cast its address to a pointer to the whole array, step from row
//! to row by constants, or copy so many bytes.

use super::super::shape;
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{Function, Id, Instruction, Module, Type};

/// The sizes in bytes, rounded up to whole rows, of a function's variables that are larger than their types.
///
/// Only arrays of pointers are looked at, since nothing else becomes too small. An index within the variable's type says nothing of its size: one
/// that is too large is the program's mistake, and checks shall find it.
pub(in super::super) fn narrowed(spirv: &Module, function: &Function) -> HashMap<Id, u64> {
    let mut sizes = HashMap::default();
    let variables = function.blocks.first().map(|block| spirv.instructions(block.instructions.clone()));
    for variable in variables.into_iter().flatten().filter(|inst| inst.op() == Op::Variable) {
        if let Some((StorageClass::Function, pointee)) = spirv.ty(variable.result_type).pointer()
            && let (true, Ok(size)) = (is_array_of_pointers(spirv, pointee), shape::size(spirv, pointee))
        {
            sizes.insert(variable.result, size);
        }
    }
    if sizes.is_empty() {
        return sizes;
    }
    let rows = sizes.clone();
    // Pointers into variables, at constant offsets.
    let mut pointers: HashMap<Id, (Id, u64)> = sizes.keys().map(|&variable| (variable, (variable, 0))).collect();
    for inst in function
        .blocks
        .iter()
        .flat_map(|block| spirv.instructions(block.instructions.clone()))
    {
        let Some((variable, end, pointer)) = reached(spirv, &pointers, &inst) else {
            continue;
        };
        if let (Some(size), Some(&row)) = (sizes.get_mut(&variable), rows.get(&variable)) {
            *size = end.checked_next_multiple_of(row).map_or(*size, |end| end.max(*size));
        }
        if let Some(offset) = pointer {
            pointers.insert(inst.result, (variable, offset));
        }
    }
    sizes.retain(|variable, size| rows.get(variable) != Some(size));
    sizes
}

/// Where an instruction leads that casts such a pointer, steps over elements or copies: the variable, the end of what is there, and the offset of
/// the result where it is such a pointer itself.
fn reached(spirv: &Module, pointers: &HashMap<Id, (Id, u64)>, inst: &Instruction) -> Option<(Id, u64, Option<u64>)> {
    let pointee_size = |pointer: Id| shape::size(spirv, spirv.ty(pointer).pointer()?.1).ok();
    let known = |id: &Id| pointers.get(id).copied();
    match (inst.op(), inst.operands) {
        (Op::Bitcast, [base]) => {
            let (variable, offset) = known(base)?;
            let end = offset.checked_add(pointee_size(inst.result_type)?)?;
            Some((variable, end, Some(offset)))
        }
        (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [base, element, indexes @ ..]) => {
            let (variable, offset) = known(base)?;
            let size = pointee_size(spirv.type_of(*base))?;
            let start = offset.checked_add(spirv.constant_bits(*element)?.checked_mul(size)?)?;
            Some((variable, start.checked_add(size)?, indexes.is_empty().then_some(start)))
        }
        (Op::CopyMemorySized, [target, source, bytes, ..]) => {
            let (variable, offset) = known(target).or_else(|| known(source))?;
            Some((variable, offset.checked_add(spirv.constant_bits(*bytes)?)?, None))
        }
        _ => None,
    }
}

/// Pointers, in arrays of any depth.
fn is_array_of_pointers(spirv: &Module, mut type_id: Id) -> bool {
    let mut depth = 0;
    while let &Type::Array { element, .. } = spirv.ty(type_id) {
        type_id = element;
        depth += 1;
    }
    depth > 0 && spirv.ty(type_id).pointer().is_some()
}
