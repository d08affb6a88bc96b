//! Kernels in IR text become work-group functions that keep the IR's rules, at each width.

use super::*;
use crate::LaunchFacts;
use crate::codegen::Registers;
use crate::ir::parse::parse_function;
use crate::ir::verify::verify;

/// Forms the group at a width and checks the result; gives its text.
fn form(text: &str, width: u32, local_size: [u64; 3], full_groups: bool) -> String {
    let src = parse_function(text).expect("the test's text is IR");
    verify(&src, None).expect("the test's kernel keeps the rules");
    let launch = LaunchFacts {
        full_groups,
        ..LaunchFacts::usual(local_size)
    };
    let mut facts = GangFacts::new(gang_shape(Some(width), width, local_size), &launch);
    let mut src = src;
    facts.lane_strides = interleave(&mut src, width);
    decided::run(&mut src, &facts);
    verify(&src, None).expect("what is decided keeps the rules");
    lane_by_lane::run(&mut src, &facts, Registers { count: 16, bytes: 16 });
    verify(&src, None).expect("what is done lane by lane keeps the rules");
    one_quotient::run(&mut src, &facts);
    verify(&src, None).expect("what is divided in two keeps the rules");
    full_path::run(&mut src, &facts);
    verify(&src, None).expect("copies keep the rules");
    let gang = vectorize(&src, &facts).expect("reducible");
    let gang = jam::run(gang, &mut facts, Registers { count: 16, bytes: 16 });
    let group = form_group(gang, &facts);
    if let Err(error) = verify(&group.func, None) {
        panic!("{error}\n{}", group.func);
    }
    group.func.to_string()
}

fn form_all(text: &str) {
    for width in [1, 4, 8] {
        for local_size in [[16, 1, 1], [8, 4, 2], [3, 5, 1], [1, 1, 1], [1, 64, 1], [7, 1, 1]] {
            for full in [true, false] {
                form(text, width, local_size, full);
            }
        }
    }
}

const SCALE: &str = "
function workitem @scale {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.f32 global align 4 [v1 + v2 * 4]
  v4 = fadd v3, v3
  store v4, global align 4 [v1 + v2 * 4]
  return
}";

#[test]
fn linear_addresses_are_consecutive() {
    form_all(SCALE);
    let text = form(SCALE, 8, [64, 1, 1], true);
    assert!(text.contains("load.f32x8 global align 4 [") && !text.contains("] mask"), "{text}");
}

#[test]
fn partial_gangs_have_masks() {
    let text = form(SCALE, 8, [10, 1, 1], true);
    assert!(text.contains("] mask v"), "{text}");
}

const INT_INDEX: &str = "
function workitem @int_index {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = trunc.i32 v2 rte
  v4 = const.i32 1
  v5 = add v3, v4 !nsw
  v6 = sext.i64 v5 rte
  v7 = load.f32 global align 4 [v1 + v6 * 4]
  v8 = load.f32 global align 4 [v1 + v5 * 4]
  v9 = fadd v7, v8
  store v9, global align 4 [v1 + v6 * 4]
  return
}";

#[test]
fn int_indices_that_do_not_wrap_are_linear() {
    form_all(INT_INDEX);
    let text = form(INT_INDEX, 8, [8, 1, 1], true);
    assert_eq!(text.matches("load.f32x8").count(), 2, "{text}");
    assert!(!text.contains("splat i64x8"), "{text}");
}

/// `a[(uint)id + 1] = a[(uint)id - 1];`, where id > 0.
const UINT_INDEX: &str = "
function workitem @uint_index {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = trunc.i32 v2 rte
  v4 = const.i32 -1
  v5 = const.i32 1
  v6 = icmp.uge v3, v5
  branch v6, block1, block2
block1:
  v7 = add v3, v4
  v8 = zext.i64 v7 rte
  v9 = load.f32 global align 4 [v1 + v8 * 4]
  v10 = add v3, v5
  v11 = zext.i64 v10 rte
  store v9, global align 4 [v1 + v11 * 4]
  jump block3
block2:
  jump block3
block3:
  return
}";

#[test]
fn indices_that_may_wrap_are_counted_from_a_lane_that_is_active() {
    form_all(UINT_INDEX);
    let text = form(UINT_INDEX, 8, [64, 1, 1], true);
    assert!(!text.contains("splat i64x8"), "{text}");
    assert!(text.contains("ctz"), "{text}");
}

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
    assert_eq!(text.matches("load.f32x8").count(), 4, "{text}");
    assert_eq!(text.matches("] mask").count(), 3, "{text}");
    // A group that is cut off has masks anyway.
    let text = form(GUARD, 8, [64, 1, 1], false);
    assert_eq!(text.matches("load.f32x8").count(), 2, "{text}");
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

/// A private array that is indexed by a uniform counter.
const PRIVATE: &str = "
function workitem @private {
  slot0: 64 align 4
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = slot_address slot0
  v4 = const.i64 0
  jump block1(v4)
block1(v5: i64):
  v6 = load.i32 global align 4 [v1 + v2 * 4]
  store v6, private align 4 [v3 + v5 * 4]
  v7 = const.i64 4
  v8 = mul v5, v7
  v9 = add v3, v8
  v10 = load.i32 private align 4 [v9]
  store v10, global align 4 [v1 + v2 * 4]
  v11 = const.i64 1
  v12 = add v5, v11
  v13 = const.i64 16
  v14 = icmp.ult v12, v13
  branch v14, block1(v12), block2
block2:
  return
}";

#[test]
fn private_arrays_are_laid_out_by_element() {
    form_all(PRIVATE);
    let text = form(PRIVATE, 8, [64, 1, 1], true);
    assert!(text.contains("private align 4 [v") && text.contains("* 32]"), "{text}");
    assert!(!text.contains("lane splat i64x8"), "{text}");
}

/// The product of two matrices, an element a work-item.
const PRODUCT: &str = "
function workitem @product {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 24]
  v5 = builtin global_id 0
  v6 = builtin global_id 1
  v7 = const.i64 0
  v8 = const.f32 0x0
  v9 = mul v6, v4
  jump block1(v7, v8)
block1(v10: i64, v11: f32):
  v12 = add v9, v10
  v13 = load.f32 global align 4 [v1 + v12 * 4]
  v14 = mul v10, v4
  v15 = add v14, v5
  v16 = load.f32 global align 4 [v2 + v15 * 4]
  v17 = fma v13, v16, v11
  v18 = const.i64 1
  v19 = add v10, v18
  v20 = icmp.eq v19, v4
  branch v20, block2(v17), block3
block3:
  jump block1(v19, v17)
block2(v21: f32):
  v22 = add v9, v5
  store v21, global align 4 [v3 + v22 * 4]
  return
}";

#[test]
fn gangs_that_share_are_run_at_once() {
    form_all(PRODUCT);
    let jammed = |local_size| {
        let mut func = parse_function(&form(PRODUCT, 8, local_size, true)).expect("it reads back");
        crate::passes::group(&mut func);
        let text = func.to_string();
        let count = |what: &str| text.matches(what).count();
        [count("= fma "), count("load.f32 global"), count("load.f32x8 global")]
    };
    // Two of a row and two rows: each row has its own factor, each column its own vector.
    assert_eq!(jammed([16, 16, 1]), [4, 2, 2]);
    assert_eq!(jammed([64, 2, 1]), [4, 1, 4]);
    assert_eq!(jammed([8, 8, 1]), [4, 4, 1]);
    // There is no second gang.
    assert_eq!(jammed([8, 1, 1]), [1, 1, 1]);
}

const RECORDS: &str = "
function workitem @records {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.f32 global align 16 [v1 + v2 * 16]
  v4 = load.f32 global align 4 [v1 + v2 * 16 + 4]
  v5 = load.f32 global align 8 [v1 + v2 * 16 + 8]
  v6 = load.f32 global align 4 [v1 + v2 * 16 + 12]
  store v6, global align 16 [v1 + v2 * 16]
  store v3, global align 4 [v1 + v2 * 16 + 4]
  store v5, global align 8 [v1 + v2 * 16 + 8]
  store v4, global align 4 [v1 + v2 * 16 + 12]
  return
}";

#[test]
fn records_are_accessed_whole() {
    form_all(RECORDS);
    let text = form(RECORDS, 8, [8, 1, 1], true);
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("load_interleaved"), count("store_interleaved")), (1, 1), "{text}");
    // A part that nobody asked for is loaded with an aligned record only, and never stored.
    let third = form(
        &RECORDS.replace("  store v4, global align 4 [v1 + v2 * 16 + 12]\n", "").replace(
            "  v6 = load.f32 global align 4 [v1 + v2 * 16 + 12]\n",
            "  v6 = load.f32 constant align 4 invariant [v0 + 8]\n",
        ),
        8,
        [64, 1, 1],
        true,
    );
    assert!(
        third.contains("load_interleaved") && !third.contains("store_interleaved"),
        "{third}"
    );
    let unaligned = form(
        &RECORDS
            .replace("  v6 = load.f32 global align 4 [v1 + v2 * 16 + 12]\n", "  v6 = fadd v3, v3\n")
            .replace("align 16", "align 4"),
        8,
        [64, 1, 1],
        true,
    );
    assert!(!unaligned.contains("load_interleaved"), "{unaligned}");
    // A write in between may change what is loaded.
    let between = RECORDS.replace("  v5 = load", "  store v3, global align 4 [v1 + v2 * 16 + 8]\n  v5 = load");
    let between = form(&between, 8, [64, 1, 1], true);
    assert!(between.contains("load.f32x8 global align 8 ["), "{between}");
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

/// `r[i] = a[i / w * 2 * w + i % w]`
const ROWS: &str = "
function workitem @rows {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = trunc.i32 v3 rte
  v5 = udiv v4, v2
  v6 = urem v4, v2
  v7 = mul v5, v2
  v8 = const.i32 1
  v9 = shl v7, v8
  v10 = add v9, v6
  v11 = load.f32 global align 4 [v1 + v10 * 4]
  store v11, global align 4 [v1 + v3 * 4]
  return
}";

#[test]
fn gangs_within_a_row_divide_once() {
    form_all(ROWS);
    let text = form(ROWS, 8, [64, 1, 1], true);
    // By a scalar, behind which elements lie in order; else by a vector.
    assert_eq!(
        [" = udiv ", " = urem ", "load.f32x8"].map(|what| text.matches(what).count()),
        [2, 1, 2],
        "{text}"
    );
    assert_eq!(text.matches("lane splat i32x8").count(), 2, "{text}");
    // Rows of three are too short for any gang.
    let short = ROWS.replace("load.i32 constant align 4 invariant dereferenceable [v0 + 8]", "const.i32 3");
    assert!(text.contains("icmp.ugt") && !form(&short, 8, [64, 1, 1], true).contains("icmp.ugt"));
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
    // Of 48, some go round twice and some three times.
    assert!(form(CLEAR, 8, [48, 1, 1], true).contains("any_true"));
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

/// All work-items add to one word.
const COUNTER: &str = "
function workitem @counter {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = load.i32 global align 4 [v2 + v3 * 4]
  v5 = atomic_rmw.sub v4, relaxed device global align 4 [v1]
  store v5, global align 4 [v2 + v3 * 4]
  return
}";

#[test]
fn lanes_that_change_one_word_do_so_together() {
    form_all(COUNTER);
    let text = form(COUNTER, 8, [64, 1, 1], true);
    assert!(text.contains("lane reduce.add i32 v"), "{text}");
    assert!(text.contains("lane exclusive_scan.add i32x8 v"), "{text}");
    assert!(!text.contains("lane splat i64x8"), "{text}");
}

/// A loop whose turns wait for each other, with so many multiplications that don't.
fn serial_loop(others: u32) -> String {
    let lines: String = (0..others).map(|index| format!("  v{} = fmul v2, v{}\n", 20 + index, 6)).collect();
    format!(
        "
function workitem @serial {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v3 = builtin global_id 0
  v4 = load.f32 global align 4 [v1 + v3 * 4]
  v5 = const.i32 100
  v6 = const.f32 0x3dcccccd
  v7 = const.i32 -1
  v8 = const.i32 1
  jump block1(v5, v4)
block1(v9: i32, v2: f32):
  v10 = fma v2, v2, v6
{lines}  v11 = add v9, v7
  v12 = icmp.eq v9, v8
  branch v12, block2, block3
block2:
  store v10, global align 4 [v1 + v3 * 4]
  return
block3:
  jump block1(v11, v10)
}}"
    )
}

/// Gangs are run at once where there is room for them in the time that a turn waits for the one before.
#[test]
fn loops_that_wait_are_shared() {
    let fused = |others: u32, local: u64| form(&serial_loop(others), 8, [local, 1, 1], true).matches("= fma ").count();
    assert_eq!(fused(0, 64), 4);
    assert_eq!(fused(0, 16), 2);
    assert_eq!(fused(0, 8), 1);
    // Registers of 16 bytes: each of these takes two instructions.
    assert_eq!(fused(1, 64), 2);
    assert_eq!(fused(4, 64), 1);
}
