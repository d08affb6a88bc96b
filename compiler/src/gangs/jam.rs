//! Several gangs at once: what they have in common is done once.
//!
//! Between barriers the work-items of a group are in no order, so the code of `k` gangs may be interleaved instruction by instruction
//! wherever they go the same way: each instruction that differs between gangs stands there `k` times. Then gangs of a row share what
//! depends on the row only, gangs of a column what depends on the column only (common subexpressions find that), and sums that wait for
//! each other in one gang don't wait for those of another. (Unroll-and-jam: Callahan, Cocke, Kennedy: Estimating Interlock and Improving
//! Balance for Pipelined Architectures, 1988.)

use super::facts::GangFacts;
use super::recurrence;
use super::shape::Layout;
use super::uniformity::Extent;
use super::vectorize::GangFunction;
use crate::codegen::Registers;
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// So many gangs at once at most: sums of products wait four cycles for themselves, and machines begin two in each.
const MOST: u32 = 8;
/// And so many where they share nothing.
const MOST_APART: u32 = 4;
/// So many lanes at once are enough for a few instructions.
const LANES: u32 = 64;
/// Functions that get larger than this stay as they are.
const LARGEST: usize = 4000;

/// Jams as many gangs as pay and fit into the registers; says so in the facts.
pub fn run(gang: GangFunction, facts: &mut GangFacts, registers: Registers) -> GangFunction {
    if facts.width == 1 {
        return gang;
    }
    let func = &gang.func;
    let taken = |value: Value| {
        let ty = func.ty(value);
        // Broadcast values serve all gangs.
        let serves_all = matches!(
            func.def_data(value),
            Some(InstData::Lane { op: LaneOp::Splat, .. } | InstData::Const { .. })
        );
        match ty.is_vector() && ty.elem != Elem::Mask && !serves_all {
            true => ty.bytes().div_ceil(registers.bytes),
            false => 0,
        }
    };
    let pressure = pressure(func, taken).max(1);
    let most = if pays(&gang) {
        registers.count / pressure
    } else if is_short(func) {
        (registers.count / pressure).min(LANES / facts.width).min(MOST_APART)
    } else if waits(func, |value| func.ty(value).is_vector()) && pressure <= registers.count {
        // Two that wait in turns are worth some registers in memory.
        2
    } else {
        turns_wait(func, registers, taken).min(MOST_APART)
    };
    match [MOST, MOST / 2, MOST / 4]
        .into_iter()
        .find(|&factor| factor <= most && can(&gang, facts, factor))
    {
        Some(factor) => at_once(gang, facts, factor),
        None => gang,
    }
}

/// Jams so many gangs, whether it pays or not, if it can be done.
pub fn at_once(gang: GangFunction, facts: &mut GangFacts, factor: u32) -> GangFunction {
    if !can(&gang, facts, factor) {
        return gang;
    }
    facts.gangs_at_once = factor;
    jam(&gang, facts)
}

/// How the gangs of a bunch lie: beside each other in a row, and in how many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bunch {
    /// The dimension of a row.
    pub along: usize,
    /// Gangs of a row that belong to a bunch.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
}

/// The bunches of `factor` gangs, if these come out even.
pub fn bunch(facts: &GangFacts, factor: u32) -> Option<Bunch> {
    let Layout::Rows { dimension } = facts.layout else { return None };
    let along = usize::from(dimension);
    let row = u32::try_from(facts.local_size[along]).ok()?;
    if factor == 1 {
        return Some(Bunch {
            along,
            columns: 1,
            rows: 1,
        });
    }
    if !facts.full_gangs() || !row.is_multiple_of(facts.width) {
        return None;
    }
    let in_row = row / facts.width;
    if in_row.is_multiple_of(factor) {
        return Some(Bunch {
            along,
            columns: factor,
            rows: 1,
        });
    }
    let rows = factor / in_row;
    let next = facts.local_size.get(along + 1)?;
    (factor.is_multiple_of(in_row) && next.is_multiple_of(u64::from(rows))).then_some(Bunch {
        along,
        columns: in_row,
        rows,
    })
}

fn can(gang: &GangFunction, facts: &GangFacts, factor: u32) -> bool {
    let items: u64 = facts.local_size.iter().product();
    let even = items.is_multiple_of(u64::from(facts.width * factor)) && bunch(facts, factor).is_some();
    let small = gang.func.inst_count() * factor as usize <= LARGEST;
    facts.width > 1 && even && small && facts.full_gangs() && gang.func.slots.is_empty() && may_jam(gang)
}

/// All gangs of a group take the same way, and nothing has to stay in order.
fn may_jam(gang: &GangFunction) -> bool {
    let func = &gang.func;
    let together = |value: Value| gang.shared[value] <= Extent::Group || func.constant(value).is_some();
    func.layout.iter().flat_map(|&block| &func.block(block).insts).all(|&inst| {
        let relaxed = |mem: &MemInfo| !mem.flags.contains(MemFlags::VOLATILE);
        match &func.inst(inst).data {
            InstData::Branch { condition, .. } => together(*condition),
            InstData::Switch { value, .. } => together(*value),
            InstData::Load { mem, .. } | InstData::Store { mem, .. } => relaxed(mem),
            InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. }
            | InstData::Copy { .. }
            | InstData::Call { .. }
            | InstData::Trap { .. }
            | InstData::Unreachable => false,
            InstData::CallRuntime { routine, .. } => routine.is_pure(),
            _ => true,
        }
    })
}

/// In a loop, scalars are loaded for all lanes, and products are summed: gangs of a row or a column share what is loaded. (What a loop has from
/// outside, such as arguments, its gangs would share without being jammed.)
fn pays(gang: &GangFunction) -> bool {
    let func = &gang.func;
    let loops = Loops::new(func, &Cfg::new(func));
    let repeated = func.layout.iter().filter(|&&block| loops.innermost[block].is_some());
    let mut loaded: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut products = false;
    for &inst in repeated.flat_map(|&block| &func.block(block).insts) {
        match func.inst(inst).data {
            InstData::Load { .. } => loaded[func.result(inst)] = true,
            InstData::Fma { .. } => products |= func.ty(func.result(inst)).is_vector(),
            _ => {}
        }
    }
    let broadcast = |&inst: &Inst| match &func.inst(inst).data {
        InstData::Lane {
            op: LaneOp::Splat, args, ..
        } => loaded[args[0]],
        _ => false,
    };
    products && func.layout.iter().flat_map(|&block| &func.block(block).insts).any(broadcast)
}

/// Instructions of a gang that are hardly more than it takes to get from one gang to the next.
const SHORT: usize = 40;

/// A few instructions without a loop: several gangs share what counting them costs.
fn is_short(func: &Function) -> bool {
    let counts = |inst: &&Inst| !matches!(func.inst(**inst).data, InstData::Const { .. });
    let blocks = || func.layout.iter().map(|&block| &func.block(block).insts);
    func.inst_count() <= 2 * SHORT && blocks().flatten().filter(counts).count() <= SHORT && !has_loops(func)
}

fn has_loops(func: &Function) -> bool {
    let cfg = Cfg::new(func);
    let again = |&block: &Block| cfg.preds[block].iter().any(|&pred| cfg.position[pred] >= cfg.position[block]);
    cfg.order.iter().any(again)
}

/// Instructions that a machine looks ahead.
const WINDOW: usize = 256;
/// Instructions of a gang from which on it pays to look at how they wait for each other.
const LONG: usize = 100;

/// A long piece of code outside of loops spends more time waiting for its own results than doing something, and is too long for the next
/// gang's code to be started meanwhile.
pub(super) fn waits(func: &Function, is_vector: impl Fn(Value) -> bool) -> bool {
    if func.inst_count() < LONG || has_loops(func) {
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
            ready[result] = start + latency(&node.data);
            last = last.max(ready[result]);
        }
        let waiting = last as usize * count.min(WINDOW) / WINDOW;
        count >= LONG && waiting * 2 > count
    })
}

/// Vector instructions that a machine starts in a cycle.
const AT_ONCE: u32 = 2;

/// How many gangs have room in the time that each turn of the loops waits for the turn before, and in the registers: what a loop does not change
/// may be read from memory. Which loop matters is not known: as many as in the fullest.
fn turns_wait(func: &Function, registers: Registers, taken: impl Fn(Value) -> u32) -> u32 {
    if func.inst_count() * MOST_APART as usize > LARGEST {
        return 1;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let innermost = |index: &usize| {
        let inside = |&block: &Block| loops.innermost[block] == Some(*index as u32);
        loops.loops[*index].blocks.iter().all(inside)
    };
    let uses = func.use_counts();
    let room = (0..loops.loops.len()).filter(innermost).filter_map(|index| {
        let blocks = || loops.loops[index].blocks.iter().map(|&block| func.block(block));
        let insts = || blocks().flat_map(|block| &block.insts);
        let costs = |inst: &&Inst| !(registers.have_ternary_logic() && is_part_of_ternary(func, &uses, **inst));
        let work: u32 = insts().filter(costs).map(|&inst| weight(func, inst, registers)).sum();
        let mut own: SecondaryMap<Value, bool> = SecondaryMap::new();
        let results = insts().flat_map(|&inst| &func.inst(inst).results);
        blocks()
            .flat_map(|block| &block.params)
            .chain(results)
            .for_each(|&value| own[value] = true);
        let pressure = pressure(func, |value| if own[value] { taken(value) } else { 0 });
        let waits = 2 * AT_ONCE * recurrence::longest(func, &loops, index, |_| false).0;
        (work > 0).then(|| ((waits + work) / (2 * work)).min(registers.count / pressure.max(1)))
    });
    room.min().unwrap_or(1)
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
    let mut inner = false;
    data.for_each_operand(|&value| inner |= uses[value] == 1 && func.def_data(value).is_some_and(on_bits));
    inner && on_bits(data)
}

/// Vector instructions of the machine that one of a gang takes, about.
fn weight(func: &Function, inst: Inst, registers: Registers) -> u32 {
    let node = func.inst(inst);
    let stored = match node.data {
        InstData::Store { value, .. } => Some(value),
        _ => None,
    };
    let value = node.results.first().copied().or(stored);
    match value.map(|value| func.ty(value)) {
        Some(ty) if ty.is_vector() && !matches!(node.data, InstData::Const { .. }) => ty.bytes().div_ceil(registers.bytes).max(1),
        _ => 0,
    }
}

/// Cycles until the result of an instruction is there, about.
pub(super) fn latency(data: &InstData) -> u32 {
    match data {
        InstData::Const { .. } => 0,
        InstData::Fma { .. } | InstData::Dot { .. } => 4,
        InstData::Binary { op, .. } => match op {
            BinaryOp::FDiv | BinaryOp::FRem => 12,
            op if op.is_int_division() => 20,
            op if op.is_float() => 4,
            _ => 1,
        },
        InstData::Unary { op: UnaryOp::Sqrt, .. } => 16,
        InstData::Unary {
            op: UnaryOp::Nearest | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::FTrunc,
            ..
        } => 4,
        InstData::Load { .. } | InstData::LoadInterleaved { .. } => 6,
        InstData::FloatCompare { .. } | InstData::Lane { .. } => 3,
        InstData::Convert {
            op: ConvertOp::FPromote | ConvertOp::FDemote,
            ..
        } => 7,
        _ => 1,
    }
}

/// How many vector registers values take at once at most, as far as a block's own instructions need them.
pub(super) fn pressure(func: &Function, taken: impl Fn(Value) -> u32) -> u32 {
    let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
    for &block in &func.layout {
        func.block(block).params.iter().for_each(|&param| home[param] = Some(block));
        for &inst in &func.block(block).insts {
            func.inst(inst).results.iter().for_each(|&result| home[result] = Some(block));
        }
    }
    let mut leaves: SecondaryMap<Value, bool> = SecondaryMap::new();
    for &block in &func.layout {
        for &inst in &func.block(block).insts {
            let data = &func.inst(inst).data;
            data.for_each_operand(|&value| leaves[value] |= home[value] != Some(block) || data.is_terminator());
        }
    }
    let mut most = 0;
    for &block in &func.layout {
        let mut live: rustc_hash::FxHashSet<Value> = Default::default();
        let mut now = 0;
        for &inst in &func.block(block).insts {
            for &result in &func.inst(inst).results {
                if leaves[result] && live.insert(result) {
                    now += taken(result);
                }
            }
        }
        most = most.max(now);
        // Upwards: a value lives from its last use to its definition, where its register may be that of an operand.
        for &inst in func.block(block).insts.iter().rev() {
            let node = func.inst(inst);
            for result in &node.results {
                if live.remove(result) {
                    now -= taken(*result);
                }
            }
            node.data.for_each_operand(|&value| {
                if live.insert(value) {
                    now += taken(value);
                }
            });
            most = most.max(now);
        }
    }
    most
}

/// A value's copies: one for all gangs, or one a gang.
type Copies = SmallVec<[Value; MOST as usize]>;

fn jam(gang: &GangFunction, facts: &GangFacts) -> GangFunction {
    let src = &gang.func;
    let (bunch, factor) = match bunch(facts, facts.gangs_at_once) {
        Some(bunch) => (bunch, facts.gangs_at_once as usize),
        None => unreachable!("the factor was chosen so that bunches come out even"),
    };
    let mut out = GangFunction {
        func: Function::new(src.name.clone(), Level::WorkGroup, &src.results),
        shared: SecondaryMap::with_default(Extent::Gang),
    };
    let mut copies: SecondaryMap<Value, Copies> = SecondaryMap::new();
    let mut blocks: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let cfg = Cfg::new(src);
    for &block in &cfg.order {
        blocks[block] = Some(out.func.add_block());
    }
    // In reverse postorder all operands but arguments of back edges are known before their users.
    for &block in &cfg.order {
        let own = blocks[block].expect("made above");
        for &param in &src.block(block).params {
            let count = if gang.shared[param] <= Extent::Group { 1 } else { factor };
            copies[param] = (0..count).map(|_| out.func.add_param(own, src.ty(param))).collect();
            out.shared[copies[param][0]] = gang.shared[param];
        }
        for &inst in &src.block(block).insts {
            let node = src.inst(inst);
            if node.data.is_terminator() {
                continue;
            }
            if let InstData::Builtin {
                builtin: builtin @ (Builtin::LocalId | Builtin::SubGroupId),
                dimension,
            } = node.data
            {
                let made = position(&mut out.func, own, builtin, usize::from(dimension), bunch, facts);
                copies[node.results[0]] = made;
                continue;
            }
            let mut same =
                node.data.is_pure() || matches!(node.data, InstData::Load { .. } | InstData::Barrier { .. } | InstData::Fence { .. });
            node.data.for_each_operand(|&value| same &= copies[value].len() == 1);
            let count = if same { 1 } else { factor };
            for copy in 0..count {
                let mut data = node.data.clone();
                data.for_each_operand_mut(|value| *value = pick(&copies[*value], copy));
                let made = out.func.append(own, data, node.flags);
                for (&result, &by) in node.results.iter().zip(&out.func.inst(made).results.clone()) {
                    copies[result].push(by);
                    out.shared[by] = gang.shared[result];
                }
            }
        }
    }
    for &block in &cfg.order {
        let mut data = src.terminator(block).clone();
        for target in data.targets_mut() {
            let params = &src.block(target.block).params;
            let args = std::mem::take(&mut target.args);
            for (&arg, &param) in args.iter().zip(params) {
                target.args.extend((0..copies[param].len()).map(|copy| pick(&copies[arg], copy)));
            }
            target.block = blocks[target.block].expect("made above");
        }
        match &mut data {
            InstData::Branch { condition, .. } => *condition = copies[*condition][0],
            InstData::Switch { value, .. } => *value = copies[*value][0],
            InstData::Return { values } => values.iter_mut().for_each(|value| *value = copies[*value][0]),
            _ => {}
        }
        out.func.append(blocks[block].expect("made above"), data, Flags::empty());
    }
    out
}

fn pick(copies: &Copies, copy: usize) -> Value {
    copies[copy.min(copies.len() - 1)]
}

/// Where each gang of a bunch stands, counted from the first.
fn position(func: &mut Function, block: Block, builtin: Builtin, dimension: usize, bunch: Bunch, facts: &GangFacts) -> Copies {
    let mut b = Builder::new(func, block);
    let first = b.builtin(builtin, dimension as u8);
    let steps: SmallVec<[i64; MOST as usize]> = (0..i64::from(facts.gangs_at_once))
        .map(|copy| {
            let columns = i64::from(bunch.columns);
            match builtin {
                Builtin::SubGroupId => copy,
                _ if dimension == bunch.along => copy % columns * i64::from(facts.width),
                _ if dimension == bunch.along + 1 => copy / columns,
                _ => 0,
            }
        })
        .collect();
    if steps.iter().all(|&step| step == 0) {
        return Copies::from_slice(&[first]);
    }
    let mut made = Copies::new();
    for (copy, &step) in steps.iter().enumerate() {
        // Gangs of one row, or one column, have the very same value.
        let known = steps[..copy].iter().position(|&other| other == step);
        let value = match (known, step) {
            (Some(known), _) => made[known],
            (None, 0) => first,
            (None, step) => b.binary_imm(BinaryOp::Add, first, step),
        };
        made.push(value);
    }
    made
}
