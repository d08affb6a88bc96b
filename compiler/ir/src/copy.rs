//! Copies of blocks: what writes code twice (for full gangs and others, iteration by iteration) starts from these.

use super::entities::{Block, Value};
use super::function::Function;
use super::origin::Place;
use super::types::Type;
use rustc_hash::FxHashMap;

/// Copies of blocks that jump to each other, in their order and not in the layout yet; what else they refer to stays the same.
pub fn copy_blocks(func: &mut Function, blocks: &[Block]) -> Vec<Block> {
    let mut copied: FxHashMap<Block, Block> = FxHashMap::default();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    let mut made = Vec::new();
    for &block in blocks {
        let copy = func.add_detached_block();
        func.block_mut(copy).cold = func.block(block).cold;
        copied.insert(block, copy);
        for param in func.block(block).params.clone() {
            let ty = func.ty(param);
            values.insert(param, func.add_param(copy, ty));
        }
        for inst in func.block(block).insts.clone() {
            let (data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
            let results = func.inst(inst).results.clone();
            let types: Vec<Type> = results.iter().map(|&result| func.ty(result)).collect();
            func.follow(func.place(inst));
            let own = func.make_inst_with_results(data, flags, &types);
            for (result, copy) in results.into_iter().zip(func.inst(own).results.clone()) {
                values.insert(result, copy);
            }
            func.block_mut(copy).insts.push(own);
            made.push(own);
        }
    }
    func.follow(Place::default());
    for inst in made {
        let data = &mut func.inst_mut(inst).data;
        data.for_each_operand_mut(|operand| *operand = values.get(operand).copied().unwrap_or(*operand));
        for target in data.targets_mut() {
            target.block = copied.get(&target.block).copied().unwrap_or(target.block);
        }
    }
    blocks.iter().map(|block| copied[block]).collect()
}
