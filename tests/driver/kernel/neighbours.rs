//! Work-items next to each other in memory: records of their own, pixels around theirs, at edges too.

use brolga_tests::{Context, Range};

#[test]
fn pixels_in_places_of_their_own() {
    let context = Context::new();
    for (name, channels) in [
        ("uchar4", 4),
        ("char4", 4),
        ("uchar3", 4),
        ("uchar2", 2),
        ("ushort2", 2),
        ("short4", 4),
    ] {
        let used = if name.ends_with('3') { 3 } else { channels };
        let bytes = if name.contains("char") { 1 } else { 2 };
        let sums: Vec<String> = ["x", "y", "z", "w"][..used].iter().map(|part| format!("(int)p.{part}")).collect();
        let source = format!(
            "kernel void k(global const {name} *a, global const int *b, global int *out, global {name} *moved) {{
                int i = get_global_id(0);
                {name} p = a[b[i]];
                float f = convert_float(p.x) + convert_float(p.y);
                out[i] = ({}) * 4 + (int)f;
                moved[b[i]] = ({name})(p.yx{});
            }}",
            sums.join(" * 3 + "),
            ["", "", ", p.z", ", p.zw"][used - 1],
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        let (count, places) = (96usize, 200usize);
        let data: Vec<u8> = (0..places * channels * bytes).map(|i| (i * 37 % 251) as u8).collect();
        let indices: Vec<i32> = (0..count as i32).map(|i| i * 131 % places as i32).collect();
        let part = |at: i32, channel: usize| {
            let from = (at as usize * channels + channel) * bytes;
            match (bytes, name.starts_with('u')) {
                (1, true) => i32::from(data[from]),
                (1, false) => i32::from(data[from] as i8),
                (_, true) => i32::from(u16::from_le_bytes([data[from], data[from + 1]])),
                (_, false) => i32::from(i16::from_le_bytes([data[from], data[from + 1]])),
            }
        };
        let expected: Vec<i32> = (indices.iter())
            .map(|&at| {
                let [x, y] = [0, 1].map(|channel| part(at, channel));
                let plain: i32 = (0..used)
                    .map(|channel| part(at, channel) * if channel + 1 < used { 3 } else { 1 })
                    .sum();
                plain * 4 + x + y
            })
            .collect();
        let (a, b) = (context.buffer(&data), context.buffer(&indices));
        let out = context.buffer(&vec![0i32; count]);
        let moved = context.buffer(&vec![0u8; data.len()]);
        kernel.run(&context, &Range::new([count]).local([48]), &[&a, &b, &out, &moved]);
        assert_eq!(out.read(), expected, "{name}");
        let written: Vec<u8> = moved.read();
        for &at in &indices {
            let from = |channel: usize| (at as usize * channels + channel) * bytes;
            for channel in 0..used {
                let source = [1, 0, 2, 3][channel];
                assert_eq!(
                    written[from(channel)..from(channel) + bytes],
                    data[from(source)..from(source) + bytes],
                    "{name} {at}, channel {channel}"
                );
            }
        }
    }
}

#[test]
fn records_of_any_number_of_fields() {
    let context = Context::new();
    for fields in 1..=9usize {
        let names: Vec<String> = (0..fields).map(|field| format!("f{field}")).collect();
        // Each field becomes the next one, and a bit more.
        let moves: Vec<String> = (0..fields)
            .map(|field| format!("q.f{field} = p.f{} + {field};", (field + 1) % fields))
            .collect();
        let source = format!(
            "typedef struct {{ int {}; }} record;
            kernel void k(global const record *a, global record *out, int n) {{
                int i = get_global_id(0);
                if (i >= n) return;
                record p = a[i], q;
                {}
                out[i] = q;
            }}",
            names.join(", "),
            moves.join(" ")
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        for (count, n, local) in [(64, 64, 64), (64, 50, 16), (30, 30, 10)] {
            let a: Vec<i32> = (0..(count * fields) as i32).map(|i| i * 3).collect();
            let out = context.buffer(&vec![-1; count * fields]);
            kernel.run(
                &context,
                &Range::new([count]).local([local]),
                &[&context.buffer(&a), &out, &(n as i32)],
            );
            let expected: Vec<i32> = (0..count * fields)
                .map(|at| match (at / fields, at % fields) {
                    (record, _) if record >= n => -1,
                    (record, field) => a[record * fields + (field + 1) % fields] + field as i32,
                })
                .collect();
            assert_eq!(out.read(), expected, "{fields} fields, {n} of {count} records in groups of {local}");
        }
    }
}

/// An image of bytes, its width and its height.
struct Bytes(Vec<u8>, i32, i32);

impl Bytes {
    fn new(width: i32, height: i32) -> Bytes {
        let byte = |i: i32| (i.wrapping_mul(0x9e37_79b1_u32 as i32) >> 11) as u8;
        Bytes((0..width * height).map(byte).collect(), width, height)
    }

    /// The nearest that there is.
    fn at(&self, x: i32, y: i32) -> i32 {
        let (x, y) = (x.clamp(0, self.1 - 1), y.clamp(0, self.2 - 1));
        self.0[(y * self.1 + x) as usize].into()
    }
}

/// Runs a kernel that makes a byte of those around it, `AT(dx, dy)`, in groups of several sizes.
#[track_caller]
fn check_pixels(body: &str, expected: impl Fn(&dyn Fn(i32, i32) -> i32) -> i32) {
    let context = Context::new();
    let source = format!(
        "#define AT(dx, dy) a[clamp(y + (dy), 0, h - 1) * w + clamp(x + (dx), 0, w - 1)]
        kernel void k(global const uchar *a, global uchar *out, int w, int h, int R) {{
            int x = get_global_id(0), y = get_global_id(1);
            if (x >= w || y >= h) return;
            {body}
        }}"
    );
    let program = context.program(&source, "");
    let kernel = program.kernel("k");
    for (width, height, local) in [
        (64, 8, [16, 8]),
        (96, 3, [32, 1]),
        (70, 5, [32, 2]),
        (33, 17, [8, 8]),
        (64, 4, [64, 1]),
    ] {
        let pixels = Bytes::new(width, height);
        let out = context.buffer(&vec![0u8; pixels.0.len()]);
        let global = [0, 1].map(|d| ([width, height][d] as usize).next_multiple_of(local[d]));
        kernel.run(
            &context,
            &Range::new(global).local(local),
            &[&context.buffer(&pixels.0), &out, &width, &height, &2],
        );
        for (i, got) in out.read().into_iter().enumerate() {
            let (x, y) = (i as i32 % width, i as i32 / width);
            let wanted = expected(&|dx, dy| pixels.at(x + dx, y + dy)) as u8;
            assert_eq!(got, wanted, "at {x}, {y} of {width} x {height} in groups of {local:?}: {body}");
        }
    }
}

#[test]
fn sums_of_pixels() {
    check_pixels("out[y * w + x] = (AT(-1, 0) + 2 * AT(0, 0) + AT(1, 0) + 2) >> 2;", |at| {
        (at(-1, 0) + 2 * at(0, 0) + at(1, 0) + 2) >> 2
    });
    check_pixels(
        "int gx = AT(1, -1) - AT(-1, -1) + 2 * (AT(1, 0) - AT(-1, 0)) + AT(1, 1) - AT(-1, 1);
        int gy = AT(-1, 1) - AT(-1, -1) + 2 * (AT(0, 1) - AT(0, -1)) + AT(1, 1) - AT(1, -1);
        out[y * w + x] = min(255, (int)(abs(gx) + abs(gy)) / 2);",
        |at| {
            let gx = at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1);
            let gy = at(-1, 1) - at(-1, -1) + 2 * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1);
            ((gx.abs() + gy.abs()) / 2).min(255)
        },
    );
}

#[test]
fn choices_between_pixels() {
    check_pixels(
        "int a0 = AT(-1, 0), a1 = AT(0, 0), a2 = AT(1, 0); int m = max(min(a0, a1), min(max(a0, a1), a2)); out[y * w + x] = m > 128 ? m * 77 >> 8 : 255 - m;",
        |at| {
            let mut three = [at(-1, 0), at(0, 0), at(1, 0)];
            three.sort_unstable();
            if three[1] > 128 { (three[1] * 77) >> 8 } else { 255 - three[1] }
        },
    );
}

#[test]
fn pixels_within_a_radius() {
    check_pixels(
        "int s = 0; for (int j = -R; j <= R; j++) for (int i = -R; i <= R; i++) s += AT(i, j); out[y * w + x] = s / 25;",
        |at| {
            (-2..=2)
                .flat_map(|j| (-2..=2).map(move |i| (i, j)))
                .map(|(i, j)| at(i, j))
                .sum::<i32>()
                / 25
        },
    );
}

#[test]
fn strides_among_the_arguments() {
    let context = Context::new();
    let n = 300usize;
    let a: Vec<i32> = (0..4 * n).map(|i| i as i32 * 7 % 1013).collect();
    for ty in ["int", "uint", "long"] {
        let source = format!(
            "kernel void k(global const int *a, {ty} from, global int *out, {ty} to, {ty} n) {{
                for ({ty} i = get_global_id(0); i < n; i += get_global_size(0)) out[i * to] = a[i * from] + (int)to;
            }}"
        );
        let program = context.program(&source, "");
        let kernel = program.kernel("k");
        for (from, to) in [(1usize, 1usize), (2, 1), (1, 3), (0, 2), (4, 4), (1, 1), (0x0100, 1)] {
            let count = if from > 4 { 4 } else { n };
            let (a_buffer, out) = (context.buffer(&a), context.buffer(&vec![-1i32; 4 * n]));
            let range = Range::new([64]).local([32]);
            match ty {
                "long" => kernel.run(&context, &range, &[&a_buffer, &(from as i64), &out, &(to as i64), &(count as i64)]),
                _ => kernel.run(&context, &range, &[&a_buffer, &(from as i32), &out, &(to as i32), &(count as i32)]),
            };
            let mut expected = vec![-1i32; 4 * n];
            (0..count).for_each(|i| expected[i * to] = a[i * from] + to as i32);
            assert_eq!(out.read(), expected, "{ty}: {from} and {to}");
        }
    }
}

/// What stands in a table where integers of 8 and 16 bits say that have just been loaded, one after another or as parts of records, or bytes of
/// longer ones; and where they are written in between.
#[test]
fn tables_looked_up_by_short_integers() {
    const COUNT: usize = 1000;
    let context = Context::new();
    let bytes: Vec<u8> = (0..8 * COUNT as u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    let a = context.buffer(&bytes);
    let short = |i: usize| i32::from(i16::from_ne_bytes([bytes[2 * i], bytes[2 * i + 1]]));
    type Number<'a> = &'a dyn Fn(usize) -> i32;
    let numbers: [(&str, &str, Number); 11] = [
        ("uint", "(a[i] & 255)", &|i| bytes[4 * i].into()),
        ("uint", "(a[i] >> 8 & 255)", &|i| bytes[4 * i + 1].into()),
        ("uint", "(a[i] >> 24)", &|i| bytes[4 * i + 3].into()),
        ("int", "(a[i] >> 16 & 255) + (a[i] & 1)", &|i| {
            i32::from(bytes[4 * i + 2]) + i32::from(bytes[4 * i] & 1)
        }),
        ("ulong", "(a[i] >> 40 & 255)", &|i| bytes[8 * i + 5].into()),
        ("uchar", "a[i]", &|i| bytes[i].into()),
        ("char", "a[i]", &|i| (bytes[i] as i8).into()),
        ("ushort", "a[i]", &|i| short(i) & 0xffff),
        ("short", "a[i]", &|i| short(i)),
        ("uchar4", "a[i].z", &|i| bytes[4 * i + 2].into()),
        ("char2", "a[i].y", &|i| (bytes[2 * i + 1] as i8).into()),
    ];
    for (name, index, number) in numbers {
        for entry in ["uchar", "float", "long"] {
            let convert = if entry == "uchar" { "(uchar)" } else { "" };
            let table: Vec<i64> = (0..3 << 15).map(|at| (at - (1 << 15)) * 3 % 251).collect();
            let want: Vec<i64> = (0..COUNT)
                .map(|i| table[(number(i) + (1 << 15)) as usize])
                .map(|value| if entry == "uchar" { value & 255 } else { value })
                .collect();
            let source = format!(
                "kernel void fill(global const long *from, global {entry} *t) {{ int i = get_global_id(0); t[i] = {convert}from[i]; }}
                kernel void k(global const {name} *a, global const {entry} *t, global long *c) {{
                    int i = get_global_id(0);
                    c[i] = t[32768 + {index}];
                }}
                kernel void some(global const {name} *a, global const {entry} *t, global long *c) {{
                    int i = get_global_id(0);
                    if (i % 5 != 2) c[i] = t[32768 + {index}];
                }}"
            );
            let program = context.program(&source, "");
            let (from, c) = (context.buffer(&table), context.zeros::<i64>(COUNT));
            let t = context.zeros::<u8>(table.len() * 8);
            program.kernel("fill").run(&context, &Range::new([table.len()]), &[&from, &t]);
            program.kernel("k").run(&context, &Range::new([COUNT]), &[&a, &t, &c]);
            assert_eq!(c.read(), want, "{name} {entry}");
            let c = context.buffer(&vec![-7i64; COUNT]);
            program.kernel("some").run(&context, &Range::new([COUNT]), &[&a, &t, &c]);
            let some: Vec<i64> = want
                .iter()
                .enumerate()
                .map(|(i, &value)| if i % 5 == 2 { -7 } else { value })
                .collect();
            assert_eq!(c.read(), some, "{name} {entry} for some");
        }
    }
    // In place; and the same place again after it has been written.
    let source = "kernel void k(global uchar *a, global const uchar *t, global uchar *c) {
        int i = get_global_id(0);
        uchar first = t[a[i]];
        a[i] = first;
        c[i] = t[a[i]];
    }";
    let table: Vec<u8> = (0..256u32).map(|at| (at * 7 + 3) as u8).collect();
    let (a, t, c) = (context.buffer(&bytes[..COUNT]), context.buffer(&table), context.zeros::<u8>(COUNT));
    context
        .program(source, "")
        .kernel("k")
        .run(&context, &Range::new([COUNT]), &[&a, &t, &c]);
    let once: Vec<u8> = bytes[..COUNT].iter().map(|&byte| table[usize::from(byte)]).collect();
    assert_eq!(a.read(), once);
    let twice: Vec<u8> = once.iter().map(|&byte| table[usize::from(byte)]).collect();
    assert_eq!(c.read(), twice);
}
