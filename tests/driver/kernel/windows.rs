//! Loops over windows that the ends of an array cut off: lanes near an end have fewer iterations, and read nothing beyond.

use brolga_tests::{Context, Range};
use std::ptr::null_mut;

/// A page between two that nobody may access.
struct Guarded(*mut u8);

const PAGE: usize = 1 << 16;

impl Guarded {
    fn new() -> Guarded {
        // SAFETY: a new mapping; only its middle is made accessible.
        unsafe {
            let start = libc::mmap(
                null_mut(),
                3 * PAGE,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start.byte_add(PAGE), PAGE, libc::PROT_READ | libc::PROT_WRITE), 0);
            Guarded(start.cast())
        }
    }

    /// The page begins, or ends, with these bytes; says where they begin.
    fn place(&self, bytes: &[u8], at_end: bool) -> u64 {
        // SAFETY: they fit into the page.
        unsafe {
            let to = self.0.add(PAGE + if at_end { PAGE - bytes.len() } else { 0 });
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            to as u64
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the whole of the mapping.
        unsafe { libc::munmap(self.0.cast(), 3 * PAGE) };
    }
}

/// What counts, from where on, while what holds; and the same by a formula, the end not included.
type Window = (&'static str, &'static str, &'static str, fn(i64, i64) -> (i64, i64));

const WINDOWS: &[Window] = &[
    ("int", "max(x, 2) - 2", "i < min(x + 3, n)", |x, n| ((x - 2).max(0), (x + 3).min(n))),
    ("int", "max(x - 2, 0)", "i <= min(x + 2, n - 1)", |x, n| {
        ((x - 2).max(0), (x + 3).min(n))
    }),
    ("int", "max(x - r, 0)", "i <= min(x + r, n - 1)", |x, n| {
        ((x - 2).max(0), (x + 3).min(n))
    }),
    ("size_t", "max(x, (size_t)2) - 2", "i < min(x + 3, (size_t)n)", |x, n| {
        ((x - 2).max(0), (x + 3).min(n))
    }),
    ("long", "max(x - 2, 0L)", "i < min(x + 3, (long)n)", |x, n| {
        ((x - 2).max(0), (x + 3).min(n))
    }),
    ("uint", "max(x, 2u) - 2", "i < min(x + 3, (uint)n)", |x, n| {
        ((x - 2).max(0), (x + 3).min(n))
    }),
    ("int", "max(x - 3, 0)", "i < x", |x, _| ((x - 3).max(0), x)),
    ("int", "x + 1", "i < min(x + 5, n)", |x, n| (x + 1, (x + 5).min(n))),
    // From the other end, and every other one.
    ("int", "max(n - 1 - x - 2, 0)", "i < min(n - x + 1, n)", |x, n| {
        ((n - x - 3).max(0), (n - x + 1).min(n))
    }),
    ("int", "max(2 * x - n / 2, 0)", "i < min(2 * x - n / 2 + 3, n)", |x, n| {
        ((2 * x - n / 2).max(0), (2 * x - n / 2 + 3).min(n))
    }),
    // What is cut off is on the other side of the window.
    ("int", "min(x, n / 2)", "i < min(x + 3, n)", |x, n| (x.min(n / 2), (x + 3).min(n))),
    ("int", "max(x - 2, 0)", "i < min(max(x + 2, 7), n)", |x, n| {
        ((x - 2).max(0), (x + 2).max(7).min(n))
    }),
    // Below 0 there are large numbers.
    ("size_t", "max(x, (size_t)2) - 2", "i < min(x - 1, (size_t)n)", |x, n| {
        ((x - 2).max(0), if x == 0 { n } else { (x - 1).min(n) })
    }),
];

/// A type, how the numbers of a window are taken together, and the same of a result, a place and the number there.
type Body = (&'static str, &'static str, fn(i64, i64, i64) -> i64);

const BODIES: &[Body] = &[
    ("uchar", "s = max(s, (int)a[i]);", |s, _, a| s.max(a)),
    ("int", "s = s * 3 + a[i];", |s, _, a| {
        i64::from((s as i32).wrapping_mul(3).wrapping_add(a as i32))
    }),
    ("float", "if (a[i] > 100) s = (int)(s ^ (int)a[i]) + (int)i;", |s, i, a| {
        if a > 100 { (s ^ a) + i } else { s }
    }),
];

#[test]
fn ends_of_arrays() {
    let context = Context::new();
    let page = Guarded::new();
    for &(counter, start, condition, ends) in WINDOWS {
        for &(ty, body, reference) in BODIES {
            let source = format!(
                "kernel void k(ulong p, global int *out, int n, int r) {{
                    global const {ty} *a = (global const {ty} *)p;
                    {counter} x = get_global_id(0);
                    int s = 0;
                    for ({counter} i = {start}; {condition}; i++) {{ {body} }}
                    out[x] = s;
                }}"
            );
            let program = context.program(&source, "");
            let kernel = program.kernel("k");
            for n in [1usize, 5, 40, 64, 200] {
                let data: Vec<i64> = (0..n as i64).map(|i| (i * 37 + 11) % 251).collect();
                let bytes: Vec<u8> = match ty {
                    "uchar" => data.iter().map(|&value| value as u8).collect(),
                    "int" => data.iter().flat_map(|&value| (value as i32).to_le_bytes()).collect(),
                    _ => data.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
                };
                let expected: Vec<i32> = (0..n as i64)
                    .map(|x| {
                        let (from, until) = ends(x, n as i64);
                        (from..until).fold(0, |s, i| reference(s, i, data[i as usize])) as i32
                    })
                    .collect();
                for at_end in [false, true] {
                    let p = page.place(&bytes, at_end);
                    let out = context.buffer(&vec![0i32; n]);
                    kernel.run(&context, &Range::new([n]), &[&p, &out, &(n as i32), &2i32]);
                    assert_eq!(out.read(), expected, "{ty} {counter} {start} {condition}, {n} numbers");
                }
            }
        }
    }
}

/// A window of two dimensions, of which both are cut off; a loop that has one iteration at least; and one that is left early.
#[test]
fn edges_of_pictures() {
    let context = Context::new();
    let source = "
        kernel void most(global const uchar *a, global int *out, int w, int h) {
            int x = get_global_id(0), y = get_global_id(1), s = 0, at = 0;
            for (int j = max(y, 2) - 2; j < min(y + 3, h); j++)
                for (int i = max(x, 2) - 2; i < min(x + 3, w); i++)
                    if (a[j * w + i] > s) { s = a[j * w + i]; at = j * w + i; }
            out[y * w + x] = s + at * 256;
        }
        kernel void once(global const uchar *a, global int *out, int w, int h) {
            int x = get_global_id(0), y = get_global_id(1), s = 0, i = max(x - 9, 0);
            do s += a[y * w + i++]; while (i < min(x - 5, w));
            out[y * w + x] = s;
        }
        kernel void early(global const uchar *a, global int *out, int w, int h) {
            int x = get_global_id(0), y = get_global_id(1), s = 0;
            for (int i = max(x, 2) - 2; i < min(x + 3, w); i++) {
                if (a[y * w + i] > 200) break;
                s += a[y * w + i];
            }
            out[y * w + x] = s;
        }";
    let program = context.program(source, "");
    for [w, h] in [[37i32, 9], [64, 4], [3, 3], [130, 2]] {
        let data: Vec<u8> = (0..w * h).map(|i| (i * 73 % 251) as u8).collect();
        let at = |x: i32, y: i32| i32::from(data[(y * w + x) as usize]);
        let pixel = |name: &str, x: i32, y: i32| match name {
            "most" => {
                let (mut most, mut place) = (0, 0);
                for (j, i) in ((y - 2).max(0)..(y + 3).min(h)).flat_map(|j| ((x - 2).max(0)..(x + 3).min(w)).map(move |i| (j, i))) {
                    if at(i, j) > most {
                        (most, place) = (at(i, j), j * w + i);
                    }
                }
                most + place * 256
            }
            "once" => {
                let start = (x - 9).max(0);
                (start..(x - 5).min(w).max(start + 1)).map(|i| at(i, y)).sum()
            }
            _ => ((x - 2).max(0)..(x + 3).min(w))
                .map(|i| at(i, y))
                .take_while(|&value| value <= 200)
                .sum(),
        };
        for name in ["most", "once", "early"] {
            let kernel = program.kernel(name);
            let (a, out) = (context.buffer(&data), context.buffer(&vec![0i32; data.len()]));
            kernel.run(&context, &Range::new([w as usize, h as usize]), &[&a, &out, &w, &h]);
            let expected: Vec<i32> = (0..w * h).map(|i| pixel(name, i % w, i / w)).collect();
            assert_eq!(out.read(), expected, "{name} {w} {h}");
        }
    }
}
