//! Checked mode as users meet it: `BROLGA_CHECK` and the variables beside it, and what is told of a launch whose checks failed.

use crate::cl::*;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::program::Program;
use ::device::findings::Finding;
use ::device::fork::PerProcess;
use ::device::launch::Launch;
use ::device::live;
use ::device::lock::Lock;
use compiler::check::{AccessKind, COORDINATE_BITS, Object, Site, What};
use compiler::checks::Extent;
use compiler::{Checks, debug};
use once_cell::race::OnceBox;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

pub mod host;
pub mod order;
mod source;
mod text;
pub mod words;

/// Exit code of a process that `BROLGA_CHECK_FAIL=exit` ends.
const EXIT_CODE: i32 = 97;

/// Places that have been told on stderr are not told again; no more than these are remembered.
const MOST: usize = 10_000;

/// What happens behind a launch whose checks failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fail {
    /// The launch's event ends with [`CL_CHECK_FAILED_BROLGA`].
    Event,
    /// The process ends with [`EXIT_CODE`].
    Exit,
    /// The process aborts, for a debugger.
    Abort,
    /// Nothing: what waits for the launch goes on, and what is wrong there is found, too.
    Nothing,
}

/// What the environment says.
#[derive(Debug)]
struct Settings {
    checks: core::result::Result<Checks, String>,
    fail: Fail,
    log: Option<PathBuf>,
}

fn settings() -> &'static Settings {
    static SETTINGS: OnceBox<Settings> = OnceBox::new();
    SETTINGS.get_or_init(|| {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let list = variable("BROLGA_CHECK");
        let checks = match list.trim() {
            "help" => {
                let _ = std::io::stderr().write_all(Checks::help().as_bytes());
                Ok(Checks::empty())
            }
            list => Checks::parse(list).map_err(|error| format!("BROLGA_CHECK={list}: {error}")),
        };
        let fail = match variable("BROLGA_CHECK_FAIL").trim() {
            "" | "event" => Fail::Event,
            "exit" => Fail::Exit,
            "abort" => Fail::Abort,
            "nothing" => Fail::Nothing,
            other => {
                debug::complain(format_args!(
                    "BROLGA_CHECK_FAIL={other} is none of event, exit, abort, nothing; taken as event"
                ));
                Fail::Event
            }
        };
        match &checks {
            Ok(checks) => watch_memory(*checks),
            Err(error) => debug::complain(error),
        }
        let log = Some(variable("BROLGA_CHECK_LOG"))
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        Box::new(Settings { checks, fail, log })
    })
}

/// The checks that `BROLGA_CHECK` names. An unknown name is an error, so that nobody takes an unchecked program for a checked one.
pub fn asked_for() -> core::result::Result<Checks, String> {
    settings().checks.clone()
}

/// What programs' checks ask of memory is noted from now on: of objects that there are already, it is known only what is mapped.
pub fn watch_memory(checks: Checks) {
    if checks.contains(Checks::BOUNDS) {
        live::watch();
    }
}

/// A context is made: what the environment asks for begins.
pub fn begin() {
    settings();
}

/// What a launch tells a kernel of the memory object that an argument is.
pub fn extent_of(memory: &Memory) -> Extent {
    let is_only_read = memory.flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT) != 0;
    let all = Extent::of(memory.size as u64);
    Extent {
        writable: if is_only_read { 0 } else { all.writable },
        ..all
    }
}

/// What a launch tells a kernel of the memory that a pointer of the application's leads to, and where that begins.
pub fn extent_at(program: &Program, address: u64) -> (Extent, usize) {
    if address == 0 {
        return (Extent::default(), 0);
    }
    match program.context.svm.find(address as *const u8) {
        Some(found) => {
            let extent = Extent {
                before: address - found.start as u64,
                ..Extent::of(found.bytes as u64)
            };
            (extent, found.start)
        }
        // All of the application's memory is shared.
        None => (Extent::ANYTHING, 0),
    }
}

/// A launch, as far as reports tell of it.
#[derive(Debug)]
struct Launched<'a> {
    /// The kernel.
    kernel: &'a Kernel,
    /// Its argument block, with the extents in it.
    block: &'a [u8],
    /// `get_global_offset()`
    offset: [u64; 3],
    /// `get_global_size()`
    global: [u64; 3],
    /// The local size that was asked for.
    local: [u64; 3],
    /// The memory objects among its arguments.
    memory: &'a [Arc<Memory>],
}

/// Says something on stderr, once a process for each key.
fn tell_once(key: &str, text: &str) {
    static SAID: PerProcess<Lock<BTreeSet<String>>> = PerProcess::new(Lock::default);
    let mut said = SAID.get().lock();
    if said.len() < MOST && said.insert(key.to_owned()) {
        drop(said);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Ends the process where that is wanted of one whose checks fail.
fn end() {
    match settings().fail {
        Fail::Event | Fail::Nothing => {}
        Fail::Exit => ::device::process::leave(EXIT_CODE),
        Fail::Abort => std::process::abort(),
    }
}

/// Tells of what the checks of a launch that is over have found, and says how its event ends. With the local size that was asked for, and the memory
/// objects among its arguments.
pub fn report(kernel: &Kernel, launch: &Launch, local: [u64; 3], memory: &[Arc<Memory>]) -> Result<()> {
    let Some(gathered) = &launch.findings else { return Ok(()) };
    let findings = core::mem::take(&mut *gathered.lock());
    if findings.is_empty() {
        return Ok(());
    }
    let launched = &Launched {
        kernel,
        block: launch.arguments.as_slice(),
        offset: launch.global_offset,
        global: launch.global_size,
        local,
        memory,
    };
    let sites = kernel.code.sites();
    for (&number, finding) in &findings {
        let Some(site) = sites.get(number as u32 as usize) else { continue };
        let other = (number >> 32).checked_sub(1).and_then(|number| sites.get(number as usize));
        let told = text::Told::new(launched, site, other, finding);
        kernel.context().report(&told.sentence());
        if let Some(path) = &settings().log {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            // One write a line: several processes may have one file.
            if let Err(error) = file.and_then(|mut file| file.write_all(told.json().as_bytes())) {
                debug::complain(format_args!("BROLGA_CHECK_LOG={}: {error}", path.display()));
            }
        }
        tell_once(&told.key(), &told.paragraph());
    }
    end();
    match settings().fail {
        Fail::Nothing => Ok(()),
        _ => Err(CL_CHECK_FAILED_BROLGA),
    }
}
