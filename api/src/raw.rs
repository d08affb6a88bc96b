//! The application's pointers.
//!
//! A C pointer becomes an [`In`] (to read from) or an [`Out`] (to write to) at the border (`icd/`), where it is promised once that it is NULL
//! or valid for what the function's specification says. From there on NULL is checked by type, and alignment never matters.

use crate::cl::{cl_int, cl_properties};
use crate::error::{Result, fail_if};
use core::ffi::{CStr, c_char, c_void};
use smallvec::SmallVec;

/// A pointer through which an entry point reads: NULL, or valid for the count that the specification names.
#[derive(Debug)]
pub struct In<T>(*const T);

/// A pointer through which an entry point writes: NULL, or valid for the count that the specification names.
#[derive(Debug)]
pub struct Out<T>(*mut T);

// A pointer is a copy's business whatever it points to, hence no `derive`.
impl<T> Copy for In<T> {}
impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}
impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// How an entry point's parameter is made of its C value.
pub trait FromC<Raw> {
    /// # Safety
    /// A pointer must be NULL, or valid as the specification of the function says, until the function returns.
    unsafe fn from_c(raw: Raw) -> Self;
}

impl<T> FromC<*const T> for In<T> {
    unsafe fn from_c(raw: *const T) -> Self {
        In(raw)
    }
}

impl<T> FromC<*mut T> for Out<T> {
    unsafe fn from_c(raw: *mut T) -> Self {
        Out(raw)
    }
}

impl FromC<*const c_void> for In<u8> {
    unsafe fn from_c(raw: *const c_void) -> Self {
        In(raw.cast())
    }
}

impl FromC<*mut c_void> for In<u8> {
    unsafe fn from_c(raw: *mut c_void) -> Self {
        In(raw.cast_const().cast())
    }
}

impl FromC<*const c_void> for HostPointer {
    unsafe fn from_c(raw: *const c_void) -> Self {
        HostPointer(raw.cast_mut().cast())
    }
}

impl FromC<*mut c_void> for HostPointer {
    unsafe fn from_c(raw: *mut c_void) -> Self {
        HostPointer(raw.cast())
    }
}

impl<T> FromC<T> for T {
    unsafe fn from_c(raw: T) -> Self {
        raw
    }
}

impl<T> In<T> {
    /// A pointer to a value of the driver's own (tests, and entry points that are expressed by others).
    pub fn from_slice(slice: &[T]) -> Self {
        In(slice.as_ptr())
    }

    /// The NULL pointer.
    pub const fn null() -> Self {
        In(core::ptr::null())
    }

    /// Is it NULL?
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The C pointer.
    pub fn as_ptr(self) -> *const T {
        self.0
    }
}

impl<T: Copy> In<T> {
    /// The value behind the pointer.
    pub fn get(self) -> Option<T> {
        // SAFETY: not NULL, hence valid for a read (see the type).
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The value `index` places on, in a list that is known to go on so far.
    pub fn at(self, index: usize) -> Option<T> {
        // SAFETY: not NULL, hence valid for a read there (see the type).
        (!self.0.is_null()).then(|| unsafe { self.0.add(index).read_unaligned() })
    }

    /// `count` values; `None` for NULL.
    pub fn list(self, count: usize) -> Option<SmallVec<[T; 8]>> {
        // SAFETY: not NULL, hence valid for the count that the application gave beside it (see the type).
        (!self.0.is_null()).then(|| (0..count).map(|i| unsafe { self.0.add(i).read_unaligned() }).collect())
    }

    /// Three sizes of which the first `dimensions` are given; the others are `rest`.
    pub fn triple(self, dimensions: usize, rest: T) -> Option<[T; 3]> {
        // SAFETY: not NULL, hence valid for the dimensions that the application gave beside it (see the type).
        let given = |i: usize| unsafe { self.0.add(i).read_unaligned() };
        (!self.0.is_null()).then(|| core::array::from_fn(|i| if i < dimensions { given(i) } else { rest }))
    }

    /// A list that a zero ends, the zero included; `None` for NULL.
    pub fn until_zero(self) -> Option<Vec<T>>
    where
        T: PartialEq + Default,
    {
        if self.0.is_null() {
            return None;
        }
        let mut list = Vec::new();
        loop {
            // SAFETY: no zero came before this place, so that the list goes on here (see the type).
            let value = unsafe { self.0.add(list.len()).read_unaligned() };
            list.push(value);
            if value == T::default() {
                return Some(list);
            }
        }
    }

    /// A property list, name and value in turn, that a zero name ends: all of it with the zero; `None` for NULL.
    pub fn properties(self) -> Option<Vec<T>>
    where
        T: PartialEq + Default,
    {
        if self.0.is_null() {
            return None;
        }
        let mut list = Vec::new();
        loop {
            // SAFETY: no zero name came before this place, so that the list goes on here (see the type).
            let name = unsafe { self.0.add(list.len()).read_unaligned() };
            list.push(name);
            if name == T::default() {
                return Some(list);
            }
            // SAFETY: a value follows each name.
            list.push(unsafe { self.0.add(list.len()).read_unaligned() });
        }
    }
}

/// The names and values of a property list; `twice` if a name is there twice.
pub fn named<T: Copy + PartialEq>(list: &[T], twice: cl_int) -> Result<Vec<(T, T)>> {
    let mut pairs: Vec<(T, T)> = Vec::new();
    for pair in list.chunks_exact(2) {
        fail_if(pairs.iter().any(|&(name, _)| name == pair[0]), twice)?;
        pairs.push((pair[0], pair[1]));
    }
    Ok(pairs)
}

/// A property list whose values are bit-fields.
#[derive(Debug)]
pub struct BitFields {
    /// All of it, with the zero that ends it; empty for NULL.
    pub list: Vec<cl_properties>,
    /// The values of the names that were asked for, in their order.
    pub values: SmallVec<[Option<cl_properties>; 2]>,
}

impl In<cl_properties> {
    /// Reads a list of properties that are known by their names and their valid bits. `wrong` if a name is none of these, or there twice, or if
    /// its value has other bits; nothing is read after a name that is not known.
    pub fn bit_fields(self, known: &[(cl_properties, cl_properties)], wrong: cl_int) -> Result<BitFields> {
        let mut list = Vec::new();
        let mut values: SmallVec<[Option<cl_properties>; 2]> = SmallVec::from_elem(None, known.len());
        while let Some(name) = self.at(list.len()) {
            list.push(name);
            if name == 0 {
                break;
            }
            let place = known.iter().position(|&(known, _)| known == name).ok_or(wrong)?;
            let value = self.at(list.len()).ok_or(wrong)?;
            list.push(value);
            fail_if(value & !known[place].1 != 0 || values[place].replace(value).is_some(), wrong)?;
        }
        Ok(BitFields { list, values })
    }
}

impl In<u8> {
    /// `count` bytes; `None` for NULL.
    pub fn bytes<'a>(self, count: usize) -> Option<&'a [u8]> {
        // SAFETY: not NULL, hence valid for the count that the application gave beside it (see the type); bytes have no alignment.
        // The caller uses them within the entry point only.
        (!self.0.is_null()).then(|| unsafe { core::slice::from_raw_parts(self.0, count) })
    }
}

impl In<c_char> {
    /// A string that a NUL ends; `None` for NULL. Bytes that are not UTF-8 are replaced.
    pub fn text(self) -> Option<String> {
        // SAFETY: not NULL, hence a string that a NUL ends (see the type).
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

impl<T> Out<T> {
    /// A place of the driver's own (tests, and entry points that are expressed by others).
    pub fn from_mut(place: &mut T) -> Self {
        Out(place)
    }

    /// The NULL pointer.
    pub const fn null() -> Self {
        Out(core::ptr::null_mut())
    }

    /// Is it NULL?
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The C pointer.
    pub fn as_ptr(self) -> *mut T {
        self.0
    }

    /// Writes, unless the pointer is NULL.
    pub fn write(self, value: T) {
        self.write_at(0, value);
    }

    /// Writes the element `index`, unless the pointer is NULL.
    pub fn write_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            // SAFETY: not NULL, hence valid for writes within the count that the application gave beside it (see the type).
            unsafe { self.0.add(index).write_unaligned(value) }
        }
    }

    /// Writes as many elements as there are, `room` at most, unless the pointer is NULL.
    pub fn write_list(self, room: usize, values: impl IntoIterator<Item = T>) {
        for (index, value) in values.into_iter().take(room).enumerate() {
            self.write_at(index, value);
        }
    }
}

/// Memory of the application that a command reads or writes after its entry point has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPointer(pub *mut u8);

// SAFETY: an address; whoever reads or writes through it says why that is fine.
unsafe impl Send for HostPointer {}
// SAFETY: as above.
unsafe impl Sync for HostPointer {}

impl HostPointer {
    /// The pointer.
    pub fn ptr(self) -> *mut u8 {
        self.0
    }

    /// The address `offset` bytes on.
    pub fn at(self, offset: usize) -> HostPointer {
        HostPointer(self.0.wrapping_add(offset))
    }
}
