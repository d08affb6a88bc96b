//! No critical edges: an edge from a block with several successors to one with several predecessors gets a block of its own.

use ir::*;

/// Splits all critical edges. True if there were any.
pub fn run(func: &mut Function) -> bool {
    let mut preds = func.per_block(0);
    for &block in &func.layout {
        func.successors(block).into_iter().for_each(|succ| preds[succ] += 1);
    }
    let before = func.layout.len();
    let mut layout = Vec::with_capacity(before);
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        let mut data = func.terminator(block).clone();
        if matches!(data, InstData::Jump { .. }) {
            continue;
        }
        let first_new = layout.len();
        for target in data.targets_mut() {
            if preds[target.block] > 1 {
                let edge = func.add_detached_block();
                layout.push(edge);
                let target = std::mem::replace(target, to(edge, &[]));
                func.append(edge, InstData::Jump { target }, Flags::empty());
            }
        }
        if layout.len() > first_new {
            *func.terminator_mut(block) = data;
        }
    }
    func.layout = layout;
    func.layout.len() > before
}
