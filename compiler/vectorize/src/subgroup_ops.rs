//! Operations that look across the lanes of a gang, built-ins that tell lanes apart, and what a trap leaves behind.

use super::gang_guards::{operands, together, write};
use super::vectorize::Vectorizer;
use analysis::Layout;
use analysis::uniformity::Shape;
use device::abi::WorkerRecord;
use interface::OFFSET_ALIGN;
use ir::*;
use rustc_hash::FxHashMap;
use std::mem::offset_of;

impl Vectorizer<'_> {
    /// An operation across the active lanes. A scalar where the result is uniform, else a vector.
    pub(super) fn sub_group(&mut self, op: SubGroupOp, args: &[Value], result: Value) -> Value {
        if self.lanes == 1 {
            return self.sub_group_of_one(op, args, result);
        }
        let lanes = self.lanes;
        let mask = self.mask();
        match op {
            SubGroupOp::All | SubGroupOp::Any if self.uniformity.shape(args[0]).is_uniform() => self.raw(args[0]),
            SubGroupOp::All | SubGroupOp::Any
                if self.func.constant(mask) == Some(1)
                    && let Some(all) = together(self.src, self.uniformity, self.facts.width, args[0], op == SubGroupOp::All) =>
            {
                let mut known = FxHashMap::default();
                operands(&all, &mut |value| {
                    known.insert(value, self.raw(value));
                });
                let mut b = self.builder();
                let all = write(&all, &mut b, lanes, &|value| known[&value]);
                // Some lane has it where not all lack it.
                if op == SubGroupOp::All { all } else { b.not(all) }
            }
            SubGroupOp::All => {
                let value = self.vector(args[0]);
                let not = self.mask_and_not(mask, value);
                let mut b = self.builder();
                let some = b.lane(LaneOp::AnyTrue, Type::MASK, &[not]);
                b.not(some)
            }
            SubGroupOp::Any => {
                let value = self.vector(args[0]);
                let and = self.mask_and(mask, value);
                self.builder().lane(LaneOp::AnyTrue, Type::MASK, &[and])
            }
            SubGroupOp::AllEqual => {
                let first = self.first_lane();
                let value = self.vector(args[0]);
                let scalar = self.extract(value, first);
                let mut b = self.builder();
                let splat = b.splat(lanes, scalar);
                let differs = if b.ty(value).elem.is_float() {
                    b.fcmp(FloatCc::Une, value, splat)
                } else {
                    b.icmp(IntCc::Ne, value, splat)
                };
                let differs = self.mask_and(mask, differs);
                let mut b = self.builder();
                let some = b.lane(LaneOp::AnyTrue, Type::MASK, &[differs]);
                b.not(some)
            }
            SubGroupOp::Ballot => {
                let value = self.vector(args[0]);
                let and = self.mask_and(mask, value);
                self.builder().lane(LaneOp::MaskBits, Type::I32, &[and])
            }
            SubGroupOp::Elect => {
                let first = self.first_lane();
                let mut b = self.builder();
                let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
                let first = b.splat(lanes, first);
                b.icmp(IntCc::Eq, iota, first)
            }
            SubGroupOp::Broadcast | SubGroupOp::BroadcastFirst if self.uniformity.shape(args[0]).is_uniform() => self.raw(args[0]),
            SubGroupOp::Broadcast => {
                let lane = if self.uniformity.shape(args[1]).is_uniform() {
                    self.raw(args[1])
                } else {
                    let first = self.first_lane();
                    let lanes = self.vector(args[1]);
                    self.extract(lanes, first)
                };
                match self.uniformity.shape(args[0]) {
                    Shape::Linear { .. } => self.in_lane(args[0], Some(lane), 0),
                    _ => {
                        let value = self.vector(args[0]);
                        self.extract(value, lane)
                    }
                }
            }
            SubGroupOp::BroadcastFirst if matches!(self.uniformity.shape(args[0]), Shape::Linear { .. }) => {
                let lane = self.mask_operand().map(|_| self.first_lane());
                self.in_lane(args[0], lane, 0)
            }
            SubGroupOp::BroadcastFirst => {
                let first = self.first_lane();
                let value = self.vector(args[0]);
                self.extract(value, first)
            }
            SubGroupOp::Shuffle => {
                let (value, lane) = (self.vector(args[0]), self.vector(args[1]));
                self.permute(value, lane)
            }
            SubGroupOp::Reduce(op) => {
                let value = self.vector(args[0]);
                self.reduce(op, value, mask)
            }
            SubGroupOp::InclusiveScan(op) => {
                let value = self.vector(args[0]);
                self.scan(LaneOp::InclusiveScan(op), value, mask)
            }
            SubGroupOp::ExclusiveScan(op) => {
                let value = self.vector(args[0]);
                self.scan(LaneOp::ExclusiveScan(op), value, mask)
            }
            SubGroupOp::ClusteredReduce(op, size) => self.clustered(op, u16::from(size), args[0], mask),
        }
    }

    fn sub_group_of_one(&mut self, op: SubGroupOp, args: &[Value], result: Value) -> Value {
        match op {
            SubGroupOp::Elect | SubGroupOp::AllEqual => self.builder().mask(Type::MASK, true),
            SubGroupOp::Ballot => {
                let value = self.raw(args[0]);
                let mut b = self.builder();
                let (one, zero) = (b.i32(1), b.i32(0));
                b.select(value, one, zero)
            }
            SubGroupOp::ExclusiveScan(op) => {
                let ty = self.src.ty(result);
                self.builder().constant(ty, op.identity(ty.elem))
            }
            _ => self.raw(args[0]),
        }
    }

    /// Masks have no lanes to move; they go as integers.
    fn as_movable(&mut self, value: Value) -> (Value, bool) {
        if self.func.ty(value).elem != Elem::Mask {
            return (value, false);
        }
        (self.builder().convert(ConvertOp::MaskToInt, Elem::I32, value), true)
    }

    fn as_mask_again(&mut self, value: Value, was_mask: bool) -> Value {
        if was_mask {
            self.builder().convert(ConvertOp::IntToMask, Elem::Mask, value)
        } else {
            value
        }
    }

    fn permute(&mut self, value: Value, lane: Value) -> Value {
        let (value, was_mask) = self.as_movable(value);
        let ty = self.func.ty(value);
        let moved = self.builder().lane(LaneOp::Permute, ty, &[value, lane]);
        self.as_mask_again(moved, was_mask)
    }

    fn reduce(&mut self, op: ReduceOp, value: Value, mask: Value) -> Value {
        let (value, was_mask) = self.as_movable(value);
        let ty = self.func.ty(value).with_lanes(1);
        let reduced = self.builder().lane(LaneOp::Reduce(op), ty, &[value, mask]);
        self.as_mask_again(reduced, was_mask)
    }

    fn scan(&mut self, op: LaneOp, value: Value, mask: Value) -> Value {
        let (value, was_mask) = self.as_movable(value);
        let ty = self.func.ty(value);
        let scanned = self.builder().lane(op, ty, &[value, mask]);
        self.as_mask_again(scanned, was_mask)
    }

    /// Butterflies of distance 1, 2, 4 … within the clusters; lanes that are not active bring the identity.
    fn clustered(&mut self, op: ReduceOp, size: u16, arg: Value, mask: Value) -> Value {
        let value = self.vector(arg);
        let (value, was_mask) = self.as_movable(value);
        let ty = self.func.ty(value);
        let size = size.min(self.lanes);
        let mut b = self.builder();
        let identity = b.constant(ty, op.identity(ty.elem));
        let mut value = b.select(mask, value, identity);
        let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, ty.lanes), &[]);
        let mut distance = 1;
        while distance < size {
            let other = b.binary_imm(BinaryOp::Xor, iota, i64::from(distance));
            let moved = b.lane(LaneOp::Permute, ty, &[value, other]);
            value = b.binary(op.binary(), value, moved);
            distance *= 2;
        }
        self.as_mask_again(value, was_mask)
    }

    /// The dimension that lanes follow one another in, if there is one.
    fn along(&self) -> Option<u8> {
        match self.facts.layout {
            Layout::Rows { dimension } => Some(dimension),
            Layout::Linear => None,
        }
    }

    /// A built-in: a scalar where it is uniform, lane 0's where it is linear, else a vector.
    pub(super) fn builtin(&mut self, builtin: Builtin, dimension: u8) -> Value {
        let facts = self.facts;
        let width = facts.width;
        match builtin {
            Builtin::LocalId => match self.along() {
                Some(_) => self.builder().builtin(builtin, dimension),
                None => self.local_id_by_division(dimension),
            },
            Builtin::GlobalId => {
                let local = self.builtin(Builtin::LocalId, dimension);
                let lanes = self.func.ty(local).lanes;
                let (zero_offset, aligned_offset) = (facts.zero_offset, facts.aligned_offset);
                let enqueued = self.enqueued_local_size(dimension);
                let mut b = self.builder();
                let group = b.builtin(Builtin::GroupId, dimension);
                let mut first = b.mul(group, enqueued);
                if facts.ends_overlap[usize::from(dimension)] {
                    let size = b.builtin(Builtin::GlobalSize, dimension);
                    let last = b.sub(size, enqueued);
                    first = b.binary(BinaryOp::UMin, first, last);
                }
                if !zero_offset {
                    let mut offset = b.builtin(Builtin::GlobalOffset, dimension);
                    if aligned_offset {
                        // It changes nothing: passes over the group see zeros.
                        let mask = b.constant(Type::I64, !(OFFSET_ALIGN - 1));
                        offset = b.binary(BinaryOp::And, offset, mask);
                    }
                    first = b.add(first, offset);
                }
                let first = b.splat(lanes, first);
                b.add(first, local)
            }
            Builtin::LocalSize if !facts.full_groups => self.builder().builtin(builtin, dimension),
            Builtin::LocalSize | Builtin::EnqueuedLocalSize => self.enqueued_local_size(dimension),
            Builtin::WorkDim => self.builder().i32(facts.work_dim as i32),
            Builtin::LocalLinearId if self.along().is_some() => self.linear_id_in_rows(),
            Builtin::LocalLinearId => {
                let mut b = self.builder();
                let gang = b.builtin(Builtin::SubGroupId, 0);
                let gang = b.convert(ConvertOp::ZExt, Elem::I64, gang);
                b.binary_imm(BinaryOp::Mul, gang, i64::from(width))
            }
            Builtin::GlobalLinearId => self.global_linear_id(),
            Builtin::SubGroupLocalId => self.builder().i32(0),
            Builtin::SubGroupMaxSize => self.builder().i32(width as i32),
            Builtin::SubGroupSize => self.sub_group_size(),
            Builtin::NumEnqueuedSubGroups => {
                let items = self.enqueued_items();
                self.gangs_of(items)
            }
            Builtin::NumSubGroups => {
                let items = self.group_items();
                self.gangs_of(items)
            }
            _ => self.builder().builtin(builtin, dimension),
        }
    }

    /// An `i64`.
    fn enqueued_local_size(&mut self, dimension: u8) -> Value {
        let known = self.facts.local_size.along(dimension.into());
        let mut b = self.builder();
        match known {
            Some(size) => b.i64(size as i64),
            None => b.builtin(Builtin::EnqueuedLocalSize, dimension),
        }
    }

    /// Work-items of a group that is not cut off, as an `i64`.
    fn enqueued_items(&mut self) -> Value {
        let sizes = [0, 1, 2].map(|dimension| self.enqueued_local_size(dimension));
        self.product(sizes)
    }

    /// Work-items of this group, as an `i64`.
    fn group_items(&mut self) -> Value {
        if self.facts.full_groups {
            return self.enqueued_items();
        }
        let sizes = [0, 1, 2].map(|dimension| self.builder().builtin(Builtin::LocalSize, dimension));
        self.product(sizes)
    }

    fn product(&mut self, [x, y, z]: [Value; 3]) -> Value {
        let mut b = self.builder();
        let plane = b.mul(x, y);
        b.mul(plane, z)
    }

    /// Gangs of so many work-items (an `i64`), as an `i32`.
    fn gangs_of(&mut self, items: Value) -> Value {
        let width = i64::from(self.facts.width);
        let mut b = self.builder();
        let rounded = b.binary_imm(BinaryOp::Add, items, width - 1);
        let count = b.binary_imm(BinaryOp::UDiv, rounded, width);
        b.convert(ConvertOp::Trunc, Elem::I32, count)
    }

    /// Work-items of this gang, as an `i32`.
    pub(super) fn sub_group_size(&mut self) -> Value {
        let width = self.facts.width;
        if width == 1 || self.facts.full_gangs() {
            return self.builder().i32(width as i32);
        }
        let items = self.group_items();
        let mut b = self.builder();
        let gang = b.builtin(Builtin::SubGroupId, 0);
        let gang = b.convert(ConvertOp::ZExt, Elem::I64, gang);
        let before = b.binary_imm(BinaryOp::Mul, gang, i64::from(width));
        let left = b.sub(items, before);
        let size = b.binary_imm(BinaryOp::UMin, left, i64::from(width));
        b.convert(ConvertOp::Trunc, Elem::I32, size)
    }

    /// The local linear id of the first lane of a gang in a row: in whatever order a group's gangs are run.
    fn linear_id_in_rows(&mut self) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dimension| self.builtin(Builtin::LocalId, dimension));
        let [width, height] = [0, 1].map(|dimension| self.builtin(Builtin::LocalSize, dimension));
        let mut b = self.builder();
        let planes = b.mul(z, height);
        let rows = b.add(planes, y);
        let before = b.mul(rows, width);
        b.add(before, x)
    }

    /// Local ids divided out of the local linear id, each lane for itself.
    fn local_id_by_division(&mut self, dimension: u8) -> Value {
        let (width, lanes) = (self.facts.width, self.lanes);
        let sizes = [0, 1].map(|dimension| self.builtin(Builtin::LocalSize, dimension));
        let mut b = self.builder();
        let gang = b.builtin(Builtin::SubGroupId, 0);
        let first = b.binary_imm(BinaryOp::Mul, gang, i64::from(width));
        let mut linear = b.splat(lanes, first);
        if lanes > 1 {
            let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
            linear = b.add(linear, iota);
        }
        let [x, y] = sizes.map(|size| {
            let size = b.convert(ConvertOp::Trunc, Elem::I32, size);
            b.splat(lanes, size)
        });
        let id = match dimension {
            0 => b.binary(BinaryOp::URem, linear, x),
            1 => {
                let row = b.binary(BinaryOp::UDiv, linear, x);
                b.binary(BinaryOp::URem, row, y)
            }
            _ => {
                let plane = b.mul(x, y);
                b.binary(BinaryOp::UDiv, linear, plane)
            }
        };
        b.convert(ConvertOp::ZExt, Elem::I64, id)
    }

    /// ((z - oz) * height + (y - oy)) * length + (x - ox)
    fn global_linear_id(&mut self) -> Value {
        let mut linear: Option<Value> = None;
        for dimension in [2, 1, 0] {
            let id = self.builtin(Builtin::GlobalId, dimension);
            let zero_offset = self.facts.zero_offset;
            let mut b = self.builder();
            let mut id = id;
            if !zero_offset {
                let lanes = b.ty(id).lanes;
                let offset = b.builtin(Builtin::GlobalOffset, dimension);
                let offset = b.splat(lanes, offset);
                id = b.sub(id, offset);
            }
            linear = Some(match linear {
                None => id,
                Some(so_far) => {
                    let lanes = b.ty(so_far).lanes;
                    let size = b.builtin(Builtin::GlobalSize, dimension);
                    let size = b.splat(lanes, size);
                    let rows = b.mul(so_far, size);
                    let lanes = b.ty(id).lanes.max(lanes);
                    let rows = if b.ty(rows).lanes < lanes { b.splat(lanes, rows) } else { rows };
                    let id = if b.ty(id).lanes < lanes { b.splat(lanes, id) } else { id };
                    b.add(rows, id)
                }
            });
        }
        let value = linear.expect("three dimensions");
        // The shape says varying where a gang does not lie along x; then a vector is wanted.
        let along_x = self.along() == Some(0);
        if along_x || self.lanes == 1 || self.func.ty(value).lanes > 1 {
            return value;
        }
        self.global_linear_id_along_other(value)
    }

    /// Lanes along y or z (dimensions before it have size 1 in the group): one row, or plane, further a lane.
    fn global_linear_id_along_other(&mut self, first: Value) -> Value {
        let lanes = self.lanes;
        let along = self.along().unwrap_or(0);
        let mut b = self.builder();
        let mut step = b.builtin(Builtin::GlobalSize, 0);
        if along == 2 {
            let rows = b.builtin(Builtin::GlobalSize, 1);
            step = b.mul(step, rows);
        }
        let step = b.splat(lanes, step);
        let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I64, lanes), &[]);
        let steps = b.mul(iota, step);
        let first = b.splat(lanes, first);
        b.add(first, steps)
    }

    /// Leaves the first active lane's global id where the launch looks for it.
    pub(super) fn note_trap(&mut self) {
        let first = self.first_lane();
        for dimension in 0..3u8 {
            let id = self.builtin(Builtin::GlobalId, dimension);
            let along = self.along() == Some(dimension);
            let id = if self.func.ty(id).lanes > 1 {
                self.extract(id, first)
            } else if along && self.lanes > 1 {
                let mut b = self.builder();
                let lane = b.convert(ConvertOp::ZExt, Elem::I64, first);
                b.add(id, lane)
            } else {
                id
            };
            let offset = offset_of!(WorkerRecord, trap_item) + 8 * usize::from(dimension);
            let mut b = self.builder();
            let worker = b.builtin(Builtin::Worker, 0);
            b.store(id, Address::offset(worker, offset as i32), MemInfo::new(Space::Global, 8));
        }
    }
}
