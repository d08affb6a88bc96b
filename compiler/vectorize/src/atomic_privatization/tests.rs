use super::*;
use analysis::gang_shape;
use interface::LaunchFacts;
use ir::parse::parse_function;
use ir::verify::verify;

/// The tallies of a kernel whose arguments at offsets 0 and 8 are buffers with sets 100 and 101, and its text afterwards. `v3` is a number
/// below 256, `v5` any, as bytes.
fn tallied(body: &str) -> (Tallies, String) {
    let text = format!(
        "function workitem @k {{\nblock0:\n  v0 = builtin arguments\n  v1 = load.i64 constant align 8 invariant dereferenceable [v0]\n  \
         v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]\n  v20 = builtin global_id 0\n  v21 = const.i64 255\n  \
         v3 = and v20, v21\n  v22 = const.i64 2\n  v4 = shl v3, v22\n  v5 = shl v20, v22\n  v6 = const.i32 1\n  v7 = add v1, v4\n  \
         v8 = add v1, v5\n{body}  return\n}}"
    );
    let mut func = parse_function(&text).expect("the test's text is IR");
    let launch = LaunchFacts::usual([64, 1, 1]);
    let facts = GangFacts::new(gang_shape(Some(8), 8, launch.local_size.most()), &launch);
    let sets = [(0, 100), (8, 101)].into_iter().collect();
    let tallies = run(&mut func, &facts, &sets);
    verify(&func, None).expect("it keeps the IR's rules");
    (tallies, func.to_string())
}

const COUNT: &str = "  v9 = atomic_rmw.add v6, relaxed device global align 4 alias 100 [v7]\n";

fn has_none(body: &str) {
    assert!(tallied(body).0.each.is_empty(), "{body}");
}

#[test]
fn places_near_the_start_for_sure_are_in_the_tally() {
    let (tallies, text) = tallied(COUNT);
    let [tally] = tallies.each.as_slice() else { panic!("{tallies:?}") };
    assert_eq!((tally.argument, tally.op, tally.elem), (0, AtomicOp::Add, Elem::I32));
    // 256 elements, and one that may have begun before.
    assert_eq!((tally.bytes, tallies.bytes), (1280, 1280));
    assert!(
        text.contains("local") && !text.contains("branch") && !text.contains("device"),
        "{text}"
    );
    // A counter.
    let (tallies, _) = tallied("  v9 = atomic_rmw.umax v6, relaxed work_group global align 4 alias 100 [v1]\n");
    assert_eq!((tallies.each[0].op, tallies.bytes), (AtomicOp::UMax, LINE));
}

#[test]
fn places_that_may_be_far_are_looked_at() {
    let (tallies, text) = tallied(&COUNT.replace("[v7]", "[v8]"));
    assert_eq!(tallies.bytes, TALLY);
    assert!(text.contains("sub_group all") && text.contains("device global"), "{text}");
}

#[test]
fn each_buffer_has_its_own() {
    let other = "  v10 = add v2, v4\n  v11 = atomic_rmw.smin v6, relaxed device global align 4 alias 101 [v10]\n  \
                 v12 = atomic_rmw.smin v6, relaxed device global align 4 alias 101 [v2]\n";
    let (tallies, _) = tallied(&format!("{COUNT}{other}"));
    assert_eq!(tallies.each.iter().map(|tally| tally.offset).collect::<Vec<_>>(), [0, 1280]);
}

#[test]
fn what_somebody_could_see_is_left_alone() {
    // The old value, in the kernel.
    has_none(&format!("{COUNT}  store v9, global align 4 alias 101 [v2]\n"));
    // The buffer: read, written, by another operation, through a pointer of which nothing is known.
    has_none(&format!("{COUNT}  v10 = load.i32 global align 4 alias 100 [v1]\n"));
    has_none(&format!("{COUNT}  store v6, global align 4 alias 100 [v1]\n"));
    has_none(&format!("{COUNT}{}", COUNT.replace("v9", "v10").replace("add", "and")));
    has_none(&format!("{COUNT}  v10 = load.i32 global align 4 [v2]\n"));
    has_none(&format!("{COUNT}  v10 = load.i32 generic align 4 [v2]\n"));
    // Work-items elsewhere that wait for what is done after it.
    has_none(&format!("{COUNT}  fence release device\n"));
    has_none(&format!(
        "{COUNT}  v10 = atomic_rmw.add v6, acq_rel device global align 4 alias 101 [v2]\n"
    ));
    has_none(&format!("{COUNT}  barrier work_group seq_cst device\n"));
    // The host, which may look on.
    has_none(&COUNT.replace("device", "all_devices"));
    has_none(&COUNT.replace("relaxed", "seq_cst"));
    has_none(&COUNT.replace("alias 100", "volatile alias 100"));
    // So many of them that the code would grow too much.
    let many: String = (0..=PRIVATIZED_ATOMICS)
        .map(|at| COUNT.replace("v9", &format!("v{}", 100 + at)))
        .collect();
    has_none(&many);
    // Exchanges have no identity, and short elements no atomics.
    has_none(&COUNT.replace("add", "xchg"));
}

#[test]
fn what_is_of_the_group_alone_does_not_matter() {
    let group = "  barrier work_group seq_cst work_group\n  fence acq_rel work_group\n  v10 = builtin local_memory\n  \
                 v11 = atomic_rmw.add v6, acq_rel device local align 4 [v10]\n";
    assert_eq!(tallied(&format!("{COUNT}{group}")).0.each.len(), 1);
}
