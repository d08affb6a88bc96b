//! Instructions without control flow, lane by lane.

mod atomics;
mod calls;
mod lane;
mod memory;

use super::interleaved_access::Role;
use super::vectorize::Vectorizer;
use analysis::uniformity::Shape;
use ir::*;

impl Vectorizer<'_> {
    /// Writes one instruction of the source.
    pub(super) fn write_inst(&mut self, inst: Inst) {
        let (src, records) = (self.src, self.records);
        let node = src.inst(inst);
        if let Some(role) = records.role(inst) {
            if let Role::Whole(fields) = role {
                self.write_record(fields);
            }
            return;
        }
        match &node.data {
            InstData::Const { .. } => {}
            InstData::Builtin { builtin, dimension } => {
                let value = self.builtin(*builtin, *dimension);
                self.define(node.results[0], value);
            }
            InstData::SlotAddress { slot } => {
                // Lane 0's; the others follow at the slot's stride.
                let value = self.builder().slot_address(*slot);
                self.define(node.results[0], value);
            }
            InstData::Load { .. } => self.write_load(inst),
            InstData::Store { .. } => self.write_store(inst),
            InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            } => self.write_copy([*to, *from, *bytes], *to_mem, *from_mem),
            InstData::AtomicLoad { .. } | InstData::AtomicStore { .. } | InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } => {
                self.write_atomic(node);
            }
            InstData::Fence { .. } | InstData::Barrier { .. } => {
                self.builder().push(node.data.clone());
            }
            InstData::SubGroup { op, args } => {
                let value = self.sub_group(*op, args, node.results[0]);
                self.define(node.results[0], value);
            }
            InstData::Call { callee, args, results } => {
                self.write_call(*callee, args, results, &node.results);
            }
            InstData::CallRuntime { routine, args } => self.write_call_runtime(*routine, args, &node.results),
            _ => self.write_plain(node),
        }
    }

    /// An operation whose lanes don't meet: once where it is uniform or linear, else on vectors.
    fn write_plain(&mut self, node: &InstNode) {
        let result = node.results[0];
        let once = self.lanes == 1 || self.uniformity.shape(result) != Shape::Varying;
        if let InstData::IntCompare { cc, args } = node.data
            && !once
            && let Some(mask) = self.compare_with_edge(cc, args)
        {
            return self.define(result, mask);
        }
        // A choice by a uniform condition needs no mask vector.
        let keep_condition = match node.data {
            InstData::Select { mask, .. } => self.uniformity.shape(mask).is_uniform(),
            _ => false,
        };
        let mut data = node.data.clone();
        let mut first = true;
        data.for_each_operand_mut(|operand| {
            let scalar = once || keep_condition && first;
            first = false;
            *operand = if scalar { self.raw(*operand) } else { self.vector(*operand) };
        });
        if !once && let InstData::Convert { ty, .. } = &mut data {
            *ty = ty.with_lanes(self.lanes);
        }
        let mut b = self.builder();
        b.flags = node.flags;
        let value = b.value(data);
        self.define(result, value);
    }
}
