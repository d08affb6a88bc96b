//! Values, statements and the flow of control.

use super::{COLUMNS, ITEM_BYTES, Random, Range, numbers};
use crate::ir::*;
use crate::passes::separate::UNPROMISED;

pub(super) const INTS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];
const FLOATS: [Type; 3] = [Type::F16, Type::F32, Type::F64];
pub(super) const VARIABLES: [Type; 8] = [
    Type::I32,
    Type::I64,
    Type::F32,
    Type::I32,
    Type::I16,
    Type::F64,
    Type::I8,
    Type::F16,
];

/// What may stand at a place.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// How deep statements may still nest.
    pub depth: u32,
    /// All work-items of the group come here together, those that left aside.
    pub group_uniform: bool,
    /// The cycle around has one entry: lanes meet in an order that is fixed.
    pub reducible: bool,
}

/// What the functions of a kernel have in common.
pub(super) struct Shared {
    pub random: Random,
    pub range: Range,
    pub helpers: Vec<FuncRef>,
    pub columns: [Type; COLUMNS],
    pub uniforms: [i64; numbers::UNIFORMS],
}

pub(super) struct Generator<'a> {
    pub b: Builder<'a>,
    pub random: &'a mut Random,
    pub range: Range,
    helpers: &'a [FuncRef],
    is_kernel: bool,
    pub variables: Vec<(Slot, Type)>,
    /// Instructions that may still be made.
    budget: i32,
    /// Addresses of memory; only kernels have them.
    pub roots: Option<Roots>,
    /// Numbers among the arguments, with where they are in the argument block.
    pub uniforms: [i64; numbers::UNIFORMS],
    /// Types of the columns.
    pub columns: [Type; COLUMNS],
    /// What counts the loops around, and how far.
    pub counters: Vec<(Slot, Type, i128)>,
    /// The set that the buffers are in.
    pub alias: AliasSet,
    pub kinds: Kinds,
}

/// What a kernel may have: passes look for kernels that lack something.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    /// Something that sees which work-items are a gang.
    pub sub_groups: bool,
    barriers: bool,
    /// Cycles with two entries.
    irreducible: bool,
    atomics: bool,
    /// Work-items that leave early.
    leaving: bool,
}

/// Addresses.
#[derive(Clone, Copy)]
pub(super) struct Roots {
    /// The argument block.
    pub arguments: Value,
    /// The output of the work-item.
    pub own: Value,
    pub input: Value,
    pub shared: Value,
    pub local: Value,
    pub columns: [Value; COLUMNS],
}

impl<'a> Generator<'a> {
    pub fn new(func: &'a mut Function, shared: &'a mut Shared, is_kernel: bool) -> Generator<'a> {
        let entry = func.add_block();
        let alias = if shared.random.one_in(4) { 0 } else { UNPROMISED };
        let kinds = Kinds {
            sub_groups: shared.random.one_in(2),
            barriers: shared.random.one_in(2),
            irreducible: shared.random.one_in(3),
            atomics: shared.random.one_in(2),
            leaving: shared.random.one_in(2),
        };
        let budget = match is_kernel {
            true => *shared.random.choose(&[12, 30, 60, 150]),
            false => 30,
        };
        Generator {
            b: Builder::new(func, entry),
            random: &mut shared.random,
            range: shared.range,
            helpers: &shared.helpers,
            is_kernel,
            variables: Vec::new(),
            budget,
            roots: None,
            uniforms: shared.uniforms,
            columns: shared.columns,
            counters: Vec::new(),
            alias,
            kinds,
        }
    }

    pub fn helper(&mut self) {
        let entry = self.b.block;
        let params = [Type::I32, Type::F32].map(|ty| self.b.func.add_param(entry, ty));
        self.declare(VARIABLES.len());
        let (int, float) = (self.variables[0], self.variables[2]);
        self.write(int, params[0]);
        self.write(float, params[1]);
        self.statements(
            2,
            Place {
                depth: 2,
                group_uniform: false,
                reducible: true,
            },
        );
        let results = [int, float].map(|variable| self.read(variable));
        self.b.ret(&results);
    }

    pub fn kernel(&mut self) {
        let arguments = self.b.builtin(Builtin::Arguments, 0);
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 8)
        };
        let mut argument = |index: usize| self.b.load(Type::I64, Address::offset(arguments, 8 * index as i32), mem);
        let [out, input, shared] = [0, 1, 2].map(&mut argument);
        let columns = [3, 4, 5].map(argument);
        let id = self.b.builtin(Builtin::GlobalLinearId, 0);
        let offset = self.b.binary_imm(BinaryOp::Mul, id, ITEM_BYTES as i64);
        let own = self.b.add(out, offset);
        let local = self.b.builtin(Builtin::LocalMemory, 0);
        self.roots = Some(Roots {
            arguments,
            own,
            input,
            shared,
            local,
            columns,
        });
        let count = 1 + self.random.below(VARIABLES.len() as u64);
        self.declare(count as usize);
        if self.kinds.barriers || self.kinds.atomics {
            self.fill_local();
        }
        for index in 0..self.variables.len() {
            let variable = self.variables[index];
            let value = self.input_element(variable.1);
            self.write(variable, value);
        }
        self.statements(
            5,
            Place {
                depth: 3,
                group_uniform: true,
                reducible: true,
            },
        );
        self.write_out();
        self.b.ret(&[]);
    }

    fn declare(&mut self, count: usize) {
        let first = self.random.below(VARIABLES.len() as u64) as usize;
        let first = if self.is_kernel { first } else { 0 };
        for ty in VARIABLES.into_iter().cycle().skip(first).take(count) {
            let data = SlotData {
                size: ty.bytes(),
                align: ty.bytes(),
            };
            let slot = self.b.func.slots.push(data);
            self.variables.push((slot, ty));
            let zero = self.b.constant(ty, 0);
            self.write((slot, ty), zero);
        }
    }

    pub fn read(&mut self, (slot, ty): (Slot, Type)) -> Value {
        let address = self.b.slot_address(slot);
        self.b.load(ty, Address::base(address), MemInfo::new(Space::Private, ty.bytes()))
    }

    pub fn write(&mut self, (slot, ty): (Slot, Type), value: Value) {
        let address = self.b.slot_address(slot);
        self.b
            .store(value, Address::base(address), MemInfo::new(Space::Private, ty.bytes()));
    }

    /// Each variable to the work-item's own place in the output.
    fn write_out(&mut self) {
        let Some(Roots { own, .. }) = self.roots else { return };
        for index in 0..self.variables.len() {
            let variable = self.variables[index];
            let value = self.read(variable);
            let value = self.without_nan(value);
            let address = Address::offset(own, 8 * index as i32);
            let mem = self.buffer(8);
            self.b.store(value, address, mem);
        }
    }

    /// One NaN for all: its bits are left open.
    pub fn without_nan(&mut self, value: Value) -> Value {
        let ty = self.b.ty(value);
        if !ty.elem.is_float() {
            return value;
        }
        let is_nan = self.b.fcmp(FloatCc::Uno, value, value);
        let zero = self.b.constant(ty, 0);
        self.b.select(is_nan, zero, value)
    }

    pub fn variable(&mut self, ty: Type) -> Option<(Slot, Type)> {
        let of_type: Vec<(Slot, Type)> = self.variables.iter().copied().filter(|variable| variable.1 == ty).collect();
        (!of_type.is_empty()).then(|| *self.random.choose(&of_type))
    }

    pub fn constant(&mut self, ty: Type) -> Value {
        let bits = match self.random.below(6) {
            0 => 0,
            1 if ty.elem.is_float() => one_bits(ty.elem),
            1 => 1,
            2 => ty.elem.bit_mask() >> 1 >> u32::from(ty.elem.is_float()),
            3 if !ty.elem.is_float() => ty.elem.bit_mask(),
            4 => 1 << self.random.below(u64::from(ty.elem.bits())),
            _ => self.random.next(),
        };
        let value = self.b.constant(ty, bits);
        self.without_nan(value)
    }

    /// A value of a type.
    pub fn value(&mut self, ty: Type, depth: u32) -> Value {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 || self.random.one_in(4) {
            return match (self.variable(ty), self.random.one_in(3)) {
                (Some(variable), false) => self.read(variable),
                _ if (ty == Type::I64 || ty == Type::I32) && self.is_kernel => {
                    let number = self.number(4);
                    self.resized(number, ty).value
                }
                _ => self.constant(ty),
            };
        }
        let depth = depth - 1;
        if self.random.one_in(6) {
            let (mask, a, b) = (self.condition(depth), self.value(ty, depth), self.value(ty, depth));
            return self.b.select(mask, a, b);
        }
        if self.random.one_in(4) {
            return self.converted(ty, depth);
        }
        match ty.elem.is_float() {
            true => self.float(ty, depth),
            false => self.int(ty, depth),
        }
    }

    fn int(&mut self, ty: Type, depth: u32) -> Value {
        use BinaryOp::*;
        if self.random.one_in(5) {
            use UnaryOp::*;
            let op = *self.random.choose(&[Neg, Not, Abs, Clz, Ctz, Popcnt, BitReverse, ByteSwap]);
            let arg = self.value(ty, depth);
            return self.b.unary(op, arg);
        }
        let ops = [
            Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr, RotL, RotR, UMulHi, SMulHi, UMin, UMax, SMin, SMax, UAddSat, SAddSat, USubSat,
            SSubSat, UDiv, SDiv, URem, SRem, Add, Sub, Mul,
        ];
        let op = *self.random.choose(&ops);
        let (mut a, mut b) = (self.value(ty, depth), self.value(ty, depth));
        if op.is_int_division() && self.random.one_in(3) {
            // What grows from lane to lane, by what the group shares.
            (a, b) = (self.b.builtin(Builtin::GlobalId, 0), self.b.builtin(Builtin::GroupId, 0));
            if ty != Type::I64 {
                (a, b) = (self.as_int(a, ty), self.as_int(b, ty));
            }
            let (more, least) = (self.random.below(9) as i64, *self.random.choose(&[1, 3, 8, 16, 50]));
            a = self.b.binary_imm(Add, a, more);
            b = self.b.binary_imm(And, b, 15);
            b = self.b.binary_imm(Add, b, least);
        } else if op.is_int_division() {
            // 1 to 127
            b = self.b.binary_imm(And, b, 127);
            b = self.b.binary_imm(UMax, b, 1);
        }
        self.b.binary(op, a, b)
    }

    pub fn as_int(&mut self, value: Value, ty: Type) -> Value {
        self.b.convert(ConvertOp::Trunc, ty.elem, value)
    }

    fn float(&mut self, ty: Type, depth: u32) -> Value {
        use BinaryOp::*;
        match self.random.below(6) {
            0 => {
                use UnaryOp::*;
                let op = *self.random.choose(&[FNeg, FAbs, Sqrt, Ceil, Floor, FTrunc, Nearest]);
                let arg = self.value(ty, depth);
                self.b.unary(op, arg)
            }
            1 => {
                let [a, b, c] = [0; 3].map(|_| self.value(ty, depth));
                self.b.fma(a, b, c)
            }
            _ => {
                let op = *self.random.choose(&[FAdd, FSub, FMul, FDiv, FMin, FMax, CopySign]);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                let b = if op == CopySign { self.without_nan(b) } else { b };
                self.b.binary(op, a, b)
            }
        }
    }

    fn converted(&mut self, ty: Type, depth: u32) -> Value {
        let to_float = ty.elem.is_float();
        let from = match self.random.below(5) {
            0 if to_float => match ty {
                // Halves become doubles by way of floats.
                Type::F32 => *self.random.choose(&[Type::F16, Type::F64]),
                _ => Type::F32,
            },
            1 if !to_float => *self.random.choose(&FLOATS),
            2 if !to_float => {
                let mask = self.condition(depth);
                return self.b.convert(ConvertOp::MaskToInt, ty.elem, mask);
            }
            3 => {
                // The same bits.
                let from = if to_float { ty.as_int() } else { *self.random.choose(&FLOATS) };
                if from.elem.bits() == ty.elem.bits() {
                    let arg = self.value(from, depth);
                    let arg = self.without_nan(arg);
                    let value = self.b.bitcast(ty.elem, arg);
                    return self.without_nan(value);
                }
                *self.random.choose(&INTS)
            }
            _ => *self.random.choose(&INTS),
        };
        let arg = match to_float && self.is_kernel && (from == Type::I32 || from == Type::I64) {
            true => {
                let number = self.number(4);
                self.resized(number, from).value
            }
            false => self.value(from, depth),
        };
        let op = match (from.elem.is_float(), to_float) {
            _ if from == ty => return arg,
            (false, false) if from.elem.bits() > ty.elem.bits() => ConvertOp::Trunc,
            (false, false) => *self.random.choose(&[ConvertOp::ZExt, ConvertOp::SExt]),
            (true, true) if from.elem.bits() > ty.elem.bits() => ConvertOp::FDemote,
            (true, true) => ConvertOp::FPromote,
            (true, false) => *self.random.choose(&[ConvertOp::FToS, ConvertOp::FToU]),
            (false, true) => *self.random.choose(&[ConvertOp::SToF, ConvertOp::UToF]),
        };
        let saturate = from.elem.is_float() && !to_float;
        let rounding = if saturate { Rounding::Zero } else { Rounding::Nearest };
        self.b.value(InstData::Convert {
            op,
            ty,
            arg,
            rounding,
            saturate,
        })
    }

    /// A truth value.
    pub fn condition(&mut self, depth: u32) -> Value {
        self.budget -= 1;
        let depth = depth.saturating_sub(1);
        match self.random.below(8) {
            0 if depth > 0 => {
                let op = *self.random.choose(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let (a, b) = (self.condition(depth), self.condition(depth));
                self.b.binary(op, a, b)
            }
            1 if depth > 0 => {
                let a = self.condition(depth);
                self.b.not(a)
            }
            2 | 3 => {
                let ty = *self.random.choose(&FLOATS);
                let (cc, _) = *self.random.choose(FloatCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.fcmp(cc, a, b)
            }
            4 | 5 if self.is_kernel => self.bound(),
            _ => {
                let ty = *self.random.choose(&INTS);
                let (cc, _) = *self.random.choose(IntCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.icmp(cc, a, b)
            }
        }
    }

    pub fn statements(&mut self, count: u64, place: Place) {
        for _ in 0..1 + self.random.below(count) {
            self.statement(place);
        }
    }

    pub fn inside(&self, place: Place) -> Place {
        Place {
            depth: place.depth - 1,
            ..place
        }
    }

    fn statement(&mut self, place: Place) {
        if self.budget < 0 {
            return;
        }
        let nested = place.depth > 0;
        match self.random.below(22) {
            0 | 1 if nested => self.branch(place),
            2 if nested => self.switch(place),
            3 | 4 if nested => self.counted_loop(place),
            5 if nested && self.kinds.irreducible => self.two_entries(place),
            6 if place.group_uniform && self.kinds.barriers => self.exchange(),
            7 if place.group_uniform && self.kinds.barriers => self.work_group(),
            8 | 9 if place.reducible && self.is_kernel && self.kinds.sub_groups => self.sub_group(),
            10 if self.is_kernel && self.kinds.atomics => self.atomic(),
            11 if !self.helpers.is_empty() && place.reducible => self.call(),
            12 if self.is_kernel && self.kinds.leaving => self.leave(),
            13 | 14 if self.is_kernel => self.column(),
            15 | 16 if self.is_kernel && nested => self.memory_loop(place),
            17 if place.group_uniform && nested && self.kinds.barriers => self.tree(),
            18 if self.is_kernel && self.kinds.atomics => self.local_atomic(),
            19 if place.group_uniform && self.kinds.atomics => self.read_cells(),
            20 if self.is_kernel => self.record(),
            _ => {
                let variable = *self.random.choose(&self.variables.clone());
                let value = self.value(variable.1, 3);
                self.write(variable, value);
            }
        }
    }

    fn branch(&mut self, place: Place) {
        let condition = self.condition(3);
        let (then, otherwise, join) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        let inside = Place {
            group_uniform: false,
            ..self.inside(place)
        };
        let has_else = self.random.one_in(2);
        self.b
            .branch(condition, to(then, &[]), to(if has_else { otherwise } else { join }, &[]));
        self.b.block = then;
        self.statements(3, inside);
        self.b.jump(join, &[]);
        // (Without an `else` this can't be reached.)
        self.b.block = otherwise;
        if has_else {
            self.statements(3, inside);
        }
        self.b.jump(join, &[]);
        self.b.block = join;
    }

    fn switch(&mut self, place: Place) {
        let value = self.value(Type::I32, 2);
        let value = self.b.binary_imm(BinaryOp::And, value, 3);
        let join = self.b.add_block(&[]);
        let sides = [0; 3].map(|_| self.b.add_block(&[]));
        self.b.push(InstData::Switch {
            value,
            cases: vec![(0, to(sides[0], &[])), (2, to(sides[1], &[])), (3, to(sides[0], &[]))],
            default: to(sides[2], &[]),
        });
        let inside = Place {
            group_uniform: false,
            ..self.inside(place)
        };
        for (index, side) in sides.into_iter().enumerate() {
            self.b.block = side;
            self.statements(2, inside);
            // One case falls through into the next.
            let next = if index == 0 && self.random.one_in(2) { sides[1] } else { join };
            self.b.jump(next, &[]);
        }
        self.b.block = join;
    }

    fn counter(&mut self, start: Value) -> (Slot, Type) {
        let slot = self.b.func.slots.push(SlotData { size: 4, align: 4 });
        self.write((slot, Type::I32), start);
        (slot, Type::I32)
    }

    /// One less; true as long as it was not 0.
    fn count_down(&mut self, counter: (Slot, Type)) -> Value {
        let value = self.read(counter);
        self.b.flags = Flags::NSW;
        let next = self.b.binary_imm(BinaryOp::Sub, value, 1);
        self.b.flags = Flags::empty();
        self.write(counter, next);
        self.b.icmp_imm(IntCc::Sgt, value, 0)
    }

    fn counted_loop(&mut self, place: Place) {
        let uniform = place.group_uniform && self.random.one_in(2);
        let start = match uniform {
            true => self.b.i32(self.random.below(4) as i32),
            // Neighbours leave one after the other.
            false if self.is_kernel && self.kinds.sub_groups && self.random.one_in(4) => {
                let lane = self.b.builtin(Builtin::SubGroupLocalId, 0);
                let lane = if self.b.ty(lane) == Type::I32 {
                    lane
                } else {
                    self.as_int(lane, Type::I32)
                };
                self.b.flags = Flags::NSW;
                let start = self.b.binary_imm(BinaryOp::Sub, lane, self.random.below(9) as i64 - 3);
                self.b.flags = Flags::empty();
                start
            }
            false => {
                let value = self.value(Type::I32, 2);
                self.b.binary_imm(BinaryOp::And, value, 3)
            }
        };
        let counter = self.counter(start);
        let (header, body, exit) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        self.b.jump(header, &[]);
        self.b.block = header;
        let more = self.count_down(counter);
        self.b.branch(more, to(body, &[]), to(exit, &[]));
        self.b.block = body;
        let inside = Place {
            group_uniform: uniform,
            ..self.inside(place)
        };
        self.statements(3, inside);
        for _ in 0..self.random.below(4) {
            // Out of the loop, which may take a while, or to its next turn.
            let condition = match uniform {
                true => {
                    let (turn, when) = (self.read(counter), self.random.below(4) as i64);
                    self.b.icmp_imm(IntCc::Eq, turn, when)
                }
                false => self.condition(2),
            };
            let rest = self.b.add_block(&[]);
            match self.random.below(3) {
                0 => self.b.branch(condition, to(header, &[]), to(rest, &[])),
                1 => self.b.branch(condition, to(exit, &[]), to(rest, &[])),
                _ => {
                    let way = self.b.add_block(&[]);
                    self.b.branch(condition, to(way, &[]), to(rest, &[]));
                    self.b.block = way;
                    self.statements(2, inside);
                    self.b.jump(exit, &[]);
                }
            }
            self.b.block = rest;
            self.statements(2, inside);
        }
        self.b.jump(header, &[]);
        self.b.block = exit;
    }

    /// A cycle of two blocks that is entered at either.
    fn two_entries(&mut self, place: Place) {
        let start = self.b.i32(1 + self.random.below(4) as i32);
        let counter = self.counter(start);
        let (one, other, exit) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        let condition = self.condition(2);
        self.b.branch(condition, to(one, &[]), to(other, &[]));
        let inside = Place {
            group_uniform: false,
            reducible: false,
            ..self.inside(place)
        };
        self.b.block = one;
        self.statements(2, inside);
        self.b.jump(other, &[]);
        self.b.block = other;
        self.statements(2, inside);
        let more = self.count_down(counter);
        self.b.branch(more, to(one, &[]), to(exit, &[]));
        self.b.block = exit;
    }

    fn call(&mut self) {
        let callee = *self.random.choose(self.helpers);
        let args = ValueList::from_slice(&[self.value(Type::I32, 2), self.value(Type::F32, 2)]);
        let inst = self.b.push(InstData::Call {
            callee,
            args,
            results: smallvec::smallvec![Type::I32, Type::F32],
        });
        let results = self.b.func.inst(inst).results.clone();
        for result in results {
            if let Some(variable) = self.variable(self.b.ty(result)) {
                self.write(variable, result);
            }
        }
    }

    /// Some work-items leave the kernel.
    fn leave(&mut self) {
        let condition = self.condition(2);
        let (leave, stay) = (self.b.add_block(&[]), self.b.add_block(&[]));
        self.b.branch(condition, to(leave, &[]), to(stay, &[]));
        self.b.block = leave;
        self.write_out();
        match self.random.one_in(4) {
            true => drop(self.b.push(InstData::Unreachable)),
            false => self.b.ret(&[]),
        }
        self.b.block = stay;
    }
}
