//! Room for recursion.

/// Enough for the deepest nesting that the parser lets through, in its frames and those of emission.
const BYTES: usize = 64 << 20;

/// Runs something on a stack of its own: the caller's may be small, and nested programs need much. Only what is touched becomes memory.
pub fn with_room<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("opencl-c".to_string())
            .stack_size(BYTES)
            .spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // There are no threads to be had, as there is no memory: a build that fails.
            Err(error) => panic!("no thread to compile on: {error}"),
        }
    })
}
