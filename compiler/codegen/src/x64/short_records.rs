//! Records whose fields are shorter than the longest registers, as pixels are: permutations over whole registers turn them at once.

use super::encode::{Op, Size};
use super::machine::Amode;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Elem, Type};
use regalloc2::VReg;

/// Bytes of the registers.
const WHOLE: usize = 64;

/// Vectors of records that fill one register or two.
pub struct ShortRecords {
    /// A field of all records.
    field: Type,
    /// Fields of a record.
    factor: usize,
}

impl ShortRecords {
    /// All elements, as if they were one vector.
    fn all(&self) -> Type {
        self.field.with_lanes(self.field.lanes * self.factor as u16)
    }

    /// Which element of the fields one after the other an element of the records is.
    fn in_fields(&self, element: usize) -> usize {
        element % self.factor * usize::from(self.field.lanes) + element / self.factor
    }

    /// Which element of the records an element of the fields one after the other is.
    fn in_records(&self, element: usize) -> usize {
        let lanes = usize::from(self.field.lanes);
        element % lanes * self.factor + element / lanes
    }

    fn registers(&self) -> usize {
        self.all().bytes() as usize / WHOLE
    }
}

impl Selector<'_> {
    /// Records that are turned at once: the machine permutes their elements over one register or two.
    pub fn short_records(&self, field: Type, factor: usize) -> Option<ShortRecords> {
        let target = self.c.target;
        let permutes = match field.elem {
            Elem::I8 => target.features.vbmi,
            elem => elem.bytes() == 2,
        };
        let fits = matches!(field.bytes(), 16 | 32) && matches!(field.bytes() as usize * factor, 64 | 128);
        (target.masks && permutes && fits).then_some(ShortRecords { field, factor })
    }

    /// The fields of records in memory.
    pub fn load_short_records(&mut self, records: &ShortRecords, place: Amode) -> Vec<Parts> {
        let bytes = records.field.elem.bytes();
        let loaded: Registers = (0..records.registers())
            .map(|index| {
                let from = self.plus(place, (index * WHOLE) as u32);
                self.c.v2(&ops::VMOVUPS, Size::Z, from)
            })
            .collect();
        let turned = self.turned(bytes, &loaded, |element| records.in_records(element));
        let piece = if records.field.bytes() == 16 { Size::X } else { Size::Y };
        let fields = self.pieces_of(piece, &Parts::new(records.all(), bytes, turned));
        fields.into_iter().map(|reg| Parts::new(records.field, bytes, [reg])).collect()
    }

    /// Fields to records in memory.
    pub fn store_short_records(&mut self, records: &ShortRecords, fields: &[Parts], place: Amode) {
        let bytes = records.field.elem.bytes();
        let pieces: Registers = fields.iter().map(|field| field.regs[0]).collect();
        let joined = self.join_pieces_of(fields[0].size(), records.all(), bytes, &pieces);
        let turned = self.turned(bytes, &joined.regs, |element| records.in_fields(element));
        for (index, reg) in turned.into_iter().enumerate() {
            let to = self.plus(place, (index * WHOLE) as u32);
            self.c.v_store(&ops::VMOVUPS_RM, Size::Z, reg, to);
        }
    }

    /// The elements of one register or two in another order: `source` says where each one comes from.
    fn turned(&mut self, bytes: u32, sources: &[VReg], source: impl Fn(usize) -> usize) -> Registers {
        let width = bytes as usize;
        (0..sources.len())
            .map(|index| {
                let control = self.vector_constant(Size::Z, |byte| match byte % width {
                    0 => source((index * WHOLE + byte) / width) as u8,
                    _ => 0,
                });
                let [one, two]: [&'static Op; 2] = match bytes {
                    1 => [&ops::VPERMB, &ops::VPERMT2B],
                    _ => [&ops::VPERMW, &ops::VPERMT2W],
                };
                match *sources {
                    [only] => self.c.v3(one, Size::Z, control, only),
                    [first, second, ..] => self.c.v3_tied(two, Size::Z, first, control, second),
                    [] => unreachable!("there is a register for each result"),
                }
            })
            .collect()
    }
}
