//! Reductions and scans across lanes.
//!
//! Lanes that are off take part with the value that changes nothing. Halves are combined in f32.

use super::build::Alu;
use super::encode::Size;
use super::ops;
use super::parts::Parts;
use super::scalar::Operand2;
use super::selector::Selector;
use ir::{BinaryOp, Elem, ReduceOp, Rounding, Type, Value};
use regalloc2::VReg;

impl Selector<'_> {
    /// The combination of the lanes where the mask is true.
    pub fn reduce(&mut self, op: ReduceOp, value: Value, mask: Value) -> Parts {
        let vector = self.get(value);
        if vector.ty.elem == Elem::Mask {
            return self.reduce_mask(op, &vector, mask);
        }
        if !vector.ty.is_vector() {
            let mask = self.get(mask);
            return self.or_identity(op, &vector, &mask);
        }
        let elem = vector.ty.elem;
        let active = self.active_or_identity(op, &vector, mask);
        let (ty, bytes) = (active.ty, active.bytes);
        // Part by part first, in a tree.
        let mut size = active.size();
        let mut parts = active.regs.to_vec();
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| self.combine(op, ty, bytes, size, pair[0], pair[1]))
                .collect();
        }
        let mut result = parts[0];
        if size == Size::Z {
            size = Size::Y;
            let upper = self.c.v_rm(&ops::VEXTRACTI64X4_RM, Size::Z, result, 1);
            result = self.combine(op, ty, bytes, size, result, upper);
        }
        if size == Size::Y {
            size = Size::X;
            let upper = self.c.v_rm(&ops::VEXTRACTI128_RM, Size::Y, result, 1);
            result = self.combine(op, ty, bytes, size, result, upper);
        }
        let mut lanes = u32::from(ty.lanes).min(16 / bytes);
        while lanes > 1 {
            lanes /= 2;
            let distance = (lanes * bytes) as usize;
            let upper = self.shuffle(result, result, |byte| ((byte + distance) % 16) as u8);
            result = self.combine(op, ty, bytes, size, result, upper);
        }
        let value = self.lane_of_register(ty.elem, bytes, result, 0);
        let scalar = Parts::scalar(ty.with_lanes(1), value);
        match elem {
            Elem::F16 | Elem::BF16 => self.f32_to_half(elem, &scalar, Rounding::Nearest),
            _ => scalar,
        }
    }

    /// All lanes, up to their own or before it.
    pub fn scan(&mut self, op: ReduceOp, value: Value, mask: Value, inclusive: bool) -> Parts {
        let vector = self.get(value);
        if !vector.ty.is_vector() {
            let mask = self.get(mask);
            return match inclusive {
                true => self.or_identity(op, &vector, &mask),
                false => self.constant(vector.ty, op.identity(vector.ty.elem)),
            };
        }
        let elem = vector.ty.elem;
        let active = self.active_or_identity(op, &vector, mask);
        let (ty, bytes) = (active.ty, active.bytes);
        let identity = self.constant(ty, op.identity(ty.elem)).regs[0];
        let mut carry: Option<VReg> = None;
        let mut pieces = self.pieces(&active);
        let last = pieces.len() - 1;
        for (number, piece) in pieces.iter_mut().enumerate() {
            let scanned = self.scan_piece(op, ty, bytes, *piece, identity);
            *piece = match carry {
                None => scanned,
                Some(carry) => self.combine(op, ty, bytes, Size::X, carry, scanned),
            };
            if number < last {
                let (result, bytes) = (*piece, bytes as usize);
                carry = Some(self.shuffle(result, result, |byte| (16 - bytes + byte % bytes) as u8));
            }
        }
        if !inclusive {
            // Each lane one up, the identity in the first.
            let mut before = identity;
            for piece in &mut pieces {
                let moved = self.c.v3i(&ops::VPALIGNR, Size::X, *piece, before, 16 - bytes as u8);
                before = *piece;
                *piece = moved;
            }
        }
        let result = self.join_pieces(ty, bytes, &pieces);
        match elem {
            Elem::F16 | Elem::BF16 => self.f32_to_half(elem, &result, Rounding::Nearest),
            Elem::Mask => {
                let lanes = Parts::new(vector.ty, 1, result.regs);
                self.as_mask_is_held(&lanes)
            }
            _ => result,
        }
    }

    /// Each lane combined with those before it in 128 bits: at distance 1, 2, 4, …
    fn scan_piece(&mut self, op: ReduceOp, ty: Type, bytes: u32, piece: VReg, identity: VReg) -> VReg {
        let mut result = piece;
        let mut distance = bytes;
        while distance < 16.min(bytes * u32::from(ty.lanes)) {
            let moved = self.c.v3i(&ops::VPALIGNR, Size::X, result, identity, 16 - distance as u8);
            result = self.combine(op, ty, bytes, Size::X, moved, result);
            distance *= 2;
        }
        result
    }

    fn combine(&mut self, op: ReduceOp, ty: Type, bytes: u32, size: Size, a: VReg, b: VReg) -> VReg {
        let full = ty.with_lanes((size.bytes() / bytes) as u16);
        self.binary_parts(op.binary(), &Parts::new(full, bytes, [a]), &Parts::new(full, bytes, [b]))
            .regs[0]
    }

    /// The vector with the identity in lanes that are off; halves as f32, masks as bytes.
    fn active_or_identity(&mut self, op: ReduceOp, vector: &Parts, mask: Value) -> Parts {
        let vector = match vector.ty.elem {
            Elem::F16 | Elem::BF16 => self.half_to_f32(vector),
            Elem::Mask => {
                let bytes = self.mask_as_lanes(vector, 1);
                Parts::new(vector.ty.with_elem(Elem::I8), 1, bytes.regs)
            }
            _ => vector.clone(),
        };
        if self.func.constant(mask) == Some(1) {
            return vector;
        }
        let mask = self.get_mask(mask, vector.bytes);
        self.or_identity(op, &vector, &mask)
    }

    fn or_identity(&mut self, op: ReduceOp, vector: &Parts, mask: &Parts) -> Parts {
        let identity = self.constant(vector.ty, op.identity(vector.ty.elem));
        self.select_parts(mask, vector, &identity)
    }

    fn reduce_mask(&mut self, op: ReduceOp, vector: &Parts, mask: Value) -> Parts {
        let ty = vector.ty.with_lanes(1);
        let mask = self.get_mask(mask, vector.bytes);
        if !vector.ty.is_vector() {
            let value = match op {
                ReduceOp::And => {
                    let off = self.c.alu_i(Alu::Xor, Size::D, mask.regs[0], 1);
                    self.c.alu(Alu::Or, Size::D, vector.regs[0], off)
                }
                _ => self.c.alu(Alu::And, Size::D, vector.regs[0], mask.regs[0]),
            };
            return Parts::scalar(ty, value);
        }
        let cc = match op {
            ReduceOp::And => {
                let off = self.inverted(&mask);
                let on = self.combined_masks(BinaryOp::Or, vector, &off);
                self.test_all(&on)
            }
            _ => {
                let on = self.combined_masks(BinaryOp::And, vector, &mask);
                if op == ReduceOp::Or {
                    self.test_any(&on)
                } else {
                    let bits = self.mask_bits(&on);
                    let count = self.c.g2(&ops::POPCNT, Size::D, bits);
                    let odd = self.scalar_int_binary(BinaryOp::And, Elem::I32, count, Operand2::Constant(1));
                    return Parts::scalar(ty, odd);
                }
            }
        };
        let value = self.c.setcc(cc);
        Parts::scalar(ty, value)
    }
}
