//! Branches whose sides do the same are none: `if (inside) v = p[i]; else v = p[i];`.
//!
//! Where code is written for gangs inside of bounds and for the others, what clamps an index may be known to do nothing in both; each access of a
//! window would be a branch that nothing hangs on. (Cliff Click's value numbering finds such sides; LLVM's SimplifyCFG hoists them.)

use analysis::Analyses;
use ir::cfg::keep_reachable;
use ir::*;

/// Does one of both sides. True if there were some.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let mut changed = false;
    // Those within others first.
    for &block in cfg.order.iter().rev() {
        let Some((_, [first, second])) = func.branch(block) else { continue };
        let (first, second) = (first.block, second.block);
        let is_side = |side: Block| cfg.preds[side] == [block] && func.block(side).params.is_empty();
        if first != second && is_side(first) && is_side(second) && are_alike(func, first, second) {
            take(func, block, first, second);
            changed = true;
        }
    }
    if changed {
        keep_reachable(func);
    }
    changed
}

/// Both blocks do the same to the same values, and go on to the same block with the same ones.
fn are_alike(func: &Function, first: Block, second: Block) -> bool {
    let [a, b] = [first, second].map(|block| &func.block(block).insts);
    let mut map = ValueMap::default();
    a.len() == b.len()
        && a.iter().zip(b).all(|(&a, &b)| {
            let (x, y) = (func.inst(a), func.inst(b));
            let mut of_second = y.data.clone();
            of_second.for_each_operand_mut(|value| *value = map.resolve(*value));
            let may_be_one = match &x.data {
                InstData::Load { mem, .. } | InstData::Store { mem, .. } => !mem.is_volatile(),
                InstData::Jump { .. } => true,
                data => data.is_pure(),
            };
            for (&value, &by) in y.results.iter().zip(&x.results) {
                map.insert(value, by);
            }
            may_be_one && without_promises(x.data.clone()) == without_promises(of_second)
        })
}

/// The instruction, if nothing were promised of the memory that it accesses.
fn without_promises(mut data: InstData) -> InstData {
    if let InstData::Load { mem, .. } | InstData::Store { mem, .. } = &mut data {
        (mem.flags, mem.align) = (MemFlags::empty(), Align::of(1));
    }
    data
}

/// The block does what both of its sides do, as far as both promise something, and goes on to where they do.
fn take(func: &mut Function, block: Block, first: Block, second: Block) {
    let insts = std::mem::take(&mut func.block_mut(first).insts);
    let others = func.block(second).insts.clone();
    for (&inst, &other) in insts.iter().zip(&others) {
        let (flags, of_other) = (func.inst(other).flags, func.inst(other).data.clone());
        let node = func.inst_mut(inst);
        node.flags &= flags;
        if let InstData::Load { mem, .. } | InstData::Store { mem, .. } = &mut node.data
            && let InstData::Load { mem: of_other, .. } | InstData::Store { mem: of_other, .. } = of_other
        {
            mem.flags &= of_other.flags;
            mem.align = mem.align.min(of_other.align);
        }
    }
    let of_block = &mut func.block_mut(block).insts;
    of_block.pop();
    of_block.extend(insts);
    // (Nothing leads there any more.)
    func.append(first, InstData::Unreachable, Flags::empty());
}
