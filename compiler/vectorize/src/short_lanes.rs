//! Lanes of 8 and 16 bits stay as short as they are, in gangs that are longer for it.
//!
//! ```c
//! short x = a[i];
//! for (int j = 0; j < n; j++) x = x * 5 + 77;   // 32 lanes of 16 bits in 512
//! ```
//!
//! What is saved depends on how long the gang is, and how long it may be on what is saved: each length is tried, the longest first, and taken if
//! [`super::widen`] would then choose it.

use super::widen;
use analysis::{Analyses, GangFacts};
use ir::{Function, Type};
use passes::Plan;
use target::Machine;
use transform::bit_width::sixteen_bits::{has_cuts, has_short_sources, run_short};

/// Computes in 8 or 16 bits what is extended from as many and cut to them. True if something changed.
pub fn run(func: &mut Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    if facts.parameters_vary || !has_short_sources(func) && !has_cuts(func) {
        return false;
    }
    let registers = |factor: u32| (factor * facts.width * Type::I32.bytes()).div_ceil(machine.registers.bytes);
    for factor in widen::allowed(func, facts) {
        let (mut trial, mut notes) = (func.clone(), plan.branch());
        let mut of_trial = Analyses::default();
        if !run_short(&mut trial, facts, registers(factor), &mut of_trial, &mut notes) {
            break;
        }
        if widen::factor(&trial, facts, machine, false, &mut of_trial, &mut Plan::default()) == factor {
            *func = trial;
            *known = of_trial;
            plan.merge(notes);
            return true;
        }
    }
    run_short(func, facts, registers(1), known, plan)
}
