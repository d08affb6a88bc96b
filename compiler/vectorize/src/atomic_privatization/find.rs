//! Buffers that a kernel does nothing with but atomics of one kind.

use analysis::access::objects::{Object, Places};
use analysis::tallies::is_free;
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A buffer that can have a tally.
pub(super) struct Found {
    /// Where in the argument block its address is.
    pub argument: i32,
    pub op: AtomicOp,
    pub elem: Elem,
    /// In the order of the layout, and of instructions in it.
    pub atomics: Vec<(Block, Inst)>,
}

/// All such buffers, in the order of their first atomics.
pub(super) fn find(func: &Function, sets: &FxHashMap<i32, AliasSet>) -> SmallVec<[Found; 4]> {
    let mut found: SmallVec<[Found; 4]> = SmallVec::new();
    let insts = || {
        func.layout
            .iter()
            .flat_map(|&block| func.block(block).insts.iter().map(move |&inst| (block, inst)))
    };
    if !insts().any(|(_, inst)| is_free(&func.inst(inst).data)) {
        return found;
    }
    let arguments: FxHashMap<AliasSet, i32> = sets.iter().map(|(&argument, &set)| (set, argument)).collect();
    let order = cfg::reverse_postorder(func);
    let places = Places::new(
        func,
        &order,
        |object| matches!(object, Object::Argument(at) if sets.contains_key(&at)),
    );
    let uses = func.use_counts();
    let mut others: SmallVec<[i32; 8]> = SmallVec::new();
    for (block, inst) in insts() {
        let node = func.inst(inst);
        if orders(&node.data) {
            return SmallVec::new();
        }
        for mem in node.data.memory() {
            let Some(&argument) = arguments.get(&mem.alias) else {
                // It may be any buffer.
                if mem.alias == 0 && matches!(mem.space, Space::Global | Space::Generic) && !mem.flags.contains(MemFlags::INVARIANT) {
                    return SmallVec::new();
                }
                continue;
            };
            let InstData::AtomicRmw { op, value, address, .. } = node.data else {
                others.push(argument);
                continue;
            };
            let elem = func.ty(value).elem;
            let is_counted =
                is_free(&node.data) && uses[node.results[0]] == 0 && places.object(address) == Some(Object::Argument(argument));
            if !is_counted || elem.bytes() < 4 || op.reduction().is_none() {
                others.push(argument);
                continue;
            }
            // What is subtracted is added up, too.
            let op = if op == AtomicOp::Sub { AtomicOp::Add } else { op };
            match found.iter_mut().find(|known| known.argument == argument) {
                Some(known) if known.op == op && known.elem == elem => known.atomics.push((block, inst)),
                Some(_) => others.push(argument),
                None => found.push(Found {
                    argument,
                    op,
                    elem,
                    atomics: vec![(block, inst)],
                }),
            }
        }
    }
    found.retain(|known| !others.contains(&known.argument));
    found
}

/// Others may see by it what was done before.
fn orders(data: &InstData) -> bool {
    match data {
        InstData::AtomicLoad { mem, order, scope, .. }
        | InstData::AtomicStore { mem, order, scope, .. }
        | InstData::AtomicRmw { mem, order, scope, .. }
        | InstData::AtomicCas { mem, order, scope, .. } => {
            *order != Order::Relaxed && *scope > Scope::WorkGroup && !matches!(mem.space, Space::Local | Space::Private)
        }
        InstData::Fence { order, scope } => *order != Order::Relaxed && *scope > Scope::WorkGroup,
        InstData::Barrier { order, memory, .. } => *order != Order::Relaxed && *memory > Scope::WorkGroup,
        InstData::CallRuntime { routine, .. } => !routine.is_pure(),
        InstData::Call { .. } => true,
        _ => false,
    }
}
