//! Inlining: calls are replaced by the body of what they call, callees before callers.
//!
//! Inlined is what is small, what is called once, what has convergent operations (which only group formation of the whole understands), and what
//! has more private memory than fits on a stack; what is left is inlined while the caller stays within [`CALLER`] instructions, whether it makes
//! calls itself or not: of functions that each call the next several times, all are of about that size then. What has to be inlined can't grow
//! beyond [`LARGEST`].
//!
//! What is called once is left as it is until somebody who is not takes it in, with all that it calls once in turn: a long chain of calls is
//! copied once, and not again at each of its steps.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::code_size::{CALLER, INLINED, LARGEST};
use target::costs::memory::CALLEE;

/// Which calls are inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inlining {
    /// Those that are better inlined.
    WhatPays,
    /// Only those that can't stay calls; so calls are tested without functions that are too large to be inlined.
    WhatMust,
    /// What pays in a kernel that gets checks, which need as much private memory again.
    Checked,
    /// All, up to the caller's limit: for those who look at a kernel as a whole.
    All,
}

impl Inlining {
    /// What is called once is taken in by who takes in its caller.
    fn once_later(self) -> bool {
        matches!(self, Inlining::WhatPays | Inlining::Checked)
    }

    /// Bytes of private memory that a function which stays a call may have.
    fn most_private_bytes(self) -> u64 {
        if self == Inlining::Checked { CALLEE / 2 } else { CALLEE }
    }
}

/// The function `root` with calls inlined, and what it calls, directly or not, likewise. `prepare` is applied to each function once, before it goes
/// into its callers.
///
/// Cycles of calls (which OpenCL forbids) stay calls.
pub fn run(
    module: &Module,
    root: FuncRef,
    inlining: Inlining,
    mut prepare: impl FnMut(&mut Function),
) -> (Function, FxHashMap<FuncRef, Function>) {
    let (order, calls) = callees_first(module, root);
    let mut ready: FxHashMap<FuncRef, Callee> = FxHashMap::default();
    for reference in order {
        let mut func = module.functions[reference].clone();
        let waits = calls[reference] == 1 && inlining.once_later();
        if reference == root || !waits {
            inline_calls(&mut func, &ready, &calls, inlining);
        }
        prepare(&mut func);
        if reference == root {
            let callees = ready.into_iter().map(|(reference, callee)| (reference, callee.func));
            return (func, callees.collect());
        }
        ready.insert(reference, Callee::new(func));
    }
    unreachable!("the root is the last in the order")
}

/// A function that is ready to go into its callers.
struct Callee {
    func: Function,
    size: usize,
    /// It has operations that work-items do together.
    together: bool,
    /// Of a work-item.
    private_bytes: u64,
}

impl Callee {
    fn new(func: Function) -> Callee {
        let is_call = |inst: Inst| matches!(func.inst(inst).data, InstData::Call { .. });
        let together = func.insts().any(|inst| func.inst(inst).data.is_convergent() && !is_call(inst));
        Callee {
            size: func.inst_count(),
            together,
            private_bytes: func.slots.values().map(|slot| u64::from(slot.size)).sum(),
            func,
        }
    }
}

/// The functions that `root` calls, each after those that it calls itself, and how often each is called in all of them.
fn callees_first(module: &Module, root: FuncRef) -> (Vec<FuncRef>, SecondaryMap<FuncRef, u32>) {
    let mut order = Vec::new();
    let mut calls: SecondaryMap<FuncRef, u32> = SecondaryMap::new();
    let mut seen: SecondaryMap<FuncRef, bool> = SecondaryMap::new();
    let mut callees_of = |reference: FuncRef| {
        let func = &module.functions[reference];
        let mut callees = Vec::new();
        for inst in func.insts() {
            if let InstData::Call { callee, .. } = func.inst(inst).data {
                calls[callee] += 1;
                callees.push(callee);
            }
        }
        callees
    };
    seen[root] = true;
    let mut stack = vec![(root, callees_of(root))];
    while let Some((reference, callees)) = stack.last_mut() {
        match callees.pop() {
            Some(callee) => {
                if !std::mem::replace(&mut seen[callee], true) {
                    let callees = callees_of(callee);
                    stack.push((callee, callees));
                }
            }
            None => {
                order.push(*reference);
                stack.pop();
            }
        }
    }
    (order, calls)
}

fn inline_calls(func: &mut Function, ready: &FxHashMap<FuncRef, Callee>, calls: &SecondaryMap<FuncRef, u32>, inlining: Inlining) {
    let mut size = func.inst_count();
    let mut map = ValueMap::default();
    let mut work = std::collections::VecDeque::from(func.layout.clone());
    while let Some(block) = work.pop_front() {
        let insts = std::mem::take(&mut func.block_mut(block).insts);
        let mut at = block;
        for inst in insts {
            if let InstData::Call { callee, args, .. } = &func.inst(inst).data
                && let Some(callee_data) = ready.get(callee)
                && is_wanted(callee_data, calls[*callee], size, inlining)
            {
                let args = args.clone();
                size += callee_data.size;
                let first_copy = func.layout.len();
                let as_it_was = calls[*callee] == 1 && inlining.once_later();
                at = copy_body(func, at, inst, &args, &callee_data.func, &mut map);
                if as_it_was {
                    work.extend(func.layout[first_copy..].iter().copied().filter(|&block| block != at));
                }
            } else {
                func.block_mut(at).insts.push(inst);
            }
        }
    }
    func.substitute(&map);
}

fn is_wanted(callee: &Callee, calls: u32, caller_size: usize, inlining: Inlining) -> bool {
    let after = caller_size + callee.size;
    let pays = inlining == Inlining::All || callee.size <= INLINED || calls == 1 || after <= CALLER;
    let must = callee.together || callee.private_bytes > inlining.most_private_bytes();
    after <= LARGEST && (must || pays && inlining != Inlining::WhatMust)
}

/// Puts the body of `callee` at the end of block `at`, instead of the instruction `call`. Returns the block where the caller goes on.
fn copy_body(func: &mut Function, at: Block, call: Inst, args: &[Value], callee: &Function, map: &mut ValueMap) -> Block {
    let next = func.add_block();
    for result in func.inst(call).results.clone() {
        let param = func.add_param(next, func.ty(result));
        map.insert(result, param);
    }
    let slots: PrimaryMap<Slot, Slot> = callee.slots.values().map(|&slot| func.slots.push(slot)).collect();
    let mut origins = func.origins.take();
    if let (Some(own), Some(theirs)) = (&mut origins, &callee.origins) {
        for (slot, &copy) in slots.iter() {
            own.variables[copy] = theirs.variables[slot].clone();
        }
    }
    let mut blocks = callee.per_block(next);
    let mut values = callee.per_value(None);
    for (&param, &arg) in callee.params().iter().zip(args) {
        values[param] = Some(arg);
    }
    for (index, &block) in callee.layout.iter().enumerate() {
        let copy = func.add_block_like(callee.block(block));
        blocks[block] = copy;
        if index == 0 {
            continue;
        }
        for &param in &callee.block(block).params {
            let copied = func.add_param(copy, callee.ty(param));
            values[param] = Some(copied);
        }
    }
    // Operands may be defined in blocks that come later in the layout: results first, with the callee's operands, then operands.
    let mut copies: Vec<Inst> = Vec::new();
    for &block in &callee.layout {
        for &inst in &callee.block(block).insts {
            let node = callee.inst(inst);
            let mut data = node.data.clone();
            match &mut data {
                InstData::SlotAddress { slot } => *slot = slots[*slot],
                InstData::Return { values } => {
                    let target = to(next, values);
                    data = InstData::Jump { target };
                }
                data => data
                    .targets_mut()
                    .into_iter()
                    .for_each(|target| target.block = blocks[target.block]),
            }
            let types: Vec<Type> = node.results.iter().map(|&result| callee.ty(result)).collect();
            let copy = func.make_inst_with_results(data, node.flags, &types);
            for (&result, &copied) in node.results.iter().zip(&func.inst(copy).results) {
                values[result] = Some(copied);
            }
            if let (Some(own), Some(theirs)) = (&mut origins, &callee.origins) {
                let call = own.places[call];
                own.places[copy] = own.inlined(theirs, theirs.places[inst], call);
                own.copies[copy] = theirs.copies[inst];
            }
            func.block_mut(blocks[block]).insts.push(copy);
            copies.push(copy);
        }
    }
    func.origins = origins;
    Builder::new(func, at).jump(blocks[callee.entry()], &[]);
    for copy in copies {
        func.inst_mut(copy)
            .data
            .for_each_operand_mut(|value| *value = values[*value].expect("what is read has been copied"));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::parse::parse_module;
    use std::fmt::Write;

    /// A function with a private array and so many instructions, which calls the next of them so often.
    fn function(index: usize, bytes: u32, size: usize, calls: usize) -> String {
        let mut text = format!("fn{index} = function workitem @f{index} -> i64 {{\n  slot0: {bytes} align 8\nblock0(v0: i64):\n");
        for at in 1..=size {
            let _ = writeln!(text, "  v{at} = mul v{}, v0", at - 1);
        }
        for at in size + 1..=size + calls {
            let _ = writeln!(text, "  v{at} = call fn{}(v{}) -> i64", index + 1, at - 1);
        }
        let _ = writeln!(text, "  return v{}\n}}", size + calls);
        text
    }

    fn inlined(text: &str, inlining: Inlining) -> Function {
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        run(&module, FuncRef::new(0), inlining, |_| ()).0
    }

    #[test]
    fn chains_of_calls_grow_no_larger_than_a_caller_may_be() {
        let chain = |length: usize| (0..length).map(move |index| function(index, 8, INLINED, if index + 1 < length { 2 } else { 0 }));
        let short = inlined(&chain(5).collect::<String>(), Inlining::WhatPays);
        assert!(short.callees().is_empty() && short.inst_count() > 30 * INLINED, "all 31 are in one");
        let long = inlined(&chain(40).collect::<String>(), Inlining::WhatPays);
        assert!(
            !long.callees().is_empty() && long.inst_count() <= CALLER + INLINED,
            "{}",
            long.inst_count()
        );
    }

    #[test]
    fn private_memory_that_a_stack_has_not_is_the_callers() {
        for (bytes, stays) in [(CALLEE, 1), (CALLEE + 8, 0)] {
            let text = function(0, 8, 1, 1) + &function(1, bytes as u32, 1, 0);
            assert_eq!(inlined(&text, Inlining::WhatMust).callees().len(), stays, "{bytes}");
        }
    }
}
