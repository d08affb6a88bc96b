//! Kernels that take a flat id apart, `x = i % w, y = i / w`: each work-item's result is there, whatever rows the launch has.

use brolga_tests::{Context, Range};

/// Work-items, the length of a row, and the local size that is asked for, if any.
const LAUNCHES: &[(usize, i32, Option<usize>)] = &[
    (4096, 64, None),
    (4096, 64, Some(256)),
    (4096, 64, Some(1)),
    (4000, 50, None),
    (4000, 50, Some(100)),
    (4000, 20, None),
    (3996, 333, None),
    (3996, 333, Some(37)),
    (3584, 17, None),
    (5100, 17, None),
    (5120, 40, Some(64)),
    (96, 48, None),
    (4096, 1, None),
    (4096, 4096, None),
    (4096, 8192, None),
    (4096, 3, None),
    (4096, 100, Some(128)),
    (70_000, 100, None),
    (4096, -64, None),
    (4096, -50, Some(64)),
];

fn range(items: usize, local: Option<usize>) -> Range {
    let range = Range::new([items]);
    match local {
        Some(local) => range.local([local]),
        None => range,
    }
}

/// The types of ids.
const TYPES: [&str; 4] = ["int", "uint", "size_t", "long"];

/// A kernel of columns and rows, with other arguments in front of the width.
fn source(ty: &str, width: &str, body: &str) -> String {
    format!(
        "kernel void k(global const int *a, global int *y, int n, int h, int w) {{
            {ty} i = get_global_id(0), column = i % ({ty}){width}, row = i / ({ty}){width};
            {body}
        }}"
    )
}

#[test]
fn columns_and_rows() {
    let context = Context::new();
    for ty in TYPES {
        let body = "y[i] = a[i] + 3 * (int)column - 5 * (int)row;";
        let by_argument = context.program(&source(ty, "w", body), "-cl-std=CL3.0");
        for &(items, w, local) in LAUNCHES {
            // What is unsigned takes them for large ones.
            if w < 0 && ["uint", "size_t"].contains(&ty) {
                continue;
            }
            let a: Vec<i32> = (0..items as i32).map(|at| at * 7 % 1013).collect();
            for offset in [0, 3] {
                let a = [&a[..], &[1; 3]].concat();
                let of = |at: usize| match at < offset {
                    true => -1,
                    false => a[at] + 3 * (at as i32 % w) - 5 * (at as i32 / w),
                };
                let expected: Vec<i32> = (0..items + offset).map(of).collect();
                let (a, y) = (context.buffer(&a), context.buffer(&vec![-1; items + offset]));
                let range = range(items, local).offset([offset]);
                by_argument.kernel("k").run(&context, &range, &[&a, &y, &0, &0, &w]);
                assert_eq!(y.read(), expected, "{ty}, {items} in rows of {w}, {local:?}, from {offset} on");
            }
        }
    }
}

#[test]
fn rows_of_a_constant_length() {
    let context = Context::new();
    for ty in TYPES {
        for w in [16, 32, 50, 64, 100, 128] {
            let program = context.program(&source(ty, &w.to_string(), "y[i] = a[column] + 1000 * (int)(row & 3);"), "");
            for items in [4096, 4000, 6400] {
                let a: Vec<i32> = (0..w).map(|at| at * 7 % 1013).collect();
                let expected: Vec<i32> = (0..items).map(|at| a[(at % w) as usize] + 1000 * (at / w % 4)).collect();
                let (a, y) = (context.buffer(&a), context.zeros::<i32>(items as usize));
                program
                    .kernel("k")
                    .run(&context, &range(items as usize, None), &[&a, &y, &0, &0, &0]);
                assert_eq!(y.read(), expected, "{ty}, {items} in rows of {w}");
            }
        }
    }
}

/// Work-items that are behind the last row do nothing.
#[test]
fn launches_that_are_padded() {
    let context = Context::new();
    let guards = [
        "if (i >= n) return;",
        "if (i >= w * h) return;",
        "if (row >= h) return;",
        "if (column >= w || row >= h) return;",
    ];
    for ty in TYPES {
        for guard in guards {
            let guard = guard.replace("w * h", &format!("({ty})w * ({ty})h"));
            let body = format!("{guard} y[i] = y[i] * 3 + (int)column + a[row] + h;");
            let program = context.program(&source(ty, "w", &body), "-cl-std=CL3.0");
            for (w, h, items, local) in [
                (64, 60, 4096, Some(256)),
                (50, 80, 4096, Some(64)),
                (50, 80, 4000, None),
                (100, 41, 4352, Some(256)),
                (32, 200, 4096, None),
                (64, 0, 4096, None),
                (17, 100, 2048, Some(64)),
            ] {
                let a: Vec<i32> = (0..items).map(|at| at * 7 % 1013).collect();
                let before: Vec<i32> = (0..items).map(|at| at % 11).collect();
                let of = |at: i32| match at < w * h {
                    true => before[at as usize] * 3 + at % w + a[(at / w) as usize] + h,
                    false => before[at as usize],
                };
                let expected: Vec<i32> = (0..items).map(of).collect();
                let (a, y) = (context.buffer(&a), context.buffer(&before));
                let range = range(items as usize, local);
                program.kernel("k").run(&context, &range, &[&a, &y, &(w * h), &h, &w]);
                assert_eq!(y.read(), expected, "{ty}, {w} x {h} of {items}: {guard}");
            }
        }
    }
}

/// Nobody says what comes of dividing by zero, but the launch ends.
#[test]
fn rows_of_no_length() {
    let context = Context::new();
    for ty in TYPES {
        let program = context.program(&source(ty, "w", "a[i]; if (column + row < 0) y[i] = 1;"), "");
        let (a, y) = (context.zeros::<i32>(4096), context.zeros::<i32>(4096));
        program.kernel("k").run(&context, &range(4096, None), &[&a, &y, &0, &0, &0]);
    }
}

#[test]
fn neighbours_above_and_below() {
    let context = Context::new();
    let body = "int sum = 0;
        for (int v = -1; v <= 1; v++)
            for (int u = -1; u <= 1; u++)
                sum += (2 * u + 3 * v + 7) * a[clamp((int)row + v, 0, h - 1) * w + clamp((int)column + u, 0, w - 1)];
        y[i] = sum;";
    let program = context.program(&source("int", "w", body), "");
    for (w, h) in [(64, 64), (50, 80), (333, 12), (16, 100), (20, 100), (1, 4096)] {
        let a: Vec<i32> = (0..w * h).map(|at| at * 7 % 1013).collect();
        let number = |x: i32, y: i32| a[(y.clamp(0, h - 1) * w + x.clamp(0, w - 1)) as usize];
        let sum = |at: i32| -> i32 {
            let around = (-1..=1).flat_map(|v| (-1..=1).map(move |u| (u, v)));
            around.map(|(u, v)| (2 * u + 3 * v + 7) * number(at % w + u, at / w + v)).sum()
        };
        let expected: Vec<i32> = (0..w * h).map(sum).collect();
        let (a, y) = (context.buffer(&a), context.zeros::<i32>((w * h) as usize));
        program
            .kernel("k")
            .run(&context, &range((w * h) as usize, None), &[&a, &y, &0, &h, &w]);
        assert_eq!(y.read(), expected, "{w} x {h}");
    }
}

/// In place, from a buffer to itself, and with atomic operations.
#[test]
fn what_changes_changes_once() {
    let context = Context::new();
    for body in [
        "y[i] = 3 * y[i] + column + 7 * row;",
        "y[i] = 3 * a[i] + column + 7 * row;",
        "atomic_add(y + i, 2 * a[i] + column + 7 * row);",
    ] {
        let program = context.program(&source("int", "w", body), "");
        for &(items, w, local) in LAUNCHES {
            let before: Vec<i32> = (0..items as i32).map(|at| at % 101).collect();
            let of = |at: i32| 3 * (at % 101) + at % w + 7 * (at / w);
            let expected: Vec<i32> = (0..items as i32).map(of).collect();
            let (a, y) = (context.buffer(&before), context.buffer(&before));
            let a = if body.starts_with("atomic") { &a } else { &y };
            program.kernel("k").run(&context, &range(items, local), &[a, &y, &0, &0, &w]);
            assert_eq!(y.read(), expected, "{items} in rows of {w}, {local:?}: {body}");
        }
    }
}

#[test]
fn columns_become_rows() {
    let context = Context::new();
    let program = context.program(&source("int", "w", "y[column * h + row] = a[i];"), "");
    for (w, h) in [(64, 64), (50, 80), (333, 12), (16, 100), (20, 100)] {
        let items = w * h;
        let a: Vec<i32> = (0..items).collect();
        let expected: Vec<i32> = (0..items).map(|at| at % h * w + at / h).collect();
        let (a, y) = (context.buffer(&a), context.zeros::<i32>(items as usize));
        program
            .kernel("k")
            .run(&context, &range(items as usize, None), &[&a, &y, &0, &h, &w]);
        assert_eq!(y.read(), expected, "{w} x {h}");
    }
}

#[test]
fn planes_of_rows() {
    let context = Context::new();
    let ways = [
        "int x = i % w, r = i / w % h, p = i / (w * h);",
        "int x = i % w, r = i / w % h, p = i / w / h;",
        "int p = i / (w * h), s = i % (w * h), r = s / w, x = s % w;",
        "int p = i / (w * h), s = i - p * w * h, r = s / w, x = s - r * w;",
        "int p = i / (h * w), s = i - p * (w * h), r = s / w, x = s - r * w;",
    ];
    for ty in TYPES {
        let parameter = if ty == "size_t" { "ulong" } else { ty };
        for way in ways {
            let source = format!(
                "kernel void k(global int *y, {parameter} w, {parameter} h) {{
                    {ty} i = get_global_id(0);
                    {}
                    y[i] = x + 1000 * r + 100000 * p;
                }}",
                way.replace("int", ty)
            );
            let program = context.program(&source, "-cl-std=CL3.0");
            for (w, h, items) in [
                (64, 9, 5760),
                (50, 8, 4000),
                (20, 3, 6000),
                (64, 9, 4096),
                (64, 10, 2560),
                (32, 1, 4096),
                (16, 256, 4096),
            ] {
                let of = |at: i32| at % w + 1000 * (at / w % h) + 100_000 * (at / (w * h));
                let expected: Vec<i32> = (0..items).map(of).collect();
                let y = context.zeros::<i32>(items as usize);
                let kernel = program.kernel("k");
                match ty {
                    "int" | "uint" => kernel.run(&context, &range(items as usize, None), &[&y, &w, &h]),
                    _ => kernel.run(&context, &range(items as usize, None), &[&y, &i64::from(w), &i64::from(h)]),
                };
                assert_eq!(y.read(), expected, "{ty}, {w} x {h}, {items}: {way}");
            }
        }
    }
}

/// One kernel object, whose launches have one, two and three dimensions.
#[test]
fn other_dimensions_stay() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global int *y, int w, int step) {
            int i = get_global_id(0), j = get_global_id(1);
            y[i + j * step] += i % w + 1000 * (i / w) + 100000 * j + 1;
        }
        kernel void alone(global int *y, int w) {
            int i = get_global_id(0);
            y[i] = i % w + 1000 * (i / w) + 1;
        }",
        "",
    );
    let kernel = program.kernel("k");
    let of = |w: usize, i: usize, j: usize| (i % w + 1000 * (i / w) + 100_000 * j + 1) as i32;
    for (w, items, others) in [
        (64, 4096, 1),
        (64, 4096, 3),
        (64, 64, 64),
        (50, 2000, 2),
        (32, 64, 5),
        (64, 4096, 1),
    ] {
        let y = context.zeros::<i32>(items * others);
        let range = Range::new([items, others]);
        kernel.run(&context, &range, &[&y, &(w as i32), &(items as i32)]);
        let expected: Vec<i32> = (0..items * others).map(|at| of(w, at % items, at / items)).collect();
        assert_eq!(y.read(), expected, "{items} x {others} in rows of {w}");
    }
    let alone = program.kernel("alone");
    for ranges in [
        [Range::new([4096]), Range::new([64, 64])],
        [Range::new([64, 64]), Range::new([4096])],
    ] {
        for range in ranges {
            let y = context.zeros::<i32>(4096);
            let items = range.global[0];
            alone.run(&context, &range, &[&y, &64]);
            let expected: Vec<i32> = (0..4096).map(|at| if at < items { of(64, at, 0) } else { 0 }).collect();
            assert_eq!(y.read(), expected, "{range:?}");
        }
    }
}

/// The flat id is made of the group's and the local one, as programs have it that came from CUDA; some launches end within a group.
#[test]
fn ids_made_of_groups() {
    let context = Context::new();
    let source = "kernel void k(global const int *x, global int *y, int w, int h) {
        int i = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
        if (i >= w * h)
            return;
        int column = i % w, row = i / w;
        y[column * h + row] = x[i] + 1000 * row;
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    for (w, h, items, local) in [
        (64, 40, 2560, 256),
        (64, 40, 2816, 256),
        (50, 40, 2000, 100),
        (50, 40, 2010, 64),
        (7, 30, 256, 64),
        (128, 33, 4300, 128),
    ] {
        let x: Vec<i32> = (0..w * h).collect();
        let mut expected = vec![0; x.len()];
        for i in 0..w * h {
            expected[(i % w * h + i / w) as usize] = i + 1000 * (i / w);
        }
        let (x, y) = (context.buffer(&x), context.buffer(&vec![-1; expected.len()]));
        kernel.run(&context, &Range::new([items]).local([local]), &[&x, &y, &w, &h]);
        assert_eq!(y.read(), expected, "{w} x {h}, {items} work-items in groups of {local}");
    }
}
