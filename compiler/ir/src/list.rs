//! Lists of a few entries that are short themselves: what instructions keep their operands in.
//!
//! There are tens of thousands of instructions in a large function, and every pass goes through them: what they take of the caches is time.

use core::hash::{Hash, Hasher};
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};
use core::{fmt, slice};

/// So many entries are in the list itself.
const INLINE: usize = 2;

/// A list of entries of four bytes (values, types) that has twelve itself, with two entries inside.
///
/// Its length alone says where the entries are, and how many there is room for ([`capacity`]).
pub struct List<T: Copy> {
    length: u32,
    place: Place<T>,
}

/// Aligned as entries are, not as pointers: the pointer would make eight bytes of the length.
#[repr(C, packed(4))]
#[derive(Clone, Copy)]
union Place<T: Copy> {
    inside: [MaybeUninit<T>; INLINE],
    /// The first entry of a block of its own, a box of as many as the capacity.
    block: NonNull<T>,
}

/// For how many entries a list of this length has room.
fn capacity(length: usize) -> usize {
    length.next_power_of_two().max(INLINE)
}

// SAFETY: a list owns its entries, as a `Vec` does.
unsafe impl<T: Copy + Send> Send for List<T> {}
// SAFETY: shared lists give nothing but shared entries.
unsafe impl<T: Copy + Sync> Sync for List<T> {}

impl<T: Copy> List<T> {
    /// No entries.
    pub const fn new() -> List<T> {
        const { assert!(size_of::<T>() == 4 && align_of::<T>() <= 4 && size_of::<List<T>>() == 12) }
        List {
            length: 0,
            place: Place {
                inside: [MaybeUninit::uninit(); INLINE],
            },
        }
    }

    /// Copies of entries.
    pub fn from_slice(entries: &[T]) -> List<T> {
        let mut list = List::new();
        if entries.len() > INLINE {
            list.place.block = allocate(capacity(entries.len()));
        }
        // `allocate` has refused what is longer.
        list.length = entries.len() as u32;
        // SAFETY: there is room for as many as the length says, which are in no other list.
        unsafe { ptr::copy_nonoverlapping(entries.as_ptr(), list.start_mut(), entries.len()) };
        list
    }

    /// Puts an entry at the end.
    pub fn push(&mut self, entry: T) {
        let length = self.len();
        if length < capacity(length) {
            // The length says where the entries are: in the same place as before.
            self.length += 1;
            // SAFETY: there is room for as many as the length says.
            unsafe { self.start_mut().add(length).write(entry) };
            return;
        }
        let block = allocate(capacity(length + 1));
        // SAFETY: the new block has room for all that there are, and one more.
        unsafe {
            ptr::copy_nonoverlapping(self.as_ptr(), block.as_ptr(), length);
            block.add(length).write(entry);
        }
        *self = List {
            length: length as u32 + 1,
            place: Place { block },
        };
    }

    /// Keeps the entries for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        *self = self.iter().copied().filter(|entry| keep(entry)).collect();
    }

    /// The entries.
    pub fn as_slice(&self) -> &[T] {
        self
    }

    fn is_inside(&self) -> bool {
        self.length as usize <= INLINE
    }

    fn start_mut(&mut self) -> *mut T {
        match self.is_inside() {
            true => (&raw mut self.place).cast(),
            // SAFETY: that many entries are in a block.
            false => unsafe { self.place.block }.as_ptr(),
        }
    }
}

/// A block of its own for entries.
fn allocate<T: Copy>(capacity: usize) -> NonNull<T> {
    assert!(capacity <= 1 << 31, "a list of {capacity} entries");
    let block: Box<[MaybeUninit<T>]> = Box::new_uninit_slice(capacity);
    NonNull::from(Box::leak(block)).cast()
}

impl<T: Copy> Drop for List<T> {
    fn drop(&mut self) {
        if !self.is_inside() {
            let block = ptr::slice_from_raw_parts_mut(self.start_mut().cast::<MaybeUninit<T>>(), capacity(self.len()));
            // SAFETY: `allocate` has made this block of a box of this length, and it is the list's own.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

impl<T: Copy> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let start: *const T = match self.is_inside() {
            true => (&raw const self.place).cast(),
            // SAFETY: that many entries are in a block.
            false => unsafe { self.place.block }.as_ptr(),
        };
        // SAFETY: as many entries as the length says have been written, and nobody changes them while the list is lent.
        unsafe { slice::from_raw_parts(start, self.length as usize) }
    }
}

impl<T: Copy> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as many entries as the length says have been written, and nobody else has them while the list is lent.
        unsafe { slice::from_raw_parts_mut(self.start_mut(), self.length as usize) }
    }
}

impl<T: Copy> Clone for List<T> {
    fn clone(&self) -> List<T> {
        match self.is_inside() {
            true => List {
                length: self.length,
                place: self.place,
            },
            false => List::from_slice(self),
        }
    }
}

impl<T: Copy> Default for List<T> {
    fn default() -> List<T> {
        List::new()
    }
}

impl<T: Copy> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T: Copy> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> List<T> {
        let mut list = List::new();
        list.extend(entries);
        list
    }
}

impl<T: Copy + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &List<T>) -> bool {
        **self == **other
    }
}

impl<T: Copy + Eq> Eq for List<T> {}

impl<T: Copy + Hash> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'a, T: Copy> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> slice::Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Copy> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> slice::IterMut<'a, T> {
        self.iter_mut()
    }
}

/// A list's entries, of which the list is no longer needed.
pub struct IntoIter<T: Copy> {
    list: List<T>,
    next: usize,
}

impl<T: Copy> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let entry = self.list.get(self.next).copied()?;
        self.next += 1;
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len() - self.next;
        (left, Some(left))
    }
}

impl<T: Copy> ExactSizeIterator for IntoIter<T> {}

impl<T: Copy> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { list: self, next: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    fn of_length(length: u32) -> List<u32> {
        (0..length).collect()
    }

    #[test]
    fn entries_stay_in_order_whatever_there_is_room_for() {
        let mut list = List::default();
        for length in 0..40 {
            let expected: Vec<u32> = (0..length).collect();
            assert_eq!(list.as_slice(), expected);
            assert_eq!(List::from_slice(&expected), list);
            assert_eq!(list.is_inside(), length <= INLINE as u32);
            assert!(list.iter().eq(&expected) && list.clone().into_iter().eq(expected));
            list.push(length);
        }
    }

    #[test]
    fn copies_have_entries_of_their_own() {
        for length in 1..20 {
            let list = of_length(length);
            let mut copy = list.clone();
            copy.iter_mut().for_each(|entry| *entry += 100);
            copy[0] = 7;
            copy.push(8);
            assert_eq!(list, of_length(length));
            drop(list);
            assert_eq!((copy[0], copy.len(), copy[length as usize]), (7, length as usize + 1, 8));
        }
    }

    #[test]
    fn lists_are_equal_wherever_their_entries_have_been() {
        for length in 0..20 {
            let short = of_length(length);
            let mut shortened = of_length(20);
            shortened.retain(|&entry| entry < length);
            assert_eq!(shortened, short);
            let state = rustc_hash::FxBuildHasher;
            assert_eq!(state.hash_one(&shortened), state.hash_one(&short));
            assert_eq!(state.hash_one(short.as_slice()), state.hash_one(&short));
            shortened.push(99);
            assert_ne!(shortened, short);
            assert_ne!(of_length(20), short);
            assert_eq!(format!("{short:?}"), format!("{:?}", short.as_slice()));
        }
    }

    #[test]
    fn lists_are_extended_and_taken_apart() {
        let mut list = of_length(1);
        list.extend(of_length(7));
        let mut entries = list.into_iter();
        assert_eq!((entries.next(), entries.len()), (Some(0), 7));
        assert!(entries.eq(0..7));
    }
}
