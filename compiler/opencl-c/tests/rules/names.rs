//! Declarations, and what they are seen by.

use super::*;

#[test]
fn names_are_declared_before_they_are_used() {
    all_statements(
        120,
        &[
            ("i = undefined;", "use of undeclared identifier 'undefined'", "i = n;"),
            ("undefined(1);", "use of undeclared identifier 'undefined'", "get_global_id(0);"),
            ("gets_global_id(0);", "did you mean 'get_global_id'", "get_global_id(0);"),
            ("intt q = 0;", "unknown type name 'intt'", "int q = 0;"),
            ("int i2; float i2;", "redefinition of 'i2'", "int i2; { float i2; }"),
            ("goto nowhere;", "use of undeclared label 'nowhere'", "goto here; here: ;"),
            ("a: ; a: ;", "redefinition of label 'a'", "a: ; b: ;"),
            ("s.b = 1;", "no member named 'b' in 'struct S'", "s.a = 1;"),
            ("sp.a = 1;", "did you mean to use '->'?", "sp->a = 1;"),
            ("s->a = 1;", "did you mean to use '.'?", "(&s)->a = 1;"),
            ("i.x = 1;", "is not a structure or union", "v.x = 1;"),
        ],
    );
    all(
        120,
        &[
            (
                "int f(int a) { return a; } int f(int a) { return a; }",
                "redefinition of 'f'",
                "int f(int); int f(int a) { return a; }",
            ),
            ("int f(int); float f(int);", "conflicting types for 'f'", "int f(int); int f(int);"),
            (
                "int f(int); int f(float);",
                "conflicting types for 'f'",
                "__attribute__((overloadable)) int f(int); __attribute__((overloadable)) int f(float);",
            ),
            ("struct S { int a; int a; };", "duplicate member 'a'", "struct S { int a; int b; };"),
            (
                "struct S { int a; }; struct S { int b; };",
                "redefinition of 'S'",
                "struct S; struct S { int b; };",
            ),
            (
                "struct S s(void); int f() { return s().a; }",
                "incomplete",
                "struct S { int a; }; struct S s(void); int f() { return s().a; }",
            ),
            (
                "typedef int T; typedef float T;",
                "typedef redefinition",
                "typedef int T; typedef int T;",
            ),
            (
                "typedef int ulong;",
                "typedef redefinition with different types ('int' vs 'ulong')",
                "typedef unsigned long ulong; typedef unsigned int uint; void f() { typedef int ulong; }",
            ),
            (
                "enum E; enum E e;",
                "variable has incomplete type",
                "enum E; enum E *f(enum E *e) { return e; } enum E { A }; enum E e(void) { enum E e = A; return e; }",
            ),
            (
                "typedef kernel void F();",
                "'kernel' attribute only applies to functions",
                "typedef void F();",
            ),
            (
                "int main() { return 0; }",
                "function cannot be called 'main'",
                "int main_() { return 0; }",
            ),
            ("kernel void main() {}", "kernel cannot be called 'main'", "kernel void maine() {}"),
            (
                "void f(read_only write_only image2d_t i);",
                "multiple access qualifiers",
                "void f(read_only image2d_t i, write_only image2d_t j);",
            ),
            ("enum E {};", "use of empty enum", "enum E { A };"),
            (
                "typedef int F(int); F f; int f(float);",
                "conflicting types for 'f'",
                "typedef int F(int); F f; int f(int x) { return x; }",
            ),
            ("enum E { A, A };", "redefinition of 'A'", "enum E { A, B };"),
        ],
    );
}

#[test]
fn extensions_that_are_not_there_are_warned_of() {
    let enable = |name: &str| check(120, FEATURES, &format!("#pragma OPENCL EXTENSION {name} : enable")).1;
    let disable = check(120, FEATURES, "#pragma OPENCL EXTENSION cl_nobody_has_it : disable").1;
    assert!(
        enable("cl_nobody_has_it").contains("unknown or unsupported OpenCL extension 'cl_nobody_has_it' - ignoring [-Wignored-pragmas]")
    );
    assert_eq!([enable("cl_khr_fp64"), enable("all"), disable], ["", "", ""]);
}

#[test]
fn a_struct_that_is_elsewhere_needs_no_members() {
    accepted_in(120, "struct S; extern constant struct S s; constant struct S *f() { return &s; }");
    refused_in(
        120,
        "struct S; extern constant struct S s; int f() { return sizeof(s); }",
        "incomplete type",
    );
    refused_in(120, "struct S; constant struct S s;", "incomplete type 'struct S'");
    refused_in(120, "struct S; extern constant struct S s[];", "incomplete element type");
    accepted_in(200, "struct S { global int *p; }; kernel void k(struct S s) {}");
}
