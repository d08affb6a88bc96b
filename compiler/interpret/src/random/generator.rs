//! What is known while a function is made, its variables, and the kernel as a whole.

use super::arrays::Array;
use super::functions::Helper;
use super::groups::ATOMICS;
use super::pictures::Pictures;
use super::tables::Table;
use super::{COLUMNS, ITEM_BYTES, Random, Range, numbers};
use ir::UNPROMISED;
use ir::*;

pub(super) const INTS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];
pub(super) const FLOATS: [Type; 3] = [Type::F16, Type::F32, Type::F64];
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
    pub helpers: Vec<Helper>,
    pub kinds: Kinds,
    pub pictures: Pictures,
    pub columns: [Type; COLUMNS],
    pub uniforms: [i64; numbers::UNIFORMS],
    pub tables: Vec<Table>,
}

pub(super) struct Generator<'a> {
    pub b: Builder<'a>,
    pub random: &'a mut Random,
    pub range: Range,
    pub helpers: &'a [Helper],
    pub is_kernel: bool,
    /// What work-items do together may stand here.
    pub meets: bool,
    pub variables: Vec<(Slot, Type)>,
    pub arrays: Vec<Array>,
    /// Truth values that the function was given.
    pub masks: Vec<Value>,
    /// Addresses that it was given, of the work-item's own elements of columns.
    pub elements: Vec<(usize, Value)>,
    /// Instructions that may still be made.
    pub budget: i32,
    /// Addresses of memory; functions that have none read no built-ins, either.
    pub roots: Option<Roots>,
    /// Numbers among the arguments, with where they are in the argument block.
    pub uniforms: [i64; numbers::UNIFORMS],
    /// Constants of the program.
    pub tables: &'a [Table],
    /// Types of the columns.
    pub columns: [Type; COLUMNS],
    /// What counts the loops around, and how far.
    pub counters: Vec<(Slot, Type, i128)>,
    /// The images among the arguments.
    pub pictures: Pictures,
    /// Addresses of images that the function was given.
    pub images: Vec<(usize, Value)>,
    /// The set that the buffers are in.
    pub alias: AliasSet,
    pub kinds: Kinds,
}

/// What a kernel and its functions may have: passes look for kernels that lack something.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    /// Something that sees which work-items are a gang.
    pub sub_groups: bool,
    pub barriers: bool,
    /// Cycles with two entries.
    pub irreducible: bool,
    pub atomics: bool,
    /// Atomics on global memory are all of this kind.
    pub one_atomic: Option<usize>,
    /// Work-items that leave early.
    pub leaving: bool,
    pub images: bool,
    /// Work-items beyond a bound do nothing.
    pub guards: bool,
    /// Numbers of bytes in memory.
    pub pixels: bool,
}

impl Kinds {
    pub fn new(random: &mut Random) -> Kinds {
        Kinds {
            sub_groups: random.one_in(2),
            barriers: random.one_in(2),
            irreducible: random.one_in(3),
            atomics: random.one_in(2),
            one_atomic: random.one_in(2).then(|| random.below(ATOMICS as u64) as usize),
            leaving: random.one_in(2),
            images: random.one_in(2),
            guards: random.one_in(3),
            pixels: random.one_in(3),
        }
    }
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
        let budget = match is_kernel {
            true => *shared.random.choose(&[12, 30, 60, 150]),
            false => *shared.random.choose(&[8, 20, 50]),
        };
        Generator {
            b: Builder::new(func, entry),
            random: &mut shared.random,
            range: shared.range,
            helpers: &shared.helpers,
            is_kernel,
            meets: is_kernel,
            variables: Vec::new(),
            arrays: Vec::new(),
            masks: Vec::new(),
            elements: Vec::new(),
            budget,
            roots: None,
            uniforms: shared.uniforms,
            tables: &shared.tables,
            columns: shared.columns,
            counters: Vec::new(),
            pictures: shared.pictures,
            images: Vec::new(),
            alias,
            kinds: shared.kinds,
        }
    }

    pub fn kernel(&mut self) {
        self.find_roots();
        if self.kinds.guards {
            self.guard();
        }
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
        self.declare_arrays();
        let count = *self.random.choose(&[4, 6, 12]);
        self.statements(
            count,
            Place {
                depth: 3,
                group_uniform: true,
                reducible: true,
            },
        );
        self.finish();
    }

    /// Reads the addresses of memory.
    pub fn find_roots(&mut self) {
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
    }

    pub fn declare(&mut self, count: usize) {
        let first = self.random.below(VARIABLES.len() as u64) as usize;
        for ty in VARIABLES.into_iter().cycle().skip(first).take(count) {
            self.new_variable(ty);
        }
    }

    pub fn new_variable(&mut self, ty: Type) -> (Slot, Type) {
        let data = SlotData {
            size: ty.bytes(),
            align: ty.bytes(),
        };
        let slot = self.b.func.slots.push(data);
        self.variables.push((slot, ty));
        let zero = self.b.constant(ty, 0);
        self.write((slot, ty), zero);
        (slot, ty)
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
    pub fn write_out(&mut self) {
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
}
