//! What work-items do before their ids are taken apart.

use super::parts::{Ids, Part};
use analysis::Flow;
use ir::*;
use target::costs::assumed::TRIP_COUNT;

/// What a work-item does, where loops count as many rounds as are usual.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// All that it does.
    pub instructions: f64,
    /// Accesses to memory at places that its column or row tells, rather than its id.
    pub accesses: f64,
}

impl Ids<'_> {
    /// What work-items do.
    pub fn work(&self) -> Work {
        let func = self.func;
        let flow = Flow::new(func);
        let loops = flow.loops();
        let mut of_parts = func.per_value(false);
        let mut work = Work {
            instructions: 0.0,
            accesses: 0.0,
        };
        for &block in &flow.cfg.order {
            let rounds = f64::from(TRIP_COUNT).powi(loops.depth(block) as i32);
            for &inst in &func.block(block).insts {
                work.instructions += rounds;
                if let Some(Access { address, .. }) = func.access(inst) {
                    let is_told = of_parts[address.base] || address.index.is_some_and(|index| of_parts[index]);
                    work.accesses += if is_told { rounds } else { 0.0 };
                }
                let node = func.inst(inst);
                if let Some(&value) = node.results.first() {
                    let mut is_of_parts = matches!(self.parts[value], Some(Part::Quotient(_) | Part::Remainder(_) | Part::Within(..)));
                    if matches!(
                        node.data,
                        InstData::Binary { .. } | InstData::Convert { .. } | InstData::Select { .. }
                    ) {
                        node.data.for_each_operand(|operand| is_of_parts |= of_parts[*operand]);
                    }
                    of_parts[value] = is_of_parts;
                }
            }
        }
        work
    }
}
