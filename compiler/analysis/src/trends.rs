//! How values change from work-item to work-item: whether they only rise, or only fall, with the ids.
//!
//! `id * 4 + c` rises and `id < n` falls, so once it is false it stays false. What is monotone need not be computed for each work-item to know where
//! it comes true: the loop over groups finds by bisection where groups begin to be idle. (How far apart neighbours' values are is another question,
//! which [`super::access::Strides`] answers.)

use super::bits::ranges::Ranges;
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;

/// How something changes as an id grows; a condition is false before it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It stays.
    Same,
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
}

impl Trend {
    /// That of the negative, or of the contrary.
    pub fn reversed(self) -> Trend {
        match self {
            Trend::Same => Trend::Same,
            Trend::Rises => Trend::Falls,
            Trend::Falls => Trend::Rises,
        }
    }

    /// That of a sum. `None` where the two go different ways.
    pub fn and(self, other: Trend) -> Option<Trend> {
        match (self, other) {
            (Trend::Same, trend) | (trend, Trend::Same) => Some(trend),
            (a, b) => (a == b).then_some(a),
        }
    }

    /// That of a comparison of two numbers which change so, and whose order is that of signed numbers, too. `None` where it may come and go.
    pub fn of_comparison(cc: IntCc, [a, b]: [Trend; 2]) -> Option<Trend> {
        match cc {
            IntCc::Ult | IntCc::Ule | IntCc::Slt | IntCc::Sle => a.reversed().and(b),
            IntCc::Ugt | IntCc::Uge | IntCc::Sgt | IntCc::Sge => a.and(b.reversed()),
            IntCc::Eq | IntCc::Ne => None,
        }
    }
}

/// Along the groups of each dimension, for the same place in the group; and along the work-items of a group.
pub type Along = [Trend; 6];

/// The same for all work-items of a launch.
const SAME: Along = [Trend::Same; 6];

/// The trends of a function's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Trends {
    known: SecondaryMap<Value, Option<Along>>,
}

impl Trends {
    /// Computes them.
    pub fn new(func: &Function, cfg: &Cfg, ranges: &Ranges) -> Trends {
        let mut finder = Finder {
            func,
            ranges,
            known: func.per_value(None),
        };
        // All work-items come to the first blocks, up to the first that can be left by several ways.
        let mut always = true;
        for &block in &cfg.order {
            for &inst in &func.block(block).insts {
                if let &[result] = func.inst(inst).results.as_slice() {
                    finder.known[result] = finder.transfer(result, &func.inst(inst).data, always);
                }
            }
            always = always && matches!(func.terminator(block), InstData::Jump { .. });
        }
        Trends { known: finder.known }
    }

    /// How a value changes with the ids, seen as a signed number. `None` where it is not monotone, as far as it shows, or may not be computed for any
    /// work-item.
    pub fn of(&self, value: Value) -> Option<Along> {
        self.known[value]
    }
}

struct Finder<'f> {
    func: &'f Function,
    ranges: &'f Ranges,
    known: SecondaryMap<Value, Option<Along>>,
}

impl Finder<'_> {
    /// That of an instruction, from those of its operands. `always` says that all work-items execute it.
    fn transfer(&self, value: Value, data: &InstData, always: bool) -> Option<Along> {
        let func = self.func;
        let ty = func.ty(value);
        match data {
            InstData::Builtin { builtin, dimension } => return of_builtin(*builtin, usize::from(*dimension)),
            InstData::Load { mem, .. } => {
                let safe = always || mem.flags.contains(MemFlags::DEREFERENCEABLE);
                let stays = mem.flags.contains(MemFlags::INVARIANT) || mem.space == Space::Constant;
                let plain = !mem.flags.contains(MemFlags::VOLATILE);
                return (safe && stays && plain && self.operands_stay(data)).then_some(SAME);
            }
            InstData::Const { .. } => return Some(SAME),
            InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. } => {}
            _ => return None,
        }
        if self.operands_stay(data) {
            return Some(SAME);
        }
        if ty.is_vector() || !(ty.elem.is_int() || ty == Type::MASK) {
            return None;
        }
        match *data {
            InstData::Unary { op: UnaryOp::Not, arg } if ty == Type::MASK => Some(reversed(self.known[arg]?)),
            InstData::Unary { op: UnaryOp::Neg, arg } if self.ranges.is_exact(value) => Some(reversed(self.known[arg]?)),
            InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                arg,
                ..
            } if func.ty(arg).elem.is_int() && self.ranges.is_exact(value) => self.known[arg],
            InstData::IntCompare { cc, args } => {
                let [x, y] = [self.known[args[0]]?, self.known[args[1]]?];
                // What changes must be no number that another sign would put elsewhere.
                let is_ordered = |(arg, along): (Value, Along)| cc.is_signed() || along == SAME || self.is_natural(arg);
                let ordered = args.into_iter().zip([x, y]).all(is_ordered);
                ordered.then(|| each(x, y, |a, b| Trend::of_comparison(cc, [a, b]))).flatten()
            }
            InstData::Binary { op, args: [a, b] } => self.of_binary(op, value, a, b),
            _ => None,
        }
    }

    fn of_binary(&self, op: BinaryOp, value: Value, a: Value, b: Value) -> Option<Along> {
        let exact = self.ranges.is_exact(value);
        let [x, y] = [self.known[a]?, self.known[b]?];
        let scaled = |along: Along, by: Value| {
            let by = self.ranges.of(self.func, by);
            match (by.min >= 0, by.max <= 0) {
                (true, _) => Some(along),
                (_, true) => Some(reversed(along)),
                _ => None,
            }
        };
        let is_positive = |value: Value| self.ranges.of(self.func, value).min > 0;
        match op {
            BinaryOp::And | BinaryOp::Or if self.func.ty(value) == Type::MASK => each(x, y, Trend::and),
            BinaryOp::Add if exact => each(x, y, Trend::and),
            BinaryOp::Sub if exact => each(x, reversed(y), Trend::and),
            BinaryOp::Mul if exact && y == SAME => scaled(x, b),
            BinaryOp::Mul if exact && x == SAME => scaled(y, a),
            BinaryOp::Shl if exact && y == SAME => Some(x),
            BinaryOp::AShr if y == SAME => Some(x),
            BinaryOp::LShr if y == SAME && self.is_natural(a) => Some(x),
            BinaryOp::UDiv if y == SAME && self.is_natural(a) && is_positive(b) => Some(x),
            BinaryOp::SDiv if y == SAME && is_positive(b) => Some(x),
            BinaryOp::SMin | BinaryOp::SMax => each(x, y, Trend::and),
            BinaryOp::UMin | BinaryOp::UMax if self.is_natural(a) && self.is_natural(b) => each(x, y, Trend::and),
            _ => None,
        }
    }

    fn operands_stay(&self, data: &InstData) -> bool {
        let mut stay = true;
        data.for_each_operand(|&operand| stay = stay && self.known[operand] == Some(SAME));
        stay
    }

    fn is_natural(&self, value: Value) -> bool {
        self.ranges.of(self.func, value).is_natural()
    }
}

fn of_builtin(builtin: Builtin, dimension: usize) -> Option<Along> {
    let mut along = SAME;
    match builtin {
        Builtin::GlobalId => (along[dimension], along[3 + dimension]) = (Trend::Rises, Trend::Rises),
        Builtin::GroupId => along[dimension] = Trend::Rises,
        Builtin::LocalId => along[3 + dimension] = Trend::Rises,
        // (Groups that are cut off have another local size.)
        Builtin::GlobalSize | Builtin::EnqueuedLocalSize | Builtin::NumGroups | Builtin::GlobalOffset | Builtin::Arguments => {}
        _ => return None,
    }
    Some(along)
}

fn reversed(along: Along) -> Along {
    along.map(Trend::reversed)
}

/// What becomes of two trends in each direction.
fn each(a: Along, b: Along, of: impl Fn(Trend, Trend) -> Option<Trend>) -> Option<Along> {
    let mut along = a;
    for (trend, other) in along.iter_mut().zip(b) {
        *trend = of(*trend, other)?;
    }
    Some(along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyses, GangFacts, gang_shape};
    use interface::LaunchFacts;
    use ir::parse::parse_function;
    use std::fmt::Write;

    /// The trend along the groups of the first dimension of what an instruction makes of a global id (`v2`), a loaded number that is the same for
    /// all (`v3`), and 7 (`v4`).
    fn along_groups(instruction: &str) -> Option<Trend> {
        let mut text = String::from("function workitem @f {\nblock0:\n  v0 = builtin arguments\n");
        text += "  v1 = load.i64 constant align 8 invariant dereferenceable [v0]\n  v2 = builtin global_id 0\n";
        text += "  v3 = load.i64 global align 8 invariant [v1]\n  v4 = const.i64 7\n";
        write!(text, "  v5 = {instruction}\n  return\n}}").expect("a string takes it");
        let func = parse_function(&text).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &LaunchFacts::usual([64, 1, 1]));
        let mut analyses = Analyses::default();
        let known = analyses.of(&func, &facts).expect("its loops are reducible");
        let along = known.trends(&func).of(Value::from_u32(5));
        // In the other dimensions there is nothing that would change.
        assert!(along.is_none_or(|along| along[1..3] == [Trend::Same; 2]), "{text}");
        along.map(|along| along[0])
    }

    #[test]
    fn sums_products_and_comparisons_go_one_way() {
        for (instruction, trend) in [
            ("add v3, v4", Trend::Same),
            ("udiv v2, v4", Trend::Rises),
            ("mul v2, v4", Trend::Rises),
            ("sub v4, v2", Trend::Falls),
            ("smax v2, v3", Trend::Rises),
            ("icmp.ult v2, v3", Trend::Falls),
            ("icmp.sge v2, v3", Trend::Rises),
            ("icmp.ult v3, v2", Trend::Rises),
        ] {
            assert_eq!(along_groups(instruction), Some(trend), "{instruction}");
        }
    }

    #[test]
    fn what_comes_and_goes_has_no_trend() {
        // Bits go up and down; a sum with any number may wrap; a comparison of equality is true in between.
        for instruction in [
            "xor v2, v4",
            "urem v2, v4",
            "add v2, v3",
            "mul v2, v3",
            "udiv v2, v3",
            "icmp.eq v2, v3",
            "load.i64 global align 8 invariant [v1 + v2 * 8]",
            "load.i64 global align 8 [v1]",
        ] {
            assert_eq!(along_groups(instruction), None, "{instruction}");
        }
    }

    #[test]
    fn loads_that_only_some_execute_have_none() {
        let text = |flags: &str| {
            format!(
                "function workitem @f {{\nblock0:\n  v0 = builtin global_id 0\n  v1 = builtin arguments\n  v2 = icmp.ult v0, v1\n  branch v2, block1, \
                 block2\nblock1:\n  v3 = load.i64 global align 8 invariant{flags} [v1]\n  jump block2\nblock2:\n  return\n}}"
            )
        };
        for (flags, trend) in [("", None), (" dereferenceable", Some(SAME))] {
            let func = parse_function(&text(flags)).expect("the test's text is IR");
            let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &LaunchFacts::usual([64, 1, 1]));
            let mut analyses = Analyses::default();
            let known = analyses.of(&func, &facts).expect("its loops are reducible");
            assert_eq!(known.trends(&func).of(Value::from_u32(3)), trend);
        }
    }
}
