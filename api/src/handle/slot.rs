//! What a handle points to: words that one thread writes and any other reads, in an order that makes what they lead to seen as well.

use crate::atomic::{AtomicPtr, AtomicU32, Ordering};
use core::ffi::c_void;
use core::ptr::null_mut;

/// The kind of a slot that is free.
const FREE: u32 = 0;

/// What a loader and a lookup see behind a handle. All zeros is a slot that is free.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Slot {
    /// What a loader reads first (cl_khr_icd).
    pub dispatch: AtomicPtr<c_void>,
    /// What a loader put there.
    pub dispatch_data: AtomicPtr<c_void>,
    kind: AtomicU32,
    references: AtomicU32,
    /// What `Arc::into_raw` gives, and `Weak::into_raw`: the slot has one weak reference. It is changed under the lock of the free slots.
    object: AtomicPtr<c_void>,
    /// Drops that weak reference.
    drop_weak: AtomicPtr<c_void>,
}

impl Slot {
    /// Makes it one for an object, with one reference. Who finds it to be of this kind from here on sees the object as it is now.
    pub fn fill(&self, kind: u32, object: *mut c_void, drop_weak: *mut c_void) {
        self.references.store(1, Ordering::Relaxed);
        self.drop_weak.store(drop_weak, Ordering::Relaxed);
        self.object.store(object, Ordering::Relaxed);
        self.kind.store(kind, Ordering::Release);
    }

    /// It is for an object of this kind.
    pub fn is(&self, kind: u32) -> bool {
        self.kind.load(Ordering::Acquire) == kind
    }

    /// It is for some object.
    pub fn is_taken(&self) -> bool {
        !self.is(FREE)
    }

    /// The object, of a slot that is taken.
    pub fn object(&self) -> *mut c_void {
        self.object.load(Ordering::Acquire)
    }

    /// Frees it; gives the object and what drops its weak reference, both NULL if it was free.
    pub fn clear(&self) -> (*mut c_void, *mut c_void) {
        self.kind.store(FREE, Ordering::Release);
        let object = self.object.swap(null_mut(), Ordering::AcqRel);
        (object, self.drop_weak.swap(null_mut(), Ordering::AcqRel))
    }

    /// The references that the application has.
    pub fn references(&self) -> u32 {
        self.references.load(Ordering::Acquire)
    }

    /// One more.
    pub fn add_reference(&self) {
        self.references.fetch_add(1, Ordering::AcqRel);
    }

    /// One less. False if there was none.
    pub fn drop_reference(&self) -> bool {
        let less = |count: u32| count.checked_sub(1);
        self.references.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }
}
