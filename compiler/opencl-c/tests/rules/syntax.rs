//! Statements, and how messages and reading go on.

use super::*;

#[test]
fn statements_stand_where_they_may() {
    all_statements(
        120,
        &[
            ("break;", "'break' statement not in loop or switch statement", "for (;;) break;"),
            ("continue;", "'continue' statement not in loop statement", "while (i) continue;"),
            ("case 1: ;", "'case' statement not in switch statement", "switch (i) case 1: ;"),
            (
                "switch (i) { case 1: case 1: ; }",
                "duplicate case value '1'",
                "switch (i) { case 1: case 2: ; }",
            ),
            (
                "switch (i) { case 1 ... 4: case 3: ; }",
                "duplicate case value",
                "switch (i) { case 1 ... 4: case 5: ; }",
            ),
            (
                "switch (i) { default: ; default: ; }",
                "multiple default labels",
                "switch (i) { default: ; }",
            ),
            (
                "switch (i) { case n: ; }",
                "not an integer constant expression",
                "switch (i) { case sizeof(int): ; }",
            ),
            ("switch (x) { }", "requires expression of integer type", "switch (i) { }"),
            (
                "__attribute__((opencl_unroll_hint(-1))) for (;;) ;",
                "requires a positive integral",
                "_Pragma(\"unroll 4\") for (;;) ;",
            ),
            ("i = ;", "expected expression", "i = 1;"),
            ("i = 1", "expected ';' after expression", "i = 1;"),
            ("(i;", "expected ')'", "(i);"),
            (
                "__attribute__((opencl_unroll_hint(2))) i = 1;",
                "only applies to 'for', 'while', and 'do' statements",
                "__attribute__((opencl_unroll_hint(2))) for (; i < 3; i++) ;",
            ),
        ],
    );
}

#[test]
fn reading_goes_on_after_an_error() {
    let (errors, log) = check(120, FEATURES, "void f() { int a = b; float c = d; }\nint g() { return h; }");
    assert_eq!(errors, 3, "{log}");
    assert!(log.contains("test.cl:1:20: error: use of undeclared identifier 'b'"), "{log}");
    assert!(log.ends_with("3 errors generated.\n"), "{log}");
}

#[test]
fn messages_write_types_as_programs_do() {
    let around = |statements: &str| format!("void f(int i, const volatile int *global *const p, int (*a)[3], float4 v) {{ {statements} }}");
    for (statements, message) in [
        ("i = v;", "from incompatible type 'float4'"),
        ("v = p;", "from incompatible type '__private const volatile int *__global *'"),
        ("v = a;", "from incompatible type '__private int (*)[3]'"),
        ("int b[2][3]; b = 0;", "array type 'int[2][3]' is not assignable"),
        ("struct { int x; } s; i = s;", "from incompatible type 'struct (unnamed)'"),
        ("typedef struct { int x; } T; T s; i = s;", "from incompatible type 'T'"),
    ] {
        refused_in(120, &around(statements), message);
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |open: &str, middle: &str, close: &str, count: usize| {
        format!("void f(int i) {{ i = {}{middle}{}; }}", open.repeat(count), close.repeat(count))
    };
    accepted_in(120, &nested("(", "1", ")", 200));
    refused_in(120, &nested("(", "1", ")", 300), "bracket nesting level exceeded maximum of 256");
    refused_in(120, &nested("(", "1", ")", 1_000_000), "bracket nesting level exceeded");
    refused_in(120, &nested("-", "1", "", 1_000_000), "nesting is too deep");
    refused_in(120, &nested("i ? ", "1", " : 2", 1_000_000), "nesting is too deep");
    refused_in(120, &nested("1+", "i", "", 1_000_000), "too many operators");
    refused_in(120, &nested("(int)", "i", "", 1_000_000), "nesting is too deep");
    refused_in(120, &nested("sizeof ", "i", "", 1_000_000), "nesting is too deep");
    let blocks = |count: usize| format!("void f() {{ {}{} }}", "{".repeat(count), "}".repeat(count));
    accepted_in(120, &blocks(200));
    refused_in(120, &blocks(1_000_000), "bracket nesting level exceeded");
    let ladder = |count: usize| format!("void f(int i) {{ {} ; }}", "if (i) i = 1; else ".repeat(count));
    // A chain is no nesting, nor are the cases of one statement.
    accepted_in(120, &ladder(100_000));
    let cases: String = (0..100_000).map(|value| format!("case {value}: ")).collect();
    accepted_in(120, &format!("void f(int i) {{ switch (i) {{ {cases} i = 1; }} }}"));
    refused_in(
        120,
        &format!("void f(int i) {{ {} ; }}", "if (i) ".repeat(1_000_000)),
        "nesting is too deep",
    );
    let stars = |count: usize| format!("void f(int {}p) {{}}", "*".repeat(count));
    accepted_in(120, &stars(20));
    refused_in(
        120,
        &format!("int {}x{};", "(".repeat(1_000_000), ")".repeat(1_000_000)),
        "bracket nesting level exceeded",
    );
}

#[test]
fn c_as_programs_write_it_is_read() {
    accepted_in(
        120,
        "typedef struct { float4 a; int b[4]; } S;
         constant float table[] = { 1.0f, 2.0f, 3.0f };
         enum { FIRST, SECOND = 5, THIRD };
         union U { int i; float f; };
         #define SQUARE(x) ({ typeof(x) t_ = (x); t_ * t_; })
         #undef SQUARE
         static inline float4 twice(float4 v) { return v + v; }
         kernel void k(global const float *restrict a, global float *b, int n, local float *tmp, constant S *s) {
             int i = get_global_id(0), j;
             local float l[16];
             float4 v = (float4)(1, 2, a[i], 4.0f), *pv = &v;
             v.xyz *= 2; v.lo = v.hi.yx; pv->w = 3; (*pv).s01 = (float2)(0);
             v = twice(v) * (i > 2 ? 1.0f : 2.0f);
             for (j = 0; j < n; ++j) { b[j] += sqrt(a[j]) * 2; if (j == 5) break; else continue; }
             do { j--; } while (j > 0 && a[j] != 0.0f);
             switch (n) { case FIRST: b[0] = 1; break; case 2 ... 4: case SECOND: b[1] = 2; default: ; }
             int4 c = convert_int4(v); c = c < 3 ? c : -c;
             S t = { {1, 2, 3, 4}, {1, i, 3} }, u = t, w[2] = { [1] = { .b = { [2] = 7 } } };
             union U bits = { .f = v.x };
             b[0] = t.b[i] + ((int[]){1, 2, 3})[i] + (n ? 1 : 2.0f) + w[1].b[2] + bits.i + ({ int q = 2; q * q; });
             b[__builtin_offsetof(S, b[1])] = sizeof v + __alignof__(S) + vec_step(v) + sizeof(int[3]);
             barrier(CLK_LOCAL_MEM_FENCE); tmp[i] = l[0] + table[i % 3] + M_PI_F + INFINITY;
             printf(\"%d %v4f\\n\", i, v); vstore4(v, i, b); goto end; end: ;
         }",
    );
}
