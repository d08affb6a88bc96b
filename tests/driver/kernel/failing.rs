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
