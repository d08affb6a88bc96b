//! Functions, structs by value, constant and program-scope data, pointers of all spaces.

use brolga_tests::cl_sys::*;
use brolga_tests::{Argument, Context, Range};

/// A struct as a kernel's argument: its bytes.
struct Bytes<'a>(&'a [u8]);

impl Argument for Bytes<'_> {
    fn value(&self) -> (usize, *const c_void) {
        (self.0.len(), self.0.as_ptr().cast())
    }
}

#[test]
fn functions_that_are_not_inlined() {
    let context = Context::new();
    let source = "__attribute__((noinline)) int twice(int x) { return x * 2; }
    __attribute__((noinline)) float mix2(float a, float4 b, int c) { return a + b.x * b.w + twice(c); }
    __attribute__((noinline)) void store(global float *to, float v, size_t at) { if (v > 10) to[at] = v; else to[at] = -v; }
    kernel void k(global float *r) { int i = get_global_id(0); store(r, mix2(i, (float4)(i, 0, 0, 2), i), i); }";
    let program = context.program(source, "");
    let r = context.zeros::<f32>(50);
    program.kernel("k").run(&context, &Range::new([50]), &[&r]);
    let want = |i: i32| {
        let v = (i + 2 * i + 2 * i) as f32;
        if v > 10.0 { v } else { -v }
    };
    assert_eq!(r.read(), (0..50).map(want).collect::<Vec<_>>());
}

#[test]
fn structs_by_value_and_returned() {
    let context = Context::new();
    let source = "typedef struct { char a; int b; float4 c; short d[3]; } S;
    __attribute__((noinline)) S change(S s, int i) { s.b += i; s.c *= 2; s.d[i % 3] = 9; return s; }
    kernel void k(global float *r, S s, char tail) {
        int i = get_global_id(0);
        S t = change(s, i);
        r[i] = t.a + t.b + t.c.w + t.d[0] + t.d[1] * 10 + t.d[2] * 100 + tail + s.b;
    }";
    let program = context.program(source, "");
    // a at 0, b at 4, c at 16, d at 32; 48 in all.
    let mut bytes = [0u8; 48];
    bytes[0] = 3;
    bytes[4..8].copy_from_slice(&70i32.to_ne_bytes());
    bytes[28..32].copy_from_slice(&2.5f32.to_ne_bytes());
    for (at, value) in [(32, 1i16), (34, 2), (36, 3)] {
        bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
    }
    let r = context.zeros::<f32>(20);
    program.kernel("k").run(&context, &Range::new([20]), &[&r, &Bytes(&bytes), &-1i8]);
    let want = |i: i32| {
        let mut d = [1, 2, 3];
        d[i as usize % 3] = 9;
        (3 + 70 + i + 5 + d[0] + d[1] * 10 + d[2] * 100 - 1 + 70) as f32
    };
    assert_eq!(r.read(), (0..20).map(want).collect::<Vec<_>>());
}

#[test]
fn constant_data() {
    let context = Context::new();
    let source = "constant int table[5] = {3, 1, 4, 1, 5}; constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)};
    constant struct { char c; long l; } pairs[] = {{'a', 1L << 40}, {'b', -2}};
    kernel void k(global long *r, constant int *given) {
        int i = get_global_id(0);
        r[i] = table[i % 5] * 10 + (int)vectors[i & 1].z + given[i % 3] + pairs[i & 1].l + pairs[!(i & 1)].c;
    }";
    let program = context.program(source, "");
    let (r, given) = (context.zeros::<i64>(40), context.buffer(&[100, 200, 300]));
    program.kernel("k").run(&context, &Range::new([40]), &[&r, &given]);
    let want = |i: usize| {
        let pair = if i & 1 == 0 { (1i64 << 40) + 98 } else { -2 + 97 };
        [3, 1, 4, 1, 5][i % 5] * 10 + if i & 1 == 0 { 3 } else { 7 } + (i as i64 % 3 + 1) * 100 + pair
    };
    assert_eq!(r.read(), (0..40).map(want).collect::<Vec<_>>());
}

#[test]
fn generic_pointers() {
    let context = Context::new();
    if context.device.number(CL_DEVICE_VERSION_NUMERIC_OR_OLDER) == 0 {
        return;
    }
    let source = "#ifdef __opencl_c_generic_address_space
    __attribute__((noinline)) int sum(const int *p, int n) { int s = 0; for (int j = 0; j < n; j++) s += p[j]; return s; }
    kernel void k(global int *r, global int *g) {
        local int l[4]; int p[4];
        int i = get_global_id(0);
        if (get_local_id(0) < 4) l[get_local_id(0)] = get_local_id(0) * 10;
        for (int j = 0; j < 4; j++) p[j] = i + j;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int *which = i % 3 == 0 ? (const int *)g : i % 3 == 1 ? (const int *)l : (const int *)p;
        r[i] = sum(which, 4);
    }
    #else
    kernel void k(global int *r, global int *g) {
        int i = get_global_id(0);
        r[i] = i % 3 == 0 ? g[0] + g[1] + g[2] + g[3] : i % 3 == 1 ? 60 : 4 * i + 6;
    }
    #endif";
    let program = context.program(source, "-cl-std=CL3.0");
    let (r, g) = (context.zeros::<i32>(48), context.buffer(&[1, 2, 3, 4]));
    program.kernel("k").run(&context, &Range::new([48]).local([16]), &[&r, &g]);
    let want = |i: i32| match i % 3 {
        0 => 10,
        1 => 60,
        _ => 4 * i + 6,
    };
    assert_eq!(r.read(), (0..48).map(want).collect::<Vec<_>>());
}

/// `CL_DEVICE_NUMERIC_VERSION`: a query that any device of OpenCL 3.0 answers.
const CL_DEVICE_VERSION_NUMERIC_OR_OLDER: cl_uint = 0x105E;

#[test]
fn unaligned_and_small_accesses() {
    let context = Context::new();
    let source = "kernel void k(global uchar *a, global ulong *r) {
        size_t i = get_global_id(0);
        ulong v = 0;
        for (int j = 0; j < 8; j++) v = v << 8 | a[i * 3 + j];
        r[i] = v;
        a[200 + i] = (uchar)(i * 5);
    }";
    let program = context.program(source, "");
    let bytes: Vec<u8> = (0..300u32).map(|i| (i * 7) as u8).collect();
    let (a, r) = (context.buffer(&bytes), context.zeros::<u64>(60));
    program.kernel("k").run(&context, &Range::new([60]), &[&a, &r]);
    let want = |i: usize| (0..8).fold(0u64, |v, j| v << 8 | u64::from(bytes[i * 3 + j]));
    assert_eq!(r.read(), (0..60).map(want).collect::<Vec<_>>());
    assert_eq!(a.read()[200..260], (0..60u32).map(|i| (i * 5) as u8).collect::<Vec<_>>());
}

#[test]
fn packed_structs() {
    let context = Context::new();
    let source = "typedef struct __attribute__((packed)) { char a; int b; short c; float d; } S;
    __attribute__((noinline)) S next(S s) { s.a += 1; s.b -= 2; s.c *= 3; s.d += 0.5f; return s; }
    kernel void k(global S *all, S own) {
        int i = get_global_id(0);
        S s = next(all[i]);
        s.b += own.b + own.c;
        all[i] = s;
    }";
    let program = context.program(source, "");
    let pack = |a: i8, b: i32, c: i16, d: f32| -> Vec<u8> {
        let parts = [
            a.to_ne_bytes().to_vec(),
            b.to_ne_bytes().to_vec(),
            c.to_ne_bytes().to_vec(),
            d.to_ne_bytes().to_vec(),
        ];
        parts.concat()
    };
    let item = |i: i32| (i as i8, i * 1000, i as i16 * 7, i as f32 * 1.25);
    let all: Vec<u8> = (0..40).map(item).flat_map(|(a, b, c, d)| pack(a, b, c, d)).collect();
    let buffer = context.buffer(&all);
    let own = pack(1, 100_000, 5, 2.0);
    program
        .kernel("k")
        .run(&context, &Range::new([40]).local([8]), &[&buffer, &Bytes(&own)]);
    let want: Vec<u8> = (0..40)
        .map(item)
        .flat_map(|(a, b, c, d)| pack(a + 1, b - 2 + 100_005, c * 3, d + 0.5))
        .collect();
    assert_eq!(buffer.read(), want);
}

/// Inline functions that the compiler does not inline, and that nobody declares once more without `inline`.
#[test]
fn inline_functions_that_are_not_inlined() {
    let context = Context::new();
    let source = "
        inline int triple(int x) { return x * 3; }
        inline __attribute__((noinline)) int more(int x) { return triple(x) + 1; }
        kernel void k(global int *r) { int i = get_global_id(0); r[i] = more(i); }";
    for options in ["", "-cl-opt-disable"] {
        let program = context.program(source, options);
        let r = context.zeros::<i32>(8);
        program.kernel("k").run(&context, &Range::new([8]), &[&r]);
        assert_eq!(r.read(), (0..8).map(|i| i * 3 + 1).collect::<Vec<i32>>());
    }
}

/// A function that is too large to be inlined, with an array of the work-item's own.
#[test]
fn a_function_that_stays_a_call_has_private_memory() {
    const STATEMENTS: u32 = 800;
    let body: String = (0..STATEMENTS)
        .map(|i| {
            format!(
                "a[(x + {i}) % 16] += x * {} ^ (y >> {}); y = y * 1664525u + a[(y >> {}) % 16];\n",
                i * 7 + 3,
                i % 13,
                i % 5
            )
        })
        .collect();
    let source = format!(
        "uint f(uint x, uint y) {{ uint a[16]; for (int i = 0; i < 16; i++) a[i] = x + i;\n{body} return a[y % 16] + y; }}
        kernel void k(global uint *r) {{ uint i = get_global_id(0); uint v = f(f(i, 1), i); if (i % 3 == 0) v ^= f(v + 5, 3); r[i] = v; }}"
    );
    let f = |x: u32, mut y: u32| {
        let mut a: [u32; 16] = std::array::from_fn(|i| x.wrapping_add(i as u32));
        for i in 0..STATEMENTS {
            let at = &mut a[(x.wrapping_add(i) % 16) as usize];
            *at = at.wrapping_add(x.wrapping_mul(i * 7 + 3) ^ (y >> (i % 13)));
            y = y.wrapping_mul(1_664_525).wrapping_add(a[((y >> (i % 5)) % 16) as usize]);
        }
        a[(y % 16) as usize].wrapping_add(y)
    };
    let context = Context::new();
    let r = context.zeros::<u32>(256);
    context.program(&source, "").kernel("k").run(&context, &Range::new([256]), &[&r]);
    for (i, got) in (0..).zip(r.read()) {
        let v = f(f(i, 1), i);
        assert_eq!(got, if i % 3 == 0 { v ^ f(v.wrapping_add(5), 3) } else { v }, "work-item {i}");
    }
}

/// What such a function asks about the launch, its group and the work-item is what the kernel would be told; pointers to any space work in it.
/// (It has a printf, too, which asks where the launch is, though no work-item comes to it.)
#[test]
fn a_function_that_stays_a_call_knows_its_work_item() {
    const STATEMENTS: u32 = 800;
    let body: String = (0..STATEMENTS)
        .map(|i| format!("x = x * 1664525u + (x >> {}) + *p * {};\n", i % 13, i * 7 + 3))
        .collect();
    let source = format!(
        "uint f(uint x, const uint *p) {{
            {body}
            if (x == 77) printf(\"%u\\n\", x);
            x = x * 31 + get_global_id(0); x = x * 31 + get_global_id(1); x = x * 31 + get_global_linear_id();
            x = x * 31 + get_local_id(0); x = x * 31 + get_local_id(1); x = x * 31 + get_local_linear_id();
            x = x * 31 + get_group_id(0); x = x * 31 + get_group_id(1); x = x * 31 + get_num_groups(0);
            x = x * 31 + get_local_size(0); x = x * 31 + get_enqueued_local_size(1); x = x * 31 + get_global_size(1);
            return x * 31 + get_global_offset(0) + get_work_dim();
        }}
        kernel void k(global uint *r) {{
            size_t i = get_global_linear_id();
            local uint l[64];
            uint m = i * 5;
            l[get_local_linear_id()] = i * 3;
            const uint *p = &m;
            if (i % 2 == 0) p = &l[get_local_linear_id()];
            uint v = f(i, p);
            if (i % 3 == 0) v ^= f(v + 5, &r[i]);
            r[i] = v;
        }}"
    );
    let context = Context::new();
    let kernel = context.program(&source, "-cl-std=CL3.0").kernel("k");
    let offsets = [[0, 0], [4, 9]];
    // Groups of whole gangs, of less than one, and groups that are cut off.
    for ([width, height], [across, down]) in [([32, 4], [16, 2]), ([6, 9], [3, 3]), ([29, 5], [8, 3])] {
        for [right, below] in offsets {
            let f = |mut x: u32, pointed: u32, i: u32| {
                for n in 0..STATEMENTS {
                    x = x
                        .wrapping_mul(1_664_525)
                        .wrapping_add(x >> (n % 13))
                        .wrapping_add(pointed.wrapping_mul(n * 7 + 3));
                }
                let (column, row) = (i % width, i / width);
                let cut = |at: u32, whole: u32, local: u32| local.min(whole - at / local * local);
                for n in [
                    column + right,
                    row + below,
                    i,
                    column % across,
                    row % down,
                    row % down * cut(column, width, across) + column % across,
                    column / across,
                    row / down,
                    width.div_ceil(across),
                    cut(column, width, across),
                    down,
                    height,
                    right + 2,
                ] {
                    x = x.wrapping_mul(31).wrapping_add(n);
                }
                x
            };
            let r = context.zeros::<u32>((width * height) as usize);
            let range = Range::new([width, height].map(|n| n as usize))
                .local([across, down].map(|n| n as usize))
                .offset([right, below].map(|n| n as usize));
            kernel.run(&context, &range, &[&r]);
            for (i, got) in (0..).zip(r.read()) {
                let v = f(i, if i % 2 == 1 { i * 5 } else { i * 3 }, i);
                let want = if i % 3 == 0 { v ^ f(v.wrapping_add(5), 0, i) } else { v };
                assert_eq!(got, want, "work-item {i} of {width} x {height}, from {right}, {below}");
            }
        }
    }
}
