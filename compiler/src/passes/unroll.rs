//! Small loops whose number of turns is known become their turns, one after the other.
//!
//! SPIR-V that no optimizer has seen (SYCL's sub-group loads and stores, matrices of a work-item's own) fills and reads arrays in such loops. With
//! the counter a constant in each turn, the places in the array are known, and the array becomes values ([`super::mem2reg`]); in a loop it
//! would stay in memory, and be gathered from there lane by lane.
//!
//! The loop itself becomes the last turn, so that what is used behind it needs no other name; the turns before are copies.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// The most turns that are looked for.
const MOST_TURNS: usize = 64;
/// So many instructions may the copies have of a loop that finds its place in an array by its counter, and of any other.
const BUDGET_WITH_ARRAY: usize = 600;
const BUDGET: usize = 64;
/// No function becomes larger than this by unrolling.
const LARGEST: usize = 4000;
/// How far an address is followed to the variable that it is in.
const STEPS: usize = 8;
/// How far a counter's value is followed.
const DEPTH: u32 = 16;

/// Unrolls the innermost loops that are worth it. True if there were some.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let mut size = func.inst_count();
    let mut changed = false;
    let mut holds_others = vec![false; loops.loops.len()];
    loops
        .loops
        .iter()
        .filter_map(|natural| natural.parent)
        .for_each(|parent| holds_others[parent] = true);
    for index in (0..loops.loops.len()).filter(|&index| !holds_others[index]) {
        let Some(counted) = Counted::find(func, &cfg, &loops, index) else {
            continue;
        };
        let blocks = &loops.loops[index].blocks;
        let copied = (counted.turns - 1) * blocks.iter().map(|&block| func.block(block).insts.len()).sum::<usize>();
        let budget = if indexes_an_array(func, blocks) {
            BUDGET_WITH_ARRAY
        } else {
            BUDGET
        };
        if copied <= budget && size + copied <= LARGEST && may_be_copied(func, blocks) {
            unroll(func, &counted, blocks);
            size += copied;
            changed = true;
        }
    }
    if changed {
        super::simplify_cfg::remove_unreachable(func);
    }
    changed
}

/// A loop with one way in, one way back, and one way out, which is taken in a known turn.
struct Counted {
    header: Block,
    before: Block,
    latch: Block,
    /// The block that decides.
    test: Block,
    /// Where the way out goes, by the position among the test's targets.
    exit: usize,
    /// How often the test is reached: once at least.
    turns: usize,
}

impl Counted {
    fn find(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<Counted> {
        let natural = &loops.loops[index];
        let header = natural.header;
        let [latch] = *natural.latches.as_slice() else { return None };
        let outside = |&block: &Block| !loops.contains(index, block);
        let mut ways_in = cfg.preds[header].iter().copied().filter(outside);
        let (before, None) = (ways_in.next()?, ways_in.next()) else {
            return None;
        };
        let leaves = |block: Block| func.successors(block).iter().any(outside);
        let mut tests = natural.blocks.iter().copied().filter(|&block| leaves(block));
        let (test, None) = (tests.next()?, tests.next()) else { return None };
        let InstData::Branch { condition, targets } = func.terminator(test) else {
            return None;
        };
        let exit = targets.iter().position(|target| outside(&target.block))?;
        // The test is made in each turn, before the way back.
        if !dominates(cfg, header, test, latch) || outside(&targets[1 - exit].block) {
            return None;
        }
        let counter = Counter { func, header };
        let turns = counter.turns(before, latch, *condition, exit)?;
        Some(Counted {
            header,
            before,
            latch,
            test,
            exit,
            turns,
        })
    }
}

/// In a loop: do all ways from the header to `below` lead through `above`?
fn dominates(cfg: &Cfg, header: Block, above: Block, mut below: Block) -> bool {
    while below != above && below != header {
        let Some(next) = cfg.immediate_dominator(below) else { return false };
        below = next;
    }
    below == above
}

/// Follows the values of a loop's parameters from turn to turn, as far as they are known.
struct Counter<'f> {
    func: &'f Function,
    header: Block,
}

impl Counter<'_> {
    fn turns(&self, before: Block, latch: Block, condition: Value, exit: usize) -> Option<usize> {
        let params = &self.func.block(self.header).params;
        let first = self.arguments(before)?;
        let next = self.arguments(latch)?;
        let known = |values: &[Value], state: &FxHashMap<Value, u64>| -> FxHashMap<Value, u64> {
            let known = params
                .iter()
                .zip(values)
                .filter_map(|(&param, &value)| Some((param, self.value(value, state, DEPTH)?)));
            known.collect()
        };
        let mut state = known(&first, &FxHashMap::default());
        for turn in 1..=MOST_TURNS {
            let taken = usize::from(self.value(condition, &state, DEPTH)? == 0);
            if taken == exit {
                return Some(turn);
            }
            state = known(&next, &state);
        }
        None
    }

    /// What a block that jumps to the header in one way hands on.
    fn arguments(&self, from: Block) -> Option<Vec<Value>> {
        let mut calls = self.func.terminator(from).targets().into_iter();
        let (Some(call), None) = (
            calls.find(|call| call.block == self.header),
            calls.find(|call| call.block == self.header),
        ) else {
            return None;
        };
        Some(call.args.iter().copied().collect())
    }

    fn value(&self, value: Value, state: &FxHashMap<Value, u64>, depth: u32) -> Option<u64> {
        if let Some(bits) = self.func.constant(value).or_else(|| state.get(&value).copied()) {
            return Some(bits);
        }
        let depth = depth.checked_sub(1)?;
        let of = |value: Value| self.value(value, state, depth);
        let elem = |value: Value| Some(self.func.ty(value)).filter(|ty| ty.lanes == 1).map(|ty| ty.elem);
        match *self.func.def_data(value)? {
            InstData::Binary { op, args: [a, b] } if is_counting(op) => Some(eval::binary(op, elem(value)?, of(a)?, of(b)?)),
            InstData::IntCompare { cc, args: [a, b] } => Some(u64::from(eval::int_compare(cc, elem(a)?, of(a)?, of(b)?))),
            InstData::Convert {
                op: op @ (ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc),
                ty,
                arg,
                rounding,
                ..
            } => Some(eval::convert(op, elem(arg)?, ty.elem, rounding, of(arg)?)),
            _ => None,
        }
    }
}

fn is_counting(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
    )
}

/// Barriers of the work-group cut a kernel into pieces, each a loop over its gangs: a loop around them stays one.
fn may_be_copied(func: &Function, blocks: &[Block]) -> bool {
    let all = blocks.iter().flat_map(|&block| &func.block(block).insts);
    !all.into_iter().any(|&inst| match func.inst(inst).data {
        InstData::Barrier { execution, .. } => execution != Scope::SubGroup,
        InstData::WorkGroup { .. } | InstData::Call { .. } => true,
        _ => false,
    })
}

/// Does the loop access a variable of the work-item's own at a place that is not known?
fn indexes_an_array(func: &Function, blocks: &[Block]) -> bool {
    let all = blocks.iter().flat_map(|&block| &func.block(block).insts);
    all.into_iter().any(|&inst| {
        let (InstData::Load { address, .. } | InstData::Store { address, .. }) = &func.inst(inst).data else {
            return false;
        };
        let indexed = address.index.is_some_and(|index| func.constant(index).is_none());
        in_slot(func, address.base, STEPS).is_some_and(|varies| varies || indexed)
    })
}

/// Is the address in a slot, and if so, at a place that varies?
fn in_slot(func: &Function, address: Value, steps: usize) -> Option<bool> {
    let steps = steps.checked_sub(1)?;
    match func.def_data(address)? {
        InstData::SlotAddress { .. } => Some(false),
        &InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        } => {
            let (varies, offset) = match in_slot(func, a, steps) {
                Some(varies) => (varies, b),
                None => (in_slot(func, b, steps)?, a),
            };
            Some(varies || func.constant(offset).is_none())
        }
        _ => None,
    }
}

fn unroll(func: &mut Function, counted: &Counted, blocks: &[Block]) {
    let mut into = counted.before;
    for _ in 1..counted.turns {
        let turn = copy(func, counted, blocks);
        func.retarget(into, counted.header, turn.header);
        into = turn.latch;
    }
    // The loop itself is the last turn. What stands behind its test can't be reached any more.
    decide(func, counted.test, counted.exit);
}

/// Makes a test go one of its ways.
fn decide(func: &mut Function, test: Block, way: usize) {
    if let InstData::Branch { targets, .. } = func.terminator(test) {
        let target = targets[way].clone();
        *func.terminator_mut(test) = InstData::Jump { target };
    }
}

/// A copy of a turn that goes on: its way back leads to the loop.
struct Turn {
    header: Block,
    latch: Block,
}

fn copy(func: &mut Function, counted: &Counted, blocks: &[Block]) -> Turn {
    let mut copies: FxHashMap<Block, Block> = FxHashMap::default();
    let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &block in blocks {
        let copy = func.add_block();
        copies.insert(block, copy);
        for param in func.block(block).params.clone() {
            let ty = func.ty(param);
            values[param] = Some(func.add_param(copy, ty));
        }
    }
    // Operands may be defined in blocks that come later: results first.
    let mut made: Vec<Inst> = Vec::new();
    for &block in blocks {
        for inst in func.block(block).insts.clone() {
            let node = func.inst(inst);
            let (data, flags, results) = (node.data.clone(), node.flags, node.results.clone());
            let types: Vec<Type> = results.iter().map(|&result| func.ty(result)).collect();
            let copy = func.make_inst_with_results(data, flags, &types);
            for (&result, &copied) in results.iter().zip(&func.inst(copy).results) {
                values[result] = Some(copied);
            }
            func.block_mut(copies[&block]).insts.push(copy);
            made.push(copy);
        }
    }
    for inst in made {
        let data = &mut func.inst_mut(inst).data;
        data.for_each_operand_mut(|value| *value = values[*value].unwrap_or(*value));
        for target in data.targets_mut() {
            if target.block != counted.header {
                target.block = copies.get(&target.block).copied().unwrap_or(target.block);
            }
        }
    }
    decide(func, copies[&counted.test], 1 - counted.exit);
    Turn {
        header: copies[&counted.header],
        latch: copies[&counted.latch],
    }
}
