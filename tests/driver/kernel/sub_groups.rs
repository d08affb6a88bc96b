//! Sub-groups: each operation under divergence and in partial sub-groups, at each size, against the same done here.

use brolga_tests::cl_sys::{CL_RGBA, CL_UNSIGNED_INT8};
use brolga_tests::{Context, Program, Range, Shape};

const SIZES: [usize; 5] = [1, 4, 8, 16, 32];
/// Global and local size.
const GROUPS: [(usize, usize); 3] = [(128, 64), (111, 37), (96, 3)];

fn values(count: usize) -> Vec<i32> {
    (0..count as u32)
        .map(|i| (i.wrapping_mul(2654435761) >> 9) as i32 % 1000 - 400)
        .collect()
}

/// The work-items of each sub-group.
fn sub_groups(global: usize, local: usize, size: usize) -> Vec<Vec<usize>> {
    let groups = (0..global).step_by(local).map(|start| start..(start + local).min(global));
    groups
        .flat_map(|group| group.collect::<Vec<_>>().chunks(size).map(<[usize]>::to_vec).collect::<Vec<_>>())
        .collect()
}

/// Runs `body` at each size on `a[i]`, where `in` says who takes part; `want` gives the results of those, from (lane, value) pairs.
fn check(condition: &str, takes_part: impl Fn(i32, usize) -> bool, body: &str, want: impl Fn(&[(usize, i32)], usize) -> Vec<i32>) {
    let context = Context::new();
    for size in SIZES {
        let source = format!(
            "__attribute__((intel_reqd_sub_group_size({size})))
            kernel void k(global const int *a, global int *r) {{
                int i = get_global_id(0), lane = get_sub_group_local_id(), x = a[i];
                if ({condition}) {{ {body} }}
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        for (global, local) in GROUPS {
            let a = values(global);
            let mut expected = vec![0; global];
            for items in sub_groups(global, local, size) {
                let active: Vec<(usize, usize)> = items
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|&(lane, item)| takes_part(a[item], lane))
                    .collect();
                let parts: Vec<(usize, i32)> = active.iter().map(|&(lane, item)| (lane, a[item])).collect();
                if !parts.is_empty() {
                    for (&(_, item), result) in active.iter().zip(want(&parts, size)) {
                        expected[item] = result;
                    }
                }
            }
            let (buffer, r) = (context.buffer(&a), context.zeros::<i32>(global));
            program
                .kernel("k")
                .run(&context, &Range::new([global]).local([local]), &[&buffer, &r]);
            assert_eq!(r.read(), expected, "{body}: sub-groups of {size}, {global} in groups of {local}");
        }
    }
}

fn odd(value: i32, _: usize) -> bool {
    value & 1 == 1
}

fn everybody(_: i32, _: usize) -> bool {
    true
}

const ODD: &str = "x & 1";

fn same(parts: &[(usize, i32)], result: i32) -> Vec<i32> {
    vec![result; parts.len()]
}

#[test]
fn votes() {
    let of = |f: fn(&[(usize, i32)]) -> bool| move |parts: &[(usize, i32)], _| same(parts, i32::from(f(parts)));
    let all = of(|parts| parts.iter().all(|&(_, x)| x > -300));
    check(ODD, odd, "r[i] = sub_group_non_uniform_all(x > -300);", all);
    let any = of(|parts| parts.iter().any(|&(_, x)| x > 500));
    check(ODD, odd, "r[i] = sub_group_non_uniform_any(x > 500);", any);
    let equal = of(|parts| parts.iter().all(|&(_, x)| x / 512 == parts[0].1 / 512));
    check(ODD, odd, "r[i] = sub_group_non_uniform_all_equal(x / 512);", equal);
    check(
        "x % 3 == 0",
        |x, _| x % 3 == 0,
        "r[i] = 1 + sub_group_elect();",
        |parts, _| (0..parts.len()).map(|n| if n == 0 { 2 } else { 1 }).collect(),
    );
}

#[test]
fn ballots() {
    let bits = |parts: &[(usize, i32)]| parts.iter().filter(|part| part.1 > 0).fold(0u32, |bits, part| bits | 1 << part.0);
    check(
        ODD,
        odd,
        "uint4 b = sub_group_ballot(x > 0); r[i] = b.x | b.y | b.z | b.w;",
        move |parts, _| same(parts, bits(parts) as i32),
    );
    let body = "uint4 b = sub_group_ballot(x > 0);
        r[i] = sub_group_ballot_bit_count(b) + 100 * sub_group_ballot_inclusive_scan(b) + 10000 * sub_group_ballot_exclusive_scan(b)
            + 1000000 * sub_group_inverse_ballot(b) + 2000000 * sub_group_ballot_bit_extract(b, 2);";
    check(ODD, odd, body, move |parts, _| {
        let bits = bits(parts);
        let count = |lanes: u64| (bits & (lanes as u32)).count_ones() as i32;
        let of = |&(lane, _): &(usize, i32)| {
            count(!0)
                + 100 * count((2 << lane) - 1)
                + 10000 * count((1 << lane) - 1)
                + 1000000 * i32::from(bits >> lane & 1 == 1)
                + 2000000 * i32::from(bits >> 2 & 1 == 1)
        };
        parts.iter().map(of).collect()
    });
    let body = "uint4 b = sub_group_ballot(x > 0); if (b.x) r[i] = sub_group_ballot_find_lsb(b) + 100 * sub_group_ballot_find_msb(b);";
    check(ODD, odd, body, move |parts, _| {
        let bits = bits(parts);
        let found = if bits == 0 { 0 } else { bits.trailing_zeros() + 100 * bits.ilog2() };
        same(parts, found as i32)
    });
    let masks = "r[i] = get_sub_group_eq_mask().x ^ 3 * get_sub_group_ge_mask().x ^ 5 * get_sub_group_gt_mask().x
        ^ 7 * get_sub_group_le_mask().x ^ 9 * get_sub_group_lt_mask().x;";
    check("1", everybody, masks, |parts, size| {
        let all = ((1u64 << size) - 1) as u32;
        let of = |&(lane, _): &(usize, i32)| {
            let (own, before) = (1u32 << lane, (1u32 << lane) - 1);
            let (ge, gt) = (all & !before, all & !(before | own));
            (own ^ ge.wrapping_mul(3) ^ gt.wrapping_mul(5) ^ (before | own).wrapping_mul(7) ^ before.wrapping_mul(9)) as i32
        };
        parts.iter().map(of).collect()
    });
}

#[test]
fn broadcasts_and_shuffles() {
    check(ODD, odd, "r[i] = sub_group_broadcast_first(x);", |parts, _| same(parts, parts[0].1));
    // Lanes that take part read from lanes that take part: all of them but the last lane's ones.
    let from = |parts: &[(usize, i32)], lane: usize| parts.iter().find(|part| part.0 == lane).map_or(0, |part| part.1);
    let by = move |to: fn(usize, usize) -> usize| {
        move |parts: &[(usize, i32)], size: usize| {
            let of = |&(lane, _): &(usize, i32)| {
                let other = to(lane, size);
                if parts.iter().any(|part| part.0 == other) {
                    from(parts, other)
                } else {
                    7
                }
            };
            parts.iter().map(of).collect::<Vec<_>>()
        }
    };
    let there = "int there = other >= 0 && other < get_sub_group_size();";
    let body = |other: &str, call: &str| format!("int other = {other}; {there} int y = {call}; r[i] = there ? y : 7;");
    check(
        "1",
        everybody,
        &body("lane ^ 1", "sub_group_shuffle_xor(x, 1)"),
        by(|lane, _| lane ^ 1),
    );
    check(
        "1",
        everybody,
        &body("lane - 2", "sub_group_shuffle_up(x, 2)"),
        by(|lane, _| lane.wrapping_sub(2)),
    );
    check(
        "1",
        everybody,
        &body("lane + 3", "sub_group_shuffle_down(x, 3)"),
        by(|lane, _| lane + 3),
    );
    check(
        "1",
        everybody,
        &body("lane * 5 % 8", "sub_group_shuffle(x, lane * 5 % 8)"),
        by(|lane, _| lane * 5 % 8),
    );
    let rotated = body("(lane + 3) % get_max_sub_group_size()", "sub_group_rotate(x, 3)");
    check("1", everybody, &rotated, by(|lane, size| (lane + 3) % size));
    let in_clusters = body("(lane & ~3) + (lane + 1 & 3)", "sub_group_clustered_rotate(x, 1, 4)");
    check(
        "get_max_sub_group_size() > 1",
        |_, _| true,
        &format!("if (get_max_sub_group_size() >= 4) {{ {in_clusters} }} else r[i] = x;"),
        {
            move |parts, size| {
                if size < 4 {
                    return vec![0; parts.len()];
                }
                by(|lane, _| (lane & !3) + ((lane + 1) & 3))(parts, size)
            }
        },
    );
}

#[test]
fn reductions_and_scans() {
    let fold = |parts: &[(usize, i32)]| parts.iter().fold(0i32, |sum, part| sum.wrapping_add(part.1));
    check(ODD, odd, "r[i] = sub_group_non_uniform_reduce_add(x);", move |parts, _| {
        same(parts, fold(parts))
    });
    check(
        ODD,
        odd,
        "r[i] = sub_group_non_uniform_scan_exclusive_max((short)x);",
        |parts, _| {
            (0..parts.len())
                .map(|n| parts[..n].iter().map(|part| part.1).max().unwrap_or(i32::from(i16::MIN)))
                .collect()
        },
    );
    check(
        ODD,
        odd,
        "r[i] = sub_group_non_uniform_scan_inclusive_xor((long)x << 3) >> 3;",
        |parts, _| {
            (0..parts.len())
                .map(|n| parts[..=n].iter().fold(0, |sum, part| sum ^ part.1))
                .collect()
        },
    );
    check(
        ODD,
        odd,
        "r[i] = sub_group_non_uniform_scan_inclusive_mul((float)(x & 2)) + sub_group_non_uniform_reduce_logical_or(x > 590);",
        |parts, _| {
            let high = parts.iter().any(|part| part.1 > 590);
            let product = |n: usize| parts[..=n].iter().map(|part| (part.1 & 2) as f32).product::<f32>();
            (0..parts.len()).map(|n| (product(n) + f32::from(u8::from(high))) as i32).collect()
        },
    );
    check(
        ODD,
        odd,
        "r[i] = get_max_sub_group_size() >= 4 ? sub_group_clustered_reduce_min(x, 4) : x;",
        |parts, size| {
            let of = |&(lane, x): &(usize, i32)| match size {
                1 => x,
                _ => parts
                    .iter()
                    .filter(|part| part.0 / 4 == lane / 4)
                    .map(|part| part.1)
                    .min()
                    .unwrap_or(0),
            };
            parts.iter().map(of).collect()
        },
    );
    check(
        "1",
        everybody,
        "r[i] = sub_group_reduce_max((char)x) + 1000 * sub_group_scan_exclusive_add((ushort)(x & 15));",
        |parts, _| {
            let top = parts.iter().map(|part| part.1 as i8).max().unwrap_or(0);
            (0..parts.len())
                .map(|n| i32::from(top) + 1000 * parts[..n].iter().map(|part| part.1 & 15).sum::<i32>())
                .collect()
        },
    );
}

#[test]
fn vectors_of_small_integers_are_broadcast() {
    let body = "uchar4 v = (uchar4)(x, x >> 1, 3, lane); v = sub_group_broadcast(v, get_sub_group_size() - 1);
        r[i] = v.x + 256 * v.y + 65536 * v.w;";
    check("1", everybody, body, |parts, _| {
        let &(lane, x) = parts.last().unwrap();
        same(parts, (x & 255) + 256 * ((x >> 1) & 255) + 65536 * lane as i32)
    });
}

fn intel(context: &Context, size: usize, text: &str) -> Program {
    let source = format!("__attribute__((intel_reqd_sub_group_size({size})))\n{text}");
    context.program(&source, "")
}

#[test]
fn intel_shuffles_of_two_values() {
    let context = Context::new();
    for size in SIZES {
        let program = intel(
            &context,
            size,
            "kernel void k(global const int *a, global int *r) {
                int i = get_global_id(0), l = get_sub_group_local_id();
                int2 x = (int2)(a[i], l), y = (int2)(-a[i], 1000 + l);
                int2 down = intel_sub_group_shuffle_down(x, y, 1u), up = intel_sub_group_shuffle_up(x, y, 1u);
                r[4 * i] = down.x; r[4 * i + 1] = down.y; r[4 * i + 2] = up.x; r[4 * i + 3] = up.y;
            }",
        );
        let a = values(64);
        let (buffer, r) = (context.buffer(&a), context.zeros::<i32>(256));
        program.kernel("k").run(&context, &Range::new([64]).local([64]), &[&buffer, &r]);
        let found = r.read();
        for i in 0..64 {
            let (first, lane) = (i / size * size, i % size);
            let down = if lane + 1 < size {
                [a[i + 1], lane as i32 + 1]
            } else {
                [-a[first], 1000]
            };
            let up = if lane > 0 {
                [-a[i - 1], 1000 + lane as i32 - 1]
            } else {
                [a[first + size - 1], size as i32 - 1]
            };
            assert_eq!(found[4 * i..4 * i + 4], [down, up].concat(), "item {i} of sub-groups of {size}");
        }
    }
}

#[test]
fn intel_blocks_of_buffers() {
    let context = Context::new();
    for (ty, ending, most) in [
        ("uint", "", 8),
        ("ushort", "_us", 16),
        ("uchar", "_uc", 16),
        ("ulong", "_ul", 8),
        ("uint", "_ui", 8),
    ] {
        for (size, count) in [(1, 2), (4, 1), (8, 4), (16, 2), (16, most), (32, 8)] {
            let n = if count == 1 { String::new() } else { count.to_string() };
            let text = format!(
                "kernel void k(global const {ty} *a, global {ty} *r) {{
                    size_t start = (get_group_id(0) * get_num_sub_groups() + get_sub_group_id()) * {count} * {size};
                    {ty}{n} v = intel_sub_group_block_read{ending}{n}(a + start);
                    intel_sub_group_block_write{ending}{n}(r + start, v + ({ty})get_sub_group_local_id());
                }}"
            );
            let program = intel(&context, size, &text);
            let bytes = match ty {
                "uint" => 4,
                "ushort" => 2,
                "uchar" => 1,
                _ => 8,
            };
            let items = 64;
            let a: Vec<u8> = (0..items * count * bytes)
                .map(|i| if i % bytes == 0 { (i * 7 / bytes % 200) as u8 } else { 0 })
                .collect();
            let (buffer, r) = (context.buffer(&a), context.zeros::<u8>(a.len()));
            program.kernel("k").run(&context, &Range::new([items]).local([32]), &[&buffer, &r]);
            let want: Vec<u8> = a
                .iter()
                .enumerate()
                .map(|(i, &byte)| if i % bytes == 0 { byte + (i / bytes % size) as u8 } else { byte })
                .collect();
            assert_eq!(r.read(), want, "{ty} {ending} {count} in sub-groups of {size}");
        }
    }
}

/// Through local memory and back: written by blocks, read one by one and by blocks.
#[test]
fn intel_blocks_of_local_memory() {
    let context = Context::new();
    for (ty, ending, bytes, most) in [
        ("uint", "", 4, 8),
        ("uint", "_ui", 4, 4),
        ("ushort", "_us", 2, 16),
        ("uchar", "_uc", 1, 16),
        ("ulong", "_ul", 8, 8),
    ] {
        for (size, count) in [(4, 4), (8, 1), (16, 2), (16, most), (32, 8)] {
            let n = if count == 1 { String::new() } else { count.to_string() };
            let text = format!(
                "kernel void k(global const {ty} *a, global {ty} *r, global {ty} *order) {{
                    local {ty} cells[32 * {count}] __attribute__((aligned(16)));
                    size_t group = get_group_id(0) * 32 * {count}, start = get_sub_group_id() * {count} * {size};
                    {ty}{n} v = intel_sub_group_block_read{ending}{n}(a + group + start);
                    intel_sub_group_block_write{ending}{n}(cells + start, v + ({ty})get_sub_group_local_id());
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (int i = get_local_id(0); i < 32 * {count}; i += 32) order[group + i] = cells[i];
                    {ty}{n} w = intel_sub_group_block_read{ending}{n}(cells + start);
                    intel_sub_group_block_write{ending}{n}(r + group + start, w);
                }}"
            );
            let program = intel(&context, size, &text);
            let items = 64;
            let a: Vec<u8> = (0..items * count * bytes)
                .map(|i| if i % bytes == 0 { (i * 7 / bytes % 200) as u8 } else { 0 })
                .collect();
            let (buffer, r, order) = (context.buffer(&a), context.zeros::<u8>(a.len()), context.zeros::<u8>(a.len()));
            let arguments: [&dyn brolga_tests::Argument; 3] = [&buffer, &r, &order];
            program.kernel("k").run(&context, &Range::new([items]).local([32]), &arguments);
            let want: Vec<u8> = a
                .iter()
                .enumerate()
                .map(|(i, &byte)| if i % bytes == 0 { byte + (i / bytes % size) as u8 } else { byte })
                .collect();
            assert_eq!(order.read(), want, "written: {ty} {ending} {count} in sub-groups of {size}");
            assert_eq!(r.read(), want, "read: {ty} {ending} {count} in sub-groups of {size}");
        }
    }
}

#[test]
fn intel_functions_of_small_integers() {
    let context = Context::new();
    let program = intel(
        &context,
        8,
        "kernel void k(global const int *a, global int *r) {
            int i = get_global_id(0);
            short s = a[i]; uchar c = a[i];
            r[i] = intel_sub_group_reduce_add(s) + intel_sub_group_scan_inclusive_max(c) + intel_sub_group_broadcast(s, 3u);
        }",
    );
    let a = values(64);
    let (buffer, r) = (context.buffer(&a), context.zeros::<i32>(64));
    program.kernel("k").run(&context, &Range::new([64]).local([64]), &[&buffer, &r]);
    let want = (0..64).map(|i| {
        let gang = &a[i / 8 * 8..][..8];
        let top = gang[..=i % 8].iter().map(|&x| i32::from(x as u8)).max().unwrap();
        i32::from(gang.iter().fold(0i16, |sum, &x| sum.wrapping_add(x as i16))) + top + gang[3]
    });
    assert_eq!(r.read(), want.collect::<Vec<_>>());
}

#[test]
fn a_size_that_the_device_lacks_is_refused() {
    let context = Context::new();
    let source = "__attribute__((intel_reqd_sub_group_size(3))) kernel void k(global int *r) { *r = 1; }";
    let log = Program::from_source(&context, source).build("").expect_err("it builds");
    assert!(log.contains("3 is none of the device's sub-group sizes"), "{log}");
}

#[test]
fn intel_blocks_of_images() {
    let context = Context::new();
    if !context.has_images() {
        return;
    }
    let (width, height) = (24usize, 10usize);
    let pixels: Vec<u8> = (0..width * height * 4).map(|i| (i * 13 % 251) as u8).collect();
    for (ty, ending, bytes) in [("uint", "", 4usize), ("ushort", "_us", 2), ("uchar", "_uc", 1), ("ulong", "_ul", 8)] {
        for (size, rows) in [(8usize, 2usize), (16, 4), (4, 1)] {
            let n = if rows == 1 { String::new() } else { rows.to_string() };
            let program = intel(
                &context,
                size,
                &format!(
                    "kernel void k(read_only image2d_t from, write_only image2d_t to, int2 at, int2 there) {{
                        {ty}{n} v = intel_sub_group_block_read{ending}{n}(from, at);
                        intel_sub_group_block_write{ending}{n}(to, there, v);
                    }}"
                ),
            );
            // Inside; over the right and lower edge; over the left and upper one; a long value across the right one.
            for (at, there) in [([8i32, 3], [4i32, 1]), ([84, 8], [88, 8]), ([-8, -1], [-4, -1]), ([92, 0], [60, 0])] {
                let format = (CL_RGBA, CL_UNSIGNED_INT8);
                let (from, to) = (
                    context.image(format, Shape::d2(width, height)),
                    context.image(format, Shape::d2(width, height)),
                );
                from.write(&pixels);
                to.write(&vec![0; pixels.len()]);
                program
                    .kernel("k")
                    .run(&context, &Range::new([size]).local([size]), &[&from, &to, &at, &there]);
                let row = width * 4;
                let mut want = vec![0u8; pixels.len()];
                for y in 0..rows as i32 {
                    for lane in 0..size as i32 {
                        let (from_x, to_x) = (at[0] + lane * bytes as i32, there[0] + lane * bytes as i32);
                        let near_y = (at[1] + y).clamp(0, height as i32 - 1) as usize;
                        for byte in 0..bytes as i32 {
                            // Beyond an edge is the texel at the edge, again and again.
                            let (texel, part) = ((from_x + byte).div_euclid(4), (from_x + byte).rem_euclid(4));
                            let near_x = texel.clamp(0, width as i32 - 1) as usize * 4 + part as usize;
                            let x = to_x + byte;
                            if (0..row as i32).contains(&x) && (0..height as i32).contains(&(there[1] + y)) {
                                want[(there[1] + y) as usize * row + x as usize] = pixels[near_y * row + near_x];
                            }
                        }
                    }
                }
                assert_eq!(to.read(), want, "{ty} {rows} in sub-groups of {size} from {at:?} to {there:?}");
            }
        }
    }
}
