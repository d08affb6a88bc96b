//! Private memory to SSA: slots of which only constant parts are loaded and stored, part by part, become values.
//!
//! Accesses that overlap make up one part. A part that is always accessed as a whole is a variable of the accesses' type (other types of
//! the same size are bit casts); a part that is accessed in pieces is an integer, if one is wide enough, whose bits are taken and put.
//! A store of a constant over several parts (what fills an array with zeros) is one to each of them.
//! A slot whose address goes anywhere else than into such accesses stays in memory. What is read before it is written is zero.

use analysis::Analyses;
use analysis::access::objects::Places;
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::ssa::{SsaBuilder, Variable};
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Promotes slots. True if some access went.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    if func.slots.is_empty() {
        return false;
    }
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let Accesses { escapes, accesses } = Accesses::find(func, cfg);
    let mut by_slot: FxHashMap<Slot, Vec<Access>> = FxHashMap::default();
    for access in accesses {
        if !escapes[access.slot] {
            by_slot.entry(access.slot).or_default().push(access);
        }
    }
    let mut ssa = SsaBuilder::of_flow(cfg);
    let mut plan = Plan::new();
    let mut slots: Vec<Slot> = by_slot.keys().copied().collect();
    slots.sort();
    let mut changed = false;
    for slot in slots {
        let mut accesses = by_slot.remove(&slot).unwrap_or_default();
        accesses.sort_by_key(|access| access.from);
        let fills = divisible(func, &mut accesses);
        let mut promoted = Vec::new();
        for part in parts(&accesses) {
            promoted.extend(promote(part, &mut ssa, &mut plan));
        }
        changed |= !promoted.is_empty();
        for (store, bits) in fills {
            fill(&store, bits, &promoted, &mut plan);
        }
    }
    if changed {
        rewrite(func, cfg, ssa, &plan);
    }
    changed
}

/// A load or store of a known part of a slot.
#[derive(Clone, Copy, Debug)]
struct Access {
    inst: Inst,
    slot: Slot,
    from: u32,
    ty: Type,
}

impl Access {
    fn end(&self) -> u32 {
        self.from + self.ty.bytes()
    }
}

/// What becomes of an access: bytes from `shift / 8` on of the variable.
#[derive(Clone, Copy, Debug)]
struct Piece {
    variable: Variable,
    ty: Type,
    shift: u32,
    /// What is stored, where it is a part of a constant.
    constant: Option<u64>,
}

/// By access: what it becomes. A store of a constant may become several.
type Plan = SecondaryMap<Inst, SmallVec<[Piece; 1]>>;

struct Accesses {
    escapes: SecondaryMap<Slot, bool>,
    accesses: Vec<Access>,
}

impl Accesses {
    /// Looks at all that is done with addresses of slots.
    fn find(func: &Function, cfg: &Cfg) -> Accesses {
        let places = Places::in_slots(func, &cfg.order);
        let mut escapes: SecondaryMap<Slot, bool> = SecondaryMap::new();
        let mut accesses = Vec::new();
        for inst in func.insts_of(&cfg.order) {
            let node = func.inst(inst);
            let access = match &node.data {
                InstData::Store { value, .. } if places.slot(*value).is_some() => None,
                _ => access(func, &places, inst),
            };
            let is_known = |&value: &Value| places.place(value).is_some_and(|place| place.offset.is_some());
            if access.is_none() && !node.results.iter().any(is_known) {
                let slots = |value: &Value| places.slot(*value).into_iter().for_each(|slot| escapes[slot] = true);
                node.data.for_each_operand(slots);
            }
            accesses.extend(access);
        }
        Accesses { escapes, accesses }
    }
}

/// The access, if it is to a constant part of a slot.
fn access(func: &Function, places: &Places, inst: Inst) -> Option<Access> {
    let ir::Access {
        address, mem, ty, mask, ..
    } = func.access(inst)?;
    let (slot, offset) = (places.slot(address.base)?, places.place(address.base)?.offset);
    let index = match address.index {
        Some(index) => func.signed_constant(index)?.checked_mul(i64::from(address.scale))?,
        None => 0,
    };
    let from = offset?.checked_add(index)?.checked_add(i64::from(address.offset))?;
    let from = u32::try_from(from).ok()?;
    let end = from.checked_add(ty.bytes())?;
    let inside = end <= func.slots[slot].size && !mem.flags.contains(MemFlags::VOLATILE);
    (inside && ty.lanes == 1 && mask.is_none()).then_some(Access { inst, slot, from, ty })
}

/// Cuts accesses, in the order of their beginnings, where none goes across.
fn parts(accesses: &[Access]) -> Vec<&[Access]> {
    let mut parts = Vec::new();
    let (mut first, mut end) = (0, 0);
    for (index, access) in accesses.iter().enumerate() {
        if index > first && access.from >= end {
            parts.push(&accesses[first..index]);
            first = index;
        }
        end = end.max(access.end());
    }
    if first < accesses.len() {
        parts.push(&accesses[first..]);
    }
    parts
}

/// The bytes of a part: from where to where.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    from: u32,
    end: u32,
}

/// Which of the parts, in their order and apart from each other, the access touches.
fn touched<'p, P>(access: &Access, parts: &'p [P], bounds: impl Fn(&P) -> Bounds) -> &'p [P] {
    let first = parts.partition_point(|part| bounds(part).end <= access.from);
    let behind = parts.partition_point(|part| bounds(part).from < access.end());
    parts.get(first..behind).unwrap_or(&[])
}

/// The variable that a part becomes, if there can be one: its bounds and its type.
fn variable(part: &[Access]) -> Option<(Bounds, Type)> {
    let from = part[0].from;
    let end = part.iter().map(Access::end).max().unwrap_or(from);
    let whole = part.iter().all(|access| access.from == from && access.end() == end);
    let ty = match whole {
        true => part[0].ty,
        false => Type::scalar(Elem::int((end - from) * 8)?),
    };
    Some((Bounds { from, end }, ty))
}

/// Takes stores of constants out of the accesses, as far as the others show parts of which each store covers some as a whole, and nothing else.
fn divisible(func: &Function, accesses: &mut Vec<Access>) -> Vec<(Access, u64)> {
    let constant = |access: &Access| match func.inst(access.inst).data {
        InstData::Store { value, .. } => func.constant(value),
        _ => None,
    };
    let (stores, others): (Vec<Access>, Vec<Access>) = accesses.iter().partition(|access| constant(access).is_some());
    let bounds: Option<Vec<Bounds>> = parts(&others)
        .into_iter()
        .map(|part| variable(part).map(|(bounds, _)| bounds))
        .collect();
    let Some(bounds) = bounds else { return Vec::new() };
    // Parts lie apart, so the first and the last tell for those between.
    let fills = |store: &Access| match touched(store, &bounds, |&bounds| bounds) {
        [] => false,
        [first, .., last] => store.from <= first.from && last.end <= store.end(),
        [only] => store.from <= only.from && only.end <= store.end(),
    };
    if !stores.iter().all(fills) {
        return Vec::new();
    }
    *accesses = others;
    stores.into_iter().filter_map(|store| Some((store, constant(&store)?))).collect()
}

/// Makes a variable of a part, if that can be.
fn promote(part: &[Access], ssa: &mut SsaBuilder, plan: &mut Plan) -> Option<(Bounds, Type, Variable)> {
    let (bounds, ty) = variable(part)?;
    let variable = ssa.variable(ty);
    for access in part {
        plan[access.inst].push(Piece {
            variable,
            ty: access.ty,
            shift: (access.from - bounds.from) * 8,
            constant: None,
        });
    }
    Some((bounds, ty, variable))
}

/// A store of a constant is one to each of the variables that it touches: to the whole of them ([`divisible`]).
fn fill(store: &Access, bits: u64, promoted: &[(Bounds, Type, Variable)], plan: &mut Plan) {
    for &(bounds, ty, variable) in touched(store, promoted, |&(bounds, ..)| bounds) {
        plan[store.inst].push(Piece {
            variable,
            ty,
            shift: 0,
            constant: Some(bits >> ((bounds.from - store.from) * 8) & ty.elem.bit_mask()),
        });
    }
}

fn rewrite(func: &mut Function, cfg: &Cfg, mut ssa: SsaBuilder, plan: &Plan) {
    for &block in &cfg.order {
        let stores = func
            .block(block)
            .insts
            .iter()
            .filter(|&&inst| matches!(func.inst(inst).data, InstData::Store { .. }));
        for piece in stores.flat_map(|&inst| &plan[inst]) {
            ssa.will_define(piece.variable, block);
        }
    }
    let mut map = ValueMap::default();
    // Blocks come after those that dominate them, so what a single predecessor defines is known.
    for &block in &cfg.order {
        let insts = std::mem::take(&mut func.block_mut(block).insts);
        for inst in insts {
            let Some(&piece) = plan[inst].first() else {
                func.block_mut(block).insts.push(inst);
                continue;
            };
            if piece.constant.is_some() {
                for part in &plan[inst] {
                    let (ty, bits) = (ssa.ty(part.variable), part.constant.unwrap_or(0));
                    let value = Builder::new(func, block).constant(ty, bits);
                    ssa.define(part.variable, block, value);
                }
                continue;
            }
            let variable_type = ssa.ty(piece.variable);
            let stored = match func.inst(inst).data {
                InstData::Store { value, .. } => Some(map.resolve(value)),
                _ => None,
            };
            let whole = variable_type.elem.bits() == piece.ty.elem.bits();
            match stored {
                Some(value) if whole => {
                    let value = Builder::new(func, block).bitcast(variable_type.elem, value);
                    ssa.define(piece.variable, block, value);
                }
                Some(value) => {
                    let old = ssa.use_variable(func, piece.variable, block);
                    let new = put_bits(&mut Builder::new(func, block), old, value, piece.shift);
                    ssa.define(piece.variable, block, new);
                }
                None => {
                    let value = ssa.use_variable(func, piece.variable, block);
                    let mut b = Builder::new(func, block);
                    let value = match whole {
                        true => b.bitcast(piece.ty.elem, value),
                        false => take_bits(&mut b, value, piece.ty.elem, piece.shift),
                    };
                    map.insert(func.result(inst), value);
                }
            }
        }
    }
    func.substitute(&map);
    ssa.finish(func);
}

fn take_bits(b: &mut Builder, from: Value, elem: Elem, shift: u32) -> Value {
    let shifted = match shift {
        0 => from,
        _ => b.binary_imm(BinaryOp::LShr, from, i64::from(shift)),
    };
    let bits = b.convert(ConvertOp::Trunc, elem.as_int(), shifted);
    b.bitcast(elem, bits)
}

fn put_bits(b: &mut Builder, old: Value, value: Value, shift: u32) -> Value {
    let (wide, narrow) = (b.ty(old).elem, b.ty(value).elem);
    let bits = b.bitcast(narrow.as_int(), value);
    let bits = b.convert(ConvertOp::ZExt, wide, bits);
    let bits = match shift {
        0 => bits,
        _ => b.binary_imm(BinaryOp::Shl, bits, i64::from(shift)),
    };
    let others = !(narrow.bit_mask() << shift) & wide.bit_mask();
    let kept = b.binary_imm(BinaryOp::And, old, others as i64);
    b.or(kept, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::parse::parse_module;

    /// Slots that are read behind many joins, each of which one of them goes through with a new value.
    #[test]
    fn a_variable_has_parameters_only_behind_what_changes_it() {
        let each = |count: u32, line: fn(u32) -> String| -> String { (0..count).map(line).collect() };
        let values_made = |count: u32| {
            let text = format!(
                "fn0 = function workitem @f -> i64 {{\n{}block0(v0: i64, v1: mask):\n{}  jump block1\n{}block{}:\n{}  return v0\n}}",
                each(count, |slot| format!("  slot{slot}: 8 align 8\n")),
                each(count, |slot| {
                    format!("  v{} = slot_address slot{slot}\n  store v0, private align 8 [v{0}]\n", slot + 2)
                }),
                each(count, |fork| {
                    let (block, slot) = (2 * fork + 1, fork + 2);
                    format!(
                        "block{block}:\n  branch v1, block{}, block{}\nblock{0}:\n  v{} = add v0, v0\n  store v{2}, private align 8 [v{slot}]\n  jump block{1}\n",
                        block + 1,
                        block + 2,
                        slot + 1000
                    )
                }),
                2 * count + 1,
                each(count, |slot| format!(
                    "  v{} = load.i64 private align 8 [v{}]\n",
                    slot + 2002,
                    slot + 2
                )),
            );
            let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let func = &mut module.functions[FuncRef::new(0)];
            let (_, _, before) = func.counts();
            assert!(run(func, &mut Analyses::default()));
            func.counts().2 - before
        };
        let (few, many) = (values_made(20), values_made(200));
        assert!(many <= 10 * few, "{few} for 20, {many} for 200");
    }
}
