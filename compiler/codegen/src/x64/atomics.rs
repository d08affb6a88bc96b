//! Atomics and fences.
//!
//! A work-group runs on one thread, so atomics on local or private memory are plain loads and stores (not those of group scope:
//! clang gives that scope to atomics on global memory whose source names none). Each lane
//! is a work-item of its own: lanes are done one after the other, those that are off not at all or on the worker's scratch line.

use super::atomic_rows::beside;
use super::build::Alu;
use super::encode::{Imm, Size};
use super::forms::int_size;
use super::lane_addresses::Places;
use super::machine::{Amode, Cc, Kind, More, R, RAX, RmOf};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{AtomicOp, Elem, InstData, MemInfo, Order, Scope, Space, Type, Value};
use regalloc2::{Operand, PRegSet, RegClass, VReg};

/// What one lane does to its memory.
#[derive(Clone, Copy)]
enum Action {
    /// Operand: the value. Whether the old value is used.
    Rmw(AtomicOp, bool),
    /// Operands: expected and desired.
    Cas,
}

/// An operand: the same in all lanes, or each lane's own.
enum PerLane {
    Same(VReg),
    Vector(Parts),
}

/// Nobody but the work-group's own thread takes part.
pub fn is_within_thread(mem: &MemInfo) -> bool {
    matches!(mem.space, Space::Local | Space::Private)
}

impl Selector<'_> {
    /// [`ir::InstData::Fence`]. The machine keeps all orders but that of a store and a later load.
    pub fn fence(&mut self, order: Order, scope: Scope) {
        if order == Order::SequentiallyConsistent && scope > Scope::WorkGroup {
            self.c.special(Kind::Fence, &[], PRegSet::empty());
        }
    }

    /// [`ir::InstData::AtomicLoad`].
    pub fn atomic_load(&mut self, ty: Type, address: Value, mask: Option<Value>) -> Parts {
        let address = self.get(address);
        let mask = mask.map(|mask| self.get(mask));
        if !address.ty.is_vector() {
            let mut place = Amode::reg(address.regs[0], 0);
            if let Some(mask) = mask {
                place = self.or_scratch(place, |s| s.test_any(&mask));
            }
            let value = self.load_scalar_bits(ty.elem, place);
            return self.splat(ty, value);
        }
        let bits = mask.map(|mask| self.mask_bits(&mask));
        let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let place = self.live_place(&address, bits, lane);
                self.load_scalar_bits(ty.elem, place)
            })
            .collect();
        self.join_lanes(ty, &lanes)
    }

    /// The address of a lane, or of the scratch line if the lane is off.
    fn live_place(&mut self, address: &Parts, bits: Option<VReg>, lane: u32) -> Amode {
        let place = Amode::reg(self.lane(address, lane), 0);
        match bits {
            Some(bits) => self.or_scratch_by_bit(place, bits, lane),
            None => place,
        }
    }

    /// [`ir::InstData::AtomicStore`].
    pub fn atomic_store(&mut self, value: Value, address: Value, mask: Option<Value>, mem: &MemInfo, order: Order) {
        let plain = is_within_thread(mem) || order != Order::SequentiallyConsistent;
        let (value, address) = (self.get(value), self.get(address));
        let bits = mask.map(|mask| {
            let mask = self.get(mask);
            self.mask_bits(&mask)
        });
        for lane in 0..u32::from(value.ty.lanes) {
            let to = self.live_place(&address, bits, lane);
            let scalar = self.lane(&value, lane);
            if plain {
                self.store_scalar(value.ty.elem, scalar, to);
            } else {
                let scalar = self.as_bits(value.ty.elem, scalar);
                self.exchange(value.ty.elem, to, scalar);
            }
        }
    }

    /// A scalar's bits in a general register.
    fn as_bits(&mut self, elem: Elem, value: VReg) -> VReg {
        match elem {
            Elem::F32 => self.c.v_low_to_int(Size::D, value),
            Elem::F64 => self.c.v_low_to_int(Size::Q, value),
            _ => value,
        }
    }

    /// The scalar of these bits.
    fn scalar_of_bits(&mut self, elem: Elem, bits: VReg) -> VReg {
        match elem {
            Elem::F32 => self.c.int_to_v(Size::D, bits),
            Elem::F64 => self.c.int_to_v(Size::Q, bits),
            _ => bits,
        }
    }

    /// [`ir::InstData::AtomicRmw`].
    pub fn atomic_rmw(&mut self, op: AtomicOp, value: Value, address: Value, mask: Option<Value>, mem: &MemInfo, used: bool) -> Parts {
        self.atomic(Action::Rmw(op, used), &[value], address, mask, is_within_thread(mem))
    }

    /// [`ir::InstData::AtomicCas`].
    pub fn atomic_cas(&mut self, [expected, desired]: [Value; 2], address: Value, mask: Option<Value>, mem: &MemInfo) -> Parts {
        self.atomic(Action::Cas, &[expected, desired], address, mask, is_within_thread(mem))
    }

    fn atomic(&mut self, action: Action, operands: &[Value], address: Value, mask: Option<Value>, plain: bool) -> Parts {
        let ty = self.func.ty(operands[0]);
        let places = self.places_of(address);
        let sources: Vec<PerLane> = operands.iter().map(|&operand| self.per_lane(operand)).collect();
        let Some(mask) = self.real_mask(mask) else {
            if let Action::Rmw(op, false) = action
                && let Some(binary) = op.binary().filter(|_| !plain)
                && let Some(start) = beside(ty, &places)
            {
                let value = self.get(operands[0]);
                let cc = self.test_row(start);
                let [aligned, other, done] = self.fork(cc);
                self.continue_in(aligned);
                self.atomic_rows(binary, &value, start);
                self.c.jump(done, &[]);
                self.continue_in(other);
                self.atomic_lanes(action, ty, &sources, &places, plain, None);
                self.c.jump(done, &[]);
                self.continue_in(done);
                return self.constant(ty, 0);
            }
            return self.atomic_lanes(action, ty, &sources, &places, plain, None);
        };
        let mask = self.get(mask);
        if !ty.is_vector() {
            let bits = self.mask_bits(&mask);
            return self.atomic_lanes(action, ty, &sources, &places, plain, Some(bits));
        }
        // Most often all lanes are on.
        let used = !matches!(action, Action::Rmw(_, false));
        let vectors: Vec<Parts> = match plain {
            true => Vec::new(),
            false => operands.iter().chain([&address]).map(|&value| self.get(value)).collect(),
        };
        let cc = self.test_all(&mask);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let all = self.atomic_lanes(action, ty, &sources, &places, plain, None);
        let handed = |parts: &Parts| if used { parts.regs.clone() } else { Registers::new() };
        let results: Registers = handed(&all).iter().map(|_| self.c.param(done, RegClass::Float)).collect();
        self.c.jump(done, &handed(&all));
        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let some = match vectors.split_last() {
            None => self.atomic_lanes(action, ty, &sources, &places, plain, Some(bits)),
            Some((address, operands)) => self.atomic_active_lanes(action, operands, address, bits),
        };
        self.c.jump(done, &handed(&some));
        self.continue_in(done);
        match used {
            true => Parts::new(ty, ty.elem.bytes(), results),
            false => self.constant(ty, 0),
        }
    }

    /// All lanes one after the other, those whose bits are off on the worker's scratch line.
    fn atomic_lanes(&mut self, action: Action, ty: Type, operands: &[PerLane], places: &Places, plain: bool, bits: Option<VReg>) -> Parts {
        if !plain && bits.is_none() && ty.is_vector() && !matches!(places, Places::Steps(..)) {
            self.fetch_for_writing(ty, places);
        }
        let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let mut to = self.place_of(places, lane);
                if let Some(bits) = bits {
                    to = self.or_scratch_by_bit(to, bits, lane);
                }
                let operands: Vec<VReg> = operands
                    .iter()
                    .map(|operand| match operand {
                        PerLane::Same(reg) => *reg,
                        PerLane::Vector(parts) => self.lane(parts, lane),
                    })
                    .collect();
                self.atomic_lane(action, ty.elem, to, &operands, plain)
            })
            .collect();
        match action {
            Action::Rmw(_, false) => self.constant(ty, 0),
            _ => self.join_lanes(ty, &lanes),
        }
    }

    /// An operation with a lock waits for its line, and the next one for it; so all lines are asked for at once before the first.
    fn fetch_for_writing(&mut self, ty: Type, places: &Places) {
        for lane in 0..u32::from(ty.lanes) {
            let line = self.place_of(places, lane);
            self.c
                .machine(&ops::PREFETCHW, Size::D, R::Digit(1), R::No, RmOf::Mem(line), Imm::No);
        }
    }

    fn per_lane(&mut self, value: Value) -> PerLane {
        let splatted = self.func.splatted(value).filter(|scalar| !self.folded_loads.contains_key(scalar));
        match (self.func.def_data(value), splatted) {
            (Some(&InstData::Const { bits, .. }), _) => PerLane::Same(self.scalar_bits(self.func.ty(value).elem, bits)),
            (_, Some(scalar)) => PerLane::Same(self.scalar(scalar)),
            _ => PerLane::Vector(self.get(value)),
        }
    }

    /// A loop over the lanes that are on, with operands and results in the buffer: other cores wait for none of the others.
    fn atomic_active_lanes(&mut self, action: Action, operands: &[Parts], address: &Parts, bits: VReg) -> Parts {
        let ty = operands[0].ty;
        let bytes = ty.elem.bytes();
        let stride = operands[0].regs.len() as u32 * operands[0].size().bytes();
        let addresses_at = (operands.len() as u32 + 1) * stride;
        for (index, operand) in operands.iter().enumerate() {
            self.spill(operand, (index as u32 + 1) * stride);
        }
        let zero = self.constant(ty, 0);
        self.spill(&zero, 0);
        if address.ty.is_vector() {
            self.spill(address, addresses_at);
        }
        self.for_each_active_lane(bits, |s, lane| {
            let to = match address.ty.is_vector() {
                true => {
                    let at = Amode::lane(s.buffer(addresses_at, 0), lane, 8);
                    s.c.load_int(8, at)
                }
                false => address.regs[0],
            };
            let operands: Vec<VReg> = (1..=operands.len() as u32)
                .map(|index| {
                    let at = Amode::lane(s.buffer(index * stride, 0), lane, bytes);
                    s.load_scalar_bits(ty.elem, at)
                })
                .collect();
            let old = s.atomic_lane(action, ty.elem, Amode::reg(to, 0), &operands, false);
            if !matches!(action, Action::Rmw(_, false)) {
                let at = Amode::lane(s.buffer(0, 0), lane, bytes);
                s.store_scalar(ty.elem, old, at);
            }
        });
        self.reload(ty, bytes, 0)
    }

    /// One lane's action; gives the old value (anything if that is not used).
    fn atomic_lane(&mut self, action: Action, elem: Elem, place: Amode, operands: &[VReg], plain: bool) -> VReg {
        if let Action::Rmw(op, false) = action
            && let Some(alu) = op.binary().and_then(Alu::of)
            && elem.bytes() >= 4
        {
            let more = More {
                lock: !plain,
                ..More::default()
            };
            let (op, size) = (alu.memory_op(), int_size(elem));
            self.c
                .machine_with(op, size, R::Use(operands[0]), R::No, RmOf::Mem(place), Imm::No, more);
            return operands[0];
        }
        if plain {
            let old = self.load_scalar_bits(elem, place);
            let new = match action {
                Action::Rmw(op, _) => self.atomic_result(op, elem, old, operands[0]),
                Action::Cas => {
                    let (found, expected) = (self.as_bits(elem, old), self.as_bits(elem, operands[0]));
                    let (found, expected) = (self.zero_extended(elem, found), self.zero_extended(elem, expected));
                    let desired = self.as_bits(elem, operands[1]);
                    self.c.cmp(int_size(elem), found, expected);
                    let new = self.c.cmov(Cc::E, int_size(elem), desired, found);
                    self.scalar_of_bits(elem, new)
                }
            };
            self.store_scalar(elem, new, place);
            return old;
        }
        let bits: Vec<VReg> = operands.iter().map(|&operand| self.as_bits(elem, operand)).collect();
        let old = match action {
            Action::Cas => self.compare_exchange(elem, place, bits[0], bits[1]),
            Action::Rmw(op, used) => match op {
                AtomicOp::Exchange => self.exchange(elem, place, bits[0]),
                AtomicOp::Add | AtomicOp::Sub if used => {
                    let by = if op == AtomicOp::Sub {
                        self.c.group3(3, int_size(elem), bits[0])
                    } else {
                        bits[0]
                    };
                    self.read_modify(&ops::XADD, &ops::XADD8, elem, place, by)
                }
                _ => self.atomic_by_exchange(op, elem, place, operands[0]),
            },
        };
        self.scalar_of_bits(elem, old)
    }

    /// `xadd` or `xchg`: the register gets the old value.
    fn read_modify(
        &mut self,
        op: &'static super::encode::Op,
        byte_op: &'static super::encode::Op,
        elem: Elem,
        place: Amode,
        value: VReg,
    ) -> VReg {
        let (op, size) = sized(op, byte_op, elem);
        let old = self.c.int();
        let more = More {
            lock: true,
            ..More::default()
        };
        self.c
            .machine_with(op, size, R::Tied(old, value), R::No, RmOf::Mem(place), Imm::No, more);
        old
    }

    fn exchange(&mut self, elem: Elem, place: Amode, value: VReg) -> VReg {
        self.read_modify(&ops::XCHG, &ops::XCHG8, elem, place, value)
    }

    fn compare_exchange(&mut self, elem: Elem, place: Amode, expected: VReg, desired: VReg) -> VReg {
        let (op, size) = sized(&ops::CMPXCHG, &ops::CMPXCHG8, elem);
        let old = self.c.int();
        let more = More {
            lock: true,
            others: &[Operand::reg_fixed_use(expected, RAX), Operand::reg_fixed_def(old, RAX)],
            ..More::default()
        };
        self.c
            .machine_with(op, size, R::Use(desired), R::No, RmOf::Mem(place), Imm::No, more);
        old
    }

    /// Tries until nobody came in between; gives the old value's bits.
    fn atomic_by_exchange(&mut self, op: AtomicOp, elem: Elem, place: Amode, operand: VReg) -> VReg {
        let (iteration, done) = (self.c.block(), self.c.block());
        let old = self.c.param(iteration, RegClass::Int);
        let size = int_size(elem);
        let first = self.c.load_int(elem.bytes(), place);
        self.c.jump(iteration, &[first]);
        self.continue_in(iteration);
        let value = self.scalar_of_bits(elem, old);
        let new = self.atomic_result(op, elem, value, operand);
        let new = self.as_bits(elem, new);
        let found = self.compare_exchange(elem, place, old, new);
        // The machine's upper bits of a short value are those that were there.
        let (short_found, short_old) = (self.zero_extended(elem, found), self.zero_extended(elem, old));
        self.c.cmp(size, short_found, short_old);
        self.c.branch(Cc::E, (done, &[]), (iteration, &[found]));
        self.continue_in(done);
        old
    }

    fn atomic_result(&mut self, op: AtomicOp, elem: Elem, old: VReg, operand: VReg) -> VReg {
        let Some(binary) = op.binary() else { return operand };
        let ty = Type::scalar(elem);
        self.binary_parts(binary, &Parts::scalar(ty, old), &Parts::scalar(ty, operand)).regs[0]
    }
}

fn sized(op: &'static super::encode::Op, byte_op: &'static super::encode::Op, elem: Elem) -> (&'static super::encode::Op, Size) {
    match elem.bytes() {
        1 => (byte_op, Size::B),
        2 => (op, Size::W),
        4 => (op, Size::D),
        _ => (op, Size::Q),
    }
}
