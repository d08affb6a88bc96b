//! Gangs of half as many lanes, for kernels with more long integers and doubles at once than there are registers for.
//!
//! Vectors of eight 64-bit lanes are two registers each under AVX2. A hash that keeps sixteen words and as many of its message would have half of
//! them on the stack; with half the lanes it has them in registers, and does as much with each instruction.

use super::jam;
use super::widen::knows_no_gangs;
use analysis::GangFacts;
use analysis::Layout;
use analysis::uniformity::Shape;
use analysis::{Analyses, Analysis};
use ir::*;
use passes::Plan;
use target::Machine;
use target::costs::half_width::{LANES, PERCENT_LEFT};

/// A gang of half as many lanes is better. The function must be in the form that group formation takes.
pub fn pays(func: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    let in_rows = matches!(facts.layout, Layout::Rows { .. });
    let long = |&inst: &Inst| func.inst(inst).results.iter().any(|&result| func.ty(result).elem.bits() == 64);
    // (Fewer long ones than registers are never too many.)
    if facts.width < LANES || !in_rows || func.insts().filter(long).count() < machine.registers.count as usize || !knows_no_gangs(func) {
        return false;
    }
    let Some(Analysis { uniformity, .. }) = known.of(func, facts) else {
        return false;
    };
    let pressure = |lanes: u32| {
        let taken = |value: Value| {
            let ty = func.ty(value);
            match uniformity.shape(value) == Shape::Varying && ty.elem != Elem::Mask {
                true => ty.with_lanes(lanes as u16).bytes().div_ceil(machine.registers.bytes),
                false => 0,
            }
        };
        jam::pressure(func, taken)
    };
    let count = machine.registers.count;
    let (whole, half) = (pressure(facts.width), pressure(facts.width / 2));
    let pays = whole > machine.registers.with_spills() && half * 100 <= whole * PERCENT_LEFT;
    plan.note("half_width", || {
        let taken = if pays { "halved" } else { "kept" };
        format!(
            "{} lanes need {whole} registers of {count}, half as many {half}: {taken}",
            facts.width
        )
    });
    pays
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;
    use std::fmt::Write;

    /// So many values of a type are loaded before any of them is used.
    fn kernel(elem: &str, count: u32) -> String {
        let mut text = String::from(
            "function workitem @f {\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 invariant dereferenceable [v0]\n  v2 = builtin global_id 0\n",
        );
        for number in 0..count {
            writeln!(
                text,
                "  v{} = load.{elem} global align 4 [v1 + v2 * 8 + {}]",
                number + 3,
                1024 * number
            )
            .expect("a string takes it");
        }
        for number in 0..count {
            let last = if number == 0 { 3 } else { 99 + number };
            writeln!(text, "  v{} = xor v{last}, v{}", 100 + number, 2 + count - number).expect("a string takes it");
        }
        writeln!(text, "  store v{}, global align 4 [v1 + v2 * 8]\n  return\n}}", 99 + count).expect("a string takes it");
        text
    }

    fn is_halved(text: &str, local_size: [u64; 3]) -> bool {
        let func = parse_function(text).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(None, 8, local_size), &LaunchFacts::usual(local_size));
        pays(
            &func,
            &facts,
            &Machine::named("avx2").expect("there is one"),
            &mut Analyses::default(),
            &mut Plan::default(),
        )
    }

    #[test]
    fn many_long_values_are_worth_fewer_lanes() {
        assert!(is_halved(&kernel("i64", 20), [64, 1, 1]));
        assert!(is_halved(&kernel("i64", 20), [10, 1, 1]));
        // Few enough, short ones, and gangs that have few lanes or are seen.
        assert!(!is_halved(&kernel("i64", 10), [64, 1, 1]));
        assert!(!is_halved(&kernel("i32", 40), [64, 1, 1]));
        assert!(!is_halved(&kernel("i64", 20), [4, 1, 1]));
        let seen = kernel("i64", 20).replace(
            "  return",
            "  v200 = builtin sub_group_local_id\n  store v200, global align 4 [v1]\n  return",
        );
        assert!(!is_halved(&seen, [64, 1, 1]));
    }
}
