//! What both sides of a branch do is done once, ahead of it: `if (c) y = 2 * x[i]; else y = x[i] - 1;` loads once, and no side is left that is
//! more than a choice. Sides that do nothing but the same leave no branch.
//!
//! (LLVM's SimplifyCFG hoists such code, and GVNHoist that of longer sides. Cliff Click's value numbering finds sides that are the same.)

use super::memory::Touch;
use analysis::Analyses;
use ir::*;
use smallvec::SmallVec;
use std::mem::discriminant;
use target::costs::effort::SIDES_COMPARED;

/// Hoists. True if there was something.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let mut map = ValueMap::default();
    let mut changed = false;
    // Branches within others first: what both of their sides do may be done by another side as well.
    for &block in cfg.order.iter().rev() {
        let Some((_, [first, second])) = func.branch(block) else { continue };
        let (first, second) = (first.block, second.block);
        let is_side = |side: Block| cfg.preds[side] == [block] && func.block(side).params.is_empty();
        if first != second && is_side(first) && is_side(second) {
            changed |= hoist(func, [block, first, second], &mut map);
        }
    }
    func.substitute(&map);
    changed
}

/// Moves what both sides do to the end of the block that branches to them; `map` has what is used of the first side instead of the second's.
fn hoist(func: &mut Function, [block, first, second]: [Block; 3], map: &mut ValueMap) -> bool {
    let (mut hoisted, mut before): (Vec<Inst>, _) = (Vec::new(), Before::default());
    for position in 0..body(func, first).len().min(SIDES_COMPARED) {
        let inst = body(func, first)[position];
        let stay = body(func, first)[..position].iter().copied().filter(|inst| !hoisted.contains(inst));
        let values: SmallVec<[Value; 8]> = stay.flat_map(|inst| func.inst(inst).results.iter().copied()).collect();
        match twin(func, inst, second, &values, map).filter(|_| before.lets(&func.inst(inst).data)) {
            Some(twin) => {
                share_promises(func, inst, twin);
                let (own, others) = (func.inst(inst).results.clone(), func.inst(twin).results.clone());
                others.iter().zip(&own).for_each(|(&value, &by)| map.insert(value, by));
                hoisted.push(inst);
                func.block_mut(second).insts.retain(|&other| other != twin);
            }
            None => before.passes(&func.inst(inst).data),
        }
    }
    if hoisted.is_empty() {
        return false;
    }
    func.block_mut(first).insts.retain(|inst| !hoisted.contains(inst));
    let insts = &mut func.block_mut(block).insts;
    let end = insts.len() - 1;
    insts.splice(end..end, hoisted);
    true
}

/// What a block does but for its last instruction.
fn body(func: &Function, block: Block) -> &[Inst] {
    func.block(block).insts.split_last().map_or(&[], |(_, body)| body)
}

/// An instruction of the second side that does what this one of the first does, with none of the values that the first side keeps.
fn twin(func: &Function, inst: Inst, second: Block, kept: &[Value], map: &ValueMap) -> Option<Inst> {
    let data = &func.inst(inst).data;
    let may_be_one = match data {
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => !mem.is_volatile(),
        data => data.is_pure(),
    };
    let mut uses_kept = false;
    data.for_each_operand(|value| uses_kept |= kept.contains(value));
    if !may_be_one || uses_kept {
        return None;
    }
    let wanted = without_promises(data.clone());
    let mut before = Before::default();
    body(func, second).iter().copied().take(SIDES_COMPARED).find(|&other| {
        let of_other = &func.inst(other).data;
        let is_twin = discriminant(of_other) == discriminant(data) && before.lets(data) && {
            let mut of_other = of_other.clone();
            of_other.for_each_operand_mut(|value| *value = map.resolve(*value));
            without_promises(of_other) == wanted
        };
        before.passes(of_other);
        is_twin
    })
}

/// The instruction, if nothing were promised of the memory that it accesses.
fn without_promises(mut data: InstData) -> InstData {
    if let InstData::Load { mem, .. } | InstData::Store { mem, .. } = &mut data {
        (mem.flags, mem.align) = (mem.flags & MemFlags::ONCE, Align::of(1));
    }
    data
}

/// The first promises no more than both do.
fn share_promises(func: &mut Function, inst: Inst, twin: Inst) {
    let (flags, of_twin) = (func.inst(twin).flags, func.inst(twin).data.clone());
    let node = func.inst_mut(inst);
    node.flags &= flags;
    if let InstData::Load { mem, .. } | InstData::Store { mem, .. } = &mut node.data
        && let InstData::Load { mem: of_twin, .. } | InstData::Store { mem: of_twin, .. } = of_twin
    {
        mem.flags &= of_twin.flags;
        mem.align = mem.align.min(of_twin.align);
    }
}

/// What stays in a side ahead of an instruction.
#[derive(Default)]
struct Before {
    writes: Vec<Touch>,
    reads: bool,
}

impl Before {
    fn passes(&mut self, data: &InstData) {
        let touch = Touch::of(data);
        if touch != Touch::Nothing && !self.writes.contains(&touch) {
            self.writes.push(touch);
        }
        self.reads |= data.reads_memory() || data.has_side_effects();
    }

    /// The instruction does the same ahead of all that.
    fn lets(&self, data: &InstData) -> bool {
        match data {
            InstData::Load { mem, .. } => !self.writes.iter().any(|touch| touch.may_change(mem)),
            InstData::Store { .. } => self.writes.is_empty() && !self.reads,
            _ => true,
        }
    }
}
