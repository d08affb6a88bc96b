//! Gangs as wide as the core's window wants.
//!
//! A core takes in a hundred instructions on vectors or so while they wait for their operands. An iteration whose results make one long chain, as those of a
//! polynomial do, waits for most of its time: the next iteration, which could be computed meanwhile, is behind the window. Where an iteration has `n` instructions
//! of which the longest chain takes `l` cycles, it waits for `l * n / (n + window)`: all of `l` without a window, and less the more of the next iterations
//! are in it. In a gang of several vectors each instruction of the chain stands there several times, beside itself: the chain is as long, and has more
//! lanes, until units are busy or values need more registers than there are.

use super::jam;
use analysis::Analysis;
use analysis::registers;
use analysis::throughput::{is_integer_division, lanes_cycles};
use analysis::uniformity::Shape;
use analysis::{GangFacts, latency, recurrence};
use ir::*;
use passes::Plan;
use rustc_hash::FxHashMap;
use target::Machine;
use target::costs::assumed;
use target::costs::code_size::{WORTH_HALVING, WORTH_TWICE};
use target::costs::interleaving::{GANGS_APART, OPERATIONS_FOR_ACCESS};

/// By how many times as wide gangs lanes take the fewest cycles each, in loops whose lanes stay together. Twice as much code is worth it only if lanes take
/// noticeably less. What several gangs at once share or wait for is left to [`super::jam`], where these `can_be_jammed`.
pub(super) fn factor(
    func: &Function,
    analysis: Analysis,
    facts: &GangFacts,
    machine: &Machine,
    allowed: &[u32],
    can_be_jammed: bool,
    plan: &mut Plan,
) -> u32 {
    let of_lanes = |width: u32| Lanes {
        func,
        analysis,
        machine,
        width,
    };
    let innermost: Vec<Iteration> = analysis
        .loops
        .without_inner()
        .map(|index| Iteration::new(func, analysis, machine, index))
        .collect();
    let once = of_lanes(facts.width);
    let is_for_others = |iteration: &Iteration| !once.mostly_computes(iteration) || can_be_jammed && once.is_for_jam(iteration);
    if innermost.is_empty() || innermost.iter().any(is_for_others) {
        return 1;
    }
    let cycles = |factor: u32| {
        let lanes = of_lanes(facts.width * factor);
        innermost.iter().map(|iteration| lanes.cycles(iteration)).sum::<f32>() / factor as f32
    };
    let widest = innermost.iter().map(|iteration| once.widest(iteration)).max().unwrap_or(1);
    let now = (1, cycles(1));
    // (More registers a value than gangs would be run at once for don't wait any less.)
    let factors = allowed.iter().rev().filter(|&&factor| widest * factor <= GANGS_APART);
    let (factor, cycles) = factors.map(|&factor| (factor, cycles(factor))).fold(now, |best, choice| {
        let pays = choice.1 * WORTH_TWICE <= best.1;
        if pays { choice } else { best }
    });
    plan.note("widen", || {
        let (lanes, wide, now) = (facts.width, facts.width * factor, now.1);
        format!("loops of {lanes} lanes take {now:.0} cycles in the window, and {cycles:.0} for as many of {wide}: {wide} lanes")
    });
    factor
}

/// This factor, or a half or a quarter of it where lanes take fewer cycles then, for a function without loops: a gang is an iteration of the loop over
/// gangs. Chains of integers, which are there a cycle later, have no use for several registers a value, and those that go to memory take time.
pub(super) fn narrowed(func: &Function, analysis: Analysis, facts: &GangFacts, machine: &Machine, factor: u32, plan: &mut Plan) -> u32 {
    let gang = Iteration::of_gang(func, analysis, machine);
    let cycles = |factor: u32| {
        let width = facts.width * factor;
        let lanes = Lanes {
            func,
            analysis,
            machine,
            width,
        };
        lanes.cycles(&gang) / factor as f32
    };
    let (mut least, mut now) = (factor, cycles(factor));
    let wide = now;
    while least > 1 {
        let half = cycles(least / 2);
        if half * WORTH_HALVING > now {
            break;
        }
        (least, now) = (least / 2, half);
    }
    if least < factor {
        plan.note("widen", || {
            let [wider, lanes] = [factor, least].map(|factor| facts.width * factor);
            format!("{wider} lanes take {wide:.0} cycles in the window, and as many of {lanes} take {now:.0}: {lanes} lanes")
        });
    }
    least
}

/// An iteration of an innermost loop, without what is rare.
struct Iteration {
    blocks: Vec<Block>,
    /// Cycles of its longest chain of instructions.
    chain: u32,
    /// Cycles that the next one waits for it.
    recurs: u32,
    /// How often it is run, of a run of the function.
    times: f32,
}

impl Iteration {
    /// A run of a function without loops.
    fn of_gang(func: &Function, analysis: Analysis, machine: &Machine) -> Iteration {
        let blocks: Vec<Block> = func.layout.iter().copied().filter(|&block| !func.block(block).cold).collect();
        let latency = |data: &InstData| latency::latency_of_lanes(func, analysis.uniformity, data, &machine.costs);
        Iteration {
            chain: latency::chain(func, &blocks, func.layout[0], latency),
            recurs: 0,
            times: 1.0,
            blocks,
        }
    }

    fn new(func: &Function, analysis: Analysis, machine: &Machine, index: usize) -> Iteration {
        let natural = &analysis.loops.loops[index];
        let is_hot = |block: &Block| !func.block(*block).cold;
        let blocks: Vec<Block> = natural.blocks.iter().copied().filter(is_hot).collect();
        let latency = |data: &InstData| latency::latency_of_lanes(func, analysis.uniformity, data, &machine.costs);
        Iteration {
            chain: latency::chain(func, &blocks, natural.header, latency),
            recurs: recurrence::longest_by(func, analysis.loops, index, latency),
            times: assumed::TRIP_COUNT.powi(natural.depth as i32),
            blocks,
        }
    }
}

/// A function as gangs of so many lanes run it.
#[derive(Clone, Copy)]
struct Lanes<'a> {
    func: &'a Function,
    analysis: Analysis<'a>,
    machine: &'a Machine,
    width: u32,
}

impl Lanes<'_> {
    /// Cycles of the iterations of a loop. Units are never all busy while iterations wait, nor are they all that these wait for, so both together take longer
    /// than either.
    fn cycles(&self, iteration: &Iteration) -> f32 {
        let costs = &self.machine.costs;
        let insts = || self.func.insts_of(&iteration.blocks);
        let count = insts().map(|inst| self.instructions(inst)).sum::<u32>() as f32;
        let in_window = count / (count + costs.vector_window as f32);
        let waits = (iteration.chain as f32 * in_window).max(iteration.recurs as f32);
        let busy = self.work(iteration) + self.spills(iteration) as f32 * costs.spilled_vector;
        let is_scalar = |&inst: &Inst| {
            let data = &self.func.inst(inst).data;
            self.instructions(inst) == 0 && !matches!(data, InstData::Const { .. } | InstData::Jump { .. })
        };
        let scalars = insts().filter(is_scalar).count() as f32 * costs.scalar;
        (waits.hypot(busy) + scalars) * iteration.times
    }

    /// Cycles that an iteration's instructions on vectors keep units busy.
    fn work(&self, iteration: &Iteration) -> f32 {
        let cycles = |inst: Inst| lanes_cycles(self.func, self.analysis.uniformity, inst, self.width, self.machine);
        self.func.insts_of(&iteration.blocks).map(cycles).sum()
    }

    /// Numbers with fractions are computed, or quotients by way of them: integers are there a cycle later, and make no long chains. What has other ways of
    /// waiting is little: a few accesses to memory, and no functions of the driver, nor halves that are converted before and after each operation.
    fn mostly_computes(&self, iteration: &Iteration) -> bool {
        let is_access = |data: &InstData| match data {
            InstData::Load { mem, .. } | InstData::Store { mem, .. } => !mem.flags.contains(MemFlags::VOLATILE),
            _ => false,
        };
        // (What is handed on as halves is rounded to them, which takes more than is there yet.)
        let is_half = |value: &Value| self.func.ty(*value).elem == Elem::F16 && !self.machine.has_half_arithmetic;
        let mut params = iteration.blocks.iter().flat_map(|&block| &self.func.block(block).params);
        if params.any(is_half) {
            return false;
        }
        let (mut operations, mut accesses, mut has_chains) = (0, 0, false);
        for inst in self.func.insts_of(&iteration.blocks) {
            let node = self.func.inst(inst);
            let is_float = |&value: &Value| self.func.ty(value).elem.is_float();
            match &node.data {
                data if is_access(data) => accesses += 1,
                InstData::CallRuntime { .. } => return false,
                data if !data.is_pure() && !data.is_terminator() || self.is_by_floats(data) => return false,
                data if self.instructions(inst) > 0 => {
                    operations += 1;
                    has_chains |= is_integer_division(data) || node.results.iter().any(is_float);
                }
                _ => {}
            }
        }
        has_chains && operations >= OPERATIONS_FOR_ACCESS * accesses
    }

    /// Several gangs at once share what an iteration loads, or have room while it waits for the one before.
    fn is_for_jam(&self, iteration: &Iteration) -> bool {
        let is_access = |inst: Inst| matches!(self.func.inst(inst).data, InstData::Load { .. } | InstData::Store { .. });
        let mut insts = self.func.insts_of(&iteration.blocks);
        insts.any(is_access) || jam::gangs_for(iteration.recurs as f32, self.work(iteration), 2) > 1
    }

    /// The most registers of a value.
    fn widest(&self, iteration: &Iteration) -> u32 {
        let registers = |inst: Inst| {
            let node = self.func.inst(inst);
            // (Quotients of integers have twice as many bits on the way.)
            let times = if is_integer_division(&node.data) { 2 } else { 1 };
            times * node.results.iter().map(|&value| self.registers(value)).max().unwrap_or(0)
        };
        self.func.insts_of(&iteration.blocks).map(registers).max().unwrap_or(0)
    }

    /// An operation on halves that are numbers of 32 bits while it lasts.
    fn is_by_floats(&self, data: &InstData) -> bool {
        let is_arithmetic = matches!(
            data,
            InstData::Unary { .. } | InstData::Binary { .. } | InstData::Fma { .. } | InstData::FloatCompare { .. }
        );
        is_arithmetic && !self.machine.has_half_arithmetic && data.any_operand(|&value| self.func.ty(value).elem == Elem::F16)
    }

    /// Instructions on vectors that one becomes.
    fn instructions(&self, inst: Inst) -> u32 {
        let node = self.func.inst(inst);
        let result = node.results.first().copied();
        let value = match node.data {
            InstData::Const { .. } => None,
            InstData::Store { value, .. } => Some(value),
            InstData::IntCompare { args: [a, _], .. } | InstData::FloatCompare { args: [a, _], .. } => Some(a),
            _ => result,
        };
        let Some(value) = value.filter(|&value| self.varies(result.unwrap_or(value))) else {
            return 0;
        };
        self.of_bytes(self.func.ty(value).elem.bytes())
    }

    fn varies(&self, value: Value) -> bool {
        self.analysis.uniformity.shape(value) == Shape::Varying
    }

    /// Registers of lanes of so many bytes.
    fn of_bytes(&self, bytes: u32) -> u32 {
        (self.width * bytes).div_ceil(self.machine.registers.bytes)
    }

    /// Registers that a value takes.
    fn registers(&self, value: Value) -> u32 {
        match self.varies(value) && self.func.constant(value).is_none() {
            true => registers::taken(self.func, value, self.width, self.machine),
            false => 0,
        }
    }

    /// Registers that an iteration stores and loads, or has as operands in memory, where of the values that are there at once those go to memory that are
    /// used last: what the best of allocators would do (Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, 1966).
    fn spills(&self, iteration: &Iteration) -> u32 {
        let (func, blocks) = (self.func, &iteration.blocks);
        let mut values: FxHashMap<Value, Lives> = FxHashMap::default();
        for (at, inst) in func.insts_of(blocks).enumerate() {
            let uses_constants = self.machine.registers.hold_constants() && self.instructions(inst) > 0;
            func.inst(inst).data.for_each_operand(|&value| {
                let is_held = uses_constants && func.constant(value).is_some();
                let registers = if is_held { 1 } else { self.registers(value) };
                if registers > 0 {
                    let lives = values.entry(value).or_insert_with(|| Lives::new(registers));
                    lives.uses.push(at);
                }
            });
        }
        let params = blocks.iter().flat_map(|&block| &func.block(block).params);
        let made = func.insts_of(blocks).flat_map(|inst| &func.inst(inst).results);
        for value in params.chain(made) {
            values.entry(*value).and_modify(|lives| lives.is_own = true);
        }
        values.values_mut().for_each(|lives| lives.uses.reverse());
        // In registers, in an order that does not depend on hashes.
        let mut here: Vec<Value> = values.keys().copied().filter(|value| !values[value].is_own).collect();
        here.sort_unstable();
        let mut used: u32 = here.iter().map(|value| values[value].registers).sum();
        let mut moved = 0;
        for &block in blocks {
            let mut made: &[Value] = &func.block(block).params;
            for &inst in &func.block(block).insts {
                for &value in made.iter().filter(|&value| values.contains_key(value)) {
                    here.push(value);
                    used += values[&value].registers;
                }
                while used > self.machine.registers.count {
                    let next_use = |&index: &usize| values[&here[index]].uses.last().copied().unwrap_or(usize::MAX);
                    let Some(last) = (0..here.len()).max_by_key(next_use) else { break };
                    let Some(lives) = values.get_mut(&here.swap_remove(last)) else {
                        break;
                    };
                    used -= lives.registers;
                    lives.is_in_memory = true;
                    // (What is from outside is in memory for all iterations, but the next one loads it.)
                    moved += lives.registers;
                }
                func.inst(inst).data.for_each_operand(|value| {
                    let Some(lives) = values.get_mut(value) else { return };
                    lives.uses.pop();
                    if lives.is_in_memory {
                        moved += lives.registers;
                    } else if lives.is_own && lives.uses.is_empty() {
                        let before = here.len();
                        here.retain(|known| known != value);
                        used -= if here.len() < before { lives.registers } else { 0 };
                    }
                });
                made = &func.inst(inst).results;
            }
        }
        moved
    }
}

/// A value in the instructions of an iteration.
struct Lives {
    /// That it takes.
    registers: u32,
    /// Where it is still used, the first at the end.
    uses: Vec<usize>,
    /// Each iteration has another.
    is_own: bool,
    is_in_memory: bool,
}

impl Lives {
    fn new(registers: u32) -> Lives {
        Lives {
            registers,
            uses: Vec::new(),
            is_own: false,
            is_in_memory: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::widen;
    use super::*;
    use analysis::{Analyses, gang_shape};
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    /// A loop with a chain of so many products, the first of which are of what the one before gave, and others of the iteration's start. So many values are
    /// handed on.
    fn kernel(elem: &str, products: usize, in_chain: usize, carried: usize) -> String {
        let names = |first: usize, ty: &str| {
            let name = |at: usize| format!(", v{}{ty}", first + at);
            (0..carried).map(name).collect::<String>()
        };
        let product = |at: usize| {
            let of = if at == 0 || at >= in_chain { 10 } else { 99 + at };
            format!("  v{} = fma v{of}, v{of}, v5\n", 100 + at)
        };
        let sum = |at: usize| format!("  v{} = fadd v{}, v{}\n", 300 + at, 200 + at, 100 + at % products);
        let body: String = (0..products).map(product).chain((0..carried).map(sum)).collect();
        let last = 100 + products - 1;
        let typed = names(200, &format!(": {elem}"));
        let zeros: String = (0..carried).map(|_| ", v5").collect();
        let (start, next) = (names(300, ""), if in_chain == products { last } else { 100 });
        format!(
            "
function workitem @powers {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i32 0
  v4 = const.i32 64
  v6 = const.i32 1
  v5 = load.{elem} global align 4 [v1 + v2 * 8]
  jump block1(v5, v3{zeros})
block1(v10: {elem}, v11: i32{typed}):
{body}  v20 = add v11, v6
  v21 = icmp.slt v20, v4
  v22 = fadd v10, v5
  branch v21, block1(v22, v20{start}), block2
block2:
  store v{next}, global align 4 [v1 + v2 * 8]
  return
}}"
        )
    }

    fn widened_for(text: &str, machine: &Machine) -> u32 {
        let func = parse_function(text).expect("the test's text is IR");
        let local_size = [256, 1, 1];
        let facts = GangFacts::new(gang_shape(None, 8, local_size), &LaunchFacts::usual(local_size));
        widen::factor(&func, &facts, machine, false, &mut Analyses::default(), &mut Plan::default())
    }

    fn widened(text: &str) -> u32 {
        widened_for(text, &Machine::named("avx2").expect("there is one"))
    }

    #[test]
    fn long_chains_are_waited_for_by_more_lanes() {
        let chain = kernel("f32", 60, 60, 1);
        assert_eq!(widened(&chain), 4);
        // As many products that don't wait for each other.
        assert_eq!(widened(&kernel("f32", 60, 1, 1)), 1);
        // What a window takes in that is long enough for all of the next iterations.
        let mut machine = Machine::named("avx2").expect("there is one");
        machine.costs.vector_window = 10_000;
        assert_eq!(widened_for(&chain, &machine), 1);
        // No value has more than four registers.
        assert_eq!(widened(&kernel("f64", 60, 60, 1)), 2);
    }

    #[test]
    fn registers_are_enough() {
        // Twenty sums beside the chain, of one register each, of two, or of four.
        let text = kernel("f32", 40, 40, 20);
        assert_eq!(widened(&text), 2);
        let mut machine = Machine::named("avx2").expect("there is one");
        machine.registers.count = 128;
        assert_eq!(widened_for(&text, &machine), 4);
    }

    #[test]
    fn what_waits_otherwise_is_left_to_others() {
        let chain = kernel("f32", 60, 60, 1);
        // Sums that wait for themselves, which several gangs at once interleave.
        let mut recurrence = chain.replace("branch v21, block1(v22,", "branch v21, block1(v159,");
        assert_eq!(widened(&recurrence), 1);
        // But not where something rare parts them.
        recurrence = recurrence
            .replace("  v22 = fadd v10, v5\n  branch", "  v30 = fcmp.ogt v159, v5\n  branch v30, block3, block4\nblock3 cold:\n  v31 = fmul v159, v5\n  jump block4\nblock4:\n  branch");
        assert!(widened(&recurrence) > 1);
        // What iterations load.
        let loads = chain
            .replace("v10, v10, v5", "v10, v10, v32")
            .replace("  v100 =", "  v32 = load.f32 global align 4 [v1 + v2 * 8]\n  v100 =");
        assert_eq!(widened(&loads), 1);
        // Halves that are computed as floats.
        let halves = chain.replace("f32", "f16");
        let mut machine = Machine::named("avx2").expect("there is one");
        assert_eq!(widened_for(&halves, &machine), 1);
        machine.has_half_arithmetic = true;
        assert!(widened_for(&halves, &machine) > 1);
        machine.has_half_arithmetic = false;
        let by_floats = chain
            .replace("v10: f32", "v9: f16")
            .replace("  jump block1(v5", "  v33 = fdemote.f16 v5 rte\n  jump block1(v33")
            .replace("  v100 =", "  v10 = fpromote.f32 v9 rte\n  v100 =")
            .replace("  branch v21, block1(v22", "  v34 = fdemote.f16 v22 rte\n  branch v21, block1(v34");
        assert_eq!(widened_for(&by_floats, &machine), 1);
        machine.has_half_arithmetic = true;
        assert!(widened_for(&by_floats, &machine) > 1);
        // Calls.
        let calls = chain.replace(
            "  v22 = fadd v10, v5",
            "  v30 = fpromote.f64 v10 rte\n  v31 = call_runtime sin.f64(v30)\n  v32 = fdemote.f32 v31 rte\n  v22 = fadd v32, v5",
        );
        assert_eq!(widened(&calls), 1);
        // Integers.
        let integers = chain
            .replace("fma v", "mul v")
            .replace(", v5\n  v1", "\n  v1")
            .replace("fadd", "add")
            .replace("f32", "i32");
        assert_eq!(widened(&integers.replace(", v5\n", "\n").replace("add v10", "add v10, v5")), 1);
    }
}
