//! Cold blocks become part of what is around them.
//!
//! Functions do rare operands in a block of their own, which is jumped around: `if (any lane is special) y = slow(x) in these lanes;`. What takes loops of one
//! block, or gangs that all go one way, would leave code with such functions alone. So between here and [`part_cold`](super::part_cold) the block's instructions
//! stand where it was jumped around, and selects that are called rare choose what they compute.
//!
//! Only what is pure is merged: it may be done where nothing asks for it, and as often as several iterations or gangs are done at once.

use ir::cfg::Cfg;
use ir::*;

/// Merges. True if there was a cold block.
pub fn run(func: &mut Function) -> bool {
    if !func.layout.iter().any(|&block| func.block(block).cold) {
        return false;
    }
    let cfg = Cfg::new(func);
    let found: Vec<Diversion> = cfg.order.iter().filter_map(|&block| Diversion::find(func, &cfg, block)).collect();
    let mut map = ValueMap::default();
    let mut gone = func.per_block(false);
    for diversion in &found {
        diversion.merge(func, &mut map);
        diversion.gone.into_iter().flatten().for_each(|block| gone[block] = true);
    }
    func.substitute(&map);
    func.layout.retain(|&block| !gone[block]);
    !found.is_empty()
}

/// A way through a cold block, and back to where nearly all go at once.
struct Diversion {
    from: Block,
    condition: Value,
    back: Block,
    /// What is handed back from the cold block, and usually.
    handed: [ValueList; 2],
    /// The cold block, and an empty one on the usual way.
    gone: [Option<Block>; 2],
}

impl Diversion {
    fn find(func: &Function, cfg: &Cfg, from: Block) -> Option<Diversion> {
        let (condition, [first, second]) = func.branch(from)?;
        // (A value that is zero or not would have to be made a truth value.)
        if func.ty(condition) != Type::MASK || func.block(from).cold || !func.block(first.block).cold {
            return None;
        }
        let cold = first.block;
        let only_from = |block: Block| cfg.preds[block] == [from] && func.block(block).params.is_empty();
        let InstData::Jump { target: rejoins } = func.terminator(cold) else {
            return None;
        };
        let usual = match func.terminator(second.block) {
            InstData::Jump { target } if only_from(second.block) && func.block(second.block).insts.len() == 1 => target,
            _ => second,
        };
        let between = (usual != second).then_some(second.block);
        let back = rejoins.block;
        let fits = only_from(cold)
            && usual.block == back
            && back != from
            && cfg.preds[back].len() == 2
            && func.all_before_end(cold, InstData::is_pure);
        fits.then(|| Diversion {
            from,
            condition,
            back,
            handed: [rejoins.args.clone(), usual.args.clone()],
            gone: [Some(cold), between],
        })
    }

    fn merge(&self, func: &mut Function, map: &mut ValueMap) {
        let &Diversion { from, condition, back, .. } = self;
        let [Some(cold), _] = self.gone else { return };
        func.block_mut(from).insts.pop();
        let mut insts = func.take_insts(cold);
        insts.pop();
        func.block_mut(from).insts.extend(&insts);
        let lanes = match func.def_data(condition) {
            Some(InstData::Lane {
                op: LaneOp::AnyTrue, args, ..
            }) => Some(args[0]),
            _ => None,
        };
        for (position, &param) in func.block(back).params.clone().iter().enumerate() {
            let [slow, usual] = [0, 1].map(|way| self.handed[way][position]);
            if slow == usual {
                map.insert(param, slow);
                continue;
            }
            // Mostly the block itself chooses by lanes.
            let chosen = func.def_inst(slow).filter(|inst| insts.contains(inst));
            let by_lanes =
                |&inst: &Inst| matches!(func.inst(inst).data, InstData::Select { mask, args } if Some(mask) == lanes && args[1] == usual);
            let chosen = chosen.filter(by_lanes).unwrap_or_else(|| {
                let data = InstData::Select {
                    mask: condition,
                    args: [slow, usual],
                };
                func.append(from, data, Flags::empty())
            });
            func.inst_mut(chosen).flags |= Flags::RARE;
            map.insert(param, func.result(chosen));
        }
        func.block_mut(back).params.clear();
        Builder::new(func, from).jump(back, &[]);
    }
}
