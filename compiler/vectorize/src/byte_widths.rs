//! Gangs wide enough that bytes and shorts fill registers, where that is most of what a kernel without loops computes.
//!
//! Sixteen bytes take the instruction that eight take. What has more bits takes twice as many instructions then, what is accessed lane by lane twice as
//! long, and some values are kept in memory: so it is counted. Where it comes to the same, longer gangs are better: they have scalars in common, and ask
//! for more memory at once.

use super::interleaved_access::{Records, Role};
use super::jam;
use super::widen::registers_of;
use analysis::access::LaneOrder;
use analysis::throughput::lanes_cycles;
use analysis::uniformity::Shape;
use analysis::{Analysis, GangFacts};
use ir::{Elem, Function, Inst, Value};
use passes::Plan;
use target::Machine;
use target::costs::interleaving::LIVE_REGISTERS;

/// The factor of the allowed ones by which lanes take the fewest cycles each; 1 if each takes more.
pub(super) fn factor(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, allowed: &[u32], plan: &mut Plan) -> u32 {
    let (uniformity, accesses) = (analysis.uniformity, analysis.accesses(func));
    let is_short = |value: &Value| uniformity.shape(*value) == Shape::Varying && matches!(func.ty(*value).elem, Elem::I8 | Elem::I16);
    if !func.insts().any(|inst| func.inst(inst).results.iter().any(is_short)) {
        return 1;
    }
    let cycles = |factor: u32| {
        let width = facts.width * factor;
        let records = Records::new(func, analysis, &GangFacts { width, ..facts.clone() }, machine);
        let bytes = |inst: Inst| func.access(inst).map_or(1, |access| access.ty.elem.bytes());
        let of_inst = |inst: Inst| match records.role(inst) {
            Some(Role::Part) => 0.0,
            Some(Role::Whole(fields)) => {
                // Each field is put together of each register of the record.
                (fields.len() * fields.len()) as f32
                    * (bytes(inst) * width).div_ceil(machine.registers.bytes) as f32
                    * machine.costs.shuffle
            }
            None if accesses.order(inst) == Some(LaneOrder::Scattered) => machine.costs.gather(bytes(inst), width),
            None => lanes_cycles(func, uniformity, inst, width, machine),
        };
        func.insts().map(of_inst).sum::<f32>()
    };
    let live = |factor: u32| jam::pressure(func, |value| registers_of(func, uniformity, machine, facts.width * factor, value));
    // What has no register is stored and loaded.
    let spilled = |live: u32| 2.0 * live.saturating_sub(machine.registers.count) as f32;
    let live_now = live(1);
    let now = cycles(1) + spilled(live_now);
    let choices = allowed.iter().filter_map(|&factor| {
        let live = live(factor);
        (live <= LIVE_REGISTERS.max(live_now)).then(|| (factor, (cycles(factor) + spilled(live)) / factor as f32))
    });
    let better = choices.filter(|(_, cycles)| *cycles <= now);
    let Some((factor, wide)) = better.min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return 1;
    };
    plan.note("widen", || {
        let (lanes, width) = (facts.width, facts.width * factor);
        format!("bytes fill registers: {now:.0} cycles for {lanes} lanes, and {wide:.0} for as many of {width}: {width} lanes")
    });
    factor
}
