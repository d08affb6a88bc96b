//! Private variables are written before they are read.
//!
//! Each variable has a shadow of its size: a store of a value sets the bytes of the shadow to ones, a load compares them. Shadows are private memory
//! as well, so that they become values, and mostly constants, with their variables. What is only copied is not read: the copy's shadow becomes that of
//! the original, as with vectors of which a component is set; parameters of blocks hand shadows on. A struct that is copied to memory without a shadow
//! must have been written somewhere. What is computed of a vector, component by component, and only copied, is as little written as what it was
//! computed of: nothing may become of the components that were not set. Variables whose addresses go elsewhere are left alone.
//!
//! Bounds are checked of the variables themselves. What leaves one touches memory behind its shadow that is kept for that.

use super::reads::{Reads, handed_on};
use super::written::fill;
use analysis::access::objects::Places;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::code_size::SHADOWED_COPY;
use target::costs::memory::SHADOWED;

/// Bytes of a word of a shadow.
const WORD: u32 = 8;

/// Gives variables their shadows, and puts [`Runtime::Written`] before loads.
pub fn run(func: &mut Function) {
    let Some(origins) = &func.origins else { return };
    let named: Vec<Slot> = func.slots.keys().filter(|&slot| origins.variables[slot].is_some()).collect();
    let pointers = Pointers::follow(func, &named);
    let is_copy = |inst| match func.inst(inst).data {
        InstData::Store { address, .. } => func.is_copy(inst) || pointers.slot(address.base).is_some(),
        _ => false,
    };
    let mut shadows = Shadows {
        slots: FxHashMap::default(),
        distances: FxHashMap::default(),
        values: FxHashMap::default(),
        written: FxHashMap::default(),
        vectors: FxHashSet::default(),
        reads: Reads::new(func, is_copy),
        left: FxHashSet::default(),
        pointers,
    };
    let front = func.add_detached_block();
    for slot in named {
        let size = func.slots[slot].size.next_multiple_of(8);
        if shadows.pointers.escaped.contains(&slot) || size > SHADOWED {
            continue;
        }
        let spare = shadows
            .pointers
            .copied
            .get(&slot)
            .map_or(WORD, |bytes| bytes.next_multiple_of(WORD));
        let shadow = func.slots.push(SlotData {
            size: size + WORD + spare,
            align: 8,
        });
        let mut b = Builder::new(func, front);
        let address = b.slot_address(shadow);
        let (zero, ones) = (b.i64(0), b.i64(-1));
        for offset in (0..=size).step_by(8) {
            let word = if offset < size { zero } else { ones };
            b.store(word, Address::offset(address, offset as i32), MemInfo::new(Space::Private, 8));
        }
        shadows.slots.insert(slot, address);
    }
    if shadows.slots.is_empty() {
        return;
    }
    shadows.find_vectors(func);
    let params = shadows.params(func);
    // What is copied comes behind what it is a copy of.
    for block in cfg::reverse_postorder(func) {
        let insts = func.take_insts(block);
        for (position, &inst) in insts.iter().enumerate() {
            shadows.leaves(func, block, &insts[position..]);
            shadows.rewrite(func, block, inst);
        }
    }
    shadows.hand_on(func, front, &params);
    super::move_to_front(func, front);
}

/// Pointers into variables.
struct Pointers {
    places: Places,
    named: Vec<Slot>,
    /// Variables of which not every access is seen.
    escaped: Vec<Slot>,
    /// Bytes of the largest copy from or to a variable that may go outside of it.
    copied: FxHashMap<Slot, u32>,
}

impl Pointers {
    fn follow(func: &Function, named: &[Slot]) -> Pointers {
        let mut found = Pointers {
            places: Places::in_slots(func, &cfg::reverse_postorder(func)),
            named: named.to_vec(),
            escaped: Vec::new(),
            copied: FxHashMap::default(),
        };
        for inst in func.insts() {
            found.uses(func, inst);
        }
        found
    }

    /// The variable that a pointer leads to.
    fn slot(&self, pointer: Value) -> Option<Slot> {
        self.places.slot(pointer).filter(|slot| self.named.contains(slot))
    }

    fn uses(&mut self, func: &Function, inst: Inst) {
        let data = &func.inst(inst).data;
        let escape = |this: &mut Self, value: &Value| {
            this.escaped.extend(this.slot(*value));
        };
        match data {
            InstData::Load { address, mask: None, .. } => address.index.iter().for_each(|value| escape(self, value)),
            InstData::Store {
                value,
                address,
                mask: None,
                ..
            } => {
                escape(self, value);
                address.index.iter().for_each(|value| escape(self, value));
            }
            InstData::Copy { to, from, bytes, .. } => {
                let is_small = func.constant(*bytes).is_some_and(|bytes| bytes <= SHADOWED_COPY);
                if !is_small && self.slot(*from).is_none() {
                    escape(self, to);
                }
                match func.constant(*bytes) {
                    None => {
                        escape(self, to);
                        escape(self, from);
                    }
                    Some(bytes) => {
                        for &side in [to, from] {
                            let Some(slot) = self.slot(side) else { continue };
                            let offset = self.places.place(side).and_then(|place| place.offset);
                            let size = i64::from(func.slots[slot].size);
                            if offset.is_some_and(|offset| offset >= 0 && offset.saturating_add(bytes as i64) <= size) {
                                continue;
                            }
                            let most = self.copied.entry(slot).or_default();
                            *most = (*most).max(bytes.min(SHADOWED.into()) as u32);
                        }
                    }
                }
            }
            _ if self.places.is_sum(func, inst) => {}
            data => data.for_each_operand(|value| escape(self, value)),
        }
    }
}

struct Shadows {
    /// Addresses of shadows.
    slots: FxHashMap<Slot, Value>,
    /// By pointer into a variable: how far from its beginning it is, where that is not 0.
    distances: FxHashMap<Value, Value>,
    /// By loaded value, and parameter: its shadow.
    values: FxHashMap<Value, Value>,
    /// By component of a vector that is not observed, and what is computed of it: the truth value that it was written.
    written: FxHashMap<Value, Value>,
    /// Values that are loaded with other components of a vector.
    vectors: FxHashSet<Value>,
    reads: Reads,
    /// Copies to memory without a shadow that have been looked at.
    left: FxHashSet<Inst>,
    pointers: Pointers,
}

impl Shadows {
    fn slot(&self, pointer: Value) -> Option<Slot> {
        self.pointers.slot(pointer).filter(|slot| self.slots.contains_key(slot))
    }

    /// The shadow of so many bytes that are accessed, if they are a variable's; outside of the variable what is behind its shadow.
    fn shadow(&self, func: &mut Function, block: Block, address: &Address, bytes: u64, writes: bool) -> Option<Address> {
        let slot = self.slot(address.base)?;
        let (start, size) = (self.slots[&slot], func.slots[slot].size);
        let behind = size.next_multiple_of(WORD) + if writes { WORD } else { 0 };
        let place = self.pointers.places.place(address.base).filter(|_| address.index.is_none());
        if let Some(offset) = place.and_then(|place| place.offset) {
            let first = offset + i64::from(address.offset);
            let inside = first >= 0 && first as u64 + bytes <= size.into();
            return Some(Address::offset(start, if inside { first as i32 } else { behind as i32 }));
        }
        let mut b = Builder::new(func, block);
        let mut distance = self.distances.get(&address.base).copied();
        if let Some(index) = address.index {
            let more = b.scaled(index, address.scale);
            distance = Some(distance.map_or(more, |distance| b.add(distance, more)));
        }
        let mut distance = distance.unwrap_or_else(|| b.i64(0));
        if address.offset != 0 {
            distance = b.binary_imm(BinaryOp::Add, distance, address.offset.into());
        }
        let places = u64::from(size).saturating_sub(bytes - 1);
        let inside = b.icmp_imm(IntCc::Ult, distance, places as i64);
        let behind = b.i64(behind.into());
        let distance = b.select(inside, distance, behind);
        Some(Address::base(b.add(start, distance)))
    }

    /// Finds components that are loaded with others of the same vector, more than one of which are used.
    fn find_vectors(&mut self, func: &Function) {
        for &block in &func.layout {
            let mut loads: FxHashMap<(Place, Value), Vec<Value>> = FxHashMap::default();
            for &inst in &func.block(block).insts {
                if let InstData::Load { address, .. } = func.inst(inst).data
                    && address.index.is_none()
                    && self.slot(address.base).is_some()
                    && self.reads.is_read(func.result(inst))
                {
                    loads.entry((func.place(inst), address.base)).or_default().push(func.result(inst));
                }
            }
            self.vectors
                .extend(loads.into_values().filter(|components| components.len() > 1).flatten());
        }
    }

    /// Gives parameters that are only copied shadows of their own. Returns them by block, in the order in which they were added.
    fn params(&mut self, func: &mut Function) -> Vec<(Block, Value)> {
        let mut followed: FxHashSet<Value> = FxHashSet::default();
        for inst in func.insts() {
            if let InstData::Load { address, .. } = func.inst(inst).data
                && self.slot(address.base).is_some()
            {
                followed.insert(func.result(inst));
            }
        }
        let mut found: Vec<(Block, Value)> = Vec::new();
        loop {
            let before = found.len();
            for block in func.layout.clone() {
                for (to, param, arg) in handed_on(func, block) {
                    if followed.contains(&arg) && self.reads.is_only_copied(param) && followed.insert(param) {
                        found.push((to, param));
                    }
                }
            }
            if found.len() == before {
                break;
            }
        }
        found.retain(|&(block, param)| {
            let Some(elem) = Elem::int(func.ty(param).elem.bits()) else {
                return false;
            };
            let shadow = func.add_param(block, Type::scalar(elem));
            self.values.insert(param, shadow);
            true
        });
        found
    }

    /// Hands shadows to the parameters that were added.
    fn hand_on(&self, func: &mut Function, front: Block, params: &[(Block, Value)]) {
        for block in func.layout.clone() {
            let Some(&last) = func.block(block).insts.last() else { continue };
            let mut data = func.inst(last).data.clone();
            for target in data.targets_mut() {
                for &(_, param) in params.iter().filter(|&&(to, _)| to == target.block) {
                    let position = func.block(target.block).params.iter().position(|&own| own == param);
                    let ty = func.ty(self.values[&param]);
                    let arg = position.and_then(|position| self.values.get(&target.args[position]).copied());
                    let arg = arg.filter(|&shadow| func.ty(shadow) == ty);
                    target
                        .args
                        .push(arg.unwrap_or_else(|| Builder::new(func, front).constant(ty, u64::MAX)));
                }
            }
            func.inst_mut(last).data = data;
        }
    }

    /// Before a copy to memory without a shadow: that some of what is copied was written.
    fn leaves(&mut self, func: &mut Function, block: Block, insts: &[Inst]) {
        let stored = |func: &Function, inst: Inst| match func.inst(inst).data {
            InstData::Store { value, address, .. } if func.is_copy(inst) && self.slot(address.base).is_none() => Some(value),
            _ => None,
        };
        if self.left.contains(&insts[0]) || stored(func, insts[0]).is_none() {
            return;
        }
        let place = func.place(insts[0]);
        let copy: Vec<(Inst, Value)> = insts
            .iter()
            .map_while(|&inst| Some((inst, stored(func, inst).filter(|_| func.place(inst) == place)?)))
            .collect();
        self.left.extend(copy.iter().map(|&(inst, _)| inst));
        let shadows: Option<Vec<Value>> = copy.iter().map(|(_, value)| self.values.get(value).copied()).collect();
        let slot = copy.iter().find_map(|&(_, value)| match func.def_data(value) {
            Some(&InstData::Load { address, .. }) => self.slot(address.base),
            _ => None,
        });
        let (Some(shadows), Some(slot)) = (shadows, slot) else { return };
        let first = func.counts().1;
        let mut b = Builder::new(func, block);
        let any = shadows
            .into_iter()
            .map(|shadow| b.convert(ConvertOp::ZExt, Elem::I64, shadow))
            .collect::<Vec<_>>();
        let any = any.into_iter().reduce(|any, shadow| b.or(any, shadow)).expect("a copy has a part");
        let ok = b.icmp_imm(IntCc::Ne, any, 0);
        written(&mut b, ok, slot);
        func.inherit_place(insts[0], first);
    }

    fn rewrite(&mut self, func: &mut Function, block: Block, inst: Inst) {
        let first = func.counts().1;
        let data = func.inst(inst).data.clone();
        match data {
            InstData::Binary { op, args: [a, b] } => {
                func.block_mut(block).insts.push(inst);
                let result = func.result(inst);
                if self.slot(result).is_some() {
                    let (pointer, more) = if self.slot(a).is_some() { (a, b) } else { (b, a) };
                    let mut b = Builder::new(func, block);
                    let distance = match (self.distances.get(&pointer), op) {
                        (None, BinaryOp::Add) => more,
                        (known, op) => {
                            let known = known.copied().unwrap_or_else(|| b.i64(0));
                            b.binary(op, known, more)
                        }
                    };
                    self.distances.insert(result, distance);
                }
            }
            InstData::Load { ty, address, mem, .. } => {
                if let Some(slot) = self.slot(address.base)
                    && let Some(elem) = Elem::int(ty.elem.bits())
                    && let Some(address) = self.shadow(func, block, &address, elem.bytes().into(), false)
                {
                    let result = func.result(inst);
                    let mut b = Builder::new(func, block);
                    let shadow = b.load(Type::scalar(elem), address, plain(mem));
                    self.values.insert(result, shadow);
                    if self.reads.is_read(result) {
                        let ok = b.icmp_imm(IntCc::Eq, shadow, -1);
                        match self.vectors.contains(&result) && !self.reads.is_observed(result) {
                            true => drop(self.written.insert(result, ok)),
                            false => written(&mut b, ok, slot),
                        }
                    }
                }
                func.inherit_place(inst, first);
                func.block_mut(block).insts.push(inst);
            }
            InstData::Store { value, address, mem, .. } => {
                func.block_mut(block).insts.push(inst);
                if let Some(elem) = Elem::int(func.ty(value).elem.bits())
                    && let Some(address) = self.shadow(func, block, &address, elem.bytes().into(), true)
                {
                    let ty = Type::scalar(elem);
                    let mut b = Builder::new(func, block);
                    let known = self.values.get(&value).copied().filter(|&shadow| b.ty(shadow) == ty);
                    let mut shadow = known.unwrap_or_else(|| b.constant(ty, u64::MAX));
                    if let Some(&ok) = self.written.get(&value) {
                        let none = b.constant(ty, 0);
                        shadow = b.select(ok, shadow, none);
                    }
                    b.store(shadow, address, plain(mem));
                }
            }
            InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            } => {
                func.block_mut(block).insts.push(inst);
                let Some(count) = func.constant(bytes).filter(|&count| count <= SHADOWED.into()) else {
                    return;
                };
                let Some(target) = self.shadow(func, block, &Address::base(to), count, true) else {
                    return;
                };
                match self.shadow(func, block, &Address::base(from), count, false) {
                    Some(source) => {
                        let mut b = Builder::new(func, block);
                        let [to, from] = [target, source].map(|address| b.binary_imm(BinaryOp::Add, address.base, address.offset.into()));
                        b.push(InstData::Copy {
                            to,
                            from,
                            bytes,
                            to_mem: plain(to_mem),
                            from_mem: plain(from_mem),
                        });
                    }
                    None => fill(&mut Builder::new(func, block), target, count, Space::Private),
                }
            }
            _ => func.block_mut(block).insts.push(inst),
        }
        self.compute(func, block, inst);
    }

    /// What is computed of components was written if they were.
    fn compute(&mut self, func: &mut Function, block: Block, inst: Inst) {
        let data = &func.inst(inst).data;
        if !data.is_pure() {
            return;
        }
        let mut parts = Vec::new();
        data.for_each_operand(|value| parts.extend(self.written.get(value)));
        let result = func.inst(inst).results.first().copied();
        let mut b = Builder::new(func, block);
        let all = parts.into_iter().reduce(|all, part| b.and(all, part));
        if let (Some(result), Some(all)) = (result, all) {
            self.written.insert(result, all);
        }
    }
}

/// Notes that what is read of a variable was written.
fn written(b: &mut Builder, ok: Value, slot: Slot) {
    let ok = b.convert(ConvertOp::MaskToInt, Elem::I32, ok);
    let slot = b.i32(slot.as_u32() as i32);
    b.push(InstData::CallRuntime {
        routine: Runtime::Written,
        args: ValueList::from_slice(&[ok, slot]),
    });
}

/// An access to a shadow like that to its variable.
fn plain(mem: MemInfo) -> MemInfo {
    MemInfo::new(Space::Private, mem.align.bytes().min(8))
}
