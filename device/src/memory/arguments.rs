//! The argument block of a launch: the values of the kernel's arguments, each where the compiler put it.

/// The values of a kernel's arguments, each where the compiler put it. Aligned for every OpenCL type.
#[derive(Debug, Default)]
pub struct ArgumentBlock {
    lines: Vec<Line>,
    bytes: usize,
}

#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
struct Line([u8; 128]);

impl ArgumentBlock {
    /// A zeroed block.
    pub fn new(bytes: usize) -> ArgumentBlock {
        ArgumentBlock {
            lines: vec![Line([0; 128]); bytes.div_ceil(128)],
            bytes,
        }
    }

    /// Makes it a block of so many bytes; what is in it may be anything.
    pub fn reset(&mut self, bytes: usize) {
        self.lines.resize(bytes.div_ceil(128), Line([0; 128]));
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
        // SAFETY: the lines are `bytes` plain bytes at least.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
    }

    /// The bytes, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the lines are `bytes` plain bytes at least.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.bytes) }
    }

    /// Where it is.
    pub fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }
}

impl Clone for ArgumentBlock {
    fn clone(&self) -> ArgumentBlock {
        ArgumentBlock {
            lines: self.lines.clone(),
            bytes: self.bytes,
        }
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
    }
}
