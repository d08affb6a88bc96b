//! Atomic operations on global and local memory.

use brolga_tests::{Context, Range};

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
