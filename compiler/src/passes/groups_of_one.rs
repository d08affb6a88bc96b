//! Work-groups of one work-item, run many together.
//!
//! Such groups leave a gang with one lane. But nothing ties a work-item to its group where it neither waits for others nor shares memory with
//! them: then the launch can be cut into groups as suits the machine, and what the kernel reads of its own group follows from its global id.

use crate::ir::*;

/// Can work-items of different groups stand in one gang? Neither the kernel nor what it calls has barriers, local memory, or anything of
/// sub-groups, whose size is a promise.
pub fn can_join(func: &Function, module: &Module) -> bool {
    let mut functions = func.callees();
    let mut seen: Vec<FuncRef> = Vec::new();
    if !is_of_one(func) {
        return false;
    }
    while let Some(callee) = functions.pop() {
        if !seen.contains(&callee) {
            seen.push(callee);
            let callee = &module.functions[callee];
            if !is_of_one(callee) {
                return false;
            }
            functions.extend(callee.callees());
        }
    }
    true
}

/// Nothing in the function is about other work-items of the group.
fn is_of_one(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.block(block).insts);
    insts.all(|&inst| match func.inst(inst).data {
        InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::SubGroup { .. } => false,
        InstData::Builtin { builtin, .. } => !matches!(
            builtin,
            Builtin::LocalMemory
                | Builtin::SubGroupSize
                | Builtin::SubGroupMaxSize
                | Builtin::NumSubGroups
                | Builtin::NumEnqueuedSubGroups
                | Builtin::SubGroupId
                | Builtin::SubGroupLocalId
        ),
        _ => true,
    })
}

/// Makes what a function reads of its group what it is in a group of one, whatever groups it is run in. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        for inst in std::mem::take(&mut func.block_mut(block).insts) {
            let new = match func.inst(inst).data {
                InstData::Builtin { builtin, dimension } => of_one(func, block, builtin, dimension),
                _ => None,
            };
            if let Some(new) = new {
                func.replace(inst, new);
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// A built-in variable in a group of one; what that takes goes to the end of the block.
fn of_one(func: &mut Function, block: Block, builtin: Builtin, dimension: u8) -> Option<InstData> {
    let constant = |bits| Some(InstData::Const { ty: Type::I64, bits });
    match builtin {
        Builtin::LocalId | Builtin::LocalLinearId => constant(0),
        Builtin::LocalSize | Builtin::EnqueuedLocalSize => constant(1),
        Builtin::NumGroups => Some(InstData::Builtin {
            builtin: Builtin::GlobalSize,
            dimension,
        }),
        Builtin::GroupId => {
            let args = [Builtin::GlobalId, Builtin::GlobalOffset].map(|builtin| {
                let inst = func.append(block, InstData::Builtin { builtin, dimension }, Flags::default());
                func.inst(inst).results[0]
            });
            Some(InstData::Binary { op: BinaryOp::Sub, args })
        }
        _ => None,
    }
}
