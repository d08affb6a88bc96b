//! Atomic operations on global and local memory.

use brolga_tests::{Context, Local, Range};

const COUNT: usize = 10_000;

#[test]
fn on_global_memory() {
    let context = Context::new();
    let source = "kernel void k(global int *a, global uint *u) {
        int i = get_global_id(0);
        atomic_add(&a[0], i); atomic_sub(&a[1], i); atomic_inc(&a[2]); atomic_dec(&a[3]);
        atomic_min(&a[4], -i); atomic_max(&a[5], i); atomic_or(&a[6], 1 << (i & 31)); atomic_and(&a[7], ~(1 << (i % 20))); atomic_xor(&a[8], i);
        atomic_max(&u[0], 4000000000u + i); atomic_min(&u[1], 4000000000u + i);
    }";
    let program = context.program(source, "");
    let (a, u) = (context.buffer(&[0, 0, 0, 0, 0, 0, 0, -1, 0]), context.buffer(&[0u32, u32::MAX]));
    program.kernel("k").run(&context, &Range::new([COUNT]), &[&a, &u]);
    let n = COUNT as i32;
    let sum = n * (n - 1) / 2;
    let xor = (0..n).fold(0, |x, i| x ^ i);
    assert_eq!(a.read(), [sum, -sum, n, -n, 1 - n, n - 1, -1, -1 << 20, xor]);
    assert_eq!(u.read(), [4_000_000_000 + COUNT as u32 - 1, 4_000_000_000]);
}

#[test]
fn each_result_is_given_once() {
    let context = Context::new();
    let source = "kernel void k(global int *next, global int *seen) { seen[atomic_inc(next)] = 1 + get_global_id(0); }";
    let program = context.program(source, "");
    let (next, seen) = (context.zeros::<i32>(1), context.zeros::<i32>(COUNT));
    program.kernel("k").run(&context, &Range::new([COUNT]), &[&next, &seen]);
    let mut seen = seen.read();
    seen.sort();
    assert_eq!(seen, (1..=COUNT as i32).collect::<Vec<_>>());
}

#[test]
fn exchange_and_compare() {
    let context = Context::new();
    let source = "kernel void k(global int *a, global float *f, global int *won) {
        int i = get_global_id(0);
        atomic_xchg(&a[1], i); atomic_xchg(&f[0], (float)i);
        if (atomic_cmpxchg(&a[0], 0, i + 1) == 0) atomic_inc(won);
        int old, new;
        do { old = a[2]; new = old + 3; } while (atomic_cmpxchg((volatile global int *)&a[2], old, new) != old);
    }";
    let program = context.program(source, "");
    let (a, f, won) = (context.zeros::<i32>(3), context.buffer(&[-1f32]), context.zeros::<i32>(1));
    program.kernel("k").run(&context, &Range::new([COUNT]), &[&a, &f, &won]);
    let a = a.read();
    assert_eq!(won.read(), [1]);
    assert!((1..=COUNT as i32).contains(&a[0]) && (0..COUNT as i32).contains(&a[1]), "{a:?}");
    assert_eq!(a[2], 3 * COUNT as i32);
    assert!((0.0..COUNT as f32).contains(&f.read()[0]));
}

/// Operations that atomics lack are tried until nobody came in between: each is done once, on places of one's own and on one for all.
#[test]
fn exchanges_that_are_tried_again() {
    let context = Context::new();
    let source = "
    void add(volatile global float *p, float x) {
        union { uint u; float f; } old, new;
        do { old.f = *p; new.f = old.f + x; } while (atomic_cmpxchg((volatile global uint *)p, old.u, new.u) != old.u);
    }
    kernel void sums(global float *s, global int *turns, int n) {
        int i = get_global_id(0);
        if (i >= n) return;
        add(&s[i % 7], 1.0f);
        if (i % 3) add(&s[7], 2.0f);
        // The product of all, odd numbers only; and how often each has succeeded.
        uint seen = turns[0], expected;
        do {
            expected = seen;
            seen = atomic_cmpxchg((volatile global uint *)&turns[0], expected, expected * (uint)(2 * i + 1));
        } while (seen != expected);
        atomic_inc(&turns[1]);
    }
    kernel void greatest(global uint *m, int n) {
        int i = get_global_id(0);
        if (i >= n) return;
        uint mine = i * 2654435761u, seen = m[i & 3];
        while (seen < mine) {
            uint old = atomic_cmpxchg((volatile global uint *)&m[i & 3], seen, mine);
            if (old == seen) break;
            seen = old;
        }
    }";
    let program = context.program(source, "");
    let n = COUNT as i32;
    let product = (0..n as u32).fold(1u32, |product, i| product.wrapping_mul(2 * i + 1));
    let mut greatest = [0u32; 4];
    (0..n as u32).for_each(|i| greatest[i as usize & 3] = greatest[i as usize & 3].max(i.wrapping_mul(2_654_435_761)));
    for local in [1, 24, 256] {
        let range = Range::new([COUNT.next_multiple_of(local)]).local([local]);
        let (s, turns, m) = (context.zeros::<f32>(8), context.buffer(&[1u32, 0]), context.zeros::<u32>(4));
        program.kernel("sums").run(&context, &range, &[&s, &turns, &n]);
        program.kernel("greatest").run(&context, &range, &[&m, &n]);
        let mut sums: Vec<f32> = (0..7).map(|k| (0..n).filter(|i| i % 7 == k).count() as f32).collect();
        sums.push((0..n).filter(|i| i % 3 != 0).count() as f32 * 2.0);
        assert_eq!(s.read(), sums, "groups of {local}");
        assert_eq!(turns.read(), [product, n as u32], "groups of {local}");
        assert_eq!(m.read(), greatest, "groups of {local}");
    }
}

/// Work-groups count for themselves what is near a buffer's start, and in the buffer what is not.
#[test]
fn counts_near_and_far() {
    let context = Context::new();
    let source = "kernel void k(global const uint *a, global uint *bytes, global uint *any, global ulong *sum, global int *least, int n) {
        int i = get_global_id(0);
        if (i >= n) return;
        uint v = a[i];
        atomic_inc(&bytes[v >> 24]);
        atomic_add(&any[v % 6000], i);
        if (v & 1) atom_add(sum, (ulong)v);
        for (int j = 0; j < 3; j++) atomic_min(&least[j], (int)(v << j));
    }";
    let program = context.program(source, "");
    let values: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let (mut bytes, mut any, mut sum, mut least) = (vec![0u32; 256], vec![0u32; 6000], 7u64, [i32::MAX; 3]);
    for (i, &v) in (0..).zip(&values) {
        bytes[v as usize >> 24] += 1;
        any[v as usize % 6000] += i;
        sum += if v & 1 == 1 { u64::from(v) } else { 0 };
        (0..3).for_each(|j| least[j] = least[j].min((v << j) as i32));
    }
    let a = context.buffer(&values);
    for local in [1, 16, 50, 256] {
        let (got_bytes, got_any) = (context.zeros::<u32>(256), context.zeros::<u32>(6000));
        let (got_sum, got_least) = (context.buffer(&[7u64]), context.buffer(&[i32::MAX; 3]));
        let range = Range::new([COUNT.next_multiple_of(local)]).local([local]);
        let kernel = program.kernel("k");
        kernel.run(&context, &range, &[&a, &got_bytes, &got_any, &got_sum, &got_least, &(COUNT as i32)]);
        assert_eq!(got_bytes.read(), bytes, "groups of {local}");
        assert_eq!(got_any.read(), any, "groups of {local}");
        assert_eq!((got_sum.read(), got_least.read()), (vec![sum], least.to_vec()), "groups of {local}");
    }
}

#[test]
fn a_histogram_in_local_memory() {
    let context = Context::new();
    let source = "kernel void k(global const uchar *a, global uint *r) {
        local uint bins[16];
        uint l = get_local_id(0);
        for (uint j = l; j < 16; j += get_local_size(0)) bins[j] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&bins[a[get_global_id(0)] & 15]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = l; j < 16; j += get_local_size(0)) atomic_add(&r[j], bins[j]);
    }";
    let program = context.program(source, "");
    let values: Vec<u8> = (0..8192u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    let mut want = [0u32; 16];
    values.iter().for_each(|v| want[*v as usize & 15] += 1);
    let a = context.buffer(&values);
    for local in [1, 8, 64, 256] {
        let r = context.zeros::<u32>(16);
        program
            .kernel("k")
            .run(&context, &Range::new([values.len()]).local([local]), &[&a, &r]);
        assert_eq!(r.read(), want, "groups of {local}");
    }
}

/// Bins are numbered by what lies in memory, with a sign or without, for all work-items or some; and in the bins themselves.
#[test]
fn bins_numbered_by_short_integers() {
    let context = Context::new();
    let values: Vec<u16> = (0..4096u32).map(|i| (i.wrapping_mul(2654435761) >> 11) as u16).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    type Number = fn(&[u8], usize) -> i32;
    let numbers: [(&str, Number); 4] = [
        ("uchar", |bytes, i| bytes[i].into()),
        ("char", |bytes, i| (bytes[i] as i8).into()),
        ("ushort", |bytes, i| {
            (u16::from_ne_bytes([bytes[2 * i], bytes[2 * i + 1]]) & 127).into()
        }),
        ("short", |bytes, i| {
            (i16::from_ne_bytes([bytes[2 * i], bytes[2 * i + 1]]) >> 8).into()
        }),
    ];
    let a = context.buffer(&bytes);
    for (name, number) in numbers {
        let index = match name {
            "ushort" => "a[i] & 127",
            "short" => "a[i] >> 8",
            _ => "a[i]",
        };
        for guard in ["", "if (i % 3 != 1)"] {
            let source = format!(
                "kernel void k(global const {name} *a, global uint *r) {{
                    local uint bins[384];
                    for (uint j = get_local_id(0); j < 384; j += get_local_size(0)) bins[j] = 0;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (uint i = get_global_id(0); i < 2048; i += get_global_size(0)) {guard} atomic_add(&bins[128 + ({index})], 3);
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (uint j = get_local_id(0); j < 384; j += get_local_size(0)) atomic_add(&r[j], bins[j]);
                }}"
            );
            let mut want = vec![0u32; 384];
            let counted = (0..2048).filter(|i| guard.is_empty() || i % 3 != 1);
            counted.for_each(|i| want[(128 + number(&bytes, i)) as usize] += 3);
            let program = context.program(&source, "");
            for local in [8, 64] {
                let r = context.zeros::<u32>(384);
                program.kernel("k").run(&context, &Range::new([1024]).local([local]), &[&a, &r]);
                assert_eq!(r.read(), want, "{name} {guard} in groups of {local}");
            }
        }
    }
    // A lane's bin is numbered by what the lanes before it may have counted.
    let source = "kernel void k(global uint *r) {
        local uint bins[64];
        uint l = get_local_id(0);
        bins[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint from = ((local uchar *)bins)[l];
        atomic_inc(&bins[from]);
        barrier(CLK_LOCAL_MEM_FENCE);
        r[l] = bins[l];
    }";
    let r = context.zeros::<u32>(64);
    context
        .program(source, "")
        .kernel("k")
        .run(&context, &Range::new([64]).local([64]), &[&r]);
    assert_eq!(r.read().iter().sum::<u32>(), 64);
}

#[test]
fn of_64_bits() {
    let context = Context::new();
    if !context.device.has_extension("cl_khr_int64_base_atomics") {
        return;
    }
    let source = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    kernel void k(global long *a) { long i = get_global_id(0); atom_add(&a[0], i << 32); atom_xchg(&a[1], i); atom_dec(&a[2]); }";
    let program = context.program(source, "");
    let a = context.zeros::<i64>(3);
    program.kernel("k").run(&context, &Range::new([COUNT]), &[&a]);
    let n = COUNT as i64;
    let a = a.read();
    assert_eq!((a[0], a[2]), ((n * (n - 1) / 2) << 32, -n));
    assert!((0..n).contains(&a[1]));
}

#[test]
fn of_opencl_c_3() {
    let context = Context::new();
    let source = "kernel void k(global atomic_int *a, global atomic_uint *done) {
        local atomic_int l;
        if (get_local_id(0) == 0) atomic_store_explicit(&l, 0, memory_order_relaxed, memory_scope_work_group);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_fetch_add_explicit(&l, 2, memory_order_relaxed, memory_scope_work_group);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            atomic_fetch_add_explicit(a, atomic_load_explicit(&l, memory_order_relaxed, memory_scope_work_group), memory_order_relaxed, memory_scope_device);
        atomic_fetch_max_explicit(done, (uint)get_global_id(0), memory_order_relaxed, memory_scope_device);
    }";
    let program = context.program(source, "-cl-std=CL3.0");
    let (a, done) = (context.zeros::<i32>(1), context.zeros::<u32>(1));
    program.kernel("k").run(&context, &Range::new([4096]).local([64]), &[&a, &done]);
    assert_eq!(a.read(), [8192]);
    assert_eq!(done.read(), [4095]);
}

#[test]
fn of_floats() {
    let context = Context::new();
    for (ty, bytes) in [("half", 2usize), ("float", 4), ("double", 8)] {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
            kernel void k(global atomic_{ty} *g, local atomic_{ty} *l, global {ty} *out) {{
                int i = get_global_id(0), at = get_local_id(0);
                if (at < 4) atomic_store_explicit(l + at, at == 1 ? ({ty})1000 : ({ty})0, memory_order_relaxed, memory_scope_work_group);
                barrier(CLK_LOCAL_MEM_FENCE);
                {ty} x = i % 7;
                atomic_fetch_add_explicit(g, x, memory_order_relaxed, memory_scope_device);
                atomic_fetch_min_explicit(g + 1, x - 3, memory_order_relaxed, memory_scope_device);
                atomic_fetch_max_explicit(g + 2, x + 3, memory_order_relaxed, memory_scope_device);
                atomic_fetch_add_explicit(l, x, memory_order_relaxed, memory_scope_work_group);
                if (i & 1) atomic_fetch_min_explicit(l + 1, x, memory_order_relaxed, memory_scope_work_group);
                atomic_fetch_max_explicit(l + 2, ({ty})at, memory_order_relaxed, memory_scope_work_group);
                {ty} before = atomic_exchange_explicit(l + 3, ({ty})5, memory_order_relaxed, memory_scope_work_group);
                if (before == 0) atomic_store_explicit(g + 3, ({ty})9, memory_order_relaxed, memory_scope_device);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (at < 4) out[4 * get_group_id(0) + at] = atomic_load_explicit(l + at, memory_order_relaxed, memory_scope_work_group);
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        // Numbers as this type's bytes: small integers, which each of the types holds.
        let encode = |value: f64| -> Vec<u8> {
            match bytes {
                4 => (value as f32).to_ne_bytes().to_vec(),
                8 => value.to_ne_bytes().to_vec(),
                _ => {
                    let bits = (value as f32).to_bits();
                    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
                    let half = if value == 0.0 {
                        0
                    } else {
                        (bits >> 16 & 0x8000) as u16 | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
                    };
                    half.to_ne_bytes().to_vec()
                }
            }
        };
        let all = |values: &[f64]| values.iter().flat_map(|&value| encode(value)).collect::<Vec<u8>>();
        let (g, out) = (context.buffer(&all(&[0.0, 1000.0, 0.0, 0.0])), context.zeros::<u8>(16 * bytes));
        program
            .kernel("k")
            .run(&context, &Range::new([160]).local([40]), &[&g, &Local(4 * bytes), &out]);
        let sum = |range: std::ops::Range<i32>| f64::from(range.map(|i| i % 7).sum::<i32>());
        assert_eq!(g.read(), all(&[sum(0..160), -3.0, 9.0, 9.0]), "{ty}");
        let groups: Vec<f64> = (0..4).flat_map(|n| [sum(40 * n..40 * n + 40), 0.0, 39.0, 5.0]).collect();
        assert_eq!(out.read(), all(&groups), "{ty}");
    }
}
