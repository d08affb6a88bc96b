//! What gangs go through together behind guards.
//!
//! `if (i >= n) return;` sends gangs different ways, but nearly all of them the same. If nothing has been done before such a branch, the
//! gangs of a bunch may ask all together: where all pass, they go on as one; otherwise each of them begins again by itself.

use crate::vectorize::GangFunction;
use analysis::uniformity::Extent;
use ir::cfg::{Cfg, reverse_postorder};
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::effort::GUARDS;
use transform::versioning::{Assumption, Test, choose};

/// A branch that gangs take each by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub block: Block,
    pub condition: Value,
    /// Which target gangs go to together: 0 or 1.
    side: usize,
}

impl Guard {
    /// Ends a block of all gangs, with a copy of the condition each: on if all of them pass, else to where each goes by itself.
    pub fn pass(&self, func: &mut Function, block: Block, conditions: &[Value], on: BlockCall, parted: Block) {
        let first = Builder::new(func, block).i32(0);
        let mut all = AllPass { guard: self, conditions };
        choose(func, block, &mut all, on, to(parted, &[first]));
    }
}

/// All gangs take the side of a guard that leads on.
struct AllPass<'a> {
    guard: &'a Guard,
    conditions: &'a [Value],
}

impl Assumption for AllPass<'_> {
    fn test(&mut self, b: &mut Builder) -> Test {
        let holds = self.guard.side == 0;
        let op = if holds { BinaryOp::And } else { BinaryOp::Or };
        let both = |a, &other: &Value| b.binary(op, a, other);
        let mask = self.conditions[1..].iter().fold(self.conditions[0], both);
        Test { mask, holds }
    }
}

/// The guards behind which gangs go together, in their order; none where they do from the start. `None` where they don't at all.
pub(super) fn find(gang: &GangFunction) -> Option<Vec<Guard>> {
    let entry = gang.func.entry();
    if Worth::of_common_way(gang, entry).is_some() {
        return Some(Vec::new());
    }
    // Each gang by itself: barriers would part the loop over them, and functions don't know which of them calls.
    let alone = gang.func.insts().all(|inst| {
        let data = &gang.func.inst(inst).data;
        !matches!(data, InstData::Barrier { execution, .. } if *execution > Scope::SubGroup) && !matches!(data, InstData::Call { .. })
    });
    if !alone || !gang.func.results.is_empty() {
        return None;
    }
    let cfg = Cfg::new(&gang.func);
    let mut found = behind_block(gang, &cfg, entry, GUARDS)?.1;
    found.reverse();
    Some(found)
}

/// What gangs go through together from this block on, and the guards before that, the last first.
fn behind_block(gang: &GangFunction, cfg: &Cfg, mut block: Block, depth: usize) -> Option<(Worth, Vec<Guard>)> {
    let func = &gang.func;
    if let Some(worth) = Worth::of_common_way(gang, block) {
        return Some((worth, Vec::new()));
    }
    loop {
        let ways_in = usize::from(block != func.entry());
        if cfg.preds[block].len() != ways_in {
            return None;
        }
        // (They begin again afterwards.)
        if !func.all_before_end(block, InstData::is_repeatable) {
            return None;
        }
        match func.terminator(block) {
            InstData::Jump { target } => block = target.block,
            InstData::Branch { condition, targets } if gang.shared[*condition] > Extent::Group && depth > 0 => {
                let side = |side: usize| {
                    let (worth, mut guards) = behind_block(gang, cfg, targets[side].block, depth - 1)?;
                    guards.push(Guard {
                        block,
                        condition: *condition,
                        side,
                    });
                    Some((worth, guards))
                };
                return [side(0), side(1)].into_iter().flatten().max_by_key(|found| found.0);
            }
            _ => return None,
        }
    }
}

/// The function of gangs that all pass the guards.
pub(super) fn behind(gang: &GangFunction, guards: &[Guard]) -> GangFunction {
    let mut gang = gang.clone();
    for guard in guards {
        let target = gang.func.terminator(guard.block).targets()[guard.side].clone();
        *gang.func.terminator_mut(guard.block) = InstData::Jump { target };
    }
    gang.func.layout = reverse_postorder(&gang.func);
    gang
}

/// What is done on a way: of several, the one that nearly all gangs take has most of the accesses for all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    /// Accesses of all lanes to consecutive memory, or to one place.
    accesses: usize,
    /// Instructions.
    size: usize,
}

impl Worth {
    /// Of all that can be reached from a block, if all gangs of a group take the same way from there on and nothing has to stay in order.
    fn of_common_way(gang: &GangFunction, from: Block) -> Option<Worth> {
        let func = &gang.func;
        let mut seen: FxHashSet<Block> = [from].into_iter().collect();
        let mut work = vec![from];
        let mut worth = Worth::default();
        while let Some(block) = work.pop() {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                if !is_common(gang, data) {
                    return None;
                }
                worth.size += 1;
                worth.accesses += usize::from(is_whole_access(func, data));
            }
            work.extend(func.successors(block).into_iter().filter(|&next| seen.insert(next)));
        }
        Some(worth)
    }
}

fn is_whole_access(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Load { address, mask, .. }
        | InstData::Store { address, mask, .. }
        | InstData::LoadInterleaved { address, mask, .. }
        | InstData::StoreInterleaved { address, mask, .. } => mask.is_none() && !func.is_scattered(address),
        _ => false,
    }
}

fn is_common(gang: &GangFunction, data: &InstData) -> bool {
    let together = |value: Value| gang.shared[value] <= Extent::Group || gang.func.constant(value).is_some();
    let relaxed = |mem: &MemInfo| !mem.flags.contains(MemFlags::VOLATILE);
    match data {
        InstData::Branch { condition, .. } => together(*condition),
        InstData::Switch { value, .. } => together(*value),
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => relaxed(mem),
        InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicCas { .. }
        | InstData::Copy { .. }
        | InstData::Call { .. }
        | InstData::Trap { .. }
        | InstData::Unreachable => false,
        InstData::CallRuntime { routine, .. } => routine.is_pure(),
        _ => true,
    }
}
