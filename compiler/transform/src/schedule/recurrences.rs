//! What the next iteration of a loop waits for is computed first.
//!
//! ```c
//! a ^= hash(x);            // y = x * m + c;
//! x = x * m + c;           // a ^= hash(x); x = y;
//! ```
//!
//! Machines that run instructions out of order take the oldest of those that could run: the product, which the next iteration waits for, comes after the
//! hash of this one, and after what is left of those before. Nothing waits for the hash. Where the chain through an iteration takes about as long as the
//! machine is busy with all of it, that is what the loop waits for. (Zen and Golden Cove alike.)

use analysis::latency::latency_of;
use analysis::throughput::gang_cycles;
use ir::*;
use target::Machine;

/// The block's instructions in such an order, if it is a loop by itself and they are in another one.
pub(super) fn first(func: &Function, block: Block, machine: &Machine) -> Option<Vec<Inst>> {
    let next = next_values(func, block)?;
    let insts = &func.block(block).insts;
    let work: f32 = insts.iter().map(|&inst| gang_cycles(func, inst, machine)).sum();
    let mut is_first = vec![false; insts.len()];
    let handed_on = func.block(block).params.iter().zip(&next);
    for (&param, &next) in handed_on.filter(|&(&param, _)| func.ty(param).is_vector()) {
        // In half of the time of an iteration the machine comes to all that is left over from others.
        if (cycles_between(func, insts, param, next, machine) * 2) as f32 <= work {
            continue;
        }
        let needed = needed_for(func, insts, next)?;
        let share: f32 = insts
            .iter()
            .zip(&needed)
            .map(|(&inst, &is_needed)| if is_needed { gang_cycles(func, inst, machine) } else { 0.0 })
            .sum();
        // Where it is nearly all, hardly anything is in its way.
        if share <= work * 0.75 {
            is_first
                .iter_mut()
                .zip(needed)
                .for_each(|(is_first, is_needed)| *is_first |= is_needed);
        }
    }
    let of = |wanted: bool| insts.iter().zip(&is_first).filter(move |&(_, &is_first)| is_first == wanted);
    let order: Vec<Inst> = of(true).chain(of(false)).map(|(&inst, _)| inst).collect();
    (order != *insts).then_some(order)
}

/// What a block that is a loop by itself hands to its next iteration, be it by way of a block that does nothing else.
fn next_values(func: &Function, block: Block) -> Option<ValueList> {
    func.terminator(block).targets().into_iter().find_map(|call| {
        let is_between = |other: Block| func.block(other).insts.len() == 1 && func.block(other).params.is_empty();
        let back = match call.block {
            other if other != block && is_between(other) => func.terminator(other).targets().into_iter().next()?,
            _ => call,
        };
        (back.block == block).then(|| back.args.clone())
    })
}

/// Cycles on the longest way from one value to another in a block; 0 if there is none.
fn cycles_between(func: &Function, insts: &[Inst], from: Value, to: Value, machine: &Machine) -> u32 {
    let mut since: Local<u32> = Local::new();
    since.insert(from, 0);
    for &inst in insts {
        let node = func.inst(inst);
        let mut start: Option<u32> = None;
        node.data.for_each_operand(|&value| start = start.max(since.get(value).copied()));
        if let Some(start) = start {
            let done = start + latency_of(func, &node.data, &machine.costs);
            node.results.iter().for_each(|&result| _ = since.insert(result, done));
        }
    }
    since.get(to).copied().unwrap_or(0)
}

/// Which instructions of a block a value is computed by. None if one of them must stay where it is.
fn needed_for(func: &Function, insts: &[Inst], value: Value) -> Option<Vec<bool>> {
    let mut wanted: Local<()> = Local::new();
    wanted.insert(value, ());
    let mut needed = vec![false; insts.len()];
    for (at, &inst) in insts.iter().enumerate().rev() {
        let node = func.inst(inst);
        if !node.results.iter().any(|&result| wanted.get(result).is_some()) {
            continue;
        }
        if !node.data.is_pure() {
            return None;
        }
        needed[at] = true;
        node.data.for_each_operand(|&operand| _ = wanted.insert(operand, ()));
    }
    Some(needed)
}
