//! Several gangs at once: what they have in common is done once.
//!
//! Between barriers the work-items of a group are in no order, so the code of `k` gangs may be interleaved instruction by instruction
//! wherever they go the same way: each instruction that differs between gangs stands there `k` times. Then gangs of a row share what
//! depends on the row only, gangs of a column what depends on the column only (common subexpressions find that), and sums that wait for
//! each other in one gang don't wait for those of another. (Unroll-and-jam: Callahan, Cocke, Kennedy: Estimating Interlock and Improving
//! Balance for Pipelined Architectures, 1988.)

mod bunch;
mod guards;
mod sharing;
mod worth;

pub use bunch::{Bunch, in_columns};
pub(super) use worth::{gangs_for, pressure, waits};

use super::vectorize::GangFunction;
use analysis::GangFacts;
use analysis::uniformity::Extent;
use bunch::bunches;
use cranelift_entity::SecondaryMap;
use guards::Guard;
use ir::cfg::reverse_postorder;
use ir::*;
use passes::Plan;
use smallvec::SmallVec;
use target::Machine;
use target::costs::code_size;
use target::costs::interleaving::GANGS;

/// Jams as many gangs as pay and fit into the registers; says so in the facts.
pub fn run(gang: GangFunction, facts: &mut GangFacts, machine: &Machine, plan: &mut Plan) -> GangFunction {
    let jammed = with(gang, facts, |gang, facts| {
        let (most, why) = worth::most(gang, facts, machine);
        plan.note("jam", || format!("{why}: at most {most} gangs at once"));
        most
    });
    if facts.rows_at_once > 1 {
        plan.note("jam", || {
            format!("{} gangs at once, in {} rows", facts.gangs_at_once, facts.rows_at_once)
        });
    }
    jammed
}

/// Jams so many gangs, whether it pays or not, if it can be done.
pub fn at_once(gang: GangFunction, facts: &mut GangFacts, factor: u32) -> GangFunction {
    with(gang, facts, |_, _| factor)
}

/// Jams so many gangs as `most` says of what they go through together, or half or a quarter as many.
fn with(gang: GangFunction, facts: &mut GangFacts, most: impl FnOnce(&GangFunction, &GangFacts) -> u32) -> GangFunction {
    if facts.width == 1 || !facts.full_gangs() || !gang.func.slots.is_empty() {
        return gang;
    }
    let Some(guards) = guards::find(&gang) else { return gang };
    let behind = (!guards.is_empty()).then(|| guards::behind(&gang, &guards));
    let together = behind.as_ref().unwrap_or(&gang);
    // (What is cold takes neither time nor registers.)
    let most = most(together.usually().as_ref().unwrap_or(together), facts);
    let any = !gang.func.insts().any(|inst| is_of_gangs(&gang.func.inst(inst).data));
    let fits = |factor: u32| {
        let small = together.func.inst_count() * factor as usize <= code_size::FUNCTION;
        small.then(|| sharing::most(together, &bunches(facts, factor, any))).flatten()
    };
    let found = [GANGS, GANGS / 2, GANGS / 4]
        .into_iter()
        .filter(|&factor| factor <= most)
        .find_map(|factor| Some((factor, fits(factor)?)));
    let Some((factor, bunch)) = found else { return gang };
    (facts.gangs_at_once, facts.rows_at_once) = (factor, bunch.rows);
    jam(&gang, together, &guards, facts, bunch)
}

/// It tells which gang of the group it is.
fn is_of_gangs(data: &InstData) -> bool {
    matches!(data, InstData::Builtin { builtin, .. } if builtin.is_of_sub_groups())
}

impl GangFunction {
    /// Without what hardly ever is chosen, if there is something.
    fn usually(&self) -> Option<GangFunction> {
        Some(GangFunction {
            func: ir::cold::usually(&self.func)?,
            shared: self.shared.clone(),
        })
    }
}

/// A value's copies: one for all gangs, or one a gang.
type Copies = SmallVec<[Value; GANGS as usize]>;

/// Writes what `bunch` has in common once and the rest for each of its gangs. Where a guard parts them, each goes through the whole function.
fn jam(whole: &GangFunction, together: &GangFunction, guards: &[Guard], facts: &GangFacts, bunch: Bunch) -> GangFunction {
    let mut out = GangFunction {
        func: Function::new(whole.func.name.clone(), Level::Gang, &whole.func.results),
        shared: SecondaryMap::with_default(Extent::Gang),
    };
    out.func.origins = whole.func.origins.as_ref().map(|origins| Box::new(origins.of_successor()));
    let place = Place {
        factor: facts.gangs_at_once as usize,
        position: &|b, builtin, dimension| bunch.positions(b, builtin, dimension, facts),
        guards,
        parted: (!guards.is_empty()).then(|| out.func.add_detached_block()),
        end: (!guards.is_empty()).then(|| out.func.add_detached_block()),
    };
    copy(&mut out, together, &place);
    if let (Some(parted), Some(end)) = (place.parted, place.end) {
        out.func.layout.push(parted);
        one_by_one(&mut out, whole, facts, bunch, parted, end);
        out.func.layout.push(end);
        Builder::new(&mut out.func, end).ret(&[]);
    }
    out
}

/// A loop over the gangs of a bunch, entered at `head` with the number 0.
fn one_by_one(out: &mut GangFunction, whole: &GangFunction, facts: &GangFacts, bunch: Bunch, head: Block, end: Block) {
    let number = out.func.add_param(head, Type::I32);
    let latch = out.func.add_detached_block();
    let place = Place {
        factor: 1,
        position: &|b, builtin, dimension| Copies::from_slice(&[bunch.position(b, builtin, dimension, facts, number)]),
        guards: &[],
        parted: None,
        end: Some(latch),
    };
    let first = copy(out, whole, &place);
    Builder::new(&mut out.func, head).jump(first, &[]);
    out.func.layout.push(latch);
    let mut b = Builder::new(&mut out.func, latch);
    let next = b.binary_imm(BinaryOp::Add, number, 1);
    let more = b.icmp_imm(IntCc::Ult, next, i64::from(facts.gangs_at_once));
    b.branch(more, to(head, &[next]), to(end, &[]));
}

/// Where code is copied to.
struct Place<'a> {
    /// For so many gangs.
    factor: usize,
    /// What their built-ins are.
    position: &'a dyn Fn(&mut Builder, Builtin, usize) -> Copies,
    guards: &'a [Guard],
    /// Where gangs go that guards part.
    parted: Option<Block>,
    /// Where they go instead of returning.
    end: Option<Block>,
}

/// Copies a function; gives its entry.
fn copy(out: &mut GangFunction, gang: &GangFunction, place: &Place) -> Block {
    let src = &gang.func;
    let mut copies = src.per_value(Copies::default());
    let mut blocks = src.per_block(None);
    let order = reverse_postorder(src);
    for &block in &order {
        blocks[block] = Some(out.func.add_block_like(src.block(block)));
    }
    // In reverse postorder all operands but arguments of back edges are known before their users.
    for &block in &order {
        let own = blocks[block].expect("made above");
        for &param in &src.block(block).params {
            let count = if gang.shared[param] <= Extent::Group { 1 } else { place.factor };
            copies[param] = (0..count).map(|_| out.func.add_param(own, src.ty(param))).collect();
            out.shared[copies[param][0]] = gang.shared[param];
        }
        for &inst in &src.block(block).insts {
            let node = src.inst(inst);
            out.func.follow(src.place(inst));
            if node.data.is_terminator() {
                continue;
            }
            if let InstData::Builtin {
                builtin: builtin @ (Builtin::LocalId | Builtin::SubGroupId),
                dimension,
            } = node.data
            {
                let mut b = Builder::new(&mut out.func, own);
                copies[node.results[0]] = (place.position)(&mut b, builtin, usize::from(dimension));
                continue;
            }
            let mut same =
                node.data.is_pure() || matches!(node.data, InstData::Load { .. } | InstData::Barrier { .. } | InstData::Fence { .. });
            node.data.for_each_operand(|&value| same &= copies[value].len() == 1);
            let count = if same { 1 } else { place.factor };
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
    out.func.follow(ir::Place::default());
    for &block in &order {
        let own = blocks[block].expect("made above");
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
            InstData::Return { values } => match place.end {
                Some(end) => data = InstData::Jump { target: to(end, &[]) },
                None => values.iter_mut().for_each(|value| *value = copies[*value][0]),
            },
            InstData::Jump { target } => {
                let guard = place.guards.iter().find(|guard| guard.block == block);
                if let (Some(guard), Some(parted)) = (guard, place.parted) {
                    guard.pass(&mut out.func, own, &copies[guard.condition], target.clone(), parted);
                    continue;
                }
            }
            _ => {}
        }
        out.func.append(own, data, Flags::empty());
    }
    blocks[src.entry()].expect("the entry is reached")
}

fn pick(copies: &Copies, copy: usize) -> Value {
    copies[copy.min(copies.len() - 1)]
}
