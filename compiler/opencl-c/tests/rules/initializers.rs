//! Initializers and constants.

use super::*;

#[test]
fn designated_values_without_braces_fill_what_they_begin() {
    accepted_in(120, "constant int a[3][2] = {[1] = 1, 2, [0][1] = 5};");
    for wrong in [
        "[0]=}",
        "[0 1}",
        "[0] = x}",
        "[7] = 1, 2}",
        "[0][9] = 1, 2}",
        "[0].a = 1}",
        ".a = 1, 2}",
    ] {
        let (errors, log) = check(120, FEATURES, &format!("void f() {{ int a[3][2] = {{{wrong}; }}"));
        assert!(errors > 0, "accepted: {wrong}\n{log}");
    }
}

#[test]
fn initializers_say_no_more_than_can_be_kept() {
    let too_large = |source: &str| refused_in(300, source, "initializers of this program are too large");
    too_large("constant int a[2048][2048][2048] = {[0 ... 2047] = {[0 ... 2047] = {[0 ... 2047] = 1}}};");
    too_large("void f(int x) { int a[2048][2048][2048] = {[0 ... 2047] = {[0 ... 2047] = {[0 ... 2047] = x}}}; }");
    too_large("constant int a[1 << 25] = {[(1 << 25) - 1] = 1};");
    too_large(
        &(0..40)
            .map(|i| format!("constant int a{i}[1 << 20] = {{[(1 << 20) - 1] = 1}};\n"))
            .collect::<String>(),
    );
    too_large(&format!(
        "constant int a[1 << 20] = {{{}}};",
        "[0 ... (1 << 20) - 1] = 1, ".repeat(40)
    ));
    accepted_in(300, "constant int a[512][512] = {[0 ... 511] = {[0 ... 511] = 1}};");
    accepted_in(300, "constant int a[1 << 28] = {1, 2};");
}

#[test]
fn string_literals_are_no_longer_than_can_be_kept() {
    let doubled = |times: usize| {
        let macros: String = (1..=times).map(|i| format!("#define A{i} A{} A{}\n", i - 1, i - 1)).collect();
        format!("#define A0 \"{}\"\n{macros} constant char c[] = A{times};", "a".repeat(1000))
    };
    refused_in(120, &doubled(16), "string literals of this program are too long");
    accepted_in(120, &doubled(10));
}

#[test]
fn parts_of_constants_are_constants() {
    let before = "constant int a[5] = {1, 2, 3}; struct S { int x; union { int i; float f; }; }; constant struct S s = {4, {5}}; constant uchar u[] = {200};";
    let holds = |equal: &str| accepted_in(120, &format!("{before} _Static_assert({equal}, \"it is another\");"));
    for equal in [
        "a[1] == 2",
        "a[4] == 0",
        "s.x == 4",
        "s.i == 5",
        "\"xyz\"[1] == 'y'",
        "\"xyz\"[3] == 0",
        "\"\\x80\"[0] == -128",
        "u[0] == 200",
    ] {
        holds(equal);
    }
    for value in ["a[5]", "a[-1]", "s.f"] {
        refused_in(120, &format!("{before} constant int t = {value};"), "not a compile-time constant");
    }
}

#[test]
fn initializers_fit_what_they_initialize() {
    all_statements(
        120,
        &[
            ("int a[2] = i;", "array initializer must be an initializer list", "int a[2] = {i};"),
            ("int a[2] = {[2] = 1};", "exceeds array bounds", "int a[2] = {[1] = 1};"),
            (
                "struct S t = {.q = 1};",
                "does not refer to any field",
                "struct S t = {.v = 2.0f, .a = 1};",
            ),
            (
                "struct S t = {.a.b = 1};",
                "designator into something that has no parts",
                "struct S t[2] = {[1].a = 1};",
            ),
            (
                "int a[] = {};  int b[];",
                "needs an explicit size or an initializer",
                "int a[] = {1, [5] = 2};",
            ),
            (
                "int a[] = 1;",
                "array initializer must be an initializer list",
                "char a[] = \"text\";",
            ),
        ],
    );
    all(
        120,
        &[
            (
                "int f(void); constant int a = f();",
                "not a compile-time constant",
                "constant int b = 2; constant int a = b + 1;",
            ),
            (
                "constant int a[2] = {1, 2}; constant int *constant p = q;",
                "use of undeclared identifier 'q'",
                "constant int a[2] = {1, 2}; constant int *constant p = &a[1];",
            ),
        ],
    );
}
