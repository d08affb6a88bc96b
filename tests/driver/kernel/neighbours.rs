//! Work-items next to each other in memory: records of their own, pixels around theirs, at edges too.

use brolga_tests::{Context, Range};
use std::ptr::null_mut;

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

/// Two pages, of which only the first may be accessed.
struct LastPage(*mut u8);

const PAGE: usize = 1 << 16;

impl LastPage {
    fn new() -> LastPage {
        let (accessible, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, the second half of which nobody accesses.
        let start = unsafe { libc::mmap(null_mut(), 2 * PAGE, accessible, kind, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: as above.
        assert_eq!(unsafe { libc::mprotect(start.byte_add(PAGE), PAGE, libc::PROT_NONE) }, 0);
        LastPage(start.cast())
    }

    /// Its last bytes become these; says where they begin.
    fn end(&self, bytes: &[u8]) -> u64 {
        // SAFETY: they fit in.
        let to = unsafe { self.0.add(PAGE - bytes.len()) };
        // SAFETY: as above, and nobody else is there.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        to as u64
    }
}

impl Drop for LastPage {
    fn drop(&mut self) {
        // SAFETY: the whole of the mapping.
        unsafe { libc::munmap(self.0.cast(), 2 * PAGE) };
    }
}

#[test]
fn packed_pixels_end_where_their_page_does() {
    let context = Context::new();
    let source = "
        #define PIXEL(n) global const uchar *p = (global const uchar *)a + (n) * b[i]
        kernel void three(ulong a, global const int *b, global int *out) {
            int i = get_global_id(0);
            PIXEL(3);
            out[i] = p[0] + p[1] * 3 + p[2] * 7;
        }
        kernel void three_of_some(ulong a, global const int *b, global int *out) {
            int i = get_global_id(0);
            if (i % 3 == 1) return;
            PIXEL(3);
            out[i] = p[0] + p[1] * 3 + p[2] * 7;
        }
        kernel void two(ulong a, global const int *b, global int *out) {
            int i = get_global_id(0);
            PIXEL(2);
            out[i] = p[0] + p[1] * 3;
        }
        kernel void two_of_three(ulong a, global const int *b, global int *out) {
            int i = get_global_id(0);
            PIXEL(3);
            out[i] = p[0] + p[2] * 7;
        }";
    let program = context.program(source, "");
    let page = LastPage::new();
    for (name, bytes, factors, left_out) in [
        ("three", 3, [1, 3, 7], None),
        ("three_of_some", 3, [1, 3, 7], Some(1)),
        ("two", 2, [1, 3, 0], None),
        ("two_of_three", 3, [1, 0, 7], None),
    ] {
        let kernel = program.kernel(name);
        // Their first bytes lie in all places of a word.
        for pixels in 40..44usize {
            let data: Vec<u8> = (0..pixels * bytes).map(|i| (i * 37 % 251) as u8).collect();
            let places: Vec<i32> = (0..64).map(|i| i * 29 % pixels as i32).collect();
            let expected: Vec<i32> = (0..64)
                .map(|i| match left_out {
                    Some(left_out) if i % 3 == left_out => -1,
                    _ => {
                        let first = places[i] as usize * bytes;
                        (0..bytes).map(|at| i32::from(data[first + at]) * factors[at]).sum()
                    }
                })
                .collect();
            let (a, b, out) = (page.end(&data), context.buffer(&places), context.buffer(&[-1i32; 64]));
            kernel.run(&context, &Range::new([64]).local([64]), &[&a, &b, &out]);
            assert_eq!(out.read(), expected, "{name} of {pixels}");
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

#[test]
fn records_whose_components_go_the_same_way() {
    let context = Context::new();
    // Of each: what makes a component of two and a number for all, in C and here.
    type Step = fn(i64, i64, i64) -> i64;
    let steps: [(&str, Step); 4] = [
        ("a[i] * s + b[i]", |a, b, s| a * s + b),
        ("select(b[i], a[i] - s, a[i] > b[i])", |a, b, s| if a > b { a - s } else { b }),
        ("max(a[i], b[i]) - min(a[i], b[i])", |a, b, _| a.max(b) - a.min(b)),
        ("a[i] ^ (T)(5)", |a, _, _| a ^ 5),
    ];
    for (scalar, bytes) in [("char", 1), ("short", 2), ("int", 4), ("long", 8)] {
        for components in [2usize, 4, 8, 16] {
            let kernels = steps.iter().enumerate().map(|(number, (step, _))| {
                format!(
                    "kernel void k{number}(global const T *a, global const T *b, global T *c, int n, {scalar} s) {{
                        int i = get_global_id(0);
                        if (i < n) c[i] = {step};
                    }}"
                )
            });
            let again = format!(
                "kernel void again(global T *c, int turns, {scalar} s) {{
                    size_t i = get_global_id(0);
                    T x = c[i];
                    for (int k = 0; k < turns; k++) x = x * s + ({scalar})k;
                    c[i] = x;
                }}"
            );
            let all: Vec<String> = kernels.chain([again]).collect();
            let program = context.program(&format!("typedef {scalar}{components} T;\n{}", all.join("\n")), "");
            let (count, n) = (192usize, 150usize);
            let number = |i: usize, factor: usize| ((i * factor + 11) % 53) as i64 - 17;
            let values = |factor: usize| -> Vec<i64> { (0..count * components).map(|i| number(i, factor)).collect() };
            let stored = |values: &[i64]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()[..bytes].to_vec()).collect() };
            let (a, b, s) = (values(37), values(23), 3i64);
            for (number, (step, make)) in steps.iter().enumerate() {
                for local in [16usize, 64, 96] {
                    let out = context.buffer(&vec![0u8; count * components * bytes]);
                    let kernel = program.kernel(&format!("k{number}"));
                    let (range, n) = (Range::new([count]).local([local]), n as i32);
                    let (a_buffer, b_buffer) = (context.buffer(&stored(&a)), context.buffer(&stored(&b)));
                    match bytes {
                        1 => kernel.run(&context, &range, &[&a_buffer, &b_buffer, &out, &n, &(s as i8)]),
                        2 => kernel.run(&context, &range, &[&a_buffer, &b_buffer, &out, &n, &(s as i16)]),
                        4 => kernel.run(&context, &range, &[&a_buffer, &b_buffer, &out, &n, &(s as i32)]),
                        _ => kernel.run(&context, &range, &[&a_buffer, &b_buffer, &out, &n, &s]),
                    };
                    let made = (0..count * components).map(|i| match i / components < n as usize {
                        true => make(a[i], b[i], s),
                        false => 0,
                    });
                    let made: Vec<i64> = made.collect();
                    assert_eq!(out.read(), stored(&made), "{scalar}{components}, {step}, in groups of {local}");
                }
            }
            let out = context.buffer(&stored(&a));
            let range = Range::new([count]).local([64]);
            let kernel = program.kernel("again");
            match bytes {
                1 => kernel.run(&context, &range, &[&out, &7i32, &(s as i8)]),
                2 => kernel.run(&context, &range, &[&out, &7i32, &(s as i16)]),
                4 => kernel.run(&context, &range, &[&out, &7i32, &(s as i32)]),
                _ => kernel.run(&context, &range, &[&out, &7i32, &s]),
            };
            let made = a.iter().map(|&x| (0..7).fold(x, |x, k| x.wrapping_mul(s).wrapping_add(k)));
            assert_eq!(out.read(), stored(&made.collect::<Vec<i64>>()), "{scalar}{components}, again");
        }
    }
}

#[test]
fn windows_that_edges_cut_off() {
    let loops = "for (int j = max(y - R, 0); j <= min(y + R, h - 1); j++)
        for (int i = max(x - R, 0); i <= min(x + R, w - 1); i++)";
    let all = |at: &dyn Fn(i32, i32) -> i32| -> Vec<i32> {
        (-2..=2)
            .flat_map(|dy| (-2..=2).map(move |dx| (dx, dy)))
            .map(|(dx, dy)| at(dx, dy))
            .collect()
    };
    check_pixels(
        &format!("uchar m = 0; {loops} m = max(m, a[j * w + i]); out[y * w + x] = m;"),
        |at| all(at).into_iter().max().unwrap_or(0),
    );
    check_pixels(
        &format!(
            "int m = 255; int x1 = min(x + R + 1, w); for (int i = max(x - R, 0); i < x1; ++i) m = min(m, (int)a[y * w + i]); {loops} m = min(m, (int)a[j * w + i]); out[y * w + x] = m;"
        ),
        |at| all(at).into_iter().min().unwrap_or(0),
    );
    // How many, where and what: with another bound in each turn.
    let source = "kernel void k(global const int *a, global int *out, int w, int R) {
        int x = get_global_id(0), y = get_global_id(1), sum = 0, best = 0;
        for (int d = 0; d < 4; d++) {
            for (int i = max(x - R, d); i <= min(x + R, w - 1); i++) sum += a[y * w + i - d] * (i - x + 10) + 1;
            if (sum % 3 == 0) best = d;
        }
        out[y * w + x] = sum * 4 + best;
    }";
    let context = Context::new();
    let program = context.program(source, "");
    let kernel = program.kernel("k");
    for (width, local) in [(64, 64), (96, 32), (80, 16), (40, 8), (30, 10)] {
        for radius in [1, 3, 20] {
            let a: Vec<i32> = (0..width * 2).map(|i| i * 7 % 31).collect();
            let out = context.buffer(&vec![0i32; a.len()]);
            let range = Range::new([width as usize, 2]).local([local, 1]);
            kernel.run(&context, &range, &[&context.buffer(&a), &out, &width, &radius]);
            let expected = (0..width * 2).map(|at| {
                let (x, y) = (at % width, at / width);
                let (mut sum, mut best) = (0, 0);
                for d in 0..4 {
                    for i in (x - radius).max(d)..=(x + radius).min(width - 1) {
                        sum += a[(y * width + i - d) as usize] * (i - x + 10) + 1;
                    }
                    best = if sum % 3 == 0 { d } else { best };
                }
                sum * 4 + best
            });
            assert_eq!(
                out.read(),
                expected.collect::<Vec<i32>>(),
                "{radius} around each of {width} in groups of {local}"
            );
        }
    }
}

#[test]
fn pairs_in_places_of_their_own() {
    let context = Context::new();
    let source =
        "kernel void k(global const uint2 *table, global const float *pairs, global const uint *keys, global float4 *out, uint mask) {
        size_t g = get_global_id(0);
        uint key = keys[g], h = (key * 40503u) & mask, found = 0;
        for (uint i = 0; i <= mask; i++) {
            uint2 entry = table[h];
            if (entry.x == key) { found = entry.y; break; }
            if (entry.x == 0) break;
            h = (h + 1) & mask;
        }
        int at = (int)(key % 61);
        out[keys[g] % 128] = (float4)(found, pairs[at], pairs[at + 1], key);
    }";
    let program = context.program(source, "");
    let (slots, count) = (256usize, 128usize);
    let mut table = vec![0u32; slots * 2];
    let keys: Vec<u32> = (0..count as u32).map(|i| i * 5 % 128 + 128 * (i % 7 + 1)).collect();
    for &key in keys.iter().step_by(2) {
        let mut at = key.wrapping_mul(40503) as usize % slots;
        while table[at * 2] != 0 {
            at = (at + 1) % slots;
        }
        (table[at * 2], table[at * 2 + 1]) = (key, key / 3);
    }
    let pairs: Vec<f32> = (0..62).map(|i| i as f32 * 0.5).collect();
    let out = context.buffer(&vec![0f32; count * 4]);
    let range = Range::new([count]).local([64]);
    let arguments = (context.buffer(&table), context.buffer(&pairs), context.buffer(&keys));
    program.kernel("k").run(
        &context,
        &range,
        &[&arguments.0, &arguments.1, &arguments.2, &out, &(slots as u32 - 1)],
    );
    let mut expected = vec![0f32; count * 4];
    for (i, &key) in keys.iter().enumerate() {
        let found = if i % 2 == 0 { key / 3 } else { 0 };
        let at = (key % 61) as usize;
        let values = [found as f32, pairs[at], pairs[at + 1], key as f32];
        expected[key as usize % 128 * 4..][..4].copy_from_slice(&values);
    }
    assert_eq!(out.read(), expected);
}

/// Rows that are read beyond their ends: what is chosen there is another element, or the first one.
#[test]
fn rows_beyond_their_ends() {
    let context = Context::new();
    // Each gives the place that is read for `x`, of `w`.
    type Place = fn(i32, i32) -> i32;
    let borders: [(&str, Place); 6] = [
        ("x < 0 ? -x : x >= w ? 2 * w - 2 - x : x", |x, w| match x {
            x if x < 0 => -x,
            x if x >= w => 2 * w - 2 - x,
            x => x,
        }),
        ("x < 0 ? x + w : x > w - 1 ? x - w : x", |x, w| x.rem_euclid(w)),
        ("x >= 0 && x < w ? x : 0", |x, w| if (0..w).contains(&x) { x } else { 0 }),
        ("x < 0 || x > w - 1 ? 2 : x", |x, w| if (0..w).contains(&x) { x } else { 2 }),
        ("(uint)x < (uint)w ? x : w - 1", |x, w| if (0..w).contains(&x) { x } else { w - 1 }),
        ("abs(x) < (uint)w ? (int)abs(x) : 1", |x, w| if x.abs() < w { x.abs() } else { 1 }),
    ];
    for (number, (border, place)) in borders.into_iter().enumerate() {
        for element in ["float", "uchar"] {
            let source = format!(
                "int place(int x, int w) {{ return {border}; }}
                kernel void k(global const {element} *a, global float *out, int w) {{
                    int x = get_global_id(0), y = get_global_id(1);
                    float sum = 0;
                    for (int d = -3; d <= 3; d++)
                        sum += a[y * w + place(x + d, w)] * (d + 5);
                    out[y * w + x] = sum;
                }}"
            );
            let kernel = context.program(&source, "").kernel("k");
            for width in [5usize, 8, 31, 64, 100, 257] {
                let rows = 3;
                let data: Vec<u8> = (0..width * rows).map(|i| (i * 37 % 251) as u8).collect();
                let sum = |x: usize, y: usize| -> f32 {
                    (-3..=3)
                        .map(|d| f32::from(data[y * width + place(x as i32 + d, width as i32) as usize]) * (d + 5) as f32)
                        .sum()
                };
                let expected: Vec<f32> = (0..width * rows).map(|i| sum(i % width, i / width)).collect();
                let out = context.buffer(&vec![0f32; width * rows]);
                let range = Range::new([width, rows]);
                if element == "float" {
                    let floats: Vec<f32> = data.iter().copied().map(f32::from).collect();
                    kernel.run(&context, &range, &[&context.buffer(&floats), &out, &(width as i32)]);
                } else {
                    kernel.run(&context, &range, &[&context.buffer(&data), &out, &(width as i32)]);
                }
                assert_eq!(out.read(), expected, "border {number}, {width} of {element}");
            }
        }
    }
}

/// What is chosen within a ring may be in another round than what it is chosen for.
#[test]
fn rings_around_what_is_chosen() {
    let context = Context::new();
    // The first index is compared with signs, so that the second one's comparison is of another kind than the first's.
    type Place = fn(i32, i32) -> i32;
    let rings: [(&str, Place); 3] = [
        ("((uint)x < (uint)n ? x : 5) & 1023", |x, n| if x < n { x } else { 5 }),
        ("max((uint)x < (uint)n ? x : 5, 3) & 1023", |x, n| if x < n { x.max(3) } else { 5 }),
        ("min((uint)x, (uint)n) & 1023", |x, n| x.min(n)),
    ];
    for (ring, place) in rings {
        let source = format!(
            "kernel void k(global const float *a, global const float *b, global float *out, int w, int n) {{
                int x = get_global_id(0);
                out[x] = a[x < w ? x : w - 1] + b[{ring}];
            }}"
        );
        let kernel = context.program(&source, "").kernel("k");
        let (width, n) = (2048usize, 1037);
        let data: Vec<f32> = (0..width as i32).map(|i| (i * 37 % 251) as f32).collect();
        let expected: Vec<f32> = (0..width).map(|x| data[x] + data[(place(x as i32, n) & 1023) as usize]).collect();
        let (a, b, out) = (
            context.buffer(&data),
            context.buffer(&data[..1024]),
            context.buffer(&vec![0f32; width]),
        );
        kernel.run(&context, &Range::new([width]).local([64]), &[&a, &b, &out, &(width as i32), &n]);
        assert_eq!(out.read(), expected, "{ring}");
    }
}
