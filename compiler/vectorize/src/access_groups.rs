//! Accesses of a block that differ in nothing but their distance from one address, with nothing between that could see them or change what
//! they see (an access to memory of another alias set can't): they may be done at once, loads where the first of them is, stores where the last is.

use ir::*;
use rustc_hash::FxHashMap;
use target::costs::effort::{ACCESSES_COMPARED, KINDS_OF_ACCESSES};

/// What such accesses have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// They store.
    pub is_store: bool,
    base: Value,
    index: Option<Value>,
    scale: u32,
    /// What they load or store.
    pub elem: Elem,
    space: Space,
    flags: MemFlags,
    alias: AliasSet,
}

impl Kind {
    fn of(func: &Function, inst: Inst) -> Option<Kind> {
        let Access {
            address,
            mem,
            ty,
            is_store,
            ..
        } = func.access(inst)?;
        (!mem.is_volatile()).then_some(Kind {
            is_store,
            base: address.base,
            index: address.index,
            scale: address.scale,
            elem: ty.elem,
            space: mem.space,
            flags: mem.flags,
            alias: mem.alias,
        })
    }
}

/// Hands on the accesses that are `wanted`, kind by kind: (offset, instruction), in the order of the code. No offset is there twice.
pub fn each(func: &Function, block: Block, wanted: impl Fn(Inst) -> bool, mut found: impl FnMut(Kind, &[(i32, Inst)])) {
    let mut open: FxHashMap<Kind, Vec<(i32, Inst)>> = FxHashMap::default();
    for &inst in &func.block(block).insts {
        let data = &func.inst(inst).data;
        let own = wanted(inst).then(|| Kind::of(func, inst)).flatten();
        if open.is_empty() && own.is_none() {
            continue;
        }
        let writes = data.has_side_effects() && !data.is_terminator();
        let reads = data.reads_memory() || matches!(data, InstData::Load { .. });
        // What is known of its place keeps it apart from other memory.
        let place = match data {
            InstData::Load { mem, .. } | InstData::Store { mem, .. } => Some(*mem).filter(|mem| !mem.is_volatile()),
            _ => None,
        };
        if writes || reads {
            open.retain(|kind, accesses| {
                let meets = (writes || reads && kind.is_store) && place.is_none_or(|mem| mem.may_meet(kind.space, kind.alias));
                let stays = Some(*kind) == own || !meets;
                if !stays {
                    found(*kind, accesses);
                }
                stays
            });
        }
        if let Some(kind) = own
            && let Some(Access { address, .. }) = func.access(inst)
        {
            if open.len() > KINDS_OF_ACCESSES {
                open.drain().for_each(|(kind, accesses)| found(kind, &accesses));
            }
            let accesses = open.entry(kind).or_default();
            // A second access to a place starts anew.
            if accesses.len() > ACCESSES_COMPARED || accesses.iter().any(|&(offset, _)| offset == address.offset) {
                found(kind, accesses);
                accesses.clear();
            }
            accesses.push((address.offset, inst));
        }
    }
    open.into_iter().for_each(|(kind, accesses)| found(kind, &accesses));
}
