//! Loops in which each lane goes along a row of its own are written four turns at a time.
//!
//! `for (i = 0; i < n; i++) sum += a[row * n + i] * b[i]` gathers, in each turn, the words that are behind those of the turn before. Of four turns
//! each lane's words lie side by side: code generation loads them at once, and turns rows into columns. What is left of the turns is for the
//! loop as it was.
//!
//! For the work-group level: a loop is a block that jumps to itself, maybe through an empty one.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// Turns at a time: words that are loaded at once.
const TURNS: u32 = 4;
/// Longer loops are left as they are.
const LARGEST: usize = 40;

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function) -> bool {
    let gathers = |&inst: &Inst| row_load(func, inst).is_some();
    if !func.layout.iter().flat_map(|&block| &func.block(block).insts).any(gathers) {
        return false;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let mut places = Places::new();
    for &block in &cfg.order {
        let results = func.block(block).insts.iter().flat_map(|&inst| &func.inst(inst).results);
        for &value in func.block(block).params.iter().chain(results) {
            places[value] = Some(block);
        }
    }
    let seen = seen_elsewhere(func, &cfg, &places);
    let found: Vec<Rows> = (0..loops.loops.len())
        .filter_map(|index| Rows::find(func, &cfg, &loops, (&places, &seen), index))
        .collect();
    found.iter().for_each(|rows| rows.write(func, &cfg));
    !found.is_empty()
}

/// By block: values of it that others use, with these.
type Seen = SecondaryMap<Block, Vec<(Value, Block)>>;

fn seen_elsewhere(func: &Function, cfg: &Cfg, places: &Places) -> Seen {
    let mut seen = Seen::new();
    for &block in &cfg.order {
        for &inst in &func.block(block).insts {
            func.inst(inst).data.for_each_operand(|&value| match places[value] {
                Some(home) if home != block => seen[home].push((value, block)),
                _ => {}
            });
        }
    }
    seen
}

/// The blocks that values are of.
type Places = SecondaryMap<Value, Option<Block>>;

/// The base and the index of a load of words that lanes have in places of their own, all as far from them.
fn row_load(func: &Function, inst: Inst) -> Option<[Value; 2]> {
    match &func.inst(inst).data {
        InstData::Load {
            ty,
            address:
                Address {
                    base,
                    index: Some(index),
                    scale: 4,
                    ..
                },
            mask: None,
            mem,
            ..
        } if ty.elem.bytes() == 4
            && ty.lanes.is_multiple_of(4)
            && func.ty(*base).is_vector()
            && !func.ty(*index).is_vector()
            && !mem.flags.contains(MemFlags::VOLATILE) =>
        {
            Some([*base, *index])
        }
        _ => None,
    }
}

/// A loop along rows.
struct Rows {
    block: Block,
    /// The empty block that its way back goes through, if there is one.
    latch: Option<Block>,
    /// The position of the counter among the parameters.
    counter: usize,
    /// What adds one to it.
    step: Inst,
    cc: IntCc,
    /// Which of the targets leads out.
    exit: usize,
    /// What is used behind the loop and comes there as it is.
    seen_behind: Vec<Value>,
}

impl Rows {
    fn find(func: &Function, cfg: &Cfg, loops: &Loops, (places, seen): (&Places, &Seen), index: usize) -> Option<Rows> {
        let natural = &loops.loops[index];
        let block = natural.header;
        let latch = match *natural.blocks.as_slice() {
            [_] => None,
            [_, latch] if func.block(latch).insts.len() == 1 && func.block(latch).params.is_empty() => Some(latch),
            _ => return None,
        };
        let insts = &func.block(block).insts;
        let InstData::Branch { condition, targets } = func.terminator(block) else {
            return None;
        };
        let exit = targets.iter().position(|target| !loops.contains(index, target.block))?;
        let back = match latch {
            Some(latch) => &func.terminator(latch).targets()[0].args,
            None => &targets[1 - exit].args,
        };
        let is_outside = |value: Value| places[value].is_some_and(|place| !loops.contains(index, place));
        let &InstData::IntCompare { cc, args: [next, bound] } = func.def_data(*condition)? else {
            return None;
        };
        let (InstData::Binary { op: BinaryOp::Add, args }, flags) = (func.def_data(next)?, func.inst(func.def_inst(next)?).flags) else {
            return None;
        };
        let goes_on = match (cc, exit) {
            (IntCc::Eq, 0) | (IntCc::Ne, 1) => IntCc::Ne,
            (IntCc::Slt | IntCc::Ult, 1) => cc,
            (IntCc::Sge, 0) => IntCc::Slt,
            (IntCc::Uge, 0) => IntCc::Ult,
            _ => return None,
        };
        let counter = func.block(block).params.iter().position(|&param| param == args[0])?;
        let counts = func.constant(args[1]) == Some(1) && back.get(counter) == Some(&next) && is_outside(bound);
        // Indices are extended with their sign.
        let may_wrap = func.ty(next) != Type::I64 && !flags.contains(Flags::NSW);
        let along_a_row = |&inst: &Inst| row_load(func, inst).is_some_and(|[base, index]| is_outside(base) && index == args[0]);
        let alone = |&inst: &Inst| {
            let data = &func.inst(inst).data;
            data.is_pure() || matches!(data, InstData::Load { .. })
        };
        let body = &insts[..insts.len() - 1];
        if !counts || may_wrap || insts.len() > LARGEST || !body.iter().all(alone) || !body.iter().any(along_a_row) {
            return None;
        }
        let behind = |(_, user): &&(Value, Block)| !loops.contains(index, *user);
        let mut seen_behind: Vec<Value> = seen[block].iter().filter(behind).map(|&(value, _)| value).collect();
        seen_behind.sort_unstable();
        seen_behind.dedup();
        // (They become parameters of the block behind, which others must not jump to.)
        if !seen_behind.is_empty() && cfg.preds[targets[exit].block].as_slice() != [block] {
            return None;
        }
        Some(Rows {
            block,
            latch,
            counter,
            step: func.def_inst(next)?,
            cc: goes_on,
            exit,
            seen_behind,
        })
    }

    fn write(&self, func: &mut Function, cfg: &Cfg) {
        self.hand_out(func);
        let params = func.block(self.block).params.clone();
        let types: Vec<Type> = params.iter().map(|&param| func.ty(param)).collect();
        let (head, many) = (func.add_detached_block(), func.add_detached_block());
        let own = |func: &mut Function, block| types.iter().map(|&ty| func.add_param(block, ty)).collect::<Vec<Value>>();
        let (at_head, mut turn) = (own(func, head), own(func, many));
        let ways_in: Vec<Block> = cfg.preds[self.block]
            .iter()
            .copied()
            .filter(|&pred| pred != self.block && Some(pred) != self.latch)
            .collect();
        for pred in ways_in {
            func.retarget(pred, self.block, head);
        }
        let insts = func.block(self.block).insts.clone();
        let (&terminator, body) = insts.split_last().expect("a block has a terminator");
        let InstData::Branch { condition, targets } = func.inst(terminator).data.clone() else {
            return;
        };
        // (Another loop that was rewritten may have it handed out.)
        let Some(&InstData::IntCompare { args: [_, bound], .. }) = func.def_data(condition) else {
            return;
        };
        let mut b = Builder::new(func, head);
        let there = at_head[self.counter];
        let left = b.sub(bound, there);
        let mut enough = b.icmp_imm(IntCc::Uge, left, TURNS.into());
        if self.cc != IntCc::Ne {
            let some = b.icmp(self.cc, there, bound);
            enough = b.and(some, enough);
        }
        b.branch(enough, to(many, &at_head), to(self.block, &at_head));
        let start = turn[self.counter];
        let back = match self.latch {
            Some(latch) => func.terminator(latch).targets()[0].args.clone(),
            None => targets[1 - self.exit].args.clone(),
        };
        for number in 0..TURNS {
            let mut map = ValueMap::default();
            for (&param, &value) in params.iter().zip(&turn) {
                map.insert(param, value);
            }
            for &inst in body {
                if inst == self.step {
                    let next = Builder::new(func, many).binary_imm(BinaryOp::Add, start, i64::from(number) + 1);
                    map.insert(func.result(inst), next);
                    continue;
                }
                let (mut data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
                if let InstData::Load { address, .. } = &mut data
                    && address.index == Some(params[self.counter])
                    && let Some(offset) = address.offset.checked_add_unsigned(number * address.scale)
                {
                    // So many words behind those of the first turn.
                    *address = Address {
                        base: map.shorten(address.base),
                        index: Some(start),
                        offset,
                        ..*address
                    };
                } else {
                    data.for_each_operand_mut(|value| *value = map.shorten(*value));
                }
                let copy = func.append(many, data, flags);
                for (old, new) in func.inst(inst).results.clone().into_iter().zip(func.inst(copy).results.clone()) {
                    map.insert(old, new);
                }
            }
            turn = back.iter().map(|&value| map.shorten(value)).collect();
            if number + 1 == TURNS {
                let exit = &targets[self.exit];
                let args: Vec<Value> = exit.args.iter().map(|&value| map.shorten(value)).collect();
                let mut ways = [to(head, &turn), to(head, &turn)];
                ways[self.exit] = to(exit.block, &args);
                let [then, otherwise] = ways;
                let condition = map.shorten(condition);
                Builder::new(func, many).branch(condition, then, otherwise);
            }
        }
        let at = func.layout.iter().position(|&other| other == self.block).unwrap_or(0);
        func.layout.splice(at..at, [head, many]);
    }

    /// What is used behind the loop goes there as arguments.
    fn hand_out(&self, func: &mut Function) {
        let exit = func.terminator(self.block).targets()[self.exit].block;
        let mut map = ValueMap::default();
        for &value in &self.seen_behind {
            let ty = func.ty(value);
            map.insert(value, func.add_param(exit, ty));
        }
        for other in func.layout.clone() {
            if other == self.block || Some(other) == self.latch {
                continue;
            }
            for inst in func.block(other).insts.clone() {
                func.inst_mut(inst)
                    .data
                    .for_each_operand_mut(|operand| *operand = map.shorten(*operand));
            }
        }
        let targets = func.terminator_mut(self.block).targets_mut();
        if let Some(target) = targets.into_iter().nth(self.exit) {
            target.args.extend(self.seen_behind.iter().copied());
        }
    }
}
