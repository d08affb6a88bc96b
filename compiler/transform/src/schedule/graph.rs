//! What must come before what in a block, and the registers that its values take.

use super::super::memory::Touch;
use super::{Homes, registers_of};
use cranelift_entity::SecondaryMap;
use ir::*;
use target::Machine;
use target::costs::effort::SCHEDULED_PAIRS;

/// An instruction of the block, by its place in it.
#[derive(Default)]
pub struct Node {
    /// Values of the block that it uses, each once, and those it makes.
    pub uses: Vec<usize>,
    pub makes: Vec<usize>,
    /// Instructions that must come before.
    pub before: Vec<usize>,
    /// It needs vectors that the block was given, or writes memory: it is not just computed where it is needed.
    pub is_root: bool,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The block's own parameter: in a register at the start.
    Param,
    /// Another block: in memory, if there are too few registers, until it is used.
    Elsewhere,
    /// An instruction of the block.
    Here,
}

/// A value that instructions of the block use.
pub struct Used {
    /// Vector registers.
    pub registers: u32,
    /// Instructions that use it; other blocks are one more if it leaves.
    pub count: u32,
    /// Other blocks use it, and this one makes it.
    pub leaves: bool,
    pub origin: Origin,
}

/// A block's instructions, and the values they use.
pub struct Graph {
    pub nodes: Vec<Node>,
    pub values: Vec<Used>,
    /// The roots that an instruction waits for, directly or through what is computed for it.
    pub roots_before: Vec<Vec<usize>>,
}

impl Graph {
    /// None if more hangs together than is worth looking at.
    pub fn new(func: &Function, homes: &Homes, block: Block, machine: &Machine) -> Option<Graph> {
        let insts = &func.block(block).insts;
        let mut numbers = Numbers {
            func,
            homes,
            block,
            machine,
            of: func.per_value(None),
            values: Vec::new(),
            makers: Vec::new(),
        };
        for &param in &func.block(block).params {
            numbers.number(param, None);
        }
        let mut nodes: Vec<Node> = Vec::with_capacity(insts.len());
        let mut memory = Memory::default();
        for (at, &inst) in insts.iter().enumerate() {
            let (data, results) = (&func.inst(inst).data, &func.inst(inst).results);
            let mut node = Node::default();
            data.for_each_operand(|&value| {
                let value = numbers.number(value, None);
                if !node.uses.contains(&value) {
                    node.uses.push(value);
                    numbers.values[value].count += 1;
                }
            });
            node.is_root = node.uses.iter().any(|&value| match numbers.makers[value] {
                Some(maker) => nodes[maker].is_root,
                None => numbers.values[value].registers > 0,
            });
            node.before.extend(node.uses.iter().filter_map(|&value| numbers.makers[value]));
            memory.order(at, data, &mut node);
            node.before.sort_unstable();
            node.before.dedup();
            node.makes = results.iter().map(|&result| numbers.number(result, Some(at))).collect();
            nodes.push(node);
        }
        // The end comes last in any order.
        if let Some(end) = nodes.last_mut() {
            (end.is_root, end.before) = (false, Vec::new());
        }
        let mut graph = Graph {
            nodes,
            values: numbers.values,
            roots_before: Vec::new(),
        };
        (memory.pairs <= SCHEDULED_PAIRS * insts.len() && graph.find_roots()).then_some(graph)
    }

    /// A root and what is computed for it, in the order in which they stand, without what is done.
    pub fn needed(&self, root: usize, is_done: &[bool]) -> Vec<usize> {
        let (mut all, mut next) = (vec![root], 0);
        while let Some(&at) = all.get(next) {
            for &before in &self.nodes[at].before {
                if !is_done[before] && !all.contains(&before) {
                    all.push(before);
                }
            }
            next += 1;
        }
        all.sort_unstable();
        all
    }

    /// False if there are too many.
    fn find_roots(&mut self) -> bool {
        let mut pairs = 0;
        for node in &self.nodes {
            let mut roots: Vec<usize> = Vec::new();
            for &before in &node.before {
                match self.nodes[before].is_root {
                    true => roots.push(before),
                    false => roots.extend(&self.roots_before[before]),
                }
            }
            pairs += roots.len();
            if pairs > SCHEDULED_PAIRS * self.nodes.len() {
                return false;
            }
            roots.sort_unstable();
            roots.dedup();
            self.roots_before.push(roots);
        }
        true
    }
}

/// Numbers values as they are met.
struct Numbers<'f> {
    func: &'f Function,
    homes: &'f Homes,
    block: Block,
    machine: &'f Machine,
    of: SecondaryMap<Value, Option<usize>>,
    values: Vec<Used>,
    /// The instruction that makes each.
    makers: Vec<Option<usize>>,
}

impl Numbers<'_> {
    fn number(&mut self, value: Value, maker: Option<usize>) -> usize {
        if let Some(number) = self.of[value] {
            return number;
        }
        let origin = match maker {
            Some(_) => Origin::Here,
            None if self.homes.block[value] == Some(self.block) => Origin::Param,
            None => Origin::Elsewhere,
        };
        let leaves = origin != Origin::Elsewhere && self.homes.leaves[value];
        self.values.push(Used {
            registers: registers_of(self.func, value, self.machine),
            count: u32::from(leaves),
            leaves,
            origin,
        });
        self.makers.push(maker);
        self.of[value] = Some(self.makers.len() - 1);
        self.makers.len() - 1
    }
}

/// What the instructions so far did to memory.
#[derive(Default)]
struct Memory {
    /// Loads that may still move behind what comes.
    loads: Vec<(usize, MemInfo)>,
    /// What stays in its order: what writes, waits, or reads what others write.
    ordered: Vec<(usize, Touch)>,
    pairs: usize,
}

impl Memory {
    /// Notes an instruction, and what it must come after.
    fn order(&mut self, at: usize, data: &InstData, node: &mut Node) {
        match data {
            InstData::Load { mem, .. } | InstData::LoadInterleaved { mem, .. } if !data.has_side_effects() => {
                let write = self.ordered.iter().rposition(|(_, touch)| touch.may_change(mem));
                self.pairs += self.ordered.len() - write.unwrap_or(0);
                node.before.extend(write.map(|write| self.ordered[write].0));
                self.loads.push((at, *mem));
            }
            data if data.is_pure() => {}
            data => {
                let touch = Touch::of(data);
                node.is_root = true;
                node.before.extend(self.ordered.last().map(|&(at, _)| at));
                self.pairs += self.loads.len();
                // Behind this they are behind what comes later, too.
                self.loads.retain(|(load, mem)| {
                    let stays_before = touch.may_change(mem);
                    node.before.extend(stays_before.then_some(load));
                    !stays_before
                });
                self.ordered.push((at, touch));
            }
        }
    }
}
