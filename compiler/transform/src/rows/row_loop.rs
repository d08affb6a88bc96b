//! Loops of one block (and maybe an empty one on the way back) that count to a bound, and go along rows.

use super::row::Row;
use super::runtime_alias_checks::{Accesses, Apart, Meeting};
use crate::versioning::choose;
use analysis::Analyses;
use analysis::counted::{Counted, LoopTest};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use target::costs::code_size;

/// By block: values of it that others use, with these.
pub(super) type Seen = SecondaryMap<Block, Vec<(Value, Block)>>;

pub(super) fn seen_elsewhere(func: &Function, cfg: &Cfg, places: &Places) -> Seen {
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
pub(super) type Places = SecondaryMap<Value, Option<Block>>;

/// A row that an instruction accesses, if it is one that is wanted.
type RowOf = fn(&Function, Inst) -> Option<Row>;

/// A loop along rows.
pub(super) struct RowLoop {
    pub block: Block,
    /// The empty block that its way back goes through, if there is one.
    pub latch: Option<Block>,
    /// The position of the counter among the parameters.
    pub counter: usize,
    /// What adds one to it.
    pub step: Inst,
    /// What is compared with the bound: the counter that has counted, or its lower half.
    pub tested: Value,
    pub cc: IntCc,
    /// Which of the targets leads out.
    pub exit: usize,
    /// What is used behind the loop and comes there as it is.
    pub seen_behind: Vec<Value>,
    /// What must be asked where the loop begins before iterations are taken together.
    pub meetings: Vec<Meeting>,
}

impl RowLoop {
    /// All of a function, by what is asked of the accesses that make one.
    pub fn all<'a>(func: &mut Function, analyses: &'a mut Analyses, row_of: RowOf) -> Option<(&'a Cfg, Vec<RowLoop>)> {
        if !func.insts().any(|inst| row_of(func, inst).is_some()) {
            return None;
        }
        let flow = analyses.flow(func);
        let (cfg, loops) = (&flow.cfg, flow.loops());
        for (index, natural) in loops.loops.iter().enumerate().filter(|(_, natural)| natural.blocks.len() <= 2) {
            let block = natural.header;
            if func.block(block).insts.iter().any(|&inst| row_of(func, inst).is_some())
                && let Some(counted) = Counted::find(func, cfg, loops, index)
            {
                count_before_the_test(func, &counted);
            }
        }
        let places = func.homes(&cfg.order);
        let seen = seen_elsewhere(func, cfg, &places);
        let cold = ir::cold::insts(func);
        let is_short = |block: Block| {
            let insts = func.block(block).insts.iter();
            insts.filter(|&&inst| !cold[inst]).count() <= code_size::ROW_LOOP
        };
        let find = |index: usize| {
            let short = is_short(loops.loops[index].header);
            short.then(|| RowLoop::find(func, cfg, loops, (&places, &seen), row_of, index))?
        };
        let found = (0..loops.loops.len()).filter_map(find).collect();
        Some((cfg, found))
    }

    fn find(func: &Function, cfg: &Cfg, loops: &Loops, (places, seen): (&Places, &Seen), row_of: RowOf, index: usize) -> Option<RowLoop> {
        let natural = &loops.loops[index];
        let block = natural.header;
        let latch = match *natural.blocks.as_slice() {
            [_] => None,
            [_, latch] if func.block(latch).insts.len() == 1 && func.block(latch).params.is_empty() => Some(latch),
            _ => return None,
        };
        let insts = &func.block(block).insts;
        let is_outside = |value: Value| places[value].is_some_and(|place| !loops.contains(index, place));
        let counted = Counted::find(func, cfg, loops, index)?;
        let Counted { test, param, next, cc, .. } = counted;
        let known = match counted.conversion {
            None => matches!(cc, IntCc::Ne | IntCc::Slt | IntCc::Ult),
            // (Its lower half.)
            Some(op) => op == ConvertOp::Trunc && func.ty(counted.compared) == Type::I32 && cc == IntCc::Ne,
        };
        let counts =
            test.exiting == block && counted.is_next && counted.constant_step(func) == Some(1) && known && is_outside(counted.bound);
        let step = func.def_inst(next)?;
        // Indices are extended with their sign.
        let may_wrap = func.ty(next) != Type::I64 && !func.inst(step).flags.contains(Flags::NSW);
        let along_a_row =
            |&inst: &Inst| row_of(func, inst).is_some_and(|row| row.goes_along(param, is_outside) && row.mask.is_none_or(is_outside));
        let body = &insts[..insts.len() - 1];
        let alone = |inst: &Inst| match &func.inst(*inst).data {
            InstData::Load { .. } => true,
            InstData::Store { .. } => along_a_row(inst),
            data => data.is_pure(),
        };
        if !counts || may_wrap || !body.iter().all(alone) || !body.iter().any(along_a_row) {
            return None;
        }
        let accesses = Accesses {
            func,
            body,
            counter: param,
            is_outside: &is_outside,
        };
        let mut meetings = Vec::new();
        for &inst in body.iter().filter(|&&inst| matches!(func.inst(inst).data, InstData::Store { .. })) {
            meetings.extend(accesses.meetings(inst)?);
        }
        let behind = |(_, user): &&(Value, Block)| !loops.contains(index, *user);
        let mut seen_behind: Vec<Value> = seen[block].iter().filter(behind).map(|&(value, _)| value).collect();
        seen_behind.sort_unstable();
        seen_behind.dedup();
        // (They become parameters of the block behind, which others must not jump to.)
        if !seen_behind.is_empty() && cfg.preds[test.exit(func).block] != [block] {
            return None;
        }
        Some(RowLoop {
            block,
            latch,
            counter: counted.position,
            step,
            tested: counted.compared,
            cc,
            exit: 1 - test.side,
            seen_behind,
            meetings,
        })
    }

    /// What the way back hands to the loop's parameters.
    pub fn back<'f>(&self, func: &'f Function) -> &'f [Value] {
        match self.latch {
            Some(latch) => &func.terminator(latch).targets()[0].args,
            None => &func.terminator(self.block).targets()[1 - self.exit].args,
        }
    }

    /// The instruction is there to count.
    pub fn counts(&self, func: &Function, inst: Inst) -> bool {
        inst == self.step || func.def_inst(self.tested) == Some(inst)
    }

    /// What the counter, having counted, is compared with.
    pub fn bound(&self, func: &Function) -> Option<Value> {
        let (condition, _) = func.branch(self.block)?;
        let (_, args) = func.comparison(condition)?;
        args.into_iter().find(|&arg| arg != self.tested)
    }

    /// The blocks that jump to the loop from outside go to `head` instead.
    pub fn enter_by(&self, func: &mut Function, cfg: &Cfg, head: Block) {
        for &pred in &cfg.preds[self.block] {
            if pred != self.block && Some(pred) != self.latch {
                func.retarget(pred, self.block, head);
            }
        }
    }

    /// The blocks that jump to the loop from outside go to `head` instead, where accesses are so far apart that so many iterations may be
    /// taken together. Gives the block that asks, if one has to.
    pub fn enter_where_apart(&self, func: &mut Function, cfg: &Cfg, head: Block, iterations: u32) -> Option<Block> {
        let bound = self.bound(func).filter(|_| self.must_ask(func));
        let Some(bound) = bound else {
            self.enter_by(func, cfg, head);
            return None;
        };
        let before = func.add_detached_block();
        self.enter_by(func, cfg, before);
        let given = self.given(func, before);
        let there = given[self.counter];
        let mut apart = Apart {
            rows: self,
            there,
            bound,
            iterations,
        };
        choose(func, before, &mut apart, to(head, &given), to(self.block, &given));
        Some(before)
    }

    /// Parameters like the loop's for another block.
    pub fn given(&self, func: &mut Function, block: Block) -> Vec<Value> {
        let params = func.block(self.block).params.clone();
        params.into_iter().map(|param| func.add_param(block, func.ty(param))).collect()
    }

    /// At the end of `b`'s block: so many iterations are left when the counter is `there`; where there is one.
    pub fn left(&self, b: &mut Builder, there: Value, bound: Value) -> Value {
        let low = b.convert(ConvertOp::Trunc, b.ty(bound).elem, there);
        let left = b.sub(bound, low);
        b.convert(ConvertOp::ZExt, b.ty(there).elem, left)
    }

    /// At the end of `b`'s block: in so many iterations at least, counted from `there`, the loop doesn't end.
    pub fn has_iterations(&self, b: &mut Builder, there: Value, bound: Value, iterations: u32) -> Value {
        let left = self.left(b, there, bound);
        let enough = b.icmp_imm(IntCc::Uge, left, iterations.into());
        match self.has_any(b, there, bound) {
            Some(any) => b.and(any, enough),
            None => enough,
        }
    }

    /// At the end of `b`'s block: the counter, being `there`, has not passed the bound, if that has to be asked. (The first iteration of a loop that
    /// tests behind it is done whether it has or not.)
    pub fn has_any(&self, b: &mut Builder, there: Value, bound: Value) -> Option<Value> {
        (self.cc != IntCc::Ne).then(|| b.icmp(self.cc, there, bound))
    }

    /// What is used behind the loop goes there as arguments.
    pub fn hand_out(&self, func: &mut Function) {
        if self.seen_behind.is_empty() {
            return;
        }
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

/// A loop whose counter is compared with a constant before it has counted (maybe on the way back alone) compares it behind that.
fn count_before_the_test(func: &mut Function, counted: &Counted) -> Option<()> {
    let &Counted {
        test: LoopTest {
            header, latch, exiting, ..
        },
        next,
        compared,
        ..
    } = counted;
    let step = func.def_inst(next)?;
    let ty = func.ty(compared);
    let last = func.signed_constant(counted.bound)?;
    let is_greatest = last == (ty.elem.bit_mask() >> 1) as i64;
    // Numbers that don't wrap keep their order.
    let keeps = match counted.cc {
        IntCc::Eq | IntCc::Ne => true,
        IntCc::Slt | IntCc::Sge => func.inst(step).flags.contains(Flags::NSW) && !is_greatest,
        _ => false,
    };
    if exiting != header || compared != counted.param || counted.constant_step(func) != Some(1) || !keeps {
        return None;
    }
    let (condition, _) = func.branch(header)?;
    let test = func.def_inst(condition)?;
    let position_in_block = |wanted: Inst| func.block(header).insts.iter().position(|&inst| inst == wanted);
    let at = position_in_block(test)?;
    let is_before = position_in_block(step).is_some_and(|step| step < at);
    let bits = last.wrapping_add(1) as u64 & ty.elem.bit_mask();
    let bound = func.make_inst(InstData::Const { ty, bits }, Flags::empty());
    let entry = func.layout[0];
    func.block_mut(entry).insts.insert(0, bound);
    if !is_before {
        for home in [header, latch] {
            func.block_mut(home).insts.retain(|&inst| inst != step);
        }
        func.block_mut(header).insts.insert(at, step);
    }
    let bound = func.result(bound);
    func.inst_mut(test)
        .data
        .for_each_operand_mut(|operand| *operand = if *operand == compared { next } else { bound });
    Some(())
}
