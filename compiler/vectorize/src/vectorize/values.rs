//! Values of the source in the gang's function: a scalar where they are uniform, lane 0's where they are linear, else a vector.

use super::Vectorizer;
use analysis::uniformity::{Extent, Shape};
use ir::ssa::Variable;
use ir::*;

impl Vectorizer<'_> {
    pub(super) fn new_variable(&mut self, ty: Type, extent: Extent) -> Variable {
        let variable = self.ssa.variable(ty);
        self.note_extent(variable, extent)
    }

    fn note_extent(&mut self, variable: Variable, extent: Extent) -> Variable {
        debug_assert_eq!(variable.0 as usize, self.shared_variables.len());
        self.shared_variables.push(extent);
        variable
    }

    pub(super) fn repr_type(&self, value: Value) -> (Type, Extent) {
        let ty = self.src.ty(value);
        match self.uniformity.shape(value) {
            Shape::Varying => (ty.with_lanes(self.lanes), Extent::Lane),
            Shape::Linear { .. } => (ty, Extent::Gang),
            Shape::Uniform(extent) => (ty, extent),
        }
    }

    pub(super) fn incoming_variable(&mut self, param: Value) -> Variable {
        if let Some(variable) = self.incoming[param] {
            return variable;
        }
        let (ty, extent) = self.repr_type(param);
        let variable = self.new_variable(ty, extent);
        self.incoming[param] = Some(variable);
        variable
    }

    /// `value` of the source is `by` from here on.
    pub(crate) fn define(&mut self, value: Value, by: Value) {
        let (ty, extent) = self.repr_type(value);
        debug_assert_eq!(self.func.ty(by), ty, "{value} in {}", self.src.name);
        if extent < Extent::Gang {
            self.shared[by] = extent;
        }
        debug_assert!(self.values[value].is_none(), "{value} in {} is written once", self.src.name);
        let variable = self.ssa.settled_variable(ty, self.here.block, by);
        self.values[value] = Some(self.note_extent(variable, extent));
        self.here.values.insert(value, Some(by));
    }

    /// A uniform value, or lane 0 of a linear one, or the vector of a varying one.
    pub(crate) fn raw(&mut self, value: Value) -> Value {
        if let Some(known) = self.here.values.get(value).copied().flatten() {
            return known;
        }
        let out = match self.src.def_data(value) {
            // Constants are cheaper to write again than to carry around.
            Some(&InstData::Const { ty, bits }) => self.builder().constant(ty, bits),
            _ => match self.values[value] {
                Some(variable) => self.ssa.use_variable(&mut self.func, variable, self.here.block),
                None => {
                    let (ty, _) = self.repr_type(value);
                    self.builder().constant(ty, 0)
                }
            },
        };
        self.here.values.insert(value, Some(out));
        out
    }

    /// A value with all its lanes.
    pub(crate) fn vector(&mut self, value: Value) -> Value {
        let shape = self.uniformity.shape(value);
        if shape == Shape::Varying || self.lanes == 1 {
            return self.raw(value);
        }
        if let Some(known) = self.here.vectors.get(value).copied().flatten() {
            return known;
        }
        let scalar = self.raw(value);
        let lanes = self.lanes;
        let constant = self.func.constant(scalar);
        let ty = self.func.ty(scalar).with_lanes(lanes);
        let mut b = self.builder();
        let mut vector = match constant {
            Some(bits) => b.constant(ty, bits),
            None => b.splat(lanes, scalar),
        };
        if let Shape::Linear { stride, .. } = shape {
            let mut steps = b.lane(LaneOp::Iota, ty, &[]);
            if stride != 1 {
                steps = b.binary_imm(BinaryOp::Mul, steps, stride);
            }
            vector = if constant == Some(0) { steps } else { b.add(vector, steps) };
        }
        self.here.vectors.insert(value, Some(vector));
        vector
    }
}
