//! Handles: what the application holds of objects.
//!
//! A handle is a number of the driver's own. Whether it names an object, and one of the kind that a function takes, is looked up in a table, so that no
//! handle of the application's leads anywhere else.

use crate::error::{Result, fail_if};
use crate::ze::*;
use ::device::fork;
use ::device::lock::Lock;
use core::marker::PhantomData;
use core::ptr::null_mut;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle of an object of a kind.
#[repr(transparent)]
pub struct Handle<T> {
    pointer: *mut (),
    kind: PhantomData<*const T>,
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

/// Any object.
type AnyObject = Arc<dyn Any + Send + Sync>;

/// By the handle: the objects that have not been destroyed.
static OBJECTS: Lock<BTreeMap<usize, AnyObject>> = Lock::new(BTreeMap::new());

/// Has a fork wait until nobody has the table: a child has none of the threads that could give it back.
fn hold_while_forking() {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        fork::call_around(before_fork, after_fork);
    }
}

extern "C" fn before_fork() {
    core::mem::forget(OBJECTS.lock());
}

extern "C" fn after_fork() {
    // SAFETY: the thread that forks took it in `before_fork`; in the child, that thread is the one there is.
    unsafe { OBJECTS.force_unlock() };
}

impl<T> Handle<T> {
    /// No object.
    pub const NULL: Handle<T> = Handle {
        pointer: null_mut(),
        kind: PhantomData,
    };

    /// Is it NULL?
    pub fn is_null(self) -> bool {
        self.pointer.is_null()
    }
}

impl<T: Send + Sync + 'static> Handle<T> {
    /// The handle of an object that is published.
    pub fn of(object: &Arc<T>) -> Handle<T> {
        Handle {
            pointer: Arc::as_ptr(object).cast_mut().cast(),
            kind: PhantomData,
        }
    }

    /// The object: ZE_RESULT_ERROR_INVALID_NULL_HANDLE if the handle is NULL, or of no object of its kind.
    pub fn get(self) -> Result<Arc<T>> {
        let object = OBJECTS.lock().get(&(self.pointer as usize)).cloned();
        object
            .and_then(|object| object.downcast().ok())
            .ok_or(ZE_RESULT_ERROR_INVALID_NULL_HANDLE)
    }

    /// Checks the handle: as [`Handle::get`].
    pub fn check(self) -> Result<()> {
        self.get().map(|_| ())
    }

    /// The object, unless the handle is NULL.
    pub fn optional(self) -> Result<Option<Arc<T>>> {
        if self.is_null() { Ok(None) } else { self.get().map(Some) }
    }

    /// Takes the object away from the application. Work that is under way keeps what it needs.
    pub fn destroy(self) -> Result<Arc<T>> {
        let object = self.get()?;
        // Of two threads that destroy it, one does.
        let taken = OBJECTS.lock().remove(&(self.pointer as usize));
        fail_if(taken.is_none(), ZE_RESULT_ERROR_INVALID_NULL_HANDLE)?;
        Ok(object)
    }
}

/// Gives an object to the application. Its address is its handle: no other object has it as long as the table keeps this one.
pub fn publish<T: Send + Sync + 'static>(object: Arc<T>) -> Handle<T> {
    hold_while_forking();
    let handle = Handle::of(&object);
    OBJECTS.lock().insert(handle.pointer as usize, object);
    handle
}

/// The objects of handles.
pub fn all<T: Send + Sync + 'static>(handles: Vec<Handle<T>>) -> Result<Vec<Arc<T>>> {
    handles.into_iter().map(Handle::get).collect()
}
