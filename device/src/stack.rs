//! The stack that kernel code runs on: a guarded mapping a thread, as big as the variants that ran there needed.

use crate::machine::machine;
use crate::os::fault::{Entry, Scene};
use crate::os::pages::Pages;

/// What must be left below a variant's own frames: for the runtime's functions that it calls (printf's formatting), and for
/// signal handlers of the application, which run on whatever stack they meet.
const MARGIN: usize = 128 << 10;

/// Inaccessible bytes below the stack: more than a page, so that a frame of moderate size cannot step over it.
const GUARD: usize = 64 << 10;

/// A stack for kernel code. Empty until [`Stack::reserve`] is called.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    // First, so that it goes first.
    entry: Option<Entry>,
    pages: Option<Pages>,
}

impl Stack {
    /// Makes sure that `bytes` of frames fit. Tells whether they do.
    #[must_use]
    pub(crate) fn reserve(&mut self, bytes: u64) -> bool {
        let Some(wanted) = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_add(MARGIN + GUARD)) else {
            return false;
        };
        if self.pages.as_ref().is_some_and(|pages| pages.bytes() >= wanted) {
            return true;
        }
        if wanted as u64 > machine().memory_bytes / 2 {
            return false;
        }
        self.entry = None;
        self.pages = None;
        self.pages = Pages::map(wanted.next_power_of_two(), 1).and_then(|mut pages| pages.guard(GUARD).then_some(pages));
        self.entry = self.pages.as_ref().map(|pages| {
            let low = pages.base() as usize;
            Entry::new(low, low + pages.bytes())
        });
        self.pages.is_some()
    }

    /// Calls `run`, which runs `scene` on the stack.
    pub(crate) fn during<R>(&self, scene: &Scene, run: impl FnOnce() -> R) -> R {
        match &self.entry {
            Some(entry) => entry.during(scene, run),
            None => run(),
        }
    }

    /// Where an empty stack starts: the end of the mapping, 16-byte aligned as the ABIs want it. `None` before `reserve`.
    pub(crate) fn top(&self) -> Option<*mut u8> {
        // SAFETY: one past the end of the mapping.
        self.pages.as_ref().map(|pages| unsafe { pages.base().add(pages.bytes()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_is_kept() {
        let mut stack = Stack::default();
        assert!(stack.top().is_none());
        assert!(stack.reserve(0));
        let first = stack.top();
        assert!(stack.reserve(1000));
        assert_eq!(stack.top(), first);
        assert!(stack.reserve(4 << 20));
        let top = stack.top().expect("a stack");
        assert_eq!(top as usize % 16, 0);
        // SAFETY: 4 MiB below the top belong to the stack.
        unsafe { top.sub(4 << 20).write(1) };
    }

    #[test]
    fn too_much_is_refused() {
        assert!(!Stack::default().reserve(u64::MAX));
        assert!(!Stack::default().reserve(1 << 60));
    }
}
