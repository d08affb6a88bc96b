//! Bits of vectors of integers: counted, reversed, moved within bytes.

use super::encode::Size;
use super::forms::of_width;
use super::ops;
use super::parts::Parts;
use super::selector::Selector;
use ir::{BinaryOp, UnaryOp};
use regalloc2::VReg;

impl Selector<'_> {
    /// [`UnaryOp::Popcnt`].
    pub fn count_bits(&mut self, a: &Parts) -> Parts {
        let features = self.c.target.features;
        if if a.bytes < 4 { features.bitalg } else { features.vpopcntdq } {
            let op = of_width(a.bytes, [&ops::VPOPCNTB, &ops::VPOPCNTW, &ops::VPOPCNTD, &ops::VPOPCNTQ]);
            return self.map_op(op, a);
        }
        // Bits are counted in nibbles by a table, then added up within each lane.
        let size = a.size();
        let table = self.vector_constant(size, |byte| (byte as u8 % 16).count_ones() as u8);
        let nibble = self.splat_bits(size, 1, 15);
        let counts = self.map(a, |s, part| {
            let low = s.c.v3(&ops::VPAND, size, part, nibble);
            let high = s.c.v_shift(&ops::VPSHIFTW_I8, 2, size, part, 4);
            let high = s.c.v3(&ops::VPAND, size, high, nibble);
            let low = s.c.v3(&ops::VPSHUFB, size, table, low);
            let high = s.c.v3(&ops::VPSHUFB, size, table, high);
            s.c.v3(&ops::VPADDB, size, low, high)
        });
        self.sum_bytes(&counts)
    }

    /// The sum of the bytes of each lane, which are small.
    fn sum_bytes(&mut self, a: &Parts) -> Parts {
        let size = a.size();
        if a.bytes == 1 {
            return a.clone();
        }
        if a.bytes == 8 {
            let zero = self.c.zero();
            return self.map(a, |s, part| s.c.v3(&ops::VPSADBW, size, part, zero));
        }
        let one = self.splat_source(size, 1, 1);
        let pairs = self.map(a, |s, part| s.c.v3(&ops::VPMADDUBSW, size, part, one));
        if a.bytes == 2 {
            return pairs;
        }
        let one = self.splat_source(size, 2, 1);
        self.map(&pairs, |s, part| s.c.v3(&ops::VPMADDWD, size, part, one))
    }

    /// [`UnaryOp::Clz`].
    pub fn leading_zeros(&mut self, a: &Parts) -> Parts {
        if !self.c.target.masks {
            // The bits below the highest one are filled, then counted.
            let size = a.size();
            let mut filled = a.clone();
            let mut by = 1;
            while by < a.bytes * 8 {
                let shifted = self.shift_by_constant(BinaryOp::LShr, &filled, by);
                filled = self.zip(&filled, &shifted, |s, a, b| s.c.v3(&ops::VPOR, size, a, b));
                by *= 2;
            }
            let inverted = self.vector_unary(UnaryOp::Not, &filled);
            return self.count_bits(&inverted);
        }
        // Counted in lanes of 32 bits or more: shorter ones at their upper end.
        if a.bytes >= 4 {
            return self.map_op(if a.bytes == 4 { &ops::VPLZCNTD } else { &ops::VPLZCNTQ }, a);
        }
        let wide = self.extend_to(false, a, 4);
        let counted = self.map_op(&ops::VPLZCNTD, &wide);
        let surplus = self.constant(counted.ty, u64::from(32 - a.bytes * 8));
        let counted = self.binary_parts(BinaryOp::Sub, &counted, &surplus);
        self.truncate(&counted, a.ty)
    }

    /// [`UnaryOp::Ctz`].
    pub fn trailing_zeros(&mut self, a: &Parts) -> Parts {
        // The zeros below the lowest one: ~a & (a - 1).
        let size = a.size();
        let ones = self.constant(a.ty, u64::MAX);
        let below = self.binary_parts(BinaryOp::Add, a, &ones);
        let zeros = self.zip(a, &below, |s, a, below| s.c.v3(&ops::VPANDN, size, a, below));
        if self.c.target.masks && !self.c.target.features.vpopcntdq && a.bytes >= 4 {
            let above = self.leading_zeros(&zeros);
            let width = self.constant(a.ty, u64::from(a.bytes * 8));
            return self.binary_parts(BinaryOp::Sub, &width, &above);
        }
        self.count_bits(&zeros)
    }

    /// [`UnaryOp::BitReverse`].
    pub fn reverse_bits(&mut self, a: &Parts) -> Parts {
        let size = a.size();
        let swapped = self.swap_bytes(a);
        if self.c.target.features.gfni {
            return self.map_bits_of_bytes(&swapped, |bit| 7 - bit);
        }
        self.map(&swapped, |s, part| s.reverse_bits_of_bytes(size, part))
    }

    /// [`UnaryOp::ByteSwap`].
    pub fn swap_bytes(&mut self, a: &Parts) -> Parts {
        let (size, width) = (a.size(), a.bytes as usize);
        if width == 1 {
            return a.clone();
        }
        let control = self.pooled_part(size, |byte| {
            let byte = byte % 16;
            (byte / width * width + (width - 1 - byte % width)) as u8
        });
        self.map(a, |s, part| s.c.v3(&ops::VPSHUFB, size, part, control))
    }

    /// The reverse of each nibble by a table, and the nibbles exchanged.
    fn reverse_bits_of_bytes(&mut self, size: Size, part: VReg) -> VReg {
        let upper = self.vector_constant(size, |byte| (byte as u8 % 16).reverse_bits());
        let lower = self.vector_constant(size, |byte| (byte as u8 % 16).reverse_bits() >> 4);
        let nibble = self.splat_bits(size, 1, 15);
        let low = self.c.v3(&ops::VPAND, size, part, nibble);
        let high = self.c.v_shift(&ops::VPSHIFTW_I8, 2, size, part, 4);
        let high = self.c.v3(&ops::VPAND, size, high, nibble);
        let low = self.c.v3(&ops::VPSHUFB, size, upper, low);
        let high = self.c.v3(&ops::VPSHUFB, size, lower, high);
        self.c.v3(&ops::VPOR, size, low, high)
    }

    /// Each bit of each byte is the one that `source` says of the byte, or 0 where that is none of it; with GFNI.
    pub fn map_bits_of_bytes(&mut self, a: &Parts, source: impl Fn(i32) -> i32) -> Parts {
        // A row of the matrix says which bits add up to one of the result, the highest bit's row first.
        let matrix = (0..8)
            .filter(|&bit| (0..8).contains(&source(bit)))
            .fold(0u64, |matrix, bit| matrix | 1 << (8 * (7 - bit) + source(bit)));
        let size = a.size();
        let matrix = self.spread_source(size, 8, matrix);
        self.map(a, |s, part| s.c.v3i(&ops::VGF2P8AFFINEQB, size, part, matrix, 0))
    }

    /// Rotates words to the left; with VBMI2.
    pub fn rotate_words(&mut self, a: &Parts, by: u32) -> Parts {
        let size = a.size();
        self.map(a, |s, part| s.c.v3i(&ops::VPSHLDW, size, part, part, by as u8))
    }

    /// Rotates words by an amount each, modulo their width; with VBMI2.
    pub fn rotate_words_by(&mut self, op: BinaryOp, a: &Parts, amounts: &Parts) -> Parts {
        let machine = if op == BinaryOp::RotL { &ops::VPSHLDVW } else { &ops::VPSHRDVW };
        let size = a.size();
        self.zip(a, amounts, |s, value, amount| s.c.v3_tied(machine, size, value, value, amount))
    }
}
