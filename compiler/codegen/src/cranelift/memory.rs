//! Loads, stores and copies.
//!
//! A lane that is off never touches its memory: where lanes are accessed one by one it is given the worker's scratch line instead; an
//! access to consecutive memory tests once whether all lanes are on, and otherwise goes lane by lane over those that are.

use super::emit::Emitter;
use super::values::{Parts, Registers, part_count, part_type, scalar_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, types};
use ir::{Address, Elem, MemFlags, MemInfo, Runtime, Slot, SlotData, Type, Value};
use target::costs::code_size::COPIED_BYTES;

/// An address in machine terms: a scalar, and a number of bytes behind it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The scalar.
    pub base: clif::Value,
    /// The number of bytes.
    pub offset: i32,
}

impl Place {
    /// So many bytes on; `None` if the number gets too large.
    fn plus(self, bytes: u32) -> Option<Place> {
        Some(Place {
            base: self.base,
            offset: self.offset.checked_add_unsigned(bytes)?,
        })
    }
}

/// What a lane of 4 or 8 bytes at the low end of a register is loaded and stored as, and the register.
fn low_types(bytes: u32) -> (clif::Type, clif::Type) {
    match bytes {
        4 => (types::F32, types::F32X4),
        _ => (types::F64, types::F64X2),
    }
}

impl Emitter<'_> {
    /// Cranelift's flags for an access. A volatile access may trap as far as Cranelift knows, so it is not dropped.
    pub fn flags(mem: &MemInfo) -> MemFlagsData {
        if mem.flags.contains(MemFlags::VOLATILE) {
            return MemFlagsData::new();
        }
        let flags = MemFlagsData::new().with_notrap();
        if mem.flags.contains(MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE) {
            return flags.with_readonly().with_can_move();
        }
        flags
    }

    /// Base and index have one lane each.
    fn is_consecutive(&self, address: &Address) -> bool {
        !self.func.ty(address.base).is_vector() && address.index.is_none_or(|index| !self.func.ty(index).is_vector())
    }

    /// The address of one lane, or of a consecutive access.
    pub fn place(&mut self, address: &Address, lane: u32) -> Place {
        let base = self.get(address.base);
        let mut base = self.lane(&base, lane);
        if let Some(index) = address.index {
            let index = self.get(index);
            let mut index = self.lane(&index, lane);
            if self.b.func.dfg.value_type(index) != types::I64 {
                index = self.ins().sextend(types::I64, index);
            }
            let scaled = match address.scale {
                1 => index,
                scale if scale.is_power_of_two() => self.ins().ishl_imm_u(index, i64::from(scale.ilog2())),
                scale => self.ins().imul_imm_u(index, i64::from(scale)),
            };
            base = self.ins().iadd(base, scaled);
        }
        Place {
            base,
            offset: address.offset,
        }
    }

    /// A place further on.
    pub fn place_plus(&mut self, place: Place, bytes: u32) -> Place {
        place.plus(bytes).unwrap_or_else(|| {
            let base = self.ins().iadd_imm_s(place.base, i64::from(place.offset) + i64::from(bytes));
            Place { base, offset: 0 }
        })
    }

    /// The place if `on`, else the scratch line. `on` is an integer that is not 0 where the lane is on.
    pub fn place_or_scratch(&mut self, place: Place, on: clif::Value) -> Place {
        let address = match place.offset {
            0 => place.base,
            offset => self.ins().iadd_imm_s(place.base, i64::from(offset)),
        };
        let scratch = self.scratch;
        let base = self.ins().select(on, address, scratch);
        Place { base, offset: 0 }
    }

    /// Bit `lane` of a mask's bits, as an integer that is 0 or not.
    pub fn bit(&mut self, bits: clif::Value, lane: u32) -> clif::Value {
        self.ins().band_imm_u(bits, 1i64 << lane)
    }

    /// Loads a scalar; a mask from a byte.
    pub fn load_scalar(&mut self, elem: Elem, flags: MemFlagsData, place: Place) -> clif::Value {
        let value = self.ins().load(scalar_type(elem), flags, place.base, place.offset);
        match elem {
            Elem::Mask => self.ins().icmp_imm_s(IntCC::NotEqual, value, 0),
            _ => value,
        }
    }

    /// [`ir::InstData::Load`].
    pub fn load(&mut self, ty: Type, address: &Address, mask: Option<Value>, passthru: Option<Value>, mem: &MemInfo) -> Parts {
        let flags = Self::flags(mem);
        let mask = mask.filter(|&mask| self.func.constant(mask) != Some(1));
        let always = mem.flags.contains(MemFlags::DEREFERENCEABLE);
        let loaded = match (mask.filter(|_| !always), self.is_consecutive(address)) {
            _ if !ty.is_vector() => {
                let mut place = self.place(address, 0);
                if let Some(mask) = mask.filter(|_| !always) {
                    let on = self.scalar(mask);
                    place = self.place_or_scratch(place, on);
                }
                let value = self.load_scalar(ty.elem, flags, place);
                Parts::scalar(ty, value)
            }
            (None, true) => {
                let place = self.place(address, 0);
                self.load_vector(ty, flags, place)
            }
            (Some(mask), true) => return self.load_masked(ty, address, mask, passthru, flags),
            (mask, false) => {
                let bits = mask.map(|mask| {
                    let mask = self.get(mask);
                    self.mask_bits(&mask)
                });
                let mut lanes = Vec::new();
                for lane in 0..u32::from(ty.lanes) {
                    let mut place = self.place(address, lane);
                    if let Some(bits) = bits {
                        let on = self.bit(bits, lane);
                        place = self.place_or_scratch(place, on);
                    }
                    lanes.push(self.load_scalar(ty.elem, flags, place));
                }
                self.join_lanes(ty, &lanes)
            }
        };
        match (mask, passthru) {
            (Some(mask), Some(passthru)) => {
                let passthru = match ty.elem {
                    Elem::Mask => self.get_mask(passthru, loaded.bytes),
                    _ => self.get(passthru),
                };
                let mask = self.get_mask(mask, loaded.bytes);
                self.select_parts(&mask, &loaded, &passthru)
            }
            _ => loaded,
        }
    }

    /// Loads consecutive lanes.
    pub fn load_vector(&mut self, ty: Type, flags: MemFlagsData, place: Place) -> Parts {
        if ty.elem == Elem::Mask {
            let bytes = self.load_vector(ty.with_elem(Elem::I8), flags, place);
            let zero = self.constant(bytes.ty, 0);
            return self.compare_ints(ir::IntCc::Ne, &bytes, &zero);
        }
        let bytes = ty.elem.bytes();
        let part = part_type(ty.elem, bytes);
        let regs: Registers = match ty.bytes() {
            small @ (4 | 8) => {
                let value = self.load_low(small, flags, place);
                Registers::from_slice(&[self.cast(part, value)])
            }
            _ => (0..part_count(ty.lanes, bytes) as u32)
                .map(|index| {
                    let place = self.place_plus(place, 16 * index);
                    self.ins().load(part, flags, place.base, place.offset)
                })
                .collect(),
        };
        Parts::new(ty, bytes, regs)
    }

    /// Loads 4 or 8 bytes into the low end of a register; what is above is anything. As floats, so that they don't go through a general register.
    pub fn load_low(&mut self, bytes: u32, flags: MemFlagsData, place: Place) -> clif::Value {
        let (scalar, vector) = low_types(bytes);
        let value = self.ins().load(scalar, flags, place.base, place.offset);
        self.ins().scalar_to_vector(vector, value)
    }

    /// Stores the lowest 4 or 8 bytes of a register.
    pub fn store_low(&mut self, bytes: u32, value: clif::Value, flags: MemFlagsData, place: Place) {
        let value = self.cast(low_types(bytes).1, value);
        let value = self.ins().extractlane(value, 0);
        self.ins().store(flags, value, place.base, place.offset);
    }

    /// Stores consecutive lanes.
    pub fn store_vector(&mut self, value: &Parts, flags: MemFlagsData, place: Place) {
        if value.ty.elem == Elem::Mask {
            let bytes = self.mask(value, 1);
            let ones = self.map(&bytes, |e, part| e.ins().ineg(part));
            return self.store_vector(&Parts::new(value.ty.with_elem(Elem::I8), 1, ones.regs), flags, place);
        }
        match u32::from(value.ty.lanes) * value.bytes {
            small @ (4 | 8) => self.store_low(small, value.regs[0], flags, place),
            _ => {
                for (index, &part) in value.regs.iter().enumerate() {
                    let place = self.place_plus(place, 16 * index as u32);
                    self.ins().store(flags, part, place.base, place.offset);
                }
            }
        }
    }

    fn load_masked(&mut self, ty: Type, address: &Address, mask: Value, passthru: Option<Value>, flags: MemFlagsData) -> Parts {
        let mask = self.get(mask);
        let place = self.place(address, 0);
        // In memory and in the registers that come out, a mask is bytes.
        let held = if ty.elem == Elem::Mask { ty.with_elem(Elem::I8) } else { ty };
        let passthru = match passthru {
            Some(passthru) => {
                let parts = self.get(passthru);
                self.in_memory_form(&parts)
            }
            None => self.constant(held, 0),
        };
        let (fast, slow, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let results: Registers = passthru
            .regs
            .iter()
            .map(|_| self.b.append_block_param(done, part_type(held.elem, held.elem.bytes())))
            .collect();
        let all = self.all_true(&mask);
        self.ins().brif(all, fast, &[], slow, &[]);
        self.b.set_cold_block(slow);

        self.continue_in(fast);
        let loaded = self.load_vector(ty, flags, place);
        let loaded = self.in_memory_form(&loaded);
        self.jump_with(done, &loaded);

        self.continue_in(slow);
        self.spill(&passthru, 0);
        let bits = self.mask_bits(&mask);
        let bytes = ty.elem.bytes();
        self.for_each_active_lane(bits, |e, lane| {
            let offset = e.ins().imul_imm_u(lane, i64::from(bytes));
            let from = e.ins().iadd(place.base, offset);
            let from = Place {
                base: from,
                offset: place.offset,
            };
            let value = e.load_scalar(ty.elem, flags, from);
            let value = if ty.elem == Elem::Mask { e.ins().ineg(value) } else { value };
            let buffer = e.buffer(0, 0);
            let to = e.ins().iadd(buffer, offset);
            e.ins().store(MemFlagsData::new().with_notrap(), value, to, 0);
        });
        let reloaded = self.reload(held, held.elem.bytes(), 0);
        self.jump_with(done, &reloaded);

        self.continue_in(done);
        Parts::new(ty, held.elem.bytes(), results)
    }

    /// Goes to a block with the registers of a value.
    pub fn jump_with(&mut self, block: clif::Block, parts: &Parts) {
        let arguments: Vec<clif::BlockArg> = parts.regs.iter().map(|&reg| reg.into()).collect();
        self.ins().jump(block, &arguments);
    }

    /// [`ir::InstData::Store`].
    pub fn store(&mut self, value: Value, address: &Address, mask: Option<Value>, mem: &MemInfo) {
        let flags = Self::flags(mem);
        let value = self.get(value);
        let mask = mask.filter(|&mask| self.func.constant(mask) != Some(1)).map(|mask| self.get(mask));
        if !value.ty.is_vector() {
            let mut place = self.place(address, 0);
            if let Some(mask) = mask {
                place = self.place_or_scratch(place, mask.regs[0]);
            }
            self.ins().store(flags, value.regs[0], place.base, place.offset);
            return;
        }
        if self.is_consecutive(address) {
            let place = self.place(address, 0);
            return match mask {
                None => self.store_vector(&value, flags, place),
                Some(mask) if mem.flags.contains(MemFlags::OWNED) && value.ty.elem != Elem::Mask => {
                    self.store_chosen(&value, &mask, flags, place);
                }
                Some(mask) => self.store_masked(&value, &mask, flags, place),
            };
        }
        let bits = mask.map(|mask| self.mask_bits(&mask));
        for lane in 0..u32::from(value.ty.lanes) {
            let mut place = self.place(address, lane);
            if let Some(bits) = bits {
                let on = self.bit(bits, lane);
                place = self.place_or_scratch(place, on);
            }
            let scalar = self.lane(&value, lane);
            self.ins().store(flags, scalar, place.base, place.offset);
        }
    }

    fn store_masked(&mut self, value: &Parts, mask: &Parts, flags: MemFlagsData, place: Place) {
        let (fast, slow, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let all = self.all_true(mask);
        self.ins().brif(all, fast, &[], slow, &[]);
        self.b.set_cold_block(slow);

        self.continue_in(fast);
        self.store_vector(value, flags, place);
        self.ins().jump(done, &[]);

        self.continue_in(slow);
        let in_memory = self.in_memory_form(value);
        let buffer = self.spill(&in_memory, 0);
        let bits = self.mask_bits(mask);
        let elem = value.ty.elem;
        self.for_each_active_lane(bits, |e, lane| {
            let offset = e.ins().imul_imm_u(lane, i64::from(elem.bytes()));
            let from = e.ins().iadd(buffer, offset);
            let value = e.load_scalar(elem, MemFlagsData::new().with_notrap(), Place { base: from, offset: 0 });
            let to = e.ins().iadd(place.base, offset);
            e.ins().store(flags, value, to, place.offset);
        });
        self.ins().jump(done, &[]);
        self.continue_in(done);
    }

    /// Stores all lanes if some are on: those that are off get what they have.
    fn store_chosen(&mut self, value: &Parts, mask: &Parts, flags: MemFlagsData, place: Place) {
        let (some, done) = (self.b.create_block(), self.b.create_block());
        let any = self.any_true(mask);
        self.ins().brif(any, some, &[], done, &[]);
        self.continue_in(some);
        let before = self.load_vector(value.ty, flags, place);
        let mask = self.mask(mask, value.bytes);
        let chosen = self.select_parts(&mask, value, &before);
        self.store_vector(&chosen, flags, place);
        self.ins().jump(done, &[]);
        self.continue_in(done);
    }

    /// A loop over the lanes whose bits are on; `body` gets the lane as an `i64`.
    pub fn for_each_active_lane(&mut self, bits: clif::Value, body: impl FnOnce(&mut Self, clif::Value)) {
        let (iteration, done) = (self.b.create_block(), self.b.create_block());
        let rest = self.b.append_block_param(iteration, types::I32);
        self.ins().brif(bits, iteration, &[bits.into()], done, &[]);
        self.continue_in(iteration);
        let lane = self.ins().ctz(rest);
        let lane = self.ins().uextend(types::I64, lane);
        body(self, lane);
        let below = self.ins().iadd_imm_s(rest, -1);
        let next = self.ins().band(rest, below);
        self.ins().brif(next, iteration, &[next.into()], done, &[]);
        self.continue_in(done);
    }

    /// Where a slot is in the frame.
    pub fn slot(&mut self, slot: Slot) -> clif::StackSlot {
        if let Some(place) = self.slots[slot].expand() {
            return place;
        }
        let SlotData { size, align } = self.func.slots[slot];
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, align.ilog2() as u8);
        let place = self.b.create_sized_stack_slot(data);
        self.slots[slot] = place.into();
        place
    }

    /// The address of a piece of the function's buffer, which grows as needed. What is there lasts within one instruction.
    pub fn buffer(&mut self, offset: u32, bytes: u32) -> clif::Value {
        let needed = (offset + bytes).next_multiple_of(16).max(64);
        let slot = match self.buffer {
            Some((slot, size)) => {
                if size < needed {
                    self.b.func.sized_stack_slots[slot].size = needed;
                    self.buffer = Some((slot, needed));
                }
                slot
            }
            None => {
                let slot = self
                    .b
                    .create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, needed, 4));
                self.buffer = Some((slot, needed));
                slot
            }
        };
        self.ins().stack_addr(types::I64, slot, offset as i32)
    }

    /// Writes a vector's registers into the buffer, from `offset` on.
    pub fn spill(&mut self, parts: &Parts, offset: u32) -> clif::Value {
        let start = self.buffer(offset, 16 * parts.regs.len() as u32);
        for (index, &part) in parts.regs.iter().enumerate() {
            self.ins().store(MemFlagsData::trusted(), part, start, 16 * index as i32);
        }
        start
    }

    /// Reads a vector's registers from the buffer.
    pub fn reload(&mut self, ty: Type, bytes: u32, offset: u32) -> Parts {
        let count = part_count(ty.lanes, bytes);
        let start = self.buffer(offset, 16 * count as u32);
        let part = part_type(ty.elem, bytes);
        let regs: Registers = (0..count)
            .map(|index| self.ins().load(part, MemFlagsData::trusted(), start, 16 * index as i32))
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// [`ir::InstData::Copy`].
    pub fn copy(&mut self, to: Value, from: Value, bytes: Value, to_mem: &MemInfo, from_mem: &MemInfo) {
        let constant = self.func.constant(bytes).filter(|&bytes| bytes <= COPIED_BYTES);
        let (to, from, bytes) = (self.scalar(to), self.scalar(from), self.scalar(bytes));
        let Some(total) = constant else {
            let address = Runtime::Memcpy.address() as u64;
            self.call_address(address, &[to, from, bytes], None);
            return;
        };
        // All is read before any is written, so that source and destination may be the same.
        let (to_flags, from_flags) = (Self::flags(to_mem), Self::flags(from_mem));
        let mut pieces = Vec::new();
        let mut at = 0;
        for (size, ty) in [
            (16, types::I8X16),
            (8, types::I64),
            (4, types::I32),
            (2, types::I16),
            (1, types::I8),
        ] {
            while total - at >= size {
                pieces.push((at as i32, self.ins().load(ty, from_flags, from, at as i32)));
                at += size;
            }
        }
        for (at, piece) in pieces {
            self.ins().store(to_flags, piece, to, at);
        }
    }
}
