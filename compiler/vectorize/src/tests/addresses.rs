//! Lanes' addresses: in a row, counted from an active lane, by element, by record, or within a row of an image.

use super::{form, form_all};

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

/// `if (id >= n) a[id] = a[id - n];`, with a promise that holds only where it is computed: lane 0 may be one of those that stay out.
const DIFFERENCE: &str = "
function workitem @difference {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = builtin local_id 0
  v4 = trunc.i32 v3 rte
  v5 = icmp.uge v4, v2
  branch v5, block1, block2
block1:
  v6 = sub v4, v2 !nuw
  v7 = zext.i64 v6 rte
  v8 = load.f32 global align 4 [v1 + v7 * 4]
  store v8, global align 4 [v1 + v3 * 4]
  jump block2
block2:
  return
}";

#[test]
fn differences_are_counted_from_a_lane_that_computes_them() {
    form_all(DIFFERENCE);
    let text = form(DIFFERENCE, 8, [64, 1, 1], true);
    assert!(text.contains("load.f32x8") && text.contains("ctz"), "{text}");
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
    // By a scalar, behind which elements lie in order: four gangs together, or each by itself; else by a vector.
    assert_eq!(
        [" = udiv ", "load.f32x8"].map(|what| text.matches(what).count()),
        [4 + 2, 4 + 2],
        "{text}"
    );
    assert_eq!(text.matches("lane splat i32x8").count(), 2, "{text}");
    // Rows of three are too short for any gang.
    let short = ROWS.replace("load.i32 constant align 4 invariant dereferenceable [v0 + 8]", "const.i32 3");
    assert!(text.contains("icmp.ugt") && !form(&short, 8, [64, 1, 1], true).contains("icmp.ugt"));
}

/// `r[i] = a[clamp(i - 1, 0, n - 1)] + a[min(i + 1, n - 1)]`
const CLAMPED: &str = "
function workitem @clamped {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = trunc.i32 v3 rte
  v5 = const.i32 -1
  v6 = const.i32 1
  v7 = const.i32 0
  v8 = add v2, v5
  v9 = add v4, v5
  v10 = smax v9, v7
  v11 = smin v10, v8
  v12 = add v4, v6
  v13 = smin v12, v8
  v14 = load.f32 global align 4 [v1 + v11 * 4]
  v15 = load.f32 global align 4 [v1 + v13 * 4]
  v16 = fadd v14, v15
  store v16, global align 4 [v1 + v3 * 4]
  return
}";

#[test]
fn gangs_within_bounds_do_without_them() {
    form_all(CLAMPED);
    // One gang, so that none is run at once with others.
    let text = form(CLAMPED, 8, [8, 1, 1], true);
    let loads = text.lines().filter(|line| line.contains("load.f32x8")).count();
    assert_eq!(
        (loads, text.matches(" smin ").count(), text.matches(" smax ").count()),
        (4, 2, 1),
        "{text}"
    );
    // Numbers that nothing is addressed with keep their bounds.
    let other = CLAMPED
        .replace("[v1 + v11 * 4]", "[v1 + v3 * 4]")
        .replace("[v1 + v13 * 4]", "[v1 + v3 * 4]");
    let other = other.replace("v16 = fadd v14, v15", "v16 = add v11, v13");
    assert_eq!(form(&other, 8, [8, 1, 1], true).matches("load.f32x8").count(), 2);
    // A group that is cut off is not looked at.
    assert_eq!(form(CLAMPED, 8, [8, 1, 1], false).matches("load.f32x8").count(), 2);
}

#[test]
fn gangs_that_pass_a_guard_do_without_bounds() {
    let guarded = CLAMPED
        .replace(
            "  v5 = const.i32 -1\n",
            "  v20 = icmp.slt v4, v2\n  branch v20, block1, block2\nblock1:\n  v5 = const.i32 -1\n",
        )
        .replace("  return", "  jump block2\nblock2:\n  return")
        .replace("block2\nblock1:", "block3\nblock3:\n  jump block2\nblock1:");
    form_all(&guarded);
    let text = form(&guarded, 8, [8, 1, 1], true);
    assert!(
        text.lines()
            .any(|line| line.contains("load.f32x8") && !line.contains("x8 * 4") && !line.contains("mask")),
        "{text}"
    );
}

#[test]
fn gangs_that_do_not_go_round_a_ring_read_in_order() {
    let ring = |mask: &str| {
        let text = CLAMPED
            .replace("  v11 = smin v10, v8", "  v11 = and v10, v8")
            .replace("v13 = smin v12, v8", "v13 = and v12, v8");
        text.replace("v10 = smax v9, v7", "v10 = add v9, v6")
            .replace("v8 = add v2, v5", mask)
    };
    for mask in ["v8 = add v2, v5", "v8 = const.i32 1023"] {
        form_all(&ring(mask));
        let text = form(&ring(mask), 8, [8, 1, 1], true);
        assert_eq!(text.matches("load.f32x8").count(), 4, "{text}");
    }
    // A short one, and what is none.
    for mask in ["v8 = const.i32 15", "v8 = const.i32 1020"] {
        assert_eq!(form(&ring(mask), 8, [8, 1, 1], true).matches("load.f32x8").count(), 2);
    }
}

/// `for (j = 0; j < m; j++) s += a[min(i + j, n - 1)]`
const CLAMPED_IN_A_LOOP: &str = "
function workitem @clamped {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = trunc.i32 v3 rte
  v5 = const.i32 1
  v6 = const.i32 0
  v7 = const.f32 0x0
  jump block1(v6, v7)
block1(v8: i32, v9: f32):
  v10 = add v4, v8 !nsw
  v11 = smin v10, v2
  v12 = load.f32 global align 4 [v1 + v11 * 4]
  v13 = fadd v9, v12
  v14 = add v8, v5 !nsw
  v15 = icmp.slt v14, v2
  branch v15, block1(v14, v13), block2(v13)
block2(v16: f32):
  store v16, global align 4 [v1 + v3 * 4]
  return
}";

#[test]
fn gangs_within_bounds_of_a_iteration_do_without_them() {
    form_all(CLAMPED_IN_A_LOOP);
    let text = form(CLAMPED_IN_A_LOOP, 8, [8, 1, 1], true);
    let loads: Vec<&str> = text.lines().filter(|line| line.contains("load.f32x8")).collect();
    assert_eq!(loads.len(), 2, "{text}");
    assert_eq!(text.matches(" smin ").count(), 1, "{text}");
    // The lanes part before the loop: the first may not be there.
    let parted = CLAMPED_IN_A_LOOP
        .replace("  jump block1(v6, v7)", "  v20 = load.i32 global align 4 [v1 + v3 * 4]\n  v21 = icmp.eq v20, v5\n  branch v21, block3, block4\nblock3:\n  jump block1(v6, v7)\nblock4:\n  jump block5")
        .replace("  return", "  jump block5\nblock5:\n  return");
    assert_eq!(form(&parted, 8, [8, 1, 1], true).matches("smin").count(), 1);
}
