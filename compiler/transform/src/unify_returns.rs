//! One return: where a function has several, they jump to a new block that returns. `Trap` and `Unreachable` stay where they are.

use ir::*;

/// Leaves at most one `Return`. True if there were more.
pub fn run(func: &mut Function) -> bool {
    let is_return = |&block: &Block| matches!(func.terminator(block), InstData::Return { .. });
    let returns: Vec<Block> = func.layout.iter().copied().filter(is_return).collect();
    if returns.len() < 2 {
        return false;
    }
    let exit = func.add_block();
    let types = func.results.clone();
    let params: ValueList = types.into_iter().map(|ty| func.add_param(exit, ty)).collect();
    func.append(exit, InstData::Return { values: params }, Flags::empty());
    for block in returns {
        if let InstData::Return { values } = func.terminator(block) {
            let target = to(exit, values);
            *func.terminator_mut(block) = InstData::Jump { target };
        }
    }
    true
}
