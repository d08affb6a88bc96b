//! Loops in which each lane goes along a row of its own are written four turns at a time.
//!
//! `for (i = 0; i < n; i++) sum += a[row * n + i] * b[i]` gathers, in each turn, the words that are behind those of the turn before. Of four turns
//! each lane's words lie side by side: code generation loads them at once, and turns rows into columns; and stores columns as rows. Bytes of four
//! turns are one word. What is left of the turns is for the loop as it was.
//!
//! For the work-group level: a loop is a block that jumps to itself, maybe through an empty one.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Turns at a time: words that are loaded at once.
const TURNS: u32 = 4;
/// Longer loops are left as they are.
const LARGEST: usize = 40;

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function) -> bool {
    let gathers = |&inst: &Inst| Row::of(func, inst).is_some();
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

/// Words or bytes that lanes have in places of their own, all as far from the beginning of their rows.
#[derive(Clone, Copy)]
struct Row {
    base: Value,
    /// A vector of so many of them that is to be added to a base that is the same for all lanes.
    plus: Option<Value>,
    /// How many from the beginning, for all lanes.
    index: Value,
    /// The size of one.
    bytes: u32,
}

impl Row {
    /// What a load or store accesses.
    fn of(func: &Function, inst: Inst) -> Option<Row> {
        let (ty, address, mask, mem) = match &func.inst(inst).data {
            InstData::Load {
                ty, address, mask, mem, ..
            } => (*ty, address, mask, mem),
            InstData::Store { value, address, mask, mem } => (func.ty(*value), address, mask, mem),
            _ => return None,
        };
        let bytes = ty.elem.bytes();
        let is_store = matches!(func.inst(inst).data, InstData::Store { .. });
        let fits = bytes == 4 && ty.elem != Elem::Mask || bytes == 1 && !is_store;
        if !fits || !ty.lanes.is_multiple_of(4) || address.scale != bytes || mask.is_some() || mem.flags.contains(MemFlags::VOLATILE) {
            return None;
        }
        let (base, index) = (address.base, address.index?);
        match [base, index].map(|value| func.ty(value).is_vector()) {
            [true, false] => Some(Row {
                base,
                plus: None,
                index,
                bytes,
            }),
            [false, true] => {
                let node = func.inst(func.def_inst(index)?);
                let InstData::Binary { op: BinaryOp::Add, args } = node.data else {
                    return None;
                };
                // Shorter sums may wrap before they are extended.
                if func.ty(index).elem != Elem::I64 && !node.flags.contains(Flags::NSW) {
                    return None;
                }
                let of_all = |value: Value| match func.def_data(value) {
                    Some(InstData::Lane {
                        op: LaneOp::Splat, args, ..
                    }) => Some(args[0]),
                    _ => None,
                };
                [args, [args[1], args[0]]].into_iter().find_map(|[one, plus]| {
                    Some(Row {
                        base,
                        plus: Some(plus),
                        index: of_all(one)?,
                        bytes,
                    })
                })
            }
            _ => None,
        }
    }

    /// Where the rows begin.
    fn beginning(&self, b: &mut Builder) -> Value {
        let Some(plus) = self.plus else { return self.base };
        let plus = match b.ty(plus).elem {
            Elem::I64 => plus,
            _ => b.convert(ConvertOp::SExt, Elem::I64, plus),
        };
        let bytes = b.binary_imm(BinaryOp::Shl, plus, i64::from(self.bytes.ilog2()));
        let base = b.lane(LaneOp::Splat, b.ty(bytes), &[self.base]);
        b.add(base, bytes)
    }
}

fn index_of(func: &Function, inst: Inst) -> Option<Value> {
    match &func.inst(inst).data {
        InstData::Load { address, .. } | InstData::Store { address, .. } => address.index,
        _ => None,
    }
}

/// What a lane stores in its row, no load of a later turn sees: it is memory of another kind, or the row that is loaded.
fn may_wait(func: &Function, body: &[Inst], store: Inst) -> bool {
    let (InstData::Store { mem, .. }, Some(row)) = (&func.inst(store).data, Row::of(func, store)) else {
        return false;
    };
    let apart = |other: &MemInfo| {
        other.space == Space::Constant
            || other.flags.contains(MemFlags::INVARIANT)
            || other.alias != 0 && mem.alias != 0 && other.alias != mem.alias
    };
    body.iter().all(|&inst| match &func.inst(inst).data {
        InstData::Load { mem: other, address, .. } => {
            let same = |loaded: Row| (loaded.base, loaded.plus, loaded.index) == (row.base, row.plus, row.index);
            let offset = |inst: Inst| match &func.inst(inst).data {
                InstData::Load { address, .. } | InstData::Store { address, .. } => address.offset,
                _ => 0,
            };
            apart(other) || Row::of(func, inst).is_some_and(same) && address.offset == offset(store)
        }
        InstData::Store { mem: other, .. } => inst == store || apart(other),
        _ => true,
    })
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
        let along_a_row = |&inst: &Inst| {
            let row = Row::of(func, inst);
            row.is_some_and(|row| is_outside(row.base) && row.plus.is_none_or(is_outside) && row.index == args[0])
        };
        let body = &insts[..insts.len() - 1];
        let alone = |inst: &Inst| match &func.inst(*inst).data {
            InstData::Load { .. } => true,
            InstData::Store { .. } => along_a_row(inst) && may_wait(func, body, *inst),
            data => data.is_pure(),
        };
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
        let mut own: FxHashSet<Value> = params.iter().copied().collect();
        own.extend(body.iter().flat_map(|&inst| &func.inst(inst).results));
        let begins_outside = |row: &Row| !own.contains(&row.base) && row.plus.is_none_or(|plus| !own.contains(&plus));
        let rows = body.iter().filter_map(|&inst| Some((inst, Row::of(func, inst)?)));
        let rows: Vec<(Inst, Row)> = rows
            .filter(|(_, row)| row.index == params[self.counter] && begins_outside(row))
            .collect();
        let mut bytes = Bytes::default();
        for (inst, _) in rows.iter().filter(|(_, row)| row.bytes == 1) {
            bytes.words.insert(func.result(*inst), None);
        }
        let mut b = Builder::new(func, head);
        let beginnings: FxHashMap<Inst, Value> = rows.iter().map(|(inst, row)| (*inst, row.beginning(&mut b))).collect();
        let mut stores: Vec<(Inst, InstData, Flags)> = Vec::new();
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
                if let Some(number) = bytes.number(func, many, number, &data) {
                    map.insert(func.result(inst), number);
                    continue;
                }
                data.for_each_operand_mut(|value| *value = map.shorten(*value));
                let beginning = beginnings.get(&inst);
                let counts = beginning.is_some() || index_of(func, inst) == Some(params[self.counter]);
                if let InstData::Load { address, .. } | InstData::Store { address, .. } = &mut data
                    && let Some(offset) = address.offset.checked_add_unsigned(number * address.scale).filter(|_| counts)
                {
                    // So many words behind those of the first turn.
                    *address = Address {
                        base: beginning.copied().unwrap_or(address.base),
                        index: Some(start),
                        offset,
                        ..*address
                    };
                }
                if let Some(byte) = bytes.load(func, many, number, (inst, &data)) {
                    map.insert(func.result(inst), byte);
                    continue;
                }
                if matches!(data, InstData::Store { .. }) {
                    stores.push((inst, data, flags));
                    continue;
                }
                let copy = func.append(many, data, flags);
                for (old, new) in func.inst(inst).results.clone().into_iter().zip(func.inst(copy).results.clone()) {
                    map.insert(old, new);
                }
            }
            turn = back.iter().map(|&value| map.shorten(value)).collect();
            if number + 1 == TURNS {
                // Of all turns together, so that they are stored at once.
                stores.sort_by_key(|&(inst, ..)| body.iter().position(|&other| other == inst));
                for (_, data, flags) in stores.drain(..) {
                    func.append(many, data, flags);
                }
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

/// Bytes of rows, of which those of all turns are loaded as a word.
#[derive(Default)]
struct Bytes {
    /// By what the loop loads: the word.
    words: FxHashMap<Value, Option<Value>>,
}

impl Bytes {
    /// The byte of a turn, if the instruction loads one; `data` is what it is in this turn.
    fn load(&mut self, func: &mut Function, block: Block, turn: u32, (inst, data): (Inst, &InstData)) -> Option<Value> {
        let &InstData::Load { ty, address, mem, .. } = data else {
            return None;
        };
        let word = self.words.get_mut(&func.result(inst))?;
        let mut b = Builder::new(func, block);
        let word = *word.get_or_insert_with(|| b.load(ty.with_elem(Elem::I32), address, mem));
        let moved = shifted(&mut b, BinaryOp::LShr, word, turn);
        Some(b.convert(ConvertOp::Trunc, Elem::I8, moved))
    }

    /// What the instruction makes of a byte of a turn, if it only makes a number of it.
    fn number(&self, func: &mut Function, block: Block, turn: u32, data: &InstData) -> Option<Value> {
        let &InstData::Convert { op, ty, arg, .. } = data else {
            return None;
        };
        let word = (*self.words.get(&arg)?)?;
        let (signed, elem) = match (op, ty.elem) {
            (ConvertOp::SExt | ConvertOp::SToF, elem @ (Elem::I32 | Elem::F32)) => (true, elem),
            (ConvertOp::ZExt | ConvertOp::UToF, elem @ (Elem::I32 | Elem::F32)) => (false, elem),
            _ => return None,
        };
        let mut b = Builder::new(func, block);
        let number = if signed {
            let high = shifted(&mut b, BinaryOp::Shl, word, TURNS - 1 - turn);
            shifted(&mut b, BinaryOp::AShr, high, TURNS - 1)
        } else {
            let low = shifted(&mut b, BinaryOp::LShr, word, turn);
            if turn == TURNS - 1 {
                low
            } else {
                b.binary_imm(BinaryOp::And, low, 0xff)
            }
        };
        Some(match elem {
            Elem::I32 => number,
            elem => b.convert(ConvertOp::SToF, elem, number),
        })
    }
}

/// A word, so many bytes to one side.
fn shifted(b: &mut Builder, op: BinaryOp, word: Value, bytes: u32) -> Value {
    if bytes == 0 {
        return word;
    }
    b.binary_imm(op, word, i64::from(8 * bytes))
}
