//! Checked mode as users meet it: `BROLGA_CHECK` and the variables beside it, and what is told of a launch whose checks failed. Behind every front
//! door of the driver.

use crate::Kernel;
use debug::complain;
use device::findings::Finding;
use device::fork::PerProcess;
use device::image::ImageRecord;
use device::launch::Launch;
use device::live;
use device::lock::Lock;
use interface::Checks;
use interface::checks::Extent;
use once_cell::race::OnceBox;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

mod source;
mod text;
mod words;

pub use words::{Pointer, Words};

/// Exit code of a process that `BROLGA_CHECK_FAIL=exit` ends.
const EXIT_CODE: i32 = 97;

/// Places that have been told on stderr are not told again; no more than these are remembered.
const MOST: usize = 10_000;

/// What happens behind a launch whose checks failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fail {
    /// The launch counts as failed.
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
    checks: Result<Checks, String>,
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
                complain(format_args!(
                    "BROLGA_CHECK_FAIL={other} is none of event, exit, abort, nothing; taken as event"
                ));
                Fail::Event
            }
        };
        match &checks {
            Ok(checks) => watch_memory(*checks),
            Err(error) => complain(error),
        }
        let log = Some(variable("BROLGA_CHECK_LOG"))
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        Box::new(Settings { checks, fail, log })
    })
}

/// The checks that `BROLGA_CHECK` names. An unknown name is an error, so that nobody takes an unchecked program for a checked one.
pub fn asked_for() -> Result<Checks, String> {
    settings().checks.clone()
}

/// What programs' checks ask of memory is noted from now on: of objects that there are already, it is known only what is mapped.
pub fn watch_memory(checks: Checks) {
    if checks.contains(Checks::BOUNDS) {
        live::watch();
    }
    if checks.contains(Checks::GLOBAL_UNWRITTEN) {
        live::written::follow_all();
    }
}

/// A context is made: what the environment asks for begins.
pub fn begin() {
    settings();
}

/// What a launch tells a kernel of the memory that a pointer of the application's leads to, and where that begins. With the first byte and the size of
/// the allocation that it is in.
pub fn extent_at(address: usize, allocation: Option<(usize, usize)>) -> (Extent, usize) {
    match allocation {
        _ if address == 0 => (Extent::default(), 0),
        Some((start, bytes)) => {
            let extent = Extent {
                before: (address - start) as u64,
                ..Extent::of(bytes as u64)
            };
            (extent, start)
        }
        // All of the application's memory is shared.
        None => (Extent::ANYTHING, 0),
    }
}

/// What a launch tells of the memory that its arguments lead to, besides its size: words of its own, if the kernel's checks ask for some, and what of it
/// was written.
pub fn give(kernel: &Kernel, pointers: &mut [Pointer]) -> Option<Words> {
    if kernel.checks().contains(Checks::GLOBAL_UNWRITTEN) {
        for (_, extent, start) in &mut *pointers {
            extent.shadow = live::written::shadow_of(*start);
        }
    }
    Words::give(pointers, kernel.words())
}

/// Tells a launch what its kernel's checks ask of it.
pub fn equip(launch: &mut Launch, kernel: &Kernel) {
    let checks = kernel.checks();
    // Counters of barriers, and shadows, begin as zeros.
    launch.clear_local |= checks.intersects(Checks::BARRIERS | Checks::UNWRITTEN | Checks::RACES);
    if !checks.contains(Checks::GLOBAL_UNWRITTEN) {
        // Nobody sees what it writes.
        live::written::set_all();
    }
    launch.findings = (!checks.is_empty()).then(Default::default);
}

/// A launch, as far as reports tell of it.
pub struct Launched<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The launch, with the extents in its argument block.
    pub launch: &'a Launch,
    /// The local size that was asked for.
    pub local: [u64; 3],
    /// The image that an argument is, by what is in the block for it.
    pub image: &'a dyn Fn(u64) -> Option<ImageRecord>,
    /// The OpenCL C that the program was built from.
    pub source: Option<&'a str>,
}

/// Says something on stderr, once a process for each key.
pub fn tell_once(key: &str, text: &str) {
    static SAID: PerProcess<Lock<BTreeSet<String>>> = PerProcess::new(Lock::default);
    let mut said = SAID.get().lock();
    if said.len() < MOST && said.insert(key.to_owned()) {
        drop(said);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Ends the process where that is wanted of one whose checks fail.
pub fn end() {
    match settings().fail {
        Fail::Event | Fail::Nothing => {}
        Fail::Exit => device::process::leave(EXIT_CODE),
        Fail::Abort => std::process::abort(),
    }
}

/// Tells of what the checks of a launch that is over have found, and each sentence of it to somebody else, too. True if the launch counts as failed.
pub fn report(launched: &Launched, also: impl Fn(&str)) -> bool {
    let Some(gathered) = &launched.launch.findings else { return false };
    let findings = core::mem::take(&mut *gathered.lock());
    if findings.is_empty() {
        return false;
    }
    for (&number, finding) in &findings {
        let Some((site, other)) = launched.kernel.sites(number) else {
            continue;
        };
        let told = text::Told::new(launched, &site, other.as_ref(), finding);
        also(&told.sentence());
        if let Some(path) = &settings().log {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            // One write a line: several processes may have one file.
            if let Err(error) = file.and_then(|mut file| file.write_all(told.json().as_bytes())) {
                complain(format_args!("BROLGA_CHECK_LOG={}: {error}", path.display()));
            }
        }
        tell_once(&told.key(), &told.paragraph());
    }
    end();
    settings().fail != Fail::Nothing
}
