//! Does a kernel wait for other work-items without a barrier?
//!
//! A loop that is left only when an atomic, volatile memory or a pipe says so may wait for a lane of the same gang. Such a kernel runs with
//! one lane a gang, so that every work-item makes progress by itself; except where it uses sub-groups, whose size is a promise.

use super::retry::only_retries;
use analysis::Flow;
use cranelift_entity::SecondaryMap;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function has a loop with an exit that depends on an atomic or on volatile memory in the loop, where it does not just try again what
/// others came in between of, and no sub-group operations.
pub fn spins(func: &Function, flow: &Flow) -> bool {
    if !func.insts().any(|inst| is_source(&func.inst(inst).data)) {
        return false;
    }
    let loops = flow.loops();
    if loops.loops.is_empty() {
        return false;
    }
    let uses_sub_groups = func.insts().any(|inst| match func.inst(inst).data {
        InstData::SubGroup { .. } => true,
        InstData::Builtin { builtin, .. } => builtin.is_of_sub_groups(),
        _ => false,
    });
    !uses_sub_groups && (0..loops.loops.len()).any(|index| loop_spins(func, flow, index))
}

/// What another work-item may change.
fn is_source(data: &InstData) -> bool {
    match data {
        InstData::AtomicLoad { .. } | InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } | InstData::Call { .. } => true,
        InstData::Load { mem, .. } => mem.flags.contains(MemFlags::VOLATILE) && mem.space != Space::Private,
        // Pipes.
        InstData::CallRuntime { routine, .. } => !routine.is_pure() && !matches!(routine, Runtime::Live | Runtime::WrittenAt),
        _ => false,
    }
}

fn loop_spins(func: &Function, flow: &Flow, index: usize) -> bool {
    let loops = flow.loops();
    let blocks = &loops.loops[index].blocks;
    if !func.insts_of(blocks).any(|inst| is_source(&func.inst(inst).data)) {
        return false;
    }
    let mut tainted = Tainted::default();
    while taint(func, flow, blocks, &mut tainted) {}
    let spins = blocks.iter().any(|&block| {
        let leaves = flow.cfg.succs[block].iter().any(|&succ| !loops.contains(index, succ));
        leaves && decides(func, &tainted, block)
    });
    spins && !only_retries(func, flow.tree(), &flow.cfg, loops, index)
}

/// Values that are what they are because of another work-item.
type Tainted = FxHashSet<Value>;

/// The block's end goes by a value that is tainted.
fn decides(func: &Function, tainted: &Tainted, block: Block) -> bool {
    func.terminator(block).decider().is_some_and(|value| tainted.contains(&value))
}

/// What a block's parameter is given.
struct Given {
    first: Value,
    /// Not always the same.
    differs: bool,
    /// On some way that a tainted value chose.
    by_choice: bool,
}

/// Taints what is made of tainted values in a loop, and parameters of blocks to which tainted values choose the way. True if there was
/// more.
fn taint(func: &Function, flow: &Flow, blocks: &[Block], tainted: &mut Tainted) -> bool {
    let parting: Vec<Block> = blocks.iter().copied().filter(|&block| decides(func, tainted, block)).collect();
    let depends = match parting.is_empty() {
        true => SecondaryMap::new(),
        false => control_dependence::dependent(parting.into_iter(), flow.post(), &flow.cfg.succs),
    };
    let before = tainted.len();
    let mut given: FxHashMap<Value, Given> = FxHashMap::default();
    for &block in blocks {
        let chosen = depends[block] || decides(func, tainted, block);
        for &inst in &func.block(block).insts {
            let node = func.inst(inst);
            let mut taint = is_source(&node.data);
            node.data.for_each_operand(|operand| taint |= tainted.contains(operand));
            if taint {
                tainted.extend(&node.results);
            }
            for call in node.data.targets() {
                for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                    let given = given.entry(param).or_insert(Given {
                        first: arg,
                        differs: false,
                        by_choice: false,
                    });
                    given.differs |= given.first != arg;
                    given.by_choice |= chosen;
                    if tainted.contains(&arg) || (given.differs && given.by_choice) {
                        tainted.insert(param);
                    }
                }
            }
        }
    }
    tainted.len() > before
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// A loop that iterates until an exchange finds 0. `next` says what comes after the exchange.
    fn spins_with(next: &str) -> bool {
        let text = format!(
            "
function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 [v0]
  v2 = const.i32 1
  v3 = const.i32 0
  jump block1(v3)
block1(v4: i32):
  v5 = const.i32 64
  v6 = atomic_rmw.xchg v2, relaxed device global align 4 [v1]
  v7 = icmp.eq v6, v3
{next}
}}"
        );
        let func = parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        spins(&func, &Flow::new(&func))
    }

    #[test]
    fn loops_that_an_atomic_ends() {
        assert!(spins_with(
            "  branch v7, block2, block3\nblock2:\n  return\nblock3:\n  jump block1(v4)"
        ));
        // Whether the iteration is the last is known by the way that led there.
        assert!(spins_with(
            "  branch v7, block2, block3\nblock2:\n  jump block4(v2)\nblock3:\n  jump block4(v3)\nblock4(v8: i32):\n  \
             v9 = icmp.eq v8, v2\n  branch v9, block5, block6\nblock5:\n  return\nblock6:\n  jump block1(v4)"
        ));
        // So many iterations, whatever the exchange finds.
        assert!(!spins_with(
            "  branch v7, block2, block3\nblock2:\n  store v2, global align 4 [v1]\n  jump block4\nblock3:\n  jump block4\nblock4:\n  \
             v8 = add v4, v2\n  v9 = icmp.eq v8, v5\n  branch v9, block5, block6\nblock5:\n  return\nblock6:\n  jump block1(v8)"
        ));
    }

    /// A loop with a comparison and exchange. `iteration` says what is before the comparison of the old value `v9` with the expected one.
    fn spins_trying(iteration: &str, expected: &str, back: &str) -> bool {
        let text = format!(
            "
function workitem @f {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 [v0]
  v2 = const.i32 1
  v3 = builtin global_id 0
  v4 = const.i64 2
  v5 = shl v3, v4
  v6 = add v1, v5
  v7 = const.i32 0
  jump block1(v7)
block1(v8: i32):
{iteration}
  v10 = icmp.eq v9, {expected}
  branch v10, block2, block1({back})
block2:
  return
}}"
        );
        let func = parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        spins(&func, &Flow::new(&func))
    }

    #[test]
    fn trying_again_is_not_waiting() {
        let exchange = |expected: &str| format!("  v9 = atomic_cas {expected}, v2, relaxed device global align 4 [v6]");
        // With what was found the last time.
        assert!(!spins_trying(&exchange("v8"), "v8", "v9"));
        // With what is there now, seen as a float.
        let load = "  v11 = load.f32 global align 4 volatile [v1 + v3 * 4]\n  v12 = bitcast.i32 v11 rte\n";
        assert!(!spins_trying(&format!("{load}{}", exchange("v12")), "v12", "v9"));
        // Locks: with what it wants to be there, and with what was there once, or is elsewhere.
        assert!(spins_trying(&exchange("v7"), "v7", "v9"));
        assert!(spins_trying(&exchange("v8"), "v8", "v8"));
        let load = load.replace("[v1 + v3 * 4]", "[v1]");
        assert!(spins_trying(&format!("{load}{}", exchange("v12")), "v12", "v9"));
        // It goes on until something else is found.
        assert!(spins_trying(&exchange("v8"), "v2", "v9"));
    }
}
