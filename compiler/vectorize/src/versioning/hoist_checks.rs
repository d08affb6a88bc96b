//! What checked mode checks in each iteration of a loop is checked once before it.
//!
//! `transform::check` guards each access of a loop. Where the loop's first and last counter are known before it, and the index is a sum of
//! multiples of the counter, all indices lie between that of the first iteration and that of the last. So the loop is written twice: without
//! those guards, for gangs of which all lanes see both ends inside; and as it was, which finds and reports what is outside.

use super::{Assumption, Budget, Region, Test, Twice, masked, may_copy, parts_in_loop, version};
use analysis::counted::Counted;
use analysis::linear::{Extension, Linear, Term, View};
use analysis::{Analyses, Analysis, GangFacts};
use ir::cfg::keep_reachable;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::effort::CHECKED_CONDITIONS;

/// Counters span no more, and are multiplied by no more, or the loop is left as it is: what is computed of them fits 64 bits.
const SPAN: i64 = 1 << 24;
/// All constants that a counter is multiplied by.
const MOST_SCALE: i64 = 1 << 12;

/// Hoists guards. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses, mut budget: Budget) -> bool {
    if facts.parameters_vary || !func.insts().any(|inst| is_access_report(&func.inst(inst).data)) {
        return false;
    }
    let Some(analysis) = known.of(func, facts) else {
        return false;
    };
    let found = candidates(func, analysis);
    let mut changed = false;
    for (region, size, mut ends) in found {
        if budget.pay(ends.guards[0], size) {
            version(func, &region, &mut ends);
            changed = true;
        }
    }
    if changed {
        keep_reachable(func);
        known.forget();
    }
    changed
}

fn is_access_report(data: &InstData) -> bool {
    matches!(
        data,
        InstData::CallRuntime {
            routine: Runtime::Found | Runtime::FoundInCallee,
            ..
        }
    )
}

/// All lanes see both ends of a loop inside of what its guards ask for.
struct EndsInside {
    counter: Counter,
    /// Blocks that end with a guard that can be hoisted.
    guards: Vec<Block>,
    /// What is defined in it, without constants.
    inside: FxHashSet<Value>,
}

/// What counts a loop's iterations.
#[derive(Clone, Copy)]
struct Counter {
    counted: Counted,
    /// Its first value.
    start: Value,
    step: i64,
    /// It is never beyond the bound by more than `more`.
    more: i64,
    /// The comparison has no sign.
    unsigned: bool,
}

/// Loops some guards of which can be hoisted, and their sizes.
fn candidates(func: &Function, analysis: Analysis) -> Vec<(Region, usize, EndsInside)> {
    let Analysis {
        cfg, loops, uniformity, ..
    } = analysis;
    let masked = masked(func, analysis);
    let mut found = Vec::new();
    let outer: FxHashSet<usize> = loops.loops.iter().filter_map(|natural| natural.parent).collect();
    for (index, natural) in loops.loops.iter().enumerate() {
        if outer.contains(&index) {
            continue;
        }
        let Some((region, size)) = Region::natural_loop(func, cfg, loops, index, may_copy) else {
            continue;
        };
        let Region::Loop { before, .. } = region else { continue };
        if masked[before] || parts_in_loop(loops, uniformity, before) {
            continue;
        }
        let inside = defined_in(func, &natural.blocks);
        let Some(counter) = counter(func, analysis, index, before, &inside) else {
            continue;
        };
        let ends = Ends {
            func,
            inside: &inside,
            counter,
        };
        let guards: Vec<Block> = natural.blocks.iter().copied().filter(|&block| ends.can_hoist(block)).collect();
        if !guards.is_empty() {
            found.push((region, size, EndsInside { counter, guards, inside }));
        }
    }
    found
}

/// Values that blocks define, without constants.
fn defined_in(func: &Function, blocks: &[Block]) -> FxHashSet<Value> {
    let values = blocks.iter().flat_map(|&block| func.values_of(block));
    values.filter(|&value| func.constant(value).is_none()).collect()
}

/// The counter of a loop that is entered from one block, and compares it in each iteration with something that stays the same.
fn counter(func: &Function, analysis: Analysis, index: usize, before: Block, inside: &FxHashSet<Value>) -> Option<Counter> {
    let counted = Counted::find(func, analysis.cfg, analysis.loops, index)?;
    let step = counted.constant_step(func).filter(|step| step.unsigned_abs() <= 1 << 16)?;
    if !counted.test.is_always_made(analysis.tree) || inside.contains(&counted.bound) {
        return None;
    }
    let (more, unsigned) = counted.beyond_bound(func)?;
    Some(Counter {
        counted,
        start: counted.start(func, before)?,
        step,
        more,
        unsigned,
    })
}

/// What is asked of expressions in a loop: how they depend on the counter.
struct Ends<'a> {
    func: &'a Function,
    inside: &'a FxHashSet<Value>,
    counter: Counter,
}

impl Ends<'_> {
    /// The block ends with a guard that can be told of before the loop.
    fn can_hoist(&self, block: Block) -> bool {
        let InstData::Branch { condition, targets } = self.func.terminator(block) else {
            return false;
        };
        let bad = targets[1].block;
        let insts = &self.func.block(bad).insts;
        let reports = insts.iter().any(|&inst| is_access_report(&self.func.inst(inst).data));
        reports && targets[0].args.is_empty() && self.is_known(*condition, CHECKED_CONDITIONS)
    }

    fn is_known(&self, condition: Value, depth: u32) -> bool {
        if !self.inside.contains(&condition) {
            return true;
        }
        match self.func.def_data(condition) {
            Some(&InstData::Binary {
                op: BinaryOp::And,
                args: [a, b],
            }) if depth > 0 => self.is_known(a, depth - 1) && self.is_known(b, depth - 1),
            Some(&InstData::IntCompare {
                cc: IntCc::Ult,
                args: [distance, count],
            }) => !self.inside.contains(&count) && Linear::of(self.func, distance, None, self).is_some(),
            _ => false,
        }
    }

    /// All constants that the counter is multiplied by, together.
    fn scale(&self, form: &Linear) -> i64 {
        let terms = form.terms.iter().filter(|((value, _), _)| self.inside.contains(value));
        terms.fold(0, |scale, (_, factor)| factor.saturating_abs().saturating_add(scale))
    }

    fn is_counter(&self, value: Value) -> bool {
        value == self.counter.counted.param || value == self.counter.counted.next
    }
}

/// Expressions are multiples of the counter and something that stays the same, as if numbers had no end.
impl View for Ends<'_> {
    fn is_term(&self, value: Value, _: Extension) -> bool {
        !self.inside.contains(&value) || self.is_counter(value)
    }

    fn is_exact(&self, _: Value, _: Extension, form: &Linear) -> bool {
        self.scale(form) <= MOST_SCALE
    }

    fn through(&self, op: ConvertOp, arg: Value, _: Extension) -> Option<Extension> {
        (op == ConvertOp::SExt && self.func.ty(arg) == Type::I32).then_some(None)
    }

    /// Once, the counter may be multiplied by something that is no constant.
    fn product(&self, value: Value, [a, b]: [Linear; 2]) -> Option<Linear> {
        let of = match (self.scale(&a), self.scale(&b)) {
            (0, _) => b,
            (_, 0) => a,
            _ => return None,
        };
        let is_product = |&((value, _), factor): &(Term, i64)| factor != 0 && self.inside.contains(&value) && !self.is_counter(value);
        let scale = self.scale(&of);
        (!of.terms.iter().any(is_product)).then(|| Linear::term((value, None), scale))
    }
}

/// Writes what expressions are at the two ends of a loop.
struct Writer<'a, 'b, 'f> {
    b: &'b mut Builder<'f>,
    inside: &'a FxHashSet<Value>,
    counter: Counter,
    /// The counter's values there: `i64`s.
    ends: [Value; 2],
    written: FxHashMap<Value, [Value; 2]>,
    /// What must hold for that.
    ok: Vec<Value>,
}

impl Writer<'_, '_, '_> {
    fn wide(&mut self, value: Value) -> Value {
        // Constants may stand in the loop.
        if let Some(constant) = self.b.func.signed_constant(value) {
            return self.b.i64(constant);
        }
        self.b.convert(ConvertOp::SExt, Elem::I64, value)
    }

    /// A number from `least` to `most`.
    fn within(&mut self, value: Value, least: i64, most: i64) {
        let from = self.b.icmp_imm(IntCc::Sge, value, least);
        let to = self.b.icmp_imm(IntCc::Sle, value, most);
        self.ok.extend([from, to]);
    }

    /// An expression that [`Ends`] sees as a linear form, at both ends, as if numbers had no end: `i64`s.
    fn value(&mut self, value: Value) -> [Value; 2] {
        if let Some(&known) = self.written.get(&value) {
            return known;
        }
        let data = self.b.func.def_data(value).cloned();
        let both = if !self.inside.contains(&value) {
            [self.wide(value); 2]
        } else if value == self.counter.counted.param {
            self.ends
        } else if value == self.counter.counted.next {
            let step = self.counter.step;
            self.ends.map(|end| self.b.binary_imm(BinaryOp::Add, end, step))
        } else {
            match data {
                Some(InstData::Binary {
                    op: BinaryOp::Shl,
                    args: [a, by],
                }) => {
                    let by = self.b.func.constant(by).unwrap_or(0);
                    self.value(a).map(|a| self.b.binary_imm(BinaryOp::Shl, a, by as i64))
                }
                Some(InstData::Binary { op, args: [a, b] }) => {
                    if op == BinaryOp::Mul {
                        for factor in [a, b] {
                            if !self.inside.contains(&factor) && self.b.func.constant(factor).is_none() {
                                let wide = self.wide(factor);
                                self.within(wide, -SPAN, SPAN);
                            }
                        }
                    }
                    let (a, b) = (self.value(a), self.value(b));
                    [0, 1].map(|end| self.b.binary(op, a[end], b[end]))
                }
                Some(InstData::Convert { arg, .. }) => {
                    let both = self.value(arg);
                    for end in both {
                        self.within(end, i32::MIN.into(), i32::MAX.into());
                    }
                    both
                }
                _ => unreachable!("only what is known to be a multiple of the counter is written"),
            }
        };
        self.written.insert(value, both);
        both
    }

    fn condition(&mut self, condition: Value) {
        if !self.inside.contains(&condition) {
            let condition = match self.b.func.constant(condition) {
                Some(bits) => self.b.mask(Type::MASK, bits != 0),
                None => condition,
            };
            self.ok.push(condition);
            return;
        }
        match self.b.func.def_data(condition).cloned() {
            Some(InstData::IntCompare {
                args: [distance, count], ..
            }) => {
                let both = self.value(distance);
                let count = match self.b.func.constant(count) {
                    Some(constant) => self.b.i64(constant as i64),
                    None => self.b.convert(ConvertOp::ZExt, Elem::I64, count),
                };
                for distance in both {
                    let inside = self.b.icmp(IntCc::Ult, distance, count);
                    self.ok.push(inside);
                }
            }
            Some(InstData::Binary { args: [a, b], .. }) => {
                self.condition(a);
                self.condition(b);
            }
            _ => unreachable!("only conditions that are known are written"),
        }
    }
}

impl Assumption for EndsInside {
    fn test(&mut self, b: &mut Builder) -> Test {
        let counter = self.counter;
        let conditions = self.guards.iter().filter_map(|&guard| match b.func.terminator(guard) {
            InstData::Branch { condition, .. } => Some(*condition),
            _ => None,
        });
        let conditions: Vec<Value> = conditions.collect();
        let mut writer = Writer {
            b,
            inside: &self.inside,
            counter,
            ends: [counter.start; 2],
            written: FxHashMap::default(),
            ok: Vec::new(),
        };
        let bits = writer.b.ty(counter.counted.param).elem.bits();
        let (start, bound) = (writer.wide(counter.start), writer.wide(counter.counted.bound));
        if counter.unsigned {
            writer.within(bound, 0, i64::MAX);
            writer.within(start, 0, i64::MAX);
        }
        let last = writer.b.binary_imm(BinaryOp::Add, bound, counter.more);
        // A loop without iterations, or with one.
        let further = if counter.step > 0 { BinaryOp::SMax } else { BinaryOp::SMin };
        let last = writer.b.binary(further, last, start);
        let most = if bits == 32 { i64::from(i32::MAX) } else { 1 << 40 };
        for end in [start, last] {
            writer.within(end, -most + counter.step.abs(), most - counter.step.abs());
        }
        let span = writer.b.sub(last, start);
        writer.within(span, -SPAN, SPAN);
        writer.ends = [start, last];
        for condition in conditions {
            writer.condition(condition);
        }
        let Writer { b, ok, .. } = writer;
        let all = ok.into_iter().reduce(|all, one| b.and(all, one));
        Test::all_lanes(b, all.expect("the ends are within limits"), true)
    }

    /// What fails a guard is not there.
    fn simplify(&self, func: &mut Function, twice: &Twice) {
        for (&block, &copy) in twice.originals.iter().zip(&twice.copies) {
            if self.guards.contains(&block)
                && let InstData::Branch { targets: [good, _], .. } = func.terminator(copy)
            {
                *func.terminator_mut(copy) = InstData::Jump { target: good.clone() };
            }
        }
    }
}
