//! Regions between barriers, and what lives across them.

use super::{form, form_all};

/// `if (id >= n) return; local[lid] = a[id]; barrier; for (k…) { barrier; … }` with values that live across.
const BARRIERS: &str = "
function workitem @barriers {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = builtin local_id 0
  v5 = builtin local_memory
  v6 = icmp.uge v3, v2
  branch v6, block5, block1
block1:
  v7 = load.f32 global align 4 [v1 + v3 * 4]
  store v7, local align 4 [v5 + v4 * 4]
  barrier work_group acq_rel work_group
  v8 = const.i64 0
  jump block2(v8, v7)
block2(v9: i64, v10: f32):
  v11 = icmp.ult v9, v2
  branch v11, block3, block4(v10)
block3:
  v12 = load.f32 local align 4 [v5 + v9 * 4]
  v13 = fadd v10, v12
  barrier work_group acq_rel work_group
  store v13, local align 4 [v5 + v4 * 4]
  barrier work_group acq_rel work_group
  v14 = const.i64 1
  v15 = add v9, v14
  jump block2(v15, v13)
block4(v16: f32):
  store v16, global align 4 [v1 + v3 * 4]
  jump block5
block5:
  return
}";

#[test]
fn barriers_cut_regions() {
    form_all(BARRIERS);
    let text = form(BARRIERS, 8, [64, 1, 1], true);
    assert!(!text.contains("barrier work"), "{text}");
    // What a region finds in the gang's frame and leaves as it is stays there.
    for line in text.lines().filter(|line| line.contains("load.f32x8 private")) {
        let loaded = line.split_whitespace().next().expect("a value");
        assert!(!text.contains(&format!("store {loaded}, private")), "{loaded}\n{text}");
    }
}

/// A barrier under a condition that only the data fixes: gangs may part.
const PARTED: &str = "
function workitem @parted {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v3 = builtin global_id 0
  v4 = load.i32 global align 4 [v1 + v3 * 4]
  v5 = const.i32 0
  v6 = icmp.eq v4, v5
  branch v6, block1, block2
block1:
  barrier work_group acq_rel work_group
  jump block3
block2:
  barrier work_group acq_rel work_group
  jump block3
block3:
  store v4, global align 4 [v1 + v3 * 4]
  return
}";

#[test]
fn gangs_that_part_at_barriers_remember_where_they_are() {
    form_all(PARTED);
    let text = form(PARTED, 8, [64, 1, 1], true);
    assert!(text.contains("switch"), "{text}");
}

/// A sum over a tree: `for (s = 32; s; s /= 2) { barrier; if (l < s) t[l] += t[l + s]; }`
const TREE: &str = "
function workitem @tree {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin local_memory
  v3 = builtin local_id 0
  v4 = const.i64 32
  v5 = const.i64 0
  v6 = const.i64 1
  jump block1(v4)
block1(v7: i64):
  barrier work_group acq_rel work_group
  v8 = icmp.ult v3, v7
  branch v8, block2, block3
block2:
  v9 = add v3, v7
  v10 = load.f32 local align 4 [v2 + v9 * 4]
  v11 = load.f32 local align 4 [v2 + v3 * 4]
  v12 = fadd v10, v11
  store v12, local align 4 [v2 + v3 * 4]
  jump block4
block3:
  jump block4
block4:
  v13 = lshr v7, v6
  v14 = icmp.eq v13, v5
  branch v14, block5, block6
block6:
  jump block1(v13)
block5:
  v15 = icmp.eq v3, v5
  branch v15, block7, block8
block7:
  v16 = load.f32 local align 4 [v2]
  store v16, global align 4 [v1]
  jump block9
block8:
  jump block9
block9:
  return
}";

#[test]
fn gangs_that_part_between_barriers_only_keep_nothing_in_memory() {
    form_all(TREE);
    let text = form(TREE, 8, [64, 1, 1], true);
    assert!(!text.contains(" private "), "{text}");
    assert!(text.contains("load.f32x8 local align 4"), "{text}");
}

#[test]
fn what_all_groups_share_is_made_once_before_them() {
    let text = form(TREE, 8, [64, 1, 1], true);
    // The group's number, and the tree's level on its way from block to block; nothing of the arguments.
    let heads = text
        .lines()
        .filter(|line| line.starts_with("block") && !line.starts_with("block0("));
    let carried: usize = heads.map(|line| line.matches(": i64").count()).sum();
    assert!(carried <= 6, "{text}");
}
