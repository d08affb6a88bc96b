//! Barriers and local memory.

use brolga_tests::{Context, Local, Range};

const GROUPS: [(usize, usize); 7] = [(1, 1), (8, 8), (64, 16), (60, 20), (39, 13), (256, 128), (512, 256)];

#[test]
fn neighbours_see_each_other() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *r, local int *t) {
        size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        r[i] = t[(l + 1) % n] * 1000 + t[n - 1 - l];
    }";
    let program = context.program(source, "");
    for (global, local) in GROUPS {
        let values: Vec<i32> = (0..global as i32).map(|i| i * 7 % 1000).collect();
        let (a, r) = (context.buffer(&values), context.zeros::<i32>(global));
        program
            .kernel("k")
            .run(&context, &Range::new([global]).local([local]), &[&a, &r, &Local(4 * local)]);
        let want = (0..global).map(|i| {
            let (group, l) = (i / local * local, i % local);
            values[group + (l + 1) % local] * 1000 + values[group + local - 1 - l]
        });
        let want: Vec<i32> = want.collect();
        assert_eq!(r.read(), want, "{global} in groups of {local}");
    }
}

#[test]
fn a_reduction_with_barriers_in_a_loop() {
    let context = Context::new();
    let source = "kernel void k(global const uint *a, global uint *sums) {
        local uint t[256];
        uint l = get_local_id(0);
        t[l] = a[get_global_id(0)];
        for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < s) t[l] += t[l + s];
        }
        if (l == 0) sums[get_group_id(0)] = t[0];
    }";
    let program = context.program(source, "");
    for local in [1, 2, 8, 64, 256] {
        let values: Vec<u32> = (0..2048u32).map(|i| i.wrapping_mul(2654435761) >> 7).collect();
        let (a, sums) = (context.buffer(&values), context.zeros::<u32>(2048 / local));
        program.kernel("k").run(&context, &Range::new([2048]).local([local]), &[&a, &sums]);
        let want: Vec<u32> = values
            .chunks(local)
            .map(|group| group.iter().fold(0u32, |sum, v| sum.wrapping_add(*v)))
            .collect();
        assert_eq!(sums.read(), want, "groups of {local}");
    }
}

/// Work-items near the start of the group have none that many before them: their difference of ids goes below 0, and is not used.
#[test]
fn a_scan_whose_distances_double() {
    let context = Context::new();
    let source = "kernel void k(global const uint *a, global uint *sums) {
        local uint t[256];
        uint l = get_local_id(0), n = get_local_size(0);
        t[l] = a[get_global_id(0)];
        for (uint d = 1; d < n; d <<= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint before = l >= d ? t[l - d] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] += before;
        }
        sums[get_global_id(0)] = t[l];
    }";
    let program = context.program(source, "");
    for local in [1, 5, 8, 24, 64, 256] {
        let values: Vec<u32> = (0..2 * local as u32).map(|i| i.wrapping_mul(2654435761) >> 7).collect();
        let (a, sums) = (context.buffer(&values), context.zeros::<u32>(2 * local));
        program
            .kernel("k")
            .run(&context, &Range::new([2 * local]).local([local]), &[&a, &sums]);
        let scan = |group: &[u32]| {
            let sums = group.iter().scan(0u32, |sum, v| {
                *sum = sum.wrapping_add(*v);
                Some(*sum)
            });
            sums.collect::<Vec<u32>>()
        };
        let want: Vec<u32> = values.chunks(local).flat_map(scan).collect();
        assert_eq!(sums.read(), want, "groups of {local}");
    }
}

#[test]
fn a_tiled_product_of_matrices() {
    let context = Context::new();
    let source = "kernel void k(global const float *a, global const float *b, global float *c, int n) {
        local float ta[8][8], tb[8][8];
        int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
        float sum = 0;
        for (int t = 0; t < n; t += 8) {
            ta[ly][lx] = a[y * n + t + lx];
            tb[ly][lx] = b[(t + ly) * n + x];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < 8; k++) sum += ta[ly][k] * tb[k][lx];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        c[y * n + x] = sum;
    }";
    let program = context.program(source, "");
    let n = 48;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32 - 6.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let (ba, bb, c) = (context.buffer(&a), context.buffer(&b), context.zeros::<f32>(n * n));
    program
        .kernel("k")
        .run(&context, &Range::new([n, n]).local([8, 8]), &[&ba, &bb, &c, &(n as i32)]);
    let want: Vec<f32> = (0..n * n)
        .map(|i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
        .collect();
    assert_eq!(c.read(), want);
}

#[test]
fn private_values_live_across_barriers() {
    let context = Context::new();
    let source = "kernel void k(global int *r, local int *t) {
        int l = get_local_id(0), n = get_local_size(0), keep = l * 3 + 1, other[4];
        for (int j = 0; j < 4; j++) other[j] = l + j;
        int sum = 0;
        for (int round = 0; round < 5; round++) {
            t[l] = keep + round;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += t[(l + round) % n] + other[round & 3];
            barrier(CLK_LOCAL_MEM_FENCE);
            keep ^= sum;
        }
        r[get_global_id(0)] = sum + keep;
    }";
    let program = context.program(source, "");
    for (global, local) in GROUPS {
        let r = context.zeros::<i32>(global);
        program
            .kernel("k")
            .run(&context, &Range::new([global]).local([local]), &[&r, &Local(4 * local)]);
        let n = local as i32;
        let mut keep: Vec<i32> = (0..n).map(|l| l * 3 + 1).collect();
        let mut sum = vec![0i32; local];
        for round in 0..5 {
            let t: Vec<i32> = keep.iter().map(|k| k + round).collect();
            for l in 0..local {
                sum[l] += t[(l + round as usize) % local] + l as i32 + (round & 3);
                keep[l] ^= sum[l];
            }
        }
        let want: Vec<i32> = (0..global).map(|i| sum[i % local] + keep[i % local]).collect();
        assert_eq!(r.read(), want, "{global} in groups of {local}");
    }
}

#[test]
fn barriers_under_a_condition_that_all_share() {
    let context = Context::new();
    let source = "kernel void k(global int *r, int twice, local int *t) {
        int l = get_local_id(0), n = get_local_size(0), v = l;
        if (twice) {
            t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[n - 1 - l]; barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (get_group_id(0) & 1) {
            t[l] = v * 2; barrier(CLK_LOCAL_MEM_FENCE); v += t[(l + 1) % n]; barrier(CLK_LOCAL_MEM_FENCE);
        }
        r[get_global_id(0)] = v;
    }";
    let program = context.program(source, "");
    for twice in [0, 1] {
        for (global, local) in GROUPS {
            let r = context.zeros::<i32>(global);
            program
                .kernel("k")
                .run(&context, &Range::new([global]).local([local]), &[&r, &twice, &Local(4 * local)]);
            let n = local as i32;
            let first = |l: i32| if twice == 1 { n - 1 - l } else { l };
            let want = |i: usize| {
                let l = (i % local) as i32;
                first(l) + if (i / local) & 1 == 1 { first((l + 1) % n) * 2 } else { 0 }
            };
            assert_eq!(
                r.read(),
                (0..global).map(want).collect::<Vec<_>>(),
                "twice {twice}, {global} in groups of {local}"
            );
        }
    }
}

#[test]
fn barriers_in_a_function() {
    let context = Context::new();
    let source = "int exchange(local int *t, int l, int n, int v) {
        t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); int w = t[n - 1 - l]; barrier(CLK_LOCAL_MEM_FENCE); return w;
    }
    kernel void k(global int *r, local int *t) {
        int l = get_local_id(0), n = get_local_size(0);
        r[get_global_id(0)] = exchange(t, l, n, exchange(t, l, n, l * l) + l);
    }";
    let program = context.program(source, "");
    for (global, local) in GROUPS {
        let r = context.zeros::<i32>(global);
        program
            .kernel("k")
            .run(&context, &Range::new([global]).local([local]), &[&r, &Local(4 * local)]);
        let n = local as i32;
        let want = |i: usize| {
            let other = n - 1 - (i % local) as i32;
            (n - 1 - other) * (n - 1 - other) + other
        };
        assert_eq!(r.read(), (0..global).map(want).collect::<Vec<_>>(), "{global} in groups of {local}");
    }
}

#[test]
fn global_memory_is_seen_behind_a_barrier() {
    let context = Context::new();
    let source = "kernel void k(global int *a, global int *r) {
        size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
        a[i] = i * 3;
        barrier(CLK_GLOBAL_MEM_FENCE);
        r[i] = a[i - l + (l * 5 + 1) % n];
    }";
    let program = context.program(source, "");
    for (global, local) in GROUPS {
        let (a, r) = (context.zeros::<i32>(global), context.zeros::<i32>(global));
        program.kernel("k").run(&context, &Range::new([global]).local([local]), &[&a, &r]);
        let want = |i: usize| ((i / local * local + (i % local * 5 + 1) % local) * 3) as i32;
        assert_eq!(r.read(), (0..global).map(want).collect::<Vec<_>>(), "{global} in groups of {local}");
    }
}

#[test]
fn local_memory_of_several_variables_and_arguments() {
    let context = Context::new();
    let source = "kernel void k(global int *r, local char *c, local double *d, local int *e) {
        local short s[3]; local long q[70];
        size_t l = get_local_id(0), n = get_local_size(0);
        c[l] = l; d[l] = l * 0.5; e[l] = l * 4; q[l] = l * 8; if (l < 3) s[l] = l + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        size_t m = n - 1 - l;
        r[get_global_id(0)] = c[m] + (int)(d[m] * 2) * 100 + e[m] + (int)q[m] + s[l % min(n, (size_t)3)] * 100000;
    }";
    let program = context.program(source, "");
    for local in [1, 5, 32, 64] {
        let r = context.zeros::<i32>(local * 3);
        let arguments = (Local(local), Local(8 * local), Local(4 * local));
        program.kernel("k").run(
            &context,
            &Range::new([local * 3]).local([local]),
            &[&r, &arguments.0, &arguments.1, &arguments.2],
        );
        let want = |i: usize| {
            let (l, m) = (i % local, local - 1 - i % local);
            (m + m * 100 + m * 4 + m * 8 + (l % local.min(3) + 1) * 100000) as i32
        };
        assert_eq!(r.read(), (0..local * 3).map(want).collect::<Vec<_>>(), "groups of {local}");
    }
}

#[test]
fn barriers_in_two_halves() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *r, local int *t) {
        size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
        t[l] = a[i];
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
        int mine = a[i] * 3;
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
        r[i] = t[(l + 1) % n] + mine;
    }";
    let program = context.program(source, "-cl-std=CL3.0");
    for (global, local) in GROUPS {
        let values: Vec<i32> = (0..global as i32).map(|i| i * 7 % 1000).collect();
        let (a, r) = (context.buffer(&values), context.zeros::<i32>(global));
        program
            .kernel("k")
            .run(&context, &Range::new([global]).local([local]), &[&a, &r, &Local(4 * local)]);
        let next = |i: usize| values[i / local * local + (i % local + 1) % local];
        let want: Vec<i32> = (0..global).map(|i| next(i) + values[i] * 3).collect();
        assert_eq!(r.read(), want, "{global} in groups of {local}");
    }
}
