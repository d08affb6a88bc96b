//! Small constant tables that each lane reads at a place of its own: some are held in registers, and nobody sees which.

use brolga_tests::{Context, Range};

/// Work-items, the last gang not full.
const ITEMS: usize = 333;

/// How a kernel reads entry `c[i]` of `t`, `N` entries of type `T`, as a number of 64 bits.
const READS: &[&str] = &[
    "r = (long)t[c[i]];",
    "r = (long)t[(long)c[i]];",
    "r = (long)t[(ushort)c[i]];",
    "r = (long)t[(c[i] + 7) - 7];",
    "r = (long)(t + c[i] - 1)[1];",
    // In lanes apart from others.
    "if (c[i] % 3 != 1) r = (long)t[c[i]]; else r = -1;",
    "for (int j = 0; j <= c[i]; j++) r = r * 3 + (long)t[j];",
    "for (int j = 0; j < 5; j++) r += (long)t[(c[i] * j) % N] * (j + 1);",
    "constant T *p = t + c[i]; r = (long)*p;",
    // Two tables, of which one is chosen.
    "constant T *p = c[i] % 2 ? t : u; r = (long)p[c[i]];",
    "r = (long)(u + c[i])[N / 2 - N / 2] - (long)t[c[i]];",
];

/// The same on the host.
fn read(number: usize, table: &[i64], index: usize) -> i64 {
    let n = table.len();
    match number {
        5 if index % 3 == 1 => -1,
        6 => table[..=index].iter().fold(0i64, |r, &entry| r.wrapping_mul(3).wrapping_add(entry)),
        7 => (0..5).map(|j| table[index * j % n] * (j as i64 + 1)).sum(),
        9 if index.is_multiple_of(2) => table[n - 1 - index],
        10 => table[n - 1 - index] - table[index],
        _ => table[index],
    }
}

#[test]
fn entries_of_any_type() {
    let context = Context::new();
    for ty in ["char", "uchar", "short", "int", "float", "long", "double"] {
        for entries in [2usize, 3, 8, 9, 16, 31, 32, 64, 100, 128, 256, 300] {
            let table: Vec<i64> = (0..entries as i64).map(|entry| (entry * 37 + 11) % 120).collect();
            let listed = |entries: &mut dyn Iterator<Item = &i64>| entries.map(i64::to_string).collect::<Vec<_>>().join(", ");
            let mut source = format!(
                "constant {ty} t[{entries}] = {{ {} }};\nconstant {ty} u[{entries}] = {{ {} }};\n",
                listed(&mut table.iter()),
                listed(&mut table.iter().rev())
            );
            for (number, read) in READS.iter().enumerate() {
                source += &format!(
                    "kernel void k{number}(global const int *c, global long *out, int n) {{
                        int i = get_global_id(0);
                        long r = 0;
                        if (i < n) {{ {read} out[i] = r; }}
                    }}\n"
                );
            }
            let program = context.program(&source, &format!("-D T={ty} -D N={entries}"));
            let indices: Vec<i32> = (0..ITEMS).map(|item| ((item * 7919 + item / 5) % entries) as i32).collect();
            let c = context.buffer(&indices);
            for (number, text) in READS.iter().enumerate() {
                let out = context.buffer(&vec![0i64; ITEMS]);
                let kernel = program.kernel(&format!("k{number}"));
                kernel.run(&context, &Range::new([ITEMS.next_multiple_of(64)]), &[&c, &out, &(ITEMS as i32)]);
                let expected: Vec<i64> = indices.iter().map(|&index| read(number, &table, index as usize)).collect();
                assert_eq!(out.read(), expected, "{ty}, {entries} entries: {text}");
            }
        }
    }
}

/// Rows of a table, vectors of one, fields of records, and arrays that each work-item has for itself, and some write.
#[test]
fn entries_with_parts() {
    let context = Context::new();
    let source = "
        constant int rows[3][3] = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 17 } };
        constant float4 vectors[4] = { (float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8), (float4)(9, 10, 11, 12), (float4)(13, 14, 15, 16) };
        constant struct { char a; short b; int c; } records[5] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 }, { 13, 14, 15 } };
        kernel void in_rows(global const int *c, global int *out) {
            int i = get_global_id(0);
            out[i] = rows[c[i] % 3][c[i] / 3 % 3];
        }
        kernel void of_vectors(global const int *c, global int *out) {
            int i = get_global_id(0);
            float4 v = vectors[c[i] % 4];
            out[i] = (int)(v.x + v.y * v.z - v.w);
        }
        kernel void of_records(global const int *c, global int *out) {
            int i = get_global_id(0), r = c[i] % 5;
            out[i] = records[r].a * 10000 + records[r].b * 100 + records[r].c;
        }
        kernel void own(global const int *c, global int *out) {
            const short squares[12] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121 };
            int i = get_global_id(0);
            out[i] = squares[c[i] % 12] - squares[11 - c[i] % 12];
        }
        kernel void own_in_part(global const int *c, global int *out) {
            int i = get_global_id(0);
            short squares[12] = { 0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121 };
            squares[c[i] % 5] += 1000;
            out[i] = squares[c[i] % 12];
        }
        kernel void own_twice(global const int *c, global int *out) {
            int i = get_global_id(0), sum = 0;
            for (int j = 0; j < 3; j++) {
                int steps[4] = { 1, 2, 3, 4 };
                sum += steps[(c[i] + j) % 4];
                steps[j] = 100;
                sum += steps[c[i] % 4];
            }
            out[i] = sum;
        }
        int entry(const int *table, int index) { return table[index]; }
        kernel void own_handed_on(global const int *c, global int *out) {
            int i = get_global_id(0);
            int powers[6] = { 1, 3, 9, 27, 81, 243 };
            out[i] = entry(powers, c[i] % 6) + powers[5 - c[i] % 6];
        }";
    let program = context.program(source, "");
    let indices: Vec<i32> = (0..256).map(|item| item * 73 % 251).collect();
    let c = context.buffer(&indices);
    let rows = [[1, 2, 1], [2, 4, 2], [1, 2, 17]];
    let of = |name: &str, index: i32| match name {
        "in_rows" => rows[index as usize % 3][index as usize / 3 % 3],
        "of_vectors" => {
            let x = index % 4 * 4 + 1;
            x + (x + 1) * (x + 2) - (x + 3)
        }
        "of_records" => {
            let a = index % 5 * 3 + 1;
            a * 10000 + (a + 1) * 100 + a + 2
        }
        "own" => (index % 12).pow(2) - (11 - index % 12).pow(2),
        "own_in_part" => (index % 12).pow(2) + if index % 12 == index % 5 { 1000 } else { 0 },
        "own_twice" => (0..3)
            .map(|j| (index + j) % 4 + 1 + if index % 4 == j { 100 } else { index % 4 + 1 })
            .sum(),
        _ => 3i32.pow(index as u32 % 6) + 3i32.pow(5 - index as u32 % 6),
    };
    for name in [
        "in_rows",
        "of_vectors",
        "of_records",
        "own",
        "own_in_part",
        "own_twice",
        "own_handed_on",
    ] {
        let out = context.buffer(&vec![0i32; indices.len()]);
        program.kernel(name).run(&context, &Range::new([indices.len()]), &[&c, &out]);
        let expected: Vec<i32> = indices.iter().map(|&index| of(name, index)).collect();
        assert_eq!(out.read(), expected, "{name}");
    }
}
