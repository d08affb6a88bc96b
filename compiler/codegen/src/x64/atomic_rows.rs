//! Atomics of lanes that lie beside each other in memory, whose old values nobody needs: sixteen bytes at once.
//!
//! `cmpxchg16b` exchanges sixteen aligned bytes as one. What it does to them is to each element what an atomic of its own would have done,
//! and takes hardly longer than that one.

use super::encode::{Imm, Size};
use super::lane_addresses::Places;
use super::machine::{Amode, Cc, More, R, RAX, RDX, RmOf, gpr};
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, Elem, Type};
use regalloc2::{Operand, RegClass, VReg};

/// Exchanged at once.
const ROW_BYTES: u32 = 16;

/// The first lane's place, if all lanes lie beside each other and make whole rows.
pub fn beside(ty: Type, places: &Places) -> Option<Amode> {
    let Places::Steps(place, steps) = places else { return None };
    let bytes = ty.elem.bytes();
    let follows = |pair: &[i32]| i64::from(pair[1]) - i64::from(pair[0]) == i64::from(bytes);
    let steps = &steps[..usize::from(ty.lanes)];
    let whole = bytes >= 4 && (bytes * u32::from(ty.lanes)).is_multiple_of(ROW_BYTES);
    (whole && steps.windows(2).all(follows)).then_some(Amode { disp: steps[0], ..*place })
}

impl Selector<'_> {
    /// Does `op` to each element from `start` on, with the lanes of `value`, a row after the other. `start` must be aligned to a row.
    pub fn atomic_rows(&mut self, op: BinaryOp, value: &Parts, start: Amode) {
        for (row, by) in self.pieces(value).into_iter().enumerate() {
            let at = Amode {
                disp: start.disp + row as i32 * ROW_BYTES as i32,
                ..start
            };
            self.atomic_row(op, value.ty, by, at);
        }
    }

    /// Sets the flags: equal if `place` is aligned to a row.
    pub fn test_row(&mut self, place: Amode) -> Cc {
        let address = self.c.lea(place);
        self.c.test_i(Size::D, address, ROW_BYTES as i32 - 1);
        Cc::E
    }

    fn atomic_row(&mut self, op: BinaryOp, ty: Type, by: VReg, at: Amode) {
        let (iteration, done) = (self.c.block(), self.c.block());
        let [low, high] = [0, 1].map(|_| self.c.param(iteration, RegClass::Int));
        let behind = Amode { disp: at.disp + 8, ..at };
        let first = [at, behind].map(|half| self.c.load_int(8, half));
        self.c.jump(iteration, &first);
        self.continue_in(iteration);
        let old = self.c.int_to_v(Size::Q, low);
        let old = self.insert_in_register(Elem::I64, 8, old, high, 1);
        let bytes = ty.elem.bytes();
        let row = |reg| Parts::new(ty.with_lanes((ROW_BYTES / bytes) as u16), bytes, [reg]);
        let new = self.binary_parts(op, &row(old), &row(by)).regs[0];
        let [new_low, new_high] = [0, 1].map(|half| self.lane_of_register(Elem::I64, 8, new, half));
        let (found_low, found_high) = (self.c.int(), self.c.int());
        let more = More {
            lock: true,
            others: &[
                Operand::reg_fixed_use(low, RAX),
                Operand::reg_fixed_use(high, RDX),
                Operand::reg_fixed_use(new_low, gpr(3)),
                Operand::reg_fixed_use(new_high, gpr(1)),
                Operand::reg_fixed_def(found_low, RAX),
                Operand::reg_fixed_def(found_high, RDX),
            ],
            ..More::default()
        };
        self.c
            .machine_with(&ops::CMPXCHG16B, Size::Q, R::Digit(1), R::No, RmOf::Mem(at), Imm::No, more);
        self.c.branch(Cc::E, (done, &[]), (iteration, &[found_low, found_high]));
        self.continue_in(done);
    }
}
