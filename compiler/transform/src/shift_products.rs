//! Products of vectors of integers with constants become shifts and sums, where that keeps the machine busy for less; or for no longer, where
//! iterations of a loop wait for it, or the rest of a chain.
//!
//! ```c
//! x * 10   // (x << 3) + (x << 1)
//! x * 31   // (x << 5) - x
//! ```
//!
//! Intel's machines take ten cycles for a product of 32 bits, as long as two units are busy with it twice: where `x = x * 5 + 77` is what an
//! iteration hands on, a shift and a sum have it after two. So they do in a long chain without a loop. Where no instruction multiplies vectors of 64-bit integers, it takes three products of
//! 32 bits, and what adds them up. Numbers that addresses are made of stay products: from these the back end reads how far apart lanes are.
//! (Strength reduction: Cocke, Kennedy: An Algorithm for Reduction of Operator Strength, 1977.)

use analysis::Analyses;
use analysis::access::in_addresses;
use analysis::latency::latency;
use analysis::products::Digits;
use analysis::recurrence;
use analysis::throughput::gang_cycles;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::interleaving::MANY_INSTRUCTIONS;
use target::costs::{assumed, effort};

/// Replaces. True if something changed.
pub fn run(func: &mut Function, machine: &Machine, analyses: &mut Analyses) -> bool {
    let costs = &machine.costs;
    let mut found: FxHashMap<Inst, Digits> = FxHashMap::default();
    for inst in func.insts() {
        let digits = Digits::of(func, &func.inst(inst).data);
        found.extend(digits.map(|digits| (inst, digits)));
    }
    let pays = |digits: &Digits| digits.surplus(costs) < 0.0;
    let is_sooner = |digits: &Digits| digits.latency(&costs.latency) < costs.latency.of_product(digits.ty.elem.bits());
    found.retain(|_, digits| pays(digits) || is_sooner(digits));
    if found.is_empty() {
        return false;
    }
    let in_address = in_addresses(func);
    found.retain(|&inst, _| !in_address[func.result(inst)]);
    if !found.values().all(pays) {
        let waited = waited_for(func, machine, analyses, &found);
        found.retain(|inst, digits| pays(digits) || waited.contains(inst));
    }
    func.expand(|func, block, inst| Some(write(&mut Builder::new(func, block), found.get(&inst)?)))
}

// A mark each.
const _: () = assert!(effort::PRODUCTS <= u32::BITS as usize);

/// Products that an iteration hands on to the next. Where its sums take longer than the product, there must be time for that.
fn waited_for(func: &Function, machine: &Machine, analyses: &mut Analyses, found: &FxHashMap<Inst, Digits>) -> FxHashSet<Inst> {
    let costs = &machine.costs;
    let loops = analyses.flow(func).loops();
    let mut waited = FxHashSet::default();
    for (index, natural) in loops.loops.iter().enumerate() {
        let is_inner = |&&block: &&Block| loops.innermost[block] == Some(index as u32);
        let insts = || natural.blocks.iter().filter(is_inner).flat_map(|&block| &func.block(block).insts);
        let products: Vec<Inst> = insts()
            .copied()
            .filter(|inst| found.contains_key(inst))
            .take(effort::PRODUCTS)
            .collect();
        if products.is_empty() {
            continue;
        }
        let work: f32 = insts().map(|&inst| gang_cycles(func, inst, machine)).sum();
        let mut idle = -work;
        let chained = natural
            .blocks
            .iter()
            .filter(is_inner)
            .filter(|&&block| is_chain(func, machine, block));
        let chained = chained.flat_map(|&block| &func.block(block).insts);
        waited.extend(chained.filter(|inst| found.get(inst).is_some_and(|digits| digits.surplus(costs) <= 0.0)));
        let mark_of = |inst: Inst| products.iter().position(|&product| product == inst).map_or(0, |number| 1 << number);
        let (waits, handed_on) = recurrence::longest_with_marks(func, loops, index, costs, mark_of);
        for (number, &product) in products.iter().enumerate() {
            let is_handed_on = handed_on >> number & 1 != 0;
            let registers = func.ty(func.result(product)).bytes().div_ceil(machine.registers.bytes).max(1);
            let surplus = registers as f32 * found[&product].surplus(costs).max(0.0);
            if is_handed_on && (surplus == 0.0 || surplus < waits as f32 + idle) {
                idle -= surplus;
                waited.insert(product);
            }
        }
    }
    waited
}

/// The longest chain of a long block, with its products as they are, takes longer than all that the block does: the machine would wait for it. (It looks ahead of
/// a short one.)
fn is_chain(func: &Function, machine: &Machine, block: Block) -> bool {
    let latencies = &machine.costs.latency;
    let mut ready: FxHashMap<Value, u32> = FxHashMap::default();
    let (mut work, mut longest, mut count) = (0.0, 0, 0);
    for &inst in &func.block(block).insts {
        let node = func.inst(inst);
        let cycles = gang_cycles(func, inst, machine);
        work += cycles;
        count += usize::from(cycles > 0.0);
        let &[result] = node.results.as_slice() else { continue };
        let mut start = 0;
        node.data
            .for_each_operand(|operand| start = start.max(ready.get(operand).copied().unwrap_or_default()));
        let takes = match node.data {
            InstData::Binary { op: BinaryOp::Mul, .. } if func.ty(result).is_vector() => latencies.of_product(func.ty(result).elem.bits()),
            // Memory is read ahead.
            InstData::Load { .. } => 0,
            ref data => latency(data, latencies),
        };
        ready.insert(result, start + takes);
        longest = longest.max(start + takes);
    }
    count >= MANY_INSTRUCTIONS && longest as f32 > assumed::MARGIN * work
}

fn write(b: &mut Builder, digits: &Digits) -> Value {
    let mut sum = |shifts: &[u32]| {
        let mut terms: Vec<Value> = shifts
            .iter()
            .map(|&shift| match shift {
                0 => digits.value,
                _ => b.binary_imm(BinaryOp::Shl, digits.value, shift.into()),
            })
            .collect();
        while terms.len() > 1 {
            terms = terms
                .chunks(2)
                .map(|pair| match *pair {
                    [x, y] => b.add(y, x),
                    _ => pair[0],
                })
                .collect();
        }
        terms.pop()
    };
    let (added, subtracted) = (sum(&digits.added), sum(&digits.subtracted));
    match (added, subtracted) {
        (Some(added), Some(subtracted)) => b.sub(added, subtracted),
        (added, subtracted) => added.or(subtracted).unwrap_or(digits.value),
    }
}
