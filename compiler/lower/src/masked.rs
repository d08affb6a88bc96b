//! Gathers and scatters under a mask (SPV_INTEL_masked_gather_scatter): component by component. Where the mask is false, memory of the work-item's
//! own is read or written instead.

use super::Failure;
use super::function::{Lowering, Result};
use super::shape::Leaf;
use super::value::{Pointer, Scalars};
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn masked(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::MaskedGatherINTEL => {
                let elem = self.result_elem(inst)?;
                let places = self.masked_places(inst.word(0), inst.word(2), elem)?;
                let (masks, others) = (self.scalars(inst.word(2))?, self.scalars(inst.word(3))?);
                let mut results = Scalars::new();
                for ((place, &mask), &other) in places.iter().zip(&masks).zip(&others) {
                    let found = self.load_leaf(&Leaf { elem, offset: 0 }, place, align(inst.word(1), elem), MemFlags::empty());
                    results.push(self.b().select(mask, found, other));
                }
                self.define(inst, results);
            }
            Op::MaskedScatterINTEL => {
                let values = self.scalars(inst.word(0))?;
                let Some(&first) = values.first() else {
                    return Err(Failure::Unsupported);
                };
                let elem = self.func.ty(first).elem;
                let places = self.masked_places(inst.word(1), inst.word(3), elem)?;
                for (place, &value) in places.iter().zip(&values) {
                    self.store_leaf(
                        &Leaf { elem, offset: 0 },
                        value,
                        place,
                        align(inst.word(2), elem),
                        MemFlags::empty(),
                    );
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Where each component is, or would be.
    fn masked_places(&mut self, pointers: Id, mask: Id, elem: Elem) -> Result<Vec<Pointer>> {
        let (addresses, masks) = (self.scalars(pointers)?, self.scalars(mask)?);
        let own = self.slot(8, elem.bytes().max(8))?;
        let own = self.materialize(&own);
        let choose = |(&address, &mask): (&Value, &Value)| {
            let place = self.b().select(mask, address, own);
            Pointer::new(place, Space::Generic)
        };
        Ok(addresses.iter().zip(&masks).map(choose).collect())
    }
}

/// The alignment that the instruction promises; 0 promises nothing but the element's own.
fn align(word: u32, elem: Elem) -> u32 {
    match word {
        0 => elem.bytes(),
        word => word.min(elem.bytes()),
    }
}
