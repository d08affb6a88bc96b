//! Vector constants near their uses.
//!
//! The optimizer takes them out of loops, as all that depends on nothing; scalars it writes again where they are used, vectors it does not. Where there are more than
//! registers, each would be spilled at the start and live until the loop ends, and the allocator's time would go with the square of their number. Reading a
//! constant is no more than reading what was spilled.

use cranelift_codegen::ir::{Function, Inst, InstructionData, Opcode, Value};
use rustc_hash::FxHashMap;
use target::costs::{CONSTANTS_IN_REGISTERS, INSTRUCTIONS_FOR_RELOAD};

/// Writes vector constants again where they are used. True if they were.
pub fn sink(function: &mut Function) -> bool {
    let constants = function.layout.blocks().flat_map(|block| function.layout.block_insts(block));
    if constants.filter(|&inst| vector_constant(function, inst).is_some()).count() <= CONSTANTS_IN_REGISTERS {
        return false;
    }
    let blocks: Vec<_> = function.layout.blocks().collect();
    let mut written: FxHashMap<Value, (usize, Value)> = FxHashMap::default();
    for block in blocks {
        written.clear();
        let insts: Vec<Inst> = function.layout.block_insts(block).collect();
        for (at, inst) in insts.into_iter().enumerate() {
            let used: Vec<Value> = function.dfg.inst_values(inst).collect();
            let mut changed = false;
            let values: Vec<Value> = used
                .into_iter()
                .map(|value| {
                    let value = function.dfg.resolve_aliases(value);
                    let by = near(function, &mut written, (at, inst), value);
                    changed |= by.is_some();
                    by.unwrap_or(value)
                })
                .collect();
            if changed {
                function.dfg.overwrite_inst_values(inst, values.into_iter());
            }
        }
    }
    true
}

/// The constant that the instruction is, if it is a vector's.
fn vector_constant(function: &Function, inst: Inst) -> Option<InstructionData> {
    let data = function.dfg.insts[inst];
    (data.opcode() == Opcode::Vconst).then_some(data)
}

/// A constant as it is written near the instruction that uses it.
fn near(function: &mut Function, written: &mut FxHashMap<Value, (usize, Value)>, (at, inst): (usize, Inst), value: Value) -> Option<Value> {
    let definition = function.dfg.value_def(value).inst()?;
    let data = vector_constant(function, definition)?;
    if let Some((_, copy)) = written
        .get(&value)
        .filter(|(last, _)| at - last <= INSTRUCTIONS_FOR_RELOAD)
        .copied()
    {
        return Some(copy);
    }
    let ty = function.dfg.value_type(value);
    let again = function.dfg.make_inst(data);
    function.dfg.make_inst_results(again, ty);
    function.layout.insert_inst(again, inst);
    let copy = function.dfg.first_result(again);
    written.insert(value, (at, copy));
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::{ConstantData, InstBuilder, types::I32X4};

    /// A sum of so many constants of the entry, in another block.
    fn sums(count: u8) -> Function {
        let mut function = Function::new();
        let [entry, block] = [(); 2].map(|()| function.dfg.make_block());
        let handles: Vec<_> = (0..count)
            .map(|byte| function.dfg.constants.insert(ConstantData::from(&[byte; 16][..])))
            .collect();
        let mut cursor = FuncCursor::new(&mut function);
        cursor.insert_block(entry);
        let constants: Vec<Value> = handles.into_iter().map(|handle| cursor.ins().vconst(I32X4, handle)).collect();
        cursor.ins().jump(block, &[]);
        cursor.insert_block(block);
        let mut sum = constants[0];
        for &constant in &constants {
            sum = cursor.ins().iadd(sum, constant);
        }
        cursor.ins().return_(&[]);
        function
    }

    #[test]
    fn many_constants_are_read_where_they_are_used() {
        let mut function = sums(100);
        assert!(sink(&mut function));
        let entry = function.layout.entry_block();
        for block in function.layout.blocks().skip(1) {
            for inst in function.layout.block_insts(block) {
                for value in function.dfg.inst_values(inst) {
                    let home = function
                        .dfg
                        .value_def(value)
                        .inst()
                        .and_then(|inst| function.layout.inst_block(inst));
                    assert_ne!(home, entry, "{}", function.display());
                }
            }
        }
        // The first is used twice at once.
        let copies = function.layout.block_insts(function.layout.last_block().expect("a block"));
        assert_eq!(copies.filter(|&inst| vector_constant(&function, inst).is_some()).count(), 100);
    }

    #[test]
    fn few_constants_stay() {
        assert!(!sink(&mut sums(8)));
    }
}
