//! Numbers of 64 bits of which only the lower 32 are ever looked at are counted in 32 bits.
//!
//! `for (int i = get_global_id(0); i < n; i += get_global_size(0))` adds in 64 bits and cuts the sum, and compilers hand the sum to the
//! next iteration uncut. As a number of 32 bits it is seen to grow from lane to lane, and vectors of it are half as long. Sums, products
//! and bits of numbers modulo 2^32 need no more of these than that.

use super::{Fate, Known, Rule, extended_from, rewrite};
use analysis::Analyses;
use analysis::bits::Demanded;
use analysis::bits::demanded::is_modular;
use ir::*;

/// Rewrites parameters of blocks, and what is computed of them. True if something changed; what is not needed any more is left for `dce`.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let order = &analyses.flow(func).cfg.order;
    // (The entry's parameters are the function's.)
    let mut params = order[1..].iter().flat_map(|&block| &func.block(block).params);
    if !params.any(|&param| func.ty(param) == Type::I64) && !func.insts_of(order).any(|inst| cuts(func, inst)) {
        return false;
    }
    let (flow, demanded) = analyses.demanded(func);
    rewrite(func, &flow.cfg.order, [Type::I64, Type::I32], &LowerHalves { demanded })
}

struct LowerHalves<'a> {
    demanded: &'a Demanded,
}

impl Rule for LowerHalves<'_> {
    fn inst(&self, func: &Function, inst: Inst, known: &Known) -> Fate {
        let data = &func.inst(inst).data;
        let is_there = |&value: &Value| known[value].is_some() || extended_from(func, Type::I32, value).is_some();
        match data.any_operand(is_there) && is_modular(func, data) && self.takes_param(func, func.result(inst)) {
            true => Fate::Beside(data.clone()),
            false => Fate::Stays,
        }
    }

    fn takes_param(&self, func: &Function, value: Value) -> bool {
        func.ty(value) == Type::I64 && self.demanded.of(value) <= 32
    }
}

/// Cuts what is computed of numbers that were extended.
fn cuts(func: &Function, inst: Inst) -> bool {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::Trunc,
            ty: Type::I32,
            arg,
            ..
        } => func.def_data(arg).is_some_and(|data| {
            let extends = data.any_operand(|&value| extended_from(func, Type::I32, value).is_some());
            extends && is_modular(func, data)
        }),
        _ => false,
    }
}
