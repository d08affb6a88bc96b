//! Calls that take blocks: `enqueue_kernel`, and questions about a block (OpenCL C 6.15.18).

use super::{Operand, OperandKind};
use crate::builtins::Candidate;
use crate::hir::{Const, ExprId, ExprKind};
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{AddressSpace, QualType, Quals, TypeId, TypeKind};

impl Parser<'_> {
    /// The arguments of such a call, with all that `enqueue_kernel` may leave out: queue, flags and range, events, the block, sizes of local memory.
    pub(super) fn block_arguments(&mut self, candidate: &Candidate, arguments: &[Operand], loc: Loc) -> Option<Vec<ExprId>> {
        let fixed = candidate.params.len();
        let mut list = self.passed(&arguments[..fixed], &candidate.params)?;
        let mut rest = &arguments[fixed..];
        let enqueues = fixed == 3;
        if enqueues {
            let event = QualType::in_space(TypeId::CLK_EVENT, AddressSpace::Generic);
            let types = [event.with(Quals::CONST), event].map(|event| self.types().pointer(event));
            let is_block = rest.first().is_some_and(|first| self.is_block(first.ty.id));
            if is_block {
                for (value, ty) in [(Const::Int(0), TypeId::UINT), (Const::Zero, types[0]), (Const::Zero, types[1])] {
                    let none = self.constant(value, ty, loc);
                    list.push(self.id(none));
                }
            } else if rest.len() > 3 {
                let is_event =
                    |this: &Self, ty: TypeId| this.types_ref().pointee(ty).is_some_and(|pointee| pointee.id == TypeId::CLK_EVENT);
                if let Some(&wrong) = rest[1..3].iter().find(|events| !events.is_null && !is_event(self, events.ty.id)) {
                    let message = format!(
                        "events are passed by pointers to 'clk_event_t', not as '{}'",
                        self.name_of(wrong.ty)
                    );
                    self.error(wrong.loc, &message);
                    return None;
                }
                list.extend(self.passed(&rest[..3], &[TypeId::UINT, types[0], types[1]])?);
                rest = &rest[3..];
            }
        }
        let Some((&block, sizes)) = rest.split_first() else {
            self.error(loc, "a block is missing among the arguments of this call");
            return None;
        };
        let params = self.enqueued_params(block)?;
        list.push(self.id(block));
        if enqueues && sizes.len() != params || !enqueues && !sizes.is_empty() {
            let message = match enqueues {
                true => format!(
                    "the block has {params} pointers to local memory as parameters, and the call gives {} sizes for them",
                    sizes.len()
                ),
                false => "there is nothing to pass behind the block".to_owned(),
            };
            self.error(loc, &message);
            return None;
        }
        for &size in sizes {
            if !self.is_integer(size.ty.id) {
                let message = format!("the size of local memory must be an integer, not '{}'", self.name_of(size.ty));
                self.error(size.loc, &message);
                return None;
            }
            let size = self.convert_arithmetic(size, TypeId::UINT);
            list.push(self.id(size));
        }
        Some(list)
    }

    /// How many parameters a block has that a kernel can be: pointers to local memory, and no result.
    fn enqueued_params(&mut self, block: Operand) -> Option<usize> {
        let OperandKind::Value(id) = block.kind else { return None };
        let (ExprKind::Block(..), &TypeKind::Block(ty)) = (&self.body.expr(id).kind, self.types_ref().kind(block.ty.id)) else {
            let message = format!("a block is expected here, not '{}'", self.name_of(block.ty));
            self.error(block.loc, &message);
            return None;
        };
        let function = self.types().as_function(ty)?.clone();
        let any = self.session.options.has("cl_khr_device_enqueue_local_arg_types");
        let is_local = |this: &Self, ty: TypeId| {
            matches!(*this.types_ref().kind(ty), TypeKind::Pointer(pointee)
                if pointee.space == AddressSpace::Local && (any || pointee.id == TypeId::VOID))
        };
        if let Some(wrong) = function.params.iter().find(|param| !is_local(self, param.id)) {
            let message = format!(
                "blocks that are enqueued have parameters of type 'local void *' only, not '{}'",
                self.name_of(*wrong)
            );
            self.error(block.loc, &message);
            return None;
        }
        if function.result.id != TypeId::VOID {
            let message = format!(
                "a block that is enqueued returns nothing, and this one '{}'",
                self.name_of(function.result)
            );
            self.error(block.loc, &message);
            return None;
        }
        Some(function.params.len())
    }
}
