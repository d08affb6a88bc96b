//! cl_khr_integer_dot_product, cl_khr_extended_bit_ops, cl_khr_expect_assume.

use super::values::Random;
use brolga_tests::{Context, Range};

const SATURATING: fn(i64, i64) -> i32 = |sum, accumulator| (sum + accumulator).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;

#[test]
fn dot_products() {
    let context = Context::new();
    let source = "kernel void k(global const char4 *a, global const uchar4 *b, global const uint *pa, global const uint *pb, global const int *c, global int *r) {
        int i = get_global_id(0);
        r += 16 * i;
        r[0] = dot(a[i], a[i + 1]);
        r[1] = dot(b[i], b[i + 1]);
        r[2] = dot(a[i], b[i]);
        r[3] = dot(b[i], a[i]);
        r[4] = dot_acc_sat(a[i], a[i + 1], c[i]);
        r[5] = dot_acc_sat(b[i], b[i + 1], (uint)c[i]);
        r[6] = dot_acc_sat(a[i], b[i], c[i]);
        r[7] = dot_acc_sat(b[i], a[i], c[i]);
        r[8] = dot_4x8packed_ss_int(pa[i], pa[i + 1]);
        r[9] = dot_4x8packed_uu_uint(pb[i], pb[i + 1]);
        r[10] = dot_4x8packed_su_int(pa[i], pb[i]);
        r[11] = dot_4x8packed_us_int(pb[i], pa[i]);
        r[12] = dot_acc_sat_4x8packed_ss_int(pa[i], pa[i + 1], c[i]);
        r[13] = dot_acc_sat_4x8packed_uu_uint(pb[i], pb[i + 1], (uint)c[i]);
        r[14] = dot_acc_sat_4x8packed_su_int(pa[i], pb[i], c[i]);
        r[15] = dot_acc_sat_4x8packed_us_int(pb[i], pa[i], c[i]);
    }";
    let program = context.program(source, "-cl-std=CL3.0");
    let mut random = Random(5);
    let corners = [0x8080_8080u32, 0x7f7f_7f7f, 0xffff_ffff, 0];
    let count = 100;
    let words = |random: &mut Random| -> Vec<u32> {
        (0..count + 1)
            .map(|n| corners.get(n).copied().unwrap_or(random.next() as u32))
            .collect()
    };
    let (a, b) = (words(&mut random), words(&mut random));
    let c: Vec<i32> = (0..count)
        .map(|n| [i32::MAX, i32::MIN, -1, 0].get(n).copied().unwrap_or(random.next() as i32))
        .collect();
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (byte_a, byte_b) = (context.buffer(&bytes(&a)), context.buffer(&bytes(&b)));
    let (word_a, word_b, acc, r) = (
        context.buffer(&a),
        context.buffer(&b),
        context.buffer(&c),
        context.zeros::<i32>(16 * count),
    );
    program.kernel("k").run(
        &context,
        &Range::new([count]).local([20]),
        &[&byte_a, &byte_b, &word_a, &word_b, &acc, &r],
    );
    let signed = |word: u32| word.to_le_bytes().map(|byte| i64::from(byte as i8));
    let unsigned = |word: u32| word.to_le_bytes().map(i64::from);
    let dot = |x: [i64; 4], y: [i64; 4]| (0..4).map(|n| x[n] * y[n]).sum::<i64>();
    for (i, found) in r.read().chunks(16).enumerate() {
        let (ss, uu, su) = (
            dot(signed(a[i]), signed(a[i + 1])),
            dot(unsigned(b[i]), unsigned(b[i + 1])),
            dot(signed(a[i]), unsigned(b[i])),
        );
        let uu_sat = (uu + i64::from(c[i] as u32)).min(i64::from(u32::MAX)) as u32 as i32;
        let half = [
            ss as i32,
            uu as i32,
            su as i32,
            su as i32,
            SATURATING(ss, c[i].into()),
            uu_sat,
            SATURATING(su, c[i].into()),
            SATURATING(su, c[i].into()),
        ];
        assert_eq!(found, [half, half].concat(), "{:x} {:x} {}", a[i], b[i], c[i]);
    }
}

fn insert(base: u64, insert: u64, offset: u32, count: u32, bits: u32) -> u64 {
    let mask = if count == 0 { 0 } else { (!0u64 >> (64 - count)) << offset };
    (base & !mask | (insert << offset) & mask) & (!0 >> (64 - bits))
}

#[test]
fn bit_fields() {
    let context = Context::new();
    let mut random = Random(9);
    for (ty, bits) in [("uchar", 8u32), ("ushort", 16), ("uint", 32), ("ulong", 64)] {
        let signed = &ty[1..];
        let source = format!(
            "kernel void k(global const {ty} *a, global const uint *o, global const uint *n, global {ty} *r) {{
                int i = get_global_id(0);
                r[5 * i] = bitfield_insert(a[2 * i], a[2 * i + 1], o[i], n[i]);
                r[5 * i + 1] = bitfield_extract_unsigned(a[2 * i], o[i], n[i]);
                r[5 * i + 2] = bitfield_extract_signed(a[2 * i], o[i], n[i]);
                r[5 * i + 3] = bit_reverse(a[2 * i]);
                r[5 * i + 4] = bitfield_extract_signed(({signed})a[2 * i], 1, {bits} - 1);
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        let count = 96;
        let a: Vec<u64> = (0..2 * count).map(|_| random.next() >> (64 - bits)).collect();
        let offsets: Vec<u32> = (0..count).map(|_| random.below(bits as usize) as u32).collect();
        let counts: Vec<u32> = offsets
            .iter()
            .enumerate()
            .map(|(n, &offset)| {
                if n % 7 == 0 {
                    bits - offset
                } else {
                    random.below((bits - offset + 1) as usize) as u32
                }
            })
            .collect();
        let size = bits as usize / 8;
        let bytes: Vec<u8> = a.iter().flat_map(|value| value.to_le_bytes()[..size].to_vec()).collect();
        let (buffer, o, n, r) = (
            context.buffer(&bytes),
            context.buffer(&offsets),
            context.buffer(&counts),
            context.zeros::<u8>(5 * count * size),
        );
        program
            .kernel("k")
            .run(&context, &Range::new([count]).local([24]), &[&buffer, &o, &n, &r]);
        let found: Vec<u64> = r
            .read()
            .chunks(size)
            .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
            .collect();
        for i in 0..count {
            let (x, offset, number) = (a[2 * i], offsets[i], counts[i]);
            let field = if number == 0 { 0 } else { (x >> offset) & (!0 >> (64 - number)) };
            let extend = |field: u64, number: u32| {
                let extended = if number == 0 {
                    0
                } else {
                    ((field << (64 - number)) as i64 >> (64 - number)) as u64
                };
                extended & (!0 >> (64 - bits))
            };
            let want = [
                insert(x, a[2 * i + 1], offset, number, bits),
                field,
                extend(field, number),
                x.reverse_bits() >> (64 - bits),
                extend(x >> 1, bits - 1),
            ];
            assert_eq!(found[5 * i..][..5], want, "{ty} {x:x} {offset} {number}");
        }
    }
}

#[test]
fn hints_change_nothing() {
    let context = Context::new();
    let source = "kernel void k(global int *r) {
        int i = get_global_id(0);
        __builtin_assume(r[i] >= 0);
        r[i] = __builtin_expect(r[i] % 3 == 0, 1) ? r[i] + 1 : -r[i];
    }";
    let r = context.buffer(&(0..64).collect::<Vec<i32>>());
    context
        .program(source, "")
        .kernel("k")
        .run(&context, &Range::new([64]).local([16]), &[&r]);
    assert_eq!(r.read(), (0..64).map(|i| if i % 3 == 0 { i + 1 } else { -i }).collect::<Vec<_>>());
}

#[test]
fn clocks_run_forward() {
    let context = Context::new();
    let source = "kernel void k(global ulong *t, global uint2 *u) {
        t[0] = clock_read_device(); t[1] = clock_read_work_group(); t[2] = clock_read_sub_group();
        u[0] = clock_read_hilo_device(); u[1] = clock_read_hilo_work_group(); u[2] = clock_read_hilo_sub_group();
        t[3] = clock_read_device();
    }";
    let (t, u) = (context.zeros::<u64>(4), context.zeros::<[u32; 2]>(3));
    let program = context.program(source, "-cl-std=CL3.0");
    program.kernel("k").run(&context, &Range::new([1]), &[&t, &u]);
    let (t, u) = (t.read(), u.read());
    let mut all = t[..3].to_vec();
    all.extend(u.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32));
    all.push(t[3]);
    assert!(all[0] > 0 && all.is_sorted(), "{all:?}");
}

/// Indices of 64 bits that are divided, cut and made floats, with and without an offset that takes them beyond 32 bits.
#[test]
fn size_t_indices_in_arithmetic() {
    let context = Context::new();
    let source = "kernel void k(global ulong *r, global float *f, uint w, int s, ulong far) {
        size_t i = get_global_id(0), j = i - get_global_offset(0);
        r += 8 * j; f += 4 * j;
        r[0] = i / w; r[1] = i % w; r[2] = i / (size_t)s; r[3] = i & 0xf0f0f0f0f0ul;
        r[4] = i >> 3; r[5] = (i + far) / w; r[6] = (long)(i - far) / 7; r[7] = (i + far) & 0xff;
        f[0] = i; f[1] = (long)i - 1000; f[2] = i + far; f[3] = i / 3 * 3;
    }";
    let program = context.program(source, "");
    for (offset, count, far) in [
        (0usize, 64usize, 5u64),
        (0, 100, 1 << 33),
        (1 << 30, 64, 3),
        (1 << 31, 64, 1 << 20),
        (1 << 33, 32, 77),
    ] {
        let (r, f) = (context.zeros::<u64>(8 * count), context.zeros::<f32>(4 * count));
        for w in [3u32, 64, 0x9000_0001] {
            let range = Range::new([count]).offset([offset]);
            program.kernel("k").run(&context, &range, &[&r, &f, &w, &11i32, &far]);
            let (r, f) = (r.read(), f.read());
            for j in 0..count {
                let (i, wide) = ((offset + j) as u64, u64::from(w));
                let want = [
                    i / wide,
                    i % wide,
                    i / 11,
                    i & 0xf0_f0f0_f0f0,
                    i >> 3,
                    (i + far) / wide,
                    ((i as i64 - far as i64) / 7) as u64,
                    (i + far) & 0xff,
                ];
                assert_eq!(r[8 * j..][..8], want, "{i}, {w}");
                let want = [i as f32, (i as i64 - 1000) as f32, (i + far) as f32, (i / 3 * 3) as f32];
                assert_eq!(f[4 * j..][..4], want, "{i}");
            }
        }
    }
}

#[test]
fn reversed_bits_and_bytes_by_shifts() {
    let context = Context::new();
    let source = "
        #define STEP(v, n, m) ((v) >> n & m | ((v) & m) << n)
        kernel void k(global const ulong *x, global ulong *r, ulong one) {
            int i = get_global_id(0);
            r += 12 * i;
            ulong w = x[i];
            uint u = (uint)w;
            ushort s = (ushort)w;
            uchar b = (uchar)w;
            r[0] = u >> 24 | u >> 8 & 0xff00 | (u & 0xff00) << 8 | u << 24;
            r[1] = u >> 24 | u >> 8 & 0xff00 | (u & 0xff00) << 8;
            r[2] = (ushort)(s >> 8 | s << 8);
            ulong a = STEP(w, 8, 0x00ff00ff00ff00ff);
            a = STEP(a, 16, 0x0000ffff0000ffff);
            r[3] = a >> 32 | a << 32;
            uint v = STEP(u, 1, 0x55555555u);
            v = STEP(v, 2, 0x33333333u);
            v = STEP(v, 4, 0x0f0f0f0fu);
            r[4] = v;
            v = STEP(v, 8, 0x00ff00ffu);
            r[5] = v >> 16 | v << 16;
            r[6] = (v >> 16 | v << 16) >> 7;
            uint c = STEP(b, 1, 0x55u);
            c = STEP(c, 2, 0x33u);
            r[7] = STEP(c, 4, 0x0fu);
            ulong q = STEP(one, 1, 0x5555555555555555);
            q = STEP(q, 2, 0x3333333333333333);
            q = STEP(q, 4, 0x0f0f0f0f0f0f0f0f);
            q = STEP(q, 8, 0x00ff00ff00ff00ff);
            q = STEP(q, 16, 0x0000ffff0000ffff);
            r[8] = q >> 32 | q << 32;
            // A bit of another number, and one that is in two places.
            r[9] = u >> 24 | u >> 8 & 0xff00 | (u & 0xff00) << 8 | (uint)(w >> 32) << 24;
            r[10] = (u >> 24 | u >> 8 & 0xff00 | (u & 0xff00) << 8 | u << 24) + (u << 8);
            r[11] = (w >> 56) + (w >> 40 & 0xff00) + (w >> 24 & 0xff0000) + (w >> 8 & 0xff000000);
        }";
    let program = context.program(source, "");
    let mut random = Random(9);
    let x: Vec<u64> = (0..100).map(|_| random.next()).collect();
    let one = random.next();
    let (from, r) = (context.buffer(&x), context.zeros::<u64>(12 * x.len()));
    program
        .kernel("k")
        .run(&context, &Range::new([x.len()]).local([20]), &[&from, &r, &one]);
    for (found, w) in r.read().chunks(12).zip(x) {
        let u = w as u32;
        let bits = u.reverse_bits();
        let expected = [
            u.swap_bytes().into(),
            (u.swap_bytes() & 0xff_ffff).into(),
            (w as u16).swap_bytes().into(),
            w.swap_bytes(),
            bits.swap_bytes().into(),
            bits.into(),
            (bits >> 7).into(),
            (w as u8).reverse_bits().into(),
            one.reverse_bits(),
            (u.swap_bytes() & 0xff_ffff | ((w >> 32) as u32) << 24).into(),
            u.swap_bytes().wrapping_add(u << 8).into(),
            w.swap_bytes() & 0xffff_ffff,
        ];
        assert_eq!(found, expected, "of {w:#x}");
    }
}
