//! The part of an address that a loop doesn't change becomes its base.
//!
//! `base + (x + y) * scale`, where the loop changes `x` alone, is `(base + y * scale) + x * scale`: the sum leaves the loop, and accesses that differ in
//! `y` share an index. Indices of 64 bits wrap as addresses do, so that the two are the same number whatever they are. A constant `y` needs no base: it
//! goes to the offset.
//!
//! It runs after what looks for rows in addresses, which wants indices whole. [`super::licm`] then moves the new bases.

use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function, machine: &Machine, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    let (cfg, loops) = (&flow.cfg, flow.loops());
    cfg.keep_reachable(func);
    if loops.loops.is_empty() {
        return false;
    }
    let mut home = func.homes(&cfg.order);
    let mut bases = FxHashMap::default();
    // Each base is a register as long as the loop runs. The other half is for what the loop computes.
    let most = machine.general_registers as usize / 2;
    let mut changed = false;
    loop {
        // An index may be a sum of several such parts, and a constant is left of it.
        changed |= offsets(func, cfg);
        if !step(func, cfg, loops, &mut home, &mut bases, most) {
            return changed;
        }
        changed = true;
    }
}

/// Moves constants that were added to indices to offsets. True if there were some.
fn offsets(func: &mut Function, cfg: &Cfg) -> bool {
    let mut sums: FxHashSet<Value> = FxHashSet::default();
    for &block in &cfg.order {
        for position in 0..func.block(block).insts.len() {
            let inst = func.block(block).insts[position];
            while let Some((_, sum, scale)) = access(func, inst)
                && let Some((part, rest)) = parts(func, sum, |value| func.constant(value).is_some())
                && let Some(constant) = func.signed_constant(part)
                && let Some(bytes) = constant.checked_mul(i64::from(scale))
                && let Some(address) = func.inst_mut(inst).data.address_mut()
                && let Some(offset) = bytes
                    .checked_add(i64::from(address.offset))
                    .and_then(|offset| i32::try_from(offset).ok())
            {
                (address.index, address.offset) = (Some(rest), offset);
                sums.insert(sum);
            }
        }
    }
    if sums.is_empty() {
        return false;
    }
    // Those that nobody wants any more are no uses of what they were computed from.
    let uses = func.use_counts();
    sums.retain(|sum| uses[*sum] == 0);
    delete(func, cfg, &sums);
    true
}

fn delete(func: &mut Function, cfg: &Cfg, gone: &FxHashSet<Value>) {
    for &block in &cfg.order {
        let mut insts = func.take_insts(block);
        insts.retain(|&inst| !func.inst(inst).results.iter().any(|result| gone.contains(result)));
        func.block_mut(block).insts = insts;
    }
}

/// An access's base and scale, with the part of its index that becomes part of the base.
type Base = (Value, Value, u8);

/// The bases that each loop has got.
type Bases = FxHashMap<usize, FxHashSet<Base>>;

/// Takes one part of each index that has one. A loop gets `most` bases at most.
fn step(
    func: &mut Function,
    cfg: &Cfg,
    loops: &Loops,
    home: &mut SecondaryMap<Value, Option<Block>>,
    bases: &mut Bases,
    most: usize,
) -> bool {
    // Of each sum, what its accesses would get as a base, and how many they are.
    let mut sums: FxHashMap<Value, (usize, Base, Value, u32)> = FxHashMap::default();
    let mut mixed: FxHashSet<Value> = FxHashSet::default();
    for &block in &cfg.order {
        let Some(innermost) = loops.innermost(block) else { continue };
        let stays = |value: Value| home[value].is_some_and(|home| !loops.contains(innermost, home));
        for &inst in &func.block(block).insts {
            let Some((base, sum, scale)) = access(func, inst) else { continue };
            let Some((part, rest)) = parts(func, sum, stays).filter(|_| stays(base)) else {
                continue;
            };
            let found = (innermost, (base, part, scale), rest, 0);
            let known = sums.entry(sum).or_insert(found);
            if (known.0, known.1) != (found.0, found.1) {
                mixed.insert(sum);
            }
            known.3 += 1;
        }
    }
    if sums.is_empty() {
        return false;
    }
    let uses = func.use_counts();
    // Where something else wants the sum, it stays in the loop, and nothing is gained.
    sums.retain(|sum, found| uses[*sum] == found.3 && !mixed.contains(sum));
    if sums.is_empty() {
        return false;
    }
    // All accesses of a sum get the same base, or none does.
    let mut gone: FxHashSet<Value> = FxHashSet::default();
    for &block in &cfg.order {
        for inst in func.take_insts(block) {
            let found = access(func, inst).and_then(|(_, sum, _)| Some((sum, *sums.get(&sum)?)));
            if let Some((sum, (index, key, rest, _))) = found {
                let bases = bases.entry(index).or_default();
                if bases.contains(&key) || bases.len() < most {
                    bases.insert(key);
                    let (base, part, scale) = key;
                    let mut b = Builder::new(func, block);
                    let scaled = b.binary_imm(BinaryOp::Shl, part, i64::from(scale.ilog2()));
                    let base = b.add(base, scaled);
                    // As if it stood outside of all loops, where it will.
                    home[base] = Some(func.entry());
                    let address = func.inst_mut(inst).data.address_mut().expect("it has one");
                    (address.base, address.index) = (base, Some(rest));
                    gone.insert(sum);
                }
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    delete(func, cfg, &gone);
    !gone.is_empty()
}

/// The base, the index and the scale of an access whose lanes, if it has several, are one after the other.
fn access(func: &Function, inst: Inst) -> Option<(Value, Value, u8)> {
    let Access { address, .. } = func.access(inst)?;
    let index = address.index?;
    let is_plain = |value: Value| func.ty(value) == Type::I64;
    let scale = u8::try_from(address.scale).ok().filter(|scale| matches!(scale, 1 | 2 | 4 | 8))?;
    (is_plain(address.base) && is_plain(index)).then_some((address.base, index, scale))
}

/// A sum that the loop computes, as the part that stays the same and the one that doesn't.
fn parts(func: &Function, sum: Value, stays: impl Fn(Value) -> bool) -> Option<(Value, Value)> {
    let [a, b] = func.binary(BinaryOp::Add, sum)?;
    match (stays(a), stays(b)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}
