//! Loop-closed SSA: a value that is defined in a loop and used outside of it goes through a parameter of the loop's exit block.
//!
//! Group formation needs it: in a loop that work-items leave at different times, such a parameter is the one place where each lane's
//! value is taken when the lane leaves. Critical edges are split first; then each exit block has one predecessor, and loops are entered from one block. Constants and addresses
//! of variables, which are the same in each iteration, move to the entry instead.

use super::{critical_edges, dce, preheaders};
use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::Loops;
use ir::ssa::{SsaBuilder, Variable};
use ir::*;
use rustc_hash::FxHashMap;

/// Brings a function with reducible loops into loop-closed form. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let mut split = critical_edges::run(func);
    if split {
        analyses.forget();
    }
    if preheaders::run(func, analyses.flow(func)) {
        analyses.forget();
        split = true;
    }
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    if loops.loops.is_empty() {
        return split;
    }
    let mut place = func.per_inst(func.entry());
    for &block in &func.layout {
        func.block(block).insts.iter().for_each(|&inst| place[inst] = block);
    }
    let mut outside = uses_outside(func, loops, &place);
    if hoist_constants(func, &outside, &mut place) {
        outside = uses_outside(func, loops, &place);
    }
    if outside.is_empty() {
        return split;
    }

    // The exits of each loop: outside of it, with their only predecessor in it.
    let mut exits: Vec<Vec<Block>> = vec![Vec::new(); loops.loops.len()];
    for &block in &cfg.order {
        let &[pred] = &cfg.preds[block] else { continue };
        let left = loops.around(pred).take_while(|&index| !loops.contains(index, block));
        left.for_each(|index| exits[index].push(block));
    }

    // Each value that leaves its loop is a variable, which each exit on the way to a use defines anew.
    let tree = flow.tree();
    let mut ssa = SsaBuilder::of_flow(cfg);
    let mut closing: Vec<(Variable, usize, Block, Value)> = Vec::new();
    let mut variables: Vec<(Value, Variable)> = Vec::new();
    for (value, uses) in &outside {
        let home = home(func, &place, *value);
        let variable = ssa.variable(func.ty(*value));
        ssa.define(variable, home, *value);
        variables.push((*value, variable));
        let innermost = loops.innermost[home].expect("the value is defined in a loop") as usize;
        let mut at = Some(innermost);
        let mut inner = None;
        while let Some(index) = at.filter(|&index| uses.iter().any(|&(_, block)| !loops.contains(index, block))) {
            for &exit in &exits[index] {
                // An exit of several loops at once has its parameter from the innermost.
                let closed = inner.is_some_and(|inner| loops.contains(inner, cfg.preds[exit][0]));
                if tree.dominates(home, exit) && !closed {
                    let param = func.add_param(exit, func.ty(*value));
                    ssa.define(variable, exit, param);
                    closing.push((variable, innermost, exit, *value));
                }
            }
            inner = Some(index);
            at = loops.loops[index].parent;
        }
    }
    for (variable, innermost, exit, value) in closing {
        let pred = cfg.preds[exit][0];
        let arg = match loops.contains(innermost, pred) {
            true => value,
            false => ssa.use_variable(func, variable, pred),
        };
        let mut targets = func.terminator_mut(pred).targets_mut();
        let call = targets.iter_mut().find(|target| target.block == exit);
        call.expect("the predecessor jumps to the exit").args.push(arg);
    }
    for ((value, uses), (_, variable)) in outside.iter().zip(&variables) {
        for &(inst, block) in uses {
            let by = ssa.use_variable(func, *variable, block);
            func.inst_mut(inst).data.for_each_operand_mut(|operand| {
                if operand == value {
                    *operand = by;
                }
            });
        }
    }
    ssa.finish(func);
    // Exits that no use needed.
    dce::run(func, analyses);
    true
}

fn home(func: &Function, place: &SecondaryMap<Inst, Block>, value: Value) -> Block {
    match func.def(value) {
        ValueDef::Param(block, _) => block,
        ValueDef::Result(inst, _) => place[inst],
    }
}

/// Values that are used outside of the innermost loop of their definition, with these uses, in the order of definition.
fn uses_outside(func: &Function, loops: &Loops, place: &SecondaryMap<Inst, Block>) -> Outside {
    let mut found: FxHashMap<Value, Vec<(Inst, Block)>> = FxHashMap::default();
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            func.inst(inst).data.for_each_operand(|&value| {
                if let Some(index) = loops.innermost[home(func, place, value)]
                    && !loops.contains(index as usize, block)
                {
                    let uses = found.entry(value).or_default();
                    if uses.last() != Some(&(inst, block)) {
                        uses.push((inst, block));
                    }
                }
            });
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|&(value, _)| value);
    found
}

/// Values that are used outside of their loops, with these uses.
type Outside = Vec<(Value, Vec<(Inst, Block)>)>;

/// Moves what has no operands from loops to the entry, if it is used outside of its loop. True if there was something.
fn hoist_constants(func: &mut Function, outside: &Outside, place: &mut SecondaryMap<Inst, Block>) -> bool {
    let mut moved: Vec<Inst> = Vec::new();
    for &(value, _) in outside {
        let Some(inst) = func.def_inst(value) else { continue };
        let data = &func.inst(inst).data;
        let mut operands = 0;
        data.for_each_operand(|_| operands += 1);
        if data.is_pure() && operands == 0 {
            moved.push(inst);
        }
    }
    if moved.is_empty() {
        return false;
    }
    let entry = func.entry();
    for &inst in &moved {
        place[inst] = entry;
    }
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        if block != entry {
            func.block_mut(block).insts.retain(|&inst| place[inst] == block);
        }
    }
    func.block_mut(entry).insts.splice(0..0, moved);
    true
}
