//! How many gangs at once pay: what they share, what they wait for, and how many registers they take.

use super::in_columns;
use crate::vectorize::GangFunction;
use analysis::GangFacts;
use analysis::latency::{is_scattered, latency};
use analysis::recurrence;
use analysis::registers;
use analysis::throughput::gang_cycles;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops, reverse_postorder};
use ir::*;
use target::costs::code_size;
use target::costs::interleaving::{FEW_INSTRUCTIONS, GAIN, GANGS_APART, LANES, MANY_INSTRUCTIONS, ROWS};
use target::{Costs, Machine};

/// So many gangs at once pay at most, and why.
pub(super) fn most(gang: &GangFunction, facts: &GangFacts, machine: &Machine) -> (u32, &'static str) {
    let (func, registers) = (&gang.func, machine.registers);
    let taken = |value: Value| {
        let ty = func.ty(value);
        // Broadcast values serve all gangs.
        let serves_all = matches!(
            func.def_data(value),
            Some(InstData::Lane { op: LaneOp::Splat, .. } | InstData::Const { .. })
        );
        match ty.is_vector() && !serves_all {
            true => registers::taken(func, value, ty.lanes.into(), machine),
            false => 0,
        }
    };
    let pressure = pressure(func, taken).max(1);
    if pays(gang) {
        (registers.count / pressure, "gangs share what they load")
    } else if in_columns(facts) {
        let most = (registers.count / pressure).min(ROWS);
        (most, "gangs below each other go on in the same lines")
    } else if is_short(func) {
        let most = (registers.count / pressure).min(LANES / facts.width).min(GANGS_APART);
        (most, "the code of a gang is short")
    } else if waits(func, &machine.costs, |value| func.ty(value).is_vector()) && pressure <= registers.count {
        // Two that wait in turns are worth some registers in memory.
        (2, "a gang waits for its own results")
    } else {
        let most = iterations_wait(func, machine, taken).min(GANGS_APART);
        (most, "gangs have room while iterations wait for each other")
    }
}

/// In a loop, scalars are loaded for all lanes, and products are summed: gangs of a row or a column share what is loaded. (What a loop has
/// from outside, such as arguments, its gangs would share without being jammed.) Not where each lane loads from a place of its own, which
/// takes longer than all that is shared: lanes of several gangs that read rows of a matrix would drive each other out of the cache.
fn pays(gang: &GangFunction) -> bool {
    let func = &gang.func;
    let is_product = |data: &InstData| matches!(data, InstData::Fma { .. } | InstData::Binary { op: BinaryOp::Mul, .. });
    if !func.insts().any(|inst| is_product(&func.inst(inst).data)) {
        return false;
    }
    let loops = Loops::new(&Cfg::new(func));
    let repeated = func.layout.iter().filter(|&&block| loops.innermost[block].is_some());
    let mut loaded: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut products = false;
    for inst in func.insts_of(repeated) {
        match &func.inst(inst).data {
            data @ InstData::Load { .. } if is_scattered(func, data) => return false,
            InstData::Load { .. } => loaded[func.result(inst)] = true,
            // Short numbers are extended before they come to all lanes.
            InstData::Convert { arg, .. } => loaded[func.result(inst)] = loaded[*arg],
            data if is_product(data) => products |= func.ty(func.result(inst)).is_vector(),
            _ => {}
        }
    }
    let mut results = func.insts().flat_map(|inst| &func.inst(inst).results);
    products && results.any(|&result| func.splatted(result).is_some_and(|value| loaded[value]))
}

/// A few instructions without a loop: several gangs share what counting them costs.
fn is_short(func: &Function) -> bool {
    let counts = |inst: &Inst| !matches!(func.inst(*inst).data, InstData::Const { .. });
    func.inst_count() <= 2 * FEW_INSTRUCTIONS && func.insts().filter(counts).count() <= FEW_INSTRUCTIONS && !has_loops(func)
}

fn has_loops(func: &Function) -> bool {
    let order = reverse_postorder(func);
    let mut seen = func.per_block(false);
    order.iter().any(|&block| {
        seen[block] = true;
        let mut goes_back = false;
        func.for_each_successor(block, |succ| goes_back |= seen[succ]);
        goes_back
    })
}

/// A long piece of code outside of loops spends more time waiting for its own results than doing something, and is too long for the next
/// gang's code to be started meanwhile.
pub(crate) fn waits(func: &Function, costs: &Costs, is_vector: impl Fn(Value) -> bool) -> bool {
    if func.inst_count() < MANY_INSTRUCTIONS || has_loops(func) {
        return false;
    }
    // By value: when it is there, at the earliest.
    let mut ready: SecondaryMap<Value, u32> = SecondaryMap::new();
    func.layout.iter().any(|&block| {
        let (mut count, mut last) = (0, 0);
        for &inst in &func.block(block).insts {
            let node = func.inst(inst);
            let Some(&result) = node.results.first() else { continue };
            let mut start = 0;
            node.data.for_each_operand(|&value| start = start.max(ready[value]));
            if is_vector(result) && !matches!(node.data, InstData::Const { .. }) {
                count += 1;
            }
            ready[result] = start + latency(&node.data, &costs.latency);
            last = last.max(ready[result]);
        }
        let window = costs.reorder_window;
        let waiting = last as usize * count.min(window) / window;
        count >= MANY_INSTRUCTIONS && waiting as f32 > count as f32 * costs.vector
    })
}

/// How many gangs have room in the time that each iteration of the loops waits for the iteration before, and in the registers: what a loop
/// does not change may be read from memory. Which loop matters is not known: as many as in the fullest.
fn iterations_wait(func: &Function, machine: &Machine, taken: impl Fn(Value) -> u32) -> u32 {
    let registers = machine.registers;
    if func.inst_count() * GANGS_APART as usize > code_size::FUNCTION {
        return 1;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let uses = func.use_counts();
    let room = loops.without_inner().filter_map(|index| {
        let blocks = || loops.loops[index].blocks.iter().map(|&block| func.block(block));
        let insts = || blocks().flat_map(|block| &block.insts);
        let costs = |inst: &&Inst| !(registers.have_ternary_logic() && is_part_of_ternary(func, &uses, **inst));
        let work: f32 = insts().filter(costs).map(|&inst| gang_cycles(func, inst, machine)).sum();
        let mut own: SecondaryMap<Value, bool> = SecondaryMap::new();
        let results = insts().flat_map(|&inst| &func.inst(inst).results);
        blocks()
            .flat_map(|block| &block.params)
            .chain(results)
            .for_each(|&value| own[value] = true);
        let pressure = pressure(func, |value| if own[value] { taken(value) } else { 0 });
        let (waits, _) = recurrence::longest(func, &loops, index, &machine.costs, |_| false);
        // Two that wait are worth some registers in memory: operands may be there.
        let room = (registers.count / pressure.max(1)).max(if 2 * pressure <= registers.with_spills() { 2 } else { 1 });
        (work > 0.0).then(|| gangs_for(waits as f32, work, room))
    });
    room.min().unwrap_or(1)
}

/// So many gangs at once, at most `room` of them, where an iteration waits so many cycles for the one before, and keeps the machine busy for so many
/// in each gang: twice as many as long as that gains. Near where both times are the same it takes longer than either, since what waits finds
/// its unit taken: their root of squares is what was measured of xorshift's shifts on a Zen 4 (12 cycles, and 5 a gang: 16 with two, 23 with four).
pub(crate) fn gangs_for(waits: f32, work: f32, room: u32) -> u32 {
    let each = |gangs: u32| waits.hypot(gangs as f32 * work) / gangs as f32;
    let mut gangs = 1;
    while 2 * gangs <= room && each(gangs) > GAIN * each(2 * gangs) {
        gangs *= 2;
    }
    gangs
}

/// An operation on bits that is the only user of another: they are done as one.
fn is_part_of_ternary(func: &Function, uses: &SecondaryMap<Value, u32>, inst: Inst) -> bool {
    let on_bits = |data: &InstData| {
        matches!(
            data,
            InstData::Binary {
                op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                ..
            } | InstData::Unary { op: UnaryOp::Not, .. }
        )
    };
    let data = &func.inst(inst).data;
    let inner = data.any_operand(|&value| uses[value] == 1 && func.def_data(value).is_some_and(on_bits));
    inner && on_bits(data)
}

/// How many vector registers values take at once at most, as far as a block's own instructions need them.
pub(crate) fn pressure(func: &Function, taken: impl Fn(Value) -> u32) -> u32 {
    let home = func.homes(&func.layout);
    let mut leaves = func.per_value(false);
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            let data = &func.inst(inst).data;
            data.for_each_operand(|&value| leaves[value] |= home[value] != Some(block) || data.is_terminator());
        }
    }
    let mut most = 0;
    let mut live: Local<()> = Local::new();
    for &block in &func.layout {
        live.clear();
        let mut now = 0;
        for &inst in &func.block(block).insts {
            for &result in &func.inst(inst).results {
                if leaves[result] && live.insert(result, ()) {
                    now += taken(result);
                }
            }
        }
        most = most.max(now);
        // Upwards: a value lives from its last use to its definition, where its register may be that of an operand.
        for &inst in func.block(block).insts.iter().rev() {
            let node = func.inst(inst);
            for result in &node.results {
                if live.remove(*result) {
                    now -= taken(*result);
                }
            }
            node.data.for_each_operand(|&value| {
                if live.insert(value, ()) {
                    now += taken(value);
                }
            });
            most = most.max(now);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::gangs_for;

    #[test]
    fn gangs_fill_the_time_that_iterations_wait() {
        assert_eq!(gangs_for(12.0, 5.0, 8), 4);
        assert_eq!(gangs_for(12.0, 5.0, 3), 2);
        assert_eq!(gangs_for(4.0, 10.0, 8), 1);
        assert_eq!(gangs_for(40.0, 28.0, 8), 2);
        assert_eq!(gangs_for(40.0, 1.0, 8), 8);
    }
}
