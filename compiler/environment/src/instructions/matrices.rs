//! Cooperative matrices (SPV_KHR_cooperative_matrix; the draft of cl_khr_cooperative_matrix for what it leaves to the environment).

use crate::{Validator, rules};
use rspirv::spirv::{Capability, CooperativeMatrixOperands, CooperativeMatrixUse as Use, Op, Scope, StorageClass};
use spirv::{FloatEncoding, Id, Instruction, Interpretation, MatrixLayout, MatrixType, Type, cooperative_layout, newer};
use vendors::matrices::{self, Component};

impl<'a> Validator<'a> {
    /// Checks an instruction of the extension, and whether another takes matrices: `true` if nothing is left to check.
    pub(super) fn matrix(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        if !self.module.has_matrices() {
            return false;
        }
        match op {
            Op::CooperativeMatrixLengthKHR => {
                let matrix = self.module.matrix(instruction.word(0)).is_some();
                self.operand(instruction, matrix, || "Type must be a cooperative matrix type".into());
                self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
            }
            Op::CooperativeMatrixLoadKHR => {
                let matrix = self.module.matrix(instruction.result_type).is_some();
                self.result(instruction, matrix, "a cooperative matrix");
                self.matrix_memory(instruction, instruction.result_type, [1, 2, 3]);
            }
            Op::CooperativeMatrixStoreKHR => self.matrix_store(instruction, 1, [2, 3, 4]),
            _ if self.joint_matrix(instruction, op) || self.older_joint_matrix(instruction, op) => {}
            Op::CooperativeMatrixMulAddKHR => self.matrix_product(instruction),
            _ => return self.other_of_matrices(instruction, op),
        }
        true
    }

    /// `object` is the matrix's position; the rest is [`Self::matrix_memory`]'s.
    pub(super) fn matrix_store(&mut self, instruction: &Instruction<'a>, object: usize, places: [usize; 3]) {
        let type_id = self.module.type_of(instruction.word(object));
        let matrix = self.module.matrix(type_id).is_some();
        self.operand(instruction, matrix, || "Object must be a cooperative matrix".into());
        if let Some((class, _)) = self.matrix_memory(instruction, type_id, places) {
            self.writable(instruction, class);
        }
    }

    /// Pointer, layout, stride and memory operands: the positions of those three. A prefetch has no matrix.
    pub(super) fn matrix_memory(
        &mut self,
        instruction: &Instruction<'a>,
        type_id: Id,
        [layout, stride, operands]: [usize; 3],
    ) -> Option<(StorageClass, Id)> {
        let (class, pointee) = self.pointer(instruction, instruction.word(0))?;
        let shape = self.shape(pointee);
        let matrix = self.module.matrix(type_id).copied();
        let is_joint = matrix.is_some_and(|matrix| matrix.joint.is_some());
        let memory = match class {
            StorageClass::Workgroup | StorageClass::CrossWorkgroup => true,
            class => class == StorageClass::Generic && is_joint,
        };
        if !memory || !(shape.is_int() || shape.is_any_float()) || self.module.matrix(pointee).is_some() {
            let detail = format!("%{} is a pointer to {class:?}, to %{pointee}", instruction.word(0));
            self.report.error(&rules::MATRIX_POINTER, instruction.index, detail);
        }
        let layout = instruction.word(layout);
        let known = self.module.constant_bits(layout).filter(|_| self.value_shape(layout).is_int32());
        let known = known.and_then(|number| match matrix {
            Some(matrix) => matrix.layout(number),
            None => cooperative_layout(number),
        });
        let here = match known {
            Some(MatrixLayout::Packed) => self.can_be_packed(matrix),
            known => known.is_some(),
        };
        let fault = match instruction.operands.get(stride) {
            _ if !here => Some(format!("%{layout} is neither")),
            None => Some("Stride is missing".into()),
            Some(&id) => (!self.is_integer(id)).then(|| format!("Stride, %{id}, must be an integer")),
        };
        if let Some(fault) = fault {
            self.report.error(&rules::MATRIX_LAYOUT, instruction.index, fault);
        }
        self.memory_operands(instruction, instruction.operands.get(operands..).unwrap_or(&[]), false);
        Some((class, pointee))
    }

    /// A scalar integer.
    pub(super) fn is_integer(&self, id: Id) -> bool {
        let shape = self.value_shape(id);
        shape.is_int() && shape.is_scalar()
    }

    /// Rows of B that one instruction multiplies lie together. A prefetch has no matrix to look at.
    fn can_be_packed(&self, matrix: Option<MatrixType>) -> bool {
        let narrow = |ty: &Type| matches!(*ty, Type::Int { width: 8 | 16 } | Type::Float { width: 8 | 16, .. });
        let packs = self.module.has_newer_capability(newer::PACKED_MATRICES);
        matrix.map_or(packs, |matrix| {
            let is_b = matches!(matrix.used_as, None | Some(Use::MatrixBKHR));
            is_b && narrow(self.module.ty(matrix.component)) && (packs || matrix.joint.is_some())
        })
    }

    pub(super) fn matrix_product(&mut self, instruction: &Instruction<'a>) {
        let fail = |this: &mut Self, detail: String| this.report.error(&rules::MATRIX_PRODUCT, instruction.index, detail);
        let types = [0, 1, 2].map(|position| self.module.type_of(instruction.word(position)));
        let [Some(a), Some(b), Some(c), Some(result)] =
            [types[0], types[1], types[2], instruction.result_type].map(|ty| self.module.matrix(ty).copied())
        else {
            return fail(self, "the operands and the result must be cooperative matrices".into());
        };
        let is_joint = newer::is_joint_product(instruction.op());
        if [a, b, c, result].iter().any(|matrix| matrix.joint.is_some() != is_joint) {
            return fail(self, "cooperative matrices and joint ones have instructions of their own".into());
        }
        let uses = [a, b, c, result].map(|matrix| matrix.used_as);
        let wanted = [
            Use::MatrixAKHR,
            Use::MatrixBKHR,
            Use::MatrixAccumulatorKHR,
            Use::MatrixAccumulatorKHR,
        ];
        if uses
            .iter()
            .zip(wanted)
            .any(|(used_as, wanted)| used_as.is_some_and(|used_as| used_as != wanted))
        {
            return fail(self, format!("the uses are {uses:?}"));
        }
        let interpreted = [a, b, c, result].map(|matrix| matrix.interpretation());
        if interpreted[0] != interpreted[1] || interpreted[2..].contains(&Some(Interpretation::Tf32)) {
            return fail(self, format!("the components stand for {interpreted:?}"));
        }
        let sizes = [a.rows, b.columns, a.columns];
        let [m, n, k] = sizes;
        let fits = b.rows == k && [c, result].iter().all(|sum| [sum.rows, sum.columns] == [m, n]);
        let all = self.module.matrix_operands(instruction);
        let Some(operands) = CooperativeMatrixOperands::from_bits(all & !newer::INTERPRETATIONS) else {
            return fail(self, "there are no such operands".into());
        };
        let interpretations = match self.interpretations(all) {
            Ok(interpretations) => interpretations,
            Err(detail) => return fail(self, detail),
        };
        use CooperativeMatrixOperands as Bits;
        let signs = [
            Bits::MATRIX_A_SIGNED_COMPONENTS_KHR,
            Bits::MATRIX_B_SIGNED_COMPONENTS_KHR,
            Bits::MATRIX_C_SIGNED_COMPONENTS_KHR,
            Bits::MATRIX_RESULT_SIGNED_COMPONENTS_KHR,
        ];
        let mut components = [None; 4];
        for (position, (matrix, sign)) in [a, b, c, result].into_iter().zip(signs).enumerate() {
            let signed = operands.contains(sign);
            components[position] = match (self.module.ty(matrix.component), interpretations[position]) {
                (&Type::Int { width: 16 }, Some(Component::BF16)) if !signed => Some(Component::BF16),
                (_, Some(Component::BF16)) => None,
                (_, wanted) => self
                    .matrix_component(matrix.component, signed)
                    .filter(|&component| wanted.is_none_or(|wanted| wanted == component)),
            };
            if signed && !matches!(self.module.ty(matrix.component), Type::Int { .. }) {
                self.report.error(&rules::MATRIX_SIGNED, instruction.index, format!("{sign:?}"));
                return;
            }
        }
        let saturating = operands.contains(Bits::SATURATING_ACCUMULATION_KHR);
        let there = |variant: matrices::Variant| {
            variant.sizes == sizes && variant.components.map(Some) == components && variant.saturating == saturating
        };
        if !fits || !matrices::variants().any(there) {
            let names = components.map(|component| component.map_or("?".into(), |component| format!("{component:?}")));
            let shape = |matrix: MatrixType| format!("{}x{}", matrix.rows, matrix.columns);
            let detail = format!(
                "{} of {} by {} of {}, to {} of {}, gives {} of {}{}",
                shape(a),
                names[0],
                shape(b),
                names[1],
                shape(c),
                names[2],
                shape(result),
                names[3],
                if saturating { ", saturating" } else { "" }
            );
            let advice = "`brolga env` lists the combinations.";
            self.report.error_with(&rules::MATRIX_PRODUCT, instruction.index, detail, advice);
        }
    }

    /// What the operands of a multiplication say that the components of A, B, C and the result stand for.
    fn interpretations(&self, operands: u32) -> std::result::Result<[Option<Component>; 4], String> {
        use newer::{BFLOAT16_C, BFLOAT16_COMPONENTS, BFLOAT16_MATRICES, BFLOAT16_RESULT, TF32_COMPONENTS, TF32_MATRICES};
        let asked = |bits: u32| operands & bits != 0;
        for (bits, number) in [
            (TF32_COMPONENTS, TF32_MATRICES),
            (BFLOAT16_COMPONENTS | BFLOAT16_C | BFLOAT16_RESULT, BFLOAT16_MATRICES),
        ] {
            if asked(bits) && !self.module.has_newer_capability(number) {
                let (name, _) = newer::capability(number).unwrap_or_default();
                return Err(format!("the operands {:#x} need the capability {name}", operands & bits));
            }
        }
        let factors = match (asked(TF32_COMPONENTS), asked(BFLOAT16_COMPONENTS)) {
            (true, true) => return Err("TF32 and BFloat16 exclude each other".into()),
            (true, false) => Some(Component::F32),
            (false, true) => Some(Component::BF16),
            _ => None,
        };
        let sums = [BFLOAT16_C, BFLOAT16_RESULT].map(|bit| asked(bit).then_some(Component::BF16));
        Ok([factors, factors, sums[0], sums[1]])
    }

    /// What a component type is to the table of matrices.
    fn matrix_component(&self, type_id: Id, signed: bool) -> Option<Component> {
        match *self.module.ty(type_id) {
            Type::Int { width } => Component::integer(width, signed),
            Type::Float {
                width,
                encoding: FloatEncoding::Ieee754,
            } => Component::float(width),
            Type::Float {
                encoding: FloatEncoding::BFloat16,
                ..
            } => Some(Component::BF16),
            Type::Float {
                encoding: FloatEncoding::Float8E4M3,
                ..
            } => Some(Component::E4M3),
            Type::Float {
                encoding: FloatEncoding::Float8E5M2,
                ..
            } => Some(Component::E5M2),
            _ => None,
        }
    }

    /// An instruction that is not of the extension.
    fn other_of_matrices(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let result = self.module.matrix(instruction.result_type).copied();
        let ids = self.module.binary.ids(instruction);
        let given = ids.iter().find_map(|&id| self.module.matrix(self.module.type_of(id)).copied());
        if result.is_none() && given.is_none() {
            return false;
        }
        let is_joint = [result, given].into_iter().flatten().any(|matrix| matrix.joint.is_some());
        match op {
            // Of a joint matrix, these take what a work-item has for a vector. It has no arithmetic of its own.
            Op::VectorExtractDynamic | Op::VectorInsertDynamic if is_joint => false,
            Op::SNegate
            | Op::FNegate
            | Op::IAdd
            | Op::FAdd
            | Op::ISub
            | Op::FSub
            | Op::FMul
            | Op::IMul
            | Op::FDiv
            | Op::SDiv
            | Op::UDiv
                if !is_joint =>
            {
                false
            }
            Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::ConvertFToBF16INTEL
            | Op::ConvertBF16ToFINTEL
            | Op::RoundFToTF32INTEL
            | Op::Bitcast
                if !is_joint =>
            {
                let kept = |matrix: MatrixType| (matrix.rows, matrix.columns, matrix.used_as);
                let widths = [result, given].map(|matrix| matrix.map(|matrix| self.shape(matrix.component)));
                let needed = match op {
                    Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL => Some(newer::BFLOAT16_MATRICES),
                    Op::RoundFToTF32INTEL => Some(newer::TF32_MATRICES),
                    _ => None,
                };
                let there = needed.is_none_or(|needed| self.module.has_newer_capability(needed));
                let good = there && result.map(kept) == given.map(kept) && (op != Op::Bitcast || widths[0] == widths[1]);
                if !good {
                    self.report.error(&rules::MATRIX_CONVERSION, instruction.index, "");
                }
                !good
            }
            // A composite like others, except that one constituent is all components.
            Op::CompositeConstruct | Op::CompositeExtract | Op::CompositeInsert | Op::CopyObject | Op::Undef | Op::Select => false,
            Op::FunctionCall | Op::ReturnValue => false,
            // An untyped pointer could lead anywhere.
            Op::Load | Op::Store => {
                let class = self.module.value_type(instruction.word(0)).pointer().map(|(class, _)| class);
                let fault = class.filter(|class| !matches!(class, StorageClass::Function | StorageClass::Generic));
                if let Some(class) = fault {
                    self.report
                        .error(&rules::MATRIX_STORAGE, instruction.index, format!("it is {class:?}"));
                }
                fault.is_some()
            }
            _ => {
                self.report
                    .error(&rules::MATRIX_INSTRUCTION, instruction.index, format!("Op{op:?}"));
                true
            }
        }
    }

    /// The declaration of a type.
    pub(crate) fn matrix_declaration(&mut self, instruction: &Instruction<'a>) {
        let Some(&matrix) = self.module.matrix(instruction.result) else {
            return;
        };
        let needed = match self.matrix_component(matrix.component, false) {
            Some(Component::BF16) => Some(Capability::BFloat16CooperativeMatrixKHR),
            Some(Component::E4M3 | Component::E5M2) => Some(Capability::Float8CooperativeMatrixEXT),
            _ => None,
        };
        if let Some(needed) = needed {
            self.needs_capability(instruction, &[needed]);
        }
        let scope = self.module.constant_bits(matrix.operands[0]);
        if scope != Some(Scope::Subgroup as u64) {
            let detail = format!("it is {}", scope.unwrap_or(0));
            self.report.error(&rules::MATRIX_SCOPE, instruction.index, detail);
        }
        let shape = [matrix.rows, matrix.columns];
        let bfloats =
            *self.module.ty(matrix.component) == Type::Int { width: 16 } && self.module.has_newer_capability(newer::BFLOAT16_MATRICES);
        let plain = [true, false].map(|signed| self.matrix_component(matrix.component, signed));
        let components = match (matrix.interpretation(), matrix.joint) {
            (Some(interpretation), _) => match self.interpreted(instruction, &matrix, interpretation) {
                Some(component) => [Some(component); 2],
                None => return,
            },
            (None, None) if bfloats => [Some(Component::BF16); 2],
            _ => plain,
        };
        let uses = [Use::MatrixAKHR, Use::MatrixBKHR, Use::MatrixAccumulatorKHR].into_iter();
        let mut uses = uses.filter(|&used_as| matrix.used_as.is_none_or(|only| only == used_as));
        if !uses.any(|used_as| matrices::has_type(used_as, shape, |component| components.contains(&Some(component)))) {
            let detail = format!(
                "{}x{} of %{} as {}",
                matrix.rows,
                matrix.columns,
                matrix.component,
                matrix.used_as.map_or("whatever".into(), |used_as| format!("{used_as:?}"))
            );
            let advice = "`brolga env` lists the shapes and types of matrices.";
            self.report.error_with(&rules::MATRIX_SHAPE, instruction.index, detail, advice);
        }
    }

    /// What the components of a joint matrix stand for. Reports where that can't be.
    fn interpreted(&mut self, instruction: &Instruction<'a>, matrix: &MatrixType, interpretation: Interpretation) -> Option<Component> {
        let (needed, component, storage) = match interpretation {
            Interpretation::Tf32 => (newer::TF32_MATRICES, Component::F32, "a 32-bit float"),
            Interpretation::BFloat16 => (newer::BFLOAT16_MATRICES, Component::BF16, "a 16-bit integer"),
        };
        let ty = self.module.ty(matrix.component);
        let fits = match interpretation {
            Interpretation::Tf32 => self.matrix_component(matrix.component, false) == Some(Component::F32),
            Interpretation::BFloat16 => *ty == Type::Int { width: 16 },
        };
        let fault = if !self.module.has_newer_capability(needed) {
            let (name, _) = newer::capability(needed).unwrap_or_default();
            format!("{interpretation:?} needs the capability {name}")
        } else if !fits {
            format!("what stands for {interpretation:?} must be {storage}")
        } else {
            return Some(component);
        };
        self.report.error(&rules::MATRIX_TYPE, instruction.index, fault);
        None
    }

    /// A pointer type leads to a matrix, or to something that contains one.
    pub(crate) fn matrix_pointer(&mut self, instruction: &Instruction<'a>, class: StorageClass) {
        if !self.module.has_matrices() || matches!(class, StorageClass::Function | StorageClass::Generic) {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![instruction.word(1)];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.module.ty(at) {
                Type::CooperativeMatrix(_) => {
                    return self
                        .report
                        .error(&rules::MATRIX_STORAGE, instruction.index, format!("it is {class:?}"));
                }
                Type::Array { element, .. } => open.push(*element),
                Type::Struct(ty) => open.extend(&ty.members),
                _ => {}
            }
        }
    }
}
