//! Instructions without control flow, lane by lane.

use super::records::Role;
use super::strides::Access;
use super::uniformity::Shape;
use super::vectorize::Vectorizer;
use crate::ir::*;
use smallvec::SmallVec;

/// A record's fields.
type ValueFields = SmallVec<[Option<Inst>; 4]>;

/// So many operations are done again for a single lane before one is taken from a vector.
const LANE_DEPTH: u32 = 6;

impl Vectorizer<'_> {
    /// Writes one instruction of the source.
    pub(super) fn write_inst(&mut self, inst: Inst) {
        let src = self.src;
        let node = src.inst(inst);
        if let Some(role) = self.records.role(inst) {
            if let Role::Whole(fields) = role {
                let fields: ValueFields = fields.iter().copied().collect();
                self.write_record(&fields);
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
                let mut args: ValueList = args.iter().map(|&arg| self.vector(arg)).collect();
                if self.lanes > 1 {
                    args.push(self.mask());
                }
                let results: SmallVec<[Type; 2]> = results.iter().map(|ty| ty.with_lanes(self.lanes)).collect();
                let call = self.builder().push(InstData::Call {
                    callee: *callee,
                    args,
                    results,
                });
                for (index, &result) in node.results.iter().enumerate() {
                    let value = self.func.inst(call).results[index];
                    self.define(result, value);
                }
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

    fn access(&self, address: &Address, bytes: u32, mem: MemInfo) -> Access {
        if self.lanes == 1 {
            return Access::One;
        }
        self.strides.access(self.src, self.uniformity, self.facts, (address, mem, bytes))
    }

    /// Where lane 0's element is, or would be if its lane were active: counted from the first active lane.
    fn address_where_active(&mut self, address: &Address, bytes: u32) -> Address {
        let lane = self.mask_operand().map(|_| self.first_lane());
        let base = self.in_lane(address.base, lane, LANE_DEPTH);
        let index = address.index.map(|index| self.in_lane(index, lane, LANE_DEPTH));
        let mut first = Address { base, index, ..*address };
        if let Some(lane) = lane {
            let mut b = self.builder();
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, lane);
            let bytes = b.binary_imm(BinaryOp::Mul, wide, i64::from(bytes));
            first.base = b.sub(base, bytes);
        }
        first
    }

    /// A value as one lane has it (lane 0 if none is named), computed as a scalar where that takes few steps.
    pub(super) fn in_lane(&mut self, value: Value, lane: Option<Value>, depth: u32) -> Value {
        match (self.uniformity.shape(value), self.src.def_data(value)) {
            (Shape::Uniform(_), _) => self.raw(value),
            (Shape::Linear { stride, .. }, _) => {
                let first = self.raw(value);
                let Some(lane) = lane else { return first };
                let elem = self.src.ty(value).elem;
                let mut b = self.builder();
                let lane = match elem {
                    Elem::I64 => b.convert(ConvertOp::ZExt, elem, lane),
                    Elem::I8 | Elem::I16 => b.convert(ConvertOp::Trunc, elem, lane),
                    _ => lane,
                };
                let steps = b.binary_imm(BinaryOp::Mul, lane, stride);
                b.add(first, steps)
            }
            (Shape::Varying, Some(data @ (InstData::Binary { .. } | InstData::Convert { .. }))) if depth > 0 => {
                let mut data = data.clone();
                data.for_each_operand_mut(|operand| *operand = self.in_lane(*operand, lane, depth - 1));
                self.builder().value(data)
            }
            _ => {
                let vector = self.vector(value);
                match lane {
                    Some(lane) => self.extract(vector, lane),
                    None => self.extract_lane(vector, 0),
                }
            }
        }
    }

    /// Lane 0's address.
    fn first_address(&mut self, address: &Address) -> Address {
        let base = self.raw(address.base);
        let index = address.index.map(|index| self.raw(index));
        Address { base, index, ..*address }
    }

    /// Each lane's address: at least one part is a vector.
    fn lane_addresses(&mut self, address: &Address) -> Address {
        let uniform = |this: &Self, value: Value| this.uniformity.shape(value).is_uniform();
        match address.index {
            Some(index) if !uniform(self, index) => {
                let base = if uniform(self, address.base) {
                    self.raw(address.base)
                } else {
                    self.vector(address.base)
                };
                Address {
                    base,
                    index: Some(self.vector(index)),
                    ..*address
                }
            }
            index => Address {
                base: self.vector(address.base),
                index: index.map(|index| self.raw(index)),
                ..*address
            },
        }
    }

    /// Accesses all fields of the lanes' records at once.
    fn write_record(&mut self, fields: &[Option<Inst>]) {
        let src = self.src;
        let first = fields.iter().position(Option::is_some).unwrap_or(0);
        let Some(inst) = fields[first] else { return };
        let data = &src.inst(inst).data;
        let (InstData::Load { address, mem, .. } | InstData::Store { address, mem, .. }) = data else {
            return;
        };
        let elem = match data {
            InstData::Store { value, .. } => src.ty(*value).elem,
            _ => src.ty(src.result(inst)).elem,
        };
        let bytes = elem.bytes() * fields.len() as u32;
        let address = match self.access(address, bytes, *mem) {
            Access::ConsecutiveWhereActive => self.address_where_active(address, bytes),
            _ => self.first_address(address),
        };
        let mask = self.mask_operand();
        let mem = MemInfo {
            align: elem.bytes().min(mem.align),
            ..*mem
        };
        if let InstData::Store { .. } = data {
            let values: ValueList = fields
                .iter()
                .flatten()
                .filter_map(|&inst| match src.inst(inst).data {
                    InstData::Store { value, .. } => Some(value),
                    _ => None,
                })
                .collect();
            let values = values.iter().map(|&value| self.vector(value)).collect();
            self.builder().push(InstData::StoreInterleaved {
                values,
                address,
                mask,
                mem,
            });
            return;
        }
        let ty = Type::vector(elem, self.lanes);
        let loaded = self.builder().push(InstData::LoadInterleaved {
            ty,
            factor: fields.len() as u8,
            address,
            mask,
            mem,
        });
        for (field, inst) in fields.iter().enumerate() {
            if let Some(inst) = inst {
                let value = self.func.inst(loaded).results[field];
                self.define(src.result(*inst), value);
            }
        }
    }

    fn write_load(&mut self, inst: Inst) {
        let node = self.src.inst(inst);
        let InstData::Load { ty, address, mem, .. } = &node.data else {
            return;
        };
        let result = node.results[0];
        let volatile = mem.flags.contains(MemFlags::VOLATILE);
        let data = if self.lanes == 1 || self.uniformity.shape(result) != Shape::Varying {
            InstData::Load {
                ty: *ty,
                address: self.first_address(address),
                mask: None,
                passthru: None,
                mem: *mem,
            }
        } else {
            let access = self.access(address, ty.elem.bytes(), *mem);
            let address = match access {
                Access::Consecutive if !volatile => self.first_address(address),
                Access::ConsecutiveWhereActive if !volatile => self.address_where_active(address, ty.elem.bytes()),
                _ => self.lane_addresses(address),
            };
            let mask = self.mask_operand();
            self.note_whole(inst, access, address, mask);
            InstData::Load {
                ty: ty.with_lanes(self.lanes),
                address,
                mask,
                passthru: None,
                mem: *mem,
            }
        };
        let value = self.builder().value(data);
        self.define(result, value);
    }

    /// All lanes access consecutive memory: [`super::owned`] has a use for it.
    fn note_whole(&mut self, inst: Inst, access: Access, address: Address, mask: Option<Value>) {
        if mask.is_none() && matches!(access, Access::Consecutive | Access::ConsecutiveWhereActive) {
            self.whole.insert(inst, address);
        }
    }

    fn write_store(&mut self, inst: Inst) {
        let &InstData::Store {
            value,
            ref address,
            mut mem,
            ..
        } = &self.src.inst(inst).data
        else {
            return;
        };
        let elem = self.src.ty(value).elem;
        let volatile = mem.flags.contains(MemFlags::VOLATILE);
        let data = match self.access(address, elem.bytes(), mem) {
            Access::One if self.lanes == 1 || !volatile => {
                // The lanes race for one place; the last active one wins. The block is entered with some lane active only.
                let scalar = if self.lanes == 1 || self.uniformity.shape(value).is_uniform() {
                    self.raw(value)
                } else {
                    let last = self.last_lane();
                    let vector = self.vector(value);
                    self.extract(vector, last)
                };
                InstData::Store {
                    value: scalar,
                    address: self.first_address(address),
                    mask: None,
                    mem,
                }
            }
            access @ (Access::Consecutive | Access::ConsecutiveWhereActive) if !volatile => {
                let (value, mask) = (self.vector(value), self.mask_operand());
                let before = self.owned.get(&inst).and_then(|before| self.whole.get(before));
                if mask.is_some() && (before.is_some() || mem.space == Space::Private) {
                    mem.flags |= MemFlags::OWNED;
                }
                let address = match (access, before.filter(|_| mask.is_some())) {
                    (_, Some(&before)) => before,
                    (Access::Consecutive, _) => self.first_address(address),
                    _ => self.address_where_active(address, elem.bytes()),
                };
                self.note_whole(inst, access, address, mask);
                InstData::Store { value, address, mask, mem }
            }
            _ => {
                let (value, address) = (self.vector(value), self.lane_addresses(address));
                InstData::Store {
                    value,
                    address,
                    mask: self.mask_operand(),
                    mem,
                }
            }
        };
        self.builder().push(data);
    }

    fn write_copy(&mut self, operands: [Value; 3], to_mem: MemInfo, from_mem: MemInfo) {
        if operands.iter().all(|&operand| self.uniformity.shape(operand).is_uniform()) {
            let [to, from, bytes] = operands.map(|operand| self.raw(operand));
            self.builder().push(InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            });
            return;
        }
        let vectors = operands.map(|operand| self.vector(operand));
        let mask = self.mask_operand();
        for lane in 0..self.lanes {
            let [to, from, mut bytes] = vectors.map(|vector| self.extract_lane(vector, lane));
            if let Some(mask) = mask {
                let active = self.extract_lane(mask, lane);
                let mut b = self.builder();
                let none = b.i64(0);
                bytes = b.select(active, bytes, none);
            }
            self.builder().push(InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            });
        }
    }

    fn write_atomic(&mut self, node: &InstNode) {
        if self.write_atomic_of_gang(node) {
            return;
        }
        let uniform = node
            .results
            .first()
            .is_some_and(|&result| self.uniformity.shape(result).is_uniform());
        let lanes = self.lanes;
        let mut data = node.data.clone();
        let once = lanes == 1 || uniform && matches!(data, InstData::AtomicLoad { .. });
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

    /// Driver functions are called a lane at a time, for active lanes only if they do more than compute.
    fn write_call_runtime(&mut self, routine: Runtime, args: &[Value], results: &[Value]) {
        let once = self.lanes == 1 || routine.is_pure() && results.iter().all(|&result| self.uniformity.shape(result).is_uniform());
        if once {
            let args: ValueList = args.iter().map(|&arg| self.raw(arg)).collect();
            let call = self.builder().push(InstData::CallRuntime { routine, args });
            if let Some(&result) = results.first() {
                let value = self.func.result(call);
                self.define(result, value);
            }
            return;
        }
        let vectors: ValueList = args.iter().map(|&arg| self.vector(arg)).collect();
        let mask = if routine.is_pure() { None } else { Some(self.mask()) };
        let ty = results.first().map(|&result| self.src.ty(result).with_lanes(self.lanes));
        let mut gathered = ty.map(|ty| self.builder().constant(ty, 0));
        for lane in 0..self.lanes {
            let after = mask.map(|mask| self.enter_lane(mask, lane, &mut gathered));
            let args: ValueList = vectors.iter().map(|&vector| self.extract_lane(vector, lane)).collect();
            let call = self.builder().push(InstData::CallRuntime { routine, args });
            if let (Some(so_far), Some(ty)) = (gathered, ty) {
                let value = self.func.result(call);
                gathered = Some(self.builder().lane(LaneOp::Insert(lane), ty, &[so_far, value]));
            }
            if let Some(after) = after {
                self.leave_lane(after, &mut gathered);
            }
        }
        if let (Some(&result), Some(value)) = (results.first(), gathered) {
            self.define(result, value);
        }
    }

    /// Branches to a block that only runs when `lane` is active; gives the block where the ways meet.
    fn enter_lane(&mut self, mask: Value, lane: u16, gathered: &mut Option<Value>) -> Block {
        let active = self.extract_lane(mask, lane);
        let (inside, after) = (self.func.add_block(), self.func.add_block());
        if let Some(value) = gathered {
            let ty = self.func.ty(*value);
            self.func.add_param(after, ty);
        }
        let args: ValueList = gathered.iter().copied().collect();
        let from = self.here.block;
        self.builder().push(InstData::Branch {
            condition: active,
            targets: [BlockCall::new(inside, &[]), BlockCall { block: after, args }],
        });
        self.declare(inside, from);
        self.declare(after, from);
        self.continue_in(inside);
        after
    }

    fn leave_lane(&mut self, after: Block, gathered: &mut Option<Value>) {
        let args: ValueList = gathered.iter().copied().collect();
        let from = self.here.block;
        self.builder().push(InstData::Jump {
            target: BlockCall { block: after, args },
        });
        self.declare(after, from);
        self.continue_in(after);
        *gathered = self.func.block(after).params.first().copied();
    }

    /// Lane `lane` of a vector; of one lane, itself.
    pub(super) fn extract_lane(&mut self, vector: Value, lane: u16) -> Value {
        if self.lanes == 1 {
            return vector;
        }
        let ty = self.func.ty(vector).with_lanes(1);
        self.builder().lane(LaneOp::Extract(lane), ty, &[vector])
    }

    /// The lane that an `i32` scalar names.
    pub(super) fn extract(&mut self, vector: Value, lane: Value) -> Value {
        let ty = self.func.ty(vector);
        if ty.elem == Elem::Mask {
            let mut b = self.builder();
            let bits = b.lane(LaneOp::MaskBits, Type::I32, &[vector]);
            let shifted = b.binary(BinaryOp::LShr, bits, lane);
            let bit = b.binary_imm(BinaryOp::And, shifted, 1);
            return b.icmp_imm(IntCc::Ne, bit, 0);
        }
        self.builder().lane(LaneOp::ExtractDynamic, ty.with_lanes(1), &[vector, lane])
    }

    /// The lowest active lane, as an `i32`.
    pub(super) fn first_lane(&mut self) -> Value {
        let mask = self.mask();
        let mut b = self.builder();
        if b.func.constant(mask) == Some(1) {
            return b.i32(0);
        }
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        b.unary(UnaryOp::Ctz, bits)
    }

    /// The highest active lane, as an `i32`.
    fn last_lane(&mut self) -> Value {
        let mask = self.mask();
        let last = i32::from(self.lanes) - 1;
        let mut b = self.builder();
        if b.func.constant(mask) == Some(1) {
            return b.i32(last);
        }
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        let zeros = b.unary(UnaryOp::Clz, bits);
        let top = b.i32(31);
        b.sub(top, zeros)
    }
}
