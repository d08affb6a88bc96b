//! Makes the typed module: one pass over the instructions in order, in which each id gets its type, each constant its value, and each function its
//! blocks. What can't be made is reported, and the rest goes on, so that one run tells all that is wrong.

mod annotations;
mod constants;
mod functions;
mod pointees;
mod types;

use super::deviations::Deviation;
use super::diagnostics::Report;
use super::rules;
use functions::OpenFunction;
use rspirv::dr::Operand;
use rspirv::spirv::{AddressingModel, Capability, Op, StorageClass};
use rustc_hash::FxHashMap;
use spirv::{
    Binary, ConstantRef, EntryPoint, ExecutionMode, ExtendedSet, Id, IdRecord, Instruction, Layout, Module, Type, What, newer, string,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value for a specialization constant: its SpecId, and its bytes.
pub type Specialization<'a> = &'a [(u32, Vec<u8>)];

/// Deviations that were met, each with its instruction's index. Whether they are tolerated, validation says.
pub type Deviations = Vec<(Deviation, u32)>;

/// Builds the typed module of a binary. It may be relied upon only if `report` holds no errors afterwards.
pub fn build(binary: Binary, specialization: Specialization<'_>, report: &mut Report) -> (Module, Deviations) {
    let mut builder = Builder::new(binary, specialization, report);
    builder.run();
    (builder.module, builder.deviations)
}

struct Builder<'a> {
    module: Module,
    report: &'a mut Report,
    specialization: Specialization<'a>,
    section: Section,
    /// Pointer types that OpTypeForwardPointer has announced and OpTypePointer has not declared yet.
    forward_pointers: BTreeMap<Id, (StorageClass, u32)>,
    /// Types that must not be declared twice.
    unique_types: FxHashMap<Type, Id>,
    /// How deep aggregate types are nested.
    depths: FxHashMap<Id, u32>,
    /// Addresses that constants refer to.
    addresses: FxHashMap<Id, ConstantRef>,
    deviations: Deviations,
    /// Constants that were given another type.
    converted: pointees::Converted,
    function: Option<OpenFunction>,
    memory_models: u32,
}

/// The parts of a module in their order (SPIR-V 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Capabilities,
    Extensions,
    ExtendedSets,
    MemoryModel,
    EntryPoints,
    ExecutionModes,
    Sources,
    Names,
    ModuleProcessed,
    Annotations,
    Globals,
    Functions,
}

impl<'a> Builder<'a> {
    fn new(binary: Binary, specialization: Specialization<'a>, report: &'a mut Report) -> Builder<'a> {
        let module = Module {
            ids: vec![IdRecord::default(); binary.header.bound as usize],
            binary: Arc::new(binary),
            types: Vec::new(),
            constants: Vec::new(),
            decorations: Vec::new(),
            names: Vec::new(),
            extended_sets: Vec::new(),
            capabilities: Vec::new(),
            newer_capabilities: Vec::new(),
            extensions: Vec::new(),
            address_bits: 64,
            entry_points: Vec::new(),
            global_variables: Vec::new(),
            functions: Vec::new(),
            spec_constants: Vec::new(),
        };
        Builder {
            module,
            report,
            specialization,
            section: Section::Capabilities,
            forward_pointers: BTreeMap::new(),
            unique_types: FxHashMap::default(),
            depths: FxHashMap::default(),
            addresses: FxHashMap::default(),
            deviations: Vec::new(),
            converted: FxHashMap::default(),
            function: None,
            memory_models: 0,
        }
    }

    fn run(&mut self) {
        let binary = self.module.binary.clone();
        if binary.header.schema != 0 {
            self.report.error(&rules::SCHEMA, 0, format!("it is {}", binary.header.schema));
        }
        self.collect_annotations(&binary);
        for instruction in binary.instructions() {
            self.instruction(&instruction);
        }
        self.imply_capabilities();
        self.close(&binary);
    }

    fn instruction(&mut self, instruction: &Instruction<'_>) {
        let op = instruction.op();
        if self.section == Section::Functions && op != Op::Function {
            return self.in_functions(instruction);
        }
        let Some(section) = section_of(op) else {
            // Not bound to a section: lines, OpNop, and non-semantic instructions, which OpExtInst may be outside functions.
            if !matches!(op, Op::Line | Op::NoLine | Op::Nop) {
                self.global(instruction);
            }
            return;
        };
        if section < self.section {
            let detail = format!(
                "it belongs before what is already there ({:?} come before {:?})",
                section, self.section
            );
            self.report.error(&rules::LAYOUT_ORDER, instruction.index, detail);
        } else {
            self.section = section;
        }
        match op {
            Op::Capability => {
                if let Some(capability) = Capability::from_u32(instruction.word(0))
                    && !self.module.capabilities.contains(&capability)
                {
                    self.module.capabilities.push(capability);
                } else if Capability::from_u32(instruction.word(0)).is_none() {
                    // All of these but one, which was before, are about cooperative matrices.
                    self.module.newer_capabilities.push(instruction.word(0));
                    if instruction.word(0) != newer::JOINT_MATRICES {
                        self.module.capabilities.push(Capability::CooperativeMatrixKHR);
                    }
                }
            }
            Op::Extension => self.module.extensions.extend(string(instruction.operands)),
            Op::ExtInstImport => self.import(instruction),
            Op::MemoryModel => self.memory_model(instruction),
            Op::EntryPoint => self.entry_point(instruction),
            Op::Function => self.open_function(instruction),
            _ if section == Section::Globals => self.global(instruction),
            // Names and annotations were collected before; execution modes wait until constants have values.
            _ => {}
        }
    }

    fn global(&mut self, instruction: &Instruction<'_>) {
        match instruction.op() {
            op if op.is_type() => self.declare_type(instruction),
            op if spirv::is_constant(op) => self.declare_constant(instruction),
            Op::Undef => self.declare_constant(instruction),
            Op::Variable | Op::UntypedVariableKHR => self.declare_variable(instruction),
            Op::TypeStructContinuedINTEL => {}
            Op::ExtInst => self.non_semantic(instruction),
            // What else an extension allows here (alias scopes, for one) has a result and no type. LLVM puts it before the annotations.
            op if self.section >= Section::MemoryModel && allowed_among_globals(op) => {}
            op => {
                let detail = format!("Op{op:?} belongs into a function");
                self.report.error(&rules::LAYOUT_ORDER, instruction.index, detail);
            }
        }
    }

    fn non_semantic(&mut self, instruction: &Instruction<'_>) {
        let set = self.module.extended_set(instruction.word(0));
        if !matches!(set, Some(ExtendedSet::NonSemantic | ExtendedSet::DebugInfo)) {
            self.report.error(
                &rules::LAYOUT_ORDER,
                instruction.index,
                "only debug information may be outside functions",
            );
        }
        self.set_type(instruction.result, instruction.result_type);
    }

    fn import(&mut self, instruction: &Instruction<'_>) {
        let set = match string(instruction.operands).as_deref() {
            Some("OpenCL.std") => ExtendedSet::OpenClStd,
            Some("OpenCL.DebugInfo.100" | "DebugInfo" | "SPIRV.debug") => ExtendedSet::DebugInfo,
            Some(name) if name.starts_with("NonSemantic.") => ExtendedSet::NonSemantic,
            // Which sets are accepted is the environment's to say; ids of others stand for nothing.
            _ => return,
        };
        let at = self.module.extended_sets.partition_point(|&(id, _)| id < instruction.result);
        self.module.extended_sets.insert(at, (instruction.result, set));
    }

    fn memory_model(&mut self, instruction: &Instruction<'_>) {
        self.memory_models += 1;
        if self.memory_models > 1 {
            self.report
                .error(&rules::MEMORY_MODEL_ONCE, instruction.index, "this is another one");
        }
        if AddressingModel::from_u32(instruction.word(0)) == Some(AddressingModel::Physical32) {
            self.module.address_bits = 32;
        }
    }

    fn entry_point(&mut self, instruction: &Instruction<'_>) {
        let words = &instruction.operands[2..];
        let Some(name) = string(words) else { return };
        let interface = words[name.len() / 4 + 1..].to_vec();
        self.module.entry_points.push(EntryPoint {
            function: instruction.word(1),
            name,
            interface,
            modes: Vec::new(),
        });
    }

    /// Capabilities that those declared imply.
    fn imply_capabilities(&mut self) {
        let mut at = 0;
        while let Some(&capability) = self.module.capabilities.get(at) {
            for implied in Operand::Capability(capability).required_capabilities() {
                if !self.module.capabilities.contains(&implied) {
                    self.module.capabilities.push(implied);
                }
            }
            at += 1;
        }
    }

    /// Execution modes, now that the constants that some name have values; and what has to hold at the end.
    fn close(&mut self, binary: &Binary) {
        if let Some(function) = &self.function {
            self.report
                .error(&rules::FUNCTION_LAYOUT, function.first, "the module ends before OpFunctionEnd");
        }
        if self.memory_models == 0 {
            self.report.error(&rules::MEMORY_MODEL_ONCE, 0, "there is none");
        }
        for (&id, &(_, index)) in &self.forward_pointers {
            self.report
                .error(&rules::FORWARD_POINTER, index, format!("%{id} is never declared"));
        }
        let mut modes: FxHashMap<Id, Vec<ExecutionMode>> = FxHashMap::default();
        for instruction in binary.instructions() {
            if !matches!(instruction.op(), Op::ExecutionMode | Op::ExecutionModeId) {
                if section_of(instruction.op()).is_some_and(|s| s > Section::ExecutionModes) {
                    break;
                }
                continue;
            }
            let Some(mode) = rspirv::spirv::ExecutionMode::from_u32(instruction.word(1)) else {
                continue;
            };
            let operands = &instruction.operands[2..];
            let operands = if instruction.op() == Op::ExecutionModeId {
                // FPFastMathDefault names a type first.
                let ids = usize::from(mode == rspirv::spirv::ExecutionMode::FPFastMathDefault).min(operands.len());
                let values = operands[ids..].iter().map(|&id| self.module.constant_bits(id).unwrap_or(0) as u32);
                operands[..ids].iter().copied().chain(values).collect()
            } else {
                operands.to_vec()
            };
            modes.entry(instruction.word(0)).or_default().push(ExecutionMode { mode, operands });
        }
        for entry in &mut self.module.entry_points {
            entry.modes = modes.get(&entry.function).cloned().unwrap_or_default();
        }
    }

    fn set_type(&mut self, id: Id, type_id: Id) {
        self.module.ids[id as usize].type_id = type_id;
    }

    fn set_index(&mut self, id: Id, what: What, index: usize) {
        let record = &mut self.module.ids[id as usize];
        (record.what, record.index) = (what, index as u32);
    }

    /// The type that an instruction names, which must have been declared by now.
    fn type_operand(&mut self, instruction: &Instruction<'_>, type_id: Id) -> Option<&Type> {
        if self.module.find_type(type_id).is_none() {
            let rule = match self.module.definition(type_id) {
                None => &rules::ID_UNDEFINED,
                Some(definition) if !definition.op().is_type() => &rules::TYPE_EXPECTED,
                Some(definition) if definition.index < instruction.index => return None, // told already
                Some(_) => &rules::ID_ORDER,
            };
            self.report.error(rule, instruction.index, format!("%{type_id}"));
        }
        self.module.find_type(type_id)
    }

    fn pointer_layout(&self) -> Layout {
        Layout::natural(u64::from(self.module.address_bits / 8))
    }
}

fn allowed_among_globals(op: Op) -> bool {
    matches!(
        op,
        Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL | Op::AsmTargetINTEL | Op::AsmINTEL
    )
}

/// Where an instruction outside functions belongs; `None` for those that may be in several places.
fn section_of(op: Op) -> Option<Section> {
    Some(match op {
        Op::Capability => Section::Capabilities,
        Op::Extension => Section::Extensions,
        Op::ExtInstImport => Section::ExtendedSets,
        Op::MemoryModel => Section::MemoryModel,
        Op::EntryPoint => Section::EntryPoints,
        Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionModes,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => Section::Sources,
        Op::Name | Op::MemberName => Section::Names,
        Op::ModuleProcessed => Section::ModuleProcessed,
        Op::Function => Section::Functions,
        Op::Undef | Op::Variable | Op::UntypedVariableKHR | Op::TypeStructContinuedINTEL => Section::Globals,
        op if op.is_annotation() => Section::Annotations,
        op if op.is_type() || spirv::is_constant(op) => Section::Globals,
        _ => return None,
    })
}
