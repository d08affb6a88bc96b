//! The state of a function while it is lowered: what each id stands for, and where the next instruction goes.

use super::failure::Failure;
use super::program::Program;
use super::shape::{self, Shape};
use super::sincos::SinesAndCosines;
use super::value::{BuiltInPointer, Component, Pointer, Scalars, Val};
use super::variables::variable_type;
use cranelift_entity::EntityRef;
use ir::*;
use rspirv::spirv::{Decoration, FPFastMathMode, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{ConstantRef, Id, Instruction, Module, Type as SpirvType};

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// A function being lowered.
pub(super) struct Lowering<'p, 'm> {
    /// What all functions share.
    pub program: &'p mut Program<'m>,
    /// Which of the program's modules the function is from.
    pub unit: usize,
    /// That module.
    pub spirv: &'m Module,
    /// The result.
    pub func: Function,
    /// The first block: constants, addresses and arguments, each once.
    pub prologue: Block,
    /// Where the next instruction goes.
    pub block: Block,
    /// Flags of the next instructions.
    pub flags: Flags,
    /// The label of the block that is being lowered.
    pub label: Id,
    /// The rest of the block is never reached.
    pub ended: bool,
    /// What the block that is being lowered takes both of.
    pub sines_and_cosines: SinesAndCosines,
    /// Sizes of variables that are larger than their types (`memory/narrowed.rs`).
    pub narrowed: HashMap<Id, u64>,
    /// Variables that are constants (`memory/constant_arrays.rs`).
    pub constant_arrays: HashMap<Id, ConstantRef>,
    values: HashMap<Id, Val>,
    /// Blocks, and phis with their places, by label.
    pub blocks: HashMap<Id, super::flow::Target<'m>>,
    constants: HashMap<(Type, u64), Value>,
    roots: HashMap<InstData, Value>,
    /// Memory for arrays of variable length, and how much of it is taken; from the first of them on.
    pub dynamic: Option<super::variable_length::Dynamic>,
    /// Where a result that is too large for registers goes.
    pub result_address: Option<Value>,
}

impl<'p, 'm> Lowering<'p, 'm> {
    pub(super) fn new(program: &'p mut Program<'m>, unit: usize, name: String, results: &[Type]) -> Lowering<'p, 'm> {
        let mut func = Function::new(name, Level::WorkItem, results);
        if !program.options.checks.is_empty() || program.options.optimizations_disabled {
            func.origins = Some(Box::default());
        }
        let prologue = func.add_block();
        let spirv = program.units[unit].spirv;
        Lowering {
            program,
            unit,
            spirv,
            func,
            prologue,
            block: prologue,
            flags: Flags::empty(),
            label: 0,
            ended: false,
            sines_and_cosines: SinesAndCosines::default(),
            narrowed: HashMap::default(),
            constant_arrays: HashMap::default(),
            values: HashMap::default(),
            blocks: HashMap::default(),
            constants: HashMap::default(),
            roots: HashMap::default(),
            dynamic: None,
            result_address: None,
        }
    }

    /// Writes where lowering is.
    pub(super) fn b(&mut self) -> Builder<'_> {
        Builder {
            func: &mut self.func,
            block: self.block,
            flags: self.flags,
        }
    }

    /// A constant, made once a function.
    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let bits = bits & ty.elem.bit_mask();
        let (func, prologue) = (&mut self.func, self.prologue);
        *self
            .constants
            .entry((ty, bits))
            .or_insert_with(|| Builder::new(func, prologue).constant(ty, bits))
    }

    pub(super) fn i64(&mut self, value: i64) -> Value {
        self.constant(Type::I64, value as u64)
    }

    pub(super) fn i32(&mut self, value: i32) -> Value {
        self.constant(Type::I32, value as u32 as u64)
    }

    /// A pure instruction without operands that depend on the place, made once a function.
    pub(super) fn root(&mut self, data: InstData) -> Value {
        let (func, prologue) = (&mut self.func, self.prologue);
        *self
            .roots
            .entry(data.clone())
            .or_insert_with(|| Builder::new(func, prologue).value(data))
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, dimension: u8) -> Value {
        self.root(InstData::Builtin { builtin, dimension })
    }

    // Origins.

    /// Kernels are checked while they run.
    pub(super) fn is_checked(&self) -> bool {
        !self.program.options.checks.is_empty()
    }

    /// The instructions from `first` on, counted as they were made, come from a place in the source.
    pub(super) fn come_from(&mut self, first: usize, place: Place) {
        let made = self.func.counts().1;
        if let Some(origins) = &mut self.func.origins {
            for inst in first..made {
                origins.places[Inst::new(inst)] = place;
            }
        }
    }

    /// Private memory is a variable of the source.
    pub(super) fn name_variable(&mut self, memory: &Pointer, id: Id) {
        let Some(&InstData::SlotAddress { slot }) = self.func.def_data(memory.base) else {
            return;
        };
        let Some(origins) = &mut self.func.origins else { return };
        let shown = self.program.options.optimizations_disabled;
        let pointee = self.spirv.value_type(id).pointer().filter(|_| shown);
        origins.variables[slot] = Some(Variable {
            name: self.spirv.name(id).unwrap_or_default().into(),
            ty: pointee.map(|(_, pointee)| variable_type(self.spirv, pointee)),
        });
    }

    // Types.

    pub(super) fn shape(&mut self, type_id: Id) -> Result<Shape> {
        self.program.units[self.unit].shapes.get(self.spirv, type_id)
    }

    pub(super) fn leaf_count(&mut self, type_id: Id) -> u64 {
        self.program.units[self.unit].shapes.count(self.spirv, type_id)
    }

    /// The space that a pointer type points into.
    pub(super) fn space_of(&self, pointer_type: Id) -> Space {
        match self.spirv.ty(pointer_type).pointer() {
            Some((class, _)) => space(class),
            None => Space::Generic,
        }
    }

    // Values.

    /// An id stands for this from here on.
    pub(super) fn bind(&mut self, id: Id, value: Val) {
        self.values.insert(id, value);
    }

    /// What an id stands for from here on, or no longer; what it stood for before.
    pub(super) fn replace(&mut self, id: Id, value: Option<Val>) -> Option<Val> {
        match value {
            Some(value) => self.values.insert(id, value),
            None => self.values.remove(&id),
        }
    }

    /// An instruction's result has these scalars.
    pub(super) fn define(&mut self, inst: &Instruction<'m>, scalars: Scalars) {
        let value = self.value_of(inst.result_type, scalars);
        self.bind(inst.result, value);
    }

    pub(super) fn define_scalar(&mut self, inst: &Instruction<'m>, value: Value) {
        self.define(inst, Scalars::from_slice(&[value]));
    }

    /// Scalars as a value of a type: an address becomes a pointer.
    pub(super) fn value_of(&self, type_id: Id, scalars: Scalars) -> Val {
        match self.spirv.ty(type_id) {
            SpirvType::Pointer { class, .. } if scalars.len() == 1 => Val::Pointer(Pointer::new(scalars[0], space(*class))),
            _ => Val::Scalars(scalars),
        }
    }

    /// What an id stands for.
    pub(super) fn val(&mut self, id: Id) -> Result<Val> {
        match self.values.get(&id) {
            Some(value) => Ok(value.clone()),
            None => self.constant_value(id),
        }
    }

    /// An id's scalars.
    pub(super) fn scalars(&mut self, id: Id) -> Result<Scalars> {
        if let Some(Val::Scalars(scalars)) = self.values.get(&id) {
            return Ok(scalars.clone());
        }
        let value = self.val(id)?;
        self.scalars_of(value)
    }

    /// A value's scalars. Not for aggregates in memory.
    pub(super) fn scalars_of(&mut self, value: Val) -> Result<Scalars> {
        match value {
            Val::Scalars(scalars) => Ok(scalars),
            Val::Pointer(pointer) => Ok(Scalars::from_slice(&[self.materialize(&pointer)])),
            Val::BuiltIn(built_in) => {
                let pointer = self.built_in_in_memory(&built_in)?;
                Ok(Scalars::from_slice(&[self.materialize(&pointer)]))
            }
            Val::Memory(_) => Err(Failure::Message(
                "an aggregate with more than 64 scalars is not supported here".into(),
            )),
        }
    }

    /// An id's only scalar.
    pub(super) fn scalar(&mut self, id: Id) -> Result<Value> {
        match self.scalars(id)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(Failure::Unsupported),
        }
    }

    /// What an id points to.
    pub(super) fn pointer(&mut self, id: Id) -> Result<Pointer> {
        match self.val(id)? {
            Val::Pointer(pointer) => Ok(pointer),
            Val::BuiltIn(built_in) => self.built_in_in_memory(&built_in),
            Val::Scalars(scalars) if scalars.len() == 1 => Ok(Pointer::new(scalars[0], Space::Generic)),
            _ => Err(Failure::Unsupported),
        }
    }

    /// A constant integer operand.
    pub(super) fn literal(&mut self, id: Id) -> Option<u64> {
        self.spirv.constant_bits(id)
    }

    /// Zero in each part: what is undefined, too.
    pub(super) fn zero(&mut self, type_id: Id) -> Result<Val> {
        match self.shape(type_id)? {
            Shape::Scalars(leaves) => {
                let zeros = leaves.iter().map(|leaf| self.constant(Type::scalar(leaf.elem), 0)).collect();
                Ok(self.value_of(type_id, zeros))
            }
            Shape::Memory => self.zero_memory(type_id),
        }
    }

    // Component by component.

    pub(super) fn map1(&mut self, inst: &Instruction<'m>, mut f: impl FnMut(&mut Builder, Value) -> Value) -> Result<()> {
        let x = self.scalars(inst.word(0))?;
        let results = x.iter().map(|&x| f(&mut self.b(), x)).collect();
        self.define(inst, results);
        Ok(())
    }

    pub(super) fn map2(&mut self, inst: &Instruction<'m>, mut f: impl FnMut(&mut Builder, Value, Value) -> Value) -> Result<()> {
        let (x, y) = (self.scalars(inst.word(0))?, self.scalars(inst.word(1))?);
        let results = x.iter().zip(&y).map(|(&x, &y)| f(&mut self.b(), x, y)).collect();
        self.define(inst, results);
        Ok(())
    }

    /// The flags that decorations, execution modes and build options give an instruction.
    pub(super) fn arithmetic_flags(&self, inst: &Instruction<'m>, float: bool) -> Flags {
        let mut flags = if float {
            let elem = self.result_elem(inst).ok().filter(|elem| elem.is_float());
            let elem = elem.or_else(|| shape::scalar(self.spirv.ty(self.spirv.components(self.spirv.type_of(inst.word(0))).1)));
            let fast = self.spirv.decoration(inst.result, Decoration::FPFastMathMode);
            self.float_flags(elem.unwrap_or(Elem::F32), fast.and_then(|words| words.first().copied()))
        } else {
            Flags::empty()
        };
        // What does not wrap in so many bits may in those that hold them.
        let odd = self.spirv.odd_width(inst.result_type).is_some();
        for decoration in self.spirv.decorations(inst.result).filter(|_| !odd) {
            match decoration.kind {
                Decoration::NoSignedWrap if !float => flags |= Flags::NSW,
                Decoration::NoUnsignedWrap if !float => flags |= Flags::NUW,
                _ => {}
            }
        }
        flags
    }

    // Built-in variables.

    /// A built-in variable as memory: only where its address is really wanted.
    fn built_in_in_memory(&mut self, pointer: &BuiltInPointer) -> Result<Pointer> {
        let whole = BuiltInPointer {
            component: None,
            ..*pointer
        };
        let value = self.load_built_in(&whole)?;
        let memory = self.temporary(pointer.type_id)?;
        self.store_plain(pointer.type_id, Val::Scalars(value), &memory)?;
        let (_, component_type) = self.spirv.components(pointer.type_id);
        let size = shape::size(self.spirv, component_type)?;
        Ok(match pointer.component {
            None => memory,
            Some(Component::Constant(component)) => self.advance(memory, u64::from(component) * size),
            Some(Component::Dynamic(index)) => self.step(memory, index, size),
        })
    }
}

/// The IR's space of a storage class.
pub(super) fn space(class: StorageClass) -> Space {
    match class {
        StorageClass::CrossWorkgroup => Space::Global,
        StorageClass::UniformConstant => Space::Constant,
        StorageClass::Workgroup => Space::Local,
        StorageClass::Function | StorageClass::Private | StorageClass::Input => Space::Private,
        _ => Space::Generic,
    }
}

/// FPFastMathMode as flags.
pub(super) fn fast_math(word: u32) -> Flags {
    let pairs = [
        (FPFastMathMode::NOT_NAN, Flags::NNAN),
        (FPFastMathMode::NOT_INF, Flags::NINF),
        (FPFastMathMode::NSZ, Flags::NSZ),
        (FPFastMathMode::ALLOW_RECIP, Flags::ARCP),
        (FPFastMathMode::ALLOW_CONTRACT, Flags::CONTRACT),
        (FPFastMathMode::ALLOW_REASSOC, Flags::REASSOC),
        (
            FPFastMathMode::ALLOW_TRANSFORM,
            Flags::REASSOC.union(Flags::ARCP).union(Flags::CONTRACT).union(Flags::AFN),
        ),
    ];
    let mut flags = Flags::empty();
    for (bit, flag) in pairs {
        if word & bit.bits() != 0 {
            flags |= flag;
        }
    }
    if word & FPFastMathMode::FAST.bits() != 0 {
        flags |= relaxed();
    }
    flags
}

/// Everything that -cl-fast-relaxed-math allows.
pub(super) fn relaxed() -> Flags {
    Flags::NNAN | Flags::NINF | Flags::NSZ | Flags::ARCP | Flags::CONTRACT | Flags::REASSOC | Flags::AFN
}
