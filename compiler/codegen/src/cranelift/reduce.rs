//! Reductions and scans across lanes.
//!
//! Lanes that are off take part with the value that changes nothing. Halves are combined in f32.

use super::emit::Emitter;
use super::values::{Parts, Registers};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::{Elem, ReduceOp, Type, Value};

impl Emitter<'_> {
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
        let mut parts: Vec<clif::Value> = active.regs.to_vec();
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|pair| self.combine(op, ty, bytes, pair[0], pair[1])).collect();
        }
        let mut result = parts[0];
        let mut lanes = u32::from(ty.lanes).min(16 / bytes);
        if op == ReduceOp::Add && elem == Elem::I32 && lanes == 4 && self.target.vectors.sum_of_words {
            // The shape of which Cranelift makes the one instruction.
            for _ in 0..2 {
                result = self.ins().iadd_pairwise(result, result);
            }
            lanes = 1;
        }
        while lanes > 1 {
            lanes /= 2;
            let distance = (lanes * bytes) as usize;
            let upper = self.shuffle(result, result, |byte| ((byte + distance) % 16) as u8);
            let upper = self.cast(active.clif_type(), upper);
            result = self.combine(op, ty, bytes, result, upper);
        }
        let value = self.ins().extractlane(result, 0);
        let scalar = Parts::scalar(ty.with_lanes(1), value);
        match elem {
            Elem::F16 | Elem::BF16 => self.f32_to_half(elem, &scalar, ir::Rounding::Nearest),
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
        let mut active = self.active_or_identity(op, &vector, mask);
        let identity = self.constant(active.ty, op.identity(active.ty.elem)).regs[0];
        let mut carry: Option<clif::Value> = None;
        for part in 0..active.regs.len() {
            let scanned = self.scan_part(op, &active, part, identity);
            let result = match carry {
                None => scanned,
                Some(carry) => self.combine(op, active.ty, active.bytes, carry, scanned),
            };
            active.regs[part] = result;
            if part + 1 < active.regs.len() {
                let bytes = active.bytes as usize;
                let last = self.shuffle(result, result, |byte| (16 - bytes + byte % bytes) as u8);
                carry = Some(self.cast(active.clif_type(), last));
            }
        }
        if !inclusive {
            active = self.move_up(&active, identity);
        }
        match elem {
            Elem::F16 | Elem::BF16 => self.f32_to_half(elem, &active, ir::Rounding::Nearest),
            Elem::Mask => Parts::new(vector.ty, 1, active.regs),
            _ => active,
        }
    }

    /// Each lane combined with those before it in its part: at distance 1, 2, 4, …
    fn scan_part(&mut self, op: ReduceOp, active: &Parts, part: usize, identity: clif::Value) -> clif::Value {
        let bytes = active.bytes as usize;
        let mut result = active.regs[part];
        let mut distance = bytes;
        while distance < 16.min(bytes * usize::from(active.ty.lanes)) {
            let moved = self.shuffle(result, identity, |byte| {
                (if byte < distance { 16 + byte } else { byte - distance }) as u8
            });
            let moved = self.cast(active.clif_type(), moved);
            result = self.combine(op, active.ty, active.bytes, moved, result);
            distance *= 2;
        }
        result
    }

    /// Each lane one up, the identity in the first.
    fn move_up(&mut self, active: &Parts, identity: clif::Value) -> Parts {
        let bytes = active.bytes as usize;
        let regs: Registers = (0..active.regs.len())
            .map(|part| {
                let before = if part == 0 { identity } else { active.regs[part - 1] };
                let moved = self.shuffle(active.regs[part], before, |byte| {
                    (if byte < bytes { 32 - bytes + byte } else { byte - bytes }) as u8
                });
                self.cast(active.clif_type(), moved)
            })
            .collect();
        Parts::new(active.ty, active.bytes, regs)
    }

    fn combine(&mut self, op: ReduceOp, ty: Type, bytes: u32, a: clif::Value, b: clif::Value) -> clif::Value {
        let full = ty.with_lanes((16 / bytes) as u16);
        self.binary_parts(op.binary(), &Parts::new(full, bytes, [a]), &Parts::new(full, bytes, [b]))
            .regs[0]
    }

    /// The vector with the identity in lanes that are off; halves as f32, masks as bytes.
    fn active_or_identity(&mut self, op: ReduceOp, vector: &Parts, mask: Value) -> Parts {
        let vector = match vector.ty.elem {
            Elem::F16 | Elem::BF16 => self.half_to_f32(vector),
            Elem::Mask => {
                let bytes = self.mask(vector, 1);
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
        let mask = self.get_mask(mask, vector.bytes);
        let value = match (op, vector.ty.is_vector()) {
            (ReduceOp::And, true) => {
                let regs: Registers = vector
                    .regs
                    .iter()
                    .zip(&mask.regs)
                    .map(|(&value, &mask)| {
                        let off = self.ins().bnot(mask);
                        self.ins().bor(value, off)
                    })
                    .collect();
                self.all_true(&Parts::new(vector.ty, vector.bytes, regs))
            }
            (ReduceOp::And, false) => {
                let off = self.ins().bxor_imm_s(mask.regs[0], 1);
                self.ins().bor(vector.regs[0], off)
            }
            _ => {
                let on = self.zip(vector, &mask, |e, value, mask| e.ins().band(value, mask));
                if op == ReduceOp::Or {
                    self.any_true(&on)
                } else {
                    let bits = self.mask_bits(&on);
                    let count = self.ins().popcnt(bits);
                    let odd = self.ins().band_imm_u(count, 1);
                    self.ins().ireduce(types::I8, odd)
                }
            }
        };
        Parts::scalar(vector.ty.with_lanes(1), value)
    }
}
