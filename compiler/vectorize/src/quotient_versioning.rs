//! Divisions of which all lanes of a gang have the same quotient.
//!
//! `row = i / width; column = i % width;` divides what grows from lane to lane by what is the same in all. Most gangs don't go over the
//! end of a row: then the quotient is the first lane's, the remainder grows like the dividend, and what it addresses lies in order.
//! A scalar division tells; what follows the division is written twice, for gangs where it is so and for the others.

use super::control_divergence::divergent;
use super::region_cloning::Behind;
use analysis::GangFacts;
use analysis::uniformity::Shape;
use analysis::{Analyses, Analysis};
use ir::*;
use rustc_hash::FxHashSet;

/// So many divisors at most.
const ROUNDS: usize = 3;

/// Copies. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses) -> bool {
    if facts.width == 1 || !facts.full_gangs() || facts.parameters_vary || !func.results.is_empty() {
        return false;
    }
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let mut changed = false;
    for _ in 0..ROUNDS {
        let Some(found) = find(func, facts, known, &seen) else { break };
        split(func, &found, &mut seen);
        known.forget();
        changed = true;
    }
    changed
}

/// A division that may have one quotient for a gang.
struct Division {
    block: Block,
    signed: bool,
    dividend: Value,
    divisor: Value,
    /// How much larger the last lane's dividend is than the first's.
    span: i64,
    /// Itself and what comes after it.
    behind: Behind,
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

fn find(func: &Function, facts: &GangFacts, known: &mut Analyses, seen: &FxHashSet<Inst>) -> Option<Division> {
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
            if let Some(behind) = Behind::find(func, tree, block, position) {
                return Some(Division {
                    block,
                    signed,
                    dividend,
                    divisor,
                    span,
                    behind,
                });
            }
        }
    }
    None
}

/// Writes twice what is behind the division; in `seen` is what stays as it was.
fn split(func: &mut Function, found: &Division, seen: &mut FxHashSet<Inst>) {
    let &Division {
        block,
        signed,
        dividend,
        divisor,
        span,
        ..
    } = found;
    let twice = found.behind.write_twice(func);

    let mut b = Builder::new(func, block);
    let elem = b.ty(dividend).elem;
    let first = b.sub_group(SubGroupOp::BroadcastFirst, &[dividend]);
    let quotient = b.binary(if signed { BinaryOp::SDiv } else { BinaryOp::UDiv }, first, divisor);
    let product = b.mul(quotient, divisor);
    let remainder = b.sub(first, product);
    let left = b.sub(divisor, remainder);
    // No lane's dividend has the highest bit set, no quotient is one by zero, and all rows are long enough.
    let most = (elem.bit_mask() >> 1) as i64 - span;
    let low = b.icmp_imm(IntCc::Ult, first, most);
    let long = b.icmp_imm(if signed { IntCc::Sgt } else { IntCc::Ugt }, divisor, span);
    let fits = b.icmp_imm(IntCc::Ugt, left, span);
    let both = b.and(low, long);
    let one = b.and(both, fits);
    b.branch(one, to(twice.copies[0], &[]), to(twice.originals[0], &[]));

    let mut replaced = ValueMap::default();
    let mut known: FxHashSet<Inst> = FxHashSet::default();
    for (original, copy) in twice.pairs(func) {
        let Some((is_signed, is_quotient, args)) = division(&func.inst(original).data) else {
            continue;
        };
        // In what stays as it was nothing is looked at again.
        seen.insert(original);
        if args != [dividend, divisor] || is_signed != signed {
            continue;
        }
        if is_quotient {
            replaced.insert(func.result(copy), quotient);
            known.insert(copy);
        } else {
            func.replace(
                copy,
                InstData::Binary {
                    op: BinaryOp::Sub,
                    args: [dividend, product],
                },
            );
            func.inst_mut(copy).flags = Flags::NSW | Flags::NUW;
        }
    }
    for &copy in &twice.copies {
        func.block_mut(copy).insts.retain(|inst| !known.contains(inst));
    }
    func.substitute(&replaced);
}
