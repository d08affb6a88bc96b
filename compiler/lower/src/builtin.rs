//! Built-in variables (OpenCL SPIR-V environment specification, section 2.9).

use super::Failure;
use super::arithmetic::resize_int;
use super::composite::select_component;
use super::function::{Lowering, Result};
use super::shape;
use super::value::{BuiltInPointer, Component, Scalars};
use ir::*;
use rspirv::spirv::BuiltIn;

impl Lowering<'_, '_> {
    /// The value of a built-in variable, or of one of its components.
    pub(super) fn load_built_in(&mut self, pointer: &BuiltInPointer) -> Result<Scalars> {
        let (count, component_type) = self.spirv.components(pointer.type_id);
        let elem = shape::scalar(self.spirv.ty(component_type))
            .filter(|elem| elem.is_int())
            .ok_or(Failure::Unsupported)?;
        match pointer.component {
            Some(Component::Constant(component)) => Ok(Scalars::from_slice(&[self.built_in_component(
                pointer.built_in,
                component,
                elem,
            )?])),
            Some(Component::Dynamic(index)) => {
                let all = self.built_in_components(pointer.built_in, count, elem)?;
                Ok(Scalars::from_slice(&[select_component(&mut self.b(), &all, index)]))
            }
            None => self.built_in_components(pointer.built_in, count, elem),
        }
    }

    fn built_in_components(&mut self, built_in: BuiltIn, count: u32, elem: Elem) -> Result<Scalars> {
        (0..count)
            .map(|component| self.built_in_component(built_in, component, elem))
            .collect()
    }

    fn built_in_component(&mut self, built_in: BuiltIn, component: u32, elem: Elem) -> Result<Value> {
        let value = match ir_builtin(built_in) {
            // Only the first three components mean anything.
            Some(builtin) if builtin.has_dimension() => self.builtin(builtin, component.min(2) as u8),
            Some(builtin) => self.builtin(builtin, 0),
            None => self.sub_group_mask(built_in, component)?,
        };
        Ok(resize_int(&mut self.b(), elem, value, false))
    }

    /// Subgroup{Eq,Ge,Gt,Le,Lt}Mask: bit `i` of 128 is about lane `i`; gangs have at most 32.
    fn sub_group_mask(&mut self, built_in: BuiltIn, component: u32) -> Result<Value> {
        if !matches!(
            built_in,
            BuiltIn::SubgroupEqMask | BuiltIn::SubgroupGeMask | BuiltIn::SubgroupGtMask | BuiltIn::SubgroupLeMask | BuiltIn::SubgroupLtMask
        ) {
            return Err(Failure::Unsupported);
        }
        if component > 0 {
            return Ok(self.i32(0));
        }
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let size = self.builtin(Builtin::SubGroupMaxSize, 0);
        let (one, ones, width) = (self.i32(1), self.i32(-1), self.i32(32));
        let b = &mut self.b();
        let unused = b.sub(width, size);
        let existing = b.binary(BinaryOp::LShr, ones, unused);
        let own = b.binary(BinaryOp::Shl, one, lane);
        let before = b.sub(own, one);
        let up_to = b.or(before, own);
        let bits = match built_in {
            BuiltIn::SubgroupEqMask => own,
            BuiltIn::SubgroupLtMask => before,
            BuiltIn::SubgroupLeMask => up_to,
            BuiltIn::SubgroupGeMask => b.not(before),
            _ => b.not(up_to),
        };
        Ok(b.and(bits, existing))
    }
}

/// The IR's built-in for SPIR-V's.
fn ir_builtin(built_in: BuiltIn) -> Option<Builtin> {
    Some(match built_in {
        BuiltIn::NumWorkgroups => Builtin::NumGroups,
        BuiltIn::WorkgroupSize => Builtin::LocalSize,
        BuiltIn::WorkgroupId => Builtin::GroupId,
        BuiltIn::LocalInvocationId => Builtin::LocalId,
        BuiltIn::GlobalInvocationId => Builtin::GlobalId,
        BuiltIn::LocalInvocationIndex => Builtin::LocalLinearId,
        BuiltIn::WorkDim => Builtin::WorkDim,
        BuiltIn::GlobalSize => Builtin::GlobalSize,
        BuiltIn::EnqueuedWorkgroupSize => Builtin::EnqueuedLocalSize,
        BuiltIn::GlobalOffset => Builtin::GlobalOffset,
        BuiltIn::GlobalLinearId => Builtin::GlobalLinearId,
        BuiltIn::SubgroupSize => Builtin::SubGroupSize,
        BuiltIn::SubgroupMaxSize => Builtin::SubGroupMaxSize,
        BuiltIn::NumSubgroups => Builtin::NumSubGroups,
        BuiltIn::NumEnqueuedSubgroups => Builtin::NumEnqueuedSubGroups,
        BuiltIn::SubgroupId => Builtin::SubGroupId,
        BuiltIn::SubgroupLocalInvocationId => Builtin::SubGroupLocalId,
        _ => return None,
    })
}
