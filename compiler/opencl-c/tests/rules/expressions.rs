//! Operators, conversions and calls.

use super::*;

#[test]
fn conditions_of_choices_are_no_floats() {
    let choice = |condition: &str| format!("int f(float x, int n, int4 v, global int *p) {{ return {condition} ? 1 : 2; }}");
    refused_in(120, &choice("x"), "used type 'float' where floating point type is not allowed");
    for condition in ["n", "p", "(x != 0)", "!x", "(x && n)"] {
        accepted_in(120, &choice(condition));
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
