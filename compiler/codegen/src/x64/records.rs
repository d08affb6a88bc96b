//! Gathers and scatters of records: lanes that load or store neighbouring words (components of a vector, channels of a texel), each in a
//! place of its own.
//!
//! A lane's two or four words are loaded at once, and then turned so that each word has a register; or turned and then stored at once. So
//! are two or four words of 64 bits, 128 bits of a lane at a time.

use super::encode::{Imm, Op, Size};
use super::lane_addresses::Places;
use super::machine::{R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, Elem, Inst, InstData, MemFlags, Type, Value};
use regalloc2::VReg;
use target::costs::CACHE_LINE;
use target::costs::effort::ACCESSES_COMPARED;

/// What [`MemFlags::AHEAD`] means: two lines of the cache.
const AHEAD_BYTES: u32 = 2 * CACHE_LINE;

/// Records of words of 64 bits: the lanes and the size of a register in which they are turned, and the bytes of a lane's two words.
const LONG_LANES: u32 = 4;
const LONG: Size = Size::Y;
const PAIR: u32 = 16;

/// What accesses to a record have in common: the address but for its offset, and their type.
type Key = (Value, Option<Value>, u32, Type);

/// Loads or stores, with their keys and offsets.
type Accesses<T> = Vec<(Key, i32, T)>;

impl Selector<'_> {
    /// Looks through a block before it is translated.
    pub fn find_records(&mut self, insts: &[Inst]) {
        self.records.clear();
        self.stored_records.clear();
        let func = self.func;
        let is_word = |s: &Self, ty: Type, address: &Address| {
            ty.elem != Elem::Mask && matches!(ty.elem.bytes(), 4 | 8) && ty.lanes.is_multiple_of(4) && !s.is_consecutive(address)
        };
        // Loads since the last write to memory, and stores since the last other access.
        let mut loads: Accesses<Value> = Vec::new();
        let mut stores: Accesses<usize> = Vec::new();
        for (position, &inst) in insts.iter().enumerate() {
            let node = func.inst(inst);
            if let InstData::Store { value, address, mask, mem } = &node.data
                && is_word(self, func.ty(*value), address)
                && self.real_mask(*mask).is_none()
                && !mem.flags.contains(MemFlags::VOLATILE)
            {
                let key = (address.base, address.index, address.scale, func.ty(*value));
                let differs = |&(other, offset, _): &(Key, i32, usize)| other != key || offset == address.offset;
                if stores.len() >= ACCESSES_COMPARED || stores.iter().any(differs) {
                    self.group_stores(&mut stores, insts);
                }
                stores.push((key, address.offset, position));
                self.group_loads(&mut loads);
                continue;
            }
            // Stores may come behind loads from elsewhere.
            let is_apart = |&(_, _, position): &(Key, i32, usize)| {
                let stored = func.access(insts[position]).map(|access| access.mem);
                let loaded = match &node.data {
                    InstData::Load { mem, .. } => Some(*mem),
                    _ => None,
                };
                stored
                    .zip(loaded)
                    .is_some_and(|(stored, loaded)| !loaded.may_meet(stored.space, stored.alias))
            };
            if node.data.has_side_effects() || node.data.reads_memory() && !stores.iter().all(is_apart) {
                self.group_stores(&mut stores, insts);
            }
            if node.data.has_side_effects() {
                self.group_loads(&mut loads);
            } else if let InstData::Load {
                ty,
                address,
                mask,
                passthru: None,
                mem,
            } = &node.data
                && is_word(self, *ty, address)
                && (self.real_mask(*mask).is_none() || mem.flags.contains(MemFlags::DEREFERENCEABLE))
            {
                loads.push(((address.base, address.index, address.scale, *ty), address.offset, node.results[0]));
            }
        }
        self.group_loads(&mut loads);
        self.group_stores(&mut stores, insts);
    }

    fn group_loads(&mut self, loads: &mut Accesses<Value>) {
        for values in records_of(loads) {
            self.records.extend(values.iter().map(|&value| (value, values.clone())));
        }
    }

    fn group_stores(&mut self, stores: &mut Accesses<usize>, insts: &[Inst]) {
        for record in records_of(stores) {
            // All values are there at the last.
            let last = record.iter().max().map(|&position| insts[position]);
            let record: Vec<Inst> = record.into_iter().map(|position| insts[position]).collect();
            for &inst in &record {
                let here = Some(inst) == last;
                self.stored_records.insert(inst, if here { record.clone() } else { Vec::new() });
            }
        }
    }

    /// Stores all that is in a record with the instruction's value, if there is more, and this is the place for it; says whether the
    /// instruction is done.
    pub fn store_record(&mut self, inst: Inst) -> bool {
        let Some(record) = self.stored_records.get(&inst).cloned() else {
            return false;
        };
        let func = self.func;
        let mut fields: Vec<Parts> = Vec::new();
        let mut first = None;
        for &inst in &record {
            if let InstData::Store { value, address, .. } = &func.inst(inst).data {
                fields.push(self.get(*value));
                first = first.or(Some(*address));
            }
        }
        let Some(address) = first else { return true };
        let places = self.places(&address);
        if fields[0].ty.elem.bytes() == 8 {
            self.scatter_long_records(&fields, &address, &places);
            return true;
        }
        let lanes = u32::from(fields[0].ty.lanes);
        let size = if lanes == 4 { Size::X } else { Size::Y };
        let pieces: Vec<Registers> = fields.iter().map(|field| self.pieces_of(size, field)).collect();
        for number in 0..(lanes * 4 / size.bytes()) as usize {
            let start = number as u32 * size.bytes() / 4;
            let rows: Vec<VReg> = match pieces[..] {
                [ref a, ref b, ref c, ref d] => self.transpose_four(size, [a[number], b[number], c[number], d[number]]).to_vec(),
                _ => [&ops::VPUNPCKLDQ, &ops::VPUNPCKHDQ]
                    .map(|op| self.c.v3(op, size, pieces[0][number], pieces[1][number]))
                    .to_vec(),
            };
            let in_row = 4 / rows.len() as u32;
            for half in (0..size.bytes() / 4).step_by(4) {
                for (at, &row) in (start + half..).step_by(in_row as usize).zip(&rows) {
                    let place = self.place(&places, &address, at);
                    if in_row == 1 {
                        match half {
                            0 => self.c.v_store(&ops::VMOVUPS_RM, Size::X, row, place),
                            _ => self.c.v_store_quarter(row, place),
                        }
                        continue;
                    }
                    let row = match half {
                        0 => row,
                        _ => self.c.v_rm(&ops::VEXTRACTI128_RM, Size::Y, row, 1),
                    };
                    self.c.v_store(&ops::VMOVSD_RM, Size::X, row, place);
                    let place = self.place(&places, &address, at + 1);
                    self.c.v_store(&ops::VMOVHPS_RM, Size::X, row, place);
                }
            }
        }
        true
    }

    /// Loads all that is in a record with `value`, if there is more; says whether that has been done.
    pub fn load_record(&mut self, value: Value) -> bool {
        let Some(values) = self.records.get(&value).cloned() else {
            return false;
        };
        if self.is_set(value) {
            return true;
        }
        let Some(&InstData::Load { ty, address, mem, .. }) = self.func.def_data(values[0]) else {
            return false;
        };
        let places = self.places(&address);
        if mem.flags.contains(MemFlags::AHEAD) {
            let first = self.place(&places, &address, 0);
            let ahead = self.plus(first, AHEAD_BYTES);
            self.c
                .machine(&ops::PREFETCH, Size::D, R::Digit(1), R::No, RmOf::Mem(ahead), Imm::No);
        }
        let fields = self.gather_records(ty, &address, &places, values.len());
        for (&value, field) in values.iter().zip(fields) {
            self.set(value, field);
        }
        true
    }

    fn gather_records(&mut self, ty: Type, address: &Address, places: &Places, words: usize) -> Vec<Parts> {
        if ty.elem.bytes() == 8 {
            return self.gather_long_records(ty, address, places, words);
        }
        let lanes = u32::from(ty.lanes);
        let size = if lanes == 4 { Size::X } else { Size::Y };
        let mut fields: Vec<Registers> = vec![Registers::new(); words];
        for first in (0..lanes).step_by(size.bytes() as usize / 4) {
            // A register holds records of a lane, or two, of the first four lanes, and above them as many of the next four.
            let pieces: Vec<VReg> = (0..words as u32)
                .map(|piece| match (words, size) {
                    (4, Size::X) => {
                        let place = self.place(places, address, first + piece);
                        self.c.v2(&ops::VMOVUPS, size, place)
                    }
                    (4, _) => {
                        let [low, high] = [first, first + 4].map(|lane| self.place(places, address, lane + piece));
                        let low = self.c.v2(&ops::VMOVUPS, Size::X, low);
                        self.c.v3i(&ops::VINSERTI128, size, low, high, 1)
                    }
                    (_, Size::X) => self.two_records(address, places, first + 2 * piece),
                    _ => {
                        let [low, high] = [first, first + 4].map(|lane| self.two_records(address, places, lane + 2 * piece));
                        self.c.v3i(&ops::VINSERTI128, size, low, high, 1)
                    }
                })
                .collect();
            let turned = match pieces[..] {
                [a, b, c, d] => self.transpose_four(size, [a, b, c, d]).to_vec(),
                [a, b, ..] => [0x88, 0xdd].map(|which| self.c.v3i(&ops::VSHUFPS, size, a, b, which)).to_vec(),
                _ => pieces,
            };
            for (field, reg) in fields.iter_mut().zip(turned) {
                field.push(reg);
            }
        }
        fields.iter().map(|regs| self.join_pieces_of(size, ty, 4, regs)).collect()
    }

    /// Two words of a lane, and above them those of the next lane.
    fn two_records(&mut self, address: &Address, places: &Places, lane: u32) -> VReg {
        let place = self.place(places, address, lane);
        let low = self.c.v2(&ops::VMOVSD, Size::X, place);
        let place = self.place(places, address, lane + 1);
        self.c.v3(&ops::VMOVHPS, Size::X, low, place)
    }

    /// The same for words of 64 bits: a register holds a pair of one lane's, and above it that of the lane after the next.
    fn gather_long_records(&mut self, ty: Type, address: &Address, places: &Places, words: usize) -> Vec<Parts> {
        let mut fields: Vec<Registers> = vec![Registers::new(); words];
        for first in (0..u32::from(ty.lanes)).step_by(LONG_LANES as usize) {
            for (pair, fields) in fields.chunks_mut(2).enumerate() {
                let [even, odd] = [first, first + 1].map(|lane| {
                    let [low, high] = [lane, lane + 2].map(|lane| {
                        let place = self.place(places, address, lane);
                        self.plus(place, pair as u32 * PAIR)
                    });
                    let low = self.c.v2(&ops::VMOVUPS, Size::X, low);
                    self.c.v3i(&ops::VINSERTI128, LONG, low, high, 1)
                });
                for (field, op) in fields.iter_mut().zip([&ops::VPUNPCKLQDQ, &ops::VPUNPCKHQDQ]) {
                    field.push(self.c.v3(op, LONG, even, odd));
                }
            }
        }
        fields.iter().map(|regs| self.join_pieces_of(LONG, ty, 8, regs)).collect()
    }

    fn scatter_long_records(&mut self, fields: &[Parts], address: &Address, places: &Places) {
        let pieces: Vec<Registers> = fields.iter().map(|field| self.pieces_of(LONG, field)).collect();
        for (pair, fields) in pieces.chunks(2).enumerate() {
            for (number, (&a, &b)) in fields[0].iter().zip(&fields[1]).enumerate() {
                let first = number as u32 * LONG_LANES;
                for (lane, op) in [(first, &ops::VPUNPCKLQDQ), (first + 1, &ops::VPUNPCKHQDQ)] {
                    let both = self.c.v3(op, LONG, a, b);
                    let [low, high] = [lane, lane + 2].map(|lane| {
                        let place = self.place(places, address, lane);
                        self.plus(place, pair as u32 * PAIR)
                    });
                    self.c.v_store(&ops::VMOVUPS_RM, Size::X, both, low);
                    self.c.v_store_quarter(both, high);
                }
            }
        }
    }

    /// Rows of four words become columns.
    fn transpose_four(&mut self, size: Size, [a, b, c, d]: [VReg; 4]) -> [VReg; 4] {
        let mut both = |low: &'static Op, high: &'static Op, a: VReg, b: VReg| (self.c.v3(low, size, a, b), self.c.v3(high, size, a, b));
        let (ab_low, ab_high) = both(&ops::VPUNPCKLDQ, &ops::VPUNPCKHDQ, a, b);
        let (cd_low, cd_high) = both(&ops::VPUNPCKLDQ, &ops::VPUNPCKHDQ, c, d);
        let (first, second) = both(&ops::VPUNPCKLQDQ, &ops::VPUNPCKHQDQ, ab_low, cd_low);
        let (third, fourth) = both(&ops::VPUNPCKLQDQ, &ops::VPUNPCKHQDQ, ab_high, cd_high);
        [first, second, third, fourth]
    }
}

/// Those that access four words that follow one another, or two, in the order of these.
fn records_of<T: Copy>(accesses: &mut Accesses<T>) -> Vec<Vec<T>> {
    accesses.sort_by_key(|&((base, index, scale, ty), offset, _)| (base, index, scale, ty.lanes, ty.elem as u8, offset));
    let mut found = Vec::new();
    let mut rest = accesses.as_slice();
    while let Some(&(key, offset, _)) = rest.first() {
        let bytes = i64::from(key.3.elem.bytes());
        let neighbours = rest
            .iter()
            .zip(0..4)
            .take_while(|&(&(other, at, _), n)| other == key && i64::from(at) == i64::from(offset) + bytes * n);
        let count = match neighbours.count() {
            4 => 4,
            2 | 3 => 2,
            _ => 1,
        };
        let (record, others) = rest.split_at(count);
        if count > 1 {
            found.push(record.iter().map(|&(_, _, access)| access).collect());
        }
        rest = others;
    }
    accesses.clear();
    found
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::super::tests::code_for;

    /// Two words of each lane are stored at once, though something is loaded between; not if that may be one of them.
    #[test]
    fn stores_come_behind_loads_from_elsewhere() {
        let of = |space: &str| {
            code_for(
                Target::AVX512,
                &format!(
                    "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
                     v6 = load.i64x8 global align 8 [v0]\n  v7 = load.i32x8 {space} align 4 [v1]\n  store v7, global align 4 [v2 + v6 * 8]\n  \
                     v8 = load.i32x8 {space} align 4 [v1 + 32]\n  store v8, global align 4 [v2 + v6 * 8 + 4]\n  v9 = const.i32 0\n  return v9\n}}"
                ),
            )
        };
        let (apart, may_meet) = (of("private"), of("global"));
        assert!(apart.contains("vpunpckldq") && !apart.contains("vpscatter"), "{apart}");
        assert!(!may_meet.contains("vpunpckldq"), "{may_meet}");
    }
}
