//! Versions, capabilities, extensions and instruction sets (Environment 2.1 to 2.3, 3, 5): what a module declares, and what it uses.

use super::deviations::Deviation;
use super::versions::{self, Version};
use super::{Validator, rules};
use rspirv::dr::Operand;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{Capability, ExecutionMode, Op};
use smallvec::SmallVec;
use spirv::grammar::{self, Form};
use spirv::{Instruction, newer, string};

/// Extensions by another name, and by the one that the grammar has. Level Zero's specification spells bfloat16 without its f.
const SPELLINGS: &[(&str, &str)] = &[
    ("SPV_INTEL_bloat16_conversion", "SPV_INTEL_bfloat16_conversion"),
    ("SPV_INTEL_arithmetic_fence", "SPV_EXT_arithmetic_fence"),
];

/// What is known of an opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gate {
    #[default]
    Unknown,
    Open,
    Shut,
}

impl<'a> Validator<'a> {
    pub(super) fn declarations(&mut self) {
        let binary = &self.module.binary;
        let version = binary.header.version;
        if version < (1, 0) || version > self.environment.newest {
            let (major, minor) = self.environment.newest;
            let detail = format!("it is {}.{}; 1.0 to {major}.{minor} are taken", version.0, version.1);
            self.report.error(&rules::VERSION, 0, detail);
        }
        for instruction in binary.instructions() {
            match instruction.op() {
                Op::Capability => self.capability(&instruction),
                Op::Extension => self.extension(&instruction),
                Op::ExtInstImport => self.instruction_set(&instruction),
                Op::Function => break,
                _ => {
                    self.gate(&instruction);
                }
            }
        }
    }

    fn capability(&mut self, instruction: &Instruction<'a>) {
        let Some(capability) = Capability::from_u32(instruction.word(0)) else {
            return self.newer_capability(instruction);
        };
        if !self.environment.has_capability(capability) {
            let advice = match self.environment.registry.row_for_capability(capability) {
                Some(row) => format!("It would come with {}: {}.", row.name, because(row.missing)),
                None => "It belongs to graphics, or to an extension that this driver does not know.".into(),
            };
            return self
                .report
                .error_with(&rules::CAPABILITY, instruction.index, format!("{capability:?}"), advice);
        }
        let operand = Operand::Capability(capability);
        // Extensions that no row knows (graphics vendors' own) ask for nothing here: their capabilities are in the core, too.
        let mut extensions = operand.required_extensions();
        extensions.retain(|name| self.environment.registry.row_for_extension(name).is_some());
        let in_core = self.in_core(&operand);
        if !extensions.is_empty() && !in_core && !extensions.iter().any(|name| self.declares_extension(name)) {
            if extensions[0] == "SPV_INTEL_subgroups" && self.deviates(Deviation::UndeclaredIntelSubgroups, instruction) {
                return;
            }
            let advice = format!("Declare it: OpExtension \"{}\".", extensions[0]);
            self.report
                .error_with(&rules::CAPABILITY_EXTENSION, instruction.index, format!("{capability:?}"), advice);
        } else if extensions.is_empty() {
            self.since(instruction, versions::of_capability(capability));
        }
    }

    /// A capability that the grammar does not know.
    fn newer_capability(&mut self, instruction: &Instruction<'a>) {
        let number = instruction.word(0);
        let Some((name, extension)) = newer::capability(number) else {
            return;
        };
        if !self.has_newer(number) {
            let (_, advice) = self.needs_newer(number);
            self.report.error_with(&rules::CAPABILITY, instruction.index, name, advice);
        } else if !self.declares_extension(extension) {
            let advice = format!("Declare it: OpExtension \"{extension}\".");
            self.report
                .error_with(&rules::CAPABILITY_EXTENSION, instruction.index, name, advice);
        }
    }

    fn has_newer(&self, number: u32) -> bool {
        self.environment.registry.newer_capabilities().contains(&number)
    }

    /// Is a capability that the grammar does not know declared, and one that the device has?
    fn admits_newer(&self, number: u32) -> bool {
        self.module.has_newer_capability(number) && self.has_newer(number)
    }

    /// What is said of an instruction that needs such a capability, and what to do.
    fn needs_newer(&self, number: u32) -> (String, String) {
        let (name, extension) = newer::capability(number).unwrap_or_default();
        let advice = match self.environment.registry.row_for_extension(extension) {
            _ if self.has_newer(number) => format!("Declare it: OpCapability {name}."),
            Some(row) => format!("It would come with {}: {}.", row.name, because(row.missing)),
            None => String::new(),
        };
        (format!("it needs the capability {name}"), advice)
    }

    fn extension(&mut self, instruction: &Instruction<'a>) {
        let Some(name) = string(instruction.operands) else { return };
        if !self.environment.registry.spirv_extensions().contains(&name.as_str()) {
            let advice = match self.environment.registry.row_for_extension(&name) {
                Some(row) => format!("It would come with {}: {}.", row.name, because(row.missing)),
                None => "CL_DEVICE_SPIRV_EXTENSIONS_KHR lists what is supported; `brolga env` prints it.".into(),
            };
            self.report.error_with(&rules::EXTENSION, instruction.index, name, advice);
        }
    }

    fn instruction_set(&mut self, instruction: &Instruction<'a>) {
        let Some(name) = string(instruction.operands) else { return };
        if !self.environment.registry.has_instruction_set(&name) {
            self.report.error(&rules::INSTRUCTION_SET, instruction.index, format!("\"{name}\""));
        }
        if name.starts_with("NonSemantic.")
            && !self.declares_extension("SPV_KHR_non_semantic_info")
            && self.module.header().version < (1, 6)
        {
            let advice = "Declare it: OpExtension \"SPV_KHR_non_semantic_info\".";
            self.report
                .error_with(&rules::CAPABILITY_EXTENSION, instruction.index, format!("\"{name}\""), advice);
        }
    }

    /// Is the module's version as new as what it uses?
    fn since(&mut self, instruction: &Instruction<'a>, (major, minor): Version) {
        let (declared_major, declared_minor) = self.module.header().version;
        if (declared_major, declared_minor) >= (major, minor)
            || instruction.op() == Op::DecorateId && self.deviates(Deviation::EarlyDecorateId, instruction)
        {
            return;
        }
        let detail = format!("{major}.{minor}, not {declared_major}.{declared_minor}");
        let advice = format!("Declare SPIR-V version {major}.{minor} or newer in the header.");
        self.report.error_with(&rules::VERSION_NEEDED, instruction.index, detail, advice);
    }

    /// Is an enumerant in the core of the module's version?
    fn in_core(&self, operand: &Operand) -> bool {
        versions::of_enumerant(operand).is_some_and(|version| self.module.header().version >= version)
    }

    pub(super) fn declares_extension(&self, name: &str) -> bool {
        let means = |extension: &str| {
            SPELLINGS
                .iter()
                .find(|(spelling, _)| *spelling == extension)
                .is_some_and(|&(_, meant)| meant == name)
        };
        self.module.extensions.iter().any(|extension| extension == name || means(extension))
    }

    /// Is a capability declared (or implied by one that is), and one that the device has?
    fn admits(&self, capability: Capability) -> bool {
        self.module.has_capability(capability) && self.environment.has_capability(capability)
    }

    /// May the instruction be used at all, and its enumerants too?
    pub(super) fn gate(&mut self, instruction: &Instruction<'a>) -> bool {
        let opcode = usize::from(instruction.info.opcode);
        if self.gates.len() <= opcode {
            self.gates.resize(opcode + 1, Gate::Unknown);
        }
        if self.gates[opcode] == Gate::Unknown {
            let needed = instruction.info.grammar.capabilities;
            let open = match instruction.info.newer_capability {
                Some(number) => self.admits_newer(number),
                None => needed.is_empty() || needed.iter().any(|&capability| self.admits(capability)),
            };
            // Queries about enqueued kernels follow device enqueue, not the sub-groups that SPIR-V binds them to.
            let open = open
                && (!matches!(
                    instruction.op(),
                    Op::GetKernelLocalSizeForSubgroupCount | Op::GetKernelMaxNumSubgroups
                ) || self.environment.has_capability(Capability::DeviceEnqueue));
            self.gates[opcode] = if open { Gate::Open } else { Gate::Shut };
        }
        if self.gates[opcode] == Gate::Shut {
            let (detail, advice) = match instruction.info.newer_capability {
                Some(number) => self.needs_newer(number),
                None => self.needs(instruction.info.grammar.capabilities),
            };
            self.report
                .error_with(&rules::INSTRUCTION_CAPABILITY, instruction.index, detail, advice);
            return false;
        }
        if instruction.info.newer_capability.is_none() {
            self.since(instruction, versions::of_instruction(instruction.op()));
        }
        if !instruction.info.has_enumerants || self.has_plain_operands(instruction) {
            return true;
        }
        let mut found: SmallVec<[(OperandKind, u32); 4]> = SmallVec::new();
        let _ = grammar::walk(
            instruction.info,
            instruction.result_type,
            instruction.operands,
            &*self.module.binary,
            &mut |kind, words| {
                if !grammar::is_literal(&kind) && !grammar::is_id(&kind) {
                    found.push((kind, words[0]));
                }
            },
        );
        found
            .into_iter()
            .fold(true, |good, (kind, word)| self.enumerant(instruction, kind, word) && good)
    }

    /// Are its only enumerants memory operands that ask for nothing?
    fn has_plain_operands(&self, instruction: &Instruction<'a>) -> bool {
        match instruction.info.form {
            Form::IdsThenMemory(ids) => grammar::plain_memory_operands(instruction.operands.get(ids.into()..).unwrap_or(&[])) == Some(true),
            _ => false,
        }
    }

    /// May an enumerant be used? Of a mask, each bit.
    fn enumerant(&mut self, instruction: &Instruction<'a>, kind: OperandKind, word: u32) -> bool {
        if let Some(&known) = self.enumerants.get(&(std::mem::discriminant(&kind), word)) {
            return known;
        }
        let is_mask = grammar::is_mask(&kind);
        let bits: Vec<u32> = if is_mask {
            (0..32).map(|bit| word & 1 << bit).filter(|&bit| bit != 0).collect()
        } else {
            vec![word]
        };
        let mut good = true;
        for bit in bits {
            let Some(operand) = grammar::enumerant(&kind, bit) else { continue };
            let needed = operand.required_capabilities();
            let extensions = operand.required_extensions();
            let declared = extensions.iter().any(|name| self.declares_extension(name));
            let open = if needed.is_empty() {
                extensions.is_empty() || declared || self.in_core(&operand)
            } else {
                needed.iter().any(|&capability| self.admits(capability))
            };
            let undeclared = match operand {
                Operand::ExecutionMode(ExecutionMode::SubgroupSize) => {
                    Some((Capability::SubgroupDispatch, Deviation::UndeclaredSubgroupDispatch))
                }
                Operand::ExecutionMode(ExecutionMode::FPFastMathDefault) => {
                    Some((Capability::FloatControls2, Deviation::UndeclaredFloatControls))
                }
                _ => None,
            };
            let open = open
                || undeclared.is_some_and(|(capability, deviation)| {
                    self.environment.has_capability(capability) && self.deviates(deviation, instruction)
                });
            let since = versions::of_enumerant(&operand).filter(|_| !declared && open);
            if let Some((major, minor)) = since.filter(|&version| version > self.module.header().version) {
                let advice = format!("Declare SPIR-V version {major}.{minor} or newer in the header.");
                let detail = format!("{operand} is of {major}.{minor}");
                self.report.error_with(&rules::VERSION_NEEDED, instruction.index, detail, advice);
                good = false;
            }
            if !open {
                let name = operand.to_string();
                let (detail, advice) = if needed.is_empty() {
                    (
                        format!("{name} needs the extension {}", extensions.join(" or ")),
                        format!("Declare it: OpExtension \"{}\".", extensions[0]),
                    )
                } else {
                    let (detail, advice) = self.needs(&needed);
                    (format!("{name}: {detail}"), advice)
                };
                self.report
                    .error_with(&rules::OPERAND_CAPABILITY, instruction.index, detail, advice);
                good = false;
            }
        }
        // What is refused is told each time it is met.
        if good {
            self.enumerants.insert((std::mem::discriminant(&kind), word), true);
        }
        good
    }

    /// One of these capabilities must be declared, for what an instruction is used with.
    pub(super) fn needs_any(&mut self, instruction: &Instruction<'a>, needed: &[Capability]) {
        if !needed.iter().any(|&capability| self.admits(capability)) {
            let (detail, advice) = self.needs(needed);
            self.report
                .error_with(&rules::INSTRUCTION_CAPABILITY, instruction.index, detail, advice);
        }
    }

    fn needs(&self, needed: &[Capability]) -> (String, String) {
        let names = needed
            .iter()
            .map(|capability| format!("{capability:?}"))
            .collect::<Vec<_>>()
            .join(" or ");
        let available: Vec<String> = needed
            .iter()
            .filter(|&&capability| self.environment.has_capability(capability))
            .map(|capability| format!("{capability:?}"))
            .collect();
        let advice = if available.is_empty() {
            match needed
                .iter()
                .find_map(|&capability| self.environment.registry.row_for_capability(capability))
            {
                Some(row) => format!("It would come with {}: {}.", row.name, because(row.missing)),
                None => "It is not of OpenCL's environment.".into(),
            }
        } else {
            format!("Declare it: OpCapability {}.", available.join(" or "))
        };
        (format!("it needs the capability {names}"), advice)
    }
}

fn because(missing: &str) -> &str {
    if missing.is_empty() {
        "this environment is without it"
    } else {
        missing
    }
}
