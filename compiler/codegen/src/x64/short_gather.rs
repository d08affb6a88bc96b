//! Gathers of 8 and 16 bits under mask registers: the machine gathers the eight bytes that each lies in, which are in memory together.

use super::encode::Imm;
use super::machine::{Amode, Base, More, R, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, BinaryOp, Elem, MemFlags, MemInfo, Type, Value};

impl Selector<'_> {
    /// The elements are short, and none of them lies across eight bytes and the next eight.
    pub fn gathers_around(&self, ty: Type, mem: &MemInfo) -> bool {
        let bytes = ty.elem.bytes();
        let short = ty.elem != Elem::Mask && bytes < 4 && mem.align.bytes() >= bytes;
        self.c.target.masks && short && !mem.flags.contains(MemFlags::VOLATILE)
    }

    /// Loads lanes from addresses of their own where the mask is true; the others are 0.
    pub fn gather_around(&mut self, ty: Type, address: &Address, mask: Value) -> Parts {
        let wide = Type::vector(Elem::I64, ty.lanes);
        let addresses = self.whole_addresses(wide, address);
        let within = self.constant(wide, 7);
        let offset = self.binary_parts(BinaryOp::And, &addresses, &within);
        let aligned = self.binary_parts(BinaryOp::Xor, &addresses, &offset);
        let amount = self.shift_by_constant(BinaryOp::Shl, &offset, 3);
        let on = self.get(mask);
        let masks = self.masks_of_parts(&on, 8, true);
        let (size, zero) = (aligned.size(), self.c.zero());
        let shifted: Registers = (0..masks.len())
            .map(|part| {
                let (dst, left) = (self.c.vec(), self.c.mask());
                let more = More {
                    mask: Some(masks[part]),
                    left: Some(left),
                    ..More::default()
                };
                let from = RmOf::Mem(Amode {
                    base: Base::None,
                    index: Some((aligned.regs[part], 0)),
                    disp: 0,
                });
                self.c
                    .machine_with(&ops::VGATHERQQ, size, R::Tied(dst, zero), R::No, from, Imm::No, more);
                self.c.v3(&ops::VPSRLVQ, size, dst, amount.regs[part])
            })
            .collect();
        self.truncate(&Parts::new(wide, 8, shifted), ty)
    }

    /// Each lane's address, in 64 bits.
    fn whole_addresses(&mut self, wide: Type, address: &Address) -> Parts {
        let (base, indices, scale, disp) = self.vector_addresses(address);
        let indices = if indices.bytes == 8 {
            indices
        } else {
            self.extend_to(true, &indices, 8)
        };
        let offsets = self.shift_by_constant(BinaryOp::Shl, &indices, u32::from(scale));
        let from = match base {
            Base::Reg(base) if disp == 0 => self.splat(wide, base),
            Base::Reg(base) => {
                let start = self.c.lea(Amode::reg(base, disp));
                self.splat(wide, start)
            }
            _ if disp == 0 => return offsets,
            _ => self.constant(wide, disp as i64 as u64),
        };
        self.binary_parts(BinaryOp::Add, &offsets, &from)
    }
}
