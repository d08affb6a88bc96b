//! Control flow: loops, branches, switches, and lanes that go different ways.

use brolga_tests::{Context, Range};

/// Runs a kernel body that makes `r` (an int) of `x`, for x from 0 on, in groups of several sizes.
#[track_caller]
fn check(body: &str, expected: impl Fn(i32) -> i32) {
    let context = Context::new();
    let source =
        format!("kernel void k(global int *out, int n) {{ int i = get_global_id(0); int x = i, r = 0; {body} if (i < n) out[i] = r; }}");
    let program = context.program(&source, "");
    let kernel = program.kernel("k");
    for (count, local) in [(1, 1), (64, 64), (96, 8), (77, 7), (240, 16), (130, 13)] {
        let out = context.buffer(&vec![i32::MIN; count]);
        kernel.run(&context, &Range::new([count]).local([local]), &[&out, &(count as i32)]);
        for (x, got) in out.read().into_iter().enumerate() {
            assert_eq!(got, expected(x as i32), "x = {x}, {count} work-items in groups of {local}: {body}");
        }
    }
}

#[test]
fn branches() {
    check(
        "if (x % 3 == 0) r = x * 2; else if (x % 3 == 1) r = x + 100; else r = -x;",
        |x| match x % 3 {
            0 => x * 2,
            1 => x + 100,
            _ => -x,
        },
    );
}

#[test]
fn nested_branches() {
    check(
        "if (x & 1) { if (x & 2) r = 3; else { r = 1; if (x & 4) r += 10; } r += x; } else if (x & 8) r = 8;",
        |x| match (x & 1 != 0, x & 2 != 0) {
            (true, true) => 3 + x,
            (true, false) => 1 + if x & 4 != 0 { 10 } else { 0 } + x,
            _ => x & 8,
        },
    );
}

#[test]
fn loops_that_each_lane_leaves_when_it_wants() {
    check("while (x > 0) { r += x; x--; }", |x| x * (x + 1) / 2);
    check("int c = x + 1; while (c != 1) { c = c & 1 ? 3 * c + 1 : c / 2; r++; }", |x| {
        let (mut c, mut steps) = (x + 1, 0);
        while c != 1 {
            c = if c & 1 == 1 { 3 * c + 1 } else { c / 2 };
            steps += 1;
        }
        steps
    });
}

#[test]
fn loops_with_break_and_continue() {
    check(
        "for (int j = 0; j < 100; j++) { if (j == x) break; if (j % 3 == 0) continue; r += j; }",
        |x| (0..x.min(100)).filter(|j| j % 3 != 0).sum(),
    );
}

#[test]
fn nested_loops_with_bounds_that_vary() {
    check(
        "for (int a = 0; a < x % 7; a++) for (int b = a; b < x % 5; b++) { if (a * b > 6) goto out; r += a * 10 + b; } out: r++;",
        |x| {
            let mut r = 0;
            'out: for a in 0..x % 7 {
                for b in a..x % 5 {
                    if a * b > 6 {
                        break 'out;
                    }
                    r += a * 10 + b;
                }
            }
            r + 1
        },
    );
}

#[test]
fn do_while() {
    check("do { r += x & 1; x >>= 1; } while (x);", |x| x.count_ones() as i32);
}

#[test]
fn switches() {
    check(
        "switch (x % 9) { case 0: r = 5; break; case 1: case 2: r = 7; case 3: r += 1; break; case 7: r = x; break; default: r = -1; }",
        |x| match x % 9 {
            0 => 5,
            1 | 2 => 8,
            3 => 1,
            7 => x,
            _ => -1,
        },
    );
}

#[test]
fn switches_on_wide_and_sparse_values() {
    check(
        "switch ((long)x * 1000000007L) { case 0: r = 1; break; case 5000000035L: r = 2; break; case 33000000231L: r = 3; break; }",
        |x| match x {
            0 => 1,
            5 => 2,
            33 => 3,
            _ => 0,
        },
    );
}

#[test]
fn returns_inside_loops() {
    check(
        "for (int j = 0; ; j++) { if (j * j > x) { if (i < n) out[i] = j; return; } }",
        |x| {
            let mut j = 0;
            while j * j <= x {
                j += 1;
            }
            j
        },
    );
}

#[test]
fn jumps_into_each_other() {
    // Two blocks that jump to each other and are both entered from outside: no structured program makes this.
    check(
        "int c = x; if (x & 1) goto b; a: r += 1; c -= 2; if (c <= 0) goto end; b: r += 100; c -= 3; if (c > 0) goto a; end: r += 1000;",
        |x| {
            let (mut c, mut r) = (x, 0);
            let mut at_b = x & 1 == 1;
            loop {
                if !at_b {
                    r += 1;
                    c -= 2;
                    if c <= 0 {
                        break;
                    }
                }
                at_b = false;
                r += 100;
                c -= 3;
                if c <= 0 {
                    break;
                }
            }
            r + 1000
        },
    );
}

#[test]
fn short_circuits_protect_what_is_behind_them() {
    check(
        "int t[4] = {1, 2, 3, 4}; if (x < 4 && t[x] > 2) r = t[x]; else if (x != 0 && 100 / x > 5) r = 100 / x;",
        |x| match x {
            2 | 3 => x + 1,
            0 => 0,
            _ if 100 / x > 5 => 100 / x,
            _ => 0,
        },
    );
}

#[test]
fn divisions_under_a_mask_do_not_trap() {
    check("if (x % 4 != 0) r = 1000 / (x % 4); r += x % 5 ? 77 % (x % 5) : 9;", |x| {
        let first = if x % 4 != 0 { 1000 / (x % 4) } else { 0 };
        first + if x % 5 != 0 { 77 % (x % 5) } else { 9 }
    });
}

#[test]
fn loads_and_stores_under_a_mask_stay_inside() {
    let context = Context::new();
    let source = "kernel void k(global int *a, int n) { int i = get_global_id(0); if (i < n) a[i] = a[i] * 2 + 1; }";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    for n in [0, 1, 5, 63, 64, 65, 100] {
        let a = context.buffer(&(0..128).collect::<Vec<i32>>());
        kernel.run(&context, &Range::new([128]).local([32]), &[&a, &n]);
        let want: Vec<i32> = (0..128).map(|i| if i < n { i * 2 + 1 } else { i }).collect();
        assert_eq!(a.read(), want, "n = {n}");
    }
}

/// Ids compared with numbers near them and far away, above and below zero, with and without a branch.
#[test]
fn ids_are_compared_with_edges() {
    let context = Context::new();
    let comparisons = ["<", "<=", ">", ">=", "==", "!="];
    let bits: String = comparisons
        .iter()
        .enumerate()
        .map(|(bit, op)| {
            let high = bit + comparisons.len();
            format!(
                "bits |= (i {op} n ? 1 : 0) << {bit}; bits |= (s {op} (long)n ? 1 : 0) << {high}; if (n {op} i) bits ^= 1 << {bit} + 12;\n"
            )
        })
        .collect();
    let source = format!(
        "kernel void k(global int *r, ulong n) {{\n\
         size_t i = get_global_id(0); long s = (long)i - 40; int bits = 0;\n{bits} r[i] = bits;\n\
         if (i > n && i + 3 < get_global_size(0)) r[i] += 1 << 20;\n}}"
    );
    let program = context.program(&source, "");
    let count = 128usize;
    let edges = (0..140u64).chain([1 << 31, (1 << 32) + 5, 1 << 63, (1 << 63) + 3]);
    for n in edges.chain((1..70u64).map(u64::wrapping_neg)) {
        let r = context.zeros::<i32>(count);
        program.kernel("k").run(&context, &Range::new([count]).local([count]), &[&r, &n]);
        for (i, got) in r.read().into_iter().enumerate() {
            let (i, s, n_signed) = (i as u64, i as i64 - 40, n as i64);
            let of = |order: std::cmp::Ordering| {
                [
                    order.is_lt(),
                    order.is_le(),
                    order.is_gt(),
                    order.is_ge(),
                    order.is_eq(),
                    order.is_ne(),
                ]
            };
            let all = [of(i.cmp(&n)), of(s.cmp(&n_signed)), of(n.cmp(&i))].concat();
            let mut want = all.iter().enumerate().map(|(bit, &holds)| i32::from(holds) << bit).sum::<i32>();
            want += i32::from(i > n && i + 3 < count as u64) << 20;
            assert_eq!(got, want, "i = {i}, n = {n}");
        }
    }
}

/// Sums in memory: buffers that are apart, one that is both, and work-items whose loops leave early.
#[test]
fn sums_are_kept_where_buffers_do_not_overlap() {
    let context = Context::new();
    let source = "kernel void k(global const int *a, global int *c, int n, int stop) {\n\
                  size_t i = get_global_id(0);\n\
                  for (int j = 0; j < n; j++) {\n\
                      c[4 * i] += a[4 * i + j % 4] * (j + 1);\n\
                      c[4 * i + 1] -= a[4 * i];\n\
                      if (c[4 * i] > stop) break;\n\
                  }\n}";
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    let first: Vec<i32> = (0..256).map(|i| i * 7 % 13 - 3).collect();
    let other: Vec<i32> = (0..256).map(|i| i * 5 % 11).collect();
    let run = |a: Option<&[i32]>, c: &mut [i32], n: i32, stop: i32| {
        for i in (0..256).step_by(4) {
            for j in 0..n {
                let term = a.map_or(c[i + j as usize % 4], |a| a[i + j as usize % 4]);
                c[i] = c[i].wrapping_add(term.wrapping_mul(j + 1));
                c[i + 1] = c[i + 1].wrapping_sub(a.map_or(c[i], |a| a[i]));
                if c[i] > stop {
                    break;
                }
            }
        }
    };
    for (n, stop) in [(0, 9), (1, 9), (5, 1 << 20), (50, 300)] {
        for _ in 0..2 {
            let (a, c) = (context.buffer(&first), context.buffer(&other));
            kernel.run(&context, &Range::new([64]).local([32]), &[&a, &c, &n, &stop]);
            let mut want = other.clone();
            run(Some(&first), &mut want, n, stop);
            assert_eq!(c.read(), want, "apart, n = {n}");
            kernel.run(&context, &Range::new([64]).local([32]), &[&a, &a, &n, &stop]);
            let mut want = first.clone();
            run(None, &mut want, n, stop);
            assert_eq!(a.read(), want, "the same, n = {n}");
        }
    }
}

#[test]
fn conditions_of_numbers_that_wrap() {
    let context = Context::new();
    let n = 256usize;
    let a: Vec<i32> = (0..n).map(|i| i as i32 * 7 % 1013).collect();
    for ty in ["int", "uint"] {
        for (number, step) in [("k + get_global_id(0)", 1i64), ("k - get_global_id(0)", -1)] {
            for op in ["<", "<=", ">", ">=", "==", "!="] {
                let source = format!(
                    "__attribute__((intel_reqd_sub_group_size(8)))
                    kernel void k(global const int *a, global int *out, {ty} k, {ty} n) {{
                        int gid = get_global_id(0);
                        {ty} i = {number};
                        if (i {op} n) out[gid] = a[gid] + 1000;
                        else out[gid] = -a[gid];
                        out[get_global_size(0) + gid] = sub_group_all(i {op} n) + 2 * sub_group_any(i {op} n);
                    }}"
                );
                let program = context.program(&source, "");
                let kernel = program.kernel("k");
                // Near where the numbers begin again, and in between.
                for (start, end) in [i32::MIN, i32::MAX - 20, i32::MAX, -3, 0, 5, 100, i32::MIN + 40]
                    .into_iter()
                    .flat_map(|start| [i32::MIN, i32::MAX, i32::MAX - 13, 0, -1, 90, start].map(|end| (start, end)))
                {
                    let out = context.buffer(&vec![0i32; 2 * n]);
                    kernel.run(&context, &Range::new([n]).local([64]), &[&context.buffer(&a), &out, &start, &end]);
                    let wide = |bits: i32| if ty == "int" { i64::from(bits) } else { i64::from(bits as u32) };
                    let holds = |gid: usize| {
                        let (i, n) = (wide(start.wrapping_add((step * gid as i64) as i32)), wide(end));
                        match op {
                            "<" => i < n,
                            "<=" => i <= n,
                            ">" => i > n,
                            ">=" => i >= n,
                            "==" => i == n,
                            _ => i != n,
                        }
                    };
                    let result: Vec<i32> = out.read();
                    let expected: Vec<i32> = (0..n).map(|gid| if holds(gid) { a[gid] + 1000 } else { -a[gid] }).collect();
                    assert_eq!(result[..n], expected, "{ty} {number} {op}, {start} and {end}");
                    let votes: Vec<i32> = (0..n)
                        .map(|gid| {
                            let mut lanes = (gid / 8 * 8..(gid / 8 + 1) * 8).map(holds);
                            i32::from(lanes.clone().all(|holds| holds)) + 2 * i32::from(lanes.any(|holds| holds))
                        })
                        .collect();
                    assert_eq!(result[n..], votes, "votes: {ty} {number} {op}, {start} and {end}");
                }
            }
        }
    }
}

#[test]
fn what_is_counted_before_lanes_leave() {
    let context = Context::new();
    // What is counted begins at another number than what is kept; without iterations the latter is left.
    let program = context.program(
        "kernel void k(global const int *x, global int *y, global int *z, int n, int from) {
            int id = get_global_id(0), counted = from, kept = -7;
            for (int i = 0; i < n && x[id] > i; i++) {
                counted += 3;
                kept = counted;
            }
            y[id] = kept;
            int all = 0, steps = 100;
            while (all < n) {
                if (x[id] <= all)
                    break;
                all++;
                steps = all * 2;
            }
            z[id] = steps + all;
        }",
        "",
    );
    let kernel = program.kernel("k");
    let x: Vec<i32> = (0..200).map(|id| id * 37 % 23 - 3).collect();
    let (x_buffer, y, z) = (context.buffer(&x), context.buffer(&[0i32; 200]), context.buffer(&[0i32; 200]));
    for n in [0, 1, 5, 100] {
        kernel.run(&context, &Range::new([200]), &[&x_buffer, &y, &z, &n, &50i32]);
        let turns = |x: i32| x.clamp(0, n);
        let kept: Vec<i32> = x.iter().map(|&x| if turns(x) == 0 { -7 } else { 50 + 3 * turns(x) }).collect();
        assert_eq!(y.read(), kept, "{n} iterations at most");
        let steps: Vec<i32> = x.iter().map(|&x| if turns(x) == 0 { 100 } else { 3 * turns(x) }).collect();
        assert_eq!(z.read(), steps, "{n} iterations at most");
    }
}

/// A test of a loop that some work-items skip in some iterations, under a condition: each leaves it after as many iterations as its own tests say.
#[test]
fn loops_whose_tests_are_skipped() {
    let context = Context::new();
    let source = "kernel void k(global int *y, int from, int to) {
        int id = get_global_id(0), sum = 0;
        if (id >= from && id <= to)
            for (int i = 0;; i++) {
                if (i == id)
                    continue;
                if (i > 6)
                    break;
                sum += i;
            }
        y[id] = sum;
    }";
    let kernel = context.program(source, "-cl-std=CL3.0").kernel("k");
    for (from, to) in [(2, 4), (0, 63), (5, 40), (7, 7)] {
        let y = context.buffer(&[-1i32; 64]);
        kernel.run(&context, &Range::new([64]), &[&y, &from, &to]);
        // All up to 6, but for the work-item's own.
        let sum = |id: i32| {
            if (from..=to).contains(&id) {
                21 - if id < 7 { id } else { 0 }
            } else {
                0
            }
        };
        assert_eq!(y.read(), (0..64).map(sum).collect::<Vec<_>>(), "{from} to {to}");
    }
}
