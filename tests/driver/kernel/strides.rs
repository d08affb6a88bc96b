//! Lanes whose places are known distances apart: one after the other or before it, a few elements apart, in records.

use brolga_tests::{Context, Range};

/// Work-items, the last gang not full.
const ITEMS: usize = 333;

/// Elements that there are for each work-item.
const EACH: usize = 8;

/// What a work-item does with `x` and `y`, of `n` work-items, and which places that is on the host: (loaded from, stored to).
type Places = fn(i: usize) -> Vec<(usize, usize)>;
const KERNELS: &[(&str, Places)] = &[
    ("y[n - 1 - i] = x[i] + 1;", |i| vec![(i, ITEMS - 1 - i)]),
    ("y[i] = x[n - 1 - i] + 1;", |i| vec![(ITEMS - 1 - i, i)]),
    ("y[2 * (n - 1 - i)] = x[2 * (n - 1 - i) + 1] + 1;", |i| {
        vec![(2 * (ITEMS - 1 - i) + 1, 2 * (ITEMS - 1 - i))]
    }),
    ("y[i * 2] = x[i * 2] + 1;", |i| vec![(i * 2, i * 2)]),
    ("y[i * 3 + 1] = x[i * 3 + 2] + 1;", |i| vec![(i * 3 + 2, i * 3 + 1)]),
    ("y[i * 5] = x[i * 7] + 1;", |i| vec![(i * 7, i * 5)]),
    // Records, with what may be the same memory between.
    ("y[2 * i] = x[i] + 1; y[2 * i + 1] = x[i + 1] + 1;", |i| {
        vec![(i, 2 * i), (i + 1, 2 * i + 1)]
    }),
    ("y[3 * i] = x[i] + 1; y[3 * i + 1] = x[i + 1] + 1; y[3 * i + 2] = x[i] + 1;", |i| {
        vec![(i, 3 * i), (i + 1, 3 * i + 1), (i, 3 * i + 2)]
    }),
    (
        "y[4 * i] = x[i] + 1; y[4 * i + 1] = x[3 * i] + 1; y[4 * i + 2] = x[3 * i + 1] + 1; y[4 * i + 3] = x[3 * i + 2] + 1;",
        |i| (0..4).map(|at| (if at == 0 { i } else { 3 * i + at - 1 }, 4 * i + at)).collect(),
    ),
];

/// Whether a work-item does something, in OpenCL C and on the host.
type Guard = (&'static str, fn(i: usize) -> bool);
const GUARDS: &[Guard] = &[("i < n", |i| i < ITEMS), ("i < n && i % 3 != 1", |i| i < ITEMS && i % 3 != 1)];

#[test]
fn places_apart() {
    let context = Context::new();
    for ty in ["uchar", "ushort", "uint", "float", "double"] {
        for index in ["int", "uint", "size_t"] {
            let mut source = String::new();
            for (number, (body, _)) in KERNELS.iter().enumerate() {
                for (guarded, (guard, _)) in GUARDS.iter().enumerate() {
                    source += &format!(
                        "kernel void k{number}_{guarded}(global const {ty} *x, global {ty} *y, {0} n) {{
                            {index} i = get_global_id(0);
                            if ({guard}) {{ {body} }}
                        }}\n",
                        if index == "size_t" { "ulong" } else { index }
                    );
                }
            }
            let program = context.program(&source, "");
            for (number, (body, places)) in KERNELS.iter().enumerate() {
                for (guarded, (guard, runs)) in GUARDS.iter().enumerate() {
                    let kernel = program.kernel(&format!("k{number}_{guarded}"));
                    let range = Range::new([ITEMS.next_multiple_of(64)]).local([64]);
                    let mut expected: Vec<u8> = vec![0; ITEMS * EACH];
                    for i in (0..ITEMS).filter(|&i| runs(i)) {
                        for (from, to) in places(i) {
                            expected[to] = from as u8 % 100 + 1;
                        }
                    }
                    macro_rules! check {
                        ($element:ty) => {{
                            let x: Vec<$element> = (0..ITEMS * EACH).map(|at| (at as u8 % 100) as $element).collect();
                            let (x, y) = (context.buffer(&x), context.buffer(&vec![0 as $element; ITEMS * EACH]));
                            match index {
                                "size_t" => kernel.run(&context, &range, &[&x, &y, &(ITEMS as u64)]),
                                _ => kernel.run(&context, &range, &[&x, &y, &(ITEMS as u32)]),
                            };
                            let found: Vec<u8> = y.read().into_iter().map(|value| value as u8).collect();
                            assert_eq!(found, expected, "{ty}, {index} i, if ({guard}) {{ {body} }}");
                        }};
                    }
                    match ty {
                        "uchar" => check!(u8),
                        "ushort" => check!(u16),
                        "uint" => check!(u32),
                        "float" => check!(f32),
                        _ => check!(f64),
                    }
                }
            }
        }
    }
}

#[test]
fn lanes_and_sub_groups_of_a_fixed_length() {
    let context = Context::new();
    // As kernels have them that were written for sub-groups of 32 or 64.
    let source = "
        kernel void k(global const int *x, global int *y) {
            int l = get_local_id(0), g = get_global_id(0);
            int lane = l & 31, sub = l >> 5;
            uint u = (uint)g, pair = u / 2;
            int r = x[sub * 64 + lane];
            if (sub & 1)
                r += x[l >> 2] * 3;
            r = r * 5 + x[(g & 63) + 7] + x[(g >> 4) & 127] + x[pair % 500];
            r = r * 5 + (int)(u & 3) * x[u >> 6] + x[(4 * l) >> 7] + x[(4 * l) & 127];
            y[g] = r;
        }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let x: Vec<i32> = (0..2048).map(|at| at * 7919 % 1009).collect();
    for local in [4usize, 8, 16, 32, 48, 64, 100, 256] {
        for offset in [0usize, 5, 64] {
            let count = local * 3;
            let (x_buffer, y) = (context.buffer(&x), context.buffer(&vec![0i32; count + offset]));
            let range = Range::new([count]).local([local]).offset([offset]);
            kernel.run(&context, &range, &[&x_buffer, &y]);
            let expected: Vec<i32> = (0..count)
                .map(|item| {
                    let (l, g) = (item % local, item + offset);
                    let mut r = x[(l >> 5) * 64 + (l & 31)];
                    if l >> 5 & 1 == 1 {
                        r += x[l >> 2] * 3;
                    }
                    r = r * 5 + x[(g & 63) + 7] + x[(g >> 4) & 127] + x[g / 2 % 500];
                    r * 5 + (g & 3) as i32 * x[g >> 6] + x[(4 * l) >> 7] + x[(4 * l) & 127]
                })
                .collect();
            assert_eq!(y.read()[offset..], expected, "groups of {local}, from {offset} on");
        }
    }
}

/// Indices that change some bits of a work-item's number, in OpenCL C and on the host.
type Bits = (&'static str, fn(i: usize) -> usize);
const BITS: &[Bits] = &[
    ("i >> 1", |i| i >> 1),
    ("i / 4", |i| i / 4),
    ("i ^ 1", |i| i ^ 1),
    ("i ^ 37", |i| i ^ 37),
    ("i & 3", |i| i & 3),
    ("i & ~6", |i| i & !6),
    ("i | 2", |i| i | 2),
    ("(i & ~7) + ((i + 3) & 7)", |i| (i & !7) + ((i + 3) & 7)),
    ("((i >> 2) << 3) + (i & 3)", |i| ((i >> 2) << 3) + (i & 3)),
];

#[test]
fn places_by_bits_of_the_number() {
    let context = Context::new();
    for ty in ["uchar", "ushort", "uint", "double"] {
        for index in ["int", "uint", "size_t"] {
            let kernel = |number: usize, (place, _): &Bits| {
                format!(
                    "kernel void k{number}(global const {ty} *x, global {ty} *y, global {ty} *z, uint n) {{
                        {index} i = get_global_id(0);
                        if (i < n) {{ y[i] = x[{place}] + 1; z[{place}] = 7; }}
                    }}\n"
                )
            };
            let source: String = BITS.iter().enumerate().map(|(number, bits)| kernel(number, bits)).collect();
            let program = context.program(&source, "");
            for (number, (place, at)) in BITS.iter().enumerate() {
                let kernel = program.kernel(&format!("k{number}"));
                // Gangs that begin at multiples of their width, that do not, and that are not full.
                for (local, offset, count) in [(256, 0, 512), (64, 0, 333), (48, 0, 480), (64, 5, 128), (30, 0, 90)] {
                    macro_rules! check {
                        ($element:ty) => {{
                            let x: Vec<$element> = (0..ITEMS * EACH).map(|at| (at as u8 % 100) as $element).collect();
                            let zeros = vec![0 as $element; ITEMS * EACH];
                            let (x, y, z) = (context.buffer(&x), context.buffer(&zeros), context.buffer(&zeros));
                            let items: usize = count;
                            let range = Range::new([items.next_multiple_of(local)])
                                .local([local])
                                .offset([offset]);
                            kernel.run(&context, &range, &[&x, &y, &z, &((offset + count) as u32)]);
                            let found = [y.read(), z.read()].map(|all| all.into_iter().map(|value| value as u8).collect::<Vec<u8>>());
                            let mut expected = [vec![0u8; ITEMS * EACH], vec![0u8; ITEMS * EACH]];
                            for i in offset..offset + count {
                                expected[0][i] = at(i) as u8 % 100 + 1;
                                expected[1][at(i)] = 7;
                            }
                            assert_eq!(
                                found, expected,
                                "{ty}, {index} i, [{place}], groups of {local} from {offset} on"
                            );
                        }};
                    }
                    match ty {
                        "uchar" => check!(u8),
                        "ushort" => check!(u16),
                        "uint" => check!(u32),
                        _ => check!(f64),
                    }
                }
            }
        }
    }
}

/// A particle, as kernels have them.
const PARTICLE: &str = "typedef struct { float x, y, z, vx, vy, vz, m; int id; } P;\n";

/// What a work-item does with its particle.
const UPDATES: [&str; 5] = [
    "P q = p[i]; q.x += q.vx * t; q.y += q.vy * t; if (q.x > 40) q.vx = -q.vx; p[i] = q;",
    "p[i].x += p[i].vx * t; p[i].y += p[i].vy * t; if (p[i].x > 40) p[i].vx = -p[i].vx;",
    "p[i].id = p[i].id; p[i].x += p[i].vx * t; p[i].y += p[i].vy * t; p[i].m = p[i].m; p[i].vx = p[i].x > 40 ? -p[i].vx : p[i].vx;",
    // The neighbour's, which is this one's.
    "p[i].x += p[i].vx * t; p[j].y += p[i].vy * t; p[j].vx = p[i].x > 40 ? -p[j].vx : p[i].vx;",
    // Bytes of a field.
    "global short *s = (global short *)&p[i].id; s[0] = s[1]; p[i].x += p[i].vx * t; p[i].y += p[i].vy * t; s[1] = s[0]; \
     if (p[i].x > 40) p[i].vx = -p[i].vx; p[i].id = i * 0x10001;",
];

#[test]
fn fields_of_one_record() {
    let context = Context::new();
    for index in ["int", "size_t"] {
        let kernel = |(number, body): (usize, &&str)| {
            format!(
                "kernel void k{number}(global P *p, float t, ulong n, int d) {{ {index} i = get_global_id(0), j = i + d; if (i < n) {{ {body} }} }}\n"
            )
        };
        let source = PARTICLE.to_owned() + &UPDATES.iter().enumerate().map(kernel).collect::<String>();
        let program = context.program(&source, "");
        for (number, body) in UPDATES.iter().enumerate() {
            let particle = |i: usize| {
                [
                    i as f32,
                    1.0,
                    2.0,
                    3.0 + (i % 7) as f32,
                    4.0,
                    5.0,
                    6.0,
                    f32::from_bits(i as u32 * 0x10001),
                ]
            };
            let before: Vec<f32> = (0..ITEMS).flat_map(particle).collect();
            let p = context.buffer(&before);
            let range = Range::new([ITEMS.next_multiple_of(64)]).local([64]);
            program
                .kernel(&format!("k{number}"))
                .run(&context, &range, &[&p, &0.5f32, &(ITEMS as u64), &0i32]);
            for (i, (found, before)) in p.read().chunks(8).zip(before.chunks(8)).enumerate() {
                let mut expected = before.to_vec();
                expected[0] += expected[3] * 0.5;
                expected[1] += expected[4] * 0.5;
                if expected[0] > 40.0 {
                    expected[3] = -expected[3];
                }
                let bits = |fields: &[f32]| fields.iter().map(|field| field.to_bits()).collect::<Vec<u32>>();
                assert_eq!(bits(found), bits(&expected), "particle {i}, {index} i: {body}");
            }
        }
    }
}
