//! Blocks, and what is enqueued.

use super::*;

#[test]
fn blocks_are_values_that_never_change() {
    let around = |statements: &str| {
        format!(
            "typedef int (^B)(int); int (^g)(int) = ^(int x) {{ return x; }}; void f(int i) {{ B b = ^(int x) {{ return x + i; }}; {statements} }}"
        )
    };
    for (wrong, message, right) in [
        ("B c;", "invalid block variable declaration - must be initialized", "B c = b;"),
        ("b = g;", "cannot assign to variable 'b' with const-qualified type", "B c = g;"),
        (
            "B c = ^(float x) { return 1; };",
            "incompatible block pointer types initializing",
            "B c = ^(int x) { return 1; };",
        ),
        ("B c[2];", "array of 'int (^const)(int)' type is invalid", "B c = b, d = b;"),
        ("B *c;", "pointer to type 'int (^const)(int)' is invalid", "B c = b;"),
        (
            "i = i ? b(1) : 2;",
            "block type cannot be used as expression in ternary expression",
            "if (i) i = b(1);",
        ),
        ("&b;", "invalid argument type", "b;"),
        ("*b;", "indirection requires pointer operand", "b(1);"),
        ("b(1, 2);", "too many arguments to function call", "b(1) + g(2);"),
        ("b == b;", "invalid operands to binary expression", "b(1) == b(1);"),
        (
            "struct S { B b; };",
            "the block type cannot be used to declare a structure or union field",
            "struct S { int b; };",
        ),
        (
            "int a[2]; B c = ^(int x) { return a[x]; };",
            "cannot refer to declaration with an array type inside block",
            "int a; B c = ^(int x) { return a; };",
        ),
        (
            "B c = ^(int x) { i = x; return x; };",
            "cannot assign to variable 'i' with const-qualified type",
            "B c = ^(int x) { int i = x; return i; };",
        ),
        (
            "^(int x) { if (x) return 1.0f; return 2; }(i);",
            "must match previous return type 'float'",
            "^float(int x) { if (x) return 1.0f; return 2; }(i);",
        ),
        (
            "int (^v)(int, ...) = 0;",
            "variadic arguments are not allowed",
            "int (^v)(int, int) = ^(int x, int y) { return y; };",
        ),
        (
            "^(int x) { break; }(1);",
            "'break' statement not in loop",
            "for (;;) ^(int x) { for (;;) break; }(1);",
        ),
        (
            "B c = ^(int x) { return b(x); };",
            "cannot refer to a block inside block",
            "B c = ^(int x) { return g(x); };",
        ),
        (
            "int ^c;",
            "block pointer to non-function type is invalid",
            "int (^c)(void) = ^{ return 1; };",
        ),
    ] {
        refused_in(200, &around(wrong), message);
        accepted_in(200, &around(right));
    }
    refused_in(
        200,
        &around("").replace("void f(int i)", "B f(int i)"),
        "declaring function return value of type",
    );
    refused_in(200, "typedef int (^B)(int); void f(B b);", "declaring function parameter of type");
    refused_in(
        200,
        "typedef int (^B)(int); extern B b;",
        "using 'extern' storage class is disallowed",
    );
    refused_in(200, "void f() { void (^b)(void) = ^{ f(); }; b(); }", "recursion is not supported");
    let plain = &FEATURES[..FEATURES.len() - 4];
    for version in [120, 300] {
        let (errors, log) = check(version, plain, "void f() { ^{ return; }(); }");
        assert!(errors > 0 && log.contains("blocks need OpenCL C 2.0"), "{log}");
        let (errors, log) = check(version, plain, "void f() { enqueue_kernel(); }");
        assert!(
            errors > 0 && log.contains("'enqueue_kernel': it needs OpenCL C 2.0 or newer, __opencl_c_device_enqueue"),
            "{log}"
        );
    }
}

#[test]
fn blocks_that_are_enqueued() {
    let around = |call: &str| {
        format!(
            "kernel void k(global int *r, int i) {{ queue_t q = get_default_queue(); ndrange_t n = ndrange_1D(4); clk_event_t e;
             void (^b)(void) = ^{{ r[0] = i; }}; void (^l)(local void *) = ^(local void *p) {{ r[1] = i; }}; {call} }}"
        )
    };
    for (wrong, message, right) in [
        ("enqueue_kernel(q, 0, n);", "a block is missing", "enqueue_kernel(q, 0, n, b);"),
        (
            "enqueue_kernel(q, 0, n, 1, &e, &e);",
            "a block is expected here, not 'int'",
            "enqueue_kernel(q, 0, n, 1, &e, &e, b);",
        ),
        (
            "enqueue_kernel(q, 0, n, 1, &i, &e, b);",
            "pointers to 'clk_event_t', not as '__private int *'",
            "enqueue_kernel(q, 0, n, 0, NULL, &e, b);",
        ),
        (
            "enqueue_kernel(q, 0, n, 1, &e, &e, i);",
            "a block is expected here, not 'int'",
            "enqueue_kernel(q, 0, n, 1, &e, NULL, ^{ r[2] = i; });",
        ),
        (
            "enqueue_kernel(q, 0, n, l);",
            "the block has 1 pointers to local memory",
            "enqueue_kernel(q, 0, n, l, 16);",
        ),
        (
            "enqueue_kernel(q, 0, n, b, 16);",
            "the block has 0 pointers to local memory",
            "enqueue_kernel(q, 0, n, 1, &e, &e, l, 16UL);",
        ),
        (
            "enqueue_kernel(q, 0, n, l, 1.0f);",
            "must be an integer, not 'float'",
            "enqueue_kernel(q, 0, n, l, (uint)1.0f);",
        ),
        (
            "enqueue_kernel(q, 0, n, ^(int x) { r[0] = x; }, 4);",
            "'local void *' only, not 'int'",
            "^(int x) { r[0] = x; }(4);",
        ),
        (
            "enqueue_kernel(q, 0, n, ^(local int *p) { *p = i; }, 4);",
            "'local void *' only, not '__local int *'",
            "enqueue_kernel(q, 0, n, ^(local void *p) { *(local int *)p = i; }, 4);",
        ),
        (
            "enqueue_kernel(q, 0, n, ^{ return i; });",
            "returns nothing, and this one 'int'",
            "enqueue_kernel(q, 0, n, ^{ return; });",
        ),
        (
            "enqueue_kernel(i, 0, n, b);",
            "'queue_t'",
            "enqueue_kernel(CLK_NULL_QUEUE, 0, n, b);",
        ),
        (
            "r[0] = get_kernel_work_group_size();",
            "a block is missing",
            "r[0] = get_kernel_work_group_size(b);",
        ),
        (
            "r[0] = get_kernel_work_group_size(l, 4);",
            "nothing to pass behind the block",
            "r[0] = get_kernel_work_group_size(l);",
        ),
        (
            "r[0] = get_kernel_sub_group_count_for_ndrange(n, i);",
            "a block is expected here",
            "r[0] = get_kernel_sub_group_count_for_ndrange(n, b);",
        ),
    ] {
        refused_in(200, &around(wrong), message);
        accepted_in(200, &around(right));
        accepted_in(300, &around(right));
    }
    // A kernel that is enqueued is not called: it may enqueue who enqueues it.
    accepted_in(
        200,
        "void f(queue_t q) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ f(get_default_queue()); }); }",
    );
}

#[test]
fn the_blocks_of_one_function_are_not_those_of_the_next() {
    // The second one's block is wrong, and has the number that the first one's had.
    let source = |captured: &str| {
        format!(
            "void f(int x) {{ int (^b)(void) = ^{{ return x; }}; b(); }} void g(int x) {{ int (^b)(void) = ^{{ return {captured}; }}; b(); }}"
        )
    };
    refused_in(200, &source("y"), "use of undeclared identifier 'y'");
    accepted_in(200, &source("x"));
}
