//! Pointers of the application's, as parameters of entry points: only a call from C makes them, and its specification says that they are NULL or lead to
//! what they are declared as.

use crate::error::{Result, fail_if};
use crate::ze::*;
use ::device::live::written;
use core::ffi::{CStr, c_char, c_void};

/// A pointer to what the driver reads.
#[repr(transparent)]
pub struct In<T>(*const T);

/// A pointer to what the driver writes.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for In<T> {
    fn clone(&self) -> In<T> {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Out<T> {
        *self
    }
}

impl<T> Copy for Out<T> {}

/// An address that the driver hands on and does not look behind: of memory that commands access.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub usize);

/// What begins with a type and a pointer to what extends it.
pub trait Structure {
    /// ZE_STRUCTURE_TYPE_…
    const TYPE: ze_structure_type_t;
}

/// The beginning of each structure.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    /// ZE_STRUCTURE_TYPE_…
    pub stype: ze_structure_type_t,
    /// The next, or NULL.
    pub pNext: *mut c_void,
}

/// ZE_RESULT_ERROR_INVALID_NULL_POINTER for NULL.
pub fn not_null(address: Address) -> Result<()> {
    fail_if(address.0 == 0, ZE_RESULT_ERROR_INVALID_NULL_POINTER)
}

impl<T> In<T> {
    /// No pointer.
    pub const NULL: In<T> = In(core::ptr::null());

    /// What an address leads to.
    ///
    /// # Safety
    /// It must be 0, or that of a `T`, for as long as the pointer is used.
    pub unsafe fn at(address: Address) -> In<T> {
        In(address.0 as *const T)
    }
}

impl<T: Copy> In<T> {
    /// Is it NULL?
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// What it points to: ZE_RESULT_ERROR_INVALID_NULL_POINTER if it is NULL.
    pub fn get(self) -> Result<T> {
        fail_if(self.0.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: not NULL, hence valid, as this module's promise is.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// So many values; none where it is NULL.
    pub fn list(self, count: usize) -> Vec<T> {
        if self.0.is_null() {
            return Vec::new();
        }
        // SAFETY: not NULL, hence leads to `count` values, as this module's promise is.
        (0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect()
    }
}

impl In<u8> {
    /// The same place as one of something else.
    pub fn cast<T>(self) -> In<T> {
        In(self.0.cast())
    }

    /// So many bytes; `None` where it is NULL.
    pub fn bytes(self, count: usize) -> Option<Vec<u8>> {
        (!self.0.is_null()).then(|| self.list(count))
    }
}

impl In<c_char> {
    /// A text that a NUL ends; `None` where it is NULL.
    pub fn text(self) -> Option<String> {
        // SAFETY: not NULL, hence a string, as this module's promise is.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

impl<T> Out<T> {
    /// What an address leads to.
    ///
    /// # Safety
    /// As of [`In::at`]; there must be room for a `T`, which nobody else accesses.
    pub unsafe fn at(address: Address) -> Out<T> {
        Out(address.0 as *mut T)
    }

    /// Is it NULL?
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// ZE_RESULT_ERROR_INVALID_NULL_POINTER if it is NULL.
    pub fn check(self) -> Result<()> {
        fail_if(self.0.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)
    }

    /// Writes what it points to: ZE_RESULT_ERROR_INVALID_NULL_POINTER if it is NULL.
    pub fn write(self, value: T) -> Result<()> {
        self.check()?;
        // SAFETY: not NULL, hence valid, as this module's promise is.
        unsafe { self.0.write_unaligned(value) };
        // Commands that ask for times may write them where kernels read.
        written::set(self.0.cast(), size_of::<T>());
        Ok(())
    }

    /// Writes what it points to, unless it is NULL.
    pub fn put(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not NULL, hence valid, as this module's promise is.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Writes values one behind the other.
    pub fn write_list(self, values: impl IntoIterator<Item = T>) {
        if !self.0.is_null() {
            for (index, value) in values.into_iter().enumerate() {
                // SAFETY: not NULL, hence with room for as many values as the caller was asked for.
                unsafe { self.0.add(index).write_unaligned(value) };
            }
        }
    }

    /// The same place as one of bytes.
    pub fn bytes(self) -> Out<u8> {
        Out(self.0.cast())
    }
}

impl<T: Copy> Out<T> {
    /// What is there: ZE_RESULT_ERROR_INVALID_NULL_POINTER if it is NULL.
    pub fn read(self) -> Result<T> {
        In(self.0.cast_const()).get()
    }
}

impl<T: Structure> Out<T> {
    /// Gives the fields of a structure their values: what `with` makes of it. Its type and what extends it are the application's.
    pub fn fill(self, with: impl FnOnce(&mut T)) -> Result<()> {
        self.check()?;
        // SAFETY: not NULL, hence valid and nobody else's during the call, as this module's promise is.
        with(unsafe { &mut *self.0 });
        Ok(())
    }
}

/// Finds what extends a structure by its type, from its `pNext` on.
///
/// Chains have an end: the application says so.
pub fn extension<T: Structure>(mut next: *const c_void) -> Option<Out<T>> {
    while !next.is_null() {
        // SAFETY: each link of the chain begins with its type and the next link, as the specification has it.
        let header = unsafe { next.cast::<Header>().read_unaligned() };
        if header.stype == T::TYPE {
            return Some(Out(next.cast_mut().cast()));
        }
        next = header.pNext;
    }
    None
}

/// The answer of a function that counts or lists: `pCount` in and out. "If count is zero, then the driver shall update the value with the total number …
/// If count is greater than the number … the driver shall update the value with the correct number"; the list gets as many as there is room for.
pub fn list<T>(count: Out<u32>, list: Out<T>, values: impl ExactSizeIterator<Item = T>) -> Result<()> {
    let room = count.read()? as usize;
    let total = values.len();
    if room == 0 || list.is_null() {
        return count.write(total as u32);
    }
    list.write_list(values.take(room));
    count.write(room.min(total) as u32)
}

/// The same for structures, of which only the fields are the driver's.
pub fn list_structures<T: Structure>(count: Out<u32>, list: Out<T>, total: usize, with: impl Fn(usize, &mut T)) -> Result<()> {
    let room = count.read()? as usize;
    if room == 0 || list.is_null() {
        return count.write(total as u32);
    }
    for index in 0..room.min(total) {
        Out(list.0.wrapping_add(index)).fill(|structure| with(index, structure))?;
    }
    count.write(room.min(total) as u32)
}

/// The answer of a function that gives a text, or bytes: `pSize` in and out, the size with what ends it.
pub fn text(size: Out<usize>, buffer: Out<c_char>, text: &[u8]) -> Result<()> {
    size.check()?;
    if !buffer.is_null() {
        // ZE_RESULT_ERROR_INVALID_SIZE: there is no room for it.
        fail_if(size.read()? < text.len(), ZE_RESULT_ERROR_INVALID_SIZE)?;
        buffer.bytes().write_list(text.iter().copied());
    }
    size.write(text.len())
}
