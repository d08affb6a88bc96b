//! Work-items beside each other access lines of their own, in which those below go on: transpositions and products with rows.

use brolga_tests::{Context, Range};

/// Global sizes, each with the local size that is asked for, if any: gangs and columns divide them, in part, or not at all.
const RANGES: &[([usize; 2], Option<[usize; 2]>)] = &[
    ([128, 96], None),
    ([200, 60], None),
    ([129, 35], None),
    ([64, 64], Some([16, 16])),
    ([64, 24], Some([8, 8])),
    ([96, 12], Some([32, 6])),
    ([40, 20], Some([10, 5])),
    ([128, 96], Some([64, 1])),
    ([200, 60], Some([100, 1])),
];

/// What a work-item does with `x` and `y` of `w` by `h`, on the host: the place that is loaded from and the one that is stored to.
type Place = fn(i: usize, j: usize, w: usize, h: usize) -> (usize, usize);
const KERNELS: &[(&str, Place)] = &[
    ("y[i * h + j] = x[j * w + i];", |i, j, w, h| (j * w + i, i * h + j)),
    ("y[j * w + i] = x[i * h + j];", |i, j, w, h| (i * h + j, j * w + i)),
    ("if (i < w - 1 && j < h - 1) y[i * h + j] = x[j * w + i + 1];", |i, j, w, h| {
        if i < w - 1 && j < h - 1 {
            (j * w + i + 1, i * h + j)
        } else {
            (0, usize::MAX)
        }
    }),
    ("y[(w - 1 - i) * h + (h - 1 - j)] = x[j * w + i];", |i, j, w, h| {
        (j * w + i, (w - 1 - i) * h + (h - 1 - j))
    }),
];

#[test]
fn transpositions() {
    let context = Context::new();
    for ty in ["uchar", "ushort", "uint", "float", "double"] {
        for index in ["int", "size_t"] {
            let kernels = KERNELS.iter().enumerate().map(|(number, (body, _))| {
                format!(
                    "kernel void k{number}(global const {ty} *x, global {ty} *y, int w, int h) {{
                        {index} i = get_global_id(0), j = get_global_id(1);
                        {body}
                    }}\n"
                )
            });
            let program = context.program(&kernels.collect::<String>(), "-cl-std=CL3.0");
            for (number, (body, place)) in KERNELS.iter().enumerate() {
                let kernel = program.kernel(&format!("k{number}"));
                for &([w, h], local) in RANGES {
                    let mut range = Range::new([w, h]);
                    if let Some(local) = local {
                        range = range.local(local);
                    }
                    let mut expected = vec![0u8; w * h];
                    for (i, j) in (0..w).flat_map(|i| (0..h).map(move |j| (i, j))) {
                        let (from, to) = place(i, j, w, h);
                        if to < w * h {
                            expected[to] = (from % 251) as u8;
                        }
                    }
                    macro_rules! check {
                        ($element:ty) => {{
                            let x: Vec<$element> = (0..w * h).map(|at| (at % 251) as $element).collect();
                            let (x, y) = (context.buffer(&x), context.buffer(&vec![0 as $element; w * h]));
                            kernel.run(&context, &range, &[&x, &y, &(w as i32), &(h as i32)]);
                            let found: Vec<u8> = y.read().into_iter().map(|value| value as u8).collect();
                            assert_eq!(found, expected, "{ty}, {index} i, {w} by {h} in {local:?}: {body}");
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
fn axes_of_a_volume() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global const int *x, global int *y, int a, int b, int c) {
            int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
            y[(j * a + i) * c + k] = x[(k * b + j) * a + i];
        }",
        "",
    );
    for (a, b, c) in [(32, 8, 16), (48, 5, 20), (17, 3, 4)] {
        let x: Vec<i32> = (0..a * b * c).collect();
        let mut expected = vec![0; x.len()];
        for at in 0..a * b * c {
            let (i, j, k) = (at % a, at / a % b, at / a / b);
            expected[((j * a + i) * c + k) as usize] = at;
        }
        let (x, y) = (context.buffer(&x), context.buffer(&vec![0i32; expected.len()]));
        let range = Range::new([a, b, c].map(|size| size as usize));
        program.kernel("k").run(&context, &range, &[&x, &y, &a, &b, &c]);
        assert_eq!(y.read(), expected, "{a} by {b} by {c}");
    }
}

#[test]
fn products_of_rows() {
    let context = Context::new();
    for (ty, index) in ["int", "uchar", "float"].into_iter().flat_map(|ty| [(ty, "int"), (ty, "size_t")]) {
        let source = format!(
            "kernel void k(global const {ty} *a, global const {ty} *b, global int *y, int n, int h) {{
                {index} i = get_global_id(0), j = get_global_id(1);
                {ty} sum = 0;
                for ({index} k = 0; k < n; k++)
                    sum += a[i * n + k] * b[j * n + k];
                y[i * h + j] = sum;
            }}"
        );
        let program = context.program(&source, "");
        for (w, h, n) in [(64, 32, 37), (40, 12, 8), (33, 7, 5)] {
            let number = |at: usize| (at * 7 % 5) as u8;
            let expected: Vec<i32> = (0..w * h)
                .map(|at| {
                    (0..n)
                        .map(|k| i32::from(number(at / h * n + k)) * i32::from(number(at % h * n + k + 1)))
                        .sum::<i32>()
                })
                .map(|sum| if ty == "uchar" { sum & 255 } else { sum })
                .collect();
            let y = context.buffer(&vec![0i32; w * h]);
            macro_rules! run {
                ($element:ty) => {{
                    let rows = |count: usize, first: usize| {
                        let all: Vec<$element> = (0..count * n).map(|at| number(at + first) as $element).collect();
                        context.buffer(&all)
                    };
                    let (a, b) = (rows(w, 0), rows(h, 1));
                    program
                        .kernel("k")
                        .run(&context, &Range::new([w, h]), &[&a, &b, &y, &(n as i32), &(h as i32)]);
                }};
            }
            match ty {
                "int" => run!(i32),
                "uchar" => run!(u8),
                _ => run!(f32),
            }
            assert_eq!(y.read(), expected, "{ty}, {index} i, {w} by {h} rows of {n}");
        }
    }
}

/// Gangs below each other may be run before those beside each other: work-items know their place in the group all the same.
#[test]
fn places_in_groups() {
    let context = Context::new();
    let source = "kernel void k(global const int *x, global int *y, int w, int h) {
        int i = get_global_id(0), j = get_global_id(1);
        y[i * h + j] = x[j * w + i] + 1000 * (int)get_local_linear_id();
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    for ([w, h], [wide, high]) in [
        ([64, 48], [16, 4]),
        ([64, 48], [32, 8]),
        ([32, 6], [16, 3]),
        ([96, 10], [8, 5]),
        ([100, 50], [32, 8]),
    ] {
        let x: Vec<i32> = (0..w * h).map(|at| at % 1000).collect();
        let mut expected = vec![0; (w * h) as usize];
        for (i, j) in (0..w).flat_map(|i| (0..h).map(move |j| (i, j))) {
            // Groups at the ends are cut off.
            let row = wide.min(w - i / wide * wide);
            expected[(i * h + j) as usize] = x[(j * w + i) as usize] + 1000 * (j % high * row + i % wide);
        }
        let (x, y) = (context.buffer(&x), context.buffer(&vec![-1; expected.len()]));
        let range = Range::new([w as usize, h as usize]).local([wide as usize, high as usize]);
        kernel.run(&context, &range, &[&x, &y, &w, &h]);
        assert_eq!(y.read(), expected, "{w} x {h} in groups of {wide} x {high}");
    }
}
