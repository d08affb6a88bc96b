//! Loads and stores of consecutive records: vectors of the source, complex numbers, and the like.

use super::emit::Emitter;
use super::memory::Place;
use super::values::{Parts, Registers, part_type, scalar_type};
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};
use ir::{Address, Elem, MemInfo, Type, Value};

impl Emitter<'_> {
    /// [`ir::InstData::LoadInterleaved`].
    pub fn load_interleaved(&mut self, ty: Type, factor: usize, address: &Address, mask: Option<Value>, mem: &MemInfo) -> Vec<Parts> {
        let flags = Self::flags(mem);
        let mask = mask.filter(|&mask| self.func.constant(mask) != Some(1)).map(|mask| self.get(mask));
        let place = self.place(address, 0);
        let mask = match mask {
            Some(mask) if ty.is_vector() => mask,
            Some(mask) => {
                let place = self.place_or_scratch(place, mask.regs[0]);
                return self.load_records(ty, factor, flags, place);
            }
            None => return self.load_records(ty, factor, flags, place),
        };
        let (fast, slow, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let all = self.all_true(&mask);
        self.ins().brif(all, fast, &[], slow, &[]);
        self.b.set_cold_block(slow);

        self.continue_in(fast);
        let loaded = self.load_records(ty, factor, flags, place);
        let results: Vec<Parts> = loaded
            .iter()
            .map(|parts| self.map(parts, |e, _| e.b.append_block_param(done, parts.clif_type())))
            .collect();
        self.jump_with_all(done, &loaded);

        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let stride = loaded[0].regs.len() as u32 * 16;
        let zero = self.constant(ty.with_elem(ty.elem.in_memory()), 0);
        for field in 0..factor as u32 {
            self.spill(&zero, field * stride);
        }
        let bytes = ty.elem.bytes();
        self.for_each_active_lane(bits, |e, lane| {
            let record = e.record(place, lane, factor, bytes);
            for field in 0..factor as u32 {
                let from = e.place_plus(record, field * bytes);
                let value = e.ins().load(scalar_type(ty.elem), flags, from.base, from.offset);
                let to = e.buffer_lane(field * stride, lane, bytes);
                e.ins().store(MemFlagsData::new().with_notrap(), value, to, 0);
            }
        });
        let reloaded: Vec<Parts> = (0..factor as u32)
            .map(|field| self.reload(ty.with_elem(ty.elem.in_memory()), bytes, field * stride))
            .collect();
        let reloaded: Vec<Parts> = reloaded.iter().map(|parts| self.as_elem(parts, ty)).collect();
        self.jump_with_all(done, &reloaded);

        self.continue_in(done);
        results
    }

    /// [`ir::InstData::StoreInterleaved`].
    pub fn store_interleaved(&mut self, values: &[Value], address: &Address, mask: Option<Value>, mem: &MemInfo) {
        let flags = Self::flags(mem);
        let mask = mask.filter(|&mask| self.func.constant(mask) != Some(1)).map(|mask| self.get(mask));
        let place = self.place(address, 0);
        let fields: Vec<Parts> = values.iter().map(|&value| self.get(value)).collect();
        let mask = match mask {
            Some(mask) if fields[0].ty.is_vector() => mask,
            Some(mask) => {
                let place = self.place_or_scratch(place, mask.regs[0]);
                return self.store_records(&fields, flags, place);
            }
            None => return self.store_records(&fields, flags, place),
        };
        let (fast, slow, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let all = self.all_true(&mask);
        self.ins().brif(all, fast, &[], slow, &[]);
        self.b.set_cold_block(slow);

        self.continue_in(fast);
        self.store_records(&fields, flags, place);
        self.ins().jump(done, &[]);

        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let elem = fields[0].ty.elem;
        let bytes = elem.bytes();
        let in_memory: Vec<Parts> = fields.iter().map(|field| self.in_memory_form(field)).collect();
        let stride = in_memory[0].regs.len() as u32 * 16;
        for (index, field) in in_memory.iter().enumerate() {
            self.spill(field, index as u32 * stride);
        }
        self.for_each_active_lane(bits, |e, lane| {
            let record = e.record(place, lane, in_memory.len(), bytes);
            for field in 0..in_memory.len() as u32 {
                let from = e.buffer_lane(field * stride, lane, bytes);
                let value = e.load_scalar(elem, MemFlagsData::new().with_notrap(), Place { base: from, offset: 0 });
                let to = e.place_plus(record, field * bytes);
                e.ins().store(flags, value, to.base, to.offset);
            }
        });
        self.ins().jump(done, &[]);
        self.continue_in(done);
    }

    fn jump_with_all(&mut self, block: clif::Block, values: &[Parts]) {
        let arguments: Vec<clif::BlockArg> = values.iter().flat_map(|parts| &parts.regs).map(|&reg| reg.into()).collect();
        self.ins().jump(block, &arguments);
    }

    /// Where the record of a lane starts.
    fn record(&mut self, place: Place, lane: clif::Value, factor: usize, bytes: u32) -> Place {
        let offset = self.ins().imul_imm_u(lane, factor as i64 * i64::from(bytes));
        let base = self.ins().iadd(place.base, offset);
        Place {
            base,
            offset: place.offset,
        }
    }

    /// Address of a lane in the buffer.
    pub fn buffer_lane(&mut self, start: u32, lane: clif::Value, bytes: u32) -> clif::Value {
        let start = self.buffer(start, 0);
        let offset = self.ins().imul_imm_u(lane, i64::from(bytes));
        self.ins().iadd(start, offset)
    }

    /// Bytes from memory as masks; other types as they are.
    fn as_elem(&mut self, parts: &Parts, ty: Type) -> Parts {
        if ty.elem != Elem::Mask || parts.ty.elem == Elem::Mask {
            return parts.clone();
        }
        let zero = self.constant(parts.ty, 0);
        self.compare_ints(ir::IntCc::Ne, parts, &zero)
    }

    fn load_records(&mut self, ty: Type, factor: usize, flags: MemFlagsData, place: Place) -> Vec<Parts> {
        let held = ty.with_elem(ty.elem.in_memory());
        let bytes = held.elem.bytes();
        let total = held.bytes() * factor as u32;
        let fields: Vec<Parts> = if !ty.is_vector() || !total.is_multiple_of(4) {
            (0..factor as u32)
                .map(|field| {
                    let lanes: Vec<clif::Value> = (0..u32::from(ty.lanes))
                        .map(|lane| {
                            let place = self.place_plus(place, (lane * factor as u32 + field) * bytes);
                            self.load_scalar(held.elem, flags, place)
                        })
                        .collect();
                    self.join_lanes(held, &lanes)
                })
                .collect()
        } else {
            let part = part_type(held.elem, bytes);
            let regs: Vec<clif::Value> = (0..total.div_ceil(16))
                .map(|index| {
                    let place = self.place_plus(place, 16 * index);
                    self.load_bytes((total - 16 * index).min(16), flags, place)
                })
                .collect();
            let fields = self.deinterleave(&regs, factor, bytes as usize);
            fields
                .into_iter()
                .map(|regs| {
                    let regs: Registers = regs.into_iter().map(|reg| self.cast(part, reg)).collect();
                    Parts::new(held, bytes, regs)
                })
                .collect()
        };
        fields.iter().map(|field| self.as_elem(field, ty)).collect()
    }

    fn store_records(&mut self, fields: &[Parts], flags: MemFlagsData, place: Place) {
        let ty = fields[0].ty;
        let bytes = ty.elem.bytes();
        let total = ty.bytes() * fields.len() as u32;
        if !ty.is_vector() || ty.elem == Elem::Mask || !total.is_multiple_of(4) {
            for lane in 0..u32::from(ty.lanes) {
                for (index, field) in fields.iter().enumerate() {
                    let value = self.lane(field, lane);
                    let place = self.place_plus(place, (lane * fields.len() as u32 + index as u32) * bytes);
                    self.ins().store(flags, value, place.base, place.offset);
                }
            }
            return;
        }
        let streams: Vec<Vec<clif::Value>> = fields.iter().map(|field| field.regs.to_vec()).collect();
        let regs = self.interleave(&streams, bytes as usize);
        for (at, reg) in (0..total).step_by(16).zip(regs) {
            let place = self.place_plus(place, at);
            self.store_bytes((total - at).min(16), reg, flags, place);
        }
    }

    /// Loads 4, 8, 12 or 16 bytes into the low end of a register; what is above is anything.
    fn load_bytes(&mut self, bytes: u32, flags: MemFlagsData, place: Place) -> clif::Value {
        match bytes {
            16 => self.ins().load(types::I8X16, flags, place.base, place.offset),
            12 => {
                let low = self.load_low(8, flags, place);
                let rest = self.place_plus(place, 8);
                let high = self.load_low(4, flags, rest);
                self.shuffle(low, high, |byte| (byte % 8 + byte / 8 * 16) as u8)
            }
            few => self.load_low(few, flags, place),
        }
    }

    /// Stores the lowest 4, 8, 12 or 16 bytes of a register.
    fn store_bytes(&mut self, bytes: u32, value: clif::Value, flags: MemFlagsData, place: Place) {
        match bytes {
            16 => {
                self.ins().store(flags, value, place.base, place.offset);
            }
            12 => {
                self.store_low(8, value, flags, place);
                let words = self.cast(types::I32X4, value);
                let third = self.ins().extractlane(words, 2);
                let rest = self.place_plus(place, 8);
                self.ins().store(flags, third, rest.base, rest.offset);
            }
            few => self.store_low(few, value, flags, place),
        }
    }

    /// Splits registers with records of `factor` elements into registers a field. The last register may be filled in part, and then so are those of
    /// the fields.
    fn deinterleave(&mut self, regs: &[clif::Value], factor: usize, bytes: usize) -> Vec<Vec<clif::Value>> {
        if factor == 1 {
            return vec![regs.to_vec()];
        }
        if factor.is_multiple_of(2) {
            // Even and odd elements are records of half as many fields each.
            let mut halves = [0, 1].map(|odd| {
                let stream: Vec<clif::Value> = regs
                    .chunks(2)
                    .map(|pair| {
                        self.shuffle(pair[0], *pair.last().unwrap_or(&pair[0]), |byte| {
                            (byte / bytes * 2 * bytes + odd * bytes + byte % bytes) as u8
                        })
                    })
                    .collect();
                self.deinterleave(&stream, factor / 2, bytes).into_iter()
            });
            return (0..factor).filter_map(|field| halves[field % 2].next()).collect();
        }
        let per_reg = 16 / bytes;
        (0..factor)
            .map(|field| {
                (0..regs.len().div_ceil(factor))
                    .map(|part| self.gather_elements(regs, bytes, |lane| ((part * per_reg + lane) * factor + field, per_reg)))
                    .collect()
            })
            .collect()
    }

    /// A register with the elements that `source` names: (number, elements a register) for each lane.
    fn gather_elements(&mut self, regs: &[clif::Value], bytes: usize, source: impl Fn(usize) -> (usize, usize)) -> clif::Value {
        let from = |byte: usize| {
            let (element, per_reg) = source(byte / bytes);
            (element / per_reg, element % per_reg * bytes + byte % bytes)
        };
        let mut result = None;
        for (index, &reg) in regs.iter().enumerate() {
            if !(0..16).any(|byte| from(byte).0 == index) {
                continue;
            }
            result = Some(match result {
                None => self.shuffle(reg, reg, |byte| if from(byte).0 == index { from(byte).1 as u8 } else { 0 }),
                Some(before) => self.shuffle(before, reg, |byte| {
                    let (source, at) = from(byte);
                    (if source == index { 16 + at } else { byte }) as u8
                }),
            });
        }
        result.expect("each element is in some register")
    }

    /// Joins registers a field into registers with records.
    fn interleave(&mut self, fields: &[Vec<clif::Value>], bytes: usize) -> Vec<clif::Value> {
        let factor = fields.len();
        if factor == 1 {
            return fields[0].clone();
        }
        if factor.is_multiple_of(2) {
            let [even, odd] = [0, 1].map(|odd| {
                let half: Vec<Vec<clif::Value>> = fields.iter().skip(odd).step_by(2).cloned().collect();
                self.interleave(&half, bytes)
            });
            let mut joined = Vec::new();
            for (even, odd) in even.into_iter().zip(odd) {
                for upper in [0, 8] {
                    joined.push(self.shuffle(even, odd, |byte| {
                        let element = byte / bytes;
                        (element % 2 * 16 + upper + element / 2 * bytes + byte % bytes) as u8
                    }));
                }
            }
            return joined;
        }
        let per_reg = 16 / bytes;
        let parts = fields[0].len();
        let all: Vec<clif::Value> = fields.concat();
        (0..parts * factor)
            .map(|reg| {
                self.gather_elements(&all, bytes, |lane| {
                    let element = reg * per_reg + lane;
                    let (record, field) = (element / factor, element % factor);
                    // The fields' registers stand one field after the other.
                    (field * parts * per_reg + record, per_reg)
                })
            })
            .collect()
    }
}
