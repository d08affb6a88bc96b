//! Loop rotation: a loop that tests at its top becomes a test in front of it and a loop that tests at its bottom.
//!
//! `for` and `while` as front ends write them test at the top. Rotated, the body of a loop is reached only where it is executed: what it loads
//! from one place moves in front of it, a counter's next value is what is compared, and passes that look for loops find one form, which is also
//! the one that clang's optimizer leaves. The block with the test is copied: the copy is for those who come from outside, and the block itself
//! stays for the back edges.

use analysis::Analyses;
use ir::cfg::{Cfg, Loops};
use ir::copy::copy_blocks;
use ir::ssa::{SsaBuilder, Variable};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::code_size::ROTATED_TEST;
use target::costs::effort::REWRITES;

/// Rotates the loops that can be. True if there were some.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let mut changed = false;
    for _ in 0..REWRITES {
        let flow = analyses.flow(func);
        let found = find(func, &flow.cfg, flow.loops());
        if found.is_empty() {
            break;
        }
        let copies: Vec<(Block, Block)> = found.iter().map(|test| (test.header, rotate(func, test))).collect();
        analyses.forget();
        repair(func, &analyses.flow(func).cfg, &copies);
        changed = true;
    }
    changed
}

/// A loop's header that tests whether the loop goes on.
struct Test {
    header: Block,
    /// Who jumps to it from outside.
    entries: Vec<Block>,
    /// Successors that others jump to, too.
    shared: Vec<Block>,
}

/// Loops that can be rotated, of which no two meet.
fn find(func: &Function, cfg: &Cfg, loops: &Loops) -> Vec<Test> {
    let mut taken: FxHashSet<Block> = FxHashSet::default();
    let mut found = Vec::new();
    for (index, natural) in loops.loops.iter().enumerate() {
        let header = natural.header;
        let leaves = |block: Block| cfg.succs[block].iter().any(|&succ| !loops.contains(index, succ));
        let stays = cfg.succs[header].iter().any(|&succ| succ != header && loops.contains(index, succ));
        // A loop that is left from its bottom has this form already.
        let is_top = leaves(header) && stays && !natural.latches.iter().any(|&latch| leaves(latch));
        if !is_top || !matches!(func.terminator(header), InstData::Branch { .. }) || !is_copied(func, header) {
            continue;
        }
        let around = cfg.preds[header].iter().chain(&cfg.succs[header]).copied();
        let around: Vec<Block> = around.chain([header]).collect();
        if around.iter().any(|block| taken.contains(block)) {
            continue;
        }
        taken.extend(around);
        found.push(Test {
            header,
            entries: loops.entries(cfg, index).collect(),
            shared: cfg.succs[header]
                .iter()
                .copied()
                .filter(|&succ| cfg.preds[succ].len() > 1)
                .collect(),
        });
    }
    found
}

/// The block is short, and what it does can be written in two places.
fn is_copied(func: &Function, block: Block) -> bool {
    let insts = &func.block(block).insts;
    let is_simple = |&inst: &Inst| match &func.inst(inst).data {
        InstData::CallRuntime { .. } | InstData::Image { .. } => false,
        InstData::Load { mem, .. } => !mem.flags.contains(MemFlags::VOLATILE),
        data => data.is_pure(),
    };
    insts.len() <= ROTATED_TEST + 1 && insts[..insts.len() - 1].iter().all(is_simple)
}

/// Copies the test for those who come from outside. The values that it defines are defined twice then.
fn rotate(func: &mut Function, test: &Test) -> Block {
    // The test and its copy meet in blocks of their own, so that loops that begin or end there keep their headers and latches.
    for &succ in &test.shared {
        let types: Vec<Type> = func.block(succ).params.iter().map(|&param| func.ty(param)).collect();
        let between = func.add_block();
        let params: Vec<Value> = types.into_iter().map(|ty| func.add_param(between, ty)).collect();
        Builder::new(func, between).jump(succ, &params);
        func.retarget(test.header, succ, between);
    }
    let copy = copy_blocks(func, &[test.header])[0];
    func.layout.push(copy);
    for &entry in &test.entries {
        func.retarget(entry, test.header, copy);
    }
    copy
}

/// Brings values that a block and its copy define to where they are used.
fn repair(func: &mut Function, cfg: &Cfg, copies: &[(Block, Block)]) {
    let mut ssa = SsaBuilder::of_flow(cfg);
    // By value of a block that was copied: its home, and the variable that it is.
    let mut variables: FxHashMap<Value, (Block, Variable)> = FxHashMap::default();
    for &(block, copy) in copies {
        for (value, copied) in func.values_of(block).zip(func.values_of(copy)) {
            let variable = ssa.variable(func.ty(value));
            ssa.define(variable, block, value);
            ssa.define(variable, copy, copied);
            variables.insert(value, (block, variable));
        }
    }
    for &block in &cfg.order {
        for at in 0..func.block(block).insts.len() {
            let inst = func.block(block).insts[at];
            let mut uses: Vec<(Value, Variable)> = Vec::new();
            func.inst(inst).data.for_each_operand(|value| {
                if let Some(&(home, variable)) = variables.get(value)
                    && home != block
                {
                    uses.push((*value, variable));
                }
            });
            for (value, variable) in uses {
                let by = ssa.use_variable(func, variable, block);
                func.inst_mut(inst).data.for_each_operand_mut(|operand| {
                    if *operand == value {
                        *operand = by;
                    }
                });
            }
        }
    }
    ssa.finish(func);
}
