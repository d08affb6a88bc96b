//! Kernels that fail: their event ends with an error, and the process lives.

use brolga_tests::{Context, Range};

#[test]
fn an_assertion_ends_the_launch() {
    let context = Context::new();
    let source = "extern void __assert_fail(constant const char *, constant const char *, unsigned, constant const char *);
        kernel void k(global int *r, int bad) {
            int i = get_global_id(0);
            if (i == bad) __assert_fail(\"i != bad\", \"failing.cl\", 4, \"k\");
            r[i] = i + 1;
        }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(64);
    kernel.run(&context, &Range::new([64]).local([16]), &[&r, &-1]);
    assert_eq!(r.read(), (1..=64).collect::<Vec<i32>>());
    r.write(&[0; 64]);
    kernel.set(&[&r, &5]);
    let event = kernel.enqueue(&context, &Range::new([64]).local([64])).expect("it starts");
    assert!(event.wait().is_err());
    assert_eq!(r.read()[5], 0, "the work-item went on behind its assertion");
}

/// However much private memory a kernel asks for: it is an error, and other kernels run on.
#[test]
fn more_private_memory_than_there_is() {
    let context = Context::new();
    let source = "kernel void k(global int *r, int n) {
            int i = get_global_id(0);
            int a[1 << 28];
            for (int j = 0; j < n; j++) a[(j * 7919 + i) & ((1 << 28) - 1)] = j;
            r[i] = a[r[i] & ((1 << 28) - 1)];
        }
        kernel void small(global int *r) { r[get_global_id(0)] = 5; }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let r = context.zeros::<i32>(4096);
    kernel.set(&[&r, &9]);
    let ended = kernel
        .enqueue(&context, &Range::new([4096]).local([64]))
        .and_then(|event| event.wait());
    assert!(ended.is_err());
    program.kernel("small").run(&context, &Range::new([4096]), &[&r]);
    assert_eq!(r.read(), [5; 4096]);
}

/// What it gives is undefined; the process lives, and other work-items get their quotients.
#[test]
fn divisions_by_zero() {
    let context = Context::new();
    let source = "kernel void k(global int *r, global const int *a, global const long *b) {
            int i = get_global_id(0);
            int q = 1000 / a[i], m = -1000 % a[i];
            long l = (long)(i + 1) * 1000 / b[i], n = 7 % b[i];
            uint u = 1000u / (uint)a[i];
            r[i] = q + m + (int)l + (int)n + (int)u;
        }";
    let program = context.program(source, "");
    let a: Vec<i32> = (0..64).map(|i| i % 5 - 1).collect();
    let b: Vec<i64> = a.iter().map(|&x| i64::from(x)).collect();
    let (r, a_buffer, b_buffer) = (context.zeros::<i32>(64), context.buffer(&a), context.buffer(&b));
    program.kernel("k").run(&context, &Range::new([64]), &[&r, &a_buffer, &b_buffer]);
    for (i, (&x, got)) in a.iter().zip(r.read()).enumerate().filter(|(_, (x, _))| **x != 0) {
        let want = 1000 / x + -1000 % x + (i as i32 + 1) * 1000 / x + 7 % x + (1000 / x as u32) as i32;
        assert_eq!(got, want, "work-item {i}");
    }
    // Nothing but zeros.
    let (a_buffer, b_buffer) = (context.buffer(&[0i32; 64]), context.buffer(&[0i64; 64]));
    program.kernel("k").run(&context, &Range::new([64]), &[&r, &a_buffer, &b_buffer]);
}
