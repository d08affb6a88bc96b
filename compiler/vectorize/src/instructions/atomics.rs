//! Atomic operations: a lane at a time, or the gang's together where that can't be told apart.

use crate::vectorize::Vectorizer;
use ir::*;

impl Vectorizer<'_> {
    pub(super) fn write_atomic(&mut self, node: &InstNode) {
        if self.write_atomic_of_gang(node) {
            return;
        }
        let uniform = node
            .results
            .first()
            .is_some_and(|&result| self.uniformity.shape(result).is_uniform());
        let lanes = self.lanes;
        let mut data = node.data.clone();
        let once = lanes == 1 || uniform && matches!(data, InstData::AtomicLoad { .. } | InstData::AtomicCas { .. });
        data.for_each_operand_mut(|operand| *operand = if once { self.raw(*operand) } else { self.vector(*operand) });
        if !once {
            let active = self.mask_operand();
            match &mut data {
                InstData::AtomicLoad { ty, mask, .. } => {
                    *ty = ty.with_lanes(lanes);
                    *mask = active;
                }
                InstData::AtomicStore { mask, .. } | InstData::AtomicRmw { mask, .. } | InstData::AtomicCas { mask, .. } => *mask = active,
                _ => {}
            }
        }
        let inst = self.builder().push(data);
        if let Some(&result) = node.results.first() {
            let value = self.func.result(inst);
            self.define(result, value);
        }
    }

    /// Lanes that change one place by integers that can be put together: the gang does so once, and each lane's old value is what lanes
    /// before it have made of the gang's. The block is entered with some lane active only.
    fn write_atomic_of_gang(&mut self, node: &InstNode) -> bool {
        let InstData::AtomicRmw {
            op, value, address, mem, ..
        } = node.data
        else {
            return false;
        };
        let Some(together) = op.reduction() else { return false };
        if self.lanes == 1 || !self.uniformity.shape(address).is_uniform() || mem.flags.contains(MemFlags::VOLATILE) {
            return false;
        }
        let mask = self.mask();
        let vector = self.vector(value);
        let ty = self.func.ty(vector);
        let total = self.builder().lane(LaneOp::Reduce(together), ty.with_lanes(1), &[vector, mask]);
        let mut data = node.data.clone();
        let place = self.raw(address);
        if let InstData::AtomicRmw { value, address, .. } = &mut data {
            (*value, *address) = (total, place);
        }
        let first = self.builder().value(data);
        let lanes = self.lanes;
        let mut b = self.builder();
        let before = b.lane(LaneOp::ExclusiveScan(together), ty, &[vector, mask]);
        let first = b.splat(lanes, first);
        let binary = if op == AtomicOp::Sub { BinaryOp::Sub } else { together.binary() };
        let old = b.binary(binary, first, before);
        self.define(node.results[0], old);
        true
    }
}
