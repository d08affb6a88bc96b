//! Loads of consecutive bytes and words of 16 bits of which only some lanes are on, where the machine has no loads under a mask for them.
//!
//! All lanes are loaded at once where that touches no page that none of them is in: where they lie in one page, or all are on. Else, which is hardly
//! ever, they are loaded one by one. Loads under one mask share what is asked of it: windows of images have many.

use super::build::Alu;
use super::encode::Size;
use super::machine::{Amode, Cc, Label};
use super::memory::PAGE;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Elem, Type, Value};
use regalloc2::{RegClass, VReg};
use rustc_hash::FxHashMap;

/// What is known of masks within the current block.
#[derive(Clone, Default)]
pub struct KnownMasks {
    /// In other widths than they are held in.
    pub widths: FxHashMap<(Value, u32), Parts>,
    /// The last byte of a page from which on so many bytes are in it; -1 where no lane is on, which allows none.
    last_bytes: FxHashMap<(Value, u32), VReg>,
}

impl Selector<'_> {
    /// Goes on where all ways from a fork meet: what was known in front of it still is.
    pub fn meet_in(&mut self, block: Label, known: KnownMasks) {
        self.continue_in(block);
        self.known_masks = known;
    }

    /// Where the mask is true, else the lanes of `passthru`.
    pub fn load_active_lanes(&mut self, ty: Type, place: Amode, mask: Value, passthru: Option<Value>) -> Parts {
        // In memory and in the registers that come out, a mask is bytes.
        let held = if ty.elem == Elem::Mask { ty.with_elem(Elem::I8) } else { ty };
        let bytes = held.elem.bytes();
        let on = self.get_mask(mask, bytes);
        let last = self.last_byte(mask, &on, held.bytes());
        let passthru = passthru.map(|passthru| {
            let parts = self.get(passthru);
            self.in_memory_form(&parts)
        });
        let known = self.known_masks.clone();
        let (across, fast, slow, done) = (self.c.block(), self.c.block(), self.c.block(), self.c.block());
        let results: Registers = (0..self.part_count(held.lanes, bytes))
            .map(|_| self.c.param(done, RegClass::Float))
            .collect();
        let place = self.as_register(place);
        let first = self.c.lea(place);
        let first = self.c.alu_i(Alu::And, Size::D, first, i64::from(PAGE - 1));
        self.c.cmp(Size::D, first, last);
        self.c.branch(Cc::Le, (fast, &[]), (across, &[]));
        self.c.set_cold(across);
        self.c.set_cold(slow);

        self.continue_in(across);
        let cc = self.test_all(&on);
        self.c.branch(cc, (fast, &[]), (slow, &[]));

        self.continue_in(fast);
        let loaded = self.load_vector(ty, place);
        let loaded = self.in_memory_form(&loaded);
        let chosen = match &passthru {
            Some(passthru) => self.select_parts(&on, &loaded, passthru),
            None => self.zip_op(&ops::VPAND, &loaded, &on.sources()),
        };
        self.c.jump(done, &chosen.regs);

        self.continue_in(slow);
        let passthru = match passthru {
            Some(passthru) => passthru,
            None => self.constant(held, 0),
        };
        self.spill(&passthru, 0);
        let bits = self.mask_bits(&on);
        self.for_each_active_lane(bits, |s, lane| {
            let from = Amode::lane(place, lane, bytes);
            let value = s.load_scalar(ty.elem, from);
            let value = if ty.elem == Elem::Mask {
                s.c.group3(3, Size::D, value)
            } else {
                value
            };
            let to = Amode::lane(s.buffer(0, 0), lane, bytes);
            s.store_scalar(held.elem, value, to);
        });
        let reloaded = self.reload(held, bytes, 0);
        self.c.jump(done, &reloaded.regs);

        self.meet_in(done, known);
        Parts::new(ty, bytes, results)
    }

    /// See [`KnownMasks::last_bytes`].
    fn last_byte(&mut self, mask: Value, on: &Parts, bytes: u32) -> VReg {
        if let Some(&known) = self.known_masks.last_bytes.get(&(mask, bytes)) {
            return known;
        }
        let (none, some) = (self.c.constant(u64::MAX), self.c.constant((PAGE - bytes).into()));
        let cc = self.test_any(on);
        let last = self.c.cmov(cc, Size::D, some, none);
        self.known_masks.last_bytes.insert((mask, bytes), last);
        last
    }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::super::tests::code_for;

    /// Two loads of bytes under masks of words, the second of which is `second`.
    fn code_of(second: &str) -> String {
        let text = format!(
            "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
             v6 = load.i32x32 global align 4 [v0]\n  v7 = load.i32x32 global align 4 [v1]\n  v8 = icmp.slt v6, v7\n  \
             v9 = icmp.eq v6, v7\n  v10 = load.i8x32 global align 1 [v2] mask v8\n  v11 = load.i8x32 global align 1 [v3] {second}\n  \
             v12 = add v10, v11\n  store v12, global align 1 [v4]\n  v13 = const.i32 0\n  return v13\n}}"
        );
        code_for(Target::AVX2, &text)
    }

    #[test]
    fn loads_share_what_is_asked_of_their_mask() {
        let shared = code_of("mask v8");
        assert_eq!(
            (shared.matches("vpacksswb").count(), shared.matches("cmov").count()),
            (1, 1),
            "{shared}"
        );
        let own = code_of("mask v9");
        assert_eq!((own.matches("vpacksswb").count(), own.matches("cmov").count()), (2, 2), "{own}");
    }

    #[test]
    fn lanes_that_are_off_are_cut_off_or_chosen() {
        assert!(!code_of("mask v8").contains("vpblendvb"));
        let others = code_of("mask v8 or v10");
        assert!(others.contains("vpblendvb"), "{others}");
    }
}
