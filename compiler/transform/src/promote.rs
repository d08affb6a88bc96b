//! A place in memory that a loop reads and writes again and again is a value as long as the loop runs.
//!
//! `for (…) c[i] += …;` loads `c[i]` before the loop and stores it at each way out. This can be done for a place whose address is the same
//! in each iteration, if nothing else in the loop may touch it, and if it is stored whenever the loop is run: nobody may see a write that
//! the program does not have. (Cooper & Lu: Register Promotion in C Programs, PLDI 1997.)

use super::memory::Touch;
use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::ssa::SsaBuilder;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use target::costs::effort::{ACCESSES_COMPARED, LOOPS_CHANGED};

/// Promotes. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let has_stores = func.layout.iter().any(|&block| {
        func.block(block)
            .insts
            .iter()
            .any(|&inst| matches!(func.inst(inst).data, InstData::Store { .. }))
    });
    if !has_stores {
        return false;
    }
    let mut done: FxHashSet<Block> = FxHashSet::default();
    for promoted in 0..LOOPS_CHANGED {
        let flow = analyses.flow(func);
        let (cfg, loops) = (&flow.cfg, flow.loops());
        cfg.keep_reachable(func);
        if loops.irreducible || loops.loops.is_empty() {
            return promoted > 0;
        }
        let tree = flow.tree();
        let accesses = accesses(func, cfg, loops);
        let mut home = func.per_inst(func.entry());
        for &block in &cfg.order {
            func.block(block).insts.iter().for_each(|&inst| home[inst] = block);
        }
        // Inner loops come first, so that a place may move out of several.
        let next = (0..loops.loops.len()).rev().find_map(|index| {
            let new = done.insert(loops.loops[index].header);
            let places = match accesses[index] {
                Some(1..=ACCESSES_COMPARED) if new => places(func, cfg, tree, loops, &home, index),
                _ => Vec::new(),
            };
            (!places.is_empty()).then_some((index, places))
        });
        match next {
            Some((index, places)) => promote(func, cfg, loops, index, &places),
            None => return promoted > 0,
        }
        analyses.forget();
    }
    true
}

/// By loop: how many accesses there are in it, or none if anything else in it may touch memory.
fn accesses(func: &Function, cfg: &Cfg, loops: &Loops) -> Vec<Option<usize>> {
    let mut accesses = vec![Some(0); loops.loops.len()];
    for &block in &cfg.order {
        let Some(innermost) = loops.innermost(block) else { continue };
        let count = &mut accesses[innermost];
        for &inst in &func.block(block).insts {
            match &func.inst(inst).data {
                InstData::Load { .. } | InstData::Store { .. } => *count = count.map(|count| count + 1),
                data if Touch::of(data) != Touch::Nothing || data.reads_memory() => *count = None,
                _ => {}
            }
        }
    }
    for index in (0..accesses.len()).rev() {
        if let Some(parent) = loops.loops[index].parent {
            accesses[parent] = accesses[parent].zip(accesses[index]).map(|(own, inner)| own + inner);
        }
    }
    accesses
}

/// A place in memory, and the accesses to it.
struct Place {
    address: Address,
    ty: Type,
    /// The way of the stores, as of one.
    mem: MemInfo,
    accesses: SmallVec<[Inst; 4]>,
}

impl Place {
    /// Bytes of one may be bytes of the other.
    fn meets(&self, address: &Address, ty: Type, mem: &MemInfo) -> bool {
        if (address.base, address.index, address.scale) == (self.address.base, self.address.index, self.address.scale) {
            let (a, b) = (i64::from(self.address.offset), i64::from(address.offset));
            return a < b + i64::from(ty.bytes()) && b < a + i64::from(self.ty.bytes());
        }
        mem.may_be_changed(self.mem.space, self.mem.alias)
    }

    fn is(&self, address: &Address, ty: Type) -> bool {
        self.address == *address && self.ty == ty
    }
}

/// The places that can be promoted in a loop in which there are loads and stores, and no other accesses. `home` has the block of each instruction.
fn places(func: &Function, cfg: &Cfg, tree: &DominatorTree, loops: &Loops, home: &SecondaryMap<Inst, Block>, index: usize) -> Vec<Place> {
    let blocks = &loops.loops[index].blocks;
    let invariant = |value: Value| match func.def(value) {
        ValueDef::Param(block, _) => !loops.contains(index, block),
        ValueDef::Result(inst, _) => !loops.contains(index, home[inst]),
    };
    let outside: SmallVec<[Block; 2]> = blocks
        .iter()
        .copied()
        .filter(|&block| cfg.succs[block].iter().any(|&succ| !loops.contains(index, succ)))
        .collect();
    let always = |block: Block| !outside.is_empty() && outside.iter().all(|&exiting| tree.dominates(block, exiting));
    let mut places: Vec<Place> = Vec::new();
    let mut others: Vec<(Address, Type, MemInfo)> = Vec::new();
    for &block in blocks {
        for &inst in &func.block(block).insts {
            let Some(Access {
                address, mem, ty, mask, ..
            }) = func.access(inst)
            else {
                continue;
            };
            let fixed = invariant(address.base) && address.index.is_none_or(invariant);
            let plain = mask.is_none() && !mem.flags.contains(MemFlags::VOLATILE) && !ty.is_vector();
            let known = places
                .iter()
                .position(|place| place.is(&address, ty) && place.mem.space == mem.space);
            match known {
                Some(known) if plain => {
                    let place = &mut places[known];
                    place.accesses.push(inst);
                    // What one access promises does not hold for the others.
                    place.mem.flags &= mem.flags;
                    place.mem.align = place.mem.align.min(mem.align);
                    if place.mem.alias != mem.alias {
                        place.mem.alias = 0;
                    }
                }
                None if plain && fixed => places.push(Place {
                    address,
                    ty,
                    mem,
                    accesses: SmallVec::from_slice(&[inst]),
                }),
                _ => others.push((address, ty, mem)),
            }
        }
    }
    let apart = |at: usize| {
        let place = &places[at];
        let own = places.iter().enumerate().filter(|&(other, _)| other != at);
        let own = own.map(|(_, other)| (other.address, other.ty, other.mem));
        !own.chain(others.iter().copied())
            .any(|(address, ty, mem)| place.meets(&address, ty, &mem))
    };
    let stored = |at: usize| {
        let stores = places[at].accesses.iter();
        let mut stores = stores.filter(|&&inst| matches!(func.inst(inst).data, InstData::Store { .. }));
        stores.any(|&inst| always(home[inst]))
    };
    let fit: Vec<bool> = (0..places.len()).map(|at| stored(at) && apart(at)).collect();
    let mut fit = fit.into_iter();
    places.retain(|_| fit.next() == Some(true));
    places
}

fn promote(func: &mut Function, cfg: &Cfg, loops: &Loops, index: usize, places: &[Place]) {
    let blocks = &loops.loops[index].blocks;
    // A block before the loop, and one on each way out.
    let (before, exits) = open(func, loops, index);
    let mut ssa = SsaBuilder::new();
    for &block in blocks {
        if block == loops.loops[index].header {
            ssa.declare_predecessor(block, before);
        }
        for &pred in &cfg.preds[block] {
            if loops.contains(index, pred) {
                ssa.declare_predecessor(block, pred);
            }
        }
        ssa.seal(block);
    }
    ssa.seal(before);
    for &(from, exit) in &exits {
        ssa.declare_predecessor(exit, from);
        ssa.seal(exit);
    }
    let variables: Vec<_> = places.iter().map(|place| ssa.variable(place.ty)).collect();
    let mut by_inst = FxHashMap::default();
    for (place, &variable) in places.iter().zip(&variables) {
        place.accesses.iter().for_each(|&inst| {
            by_inst.insert(inst, variable);
        });
        let value = func.before_end(before, |b| b.load(place.ty, place.address, place.mem));
        ssa.define(variable, before, value);
    }
    let mut map = ValueMap::default();
    for &block in blocks {
        let insts = std::mem::take(&mut func.block_mut(block).insts);
        for inst in insts {
            match by_inst.get(&inst) {
                None => func.block_mut(block).insts.push(inst),
                Some(&variable) => match func.inst(inst).data {
                    InstData::Store { value, .. } => ssa.define(variable, block, map.resolve(value)),
                    _ => {
                        let value = ssa.use_variable(func, variable, block);
                        map.insert(func.result(inst), value);
                    }
                },
            }
        }
    }
    for &(_, exit) in &exits {
        func.before_end(exit, |b| {
            for (place, &variable) in places.iter().zip(&variables) {
                let value = ssa.use_variable(b.func, variable, exit);
                b.store(value, place.address, place.mem);
            }
        });
    }
    func.substitute(&map);
    ssa.finish(func);
}

/// Puts a block before a loop's header and one on each way out; gives them, the latter with the blocks that they are left from.
fn open(func: &mut Function, loops: &Loops, index: usize) -> (Block, Vec<(Block, Block)>) {
    let header = loops.loops[index].header;
    let before = func.add_detached_block();
    let types: Vec<Type> = func.block(header).params.iter().map(|&param| func.ty(param)).collect();
    let params: Vec<Value> = types.into_iter().map(|ty| func.add_param(before, ty)).collect();
    let target = to(header, &params);
    func.append(before, InstData::Jump { target }, Flags::empty());
    let mut exits = Vec::new();
    let mut layout = Vec::with_capacity(func.layout.len() + 2);
    for block in std::mem::take(&mut func.layout) {
        if !loops.contains(index, block) {
            layout.push(block);
            func.retarget(block, header, before);
            continue;
        }
        if block == header {
            layout.push(before);
        }
        layout.push(block);
        let mut data = func.terminator(block).clone();
        for target in data.targets_mut() {
            if !loops.contains(index, target.block) {
                let exit = func.add_detached_block();
                let target = std::mem::replace(target, to(exit, &[]));
                func.append(exit, InstData::Jump { target }, Flags::empty());
                exits.push((block, exit));
                layout.push(exit);
            }
        }
        *func.terminator_mut(block) = data;
    }
    func.layout = layout;
    (before, exits)
}
