//! Variables whose types are too small for what they hold.
//!
//! LLVM's SPIR-V back end infers what a pointer leads to from its uses. An array of arrays of pointers that is initialized row by row
//!
//! ```text
//! int *table[2][3] = {{&a, &b, &a}, {&b, &a, &b}};
//! ```
//!
//! is accessed as rows first, and becomes a variable of one row. The second row is then behind its end, where other variables are. A struct whose
//! first member is a pointer, and is loaded first, becomes a variable of one pointer. What the function's own instructions say of the variable tells
//! how large it has to be: they cast its address to a pointer to the whole array or struct, step from row to row by constants, copy so many bytes, or
//! say how many bytes begin to live.

use super::super::shape;
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{Function, Id, Instruction, Module, Type};

/// What tells the size of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Teller {
    /// Of an array of pointers: all that is done with its parts.
    Parts,
    /// Of a pointer: that it is taken for an array or a struct.
    Casts,
    /// Of anything: the bytes that live.
    Lifetime,
}

struct Variable {
    teller: Teller,
    /// By its type.
    row: u64,
    size: u64,
}

/// The sizes in bytes, rounded up to whole rows, of a function's variables that are larger than their types.
///
/// An index within the variable's type says nothing of its size: one that is too large is the program's mistake, and checks shall find it.
pub(in super::super) fn narrowed(spirv: &Module, function: &Function) -> HashMap<Id, u64> {
    let mut variables = HashMap::default();
    let first = function.blocks.first().map(|block| spirv.instructions(block.instructions.clone()));
    for variable in first.into_iter().flatten().filter(|inst| inst.op() == Op::Variable) {
        if let Some((StorageClass::Function, pointee)) = spirv.ty(variable.result_type).pointer()
            && let Ok(size) = shape::size(spirv, pointee)
        {
            let (row, teller) = (size, teller(spirv, pointee));
            variables.insert(variable.result, Variable { teller, row, size });
        }
    }
    // Pointers into variables, at constant offsets.
    let mut pointers: HashMap<Id, (Id, u64)> = variables.keys().map(|&variable| (variable, (variable, 0))).collect();
    for inst in function
        .blocks
        .iter()
        .flat_map(|block| spirv.instructions(block.instructions.clone()))
    {
        let Some((id, end, pointer)) = reached(spirv, &pointers, &inst) else {
            continue;
        };
        if let Some(variable) = variables.get_mut(&id)
            && tells(spirv, variable.teller, &inst)
        {
            let whole = end.checked_next_multiple_of(variable.row);
            variable.size = whole.map_or(variable.size, |end| end.max(variable.size));
        }
        if let Some(offset) = pointer {
            pointers.insert(inst.result, (id, offset));
        }
    }
    let larger = variables.into_iter().filter(|(_, variable)| variable.size > variable.row);
    larger.map(|(id, variable)| (id, variable.size)).collect()
}

/// The instruction may tell the size of such a variable.
fn tells(spirv: &Module, teller: Teller, inst: &Instruction) -> bool {
    let is_whole = |pointer: Id| matches!(spirv.ty(pointer).pointer(), Some((_, pointee)) if spirv.ty(pointee).is_aggregate());
    match inst.op() {
        Op::LifetimeStart => true,
        Op::Bitcast => teller == Teller::Parts || teller == Teller::Casts && is_whole(inst.result_type),
        _ => teller == Teller::Parts,
    }
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
        (Op::LifetimeStart, &[pointer, bytes]) => {
            let (variable, offset) = known(&pointer)?;
            Some((variable, offset.checked_add(u64::from(bytes))?, None))
        }
        _ => None,
    }
}

/// Who tells the size of a variable of this type: pointers, in arrays of any depth, may stand for more.
fn teller(spirv: &Module, mut type_id: Id) -> Teller {
    let mut teller = Teller::Casts;
    while let &Type::Array { element, .. } = spirv.ty(type_id) {
        type_id = element;
        teller = Teller::Parts;
    }
    match spirv.ty(type_id).pointer() {
        Some(_) => teller,
        None => Teller::Lifetime,
    }
}
