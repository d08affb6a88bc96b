use super::*;
use crate::Flow;
use ir::parse::parse_function;

/// A kernel of `int n` and of pointers, of which `v10` is the id in 32 bits, `v4` is `n`, and `v30` and `v31` are 0 and 1.
fn kernel(lines: &str) -> NoWrap {
    let text = format!(
        "function workitem @k {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v4 = load.i32 constant align 4 invariant dereferenceable [v0 + 16]
  v7 = builtin global_id 0
  v8 = builtin global_size 0
  v10 = trunc.i32 v7 rte
  v11 = trunc.i32 v8 rte
  v30 = const.i32 0
  v31 = const.i32 1
{lines}
  return
}}"
    );
    let func = parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    NoWrap::find(&func, &Flow::new(&func))
}

/// Whether nothing wraps that is asked about, with so many work-items and this `n`.
fn holds(found: &NoWrap, items: u64, n: i32) -> bool {
    assert!(!found.is_empty(), "nothing is asked");
    let mut block = [0; 24];
    block[16..20].copy_from_slice(&n.to_ne_bytes());
    let sizes = Sizes {
        offset: [0; 3],
        global: [items, 1, 1],
        local: [64, 1, 1],
    };
    found.holds(&sizes, &block) == (1 << found.roots.len()) - 1
}

/// A loop from `first`, whose next number `v52` is computed and tested as these lines say, over what lies at its number in `v1`.
fn counting(first: &str, next: &str) -> NoWrap {
    kernel(&format!(
        "{first}
  jump block1(v50)
block1(v51: i32):
  v60 = zext.i64 v51 rte
  v61 = load.i32 global align 4 [v1 + v60 * 4]
  store v61, global align 4 [v2 + v7 * 4]
{next}
  branch v53, block2, block3
block2:
  jump block1(v52)
block3:"
    ))
}

#[test]
fn products_of_ids_and_arguments() {
    let product = kernel(
        "  v20 = mul v10, v4
  v21 = add v20, v31
  v22 = zext.i64 v21 rte
  store v10, global align 4 [v1 + v22 * 4]",
    );
    assert!(holds(&product, 1000, 1000));
    assert!(holds(&product, 1 << 20, 2047));
    assert!(
        !holds(&product, (1 << 20) + 1, 1 << 11),
        "2^31 + 1 is in 32 bits, but not of those with a sign"
    );
    assert!(!holds(&product, 1000, -1), "without a sign, n is large");
    assert!(holds(&product, 1, -1), "there is only id 0");
}

#[test]
fn what_no_launch_need_tell() {
    let signed = "  v20 = mul v10, v4 !nsw\n  store v10, global align 4 [v1 + v20 * 4]";
    assert!(kernel(signed).is_empty());
    let id = "  v20 = add v10, v31\n  v21 = zext.i64 v20 rte\n  store v10, global align 4 [v1 + v21 * 4]";
    assert!(kernel(id).is_empty(), "ids are small in any launch that is asked");
}

#[test]
fn what_no_launch_can_tell() {
    let loaded = "  v19 = load.i32 global align 4 [v1 + v7 * 4]
  v20 = add v19, v31
  v21 = zext.i64 v20 rte
  store v10, global align 4 [v1 + v21 * 4]";
    assert!(kernel(loaded).is_empty());
    let bits = loaded.replace("v20 = add v19, v31", "v18 = and v19, v4\n  v20 = add v18, v31");
    assert!(holds(&kernel(&bits), 100, 255), "no more bits than those");
    assert!(!holds(&kernel(&bits), 100, -1));
}

#[test]
fn differences() {
    let found = kernel("  v20 = sub v10, v4\n  v21 = zext.i64 v20 rte\n  store v10, global align 4 [v1 + v21 * 4]");
    assert!(holds(&found, 100, 0));
    assert!(!holds(&found, 100, 1), "the first is -1");
}

#[test]
fn loops_over_a_grid() {
    let found = kernel(
        "  v40 = icmp.slt v10, v4
  branch v40, block1(v10), block3
block1(v51: i32):
  store v10, global align 4 [v1 + v51 * 4]
  v52 = add v51, v11
  v53 = icmp.slt v52, v4
  branch v53, block2, block3
block2:
  jump block1(v52)
block3:",
    );
    assert!(holds(&found, 2048, 1 << 30));
    assert!(holds(&found, 2048, -7), "nobody comes to it");
    assert!(!holds(&found, 2048, i32::MAX), "the last steps wrap");
}

#[test]
fn counters_up() {
    let zero = "  v50 = const.i32 0";
    let found = counting(zero, "  v52 = add v51, v31\n  v53 = icmp.ult v52, v4");
    assert!(holds(&found, 1, 1 << 30) && !holds(&found, 1, -1));
    let even = counting(zero, "  v54 = const.i32 2\n  v52 = add v51, v54\n  v53 = icmp.ne v52, v4");
    assert!(!holds(&even, 1, 6), "nobody says that n is even");
    let found = counting(zero, "  v52 = add v51, v31\n  v53 = icmp.ne v52, v4");
    assert!(holds(&found, 1, 6) && !holds(&found, 1, 0), "it goes round, to come to 0");
    let found = counting("  v50 = const.i32 1", "  v52 = shl v51, v31\n  v53 = icmp.ult v52, v4");
    assert!(holds(&found, 1, 1 << 29) && !holds(&found, 1, i32::MAX));
    let loaded = "  v54 = load.i32 global align 4 [v1]\n  v52 = add v51, v54\n  v53 = icmp.slt v52, v4";
    assert!(counting(zero, loaded).is_empty(), "by who knows how much");
}

#[test]
fn counters_down() {
    let n = "  v50 = add v4, v30";
    let less = "  v55 = const.i32 -1\n  v52 = add v51, v55\n";
    let found = counting(n, &format!("{less}  v53 = icmp.ugt v52, v30"));
    assert!(holds(&found, 1, 1000) && !holds(&found, 1, -1));
    let found = counting(n, &format!("{less}  v53 = icmp.ne v52, v30"));
    assert!(holds(&found, 1, 1000) && !holds(&found, 1, 0), "it goes round, to come to 0");
    let by_four = less.replace("-1", "-4");
    let found = counting(n, &format!("{by_four}  v53 = icmp.ugt v52, v30"));
    assert!(!holds(&found, 1, 1000), "it may go past 0, where numbers are large");
    let found = counting(n, "  v52 = lshr v51, v31\n  v53 = icmp.ne v52, v30");
    assert!(holds(&found, 1, 1000) && !holds(&found, 1, -1));
}

#[test]
fn more_indices_than_bits() {
    let lines: Vec<String> = (0..70)
        .map(|at| {
            let [constant, sum, index] = [100, 200, 300].map(|from| from + at);
            format!("  v{constant} = const.i32 {at}\n  v{sum} = add v20, v{constant}\n  v{index} = zext.i64 v{sum} rte\n  store v10, global align 4 [v1 + v{index} * 4]")
        })
        .collect();
    let found = kernel(&format!("  v20 = mul v10, v4\n{}", lines.join("\n")));
    assert_eq!(found.roots.len(), 70);
    let sizes = Sizes {
        offset: [0; 3],
        global: [2, 1, 1],
        local: [1; 3],
    };
    let with = |n: i32| {
        let mut block = [0; 24];
        block[16..20].copy_from_slice(&n.to_ne_bytes());
        found.holds(&sizes, &block)
    };
    assert_eq!(with(5), u64::MAX);
    // Up to 2^31 - 1 it takes another 65: the last five share a bit with the one before them.
    assert_eq!(with(i32::MAX - 65), u64::MAX >> 1);
    assert_eq!(found.known(u64::MAX >> 1).count(), 63);
}
