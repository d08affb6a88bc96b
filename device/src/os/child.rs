//! Running a program (a compiler) as a child process from inside somebody else's process.
//!
//! The host may ignore SIGCHLD, reap every child that it finds, have hundreds of descriptors open, be threaded and be large; and it must not
//! notice that a child came and went. So:
//! - Input and outputs are anonymous files in memory, not pipes: nothing has to be fed or drained meanwhile, and nobody can deadlock.
//! - A *keeper*, which is a child that shares our memory (no page tables are copied) and announces its end by no signal, starts the compiler
//!   and waits for it. The compiler is the keeper's child and not the host's: a `waitpid(-1)` of the host does not see it, and the host's
//!   SIGCHLD handler is never called.
//! - The keeper has its own table of descriptors, signal handlers and working directory. It closes all descriptors but three and sets
//!   signals to their defaults before it starts the compiler.

use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

/// What a child left behind.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// Runs `program`, an absolute path, to its end: with these arguments, environment and standard input, in that directory or where the host stands.
/// The calling thread sleeps; other threads go on.
pub fn run(
    program: &Path,
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
    input: &[u8],
    directory: Option<&Path>,
) -> io::Result<Output> {
    let mut stdin = memory_file(c"brolga-stdin")?;
    stdin.write_all(input)?;
    stdin.rewind()?;
    let mut stdout = memory_file(c"brolga-stdout")?;
    let mut stderr = memory_file(c"brolga-stderr")?;

    let c_string =
        |text: &OsStr| CString::new(text.as_bytes()).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a NUL in an argument"));
    let program = c_string(program.as_os_str())?;
    let arguments: Vec<CString> = arguments.iter().map(|argument| c_string(argument)).collect::<Result<_, _>>()?;
    let directory = directory.map(|directory| c_string(directory.as_os_str())).transpose()?;
    let pair = |(name, value): &(OsString, OsString)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok();
    let environment: Vec<CString> = environment.iter().filter_map(pair).collect();
    let pointers = |strings: &[CString]| -> Vec<*mut c_char> {
        let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
        pointers.chain([std::ptr::null_mut()]).collect()
    };
    let verdict = Verdict::new()?;
    let mut order = Order {
        program: program.as_ptr(),
        argv: std::iter::once(program.as_ptr().cast_mut()).chain(pointers(&arguments)).collect(),
        environment: pointers(&environment),
        directory: directory.as_ref().map_or(std::ptr::null(), |directory| directory.as_ptr()),
        files: [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()],
        verdict: &verdict,
    };
    start_keeper(&mut order)?;
    let status = verdict.get().map_err(io::Error::from_raw_os_error)?;
    let contents = |file: &mut File| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Output {
        end: match libc::WIFSIGNALED(status) {
            true => End::Signal(libc::WTERMSIG(status)),
            false => End::Exit(libc::WEXITSTATUS(status)),
        },
        stdout: contents(&mut stdout)?,
        stderr: contents(&mut stderr)?,
    })
}

fn memory_file(name: &std::ffi::CStr) -> io::Result<File> {
    // SAFETY: the name is a C string; the result is checked.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nobody else owns.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// What the keeper is to do, and what it found out.
struct Order<'a> {
    program: *const c_char,
    argv: Vec<*mut c_char>,
    environment: Vec<*mut c_char>,
    /// Where the compiler is to stand; null for where the host stands.
    directory: *const c_char,
    files: [c_int; 3],
    verdict: &'a Verdict,
}

/// What the keeper found out: the compiler's wait status, or the `errno` of what failed. In memory that is shared even with a keeper whose
/// own memory is a copy of ours, as it is where somebody makes a fork of what should have been `CLONE_VM` (valgrind, qemu, gVisor).
struct Verdict(NonNull<Result<c_int, c_int>>);

impl Verdict {
    /// A keeper that never came to a verdict had not what it needs.
    fn new() -> io::Result<Verdict> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Result<c_int, c_int>>(), access, kind, -1, 0) };
        match NonNull::new(page.cast()) {
            Some(page) if page.as_ptr() as *mut c_void != libc::MAP_FAILED => {
                let verdict = Verdict(page);
                verdict.set(Err(libc::EAGAIN));
                Ok(verdict)
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn set(&self, status: Result<c_int, c_int>) {
        // SAFETY: the mapping lives as long as `self`; the host reads it when the keeper has ended.
        unsafe { self.0.as_ptr().write(status) }
    }

    fn get(&self) -> Result<c_int, c_int> {
        // SAFETY: as above.
        unsafe { self.0.as_ptr().read() }
    }
}

impl Drop for Verdict {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody has it any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Result<c_int, c_int>>()) };
    }
}

/// The keeper's stack: it calls a handful of functions of libc, one of which puts arrays on the stack.
const STACK_BYTES: usize = 256 << 10;

fn start_keeper(order: &mut Order<'_>) -> io::Result<()> {
    let mut stack: Vec<u128> = Vec::with_capacity(STACK_BYTES / size_of::<u128>());
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    // SAFETY: the signal sets are plain data, initialised by sigfillset and by the call that reads the old mask. The stack is our own,
    // ends at a 16-byte boundary, and outlives the keeper, since CLONE_VFORK suspends this thread until the keeper has ended. For the same
    // reason `order` and this thread's thread-local data are the keeper's alone. Signals stay blocked, so that no handler of the host runs in the keeper.
    unsafe {
        let top = stack.as_mut_ptr().add(stack.capacity()).cast::<c_void>();
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let order = std::ptr::from_mut(order).cast();
        let mut keeper = libc::clone(keep, top, flags, order);
        if keeper < 0 && *libc::__errno_location() == libc::EINVAL {
            // qemu's user mode, in which containers for other processors run, has no child that ends without a signal.
            keeper = libc::clone(keep, top, flags | libc::SIGCHLD, order);
        }
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        if keeper < 0 {
            return Err(error);
        }
        // A child without a signal is seen by nobody who does not ask for it (__WALL); it has ended already, but where it is a fork.
        while libc::waitpid(keeper, std::ptr::null_mut(), libc::__WALL) < 0 && *libc::__errno_location() == libc::EINTR {}
    }
    Ok(())
}

/// The keeper: starts the compiler and waits for it.
extern "C" fn keep(order: *mut c_void) -> c_int {
    // SAFETY: start_keeper passes a pointer to an Order that outlives this function.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    order.verdict.set(start_and_wait(order));
    0
}

/// Everything here runs in the keeper: system calls and what libc says can be called between fork and exec, nothing that allocates.
fn start_and_wait(order: &Order<'_>) -> Result<c_int, c_int> {
    // SAFETY: plain calls with valid pointers; each result is checked.
    unsafe {
        let failed = || *libc::__errno_location();
        // The children of the keeper must stay to be waited for, whatever the host chose.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        if !order.directory.is_null() && libc::chdir(order.directory) < 0 {
            return Err(failed());
        }
        // First out of the way of 0, 1 and 2 (the host may have closed its own), then into place.
        let mut files = order.files;
        for file in &mut files {
            *file = libc::fcntl(*file, libc::F_DUPFD, 3);
            if *file < 0 {
                return Err(failed());
            }
        }
        for (place, file) in files.into_iter().enumerate() {
            if libc::dup2(file, place as c_int) < 0 {
                return Err(failed());
            }
        }
        close_from(3);

        let mut attributes: libc::posix_spawnattr_t = std::mem::zeroed();
        let mut none: libc::sigset_t = std::mem::zeroed();
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigfillset(&mut all);
        libc::posix_spawnattr_init(&mut attributes);
        libc::posix_spawnattr_setsigmask(&mut attributes, &none);
        libc::posix_spawnattr_setsigdefault(&mut attributes, &all);
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        libc::posix_spawnattr_setflags(&mut attributes, flags as libc::c_short);
        let mut child = 0;
        let error = libc::posix_spawn(
            &mut child,
            order.program,
            std::ptr::null(),
            &attributes,
            order.argv.as_ptr(),
            order.environment.as_ptr(),
        );
        libc::posix_spawnattr_destroy(&mut attributes);
        if error != 0 {
            return Err(error);
        }
        let mut status = 0;
        while libc::waitpid(child, &mut status, 0) < 0 {
            if failed() != libc::EINTR {
                return Err(failed());
            }
        }
        Ok(status)
    }
}

/// Closes every descriptor from `first` on, in the keeper's own table.
///
/// # Safety
/// The caller must not need them.
unsafe fn close_from(first: c_int) {
    // SAFETY: system calls on numbers.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first as libc::c_uint, c_int::MAX as libc::c_uint, 0) == 0 {
            return;
        }
        // Linux before 5.9. A limit beyond reason is not worth a million calls.
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        for descriptor in first..limit.rlim_cur.min(65536) as c_int {
            libc::close(descriptor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8]) -> Output {
        run(Path::new("/bin/sh"), &["-c".into(), script.into()], &[], input, None).unwrap()
    }

    #[test]
    fn input_and_outputs() {
        let big: Vec<u8> = (0..3_000_000u32).map(|i| i as u8).collect();
        let output = shell("cat; echo oops >&2; exit 7", &big);
        assert_eq!(output.end, End::Exit(7));
        assert!(output.stdout == big);
        assert_eq!(output.stderr, b"oops\n");
    }

    #[test]
    fn the_environment_is_what_is_given() {
        let given = [("A".into(), "b c".into())];
        let script = "echo \"$A\"; echo \"${HOME-none}\"";
        let output = run(Path::new("/bin/sh"), &["-c".into(), script.into()], &given, b"", None).unwrap();
        assert_eq!(output.stdout, b"b c\nnone\n");
    }

    #[test]
    fn a_signal_is_told() {
        assert_eq!(shell("kill -SEGV $$", b"").end, End::Signal(libc::SIGSEGV));
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        let error = run(Path::new("/nonexistent"), &[], &[], b"", None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = run(Path::new("/bin/sh"), &[], &[], b"", Some(Path::new("/nonexistent"))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn descriptors_and_directory() {
        let directory = std::env::temp_dir().canonicalize().unwrap();
        // SAFETY: a descriptor of no importance, inherited by children that do not take care.
        let leaked = unsafe { libc::fcntl(2, libc::F_DUPFD, 100) };
        let script = format!("pwd; [ -e /proc/self/fd/{leaked} ] && echo open || echo closed");
        let output = run(Path::new("/bin/sh"), &["-c".into(), script.into()], &[], b"", Some(&directory)).unwrap();
        // SAFETY: opened above.
        unsafe { libc::close(leaked) };
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().next().map(Path::new), Some(directory.as_path()));
        assert_eq!(text.lines().nth(1), Some("closed"));
    }

    #[test]
    fn a_host_that_ignores_its_children() {
        // In a process of its own: dispositions of signals are the whole process's.
        // SAFETY: the child calls only what may be called after fork, and the code under test, which allocates; no other thread holds
        // the allocator's lock in a way that glibc does not repair in a forked child.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
                let ended = run(Path::new("/bin/sh"), &["-c".into(), "exit 5".into()], &[], b"", None);
                let right = matches!(ended, Ok(Output { end: End::Exit(5), .. }));
                let nobody = libc::waitpid(-1, std::ptr::null_mut(), 0) < 0 && *libc::__errno_location() == libc::ECHILD;
                libc::_exit(if right && nobody { 0 } else { 1 });
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            assert_eq!(status, 0);
        }
    }
}
