//! Consecutive records of words, sorted by permutations of two whole registers at a time, which machines with mask registers have.

use super::encode::Size;
use super::machine::Amode;
use super::ops;
use super::parts::Registers;
use super::selector::Selector;
use super::strided::Place;
use ir::{Elem, Type};
use regalloc2::VReg;

impl Selector<'_> {
    /// Fields of such a type are sorted so.
    pub fn sorts_whole_registers(&self, field: Type) -> bool {
        let bytes = field.elem.bytes();
        self.c.target.masks && field.elem != Elem::Mask && bytes >= 4 && field.bytes() >= Size::Y.bytes()
    }

    /// The registers of each field of records of `factor` elements.
    pub fn load_whole_records(&mut self, size: Size, count: usize, factor: usize, bytes: u32, place: Amode) -> Vec<Registers> {
        let pieces: Registers = (0..count)
            .map(|index| {
                let from = self.plus(place, index as u32 * size.bytes());
                self.c.v2(&ops::VMOVUPS, size, from)
            })
            .collect();
        self.part_records(size, &pieces, factor, bytes)
    }

    fn part_records(&mut self, size: Size, pieces: &[VReg], factor: usize, bytes: u32) -> Vec<Registers> {
        if factor == 1 {
            return vec![Registers::from_slice(pieces)];
        }
        let lanes = (size.bytes() / bytes) as usize;
        if factor.is_multiple_of(2) {
            // Even and odd elements are records of half as many fields each.
            let mut halves = [0, 1].map(|odd| {
                let places: Vec<Place> = (0..lanes).map(|lane| Some((2 * lane / lanes, (2 * lane + odd) % lanes))).collect();
                let stream: Registers = pieces
                    .chunks(2)
                    .map(|pair| self.collect_lanes(size, bytes, pair, &places))
                    .collect();
                self.part_records(size, &stream, factor / 2, bytes).into_iter()
            });
            return (0..factor).filter_map(|field| halves[field % 2].next()).collect();
        }
        (0..factor)
            .map(|field| {
                let part = |part: usize| {
                    let element = |lane: usize| (part * lanes + lane) * factor + field;
                    let places: Vec<Place> = (0..lanes)
                        .map(|lane| Some((element(lane) / lanes, element(lane) % lanes)))
                        .collect();
                    self.collect_lanes(size, bytes, pieces, &places)
                };
                (0..pieces.len() / factor).map(part).collect()
            })
            .collect()
    }

    /// Stores records whose fields are in so many registers each.
    pub fn store_whole_records(&mut self, size: Size, fields: &[Registers], bytes: u32, place: Amode) {
        let pieces = self.join_records(size, fields, bytes);
        for (index, &piece) in pieces.iter().enumerate() {
            let to = self.plus(place, index as u32 * size.bytes());
            self.c.v_store(&ops::VMOVUPS_RM, size, piece, to);
        }
    }

    fn join_records(&mut self, size: Size, fields: &[Registers], bytes: u32) -> Registers {
        let factor = fields.len();
        if factor == 1 {
            return fields[0].clone();
        }
        let lanes = (size.bytes() / bytes) as usize;
        if factor.is_multiple_of(2) {
            let [even, odd] = [0, 1].map(|odd| {
                let half: Vec<Registers> = fields.iter().skip(odd).step_by(2).cloned().collect();
                self.join_records(size, &half, bytes)
            });
            let mut joined = Registers::new();
            for (&even, &odd) in even.iter().zip(&odd) {
                for upper in [0, lanes / 2] {
                    let places: Vec<Place> = (0..lanes).map(|lane| Some((lane % 2, upper + lane / 2))).collect();
                    joined.push(self.collect_lanes(size, bytes, &[even, odd], &places));
                }
            }
            return joined;
        }
        let parts = fields[0].len();
        let all: Registers = fields.iter().flatten().copied().collect();
        (0..parts * factor)
            .map(|piece| {
                let place = |lane: usize| {
                    let (record, field) = ((piece * lanes + lane) / factor, (piece * lanes + lane) % factor);
                    // Registers of a field stand together.
                    Some((field * parts + record / lanes, record % lanes))
                };
                let places: Vec<Place> = (0..lanes).map(place).collect();
                self.collect_lanes(size, bytes, &all, &places)
            })
            .collect()
    }
}
