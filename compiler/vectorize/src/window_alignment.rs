//! Loops over windows that the edges of an array cut off, with iterations that stand for the same place of the window in all lanes.
//!
//! `for (i = max(x - r, 0); i < min(x + r, width); i++)` begins at another place of its window in each lane that an edge is near. So lanes read here and
//! there in one iteration, and leave one by one. Going from x - r to x + r in all lanes, `i` grows by one from lane to lane, as addresses do; where it is beyond an
//! edge, the lane waits:
//!
//! ```text
//! for (i = x - r; i < x + r; i++)
//!     if (max(x - r, 0) <= i && i < min(x + r, width))
//! ```
//!
//! [`super::versioning::window_versioning`] has written such loops once more for gangs that are inside of all edges; these are for the others.

use super::versioning::may_copy_inside;
use analysis::counted::Counted;
use analysis::uniformity::{Extent, Shape};
use analysis::{Analyses, Analysis, GangFacts};
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::costs::effort::SOME_OPERATIONS;

/// No sum of so few numbers that are no further from 0 than this wraps in 32 bits.
const FAR: u64 = 1 << 29;

/// Rewrites. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, analyses: &mut Analyses) -> bool {
    let mut changed = false;
    // Which are done have no bounds any more.
    while let Some(window) = find(func, facts, analyses) {
        window.align(func);
        analyses.forget();
        changed = true;
    }
    changed
}

/// A loop over a window, whose iterations end in a test for another.
struct Window {
    counted: Counted,
    /// Where the loop is entered from.
    before: Block,
    /// Where it begins and ends, cut off.
    ends: [Value; 2],
    /// The same, not cut off.
    whole: [Sum; 2],
}

/// A number that is the same in all lanes, but for a part that grows by one from lane to lane, or by more.
#[derive(Clone, Copy)]
struct Sum {
    root: Value,
    more: i64,
    stride: i64,
    /// Its sums do not wrap.
    flags: Flags,
}

fn find(func: &Function, facts: &GangFacts, analyses: &mut Analyses) -> Option<Window> {
    let known = analyses.of(func, facts)?;
    (0..known.loops.loops.len()).find_map(|index| window(func, &known, index))
}

fn window(func: &Function, known: &Analysis, index: usize) -> Option<Window> {
    let natural = &known.loops.loops[index];
    if known.uniformity.leaves(index) != Extent::Lane {
        return None;
    }
    let counted = Counted::find(func, known.cfg, known.loops, index)?;
    let is_short = counted.conversion.is_none() && counted.is_next && func.constant(counted.step) == Some(1);
    // Without a sign, 32 bits do not lie one after the other in the 64 of addresses.
    let ty = func.ty(counted.param);
    let unsigned = match counted.cc {
        IntCc::Slt | IntCc::Sle => false,
        IntCc::Ult | IntCc::Ule => true,
        _ => return None,
    };
    if !is_short
        || unsigned && ty != Type::I64
        || !natural
            .blocks
            .iter()
            .any(|&block| func.block(block).insts.iter().any(|&inst| func.access(inst).is_some()))
    {
        return None;
    }
    let is_jump_back = func.block(counted.test.latch).insts.len() == 1
        && func.block(counted.test.latch).params.is_empty()
        && known.cfg.preds[counted.test.latch][..] == [counted.test.exiting];
    let before = known.loops.only_entry(known.cfg, index)?;
    let InstData::Jump { target } = func.terminator(before) else {
        return None;
    };
    let ends = [target.args[counted.position], counted.bound].map(|value| origin(func, known.cfg, value));
    // (Nothing in the loop makes what it ends with.)
    let in_loop = |value: Value| natural.blocks.iter().any(|&block| func.values_of(block).any(|own| own == value));
    let is_movable = natural
        .blocks
        .iter()
        .all(|&block| func.block(block).insts.iter().all(|&inst| may_copy_inside(&func.inst(inst).data)));
    if !is_jump_back || !is_movable || in_loop(ends[1]) || !is_asked(func, known, before, counted.cc, ends) || !hands_on(func, &counted) {
        return None;
    }
    let [start, end] = [BinaryOp::SMax, BinaryOp::SMin].map(|op| match (unsigned, op) {
        (true, BinaryOp::SMax) => BinaryOp::UMax,
        (true, _) => BinaryOp::UMin,
        _ => op,
    });
    let (start, cut_before) = uncut(func, known, ends[0], start)?;
    let (end, cut_behind) = uncut(func, known, ends[1], end)?;
    // Without a sign, a sum wraps that is beyond the other edge, and only the number of iterations says whether there is one.
    let is_right = !unsigned || start.root == end.root && start.more <= 0 && end.more > 0;
    (is_right && (cut_before || cut_behind) && start.stride == end.stride).then_some(Window {
        counted,
        before,
        ends,
        whole: [start, end],
    })
}

/// What comes to the only way into a block under another name.
pub fn origin(func: &Function, cfg: &cfg::Cfg, mut value: Value) -> Value {
    while let ValueDef::Param(block, position) = func.def(value)
        && let [pred] = cfg.preds[block][..]
        && let Some(arg) = func.handed(pred, block, position as usize)
    {
        value = arg;
    }
    value
}

/// Whether there is an iteration has been asked on the way to the loop, so that lanes that are in it have one.
fn is_asked(func: &Function, known: &Analysis, mut block: Block, cc: IntCc, ends: [Value; 2]) -> bool {
    for _ in 0..SOME_OPERATIONS {
        let [pred] = known.cfg.preds[block][..] else { return false };
        if let Some((condition, [then, otherwise])) = func.branch(pred)
            && let Some((found, args)) = func.comparison(condition)
            && then.block != otherwise.block
        {
            let found = if then.block == block { found } else { found.inverted() };
            let args = args.map(|arg| origin(func, known.cfg, arg));
            if found == cc && args == ends || found.swapped() == cc && args == [ends[1], ends[0]] {
                return true;
            }
        }
        block = pred;
    }
    false
}

/// What the loop leaves behind is what it hands on from iteration to iteration.
fn hands_on(func: &Function, counted: &Counted) -> bool {
    let InstData::Jump { target } = func.terminator(counted.test.latch) else {
        return false;
    };
    let exit = counted.test.exit(func);
    let next = &target.args;
    exit.args.iter().all(|arg| *arg != counted.next && next.contains(arg)) && target.args[counted.position] == counted.next
}

/// A number without the operations that keep it within bounds, all of which are `cut`, and whether there are any.
fn uncut(func: &Function, known: &Analysis, value: Value, cut: BinaryOp) -> Option<(Sum, bool)> {
    let exact = matches!(cut, BinaryOp::SMax | BinaryOp::SMin);
    let flags = if exact { Flags::NSW } else { Flags::empty() };
    let (mut root, mut more, mut is_cut) = (value, 0i64, false);
    for _ in 0..SOME_OPERATIONS {
        if let Shape::Linear {
            stride,
            no_signed_wrap,
            no_unsigned_wrap,
        } = known.uniformity.shape(root)
            && (if exact { no_signed_wrap } else { no_unsigned_wrap })
            && (exact || !is_sum_with_constant(func, root))
        {
            return Some((Sum { root, more, stride, flags }, is_cut));
        }
        let node = func.inst(func.def_inst(root)?);
        let InstData::Binary { op, args: [a, b] } = node.data else {
            return None;
        };
        if op == cut && known.uniformity.shape(b).is_uniform() {
            // Before the least that is far below, a sum might wrap.
            if cut == BinaryOp::SMax && func.signed_constant(b).is_none_or(|least| least < -(FAR as i64)) {
                return None;
            }
            is_cut = true;
            root = a;
            continue;
        }
        let by = func.signed_constant(b).filter(|by| by.unsigned_abs() < FAR)?;
        more = match op {
            BinaryOp::Add => more + by,
            BinaryOp::Sub => more - by,
            _ => return None,
        };
        // One direction only without a sign: each of them might wrap.
        let is_exact = node.flags.contains(Flags::NSW) || !exact && (more == 0 || (cut == BinaryOp::UMin) == (more > 0));
        if !is_exact || more.unsigned_abs() >= FAR {
            return None;
        }
        root = a;
    }
    None
}

/// Without a sign, what both ends are made of is to be the same.
fn is_sum_with_constant(func: &Function, value: Value) -> bool {
    match func.def_data(value) {
        Some(&InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub,
            args: [_, by],
        }) => func.constant(by).is_some(),
        _ => false,
    }
}

impl Window {
    /// Rewrites the loop. Its header asks whether the lane has this iteration; a block of its own behind the body, and what the header leads to else,
    /// asks whether there is another.
    fn align(self, func: &mut Function) {
        let Counted { test, position, cc, .. } = self.counted;
        let header = test.header;
        let (latch, exit) = (test.latch, test.exit(func).clone());
        let (InstData::Jump { target: back }, params) = (func.terminator(latch).clone(), func.block(header).params.clone()) else {
            unreachable!("the latch jumps back");
        };
        // From where to where all lanes go.
        let jump = func.block_mut(self.before).insts.pop().expect("a block has a terminator");
        let mut b = Builder::new(func, self.before);
        let [first, last] = self.whole.map(|sum| {
            b.flags = sum.flags;
            match sum.more {
                0 => sum.root,
                more => b.binary_imm(BinaryOp::Add, sum.root, more),
            }
        });
        func.block_mut(self.before).insts.push(jump);
        if let InstData::Jump { target } = func.terminator_mut(self.before) {
            target.args[position] = first;
        }
        // The body is a block of its own, and so is the test.
        let (body, again) = (func.add_detached_block(), func.add_detached_block());
        let insts = std::mem::take(&mut func.block_mut(header).insts);
        func.block_mut(body).insts = insts;
        let end = if test.exiting == header { body } else { test.exiting };
        func.block_mut(end).insts.pop();
        func.append(
            end,
            InstData::Jump {
                target: to(again, &back.args),
            },
            Flags::empty(),
        );
        let given: SmallVec<[Value; 8]> = params.iter().map(|&param| func.add_param(again, func.ty(param))).collect();
        let variable = params[position];
        let mut b = Builder::new(func, header);
        let (not_before, is_before) = match cc {
            IntCc::Slt | IntCc::Sle => (IntCc::Sge, cc),
            _ => (IntCc::Uge, cc),
        };
        let from = b.icmp(not_before, variable, self.ends[0]);
        let until = b.icmp(is_before, variable, self.ends[1]);
        let has_it = b.and(from, until);
        // A lane that waits hands on what it has; no edge leads from a block of two successors to one of two predecessors.
        let waits = b.func.add_detached_block();
        b.branch(has_it, to(body, &[]), to(waits, &[]));
        func.append(
            waits,
            InstData::Jump {
                target: to(again, &params),
            },
            Flags::empty(),
        );
        let mut b = Builder::new(func, again);
        b.flags = self.whole[0].flags;
        let next = b.binary_imm(BinaryOp::Add, variable, 1);
        b.flags = Flags::empty();
        // With a sign, the last place comes after the first one or there is no more than one iteration, whatever lanes do that are not in the loop.
        let goes_on = match cc {
            IntCc::Slt | IntCc::Sle => b.icmp(cc, next, last),
            IntCc::Ule => b.icmp(IntCc::Ne, variable, last),
            _ => b.icmp(IntCc::Ne, next, last),
        };
        let places: FxHashMap<Value, usize> = back.args.iter().enumerate().map(|(at, &arg)| (arg, at)).collect();
        let left: Vec<Value> = exit.args.iter().map(|arg| given[places[arg]]).collect();
        b.branch(goes_on, to(latch, &[]), to(exit.block, &left));
        if let InstData::Jump { target } = func.terminator_mut(latch) {
            target.args = given.iter().copied().collect();
            target.args[position] = next;
        }
        let place = func
            .layout
            .iter()
            .position(|&block| block == header)
            .map_or(func.layout.len(), |place| place + 1);
        func.layout.splice(place..place, [body, waits]);
        let place = func
            .layout
            .iter()
            .position(|&block| block == end)
            .map_or(func.layout.len(), |place| place + 1);
        func.layout.splice(place..place, [again]);
    }
}
