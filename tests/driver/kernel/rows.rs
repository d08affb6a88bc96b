//! Work-items that go along rows of their own.

use brolga_tests::{Context, Range};

#[test]
fn rows_of_any_length() {
    let context = Context::new();
    for counter in ["int", "size_t"] {
        let source = format!(
            "kernel void k(global const float *a, global const float *b, global float *out, int n) {{
                int row = get_global_id(0);
                float s = 0;
                for ({counter} i = 0; i < n; i++) s += a[row * n + i] * b[i];
                out[row] = s;
            }}"
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        for n in [0usize, 1, 2, 3, 4, 5, 6, 7, 8, 9, 33, 1001] {
            for (rows, local) in [(64, 64), (48, 16), (10, 5), (33, 11)] {
                // Small whole numbers: sums are exact.
                let a: Vec<f32> = (0..rows * n).map(|i| (i * 7 % 13) as f32 - 6.0).collect();
                let b: Vec<f32> = (0..n).map(|i| (i * 5 % 11) as f32 - 5.0).collect();
                let buffer = |values: &[f32]| context.buffer(if values.is_empty() { &[0.0] } else { values });
                let out = context.buffer(&vec![-1.0f32; rows]);
                kernel.run(
                    &context,
                    &Range::new([rows]).local([local]),
                    &[&buffer(&a), &buffer(&b), &out, &(n as i32)],
                );
                let expected: Vec<f32> = (0..rows).map(|row| (0..n).map(|i| a[row * n + i] * b[i]).sum()).collect();
                assert_eq!(out.read(), expected, "{counter}, {rows} rows of {n} in groups of {local}");
            }
        }
    }
}

#[test]
fn rows_of_bytes() {
    let context = Context::new();
    for (name, make, low) in [
        ("char", "(int)", -128),
        ("uchar", "(int)", 0),
        ("char", "(float)", -128),
        ("uchar", "(float)", 0),
    ] {
        let source = format!(
            "kernel void k(global const {name} *a, global const {name} *b, global int *out, int n) {{
                int row = get_global_id(0);
                int s = 0;
                for (int i = 0; i < n; i++) s += (int)({make}a[row * n + i] * (i % 3)) - b[i];
                out[row] = s;
            }}"
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        for n in [1usize, 2, 3, 4, 5, 6, 7, 8, 9, 33, 1001] {
            for (rows, local) in [(64, 64), (32, 1), (10, 5), (33, 11)] {
                let number = |byte: u8| if low < 0 { i32::from(byte as i8) } else { i32::from(byte) };
                let bytes = |count: usize, step: usize| (0..count).map(|i| (i * step % 251) as u8).collect::<Vec<u8>>();
                let (a, b) = (bytes(rows * n, 37), bytes(n, 101));
                let out = context.buffer(&vec![-1i32; rows]);
                let range = Range::new([rows]).local([local]);
                kernel.run(&context, &range, &[&context.buffer(&a), &context.buffer(&b), &out, &(n as i32)]);
                let expected: Vec<i32> = (0..rows)
                    .map(|row| (0..n).map(|i| number(a[row * n + i]) * (i as i32 % 3) - number(b[i])).sum())
                    .collect();
                assert_eq!(out.read(), expected, "{name} {make}, {rows} rows of {n} in groups of {local}");
            }
        }
    }
}

#[test]
fn products_of_bytes() {
    let context = Context::new();
    for (first, second) in [("char", "char"), ("uchar", "uchar"), ("char", "uchar"), ("uchar", "char")] {
        let source = format!(
            "kernel void k(global const {first} *a, global const {second} *b, global int *out, int n) {{
                int row = get_global_id(0), s = row, own = 0;
                for (int i = 0; i < n; i++) s += a[row * n + i] * b[i];
                for (int i = 0; i < n; i++) own += b[row * n + i] * a[row * n + i];
                out[2 * row] = s;
                out[2 * row + 1] = own;
            }}"
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        let number = |ty: &str, byte: u8| if ty == "char" { i32::from(byte as i8) } else { i32::from(byte) };
        for n in [1usize, 31, 63, 64, 65, 128, 300] {
            for (rows, local) in [(64, 64), (32, 1), (33, 11)] {
                let bytes = |step: usize| (0..rows * n).map(|i| (i * step % 256) as u8).collect::<Vec<u8>>();
                let (a, b) = (bytes(37), bytes(101));
                let out = context.buffer(&vec![-1i32; 2 * rows]);
                let range = Range::new([rows]).local([local]);
                kernel.run(&context, &range, &[&context.buffer(&a), &context.buffer(&b), &out, &(n as i32)]);
                let product = |at: usize, of: usize| number(first, a[at]) * number(second, b[of]);
                let of_row = |row: usize| {
                    let sum = |step: usize| (0..n).map(|i| product(row * n + i, step * row * n + i)).sum::<i32>();
                    [row as i32 + sum(0), sum(1)]
                };
                let expected: Vec<i32> = (0..rows).flat_map(of_row).collect();
                assert_eq!(out.read(), expected, "{first} {second}, {rows} rows of {n} in groups of {local}");
            }
        }
    }
}

#[test]
fn rows_that_are_written() {
    let context = Context::new();
    for counter in ["int", "size_t"] {
        let source = format!(
            "kernel void k(global const float *a, global const float *b, global float *out, int n) {{
                int row = get_global_id(0);
                for ({counter} i = 0; i < n; i++) out[row * n + i] = a[row * n + i] * b[i] + row;
            }}"
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        for n in [1usize, 2, 3, 4, 5, 7, 8, 9, 33, 257] {
            for (rows, local) in [(64, 64), (32, 1), (10, 5), (33, 11)] {
                let a: Vec<f32> = (0..rows * n).map(|i| (i * 7 % 13) as f32 - 6.0).collect();
                let b: Vec<f32> = (0..n).map(|i| (i * 5 % 11) as f32 - 5.0).collect();
                let expected: Vec<f32> = (0..rows * n).map(|i| a[i] * b[i % n] + (i / n) as f32).collect();
                let [first, scale] = [&a, &b].map(|values| context.buffer(values));
                let range = Range::new([rows]).local([local]);
                // (Once in place.)
                let out = context.buffer(&vec![-1.0f32; rows * n]);
                kernel.run(&context, &range, &[&first, &scale, &out, &(n as i32)]);
                assert_eq!(out.read(), expected, "{counter}, {rows} rows of {n} in groups of {local}");
                kernel.run(&context, &range, &[&first, &scale, &first, &(n as i32)]);
                assert_eq!(first.read(), expected, "{counter}, {rows} rows of {n} in place");
            }
        }
    }
}

#[test]
fn rows_of_any_type() {
    let context = Context::new();
    for (ty, counter) in [
        ("char", "int"),
        ("ushort", "size_t"),
        ("int", "size_t"),
        ("uint", "int"),
        ("long", "int"),
        ("float", "size_t"),
        ("double", "int"),
    ] {
        let source = format!(
            "typedef {ty} T;
            kernel void fill(global T *a) {{ size_t i = get_global_id(0); a[i] = (T)(int)(i * 7 % 13); }}
            kernel void k(global const T *a, global const T *b, global T *out, global long *sums, int n) {{
                int row = get_global_id(0);
                T factor = row % 5, sum = row, largest = 0;
                for ({counter} i = 0; i < n; i++) out[row * n + i] = a[row * n + i] * factor + b[i];
                for ({counter} i = 0; i < n; i++) sum += out[row * n + i] * (T)2;
                for ({counter} i = 1; i < n; i++) largest = max(largest, a[row * n + i]);
                for ({counter} i = 0; i < n; i++) out[row * n + i] = out[row * n + i] - (T)i;
                sums[2 * row] = sum;
                sums[2 * row + 1] = largest;
            }}
            kernel void widen(global const T *a, global long *out) {{ out[get_global_id(0)] = a[get_global_id(0)]; }}"
        );
        let program = context.program(
            &source.replace("max(", if ty == "float" || ty == "double" { "fmax(" } else { "max(" }),
            "",
        );
        let kernel = program.kernel("k");
        // As the type holds it.
        let held = |value: i64| match ty {
            "char" => i64::from(value as i8),
            "ushort" => i64::from(value as u16),
            "int" => i64::from(value as i32),
            "uint" => i64::from(value as u32),
            _ => value,
        };
        for n in [1usize, 7, 16, 31, 64, 77, 200] {
            for (rows, local) in [(64, 64), (32, 1), (33, 11)] {
                let [a, b, out] = [0; 3].map(|_| context.buffer(&vec![0u64; rows * n]));
                for buffer in [&a, &b] {
                    program.kernel("fill").run(&context, &Range::new([rows * n]), &[buffer]);
                }
                let (sums, wide) = (context.buffer(&vec![-1i64; 2 * rows]), context.buffer(&vec![-1i64; rows * n]));
                kernel.run(&context, &Range::new([rows]).local([local]), &[&a, &b, &out, &sums, &(n as i32)]);
                program.kernel("widen").run(&context, &Range::new([rows * n]), &[&out, &wide]);
                let number = |i: usize| (i * 7 % 13) as i64;
                let first = |row: usize, i: usize| number(row * n + i) * (row % 5) as i64 + number(i);
                let expected: Vec<i64> = (0..rows * n).map(|at| held(first(at / n, at % n) - (at % n) as i64)).collect();
                assert_eq!(wide.read(), expected, "{ty} {counter}, {rows} rows of {n} in groups of {local}");
                let of_row = |row: usize| {
                    let sum = row as i64 + (0..n).map(|i| held(first(row, i)) * 2).sum::<i64>();
                    [held(sum), (1..n).map(|i| number(row * n + i)).max().unwrap_or(0)]
                };
                let expected: Vec<i64> = (0..rows).flat_map(of_row).collect();
                assert_eq!(sums.read(), expected, "{ty} {counter}, {rows} rows of {n} in groups of {local}");
            }
        }
    }
}

#[test]
fn rows_of_one_buffer() {
    let context = Context::new();
    // What is stored comes from `lag` places behind or before, and from one place that may be on the way; lanes are left out.
    let source = "
        kernel void k(global uint *a, int n, int first, int lag, int place) {
            int row = get_global_id(0);
            if (row % 3 == first % 3) return;
            for (int i = first; i < n; i++) a[row * 240 + 64 + i] += 3 * a[row * 240 + 64 + i - lag] + a[row * 240 + place] + i;
        }
        kernel void behind(global uint *a, int n, int first, int lag, int place) {
            int row = get_global_id(0);
            for (int i = first; i < n; i++) {
                a[row * 240 + 64 + i] = a[row * 240 + place] + i;
                a[row * 240 + 63 + i] += 5 * a[row * 240 + 64 + i - lag];
            }
        }
        kernel void pointer(global uint *a, int n, int first, int lag, int place) {
            global uint *to = a + get_global_id(0) * 240 + 64;
            global uint *from = to - lag;
            uint old = a[get_global_id(0) * 240 + place];
            for (int i = first; i < n; i++) {
                old = old * 3 + from[i];
                to[i] = old;
            }
        }";
    let program = context.program(source, "");
    let rows = 40usize;
    let at_first: Vec<u32> = (0..rows as u32 * 240).map(|i| i * 7 % 13).collect();
    for name in ["k", "behind", "pointer"] {
        let kernel = program.kernel(name);
        for (n, first) in [(70, 0), (100, 1), (37, 2)] {
            for lag in (-36..37).chain([-64, 63]) {
                for place in [0, 63, 64, 80, 64 + n - 1, 64 + n] {
                    let buffer = context.buffer(&at_first);
                    let args = [n, first, lag, place];
                    let range = Range::new([rows]).local([20]);
                    kernel.run(&context, &range, &[&buffer, &args[0], &args[1], &args[2], &args[3]]);
                    let mut expected = at_first.clone();
                    for row in 0..rows as i32 {
                        let at = |i: i32| (row * 240 + i) as usize;
                        let mut old = expected[at(place)];
                        for i in first..n {
                            let (from, here) = (expected[at(64 + i - lag)], expected[at(64 + i)]);
                            match name {
                                "k" if row % 3 == first % 3 => break,
                                "k" => {
                                    let more = from.wrapping_mul(3).wrapping_add(expected[at(place)]);
                                    expected[at(64 + i)] = here.wrapping_add(more).wrapping_add(i as u32);
                                }
                                "behind" => {
                                    expected[at(64 + i)] = expected[at(place)].wrapping_add(i as u32);
                                    let more = expected[at(64 + i - lag)].wrapping_mul(5);
                                    expected[at(63 + i)] = expected[at(63 + i)].wrapping_add(more);
                                }
                                _ => {
                                    old = old.wrapping_mul(3).wrapping_add(from);
                                    expected[at(64 + i)] = old;
                                }
                            }
                        }
                    }
                    assert_eq!(buffer.read(), expected, "{name}: {n} from {first}, {lag} behind, with {place}");
                }
            }
        }
    }
}

#[test]
fn rows_from_another_row() {
    let context = Context::new();
    let source = "
        kernel void eliminate(global float *a, int n, int k) {
            int i = get_global_id(0);
            if (i >= n || i <= k) return;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }";
    let program = context.program(source, "");
    let kernel = program.kernel("eliminate");
    for n in [1usize, 17, 40, 100] {
        let buffer = context.buffer(&(0..n * n).map(|i| (i * 7 % 5) as f32 - 2.0).collect::<Vec<f32>>());
        for k in [0, 5, 20, 39].into_iter().filter(|&k| k < n) {
            let mut expected = buffer.read();
            kernel.run(&context, &Range::new([128]).local([64]), &[&buffer, &(n as i32), &(k as i32)]);
            for i in k + 1..n {
                for j in k + 1..n {
                    expected[i * n + j] -= expected[i * n + k] * expected[k * n + j];
                }
            }
            assert_eq!(buffer.read(), expected, "row {k} of {n}");
        }
    }
}

#[test]
fn rows_along_other_dimensions() {
    let context = Context::new();
    let source = "
        kernel void two(global int *a, const global int *b, int n) {
            int row = get_global_id(0), column = get_global_id(1);
            if (row == 3) return;
            a[row * n + column] += 3 * b[row * n + column] + row;
        }
        kernel void three(global int *a, const global int *b, int n) {
            int row = get_global_id(0) * get_global_size(1) + get_global_id(1), column = get_global_id(2);
            if (row == 3) return;
            a[row * n + column] += 3 * b[row * n + column] + row;
        }";
    let program = context.program(source, "-cl-std=CL3.0");
    for (rows, columns) in [(1usize, 64usize), (30, 64), (6, 37), (64, 5), (10, 1500)] {
        let b: Vec<i32> = (0..(rows * columns) as i32).map(|i| i * 7 % 13).collect();
        let expected = |i: usize| if i / columns == 3 { 1 } else { 1 + 3 * b[i] + (i / columns) as i32 };
        let expected: Vec<i32> = (0..rows * columns).map(expected).collect();
        let check = |name: &str, range: Range| {
            let a = context.buffer(&vec![1i32; rows * columns]);
            program
                .kernel(name)
                .run(&context, &range, &[&a, &context.buffer(&b), &(columns as i32)]);
            assert_eq!(a.read(), expected, "{name}: {rows} rows of {columns}");
        };
        check("two", Range::new([rows, columns]));
        check("two", Range::new([rows, columns]).local([1, columns.min(16)]));
        if rows.is_multiple_of(2) {
            check("two", Range::new([rows, columns]).local([2, 1]));
            check("three", Range::new([rows / 2, 2, columns]));
            check("three", Range::new([rows / 2, 2, columns]).local([rows / 2, 1, 1]));
        }
    }
}

#[test]
fn rows_with_running_sums() {
    let context = Context::new();
    // Forth and back, by index and by pointer, in all lanes and in some.
    let source = "
        kernel void window(global const int *a, global int *out, int n) {
            int row = get_global_id(0), s = 0;
            for (int i = 0; i < n; i++) {
                out[row * n + i] = s;
                s += a[row * n + min(i + 3, n - 1)] * 3 - a[row * n + max(i - 2, 0)];
            }
        }
        kernel void back(global const int *a, global int *out, int n) {
            int row = get_global_id(0);
            uint s = 0;
            if (row % 3 == 1) return;
            for (int i = n - 1; i >= 0; i--) out[row * n + i] = s = s * 5 + a[row * n + i];
        }
        kernel void pointers(global const int *a, global int *out, int n) {
            uint s = 0;
            a += get_global_id(0) * n;
            out += get_global_id(0) * n;
            for (int i = 0; i < n; i++) {
                s = s * 3 + *a++;
                *out++ = s;
            }
            out[-1] += s & 1;
        }
        kernel void longs(global const int *a, global int *out, int n) {
            int row = get_global_id(0);
            ulong s = row;
            for (int i = 0; i < n; i++) out[row * n + i] = s = (s ^ a[row * n + i]) * 3;
        }";
    let program = context.program(source, "-cl-std=CL3.0");
    for n in [1usize, 2, 7, 23, 24, 40, 130] {
        for (rows, local) in [(64usize, 64usize), (10, 5), (33, 11)] {
            let a: Vec<i32> = (0..(rows * n) as i32).map(|i| i * 7 % 13 - 6).collect();
            let mut expected: [Vec<i32>; 4] = std::array::from_fn(|_| vec![-1; rows * n]);
            for row in 0..rows {
                let at = |i: usize| a[row * n + i];
                let mut s = [0, 0, 0, row as i32];
                for i in 0..n {
                    expected[0][row * n + i] = s[0];
                    s[0] += at((i + 3).min(n - 1)) * 3 - at(i.saturating_sub(2));
                    s[1] = s[1].wrapping_mul(5).wrapping_add(at(n - 1 - i));
                    if row % 3 != 1 {
                        expected[1][row * n + n - 1 - i] = s[1];
                    }
                    s[2] = s[2].wrapping_mul(3).wrapping_add(at(i));
                    expected[2][row * n + i] = s[2];
                    s[3] = (s[3] ^ at(i)).wrapping_mul(3);
                    expected[3][row * n + i] = s[3];
                }
                expected[2][row * n + n - 1] = s[2].wrapping_add(s[2] & 1);
            }
            for (name, expected) in ["window", "back", "pointers", "longs"].into_iter().zip(&expected) {
                let out = context.buffer(&vec![-1i32; rows * n]);
                let range = Range::new([rows]).local([local]);
                program
                    .kernel(name)
                    .run(&context, &range, &[&context.buffer(&a), &out, &(n as i32)]);
                assert_eq!(&out.read(), expected, "{name}: {rows} rows of {n} in groups of {local}");
            }
        }
    }
}
