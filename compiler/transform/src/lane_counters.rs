//! What lanes have counted when they leave a loop is counted in lanes.
//!
//! All lanes that are still on have counted alike, so that the counter is a scalar. What each has when it leaves is kept in a vector: in each iteration
//! the counter is spread over the lanes, and put where lanes are on. One addition where lanes are on is the same.
//!
//! ```text
//! loop(s, on, last):                         loop(s, on, last):
//!   next = s + 1                               next = s + 1
//!   kept = on ? splat next : last              kept = on ? last + 1 : last
//!   loop(next, on & …, kept)                   loop(next, on & …, kept)
//! ```

use analysis::Analyses;
use ir::cfg::{Cfg, Loop};
use ir::*;
use rustc_hash::FxHashMap;
use target::Machine;

/// What is kept of a counter.
struct Kept {
    header: Block,
    /// What all lanes that are on had before the loop, and what was kept.
    before: Vec<(Block, [Value; 3])>,
    param: Value,
    position: usize,
    mask: Value,
    step: u64,
}

/// Replaces. True if something changed.
pub fn run(func: &mut Function, machine: &Machine, analyses: &mut Analyses) -> bool {
    if !func.insts().any(|inst| is_counter_kept(func, inst).is_some()) {
        return false;
    }
    let flow = analyses.flow(func);
    let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
    for inst in func.insts() {
        func.inst(inst).data.for_each_operand(|&value| *uses.entry(value).or_default() += 1);
    }
    let mut found: FxHashMap<Inst, Kept> = FxHashMap::default();
    for natural in &flow.loops().loops {
        for position in 0..func.block(natural.header).params.len() {
            found.extend(kept(func, &flow.cfg, natural, position, &uses));
        }
    }
    for kept in found.values() {
        kept.begin(func);
    }
    func.expand(|func, block, inst| {
        let kept = found.get(&inst)?;
        let ty = func.ty(kept.param);
        let mut b = Builder::new(func, block);
        let step = b.constant(ty, kept.step);
        if machine.registers.have_masks_apart() {
            let more = b.add(kept.param, step);
            return Some(b.select(kept.mask, more, kept.param));
        }
        let none = b.constant(ty, 0);
        let step = b.select(kept.mask, step, none);
        Some(b.add(kept.param, step))
    })
}

/// `mask ? splat s : other`, with integers: the mask, `s` and the other.
fn is_counter_kept(func: &Function, inst: Inst) -> Option<[Value; 3]> {
    let InstData::Select {
        mask,
        args: [counted, other],
    } = func.inst(inst).data
    else {
        return None;
    };
    let ty = func.ty(other);
    (ty.is_vector() && ty.elem.is_int() && func.ty(mask).is_vector()).then_some(())?;
    Some([mask, func.splatted(counted)?, other])
}

fn kept(func: &Function, cfg: &Cfg, natural: &Loop, position: usize, uses: &FxHashMap<Value, u32>) -> Option<(Inst, Kept)> {
    let header = natural.header;
    let &[latch] = natural.latches.as_slice() else { return None };
    let params = &func.block(header).params;
    let handed = |param: Value| {
        let position = params.iter().position(|&other| other == param)?;
        Some((position, func.handed(latch, header, position)?))
    };
    let param = params[position];
    let (_, back) = handed(param)?;
    let inst = func.def_inst(back)?;
    let [mask, next, last] = is_counter_kept(func, inst)?;
    let InstData::Select { args: [spread, _], .. } = func.inst(inst).data else {
        return None;
    };
    // Lanes that are on have been on in all iterations before.
    let (masks, stay_on) = handed(mask)?;
    let stays_off = matches!(func.def_data(stay_on)?, InstData::Binary { op: BinaryOp::And, args } if args.contains(&mask));
    let &InstData::Binary {
        op: BinaryOp::Add,
        args: [counter, step],
    } = func.def_data(next)?
    else {
        return None;
    };
    let (counters, counted) = handed(counter)?;
    if last != param || !stays_off || counted != next || uses.get(&spread) != Some(&1) {
        return None;
    }
    let outside = cfg.preds[header].iter().copied().filter(|&pred| pred != latch);
    let before = outside.map(|pred| {
        let at = |position| func.handed(pred, header, position);
        Some((pred, [at(masks)?, at(counters)?, at(position)?]))
    });
    let before: Vec<(Block, [Value; 3])> = before.collect::<Option<_>>()?;
    // What lanes that are on have before the first iteration is another value then, which nobody else may see.
    let begins_alike = before.iter().all(|&(_, [_, counter, last])| is_same_constant(func, counter, last));
    if !begins_alike && uses.get(&param) != Some(&1) {
        return None;
    }
    let kept = Kept {
        header,
        before,
        param,
        position,
        mask,
        step: func.constant(step)?,
    };
    Some((inst, kept))
}

/// A scalar and all lanes of a vector are one constant.
fn is_same_constant(func: &Function, scalar: Value, vector: Value) -> bool {
    func.constant(scalar).is_some_and(|bits| func.constant(vector) == Some(bits))
}

impl Kept {
    /// Lanes that are on have the counter where the loop begins.
    fn begin(&self, func: &mut Function) {
        let ty = func.ty(self.param);
        for &(pred, [mask, counter, last]) in &self.before {
            if is_same_constant(func, counter, last) {
                continue;
            }
            let splat = InstData::Lane {
                op: LaneOp::Splat,
                ty,
                args: ValueList::from_slice(&[counter]),
            };
            let spread = func.make_inst(splat, Flags::empty());
            let args = [func.result(spread), last];
            let begun = func.make_inst(InstData::Select { mask, args }, Flags::empty());
            let insts = &mut func.block_mut(pred).insts;
            let end = insts.len() - 1;
            insts.splice(end..end, [spread, begun]);
            let begun = func.result(begun);
            for target in func.terminator_mut(pred).targets_mut() {
                if target.block == self.header {
                    target.args[self.position] = begun;
                }
            }
        }
    }
}
