//! Records whose fields fill a half or a quarter of a register of 128 bits over all lanes, as bytes of eight pixels do, or of four.

use super::encode::{Imm, Size};
use super::machine::{Amode, R, RmOf};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::Type;
use regalloc2::VReg;
use smallvec::SmallVec;

/// Bytes of a register.
const REGISTER: usize = 16;

/// The fields of the records, or what they have in memory: two registers at most.
type Registers = SmallVec<[VReg; 2]>;

/// Records of at most four fields.
#[derive(Clone, Copy)]
pub struct PartialRecords {
    /// A field of all records: of 4 bytes or 8.
    field: Type,
    factor: usize,
}

impl PartialRecords {
    /// Records of so many fields, if they are such ones.
    pub fn of(field: Type, factor: usize) -> Option<PartialRecords> {
        let is_one = field.is_vector() && matches!(field.bytes(), 4 | 8) && (2..=4).contains(&factor);
        is_one.then_some(PartialRecords { field, factor })
    }

    /// Bytes of an element.
    fn bytes(self) -> usize {
        self.field.elem.bytes() as usize
    }

    /// Bytes of all records.
    fn all(self) -> usize {
        self.field.bytes() as usize * self.factor
    }

    /// Where in the records a byte of the fields is, counted from that of the first. (Behind the last lane the first follows again.)
    fn in_records(self, field: usize, byte: usize) -> u8 {
        let element = byte / self.bytes() % usize::from(self.field.lanes) * self.factor + field;
        (element * self.bytes() + byte % self.bytes()) as u8
    }

    /// Where in the fields, one after the other, a byte of the records is.
    fn in_fields(self, byte: usize) -> u8 {
        let element = byte / self.bytes();
        let (record, field) = (element / self.factor % usize::from(self.field.lanes), element % self.factor);
        (field * self.field.bytes() as usize + record * self.bytes() + byte % self.bytes()) as u8
    }
}

impl Selector<'_> {
    /// The fields of records in memory.
    pub fn load_partial_records(&mut self, records: PartialRecords, place: Amode) -> Vec<Parts> {
        let pieces: Registers = (0..records.all())
            .step_by(REGISTER)
            .map(|at| {
                let from = self.plus(place, at as u32);
                match records.all() - at {
                    8 => self.c.v2(&ops::VMOVSD, Size::X, from),
                    12 => {
                        let low = self.c.v2(&ops::VMOVSD, Size::X, from);
                        let rest = self.plus(from, 8);
                        self.c.v3i(&ops::VPINSRD, Size::X, low, rest, 2)
                    }
                    _ => self.c.v2(&ops::VMOVUPS, Size::X, from),
                }
            })
            .collect();
        (0..records.factor)
            .map(|field| {
                let reg = self.shuffle_each(Size::X, pieces[0], pieces[pieces.len() - 1], |byte| records.in_records(field, byte));
                Parts::new(records.field, records.field.elem.bytes(), [reg])
            })
            .collect()
    }

    /// Fields to records in memory.
    pub fn store_partial_records(&mut self, records: PartialRecords, fields: &[Parts], place: Amode) {
        let mut joined: Registers = fields.iter().map(|field| field.regs[0]).collect();
        let quarters = [&ops::VPUNPCKLDQ, &ops::VPUNPCKLQDQ];
        for op in if records.field.bytes() == 4 {
            &quarters[..]
        } else {
            &quarters[1..]
        } {
            joined = joined
                .chunks(2)
                .map(|pair| match *pair {
                    [low, high] => self.c.v3(op, Size::X, low, high),
                    _ => pair[0],
                })
                .collect();
        }
        for at in (0..records.all()).step_by(REGISTER) {
            let piece = self.shuffle_each(Size::X, joined[0], joined[joined.len() - 1], |byte| records.in_fields(at + byte));
            let to = self.plus(place, at as u32);
            match records.all() - at {
                8 => self.c.v_store(&ops::VMOVSD_RM, Size::X, piece, to),
                12 => {
                    self.c.v_store(&ops::VMOVSD_RM, Size::X, piece, to);
                    let rest = self.plus(to, 8);
                    self.c
                        .machine(&ops::VPEXTRD_RM, Size::X, R::Use(piece), R::No, RmOf::Mem(rest), Imm::I8(2));
                }
                _ => self.c.v_store(&ops::VMOVUPS_RM, Size::X, piece, to),
            }
        }
    }
}
