//! Indices without a sign: in launches in which they don't wrap, and in those in which they do by right.

use brolga_tests::{Context, Range};

/// `c + i * n`, modulo 2^32, for each of so many work-items.
fn places(items: usize, n: u32, c: u32) -> Vec<usize> {
    (0..items as u32).map(|i| i.wrapping_mul(n).wrapping_add(c) as usize).collect()
}

#[test]
fn strides_up_and_down() {
    let context = Context::new();
    for ty in ["uchar", "int", "double"] {
        let source = format!(
            "kernel void k(global const {ty} *x, global int *y, uint n, uint c) {{
                uint i = get_global_id(0);
                y[i] = x[i * n + c];
            }}"
        );
        let kernel = context.program(&source, "-cl-std=CL3.0").kernel("k");
        let x: Vec<u8> = (0..4000u32).map(|at| (at * 7 % 251) as u8).collect();
        let bytes = |&x: &u8| match ty {
            "uchar" => vec![x],
            "int" => i32::from(x).to_ne_bytes().to_vec(),
            _ => f64::from(x).to_ne_bytes().to_vec(),
        };
        let buffer = context.buffer(&x.iter().flat_map(bytes).collect::<Vec<u8>>());
        // -1 and -3 are numbers by which the index wraps in every work-item but the first.
        for (n, c) in [
            (1, 0),
            (3, 5),
            (1u32.wrapping_neg(), 3000),
            (2, 1),
            (3u32.wrapping_neg(), 3999),
            (0, 9),
            (1 << 31, 8),
        ] {
            let items = if n == 1 << 31 { 1 } else { 1000 };
            let expected: Vec<i32> = places(items, n, c).into_iter().map(|at| i32::from(x[at])).collect();
            let y = context.buffer(&vec![-1i32; items]);
            kernel.run(&context, &Range::new([items]), &[&buffer, &y, &n, &c]);
            assert_eq!(y.read(), expected, "{ty}, by {n} from {c}");
        }
    }
}

#[test]
fn rows_in_loops() {
    let context = Context::new();
    let source = "kernel void k(global const int *x, global int *y, uint rows, uint n, uint step) {
        uint i = get_global_id(0);
        int sum = 0;
        for (uint j = 0; j < n; j += step)
            sum += x[i * rows + j * (rows == 1 ? 1 : 2)];
        for (uint j = n; j > 0; j--)
            sum -= x[j - 1 + i];
        for (uint s = n; s > 0; s >>= 1)
            sum += 3 * x[s + i];
        y[i] = sum;
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    let x: Vec<i32> = (0..5000).map(|at| at * at % 1009).collect();
    let buffer = context.buffer(&x);
    for (rows, n, step) in [(1u32, 40u32, 1u32), (13, 9, 2), (40, 1, 1), (1, 0, 1), (1, 5, 0x7fff_fff0)] {
        let expected: Vec<i32> = (0..100u32)
            .map(|i| {
                let times = if rows == 1 { 1 } else { 2 };
                let up: i32 = (0..n).step_by(step as usize).map(|j| x[(i * rows + j * times) as usize]).sum();
                let down: i32 = (0..n).map(|j| x[(j + i) as usize]).sum();
                let halves = std::iter::successors(Some(n), |s| Some(s >> 1)).take_while(|&s| s > 0);
                up - down + halves.map(|s| 3 * x[(s + i) as usize]).sum::<i32>()
            })
            .collect();
        let y = context.buffer(&[-1i32; 100]);
        kernel.run(&context, &Range::new([100]), &[&buffer, &y, &rows, &n, &step]);
        assert_eq!(y.read(), expected, "{rows}, {n}, {step}");
    }
}

#[test]
fn loops_over_a_grid() {
    let context = Context::new();
    for (ty, start) in [("uint", 0u32), ("uint", 0xffff_f000), ("int", 0), ("int", 0x7fff_f000)] {
        let source = format!(
            "kernel void k(global const float *x, global float *y, {ty} start, {ty} n) {{
                for ({ty} i = start + get_global_id(0); i < n; i += get_global_size(0)) {{
                    {ty} at = i - start;
                    y[2 * at] += 3 * x[2 * at + 1];
                }}
            }}"
        );
        let kernel = context.program(&source, "-cl-std=CL3.0").kernel("k");
        // Near the end of 32 bits, the last step of each work-item stays below it.
        for (items, count) in [(64usize, 1000usize), (100, 777), (256, 3000), (1000, 100)] {
            let x: Vec<f32> = (0..2 * count).map(|at| (at % 91) as f32).collect();
            let expected: Vec<f32> = (0..2 * count).map(|at| if at % 2 == 0 { 3.0 * x[at + 1] } else { 0.0 }).collect();
            let (x, y) = (context.buffer(&x), context.buffer(&vec![0f32; 2 * count]));
            let n = start + count as u32;
            kernel.run(&context, &Range::new([items]), &[&x, &y, &start, &n]);
            assert_eq!(y.read(), expected, "{ty} from {start}, {items} work-items, {count} numbers");
        }
    }
}

#[test]
fn comparisons_that_wrap() {
    let context = Context::new();
    let source = "kernel void k(global int *y, uint n, uint less) {
        uint i = get_global_id(0);
        if (i - less < n)
            y[i] = 1;
        if (i * less < n)
            y[i] += 2;
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    for (n, less) in [(100u32, 0u32), (100, 7), (0xffff_fff0, 7), (5, 0x4000_0001), (1 << 31, 3)] {
        let expected: Vec<i32> = (0..300u32)
            .map(|i| i32::from(i.wrapping_sub(less) < n) + 2 * i32::from(i.wrapping_mul(less) < n))
            .collect();
        let y = context.buffer(&[0i32; 300]);
        kernel.run(&context, &Range::new([300]), &[&y, &n, &less]);
        assert_eq!(y.read(), expected, "{n}, {less}");
    }
}

/// Each work-item has a row of its own length, whose numbers have fewer bits than its end.
#[test]
fn counters_shorter_than_their_ends() {
    let context = Context::new();
    let source = "kernel void k(global const long *x, global long *y, uint w) {
        size_t i = get_global_id(0), j = get_global_id(1);
        long sum = x[(i ^ 7) + j];
        for (uint k = i & 3; k < (i & 7); k++)
            sum += x[j * w + k];
        y[i * 64 + j] += sum;
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    let x: Vec<i64> = (0..4096).map(|at| at * at % 613).collect();
    let y = context.buffer(&[0i64; 32 * 64]);
    kernel.run(&context, &Range::new([32, 64]), &[&context.buffer(&x), &y, &32u32]);
    let sum = |i: usize, j: usize| x[(i ^ 7) + j] + (i & 3..i & 7).map(|k| x[j * 32 + k]).sum::<i64>();
    let expected: Vec<i64> = (0..32 * 64).map(|at| sum(at / 64, at % 64)).collect();
    assert_eq!(y.read(), expected);
}
