//! Loops that lanes leave one by one, and in which each lane reads memory of its own, are gone through by one lane after the other.
//!
//! `for (j = rows[i]; j < rows[i + 1]; j++) sum += values[j] * x[columns[j]];` has hardly anything that vectors are good for: each of its
//! loads is a gather, which takes as long as its lanes do one by one, and all lanes wait for the one with the longest row. As a loop of
//! scalars it is a few instructions an iteration, and the machine begins with the next lane while the one before still waits for memory.
//!
//! So are loops that try to exchange something again and again ([`super::retry`]): together, lanes would come in between of each other.
//!
//! What a lane needs is broadcast to all, so that [`analysis::uniformity`] sees a loop that is the same for the gang, and group formation
//! makes scalars of it; what comes out is kept in the lane that it belongs to. A loop around it goes through the lanes that are active.

mod costs;

use super::retry::only_retries;
use analysis::GangFacts;
use analysis::uniformity::{Extent, Uniformity};
use analysis::{Analyses, Analysis};
pub(super) use costs::Around;
use costs::Costs;
use ir::cfg::{Cfg, Loops};
use ir::*;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::code_size::SCALARIZED_DIVERGENT_LOOP;

/// Rewrites. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    if facts.width == 1 || !reads(func) {
        return false;
    }
    let Some(known) = known.of(func, facts) else {
        return false;
    };
    let found = find(func, &known, facts, machine, plan);
    for region in &found {
        rewrite(func, known.cfg, known.uniformity, facts.width, region);
    }
    !found.is_empty()
}

/// Whether there is something that lanes read of their own. Otherwise there is no such loop, and nothing need be known of the function.
fn reads(func: &Function) -> bool {
    func.insts()
        .any(|inst| matches!(func.inst(inst).data, InstData::Load { .. } | InstData::AtomicCas { .. }))
}

/// The loops that lanes had better go through one by one.
fn find(func: &Function, known: &Analysis, facts: &GangFacts, machine: &Machine, plan: &mut Plan) -> Vec<Region> {
    let Analysis {
        cfg,
        loops,
        tree,
        uniformity,
        ..
    } = known;
    let mut found: Vec<Region> = Vec::new();
    if !(0..loops.loops.len()).any(|index| uniformity.leaves(index) == Extent::Lane) {
        return found;
    }
    let mut taken = func.per_block(false);
    let costs = Costs::new(func, known, facts, machine);
    for index in 0..loops.loops.len() {
        if uniformity.leaves(index) == Extent::Lane
            && !taken[loops.loops[index].header]
            && let Some(region) = region(func, cfg, loops, index, only_retries(func, tree, cfg, loops, index))
            && (region.retries || costs.are_lower(index, plan))
        {
            region.blocks.iter().for_each(|&block| taken[block] = true);
            found.push(region);
        }
    }
    found
}

/// What a gang takes for all that is around the loops that its lanes go through one by one, as vectors, with what it takes to get into those loops
/// and out of them, and lane by lane. None if there are no such loops, or if they are for other reasons than what they take.
pub(super) fn around(func: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses) -> Option<Around> {
    if !reads(func) {
        return None;
    }
    let known = known.of(func, facts)?;
    let found = find(func, &known, facts, machine, &mut Plan::default());
    if found.is_empty() || found.iter().any(|region| region.retries) {
        return None;
    }
    let costs = Costs::new(func, &known, facts, machine);
    let mut inside = func.per_block(false);
    found
        .iter()
        .flat_map(|region| &region.blocks)
        .for_each(|&block| inside[block] = true);
    let mut around = costs.around(|block| inside[block]);
    for region in &found {
        let varying = |&value: &Value| !known.uniformity.shape(value).is_uniform() && func.constant(value).is_none();
        let outer = given_from_outside(func, &region.blocks).into_iter().filter(varying).count();
        let (given, left) = (func.block(region.header).params.len(), func.block(region.next).params.len());
        around.vectors += costs.lanes_one_by_one(region.header, outer + given, left);
    }
    Some(around)
}

/// What a gang takes for a whole function without loops.
pub(super) fn everywhere(func: &Function, known: &Analysis, facts: &GangFacts, machine: &Machine) -> Around {
    Costs::new(func, known, facts, machine).around(|_| false)
}

/// A loop with the jumps that lead out of it.
struct Region {
    header: Block,
    /// Its first is the header.
    blocks: Vec<Block>,
    /// Where all of its exits lead.
    next: Block,
    /// See [`only_retries`].
    retries: bool,
}

/// A loop that one lane can go through by itself.
fn region(func: &Function, cfg: &Cfg, loops: &Loops, index: usize, retries: bool) -> Option<Region> {
    let natural = &loops.loops[index];
    let mut blocks = natural.blocks.clone();
    let size: usize = blocks.iter().map(|&block| func.block(block).insts.len()).sum();
    let alone = |&inst: &Inst| match &func.inst(inst).data {
        InstData::Load { .. } | InstData::AtomicLoad { .. } | InstData::AtomicCas { .. } if retries => true,
        // (What is volatile may be what a lane waits for another to write.)
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => !mem.flags.contains(MemFlags::VOLATILE),
        InstData::Builtin { .. } | InstData::SlotAddress { .. } | InstData::CallRuntime { .. } | InstData::Image { .. } => false,
        InstData::Jump { .. } | InstData::Branch { .. } | InstData::Switch { .. } => true,
        data => data.is_pure(),
    };
    if size > SCALARIZED_DIVERGENT_LOOP || !blocks.iter().all(|&block| func.block(block).insts.iter().all(alone)) {
        return None;
    }
    let mut exits: Vec<Block> = Vec::new();
    for &block in &natural.blocks {
        for &to in &cfg.succs[block] {
            if !loops.contains(index, to) && !exits.contains(&to) {
                exits.push(to);
            }
        }
    }
    if let &[next] = exits.as_slice() {
        let header = natural.header;
        return Some(Region {
            header,
            blocks,
            next,
            retries,
        });
    }
    // Ways out that only lead on, and maybe compute what is handed on, belong to the loop.
    let leads_on = |block: Block| match func.terminator(block) {
        InstData::Jump { target } if func.block(block).insts.iter().all(alone) => Some(target.block),
        _ => None,
    };
    let inside = |&pred: &Block| loops.contains(index, pred);
    let meet = |&next: &Block| {
        let leads_there = |&exit: &Block| leads_on(exit) == Some(next) && cfg.preds[exit].iter().all(inside);
        !loops.contains(index, next) && exits.iter().all(|exit| *exit == next || leads_there(exit))
    };
    let next = exits.iter().filter_map(|&exit| leads_on(exit)).find(meet)?;
    blocks.extend(exits.into_iter().filter(|&exit| exit != next));
    Some(Region {
        header: natural.header,
        blocks,
        next,
        retries,
    })
}

/// Has the active lanes go through the loop one after the other.
///
/// ```text
/// start(p…):     bits = the lanes that are active
/// outer(bits, r…): lane = the lowest of bits; everything that the loop is given, of that lane
///   the loop, its exits leading to
/// one(x…):       r = x where this is that lane; bits without it; once more, or
/// last:          on to what follows, with r
/// ```
fn rewrite(func: &mut Function, cfg: &Cfg, uniformity: &Uniformity, width: u32, region: &Region) {
    let Region {
        header,
        blocks,
        next,
        retries,
    } = region;
    let types = |func: &Function, block: Block| -> Vec<Type> { func.block(block).params.iter().map(|&param| func.ty(param)).collect() };
    let (given, left) = (types(func, *header), types(func, *next));
    let [start, outer, one, again, last] = std::array::from_fn(|_| func.add_block());
    for &ty in &given {
        func.add_param(start, ty);
    }
    for &pred in cfg.preds[*header].iter().filter(|pred| !blocks.contains(pred)) {
        func.retarget(pred, *header, start);
    }
    for ty in std::iter::once(&Type::I32).chain(&left) {
        func.add_param(outer, *ty);
    }
    for &ty in &left {
        func.add_param(one, ty);
    }

    let mut b = Builder::new(func, start);
    let yes = b.mask(Type::MASK, true);
    let active = b.sub_group(SubGroupOp::Ballot, &[yes]);
    let me = b.builtin(Builtin::SubGroupLocalId, 0);
    let nothing = left.iter().map(|&ty| b.constant(ty, 0));
    let first: Vec<Value> = std::iter::once(active).chain(nothing.collect::<Vec<_>>()).collect();
    b.jump(outer, &first);

    let arrived = func.block(outer).params.clone();
    let mut b = Builder::new(func, outer);
    let lowest = b.unary(UnaryOp::Ctz, arrived[0]);
    // It is in range, which shows this way.
    let lane = b.binary_imm(BinaryOp::And, lowest, i64::from(width) - 1);
    let varying = |value: Value| !uniformity.shape(value).is_uniform();
    let mut of_lane: FxHashMap<Value, Value> = FxHashMap::default();
    for value in given_from_outside(func, blocks) {
        if varying(value) && func.constant(value).is_none() {
            let own = Builder::new(func, outer).sub_group(SubGroupOp::Broadcast, &[value, lane]);
            of_lane.insert(value, own);
        }
    }
    let params = func.block(start).params.clone();
    let mut b = Builder::new(func, outer);
    let args: Vec<Value> = params
        .into_iter()
        .map(|param| b.sub_group(SubGroupOp::Broadcast, &[param, lane]))
        .collect();
    b.jump(*header, &args);

    for &block in blocks {
        for inst in func.block(block).insts.clone() {
            let data = &mut func.inst_mut(inst).data;
            if let (true, InstData::Load { mem, .. } | InstData::AtomicCas { mem, .. }) = (*retries, &mut *data) {
                mem.flags |= MemFlags::ONCE;
            }
            data.for_each_operand_mut(|value| *value = of_lane.get(value).copied().unwrap_or(*value));
            for target in data.targets_mut() {
                if target.block == *next {
                    target.block = one;
                }
            }
        }
    }

    let results = func.block(one).params.clone();
    let mut b = Builder::new(func, one);
    let mine = b.icmp(IntCc::Eq, me, lane);
    let kept: Vec<Value> = results
        .iter()
        .zip(&arrived[1..])
        .map(|(&result, &before)| b.select(mine, result, before))
        .collect();
    let below = b.binary_imm(BinaryOp::Add, arrived[0], -1);
    let rest = b.and(arrived[0], below);
    let more = b.icmp_imm(IntCc::Ne, rest, 0);
    b.branch(more, to(again, &[]), to(last, &[]));
    let onwards: Vec<Value> = std::iter::once(rest).chain(kept.iter().copied()).collect();
    Builder::new(func, again).jump(outer, &onwards);
    Builder::new(func, last).jump(*next, &kept);
}

/// Values from before a loop that are used in it.
fn given_from_outside(func: &Function, blocks: &[Block]) -> Vec<Value> {
    let mut own: FxHashSet<Value> = blocks.iter().flat_map(|&block| func.values_of(block)).collect();
    let mut given = Vec::new();
    for inst in func.insts_of(blocks) {
        func.inst(inst).data.for_each_operand(|&value| {
            if own.insert(value) {
                given.push(value);
            }
        });
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gang_after;

    /// The gang's code after the pass; none if it changed nothing.
    fn rewritten(text: &str) -> Option<String> {
        gang_after(text, |func, facts| {
            run(
                func,
                facts,
                &Machine::named("avx2").expect("there is one"),
                &mut Analyses::default(),
                &mut Plan::default(),
            )
        })
    }

    /// `for (j = a[i]; j < b[i]; j++) sum += c[d[j]];`
    const ROWS: &str = "
function workitem @rows {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = builtin global_id 0
  v5 = load.i64 global align 8 [v1 + v4 * 8]
  v6 = load.i64 global align 8 [v2 + v4 * 8]
  v7 = const.i64 1
  v8 = const.f32 0x0
  jump block1(v5, v8)
block1(v9: i64, v10: f32):
  v16 = load.i32 global align 4 [v2 + v9 * 4]
  v11 = load.f32 global align 4 [v3 + v16 * 4]
  v12 = fadd v10, v11
  v13 = add v9, v7
  v14 = icmp.slt v13, v6
  branch v14, block2, block3
block2:
  jump block1(v13, v12)
block3:
  store v12, global align 4 [v1 + v4 * 8]
  return
}";

    /// Lanes that begin next to each other and go on together, to one bound, leave within an iteration.
    #[test]
    fn rows_that_lanes_share_are_vectors() {
        let text = ROWS
            .replace("block0:\n  v0", "block0:\n  v20 = builtin local_id 0\n  v0")
            .replace("v4 = builtin global_id 0", "v4 = builtin group_id 0")
            .replace("v7 = const.i64 1", "v7 = const.i64 32\n  v21 = add v5, v20")
            .replace("jump block1(v5, v8)", "jump block1(v21, v8)");
        assert_eq!(rewritten(&text), None);
    }

    #[test]
    fn rows_of_different_lengths_are_scalars() {
        let gang = rewritten(ROWS).expect("gathers take longer");
        assert!(gang.contains("load.f32 global") && !gang.contains("load.f32x8"), "{gang}");
        assert!(gang.contains("extract_dynamic"), "{gang}");
    }

    #[test]
    fn what_a_way_out_computes_is_a_lanes_own() {
        let text = ROWS
            .replace("branch v14, block2, block3\n", "branch v14, block2, block4\n")
            .replace("block2:\n  jump block1(v13, v12)", "block4:\n  jump block3(v12)\nblock2:\n  v15 = fcmp.ogt v12, v8\n  branch v15, block5, block6\nblock5:\n  v18 = fadd v12, v12\n  jump block3(v18)\nblock6:\n  jump block1(v13, v12)")
            .replace("block3:\n  store v12", "block3(v17: f32):\n  store v17");
        let gang = rewritten(&text).expect("gathers take longer");
        assert!(!gang.contains("load.f32x8"), "{gang}");
        // What others see done stays.
        let seen = text.replace(
            "  v18 = fadd v12, v12\n",
            "  v18 = fadd v12, v12\n  v20 = atomic_rmw.add v7, relaxed device global align 8 [v1]\n",
        );
        assert_eq!(rewritten(&seen), None);
    }

    #[test]
    fn several_ways_out_meet_again() {
        let text = ROWS
            .replace("branch v14, block2, block3\n", "branch v14, block2, block4\n")
            .replace("block2:\n  jump block1(v13, v12)", "block4:\n  jump block3(v12)\nblock2:\n  v15 = fcmp.ogt v12, v8\n  branch v15, block5, block6\nblock5:\n  jump block3(v8)\nblock6:\n  jump block1(v13, v12)")
            .replace("block3:\n  store v12", "block3(v17: f32):\n  store v17");
        let gang = rewritten(&text).expect("gathers take longer");
        assert!(!gang.contains("load.f32x8"), "{gang}");
    }

    /// `while (d >= 0) { p = stack[d]; if (p == 0) d--; else { stack[d] = p & (p - 1); stack[++d] = p >> 1; } }`
    const STACK: &str = "
function workitem @stack {
  slot0: 256 align 4
block0:
  v1 = slot_address slot0
  v2 = builtin global_id 0
  v3 = trunc.i32 v2 rte
  v4 = const.i32 1
  v5 = const.i32 -1
  v6 = const.i32 0
  store v3, private align 4 [v1]
  jump block1(v6)
block1(v9: i32):
  v10 = sext.i64 v9 rte
  v11 = load.i32 private align 4 [v1 + v10 * 4]
  v12 = icmp.eq v11, v6
  branch v12, block2, block3
block2:
  v13 = add v9, v5
  jump block4(v13)
block3:
  v14 = sub v11, v4
  v15 = and v14, v11
  store v15, private align 4 [v1 + v10 * 4]
  v16 = add v9, v4
  v17 = sext.i64 v16 rte
  v18 = lshr v11, v4
  store v18, private align 4 [v1 + v17 * 4]
  jump block4(v16)
block4(v19: i32):
  v20 = icmp.sgt v19, v5
  branch v20, block1(v19), block5
block5:
  return
}";

    #[test]
    fn stacks_of_lanes_are_gone_through_by_scalars() {
        let gang = rewritten(STACK).expect("gathers take longer than the nearest cache");
        assert!(gang.contains("load.i32 private") && !gang.contains("load.i32x8"), "{gang}");
    }

    /// `do { old = *p; } while (atomic_cmpxchg(p, old, old + 1) != old);`
    const RETRY: &str = "
function workitem @retry {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i64 3
  v4 = and v2, v3
  v5 = const.i64 2
  v6 = shl v4, v5
  v7 = add v1, v6
  v8 = const.i32 1
  jump block1
block1:
  v9 = load.i32 global align 4 volatile [v1 + v4 * 4]
  v10 = add v9, v8
  v11 = atomic_cas v9, v10, relaxed device global align 4 [v7]
  v12 = icmp.eq v11, v9
  branch v12, block3, block2
block2:
  jump block1
block3:
  return
}";

    #[test]
    fn what_is_tried_again_is_tried_by_one_lane_at_a_time() {
        let gang = rewritten(RETRY).expect("lanes would come in between of each other");
        assert!(gang.contains("volatile once") && gang.contains("align 4 once"), "{gang}");
        assert!(!gang.contains("load.i32x8"), "{gang}");
    }

    #[test]
    fn what_lanes_do_better_together_stays() {
        // They read the same, or beside each other.
        for at in ["", " + v4 * 4"] {
            let text = ROWS.replace("[v2 + v9 * 4]", &format!("[v2{at}]"));
            assert_eq!(rewritten(&text.replace("[v3 + v16 * 4]", &format!("[v3{at}]"))), None);
        }
        // All leave at once.
        assert_eq!(rewritten(&ROWS.replace("icmp.slt v13, v6", "icmp.slt v7, v3")), None);
        // What is loaded tells where to go on: lanes wait for memory together.
        let chase = ROWS
            .replace("load.f32 global align 4 [v3 + v16 * 4]", "load.i64 global align 8 [v3 + v16 * 8]")
            .replace("fadd v10, v11", "fadd v10, v10")
            .replace("add v9, v7", "add v11, v7");
        assert_eq!(rewritten(&chase), None);
        // Arithmetic is what vectors are good at.
        let much = (0..40).fold("  v100 = fadd v11, v11\n".to_owned(), |text, index| {
            text + &format!("  v{} = fmul v{}, v11\n", index + 101, index + 100)
        });
        let busy = ROWS.replace("  v12 = fadd v10, v11\n", &(much + "  v12 = fadd v10, v140\n"));
        assert_eq!(rewritten(&busy), None);
        assert_eq!(
            rewritten(&ROWS.replace("load.f32 global align 4", "load.f32 global align 4 volatile")),
            None
        );
        // One for all lanes is not one for each.
        let atomic = ROWS.replace("  v12 =", "  v20 = atomic_rmw.add v7, relaxed device global align 8 [v1]\n  v12 =");
        assert_eq!(rewritten(&atomic), None);
    }
}
