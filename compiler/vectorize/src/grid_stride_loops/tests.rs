use super::*;
use analysis::gang_shape;
use interface::LaunchFacts;
use ir::parse::parse_function;
use ir::verify::debug_verify;

/// `for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = a[i];`, the buffers known to be apart.
const COPY: &str = "
function workitem @copy {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i32 constant align 4 invariant dereferenceable [v0 + 16]
  v4 = builtin global_id 0
  v5 = trunc.i32 v4 rte
  v6 = builtin global_size 0
  v7 = trunc.i32 v6 rte
  v8 = icmp.slt v5, v3
  branch v8, block1, block5
block1:
  jump block2(v5)
block2(v9: i32):
  v10 = load.f32 global align 4 alias 20 [v1 + v9 * 4]
  store v10, global align 4 alias 21 [v2 + v9 * 4]
  v11 = add v9, v7
  v12 = icmp.slt v11, v3
  branch v12, block3, block4
block3:
  jump block2(v11)
block4:
  jump block6
block5:
  jump block6
block6:
  return
}";

/// The function after the pass, if that changes it.
fn dealt_out(text: &str, launch: &LaunchFacts) -> Option<String> {
    let mut func = parse_function(text).unwrap_or_else(|error| panic!("the test's text is IR: {error:?}\n{text}"));
    let mut facts = GangFacts::new(gang_shape(None, 8, launch.local_size.most()), launch);
    let changed = run(
        &mut func,
        &mut facts,
        &Machine::named("avx2").expect("there is one"),
        &mut Analyses::default(),
        &mut Plan::default(),
    );
    debug_verify(&func, None, "grid_stride_loops");
    changed.then(|| func.to_string())
}

fn is_dealt_out(changes: &[(&str, &str)]) -> bool {
    let mut text = COPY.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is in\n{text}");
        text = text.replace(from, to);
    }
    dealt_out(&text, &LaunchFacts::usual([256, 1, 1])).is_some()
}

#[test]
fn a_gang_goes_along_a_chunk() {
    let text = dealt_out(COPY, &LaunchFacts::usual([256, 1, 1])).expect("it is dealt out");
    for line in [
        "builtin num_groups 0",
        "builtin group_id 0",
        // Four vectors abreast.
        "const.i32 32",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // The first condition has become part of the bounds.
    assert_eq!(text.matches("icmp.slt v5, v3").count(), 1, "{text}");
    assert_eq!(text.matches("branch v8").count(), 0, "{text}");
}

#[test]
fn numbers_may_be_written_in_many_ways() {
    let group =
        "v20 = builtin group_id 0\n  v21 = builtin local_size 0\n  v22 = mul v20, v21\n  v23 = builtin local_id 0\n  v4 = add v23, v22";
    let groups = "v24 = builtin num_groups 0\n  v25 = const.i64 8\n  v6 = shl v24, v25";
    assert!(is_dealt_out(&[("v4 = builtin global_id 0", group)]));
    assert!(is_dealt_out(&[("v6 = builtin global_size 0", groups)]));
    assert!(!is_dealt_out(&[("v6 = builtin global_size 0", &groups.replace('8', "7"))]));
    assert!(is_dealt_out(&[("icmp.slt v11, v3", "icmp.sgt v3, v11")]));
    assert!(is_dealt_out(&[(
        "icmp.slt v11, v3\n  branch v12, block3, block4",
        "icmp.sge v11, v3\n  branch v12, block4, block3"
    )]));
    assert!(is_dealt_out(&[("icmp.slt", "icmp.ult")]));
    // Signed here, unsigned there; another end; another begin; another step.
    assert!(!is_dealt_out(&[("icmp.slt v11", "icmp.ult v11")]));
    assert!(!is_dealt_out(&[(
        "v12 = icmp.slt v11, v3",
        "v20 = const.i32 9\n  v12 = icmp.slt v11, v20"
    )]));
    assert!(!is_dealt_out(&[("v4 = builtin global_id 0", "v4 = builtin local_id 0")]));
    assert!(!is_dealt_out(&[("v6 = builtin global_size 0", "v6 = builtin local_size 0")]));
    // The first iteration is gone through in any case.
    assert!(!is_dealt_out(&[("v8 = icmp.slt v5, v3", "v8 = const.mask true")]));
}

#[test]
fn iterations_that_meet_stay_where_they_are() {
    let store = "store v10, global align 4 alias 21 [v2 + v9 * 4]";
    let stores = |other: &str| is_dealt_out(&[(store, &format!("{store}\n  {other}"))]);
    let at = |place: &str| is_dealt_out(&[(store, &store.replace("[v2 + v9 * 4]", place))]);
    // Beside each other, and over each other.
    assert!(at("[v2 + v9 * 4 + 4]"));
    assert!(at("[v2 + v9 * 12]"));
    assert!(!at("[v2 + v9 * 2]"));
    assert!(!at("[v2]"));
    assert!(!stores("store v10, global align 4 alias 21 [v2 + v9 * 4 + 4]"));
    assert!(stores("store v10, global align 4 alias 22 [v2 + v9 * 4 + 4]"));
    assert!(!stores("v20 = load.f32 global align 4 alias 21 [v2 + v9 * 4 + 4]"));
    assert!(stores("v20 = load.f32 global align 4 alias 21 [v2 + v9 * 4]"));
    assert!(stores("v20 = load.f32 global align 4 alias 20 [v1 + v9 * 4 + 4]"));
    // It may be anywhere, or is seen by others.
    assert!(!is_dealt_out(&[("alias 21", "")]));
    assert!(!is_dealt_out(&[("alias 21", "alias 1")]));
    assert!(!is_dealt_out(&[("alias 20", "")]));
    assert!(!is_dealt_out(&[("global align 4 alias 20", "local align 4 alias 20")]));
    assert!(!is_dealt_out(&[("align 4 alias 21", "align 4 volatile alias 21")]));
    // In pairs.
    let pair = "v20 = sext.i64 v9 rte\n  v21 = const.i64 3\n  v22 = shl v20, v21\n  v23 = add v2, v22\n  \
                store v10, global align 4 alias 21 [v23]\n  store v10, global align 4 alias 21 [v23 + 4]";
    assert!(is_dealt_out(&[(store, pair)]));
    assert!(!is_dealt_out(&[(store, &pair.replace("const.i64 3", "const.i64 2"))]));
    // Products of 32 bits may wrap, where nothing says that they don't.
    let product = "v20 = const.i32 3\n  v21 = mul v9, v20 !nsw\n  store v10, global align 4 alias 21 [v2 + v21 * 4]";
    assert!(is_dealt_out(&[(store, product)]));
    assert!(!is_dealt_out(&[(store, &product.replace(" !nsw", ""))]));
    // Sums that wrap are others in each iteration all the same.
    let sum = "v20 = add v9, v3\n  store v10, global align 4 alias 21 [v2 + v20 * 4]";
    assert!(is_dealt_out(&[(store, sum)]));
}

#[test]
fn nothing_else_is_seen() {
    let before = |text: &str| is_dealt_out(&[("block1:", &format!("block1:\n  {text}"))]);
    let within = |text: &str| is_dealt_out(&[("  v11 = add", &format!("  {text}\n  v11 = add"))]);
    let behind = |text: &str| is_dealt_out(&[("block6:", &format!("block6:\n  {text}"))]);
    assert!(within("v20 = builtin global_id 1"));
    for seen in ["global_id 0", "local_id 0", "group_id 0", "sub_group_id", "local_linear_id"] {
        assert!(!within(&format!("v20 = builtin {seen}")), "{seen}");
    }
    assert!(!within("barrier work_group seq_cst work_group"));
    assert!(!before("v20 = const.f32 0x0\n  store v20, global align 4 alias 25 [v1]"));
    assert!(!behind("v20 = load.f32 global align 4 alias 21 [v2]"));
    assert!(behind("v20 = load.f32 global align 4 alias 20 [v1]"));
    // Work-items that are turned away otherwise.
    let odd =
        "v20 = const.i64 1\n  v21 = and v4, v20\n  v22 = icmp.eq v21, v20\n  branch v22, block7, block8\nblock8:\n  jump block6\nblock7:";
    assert!(!is_dealt_out(&[("block1:", &format!("block1:\n  {odd}"))]));
    assert!(is_dealt_out(&[(
        "block1:",
        &format!("block1:\n  {}", odd.replace("and v4", "and v6"))
    )]));
}

#[test]
fn loads_that_may_not_be_there_stay_behind_their_condition() {
    let text = COPY.replace("block1:", "block1:\n  v20 = load.f32 global align 4 alias 20 [v1]");
    let text = dealt_out(&text, &LaunchFacts::usual([256, 1, 1])).expect("it is dealt out");
    assert_eq!(text.matches("branch v8").count(), 1, "{text}");
}

#[test]
fn launches_that_are_not_full_grids_stay_as_they_are() {
    let usual = LaunchFacts::usual([256, 1, 1]);
    assert!(dealt_out(COPY, &LaunchFacts::usual([3, 5, 1])).is_none());
    for other in [
        LaunchFacts {
            full_groups: false,
            ..usual.clone()
        },
        LaunchFacts {
            zero_offset: false,
            ..usual.clone()
        },
        LaunchFacts {
            small_objects: false,
            ..usual.clone()
        },
    ] {
        assert!(dealt_out(COPY, &other).is_none(), "{other:?}");
    }
}
