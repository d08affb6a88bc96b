//! Private memory: arrays, pointers to private variables, structs.

use brolga_tests::{Context, Range};
use compiler::source::{Frontend, clang};

#[test]
fn arrays_with_indices_of_all_shapes() {
    let context = Context::new();
    let source = "kernel void k(global int *r, int u) {
        int i = get_global_id(0), a[16];
        for (int j = 0; j < 16; j++) a[j] = i * j;
        a[i & 15] += 1000;
        a[u] += 5;
        int sum = 0;
        for (int j = 0; j < 16; j++) sum += a[(j * 7 + i) & 15] * (j + 1);
        r[i] = sum + a[u] + a[(i + u) & 15];
    }";
    let program = context.program(source, "");
    for u in [0, 9] {
        let r = context.zeros::<i32>(100);
        program.kernel("k").run(&context, &Range::new([100]), &[&r, &u]);
        let want = |i: i32| {
            let mut a: Vec<i32> = (0..16).map(|j| i * j).collect();
            a[i as usize & 15] += 1000;
            a[u as usize] += 5;
            let sum: i32 = (0..16).map(|j| a[(j * 7 + i) as usize & 15] * (j + 1)).sum();
            sum + a[u as usize] + a[(i + u) as usize & 15]
        };
        assert_eq!(r.read(), (0..100).map(want).collect::<Vec<_>>(), "u = {u}");
    }
}

#[test]
fn pointers_to_private_variables() {
    let context = Context::new();
    let source = "void swap(private int *a, private int *b) { int t = *a; *a = *b; *b = t; }
    void sort(private int *v, int n) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (v[j] < v[i]) swap(&v[i], &v[j]); }
    kernel void k(global int *r) {
        int i = get_global_id(0), v[8];
        for (int j = 0; j < 8; j++) v[j] = (i * 37 + j * 101) % 50;
        sort(v, 8);
        for (int j = 0; j < 8; j++) r[i * 8 + j] = v[j];
    }";
    let program = context.program(source, "");
    let r = context.zeros::<i32>(65 * 8);
    program.kernel("k").run(&context, &Range::new([65]), &[&r]);
    let mut want = Vec::new();
    for i in 0..65 {
        let mut v: Vec<i32> = (0..8).map(|j| (i * 37 + j * 101) % 50).collect();
        v.sort();
        want.extend(v);
    }
    assert_eq!(r.read(), want);
}

#[test]
fn arrays_of_bytes_and_of_structs() {
    let context = Context::new();
    let source = "typedef struct { char tag; double value; short more[3]; } Item;
    kernel void k(global double *r) {
        int i = get_global_id(0);
        Item items[5]; uchar bytes[32];
        for (int j = 0; j < 5; j++) { items[j].tag = j; items[j].value = i * 0.5 + j; for (int m = 0; m < 3; m++) items[j].more[m] = i + m; }
        for (int j = 0; j < 32; j++) bytes[j] = j * 9 + i;
        Item copy = items[i % 5];
        r[i] = copy.tag * 1e6 + copy.value + copy.more[i % 3] * 1e3 + bytes[(i * 3) & 31];
    }";
    let program = context.program(source, "");
    let r = context.zeros::<f64>(90);
    program.kernel("k").run(&context, &Range::new([90]), &[&r]);
    let want = |i: i32| {
        let tag = i % 5;
        f64::from(tag) * 1e6 + f64::from(i) * 0.5 + f64::from(tag) + f64::from(i + i % 3) * 1e3 + f64::from((((i * 3) & 31) * 9 + i) as u8)
    };
    assert_eq!(r.read(), (0..90).map(want).collect::<Vec<_>>());
}

#[test]
fn much_private_memory() {
    let context = Context::new();
    let source = "kernel void k(global int *r) {
        int i = get_global_id(0), a[2000];
        for (int j = 0; j < 2000; j++) a[j] = j ^ i;
        int at = i;
        for (int j = 0; j < 500; j++) at = (a[at % 2000] + j) & 0x7fff;
        r[i] = at;
    }";
    let program = context.program(source, "");
    let r = context.zeros::<i32>(64);
    program.kernel("k").run(&context, &Range::new([64]).local([64]), &[&r]);
    let want = |i: i32| (0..500).fold(i, |at, j| (((at % 2000) ^ i) + j) & 0x7fff);
    assert_eq!(r.read(), (0..64).map(want).collect::<Vec<_>>());
}

#[test]
fn arrays_of_variable_length() {
    if Frontend::chosen() == Frontend::Own || clang().is_err() {
        println!("skipped: clang alone has __builtin_alloca, and it is not asked (BROLGA_FRONTEND=own), or there is none");
        return;
    }
    let context = Context::new();
    let source = "kernel void k(global int *r, int most) {
        int i = get_global_id(0), n = i % most + 1;
        int *a = (int *)__builtin_alloca(n * sizeof(int));
        for (int j = 0; j < n; j++) a[j] = i * j;
        int sum = 0;
        for (int round = 1; round < 3; round++) {
            char *b = (char *)__builtin_alloca(n);
            for (int j = 0; j < n; j++) b[j] = a[n - 1 - j] * round;
            for (int j = 0; j < n; j++) sum += b[j] + a[j];
        }
        r[i] = sum;
    }";
    let program = context.program(source, "-cl-std=CL3.0");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(100);
    for local in [100, 10, 1] {
        kernel.run(&context, &Range::new([100]).local([local]), &[&r, &23]);
        let want = |i: i32| {
            let a: Vec<i32> = (0..i % 23 + 1).map(|j| i * j).collect();
            (1..3)
                .map(|round| a.iter().map(|&x| i32::from((x * round) as i8) + x).sum::<i32>())
                .sum::<i32>()
        };
        assert_eq!(r.read(), (0..100).map(want).collect::<Vec<_>>(), "groups of {local}");
    }
    // More than there is: the launch ends, and the process lives.
    let large = context.zeros::<i32>(100_000);
    kernel.set(&[&large, &90_000]);
    let event = kernel.enqueue(&context, &Range::new([100_000]).local([10])).expect("it starts");
    assert!(event.wait().is_err());
}
