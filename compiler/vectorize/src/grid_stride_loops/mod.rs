//! Loops over a grid, `for (i = get_global_id(0); i < n; i += get_global_size(0))`: each group takes numbers that follow one another.
//!
//! As they are written, a work-item's next number is as far away as the grid is long: in another page, where no cache line is known yet and
//! nothing was fetched ahead. Where iterations don't touch what other iterations write, and see nothing of their work-item but the number,
//! nobody can tell which work-item takes which: the numbers are dealt out in chunks, one a group, and the group's first gang goes along
//! them. (All others are done at once; the loop over a group's gangs ends with the first that has nothing to do.)

#[cfg(test)]
mod tests;

use super::widen;
use analysis::Analyses;
use analysis::GangFacts;
use analysis::Layout;
use analysis::access::iterations::Iterations;
use analysis::counted::{Counted, LoopTest};
use ir::UNPROMISED;
use ir::cfg::{Cfg, Loops};
use ir::*;
use passes::Plan;
use rustc_hash::FxHashSet;
use target::Machine;
use target::costs::CACHE_LINE;

/// Rewrites, and makes gangs longer where that pays. True if something changed. The function must be in the form that group formation
/// takes, and stays in it.
pub fn run(func: &mut Function, facts: &mut GangFacts, machine: &Machine, analyses: &mut Analyses, plan: &mut Plan) -> bool {
    let Some(row) = facts.local_size.along(0) else { return false };
    let known = facts.full_groups && facts.zero_offset && facts.small_ids && facts.small_objects && !facts.parameters_vary;
    if !known || facts.width == 1 || row < u64::from(facts.width) || facts.layout != (Layout::Rows { dimension: 0 }) {
        return false;
    }
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    if loops.irreducible {
        return false;
    }
    let found = (0..loops.loops.len()).find_map(|index| {
        let found = Finder::new(func, &*facts, cfg, loops, index)?.find()?;
        let because = |why| format!("loop at {}: as it is, since {why}", loops.loops[index].header);
        found.map_err(|why| plan.note("grid_stride_loops", || because(why))).ok()
    });
    let Some(found) = found else { return false };
    facts.width *= widen::factor(func, facts, machine, true, &mut Analyses::default(), plan);
    plan.note("grid_stride_loops", || {
        format!(
            "loop at {}: each group goes along numbers of its own, {} at once",
            found.test.header, facts.width
        )
    });
    found.deal_out(func, row, facts.width.into());
    true
}

/// A loop over the grid whose iterations are independent.
struct GridLoop {
    test: LoopTest,
    /// The block that jumps to the header from outside.
    entered_from: Block,
    /// Where the test leads out.
    exit: Block,
    number: Value,
    end: Value,
    signed: bool,
    /// The branch that turns work-items away whose first number is at the end or behind it, and which of its targets leads to the loop; if
    /// they may be let in.
    guard: Option<(Block, usize)>,
}

impl GridLoop {
    /// The first `abreast` work-items of a row go along a chunk.
    fn deal_out(&self, func: &mut Function, row: u64, abreast: i64) {
        let elem = func.ty(self.number).elem;
        // Ends so near to the largest number that one more row wraps are ends that the loop as it was written runs past.
        let exact = match self.signed || elem == Elem::I64 {
            true => Flags::NSW | Flags::NUW,
            false => Flags::NUW,
        };
        let less = if self.signed { IntCc::Slt } else { IntCc::Ult };
        let LoopTest {
            header,
            latch,
            exiting,
            side,
        } = self.test;
        let (first, stop, goes) = func.before_end(self.entered_from, |b| {
            let mut end = b.convert(extension(self.signed), Elem::I64, self.end);
            if self.signed {
                end = b.binary_imm(BinaryOp::SMax, end, 0);
            }
            b.flags = Flags::NSW | Flags::NUW;
            let groups = b.builtin(Builtin::NumGroups, 0);
            let others = b.binary_imm(BinaryOp::Add, groups, -1);
            let rounded = b.add(end, others);
            let chunk = b.binary(BinaryOp::UDiv, rounded, groups);
            // Even chunks of bytes begin where lines of the cache do.
            let line = i64::from(CACHE_LINE);
            let rounded = b.binary_imm(BinaryOp::Add, chunk, line - 1);
            let lines = b.binary_imm(BinaryOp::And, rounded, -line);
            // No less than a row: whom the loop's own condition has turned away, that has no number here, either.
            let chunk = b.binary_imm(BinaryOp::UMax, lines, row as i64);
            let group = b.builtin(Builtin::GroupId, 0);
            let start = b.mul(group, chunk);
            let stop = b.add(start, chunk);
            let [start, stop] = [start, stop].map(|number| b.binary(BinaryOp::UMin, number, end));
            let [start, stop] = [start, stop].map(|number| b.convert(ConvertOp::Trunc, elem, number));
            let item = b.builtin(Builtin::LocalId, 0);
            let item = b.convert(ConvertOp::Trunc, elem, item);
            b.flags = exact;
            let first = b.add(start, item);
            let mut goes = b.icmp(less, first, stop);
            if abreast < row as i64 {
                let chosen = b.icmp_imm(IntCc::Ult, item, abreast);
                goes = b.and(chosen, goes);
            }
            (first, stop, goes)
        });
        // The way in, and the way past.
        let [way_in, past, out] = [(); 3].map(|()| func.add_block());
        Builder::new(func, way_in).jump(header, &[first]);
        Builder::new(func, past).jump(self.exit, &[]);
        Builder::new(func, out).jump(self.exit, &[]);
        *func.terminator_mut(self.entered_from) = InstData::Branch {
            condition: goes,
            targets: [to(way_in, &[]), to(past, &[])],
        };
        let (next, more) = func.before_end(exiting, |b| {
            b.flags = exact;
            let next = b.binary_imm(BinaryOp::Add, self.number, abreast);
            (next, b.icmp(less, next, stop))
        });
        if let InstData::Branch { condition, targets } = func.terminator_mut(exiting) {
            *condition = more;
            let inside = targets[side].clone();
            *targets = [inside, to(out, &[])];
        }
        for target in func.terminator_mut(latch).targets_mut() {
            if target.block == header {
                target.args[0] = next;
            }
        }
        // The new bounds say all that the loop's own condition before it does.
        if let Some((block, side)) = self.guard {
            let target = func.terminator(block).targets()[side].clone();
            *func.terminator_mut(block) = InstData::Jump { target };
        }
    }
}

/// How numbers get more bits.
fn extension(signed: bool) -> ConvertOp {
    if signed { ConvertOp::SExt } else { ConvertOp::ZExt }
}

/// Looks at one loop.
struct Finder<'a> {
    func: &'a Function,
    facts: &'a GangFacts,
    cfg: &'a Cfg,
    loops: &'a Loops,
    index: usize,
    /// What the loop's blocks define.
    inside: FxHashSet<Value>,
    /// The alias sets that it stores to.
    stored: FxHashSet<AliasSet>,
    /// What is the same for all work-items of all groups in dimension 0.
    shared: FxHashSet<Value>,
}

impl<'a> Finder<'a> {
    /// The loop, if it is one that could be: neither within another nor around one, with stores of which it is known where they go.
    fn new(func: &'a Function, facts: &'a GangFacts, cfg: &'a Cfg, loops: &'a Loops, index: usize) -> Option<Finder<'a>> {
        let natural = &loops.loops[index];
        let innermost = |&block: &Block| loops.innermost[block] == Some(index as u32);
        if natural.depth != 1 || !natural.blocks.iter().all(innermost) {
            return None;
        }
        let accesses = func.insts_of(&natural.blocks).filter_map(|inst| func.access(inst));
        let stored: FxHashSet<AliasSet> = accesses.filter(|access| access.is_store).map(|access| access.mem.alias).collect();
        let known = !stored.is_empty() && stored.iter().all(|&set| set > UNPROMISED);
        known.then(|| Finder {
            func,
            facts,
            cfg,
            loops,
            index,
            inside: natural.blocks.iter().flat_map(|&block| func.values_of(block)).collect(),
            stored,
            shared: FxHashSet::default(),
        })
    }

    /// None if the loop does not go along the grid, or else what it is, or why it stays as it is.
    fn find(mut self) -> Option<Result<GridLoop, &'static str>> {
        let mut found = self.shape()?;
        if !self.is_all_that_happens() {
            return Some(Err("something else happens in the kernel"));
        }
        // No other loop of the function comes as far as this.
        self.find_shared();
        if !self.sees_numbers_only() {
            return Some(Err("iterations see more of their work-item than the number"));
        }
        if !self.iterations_are_independent(&found) {
            return Some(Err("iterations may access what others store"));
        }
        let Some(guard) = self.guard(&found) else {
            return Some(Err("work-items may not come to it for other reasons than their number"));
        };
        found.guard = Some(guard).filter(|_| self.may_be_passed_by_all());
        Some(Ok(found))
    }

    /// No iteration accesses what another one stores.
    fn iterations_are_independent(&self, found: &GridLoop) -> bool {
        let iterations = Iterations {
            func: self.func,
            inside: &self.inside,
            number: found.number,
        };
        let insts = self.func.insts_of(&self.loops.loops[self.index].blocks);
        let accesses = insts.filter_map(|inst| self.func.access(inst));
        iterations.are_independent(accesses.filter(|access| self.stored.contains(&access.mem.alias)))
    }

    /// The loop's blocks and numbers: one is counted up by the grid's size, and compared with an end at each iteration's end.
    fn shape(&self) -> Option<GridLoop> {
        let func = self.func;
        let counted = Counted::find(func, self.cfg, self.loops, self.index)?;
        let test = counted.test;
        let entered_from = self.loops.only_entry(self.cfg, self.index)?;
        let InstData::Jump { target: enters } = func.terminator(entered_from) else {
            return None;
        };
        let (stays, exit) = (func.terminator(test.exiting).targets()[test.side].block, test.exit(func).block);
        // Nothing comes between the test and the next iteration, and nothing is handed on behind the loop.
        let is_empty = |block: Block| func.block(block).insts.len() == 1 && self.cfg.preds[block].len() == 1;
        let goes_back = stays == test.header || (stays == test.latch && is_empty(stays));
        if !goes_back || func.block(test.header).params.len() > 1 || !func.block(exit).params.is_empty() {
            return None;
        }
        let signed = counted.cc == IntCc::Slt;
        let fits = counted.is_next
            && (signed || counted.cc == IntCc::Ult)
            && counted.conversion.is_none_or(|op| op == extension(signed))
            && self.is_grid_size(counted.step)
            && self.is_linear_id(self.handed_on(enters.args[0]))
            && !self.inside.contains(&counted.bound);
        fits.then_some(GridLoop {
            test,
            entered_from,
            exit,
            number: counted.param,
            end: counted.bound,
            signed,
            guard: None,
        })
    }

    /// What a condition (or its opposite) says is below what else, if that is all that it says; and whether these are signed.
    fn less(&self, condition: Value, wanted: bool) -> Option<(Value, Value, bool)> {
        let (cc, [a, b]) = self.func.comparison(condition)?;
        let (a, b) = match (cc, wanted) {
            (IntCc::Slt | IntCc::Ult, true) | (IntCc::Sge | IntCc::Uge, false) => (a, b),
            (IntCc::Sgt | IntCc::Ugt, true) | (IntCc::Sle | IntCc::Ule, false) => (b, a),
            _ => return None,
        };
        Some((a, b, cc.is_signed()))
    }

    /// What was extended as numbers of this kind are.
    fn unextended(&self, value: Value, signed: bool) -> Value {
        match self.func.def_data(value) {
            Some(InstData::Convert { op, arg, .. }) if *op == extension(signed) => *arg,
            _ => value,
        }
    }

    /// The value, or what the only way into its block has for it.
    fn handed_on(&self, value: Value) -> Value {
        let ValueDef::Param(block, position) = self.func.def(value) else {
            return value;
        };
        match self.cfg.preds[block] {
            [pred] => self.func.handed(pred, block, position as usize).unwrap_or(value),
            _ => value,
        }
    }

    fn is_builtin(&self, value: Value, wanted: Builtin) -> bool {
        let data = self.func.def_data(self.func.in_any_bits(value));
        matches!(data, Some(&InstData::Builtin { builtin, dimension: 0 }) if builtin == wanted)
    }

    fn is_local_size(&self, value: Value) -> bool {
        let constant = self.func.constant(self.func.in_any_bits(value));
        constant.is_some_and(|constant| self.facts.local_size.along(0) == Some(constant))
            || self.is_builtin(value, Builtin::LocalSize)
            || self.is_builtin(value, Builtin::EnqueuedLocalSize)
    }

    /// It is `first` times the local size.
    fn is_times_local_size(&self, value: Value, first: Builtin) -> bool {
        match self.func.def_data(self.func.in_any_bits(value)) {
            Some(&InstData::Binary {
                op: BinaryOp::Mul,
                args: [a, b],
            }) => (self.is_builtin(a, first) && self.is_local_size(b)) || (self.is_builtin(b, first) && self.is_local_size(a)),
            Some(&InstData::Binary {
                op: BinaryOp::Shl,
                args: [a, by],
            }) => {
                let size = self.func.constant(by).and_then(|by| 1u64.checked_shl(by as u32));
                self.is_builtin(a, first) && size.is_some_and(|size| self.facts.local_size.along(0) == Some(size))
            }
            _ => false,
        }
    }

    fn is_grid_size(&self, value: Value) -> bool {
        self.is_builtin(value, Builtin::GlobalSize) || self.is_times_local_size(value, Builtin::NumGroups)
    }

    fn is_linear_id(&self, value: Value) -> bool {
        if self.is_builtin(value, Builtin::GlobalId) {
            return true;
        }
        let group = |value| self.is_times_local_size(value, Builtin::GroupId);
        let item = |value| self.is_builtin(value, Builtin::LocalId);
        match self.func.def_data(self.func.in_any_bits(value)) {
            Some(&InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            }) => (group(a) && item(b)) || (group(b) && item(a)),
            _ => false,
        }
    }

    fn insts_outside(&self) -> impl Iterator<Item = Inst> {
        let outside = |block: &&Block| !self.loops.contains(self.index, **block);
        self.func.insts_of(self.cfg.order.iter().filter(outside))
    }

    /// The rest of the function does nothing that anybody sees, and reads nothing that the loop writes.
    fn is_all_that_happens(&self) -> bool {
        self.insts_outside().all(|inst| {
            let data = &self.func.inst(inst).data;
            let hands_on = data.any_operand(|operand| self.inside.contains(operand));
            !hands_on
                && match data {
                    InstData::Load { mem, .. } => self.reads_other_memory(mem),
                    InstData::Jump { .. } | InstData::Branch { .. } | InstData::Switch { .. } | InstData::Return { .. } => true,
                    InstData::SlotAddress { .. } | InstData::CallRuntime { .. } | InstData::Image { .. } => false,
                    data => data.is_pure(),
                }
        })
    }

    fn reads_other_memory(&self, mem: &MemInfo) -> bool {
        match mem.space {
            Space::Constant => true,
            Space::Global => mem.alias > UNPROMISED && !self.stored.contains(&mem.alias) && !mem.flags.contains(MemFlags::VOLATILE),
            _ => false,
        }
    }

    /// The branch before the loop that lets those in whose first number is below the end, if no other branch parts work-items.
    fn guard(&self, found: &GridLoop) -> Option<(Block, usize)> {
        let end = self.unextended(found.end, found.signed);
        let lets_in = |condition, wanted| {
            self.less(condition, wanted).is_some_and(|(first, other, signed)| {
                self.is_linear_id(first) && signed == found.signed && self.unextended(other, signed) == end
            })
        };
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = vec![found.entered_from];
        let mut guard = None;
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            for &pred in &self.cfg.preds[block] {
                work.push(pred);
                let decided = match self.func.terminator(pred) {
                    InstData::Jump { .. } => true,
                    InstData::Branch { condition, targets } => {
                        let side = targets.iter().position(|target| target.block == block)?;
                        let alone = self.cfg.preds[block].len() == 1 && self.is_on_every_way(block, found.entered_from);
                        let is_guard = alone && lets_in(*condition, side == 0);
                        guard = guard.or(is_guard.then_some((pred, side)));
                        is_guard || self.shared.contains(condition)
                    }
                    InstData::Switch { value, .. } => self.shared.contains(value),
                    _ => false,
                };
                if !decided {
                    return None;
                }
            }
        }
        guard.filter(|_| self.shared.contains(&found.end))
    }

    /// Nothing outside of the loop is read that may not be there.
    fn may_be_passed_by_all(&self) -> bool {
        self.insts_outside().all(|inst| match &self.func.inst(inst).data {
            InstData::Load { mem, .. } => mem.flags.contains(MemFlags::DEREFERENCEABLE),
            _ => true,
        })
    }

    /// All ways to `to` go through the block.
    fn is_on_every_way(&self, block: Block, to: Block) -> bool {
        std::iter::successors(Some(to), |&at| self.cfg.immediate_dominator(at)).any(|at| at == block)
    }

    /// Finds the values that are the same for all work-items of all groups in dimension 0.
    fn find_shared(&mut self) {
        for &block in &self.cfg.order {
            for &inst in &self.func.block(block).insts {
                let node = self.func.inst(inst);
                let operands = node.data.all_operands(|operand| self.shared.contains(operand));
                let is_shared = operands
                    && match &node.data {
                        &InstData::Builtin { builtin, dimension } => match builtin {
                            Builtin::Arguments | Builtin::WorkDim | Builtin::GlobalOffset => true,
                            Builtin::GlobalSize | Builtin::LocalSize | Builtin::EnqueuedLocalSize | Builtin::NumGroups => true,
                            Builtin::GlobalId | Builtin::LocalId | Builtin::GroupId => dimension > 0,
                            _ => false,
                        },
                        InstData::Load { mem, .. } => self.reads_other_memory(mem),
                        InstData::SlotAddress { .. } | InstData::CallRuntime { .. } | InstData::Image { .. } | InstData::Lane { .. } => {
                            false
                        }
                        data => data.is_pure(),
                    };
                if is_shared {
                    self.shared.extend(&node.results);
                }
            }
        }
    }

    /// What happens in the loop depends on nothing of the work-item but its number.
    fn sees_numbers_only(&self) -> bool {
        self.func.insts_of(&self.loops.loops[self.index].blocks).all(|inst| {
            let data = &self.func.inst(inst).data;
            let allowed = match data {
                InstData::Builtin { .. } => self.shared.contains(&self.func.result(inst)),
                InstData::Load { mem, mask, .. } => {
                    mask.is_none() && (self.reads_other_memory(mem) || self.stored.contains(&mem.alias)) && !is_volatile(mem)
                }
                InstData::Store { mem, mask, .. } => mask.is_none() && mem.space == Space::Global && !is_volatile(mem),
                InstData::Jump { .. } | InstData::Branch { .. } | InstData::Switch { .. } => true,
                InstData::SlotAddress { .. } | InstData::Image { .. } | InstData::Lane { .. } => false,
                data => data.is_pure(),
            };
            let operands = data.all_operands(|operand| self.inside.contains(operand) || self.shared.contains(operand));
            allowed && operands
        })
    }
}

fn is_volatile(mem: &MemInfo) -> bool {
    mem.flags.contains(MemFlags::VOLATILE)
}
