//! Shifts and rotates of vectors. The machine shifts lanes of 16 bits and more by one amount, those of 32 and more by amounts a lane.

use super::encode::Size;
use super::forms::of_width;
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, InstData, UnaryOp, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// A shift or rotate of a vector.
    pub fn vector_shift(&mut self, op: BinaryOp, a: Value, amount: Value) -> Parts {
        let left = self.get(a);
        if let Some(amount) = self.func.constant(amount) {
            return self.shift_by_constant(op, &left, (amount & u64::from(left.bytes * 8 - 1)) as u32);
        }
        let masks = self.c.target.masks;
        let rotates = matches!(op, BinaryOp::RotL | BinaryOp::RotR);
        let by_register = left.bytes > 1 && !rotates && (masks || !matches!((op, left.bytes), (BinaryOp::AShr, 8)));
        if by_register && let Some(scalar) = self.func.splatted(amount) {
            let scalar = self.scalar(scalar);
            let scalar = self.c.alu_i(super::build::Alu::And, Size::D, scalar, i64::from(left.bytes * 8 - 1));
            let amount = self.c.int_to_v(Size::D, scalar);
            return self.shift_by_register(op, &left, amount);
        }
        let amounts = self.get(amount);
        if masks && rotates && left.bytes >= 4 {
            let op = match (op, left.bytes) {
                (BinaryOp::RotL, 4) => &ops::VPROLVD,
                (BinaryOp::RotL, _) => &ops::VPROLVQ,
                (_, 4) => &ops::VPRORVD,
                _ => &ops::VPRORVQ,
            };
            return self.zip_op(op, &left, &amounts.sources());
        }
        if rotates && left.bytes == 2 && self.c.target.features.vbmi2 {
            return self.rotate_words_by(op, &left, &amounts);
        }
        let size = left.size();
        let last = u64::from(left.bytes * 8 - 1);
        let modulo = self.splat_source(size, left.bytes, last);
        let reduced = match self.is_at_most(amount, last) {
            true => amounts,
            false => self.map(&amounts, |s, part| s.c.v3(&ops::VPAND, size, part, modulo)),
        };
        match op {
            BinaryOp::RotL | BinaryOp::RotR if !masks && left.bytes <= 2 => {
                let to_left = match op {
                    BinaryOp::RotL => reduced,
                    _ => {
                        let negated = self.vector_unary(UnaryOp::Neg, &reduced);
                        self.map(&negated, |s, part| s.c.v3(&ops::VPAND, size, part, modulo))
                    }
                };
                self.rotate_by_products(&left, &to_left)
            }
            BinaryOp::RotL | BinaryOp::RotR => {
                let zero = self.constant(reduced.ty, 0);
                let back = self.binary_parts(BinaryOp::Sub, &zero, &reduced);
                let back = self.map(&back, |s, part| s.c.v3(&ops::VPAND, size, part, modulo));
                let (to_left, to_right) = if op == BinaryOp::RotL { (reduced, back) } else { (back, reduced) };
                let upper = self.shift_lanes(BinaryOp::Shl, &left, &to_left);
                let lower = self.shift_lanes(BinaryOp::LShr, &left, &to_right);
                self.zip(&upper, &lower, |s, upper, lower| s.c.v3(&ops::VPOR, size, upper, lower))
            }
            _ => self.shift_lanes(op, &left, &reduced),
        }
    }

    /// A number without a sign is no greater than so much, by what it is made by.
    pub fn is_at_most(&self, value: Value, most: u64) -> bool {
        let bits = self.func.ty(value).elem.bits();
        match self.func.def_data(value) {
            Some(&InstData::Binary {
                op: BinaryOp::And | BinaryOp::UMin,
                args: [_, limit],
            }) => self.func.constant(limit).is_some_and(|limit| limit <= most),
            Some(&InstData::Binary {
                op: BinaryOp::LShr,
                args: [_, by],
            }) => {
                let by = self.func.constant(by).filter(|&by| by < u64::from(bits));
                by.is_some_and(|by| u64::MAX >> (64 - bits) >> by <= most)
            }
            _ => false,
        }
    }

    /// Two to the power of each lane, which is below the width of 8 or 16 bits.
    fn powers_of_two(&mut self, exponents: &Parts) -> Parts {
        let size = exponents.size();
        let byte_of_power = |lane: usize, byte: usize| ((1u32 << (lane % 16)) >> (8 * byte)) as u8;
        let low = self.vector_constant(size, |lane| byte_of_power(lane, 0));
        if exponents.bytes == 1 {
            return self.map(exponents, |s, part| s.c.v3(&ops::VPSHUFB, size, low, part));
        }
        let high = self.vector_constant(size, |lane| byte_of_power(lane, 1));
        // The other byte of each lane takes nothing from the table.
        let (not_high, not_low) = (self.splat_bits(size, 2, 0x8000), self.splat_bits(size, 2, 0x80));
        self.map(exponents, |s, part| {
            let of_low = s.c.v3(&ops::VPOR, size, part, not_high);
            let up = s.c.v_shift(&ops::VPSHIFTW_I8, 6, size, part, 8);
            let of_high = s.c.v3(&ops::VPOR, size, up, not_low);
            let of_low = s.c.v3(&ops::VPSHUFB, size, low, of_low);
            let of_high = s.c.v3(&ops::VPSHUFB, size, high, of_high);
            s.c.v3(&ops::VPOR, size, of_low, of_high)
        })
    }

    /// Rotates lanes of 8 or 16 bits to the left by amounts below their width: the halves of products with powers of two, together.
    fn rotate_by_products(&mut self, a: &Parts, amounts: &Parts) -> Parts {
        let size = a.size();
        let powers = self.powers_of_two(amounts);
        if a.bytes == 2 {
            return self.zip(a, &powers, |s, a, power| {
                let low = s.c.v3(&ops::VPMULLW, size, a, power);
                let high = s.c.v3(&ops::VPMULHUW, size, a, power);
                s.c.v3(&ops::VPOR, size, low, high)
            });
        }
        let low = self.splat_bits(size, 2, 0xff);
        self.zip(a, &powers, |s, a, power| {
            let even = [a, power].map(|part| s.c.v3(&ops::VPAND, size, part, low));
            let even = s.c.v3(&ops::VPMULLW, size, even[0], even[1]);
            let wrapped = s.c.v_shift(&ops::VPSHIFTW_I8, 2, size, even, 8);
            let even = s.c.v3(&ops::VPOR, size, even, wrapped);
            let even = s.c.v3(&ops::VPAND, size, even, low);
            let odd = [a, power].map(|part| s.c.v_shift(&ops::VPSHIFTW_I8, 2, size, part, 8));
            let odd = s.c.v3(&ops::VPMULLW, size, odd[0], odd[1]);
            let wrapped = s.c.v_shift(&ops::VPSHIFTW_I8, 6, size, odd, 8);
            let odd = s.c.v3(&ops::VPOR, size, odd, wrapped);
            let odd = s.c.v3(&ops::VPANDN, size, low, odd);
            s.c.v3(&ops::VPOR, size, even, odd)
        })
    }

    /// All lanes by the amount in the low bits of a register.
    fn shift_by_register(&mut self, op: BinaryOp, a: &Parts, amount: VReg) -> Parts {
        let machine = match op {
            BinaryOp::Shl => [&ops::VPSLLW, &ops::VPSLLW, &ops::VPSLLD, &ops::VPSLLQ],
            BinaryOp::LShr => [&ops::VPSRLW, &ops::VPSRLW, &ops::VPSRLD, &ops::VPSRLQ],
            _ => [&ops::VPSRAW, &ops::VPSRAW, &ops::VPSRAD, &ops::VPSRAQ],
        };
        let (machine, size) = (of_width(a.bytes, machine), a.size());
        self.map(a, |s, part| s.c.v3(machine, size, part, amount))
    }

    /// All lanes by a constant below the width.
    pub fn shift_by_constant(&mut self, op: BinaryOp, a: &Parts, amount: u32) -> Parts {
        let bits = a.bytes * 8;
        let size = a.size();
        match (op, a.bytes) {
            _ if amount.is_multiple_of(bits) => a.clone(),
            (BinaryOp::RotL | BinaryOp::RotR, 4 | 8) if self.c.target.masks => {
                let machine = if a.bytes == 4 { &ops::VPROTD_I8 } else { &ops::VPROTQ_I8 };
                let digit = u8::from(op == BinaryOp::RotL);
                self.map(a, |s, part| s.c.v_shift(machine, digit, size, part, amount as u8))
            }
            // The others are two operations, which together have their result sooner.
            (BinaryOp::AShr | BinaryOp::RotL | BinaryOp::RotR, 1) if self.c.target.features.gfni => {
                let amount = amount as i32;
                self.map_bits_of_bytes(a, |bit| match op {
                    BinaryOp::AShr => (bit + amount).min(7),
                    BinaryOp::RotL => (bit - amount) & 7,
                    _ => (bit + amount) & 7,
                })
            }
            (BinaryOp::RotL | BinaryOp::RotR, 2) if self.c.target.features.vbmi2 => {
                self.rotate_words(a, if op == BinaryOp::RotL { amount } else { bits - amount })
            }
            (BinaryOp::RotL | BinaryOp::RotR, 2..) if amount.is_multiple_of(8) => {
                let left = if op == BinaryOp::RotL { amount } else { bits - amount };
                self.rotate_bytes(a, left / 8)
            }
            (BinaryOp::AShr, 8) if self.c.target.masks => self.map(a, |s, part| s.c.v_shift(&ops::VPSRAQ_I8, 4, size, part, amount as u8)),
            (BinaryOp::RotL | BinaryOp::RotR, _) => {
                let left = if op == BinaryOp::RotL { amount } else { bits - amount };
                let lanes = a.ty.lanes / a.regs.len() as u16;
                // One register after the other, so that no more than one has both halves at a time.
                self.map(a, |s, part| {
                    let one = Parts::new(a.ty.with_lanes(lanes), a.bytes, [part]);
                    let upper = s.shift_by_constant(BinaryOp::Shl, &one, left).regs[0];
                    let lower = s.shift_by_constant(BinaryOp::LShr, &one, bits - left).regs[0];
                    s.c.v3(&ops::VPOR, size, upper, lower)
                })
            }
            (BinaryOp::AShr, 1 | 8) => {
                // A logical shift, and the sign, now further down, spread over the bits above it.
                let shifted = self.shift_by_constant(BinaryOp::LShr, a, amount);
                let sign = self.splat_bits(size, a.bytes, 1 << (bits - 1 - amount));
                let subtract = if a.bytes == 1 { &ops::VPSUBB } else { &ops::VPSUBQ };
                self.map(&shifted, |s, part| {
                    let flipped = s.c.v3(&ops::VPXOR, size, part, sign);
                    s.c.v3(subtract, size, flipped, sign)
                })
            }
            (BinaryOp::Shl, 1) if amount == 1 => self.map(a, |s, part| s.c.v3(&ops::VPADDB, size, part, part)),
            (_, 1) => {
                let words = a.regrouped(2);
                let shifted = self.shift_raw(op, &words, amount);
                let shifted = Parts::new(a.ty, 1, shifted.regs);
                let kept = if op == BinaryOp::Shl { 0xff << amount } else { 0xff >> amount };
                let kept = self.splat_source(size, 1, kept & 0xff);
                self.map(&shifted, |s, part| s.c.v3(&ops::VPAND, size, part, kept))
            }
            _ => self.shift_raw(op, a, amount),
        }
    }

    /// The bytes of each lane, so many up; those that leave it come in again below.
    fn rotate_bytes(&mut self, a: &Parts, up: u32) -> Parts {
        let (size, bytes) = (a.size(), a.bytes as usize);
        if [up, a.bytes] == [4, 8] {
            return self.map(a, |s, part| s.c.v2i(&ops::VPSHUFD, size, part, 0xb1));
        }
        let control = self.pooled_part(size, |byte| {
            let lane = byte % 16 / bytes * bytes;
            (lane + (byte + bytes - up as usize) % bytes) as u8
        });
        self.map(a, |s, part| s.c.v3(&ops::VPSHUFB, size, part, control))
    }

    /// Lanes of 16 bits or more by a constant; not to the right with the sign for 64 bits.
    pub fn shift_raw(&mut self, op: BinaryOp, a: &Parts, amount: u32) -> Parts {
        let machine = of_width(
            a.bytes,
            [&ops::VPSHIFTW_I8, &ops::VPSHIFTW_I8, &ops::VPSHIFTD_I8, &ops::VPSHIFTQ_I8],
        );
        let digit = match op {
            BinaryOp::Shl => 6,
            BinaryOp::LShr => 2,
            _ => 4,
        };
        let size = a.size();
        self.map(a, |s, part| s.c.v_shift(machine, digit, size, part, amount as u8))
    }

    /// Each lane by its own amount, which is below the width.
    fn shift_lanes(&mut self, op: BinaryOp, a: &Parts, amounts: &Parts) -> Parts {
        let size = a.size();
        let machine = match (op, a.bytes) {
            (BinaryOp::Shl, 4) => &ops::VPSLLVD,
            (BinaryOp::Shl, 8) => &ops::VPSLLVQ,
            (BinaryOp::LShr, 4) => &ops::VPSRLVD,
            (BinaryOp::LShr, 8) => &ops::VPSRLVQ,
            (BinaryOp::AShr, 4) => &ops::VPSRAVD,
            (BinaryOp::AShr, 8) if self.c.target.masks => &ops::VPSRAVQ,
            (BinaryOp::Shl, 2) if self.c.target.masks => &ops::VPSLLVW,
            (BinaryOp::LShr, 2) if self.c.target.masks => &ops::VPSRLVW,
            (BinaryOp::AShr, 2) if self.c.target.masks => &ops::VPSRAVW,
            (BinaryOp::AShr, 8) => {
                let sign = self.splat_bits(size, 8, 1 << 63);
                return self.zip(a, amounts, |s, a, amount| {
                    let shifted = s.c.v3(&ops::VPSRLVQ, size, a, amount);
                    let sign = s.c.v3(&ops::VPSRLVQ, size, sign, amount);
                    let flipped = s.c.v3(&ops::VPXOR, size, shifted, sign);
                    s.c.v3(&ops::VPSUBQ, size, flipped, sign)
                });
            }
            (BinaryOp::Shl, 2) => {
                let powers = self.powers_of_two(amounts);
                return self.zip_op(&ops::VPMULLW, a, &powers.sources());
            }
            _ => {
                let bytes = if self.c.target.masks || op == BinaryOp::Shl { 2 } else { 4 };
                let wide = self.extend_to(op == BinaryOp::AShr, a, bytes);
                let amounts = self.extend_to(false, amounts, bytes);
                let shifted = self.shift_lanes(op, &wide, &amounts);
                return self.truncate(&shifted, a.ty);
            }
        };
        self.zip_op(machine, a, &amounts.sources())
    }
}
