//! Handles: what the application holds of an object.
//!
//! Every handle is the address of a slot in one table, a reserved region of the address space. A slot begins with what a loader reads
//! (cl_khr_icd: the dispatch pointer, and since version 2.0.0 the loader's dispatch data). Whether a pointer is a handle of some kind, and
//! alive, is seen without a lock and without touching memory that is not the table's, whatever the pointer is: it lies in the region, at
//! the start of a slot, and the slot says the kind. Slots are used again late, first come first served, so that a stale handle stays invalid
//! for long.
//!
//! A slot lives as long as its object. The references that clRetain… and clRelease… count are counted in the slot, each holds one strong
//! reference of the object's `Arc`; objects that hold others (a queue its context, say) hold an `Arc` alone. So a context that its
//! application has released stays a valid handle while a queue can still be asked for it. Such an object can go at any time, on another
//! thread: the slot has a `Weak` of it, and what [`lookup`] finds keeps it.

mod slot;

use self::slot::Slot;
use crate::cl::*;
use crate::error::Result;
use ::device::fork;
use ::device::lock::Lock;
use ::device::memory::address_space;
use ::device::pages::Pages;
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use once_cell::race::OnceBox;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// Which kind of object a slot is for. 0 is a slot that is free.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Platform = 1,
    Device,
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
    Event,
    Sampler,
    Semaphore,
    CommandBuffer,
    MutableCommand,
    DeviceQueue,
}

type DropWeak = unsafe fn(*const c_void);

/// # Safety
/// `object` is what [`Weak::into_raw`] gave for a `T`, and nobody uses it again.
unsafe fn drop_weak<T>(object: *const c_void) {
    // SAFETY: as above.
    drop(unsafe { Weak::from_raw(object.cast::<T>()) });
}

const SLOT_SIZE: usize = size_of::<Slot>();

/// How many free slots rest before the first of them is used again.
const RESTING: usize = 1024;

struct Table {
    /// What the slots are in.
    pages: Pages,
    slots: usize,
    free: Lock<FreeSlots>,
}

#[derive(Default)]
struct FreeSlots {
    /// Slots from here on were never used.
    untouched: usize,
    /// Slots of objects that are gone, the oldest first.
    resting: VecDeque<usize>,
}

static TABLE: OnceBox<Option<Table>> = OnceBox::new();
static DISPATCH: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static DISPATCH_DATA: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Sets the dispatch table that every handle will point to, twice: a loader that knows of dispatch data may get handles from another in the same process
/// that has given none, and would find nothing there to jump through.
pub fn set_dispatch_table(table: *const c_void) {
    DISPATCH.store(table.cast_mut(), Ordering::Release);
    DISPATCH_DATA.store(table.cast_mut(), Ordering::Release);
}

/// Sets the loader's dispatch data (clIcdSetPlatformDispatchDataKHR), in the handles to come and in those of platform and device.
pub fn set_dispatch_data(data: *mut c_void, existing: &[&Handle]) {
    DISPATCH_DATA.store(data, Ordering::Release);
    for handle in existing {
        if let Some(slot) = handle.slot() {
            slot.dispatch_data.store(data, Ordering::Release);
        }
    }
}

impl Table {
    /// Reserves the region: as much as can be had, 16 million handles at best. Untouched pages cost nothing.
    fn reserve() -> Option<Table> {
        // Of an address space that is limited (`ulimit -v`), a small part: what the application allocates has to fit, too.
        let most = address_space().map_or(1 << 24, |bytes| (bytes / (32 * SLOT_SIZE as u64)).max(1 << 12));
        (12..=24).rev().step_by(2).filter(|bits| 1 << bits <= most).find_map(|bits| {
            let slots = 1_usize << bits;
            Some(Table {
                pages: Pages::map(slots * SLOT_SIZE, 1)?,
                slots,
                free: Lock::default(),
            })
        })
    }

    fn get() -> Option<&'static Table> {
        TABLE
            .get_or_init(|| {
                static REGISTERED: AtomicBool = AtomicBool::new(false);
                // A child of fork() must find the table's lock free.
                if !REGISTERED.swap(true, Ordering::Relaxed) {
                    fork::call_around(before_fork, after_fork);
                }
                Box::new(Table::reserve())
            })
            .as_ref()
    }

    fn slot(&self, index: usize) -> &'static Slot {
        debug_assert!(index < self.slots);
        // SAFETY: the region is never unmapped, `index` is in it, and pages of zeros are valid slots.
        unsafe { &*self.pages.base().add(index * SLOT_SIZE).cast::<Slot>() }
    }

    /// The slot that a handle of the application points to, if it points to one.
    fn find(&self, handle: *mut c_void) -> Option<&'static Slot> {
        let offset = (handle as usize).wrapping_sub(self.pages.base() as usize);
        (offset < self.slots * SLOT_SIZE && offset.is_multiple_of(SLOT_SIZE)).then(|| self.slot(offset / SLOT_SIZE))
    }

    fn take(&self) -> Option<&'static Slot> {
        let mut free = self.free.lock();
        if (free.resting.len() > RESTING || free.untouched == self.slots)
            && let Some(index) = free.resting.pop_front()
        {
            return Some(self.slot(index));
        }
        (free.untouched < self.slots).then(|| {
            free.untouched += 1;
            self.slot(free.untouched - 1)
        })
    }

    /// Frees the slot of an object that is going.
    fn give_back(&self, slot: &'static Slot) {
        let index = (core::ptr::from_ref(slot) as usize - self.pages.base() as usize) / SLOT_SIZE;
        let mut free = self.free.lock();
        let (object, drop_weak) = slot.clear();
        free.resting.push_back(index);
        drop(free);
        if !object.is_null() {
            // SAFETY: `publish` put both there, and nobody finds the weak reference any more.
            unsafe { core::mem::transmute::<*mut c_void, DropWeak>(drop_weak)(object) };
        }
    }

    /// The object of a slot whose references are all given back, if it is of this kind and still alive.
    fn revive<T: Object>(&self, slot: &Slot) -> Option<Arc<T>> {
        let _free = self.free.lock();
        if !slot.is(T::KIND as u32) {
            return None;
        }
        let object = slot.object();
        // SAFETY: the slot is of this kind, so that `publish` put a `Weak<T>`'s pointer there; it stays for as long as we have the lock.
        ManuallyDrop::new(unsafe { Weak::from_raw(object.cast_const().cast::<T>()) }).upgrade()
    }
}

/// This and its fellow take and leave that lock alone.
extern "C" fn before_fork() {
    if let Some(Some(table)) = TABLE.get() {
        core::mem::forget(table.free.lock());
    }
}

extern "C" fn after_fork() {
    if let Some(Some(table)) = TABLE.get() {
        // SAFETY: `before_fork` locked it, on this thread.
        unsafe { table.free.force_unlock() };
    }
}

/// An object's own handle; its first field, so that the handle becomes invalid before anything else of the object goes.
#[derive(Debug, Default)]
pub struct Handle(AtomicPtr<Slot>);

impl Handle {
    fn slot(&self) -> Option<&'static Slot> {
        // SAFETY: NULL, or a slot of the table, which is never unmapped.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// What the application sees; NULL for an object that it was never given.
    pub fn as_ptr(&self) -> *mut c_void {
        self.0.load(Ordering::Acquire).cast()
    }

    /// The reference count, for CL_…_REFERENCE_COUNT.
    pub fn references(&self) -> cl_uint {
        self.slot().map_or(0, Slot::references).max(1)
    }

    /// The application had references, and has given back all of them.
    pub fn is_released(&self) -> bool {
        self.slot().is_some_and(|slot| slot.references() == 0)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let (Some(slot), Some(table)) = (self.slot(), Table::get()) {
            table.give_back(slot);
        }
    }
}

/// How many objects of a kind the application has references of.
pub fn held(kind: Kind) -> usize {
    let Some(Some(table)) = TABLE.get() else { return 0 };
    let used = table.free.lock().untouched;
    let slots = (0..used).map(|index| table.slot(index));
    slots.filter(|slot| slot.is(kind as u32) && slot.references() > 0).count()
}

/// What has handles.
pub trait Object: Send + Sync + Sized + 'static {
    /// The kind that its slots say.
    const KIND: Kind;
    /// What an entry point returns for a handle that is not one.
    const INVALID: cl_int;
    /// Is a handle that its application has released still good for more than questions, as long as others hold the object?
    const SERVES_WHEN_RELEASED: bool = true;
    /// Where the object keeps its handle.
    fn handle(&self) -> &Handle;
}

/// Gives an object to the application: its handle, with one reference.
pub fn publish<T: Object>(object: Arc<T>) -> Result<*mut c_void> {
    let slot = Table::get().and_then(Table::take).ok_or(CL_OUT_OF_HOST_MEMORY)?;
    slot.dispatch.store(DISPATCH.load(Ordering::Acquire), Ordering::Relaxed);
    slot.dispatch_data.store(DISPATCH_DATA.load(Ordering::Acquire), Ordering::Relaxed);
    object.handle().0.store(core::ptr::from_ref(slot).cast_mut(), Ordering::Release);
    let drop_weak: DropWeak = drop_weak::<T>;
    let _ = Weak::into_raw(Arc::downgrade(&object));
    slot.fill(T::KIND as u32, Arc::into_raw(object).cast_mut().cast(), drop_weak as *mut c_void);
    Ok(core::ptr::from_ref(slot).cast_mut().cast())
}

/// An object that the application named by its handle: alive for as long as the application keeps its promise not to release the object
/// while it calls a function on it. `clone()` gives an `Arc` that needs no promise.
pub struct Borrowed<T> {
    object: ManuallyDrop<Arc<T>>,
    /// The strong reference is ours, and not the slot's: the application had no reference left.
    owned: bool,
}

impl<T> Deref for Borrowed<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.object
    }
}

impl<T> Drop for Borrowed<T> {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: it is not used again.
            unsafe { ManuallyDrop::drop(&mut self.object) };
        }
    }
}

/// Some object has this handle now. The object is not looked at, so that it may go meanwhile: this is how tests see that nothing is left.
pub fn is_taken(handle: *mut c_void) -> bool {
    Table::get().and_then(|table| table.find(handle)).is_some_and(Slot::is_taken)
}

fn find<T: Object>(handle: *mut c_void) -> Result<&'static Slot> {
    Table::get()
        .and_then(|table| table.find(handle))
        .filter(|slot| slot.is(T::KIND as u32))
        .ok_or(T::INVALID)
}

/// The object behind a handle, or the error for a pointer that is not a handle of a living object of this kind.
pub fn lookup<T: Object>(handle: *mut c_void) -> Result<Borrowed<T>> {
    let slot = find::<T>(handle)?;
    if slot.references() > 0 {
        Ok(borrow(slot))
    } else if T::SERVES_WHEN_RELEASED {
        revive(slot)
    } else {
        Err(T::INVALID)
    }
}

/// The object behind a handle that is only asked about: one that is released, too, if it is still alive.
pub fn lookup_to_ask<T: Object>(handle: *mut c_void) -> Result<Borrowed<T>> {
    let slot = find::<T>(handle)?;
    if slot.references() > 0 { Ok(borrow(slot)) } else { revive(slot) }
}

/// The object of a slot that [`find`] found to be of this kind, and that has references.
fn borrow<T: Object>(slot: &Slot) -> Borrowed<T> {
    let object = slot.object();
    // SAFETY: the slot is of this kind, so that `publish` put an `Arc<T>`'s pointer there, and the object lives by the application's
    // references. `ManuallyDrop`: the strong reference is the slot's, not ours.
    let object = ManuallyDrop::new(unsafe { Arc::from_raw(object.cast_const().cast::<T>()) });
    Borrowed { object, owned: false }
}

/// The object of a slot that has no references, if it is still alive.
fn revive<T: Object>(slot: &Slot) -> Result<Borrowed<T>> {
    let object = Table::get().and_then(|table| table.revive(slot)).ok_or(T::INVALID)?;
    Ok(Borrowed {
        object: ManuallyDrop::new(object),
        owned: true,
    })
}

/// clRetain…
pub fn retain<T: Object>(handle: *mut c_void) -> Result<()> {
    let slot = find::<T>(handle)?;
    let object = lookup_to_ask::<T>(handle)?.clone();
    slot.add_reference();
    // The reference holds it.
    core::mem::forget(object);
    Ok(())
}

/// clRelease…: with the last reference, and when nothing else holds the object, the object goes.
pub fn release<T: Object>(handle: *mut c_void) -> Result<()> {
    let slot = find::<T>(handle)?;
    // The application has no reference left to give back: the object lives for others only.
    if !slot.drop_reference() {
        return Err(T::INVALID);
    }
    // SAFETY: the reference just given back held one strong reference.
    drop(unsafe { Arc::from_raw(slot.object().cast_const().cast::<T>()) });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(Handle, #[allow(dead_code, reason = "counts who lives")] Arc<()>);

    impl Object for Thing {
        const KIND: Kind = Kind::Sampler;
        const INVALID: cl_int = CL_INVALID_SAMPLER;
        fn handle(&self) -> &Handle {
            &self.0
        }
    }

    struct Other(Handle);

    impl Object for Other {
        const KIND: Kind = Kind::Kernel;
        const INVALID: cl_int = CL_INVALID_KERNEL;
        const SERVES_WHEN_RELEASED: bool = false;
        fn handle(&self) -> &Handle {
            &self.0
        }
    }

    #[test]
    fn a_handle_lives_as_long_as_its_references() {
        let witness = Arc::new(());
        let handle = publish(Arc::new(Thing(Handle::default(), witness.clone()))).unwrap();
        assert!(lookup::<Thing>(handle).is_ok());
        retain::<Thing>(handle).unwrap();
        assert_eq!(lookup::<Thing>(handle).unwrap().handle().references(), 2);
        release::<Thing>(handle).unwrap();
        release::<Thing>(handle).unwrap();
        assert_eq!(lookup::<Thing>(handle).err(), Some(CL_INVALID_SAMPLER));
        assert_eq!(release::<Thing>(handle), Err(CL_INVALID_SAMPLER));
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn an_object_that_others_hold_stays_valid_but_cannot_be_released_again() {
        let thing = Arc::new(Thing(Handle::default(), Arc::default()));
        let handle = publish(thing.clone()).unwrap();
        release::<Thing>(handle).unwrap();
        assert!(lookup::<Thing>(handle).is_ok());
        assert_eq!(release::<Thing>(handle), Err(CL_INVALID_SAMPLER));
        retain::<Thing>(handle).unwrap();
        drop(thing);
        assert!(lookup::<Thing>(handle).is_ok());
        release::<Thing>(handle).unwrap();
        assert!(lookup::<Thing>(handle).is_err());
    }

    #[test]
    fn an_object_that_others_hold_can_be_asked_about_and_no_more_if_it_is_of_such_a_kind() {
        let other = Arc::new(Other(Handle::default()));
        let handle = publish(other.clone()).unwrap();
        assert!(lookup::<Other>(handle).is_ok());
        release::<Other>(handle).unwrap();
        assert_eq!(lookup::<Other>(handle).err(), Some(CL_INVALID_KERNEL));
        assert!(lookup_to_ask::<Other>(handle).is_ok());
        drop(other);
        assert!(lookup_to_ask::<Other>(handle).is_err());
    }

    #[test]
    fn what_is_found_by_a_released_handle_stays_though_its_last_holder_goes() {
        for _ in 0..100 {
            let thing = Arc::new(Thing(Handle::default(), Arc::default()));
            let handle = publish(thing.clone()).unwrap();
            release::<Thing>(handle).unwrap();
            let holder = std::thread::spawn(move || drop(thing));
            while let Ok(found) = lookup::<Thing>(handle) {
                assert_eq!(Arc::strong_count(&found.1), 1);
            }
            holder.join().unwrap();
        }
    }

    #[test]
    fn any_pointer_is_safe_to_ask_about() {
        let handle = publish(Arc::new(Thing(Handle::default(), Arc::default()))).unwrap();
        let on_the_stack = 0_u64;
        let garbage = [
            0,
            1,
            8,
            usize::MAX,
            core::ptr::from_ref(&on_the_stack) as usize,
            handle as usize + 8,
            handle as usize + 64 * 5000,
        ];
        for pointer in garbage {
            assert_eq!(lookup::<Thing>(pointer as *mut c_void).err(), Some(CL_INVALID_SAMPLER));
        }
        assert_eq!(lookup::<Other>(handle).err(), Some(CL_INVALID_KERNEL));
        release::<Thing>(handle).unwrap();
    }
}
