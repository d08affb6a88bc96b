//! Where more vectors are live in a block than there are registers, instructions are put into another order, in which fewer go to memory and back.
//!
//! ```c
//! c0 += a0 * b0; c1 += a1 * b0; …         // c0 += a0 * b0; d0 += a0 * e0;
//! d0 += a0 * e0; d1 += a1 * e0; …         // c1 += a1 * b0; d1 += a1 * e0; …
//! ```
//!
//! Products of tiles that share rows come one tile after the other: each row that is shared is kept in a register until the last tile, or in memory, where
//! there are no more. Here the next instruction is the first of those whose operands are there for which there are registers; if there are none for any, the one
//! after which the fewest are in use. So what is independent stays interleaved, as long as registers allow it. What depends on nothing that the block was
//! given in vectors (what it loads, extends, spreads) is computed where it is first needed. Where no order of the whole is good, chains that need nothing of one
//! another are run in parts ([`parts`]). The order is kept only where it is much better: what is
//! stored and loaded now and then costs little beside other work. (Goodman, Hsu: Code Scheduling and Register Allocation in Large Basic Blocks, 1988.)
//!
//! And where there are enough, what the next iteration of a loop waits for comes first ([`recurrences`]).

mod graph;
mod parts;
mod recurrences;
#[cfg(test)]
mod tests;
mod traffic;

use cranelift_entity::SecondaryMap;
use graph::{Graph, Origin};
use ir::*;
use parts::Parts;
use std::collections::BTreeSet;
use target::Machine;
use target::costs::INSTRUCTIONS_FOR_SPILL;
use target::costs::effort::{SCHEDULED_AT_ONCE, SCHEDULED_BLOCK, SCHEDULED_LOOKS, SCHEDULED_PARTS};

/// Reorders. True if something moved.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    // Cranelift orders by itself.
    if machine.registers.bytes <= 16 {
        return false;
    }
    let registers = machine.registers.count;
    let mut homes = None;
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let count = func.block(block).insts.len();
        if count > SCHEDULED_BLOCK {
            continue;
        }
        if let Some(order) = recurrences::first(func, block, machine) {
            let homes = homes.get_or_insert_with(|| Homes::new(func));
            let before = std::mem::replace(&mut func.block_mut(block).insts, order);
            if !homes.is_crowded(func, block, machine) {
                changed = true;
                continue;
            }
            func.block_mut(block).insts = before;
        }
        if count <= registers as usize {
            continue;
        }
        let homes = homes.get_or_insert_with(|| Homes::new(func));
        if !homes.is_crowded(func, block, machine) {
            continue;
        }
        let Some(graph) = Graph::new(func, homes, block, machine) else {
            continue;
        };
        let before = graph.traffic(0..count, registers);
        if before * INSTRUCTIONS_FOR_SPILL <= count as u64 {
            continue;
        }
        let order = Scheduler::run(&graph, registers);
        let whole = graph.traffic(order.iter().copied(), registers);
        let is_better = |traffic: u64, than: u64| than.saturating_sub(traffic) * INSTRUCTIONS_FOR_SPILL > count as u64;
        let best = if is_better(whole, before) { whole } else { before };
        let mut in_parts: Option<(u64, usize)> = None;
        for &parts in SCHEDULED_PARTS {
            // It may be no use, whatever else is spilled.
            let pays = |traffic: u64| is_better(traffic, best) && in_parts.is_none_or(|(least, _)| traffic < least);
            if !pays(0) {
                break;
            }
            let Some(made) = Parts::make(func, &graph, block, parts) else {
                continue;
            };
            if pays(made.repeated) {
                let all = func.block(block).insts.len();
                let traffic = Graph::new(func, homes, block, machine).map(|graph| graph.traffic(0..all, registers) + made.repeated);
                in_parts = traffic
                    .filter(|&traffic| pays(traffic))
                    .map(|traffic| (traffic, parts))
                    .or(in_parts);
            }
            made.undo(func);
        }
        if let Some((_, parts)) = in_parts {
            changed |= Parts::make(func, &graph, block, parts).is_some();
        } else if best != before {
            let insts = &func.block(block).insts;
            let insts = order.iter().map(|&at| insts[at]).collect();
            func.block_mut(block).insts = insts;
            changed = true;
        }
    }
    changed
}

/// The vector registers that a value takes.
fn registers_of(func: &Function, value: Value, machine: &Machine) -> u32 {
    let ty = func.ty(value);
    // Constants are made where they are used.
    let is_kept = ty.is_vector() && ty.elem != Elem::Mask && func.constant(value).is_none();
    if is_kept { ty.bytes().div_ceil(machine.registers.bytes) } else { 0 }
}

/// Which block computes each value, and which values other blocks use.
struct Homes {
    block: SecondaryMap<Value, Option<Block>>,
    leaves: SecondaryMap<Value, bool>,
    /// By value, the last look at a block in which it was found to be live, and how many there were.
    live: SecondaryMap<Value, u32>,
    looks: u32,
}

impl Homes {
    fn new(func: &Function) -> Homes {
        let block = func.homes(&func.layout);
        let mut leaves = func.per_value(false);
        for &user in &func.layout {
            for &inst in &func.block(user).insts {
                let data = &func.inst(inst).data;
                data.for_each_operand(|&value| leaves[value] |= block[value] != Some(user));
            }
        }
        Homes {
            block,
            leaves,
            live: func.per_value(0),
            looks: 0,
        }
    }

    /// Whether more vectors are live somewhere in a block than there are registers: quickly, since it is asked of each large block.
    fn is_crowded(&mut self, func: &Function, block: Block, machine: &Machine) -> bool {
        self.looks += 1;
        let look = self.looks;
        let mut live = 0;
        for value in func.values_of(block).filter(|&value| self.leaves[value]) {
            self.live[value] = look;
            live += registers_of(func, value, machine);
        }
        let insts = &func.block(block).insts;
        // What comes from elsewhere is live from the start to the end: loops may need it again.
        for &inst in insts {
            func.inst(inst).data.for_each_operand(|&value| {
                if self.block[value] != Some(block) && self.live[value] != look {
                    self.live[value] = look;
                    live += registers_of(func, value, machine);
                }
            });
        }
        let mut most = live;
        for &inst in insts.iter().rev() {
            let node = func.inst(inst);
            for &result in node.results.iter().filter(|&&result| self.live[result] == look) {
                live -= registers_of(func, result, machine);
            }
            node.data.for_each_operand(|&value| {
                if self.live[value] != look {
                    self.live[value] = look;
                    live += registers_of(func, value, machine);
                }
            });
            most = most.max(live);
        }
        most > machine.registers.count
    }
}

/// Finds an order. Roots are chosen; what is not a root is computed for the first that needs it.
struct Scheduler<'g> {
    graph: &'g Graph,
    /// Uses of each value that are to come.
    left: Vec<u32>,
    /// Registers in use, and those that there are.
    live: i64,
    registers: i64,
    is_done: Vec<bool>,
    /// The last search that met an instruction, how many there were, and how many instructions they have met.
    seen: Vec<usize>,
    searches: usize,
    looks: usize,
    order: Vec<usize>,
}

impl Scheduler<'_> {
    fn run(graph: &Graph, registers: u32) -> Vec<usize> {
        let params = graph.values.iter().filter(|value| value.origin == Origin::Param && value.count > 0);
        let count = graph.nodes.len();
        let mut scheduler = Scheduler {
            graph,
            left: graph.values.iter().map(|value| value.count).collect(),
            live: params.map(|value| i64::from(value.registers)).sum(),
            registers: i64::from(registers),
            is_done: vec![false; count],
            seen: vec![0; count],
            searches: 0,
            looks: 0,
            order: Vec::with_capacity(count),
        };
        let mut waits: Vec<usize> = graph.roots_before.iter().map(Vec::len).collect();
        let mut after = vec![Vec::new(); count];
        for at in (0..count).filter(|&at| graph.nodes[at].is_root) {
            graph.roots_before[at].iter().for_each(|&root| after[root].push(at));
        }
        let mut ready: BTreeSet<usize> = (0..count).filter(|&at| graph.nodes[at].is_root && waits[at] == 0).collect();
        while let Some(best) = scheduler.best(&ready) {
            ready.remove(&best);
            scheduler.emit(best);
            for &next in &after[best] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        // What only other blocks need, and the block's end.
        scheduler.order.extend((0..count).filter(|&at| !scheduler.is_done[at]));
        scheduler.order
    }

    /// The first root for which there are registers, or the one after which the fewest are in use.
    fn best(&mut self, ready: &BTreeSet<usize>) -> Option<usize> {
        if ready.len() < 2 || self.looks > SCHEDULED_LOOKS * self.graph.nodes.len() {
            return ready.first().copied();
        }
        let mut best = None;
        for &root in ready.iter().take(SCHEDULED_AT_ONCE) {
            let growth = self.growth(root);
            if self.live + growth <= self.registers {
                return Some(root);
            }
            if best.is_none_or(|(least, _)| growth < least) {
                best = Some((growth, root));
            }
        }
        best.map(|(_, root)| root)
    }

    /// A root and what is computed for it, in the order in which they stand.
    fn with_operands(&mut self, root: usize) -> Vec<usize> {
        self.searches += 1;
        let mut all = vec![root];
        let mut next = 0;
        while let Some(&at) = all.get(next) {
            for &before in &self.graph.nodes[at].before {
                if !self.is_done[before] && self.seen[before] != self.searches {
                    self.seen[before] = self.searches;
                    all.push(before);
                }
            }
            next += 1;
        }
        self.looks += all.len();
        all.sort_unstable();
        all
    }

    /// How many registers more are in use after a root.
    fn growth(&mut self, root: usize) -> i64 {
        let all = self.with_operands(root);
        let growth = all.iter().map(|&at| self.step(at)).sum();
        // As it was.
        for &at in &all {
            for &value in &self.graph.nodes[at].uses {
                self.left[value] += 1;
            }
        }
        growth
    }

    /// Counts an instruction's uses, and the registers that it takes more than it frees.
    fn step(&mut self, at: usize) -> i64 {
        let (node, values) = (&self.graph.nodes[at], &self.graph.values);
        let made = node.makes.iter().filter(|&&value| values[value].count > 0);
        let mut growth: i64 = made.map(|&value| i64::from(values[value].registers)).sum();
        for &value in &node.uses {
            let registers = i64::from(values[value].registers);
            if values[value].origin == Origin::Elsewhere && self.left[value] == values[value].count {
                growth += registers;
            }
            self.left[value] -= 1;
            if self.left[value] == 0 {
                growth -= registers;
            }
        }
        growth
    }

    fn emit(&mut self, root: usize) {
        for at in self.with_operands(root) {
            self.live += self.step(at);
            self.is_done[at] = true;
            self.order.push(at);
        }
    }
}
