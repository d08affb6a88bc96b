//! What all functions of a program share: its modules, symbols across them, functions and variables met so far.

use super::failure::{Failure, place};
use super::float_modes::FloatModes;
use super::function::{Lowering, Result};
use super::shape::{Shape, Shapes};
use super::value::{Pointer, Val};
use interface::checks::LocalVariable;
use interface::{BuildError, BuildOptions, KernelInfo};
use ir::*;
use rspirv::spirv::{Decoration, FunctionParameterAttribute, LinkageType, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{ConstantRef, Function as SpirvFunction, Id, Module};
use target::Machine;

/// A module of the program.
#[derive(Debug)]
pub(super) struct Unit<'m> {
    pub spirv: &'m Module,
    pub shapes: Shapes,
    /// Offsets of Workgroup variables.
    pub local: HashMap<Id, u64>,
    /// It tells of its source's lines: whoever built it wants to know what goes wrong.
    pub has_lines: bool,
    /// Types and qualifiers of arguments, by kernel.
    pub argument_texts: HashMap<String, super::kernel::ArgumentTexts>,
}

/// A program being lowered.
#[derive(Debug)]
pub(super) struct Program<'m> {
    pub units: Vec<Unit<'m>>,
    pub ir: ir::Module,
    pub globals: HashMap<(usize, Id), Global>,
    pub constants: HashMap<(usize, ConstantRef), Global>,
    pub options: BuildOptions,
    /// Library functions that the program has already.
    pub library: builtins::LibraryCache,
    /// How exact they have to be, and what they may make use of.
    pub precision: builtins::Precision,
    exports: HashMap<String, (usize, Id)>,
    /// Of the kernel that is being lowered.
    pub modes: FloatModes,
    functions: HashMap<(usize, Id, FloatModes), FuncRef>,
    /// Functions that were called and are not lowered yet.
    pending: Vec<(usize, Id, FuncRef)>,
    aliases: HashMap<(usize, Id), AliasSet>,
    /// Places of the module, by what they are.
    places: HashMap<SourcePlace, Place>,
    /// Functions that pointers may lead to: such a pointer is a position here, counted from 1.
    pub(super) addressed: Vec<(usize, Id)>,
    /// Functions that are enqueued: what their numbers stand for.
    pub(super) blocks: Vec<(usize, Id)>,
}

/// What a kernel reaches, itself or in what it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// Bytes of local memory for variables.
    pub local_bytes: u64,
    /// The variables, for checks.
    pub local_variables: Vec<LocalVariable>,
    /// The sizes, powers of two and or'ed, of sub-groups that its matrices are spread over.
    pub matrix_sub_group_sizes: u32,
}

impl Reached {
    /// Notes it of a kernel.
    pub fn note(self, info: &mut KernelInfo) -> std::result::Result<(), BuildError> {
        info.local_bytes = self.local_bytes;
        info.local_variables = self.local_variables;
        let sizes = self.matrix_sub_group_sizes;
        info.matrix_sub_group_size = (sizes != 0).then_some(sizes);
        let fault = match info.required_sub_group_size {
            _ if sizes.count_ones() > 1 => "has matrices for sub-groups of 8, and others for sub-groups of 16".into(),
            Some(size) if sizes != 0 && sizes != size => {
                format!("asks for sub-groups of {size}; its matrices are for sub-groups of {sizes}")
            }
            _ => return Ok(()),
        };
        Err(Failure::Link(format!("the kernel '{}' {fault}", info.name)).at(""))
    }
}

/// Local memory is addressed by constant offsets, which have 31 bits.
const MAX_LOCAL_SIZE: u64 = 1 << 30;

impl<'m> Program<'m> {
    pub(super) fn new(modules: &[&'m Module], options: &BuildOptions) -> std::result::Result<Program<'m>, BuildError> {
        let mut program = Program {
            units: Vec::new(),
            ir: ir::Module::default(),
            globals: HashMap::default(),
            constants: HashMap::default(),
            options: options.clone(),
            library: builtins::LibraryCache::default(),
            precision: precision(options),
            exports: HashMap::default(),
            modes: FloatModes::usual(options),
            functions: HashMap::default(),
            pending: Vec::new(),
            aliases: HashMap::default(),
            places: HashMap::default(),
            addressed: Vec::new(),
            blocks: Vec::new(),
        };
        for (unit, &spirv) in modules.iter().enumerate() {
            program.export(unit, spirv).map_err(|failure| failure.at("the program"))?;
            program.units.push(Unit {
                spirv,
                shapes: Shapes::default(),
                local: HashMap::default(),
                has_lines: false,
                argument_texts: super::kernel::ArgumentTexts::of(spirv),
            });
        }
        program.find_addressed();
        program.find_blocks();
        Ok(program)
    }

    /// Variables that are exported and have been lowered.
    pub(super) fn exported_variables(&self) -> Vec<(String, Global)> {
        let lowered = |(name, place): (&String, &(usize, Id))| Some((name.clone(), *self.globals.get(place)?));
        self.exports.iter().filter_map(lowered).collect()
    }

    fn export(&mut self, unit: usize, spirv: &Module) -> Result<()> {
        let functions = spirv.functions.iter().map(|function| function.id);
        let variables = spirv.global_variables.iter().map(|variable| variable.id);
        for id in functions.chain(variables) {
            let Some((name, linkage)) = spirv.linkage(id) else { continue };
            match linkage {
                LinkageType::Import => {}
                LinkageType::Export => {
                    if let Some((other, other_id)) = self.exports.insert(name.clone(), (unit, id)) {
                        let weak = |unit: usize, id: Id| {
                            let spirv = if unit == self.units.len() { spirv } else { self.units[unit].spirv };
                            !matches!(spirv.linkage(id), Some((_, LinkageType::Export)))
                        };
                        if !weak(other, other_id) {
                            return Err(Failure::Link(format!("the symbol '{name}' is defined in more than one module")));
                        }
                    }
                }
                // One of several equal definitions.
                _ => {
                    self.exports.entry(name).or_insert((unit, id));
                }
            }
        }
        Ok(())
    }

    pub(super) fn import(&self, unit: usize, id: Id) -> Option<(String, Option<(usize, Id)>)> {
        match self.units[unit].spirv.linkage(id) {
            Some((name, LinkageType::Import)) => {
                let export = self.exports.get(&name).copied();
                Some((name, export))
            }
            _ => None,
        }
    }

    /// Where a variable is defined.
    pub(super) fn resolve_variable(&self, unit: usize, id: Id) -> Result<(usize, Id)> {
        match self.import(unit, id) {
            None => Ok((unit, id)),
            Some((_, Some(export))) => Ok(export),
            Some((name, None)) => Err(Failure::Link(format!(
                "the variable '{name}' is imported, but no module of the program defines it"
            ))),
        }
    }

    /// The function that a call means; `None` if it is imported and no module defines it.
    pub(super) fn callee(&mut self, unit: usize, id: Id) -> Result<Option<FuncRef>> {
        let (home, target) = match self.import(unit, id) {
            None => (unit, id),
            Some((_, None)) => return Ok(None),
            Some((name, Some(export))) => {
                if self.signature(unit, id)? != self.signature(export.0, export.1)? {
                    let text = format!("the function '{name}' is imported with other parameter or result types than it is defined with");
                    return Err(Failure::Link(text));
                }
                export
            }
        };
        if let Some(&known) = self.functions.get(&(home, target, self.modes)) {
            return Ok(Some(known));
        }
        let (_, results) = self.signature(home, target)?;
        let reference = self
            .ir
            .functions
            .push(Function::new(self.name(home, target), Level::WorkItem, &results));
        self.functions.insert((home, target, self.modes), reference);
        self.pending.push((home, target, reference));
        Ok(Some(reference))
    }

    pub(super) fn name(&self, unit: usize, id: Id) -> String {
        let spirv = self.units[unit].spirv;
        spirv
            .name(id)
            .or_else(|| spirv.linkage(id).map(|(name, _)| name))
            .unwrap_or_else(|| format!("{id}"))
    }

    /// Types of parameters and results in the IR.
    pub(super) fn signature(&mut self, unit: usize, id: Id) -> Result<(Vec<Type>, Vec<Type>)> {
        let Unit { spirv, shapes, .. } = &mut self.units[unit];
        let function = spirv.function(id).ok_or(Failure::Unsupported)?;
        let mut params = Vec::new();
        for &param in &function.parameters {
            match shapes.get(spirv, spirv.type_of(param))? {
                Shape::Scalars(leaves) => params.extend(leaves.iter().map(|leaf| Type::scalar(leaf.elem))),
                Shape::Memory => params.push(Type::I64),
            }
        }
        let mut results = Vec::new();
        match shapes.get(spirv, function.result_type)? {
            Shape::Scalars(leaves) => results.extend(leaves.iter().map(|leaf| Type::scalar(leaf.elem))),
            Shape::Memory => params.push(Type::I64),
        }
        Ok((params, results))
    }

    /// Lowers all functions that were called so far, and what they call.
    pub(super) fn lower_pending(&mut self) -> std::result::Result<(), BuildError> {
        while let Some((unit, id, reference)) = self.pending.pop() {
            let spirv = self.units[unit].spirv;
            let Some(function) = spirv.function(id) else { continue };
            let results = self.ir.functions[reference].results.clone();
            let name = self.name(unit, id);
            let mut lowering = Lowering::new(self, unit, name, &results);
            let start = spirv.definition(id).map_or(0, |inst| inst.index);
            lowering.parameters(function).map_err(|failure| failure.at(&place(spirv, start)))?;
            lowering.body(function)?;
            let func = lowering.finish();
            self.ir.functions[reference] = func;
        }
        Ok(())
    }

    /// The number of a place in the source.
    pub(super) fn place(&mut self, place: SourcePlace) -> Place {
        let known = &mut self.ir.places;
        *self.places.entry(place).or_insert_with_key(|place| {
            known.push(place.clone());
            Place::of_module(known.len() - 1)
        })
    }

    /// The alias set of a variable.
    pub(super) fn alias_of(&mut self, unit: usize, id: Id) -> AliasSet {
        let key = self.resolve_variable(unit, id).unwrap_or((unit, id));
        let next = VARIABLE_SETS
            .checked_add(self.aliases.len() as AliasSet)
            .filter(|_| self.aliases.len() < usize::from(VARIABLE_SETS));
        *self.aliases.entry(key).or_insert(next.unwrap_or(0))
    }

    /// Gives each Workgroup variable that a kernel reaches its offset. Kernels that share none use the same memory. Says what each kernel reaches.
    pub(super) fn reach(&mut self, kernels: &[(usize, Id)]) -> Result<Vec<Reached>> {
        let mut reach = super::reach::Reach::new(self.units.iter().map(|unit| unit.spirv).collect(), &self.exports);
        let mut users: Vec<((usize, Id), Vec<usize>)> = Vec::new();
        let mut known: HashMap<(usize, Id), usize> = HashMap::default();
        for (kernel, &(unit, id)) in kernels.iter().enumerate() {
            for variable in reach.workgroup_variables(unit, id) {
                let at = *known.entry(variable).or_insert_with(|| {
                    users.push((variable, Vec::new()));
                    users.len() - 1
                });
                users[at].1.push(kernel);
            }
        }
        let mut reached: Vec<Reached> = kernels
            .iter()
            .map(|&(unit, id)| Reached {
                matrix_sub_group_sizes: reach.matrix_sub_group_sizes(unit, id),
                ..Reached::default()
            })
            .collect();
        for ((unit, id), users) in users {
            let spirv = self.units[unit].spirv;
            let Some(variable) = spirv.global_variable(id) else { continue };
            let Some(layout) = spirv.layout(variable.pointee) else { continue };
            let decorated = spirv
                .decoration(id, Decoration::Alignment)
                .and_then(|operands| operands.first().copied());
            let align = layout
                .align
                .max(u64::from(decorated.filter(|align| align.is_power_of_two()).unwrap_or(1)));
            let start = users
                .iter()
                .map(|&kernel| reached[kernel].local_bytes)
                .max()
                .unwrap_or(0)
                .next_multiple_of(align);
            let end = start.saturating_add(layout.size);
            if end > MAX_LOCAL_SIZE || align > MAX_LOCAL_SIZE {
                return Err(Failure::Message(format!(
                    "{end} bytes of local memory are more than any device has"
                )));
            }
            for kernel in users {
                reached[kernel].local_bytes = end;
                if !self.options.checks.is_empty() {
                    reached[kernel].local_variables.push(LocalVariable {
                        name: spirv.name(id).unwrap_or_default(),
                        offset: start,
                        bytes: layout.size,
                    });
                }
            }
            self.units[unit].local.insert(id, start);
        }
        Ok(reached)
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Parameters of a function that is no kernel.
    fn parameters(&mut self, function: &'m SpirvFunction) -> Result<()> {
        for &param in &function.parameters {
            let type_id = self.spirv.type_of(param);
            let value = match self.shape(type_id)? {
                Shape::Scalars(leaves) => {
                    let scalars = leaves
                        .iter()
                        .map(|leaf| self.func.add_param(self.prologue, Type::scalar(leaf.elem)))
                        .collect();
                    self.value_of(type_id, scalars)
                }
                Shape::Memory => Val::Memory(Pointer::new(self.func.add_param(self.prologue, Type::I64), Space::Generic)),
            };
            // A callee may write to what it was given by value.
            let value = match value {
                Val::Pointer(pointer)
                    if has_attribute(self.spirv, param, FunctionParameterAttribute::ByVal) && !self.read_only(function, param) =>
                {
                    let (_, pointee) = self.spirv.ty(type_id).pointer().ok_or(Failure::Unsupported)?;
                    Val::Pointer(self.memory_copy(pointee, &pointer)?)
                }
                value => value,
            };
            self.bind(param, value);
        }
        if let Shape::Memory = self.shape(function.result_type)? {
            self.result_address = Some(self.func.add_param(self.prologue, Type::I64));
        }
        Ok(())
    }

    /// A pointer parameter through which is only read, by instructions of the function itself.
    pub(super) fn read_only(&self, function: &SpirvFunction, param: Id) -> bool {
        super::reach::only_read(self.spirv, function, [param].into_iter()).contains(&param)
    }
}

/// The parameter has the attribute.
pub(super) fn has_attribute(spirv: &Module, param: Id, attribute: FunctionParameterAttribute) -> bool {
    spirv
        .decorations(param)
        .any(|decoration| decoration.kind == Decoration::FuncParamAttr && decoration.operands.first() == Some(&(attribute as u32)))
}

/// A Workgroup variable.
pub(super) fn is_workgroup(spirv: &Module, id: Id) -> bool {
    spirv
        .global_variable(id)
        .is_some_and(|variable| variable.class == StorageClass::Workgroup)
}

/// That of functions of a program that is built so, for this machine.
fn precision(options: &BuildOptions) -> builtins::Precision {
    let machine = Machine::of_process();
    builtins::Precision {
        relaxed: options.fast_relaxed_math || options.unsafe_math,
        has_tables: options.checks.is_empty() && machine.looks_up(8, 128),
        has_powers: machine.has_powers,
        has_long_minima: machine.has_long_minima,
        // (Registers of 16 bytes are those of other architectures, and of machines without fused products.)
        has_slow_roots: machine.has_fma && !machine.has_powers && machine.registers.bytes > 16,
    }
}
