//! What functions that stay calls ask of the gang and its group: only the kernel knows, and hands it on.

use crate::ir::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A built-in and its dimension.
type Question = (Builtin, u8);

/// Makes the built-ins that callees read, or functions that they call, parameters of theirs. All are at the gang level: what is left of
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
        let insts = func.layout.iter().flat_map(|&block| &func.block(block).insts);
        let read = insts.filter_map(|&inst| match func.inst(inst).data {
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

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::LaunchFacts;
    use crate::form::{FormRequest, WorkItem};
    use crate::ir::parse::parse_module;
    use crate::ir::{FuncRef, InstData};
    use crate::passes::Inlining;
    use crate::passes::expand_work_group_ops::Scratch;
    use cranelift_entity::EntityRef;

    const ROW_OF_OTHERS: &str = "
fn0 = function workitem @kernel {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = call fn1(v1) -> i64
  v3 = call fn1(v2) -> i64
  store v3, global align 8 [v1]
  return
}

fn1 = function workitem @outer -> i64 {
block0(v0: i64):
  v1 = builtin group_id 1
  v2 = call fn2(v0) -> i64
  v3 = add v1, v2
  return v3
}

fn2 = function workitem @inner -> i64 {
block0(v0: i64):
  v1 = builtin global_id 0
  v2 = builtin group_id 1
  v3 = add v0, v1
  v4 = add v3, v2
  return v4
}";

    #[test]
    fn functions_are_given_what_they_ask_of_the_group() {
        let module = parse_module(ROW_OF_OTHERS).expect("the test's text is IR");
        let scratch = Scratch { offset: 0, max_items: 0 };
        let work_item = WorkItem::new(&module, FuncRef::new(0), scratch, Inlining::WhatMust);
        for (width, local_size) in [(1, [4, 1, 1]), (4, [16, 1, 1]), (8, [3, 5, 1])] {
            let launch = LaunchFacts::usual(local_size);
            let request = FormRequest {
                module: &module,
                name: "kernel",
                shape: gang_shape(Some(width), width, local_size),
                launch: &launch,
                own_sets: &Default::default(),
                gangs_at_once: None,
            };
            let formed = work_item.form(&request).expect("it can be formed");
            assert_eq!(formed.callees.len(), 2);
            for func in formed.callees.values() {
                let mut insts = func.layout.iter().flat_map(|&block| &func.block(block).insts);
                let asks = |&inst: &crate::ir::Inst| matches!(func.inst(inst).data, InstData::Builtin { .. });
                assert!(!insts.any(asks), "{func}");
            }
        }
    }
}
