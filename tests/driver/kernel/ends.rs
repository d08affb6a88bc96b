//! Launches that gangs and groups don't divide: each work-item's result is there, and what may be done once only is done once.

use brolga_tests::{Context, Range};

/// Global sizes along one dimension, with the local size that is asked for, if any.
const LINES: &[(usize, Option<usize>)] = &[
    (5, None),
    (17, None),
    (100, None),
    (333, None),
    (1000, None),
    (1000, Some(64)),
    (1000, Some(250)),
    (1001, Some(7)),
    (4096, Some(16)),
    (4000, Some(32)),
    (4099, None),
    (70_001, None),
];

/// The same along two.
const PLANES: &[([usize; 2], Option<[usize; 2]>)] = &[
    ([100, 100], None),
    ([333, 111], None),
    ([1000, 37], None),
    ([20, 50], None),
    ([7, 300], None),
    ([100, 61], Some([16, 4])),
    ([130, 61], Some([10, 10])),
    ([256, 48], Some([64, 1])),
];

fn line((items, local): (usize, Option<usize>)) -> Range {
    let range = Range::new([items]);
    match local {
        Some(local) => range.local([local]),
        None => range,
    }
}

fn plane((items, local): ([usize; 2], Option<[usize; 2]>)) -> Range {
    let range = Range::new(items);
    match local {
        Some(local) => range.local(local),
        None => range,
    }
}

#[test]
fn sums_of_rows() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global const float *a, global float *y, int n) {
            int i = get_global_id(0);
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[(i - (int)get_global_offset(0)) * n + k];
            y[i] = sum;
        }",
        "-cl-std=CL3.0",
    );
    let n = 13;
    for &size in LINES {
        let items = size.0;
        let a: Vec<f32> = (0..items * n).map(|at| (at % 17) as f32).collect();
        for offset in [0, 3] {
            let sums = a.chunks(n).map(|row| row.iter().sum::<f32>());
            let expected: Vec<f32> = std::iter::repeat_n(-1.0, offset).chain(sums).chain([-1.0]).collect();
            let (a, y) = (context.buffer(&a), context.buffer(&vec![-1f32; expected.len()]));
            program
                .kernel("k")
                .run(&context, &line(size).offset([offset]), &[&a, &y, &(n as i32)]);
            assert_eq!(y.read(), expected, "{size:?} from {offset} on");
        }
    }
}

#[test]
fn windows_of_planes() {
    let context = Context::new();
    for ty in ["uchar", "int", "double"] {
        let source = format!(
            "kernel void k(global const {ty} *x, global {ty} *y, int w, int h) {{
                int i = get_global_id(0), j = get_global_id(1);
                {ty} sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += x[clamp(j + dy, 0, h - 1) * w + clamp(i + dx, 0, w - 1)];
                y[j * w + i] = sum;
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        for &size in PLANES {
            let [w, h] = size.0.map(|size| size as i32);
            let number = |i: i32, j: i32| (j.clamp(0, h - 1) * w + i.clamp(0, w - 1)) % 27;
            let sum = |at: i32| -> i32 {
                let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
                around.map(|(dx, dy)| number(at % w + dx, at / w + dy)).sum()
            };
            let expected: Vec<i32> = (0..w * h).map(sum).collect();
            macro_rules! check {
                ($element:ty) => {{
                    let x: Vec<$element> = (0..w * h).map(|at| number(at % w, at / w) as $element).collect();
                    let (x, y) = (context.buffer(&x), context.buffer(&vec![0 as $element; x.len()]));
                    program.kernel("k").run(&context, &plane(size), &[&x, &y, &w, &h]);
                    let found: Vec<i32> = y.read().into_iter().map(|sum| sum as i32).collect();
                    assert_eq!(found, expected, "{ty}, {size:?}");
                }};
            }
            match ty {
                "uchar" => check!(u8),
                "int" => check!(i32),
                _ => check!(f64),
            }
        }
    }
}

/// What lanes have in common depends on where gangs start.
#[test]
fn parts_of_ids() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global const int *x, global int *y) {
            int i = get_global_id(0);
            y[i] = x[i & 31] + 100 * x[i >> 5 & 31] + 10000 * (i / 3 % 7) + 1000000 * x[(i ^ 4) & 31];
        }",
        "-cl-std=CL3.0",
    );
    let x: Vec<i32> = (0..32).map(|at| at * 7 % 64).collect();
    for &size in LINES {
        let number = |i: usize| x[i & 31] + 100 * x[i >> 5 & 31] + 10000 * (i as i32 / 3 % 7) + 1_000_000 * x[(i ^ 4) & 31];
        let x = context.buffer(&x);
        // Multiples of all gangs' widths and of some, and others.
        for offset in [0, 64, 192, 16, 3, 65] {
            let expected: Vec<i32> = (0..offset).map(|_| 0).chain((offset..offset + size.0).map(number)).collect();
            let y = context.zeros::<i32>(offset + size.0);
            program.kernel("k").run(&context, &line(size).offset([offset]), &[&x, &y]);
            assert_eq!(y.read(), expected, "{size:?} from {offset} on");
        }
    }
}

/// Stores that follow one another, some by some lanes only.
#[test]
fn the_last_store_counts() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global const uchar *a, global const uchar *b, global uchar *y) {
            int i = get_global_id(0);
            y[i] = 1;
            if (a[i] & 1)
                y[i] = 2;
            if (b[i] & 2)
                y[i] = 3;
        }",
        "-cl-std=CL3.0",
    );
    for &size in LINES {
        let a: Vec<u8> = (0..size.0).map(|at| (at * 7 % 251) as u8).collect();
        let b: Vec<u8> = (0..size.0).map(|at| (at * 5 % 241) as u8).collect();
        let last = |(a, b): (&u8, &u8)| match (a & 1, b & 2) {
            (_, 2) => 3,
            (1, _) => 2,
            _ => 1,
        };
        let expected: Vec<u8> = a.iter().zip(&b).map(last).collect();
        let (a, b, y) = (context.buffer(&a), context.buffer(&b), context.zeros::<u8>(size.0));
        for _ in 0..20 {
            program.kernel("k").run(&context, &line(size), &[&a, &b, &y]);
            assert_eq!(y.read(), expected, "{size:?}");
        }
    }
}

/// In place, in buffers that are one or a part of one, and with atomic operations.
#[test]
fn what_changes_changes_once() {
    let context = Context::new();
    let program = context.program(
        "kernel void in_place(global int *y) { y[get_global_id(0)] += 1; }
        kernel void between(global const int *x, global int *y) { int i = get_global_id(0); y[i] = x[i] + 1; }
        kernel void counted(global int *y, global int *count) {
            int i = get_global_id(0);
            y[i] = i + 1;
            atomic_inc(count);
        }
        kernel void in_planes(global int *y) {
            int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
            y[i] += 1;
        }",
        "-cl-std=CL3.0",
    );
    for &size in LINES {
        let before: Vec<i32> = (0..size.0 as i32).collect();
        let after: Vec<i32> = before.iter().map(|number| number + 1).collect();
        let y = context.buffer(&before);
        program.kernel("in_place").run(&context, &line(size), &[&y]);
        assert_eq!(y.read(), after, "in place, {size:?}");
        let y = context.buffer(&before);
        program.kernel("between").run(&context, &line(size), &[&y, &y]);
        assert_eq!(y.read(), after, "from a buffer to itself, {size:?}");
        let (x, y) = (context.buffer(&before), context.zeros::<i32>(size.0));
        program.kernel("between").run(&context, &line(size), &[&x, &y]);
        assert_eq!(y.read(), after, "from one to another, {size:?}");
        let (y, count) = (context.zeros::<i32>(size.0), context.zeros::<i32>(1));
        program.kernel("counted").run(&context, &line(size), &[&y, &count]);
        assert_eq!((y.read(), count.read()), (after, vec![size.0 as i32]), "{size:?}");
    }
    for &size in PLANES {
        let items = size.0.iter().product();
        let y = context.zeros::<i32>(items);
        program.kernel("in_planes").run(&context, &plane(size), &[&y]);
        assert_eq!(y.read(), vec![1; items], "{size:?}");
    }
}

/// Tiles of work-items, of several rows, where neighbours along both dimensions share what they load.
#[test]
fn products_of_matrices() {
    let context = Context::new();
    for (ty, index) in ["int", "float", "double"].into_iter().flat_map(|ty| [(ty, "int"), (ty, "size_t")]) {
        let source = format!(
            "kernel void k(global const {ty} *a, global const {ty} *b, global {ty} *c, int w, int h, int n) {{
                {index} x = get_global_id(0), y = get_global_id(1);
                if (x >= w || y >= h)
                    return;
                {ty} sum = 0;
                for ({index} k = 0; k < n; k++)
                    sum += a[y * n + k] * b[k * w + x];
                c[y * w + x] = sum;
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        for (size, local) in [
            ([64, 64], None),
            ([100, 37], None),
            ([333, 50], None),
            ([1000, 8], None),
            ([256, 4], Some([64, 4])),
            ([128, 24], Some([32, 6])),
            ([192, 6], Some([48, 2])),
            ([128, 24], Some([64, 1])),
            ([100, 40], Some([10, 10])),
        ] {
            let n = 11;
            let ([w, h], number) = (size, |at: usize| at * 7 % 5);
            let sum = |at: usize| (0..n).map(|k| number(at / w * n + k) * number(k * w + at % w + 1)).sum::<usize>();
            let expected: Vec<usize> = (0..w * h).map(sum).collect();
            // Some work-items have nothing to do.
            for more in [0, 3] {
                let range = plane(([w + more, h], local.filter(|_| more == 0)));
                macro_rules! check {
                    ($element:ty) => {{
                        let numbers =
                            |count: usize, first: usize| -> Vec<$element> { (0..count).map(|at| number(at + first) as $element).collect() };
                        let (a, b) = (context.buffer(&numbers(h * n, 0)), context.buffer(&numbers(n * w, 1)));
                        let c = context.zeros::<$element>(w * h);
                        let sizes = [w, h, n].map(|size| size as i32);
                        program
                            .kernel("k")
                            .run(&context, &range, &[&a, &b, &c, &sizes[0], &sizes[1], &sizes[2]]);
                        let found: Vec<usize> = c.read().into_iter().map(|sum| sum as usize).collect();
                        assert_eq!(found, expected, "{ty}, {index}, {size:?} and {more} in {local:?}");
                    }};
                }
                match ty {
                    "int" => check!(i32),
                    "float" => check!(f32),
                    _ => check!(f64),
                }
            }
        }
    }
}

/// Work-items that an argument turns away: some, all, none; and arguments of each kind.
#[test]
fn bounds_of_ids() {
    let context = Context::new();
    let program = context.program(
        "kernel void ints(global const int *x, global int *y, int w, int h) {
            int i = get_global_id(0), j = get_global_id(1);
            if (i >= w || j >= h)
                return;
            y[j * 200 + i] = x[j * 200 + i] + 1;
        }
        kernel void sizes(global const int *x, global int *y, ulong w, ulong h) {
            size_t i = get_global_id(0), j = get_global_id(1);
            if (i < w && j < h)
                y[j * 200 + i] = x[j * 200 + i] + 1;
        }
        kernel void mixed(global const int *x, global int *y, uint w, short h) {
            uint i = get_global_id(0);
            if (i >= w)
                return;
            if ((int)get_global_id(1) < h - 1)
                y[get_global_id(1) * 200 + i] = x[get_global_id(1) * 200 + i] + 1;
        }
        kernel void sees(global const int *x, global int *y, int w, int h) {
            int i = get_global_id(0), j = get_global_id(1);
            if (i >= w || j >= h)
                return;
            y[j * 200 + i] = x[j * 200 + i] + get_global_size(0) / 192;
        }
        kernel void in_place(global int *x, global int *y, int w, int h) {
            int i = get_global_id(0), j = get_global_id(1);
            if (i >= w || j >= h)
                return;
            x[j * 200 + i] += 1;
            y[j * 200 + i] = x[j * 200 + i];
        }",
        "-cl-std=CL3.0",
    );
    let x: Vec<i32> = (0..200 * 80).collect();
    for (w, h) in [
        (192, 64),
        (100, 50),
        (180, 63),
        (1, 1),
        (0, 5),
        (5, 0),
        (1000, 33),
        (-3, 7),
        (17, -1),
    ] {
        for local in [None, Some([64, 1]), Some([16, 16])] {
            for name in ["ints", "sizes", "mixed", "sees", "in_place"] {
                // What is negative is a large number where it has no sign.
                let below = |bound: i64, is_signed: bool| match bound {
                    ..0 if !is_signed => i64::MAX,
                    _ => bound,
                };
                let (w_ids, h_ids) = match name {
                    "sizes" => (below(w, false), below(h, false)),
                    "mixed" => (below(w, false), h - 1),
                    _ => (w, h),
                };
                let expected: Vec<i32> = (0..200 * 80)
                    .map(
                        |at| match i64::from(at % 200) < w_ids.min(192) && i64::from(at / 200) < h_ids.min(64) {
                            true => at + 1,
                            false => -1,
                        },
                    )
                    .collect();
                let (x, y) = (context.buffer(&x), context.buffer(&vec![-1; 200 * 80]));
                let kernel = program.kernel(name);
                let range = plane(([192, 64], local));
                match name {
                    "sizes" => kernel.run(&context, &range, &[&x, &y, &(w as u64), &(h as u64)]),
                    "mixed" => kernel.run(&context, &range, &[&x, &y, &(w as u32), &(h as i16)]),
                    _ => kernel.run(&context, &range, &[&x, &y, &(w as i32), &(h as i32)]),
                };
                assert_eq!(y.read(), expected, "{name}, {w} by {h} in {local:?}");
            }
        }
    }
}
