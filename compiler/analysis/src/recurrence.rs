//! How long an iteration of a loop waits for the one before.

use crate::latency::latency_of;
use cranelift_entity::SecondaryMap;
use ir::cfg::Loops;
use ir::*;
use target::Costs;

/// Cycles on the longest way from a value that a loop hands on to the value that the next iteration has in its place, and whether an instruction that
/// is `marked` is on such a way.
pub fn longest(func: &Function, loops: &Loops, index: usize, costs: &Costs, marked: impl Fn(Inst) -> bool) -> (u32, bool) {
    let (cycles, marks) = longest_with_marks(func, loops, index, costs, |inst| u32::from(marked(inst)));
    (cycles, marks != 0)
}

/// The same for several marks at once: those of an instruction, a bit each, and of all on such ways.
pub fn longest_with_marks(func: &Function, loops: &Loops, index: usize, costs: &Costs, marks: impl Fn(Inst) -> u32) -> (u32, u32) {
    walk(func, loops, index, |data| latency_of(func, data, costs), marks)
}

/// The cycles alone, where latencies are others.
pub fn longest_by(func: &Function, loops: &Loops, index: usize, latency: impl Fn(&InstData) -> u32) -> u32 {
    walk(func, loops, index, latency, |_| 0).0
}

/// What is known of a value on the ways from a parameter.
#[derive(Clone, Copy, Default)]
struct Since {
    /// The number of the last parameter that it was found to depend on, from 1.
    param: u32,
    /// Since the parameter was known.
    cycles: u32,
    /// What is on the way.
    marks: u32,
}

fn walk(func: &Function, loops: &Loops, index: usize, latency: impl Fn(&InstData) -> u32, marks: impl Fn(Inst) -> u32) -> (u32, u32) {
    let natural = &loops.loops[index];
    let params = &func.block(natural.header).params;
    let mut longest = (0, 0);
    if params.is_empty() {
        return longest;
    }
    let mut since: SecondaryMap<Value, Since> = func.per_value(Since::default());
    for (number, &param) in (1..).zip(params) {
        since[param] = Since {
            param: number,
            ..Since::default()
        };
        for &block in &natural.blocks {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                let mut start = Since::default();
                node.data.for_each_operand(|&value| start.meet(since[value], number));
                if start.param == number {
                    start.cycles += latency(&node.data);
                    start.marks |= marks(inst);
                    node.results.iter().for_each(|&result| since[result] = start);
                }
            }
            func.terminator(block).for_each_target(|call| {
                for (&arg, &to) in call.args.iter().zip(&func.block(call.block).params) {
                    let from = since[arg];
                    if call.block != natural.header {
                        since[to].meet(from, number);
                    } else if to == param && from.param == number {
                        longest = (longest.0.max(from.cycles), longest.1 | from.marks);
                    }
                }
            });
        }
    }
    longest
}

impl Since {
    /// Another way meets this one, if it is from the parameter with this number.
    fn meet(&mut self, other: Since, param: u32) {
        if other.param != param {
            return;
        }
        *self = match self.param == param {
            true => Since {
                param,
                cycles: self.cycles.max(other.cycles),
                marks: self.marks | other.marks,
            },
            false => other,
        };
    }
}
