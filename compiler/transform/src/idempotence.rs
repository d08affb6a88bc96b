//! Kernels whose work-items may run twice, and nobody can tell.
//!
//! Where the groups of a launch don't divide it, the last ones stick out. They can be moved back to where the launch ends, over work-items that others have run or
//! run meanwhile: then all groups are full, and no lane has to be masked (what is written by hand for the rest of an array does the same with its last vector). It
//! takes that a work-item computes the same again: that it only loads what no work-item stores, and does nothing else that can be seen.

use analysis::access::objects::{Object, Places};
use ir::*;

/// Does each work-item do the same when it runs again, or meanwhile? If buffers don't overlap: `is_buffer` says which arguments, by their offsets, point to them.
/// With `writes_images`, images that it writes are none that it reads.
pub fn is_idempotent(func: &Function, is_buffer: impl Fn(i32) -> bool, writes_images: bool) -> bool {
    let order = cfg::reverse_postorder(func);
    let is_object = |object| match object {
        Object::Argument(argument) => is_buffer(argument),
        _ => true,
    };
    let places = Places::new(func, &order, is_object);
    let object = |address: &Address| places.object(address.base);
    let (mut loaded, mut stored) = (Vec::new(), Vec::new());
    for inst in func.insts_of(&order) {
        match &func.inst(inst).data {
            InstData::Load { mem, .. } | InstData::Store { mem, .. } if mem.is_volatile() => return false,
            InstData::Load { mem, .. } | InstData::Store { mem, .. } if mem.space == Space::Private => {}
            InstData::Load { address, mem, .. } if mem.may_be_changed(Space::Global, UNPROMISED) => loaded.push(object(address)),
            InstData::Load { .. } => {}
            InstData::Store { address, .. } => match object(address) {
                Some(Object::Slot(_)) => {}
                Some(Object::Argument(argument)) => stored.push(argument),
                _ => return false,
            },
            InstData::Image { op, .. } if op.is_write() && writes_images => {}
            data if data.has_side_effects() && !data.is_terminator() => return false,
            _ => {}
        }
    }
    let is_stored = |&object: &Option<Object>| match object {
        Some(Object::Argument(argument)) => stored.contains(&argument),
        Some(_) => false,
        None => !stored.is_empty(),
    };
    !loaded.iter().any(is_stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// Of a kernel with buffers `v1` and `v2`, a number `v3` and the id `v4`.
    fn with(lines: &str) -> bool {
        let text = format!(
            "function workitem @k {{
  slot0: 64 align 4
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = builtin global_id 0
  v5 = slot_address slot0
{lines}
  return
}}"
        );
        let func = parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        is_idempotent(&func, |argument| argument < 16, false)
    }

    #[test]
    fn what_is_stored_is_not_loaded() {
        assert!(with(
            "  v6 = load.f32 global align 4 [v1 + v4 * 4]\n  store v6, global align 4 [v2 + v3 * 4]"
        ));
        assert!(with(
            "  store v4, global align 8 [v2 + v4 * 8]\n  store v3, global align 8 [v2 + v4 * 8]"
        ));
        assert!(with(
            "  v6 = load.f32 constant align 4 [v3]\n  store v6, private align 4 [v5]\n  v7 = load.f32 private align 4 [v5]\n  store v7, global align 4 [v1]"
        ));
    }

    #[test]
    fn what_is_changed_is_not_the_same_again() {
        // In place, by a pointer that nobody knows, and to a place that nobody knows.
        assert!(!with(
            "  v6 = load.f32 global align 4 [v1 + v4 * 4]\n  store v6, global align 4 [v1 + v3 * 4]"
        ));
        assert!(!with(
            "  v6 = load.i64 global align 8 [v1]\n  v7 = load.f32 global align 4 [v6]\n  store v7, global align 4 [v2]"
        ));
        assert!(!with("  v6 = load.i64 global align 8 [v1]\n  store v4, global align 8 [v6]"));
    }

    #[test]
    fn what_is_done_once_is_not_done_again() {
        assert!(!with("  v6 = atomic_rmw.add v4, relaxed device global align 8 [v1]"));
        assert!(!with("  v6 = load.f32 global align 4 volatile [v1]"));
        assert!(!with("  store v4, global align 8 volatile [v1]"));
    }
}
