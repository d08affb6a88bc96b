//! What kernels and their parameters may be (OpenCL C, 6.11).

use crate::hir::Function;
use crate::parse::{ParamDecl, Parser, Specifiers, Storage};
use crate::types::{AddressSpace, RecordId, Scalar, TypeId, TypeKind};

impl Parser<'_> {
    /// Checks a function's declaration against the rules for kernels, and for functions that are none.
    pub(crate) fn check_kernel(&mut self, function: &Function, params: &[ParamDecl], specifiers: &Specifiers) {
        let loc = function.loc;
        let attributes = &function.attributes;
        if self.text(function.name) == "main" {
            let what = if function.is_kernel { "kernel" } else { "function" };
            self.error(loc, &format!("{what} cannot be called 'main'"));
        }
        if !function.is_kernel {
            for (given, name) in [
                (attributes.reqd_work_group_size.is_some(), "reqd_work_group_size"),
                (attributes.work_group_size_hint.is_some(), "work_group_size_hint"),
                (attributes.vec_type_hint.is_some(), "vec_type_hint"),
                (attributes.reqd_sub_group_size.is_some(), "intel_reqd_sub_group_size"),
            ] {
                let known = self
                    .functions
                    .get(&function.name)
                    .is_some_and(|all| all.iter().any(|&id| self.program.function(id).is_kernel));
                if given && !known {
                    let message = format!("attribute '{name}' can only be applied to an OpenCL kernel function");
                    self.error(loc, &message);
                }
            }
            return;
        }
        if function.result.id != TypeId::VOID && function.result.id != TypeId::ERROR {
            self.error(loc, "kernel must have void return type");
        }
        if specifiers.storage == Some(Storage::Static) {
            self.error(loc, "kernel functions cannot be declared static");
        }
        if function.variadic {
            self.error(loc, "kernel functions cannot have variadic arguments");
        }
        for param in params {
            self.check_kernel_parameter(param);
        }
    }

    fn check_kernel_parameter(&mut self, param: &ParamDecl) {
        let ty = param.ty.id;
        let invalid = |this: &Self| format!("'{}' cannot be used as the type of a kernel parameter", this.name_of(param.ty));
        let message = match *self.types_ref().kind(ty) {
            TypeKind::Pointer(pointee) => {
                if matches!(pointee.space, AddressSpace::Private | AddressSpace::Generic) {
                    "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space".to_string()
                } else if let Some(inner) = self.types().pointee(pointee.id) {
                    if self.lang.version < 200 {
                        "kernel parameter cannot be declared as a pointer to a pointer".to_string()
                    } else if matches!(inner.space, AddressSpace::Private) {
                        "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space"
                            .to_string()
                    } else {
                        return;
                    }
                } else {
                    return;
                }
            }
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Event | TypeKind::ReserveId | TypeKind::Block(_) => invalid(self),
            TypeKind::Scalar(Scalar::Half) if !self.lang.fp16 => invalid(self),
            TypeKind::Scalar(_) if param.address_sized => {
                format!("'{}' cannot be used as the type of a kernel parameter", param.type_name)
            }
            _ if ty == TypeId::NDRANGE => invalid(self),
            TypeKind::Record(record) => match self.wrong_member(record) {
                Some(message) => message,
                None => return,
            },
            _ => return,
        };
        self.error(param.loc, &message);
    }

    /// What is wrong with a struct or a union as a kernel's parameter.
    fn wrong_member(&self, record: RecordId) -> Option<String> {
        let record = self.types_ref().record(record);
        let word = if record.is_union { "union" } else { "struct" };
        for field in &record.fields {
            let mut ty = field.ty.id;
            while let Some((element, _)) = self.types_ref().as_array(ty) {
                ty = element.id;
            }
            let with = |what: &str| {
                Some(format!(
                    "a {word} with a '{what}' in it cannot be used as the type of a kernel parameter"
                ))
            };
            let wrong = match self.types_ref().kind(ty) {
                // From 2.0 on, an address may be one of shared virtual memory.
                TypeKind::Pointer(_) if self.lang.version < 200 => Some(format!("{word} kernel parameters may not contain pointers")),
                TypeKind::Scalar(Scalar::Bool) => with("bool"),
                TypeKind::Scalar(Scalar::Half) if !self.lang.fp16 => with("half"),
                TypeKind::Scalar(_) if field.address_sized => with("size_t"),
                &TypeKind::Record(inner) => self.wrong_member(inner),
                _ => None,
            };
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }
}
