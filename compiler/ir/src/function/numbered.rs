//! For the parser: blocks, values and instructions with the numbers that they have in the text.

use super::{BlockData, Function, InstNode, ValueData, ValueDef};
use crate::entities::{Block, Inst, Value};
use crate::inst::{Flags, InstData, ValueList};
use crate::types::Type;
use cranelift_entity::packed_option::ReservedValue;

impl Function {
    /// Puts a block with this number at the layout's end.
    pub fn declare_block(&mut self, block: Block) {
        while !self.blocks.is_valid(block) {
            self.blocks.push(BlockData::default());
        }
        self.layout.push(block);
    }

    /// A parameter with this number at the end of a block's.
    pub fn declare_param(&mut self, block: Block, value: Value, ty: Type) {
        let index = self.blocks[block].params.len() as u32;
        self.declare_value(value, ty, ValueDef::Param(block, index));
        self.blocks[block].params.push(value);
    }

    /// An instruction whose results come with [`Function::declare_result`].
    pub fn declare_inst(&mut self, block: Block, data: InstData, flags: Flags) -> Inst {
        let results = ValueList::new();
        let inst = self.insts.push(InstNode { data, flags, results });
        self.blocks[block].insts.push(inst);
        inst
    }

    /// The next result of an instruction, with this number.
    pub fn declare_result(&mut self, inst: Inst, value: Value, ty: Type) {
        let index = self.insts[inst].results.len() as u32;
        self.declare_value(value, ty, ValueDef::Result(inst, index));
        self.insts[inst].results.push(value);
    }

    fn declare_value(&mut self, value: Value, ty: Type, def: ValueDef) {
        // Numbers that nothing in the text has.
        let unused = ValueData {
            ty: Type::MASK,
            def: ValueDef::Param(Block::reserved_value(), 0),
        };
        while !self.values.is_valid(value) {
            self.values.push(unused);
        }
        self.values[value] = ValueData { ty, def };
    }

    /// The value has been declared.
    pub fn is_defined(&self, value: Value) -> bool {
        let def = self.values.get(value).map(|data| data.def);
        def.is_some_and(|def| def != ValueDef::Param(Block::reserved_value(), 0))
    }
}
