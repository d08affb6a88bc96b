//! Loops that count, `for (i = start; i < bound; i += step)`: the induction variable that a loop's test compares, and how often it goes on.
//!
//! The test may stand anywhere in the loop, and compare the variable or what it is in the next iteration, or either of them in other bits.

use crate::bits::ranges::Range;
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::costs::effort::OPERATIONS;

/// A loop's one way back, and a branch that leaves it.
#[derive(Clone, Copy, Debug)]
pub struct LoopTest {
    /// Where iterations begin.
    pub header: Block,
    /// Where they end.
    pub latch: Block,
    /// The block that the loop is left from.
    pub exiting: Block,
    /// Which of its targets stays inside: 0 or 1.
    pub side: usize,
}

impl LoopTest {
    /// The only test of a loop. It need not be in every iteration's way.
    pub fn only(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<LoopTest> {
        let natural = &loops.loops[index];
        let &[latch] = natural.latches.as_slice() else { return None };
        let (exiting, side) = loops.only_exit(func, cfg, index)?;
        Some(LoopTest {
            header: natural.header,
            latch,
            exiting,
            side,
        })
    }

    /// All tests of a loop that has one way back: branches with a side that leaves it.
    pub fn all<'f>(func: &'f Function, cfg: &'f Cfg, loops: &'f Loops, index: usize) -> impl Iterator<Item = LoopTest> + 'f {
        let natural = &loops.loops[index];
        let latch = natural.latches.first().copied().filter(|_| natural.latches.len() == 1);
        loops.exiting(cfg, index).filter_map(move |exiting| {
            let (_, targets) = func.branch(exiting)?;
            let [first, second] = [0, 1].map(|side| loops.contains(index, targets[side].block));
            Some(LoopTest {
                header: natural.header,
                latch: latch?,
                exiting,
                side: usize::from(!first),
            })
            .filter(|_| first != second)
        })
    }

    /// The test at the end of a block, if that leads back to a header where it holds.
    pub fn at_end(func: &Function, latch: Block) -> Option<LoopTest> {
        let (_, [again, exit]) = func.branch(latch)?;
        (again.block != exit.block).then_some(LoopTest {
            header: again.block,
            latch,
            exiting: latch,
            side: 0,
        })
    }

    /// It is made in each iteration.
    pub fn is_always_made(&self, tree: &DominatorTree) -> bool {
        tree.dominates(self.exiting, self.latch)
    }

    /// How often the test is made, at most `most`, where that follows from constants alone, and the header's parameters that are known each time. Iterations
    /// are gone through one by one: whatever they compute may be compared. `before` is where the loop is entered from, `around` what is known outside.
    pub fn constant_trips(&self, func: &Function, before: Block, around: &Known, most: usize) -> Option<(usize, SmallVec<[Value; 4]>)> {
        let (condition, _) = func.branch(self.exiting)?;
        let params = &func.block(self.header).params;
        let handed = |from: Block| -> Option<Vec<Value>> {
            let positions = 0..params.len();
            positions.map(|position| func.handed(from, self.header, position)).collect()
        };
        let (first, next) = (handed(before)?, handed(self.latch)?);
        let known = |values: &[Value], iteration: &mut Known| -> Known {
            let mut of = |value| constant(func, value, iteration, around, OPERATIONS);
            params.iter().zip(values).map(|(&param, &value)| (param, of(value))).collect()
        };
        let mut iteration = known(&first, &mut Known::default());
        for count in 1..=most {
            let taken = usize::from(constant(func, condition, &mut iteration, around, OPERATIONS)? == 0);
            if taken != self.side {
                let counters = params.iter().filter(|param| iteration[*param].is_some());
                return Some((count, counters.copied().collect()));
            }
            iteration = known(&next, &mut iteration);
        }
        None
    }

    /// Where it leads out.
    pub fn exit<'f>(&self, func: &'f Function) -> &'f BlockCall {
        func.terminator(self.exiting).targets()[1 - self.side]
    }
}

/// What values are in one iteration, as far as they have been asked for; `None` for those that are not known.
pub type Known = FxHashMap<Value, Option<u64>>;

/// The value in an iteration of which the header's parameters are known, or some of them.
fn constant(func: &Function, value: Value, iteration: &mut Known, around: &Known, depth: u32) -> Option<u64> {
    if let Some(bits) = func.constant(value) {
        return Some(bits);
    }
    if let Some(&known) = iteration.get(&value).or_else(|| around.get(&value)) {
        return known;
    }
    let depth = depth.checked_sub(1)?;
    let elem = |value: Value| Some(func.ty(value)).filter(|ty| ty.lanes == 1).map(|ty| ty.elem);
    let mut of = |value: Value| constant(func, value, iteration, around, depth);
    let mut compute = || {
        use BinaryOp::*;
        match *func.def_data(value)? {
            InstData::Binary {
                op: op @ (Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor),
                args: [a, b],
            } => Some(eval::binary(op, elem(value)?, of(a)?, of(b)?)),
            InstData::IntCompare { cc, args: [a, b] } => Some(u64::from(eval::int_compare(cc, elem(a)?, of(a)?, of(b)?))),
            InstData::Convert {
                op: op @ (ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc),
                ty,
                arg,
                rounding,
                ..
            } => Some(eval::convert(op, elem(arg)?, ty.elem, rounding, of(arg)?)),
            _ => None,
        }
    };
    let result = compute();
    iteration.insert(value, result);
    result
}

/// An induction variable that a loop's test compares.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The test.
    pub test: LoopTest,
    /// The variable, and its position among the header's parameters.
    pub param: Value,
    /// See [`Counted::param`].
    pub position: usize,
    /// What it is in the next iteration: the variable and the step.
    pub next: Value,
    /// Anything: it may be another one in each iteration.
    pub step: Value,
    /// The loop goes on while `compared` is so to `bound`.
    pub cc: IntCc,
    /// An operand of the comparison.
    pub compared: Value,
    /// The other one: anything.
    pub bound: Value,
    /// `compared` is what comes next, and not the variable.
    pub is_next: bool,
    /// How it was made from that, if it is in other bits.
    pub conversion: Option<ConvertOp>,
}

impl Counted {
    /// The loop of that index, if its only test compares an induction variable.
    pub fn find(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<Counted> {
        Counted::new(func, LoopTest::only(func, cfg, loops, index)?)
    }

    /// The induction variable that a test compares.
    pub fn new(func: &Function, test: LoopTest) -> Option<Counted> {
        let (condition, _) = func.branch(test.exiting)?;
        let (cc, [a, b]) = func.comparison(condition)?;
        let cc = if test.side == 0 { cc } else { cc.inverted() };
        Counted::of(func, test, (cc, a, b)).or_else(|| Counted::of(func, test, (cc.swapped(), b, a)))
    }

    fn of(func: &Function, test: LoopTest, (cc, compared, bound): (IntCc, Value, Value)) -> Option<Counted> {
        let LoopTest { header, latch, .. } = test;
        let position_of = |value: Value| match func.def(value) {
            ValueDef::Param(block, position) => (block == header).then_some(position as usize),
            _ => None,
        };
        let (number, conversion) = match func.def_data(compared) {
            Some(&InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc),
                arg,
                ..
            }) => (arg, Some(op)),
            _ => (compared, None),
        };
        let next = match position_of(number) {
            Some(position) => func.handed(latch, header, position)?,
            None => number,
        };
        let [a, b] = func.binary(BinaryOp::Add, next)?;
        let (param, position, step) = [(a, b), (b, a)].into_iter().find_map(|(param, step)| {
            let position = position_of(param)?;
            (func.handed(latch, header, position) == Some(next)).then_some((param, position, step))
        })?;
        let is_next = number == next;
        let counts = (is_next || number == param) && bound != param && bound != next;
        counts.then_some(Counted {
            test,
            param,
            position,
            next,
            step,
            cc,
            compared,
            bound,
            is_next,
            conversion,
        })
    }

    /// The step, if it is a constant.
    pub fn constant_step(&self, func: &Function) -> Option<i64> {
        func.signed_constant(self.step)
    }

    /// What the variable is where a block enters the loop.
    pub fn start(&self, func: &Function, before: Block) -> Option<Value> {
        func.handed(before, self.test.header, self.position)
    }

    /// Where the test is made in each iteration and the bound stays the same, the variable is never further than the bound and so much, seen in
    /// the direction of the (constant) step, but where it starts further; and whether that is so of unsigned numbers. If nothing wraps, that is.
    pub fn beyond_bound(&self, func: &Function) -> Option<(i64, bool)> {
        let step = self.constant_step(func).filter(|_| self.conversion.is_none())?;
        // In front of the test the variable may be a step further than what was compared last.
        let late = if self.is_next || self.test.exiting == self.test.header {
            0
        } else {
            step
        };
        match (self.cc, step > 0) {
            (IntCc::Slt, true) | (IntCc::Sgt, false) => Some((late - step.signum(), false)),
            (IntCc::Sle, true) | (IntCc::Sge, false) => Some((late, false)),
            (IntCc::Ult, true) => Some((late - 1, true)),
            (IntCc::Ule, true) => Some((late, true)),
            _ => None,
        }
    }

    /// The number of iterations (tests that are made), if it is the same for each start in the range, and at most `most`; by what is known of the
    /// range of any value. Where the test is made in each iteration.
    pub fn trip_count(&self, func: &Function, start: Range, most: u32, range: impl Fn(Value) -> Range) -> Option<u32> {
        let (step, bound, all) = (range(self.step), range(self.bound), Range::of_type(func.ty(self.param)));
        if step.min != step.max || self.conversion.is_some() {
            return None;
        }
        let first = i64::from(self.is_next);
        for iteration in 0..most {
            let by = step.min.checked_mul(i64::from(iteration) + first)?;
            let compared = Range {
                min: start.min.checked_add(by)?,
                max: start.max.checked_add(by)?,
            };
            if !all.contains(compared) {
                return None;
            }
            if !compared.compares(self.cc, bound)? {
                return Some(iteration + 1);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// The counter of a loop of one block, `body`, with what is passed back and the branch's condition `v9`, and the function.
    fn counted(body: &str, back: &str) -> (Function, Option<Counted>) {
        let text = format!(
            "
function workitem @k {{
block0:
  v0 = const.i32 0
  v1 = const.i32 3
  v2 = const.i32 20
  v3 = const.i32 -3
  jump block1(v0)
block1(v4: i32):
{body}
  branch v9, block1({back}), block2
block2:
  return
}}"
        );
        let func = parse_function(&text).expect("IR");
        let cfg = Cfg::new(&func);
        let counted = Counted::find(&func, &cfg, &Loops::new(&cfg), 0);
        (func, counted)
    }

    fn trips(body: &str, start: Range) -> Option<u32> {
        let (func, counted) = counted(body, "v5");
        counted?.trip_count(&func, start, 64, |value| {
            let number = func.signed_constant(value);
            number.map_or(Range::of_type(func.ty(value)), |number| Range { min: number, max: number })
        })
    }

    #[test]
    fn the_test_may_compare_either_number_on_either_side_and_in_other_bits() {
        for (compare, is_next, cc) in [
            ("v9 = icmp.slt v5, v2", true, IntCc::Slt),
            ("v9 = icmp.slt v4, v2", false, IntCc::Slt),
            ("v9 = icmp.sgt v2, v5", true, IntCc::Slt),
            (
                "v6 = sext.i64 v5 rte\n  v7 = sext.i64 v2 rte\n  v9 = icmp.ne v6, v7",
                true,
                IntCc::Ne,
            ),
        ] {
            let (func, found) = counted(&format!("  v5 = add v4, v1\n  {compare}"), "v5");
            let found = found.unwrap_or_else(|| panic!("{compare}"));
            assert_eq!(
                (found.is_next, found.cc, found.constant_step(&func)),
                (is_next, cc, Some(3)),
                "{compare}"
            );
            assert_eq!(found.conversion.is_some(), compare.contains("sext"));
            assert_eq!(found.start(&func, func.entry()).and_then(|start| func.constant(start)), Some(0));
        }
    }

    #[test]
    fn other_numbers_do_not_count() {
        let step = "  v5 = add v4, v1";
        assert!(
            counted(&format!("{step}\n  v9 = icmp.slt v5, v2"), "v1").1.is_none(),
            "not what is passed on"
        );
        assert!(counted("  v5 = mul v4, v1\n  v9 = icmp.slt v5, v2", "v5").1.is_none(), "not a sum");
        assert!(
            counted(&format!("{step}\n  v9 = icmp.slt v4, v5"), "v5").1.is_none(),
            "compared with itself"
        );
        assert!(
            counted(&format!("{step}\n  v9 = icmp.slt v0, v2"), "v5").1.is_none(),
            "not compared"
        );
    }

    #[test]
    fn trips_are_counted_for_all_starts_alike() {
        let up = "  v5 = add v4, v1\n  v9 = icmp.slt v5, v2";
        assert_eq!(trips(up, Range { min: 0, max: 0 }), Some(7));
        assert_eq!(trips(up, Range { min: 0, max: 1 }), Some(7));
        assert_eq!(trips(up, Range { min: 0, max: 2 }), None, "18, 19 or 20 come after six steps");
        let late = "  v5 = add v4, v1\n  v9 = icmp.slt v4, v2";
        assert_eq!(trips(late, Range { min: 0, max: 1 }), Some(8));
        assert_eq!(
            trips("  v5 = add v4, v3\n  v9 = icmp.slt v5, v2", Range { min: 0, max: 0 }),
            None,
            "more than are looked for"
        );
    }

    #[test]
    fn variables_stay_near_their_bounds() {
        let beyond = |body: &str| {
            let (func, counted) = counted(body, "v5");
            counted.and_then(|counted| counted.beyond_bound(&func))
        };
        assert_eq!(beyond("  v5 = add v4, v1\n  v9 = icmp.slt v5, v2"), Some((-1, false)));
        assert_eq!(beyond("  v5 = add v4, v1\n  v9 = icmp.ule v5, v2"), Some((0, true)));
        assert_eq!(beyond("  v5 = add v4, v3\n  v9 = icmp.sgt v5, v2"), Some((1, false)));
        assert_eq!(beyond("  v5 = add v4, v3\n  v9 = icmp.slt v5, v2"), None, "it goes away from it");
        assert_eq!(beyond("  v5 = add v4, v1\n  v9 = icmp.ne v5, v2"), None, "it may jump over it");
    }
}
