//! Scatters: stores of lanes that each have an address of their own.

use super::encode::{Imm, Size};
use super::machine::{Amode, Cc, R, RmOf};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{Address, Elem, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// The address if a bit is on, else the scratch line.
    pub fn or_scratch_by_bit(&mut self, place: Amode, bits: VReg, lane: u32) -> Amode {
        self.or_scratch(place, |s| {
            s.c.test_i(Size::D, bits, (1u32 << lane) as i32);
            Cc::Ne
        })
    }

    /// Stores a lane to each address, the last lanes last.
    pub fn scatter(&mut self, value: &Parts, address: &Address, mask: Option<Value>) {
        if self.gathers_natively(value.ty, address, mask.is_some()) {
            return self.scatter_under_mask(value, address, mask);
        }
        let Some(mask) = mask else {
            let places = self.places(address);
            return self.store_lanes(value, None, |s, lane| s.place(&places, address, lane));
        };
        let mask = self.get(mask);
        let cc = self.test_all(&mask);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let places = self.places(address);
        self.store_lanes(value, None, |s, lane| s.place(&places, address, lane));
        self.c.jump(done, &[]);
        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let places = self.places(address);
        self.store_lanes(value, Some(bits), |s, lane| s.place(&places, address, lane));
        self.c.jump(done, &[]);
        self.continue_in(done);
    }

    /// Stores lanes one after the other: those whose bits are on, if these are given.
    pub fn store_lanes(&mut self, value: &Parts, bits: Option<VReg>, place_of: impl Fn(&mut Self, u32) -> Amode) {
        let bytes = value.in_mask_register().then(|| self.mask_as_bytes(value));
        let value = bytes.as_ref().unwrap_or(value);
        let pieces = self.pieces(value);
        let per_piece = 16 / value.bytes;
        for lane in 0..u32::from(value.ty.lanes) {
            let mut place = place_of(self, lane);
            if let Some(bits) = bits {
                place = self.or_scratch_by_bit(place, bits, lane);
            }
            if value.ty.elem == Elem::Mask {
                let scalar = self.lane(value, lane);
                self.c.store_int(1, scalar, place);
                continue;
            }
            let (piece, at) = (pieces[(lane / per_piece) as usize], (lane % per_piece) as u8);
            let extract = match (value.bytes, at) {
                (8, 0) => {
                    self.c.v_store(&ops::VMOVSD_RM, Size::X, piece, place);
                    continue;
                }
                (8, _) => {
                    self.c.v_store(&ops::VMOVHPS_RM, Size::X, piece, place);
                    continue;
                }
                (4, 0) => {
                    self.c.v_store(&ops::VMOVSS_RM, Size::X, piece, place);
                    continue;
                }
                (4, _) => &ops::VPEXTRD_RM,
                (2, _) => &ops::VPEXTRW_RM,
                _ => &ops::VPEXTRB_RM,
            };
            self.c
                .machine(extract, Size::X, R::Use(piece), R::No, RmOf::Mem(place), Imm::I8(at));
        }
    }
}
