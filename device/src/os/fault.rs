//! A memory fault in a kernel's code ends the process, as any program's does; before it does, a line on stderr says which kernel it was, which
//! work-group, which address, and which object is nearest.
//!
//! The fault is a kernel's if the stack pointer is in a stack for kernel code: these are listed in a table that a signal handler can read
//! ([`Place`]), with what runs there ([`Scene`]). All other faults, and these too when they have been told of, go to the handler that was there
//! before ours: the application's, or the default. `BROLGA_QUIET=1` leaves signals alone.

use crate::abi::WorkerRecord;
use crate::launch::Launch;
use core::ffi::{c_int, c_void};
use core::fmt::Write as _;
use once_cell::race::OnceBox;
use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The application wants no words on stderr (`BROLGA_QUIET=1`).
pub fn quiet() -> bool {
    static QUIET: OnceBox<bool> = OnceBox::new();
    *QUIET.get_or_init(|| Box::new(std::env::var_os("BROLGA_QUIET").is_some_and(|value| value == "1")))
}

/// An object that an argument of a launch leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The argument's number.
    pub argument: u32,
    /// Its first byte.
    pub start: usize,
    /// Its size; 0 if nobody knows it.
    pub bytes: usize,
}

/// What a thread runs on its kernel stack.
pub(crate) struct Scene<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) worker: *const WorkerRecord,
    /// The work-groups that run: the first x, the end, y, z.
    pub(crate) groups: Cell<[u64; 4]>,
}

/// A stack for kernel code, and what runs there.
struct Place {
    low: AtomicUsize,
    high: AtomicUsize,
    scene: AtomicPtr<Scene<'static>>,
}

const PLACES: usize = 512;
static TABLE: [Place; PLACES] = [const {
    Place {
        low: AtomicUsize::new(0),
        high: AtomicUsize::new(0),
        scene: AtomicPtr::new(null_mut()),
    }
}; PLACES];

/// A stack's entry in the table, for as long as there is the stack. (Where the table is full, its faults are told of by nobody.)
#[derive(Debug)]
pub(crate) struct Entry(Option<usize>);

impl Entry {
    /// Enters a stack.
    pub(crate) fn new(low: usize, high: usize) -> Entry {
        let free = TABLE
            .iter()
            .position(|place| place.high.compare_exchange(0, high, Ordering::AcqRel, Ordering::Relaxed).is_ok());
        if let Some(free) = free {
            TABLE[free].low.store(low, Ordering::Release);
        }
        Entry(free)
    }

    /// Calls `run`, which runs `scene` on the stack.
    pub(crate) fn during<R>(&self, scene: &Scene, run: impl FnOnce() -> R) -> R {
        let Some(place) = self.0.map(|index| &TABLE[index]) else {
            return run();
        };
        prepare();
        // A handler reads it on this thread alone, and until it is taken away below.
        place.scene.store(std::ptr::from_ref(scene).cast_mut().cast(), Ordering::Release);
        let result = run();
        place.scene.store(null_mut(), Ordering::Release);
        result
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(place) = self.0.map(|index| &TABLE[index]) {
            // `high` last: then it is free.
            place.low.store(0, Ordering::Release);
            place.high.store(0, Ordering::Release);
        }
    }
}

/// Which fault is whose, and what the handlers were before.
const SIGNALS: [(c_int, &str); 2] = [(libc::SIGSEGV, "SIGSEGV"), (libc::SIGBUS, "SIGBUS")];
static BEFORE: [OnceBox<libc::sigaction>; 2] = [const { OnceBox::new() }; 2];

/// Sees to it that this process has the handler, and this thread a stack for it.
fn prepare() {
    std::thread_local! {
        static READY: Cell<bool> = const { Cell::new(false) };
    }
    if READY.replace(true) || quiet() {
        return;
    }
    alternate::provide();
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    // Only when the handlers are there: a thread that finds none yet installs them, too, before it runs a kernel that may fault.
    if INSTALLED.load(Ordering::Acquire) {
        return;
    }
    for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
        // SAFETY: valid places; the handler is a function of the type that SA_SIGINFO asks for, and this library is never unloaded.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(*signal, null(), &mut old) != 0 {
                continue;
            }
            let ours = handle as *const () as usize;
            if old.sa_sigaction == ours {
                continue;
            }
            let mut new = old;
            new.sa_sigaction = ours;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | (old.sa_flags & libc::SA_NODEFER);
            let _ = before.set(Box::new(old));
            libc::sigaction(*signal, &new, null_mut());
        }
    }
    INSTALLED.store(true, Ordering::Release);
}

/// A thread's stack for signal handlers, unless it has one: a fault can be that the kernel's stack is at its end.
mod alternate {
    use super::null_mut;
    use crate::os::pages::Pages;
    use std::cell::RefCell;

    const BYTES: usize = 64 << 10;

    struct Own(Pages);

    impl Drop for Own {
        fn drop(&mut self) {
            // SAFETY: valid places. The thread is ending; its handlers' stack is taken away only if it still is ours.
            unsafe {
                let mut now: libc::stack_t = std::mem::zeroed();
                if libc::sigaltstack(std::ptr::null(), &mut now) == 0 && now.ss_sp == self.0.base().cast() {
                    now.ss_flags = libc::SS_DISABLE;
                    libc::sigaltstack(&now, null_mut());
                }
            }
        }
    }

    std::thread_local! {
        static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
    }

    pub(super) fn provide() {
        // SAFETY: valid places; the pages live until the thread ends, or until nobody uses them any more.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(std::ptr::null(), &mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
                return;
            }
            let Some(pages) = Pages::map(BYTES, 1) else { return };
            let new = libc::stack_t {
                ss_sp: pages.base().cast(),
                ss_flags: 0,
                ss_size: pages.bytes(),
            };
            let own = Own(pages);
            // A thread that is ending has no place for it.
            let kept = OWN.try_with(|place| place.replace(Some(own))).is_ok();
            if kept {
                libc::sigaltstack(&new, null_mut());
            }
        }
    }
}

/// The stack pointer where a signal came.
fn stack_pointer(context: *const c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the system gives a handler a valid context.
    return unsafe { (*context).uc_mcontext.gregs[libc::REG_RSP as usize] as usize };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    return unsafe { (*context).uc_mcontext.sp as usize };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = context;
        0
    }
}

unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: errno is the thread's own.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the system gives a valid record. A fault of the processor's has a positive code; what a process sends has none.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    if code > 0 {
        let stack = stack_pointer(context);
        let here = TABLE.iter().find(|place| {
            let (low, high) = (place.low.load(Ordering::Acquire), place.high.load(Ordering::Acquire));
            low != 0 && (low..=high).contains(&stack)
        });
        let scene = here.map_or(null_mut(), |place| place.scene.load(Ordering::Acquire));
        // SAFETY: null, or what this thread runs right now.
        if let Some(scene) = unsafe { scene.as_ref() } {
            static TOLD: AtomicBool = AtomicBool::new(false);
            if !TOLD.swap(true, Ordering::AcqRel) {
                tell(scene, signal, code, address);
            }
        }
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    // SAFETY: what the system gave us.
    unsafe { pass_on(signal, code, info, context) }
}

/// # Safety
/// With a handler's own arguments.
unsafe fn pass_on(signal: c_int, code: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|(number, _)| *number == signal);
    let before = index.and_then(|index| BEFORE[index].get());
    // SAFETY: the record of the handler before ours says of which type it is; it gets what the system would have given it.
    unsafe {
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        match before.map_or(libc::SIG_DFL, |before| before.sa_sigaction) {
            // A signal that a process sent, and that is ignored.
            libc::SIG_IGN if code <= 0 => {}
            // The faulting instruction runs again, without a handler; what a process sent is sent again.
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::sigaction(signal, &default, null_mut());
                if code <= 0 {
                    libc::raise(signal);
                }
            }
            function => {
                let flags = before.map_or(0, |before| before.sa_flags);
                if flags & libc::SA_RESETHAND != 0 {
                    libc::sigaction(signal, &default, null_mut());
                }
                if flags & libc::SA_SIGINFO != 0 {
                    let function: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = std::mem::transmute(function);
                    function(signal, info, context);
                } else {
                    let function: unsafe extern "C" fn(c_int) = std::mem::transmute(function);
                    function(signal);
                }
            }
        }
    }
}

/// Text on the stack: nothing is allocated in a handler.
struct Line {
    bytes: [u8; 768],
    length: usize,
}

impl core::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.bytes.len() - self.length;
        let taken = text.len().min(room);
        self.bytes[self.length..self.length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

/// The code of a fault that has no address (a general protection fault: an address that no process can have).
const SI_KERNEL: c_int = 0x80;

fn tell(scene: &Scene, signal: c_int, code: c_int, address: usize) {
    let mut line = Line {
        bytes: [0; 768],
        length: 0,
    };
    let name = SIGNALS
        .iter()
        .find(|(number, _)| *number == signal)
        .map_or("a signal", |(_, name)| name);
    let known = code != SI_KERNEL;
    let _ = describe(&mut line, scene, name, known.then_some(address));
    // SAFETY: as many bytes.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.length) };
}

fn describe(line: &mut Line, scene: &Scene, signal: &str, address: Option<usize>) -> core::fmt::Result {
    let Launch { name, objects, .. } = scene.launch;
    write!(line, "brolga: kernel '{}' ", name.as_deref().unwrap_or("?"))?;
    match address {
        Some(address) => write!(line, "accessed address {address:#x}, which is not its to access ({signal}), ")?,
        None => write!(line, "accessed an address that no process can have ({signal}), ")?,
    }
    let [first, end, y, z] = scene.groups.get();
    let [[x, y, z], last] = [first, end - 1].map(|x| scene.launch.to_kernel([x, y, z]));
    if end - first == 1 {
        write!(line, "in work-group ({x}, {y}, {z})")?;
    } else {
        write!(
            line,
            "in one of the work-groups ({x}, {y}, {z}) to ({}, {}, {})",
            last[0], last[1], last[2]
        )?;
    }
    let Some(address) = address else { return writeln!(line) };
    let distance = |object: &&Object| match address {
        _ if address < object.start => object.start - address,
        _ => address.saturating_sub(object.start + object.bytes.max(1) - 1),
    };
    if let Some(nearest) = objects.iter().min_by_key(distance) {
        let Object { argument, start, bytes } = *nearest;
        write!(line, "; nearest is what argument {argument} points to, ")?;
        if bytes == 0 {
            write!(line, "{start:#x}")?;
        } else {
            write!(line, "{bytes} bytes at {start:#x}")?;
        }
        match address {
            _ if address < start => write!(line, ": {} bytes before its begin", start - address)?,
            _ if bytes != 0 && address >= start + bytes => write!(line, ": {} bytes behind its end", address - (start + bytes))?,
            _ => write!(line, ": {} bytes from its begin", address - start)?,
        }
    }
    // SAFETY: the worker of the thread that this is, which is in the middle of its work-group.
    let worker = unsafe { &*scene.worker };
    let arena = worker.local_memory as usize..worker.arena_end as usize;
    if arena.contains(&address) {
        write!(line, "; it is local or private memory of the work-group")?;
    }
    writeln!(line)
}
