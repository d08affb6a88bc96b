//! Strongly connected components of a part of the flow graph.

use super::entities::Block;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::ReservedValue;
use smallvec::SmallVec;

/// The strongly connected components of `blocks` under `successors` (of which those that are not among `blocks` are ignored), each
/// before the components that lead to it. (Tarjan's algorithm, with a stack of its own.)
pub fn components(blocks: &[Block], successors: impl Fn(Block) -> SmallVec<[Block; 2]>) -> Vec<Vec<Block>> {
    const UNSEEN: u32 = u32::MAX;
    let mut within: SecondaryMap<Block, bool> = SecondaryMap::new();
    blocks.iter().for_each(|&block| within[block] = true);
    let mut index: SecondaryMap<Block, u32> = SecondaryMap::with_default(UNSEEN);
    let mut low: SecondaryMap<Block, u32> = SecondaryMap::new();
    let mut on_stack: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut stack: Vec<Block> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for &root in blocks {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, Block::reserved_value(), successors(root))];
        (index[root], low[root], on_stack[root]) = (next, next, true);
        stack.push(root);
        next += 1;
        while let Some((block, caller, left)) = calls.last_mut() {
            let (block, caller) = (*block, *caller);
            match left.pop() {
                Some(succ) if !within[succ] => {}
                Some(succ) if index[succ] == UNSEEN => {
                    (index[succ], low[succ], on_stack[succ]) = (next, next, true);
                    stack.push(succ);
                    next += 1;
                    calls.push((succ, block, successors(succ)));
                }
                Some(succ) => {
                    if on_stack[succ] {
                        low[block] = low[block].min(index[succ]);
                    }
                }
                None => {
                    calls.pop();
                    if !caller.is_reserved_value() {
                        low[caller] = low[caller].min(low[block]);
                    }
                    if low[block] == index[block] {
                        let mut component = Vec::new();
                        loop {
                            let member = stack.pop().expect("the component's root is on the stack");
                            on_stack[member] = false;
                            component.push(member);
                            if member == block {
                                break;
                            }
                        }
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}
