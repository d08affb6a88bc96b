//! Local memory of a work-item that is a group by itself: nobody else sees it, so it is private memory.
//!
//! ```c
//! local uint salt[16];
//! for (uint i = get_local_id(0); i < 16; i += get_local_size(0))
//!     salt[i] = salts[i];
//! barrier(CLK_LOCAL_MEM_FENCE);
//! ```
//!
//! As private memory it is promoted, laid out lane by lane, or shared by the lanes of a gang, as other private memory is. It must be seen of each access where it
//! goes: a pointer that is stored, compared or handed on keeps all of it where it is, and so does one that comes from an argument, whose size nobody
//! knows before the launch.

use analysis::access::objects::Places;
use ir::cfg::Cfg;
use ir::*;

/// The kernel, or something else, knows where local memory is.
pub fn is_used(func: &Function) -> bool {
    func.insts().any(|inst| is_local_memory(func, inst))
}

fn is_local_memory(func: &Function, inst: Inst) -> bool {
    matches!(func.inst(inst).data, InstData::Builtin { builtin, .. } if builtin == Builtin::LocalMemory)
}

/// Could [`run`] do it?
pub fn can_be_own(func: &Function, bytes: u64) -> bool {
    bytes != 0 && bytes <= target::costs::memory::OWN_LOCAL && run(&mut func.clone(), bytes)
}

/// Makes the function's local memory, variables of so many bytes, a slot. False if it can't be; then the function is of no use.
pub fn run(func: &mut Function, bytes: u64) -> bool {
    let Ok(size) = u32::try_from(bytes) else { return false };
    let slot = func.slots.push(SlotData { size, align: 1 });
    for inst in func.insts().collect::<Vec<_>>() {
        if is_local_memory(func, inst) {
            func.replace(inst, InstData::SlotAddress { slot });
        }
    }
    let cfg = Cfg::new(func);
    let places = Places::in_slots(func, &cfg.order);
    let mut align = 1;
    for &block in &cfg.order {
        for inst in func.block(block).insts.clone() {
            if !is_followed(func, inst, &places, slot) {
                return false;
            }
            let of_slot = bases(&func.inst(inst).data).map(|base| base.and_then(|base| places.slot(base)) == Some(slot));
            for (mem, of_slot) in func.inst_mut(inst).data.memory_mut().into_iter().zip(of_slot) {
                match (of_slot, mem.space) {
                    (true, _) => {
                        mem.space = Space::Private;
                        align = align.max(mem.align.bytes());
                    }
                    (false, Space::Local) => return false,
                    (false, _) => {}
                }
            }
        }
    }
    func.slots[slot].align = align;
    true
}

/// Where plain accesses go, in the order of [`InstData::memory`].
fn bases(data: &InstData) -> [Option<Value>; 2] {
    match data {
        InstData::Load { address, .. } | InstData::Store { address, .. } => [Some(address.base), None],
        InstData::Copy { to, from, .. } => [Some(*to), Some(*from)],
        _ => [None; 2],
    }
}

/// Wherever the instruction takes an address in the slot, an access goes there, or it is seen what it gives.
fn is_followed(func: &Function, inst: Inst, places: &Places, slot: Slot) -> bool {
    let node = func.inst(inst);
    let inside = |value: Value| places.slot(value) == Some(slot);
    match &node.data {
        InstData::Load { address, .. } => !address.index.is_some_and(inside),
        InstData::Store { value, address, .. } => !inside(*value) && !address.index.is_some_and(inside),
        InstData::Copy { bytes, .. } => !inside(*bytes),
        InstData::Binary { .. } | InstData::Select { .. } => inside(node.results[0]) || !node.data.any_operand(|&value| inside(value)),
        InstData::Jump { .. } | InstData::Branch { .. } | InstData::Switch { .. } => {
            let mut followed = true;
            node.data.for_each_target(|target| {
                let params = func.block(target.block).params.iter();
                followed &= params.zip(&target.args).all(|(&param, &arg)| inside(param) || !inside(arg));
            });
            followed
        }
        data => !data.any_operand(|&value| inside(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// Whether the local memory of a kernel with these lines can be its own.
    fn is_own(lines: &[&str]) -> bool {
        let text = format!(
            "function workitem @f {{\nblock0:\n  v0 = builtin local_memory\n  v1 = const.i64 4\n  v2 = builtin arguments\n  {}\n  return\n}}\n",
            lines.join("\n  ")
        );
        can_be_own(&parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), 64)
    }

    #[test]
    fn what_is_loaded_and_stored_can_be_own() {
        assert!(is_own(&["v3 = load.i64 local align 8 [v0 + 8]"]));
        assert!(is_own(&["v3 = add v0, v1", "v4 = load.i64 generic align 4 [v3 + v1 * 4]"]));
        assert!(is_own(&["store v1, local align 8 volatile [v0]"]));
    }

    #[test]
    fn what_is_seen_elsewhere_stays() {
        for lines in [
            &["store v0, global align 8 [v2]"][..],
            &["v3 = add v0, v1", "store v3, local align 8 [v0]"],
            &["v3 = icmp.eq v0, v1"],
            &["v3 = mul v0, v1", "v4 = load.i64 local align 8 [v3]"],
            &["v3 = load.i64 constant align 8 [v2]", "v4 = load.i64 local align 8 [v3]"],
            &["v3 = atomic_rmw.add v1, relaxed work_group local align 8 [v0]"],
        ] {
            assert!(!is_own(lines), "{lines:?}");
        }
    }
}
