//! Atomics and fences.
//!
//! A work-group runs on one thread, so atomics on local or private memory are plain loads and stores (not those of group scope:
//! clang gives that scope to atomics on global memory whose source names none). Each lane
//! is a work-item of its own: lanes are done one after the other, those that are off not at all or on the worker's scratch line.

use super::emit::Emitter;
use super::memory::Place;
use super::values::{Parts, scalar_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AtomicRmwOp, InstBuilder, MemFlagsData};
use ir::{AtomicOp, Elem, MemInfo, Order, Scope, Space, Type, Value};

/// What one lane does to its memory.
#[derive(Clone, Copy)]
enum Action {
    /// Operand: the value.
    Rmw(AtomicOp),
    /// Operands: expected and desired.
    Cas,
}

/// Nobody but the work-group's own thread takes part.
fn is_within_thread(mem: &MemInfo) -> bool {
    matches!(mem.space, Space::Local | Space::Private)
}

impl Emitter<'_> {
    /// [`ir::InstData::Fence`].
    pub fn fence(&mut self, order: Order, scope: Scope) {
        if order == Order::Relaxed || scope <= Scope::WorkGroup {
            return;
        }
        // x86 keeps all orders but that of a store and a later load; Cranelift must keep them too.
        match self.target.x64 && order != Order::SequentiallyConsistent {
            true => self.ins().sequence_point(),
            false => self.ins().fence(),
        };
    }

    /// [`ir::InstData::AtomicLoad`].
    pub fn atomic_load(&mut self, ty: Type, address: Value, mask: Option<Value>, mem: &MemInfo) -> Parts {
        let plain = is_within_thread(mem);
        let address = self.get(address);
        let mask = mask.map(|mask| self.get(mask));
        if !address.ty.is_vector() {
            let on = mask.map(|mask| self.any_true(&mask));
            let value = self.atomic_load_lane(ty.elem, address.regs[0], on, plain);
            return self.splat(ty, value);
        }
        let bits = mask.map(|mask| self.mask_bits(&mask));
        let lanes: Vec<clif::Value> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let address = self.lane(&address, lane);
                let on = bits.map(|bits| self.bit(bits, lane));
                self.atomic_load_lane(ty.elem, address, on, plain)
            })
            .collect();
        self.join_lanes(ty, &lanes)
    }

    fn atomic_load_lane(&mut self, elem: Elem, address: clif::Value, on: Option<clif::Value>, plain: bool) -> clif::Value {
        let address = self.live_address(address, on);
        let value = match plain {
            true => self.ins().load(scalar_type(elem.as_int()), MemFlagsData::new(), address, 0),
            false => self.ins().atomic_load(scalar_type(elem.as_int()), MemFlagsData::trusted(), address),
        };
        self.cast(scalar_type(elem), value)
    }

    fn live_address(&mut self, address: clif::Value, on: Option<clif::Value>) -> clif::Value {
        match on {
            Some(on) => self.place_or_scratch(Place { base: address, offset: 0 }, on).base,
            None => address,
        }
    }

    /// [`ir::InstData::AtomicStore`].
    pub fn atomic_store(&mut self, value: Value, address: Value, mask: Option<Value>, mem: &MemInfo, order: Order) {
        let plain = is_within_thread(mem) || (self.target.x64 && order != Order::SequentiallyConsistent);
        let (value, address) = (self.get(value), self.get(address));
        let mask = mask.map(|mask| self.get(mask));
        let bits = mask.map(|mask| self.mask_bits(&mask));
        for lane in 0..u32::from(value.ty.lanes) {
            let to = self.lane(&address, lane);
            let on = bits.map(|bits| self.bit(bits, lane));
            let to = self.live_address(to, on);
            let value_lane = self.lane(&value, lane);
            let bits = self.cast(scalar_type(value.ty.elem.as_int()), value_lane);
            match plain {
                true => self.ins().store(MemFlagsData::new(), bits, to, 0),
                false => self.ins().atomic_store(MemFlagsData::trusted(), bits, to),
            };
        }
    }

    /// [`ir::InstData::AtomicRmw`].
    pub fn atomic_rmw(&mut self, op: AtomicOp, value: Value, address: Value, mask: Option<Value>, mem: &MemInfo) -> Parts {
        self.atomic(Action::Rmw(op), &[value], address, mask, is_within_thread(mem))
    }

    /// [`ir::InstData::AtomicCas`].
    pub fn atomic_cas(&mut self, [expected, desired]: [Value; 2], address: Value, mask: Option<Value>, mem: &MemInfo) -> Parts {
        self.atomic(Action::Cas, &[expected, desired], address, mask, is_within_thread(mem))
    }

    fn atomic(&mut self, action: Action, operands: &[Value], address: Value, mask: Option<Value>, plain: bool) -> Parts {
        let operands: Vec<Parts> = operands.iter().map(|&operand| self.get(operand)).collect();
        let address = self.get(address);
        let ty = operands[0].ty;
        let mask = mask.filter(|&mask| self.func.constant(mask) != Some(1)).map(|mask| self.get(mask));
        let bits = mask.as_ref().map(|mask| self.mask_bits(mask));
        if let Some(bits) = bits
            && ty.is_vector()
            && !plain
        {
            return self.atomic_active_lanes(action, &operands, &address, bits);
        }
        let lanes: Vec<clif::Value> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let to = self.lane(&address, lane);
                let on = bits.map(|bits| self.bit(bits, lane));
                let to = self.live_address(to, on);
                let operands: Vec<clif::Value> = operands.iter().map(|operand| self.lane(operand, lane)).collect();
                self.atomic_lane(action, ty.elem, to, &operands, plain)
            })
            .collect();
        self.join_lanes(ty, &lanes)
    }

    /// A loop over the lanes that are on, with operands and results in the buffer: other cores wait for none of the others.
    fn atomic_active_lanes(&mut self, action: Action, operands: &[Parts], address: &Parts, bits: clif::Value) -> Parts {
        let ty = operands[0].ty;
        let bytes = ty.elem.bytes();
        let stride = operands[0].regs.len() as u32 * 16;
        let addresses_at = (operands.len() as u32 + 1) * stride;
        for (index, operand) in operands.iter().enumerate() {
            self.spill(operand, (index as u32 + 1) * stride);
        }
        let zero = self.constant(ty, 0);
        self.spill(&zero, 0);
        if address.ty.is_vector() {
            self.spill(address, addresses_at);
        }
        let flags = MemFlagsData::new().with_notrap();
        let lane_type = scalar_type(ty.elem);
        self.for_each_active_lane(bits, |e, lane| {
            let to = match address.ty.is_vector() {
                true => {
                    let at = e.buffer_lane(addresses_at, lane, 8);
                    e.ins().load(clif::types::I64, flags, at, 0)
                }
                false => address.regs[0],
            };
            let operands: Vec<clif::Value> = (1..=operands.len() as u32)
                .map(|index| {
                    let at = e.buffer_lane(index * stride, lane, bytes);
                    e.ins().load(lane_type, flags, at, 0)
                })
                .collect();
            let old = e.atomic_lane(action, ty.elem, to, &operands, false);
            let at = e.buffer_lane(0, lane, bytes);
            e.ins().store(flags, old, at, 0);
        });
        self.reload(ty, bytes, 0)
    }

    /// One lane's action; gives the old value.
    fn atomic_lane(&mut self, action: Action, elem: Elem, address: clif::Value, operands: &[clif::Value], plain: bool) -> clif::Value {
        let (ty, int) = (scalar_type(elem), scalar_type(elem.as_int()));
        if plain {
            let old_bits = self.ins().load(int, MemFlagsData::new(), address, 0);
            let old = self.cast(ty, old_bits);
            let new = match action {
                Action::Rmw(op) => self.atomic_result(op, elem, old, operands[0]),
                Action::Cas => {
                    let expected = self.cast(int, operands[0]);
                    let same = self.ins().icmp(IntCC::Equal, old_bits, expected);
                    self.ins().select(same, operands[1], old)
                }
            };
            let new = self.cast(int, new);
            self.ins().store(MemFlagsData::new(), new, address, 0);
            return old;
        }
        let flags = MemFlagsData::trusted();
        let bits: Vec<clif::Value> = operands.iter().map(|&operand| self.cast(int, operand)).collect();
        let old = match action {
            Action::Cas => self.ins().atomic_cas(flags, address, bits[0], bits[1]),
            Action::Rmw(op) => match machine_op(op) {
                Some(op) => self.ins().atomic_rmw(int, flags, op, address, bits[0]),
                None => self.atomic_by_exchange(op, elem, address, operands[0]),
            },
        };
        self.cast(ty, old)
    }

    /// Tries until nobody came in between; gives the old value's bits.
    fn atomic_by_exchange(&mut self, op: AtomicOp, elem: Elem, address: clif::Value, operand: clif::Value) -> clif::Value {
        let (ty, int) = (scalar_type(elem), scalar_type(elem.as_int()));
        let flags = MemFlagsData::trusted();
        let (iteration, done) = (self.b.create_block(), self.b.create_block());
        let old = self.b.append_block_param(iteration, int);
        let first = self.ins().atomic_load(int, flags, address);
        self.ins().jump(iteration, &[first.into()]);
        self.continue_in(iteration);
        let value = self.cast(ty, old);
        let new = self.atomic_result(op, elem, value, operand);
        let new = self.cast(int, new);
        let found = self.ins().atomic_cas(flags, address, old, new);
        let settled = self.ins().icmp(IntCC::Equal, found, old);
        self.ins().brif(settled, done, &[], iteration, &[found.into()]);
        self.continue_in(done);
        old
    }

    fn atomic_result(&mut self, op: AtomicOp, elem: Elem, old: clif::Value, operand: clif::Value) -> clif::Value {
        let Some(binary) = op.binary() else { return operand };
        let ty = Type::scalar(elem);
        self.binary_parts(binary, &Parts::scalar(ty, old), &Parts::scalar(ty, operand)).regs[0]
    }
}

/// The operation as one of Cranelift's, on integers.
fn machine_op(op: AtomicOp) -> Option<AtomicRmwOp> {
    Some(match op {
        AtomicOp::Exchange => AtomicRmwOp::Xchg,
        AtomicOp::Add => AtomicRmwOp::Add,
        AtomicOp::Sub => AtomicRmwOp::Sub,
        AtomicOp::And => AtomicRmwOp::And,
        AtomicOp::Or => AtomicRmwOp::Or,
        AtomicOp::Xor => AtomicRmwOp::Xor,
        AtomicOp::SMin => AtomicRmwOp::Smin,
        AtomicOp::SMax => AtomicRmwOp::Smax,
        AtomicOp::UMin => AtomicRmwOp::Umin,
        AtomicOp::UMax => AtomicRmwOp::Umax,
        AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => return None,
    })
}
