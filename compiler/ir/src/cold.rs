//! Blocks that are hardly ever executed: those that tell the driver of something wrong, those that whoever wrote them calls so (what math functions
//! do with rare operands), and what only leads to them, or only comes of them. While passes want loops of one block, cold blocks are part of what is around
//! them: then rare choices ([`Flags::RARE`]) tell what is cold.
//!
//! No pass that counts what a block costs should pay for them elsewhere: neither registers nor instructions before a loop.

use super::cfg::Cfg;
use super::entities::{Block, Inst};
use super::function::Function;
use super::inst::{Flags, InstData};
use super::value_map::ValueMap;
use cranelift_entity::SecondaryMap;

/// The cold ones of a function's blocks.
pub fn blocks(func: &Function, cfg: &Cfg) -> SecondaryMap<Block, bool> {
    let mut cold = func.per_block(false);
    let tells = |block: &Block| {
        let data = func.block(*block);
        let tells = |&inst: &Inst| matches!(func.inst(inst).data, InstData::CallRuntime { routine, .. } if routine.tells_of_a_fault());
        data.cold || data.insts.iter().any(tells)
    };
    let mut found: Vec<Block> = cfg.order.iter().copied().filter(tells).collect();
    for &block in &found {
        cold[block] = true;
    }
    // All that there is no other way to, and so loops, too.
    for &block in &cfg.order {
        if !cold[block] && cfg.idom[block].is_some_and(|up| cold[up]) {
            cold[block] = true;
            found.push(block);
        }
    }
    let all_are = |blocks: &[Block], cold: &SecondaryMap<Block, bool>| !blocks.is_empty() && blocks.iter().all(|&block| cold[block]);
    while let Some(block) = found.pop() {
        for &near in cfg.preds[block].iter().chain(&cfg.succs[block]) {
            if !cold[near] && (all_are(&cfg.succs[near], &cold) || all_are(&cfg.preds[near], &cold)) {
                cold[near] = true;
                found.push(near);
            }
        }
    }
    cold
}

/// A select chooses what is cold.
pub fn is_rare_choice(func: &Function, inst: Inst) -> bool {
    let node = func.inst(inst);
    node.flags.contains(Flags::RARE) && matches!(node.data, InstData::Select { .. })
}

/// The cold ones of a function's instructions: nothing needs them but what rare choices hardly ever choose.
pub fn insts(func: &Function) -> SecondaryMap<Inst, bool> {
    let mut cold = func.per_inst(false);
    if !func.insts().any(|inst| is_rare_choice(func, inst)) {
        return cold;
    }
    let mut work = Vec::new();
    for inst in func.insts() {
        let data = &func.inst(inst).data;
        cold[inst] = data.is_pure();
        if !cold[inst] {
            data.for_each_operand(|&value| work.push(value));
        }
    }
    while let Some(value) = work.pop() {
        if let Some(inst) = func.def_inst(value).filter(|&inst| std::mem::replace(&mut cold[inst], false)) {
            match func.inst(inst).data {
                InstData::Select { mask, args: [_, usual] } if is_rare_choice(func, inst) => work.extend([mask, usual]),
                ref data => data.for_each_operand(|&value| work.push(value)),
            }
        }
    }
    cold
}

/// The function as it is where no condition of a rare choice holds, with the same names of values, for those who ask what code takes. None if there is no
/// such choice.
pub fn usually(func: &Function) -> Option<Function> {
    if !func.insts().any(|inst| is_rare_choice(func, inst)) {
        return None;
    }
    let mut usual = func.clone();
    let cold = insts(func);
    let mut map = ValueMap::default();
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            if let InstData::Select { args: [_, other], .. } = func.inst(inst).data
                && is_rare_choice(func, inst)
            {
                map.insert(func.result(inst), other);
            }
        }
        let is_left = |inst: &Inst| !cold[*inst] && !is_rare_choice(func, *inst);
        usual.block_mut(block).insts.retain(is_left);
    }
    usual.substitute(&map);
    Some(usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_function;

    fn of(text: &str) -> Vec<bool> {
        let func = parse_function(text).expect("the test's text is IR");
        let cfg = Cfg::new(&func);
        let cold = blocks(&func, &cfg);
        func.layout.iter().map(|&block| cold[block]).collect()
    }

    /// A guard with two reports: the blocks of both, the one that chooses, and the one behind.
    #[test]
    fn what_only_leads_to_reports_or_comes_of_them_is_cold() {
        let text = "function workitem @f {\nblock0(v0: i64, v1: i64, v2: i8):\n  branch v2, block1, block2\nblock1:\n  return\n\
                    block2:\n  branch v2, block3, block4\nblock3:\n  call_runtime found(v0, v1, v0, v0, v0)\n  jump block5\n\
                    block4:\n  call_runtime found(v0, v1, v0, v0, v0)\n  jump block5\nblock5:\n  jump block1\n}";
        assert_eq!(of(text), [false, false, true, true, true, true]);
    }

    /// A loop in a block that is called so, with its own way back.
    #[test]
    fn loops_that_cold_blocks_lead_to_are_cold() {
        let text = "function workitem @f {\nblock0(v0: i8):\n  branch v0, block1, block4\nblock1 cold:\n  jump block2\n\
                    block2:\n  branch v0, block3, block5\nblock3:\n  jump block2\nblock5:\n  jump block4\nblock4:\n  return\n}";
        assert_eq!(of(text), [false, true, true, true, true, false]);
        assert_eq!(of(&text.replace(" cold", "")), [false; 6]);
    }

    /// Where ways from elsewhere meet, and what goes elsewhere, stay as they are; so does everything where nothing is reported.
    #[test]
    fn what_is_reached_from_elsewhere_is_not() {
        let text = "function workitem @f {\nblock0(v0: i64, v1: i64, v2: i8):\n  branch v2, block2, block1\nblock1:\n  \
                    call_runtime found(v0, v1, v0, v0, v0)\n  jump block2\nblock2:\n  return\n}";
        assert_eq!(of(text), [false, true, false]);
        assert_eq!(
            of("function workitem @f {\nblock0:\n  jump block1\nblock1:\n  return\n}"),
            [false, false]
        );
    }
}
