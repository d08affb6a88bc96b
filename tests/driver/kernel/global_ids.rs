//! Global ids that are made of groups' and local ones: in whole groups and others, they are what they are.

use brolga_tests::{Context, Range};

/// Global sizes, local sizes, and offsets.
type Space = ([usize; 3], [usize; 3], [usize; 3]);

const SPACES: &[Space] = &[
    ([4096, 1, 1], [256, 1, 1], [0; 3]),
    ([4096, 1, 1], [64, 1, 1], [0; 3]),
    ([1000, 1, 1], [10, 1, 1], [0; 3]),
    ([999, 1, 1], [3, 1, 1], [0; 3]),
    ([300, 1, 1], [1, 1, 1], [0; 3]),
    ([64, 48, 1], [16, 16, 1], [0; 3]),
    ([100, 60, 1], [10, 10, 1], [0; 3]),
    ([126, 130, 1], [2, 65, 1], [0; 3]),
    ([32, 16, 24], [8, 8, 4], [0; 3]),
    // Groups that are cut off, and an offset.
    ([1000, 1, 1], [256, 1, 1], [0; 3]),
    ([130, 61, 1], [16, 16, 1], [0; 3]),
    ([1024, 1, 1], [256, 1, 1], [5, 0, 0]),
    ([30, 64, 1], [10, 4, 1], [2, 7, 0]),
];

/// What a kernel reads, of one dimension.
#[derive(Clone, Copy)]
struct At {
    group: usize,
    /// As it is, and as it was asked for.
    local: [usize; 2],
    item: usize,
    groups: usize,
    offset: usize,
}

fn at((global, local, offset): Space, place: [usize; 3]) -> [At; 3] {
    [0, 1, 2].map(|d| {
        let group = place[d] / local[d];
        At {
            group,
            local: [local[d].min(global[d] - group * local[d]), local[d]],
            item: place[d] % local[d],
            groups: global[d].div_ceil(local[d]),
            offset: offset[d],
        }
    })
}

/// An expression of dimension `D`, and what it is.
type Sum = (&'static str, fn(At) -> usize);

/// Sums as programs write them.
const SUMS: &[Sum] = &[
    ("get_group_id(D) * get_local_size(D) + get_local_id(D)", |a| {
        a.group * a.local[0] + a.item
    }),
    ("(int)get_local_id(D) + (int)get_local_size(D) * (int)get_group_id(D)", |a| {
        a.group * a.local[0] + a.item
    }),
    (
        "(uint)get_group_id(D) * get_enqueued_local_size(D) + 7 + (uint)get_local_id(D)",
        |a| a.group * a.local[1] + a.item + 7,
    ),
    ("get_group_id(D) * 256 + get_local_id(D)", |a| a.group * 256 + a.item),
    ("(get_group_id(D) << 4 | get_local_id(D))", |a| a.group << 4 | a.item),
    ("get_group_id(D) * get_local_size(D) + get_local_id(D) + get_local_id(D)", |a| {
        a.group * a.local[0] + 2 * a.item
    }),
    ("get_num_groups(D) * get_local_size(D) - get_group_id(D)", |a| {
        a.groups * a.local[0] - a.group
    }),
    (
        "get_group_id(D) * get_local_size(D) + get_local_id(D) + get_global_offset(D)",
        |a| a.group * a.local[0] + a.item + a.offset,
    ),
];

#[test]
fn sums_of_ids() {
    let context = Context::new();
    for (number, (sum, value)) in SUMS.iter().enumerate() {
        let of = |d: &str| sum.replace('D', d);
        let source = format!(
            "#define PLACE(D) (int)(get_global_id(D) - get_global_offset(D))
            kernel void k(global const int *a, global int *y) {{
                int w = get_global_size(0), at = (PLACE(2) * (int)get_global_size(1) + PLACE(1)) * w + PLACE(0);
                y[at] = a[at] ^ ((int)({}) + 10000 * (int)({}) + 3000000 * (int)({}));
            }}",
            of("0"),
            of("1"),
            of("2")
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        for &space in SPACES {
            let (global, local, offset) = space;
            let items: usize = global.iter().product();
            let a: Vec<i32> = (0..items as i32).map(|at| at.wrapping_mul(-1_640_531_527)).collect();
            let expected: Vec<i32> = (0..items)
                .map(|place| {
                    let place = [place % global[0], place / global[0] % global[1], place / global[0] / global[1]];
                    let [x, y, z] = at(space, place).map(|at| value(at) as i32);
                    x.wrapping_add(y.wrapping_mul(10000)).wrapping_add(z.wrapping_mul(3_000_000))
                })
                .zip(&a)
                .map(|(number, a)| number ^ a)
                .collect();
            let (a, y) = (context.buffer(&a), context.zeros::<i32>(items));
            let range = Range::new(global).local(local).offset(offset);
            program.kernel("k").run(&context, &range, &[&a, &y]);
            assert!(y.read() == expected, "sum {number}: {global:?}, {local:?}, {offset:?}");
        }
    }
}

/// Places that such sums are: in rows and across, in place, behind guards, in functions that are called, and of kernels that know more of their group.
#[test]
fn places() {
    let context = Context::new();
    let program = context.program(
        "#define ID(D) (get_group_id(D) * get_local_size(D) + get_local_id(D))
        __attribute__((noinline)) int called(global const int *a, int w) { return a[ID(1) * w + ID(0)]; }
        kernel void row(global const int *a, global int *y, int w, int h) {
            int i = ID(0), j = ID(1);
            if (i < w && j < h)
                y[j * w + i] = a[j * w + i] + i;
        }
        kernel void across(global const int *a, global int *y, int w, int h) {
            int i = ID(1), j = ID(0);
            if (i >= h || j >= w)
                return;
            y[j * h + i] = a[j * h + i] + i;
        }
        kernel void in_place(global const int *a, global int *y, int w, int h) {
            int i = ID(0), j = ID(1);
            if (i < w && j < h)
                y[j * w + i] = y[j * w + i] * 3 + a[j * w + i];
        }
        kernel void calls(global const int *a, global int *y, int w, int h) {
            int i = ID(0), j = ID(1);
            if (i < w && j < h)
                y[j * w + i] = called(a, w) + (j << 8);
        }
        kernel void together(global const int *a, global int *y, int w, int h) {
            local int part[256];
            int i = ID(0), j = ID(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
            part[l] = i < w && j < h ? a[j * w + i] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < w && j < h)
                y[j * w + i] = part[get_local_id(1) * get_local_size(0)];
        }",
        "-cl-std=CL1.2",
    );
    for (w, h, local) in [
        (64, 64, [16, 16]),
        (250, 31, [16, 16]),
        (100, 100, [10, 10]),
        (300, 5, [64, 1]),
        (33, 64, [4, 32]),
    ] {
        let a: Vec<i32> = (0..w * h).map(|at| at * 37 % 1009).collect();
        let (x, y) = (context.buffer(&a), context.zeros::<i32>(a.len()));
        let global = [w as usize, h as usize];
        let rounded = [0, 1].map(|d| global[d].next_multiple_of(local[d]));
        let range = Range::new(rounded).local(local);
        let run = |kernel: &str, range: &Range| {
            program.kernel(kernel).run(&context, range, &[&x, &y, &w, &h]);
            y.read()
        };
        let each =
            |f: &dyn Fn(i32, i32) -> i32| -> Vec<i32> { (0..h).flat_map(|j| (0..w).map(move |i| (i, j))).map(|(i, j)| f(i, j)).collect() };
        let of = |i: i32, j: i32| a[(j * w + i) as usize];
        let row = each(&|i, j| of(i, j) + i);
        assert!(run("row", &range) == row, "row of {w} x {h}");
        assert!(
            run("in_place", &range) == each(&|i, j| (of(i, j) + i) * 3 + of(i, j)),
            "in place, {w} x {h}"
        );
        assert!(run("calls", &range) == each(&|i, j| of(i, j) + (j << 8)), "calls, {w} x {h}");
        let first = |i: i32| i - i % local[0] as i32;
        assert!(run("together", &range) == each(&|i, j| of(first(i), j)), "together, {w} x {h}");
        let across: Vec<i32> = (0..w * h).map(|at| a[at as usize] + at % h).collect();
        let rounded = [0, 1].map(|d| global[d].next_multiple_of(local[d]));
        assert!(run("across", &Range::new(rounded).local(local)) == across, "across, {w} x {h}");
    }
}
