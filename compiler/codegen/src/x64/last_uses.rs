//! Which operands nobody needs any more: a result may take the register of such a one, where it would have to be copied otherwise.

use super::selector::Selector;
use cranelift_entity::SecondaryMap;
use ir::{Block, Inst, Value};

/// Where the selection is, as far as uses go.
pub struct LastUses {
    /// Uses that are still to come, other than the current instruction's.
    left: SecondaryMap<Value, u32>,
    /// The block that a value is made in, once it is.
    home: SecondaryMap<Value, Option<Block>>,
    block: Option<Block>,
}

impl LastUses {
    /// Before the first block. `uses` says how often each value is used.
    pub fn new(func: &ir::Function, uses: &SecondaryMap<Value, u32>) -> LastUses {
        LastUses {
            left: uses.clone(),
            home: func.per_value(None),
            block: None,
        }
    }
}

impl Selector<'_> {
    /// A block begins.
    pub fn begin_uses(&mut self, block: Block) {
        self.last_uses.block = Some(block);
        for &param in &self.func.block(block).params {
            self.last_uses.home[param] = Some(block);
        }
    }

    /// An instruction of the block is about to be selected.
    pub fn count_uses(&mut self, inst: Inst) {
        let node = self.func.inst(inst);
        let LastUses { left, home, block } = &mut self.last_uses;
        node.data.for_each_operand(|&value| left[value] -= 1);
        node.results.iter().for_each(|&result| home[result] = *block);
    }

    /// Does nobody need the value after the current instruction? What comes from another block may be needed in the loop's next iteration.
    pub fn is_last_use(&self, value: Value) -> bool {
        let LastUses { left, home, block } = &self.last_uses;
        left[value] == 0 && home[value] == *block
    }
}
