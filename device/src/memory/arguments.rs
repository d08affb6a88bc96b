//! The argument block of a launch: the values of the kernel's arguments, each where the compiler put it.

/// What a block is aligned to: every OpenCL type.
const ALIGN: usize = 128;

/// The values of a kernel's arguments, each where the compiler put it. Aligned for every OpenCL type.
#[derive(Debug, Default)]
pub struct ArgumentBlock {
    /// Longer than the block by what it takes to align that in it: each launch has a block of its own, and allocators are several times slower where they are
    /// asked for more than the usual alignment.
    room: Vec<Unit>,
    /// Where in the room the block begins.
    start: usize,
    bytes: usize,
}

#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
struct Unit([u8; 16]);

impl ArgumentBlock {
    /// A zeroed block.
    pub fn new(bytes: usize) -> ArgumentBlock {
        let mut block = ArgumentBlock::default();
        block.reset(bytes);
        block
    }

    /// Makes it a block of so many bytes; what is in it may be anything.
    pub fn reset(&mut self, bytes: usize) {
        let most = if bytes == 0 { 0 } else { bytes + ALIGN - 1 };
        self.room.resize(most.div_ceil(size_of::<Unit>()), Unit([0; 16]));
        let address = self.room.as_ptr() as usize;
        self.start = if bytes == 0 { 0 } else { address.next_multiple_of(ALIGN) - address };
        self.bytes = bytes;
    }

    /// Puts a value where the argument's offset says. Tells whether it fits there.
    #[must_use]
    pub fn put(&mut self, offset: usize, value: &[u8]) -> bool {
        let Some(place) = self.as_mut_slice().get_mut(offset..).and_then(|rest| rest.get_mut(..value.len())) else {
            return false;
        };
        place.copy_from_slice(value);
        true
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the room has that many plain bytes from there on.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.bytes) }
    }

    /// The bytes, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the room has that many plain bytes from there on.
        unsafe { std::slice::from_raw_parts_mut(self.room.as_mut_ptr().cast::<u8>().add(self.start), self.bytes) }
    }

    /// Where it is.
    pub fn as_ptr(&self) -> *const u8 {
        // SAFETY: the start is in the room, or its end.
        unsafe { self.room.as_ptr().cast::<u8>().add(self.start) }
    }
}

impl Clone for ArgumentBlock {
    fn clone(&self) -> ArgumentBlock {
        let mut block = ArgumentBlock::new(self.bytes);
        block.as_mut_slice().copy_from_slice(self.as_slice());
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_put_where_they_belong() {
        let mut block = ArgumentBlock::new(12);
        assert!(block.put(8, &[1, 2, 3, 4]));
        assert!(!block.put(9, &[1, 2, 3, 4]));
        assert!(!block.put(13, &[]));
        assert_eq!(block.clone().as_slice(), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(block.as_ptr() as usize % 128, 0);
        let moved = std::hint::black_box(block.clone());
        assert_eq!(moved.as_ptr() as usize % 128, 0);
        block.reset(1000);
        assert!(block.put(992, &[1; 8]));
        assert_eq!(block.as_ptr() as usize % 128, 0);
    }
}
