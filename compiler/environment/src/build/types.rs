//! Types, with their layout.

use super::Builder;
use crate::rules;
use rspirv::spirv::{AccessQualifier, Capability, CooperativeMatrixUse, Decoration, Dim, FPEncoding, ImageFormat, Op, StorageClass};
use spirv::{Binary, FloatEncoding, Id, ImageType, Instruction, Interpretation, Joint, Layout, MatrixType, StructType, Type, What};
use spirv::{container_bits, newer, string};

/// Aggregates nest at most so deep (SPIR-V 2.17, which leaves it to each device to take more; of parameters, for one, any number is taken).
const MAX_NESTING: u32 = 255;

/// The number of Khronos' translator from LLVM among the tools that write SPIR-V.
const TRANSLATOR: u32 = 6;

impl Builder<'_> {
    pub(super) fn declare_type(&mut self, instruction: &Instruction<'_>) {
        if instruction.op() == Op::TypeForwardPointer {
            if let Some(class) = StorageClass::from_u32(instruction.word(1)) {
                self.forward_pointers.insert(instruction.word(0), (class, instruction.index));
            }
            return;
        }
        let Some((ty, layout)) = self.resolve_type(instruction) else {
            return;
        };
        let may_repeat = ty.is_aggregate() || matches!(ty, Type::Pointer { pointee: 1.., .. } | Type::Opaque(_));
        if !may_repeat {
            if let Some(first) = self.unique_types.get(&ty) {
                let detail = format!("it is the same as %{first}");
                self.report.error_with(
                    &rules::TYPE_UNIQUE,
                    instruction.index,
                    detail,
                    "Declare the type once, and use that id.",
                );
            } else {
                self.unique_types.insert(ty.clone(), instruction.result);
            }
        }
        self.set_index(instruction.result, What::Type, self.module.types.len());
        self.module.types.push((ty, layout));
    }

    fn resolve_type(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let [a, b] = [instruction.word(0), instruction.word(1)];
        let handle = Some(self.pointer_layout());
        Some(match instruction.op() {
            Op::TypeVoid => (Type::Void, None),
            Op::TypeBool => (Type::Bool, Some(Layout::natural(1))),
            Op::TypeInt => {
                let any = self.module.capabilities.contains(&Capability::ArbitraryPrecisionIntegersINTEL);
                if !(matches!(a, 8 | 16 | 32 | 64) || any && (1..=64).contains(&a)) {
                    let detail = format!("an integer of {a} bits");
                    let advice = "Integers have 8, 16, 32 or 64 bits; with the capability ArbitraryPrecisionIntegersINTEL \
                                  (SPV_INTEL_arbitrary_precision_integers), 1 to 64.";
                    self.report.error_with(&rules::INTEGER_WIDTH, instruction.index, detail, advice);
                    return None;
                }
                if b > 1 {
                    self.report
                        .error(&rules::TYPE_OPERAND, instruction.index, format!("Signedness {b}"));
                }
                (Type::Int { width: a }, Some(Layout::natural(u64::from(container_bits(a) / 8))))
            }
            Op::TypeFloat => self.float(instruction)?,
            Op::TypeVector => self.vector(instruction)?,
            Op::TypeArray => self.array(instruction)?,
            Op::TypeStruct => self.structure(instruction)?,
            Op::TypeCooperativeMatrixKHR => self.cooperative_matrix(instruction)?,
            newer::TYPE_JOINT => self.joint_matrix(instruction)?,
            Op::TypeOpaque => (Type::Opaque(string(instruction.operands)?), None),
            Op::TypePointer => {
                let class = StorageClass::from_u32(a)?;
                if self
                    .forward_pointers
                    .remove(&instruction.result)
                    .is_some_and(|(announced, _)| announced != class)
                {
                    self.report
                        .error(&rules::FORWARD_POINTER, instruction.index, "the storage class is another");
                }
                if !self.forward_pointers.contains_key(&b) {
                    self.type_operand(instruction, b)?;
                }
                (Type::Pointer { class, pointee: b }, handle)
            }
            Op::TypeUntypedPointerKHR => {
                let class = StorageClass::from_u32(a)?;
                (Type::Pointer { class, pointee: 0 }, handle)
            }
            Op::TypeFunction => self.function_type(instruction)?,
            Op::TypeImage => self.image(instruction)?,
            Op::TypeSampler => (Type::Sampler, handle),
            Op::TypeSampledImage => match self.type_operand(instruction, a)? {
                Type::Image(_) => (Type::SampledImage { image: a }, handle),
                _ => return self.bad_operand(instruction, "it is not an image type"),
            },
            Op::TypeEvent => (Type::Event, handle),
            Op::TypeDeviceEvent => (Type::DeviceEvent, handle),
            Op::TypeReserveId => (Type::ReserveId, handle),
            Op::TypeQueue => (Type::Queue, handle),
            Op::TypePipe => (
                Type::Pipe {
                    access: AccessQualifier::from_u32(a)?,
                },
                handle,
            ),
            Op::TypePipeStorage => (Type::PipeStorage, handle),
            Op::TypeNamedBarrier => (Type::NamedBarrier, handle),
            op => {
                self.report.error(&rules::TYPE_UNSUPPORTED, instruction.index, format!("Op{op:?}"));
                return None;
            }
        })
    }

    fn bad_operand<T>(&mut self, instruction: &Instruction<'_>, detail: &str) -> Option<T> {
        self.report.error(&rules::TYPE_OPERAND, instruction.index, detail);
        None
    }

    fn float(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let width = instruction.word(0);
        let encoding = match instruction.operands.get(1).map(|&word| FPEncoding::from_u32(word)) {
            None => FloatEncoding::Ieee754,
            Some(Some(FPEncoding::BFloat16KHR)) if width == 16 => FloatEncoding::BFloat16,
            Some(Some(FPEncoding::Float8E4M3EXT)) if width == 8 => FloatEncoding::Float8E4M3,
            Some(Some(FPEncoding::Float8E5M2EXT)) if width == 8 => FloatEncoding::Float8E5M2,
            Some(_) => return self.bad_operand(instruction, "the floating-point encoding is not one that is known for this width"),
        };
        if encoding == FloatEncoding::Ieee754 && !matches!(width, 16 | 32 | 64) {
            self.report
                .error(&rules::FLOAT_WIDTH, instruction.index, format!("a float of {width} bits"));
            return None;
        }
        Some((Type::Float { width, encoding }, Some(Layout::natural(u64::from(width / 8)))))
    }

    fn vector(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let [component, count] = [instruction.word(0), instruction.word(1)];
        let ty = self.type_operand(instruction, component)?;
        if !ty.is_scalar() && !matches!(ty, Type::Pointer { .. }) {
            return self.bad_operand(instruction, "a vector's components are scalars");
        }
        if !(1..=4096).contains(&count) {
            self.report
                .error(&rules::VECTOR_COUNT, instruction.index, format!("{count} components"));
            return None;
        }
        let layout = self.module.layout(component).map(|component| Layout::vector(component, count));
        Some((Type::Vector { component, count }, layout))
    }

    /// What it is is as its operands' values say; whether there are such matrices, validation asks.
    fn cooperative_matrix(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let operands = [1, 2, 3, 4].map(|position| instruction.word(position));
        let mut values = [0; 4];
        for (value, (name, id)) in values.iter_mut().zip(["Scope", "Rows", "Columns", "Use"].into_iter().zip(operands)) {
            *value = self.matrix_operand(instruction, name, id)?;
        }
        let [_, rows, columns, used_as] = values;
        let used_as = Some(self.matrix_use(instruction, used_as)?);
        self.matrix(instruction, operands, [rows, columns], used_as, None)
    }

    /// A joint matrix's use is an operand, or follows from its layout, or is not said.
    fn joint_matrix(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let [rows, columns, layout] = [("Row Count", 1), ("Column Count", 2), ("Layout", 3)]
            .map(|(name, position)| self.matrix_operand(instruction, name, instruction.word(position)));
        let (rows, columns, layout) = (rows?, columns?, layout?);
        self.matrix_operand(instruction, "Scope", instruction.word(4))?;
        let use_id = instruction.operands.get(5).copied();
        // With a use there is one more, that says nothing.
        if layout > 3 + u32::from(use_id.is_some()) {
            return self.bad_matrix(instruction, &format!("there is no Layout {layout}"));
        }
        let used_as = match use_id {
            Some(id) => {
                let used_as = self.matrix_operand(instruction, "Use", id)?;
                Some(self.matrix_use(instruction, used_as)?)
            }
            None => match layout {
                2 => Some(CooperativeMatrixUse::MatrixAKHR),
                3 => Some(CooperativeMatrixUse::MatrixBKHR),
                _ => None,
            },
        };
        let interpretation = match instruction.operands.get(6) {
            None => None,
            Some(&id) => match self.matrix_operand(instruction, "Component Type Interpretation", id)? {
                0 => None,
                1 => Some(Interpretation::Tf32),
                2 => Some(Interpretation::BFloat16),
                other => return self.bad_matrix(instruction, &format!("Component Type Interpretation {other} is not supported")),
            },
        };
        let joint = Joint {
            layout: instruction.word(3),
            // The translator from LLVM has always numbered them so.
            rows_first: use_id.is_some() || self.module.binary.header.generator >> 16 == TRANSLATOR,
            interpretation,
        };
        let operands = [4, 1, 2, 5].map(|position| instruction.operands.get(position).copied().unwrap_or(0));
        self.matrix(instruction, operands, [rows, columns], used_as, Some(joint))
    }

    fn bad_matrix<T>(&mut self, instruction: &Instruction<'_>, detail: &str) -> Option<T> {
        self.report.error(&rules::MATRIX_TYPE, instruction.index, detail);
        None
    }

    /// The value of an operand of a matrix's type.
    fn matrix_operand(&mut self, instruction: &Instruction<'_>, name: &str, id: Id) -> Option<u32> {
        let bits = self.module.constant_bits(id);
        match (self.module.value_type(id), bits.and_then(|bits| u32::try_from(bits).ok())) {
            (Type::Int { width: 32 }, Some(bits)) => Some(bits),
            _ => self.bad_matrix(
                instruction,
                &format!("{name}, %{id}, must be a 32-bit integer constant defined before"),
            ),
        }
    }

    fn matrix_use(&mut self, instruction: &Instruction<'_>, number: u32) -> Option<CooperativeMatrixUse> {
        match CooperativeMatrixUse::from_u32(number) {
            None => self.bad_matrix(instruction, &format!("there is no Use {number}")),
            known => known,
        }
    }

    fn matrix(
        &mut self,
        instruction: &Instruction<'_>,
        operands: [Id; 4],
        [rows, columns]: [u32; 2],
        used_as: Option<CooperativeMatrixUse>,
        joint: Option<Joint>,
    ) -> Option<(Type, Option<Layout>)> {
        let component = instruction.word(0);
        if !matches!(self.type_operand(instruction, component)?, Type::Int { .. } | Type::Float { .. }) {
            return self.bad_matrix(instruction, "the component type must be an integer or floating-point type");
        }
        let length = u64::from(rows) * u64::from(columns) / u64::from(vendors::matrices::SUB_GROUP_SIZE);
        // Larger ones are not among those that there are.
        let length = length.clamp(1, 1 << 16) as u32;
        let layout = self
            .module
            .layout(component)
            .and_then(|component| Layout::array(component, length.into()));
        let matrix = MatrixType {
            component,
            operands,
            rows,
            columns,
            used_as,
            length,
            joint,
        };
        Some((Type::CooperativeMatrix(matrix), layout))
    }

    /// The layout of a type that values in memory have.
    fn member_layout(&mut self, instruction: &Instruction<'_>, member: Id) -> Option<Layout> {
        if self.forward_pointers.contains_key(&member) {
            return Some(self.pointer_layout());
        }
        self.type_operand(instruction, member)?;
        let layout = self.module.layout(member);
        if layout.is_none() {
            return self.bad_operand(instruction, &format!("%{member} is the type of no value in memory"));
        }
        layout
    }

    fn array(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let [element, length] = [instruction.word(0), instruction.word(1)];
        let layout = self.member_layout(instruction, element)?;
        let is_integer = matches!(self.module.value_type(length), Type::Int { .. });
        let length = match self.module.constant_bits(length) {
            Some(length) if is_integer => length,
            _ => return self.bad_operand(instruction, "the length must be an integer constant defined before"),
        };
        if length == 0 {
            return self.bad_operand(instruction, "the length must be at least 1");
        }
        let Some(layout) = Layout::array(layout, length) else {
            self.report
                .error(&rules::TYPE_SIZE, instruction.index, format!("{length} elements"));
            return None;
        };
        self.nest(instruction, &[element])?;
        Some((Type::Array { element, length }, Some(layout)))
    }

    fn structure(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let members = with_continuations(&self.module.binary, instruction, Op::TypeStructContinuedINTEL);
        let packed = self.module.is_decorated(instruction.result, Decoration::CPacked);
        let mut layouts = Vec::with_capacity(members.len());
        for &member in &members {
            layouts.push(self.member_layout(instruction, member)?);
        }
        let Some((layout, offsets)) = Layout::of_struct(&layouts, packed) else {
            self.report.error(&rules::TYPE_SIZE, instruction.index, "");
            return None;
        };
        self.nest(instruction, &members)?;
        Some((Type::Struct(StructType { members, offsets, packed }), Some(layout)))
    }

    /// Notes how deep an aggregate type is nested, given what it is made of.
    fn nest(&mut self, instruction: &Instruction<'_>, parts: &[Id]) -> Option<()> {
        let depth = parts
            .iter()
            .filter_map(|part| self.depths.get(part))
            .max()
            .map_or(1, |deepest| deepest + 1);
        if depth > MAX_NESTING {
            return self.bad_operand(instruction, "aggregates are nested deeper than 255 levels");
        }
        self.depths.insert(instruction.result, depth);
        Some(())
    }

    fn function_type(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let (&result, parameters) = instruction.operands.split_first()?;
        self.type_operand(instruction, result)?;
        for &parameter in parameters {
            if *self.type_operand(instruction, parameter)? == Type::Void {
                return self.bad_operand(instruction, "a parameter can't be void");
            }
        }
        Some((
            Type::Function {
                result,
                parameters: parameters.to_vec(),
            },
            None,
        ))
    }

    fn image(&mut self, instruction: &Instruction<'_>) -> Option<(Type, Option<Layout>)> {
        let word = |position| instruction.word(position);
        self.type_operand(instruction, word(0))?;
        if word(2) > 2 || word(3) > 1 || word(4) > 1 || word(5) > 2 {
            return self.bad_operand(instruction, "Depth, Arrayed, MS or Sampled is out of range");
        }
        let image = ImageType {
            sampled_type: word(0),
            dim: Dim::from_u32(word(1))?,
            depth: word(2),
            arrayed: word(3) != 0,
            multisampled: word(4) != 0,
            sampled: word(5),
            format: ImageFormat::from_u32(word(6))?,
            access: instruction.operands.get(7).and_then(|&access| AccessQualifier::from_u32(access)),
        };
        Some((Type::Image(image), Some(self.pointer_layout())))
    }
}

/// An instruction's operands, those of the instructions that continue it (SPV_INTEL_long_composites) included.
pub(super) fn with_continuations(binary: &Binary, instruction: &Instruction<'_>, continued: Op) -> Vec<u32> {
    let mut operands = instruction.operands.to_vec();
    for next in (instruction.index + 1..binary.len())
        .map(|index| binary.instruction(index))
        .take_while(|next| next.op() == continued)
    {
        operands.extend_from_slice(next.operands);
    }
    operands
}
