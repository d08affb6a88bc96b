//! Work-groups that are not run as they were asked for: those of one work-item, and those that no work-item looks at.
//!
//! Small groups leave lanes of a gang without work. But nothing ties a work-item to its group where it neither waits for others nor shares
//! memory with them: then the launch can be cut into groups as suits the machine. What a kernel reads of a group of one follows from its
//! global id; of others it must read nothing.

use ir::*;
use rustc_hash::FxHashSet;

/// Can work-items of different groups stand in one gang? Neither the kernel nor what it calls has barriers, local memory, or anything of
/// sub-groups, whose size is a promise.
pub fn can_join(func: &Function, module: &Module) -> bool {
    all(func, module, is_of_one)
}

/// Does nothing that the kernel reads, or what it calls, tell of the groups that the launch is cut into? With [`can_join`], these may be any.
pub fn knows_no_groups(func: &Function, module: &Module) -> bool {
    all(func, module, |func| {
        let mut insts = func.insts();
        let asks = |data: &InstData| matches!(data, InstData::Builtin { builtin, .. } if builtin.is_of_groups());
        !insts.any(|inst| asks(&func.inst(inst).data))
    })
}

/// Is it so for the function and all that it calls?
fn all(func: &Function, module: &Module, so: impl Fn(&Function) -> bool) -> bool {
    let mut wanted = func.callees();
    let mut seen: FxHashSet<FuncRef> = FxHashSet::default();
    let mut all = so(func);
    while let Some(callee) = wanted.pop().filter(|_| all) {
        if seen.insert(callee) {
            all = so(&module.functions[callee]);
            wanted.extend(module.functions[callee].callees());
        }
    }
    all
}

/// Nothing in the function is about other work-items of the group.
fn is_of_one(func: &Function) -> bool {
    func.insts().all(|inst| match func.inst(inst).data {
        InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::SubGroup { .. } => false,
        InstData::Builtin { builtin, .. } => builtin != Builtin::LocalMemory && !builtin.is_of_sub_groups(),
        _ => true,
    })
}

/// Makes what a function reads of its group what it is in a group of one, whatever groups it is run in. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        for inst in func.take_insts(block) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::parse::parse_module;

    /// A kernel that calls a function with one more line in it.
    fn calls(line: &str) -> Module {
        let text = format!(
            "fn0 = function workitem @kernel {{\nblock0:\n  call fn1()\n  return\n}}\n\n\
             fn1 = function workitem @callee {{\nblock0:\n  {line}\n  return\n}}\n"
        );
        parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn who_reads_nothing_of_groups_knows_none() {
        let knows_none = |line: &str| {
            let module = calls(line);
            knows_no_groups(&module.functions[FuncRef::new(0)], &module)
        };
        for line in [
            "v0 = builtin global_id 0",
            "v0 = builtin global_linear_id",
            "v0 = builtin global_size 1",
        ] {
            assert!(knows_none(line), "{line}");
        }
        for line in [
            "v0 = builtin group_id 0",
            "v0 = builtin local_id 1",
            "v0 = builtin local_linear_id",
            "v0 = builtin num_groups 0",
            "v0 = builtin enqueued_local_size 2",
        ] {
            assert!(!knows_none(line), "{line}");
        }
    }

    #[test]
    fn what_ties_work_items_to_their_group() {
        let joins = |line: &str| {
            let module = calls(line);
            can_join(&module.functions[FuncRef::new(0)], &module)
        };
        for line in ["v0 = builtin group_id 0", "v0 = builtin local_id 1", "v0 = builtin arguments"] {
            assert!(joins(line), "{line}");
        }
        for line in [
            "v0 = builtin local_memory",
            "v0 = builtin sub_group_max_size",
            "barrier work_group seq_cst work_group",
        ] {
            assert!(!joins(line), "{line}");
        }
    }
}
