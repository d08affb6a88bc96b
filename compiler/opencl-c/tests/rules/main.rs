//! Each rule of the language has a program that breaks it and sees the error that names it, and one that keeps it.

use opencl_c::preprocessor::Preprocessor;
use opencl_c::{CompileOptions, Input, Session, parse};

/// The features that programs here may count on.
const FEATURES: &[&str] = &[
    "cl_khr_fp64",
    "cl_khr_fp16",
    "__opencl_c_fp64",
    "__opencl_c_images",
    "__opencl_c_read_write_images",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_pipes",
    "__opencl_c_int64",
    "__opencl_c_device_enqueue",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
];

/// The errors and warnings of a program in a version of OpenCL C.
fn check(version: u32, features: &[&str], source: &str) -> (usize, String) {
    let options = CompileOptions {
        version,
        features: features.iter().map(|name| name.to_string()).collect(),
        error_limit: 0,
        ..CompileOptions::default()
    };
    let source = source.to_string();
    // As much stack as a build has.
    let run = move || {
        let session = Session::new(options.clone());
        let input = Input {
            name: "test.cl",
            source: source.as_bytes(),
            headers: &[],
            options: &options,
        };
        parse::parse(&session, Preprocessor::new(&session, &input));
        (session.diagnostics.errors(), session.render())
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap();
    thread.join().unwrap()
}

#[track_caller]
fn refused_in(version: u32, source: &str, message: &str) {
    let (errors, log) = check(version, FEATURES, source);
    assert!(errors > 0, "accepted: {source}");
    assert!(log.contains(message), "{source}\n{log}");
}

#[track_caller]
fn accepted_in(version: u32, source: &str) {
    let (errors, log) = check(version, FEATURES, source);
    assert_eq!(errors, 0, "{source}\n{log}");
}

/// A rule: a program that breaks it, what is said of it, and one that keeps it.
type Rule = (&'static str, &'static str, &'static str);

#[track_caller]
fn all(version: u32, rules: &[Rule]) {
    for &(wrong, message, right) in rules {
        refused_in(version, wrong, message);
        accepted_in(version, right);
    }
}

/// The same for statements of a function with some variables.
#[track_caller]
fn all_statements(version: u32, rules: &[Rule]) {
    let around = |statements: &str| {
        format!(
            "struct S {{ int a; float4 v; }};\nvoid f(global int *gp, local int *lp, constant int *cp, float4 v, int4 w, uint4 u, char4 c4, int i, uint n, \
             float x, struct S s, struct S *sp, size_t z, image2d_t im, sampler_t sm) {{ int *p; const int k = 3; {statements} }}"
        )
    };
    for &(wrong, message, right) in rules {
        refused_in(version, &around(wrong), message);
        accepted_in(version, &around(right));
    }
}

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
fn conditions_of_choices_are_no_floats() {
    let choice = |condition: &str| format!("int f(float x, int n, int4 v, global int *p) {{ return {condition} ? 1 : 2; }}");
    refused_in(120, &choice("x"), "used type 'float' where floating point type is not allowed");
    for condition in ["n", "p", "(x != 0)", "!x", "(x && n)"] {
        accepted_in(120, &choice(condition));
    }
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
fn generic_selections_choose_by_type() {
    let choice = |rest: &str| format!("constant int x = _Generic({rest});");
    let holds = |rest: &str, value: u32| accepted_in(120, &format!("_Static_assert(_Generic({rest}) == {value}, \"it is another\");"));
    holds("1.0f, int: 1, float: 2, default: 3", 2);
    holds("(float4)(1), float: 1, float4: 2, default: 3", 2);
    holds("(short)1, int: 1, default: 3, float: 2", 3);
    holds("(uchar)1 + (uchar)1, uchar: 1, int: 2", 2);
    refused_in(
        120,
        &choice("1, float: 1"),
        "controlling expression type 'int' not compatible with any",
    );
    refused_in(
        120,
        &choice("1, int: 1, int: 2"),
        "type 'int' in generic association is there before",
    );
    refused_in(120, &choice("1, default: 1, default: 2"), "duplicate default generic association");
    refused_in(120, &choice("1, int: 1, float: nothing"), "use of undeclared identifier 'nothing'");
    refused_in(120, &choice("1, int 1"), "expected ':'");
}

#[test]
fn packets_are_passed_by_pointers_to_them() {
    refused_in(
        200,
        "kernel void k(write_only pipe int p) { float x = 1; write_pipe(p, &x); }",
        "a packet of this pipe is 'int': it can't be passed by '__private float *'",
    );
    refused_in(
        200,
        "kernel void k(read_only pipe int p) { uint x; read_pipe(p, &x); }",
        "it can't be passed by '__private uint *'",
    );
    accepted_in(
        200,
        "kernel void k(write_only pipe int p, read_only pipe int q, global int *g) { const int x = 1; write_pipe(p, &x); read_pipe(q, g); }",
    );
}

#[test]
fn vectors_convert_only_as_opencl_says() {
    all_statements(
        120,
        &[
            ("v = v * 2.0;", "scalar operand type has greater rank", "v = v * 2.0f;"),
            ("v = v * (double)x;", "scalar operand type has greater rank", "v = v * i;"),
            ("w = w * 2.0f;", "scalar operand type has greater rank", "w = w * 2;"),
            ("w = w * n;", "scalar operand type has greater rank", "u = u * n;"),
            ("c4 = c4 + 1;", "scalar operand type has greater rank", "c4 = c4 + (char)1;"),
            ("u = w;", "assigning to 'uint4' from incompatible type 'int4'", "u = as_uint4(w);"),
            ("v = w;", "from incompatible type 'int4'", "v = convert_float4(w);"),
            ("v = (float4)w;", "invalid conversion between ext-vector type", "v = (float4)i;"),
            ("w = w + u;", "cannot convert between vector values", "w = w + w;"),
            ("i = v;", "assigning to 'int' from incompatible type 'float4'", "i = v.x;"),
            ("w = 1 << w;", "requested shift is a vector", "w = w << 1;"),
            ("w = v % v;", "invalid operands to binary expression", "w = w % w;"),
            ("v = ~v;", "invalid argument type 'float4' to unary expression", "w = ~w;"),
            ("if (v < v) ;", "statement requires expression of scalar type", "if (all(v < v)) ;"),
            ("v = v ? v : v;", "floating point type is not allowed", "v = w ? v : v;"),
            (
                "v = c4 ? v : v;",
                "do not have the same number of elements or size",
                "c4 = c4 ? c4 : c4;",
            ),
            ("v++;", "cannot increment value of type 'float4'", "w++;"),
            ("i = as_int(v);", "invalid reinterpretation", "i = as_int(x);"),
            (
                "v = (float4)(1, 2);",
                "too few elements in vector initialization",
                "v = (float4)(1, 2, v.xy);",
            ),
            (
                "v = (float4)(v, 1);",
                "too many elements in vector initialization",
                "v = (float4)(v.xyz, 1);",
            ),
            (
                "float4 q = {1, 2};",
                "too few elements in vector initialization",
                "float4 q = {1, 2, 3, 4};",
            ),
        ],
    );
}

#[test]
fn components_are_those_that_a_vector_has() {
    all_statements(
        120,
        &[
            ("v.xx = v.xy;", "contains duplicate components", "v.xy = v.xx;"),
            ("v.q = 1;", "illegal vector component name 'q'", "v.w = 1;"),
            ("v.s4 = 1;", "vector component access exceeds type 'float4'", "v.s3 = 1;"),
            ("v.xyzwx;", "invalid length 5", "v.lo = v.odd;"),
            ("&v.x;", "address of vector element requested", "&v;"),
        ],
    );
}

#[test]
fn only_what_is_a_place_is_assigned_to() {
    all_statements(
        120,
        &[
            ("5 = i;", "expression is not assignable", "i = 5;"),
            ("k = 1;", "cannot assign to variable 'k' with const-qualified type", "i = k;"),
            ("cp[0] = 1;", "read-only variable is not assignable", "gp[0] = cp[0];"),
            (
                "int a[2], b[2]; a = b;",
                "array type 'int[2]' is not assignable",
                "int a[2]; a[0] = a[1];",
            ),
            ("&5;", "cannot take the address of an rvalue", "&i;"),
            ("*x;", "indirection requires pointer operand", "*gp;"),
            ("x[0];", "subscripted value is not an array, pointer, or vector", "gp[0];"),
            ("gp[x];", "array subscript is not an integer", "gp[z];"),
            ("s = 1;", "from incompatible type 'int'", "s = *sp;"),
            ("s + 1;", "invalid operands to binary expression", "s.a + 1;"),
            ("(int)s;", "where arithmetic or pointer type is required", "(int)s.a;"),
            ("if (s) ;", "statement requires expression of scalar type", "if (sp) ;"),
            ("i = f(1);", "too few arguments to function call", "i = abs_diff(1, 2);"),
            ("i(1);", "is not a function or function pointer", "abs_diff(i, 1);"),
        ],
    );
}

#[test]
fn address_spaces_do_not_mix() {
    all_statements(
        120,
        &[
            ("p = gp;", "changes address space of pointer", "p = &i;"),
            (
                "lp = (local int *)gp;",
                "changes address space of pointer",
                "gp = (global int *)(global float *)gp;",
            ),
            ("gp == lp;", "non-overlapping address spaces", "gp == gp + 1;"),
            ("gp - lp;", "are not pointers to compatible types", "gp - gp;"),
            ("i ? gp : lp;", "incompatible operand types", "i ? gp : 0;"),
            ("global int q;", "cannot be declared in global address space", "int q;"),
            ("local int q;", "cannot be declared in local address space", "local int *q;"),
        ],
    );
    all(
        120,
        &[
            ("int g;", "must reside in constant address space", "constant int g = 1;"),
            ("constant int g;", "must be initialized", "constant int g = 1;"),
            ("global local int *p;", "multiple address spaces", "void f(global int *p);"),
            (
                "struct S { global int a; };",
                "field may not be qualified with an address space",
                "struct S { global int *a; };",
            ),
            (
                "void f(global int x);",
                "parameter may not be qualified with an address space",
                "void f(private int x);",
            ),
            (
                "global int f(void);",
                "return type cannot be qualified with address space",
                "global int *f(void);",
            ),
            (
                "kernel void k() { local int a = 1; }",
                "'__local' variable cannot have an initializer",
                "kernel void k() { local int a; a = 1; }",
            ),
            (
                "kernel void k() { { local int a; } }",
                "can only be declared in the outermost scope",
                "kernel void k() { local int a; }",
            ),
            (
                "void f() { generic int *p; }",
                "does not support the 'generic' type qualifier",
                "void f() { private int *p; }",
            ),
        ],
    );
    accepted_in(
        300,
        "int g = 1; global int h; static int s; void f(global int *p) { int *q = p; generic int *r = q; static int t; }",
    );
    refused_in(300, "local int l;", "must reside in global or constant address space");
    refused_in(
        300,
        "void f(generic int *p, global int *g) { g = p; }",
        "changes address space of pointer",
    );
    accepted_in(300, "void f(generic int *p, global int *g) { g = (global int *)p; }");
    refused_in(
        300,
        "void f(global int **p) { int **q = p; }",
        "changes address space of nested pointer",
    );
    accepted_in(300, "void f(int *global *p) { int **q = p; }");
    refused_in(
        300,
        "void f() { constant int c = 1; }",
        "cannot be declared in constant address space",
    );
    accepted_in(300, "kernel void f() { constant int c = 1; }");
    refused_in(300, "void f() { static local int c; }", "static local variable must reside in");
    refused_in(300, "void f() { atomic_int a = 1; }", "only in global address space");
    accepted_in(300, "atomic_int a = 1; void f() { atomic_int b; atomic_init(&b, 1); }");
    refused_in(
        300,
        "kernel void k(ndrange_t n) {}",
        "cannot be used as the type of a kernel parameter",
    );
    accepted_in(300, "void f(ndrange_t n) { ndrange_t m = n; }");
    refused_in(300, "void f(constant int *c) { int *p = c; }", "changes address space of pointer");
}

#[test]
fn kernels_take_what_the_host_can_give() {
    all(
        120,
        &[
            (
                "kernel int k() { return 1; }",
                "kernel must have void return type",
                "kernel void k() {}",
            ),
            ("static kernel void k() {}", "cannot be declared static", "kernel void k() {}"),
            (
                "kernel void k(bool b) {}",
                "'bool' cannot be used as the type of a kernel parameter",
                "kernel void k(global bool *b) {}",
            ),
            (
                "kernel void k(size_t n) {}",
                "'size_t' cannot be used",
                "kernel void k(global size_t *n) {}",
            ),
            (
                "kernel void k(event_t e) {}",
                "'event_t' cannot be used",
                "kernel void k(sampler_t s, image2d_t i) {}",
            ),
            (
                "kernel void k(int *p) {}",
                "must reside in '__global', '__constant' or '__local'",
                "kernel void k(global int *p) {}",
            ),
            (
                "kernel void k(global int **p) {}",
                "must reside in",
                "kernel void k(local int *p) {}",
            ),
            (
                "kernel void k(global int * global *p) {}",
                "pointer to a pointer",
                "kernel void k(constant int *p) {}",
            ),
            (
                "struct S { global int *p; }; kernel void k(struct S s) {}",
                "struct kernel parameters may not contain pointers",
                "struct S { global int *p; }; kernel void k(global struct S *s) {}",
            ),
            (
                "struct S { struct { bool b; } in[2]; }; kernel void k(struct S s) {}",
                "a struct with a 'bool' in it",
                "struct S { bool b; }; kernel void k(global struct S *s) {}",
            ),
            (
                "struct S { size_t n; }; kernel void k(struct S s) {}",
                "a struct with a 'size_t' in it",
                "struct S { ulong n; }; kernel void k(struct S s) {}",
            ),
            (
                "typedef ptrdiff_t T; union U { int a; T t[2]; }; kernel void k(union U u) {}",
                "a union with a 'size_t' in it",
                "typedef long T; union U { int a; T t[2]; }; kernel void k(union U u) {}",
            ),
            (
                "typedef size_t T; kernel void k(T n) {}",
                "'T' cannot be used as the type of a kernel parameter",
                "typedef ulong T; kernel void k(T n) {}",
            ),
            (
                "void f(half h) {}",
                "declaring function parameter of type 'half' is not allowed",
                "void f(half *h) {}",
            ),
            (
                "__attribute__((reqd_work_group_size(1, 1, 1))) void f() {}",
                "can only be applied to an OpenCL kernel function",
                "__attribute__((reqd_work_group_size(1, 1, 1))) kernel void f() {}",
            ),
            (
                "__attribute__((reqd_work_group_size(1, 1))) kernel void f() {}",
                "requires exactly 3 arguments",
                "__attribute__((vec_type_hint(float4))) kernel void f() {}",
            ),
            (
                "__attribute__((reqd_work_group_size(0, 1, 1))) kernel void f() {}",
                "must be greater than 0",
                "__attribute__((work_group_size_hint(1, 1, 1))) kernel void f() {}",
            ),
        ],
    );
}

#[test]
fn gnu_atomics_have_objects_of_32_or_64_bits() {
    all_statements(
        120,
        &[
            (
                "__atomic_fetch_add(i, 1, 0);",
                "must be a pointer ('int' invalid)",
                "__atomic_fetch_add(gp, 1, 0);",
            ),
            (
                "__atomic_store_n(cp, 1, 0);",
                "must be a pointer to non-const type",
                "i = __atomic_load_n(lp, __ATOMIC_SEQ_CST);",
            ),
            (
                "__atomic_exchange_n((global short *)gp, 1, 0);",
                "must be a pointer to a number of 32 or 64 bits",
                "__atomic_exchange_n((global ulong *)gp, 1, 0);",
            ),
            (
                "__atomic_fetch_xor((global float *)gp, 1, 0);",
                "must be a pointer to a number of 32 or 64 bits",
                "__atomic_exchange_n((global float *)gp, 1, 0);",
            ),
            (
                "__atomic_compare_exchange_n(gp, &z, 1, 0, 0, 0);",
                "to parameter of type 'int *'",
                "__atomic_compare_exchange_n(gp, &i, 1, 0, 0, 0);",
            ),
            (
                "__sync_fetch_and_add(gp);",
                "too few arguments to function call",
                "__sync_fetch_and_add(gp, 1);",
            ),
            (
                "__atomic_add_fetch(gp, 1, 0, 0);",
                "too many arguments to function call",
                "__sync_add_and_fetch(gp, 1, gp);",
            ),
            (
                "__atomic_fetch_div(gp, 1, 0);",
                "undeclared identifier '__atomic_fetch_div'",
                "__atomic_sub_fetch(gp, 1, 0);",
            ),
        ],
    );
}

#[test]
fn types_of_opencl_have_rules_of_their_own() {
    all_statements(
        120,
        &[
            ("image2d_t q;", "can only be used as a function parameter", "sampler_t q = 0;"),
            ("image2d_t *q;", "pointer to type 'image2d_t' is invalid", "int *q;"),
            ("sampler_t q[2];", "array of 'sampler_t' type is invalid", "int q[2];"),
            ("im = im;", "invalid operands to binary expression", "i = get_image_width(im);"),
            ("&im;", "invalid argument type 'image2d_t' to unary expression", "&i;"),
            ("(int)im;", "cannot be cast", "(int)x;"),
            ("event_t e = 1;", "with an expression of incompatible type 'int'", "event_t e = 0;"),
            ("x = (half)1;", "casting to type 'half' is not allowed", "x = (float)1;"),
            ("half h;", "of type 'half' is not allowed", "half *h;"),
            (
                "half *h; x = *h;",
                "loading directly from pointer to type 'half'",
                "half *h; x = vload_half(0, h);",
            ),
            (
                "half *h; *h = x;",
                "assigning directly to pointer to type 'half'",
                "half2 h; h = h + h;",
            ),
            ("int q[i];", "variable length arrays are not supported", "int q[3];"),
            ("int q[-1];", "array with a negative size", "int q[k];"),
            ("void q;", "incomplete type 'void'", "void *q;"),
            ("int (*fp)(int);", "pointers to functions are not allowed", "int *fp;"),
            ("p = f;", "taking address of function is not allowed", "p = 0;"),
            ("register int q;", "does not support the 'register' storage class", "int q;"),
            ("static int q;", "cannot be declared static", "const int q = 1;"),
            ("int restrict q;", "restrict requires a pointer", "int *restrict q;"),
            ("asm(\"nop\");", "inline assembly is not supported", ";"),
            ("vec_step(s);", "'vec_step' requires built-in scalar or vector type", "vec_step(v);"),
            ("sizeof(void);", "invalid application of 'sizeof' to a void type", "sizeof(int[3]);"),
            (
                "long long unsigned short q;",
                "invalid combination of type specifiers",
                "unsigned long long q;",
            ),
        ],
    );
    all(
        120,
        &[
            (
                "struct S { image2d_t i; };",
                "cannot be used to declare a structure or union field",
                "struct S { int i; };",
            ),
            (
                "struct S { int a : 3; };",
                "bit-fields are not supported in OpenCL",
                "struct S { int a; };",
            ),
            ("void f(int a, ...);", "variadic arguments are not allowed", "void f(int a);"),
            (
                "static int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *p) { *p = f(3); }",
                "recursion is not supported",
                "static int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *p) { *p = 3; }",
            ),
            (
                "int f(int n) { return n ? f(n - 1) : 0; }",
                "recursion is not supported",
                "int g(int); int f(int n) { return g(n); }",
            ),
            (
                "int g(int); int f(int n) { return g(n); } int g(int n) { return f(n); }",
                "recursion is not supported",
                "int g(int n) { return n; } int f(int n) { return g(g(n)); }",
            ),
            (
                "_Static_assert(sizeof(int) == 8, \"odd\");",
                "static assertion failed: odd",
                "_Static_assert(sizeof(float3) == 16, \"odd\");",
            ),
            (
                "void f(read_write image2d_t i);",
                "'read_write' cannot be used",
                "void f(write_only image2d_t i);",
            ),
            (
                "void f(read_only int i);",
                "can only be used for pipe and image type",
                "void f(read_only image2d_t i);",
            ),
        ],
    );
    let bits = "struct S { int a : 3; }; int f(struct S s) { s.a = 2; return s.a; }";
    let features = [FEATURES, &["__cl_clang_bitfields"]].concat();
    assert_eq!(check(120, &features, bits).0, 0);
    let half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nhalf f(half h) { half g = h + 1.0h; return g; }";
    accepted_in(120, half);
    let (errors, log) = check(120, &[], "double d(double x) { return x; }");
    assert!(errors > 0 && log.contains("requires cl_khr_fp64"), "{log}");
}

#[test]
fn overloads_are_chosen_as_clang_chooses() {
    all_statements(
        120,
        &[
            ("sqrt(4);", "call to 'sqrt' is ambiguous", "sqrt(4.0f);"),
            ("max(x, 1);", "call to 'max' is ambiguous", "max(x, 1.0f);"),
            ("max(i, n);", "call to 'max' is ambiguous", "max(i, 1);"),
            ("min((short)1, (char)1);", "call to 'min' is ambiguous", "min((short)1, (short)2);"),
            ("clamp(x, 0, 1);", "call to 'clamp' is ambiguous", "clamp(x, 0.0f, 1.0f);"),
            ("abs(x);", "call to 'abs' is ambiguous", "fabs(x);"),
            ("isnan(1);", "call to 'isnan' is ambiguous", "isnan(x);"),
            ("convert_float4(x);", "call to 'convert_float4' is ambiguous", "convert_float4(w);"),
            ("shuffle(v, w);", "no matching function for call to 'shuffle'", "shuffle(v, u);"),
            (
                "read_imagef(im, sm, x);",
                "call to 'read_imagef' is ambiguous",
                "read_imagef(im, sm, v.xy);",
            ),
            ("get_global_id(v);", "to parameter of incompatible type 'uint'", "get_global_id(i);"),
            ("max(v, s);", "no matching function for call to 'max'", "max(v, n); max(v, 1.0f);"),
        ],
    );
    accepted_in(
        120,
        "void f(global int *g, global float *h, uint u, local int *l, float x, float4 v) { atomic_add(g, 1); atomic_add(g, u); atomic_xchg(h, 1); \
         atomic_add(l, (short)1); vload4(u, g); pow(x, 2); pow(v, 2.0f); mix(v, v, 0.5); step(0, x); max(true, false); pown(v, 2); }",
    );
    let overloads = "__attribute__((overloadable)) int f(int x) { return 1; } __attribute__((overloadable)) int f(float x) { return 2; }";
    accepted_in(120, &format!("{overloads} int g(short s) {{ return f(1.0f) + f(s); }}"));
    refused_in(
        120,
        &format!("{overloads} int g(double d) {{ return f(d); }}"),
        "candidate function: int f(int)",
    );
}

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
fn atomic_objects_belong_to_functions() {
    for (wrong, message, right) in [
        ("*a = 3;", "cannot be assigned to", "atomic_store(a, 3);"),
        ("(*a)++;", "invalid argument type", "atomic_fetch_add(a, 1);"),
        ("*a += 2;", "cannot be assigned to", "atomic_fetch_add(a, 2);"),
    ] {
        let around = |statement: &str| format!("void f(global atomic_int *a) {{ {statement} }}");
        refused_in(200, &around(wrong), message);
        accepted_in(200, &around(right));
    }
    let (errors, log) = check(300, FEATURES, "int f(global atomic_int *a) { return *a; }");
    assert!(errors == 0 && log.contains("[-Wopencl-atomic-read]"), "{log}");
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
