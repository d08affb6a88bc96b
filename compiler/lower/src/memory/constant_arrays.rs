//! Arrays of functions that have the same contents all the time.
//!
//! `const float weights[5] = { ... }` in a kernel is a variable of each work-item, written whole before it is read. Nobody sees that it is a constant
//! of the program instead, of which there is one: an index that is known finds a number, and one that is not finds the array in registers or in the cache,
//! without private memory that each work-item has to fill.

use super::super::reach::only_read_but;
use rspirv::spirv::{MemoryAccess, Op, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{ConstantRef, Function, Id, Instruction, Module, Type, initializer};

/// Arrays that are initialized with a constant, or to which one is stored in one place, and that are only read otherwise, by the function itself. (What is
/// read before the store is undefined.)
pub(in super::super) fn constant_arrays(spirv: &Module, function: &Function) -> HashMap<Id, ConstantRef> {
    let mut found = HashMap::default();
    let first = function.blocks.first().map(|block| spirv.instructions(block.instructions.clone()));
    let is_array = |variable: &Instruction| match spirv.ty(variable.result_type).pointer() {
        Some((StorageClass::Function, pointee)) => matches!(spirv.ty(pointee), Type::Array { .. }),
        _ => false,
    };
    let variables = first.into_iter().flatten().filter(|inst| inst.op() == Op::Variable);
    let arrays: Vec<Id> = variables
        .filter(is_array)
        .map(|variable| {
            let constant = initializer(&variable).and_then(|id| spirv.constant_ref(id));
            found.extend(constant.map(|constant| (variable.result, constant)));
            variable.result
        })
        .collect();
    let read = only_read_but(spirv, function, arrays.iter().copied(), |inst, id| match inst.op() {
        Op::Store => {
            let is_volatile = inst
                .operands
                .get(2)
                .is_some_and(|access| access & MemoryAccess::VOLATILE.bits() != 0);
            let whole = inst.word(0) == id && arrays.contains(&id) && !is_volatile;
            let constant = spirv.constant_ref(inst.word(1)).filter(|_| whole);
            Some(constant.is_some_and(|constant| found.insert(id, constant).is_none()))
        }
        Op::PtrCastToGeneric => Some(false),
        _ => None,
    });
    found.retain(|id, _| read.contains(id));
    found
}
