//! What is done once for several lanes or gangs.

use super::{form, form_all};
use ir::parse::parse_function;
use passes::Context;

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
        passes::run(transform::order::GROUP, &mut func, &mut Context::new(None));
        let text = func.to_string();
        let count = |what: &str| text.matches(what).count();
        [count("= fma "), count("load.f32 global"), count("load.f32x8 global")]
    };
    // Two of a row and two rows: each row has its own factor, each column its own vector.
    assert_eq!(jammed([16, 16, 1]), [4, 2, 2]);
    assert_eq!(jammed([64, 2, 1]), [4, 2, 2]);
    assert_eq!(jammed([64, 1, 1]), [4, 1, 4]);
    assert_eq!(jammed([8, 8, 1]), [4, 4, 1]);
    // There is no second gang.
    assert_eq!(jammed([8, 1, 1]), [1, 1, 1]);
}

/// The product behind a guard: rows of any length in whole groups.
fn guarded_product() -> String {
    let begin = "  v23 = icmp.slt v5, v4\n  branch v23, block4, block5\nblock4:\n  jump block1(v7, v8)\nblock5:\n  jump block6\n";
    PRODUCT
        .replace("  jump block1(v7, v8)\n", begin)
        .replace("  return\n", "  jump block6\nblock6:\n  return\n")
}

#[test]
fn gangs_that_all_pass_a_guard_are_run_at_once() {
    let text = guarded_product();
    form_all(&text);
    let mut func = parse_function(&form(&text, 8, [16, 16, 1], true)).expect("it reads back");
    passes::run(transform::order::GROUP, &mut func, &mut Context::new(None));
    let text = func.to_string();
    let count = |what: &str| text.matches(what).count();
    // Four gangs behind the guard; each by itself, for all lanes and for some.
    assert_eq!(count("= fma "), 4 + 2, "{text}");
    assert_eq!(count("load.f32x8 global"), 2 + 2, "{text}");
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

/// A loop whose iterations wait for each other, with so many multiplications that don't.
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

/// Gangs are run at once where there is room for them in the time that an iteration waits for the one before.
#[test]
fn loops_that_wait_are_shared() {
    let fused = |others: u32, local: u64| form(&serial_loop(others), 8, [local, 1, 1], true).matches("= fma ").count();
    assert_eq!(fused(0, 64), 4);
    assert_eq!(fused(0, 16), 2);
    assert_eq!(fused(0, 8), 1);
    // Registers of 16 bytes: each of these takes two instructions.
    assert_eq!(fused(1, 64), 4);
    assert_eq!(fused(4, 64), 2);
    assert_eq!(fused(8, 64), 1);
}
