//! Loops over a grid: a work-item takes each number that is its own modulo the grid's size, as far as anybody can see.

use brolga_tests::{Context, Range};

/// Grids and the sizes of their groups.
const GRIDS: [(usize, usize); 6] = [(1024, 256), (256, 64), (64, 32), (96, 32), (48, 16), (40, 8)];

/// How far loops go over a grid.
fn ends(grid: usize) -> [usize; 12] {
    [0, 1, 5, 63, 64, 65, grid - 1, grid, grid + 1, 2 * grid, 3 * grid + 17, 10_000]
}

#[test]
fn each_number_is_met_once() {
    let context = Context::new();
    let loops = [
        ("int", "for (int i = get_global_id(0); i < n; i += get_global_size(0))"),
        ("int", "for (uint i = get_global_id(0); i < (uint)n; i += get_global_size(0))"),
        ("int", "for (size_t i = get_global_id(0); i < n; i += get_global_size(0))"),
        ("long", "for (long i = get_global_id(0); i < n; i += get_global_size(0))"),
        ("uint", "for (size_t i = get_global_id(0); i < n; i += get_global_size(0))"),
        (
            "long",
            "int lid = get_local_id(0), step = get_global_size(0), start = get_local_size(0) * get_group_id(0); long i;
             for (i = start + lid; i < n; i += step)",
        ),
        (
            "int",
            "for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); n > i; i += get_local_size(0) * get_num_groups(0))",
        ),
    ];
    let bodies = [
        "out[i] = 3 * a[i] + out[i];",
        "if (a[i] % 3) out[i] = 3 * a[i] + out[i]; else out[i] += 3 * a[i];",
        "int2 p = vload2(i, pairs); vstore2((int2)(p.x + a[i], p.y + 1), i, pairs); out[i] += 3 * a[i];",
    ];
    for (ty, head) in loops {
        for body in bodies {
            let source =
                format!("kernel void k(global const int *a, global int *out, global int *pairs, {ty} n) {{ {head} {{ {body} }} }}");
            let program = context.program(&source, "");
            let kernel = program.kernel("k");
            for (grid, local) in GRIDS {
                for n in ends(grid) {
                    let a: Vec<i32> = (0..n + 70).map(|i| i as i32 * 7 % 1013).collect();
                    let start: Vec<i32> = (0..n + 70).map(|i| -(i as i32)).collect();
                    let (out, pairs) = (context.buffer(&start), context.buffer(&vec![5i32; 2 * (n + 70)]));
                    let range = Range::new([grid]).local([local]);
                    match ty {
                        "long" => kernel.run(&context, &range, &[&context.buffer(&a), &out, &pairs, &(n as i64)]),
                        _ => kernel.run(&context, &range, &[&context.buffer(&a), &out, &pairs, &(n as i32)]),
                    };
                    let expected = |i: usize| start[i] + if i < n { 3 * a[i] } else { 0 };
                    let what = format!("{n} in a grid of {grid}, groups of {local}: {head} {body}");
                    assert_eq!(out.read(), (0..n + 70).map(expected).collect::<Vec<_>>(), "{what}");
                    if body.contains("pairs") {
                        let pair = |i: usize| if i < n { [5 + a[i], 6] } else { [5, 5] };
                        assert_eq!(pairs.read(), (0..n + 70).flat_map(pair).collect::<Vec<_>>(), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn ends_below_zero_are_none() {
    let context = Context::new();
    let source = "kernel void k(global int *out, int n) {
        for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = 1;
    }";
    let program = context.program(source, "");
    let out = context.buffer(&[0i32; 64]);
    program.kernel("k").run(&context, &Range::new([64]).local([32]), &[&out, &-7i32]);
    assert_eq!(out.read(), vec![0i32; 64]);
}

/// What is expected at a place.
type Expected<'a> = Box<dyn Fn(usize) -> i32 + 'a>;

#[test]
fn turns_that_know_each_other_stay_in_order() {
    let context = Context::new();
    let (grid, local, n) = (256usize, 64usize, 2000usize);
    let a: Vec<i32> = (0..n).map(|i| i as i32 * 7 % 1013).collect();
    let sum_of_turns = |i: usize| (i % grid..=i).step_by(grid).map(|i| a[i]).sum::<i32>();
    let head = "for (int i = get_global_id(0); i < n; i += get_global_size(0))";
    let kernels: [(&str, String, Expected<'_>); 6] = [
        (
            "what the turn before has written is read",
            format!("int g = get_global_size(0); {head} out[i] = a[i] + (i >= g ? out[i - g] : 0);"),
            Box::new(sum_of_turns),
        ),
        (
            "what the turn before has reckoned is used",
            format!("int s = 0; {head} {{ s += a[i]; out[i] = s; }}"),
            Box::new(sum_of_turns),
        ),
        (
            "the work-item is seen",
            format!("{head} out[i] = get_global_id(0) * 1000 + get_local_id(0);"),
            Box::new(move |i| ((i % grid) * 1000 + i % local) as i32),
        ),
        (
            "the group is seen",
            format!("int g = get_group_id(0); {head} out[i] = g;"),
            Box::new(move |i| ((i % grid) / local) as i32),
        ),
        (
            "another loop with another end reads it",
            format!("{head} out[i] = a[i]; n -= 300; {head} out[i] += 1;"),
            Box::new(|i| a[i] + i32::from(i < n - 300)),
        ),
        (
            "some work-items don't take part",
            format!("if (get_global_id(0) % 3 != 0) {head} out[i] = a[i];"),
            Box::new(|i| if (i % grid) % 3 != 0 { a[i] } else { -1 }),
        ),
    ];
    for (why, body, expected) in kernels {
        let source = format!("kernel void k(global const int *a, global int *out, int n) {{ {body} }}");
        let program = context.program(&source, "");
        let out = context.buffer(&vec![-1i32; n]);
        program.kernel("k").run(
            &context,
            &Range::new([grid]).local([local]),
            &[&context.buffer(&a), &out, &(n as i32)],
        );
        assert_eq!(out.read(), (0..n).map(expected).collect::<Vec<_>>(), "{why}");
    }
}

#[test]
fn one_buffer_twice_is_seen_by_iteration() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *out, int n, int by) {
        for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i + by] = a[i] + 1;
    }";
    let program = context.program(source, "");
    let (grid, n) = (64usize, 640usize);
    let both = context.buffer(&vec![0i32; n + grid]);
    program.kernel("k").run(
        &context,
        &Range::new([grid]).local([32]),
        &[&both, &both, &(n as i32), &(grid as i32)],
    );
    let expected: Vec<i32> = (0..n + grid).map(|i| (i / grid) as i32).collect();
    assert_eq!(both.read(), expected);
}

#[test]
fn rows_have_grids_of_their_own() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *out, int n) {
        int row = get_global_id(1);
        for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[row * n + i] = a[i] + row;
    }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    for (width, local) in [(64, [16, 4]), (32, [32, 1]), (128, [64, 2])] {
        for n in [1usize, 31, 64, 130, 1000] {
            let a: Vec<i32> = (0..n).map(|i| i as i32 * 7 % 1013).collect();
            let out = context.buffer(&vec![-1i32; 8 * n]);
            kernel.run(
                &context,
                &Range::new([width, 8]).local(local),
                &[&context.buffer(&a), &out, &(n as i32)],
            );
            let expected: Vec<i32> = (0..8 * n).map(|at| a[at % n] + (at / n) as i32).collect();
            assert_eq!(out.read(), expected, "{n} in rows of {width}, groups of {local:?}");
        }
    }
}
