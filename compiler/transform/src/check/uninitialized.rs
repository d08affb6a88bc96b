//! Private variables are written before they are read.
//!
//! Each variable has a shadow of its size: a store of a value sets the bytes of the shadow to ones, a load compares them. Shadows are private memory
//! as well, so that they become values, and mostly constants, with their variables. What is only copied is not read: the copy's shadow becomes that of
//! the original, as with vectors of which a component is set. Variables whose addresses go elsewhere are left alone.

use super::written::fill;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger variables are left alone: their shadows would be cleared by as many stores at the start.
const LARGEST: u32 = 2048;

/// Copies of more bytes from elsewhere are not followed.
const LARGEST_COPY: u64 = 512;

/// Gives variables their shadows, and puts [`Runtime::Written`] before loads.
pub fn run(func: &mut Function) {
    let Some(origins) = &func.origins else { return };
    let named: Vec<Slot> = func.slots.keys().filter(|&slot| origins.variables[slot].is_some()).collect();
    let pointers = Pointers::follow(func, &named);
    let mut shadows = Shadows {
        slots: FxHashMap::default(),
        mirrors: FxHashMap::default(),
        values: FxHashMap::default(),
        pointers,
    };
    let front = func.add_detached_block();
    for slot in named {
        let size = func.slots[slot].size.next_multiple_of(8);
        if shadows.pointers.escaped.contains(&slot) || size > LARGEST {
            continue;
        }
        let shadow = func.slots.push(SlotData { size, align: 8 });
        let mut b = Builder::new(func, front);
        let address = b.slot_address(shadow);
        let zero = b.i64(0);
        for offset in (0..size).step_by(8) {
            b.store(zero, Address::offset(address, offset as i32), MemInfo::new(Space::Private, 8));
        }
        shadows.slots.insert(slot, address);
    }
    if shadows.slots.is_empty() {
        return;
    }
    // What is copied comes behind what it is a copy of.
    for block in cfg::reverse_postorder(func) {
        for inst in func.take_insts(block) {
            shadows.rewrite(func, block, inst);
        }
    }
    super::move_to_front(func, front);
}

/// Pointers into variables.
struct Pointers {
    /// By pointer.
    leads_to: FxHashMap<Value, Slot>,
    /// Variables of which not every access is seen.
    escaped: Vec<Slot>,
    /// Loads whose values are read: not all of their uses are stores to variables.
    read: FxHashMap<Value, bool>,
    /// What is an operand somewhere.
    used: FxHashSet<Value>,
}

impl Pointers {
    fn follow(func: &Function, named: &[Slot]) -> Pointers {
        let mut found = Pointers {
            leads_to: FxHashMap::default(),
            escaped: Vec::new(),
            read: FxHashMap::default(),
            used: FxHashSet::default(),
        };
        for &inst in func.layout.iter().flat_map(|&block| &func.block(block).insts) {
            func.inst(inst).data.for_each_operand(|&value| {
                found.used.insert(value);
            });
        }
        // Blocks may stand before those that their operands come from.
        while found.extend(func, named) {}
        for &inst in func.layout.iter().flat_map(|&block| &func.block(block).insts) {
            found.uses(func, inst);
        }
        found
    }

    fn extend(&mut self, func: &Function, named: &[Slot]) -> bool {
        let before = self.leads_to.len();
        for &inst in func.layout.iter().flat_map(|&block| &func.block(block).insts) {
            let slot = match func.inst(inst).data {
                InstData::SlotAddress { slot } if named.contains(&slot) => Some(slot),
                InstData::Binary {
                    op: BinaryOp::Add,
                    args: [a, b],
                } => match (self.leads_to.get(&a), self.leads_to.get(&b)) {
                    (Some(&slot), None) | (None, Some(&slot)) => Some(slot),
                    _ => None,
                },
                _ => None,
            };
            if let Some(slot) = slot {
                self.leads_to.insert(func.result(inst), slot);
            }
        }
        self.leads_to.len() > before
    }

    fn uses(&mut self, func: &Function, inst: Inst) {
        let data = &func.inst(inst).data;
        let escape = |this: &mut Self, value: &Value| {
            if let Some(&slot) = this.leads_to.get(value) {
                this.escaped.push(slot);
            }
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
                if self.leads_to.contains_key(&address.base) {
                    // A copy, so far as this use goes.
                    self.read.entry(*value).or_insert(false);
                    return self.read_all(data, *value);
                }
            }
            InstData::Copy { to, from, bytes, .. } => {
                let is_small = func.constant(*bytes).is_some_and(|bytes| bytes <= LARGEST_COPY);
                if !is_small && !self.leads_to.contains_key(from) {
                    escape(self, to);
                }
                if func.constant(*bytes).is_none() {
                    escape(self, to);
                    escape(self, from);
                }
            }
            InstData::Binary { op: BinaryOp::Add, .. } if self.leads_to.contains_key(&func.result(inst)) => {}
            data => data.for_each_operand(|value| escape(self, value)),
        }
        // A parameter that nobody uses reads nothing.
        let mut handed_on = Vec::new();
        data.for_each_target(|target| {
            let params = func.block(target.block).params.iter().zip(&target.args);
            handed_on.extend(params.filter(|(param, _)| !self.used.contains(param)).map(|(_, &arg)| arg));
        });
        data.for_each_operand(|&value| {
            if !handed_on.contains(&value) {
                self.read.insert(value, true);
            }
        });
    }

    /// Operands other than the one that is copied are read.
    fn read_all(&mut self, data: &InstData, copied: Value) {
        data.for_each_operand(|&value| {
            if value != copied {
                self.read.insert(value, true);
            }
        });
    }
}

struct Shadows {
    /// Addresses of shadows.
    slots: FxHashMap<Slot, Value>,
    /// By pointer into a variable: the one into its shadow.
    mirrors: FxHashMap<Value, Value>,
    /// By loaded value: its shadow.
    values: FxHashMap<Value, Value>,
    pointers: Pointers,
}

impl Shadows {
    fn slot(&self, pointer: Value) -> Option<Slot> {
        self.pointers
            .leads_to
            .get(&pointer)
            .copied()
            .filter(|slot| self.slots.contains_key(slot))
    }

    fn mirror(&self, pointer: Value) -> Option<Value> {
        let slot = self.slot(pointer)?;
        Some(self.mirrors.get(&pointer).copied().unwrap_or(self.slots[&slot]))
    }

    fn rewrite(&mut self, func: &mut Function, block: Block, inst: Inst) {
        let first = func.counts().1;
        let data = func.inst(inst).data.clone();
        match data {
            InstData::Binary { args: [a, b], .. } => {
                func.block_mut(block).insts.push(inst);
                let result = func.result(inst);
                if self.slot(result).is_some()
                    && let Some((pointer, more)) = self
                        .mirror(a)
                        .map(|pointer| (pointer, b))
                        .or(self.mirror(b).map(|pointer| (pointer, a)))
                {
                    let mirror = Builder::new(func, block).add(pointer, more);
                    self.mirrors.insert(result, mirror);
                }
            }
            InstData::Load { ty, address, mem, .. } => {
                if let (Some(slot), Some(base)) = (self.slot(address.base), self.mirror(address.base))
                    && let Some(elem) = Elem::int(ty.elem.bits())
                {
                    let result = func.result(inst);
                    let mut b = Builder::new(func, block);
                    let shadow = b.load(Type::scalar(elem), Address { base, ..address }, plain(mem));
                    self.values.insert(result, shadow);
                    if self.pointers.read.get(&result) == Some(&true) {
                        let ok = b.icmp_imm(IntCc::Eq, shadow, -1);
                        let ok = b.convert(ConvertOp::MaskToInt, Elem::I32, ok);
                        let slot = b.i32(slot.as_u32() as i32);
                        b.push(InstData::CallRuntime {
                            routine: Runtime::Written,
                            args: ValueList::from_slice(&[ok, slot]),
                        });
                    }
                }
                func.inherit_place(inst, first);
                func.block_mut(block).insts.push(inst);
            }
            InstData::Store { value, address, mem, .. } => {
                func.block_mut(block).insts.push(inst);
                if let Some(base) = self.mirror(address.base)
                    && let Some(elem) = Elem::int(func.ty(value).elem.bits())
                {
                    let ty = Type::scalar(elem);
                    let mut b = Builder::new(func, block);
                    let known = self.values.get(&value).copied().filter(|&shadow| b.ty(shadow) == ty);
                    let shadow = known.unwrap_or_else(|| b.constant(ty, u64::MAX));
                    b.store(shadow, Address { base, ..address }, plain(mem));
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
                let Some(target) = self.mirror(to) else { return };
                match (self.mirror(from), func.constant(bytes)) {
                    (Some(source), _) => {
                        Builder::new(func, block).push(InstData::Copy {
                            to: target,
                            from: source,
                            bytes,
                            to_mem: plain(to_mem),
                            from_mem: plain(from_mem),
                        });
                    }
                    (None, Some(bytes)) => fill(&mut Builder::new(func, block), Address::base(target), bytes, Space::Private),
                    (None, None) => {}
                }
            }
            _ => func.block_mut(block).insts.push(inst),
        }
    }
}

/// An access to a shadow like that to its variable.
fn plain(mem: MemInfo) -> MemInfo {
    MemInfo::new(Space::Private, mem.align.bytes().min(8))
}
