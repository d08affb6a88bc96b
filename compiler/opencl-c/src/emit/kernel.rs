//! Kernels: their functions, entry points and execution modes.

use super::module::{Id, push, string};
use super::{Emitter, Reached};
use crate::hir::{FunctionId, Linkage};
use crate::types::{AddressSpace, Quals, Scalar, TypeKind};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, LinkageType, Op};
use rustc_hash::FxHashSet;

impl Emitter<'_> {
    /// Emits a kernel. One that functions call is emitted a second time, as a function, for entry points cannot be called.
    pub fn kernel(&mut self, id: FunctionId) {
        self.define(id, true);
    }

    /// Emits a function that has been asked for.
    pub fn body(&mut self, id: FunctionId) {
        self.define(id, false);
    }

    /// A function that another module defines.
    pub fn import(&mut self, id: FunctionId, result: Id) {
        let function = self.program.function(id);
        let name = self.symbol(id);
        self.module.name(result, &name);
        self.module.linkage(result, &name, LinkageType::Import);
        let return_type = self.ty(function.result.id);
        let params: Vec<Id> = function.params.iter().map(|param| self.ty(param.ty.id)).collect();
        let ty = self.module.function_type(return_type, &params);
        // Declarations come before definitions.
        let mut words = Vec::new();
        push(&mut words, Op::Function, &[return_type, result, 0, ty]);
        for param in params {
            let id = self.module.id();
            push(&mut words, Op::FunctionParameter, &[param, id]);
        }
        push(&mut words, Op::FunctionEnd, &[]);
        self.module.functions.splice(0..0, words);
    }

    /// The entry points of all kernels, with the variables that they and what they call name.
    pub fn entry_points(&mut self) {
        let kernels: Vec<(FunctionId, Id, Reached)> = std::mem::take(&mut self.kernels);
        for (id, result, reached) in kernels {
            let mut seen = FxHashSet::default();
            let mut variables = reached.variables.clone();
            let mut open: Vec<FunctionId> = reached.calls.iter().copied().collect();
            while let Some(next) = open.pop() {
                if let Some(reached) = self.reached.get(&next)
                    && seen.insert(next)
                {
                    variables.extend(&reached.variables);
                    open.extend(&reached.calls);
                }
            }
            let mut variables: Vec<Id> = variables.into_iter().collect();
            variables.sort_unstable();
            let name = self.session.name(self.program.function(id).name);
            let mut operands = vec![ExecutionModel::Kernel as u32, result];
            string(&mut operands, name);
            operands.extend(variables);
            push(&mut self.module.entry_points, Op::EntryPoint, &operands);
            self.execution_modes(id, result);
        }
    }

    fn execution_modes(&mut self, id: FunctionId, result: Id) {
        let function = self.program.function(id);
        let attributes = &function.attributes;
        let mut mode = |mode: ExecutionMode, operands: &[u32]| {
            let mut words = vec![result, mode as u32];
            words.extend_from_slice(operands);
            push(&mut self.module.execution_modes, Op::ExecutionMode, &words);
        };
        if let Some(size) = attributes.reqd_work_group_size {
            mode(ExecutionMode::LocalSize, &size.map(|size| size as u32));
        }
        if let Some(size) = attributes.work_group_size_hint {
            mode(ExecutionMode::LocalSizeHint, &size.map(|size| size as u32));
        }
        if let Some(hint) = attributes.vec_type_hint {
            // The number of lanes, and which type they are (SPIR-V, "VecTypeHint").
            let scalar = self.program.types.element(hint);
            let code = match scalar {
                Some(Scalar::Char | Scalar::UChar) => 0,
                Some(Scalar::Short | Scalar::UShort) => 1,
                Some(Scalar::Int | Scalar::UInt) => 2,
                Some(Scalar::Long | Scalar::ULong) => 3,
                Some(Scalar::Half) => 4,
                Some(Scalar::Float) => 5,
                Some(Scalar::Double) => 6,
                _ => 2,
            };
            let lanes = u32::from(self.program.types.lanes(hint));
            mode(ExecutionMode::VecTypeHint, &[(lanes << 16) | code]);
        }
        if let Some(size) = attributes.reqd_sub_group_size {
            self.module.capability(rspirv::spirv::Capability::SubgroupDispatch);
            let words = [result, ExecutionMode::SubgroupSize as u32, size as u32];
            push(&mut self.module.execution_modes, Op::ExecutionMode, &words);
        }
        let options = &self.session.options;
        // Where the language lets a product and a sum be one operation, that has been said at the operation.
        if !(options.mad_enable || options.unsafe_math || options.fast_relaxed_math) {
            let words = [result, ExecutionMode::ContractionOff as u32];
            push(&mut self.module.execution_modes, Op::ExecutionMode, &words);
        }
        self.argument_information(id);
    }

    /// The strings that Khronos' translator writes for `-cl-kernel-arg-info`.
    fn argument_information(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let name = self.session.name(function.name);
        if let Some(hint) = function.attributes.vec_type_hint
            && self.program.types.element(hint).is_some_and(Scalar::is_unsigned)
        {
            self.module.text(&format!("vec_type_hint.{name}.unsigned,"));
        }
        if !self.session.options.kernel_arg_info {
            return;
        }
        let mut types = format!("kernel_arg_type.{name}.");
        let mut qualifiers = format!("kernel_arg_type_qual.{name}.");
        for param in &function.params {
            types += &param.type_name;
            types.push(',');
            let mut words = Vec::new();
            for (qualifier, word) in [
                (Quals::RESTRICT, "restrict"),
                (Quals::CONST, "const"),
                (Quals::VOLATILE, "volatile"),
            ] {
                if param.info_quals.contains(qualifier) {
                    words.push(word);
                }
            }
            if let TypeKind::Pipe(..) = self.program.types.kind(param.ty.id) {
                words.push("pipe");
            }
            qualifiers += &words.join(" ");
            qualifiers.push(',');
        }
        self.module.text(&types);
        self.module.text(&qualifiers);
    }

    /// What is said of a parameter: names, attributes, alignment.
    pub fn describe_parameter(&mut self, id: Id, param: &crate::hir::Param, is_kernel: bool) {
        if let Some(name) = param.name {
            self.module.name(id, self.session.name(name));
        }
        let attribute = |attribute: FunctionParameterAttribute| [attribute as u32];
        if let Some(pointee) = self.program.types.pointee(param.ty.id) {
            if param.ty.quals.contains(Quals::RESTRICT) {
                let words = attribute(FunctionParameterAttribute::NoAlias);
                self.module.decorate(id, Decoration::FuncParamAttr, &words);
            }
            if is_kernel
                && pointee.space != AddressSpace::Private
                && let Some(align) = self.program.types.align_of(pointee.id)
            {
                self.module.decorate(id, Decoration::Alignment, &[align as u32]);
            }
            return;
        }
        let narrow = match self.program.types.as_scalar(param.ty.id) {
            Some(scalar) if scalar.size() < 4 && scalar.is_integer() && scalar != Scalar::Bool => scalar,
            _ => return,
        };
        let words = attribute(match narrow.is_signed() {
            true => FunctionParameterAttribute::Sext,
            false => FunctionParameterAttribute::Zext,
        });
        self.module.decorate(id, Decoration::FuncParamAttr, &words);
    }

    /// Names a function, and lets other modules call it.
    pub fn export(&mut self, id: FunctionId, result: Id) {
        let function = self.program.function(id);
        let name = self.symbol(id);
        self.module.name(result, &name);
        if self.session.options.whole {
            return;
        }
        match function.linkage {
            Linkage::Internal => {}
            Linkage::External => self.module.linkage(result, &name, LinkageType::Export),
            Linkage::Weak => self.module.linkage(result, &name, LinkageType::LinkOnceODR),
        }
    }

    /// What modules call a function by. A kernel that is called is a function beside its entry point, which cannot have linkage: it has clang's name
    /// for that function, so that objects of both compilers link.
    fn symbol(&self, id: FunctionId) -> String {
        let function = self.program.function(id);
        let name = self.session.name(function.link_name);
        match function.is_kernel {
            true => format!("__clang_ocl_kern_imp_{name}"),
            false => name.to_owned(),
        }
    }
}
