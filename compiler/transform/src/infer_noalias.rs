//! Buffers of a launch that don't overlap are as if `restrict` had been written.
//!
//! Most programs don't promise that what a kernel stores is not what it loads, and at the launch it is plain that it is not. Accesses whose
//! address is made of one argument that is a pointer get an alias set for that argument; those of which nobody knows where they come from
//! may touch all.

use analysis::Flow;
use analysis::access::objects::{Object, Places};
use analysis::tallies::is_free;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::CACHE_LINE;
use target::costs::effort::PLACES;

/// It is worth knowing: buffers of which nothing is promised may have tallies, or a loop stores to them, or what is stored to them stands between
/// loads of neighbours, or loads between stores of neighbours.
pub fn is_wanted(func: &Function, flow: &Flow) -> bool {
    if func.insts().any(|inst| is_free(&func.inst(inst).data)) {
        return true;
    }
    let stores = |inst: Inst| matches!(func.inst(inst).data, InstData::Store { mem, .. } if mem.alias == UNPROMISED);
    if !func.insts().any(stores) {
        return false;
    }
    if func.layout.iter().any(|&block| parts_neighbours(func, block)) {
        return true;
    }
    let loops = flow.loops();
    func.insts_of(flow.cfg.order.iter().filter(|&&block| loops.depth(block) > 0))
        .any(stores)
}

/// The block accesses a place, then what may be anywhere in the other way (a load parts stores, a store loads), and then a place beside the
/// first one, or loads the same again.
fn parts_neighbours(func: &Function, block: Block) -> bool {
    struct Seen {
        address: Address,
        is_store: bool,
        is_parted: bool,
    }
    let mut seen: Vec<Seen> = Vec::new();
    func.block(block).insts.iter().any(|&inst| {
        let (address, is_store) = match func.inst(inst).data {
            InstData::Store { address, mem, .. } if mem.alias == UNPROMISED => (address, true),
            InstData::Load { address, mem, .. } if mem.alias == UNPROMISED => (address, false),
            _ => return false,
        };
        let is_beside = |other: &Address| {
            let in_its_place = Address {
                offset: address.offset,
                ..*other
            };
            let apart = other.offset.abs_diff(address.offset);
            in_its_place == address && apart < CACHE_LINE && (apart > 0 || !is_store)
        };
        let found = seen
            .iter()
            .any(|other| other.is_store == is_store && other.is_parted && is_beside(&other.address));
        for other in seen.iter_mut().filter(|other| other.is_store != is_store) {
            other.is_parted = true;
        }
        if seen.len() < PLACES {
            seen.push(Seen {
                address,
                is_store,
                is_parted: false,
            });
        }
        found
    })
}

/// Gives accesses their sets. `sets` has them by the arguments' offsets. True if there were some.
pub fn run(func: &mut Function, sets: &FxHashMap<i32, AliasSet>) -> bool {
    // Numbers among the arguments are distances.
    let order = cfg::reverse_postorder(func);
    let places = Places::new(
        func,
        &order,
        |object| matches!(object, Object::Argument(argument) if sets.contains_key(&argument)),
    );
    let set_of = |base: Value| match places.object(base) {
        Some(Object::Argument(argument)) => sets[&argument],
        _ => 0,
    };
    let mut changed = false;
    for block in func.layout.clone() {
        for inst in func.block(block).insts.clone() {
            let set = match &func.inst(inst).data {
                InstData::Load { address, mem, .. } | InstData::Store { address, mem, .. } if mem.alias == UNPROMISED => {
                    set_of(address.base)
                }
                InstData::AtomicRmw { address, mem, .. } if mem.alias == UNPROMISED => set_of(*address),
                _ => 0,
            };
            for mem in func.inst_mut(inst).data.memory_mut() {
                if mem.alias == UNPROMISED {
                    mem.alias = set;
                    changed = true;
                }
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn accesses_are_told_apart_by_their_arguments() {
        let text = "
function workitem @k {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = builtin global_id 0
  v5 = const.i64 4
  jump block1
block1:
  v6 = add v1, v4
  v7 = load.f32 global align 4 alias 1 [v6 + v4 * 4]
  v8 = load.i64 global align 8 alias 1 [v2]
  v9 = load.f32 global align 4 alias 1 [v8]
  v10 = add v8, v3
  store v9, global align 4 alias 1 [v10]
  v11 = sub v1, v2
  v13 = add v1, v3
  store v7, global align 4 alias 1 [v13]
  store v7, global align 4 alias 1 [v11]
  store v7, global align 4 alias 1 [v2 + 4]
  v12 = icmp.eq v8, v5
  branch v12, block1, block2
block2:
  return
}";
        let mut func = parse_function(text).expect("the test's text is IR");
        assert!(is_wanted(&func, &Flow::new(&func)));
        // The third argument is a number.
        let sets = [(0, 20), (8, 21)].into_iter().collect();
        assert!(run(&mut func, &sets));
        let text = func.to_string();
        for line in [
            "v7 = load.f32 global align 4 alias 20 [v6",
            "v8 = load.i64 global align 8 alias 21 [v2]",
            "v9 = load.f32 global align 4 [v8]",
            "store v9, global align 4 [v10]",
            "store v7, global align 4 [v11]",
            "store v7, global align 4 alias 20 [v13]",
            "store v7, global align 4 alias 21 [v2 + 4]",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn stores_between_neighbours_are_worth_it() {
        let text = "
function workitem @planes {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = load.i8 global align 1 alias 1 [v1 + v3 * 2]
  store v4, global align 1 alias 1 [v2 + v3 * 1]
  v5 = load.i8 global align 1 alias 1 [v1 + v3 * 2 + 1]
  store v5, global align 1 alias 1 [v2 + v3 * 1 + 100]
  return
}";
        let wanted = |text: &str| {
            let func = parse_function(text).expect("the test's text is IR");
            is_wanted(&func, &Flow::new(&func))
        };
        assert!(wanted(text));
        assert!(!wanted(&text.replace(
            "v5 = load.i8 global align 1 alias 1 [v1 + v3 * 2 + 1]",
            "v5 = load.i8 global align 1 alias 1 [v1]"
        )));
        assert!(!wanted(
            &text.replace("store v4, global align 1 alias 1", "store v4, global align 1 alias 7")
        ));
    }

    /// Whether a kernel of one block with these accesses is worth the question.
    fn wants(accesses: &str) -> bool {
        let text = format!(
            "
function workitem @k {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
{accesses}
  return
}}"
        );
        let func = parse_function(&text).expect("the test's text is IR");
        is_wanted(&func, &Flow::new(&func))
    }

    #[test]
    fn neighbours_apart_are_worth_it() {
        let loads = |second: &str| {
            wants(&format!(
                "  v4 = load.f32 global align 4 alias 1 [v1 + v3 * 8]
  store v4, global align 4 alias 1 [v2 + v3 * 4]
  v5 = load.f32 global align 4 alias 1 [v1 + v3 * 8{second}]
  store v5, global align 4 alias 1 [v2]"
            ))
        };
        assert!(loads(" + 4") && loads(""));
        let stores = |second: &str| {
            wants(&format!(
                "  v4 = load.f32 global align 4 alias 1 [v1 + v3 * 4]
  store v4, global align 4 alias 1 [v2 + v3 * 8]
  v5 = load.f32 global align 4 alias 1 [v1 + v3 * 4 + 4]
  store v5, global align 4 alias 1 [v2 + v3 * 8{second}]"
            ))
        };
        assert!(stores(" + 4"));
        // One place, written twice, is no record; nor are loads with no store between.
        assert!(!wants(
            "  v4 = load.f32 global align 4 alias 1 [v1 + v3 * 8]
  v5 = load.f32 global align 4 alias 1 [v1 + v3 * 8 + 4]
  v6 = fadd v4, v5
  store v6, global align 4 alias 1 [v2 + v3 * 4]"
        ));
    }
}
