//! Work-groups that are not run as they were asked for: those of one work-item, and those that no work-item looks at.
//!
//! Small groups leave lanes of a gang without work. But nothing ties a work-item to its group where it neither waits for others nor shares
//! memory with them: then the launch can be cut into groups as suits the machine. What a kernel reads of a group of one follows from its
//! global id; of others it must read nothing.

use super::own_local;
use ir::*;
use rustc_hash::FxHashSet;

/// Can work-items that are groups by themselves stand in one gang? To one that is alone a barrier is nothing, and variables of so many bytes in local memory are
/// its own if [`own_local`] can have it so. What the kernel calls must know of no local memory, and nobody of sub-groups, whose size is a promise.
pub fn can_join(func: &Function, module: &Module, local_bytes: u64) -> bool {
    let alone = |data: &InstData| is_apart(data) || matches!(data, InstData::Barrier { execution, .. } if *execution <= Scope::WorkGroup);
    let of_callee = |callee: &Function| callee.insts().all(|inst| alone(&callee.inst(inst).data)) && !own_local::is_used(callee);
    func.insts().all(|inst| alone(&func.inst(inst).data))
        && callees(func, module).all(of_callee)
        && (!own_local::is_used(func) || own_local::can_be_own(func, local_bytes))
}

/// Can a launch be cut into any groups? Neither the kernel nor what it calls reads what tells of them, or has barriers, local memory, or anything of
/// sub-groups.
pub fn knows_no_groups(func: &Function, module: &Module) -> bool {
    let asks =
        |data: &InstData| matches!(data, InstData::Builtin { builtin, .. } if builtin.is_of_groups() || *builtin == Builtin::LocalMemory);
    let knows_none = |func: &Function| {
        let mut insts = func.insts().map(|inst| &func.inst(inst).data);
        insts.all(|data| is_apart(data) && !asks(data))
    };
    knows_none(func) && callees(func, module).all(knows_none)
}

/// All that a function calls, directly or not.
pub(super) fn callees<'m>(func: &Function, module: &'m Module) -> impl Iterator<Item = &'m Function> {
    let mut wanted = func.callees();
    let mut seen: FxHashSet<FuncRef> = FxHashSet::default();
    std::iter::from_fn(move || {
        while let Some(callee) = wanted.pop() {
            if seen.insert(callee) {
                let callee = &module.functions[callee];
                wanted.extend(callee.callees());
                return Some(callee);
            }
        }
        None
    })
}

/// It is not about other work-items of the group.
fn is_apart(data: &InstData) -> bool {
    match data {
        InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::SubGroup { .. } => false,
        InstData::Builtin { builtin, .. } => !builtin.is_of_sub_groups(),
        _ => true,
    }
}

/// Makes what a function reads of its group what it is in a group of one, whatever groups it is run in, and its variables in local memory, of so many bytes,
/// its own. True if something changed.
pub fn run(func: &mut Function, local_bytes: u64) -> bool {
    let mut changed = own_local::is_used(func);
    if changed {
        let own = own_local::run(func, local_bytes);
        assert!(own, "only kernels of which can_join is true have their groups joined");
    }
    for block in func.layout.clone() {
        for inst in func.take_insts(block) {
            let new = match func.inst(inst).data {
                InstData::Builtin { builtin, dimension } => of_one(func, block, builtin, dimension),
                // Others must still see what it has written before what it writes behind it.
                InstData::Barrier { order, memory, .. } if memory > Scope::WorkGroup => Some(InstData::Fence { order, scope: memory }),
                InstData::Barrier { .. } => {
                    changed = true;
                    continue;
                }
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
            "v0 = builtin local_memory",
            "barrier work_group seq_cst work_group",
        ] {
            assert!(!knows_none(line), "{line}");
        }
    }

    #[test]
    fn what_ties_work_items_to_their_group() {
        let joins = |line: &str| {
            let module = calls(line);
            can_join(&module.functions[FuncRef::new(0)], &module, 64)
        };
        for line in [
            "v0 = builtin group_id 0",
            "v0 = builtin local_id 1",
            "v0 = builtin arguments",
            "barrier work_group seq_cst work_group",
        ] {
            assert!(joins(line), "{line}");
        }
        for line in [
            "v0 = builtin local_memory",
            "v0 = builtin sub_group_max_size",
            "barrier device seq_cst device",
        ] {
            assert!(!joins(line), "{line}");
        }
    }

    #[test]
    fn local_memory_of_a_size_joins() {
        let text =
            "fn0 = function workitem @kernel {\nblock0:\n  v0 = builtin local_memory\n  v1 = load.i32 local align 4 [v0]\n  return\n}\n";
        let module = parse_module(text).unwrap();
        let joins = |bytes| can_join(&module.functions[FuncRef::new(0)], &module, bytes);
        assert!(joins(64) && joins(target::costs::memory::OWN_LOCAL));
        assert!(!joins(0), "only arguments are in it, or checks");
        assert!(!joins(target::costs::memory::OWN_LOCAL + 1));
        assert!(!knows_no_groups(&module.functions[FuncRef::new(0)], &module));
    }
}
