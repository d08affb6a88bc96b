//! Loops that are entered from several places get a block before them, where these meet.
//!
//! ```c
//! if (local_id == 0)
//!     sums[0] = 0;
//! for (int stride = 1; stride < n; stride *= 2) …
//! ```
//!
//! What work-items bring to the loop by different ways is the same for all of them; in the header, it would meet what iterations hand on, and count as
//! different.

use analysis::Flow;
use ir::*;

/// Adds them to a function without critical edges. True if there were such loops.
pub fn run(func: &mut Function, flow: &Flow) -> bool {
    let loops = flow.loops();
    let mut changed = false;
    for (index, natural) in loops.loops.iter().enumerate() {
        let mut entries: Vec<Block> = loops.entries(&flow.cfg, index).collect();
        entries.sort_unstable();
        entries.dedup();
        if entries.len() > 1 {
            add(func, natural.header, &entries);
            changed = true;
        }
    }
    changed
}

fn add(func: &mut Function, header: Block, entries: &[Block]) {
    let before = func.add_detached_block();
    let place = func.layout.iter().position(|&block| block == header).unwrap_or(func.layout.len());
    func.layout.insert(place, before);
    let handed: Vec<Vec<Value>> = entries.iter().map(|&entry| given(func, entry, header)).collect();
    let (mut args, mut params) = (Vec::new(), Vec::new());
    for position in 0..func.block(header).params.len() {
        let first = handed[0][position];
        if handed.iter().all(|values| values[position] == first) {
            args.push(first);
        } else {
            args.push(func.add_param(before, func.ty(first)));
            params.push(position);
        }
    }
    for (&entry, values) in entries.iter().zip(&handed) {
        let kept: Vec<Value> = params.iter().map(|&position| values[position]).collect();
        *func.terminator_mut(entry) = InstData::Jump { target: to(before, &kept) };
    }
    func.append(before, InstData::Jump { target: to(header, &args) }, Flags::empty());
}

/// What a block that only jumps to another hands to it.
fn given(func: &Function, from: Block, to: Block) -> Vec<Value> {
    let positions = 0..func.block(to).params.len();
    let handed = positions.map(|position| func.handed(from, to, position));
    handed.map(|value| value.expect("an edge that is not critical is a jump")).collect()
}
