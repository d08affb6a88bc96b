//! Kernels whose rows of memory lie along y or z: they may be run with x and that dimension exchanged, of which work-items see nothing.

use brolga_tests::{Context, Range};

/// Global sizes, local sizes if any are asked for, and offsets.
type Space = ([usize; 3], Option<[usize; 3]>, [usize; 3]);

const SPACES: &[Space] = &[
    ([64, 64, 1], None, [0; 3]),
    ([510, 126, 1], None, [0; 3]),
    ([30, 333, 1], None, [5, 3, 0]),
    ([128, 128, 1], Some([64, 1, 1]), [0; 3]),
    ([64, 96, 1], Some([16, 16, 1]), [0, 1, 0]),
    ([100, 61, 1], Some([1, 1, 1]), [0; 3]),
    ([100, 61, 1], Some([10, 7, 1]), [0; 3]),
    ([500, 7, 1], None, [0; 3]),
    ([5, 40, 1], None, [0; 3]),
    ([40, 6, 33], None, [0, 0, 2]),
    ([17, 9, 64], Some([17, 1, 2]), [1, 2, 3]),
];

/// Everything that a kernel may read of where it is, kept in rows along a dimension.
#[test]
fn work_items_see_nothing_of_it() {
    let context = Context::new();
    for along in [1usize, 2] {
        // Where it is in memory; the others follow.
        let [second, third] = if along == 1 { [0, 2] } else { [1, 0] };
        let source = format!(
            "__attribute__((noinline)) uint far(uint v) {{ return v * 31 + (uint)get_global_id(0) * 7 + (uint)get_global_size(1); }}
            #define AT(D) (get_global_id(D) - get_global_offset(D))
            #define PLACE ((AT({third}) * get_global_size({second}) + AT({second})) * get_global_size({along}) + AT({along}))
            kernel void k(global const uint *a, global uint *y, uint n) {{
                uint v = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
                if (get_global_id({second}) % 3 == 1 && get_global_id({along}) >= n)
                    return;
                y[PLACE] = v ^ a[PLACE] ^ far(get_global_size(2)) ^ get_work_dim() << 30;
            }}
            kernel void in_place(global uint *y) {{
                y[PLACE] = y[PLACE] * 5 + (uint)get_global_id(0);
            }}
            kernel void counted(global uint *y) {{
                y[PLACE] = get_global_linear_id();
            }}"
        );
        let program = context.program(&source, "-cl-std=CL3.0");
        for &(global, local, offset) in SPACES {
            let range = Range::new(global).offset(offset);
            let range = match local {
                Some(local) => range.local(local),
                None => range,
            };
            let items: usize = global.iter().product();
            let mut ids = vec![[0usize; 3]; items];
            for z in 0..global[2] {
                for y in 0..global[1] {
                    for x in 0..global[0] {
                        let at = [x, y, z];
                        ids[(at[third] * global[second] + at[second]) * global[along] + at[along]] = at;
                    }
                }
            }
            let id = |at: [usize; 3]| [0, 1, 2].map(|d| (at[d] + offset[d]) as u32);
            let a: Vec<u32> = (0..items as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
            let n = (global[along] / 2) as u32;
            let expected = ids.iter().zip(&a).map(|(&at, a)| {
                let [x, y, z] = id(at);
                if id(at)[second] % 3 == 1 && id(at)[along] >= n {
                    return 9;
                }
                let far = (global[2] as u32 * 31).wrapping_add(x * 7).wrapping_add(global[1] as u32);
                (x + 1000 * y + 1_000_000 * z) ^ a ^ far ^ 3 << 30
            });
            let expected: Vec<u32> = expected.collect();
            let (a, y) = (context.buffer(&a), context.buffer(&vec![9u32; items]));
            program.kernel("k").run(&context, &range, &[&a, &y, &n]);
            assert!(y.read() == expected, "along {along}: {global:?}, {local:?}, {offset:?}");

            program.kernel("in_place").run(&context, &range, &[&y]);
            let expected: Vec<u32> = expected
                .iter()
                .zip(&ids)
                .map(|(y, &at)| y.wrapping_mul(5).wrapping_add(id(at)[0]))
                .collect();
            assert!(y.read() == expected, "in place along {along}: {global:?}, {local:?}, {offset:?}");

            program.kernel("counted").run(&context, &range, &[&y]);
            let linear = |at: &[usize; 3]| ((at[2] * global[1] + at[1]) * global[0] + at[0]) as u32;
            let expected: Vec<u32> = ids.iter().map(linear).collect();
            assert!(y.read() == expected, "counted along {along}: {global:?}, {local:?}, {offset:?}");
        }
    }
}

/// Rows and columns of matrices exchanged, of sizes that tiles and gangs divide and don't.
#[test]
fn products_of_matrices() {
    let context = Context::new();
    let program = context.program(
        "kernel void k(global const float *a, global const float *b, global float *c, int n) {
            int x = get_global_id(1), y = get_global_id(0);
            float s = 0;
            for (int i = 0; i < n; i++)
                s += a[y * n + i] * b[i * n + x];
            c[y * n + x] = s;
        }",
        "-cl-std=CL3.0",
    );
    for n in [16, 64, 90, 128] {
        let a: Vec<f32> = (0..n * n).map(|at| (at * 7 % 11) as f32).collect();
        let b: Vec<f32> = (0..n * n).map(|at| (at * 5 % 13) as f32).collect();
        let expected: Vec<f32> = (0..n * n)
            .map(|at| (0..n).map(|i| a[at / n * n + i] * b[i * n + at % n]).sum())
            .collect();
        let (a, b, c) = (context.buffer(&a), context.buffer(&b), context.zeros::<f32>(n * n));
        for local in [None, Some([2, 2])] {
            let range = Range::new([n, n]);
            let range = local.map_or(range.clone(), |local: [usize; 2]| range.local(local));
            program.kernel("k").run(&context, &range, &[&a, &b, &c, &(n as i32)]);
            assert_eq!(c.read(), expected, "{n}, {local:?}");
        }
    }
}
