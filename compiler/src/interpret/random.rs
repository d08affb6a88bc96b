//! Random kernels, to compare whatever runs them: a seed always gives the same one.
//!
//! The variables of a kernel are private slots, which may be written anywhere in nested branches, switches, loops (also such with two
//! entries) and calls. Work-items exchange values through local memory between barriers, through operations across the sub-group and
//! the work-group, and through atomics whose result nobody sees. Each writes what it has to its own place. Nothing is generated whose
//! result the IR leaves open: no division by zero, no conversion out of range without saturation, no bits of a NaN.

use super::{Config, GlobalMemory, Stop};
use crate::ir::*;
use cranelift_entity::EntityRef;
use device::abi::LaunchRecord;
use std::sync::atomic::AtomicU32;

/// Bytes that each work-item writes.
const ITEM_BYTES: u64 = 64;
/// Bytes of input, and of memory that all work-items share for atomics.
const INPUT_BYTES: u64 = 256;
const SHARED_BYTES: u64 = 64;

/// A kernel, function 0 of a module, and the NDRange that it is meant for.
#[derive(Clone, Debug)]
pub struct RandomKernel {
    /// Function 0 is the kernel; it has no program-scope variables.
    pub module: Module,
    /// Global size.
    pub global_size: [u64; 3],
    /// Enqueued local size. Groups may be cut off.
    pub local_size: [u64; 3],
    /// Local memory that it uses.
    pub local_bytes: u64,
}

impl RandomKernel {
    /// The kernel of a seed.
    pub fn new(seed: u64) -> RandomKernel {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        let local_size = *random.choose(&[
            [8, 1, 1],
            [16, 1, 1],
            [5, 1, 1],
            [4, 4, 1],
            [3, 5, 1],
            [1, 1, 1],
            [2, 2, 5],
            [40, 1, 1],
        ]);
        let extra = random.below(3);
        let global_size = [
            local_size[0] * 2 + if random.one_in(3) { extra } else { 0 },
            local_size[1],
            local_size[2],
        ];
        let mut module = Module::default();
        let kernel = module.functions.push(Function::new("kernel", Level::WorkItem, &[]));
        let helper_count = random.below(3);
        let mut helpers = Vec::new();
        for index in 0..helper_count {
            let mut func = Function::new(format!("helper{index}"), Level::WorkItem, &[Type::I32, Type::F32]);
            Generator::new(&mut func, &mut random, &helpers, false).helper();
            helpers.push(module.functions.push(func));
        }
        let mut func = Function::new("kernel", Level::WorkItem, &[]);
        Generator::new(&mut func, &mut random, &helpers, true).kernel();
        module.functions[kernel] = func;
        RandomKernel {
            module,
            global_size,
            local_size,
            local_bytes: 8 * local_size.iter().product::<u64>(),
        }
    }

    /// Runs it through `run`, which gets launch record and arguments, and gives all that was written.
    pub fn output(&self, run: impl FnOnce(&LaunchRecord) -> Result<(), Stop>) -> Result<Vec<u64>, Stop> {
        let items: u64 = self.global_size.iter().product();
        let mut out = vec![0u64; (items * ITEM_BYTES / 8) as usize];
        let mut shared = vec![0u64; (SHARED_BYTES / 8) as usize];
        let mut random = Random(77);
        let input: Vec<u64> = (0..INPUT_BYTES / 8).map(|_| random.next()).collect();
        let arguments = [out.as_mut_ptr() as u64, input.as_ptr() as u64, shared.as_mut_ptr() as u64];
        let launch = LaunchRecord {
            arguments: arguments.as_ptr().cast(),
            printf: std::ptr::null_mut(),
            work_dim: 3,
            stop: AtomicU32::new(0),
            global_offset: [0; 3],
            global_size: self.global_size,
            local_size: self.local_size,
            group_count: [0, 1, 2].map(|d| self.global_size[d].div_ceil(self.local_size[d])),
        };
        run(&launch)?;
        out.extend(shared);
        Ok(out)
    }

    /// What the interpreter says that it writes, in gangs of a width.
    pub fn interpret(&self, gang_width: u32) -> Result<Vec<u64>, Stop> {
        self.interpret_as(&self.module, gang_width)
    }

    /// The same for another form of the kernel.
    pub fn interpret_as(&self, module: &Module, gang_width: u32) -> Result<Vec<u64>, Stop> {
        let globals = GlobalMemory::new(module);
        let config = Config {
            gang_width,
            local_bytes: self.local_bytes + 1024,
            globals: &globals.addresses,
            max_blocks: 5_000_000,
        };
        self.output(|launch| {
            // SAFETY: the kernels that are generated stay within the memory that they get.
            unsafe { super::run(module, FuncRef::new(0), launch, &config) }
        })
    }
}

/// Numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 33) % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }
}

const INTS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];
const VARIABLES: [Type; 8] = [
    Type::I32,
    Type::I64,
    Type::F32,
    Type::I32,
    Type::I16,
    Type::F64,
    Type::I8,
    Type::F32,
];

/// What may stand at a place.
#[derive(Clone, Copy)]
struct Place {
    /// How deep statements may still nest.
    depth: u32,
    /// All work-items of the group come here together, those that left aside.
    group_uniform: bool,
    /// The cycle around has one entry: lanes meet in an order that is fixed.
    reducible: bool,
}

struct Generator<'a> {
    b: Builder<'a>,
    random: &'a mut Random,
    helpers: &'a [FuncRef],
    is_kernel: bool,
    variables: Vec<(Slot, Type)>,
    /// Instructions that may still be made.
    budget: i32,
    /// Addresses: output of the work-item, input, shared memory, local memory.
    roots: [Option<Value>; 4],
}

impl<'a> Generator<'a> {
    fn new(func: &'a mut Function, random: &'a mut Random, helpers: &'a [FuncRef], is_kernel: bool) -> Generator<'a> {
        let entry = func.add_block();
        Generator {
            b: Builder::new(func, entry),
            random,
            helpers,
            is_kernel,
            variables: Vec::new(),
            budget: if is_kernel { 120 } else { 30 },
            roots: [None; 4],
        }
    }

    fn helper(&mut self) {
        let entry = self.b.block;
        let params = [Type::I32, Type::F32].map(|ty| self.b.func.add_param(entry, ty));
        self.declare();
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

    fn kernel(&mut self) {
        let arguments = self.b.builtin(Builtin::Arguments, 0);
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 8)
        };
        let [out, input, shared] = [0, 8, 16].map(|offset| self.b.load(Type::I64, Address::offset(arguments, offset), mem));
        let id = self.b.builtin(Builtin::GlobalLinearId, 0);
        let offset = self.b.binary_imm(BinaryOp::Mul, id, ITEM_BYTES as i64);
        let own = self.b.add(out, offset);
        let local = self.b.builtin(Builtin::LocalMemory, 0);
        self.roots = [Some(own), Some(input), Some(shared), Some(local)];
        self.declare();
        // A place in local memory is written before anybody may leave.
        let item = self.b.builtin(Builtin::LocalLinearId, 0);
        let address = self.local_place(item);
        self.b.store(item, address, MemInfo::new(Space::Local, 8));
        for index in 0..self.variables.len() {
            let variable = self.variables[index];
            let value = self.input(variable.1);
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

    fn declare(&mut self) {
        for ty in VARIABLES {
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

    fn read(&mut self, (slot, ty): (Slot, Type)) -> Value {
        let address = self.b.slot_address(slot);
        self.b.load(ty, Address::base(address), MemInfo::new(Space::Private, ty.bytes()))
    }

    fn write(&mut self, (slot, ty): (Slot, Type), value: Value) {
        let address = self.b.slot_address(slot);
        self.b
            .store(value, Address::base(address), MemInfo::new(Space::Private, ty.bytes()));
    }

    /// Each variable to the work-item's own place in the output.
    fn write_out(&mut self) {
        let Some(own) = self.roots[0] else { return };
        for index in 0..self.variables.len() {
            let variable = self.variables[index];
            let value = self.read(variable);
            let value = self.without_nan(value);
            let address = Address::offset(own, 8 * index as i32);
            self.b.store(value, address, MemInfo::new(Space::Global, 8));
        }
    }

    /// One NaN for all: its bits are left open.
    fn without_nan(&mut self, value: Value) -> Value {
        let ty = self.b.ty(value);
        if !ty.elem.is_float() {
            return value;
        }
        let is_nan = self.b.fcmp(FloatCc::Uno, value, value);
        let zero = self.b.constant(ty, 0);
        self.b.select(is_nan, zero, value)
    }

    fn input(&mut self, ty: Type) -> Value {
        let Some(input) = self.roots[1] else {
            return self.constant(ty);
        };
        let id = self.b.builtin(Builtin::GlobalId, 0);
        let index = self.b.convert(ConvertOp::Trunc, Elem::I32, id);
        let step = self.random.below(4) as i64;
        // Neither can wrap: ids are small.
        self.b.flags = Flags::NSW;
        let index = self.b.binary_imm(BinaryOp::Mul, index, step);
        let index = self.b.binary_imm(BinaryOp::Add, index, self.random.below(3) as i64);
        self.b.flags = Flags::empty();
        let index = self.b.binary_imm(BinaryOp::And, index, 15);
        let index = match self.random.one_in(2) {
            true => index,
            false => self.b.convert(ConvertOp::SExt, Elem::I64, index),
        };
        let address = Address {
            base: input,
            index: Some(index),
            scale: 8,
            offset: 8 * self.random.below(16) as i32,
        };
        let value = self.b.load(ty, address, MemInfo::new(Space::Global, ty.bytes()));
        self.without_nan(value)
    }

    fn local_place(&mut self, item: Value) -> Address {
        Address {
            base: self.roots[3].unwrap_or(item),
            index: Some(item),
            scale: 8,
            offset: 0,
        }
    }

    fn variable(&mut self, ty: Type) -> Option<(Slot, Type)> {
        let of_type: Vec<(Slot, Type)> = self.variables.iter().copied().filter(|variable| variable.1 == ty).collect();
        (!of_type.is_empty()).then(|| *self.random.choose(&of_type))
    }

    fn constant(&mut self, ty: Type) -> Value {
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
    fn value(&mut self, ty: Type, depth: u32) -> Value {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 || self.random.one_in(4) {
            return match (self.variable(ty), self.random.one_in(3)) {
                (Some(variable), false) => self.read(variable),
                _ if ty == Type::I64 && self.is_kernel => {
                    let builtins = [Builtin::GlobalId, Builtin::LocalId, Builtin::GroupId, Builtin::LocalSize];
                    let builtin = *self.random.choose(&builtins);
                    let dimension = self.random.below(3) as u8;
                    self.b.builtin(builtin, dimension)
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

    fn as_int(&mut self, value: Value, ty: Type) -> Value {
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
            0 if to_float => *self.random.choose(&[Type::F32, Type::F64]),
            1 if !to_float => *self.random.choose(&[Type::F32, Type::F64]),
            2 if !to_float => {
                let mask = self.condition(depth);
                return self.b.convert(ConvertOp::MaskToInt, ty.elem, mask);
            }
            3 => {
                // The same bits.
                let from = if to_float {
                    ty.as_int()
                } else {
                    *self.random.choose(&[Type::F32, Type::F64])
                };
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
        let arg = self.value(from, depth);
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
    fn condition(&mut self, depth: u32) -> Value {
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
                let ty = *self.random.choose(&[Type::F32, Type::F64]);
                let (cc, _) = *self.random.choose(FloatCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.fcmp(cc, a, b)
            }
            _ => {
                let ty = *self.random.choose(&INTS);
                let (cc, _) = *self.random.choose(IntCc::NAMES);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.icmp(cc, a, b)
            }
        }
    }

    fn statements(&mut self, count: u64, place: Place) {
        for _ in 0..1 + self.random.below(count) {
            self.statement(place);
        }
    }

    fn inside(&self, place: Place) -> Place {
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
        match self.random.below(14) {
            0 | 1 if nested => self.branch(place),
            2 if nested => self.switch(place),
            3 | 4 if nested => self.counted_loop(place),
            5 if nested && self.random.one_in(2) => self.two_entries(place),
            6 if place.group_uniform => self.exchange(),
            7 if place.group_uniform => self.work_group(),
            8 | 9 if place.reducible && self.is_kernel => self.sub_group(),
            10 if self.is_kernel => self.atomic(),
            11 if !self.helpers.is_empty() && place.reducible => self.call(),
            12 if self.is_kernel && self.random.one_in(3) => self.leave(),
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
            false if self.random.one_in(4) => {
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
        if !uniform && self.random.one_in(2) {
            // Out of the loop, or to its next iteration.
            let condition = self.condition(2);
            let goal = if self.random.one_in(2) { exit } else { header };
            let rest = self.b.add_block(&[]);
            self.b.branch(condition, to(goal, &[]), to(rest, &[]));
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

    fn barrier(&mut self) {
        self.b.push(InstData::Barrier {
            execution: Scope::WorkGroup,
            order: Order::AcquireRelease,
            memory: Scope::WorkGroup,
        });
    }

    /// A value goes to another work-item of the group.
    fn exchange(&mut self) {
        let Some(variable) = self.variable(Type::I64) else { return };
        let mem = MemInfo::new(Space::Local, 8);
        let item = self.b.builtin(Builtin::LocalLinearId, 0);
        let value = self.value(Type::I64, 2);
        let own = self.local_place(item);
        self.b.store(value, own, mem);
        self.barrier();
        let mut items = self.b.builtin(Builtin::LocalSize, 0);
        for dimension in 1..3 {
            let size = self.b.builtin(Builtin::LocalSize, dimension);
            items = self.b.mul(items, size);
        }
        let other = self.b.binary_imm(BinaryOp::Add, item, 1 + self.random.below(7) as i64);
        let other = self.b.binary(BinaryOp::URem, other, items);
        let place = self.local_place(other);
        let value = self.b.load(Type::I64, place, mem);
        self.write(variable, value);
        self.barrier();
    }

    fn work_group(&mut self) {
        let Some(variable) = self.variable(Type::I32) else { return };
        let op = *self.random.choose(&[ReduceOp::Add, ReduceOp::UMax, ReduceOp::SMin, ReduceOp::Xor]);
        let op = *self.random.choose(&[
            WorkGroupOp::Reduce(op),
            WorkGroupOp::InclusiveScan(op),
            WorkGroupOp::ExclusiveScan(op),
        ]);
        let args = ValueList::from_slice(&[self.value(Type::I32, 2)]);
        let value = self.b.value(InstData::WorkGroup { op, args });
        self.write(variable, value);
    }

    fn sub_group(&mut self) {
        if self.random.one_in(4) {
            return self.shuffle();
        }
        let Some(variable) = self.variable(Type::I32) else { return };
        let op = *self
            .random
            .choose(&[ReduceOp::Add, ReduceOp::Mul, ReduceOp::UMax, ReduceOp::SMin, ReduceOp::Xor]);
        let op = *self.random.choose(&[
            SubGroupOp::Reduce(op),
            SubGroupOp::InclusiveScan(op),
            SubGroupOp::ExclusiveScan(op),
            SubGroupOp::ClusteredReduce(op, 4),
            SubGroupOp::BroadcastFirst,
            SubGroupOp::Ballot,
            SubGroupOp::Any,
            SubGroupOp::All,
            SubGroupOp::AllEqual,
            SubGroupOp::Elect,
        ]);
        let args = match op {
            SubGroupOp::Elect => ValueList::new(),
            SubGroupOp::Ballot | SubGroupOp::Any | SubGroupOp::All => ValueList::from_slice(&[self.condition(2)]),
            _ => ValueList::from_slice(&[self.value(Type::I32, 2)]),
        };
        let value = self.b.sub_group(op, &args);
        let value = match self.b.ty(value) {
            Type::MASK => self.b.convert(ConvertOp::MaskToInt, Elem::I32, value),
            _ => value,
        };
        self.write(variable, value);
    }

    /// A value of another lane that is active: each lane's own or the first one's.
    fn shuffle(&mut self) {
        let ty = *self.random.choose(&INTS);
        let Some(variable) = self.variable(ty) else { return };
        let value = self.value(ty, 2);
        let everybody = self.b.mask(Type::MASK, true);
        let active = self.b.sub_group(SubGroupOp::Ballot, &[everybody]);
        let first = self.b.unary(UnaryOp::Ctz, active);
        let value = match self.random.one_in(3) {
            true => self.b.sub_group(SubGroupOp::Broadcast, &[value, first]),
            false => {
                let (own, condition) = (self.b.builtin(Builtin::SubGroupLocalId, 0), self.condition(2));
                let lane = self.b.select(condition, own, first);
                self.b.sub_group(SubGroupOp::Shuffle, &[value, lane])
            }
        };
        self.write(variable, value);
    }

    /// An atomic whose result nobody sees, of a kind that gives the same in any order.
    fn atomic(&mut self) {
        let Some(shared) = self.roots[2] else { return };
        use AtomicOp::*;
        // Each kind has its own place.
        let kinds = [Add, And, Or, Xor, SMin, UMax];
        let kind = self.random.below(kinds.len() as u64);
        let value = self.value(Type::I32, 2);
        let address = self.b.binary_imm(BinaryOp::Add, shared, 8 * kind as i64);
        self.b.push(InstData::AtomicRmw {
            op: kinds[kind as usize],
            value,
            address,
            mask: None,
            mem: MemInfo::new(Space::Global, 4),
            order: Order::Relaxed,
            scope: Scope::Device,
        });
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
