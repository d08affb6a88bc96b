//! How long an iteration of a loop waits for the one before.

use crate::latency::latency_of;
use ir::cfg::Loops;
use ir::*;
use rustc_hash::FxHashMap;
use target::Costs;

/// Cycles on the longest way from a value that a loop hands on to the value that the next iteration has in its place, and whether an instruction that
/// is `marked` is on such a way.
pub fn longest(func: &Function, loops: &Loops, index: usize, costs: &Costs, marked: impl Fn(Inst) -> bool) -> (u32, bool) {
    longest_by(func, loops, index, |data| latency_of(func, data, costs), marked)
}

/// The same, where latencies are others.
pub fn longest_by(
    func: &Function,
    loops: &Loops,
    index: usize,
    latency: impl Fn(&InstData) -> u32,
    marked: impl Fn(Inst) -> bool,
) -> (u32, bool) {
    let natural = &loops.loops[index];
    let mut longest = 0;
    let mut marks = false;
    for &param in &func.block(natural.header).params {
        // By value: cycles since the parameter was known, and whether something marked is on the way from it.
        let mut since: FxHashMap<Value, (u32, bool)> = FxHashMap::default();
        since.insert(param, (0, false));
        for &block in &natural.blocks {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                let mut start: Option<(u32, bool)> = None;
                node.data
                    .for_each_operand(|&value| start = later(start, since.get(&value).copied()));
                if let Some((cycles, mark)) = start {
                    let after = (cycles + latency(&node.data), mark || marked(inst));
                    since.extend(node.results.iter().map(|&result| (result, after)));
                }
            }
            for call in func.terminator(block).targets() {
                for (&arg, &to) in call.args.iter().zip(&func.block(call.block).params) {
                    let Some(&(cycles, mark)) = since.get(&arg) else { continue };
                    if call.block != natural.header {
                        let before = since.get(&to).copied();
                        since.extend(later(before, Some((cycles, mark))).map(|both| (to, both)));
                    } else if to == param {
                        longest = longest.max(cycles);
                        marks |= mark;
                    }
                }
            }
        }
    }
    (longest, marks)
}

fn later(a: Option<(u32, bool)>, b: Option<(u32, bool)>) -> Option<(u32, bool)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.max(b.0), a.1 || b.1)),
        (known, None) | (None, known) => known,
    }
}
