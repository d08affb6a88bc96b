//! Does a kernel wait for other work-items without a barrier?
//!
//! A loop that is left only when an atomic says so may wait for a lane of the same gang. Such a kernel runs with one lane a gang, so that
//! every work-item makes progress by itself; except where it uses sub-group operations, whose size is a promise.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The function has a loop with an exit that depends on an atomic in the loop, and no sub-group operations.
pub fn spins(func: &Function) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    if loops.loops.is_empty() {
        return false;
    }
    let uses_sub_groups = func.layout.iter().flat_map(|&block| &func.block(block).insts).any(|&inst| {
        matches!(
            func.inst(inst).data,
            InstData::SubGroup { .. }
                | InstData::Builtin {
                    builtin: Builtin::SubGroupLocalId | Builtin::SubGroupSize | Builtin::SubGroupId,
                    ..
                }
        )
    });
    !uses_sub_groups && (0..loops.loops.len()).any(|index| loop_spins(func, &loops, index))
}

fn loop_spins(func: &Function, loops: &Loops, index: usize) -> bool {
    let blocks = &loops.loops[index].blocks;
    let mut tainted: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                let mut taint = matches!(
                    node.data,
                    InstData::AtomicLoad { .. } | InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } | InstData::Call { .. }
                );
                node.data.for_each_operand(|&operand| taint |= tainted[operand]);
                for &result in &node.results {
                    changed |= taint && !tainted[result];
                    tainted[result] |= taint;
                }
                for call in node.data.targets() {
                    for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                        changed |= tainted[arg] && !tainted[param];
                        tainted[param] |= tainted[arg];
                    }
                }
            }
        }
    }
    blocks.iter().any(|&block| {
        let leaves = func.successors(block).iter().any(|&succ| !loops.contains(index, succ));
        let decides = match func.terminator(block) {
            InstData::Branch { condition, .. } => tainted[*condition],
            InstData::Switch { value, .. } => tainted[*value],
            _ => false,
        };
        leaves && decides
    })
}
