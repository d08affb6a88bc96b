//! Which lanes are active.

use super::Vectorizer;
use analysis::uniformity::Extent;
use ir::ssa::Variable;
use ir::*;

impl Vectorizer<'_> {
    pub(super) fn mask_variable(&mut self, node: usize) -> Variable {
        if let Some(variable) = self.masks[node] {
            return variable;
        }
        let variable = self.new_variable(Type::vector(Elem::Mask, self.lanes), Extent::Lane);
        self.masks[node] = Some(variable);
        variable
    }

    /// The lanes that are active in this block.
    pub(crate) fn mask(&mut self) -> Value {
        if self.lanes == 1 {
            return self.builder().mask(Type::MASK, true);
        }
        let node = self.alias[self.here.node].unwrap_or(self.here.node);
        if node == 0 {
            return self.entry_mask;
        }
        let variable = self.mask_variable(node);
        self.ssa.use_variable(&mut self.func, variable, self.here.block)
    }

    /// The mask as an operand of a memory operation: none where all lanes are active for certain.
    pub(crate) fn mask_operand(&mut self) -> Option<Value> {
        let mask = self.mask();
        (self.func.constant(mask) != Some(1)).then_some(mask)
    }

    /// `a & b`, folded where one is constant.
    pub(crate) fn mask_and(&mut self, a: Value, b: Value) -> Value {
        match (self.func.constant(a), self.func.constant(b)) {
            (Some(1), _) | (_, Some(0)) => b,
            (_, Some(1)) | (Some(0), _) => a,
            _ => self.builder().and(a, b),
        }
    }

    /// `a & !b`, folded where one is constant.
    pub(crate) fn mask_and_not(&mut self, a: Value, b: Value) -> Value {
        match self.func.constant(b) {
            Some(bits) => {
                let ty = self.func.ty(b);
                let not = self.builder().mask(ty, bits == 0);
                self.mask_and(a, not)
            }
            None => {
                let not = self.builder().not(b);
                self.mask_and(a, not)
            }
        }
    }

    pub(super) fn mask_or(&mut self, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        match (self.func.constant(a), self.func.constant(b)) {
            (Some(0), _) | (_, Some(1)) => b,
            (_, Some(0)) | (Some(1), _) => a,
            _ => self.builder().or(a, b),
        }
    }
}
