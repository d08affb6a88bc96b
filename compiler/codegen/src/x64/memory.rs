//! Loads, stores and copies of consecutive memory. Gathers are in [`super::gather`], scatters in [`super::scatter`].
//!
//! A lane that is off never touches its memory: masked moves where the machine has them, else a test for all lanes being on and a loop
//! over those that are; a scalar access goes to the worker's scratch line instead.

use super::build::{Alu, Shift};
use super::encode::{Imm, Size};
use super::machine::{Amode, Base, Cc, Label, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use cranelift_entity::SecondaryMap;
use ir::{Address, Elem, Function, InstData, IntCc, MemFlags, MemInfo, Runtime, Slot, Type, Value};
use regalloc2::{RegClass, VReg};
use target::costs::code_size::{COPIED_BYTES, LANES};

/// The least that memory is protected by.
pub const PAGE: u32 = 4096;
/// Where each of a function's slots is, and how many bytes they take, in memory that is aligned to `align`.
pub fn lay_out_slots(func: &Function, align: u32) -> (SecondaryMap<Slot, u32>, u32) {
    let (mut places, mut end) = (SecondaryMap::new(), 0u32);
    for (slot, data) in func.slots.iter() {
        places[slot] = end.next_multiple_of(data.align.min(align));
        end = places[slot] + data.size;
    }
    (places, end.next_multiple_of(align))
}

impl Selector<'_> {
    /// Base and index have one lane each.
    pub fn is_consecutive(&self, address: &Address) -> bool {
        !self.func.ty(address.base).is_vector() && address.index.is_none_or(|index| !self.func.ty(index).is_vector())
    }

    /// The address of a scalar or consecutive access.
    pub fn amode(&mut self, address: &Address) -> Amode {
        let slot = self.slot(address.base);
        let base = slot.unwrap_or_else(|| Amode::reg(self.scalar(address.base), 0));
        let index = address.index.map(|index| {
            let elem = self.func.ty(index).elem;
            let reg = self.scalar(index);
            match self.fills_64(index) {
                true => reg,
                false => self.extended_to_64(elem, true, reg),
            }
        });
        self.scaled(base, index, address)
    }

    /// An integer of 32 bits, not negative, whose register has zeros above it: it is the same in 64.
    pub fn fills_64(&self, value: Value) -> bool {
        match self.func.def_data(value) {
            Some(InstData::Binary {
                op: ir::BinaryOp::And,
                args,
            }) if self.func.ty(value) == Type::I32 => args.iter().any(|&arg| self.func.signed_constant(arg).is_some_and(|bits| bits >= 0)),
            _ => false,
        }
    }

    /// Where a slot is in the frame, if the value is a slot's address.
    pub fn slot(&self, value: Value) -> Option<Amode> {
        match self.func.def_data(value)? {
            InstData::SlotAddress { slot } => Some(Amode::new(Base::Buffer, self.slots[*slot] as i32)),
            _ => None,
        }
    }

    /// Base, a 64-bit index, and the rest of an address.
    pub fn scaled(&mut self, base: Amode, index: Option<VReg>, address: &Address) -> Amode {
        let index = index.map(|index| match address.scale {
            scale @ (1 | 2 | 4 | 8) => (index, scale.ilog2() as u8),
            scale => match self.scaled_indices.get(&(index, scale)) {
                Some(&product) => (product, 0),
                None => {
                    let product = self.index_times(index, scale);
                    self.scaled_indices.insert((index, scale), product);
                    (product, 0)
                }
            },
        });
        Amode {
            base: base.base,
            index,
            disp: base.disp + address.offset,
        }
    }

    fn index_times(&mut self, index: VReg, scale: u32) -> VReg {
        if scale.is_power_of_two() {
            return self.c.shift_i(Shift::Shl, Size::Q, index, scale.ilog2() as u8);
        }
        match i32::try_from(scale) {
            Ok(scale) => self.c.imul_i(Size::Q, index, scale),
            Err(_) => {
                let by = self.c.constant(u64::from(scale));
                self.scalar_int_binary(ir::BinaryOp::Mul, Elem::I64, index, super::scalar::Operand2::Reg(by))
            }
        }
    }

    /// So many bytes on.
    pub fn plus(&mut self, mem: Amode, bytes: u32) -> Amode {
        match mem.disp.checked_add_unsigned(bytes) {
            Some(disp) => Amode { disp, ..mem },
            None => {
                let reg = self.c.lea(mem);
                let by = self.c.constant(u64::from(bytes));
                let reg = self.c.alu(Alu::Add, Size::Q, reg, by);
                Amode::reg(reg, 0)
            }
        }
    }

    /// The address if the flags say so, else the scratch line. What sets the flags is emitted by `test`.
    pub fn or_scratch(&mut self, mem: Amode, test: impl FnOnce(&mut Self) -> Cc) -> Amode {
        let address = self.c.lea(mem);
        let scratch = self.scratch();
        let cc = test(self);
        let chosen = self.c.cmov(cc, Size::Q, address, scratch);
        Amode::reg(chosen, 0)
    }

    /// The address if a scalar mask is true, else the scratch line.
    fn or_scratch_by(&mut self, mem: Amode, mask: Value) -> Amode {
        self.or_scratch(mem, |s| s.condition(mask))
    }

    /// Loads a scalar; a mask from a byte.
    pub fn load_scalar(&mut self, elem: Elem, mem: Amode) -> VReg {
        let value = self.load_scalar_bits(elem, mem);
        if elem != Elem::Mask {
            return value;
        }
        self.c.test(Size::D, value, value);
        self.c.setcc(Cc::Ne)
    }

    /// The same, a mask's byte as it is.
    pub fn load_scalar_bits(&mut self, elem: Elem, mem: Amode) -> VReg {
        match elem {
            Elem::F32 => self.c.v2(&ops::VMOVSS, Size::X, mem),
            Elem::F64 => self.c.v2(&ops::VMOVSD, Size::X, mem),
            _ => self.c.load_int(elem.bytes(), mem),
        }
    }

    /// Stores a scalar.
    pub fn store_scalar(&mut self, elem: Elem, value: VReg, mem: Amode) {
        match elem {
            Elem::F32 => self.c.v_store(&ops::VMOVSS_RM, Size::X, value, mem),
            Elem::F64 => self.c.v_store(&ops::VMOVSD_RM, Size::X, value, mem),
            _ => self.c.store_int(elem.bytes(), value, mem),
        }
    }

    /// The mask of a memory operation, if it may be false anywhere.
    pub fn real_mask(&self, mask: Option<Value>) -> Option<Value> {
        mask.filter(|&mask| self.func.constant(mask) != Some(1))
    }

    /// [`InstData::Load`].
    pub fn load(&mut self, ty: Type, address: &Address, mask: Option<Value>, passthru: Option<Value>, mem: &MemInfo) -> Parts {
        let mask = self.real_mask(mask);
        let needed = mask.filter(|_| !mem.flags.contains(MemFlags::DEREFERENCEABLE));
        if !self.is_consecutive(address) && ty.is_vector() {
            if !mem.is_volatile()
                && let Some(strided) = self.strided_load(ty, address, needed.is_some())
            {
                let loaded = self.load_strided(ty, &strided, needed);
                return self.with_passthru(loaded, mask, passthru);
            }
            if let Some(needed) = needed
                && self.gathers_around(ty, mem)
            {
                let loaded = self.gather_around(ty, address, needed);
                return self.with_passthru(loaded, mask, passthru);
            }
            return self.gather(ty, address, needed, mask, passthru);
        }
        let place = self.amode(address);
        let loaded = match needed {
            _ if !ty.is_vector() => {
                let place = match needed {
                    Some(mask) => self.or_scratch_by(place, mask),
                    None => place,
                };
                let value = self.load_scalar(ty.elem, place);
                Parts::scalar(ty, value)
            }
            None => self.load_vector(ty, place),
            Some(mask) if self.c.target.masks => return self.load_under_mask(ty, place, mask, passthru),
            Some(mask) if self.has_masked_moves(ty) => self.load_by_mask(ty, place, mask),
            Some(mask) => return self.load_active_lanes(ty, place, mask, passthru),
        };
        self.with_passthru(loaded, mask, passthru)
    }

    /// What was loaded where the mask is true, else the lanes of `passthru`.
    pub fn with_passthru(&mut self, loaded: Parts, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        let (Some(mask), Some(passthru)) = (mask, passthru) else {
            return loaded;
        };
        let passthru = match loaded.ty.elem {
            Elem::Mask => self.get_mask(passthru, loaded.bytes),
            _ => self.get(passthru),
        };
        let mask = self.get_mask(mask, loaded.bytes);
        self.select_parts(&mask, &loaded, &passthru)
    }

    /// Lanes of 32 and 64 bits can be loaded and stored under a mask.
    fn has_masked_moves(&self, ty: Type) -> bool {
        ty.elem != Elem::Mask && ty.elem.bytes() >= 4
    }

    /// Loads consecutive lanes.
    pub fn load_vector(&mut self, ty: Type, place: Amode) -> Parts {
        if ty.elem == Elem::Mask {
            let bytes = self.load_parts(ty.with_elem(Elem::I8), place);
            let zero = self.constant(bytes.ty, 0);
            return self.compare_ints(IntCc::Ne, &bytes, &zero.sources());
        }
        self.load_parts(ty, place)
    }

    fn load_by_mask(&mut self, ty: Type, place: Amode, mask: Value) -> Parts {
        let bytes = ty.elem.bytes();
        let mask = self.get_mask(mask, bytes);
        let op = if bytes == 4 { &ops::VMASKMOVPS } else { &ops::VMASKMOVPD };
        let size = mask.size();
        let regs: Registers = (0..mask.regs.len() as u32)
            .map(|part| {
                let from = self.plus(place, part * size.bytes());
                self.c.v3(op, size, mask.regs[part as usize], from)
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// Stores consecutive lanes.
    pub fn store_vector(&mut self, value: &Parts, place: Amode) {
        if value.ty.elem == Elem::Mask {
            let bytes = self.mask_as_bytes(value);
            return self.store_vector(&bytes, place);
        }
        let size = value.size();
        match u32::from(value.ty.lanes) * value.bytes {
            4 => self.c.v_store(&ops::VMOVSS_RM, Size::X, value.regs[0], place),
            8 => self.c.v_store(&ops::VMOVSD_RM, Size::X, value.regs[0], place),
            _ => {
                for (index, &part) in value.regs.iter().enumerate() {
                    let to = self.plus(place, size.bytes() * index as u32);
                    self.c.v_store(&ops::VMOVUPS_RM, size, part, to);
                }
            }
        }
    }

    /// An address without an index, so that one can be added.
    pub fn as_register(&mut self, place: Amode) -> Amode {
        match place.index {
            None => place,
            Some(_) => Amode::reg(self.c.lea(place), 0),
        }
    }

    /// [`InstData::Store`].
    pub fn store(&mut self, value: Value, address: &Address, mask: Option<Value>, mem: &MemInfo) {
        let ty = self.func.ty(value);
        let mask = self.real_mask(mask);
        if !ty.is_vector() {
            let mut place = self.amode(address);
            if let Some(mask) = mask {
                place = self.or_scratch_by(place, mask);
            }
            if let Some(bits) = self.func.constant(value) {
                return self.store_constant(ty.elem, bits, place);
            }
            let value = self.scalar(value);
            return self.store_scalar(ty.elem, value, place);
        }
        let value = self.get(value);
        if !self.is_consecutive(address) {
            if !mem.is_volatile()
                && let Some(strided) = self.strided_store(ty, address, mask.is_some())
            {
                return self.store_strided(&value, &strided, mask);
            }
            return self.scatter(&value, address, mask);
        }
        let place = self.amode(address);
        match mask {
            None if self.streams && mem.flags.contains(MemFlags::NONTEMPORAL) => self.store_past_caches(&value, place),
            None => self.store_vector(&value, place),
            Some(mask) => {
                let mask = self.get(mask);
                self.store_masked(&value, &mask, place, mem);
            }
        }
    }

    fn store_constant(&mut self, elem: Elem, bits: u64, place: Amode) {
        let signed = ir::eval::signed(elem, bits);
        let (op, size, imm) = match elem.bytes() {
            1 => (&ops::MOV_I8, Size::B, Imm::I8(bits as u8)),
            2 => (&ops::MOV_I32, Size::W, Imm::I16(bits as u16)),
            4 => (&ops::MOV_I32, Size::D, Imm::I32(bits as i32)),
            _ => match i32::try_from(signed) {
                Ok(imm) => (&ops::MOV_I32, Size::Q, Imm::I32(imm)),
                Err(_) => {
                    let value = self.c.constant(bits);
                    return self.c.store_int(8, value, place);
                }
            },
        };
        self.c.machine(op, size, R::Digit(0), R::No, RmOf::Mem(place), imm);
    }

    fn store_masked(&mut self, value: &Parts, mask: &Parts, place: Amode, mem: &MemInfo) {
        if mask.in_mask_register() {
            return self.store_under_mask(value, mask, place);
        }
        if mem.flags.contains(MemFlags::OWNED) && value.ty.elem != Elem::Mask {
            return self.store_chosen(value, mask, place);
        }
        let place = self.as_register(place);
        let known = self.known_masks.clone();
        let cc = self.test_all(mask);
        let [fast, slow, done] = self.fork(cc);

        self.continue_in(fast);
        self.store_vector(value, place);
        self.c.jump(done, &[]);

        self.continue_in(slow);
        let few = u32::from(value.ty.lanes) <= LANES;
        if self.has_masked_moves(value.ty) && (self.c.target.masked_stores || !few) {
            let mask = self.mask(mask, value.bytes);
            let (op, size) = (
                if value.bytes == 4 {
                    &ops::VMASKMOVPS_RM
                } else {
                    &ops::VMASKMOVPD_RM
                },
                value.size(),
            );
            for part in 0..value.regs.len() {
                let to = self.plus(place, size.bytes() * part as u32);
                let (value, mask) = (value.regs[part], mask.regs[part]);
                self.c.machine(op, size, R::Use(value), R::Use(mask), RmOf::Mem(to), Imm::No);
            }
        } else if few && value.ty.elem != Elem::Mask {
            let bits = self.mask_bits(mask);
            self.store_lanes(value, Some(bits), |s, lane| s.plus(place, lane * value.bytes));
        } else {
            let in_memory = self.in_memory_form(value);
            let buffer = self.spill(&in_memory, 0);
            let bits = self.mask_bits(mask);
            let elem = value.ty.elem;
            self.for_each_active_lane(bits, |s, lane| {
                let from = Amode::lane(buffer, lane, elem.bytes());
                let value = s.load_scalar(elem, from);
                let to = Amode::lane(place, lane, elem.bytes());
                s.store_scalar(elem, value, to);
            });
        }
        self.c.jump(done, &[]);
        self.meet_in(done, known);
    }

    /// Stores all lanes if some are on: those that are off get what they have.
    fn store_chosen(&mut self, value: &Parts, mask: &Parts, place: Amode) {
        let (some, done) = (self.c.block(), self.c.block());
        let place = self.as_register(place);
        let bits = self.mask_bits(mask);
        self.c.test(Size::D, bits, bits);
        self.c.branch(Cc::Ne, (some, &[]), (done, &[]));

        self.continue_in(some);
        let before = self.load_vector(value.ty, place);
        let mask = self.mask(mask, value.bytes);
        let chosen = self.select_parts(&mask, value, &before);
        self.store_vector(&chosen, place);
        self.c.jump(done, &[]);
        self.continue_in(done);
    }

    /// A loop over the lanes whose bits are on; `body` gets the lane as 64 bits.
    pub fn for_each_active_lane(&mut self, bits: VReg, body: impl FnOnce(&mut Self, VReg)) {
        let (iteration, done) = (self.c.block(), self.c.block());
        let rest = self.c.param(iteration, RegClass::Int);
        self.c.test(Size::D, bits, bits);
        self.c.branch(Cc::Ne, (iteration, &[bits]), (done, &[]));
        self.continue_in(iteration);
        let lane = self.c.g2(&ops::TZCNT, Size::D, rest);
        body(self, lane);
        let next = self.c.without_lowest_bit(Size::D, rest);
        self.c.test(Size::D, next, next);
        self.c.branch(Cc::Ne, (iteration, &[next]), (done, &[]));
        self.continue_in(done);
    }

    /// A piece of the function's buffer, which grows as needed, behind its slots. What is there lasts within one instruction.
    pub fn buffer(&mut self, offset: u32, bytes: u32) -> Amode {
        let offset = self.slots_bytes + offset;
        self.c.buffer_bytes = self.c.buffer_bytes.max(offset + bytes);
        Amode::new(Base::Buffer, offset as i32)
    }

    /// Writes a vector's registers into the buffer, from `offset` on, for lanes to be read from there at once.
    pub fn spill(&mut self, parts: &Parts, offset: u32) -> Amode {
        let start = self.buffer(offset, parts.size().bytes() * parts.regs.len() as u32);
        self.spill_to(parts, start);
        start
    }

    /// Writes a vector's registers to a place for its lanes to be read from there.
    pub fn spill_to(&mut self, parts: &Parts, start: Amode) {
        let size = parts.size();
        for (index, &part) in parts.regs.iter().enumerate() {
            let to = self.plus(start, size.bytes() * index as u32);
            if size == Size::Z {
                // Sapphire Rapids forwards nothing of the upper half of a longer store to a load: that waits until the store is in the
                // cache.
                self.c.v_store(&ops::VMOVUPS_RM, Size::Y, part, to);
                let upper = self.plus(to, Size::Y.bytes());
                self.c.v_store_half(part, upper);
            } else {
                self.c.v_store(&ops::VMOVUPS_RM, size, part, to);
            }
        }
    }

    /// Reads a vector's registers from the buffer.
    pub fn reload(&mut self, ty: Type, bytes: u32, offset: u32) -> Parts {
        let size = self.part_size(ty.lanes, bytes);
        let count = self.part_count(ty.lanes, bytes) as u32;
        let start = self.buffer(offset, size.bytes() * count);
        let regs: Registers = (0..count)
            .map(|index| {
                let from = self.plus(start, size.bytes() * index);
                self.c.v2(&ops::VMOVUPS, size, from)
            })
            .collect();
        Parts::new(ty, bytes, regs)
    }

    /// [`InstData::Copy`].
    pub fn copy(&mut self, to: Value, from: Value, bytes: Value) {
        let constant = self.func.constant(bytes).filter(|&bytes| bytes <= COPIED_BYTES);
        let (to, from) = (self.scalar(to), self.scalar(from));
        let Some(total) = constant else {
            let bytes = self.scalar(bytes);
            let address = Runtime::Memcpy.address() as u64;
            let args = [to, from, bytes].map(|arg| (Type::I64, arg));
            self.call_address(address, &args, None);
            return;
        };
        // All is read before any is written, so that source and destination may be the same.
        let mut pieces = Vec::new();
        let mut at = 0;
        for size in [Size::Y, Size::X, Size::Q, Size::D, Size::W, Size::B] {
            let step = u64::from(size.bytes());
            while total - at >= step {
                let mem = Amode::reg(from, at as i32);
                let piece = match size {
                    Size::X | Size::Y => self.c.v2(&ops::VMOVUPS, size, mem),
                    _ => self.c.load_int(size.bytes(), mem),
                };
                pieces.push((at as i32, size, piece));
                at += step;
            }
        }
        for (at, size, piece) in pieces {
            let mem = Amode::reg(to, at);
            match size {
                Size::X | Size::Y => self.c.v_store(&ops::VMOVUPS_RM, size, piece, mem),
                _ => self.c.store_int(size.bytes(), piece, mem),
            }
        }
    }

    /// Blocks for something that is done in one of two ways: where all is well, where it is not, and where both meet.
    pub fn fork(&mut self, cc: Cc) -> [Label; 3] {
        let (fast, slow, done) = (self.c.block(), self.c.block(), self.c.block());
        self.c.branch(cc, (fast, &[]), (slow, &[]));
        self.c.set_cold(slow);
        [fast, slow, done]
    }
}
