//! Gathers of records: lanes that load neighbouring words (components of a vector, channels of a texel), each from a place of its own.
//!
//! A lane's two or four words are loaded at once, and then turned so that each word has a register.

use super::encode::{Imm, Op, Size};
use super::machine::{R, RmOf};
use super::ops;
use super::places::Places;
use super::select::Selector;
use super::values::{Parts, Registers};
use crate::ir::{Address, Inst, InstData, MemFlags, Type, Value};
use regalloc2::VReg;

/// What [`MemFlags::AHEAD`] means: two lines of the cache.
const AHEAD_BYTES: u32 = 128;

/// What loads of a record have in common: the address but for its offset, and their type.
type Key = (Value, Option<Value>, u32, Type);

impl Selector<'_> {
    /// Looks through a block before it is translated.
    pub fn find_records(&mut self, insts: &[Inst]) {
        self.records.clear();
        let func = self.func;
        // Loads since the last write to memory.
        let mut loads: Vec<(Key, i32, Value)> = Vec::new();
        for &inst in insts {
            let node = func.inst(inst);
            if node.data.has_side_effects() {
                self.group_records(&mut loads);
            } else if let InstData::Load {
                ty,
                address,
                mask,
                passthru: None,
                mem,
            } = &node.data
                && ty.elem.bytes() == 4
                && ty.lanes.is_multiple_of(4)
                && !self.is_consecutive(address)
                && (self.real_mask(*mask).is_none() || mem.flags.contains(MemFlags::DEREFERENCEABLE))
            {
                loads.push(((address.base, address.index, address.scale, *ty), address.offset, node.results[0]));
            }
        }
        self.group_records(&mut loads);
    }

    fn group_records(&mut self, loads: &mut Vec<(Key, i32, Value)>) {
        loads.sort_by_key(|&((base, index, scale, ty), offset, _)| (base, index, scale, ty.lanes, ty.elem as u8, offset));
        let mut rest = loads.as_slice();
        while let Some(&(key, offset, _)) = rest.first() {
            let neighbours = rest
                .iter()
                .zip(0..4)
                .take_while(|&(&(other, at, _), n)| other == key && i64::from(at) == i64::from(offset) + 4 * n);
            let count = match neighbours.count() {
                4 => 4,
                2 | 3 => 2,
                _ => 1,
            };
            let (record, others) = rest.split_at(count);
            if count > 1 {
                let values: Vec<Value> = record.iter().map(|&(_, _, value)| value).collect();
                self.records.extend(values.iter().map(|&value| (value, values.clone())));
            }
            rest = others;
        }
        loads.clear();
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
        let lanes = u32::from(ty.lanes);
        let size = if lanes == 4 { Size::X } else { Size::Y };
        let mut fields: Vec<Registers> = vec![Registers::new(); words];
        for first in (0..lanes).step_by(size.bytes() as usize / 4) {
            // A register holds records of a lane, or two, of the first four lanes, and above them as many of the next four.
            let pieces: Vec<VReg> = (0..words as u32)
                .map(|piece| {
                    let halves: Vec<VReg> = (first..first + size.bytes() / 4)
                        .step_by(4)
                        .map(|lane| match words {
                            4 => {
                                let place = self.place(places, address, lane + piece);
                                self.c.v2(&ops::VMOVUPS, Size::X, place)
                            }
                            _ => {
                                let place = self.place(places, address, lane + 2 * piece);
                                let low = self.c.v2(&ops::VMOVSD, Size::X, place);
                                let place = self.place(places, address, lane + 2 * piece + 1);
                                self.c.v3(&ops::VMOVHPS, Size::X, low, place)
                            }
                        })
                        .collect();
                    match halves[..] {
                        [low, high] => self.c.v3i(&ops::VINSERTI128, Size::Y, low, high, 1),
                        _ => halves[0],
                    }
                })
                .collect();
            let turned = match pieces[..] {
                [a, b, c, d] => self.turn_four(size, [a, b, c, d]).to_vec(),
                [a, b, ..] => [0x88, 0xdd].map(|which| self.c.v3i(&ops::VSHUFPS, size, a, b, which)).to_vec(),
                _ => pieces,
            };
            for (field, reg) in fields.iter_mut().zip(turned) {
                field.push(reg);
            }
        }
        fields.iter().map(|regs| self.join_pieces_of(size, ty, 4, regs)).collect()
    }

    /// Rows of four words become columns.
    fn turn_four(&mut self, size: Size, [a, b, c, d]: [VReg; 4]) -> [VReg; 4] {
        let mut both = |low: &'static Op, high: &'static Op, a: VReg, b: VReg| (self.c.v3(low, size, a, b), self.c.v3(high, size, a, b));
        let (ab_low, ab_high) = both(&ops::VPUNPCKLDQ, &ops::VPUNPCKHDQ, a, b);
        let (cd_low, cd_high) = both(&ops::VPUNPCKLDQ, &ops::VPUNPCKHDQ, c, d);
        let (first, second) = both(&ops::VPUNPCKLQDQ, &ops::VPUNPCKHQDQ, ab_low, cd_low);
        let (third, fourth) = both(&ops::VPUNPCKLQDQ, &ops::VPUNPCKHQDQ, ab_high, cd_high);
        [first, second, third, fourth]
    }
}
