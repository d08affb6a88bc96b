//! Lanes that part, and lanes that stay together: masks, ways around, copies for full gangs, loops.

use super::{form, form_all};

/// `if (id < n && id != 0) a[id] += a[id - 1];`, the id being an `int`.
const GUARD: &str = "
function workitem @guard {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = trunc.i32 v3 rte
  v5 = icmp.slt v4, v2
  v6 = const.i32 0
  v7 = icmp.ne v4, v6
  v8 = and v5, v7
  branch v8, block1, block2
block1:
  v9 = load.f32 global align 4 [v1 + v4 * 4]
  v10 = load.f32 global align 4 [v1 + v4 * 4 - 4]
  v11 = fadd v9, v10
  store v11, global align 4 [v1 + v4 * 4]
  jump block3
block2:
  jump block3
block3:
  return
}";

#[test]
fn guarded_code_is_there_without_masks_too() {
    form_all(GUARD);
    let text = form(GUARD, 8, [64, 1, 1], true);
    // Twice in each of four gangs that go together, and in one that goes alone.
    assert_eq!(text.matches("load.f32x8").count(), 2 * 4 + 2 + 2, "{text}");
    assert_eq!(text.matches("] mask").count(), 3, "{text}");
    // A group that is cut off has masks anyway.
    let text = form(GUARD, 8, [64, 1, 1], false);
    assert_eq!(text.matches("load.f32x8").count(), 2, "{text}");
}

/// `if (id < n) a[id] = b[id]; else a[id] = 7;`
const TWO_SIDES: &str = "
function workitem @two_sides {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = icmp.ult v3, v2
  branch v4, block1, block2
block1:
  v5 = load.i32 global align 4 [v1 + v3 * 4 + 4096]
  store v5, global align 4 [v1 + v3 * 4]
  jump block3
block2:
  v6 = const.i32 7
  store v6, global align 4 [v1 + v3 * 4]
  jump block3
block3:
  return
}";

#[test]
fn both_sides_of_a_branch_are_there_without_masks_too() {
    form_all(TWO_SIDES);
    // One gang, so that none is run at once with others.
    let text = form(TWO_SIDES, 8, [8, 1, 1], true);
    let stores: Vec<&str> = text.lines().filter(|line| line.contains("  store ")).collect();
    let masked = stores.iter().filter(|line| line.contains(" mask ")).count();
    assert_eq!((stores.len(), masked), (4, 2), "{text}");
}

/// `for (i = id; i < n; i += 64) a[i] = 7;`, rotated and not.
fn grid_stride(rotated: bool) -> String {
    let (entry, header) = if rotated {
        (
            "  v5 = icmp.slt v3, v2\n  branch v5, block7, block4\nblock7:\n  jump block1(v3)\n",
            "  jump block2\nblock2:\n  store v6, global align 4 [v1 + v7 * 4]\n  v8 = add v7, v4 !nsw\n  v9 = icmp.slt v8, v2\n  branch v9, block3, block5\n",
        )
    } else {
        (
            "  jump block1(v3)\n",
            "  v9 = icmp.slt v7, v2\n  branch v9, block2, block5\nblock2:\n  store v6, global align 4 [v1 + v7 * 4]\n  v8 = add v7, v4 !nsw\n  jump block3\n",
        )
    };
    format!(
        "
function workitem @grid_stride {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = const.i64 64
  v6 = const.i32 7
{entry}block1(v7: i64):
{header}block3:
  jump block1(v8)
block4:
  jump block6
block5:
  jump block6
block6:
  return
}}"
    )
}

#[test]
fn loops_have_no_masks_for_as_long_as_all_lanes_go_on() {
    for rotated in [true, false] {
        let text = grid_stride(rotated);
        form_all(&text);
        let text = form(&text, 8, [8, 1, 1], true);
        let stores: Vec<&str> = text.lines().filter(|line| line.contains("  store ")).collect();
        let masked = stores.iter().filter(|line| line.contains(" mask ")).count();
        assert!(masked > 0 && masked < stores.len(), "{text}");
        // A group that is cut off has masks anyway.
        assert!(!form(&grid_stride(rotated), 8, [8, 1, 1], false).contains("all_true"));
    }
}

/// `if (id < n) a[id] = 1; else a[id] = 2;` and a divergent loop.
const DIVERGE: &str = "
function workitem @diverge {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = icmp.ult v3, v2
  v5 = const.i32 0
  branch v4, block1, block2
block1:
  v6 = const.i32 1
  jump block3(v6)
block2:
  v7 = const.i32 2
  jump block3(v7)
block3(v8: i32):
  store v8, global align 4 [v1 + v3 * 4]
  jump block4(v5, v3)
block4(v9: i32, v10: i64):
  v11 = const.i64 1
  v12 = icmp.ugt v10, v11
  branch v12, block5, block6(v9)
block5:
  v13 = lshr v10, v11
  v14 = const.i32 1
  v15 = add v9, v14
  jump block4(v15, v13)
block6(v16: i32):
  store v16, global align 4 [v1 + v3 * 4]
  return
}";

#[test]
fn divergent_flow_becomes_masks() {
    form_all(DIVERGE);
    let text = form(DIVERGE, 8, [64, 1, 1], true);
    assert!(text.contains("lane any_true mask"), "{text}");
    assert!(text.contains("select v"), "{text}");
}

/// A rare lane asks the mathematics library.
const RARELY: &str = "
function workitem @rarely {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.f64 global align 8 [v1 + v2 * 8]
  v4 = const.f64 0x41d0000000000000
  v5 = fcmp.ogt v3, v4
  branch v5, block1, block2(v3)
block1:
  v6 = call_runtime sin.f64(v3)
  jump block2(v6)
block2(v7: f64):
  store v7, global align 8 [v1 + v2 * 8]
  return
}";

#[test]
fn what_is_done_lane_by_lane_is_jumped_around() {
    form_all(RARELY);
    let text = form(RARELY, 8, [64, 1, 1], true);
    let jump = text.find("lane any_true mask").unwrap_or(usize::MAX);
    assert!(jump < text.find("call_runtime").unwrap(), "{text}");
}

#[test]
fn cold_blocks_stay_cold() {
    let cold = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("block") && line.contains(" cold"))
            .count()
    };
    assert_eq!(cold(&form(RARELY, 8, [64, 1, 1], true)), 0);
    assert_eq!(cold(&form(&RARELY.replace("block1:", "block1 cold:"), 8, [64, 1, 1], true)), 1);
}

/// What is cold is jumped around (once loops have been rewritten, until when selects are called rare), even if it is so little that it would be done under
/// masks elsewhere.
#[test]
fn little_that_is_cold_is_jumped_around() {
    let little = RARELY
        .replace("call_runtime sin.f64(v3)", "fmul v3, v3\n  v8 = fadd v6, v3\n  v9 = fmul v8, v6")
        .replace("block2(v6)", "block2(v9)");
    assert!(!form(&little, 8, [64, 1, 1], true).contains("!rare"));
    let cold = little.replace("block1:", "block1 cold:");
    form_all(&cold);
    assert!(form(&cold, 8, [64, 1, 1], true).contains("!rare"));
    let less = cold.replace("\n  v9 = fmul v8, v6", "").replace("block2(v9)", "block2(v8)");
    assert!(!form(&less, 8, [64, 1, 1], true).contains("!rare"));
    let long = less.replace("fadd v6, v3", "fdiv v6, v3");
    form_all(&long);
    assert!(form(&long, 8, [64, 1, 1], true).contains("!rare"), "a quotient takes long");
}

#[test]
fn ids_are_compared_by_lane_numbers() {
    let text = "
function workitem @edge {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = icmp.ult v3, v2
  v5 = load.f32 global align 4 [v1 + v3 * 4]
  v6 = const.f32 0x0
  v7 = select v4, v5, v6
  store v7, global align 4 [v1 + v3 * 4]
  return
}";
    form_all(text);
    let text = form(text, 8, [64, 1, 1], true);
    assert!(text.contains("icmp.slt") && !text.contains("i64x8"), "{text}");
}

/// `for (j = l; j < 128; j += local_size) t[j] = 0;`
const CLEAR: &str = "
function workitem @clear {
block0:
  v0 = builtin local_memory
  v1 = builtin local_id 0
  v2 = builtin local_size 0
  v3 = const.i64 128
  v4 = const.i32 0
  jump block1(v1)
block1(v5: i64):
  store v4, local align 4 [v0 + v5 * 4]
  v6 = add v5, v2
  v7 = icmp.ult v6, v3
  branch v7, block2, block3
block2:
  jump block1(v6)
block3:
  return
}";

#[test]
fn lanes_that_go_round_as_often_stay_together() {
    form_all(CLEAR);
    let text = form(CLEAR, 8, [64, 1, 1], true);
    assert!(text.contains("store v") && !text.contains("any_true"), "{text}");
    // Of 48, some iterate twice and some three times.
    assert!(form(CLEAR, 8, [48, 1, 1], true).contains("any_true"));
}

/// `do { x *= x; n++; } while (n < limit && x < 1000); a[id] = n;`
const ESCAPE: &str = "
function workitem @escape {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = trunc.i32 v3 rte
  v5 = const.i32 0
  jump block1(v4, v5)
block1(v6: i32, v7: i32):
  v8 = const.i32 1
  v9 = mul v6, v6
  v10 = add v7, v8
  v11 = icmp.ult v10, v2
  v12 = const.i32 1000
  v13 = icmp.ult v9, v12
  v14 = and v11, v13
  branch v14, block2, block3(v10)
block2:
  jump block1(v9, v10)
block3(v15: i32):
  store v15, global align 4 [v1 + v3 * 4]
  return
}";

/// The scalars that `and` combines with what `any_true` says.
fn scalars_beside_any(text: &str) -> usize {
    let results = |what: &'static str| text.lines().filter(move |line| line.contains(what));
    let any: Vec<&str> = results("any_true").filter_map(|line| line.split_whitespace().next()).collect();
    results(" = and ")
        .filter(|line| any.iter().any(|name| line.ends_with(&format!(" {name}"))))
        .count()
}

/// Some choice is made by a mask that `and` makes.
fn chosen_by_and(text: &str) -> bool {
    let mut masks = text.lines().filter_map(|line| line.split_once(" = select ")?.1.split(',').next());
    masks.any(|mask| text.contains(&format!("  {mask} = and ")))
}

#[test]
fn what_all_lanes_have_in_common_ends_a_loop_without_masks() {
    form_all(ESCAPE);
    let text = form(ESCAPE, 8, [64, 1, 1], true);
    assert_eq!(scalars_beside_any(&text), 1, "{text}");
    // Each iteration leaves its number for all lanes that are there.
    assert!(!chosen_by_and(&text), "{text}");
}

#[test]
fn what_differs_from_lane_to_lane_ends_a_loop_by_masks() {
    let text = ESCAPE.replace("v11 = icmp.ult v10, v2", "v11 = icmp.ult v10, v4");
    form_all(&text);
    assert_eq!(scalars_beside_any(&form(&text, 8, [64, 1, 1], true)), 0, "{text}");
}

/// Lanes leave by two edges of one block, each with a number of its own.
#[test]
fn what_is_left_by_two_ways_at_once_is_left_by_those_that_go_them() {
    let text = ESCAPE.replace(
        "  jump block1(v9, v10)\n",
        "  v16 = icmp.ult v9, v8\n  branch v16, block4, block1(v9, v10)\nblock4:\n  v17 = icmp.ult v6, v8\n  branch v17, block3(v7), block3(v6)\n",
    );
    form_all(&text);
    let text = form(&text, 8, [64, 1, 1], true);
    assert!(chosen_by_and(&text), "{text}");
}

/// `for (;;) { if (*p == id) { p = q; continue; } atomic_inc(q + id); break; }`
const AGAIN: &str = "
function workitem @again {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = const.i64 1
  v5 = builtin num_groups 0
  v6 = icmp.eq v5, v4
  v11 = add v2, v3
  jump block1(v1)
block1(v7: i64):
  v8 = load.i64 global align 8 [v7]
  v9 = icmp.eq v8, v3
  branch v9, block2, block3
block2:
  jump block1(v2)
block3:
  v10 = atomic_rmw.add v4, relaxed device global align 1 [v11]
  branch v6, block4, block5
block4:
  jump block1(v7)
block5:
  return
}";

#[test]
fn lanes_that_go_round_first_come_later() {
    form_all(AGAIN);
    let text = form(AGAIN, 8, [64, 1, 1], true);
    assert!(
        text.lines().any(|line| line.contains("atomic_rmw.add") && line.contains(" mask v")),
        "{text}"
    );
}
