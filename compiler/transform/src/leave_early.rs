//! Loops whose later iterations do nothing are left.
//!
//! In `if (l < s) t[l] += t[l + s];` the gangs up to `s` do something, and those after it compare and go on. Where an iteration's way shows
//! that all later iterations go the same way, and nothing on it does anything, the loop over gangs ends there: a sum over a tree takes time
//! by the elements that are left. Conditions that stay as they are: of what does not change in the loop, and "less" of what grows by
//! constants.

use analysis::Analyses;
use analysis::counted::{Counted, LoopTest};
use analysis::linear::{Extension, Linear, View};
use analysis::trends::Trend;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use target::costs::effort::BLOCKS_WALKED;

/// Has loops end. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    func.layout.retain(|&block| cfg.is_reachable(block));
    if loops.irreducible || loops.loops.is_empty() {
        return false;
    }
    let home = func.homes(&func.layout);
    // Most loops have no such way: only then it is looked for what is seen of them.
    let ways: Vec<(Looked, Found)> = (0..loops.loops.len())
        .filter_map(|index| {
            let looked = Looked::new(func, cfg, loops, &home, index)?;
            let way = looked.find()?;
            Some((looked, way))
        })
        .collect();
    if ways.is_empty() {
        return false;
    }
    let seen = seen_outside(func, loops, &home);
    let is_known = |looked: &Looked| looked.is_known_outside(&seen[looked.index]);
    let found = ways.into_iter().filter_map(|(looked, way)| is_known(&looked).then_some(way));
    let found: Vec<Found> = found.collect();
    for one in &found {
        end(func, cfg, one);
    }
    !found.is_empty()
}

/// For each loop: the values made in it that are operands outside.
fn seen_outside(func: &Function, loops: &Loops, home: &SecondaryMap<Value, Option<Block>>) -> Vec<Vec<Value>> {
    let mut seen = vec![Vec::new(); loops.loops.len()];
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            func.inst(inst).data.for_each_operand(|&value| {
                let around = home[value].into_iter().flat_map(|home| loops.around(home));
                around
                    .take_while(|&index| !loops.contains(index, block))
                    .for_each(|index| seen[index].push(value));
            });
        }
    }
    seen
}

/// A way on which nothing is done, in all later iterations either.
struct Found {
    latch: Block,
    /// Where it leaves ways on which something may be done, and by which target.
    from: (Block, usize),
    /// The empty blocks behind, and by which target each is left.
    behind: Vec<(Block, usize)>,
}

/// A loop that counts up to a constant.
struct Looked<'f> {
    func: &'f Function,
    loops: &'f Loops,
    home: &'f SecondaryMap<Value, Option<Block>>,
    index: usize,
    header: Block,
    latch: Block,
    counter: Value,
    /// What the counter is at most.
    most: i128,
}

impl<'f> Looked<'f> {
    fn new(
        func: &'f Function,
        cfg: &Cfg,
        loops: &'f Loops,
        home: &'f SecondaryMap<Value, Option<Block>>,
        index: usize,
    ) -> Option<Looked<'f>> {
        let natural = &loops.loops[index];
        let &[latch] = natural.latches.as_slice() else { return None };
        let counted = Counted::new(func, LoopTest::at_end(func, latch)?)?;
        let header = natural.header;
        let leaves = counted.test.header == header && !loops.contains(index, counted.test.exit(func).block);
        if latch == header || !leaves || counted.cc != IntCc::Ult || !counted.is_next {
            return None;
        }
        let small = |value: Value| func.signed_constant(value).filter(|&value| (0..1 << 30).contains(&value));
        if small(counted.step)? == 0 {
            return None;
        }
        let mut most = i128::from(small(counted.bound)?) + i128::from(counted.beyond_bound(func)?.0);
        for pred in loops.entries(cfg, index) {
            for call in func.terminator(pred).targets().iter().filter(|call| call.block == header) {
                most = most.max(i128::from(small(call.args[counted.position])?));
            }
        }
        let this = Looked {
            func,
            loops,
            home,
            index,
            header,
            latch,
            counter: counted.param,
            most,
        };
        Some(this)
    }

    /// What the rest of the function sees of the loop is the same after an iteration that does nothing as after several.
    fn is_known_outside(&self, seen: &[Value]) -> bool {
        let func = self.func;
        let results = &func.terminator(self.latch).targets()[1].args;
        let lasts = |value: Value| {
            self.is_invariant(value)
                || func.block(self.latch).params.contains(&value)
                || func
                    .block(self.header)
                    .params
                    .iter()
                    .zip(self.back())
                    .any(|(&param, arg)| param == value && arg == value)
        };
        // Nor do iterations hand on what only they know.
        let hands_on = func.block(self.header).params.iter().zip(self.back()).all(|(&param, arg)| {
            param == self.counter || arg == param || self.is_invariant(arg) || func.block(self.latch).params.contains(&arg)
        });
        hands_on && results.iter().chain(seen).all(|&value| lasts(value))
    }

    /// The arguments for the next iteration.
    fn back(&self) -> ValueList {
        self.func.terminator(self.latch).targets()[0].args.clone()
    }

    fn is_invariant(&self, value: Value) -> bool {
        self.func.constant(value).is_some() || self.home[value].is_some_and(|home| !self.loops.contains(self.index, home))
    }

    fn does_nothing(&self, block: Block) -> bool {
        self.func.all_before_end(block, InstData::is_repeatable)
    }

    fn find(&self) -> Option<Found> {
        let found = self.walk(self.header, BLOCKS_WALKED)?;
        self.does_nothing(self.latch).then_some(found)
    }

    /// From `block` on, which all later iterations come to if this one does.
    fn walk(&self, block: Block, left: u32) -> Option<Found> {
        let left = left.checked_sub(1)?;
        if block == self.latch || !self.loops.contains(self.index, block) || !self.does_nothing(block) {
            return None;
        }
        let targets = self.func.terminator(block).targets();
        match self.func.terminator(block) {
            InstData::Jump { target } => self.walk(target.block, left),
            InstData::Branch { condition, .. } => {
                if self.is_invariant(*condition) {
                    return (0..2).find_map(|side| self.walk(targets[side].block, left));
                }
                let side = usize::from(!self.settles(*condition)?);
                let mut behind = Vec::new();
                match self.ends(targets[side], &mut behind, left) {
                    true => Some(Found {
                        latch: self.latch,
                        from: (block, side),
                        behind,
                    }),
                    false => self.walk(targets[side].block, left),
                }
            }
            _ => None,
        }
    }

    /// By empty blocks to the latch, with arguments that are the same in later iterations.
    fn ends(&self, call: &BlockCall, behind: &mut Vec<(Block, usize)>, left: u32) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        if call.block == self.latch {
            return call.args.iter().all(|&arg| self.is_invariant(arg));
        }
        let data = self.func.block(call.block);
        if !self.loops.contains(self.index, call.block) || data.insts.len() != 1 || !data.params.is_empty() {
            return false;
        }
        let targets = self.func.terminator(call.block).targets();
        let sides = match self.func.terminator(call.block) {
            InstData::Jump { .. } => 1,
            InstData::Branch { condition, .. } if self.is_invariant(*condition) => 2,
            _ => return false,
        };
        (0..sides).any(|side| {
            behind.push((call.block, side));
            let ends = self.ends(targets[side], behind, left);
            if !ends {
                behind.pop();
            }
            ends
        })
    }

    /// What a condition stays once it is that.
    fn settles(&self, condition: Value) -> Option<bool> {
        let (cc, args) = self.func.comparison(condition)?;
        let trend = |value: Value| match self.is_invariant(value) {
            true => Some(Trend::Same),
            false => self.grows(value).then_some(Trend::Rises),
        };
        match Trend::of_comparison(cc, [trend(args[0])?, trend(args[1])?])? {
            Trend::Same => None,
            trend => Some(trend == Trend::Rises),
        }
    }

    /// It is a multiple of the counter and a constant, none of which is negative.
    fn grows(&self, value: Value) -> bool {
        let ty = self.func.ty(value);
        let form = (!ty.is_vector() && ty.elem.is_int())
            .then(|| Linear::of(self.func, value, None, self))
            .flatten();
        let fits = |value, form: &Linear| self.is_exact(value, None, form);
        let counter = Linear::term((self.counter, None), 1);
        form.is_some_and(|form| form.terms.iter().any(|&(_, factor)| factor > 0) && fits(self.counter, &counter) && fits(value, &form))
    }
}

impl View for Looked<'_> {
    fn is_term(&self, value: Value, _: Extension) -> bool {
        value == self.counter
    }

    /// Neither the factor nor the constant is negative, and it nowhere exceeds its type's signed numbers.
    fn is_exact(&self, value: Value, _: Extension, form: &Linear) -> bool {
        let factor = form.terms.first().map_or(0, |&(_, factor)| i128::from(factor));
        let most = factor * self.most + i128::from(form.constant);
        factor >= 0 && form.constant >= 0 && most < 1 << (self.func.ty(value).elem.bits() - 1)
    }

    fn through(&self, op: ConvertOp, _: Value, _: Extension) -> Option<Extension> {
        matches!(op, ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc).then_some(None)
    }
}

/// The latch is told whether to go on.
fn end(func: &mut Function, cfg: &Cfg, found: &Found) {
    let latch = found.latch;
    // Its own copies of the blocks behind.
    let copies: Vec<Block> = found
        .behind
        .iter()
        .map(|&(block, _)| {
            let copy = func.add_detached_block();
            let data = func.terminator(block).clone();
            func.append(copy, data, Flags::empty());
            copy
        })
        .collect();
    let goes_on = func.add_param(latch, Type::MASK);
    for &pred in &cfg.preds[latch] {
        let holds = func.before_end(pred, |b| b.mask(Type::MASK, true));
        for target in func.terminator_mut(pred).targets_mut() {
            if target.block == latch {
                target.args.push(holds);
            }
        }
    }
    // In the copies, and at the last step of the way, the latch hears the contrary.
    let mut at = found.from;
    for (&copy, &(_, side)) in copies.iter().zip(&found.behind) {
        func.terminator_mut(at.0).targets_mut()[at.1].block = copy;
        at = (copy, side);
    }
    for &copy in &copies {
        let holds = func.before_end(copy, |b| b.mask(Type::MASK, true));
        for target in func.terminator_mut(copy).targets_mut() {
            if target.block == latch {
                target.args.push(holds);
            }
        }
    }
    let stops = func.before_end(at.0, |b| b.mask(Type::MASK, false));
    if let Some(last) = func.terminator_mut(at.0).targets_mut()[at.1].args.last_mut() {
        *last = stops;
    }
    let position = func
        .layout
        .iter()
        .position(|&block| block == found.from.0)
        .map_or(func.layout.len(), |at| at + 1);
    func.layout.splice(position..position, copies);
    if let InstData::Branch { condition, .. } = *func.terminator(latch) {
        let both = func.before_end(latch, |b| b.and(condition, goes_on));
        if let InstData::Branch { condition, .. } = func.terminator_mut(latch) {
            *condition = both;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;
    use ir::verify::verify;

    /// `for (i = 0; i < 32; i++) if (i * 8 < n) …`, with a further branch behind that nothing depends on.
    const LOOP: &str = "
function workgroup @f -> i32 {
block0(v0: i64, v1: i64):
  v2 = const.i32 0
  v3 = const.i32 1
  v4 = const.i32 32
  v5 = const.i64 3
  v6 = icmp.eq v0, v5
  jump block1(v2)
block1(v7: i32):
  v8 = zext.i64 v7 rte
  v9 = shl v8, v5
  v10 = icmp.ult v9, v1
  branch v10, block2, block3
block2:
  store v7, global align 4 [v0]
  jump block3
block3:
  branch v6, block4, block5(v3)
block4:
  store v7, global align 4 [v1]
  jump block5(v2)
block5(v11: i32):
  v12 = add v7, v3
  v13 = icmp.ult v12, v4
  branch v13, block1(v12), block6
block6:
  return v11
}";

    #[test]
    fn iterations_that_do_nothing_are_the_last() {
        let changes = |text: &str| {
            let mut func = parse_function(text).expect("IR");
            let changed = run(&mut func, &mut Analyses::default());
            verify(&func, None).expect("the rules are kept");
            assert_eq!(changed, func.to_string().contains("const.mask false"), "{func}");
            changed
        };
        assert!(changes(LOOP));
        // "More" comes true later; what is stored before, and what the last iteration leaves, would be missed.
        assert!(!changes(&LOOP.replace("icmp.ult v9, v1", "icmp.ugt v9, v1")));
        assert!(!changes(&LOOP.replace("  v10 = ", "  store v7, global align 4 [v1]\n  v10 = ")));
        assert!(!changes(&LOOP.replace("return v11", "return v7")));
        assert!(!changes(&LOOP.replace("block5(v3)", "block5(v7)")));
        // Shifted so far, it may be small again.
        assert!(!changes(&LOOP.replace("v5 = const.i64 3", "v5 = const.i64 62")));
    }
}
