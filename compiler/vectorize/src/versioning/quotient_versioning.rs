//! Divisions of which all lanes of a gang have the same quotient.
//!
//! `row = i / width; column = i % width;` divides what grows from lane to lane by what is the same in all. Most gangs don't go over the
//! end of a row: then the quotient is the first lane's, the remainder grows like the dividend, and what it addresses lies in order.
//! A scalar division tells; what follows the division is written twice, for gangs where it is so and for the others.

use super::{Assumption, Budget, Region, Test, Twice, is_possible, version};
use crate::control_divergence::divergent;
use analysis::GangFacts;
use analysis::uniformity::Shape;
use analysis::{Analyses, Analysis};
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::versioning::ROUNDS;

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses, mut budget: Budget) -> bool {
    if !is_possible(facts) || !func.results.is_empty() {
        return false;
    }
    let mut seen = FxHashSet::default();
    let mut changed = false;
    for _ in 0..ROUNDS {
        let Some((region, mut found)) = find(func, facts, known, &seen, &mut budget) else {
            break;
        };
        let twice = version(func, &region, &mut found);
        // In what stays as it was nothing is looked at again.
        let insts = func.insts_of(&twice.originals);
        seen.extend(insts.filter(|&inst| division(&func.inst(inst).data).is_some()));
        known.forget();
        changed = true;
    }
    changed
}

/// A division that may have one quotient for a gang.
struct Division {
    signed: bool,
    dividend: Value,
    divisor: Value,
    /// How much larger the last lane's dividend is than the first's.
    span: i64,
    /// The first lane's quotient, and that times the divisor, once they are written.
    known: Option<[Value; 2]>,
}

/// Signed or not, quotient or remainder.
fn division(data: &InstData) -> Option<(bool, bool, [Value; 2])> {
    match *data {
        InstData::Binary { op, args } => match op {
            BinaryOp::UDiv => Some((false, true, args)),
            BinaryOp::URem => Some((false, false, args)),
            BinaryOp::SDiv => Some((true, true, args)),
            BinaryOp::SRem => Some((true, false, args)),
            _ => None,
        },
        _ => None,
    }
}

/// A division, and the region of itself and what comes after it.
fn find(
    func: &Function,
    facts: &GangFacts,
    known: &mut Analyses,
    seen: &FxHashSet<Inst>,
    budget: &mut Budget,
) -> Option<(Region, Division)> {
    let candidates = |block: Block| {
        let insts = func.block(block).insts.iter().enumerate();
        insts.filter(move |&(_, inst)| !seen.contains(inst) && division(&func.inst(*inst).data).is_some())
    };
    if func.layout.iter().all(|&block| candidates(block).next().is_none()) {
        return None;
    }
    let Analysis {
        cfg,
        loops,
        post,
        tree,
        uniformity,
        ..
    } = known.of(func, facts)?;
    // The first lane counts, whoever comes along: all lanes must.
    let depends = divergent(func, cfg, post, uniformity);
    for &block in cfg.order.iter().filter(|&&block| loops.depth(block) == 0 && !depends[block]) {
        for (position, &inst) in candidates(block) {
            let Some((signed, _, [dividend, divisor])) = division(&func.inst(inst).data) else {
                continue;
            };
            let (Shape::Linear { stride, .. }, true) = (uniformity.shape(dividend), uniformity.shape(divisor).is_uniform()) else {
                continue;
            };
            let bits = func.ty(dividend).elem.bits();
            let span = stride.checked_mul(i64::from(facts.width) - 1);
            let (Some(span @ 1..=0xffff), 32 | 64) = (span, bits) else {
                continue;
            };
            // Rows that are shorter than a gang.
            if func.constant(divisor).is_some_and(|divisor| divisor <= span as u64) {
                continue;
            }
            if let Some((region, size)) = Region::rest(func, tree, block, position)
                && budget.pay(block, size)
            {
                let known = None;
                let found = Division {
                    signed,
                    dividend,
                    divisor,
                    span,
                    known,
                };
                return Some((region, found));
            }
        }
    }
    None
}

impl Assumption for Division {
    fn test(&mut self, b: &mut Builder) -> Test {
        let &mut Division {
            signed,
            dividend,
            divisor,
            span,
            ..
        } = self;
        let elem = b.ty(dividend).elem;
        let first = b.sub_group(SubGroupOp::BroadcastFirst, &[dividend]);
        let quotient = b.binary(if signed { BinaryOp::SDiv } else { BinaryOp::UDiv }, first, divisor);
        let product = b.mul(quotient, divisor);
        self.known = Some([quotient, product]);
        let remainder = b.sub(first, product);
        let left = b.sub(divisor, remainder);
        // No lane's dividend has the highest bit set, no quotient is one by zero, and all rows are long enough.
        let most = (elem.bit_mask() >> 1) as i64 - span;
        let low = b.icmp_imm(IntCc::Ult, first, most);
        let long = b.icmp_imm(if signed { IntCc::Sgt } else { IntCc::Ugt }, divisor, span);
        let fits = b.icmp_imm(IntCc::Ugt, left, span);
        let both = b.and(low, long);
        Test::when(b.and(both, fits))
    }

    /// All quotients are the first lane's, and remainders grow as dividends do.
    fn simplify(&self, func: &mut Function, twice: &Twice) {
        let Some([quotient, product]) = self.known else { return };
        func.expand_in(&twice.copies, |func, block, inst| {
            let (signed, is_quotient, args) = division(&func.inst(inst).data)?;
            if args != [self.dividend, self.divisor] || signed != self.signed {
                return None;
            }
            if is_quotient {
                return Some(quotient);
            }
            let mut b = Builder::new(func, block);
            b.flags = Flags::NSW | Flags::NUW;
            Some(b.sub(self.dividend, product))
        });
    }
}
