//! Loads and stores of consecutive records: vectors of the source, complex numbers, and the like.
//!
//! Machines permute 128 bits at a time, in each such lane of longer registers alike: a lane gets the records whose fields it is to have.

use super::encode::Size;
use super::machine::{Amode, Cc};
use super::ops;
use super::partial_records::PartialRecords;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, Elem, IntCc, Type, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// [`ir::InstData::LoadInterleaved`].
    pub fn load_interleaved(&mut self, ty: Type, factor: usize, address: &Address, mask: Option<Value>) -> Vec<Parts> {
        let place = self.amode(address);
        let place = self.as_register(place);
        let mask = match self.real_mask(mask) {
            Some(mask) if ty.is_vector() => self.get(mask),
            Some(mask) => {
                let place = self.or_scratch(place, |s| s.condition(mask));
                return self.load_records(ty, factor, place);
            }
            None => return self.load_records(ty, factor, place),
        };
        let cc = self.test_all(&mask);
        let [fast, slow, done] = self.fork(cc);

        self.continue_in(fast);
        let loaded = self.load_records(ty, factor, place);
        let results: Vec<Parts> = loaded
            .iter()
            .map(|parts| self.map(parts, |s, reg| s.c.param(done, reg.class())))
            .collect();
        self.jump_with_all(done, &loaded);

        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let held = ty.with_elem(ty.elem.in_memory());
        let zero = self.constant(held, 0);
        let stride = zero.regs.len() as u32 * zero.size().bytes();
        for field in 0..factor as u32 {
            self.spill(&zero, field * stride);
        }
        let bytes = ty.elem.bytes();
        self.for_each_active_lane(bits, |s, lane| {
            let record = s.record(place, lane, factor, bytes);
            for field in 0..factor as u32 {
                let from = s.plus(record, field * bytes);
                let value = s.load_scalar_bits(held.elem, from);
                let to = Amode::lane(s.buffer(field * stride, 0), lane, bytes);
                s.store_scalar(held.elem, value, to);
            }
        });
        let reloaded: Vec<Parts> = (0..factor as u32)
            .map(|field| {
                let parts = self.reload(held, bytes, field * stride);
                self.as_elem(&parts, ty)
            })
            .collect();
        self.jump_with_all(done, &reloaded);

        self.continue_in(done);
        results
    }

    /// [`ir::InstData::StoreInterleaved`].
    pub fn store_interleaved(&mut self, values: &[Value], address: &Address, mask: Option<Value>) {
        let place = self.amode(address);
        let place = self.as_register(place);
        let fields: Vec<Parts> = values.iter().map(|&value| self.get(value)).collect();
        let mask = match self.real_mask(mask) {
            Some(mask) if fields[0].ty.is_vector() => self.get(mask),
            Some(mask) => {
                let place = self.or_scratch(place, |s| s.condition(mask));
                return self.store_records(&fields, place);
            }
            None => return self.store_records(&fields, place),
        };
        let cc = self.test_all(&mask);
        let [fast, slow, done] = self.fork(cc);

        self.continue_in(fast);
        self.store_records(&fields, place);
        self.c.jump(done, &[]);

        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let elem = fields[0].ty.elem;
        let bytes = elem.bytes();
        let in_memory: Vec<Parts> = fields.iter().map(|field| self.in_memory_form(field)).collect();
        let stride = in_memory[0].regs.len() as u32 * in_memory[0].size().bytes();
        for (index, field) in in_memory.iter().enumerate() {
            self.spill(field, index as u32 * stride);
        }
        self.for_each_active_lane(bits, |s, lane| {
            let record = s.record(place, lane, in_memory.len(), bytes);
            for field in 0..in_memory.len() as u32 {
                let from = Amode::lane(s.buffer(field * stride, 0), lane, bytes);
                let value = s.load_scalar(elem, from);
                let to = s.plus(record, field * bytes);
                s.store_scalar(elem, value, to);
            }
        });
        self.c.jump(done, &[]);
        self.continue_in(done);
    }

    fn jump_with_all(&mut self, block: super::machine::Label, values: &[Parts]) {
        let arguments: Vec<VReg> = values.iter().flat_map(|parts| &parts.regs).copied().collect();
        self.c.jump(block, &arguments);
    }

    /// Where the record of a lane starts; `place` has no index.
    fn record(&mut self, place: Amode, lane: VReg, factor: usize, bytes: u32) -> Amode {
        let offset = self.c.imul_i(Size::Q, lane, (factor as u32 * bytes) as i32);
        Amode {
            index: Some((offset, 0)),
            ..place
        }
    }

    /// Bytes from memory as masks; other types as they are.
    fn as_elem(&mut self, parts: &Parts, ty: Type) -> Parts {
        if ty.elem != Elem::Mask {
            return parts.clone();
        }
        if !ty.is_vector() {
            self.c.test(Size::D, parts.regs[0], parts.regs[0]);
            let value = self.c.setcc(Cc::Ne);
            return Parts::scalar(ty, value);
        }
        let zero = self.constant(parts.ty, 0);
        self.compare_ints(IntCc::Ne, parts, &zero.sources())
    }

    fn load_records(&mut self, ty: Type, factor: usize, place: Amode) -> Vec<Parts> {
        let held = ty.with_elem(ty.elem.in_memory());
        let bytes = held.elem.bytes();
        let fields: Vec<Parts> = if let Some(records) = PartialRecords::of(held, factor) {
            self.load_partial_records(records, place)
        } else if held.bytes() < 16 || !ty.is_vector() {
            // Too short for whole registers.
            (0..factor as u32)
                .map(|field| {
                    let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
                        .map(|lane| {
                            let from = self.plus(place, (lane * factor as u32 + field) * bytes);
                            self.load_scalar_bits(held.elem, from)
                        })
                        .collect();
                    self.join_lanes(held, &lanes)
                })
                .collect()
        } else if let Some(records) = self.short_records(held, factor) {
            self.load_short_records(&records, place)
        } else if self.sorts_whole_registers(held) {
            let size = self.part_size(ty.lanes, bytes);
            let count = self.part_count(ty.lanes, bytes) * factor;
            let fields = self.load_whole_records(size, count, factor, bytes, place);
            fields.into_iter().map(|regs| Parts::new(held, bytes, regs)).collect()
        } else {
            let size = self.part_size(ty.lanes, bytes);
            let mut fields = vec![Registers::new(); factor];
            // A register of each field at a time: more pieces at once take more registers.
            for part in 0..self.part_count(ty.lanes, bytes) {
                let pieces: Vec<VReg> = (0..factor)
                    .map(|piece| self.load_piece(size, [part, piece], factor, place))
                    .collect();
                let parts = self.deinterleave(size, &pieces, factor, bytes as usize);
                fields.iter_mut().zip(parts).for_each(|(field, regs)| field.extend(regs));
            }
            fields.into_iter().map(|regs| Parts::new(held, bytes, regs)).collect()
        };
        fields.iter().map(|field| self.as_elem(field, ty)).collect()
    }

    fn store_records(&mut self, fields: &[Parts], place: Amode) {
        let ty = fields[0].ty;
        let bytes = ty.elem.bytes();
        if let Some(records) = PartialRecords::of(ty, fields.len()).filter(|_| ty.elem != Elem::Mask) {
            return self.store_partial_records(records, fields, place);
        }
        if ty.bytes() < 16 || !ty.is_vector() || ty.elem == Elem::Mask {
            for lane in 0..u32::from(ty.lanes) {
                for (index, field) in fields.iter().enumerate() {
                    let value = self.lane(field, lane);
                    let to = self.plus(place, (lane * fields.len() as u32 + index as u32) * bytes);
                    self.store_scalar(ty.elem, value, to);
                }
            }
            return;
        }
        if let Some(records) = self.short_records(ty, fields.len()) {
            return self.store_short_records(&records, fields, place);
        }
        let size = fields[0].size();
        if self.sorts_whole_registers(ty) {
            let fields: Vec<Registers> = fields.iter().map(|field| field.regs.clone()).collect();
            return self.store_whole_records(size, &fields, bytes, place);
        }
        // A register of each field at a time, as they are loaded.
        for part in 0..fields[0].regs.len() {
            let streams: Vec<Vec<VReg>> = fields.iter().map(|field| vec![field.regs[part]]).collect();
            let pieces = self.interleave(size, &streams, bytes as usize);
            self.store_pieces(size, &pieces, part, place);
        }
    }

    /// Where the 16 bytes start that a lane of a piece has. Records of a lane take `factor` pieces.
    fn piece_lane(&mut self, size: Size, [part, piece]: [usize; 2], factor: usize, lane: u32, place: Amode) -> Amode {
        let lanes = size.bytes() / 16;
        self.plus(place, 16 * ((part as u32 * lanes + lane) * factor as u32 + piece as u32))
    }

    fn load_piece(&mut self, size: Size, at: [usize; 2], factor: usize, place: Amode) -> VReg {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|lane| self.piece_lane(size, at, factor, lane, place));
        let low = self.c.v2(&ops::VMOVUPS, Size::X, first);
        if size == Size::X {
            return low;
        }
        let low = self.c.v3i(&ops::VINSERTI128, Size::Y, low, second, 1);
        if size == Size::Y {
            return low;
        }
        let high = self.c.v2(&ops::VMOVUPS, Size::X, third);
        let high = self.c.v3i(&ops::VINSERTI128, Size::Y, high, fourth, 1);
        self.c.v3i(&ops::VINSERTI64X4, Size::Z, low, high, 1)
    }

    /// Stores the pieces of a part, the first lanes of all before the second ones: machines take two stores at once if these are to one line.
    fn store_pieces(&mut self, size: Size, pieces: &[VReg], part: usize, place: Amode) {
        let factor = pieces.len();
        let mut halves = vec![pieces.to_vec()];
        if size == Size::Z {
            halves.push(
                pieces
                    .iter()
                    .map(|&piece| self.c.v_rm(&ops::VEXTRACTI64X4_RM, Size::Z, piece, 1))
                    .collect(),
            );
        }
        for lane in 0..size.bytes() / 16 {
            for (piece, &half) in halves[lane as usize / 2].iter().enumerate() {
                let to = self.piece_lane(size, [part, piece], factor, lane, place);
                match lane % 2 {
                    0 => self.c.v_store(&ops::VMOVUPS_RM, Size::X, half, to),
                    _ => self.c.v_store_quarter(half, to),
                }
            }
        }
    }

    /// Splits pieces with records of `factor` elements into pieces a field, in each lane of 128 bits.
    fn deinterleave(&mut self, size: Size, pieces: &[VReg], factor: usize, bytes: usize) -> Vec<Registers> {
        if factor == 1 {
            return vec![Registers::from_slice(pieces)];
        }
        if factor.is_multiple_of(2) {
            // Even and odd elements are records of half as many fields each.
            let mut halves = [0, 1].map(|odd| {
                let stream: Vec<VReg> = pieces
                    .chunks(2)
                    .map(|pair| self.every_second(size, [pair[0], pair[1]], odd, bytes))
                    .collect();
                self.deinterleave(size, &stream, factor / 2, bytes).into_iter()
            });
            return (0..factor).filter_map(|field| halves[field % 2].next()).collect();
        }
        let per_piece = 16 / bytes;
        (0..factor)
            .map(|field| {
                (0..pieces.len() / factor)
                    .map(|part| self.gather_elements(size, pieces, bytes, |lane| ((part * per_piece + lane) * factor + field, per_piece)))
                    .collect()
            })
            .collect()
    }

    /// The even elements of two pieces, or the odd ones, in each lane of 128 bits. Short ones are cut out of those of twice as many bytes: a shift or a
    /// mask goes where other instructions go, a shuffle does not.
    fn every_second(&mut self, size: Size, pair: [VReg; 2], odd: usize, bytes: usize) -> VReg {
        let (pack, shift) = match bytes {
            1 => (&ops::VPACKUSWB, &ops::VPSHIFTW_I8),
            2 => (&ops::VPACKUSDW, &ops::VPSHIFTD_I8),
            _ => {
                return self.shuffle_each(size, pair[0], pair[1], |byte| {
                    (byte / bytes * 2 * bytes + odd * bytes + byte % bytes) as u8
                });
            }
        };
        let (bits, wide) = (8 * bytes as u8, 2 * bytes as u32);
        let [low, high] = match odd {
            0 => {
                let mask = self.splat_source(size, wide, (1 << bits) - 1);
                pair.map(|piece| self.c.v3(&ops::VPAND, size, piece, mask))
            }
            _ => pair.map(|piece| self.c.v_shift(shift, 2, size, piece, bits)),
        };
        self.c.v3(pack, size, low, high)
    }

    /// A piece with the elements that `source` names: (number, elements a piece) for each lane.
    fn gather_elements(&mut self, size: Size, pieces: &[VReg], bytes: usize, source: impl Fn(usize) -> (usize, usize)) -> VReg {
        let from = |byte: usize| {
            let (element, per_piece) = source(byte / bytes);
            (element / per_piece, element % per_piece * bytes + byte % bytes)
        };
        let mut result = None;
        for (index, &piece) in pieces.iter().enumerate() {
            if !(0..16).any(|byte| from(byte).0 == index) {
                continue;
            }
            result = Some(match result {
                None => self.shuffle_each(
                    size,
                    piece,
                    piece,
                    |byte| if from(byte).0 == index { from(byte).1 as u8 } else { 0 },
                ),
                Some(before) => self.shuffle_each(size, before, piece, |byte| {
                    let (source, at) = from(byte);
                    (if source == index { 16 + at } else { byte }) as u8
                }),
            });
        }
        result.expect("each element is in some piece")
    }

    /// Joins pieces a field into pieces with records, in each lane of 128 bits.
    fn interleave(&mut self, size: Size, fields: &[Vec<VReg>], bytes: usize) -> Vec<VReg> {
        let factor = fields.len();
        if factor == 1 {
            return fields[0].clone();
        }
        if factor.is_multiple_of(2) {
            let [even, odd] = [0, 1].map(|odd| {
                let half: Vec<Vec<VReg>> = fields.iter().skip(odd).step_by(2).cloned().collect();
                self.interleave(size, &half, bytes)
            });
            let mut joined = Vec::new();
            for (even, odd) in even.into_iter().zip(odd) {
                for upper in [0, 8] {
                    joined.push(self.shuffle_each(size, even, odd, |byte| {
                        let element = byte / bytes;
                        (element % 2 * 16 + upper + element / 2 * bytes + byte % bytes) as u8
                    }));
                }
            }
            return joined;
        }
        let per_piece = 16 / bytes;
        let parts = fields[0].len();
        let all: Vec<VReg> = fields.concat();
        (0..parts * factor)
            .map(|piece| {
                self.gather_elements(size, &all, bytes, |lane| {
                    let element = piece * per_piece + lane;
                    let (record, field) = (element / factor, element % factor);
                    // The fields' pieces stand one field after the other.
                    (field * parts * per_piece + record, per_piece)
                })
            })
            .collect()
    }
}
