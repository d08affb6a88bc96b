//! Whether what a kernel leaves in memory depends on the order in which its work-groups run.

use ir::{AtomicOp, FuncRef, InstData, Module, Runtime, Space};
use rustc_hash::FxHashSet;

/// Work-groups see what others have done: by a pipe, or by atomic operations on memory that they share, unless all of these are of one kind that gives
/// the same in any order, and nobody looks at what was there before.
///
/// `function` is one work-item's view, before or after inlining. Accesses of other kinds don't count: where groups share what one of them writes, a
/// program has a data race.
pub fn depends_on_group_order(module: &Module, function: FuncRef) -> bool {
    let mut seen: FxHashSet<FuncRef> = FxHashSet::default();
    let mut work = vec![function];
    let mut kind = None;
    while let Some(function) = work.pop() {
        if !seen.insert(function) {
            continue;
        }
        let func = &module.functions[function];
        let uses = func.use_counts();
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                if let InstData::Call { callee, .. } = data {
                    work.push(*callee);
                }
                let is_used = func.inst(inst).results.iter().any(|&result| uses[result] > 0);
                match data {
                    InstData::AtomicRmw { op, mem, .. } if is_shared(mem.space) && !is_used => match commuting(*op) {
                        Some(op) if kind.is_none_or(|kind| kind == op) => kind = Some(op),
                        _ => return true,
                    },
                    _ if sees_others(data) => return true,
                    _ => {}
                }
            }
        }
    }
    false
}

fn is_shared(space: Space) -> bool {
    matches!(space, Space::Global | Space::Generic)
}

fn sees_others(data: &InstData) -> bool {
    match data {
        InstData::AtomicRmw { mem, .. }
        | InstData::AtomicLoad { mem, .. }
        | InstData::AtomicStore { mem, .. }
        | InstData::AtomicCas { mem, .. } => is_shared(mem.space),
        InstData::CallRuntime { routine, .. } => matches!(
            routine,
            Runtime::Request
                | Runtime::PipeRead
                | Runtime::PipeWrite
                | Runtime::PipeReserveRead
                | Runtime::PipeReserveWrite
                | Runtime::PipeReservedRead
                | Runtime::PipeReservedWrite
                | Runtime::PipeCommitRead
                | Runtime::PipeCommitWrite
                | Runtime::PipePackets
        ),
        _ => false,
    }
}

/// What an operation does, if several of that kind leave the same in any order. (Minima of floats don't: there are two zeros, and NaNs.)
fn commuting(op: AtomicOp) -> Option<AtomicOp> {
    match op {
        AtomicOp::Sub => Some(AtomicOp::Add),
        AtomicOp::Exchange | AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => None,
        _ => Some(op),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    fn depends(body: &str) -> bool {
        let text = format!(
            "
function workitem @k {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = const.i32 1
  v3 = const.f32 0x3f800000
{body}
  return
}}"
        );
        let mut module = Module::default();
        let function = module.functions.push(parse_function(&text).expect("IR"));
        depends_on_group_order(&module, function)
    }

    #[test]
    fn sums_of_integers_that_nobody_looks_at_may_come_in_any_order() {
        let add = "  v4 = atomic_rmw.add v2, relaxed device global align 4 [v1]";
        assert!(!depends(add));
        let twice = format!("{add}\n  v5 = atomic_rmw.sub v2, relaxed device global align 4 [v1]");
        assert!(!depends(&twice));
        let other = format!("{add}\n  v5 = atomic_rmw.umax v2, relaxed device global align 4 [v1]");
        assert!(depends(&other), "a sum and a maximum of one word");
    }

    #[test]
    fn what_was_there_before_tells_the_order() {
        assert!(depends(
            "  v4 = atomic_rmw.add v2, relaxed device global align 4 [v1]\n  store v4, global align 4 [v1 + 4]"
        ));
        assert!(depends("  v4 = atomic_rmw.xchg v2, relaxed device global align 4 [v1]"));
    }

    #[test]
    fn sums_of_floats_are_rounded_in_an_order() {
        assert!(depends("  v4 = atomic_rmw.fadd v3, relaxed device global align 4 [v1]"));
        assert!(
            !depends("  v4 = atomic_rmw.fadd v3, relaxed work_group local align 4 [v1]"),
            "a group has its own"
        );
    }

    #[test]
    fn plain_memory_is_no_ones_business() {
        assert!(!depends("  v4 = load.i32 global align 4 [v1]\n  store v4, global align 4 [v1 + 4]"));
    }
}
