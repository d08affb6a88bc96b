//! Private arrays laid out element by element instead of lane by lane.
//!
//! Where each lane's copy of a slot stands in one piece, lanes that read the same element read from places a copy apart: a gather. Where
//! element `i` of all lanes stands together, that is one vector access. It can be done for slots whose address never escapes and whose accesses are
//! all elements of one size at multiples of that size: the offset of each access is then multiplied by the gang's width, and the lanes stand
//! an element apart.

use analysis::access::objects::Places;
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use passes::Plan;

/// What the accesses of a slot have shown so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    None,
    /// All accesses are elements of so many bytes.
    Elements(u32),
    /// And why.
    Unfit(&'static str),
}

/// Changes the addresses of the slots that are fit for it. Gives the distance of lanes in each; 0 for slots that stay as they were.
pub fn interleave(func: &mut Function, width: u32, plan: &mut Plan) -> SecondaryMap<Slot, u32> {
    let mut strides: SecondaryMap<Slot, u32> = SecondaryMap::new();
    if width == 1 || func.slots.is_empty() {
        return strides;
    }
    let cfg = Cfg::new(func);
    let places = Places::in_slots(func, &cfg.order);
    let mut uses: SecondaryMap<Slot, Use> = SecondaryMap::with_default(Use::None);
    for &block in &cfg.order {
        for &inst in &func.block(block).insts {
            look(func, inst, &places, width, &mut uses);
        }
    }
    for (slot, data) in func.slots.iter() {
        let Use::Elements(bytes) = uses[slot] else { continue };
        if u64::from(data.size) * u64::from(width) < 1 << 30 && data.size.is_multiple_of(bytes) {
            strides[slot] = bytes;
        } else {
            uses[slot] = Use::Unfit("its size does not suit");
        }
    }
    // Sums must stay at multiples of the element, now that its size is known.
    for &block in &cfg.order {
        for &inst in &func.block(block).insts {
            if let Some((slot, offset)) = sum(func, inst, &places)
                && !is_multiple(func, offset, strides[slot], 4)
            {
                strides[slot] = 0;
                uses[slot] = Use::Unfit("an offset in it may be no multiple of its elements");
            }
        }
    }
    for slot in func.slots.keys() {
        match uses[slot] {
            Use::None => {}
            Use::Elements(bytes) => plan.note("private_layout", || format!("{slot}: by element, lanes {bytes} bytes apart")),
            Use::Unfit(why) => plan.note("private_layout", || format!("{slot}: by lane, since {why}")),
        }
    }
    for block in cfg.order {
        rewrite(func, block, &places, &strides, width);
    }
    strides
}

/// `slot + offset`, where the instruction is that.
fn sum(func: &Function, inst: Inst, places: &Places) -> Option<(Slot, Value)> {
    match func.inst(inst).data {
        InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        } => match (places.slot(a), places.slot(b)) {
            (Some(slot), None) => Some((slot, b)),
            (None, Some(slot)) => Some((slot, a)),
            _ => None,
        },
        _ => None,
    }
}

fn look(func: &Function, inst: Inst, places: &Places, width: u32, uses: &mut SecondaryMap<Slot, Use>) {
    let node = func.inst(inst);
    if places.is_sum(func, inst) {
        return;
    }
    let plain = |mem: &MemInfo| !mem.flags.contains(MemFlags::VOLATILE);
    let (address, elem, stored) = match &node.data {
        InstData::Load { ty, address, mem, .. } if plain(mem) => (Some(address), ty.elem, None),
        InstData::Store { value, address, mem, .. } if plain(mem) => (Some(address), func.ty(*value).elem, Some(*value)),
        _ => (None, Elem::I8, None),
    };
    let Some(address) = address else {
        node.data.for_each_operand(|&operand| spoil(places, uses, operand));
        return;
    };
    for other in [address.index, stored].into_iter().flatten() {
        spoil(places, uses, other);
    }
    if let Some(slot) = places.slot(address.base) {
        let bytes = elem.bytes();
        let fits = i64::from(address.offset) % i64::from(bytes) == 0 && (address.index.is_none() || address.scale.is_multiple_of(bytes));
        // What goes far outside, as only faulty kernels do.
        let limit = i64::from(i32::MAX) / i64::from(width);
        let is_far = i64::from(address.offset).abs() > limit || (address.index.is_some() && i64::from(address.scale) > limit);
        uses[slot] = match uses[slot] {
            Use::None | Use::Elements(_) if is_far => Use::Unfit("an access goes too far from its beginning"),
            Use::None if fits => Use::Elements(bytes),
            Use::Elements(known) if fits && known == bytes => Use::Elements(bytes),
            Use::Unfit(why) => Use::Unfit(why),
            _ => Use::Unfit("its elements are not all of one size, each at a multiple of that"),
        };
    }
}

fn spoil(places: &Places, uses: &mut SecondaryMap<Slot, Use>, value: Value) {
    if let Some(slot) = places.slot(value) {
        uses[slot] = Use::Unfit("its address is kept");
    }
}

fn is_multiple(func: &Function, value: Value, of: u32, depth: u32) -> bool {
    if of <= 1 {
        return true;
    }
    if let Some(constant) = func.signed_constant(value) {
        return constant % i64::from(of) == 0;
    }
    let Some(data) = func.def_data(value).filter(|_| depth > 0) else {
        return false;
    };
    match *data {
        InstData::Binary {
            op: BinaryOp::Mul,
            args: [a, b],
        } => is_multiple(func, a, of, depth - 1) || is_multiple(func, b, of, depth - 1),
        InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub,
            args: [a, b],
        } => is_multiple(func, a, of, depth - 1) && is_multiple(func, b, of, depth - 1),
        InstData::Binary {
            op: BinaryOp::Shl,
            args: [_, b],
        } => func
            .constant(b)
            .is_some_and(|amount| amount < 32 && (1u64 << amount).is_multiple_of(u64::from(of))),
        _ => false,
    }
}

fn rewrite(func: &mut Function, block: Block, places: &Places, strides: &SecondaryMap<Slot, u32>, width: u32) {
    let insts = std::mem::take(&mut func.block_mut(block).insts);
    for inst in insts {
        if let Some((slot, offset)) = sum(func, inst, places).filter(|&(slot, _)| strides[slot] != 0) {
            let wide = Builder::new(func, block).binary_imm(BinaryOp::Mul, offset, i64::from(width));
            let base = match func.inst(inst).data {
                InstData::Binary { args: [a, b], .. } => {
                    if places.slot(a) == Some(slot) {
                        a
                    } else {
                        b
                    }
                }
                _ => offset,
            };
            func.replace(
                inst,
                InstData::Binary {
                    op: BinaryOp::Add,
                    args: [base, wide],
                },
            );
        } else if let InstData::Load { address, .. } | InstData::Store { address, .. } = &mut func.inst_mut(inst).data
            && places.slot(address.base).is_some_and(|slot| strides[slot] != 0)
        {
            address.offset *= width as i32;
            if address.index.is_some() {
                address.scale *= width;
            }
        }
        func.block_mut(block).insts.push(inst);
    }
}
