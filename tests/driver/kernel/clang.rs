//! What clang's SPIR-V back end writes in its own way means what the source says.

use brolga_tests::{Context, Range};

fn run<const N: usize>(source: &str) -> [i32; N] {
    run_with(source, "-cl-std=CL3.0")
}

fn run_with<const N: usize>(source: &str, options: &str) -> [i32; N] {
    let context = Context::new();
    let out = context.zeros::<i32>(N);
    context
        .program(source, options)
        .kernel("k")
        .run(&context, &Range::new([1]), &[&out]);
    out.read().try_into().unwrap()
}

/// The initial values of pointers into variables count bytes.
#[test]
fn constant_addresses() {
    let source = "
        struct S { char a; int b; char c; };
        constant struct S s = { 1, 2, 3 };
        constant char *constant inside = &s.c;
        constant int table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
        constant int *constant fifth = table + 5;
        global int numbers[4] = { 10, 20, 30, 40 };
        global int *global last = numbers + 3;
        global uchar *global nothing;
        kernel void k(global int *out) {
            out[0] = *inside;
            out[1] = *fifth;
            out[2] = *last;
            out[3] = nothing == 0;
            nothing = (global uchar *)numbers;
        }";
    assert_eq!(run(source), [3, 6, 40, 1]);
}

/// Null pointers are the integer 0 for clang's back end, and pointers to one thing are pointers to another.
#[test]
fn constants_with_pointers() {
    let source = r#"
        struct T { char *a[3]; };
        global struct T u = {{0, 0, 0}};
        struct N { struct T t; int k; };
        struct N n = {{{0, 0, 0}}, 4};
        global int x;
        global float y;
        typedef struct { global int *a; global float *b; constant char *c; } P;
        constant char text[] = "abc";
        constant P whole = { &x, &y, text };
        constant P first = { &x, 0, 0 };
        constant P several[2] = { { 0, &y, 0 }, { 0, 0, text + 1 } };
        global int *global table[3] = { &x, 0, &x };
        constant char *constant names[] = { "a", 0, "ccc" };
        typedef struct { global void *p; ulong z; char c; } V;
        global V v = { &x, 0, 1 };
        kernel void k(global int *out) {
            int i = out[0];
            out[0] = u.a[i] == 0;
            out[1] = n.t.a[i] == 0 && n.k == 4;
            out[2] = whole.a == &x && whole.b == &y && whole.c[i] == 'a';
            out[3] = first.a == &x && first.b == 0 && first.c == 0;
            out[4] = several[i].a == 0 && several[i].b == &y && several[i + 1].c[0] == 'b';
            out[5] = table[i] == &x && table[i + 1] == 0 && table[i + 2] == &x;
            out[6] = names[i][0] == 'a' && names[i + 1] == 0 && names[i + 2][2] == 'c';
            out[7] = v.p == &x && v.z == 0 && v.c == 1;
            P here = { 0, &y, 0 };
            out[8] = here.a == 0 && here.b == &y;
        }"#;
    for options in ["-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"] {
        assert_eq!(run_with(source, options), [1; 9], "{options}");
    }
}

/// Without optimization, a conversion to a small type and back is a mask of what was converted, whose width the mask need not have.
#[test]
fn conversions_as_written() {
    let source = "
        kernel void k(global int *out) {
            long x = out[0] + 0x1234567890L;
            out[0] = (ushort)x;
            out[1] = (uchar)x + 1;
            out[2] = (short)x;
        }";
    assert_eq!(run_with(source, "-cl-std=CL3.0 -cl-opt-disable"), [0x7890, 0x91, 0x7890]);
}

/// clang's optimizer counts the inner turns by integers of 3 bits.
#[test]
fn integers_of_few_bits_end_where_they_should() {
    let source = "
        kernel void k(global int *out) {
            int turns = 0;
            for (uint i = 0; i < (out[0] & 3) + 4u; i++)
                for (int j = 0; j < (int)(out[1] & 7) + 2; j++)
                    for (int l = 0; l < (int)((i - (uint)out[2]) & 7); l++) {
                        turns++;
                        out[3 + (j ^ l) % (i | 1)] += l;
                    }
            out[0] = turns;
        }";
    let mut want = [12, 0, 0, 0, 0, 0];
    for (i, j) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)] {
        (0..i).for_each(|l| want[3 + ((j ^ l) % (i | 1)) as usize] += l);
    }
    assert_eq!(run(source), want);
}

/// What is converted to the type that it has stays what it is.
#[test]
fn conversions_to_the_same_type() {
    let source = "
        kernel void k(global int *out) {
            float4 f = convert_float4(convert_float4((float4)(1, 2, 3, out[0] + 4.5f)));
            double2 d = convert_double2((double2)(out[0] + 0.5, 1e300));
            out[0] = f.w * 2;
            out[1] = convert_float_rtp(f.x) + convert_double(d.x * 8);
            out[2] = convert_double2_rtz(d).y == 1e300;
            out[3] = convert_ulong(convert_uint4_sat((uint4)(0xfffffff0, 1, 2, 3)).x) == 0xfffffff0;
        }";
    assert_eq!(run(source), [9, 5, 1, 1]);
}

#[test]
fn any_and_all_of_one_number() {
    let source = "
        kernel void k(global int *out) {
            volatile char a = -1, b = 1;
            volatile int c = -5, d = 5;
            out[0] = any(a); out[1] = any(b); out[2] = all(c); out[3] = all(d);
        }";
    assert_eq!(run(source), [1, 0, 1, 0]);
}

/// Three aligned halves take the room of four.
#[test]
fn aligned_vectors_of_three_halves() {
    let source = "
        kernel void k(global int *out) {
            ushort data[8] = { 0x3c00, 0x4000, 0x4200, 0, 0x4400, 0x4500, 0x4600, 0 };
            volatile int one = 1;
            float3 v = vloada_half3(one, (half *)data);
            out[0] = v.x; out[1] = v.y; out[2] = v.z;
            vstorea_half3(v, 0, (half *)data);
            out[3] = data[2];
        }";
    assert_eq!(run(source), [4, 5, 6, 0x4600]);
}

/// Halves in memory that was declared as something else.
#[test]
fn halves_in_memory_of_shorts() {
    let source = "
        kernel void k(global int *out) {
            local ushort data[4];
            local half *halves = (local half *)data;
            data[0] = 0x4000; data[1] = 0x4200;
            out[0] = vload_half(1, halves);
            vstore_half_rtz(5.0f, 2, halves);
            out[1] = data[2];
        }";
    assert_eq!(run(source), [3, 0x4500]);
}

#[test]
fn atomic_loads_of_any_order_and_scope() {
    let source = "
        kernel void k(global int *out) {
            volatile global atomic_int *cell = (volatile global atomic_int *)(out + 4);
            atomic_store_explicit(cell, 7, memory_order_release, memory_scope_all_svm_devices);
            out[0] = (atomic_load_explicit)(cell, memory_order_seq_cst, memory_scope_all_svm_devices);
            out[1] = (atomic_load_explicit)(cell, memory_order_acquire, memory_scope_device);
            out[2] = (atomic_load_explicit)(cell, memory_order_relaxed, memory_scope_work_group);
            out[3] = atomic_load(cell);
        }";
    assert_eq!(run(source), [7, 7, 7, 7, 7]);
}

#[test]
fn vectors_of_one_component() {
    let context = Context::new();
    // clang's optimizer loads what is left of each vector as one of one component.
    let source = "char2 same(char2 x) { return x; }
    kernel void k(global const char2 *a, global char *r) {
        char3 t = (char)0;
        t.y = same(a[0]).s0;
        vstore3(t, 0, r);
        t = (char)0;
        t.x = same(a[1]).s0;
        vstore3(t, 1, r);
        t = (char)0;
        t.zx = same(a[2]).s10;
        vstore3(t, 2, r);
    }";
    let (a, r) = (context.buffer(&[1i8, 2, 3, 4, 5, 6]), context.zeros::<i8>(9));
    context.program(source, "").kernel("k").run(&context, &Range::new([1]), &[&a, &r]);
    assert_eq!(r.read(), [0, 1, 0, 3, 0, 0, 5, 0, 6]);
}

/// Conversions of integers are what their arguments' types say, however a program comes by their names: macros that paste, options, files on the disk.
#[test]
fn conversions_by_other_names() {
    let directory = std::env::temp_dir().join(format!("brolga-conversions-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(
        directory.join("sums.h"),
        "static int sum(char4 x) { int4 y = convert_int4(x); return y.x + y.y + y.z + y.w; }\n",
    )
    .unwrap();
    let pasted = "
        #define TO(T) convert_##T##_sat
        kernel void k(global int *out) {
            uint large = out[0] + 0xfffffff0u;
            out[0] = TO(char)(large);
            out[1] = TO(uchar)(out[1] - 5);
        }";
    assert_eq!(run(pasted), [127, 0]);
    let by_option = "kernel void k(global int *out) { char x = out[0] - 1; out[0] = WIDEN(x); }";
    assert_eq!(run_with(by_option, "-D WIDEN=convert_int"), [-1]);
    let included = "
        #include \"sums.h\"
        kernel void k(global int *out) { char4 x = (char4)(out[0]) - (char4)(1, 2, 3, 4); out[0] = sum(x); }";
    assert_eq!(run_with(included, &format!("-I {}", directory.display())), [-10]);
    std::fs::remove_dir_all(&directory).unwrap();
}

/// `ldexp` takes one exponent for all components.
#[test]
fn one_exponent_for_a_vector() {
    let source = "
        kernel void k(global int *out) {
            float4 x = (float4)(1, 2, 3, 4) + out[0];
            float4 y = ldexp(x, out[1] + 3);
            double2 z = ldexp((double2)(out[0] + 5), (int2)(1, 2));
            out[0] = y.x + y.w;
            out[1] = z.x + z.y;
            out[2] = ldexp(x.y, 2);
            out[3] = convert_int4(ldexp(convert_float4((char4)(out[4]) + (char4)(1, 2, 3, 4)), 1)).z;
        }";
    assert_eq!(run::<5>(source), [40, 30, 8, 6, 0]);
}

/// What is tolerated of our own compiler is nothing to tell its users.
#[test]
fn structs_by_value_are_nothing_to_warn_of() {
    let context = Context::new();
    let source = "struct S { int a; float b[2]; }; kernel void k(global int *out, struct S s) { out[0] = s.a; }";
    assert_eq!(context.program(source, "").log(), "");
}
