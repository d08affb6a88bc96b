//! Stores of all ways to a block to the same place are one store, behind where the ways meet: `if (c) y[i] = a; else y[i] = b;` stores what a
//! select chooses, without masks and without a branch. So does `y[i] = a; if (c) y[i] = b;`, where nothing can see what was stored first.
//!
//! (LLVM's SimplifyCFG sinks such code.)

use analysis::Analyses;
use ir::cfg::Cfg;
use ir::*;
use target::costs::effort::SIDES_COMPARED;

/// Sinks. True if there was something.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let mut changed = false;
    // Where inner branches' ways meet first: the ways of outer ones then end with what has been sunk there.
    for &block in &cfg.order {
        let preds = &cfg.preds[block];
        let around = Around::of(func, cfg, block);
        let comes_here = |&pred: &Block| {
            // (A loop's header has a way from behind.)
            let ahead = cfg.position[pred] < cfg.position[block];
            ahead && (matches!(func.terminator(pred), InstData::Jump { .. }) || around.is_some_and(|around| around.branch == pred))
        };
        if preds.len() > 1 && preds.iter().all(comes_here) {
            let mut stores = Vec::new();
            while let Some(last) = preds.iter().map(|&pred| last_store(func, pred)).collect::<Option<Vec<Inst>>>()
                && last[1..].iter().all(|&other| are_alike(func, last[0], other))
                && around.is_none_or(|around| around.does_not_see(func, &last))
            {
                sink(func, block, preds, &last, &mut stores);
            }
            changed |= !stores.is_empty();
            // The last one was sunk first.
            func.block_mut(block).insts.splice(0..0, stores.into_iter().rev());
        }
    }
    changed
}

/// A block that another goes around: `branch` goes there, or to where it leads.
#[derive(Clone, Copy)]
struct Around {
    branch: Block,
    side: Block,
}

impl Around {
    /// The two ways to a block, if they are such.
    fn of(func: &Function, cfg: &Cfg, block: Block) -> Option<Around> {
        let &[a, b] = &cfg.preds[block] else { return None };
        let (branch, side) = if cfg.preds[b] == [a] { (a, b) } else { (b, a) };
        let leads_there = func.branch(branch).is_some() && matches!(func.terminator(side), InstData::Jump { .. });
        (leads_there && cfg.preds[side] == [branch]).then_some(Around { branch, side })
    }

    /// Nothing that the side does can tell whether the store ahead of it has been done; one of `last` is the side's own.
    fn does_not_see(self, func: &Function, last: &[Inst]) -> bool {
        let Some(InstData::Store { mem: stored, .. }) = last.first().map(|&store| &func.inst(store).data) else {
            return false;
        };
        let (_, body) = func.block(self.side).insts.split_last().expect("a block has a terminator");
        body.iter()
            .filter(|inst| !last.contains(inst))
            .all(|&inst| match &func.inst(inst).data {
                InstData::Load { mem, .. } if !mem.is_volatile() => !mem.may_meet(stored.space, stored.alias),
                data => !data.has_side_effects() && !data.reads_memory(),
            })
    }
}

/// A block's store behind which it does nothing to memory, nor reads any that others write.
fn last_store(func: &Function, block: Block) -> Option<Inst> {
    let (_, body) = func.block(block).insts.split_last()?;
    let is_busy = |&inst: &Inst| {
        let data = &func.inst(inst).data;
        data.has_side_effects() || data.reads_memory()
    };
    let last = body.iter().copied().rev().take(SIDES_COMPARED).find(is_busy)?;
    match &func.inst(last).data {
        InstData::Store { mem, .. } if !mem.is_volatile() => Some(last),
        _ => None,
    }
}

/// They store values of one type to one place.
fn are_alike(func: &Function, first: Inst, other: Inst) -> bool {
    match (&func.inst(first).data, &func.inst(other).data) {
        (
            InstData::Store { value, address, mask, mem },
            InstData::Store {
                value: other,
                address: to,
                mask: by,
                mem: of,
            },
        ) => {
            let once = |mem: &MemInfo| mem.flags & MemFlags::ONCE;
            func.ty(*value) == func.ty(*other) && (address, mask, mem.space, mem.alias, once(mem)) == (to, by, of.space, of.alias, once(of))
        }
        _ => false,
    }
}

/// Takes the predecessors' `last` stores out of them; the one instead of them comes to the `stores` that the block begins with.
fn sink(func: &mut Function, block: Block, preds: &[Block], last: &[Inst], stores: &mut Vec<Inst>) {
    let mut values = Vec::new();
    let mut common: Option<MemInfo> = None;
    for (&pred, &store) in preds.iter().zip(last) {
        if let InstData::Store { value, mem, .. } = &func.inst(store).data {
            values.push(*value);
            common = Some(common.map_or(*mem, |common| MemInfo {
                flags: common.flags & mem.flags,
                align: common.align.min(mem.align),
                ..common
            }));
        }
        func.block_mut(pred).insts.retain(|&inst| inst != store);
    }
    let chosen = match values.iter().all(|&value| value == values[0]) {
        true => values[0],
        false => {
            for (&pred, &value) in preds.iter().zip(&values) {
                let targets = func.terminator_mut(pred).targets_mut();
                targets
                    .into_iter()
                    .filter(|target| target.block == block)
                    .for_each(|target| target.args.push(value));
            }
            func.add_param(block, func.ty(values[0]))
        }
    };
    if let InstData::Store { value, mem, .. } = &mut func.inst_mut(last[0]).data {
        *value = chosen;
        *mem = common.unwrap_or(*mem);
    }
    stores.push(last[0]);
}
