//! That what is used is defined on each way to its use.

use super::Verifier;
use crate::cfg::Cfg;
use crate::*;
use cranelift_entity::SecondaryMap;

impl Verifier<'_> {
    /// Each operand is defined on each way to its use.
    pub(super) fn uses(&mut self) {
        let func = self.func;
        let cfg = Cfg::new(func);
        let tree = DominatorTree::new(&cfg);
        let (blocks, insts, _) = func.counts();
        let mut live: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(blocks);
        let mut place: SecondaryMap<Inst, Option<(Block, u32)>> = SecondaryMap::with_capacity(insts);
        for &block in &func.layout {
            live[block] = true;
            for (position, &inst) in func.block(block).insts.iter().enumerate() {
                place[inst] = Some((block, position as u32));
            }
        }
        for &block in &func.layout {
            for (position, &inst) in func.block(block).insts.iter().enumerate() {
                (self.block, self.inst) = (Some(block), Some(inst));
                func.inst(inst).data.for_each_operand(|&value| {
                    let (home, defined_before) = match func.def(value) {
                        ValueDef::Param(home, _) if !live[home] => (None, false),
                        ValueDef::Param(home, _) => (Some(home), true),
                        ValueDef::Result(def, _) => match place[def] {
                            Some((home, at)) => (Some(home), at < position as u32),
                            None => (None, false),
                        },
                    };
                    match home {
                        None => self.fail(format_args!("{value} is not defined by any instruction or block of the layout")),
                        Some(home) if home == block => {
                            self.check(defined_before, format_args!("{value} is used before it is defined"));
                        }
                        // Where no path leads, nothing can be wrong.
                        Some(home) => {
                            let right = !cfg.is_reachable(block) || tree.dominates(home, block);
                            self.check(right, format_args!("{value}, defined in {home}, does not dominate this use"));
                        }
                    }
                });
            }
        }
        (self.block, self.inst) = (None, None);
    }
}
