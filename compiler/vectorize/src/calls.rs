//! What functions that stay calls ask of the gang and its group: only the kernel knows, and hands it on.

use ir::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A built-in and its dimension.
type Question = (Builtin, u8);

/// Makes the built-ins that callees read, or functions that they call, parameters of theirs. All are at the gang level ([`Level::Gang`]): what is left of
/// built-ins there is a scalar for the whole gang.
pub fn hand_on_builtins(kernel: &mut Function, callees: &mut FxHashMap<FuncRef, Function>) {
    if callees.is_empty() {
        return;
    }
    let asked = questions(callees);
    for (callee, func) in callees.iter_mut() {
        let entry = func.entry();
        let answers: FxHashMap<Question, Value> = asked[callee]
            .iter()
            .map(|&question| (question, func.add_param(entry, question.0.ty())))
            .collect();
        let mut map = ValueMap::default();
        for block in func.layout.clone() {
            let mut insts = std::mem::take(&mut func.block_mut(block).insts);
            insts.retain(|&inst| match func.inst(inst).data {
                InstData::Builtin { builtin, dimension } => {
                    map.insert(func.result(inst), answers[&(builtin, dimension)]);
                    false
                }
                _ => true,
            });
            for &inst in &insts {
                if let InstData::Call { callee, args, .. } = &mut func.inst_mut(inst).data {
                    args.extend(asked[callee].iter().map(|question| answers[question]));
                }
            }
            func.block_mut(block).insts = insts;
        }
        func.substitute(&map);
    }
    for block in kernel.layout.clone() {
        for inst in kernel.take_insts(block) {
            if let InstData::Call { callee, .. } = kernel.inst(inst).data {
                let mut b = Builder::new(kernel, block);
                let more: ValueList = asked[&callee]
                    .iter()
                    .map(|&(builtin, dimension)| b.builtin(builtin, dimension))
                    .collect();
                if let InstData::Call { args, .. } = &mut kernel.inst_mut(inst).data {
                    args.extend(more);
                }
            }
            kernel.block_mut(block).insts.push(inst);
        }
    }
}

/// What each function reads itself or has to hand on.
fn questions(callees: &FxHashMap<FuncRef, Function>) -> FxHashMap<FuncRef, BTreeSet<Question>> {
    let own = |func: &Function| {
        let read = func.insts().filter_map(|inst| match func.inst(inst).data {
            InstData::Builtin { builtin, dimension } => Some((builtin, dimension)),
            _ => None,
        });
        read.collect()
    };
    let mut asked: FxHashMap<FuncRef, BTreeSet<Question>> = callees.iter().map(|(&callee, func)| (callee, own(func))).collect();
    loop {
        let mut changed = false;
        for (callee, func) in callees {
            let below: BTreeSet<Question> = func.callees().iter().flat_map(|callee| asked[callee].iter().copied()).collect();
            let here = asked.entry(*callee).or_default();
            let before = here.len();
            here.extend(below);
            changed |= here.len() > before;
        }
        if !changed {
            return asked;
        }
    }
}
