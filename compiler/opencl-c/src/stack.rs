//! Room for recursion.

/// A stack to compile on.
struct Stack {
    /// Its size.
    bytes: usize,
    /// Which part of [`STACKS`]' first it is, and how deep programs may nest there: half as deep is 2.
    part: u32,
}

/// The first is enough for the deepest nesting that the parser lets through, in its frames and those of emission. The others are for
/// processes whose address space is limited (`ulimit -v`).
const STACKS: [Stack; 3] = [
    Stack { bytes: 64 << 20, part: 1 },
    Stack { bytes: 16 << 20, part: 4 },
    Stack { bytes: 4 << 20, part: 16 },
];

/// What has to be left for the heap beside a stack, in bytes: an allocation that fails ends the process.
const HEAP: usize = 40 << 20;

/// Runs something on a stack of its own: the caller's may be small, and nested programs need much. Only what is touched becomes memory.
/// What is run is told which part of the usual room it has. `None` if there is no memory for any stack.
pub fn with_room<T: Send>(run: impl Fn(u32) -> T + Sync) -> Option<T> {
    let run = &run;
    STACKS.iter().find_map(|stack| {
        let mut heap = Vec::<u8>::new();
        heap.try_reserve_exact(HEAP).ok()?;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .name("opencl-c".to_string())
                .stack_size(stack.bytes)
                .spawn_scoped(scope, move || {
                    drop(heap);
                    run(stack.part)
                });
            match thread.ok()?.join() {
                Ok(value) => Some(value),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    })
}
