//! What is taken apart computes the same in its place, and what must not be is left.

use super::*;
use ir::parse::parse_function;
use ir::verify::verify;

/// An argument block: `n`, `w`, `h` and `m` of 32 bits behind the buffer's address, then `w` of 64 bits.
fn block([n, w, h, m]: [i32; 4]) -> Vec<u8> {
    let mut block = vec![0; 8];
    for number in [n, w, h, m] {
        block.extend(number.to_le_bytes());
    }
    block.extend(i64::from(w).to_le_bytes());
    block
}

/// A kernel that stores `v50` and `v51`; `v2` is the id along x, `v3` that in 32 bits, `v4` to `v8` are the arguments.
fn kernel(lines: &str) -> Function {
    let text = format!(
        "function workitem @k {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = trunc.i32 v2 rte
  v4 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v5 = load.i32 constant align 4 invariant dereferenceable [v0 + 12]
  v6 = load.i32 constant align 4 invariant dereferenceable [v0 + 16]
  v7 = load.i32 constant align 4 invariant dereferenceable [v0 + 20]
  v8 = load.i64 constant align 8 invariant dereferenceable [v0 + 24]
{lines}
  store v50, global align 4 [v1 + v3 * 4]
  store v51, global align 4 [v1 + v3 * 4 + 4]
  jump block9
block9:
  return
}}"
    );
    parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What a work-item stores, and where.
fn stored(func: &Function, ids: [u64; 3], arguments: &[u8]) -> Vec<(u64, u64)> {
    let mut values = func.per_value(0u64);
    let mut stored = Vec::new();
    let mut at = func.entry();
    loop {
        let mut next = None;
        for &inst in &func.block(at).insts {
            let node = func.inst(inst);
            let bits = |value: Value| func.ty(value).elem.bits();
            let mask = |bits: u32| u64::MAX >> (64 - bits.clamp(1, 64));
            let result = match &node.data {
                InstData::Builtin {
                    builtin: Builtin::GlobalId,
                    dimension,
                } => ids[usize::from(*dimension)],
                InstData::Const { bits, .. } => *bits,
                InstData::Load { ty, address, .. } => {
                    let (from, bytes) = (address.offset as usize, ty.elem.bytes() as usize);
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(&arguments[from..from + bytes]);
                    u64::from_le_bytes(word)
                }
                InstData::Binary { op, args: [a, b] } => ir::eval::binary(*op, func.ty(*a).elem, values[*a], values[*b]),
                InstData::Convert { op, arg, .. } => {
                    let unused = 64 - bits(*arg);
                    let number = match op {
                        ConvertOp::SExt => ((values[*arg] << unused) as i64 >> unused) as u64,
                        _ => values[*arg],
                    };
                    number & mask(bits(func.result(inst)))
                }
                InstData::IntCompare { cc, args: [a, b] } => {
                    let unused = 64 - bits(*a);
                    let [a, b] = [a, b].map(|&value| values[value]);
                    let [signed_a, signed_b] = [a, b].map(|number| (number << unused) as i64);
                    u64::from(match cc {
                        IntCc::Sge => signed_a >= signed_b,
                        IntCc::Slt => signed_a < signed_b,
                        IntCc::Uge => a >= b,
                        _ => panic!("{cc:?}"),
                    })
                }
                InstData::Store { value, address, .. } => {
                    let index = address.index.map_or(0, |index| values[index]);
                    stored.push((index, values[*value]));
                    0
                }
                InstData::Jump { target } => {
                    next = Some(target.block);
                    0
                }
                InstData::Branch { condition, targets } => {
                    next = Some(targets[usize::from(values[*condition] == 0)].block);
                    0
                }
                _ => 0,
            };
            if let Some(&value) = node.results.first() {
                values[value] = result;
            }
        }
        match next {
            Some(block) => at = block,
            None => return stored,
        }
    }
}

/// The sizes of a launch of so many ids, whose work-items store what they did before; none if it stays as it is.
fn sizes(lines: &str, ids: u64, numbers: [i32; 4]) -> Option<[u64; 2]> {
    let (func, arguments) = (kernel(lines), block(numbers));
    verify(&func, None).expect("the test's kernel keeps the rules");
    let unfolded = unfold(&func, 0)?;
    if let Err(error) = verify(&unfolded.func, None) {
        panic!("{error}\n{}", unfolded.func);
    }
    let [row, rows] = unfolded.sizes.of(ids, &arguments)?;
    for id in 0..ids {
        let expected = stored(&func, [id, 0, 0], &arguments);
        let found = match id < row * rows {
            true => stored(&unfolded.func, [id % row, id / row, 0], &arguments),
            false => Vec::new(),
        };
        assert_eq!(found, expected, "id {id} with {numbers:?}:\n{}", unfolded.func);
    }
    Some([row, rows])
}

const BY_W: &str = "  v50 = srem v3, v5\n  v51 = sdiv v3, v5";

#[test]
fn rows_are_as_long_as_arguments_say() {
    let of = |w| sizes(BY_W, 120, [0, w, 0, 0]);
    assert_eq!([20, 1, 120].map(of), [Some([20, 6]), Some([1, 120]), Some([120, 1])]);
    // The end is in a row; there are no rows.
    assert_eq!([7, 121, 0, -20, i32::MIN].map(of), [None; 5]);
    let unsigned = "  v50 = urem v3, v5\n  v51 = udiv v3, v5";
    assert_eq!([20, 0, -1].map(|w| sizes(unsigned, 120, [0, w, 0, 0])), [Some([20, 6]), None, None]);
    let long = "  v9 = urem v2, v8\n  v10 = udiv v2, v8\n  v50 = trunc.i32 v9 rte\n  v51 = trunc.i32 v10 rte";
    assert_eq!([20, -20].map(|w| sizes(long, 120, [0, w, 0, 0])), [Some([20, 6]), None]);
    let extended = "  v9 = sext.i64 v5 rte\n  v10 = urem v2, v9\n  v11 = udiv v2, v9\n  v50 = trunc.i32 v10 rte\n  v51 = trunc.i32 v11 rte";
    assert_eq!([20, -20].map(|w| sizes(extended, 120, [0, w, 0, 0])), [Some([20, 6]), None]);
    // Half of it, and what is left of its multiples.
    assert_eq!(sizes("  v50 = sdiv v3, v5\n  v51 = add v50, v3", 120, [0, 20, 0, 0]), Some([20, 6]));
    assert_eq!(
        sizes("  v50 = sdiv v3, v5\n  v9 = mul v50, v5\n  v51 = sub v3, v9", 120, [0, 20, 0, 0]),
        Some([20, 6])
    );
}

#[test]
fn rows_are_as_long_as_numbers_say() {
    let by = |constant: u32| {
        sizes(
            &format!("  v9 = const.i32 {constant}\n  v50 = srem v3, v9\n  v51 = sdiv v3, v9"),
            120,
            [0; 4],
        )
    };
    assert_eq!([20, 60, 7].map(by), [Some([20, 6]), Some([60, 2]), None]);
    let bits = "  v9 = const.i32 31\n  v10 = const.i32 5\n  v50 = and v3, v9\n  v51 = lshr v3, v10";
    assert_eq!([128, 127].map(|ids| sizes(bits, ids, [0; 4])), [Some([32, 4]), None]);
    // As numbers with a sign are divided.
    let signed = "  v9 = const.i32 31\n  v10 = ashr v3, v9\n  v11 = const.i32 27\n  v12 = lshr v10, v11\n  v13 = add v3, v12\n  \
                  v14 = const.i32 -32\n  v15 = and v13, v14\n  v50 = sub v3, v15\n  v16 = const.i32 5\n  v51 = ashr v13, v16";
    assert_eq!(sizes(signed, 128, [0; 4]), Some([32, 4]));
    let less = "  v9 = const.i32 -2\n  v10 = add v5, v9\n  v50 = srem v3, v10\n  v51 = sdiv v3, v10";
    assert_eq!([22, 1].map(|w| sizes(less, 120, [0, w, 0, 0])), [Some([20, 6]), None]);
}

#[test]
fn planes_are_rows_of_rows() {
    let by_planes =
        "  v9 = mul v5, v6\n  v10 = sdiv v3, v9\n  v11 = sdiv v3, v5\n  v50 = srem v11, v6\n  v12 = srem v3, v5\n  v51 = add v12, v10";
    assert_eq!(sizes(by_planes, 120, [0, 20, 3, 0]), Some([20, 6]));
    let what_is_left = "  v9 = mul v5, v6\n  v10 = sdiv v3, v9\n  v11 = mul v10, v5\n  v12 = mul v11, v6\n  v13 = sub v3, v12\n  \
                        v50 = sdiv v13, v5\n  v14 = mul v50, v5\n  v51 = sub v13, v14";
    assert_eq!(sizes(what_is_left, 120, [0, 20, 3, 0]), Some([20, 6]));
    let of_remainders = "  v9 = mul v6, v5\n  v10 = srem v3, v9\n  v50 = sdiv v10, v5\n  v51 = srem v10, v5";
    assert_eq!(
        [3, 0, 1 << 30].map(|h| sizes(of_remainders, 120, [0, 20, h, 0])),
        [Some([20, 6]), None, None]
    );
    // Then the second dimension becomes two.
    let planes = |lines: &str| {
        let rows = unfold(&kernel(lines), 0).expect("it takes ids apart");
        let planes = unfold(&rows.func, 1).expect("it takes rows apart");
        assert_eq!(planes.sizes.of(6, &block([0, 20, 3, 0])), Some([3, 2]));
        for id in 0..120 {
            let expected = stored(&kernel(lines), [id, 0, 0], &block([0, 20, 3, 0]));
            let found = stored(&planes.func, [id % 20, id / 20 % 3, id / 60], &block([0, 20, 3, 0]));
            assert_eq!(found, expected, "id {id}:\n{}", planes.func);
        }
    };
    for lines in [by_planes, what_is_left, of_remainders] {
        planes(lines);
    }
}

#[test]
fn work_items_leave_behind_the_last_row() {
    let guarded = |condition: &str| format!("{condition}\n  branch v40, block9, block1\nblock1:\n{BY_W}");
    let below = guarded("  v40 = icmp.sge v3, v4");
    assert_eq!(
        [120, 119, -1].map(|n| sizes(&below, 128, [n, 20, 0, 0])),
        [Some([20, 6]), None, None]
    );
    // More than there are.
    assert_eq!(sizes(&below, 120, [1000, 20, 0, 0]), Some([20, 6]));
    let product = guarded("  v9 = mul v5, v6\n  v40 = icmp.sge v3, v9");
    assert_eq!([6, 0].map(|h| sizes(&product, 128, [0, 20, h, 0])), [Some([20, 6]), None]);
    let rows = guarded("  v9 = sdiv v3, v5\n  v10 = srem v3, v5\n  v11 = icmp.sge v9, v6\n  v12 = icmp.sge v10, v5\n  v40 = or v11, v12");
    assert_eq!(
        [6, 7, 5].map(|h| sizes(&rows, 128, [0, 20, h, 0])),
        [Some([20, 6]), None, Some([20, 5])]
    );
    let stays = format!("  v40 = icmp.slt v3, v4\n  branch v40, block1, block9\nblock1:\n{BY_W}");
    assert_eq!(sizes(&stays, 128, [120, 20, 0, 0]), Some([20, 6]));
    // It leaves below the number, or does something first.
    assert_eq!(sizes(&guarded("  v40 = icmp.slt v3, v4"), 120, [7, 20, 0, 0]), Some([20, 6]));
    let late = guarded("  store v3, global align 4 [v1]\n  v40 = icmp.sge v3, v4");
    assert_eq!([120, 128].map(|ids| sizes(&late, ids, [100, 20, 0, 0])), [Some([20, 6]), None]);
}

#[test]
fn what_is_not_taken_apart() {
    let stays = |lines: &str| unfold(&kernel(lines), 0).is_none();
    assert!(!stays(BY_W));
    let others = [
        ("two widths", "  v50 = srem v3, v5\n  v51 = sdiv v3, v6"),
        ("two numbers", "  v9 = const.i32 100\n  v50 = srem v3, v5\n  v51 = sdiv v3, v9"),
        (
            "a width from memory",
            "  v9 = load.i32 global align 4 [v1]\n  v50 = srem v3, v9\n  v51 = sdiv v3, v9",
        ),
        ("a width that varies", "  v9 = add v3, v5\n  v50 = srem v3, v9\n  v51 = sdiv v3, v9"),
        (
            "what may be negative",
            "  v9 = sub v3, v4\n  v50 = srem v9, v5\n  v51 = sdiv v9, v5",
        ),
        ("an id that is moved", "  v9 = add v3, v4\n  v50 = srem v9, v5\n  v51 = sdiv v9, v5"),
        (
            "16 bits",
            "  v9 = trunc.i16 v3 rte\n  v10 = trunc.i16 v5 rte\n  v50 = srem v9, v10\n  v51 = sdiv v9, v10",
        ),
        ("short rows", "  v9 = const.i32 2\n  v50 = srem v3, v9\n  v51 = sdiv v3, v9"),
        ("only the id", "  v50 = mul v3, v5\n  v51 = add v3, v5"),
        (
            "the size",
            "  v9 = builtin global_size 0\n  v50 = srem v3, v5\n  v51 = trunc.i32 v9 rte",
        ),
        ("dimensions", "  v51 = builtin work_dim\n  v50 = srem v3, v5"),
        (
            "an offset",
            "  v9 = builtin global_offset 0\n  v50 = srem v3, v5\n  v51 = trunc.i32 v9 rte",
        ),
        (
            "a group",
            "  v9 = builtin group_id 0\n  v50 = srem v3, v5\n  v51 = trunc.i32 v9 rte",
        ),
        (
            "three dimensions",
            "  v9 = builtin global_id 1\n  v10 = builtin global_id 2\n  v11 = add v9, v10\n  v50 = srem v3, v5\n  v51 = trunc.i32 v11 rte",
        ),
    ];
    for (what, lines) in others {
        assert!(stays(lines), "{what}");
    }
    // Halves of columns are no rows.
    let halves = "  v9 = const.i32 128\n  v10 = const.i32 1\n  v11 = urem v3, v9\n  v50 = lshr v11, v10\n  v51 = udiv v3, v9";
    assert_eq!(sizes(halves, 256, [0; 4]), Some([128, 2]));
}

#[test]
fn the_second_dimension_is_moved() {
    let lines = "  v9 = builtin global_id 1\n  v10 = trunc.i32 v9 rte\n  v50 = srem v3, v5\n  v11 = sdiv v3, v5\n  v51 = sub v11, v10";
    let unfolded = unfold(&kernel(lines), 0).expect("it takes ids apart");
    assert!(unfolded.is_moved && unfold(&unfolded.func, 1).is_none());
    let arguments = block([0, 20, 0, 0]);
    for (id, other) in [(0, 0), (59, 1), (119, 2)] {
        let expected = stored(&kernel(lines), [id, other, 0], &arguments);
        assert_eq!(stored(&unfolded.func, [id % 20, id / 20, other], &arguments), expected);
    }
}

#[test]
fn accesses_that_rows_tell_are_counted() {
    let work = |index: &str| {
        let lines =
            format!("  v9 = srem v3, v5\n  v10 = sext.i64 v9 rte\n  v50 = load.i32 global align 4 [v1 + {index} * 4]\n  v51 = sdiv v3, v5");
        unfold(&kernel(&lines), 0).expect("it takes ids apart").work
    };
    assert_eq!((work("v10").accesses, work("v2").accesses), (1.0, 0.0));
    assert_eq!(work("v2").instructions, 17.0);
}
