//! What a whole compilation allocates, from OpenCL C to machine code, grows little more than linearly with the program.
//!
//! Bytes are counted, not time: they are the same on a machine that does something else, too.

use compiler::source::{Features, Making, Options, SourceRequest, Step, compile_file};
use compiler::{BuildOptions, Checks, LaunchFacts, Module};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts bytes.
struct Counting;

/// An allocation of so many bytes is the front end's stack, which is as large for each program.
const STACK: usize = 16 << 20;

/// Allocated so far, by all threads.
static ALL: AtomicUsize = AtomicUsize::new(0);
/// Allocated now.
static NOW: AtomicUsize = AtomicUsize::new(0);
/// The most that were.
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < STACK {
            ALL.fetch_add(layout.size(), Relaxed);
            MOST.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if layout.size() < STACK {
            NOW.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A nest of loops whose innermost has `inside` of all their variables.
fn nest(loops: usize, inside: &str, between: fn(usize) -> String) -> String {
    let mut text = "kernel void k(global int *a, int n) { int g = get_global_id(0), s = a[g];\n".to_owned();
    for i in 0..loops {
        let _ = writeln!(text, "for (int i{i} = 0; i{i} < n; i{i}++) {{ {}", between(i));
    }
    let all: String = (0..loops).map(|i| format!(" + i{i}")).collect();
    let _ = writeln!(text, "{}{} a[g] = s; }}", inside.replace("ALL", &all), "}".repeat(loops));
    text
}

fn many(statements: usize, statement: fn(usize) -> String) -> String {
    let all: String = (0..statements).map(statement).collect();
    format!("kernel void k(global int *a, global int *b, int n) {{ int g = get_global_id(0), s = a[g];\n{all} a[g] = s; }}")
}

/// Twice the program may take so many times twice the bytes: tables grow by doubling, and nests have loops in loops.
const GROWTH: f64 = 1.25;

/// A kind of program: a name, two sizes, and the program of a size.
type Kind = (&'static str, [usize; 2], fn(usize) -> String);

const KINDS: [Kind; 12] = [
    ("nest", [12, 24], |n| nest(n, "s++;", |_| String::new())),
    ("nest with an index of all", [12, 24], |n| {
        nest(n, "s += a[g ALL];", |_| String::new())
    }),
    ("nest with an access a loop", [12, 24], |n| {
        nest(n, "s++;", |i| format!("s += a[i{i} * n + g];"))
    }),
    ("nest of size_t", [12, 24], |n| {
        nest(n, "s += a[g ALL];", |_| String::new())
            .replace("(int i", "(size_t i")
            .replace("int g =", "size_t g =")
            .replace(", s = a[g]", "; int s = a[g]")
            .replace("int n)", "ulong n)")
    }),
    ("nest of stores", [12, 24], |n| {
        nest(n, "a[g ALL] = s;", |i| format!("a[i{i} * n + g] += s;"))
    }),
    ("straight", [400, 800], |n| {
        many(n, |i| format!("s = s * {} ^ (s >> {});\n", 2 * i + 3, i % 7 + 1))
    }),
    ("ifs", [100, 200], |n| {
        many(n, |i| format!("if (s > {i}) s = s * {} + n;\n", 2 * i + 3))
    }),
    ("loads and stores", [200, 400], |n| {
        many(n, |i| format!("b[g + {}] = a[g + {i}] + {i};\n", i * 7 % 1001))
    }),
    // (Of fewer, gangs are longer: other code, not less of the same.)
    ("accesses behind ifs", [200, 400], |n| {
        many(n, |i| format!("if (s > {i}) b[g + {i}] = a[g + {i}] + s;\n"))
    }),
    ("values across ifs", [100, 200], |n| {
        let all: String = (0..n).map(|i| format!("b[g + {i}] = v{i};")).collect();
        many(n, |i| format!("int v{i} = a[g + {i}]; if (v{i} > n) b[v{i}] = s;\n")).replace(" a[g] = s; }", &format!("{all} }}"))
    }),
    ("ifs in each other", [40, 80], |n| {
        let all = many(n, |i| format!("if (a[g + {i}] > s) {{ s += a[s];\n"));
        all.replace(" a[g] = s; }", &format!("{} a[g] = s; }}", "}".repeat(n)))
    }),
    ("an array of one's own", [100, 200], |n| {
        many(n, |i| format!("if (s > {i}) own[s & 15] = n / s; s += own[{}];\n", i % 16)).replace("int g", "int own[16]; int g")
    }),
];

/// Bytes that a step allocated, and the most that there were at once.
fn counted<T>(step: impl FnOnce() -> T) -> (T, [usize; 2]) {
    let (all, now) = (ALL.load(Relaxed), NOW.load(Relaxed));
    MOST.store(now, Relaxed);
    let result = step();
    (result, [ALL.load(Relaxed) - all, MOST.load(Relaxed) - now])
}

/// Of the front end, of the program, of the machine code.
fn compile(text: &str, checks: Checks) -> [[usize; 2]; 3] {
    let options = Options::parse("", Step::Build).expect("options");
    let request = SourceRequest {
        source: text.as_bytes(),
        headers: &[],
        options: &options,
        features: Features::default(),
    };
    let (output, front) = counted(|| compile_file(&request, "growth.cl", Making::Module));
    let Some(opencl_c::Product::Spirv(words)) = output.product else {
        panic!("{}", output.log)
    };
    let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (program, middle) = counted(|| {
        let module = Module::from_il(&il, &[]).expect("it is valid");
        let options = BuildOptions {
            checks,
            ..BuildOptions::default()
        };
        compiler::link(&[module], &options).expect("a program")
    });
    let facts = LaunchFacts {
        work_dim: 1,
        ..LaunchFacts::usual([64, 1, 1])
    };
    let (_variant, code) = counted(|| program.kernels[0].variant(&facts).expect("it is compiled"));
    [front, middle, code]
}

#[test]
fn allocations_grow_with_the_program() {
    // Its own notes are not the compiler's.
    compiler::codegen::CHECKS_ALLOCATION.store(false, Relaxed);
    // What is made once.
    compile(&KINDS[0].2(2), Checks::usual());
    for (name, [small, large], text) in KINDS {
        for checks in [Checks::empty(), Checks::usual()] {
            let (few, many) = (compile(&text(small), checks), compile(&text(large), checks));
            for (part, (few, many)) in ["front end", "program", "code"].iter().zip(few.iter().zip(many)) {
                for (what, few, many) in [("in all", few[0], many[0]), ("at once", few[1], many[1])] {
                    let linear = large as f64 / small as f64;
                    let growth = many as f64 / few as f64 / linear;
                    let checked = if checks.is_empty() { "" } else { "checked" };
                    println!("{name:30} {checked:8} {part:10} {what:8} {few:10} {many:10} {growth:5.2}");
                    assert!(
                        growth <= GROWTH,
                        "{name} {checked}, {part}, bytes {what}: {few} for {small}, {many} for {large}, {growth:.2} times as many as linear"
                    );
                }
            }
        }
    }
}
