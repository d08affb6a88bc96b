//! `if (i >= n) return;` before a barrier: undefined by the letter, in every second program, and right on every GPU. Here too.

use brolga_tests::{Context, Local, Range};

const LOCAL: usize = 32;
const GLOBAL: usize = 128;
const UNTOUCHED: i32 = -77;

#[test]
fn right_for_every_n_and_nothing_beyond() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *r, int n, local int *t) {
        int i = get_global_id(0), l = get_local_id(0);
        if (i >= n) return;
        t[l] = a[i] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = i - l;
        int live = min(n - before, (int)get_local_size(0));
        r[i] = t[live - 1 - l] + t[(l + 1) % live];
    }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let values: Vec<i32> = (0..GLOBAL as i32).map(|i| i * i % 1009).collect();
    let a = context.buffer(&values);
    for n in 0..=GLOBAL {
        let r = context.buffer(&[UNTOUCHED; GLOBAL + 64]);
        kernel.run(
            &context,
            &Range::new([GLOBAL]).local([LOCAL]),
            &[&a, &r, &(n as i32), &Local(4 * LOCAL)],
        );
        let want = |i: usize| {
            if i >= n {
                return UNTOUCHED;
            }
            let (group, l) = (i / LOCAL * LOCAL, i % LOCAL);
            let live = (n - group).min(LOCAL);
            (values[group + live - 1 - l] + values[group + (l + 1) % live]) * 2
        };
        assert_eq!(r.read(), (0..GLOBAL + 64).map(want).collect::<Vec<_>>(), "n = {n}");
    }
}

#[test]
fn with_barriers_in_a_loop() {
    let context = Context::new();
    let source = "kernel void k(global int *r, int n, local int *t) {
        int i = get_global_id(0), l = get_local_id(0);
        if (i >= n) return;
        int live = min(n - (i - l), (int)get_local_size(0)), v = l;
        for (int round = 0; round < 4; round++) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v += t[(l + 1) % live];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        r[i] = v;
    }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    for n in 0..=GLOBAL {
        let r = context.buffer(&[UNTOUCHED; GLOBAL]);
        kernel.run(
            &context,
            &Range::new([GLOBAL]).local([LOCAL]),
            &[&r, &(n as i32), &Local(4 * LOCAL)],
        );
        let mut want = [UNTOUCHED; GLOBAL];
        for group in want[..n].chunks_mut(LOCAL) {
            let live = group.len();
            let mut v: Vec<i32> = (0..live as i32).collect();
            for _ in 0..4 {
                v = (0..live).map(|l| v[l] + v[(l + 1) % live]).collect();
            }
            group.copy_from_slice(&v);
        }
        assert_eq!(r.read(), want, "n = {n}");
    }
}

#[test]
fn lanes_that_leave_in_the_middle() {
    let context = Context::new();
    // Work-item l leaves before round l % 5; the others go on through the barriers.
    let source = "kernel void k(global int *r, local int *t) {
        int i = get_global_id(0), l = get_local_id(0);
        t[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round = 0; round < 5; round++) {
            if (l % 5 == round) { r[i] = t[l] + round; return; }
            t[l] += l;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }";
    let program = context.program(source, "");
    let r = context.buffer(&[UNTOUCHED; GLOBAL]);
    program
        .kernel("k")
        .run(&context, &Range::new([GLOBAL]).local([LOCAL]), &[&r, &Local(4 * LOCAL)]);
    let want = |i: usize| {
        let l = (i % LOCAL) as i32;
        l * (l % 5) + l % 5
    };
    assert_eq!(r.read(), (0..GLOBAL).map(want).collect::<Vec<_>>());
}
