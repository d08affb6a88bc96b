//! Gangs wide enough that records of bytes and shorts are accessed as wholes.
//!
//! Eight pixels of three bytes have fields of eight bytes, which [`super::interleaved_access`] leaves to accesses lane by lane: no register is full.
//! Of gangs twice as wide they are loaded and stored together. What that saves is mostly more than it takes to keep some of the wider gang's values
//! in memory.

use super::interleaved_access::Records;
use super::jam;
use super::widen::registers_of;
use analysis::throughput::lanes_cycles;
use analysis::{Analysis, GangFacts};
use ir::Function;
use passes::Plan;
use target::Machine;
use target::costs::assumed;
use target::costs::interleaving::LIVE_REGISTERS;
use target::costs::record::{FIELD, INTERLEAVED};

/// The least of the allowed factors that makes records of what would be accessed lane by lane; 1 if none does, or it does not pay.
pub(super) fn factor(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, allowed: &[u32], plan: &mut Plan) -> u32 {
    let (uniformity, costs) = (analysis.uniformity, &machine.costs);
    // Cycles of all records' fields in a gang of so many lanes, and how many of them are accessed together.
    let of_records = |width: u32| {
        let wide = GangFacts { width, ..facts.clone() };
        let all = Records::of(func, analysis, &wide, INTERLEAVED, 1);
        let (mut cycles, mut together) = (0.0, 0);
        for fields in all.fields() {
            let bytes = fields
                .iter()
                .flatten()
                .filter_map(|&inst| func.access(inst))
                .map(|access| access.ty.elem.bytes())
                .max()
                .unwrap_or(1);
            let count = fields.iter().flatten().count();
            cycles += match bytes * width >= FIELD {
                // Each field is put together of each register of the record.
                true => (fields.len() * fields.len()) as f32 * (bytes * width).div_ceil(machine.registers.bytes) as f32 * costs.shuffle,
                false => count as f32 * costs.gather(bytes, width),
            };
            together += if bytes * width >= FIELD { count } else { 0 };
        }
        (cycles, together)
    };
    let others = |width: u32| {
        func.insts()
            .map(|inst| lanes_cycles(func, uniformity, inst, width, machine))
            .sum::<f32>()
    };
    let pressure = |width: u32| jam::pressure(func, |value| registers_of(func, uniformity, machine, width, value));
    let (apart, together) = of_records(facts.width);
    let now = apart + others(facts.width);
    for &factor in allowed.iter().rev() {
        let width = facts.width * factor;
        let (cycles, more) = of_records(width);
        let live = pressure(width);
        // What has no register is stored and loaded.
        let spilled = 2.0 * live.saturating_sub(machine.registers.count) as f32;
        let wide = (cycles + others(width) + spilled) / factor as f32;
        if more > together && live <= LIVE_REGISTERS && wide * assumed::MARGIN <= now {
            plan.note("widen", || {
                let lanes = facts.width;
                format!("records take {now:.0} cycles for {lanes} lanes lane by lane, and {wide:.0} for as many of {width} as wholes: {width} lanes")
            });
            return factor;
        }
    }
    1
}
