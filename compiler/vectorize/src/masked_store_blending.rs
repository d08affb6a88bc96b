//! Stores of which the lanes that are off may as well write what is there: the gang loads, chooses, and stores whole vectors, which takes a
//! fraction of the time of a store under a mask.
//!
//! The addresses of lanes that are off must be good, and nobody else may write there meanwhile. In private memory that goes without saying.
//! As to local memory, a work-group runs on one thread; it is enough that all lanes have accessed the place before, however long ago, as in
//! `sums[me] = x; barrier(); if (me < n) sums[me] += sums[me + n];`. In global memory the language calls it a race if another work-item writes
//! `a[i]` without a fence or an atomic operation between the two. But programs do such things, graph algorithms above all, and get away with it everywhere. So there, ids alone
//! must tell where the kernel writes: then each work-item has places of its own, whatever the data.

use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::effort::PLACES;

/// Where memory is: the address, and the bytes accessed.
type Place = (Address, u32);

/// For stores of this kind, the access before.
pub type Owned = FxHashMap<Inst, Inst>;

/// Finds them. Not in global memory where work-items run twice (`some_twice`): one of two would write back what it has read after the other has gone on.
pub fn owned(func: &Function, cfg: &Cfg, some_twice: bool) -> Owned {
    let counts = |mem: &MemInfo| counts(mem) && !(some_twice && mem.space == Space::Global);
    let mut found = Owned::default();
    let mut global = false;
    let mut at_end: SecondaryMap<Block, FxHashMap<Place, Inst>> = SecondaryMap::new();
    for &block in &cfg.order {
        let mut known = match (&cfg.preds[block], cfg.immediate_dominator(block)) {
            (&[before], _) if cfg.position[before] < cfg.position[block] => at_end[before].clone(),
            (_, Some(above)) => {
                let mut known = at_end[above].clone();
                keep_local(func, &mut known);
                known
            }
            _ => FxHashMap::default(),
        };
        for &inst in &func.block(block).insts {
            let data = &func.inst(inst).data;
            match data {
                InstData::Load { ty, address, mem, .. } if counts(mem) && known.len() < PLACES => {
                    known.entry((*address, ty.elem.bytes())).or_insert(inst);
                }
                InstData::Store { value, address, mem, .. } if counts(mem) => {
                    let place = (*address, func.ty(*value).elem.bytes());
                    if let Some(&before) = known.get(&place) {
                        found.insert(inst, before);
                        global |= mem.space == Space::Global;
                    } else if known.len() < PLACES {
                        known.insert(place, inst);
                    }
                }
                InstData::Load { .. } | InstData::Store { .. } | InstData::Image { .. } => {}
                _ if data.is_terminator() => {}
                _ if data.has_side_effects() || data.is_convergent() => keep_local(func, &mut known),
                _ => {}
            }
        }
        at_end[block] = known;
    }
    if global {
        let origins = Origins::new(func, cfg);
        let alone = origins.ids_tell_where(func);
        found.retain(|&store, _| match &func.inst(store).data {
            InstData::Store { address, mem, .. } => mem.space == Space::Local || alone && origins.of(address).contains(Origin::ID),
            _ => false,
        });
    }
    found
}

/// Others may have written in between: that matters to memory that other threads see.
fn keep_local(func: &Function, known: &mut FxHashMap<Place, Inst>) {
    known.retain(|_, before| match &func.inst(*before).data {
        InstData::Load { mem, .. } | InstData::Store { mem, .. } => mem.space == Space::Local,
        _ => false,
    });
}

fn counts(mem: &MemInfo) -> bool {
    !mem.flags.contains(MemFlags::VOLATILE) && matches!(mem.space, Space::Global | Space::Local)
}

bitflags::bitflags! {
    /// What a value is computed from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Origin: u8 {
        /// Ids that differ from one work-group to the next.
        const ID = 1;
        /// Memory, or what else is in no argument.
        const DATA = 2;
    }
}

/// What values are computed from; what only decides about them does not count.
struct Origins(SecondaryMap<Value, Origin>);

impl Origins {
    fn new(func: &Function, cfg: &Cfg) -> Origins {
        let mut this = Origins(func.per_value(Origin::default()));
        loop {
            let mut changed = false;
            let mut join = |map: &mut SecondaryMap<Value, Origin>, value: Value, origin: Origin| {
                changed |= !map[value].contains(origin);
                map[value] |= origin;
            };
            for &block in &cfg.order {
                for &inst in &func.block(block).insts {
                    let node = func.inst(inst);
                    let mut origin = match &node.data {
                        InstData::Builtin {
                            builtin: Builtin::GlobalId | Builtin::GlobalLinearId | Builtin::GroupId,
                            ..
                        } => Origin::ID,
                        // The kernel's arguments are the same for all.
                        InstData::Load { .. } if func.argument(node.results[0]).is_some() => Origin::empty(),
                        InstData::Load { .. } | InstData::CallRuntime { .. } | InstData::Image { .. } => Origin::DATA,
                        data if data.reads_memory() => Origin::DATA,
                        _ => Origin::empty(),
                    };
                    if !node.data.is_terminator() {
                        node.data.for_each_operand(|&value| origin |= this.0[value]);
                    }
                    for &result in &node.results {
                        join(&mut this.0, result, origin);
                    }
                }
                for call in func.terminator(block).targets() {
                    for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                        let origin = this.0[arg];
                        join(&mut this.0, param, origin);
                    }
                }
            }
            if !changed {
                return this;
            }
        }
    }

    fn of(&self, address: &Address) -> Origin {
        self.0[address.base] | address.index.map_or(Origin::empty(), |index| self.0[index])
    }

    /// No data decides where the kernel writes memory that others see.
    fn ids_tell_where(&self, func: &Function) -> bool {
        func.insts().all(|inst| match &func.inst(inst).data {
            InstData::Store { address, mem, .. } => {
                matches!(mem.space, Space::Local | Space::Private) || !self.of(address).contains(Origin::DATA)
            }
            InstData::Copy { to, to_mem, .. } => {
                matches!(to_mem.space, Space::Local | Space::Private) || !self.0[*to].contains(Origin::DATA)
            }
            InstData::AtomicStore { mem, .. } | InstData::AtomicRmw { mem, .. } | InstData::AtomicCas { mem, .. } => {
                mem.space == Space::Local
            }
            InstData::Call { .. } => false,
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// How many stores of a kernel are of this kind.
    fn count(text: &str) -> usize {
        count_where(text, false)
    }

    fn count_where(text: &str, some_twice: bool) -> usize {
        let func = parse_function(text).expect("the test's text is IR");
        owned(&func, &Cfg::new(&func), some_twice).len()
    }

    /// `if (a[i] > 5) a[i] = 5;`
    const CLAMP: &str = "
function workitem @clamp {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = const.i32 5
  v4 = load.i32 global align 4 [v1 + v2 * 4]
  v5 = icmp.ugt v4, v3
  branch v5, block1, block2
block1:
  store v3, global align 4 [v1 + v2 * 4]
  jump block3
block2:
  jump block3
block3:
  return
}";

    #[test]
    fn what_a_work_item_has_read_it_may_write() {
        assert_eq!(count(CLAMP), 1);
        assert_eq!(
            count(&CLAMP.replace(
                "store v3, global align 4 [v1 + v2 * 4]",
                "store v3, global align 4 [v1 + v2 * 4 + 4]"
            )),
            0
        );
        assert_eq!(count(&CLAMP.replace("global align", "local align")), 1);
        assert_eq!(count(&CLAMP.replace("global align 4 [v1", "global align 4 volatile [v1")), 0);
    }

    #[test]
    fn others_may_have_written_after_a_fence() {
        let fenced = CLAMP.replace("block1:\n", "block1:\n  fence acq_rel device\n");
        assert_eq!(count(&fenced), 0);
        assert_eq!(count(&fenced.replace("global align", "local align")), 1);
    }

    #[test]
    fn who_runs_twice_may_have_written_meanwhile() {
        assert_eq!(count_where(CLAMP, true), 0);
        assert_eq!(count_where(&CLAMP.replace("global align", "local align"), true), 1);
    }

    #[test]
    fn data_that_tell_where_to_write_may_lead_to_the_same_place() {
        // A mark in another place, found by what was read.
        let marked = CLAMP.replace(
            "  jump block3\nblock2",
            "  store v3, global align 4 [v1 + v4 * 4]\n  jump block3\nblock2",
        );
        assert_eq!(count(&marked), 0);
        let row = CLAMP.replace("v4 = load.i32 global align 4 [", "v4 = load.i32 global align 4 invariant [");
        assert_eq!(count(&row), 1);
        assert_eq!(
            count(&row.replace("[v1 + v2 * 4]\n  jump block3\nblock2", "[v1 + v4 * 4]\n  jump block3\nblock2")),
            0
        );
        let local = CLAMP.replace(
            "  jump block3\nblock2",
            "  store v3, local align 4 [v1 + v4 * 4]\n  jump block3\nblock2",
        );
        assert_eq!(count(&local), 1);
        // Flags that all groups share.
        assert_eq!(count(&CLAMP.replace("builtin global_id 0", "builtin local_id 0")), 0);
        assert_eq!(
            count(
                &CLAMP
                    .replace("builtin global_id 0", "builtin local_id 0")
                    .replace("global align", "local align")
            ),
            1
        );
    }
}
