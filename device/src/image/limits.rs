//! How large images are, and how many a kernel may have: the same through each front door.

use super::kind;

/// Texels along each dimension of an image that has one or two of them.
pub const MAX_2D: usize = 16384;
/// Texels along each dimension of an image that has three.
pub const MAX_3D: usize = 2048;
/// Layers of an array.
pub const MAX_ARRAY: usize = 2048;
/// Texels of an image that is a buffer.
pub const MAX_BUFFER: usize = 1 << 24;
/// Images that a kernel may read, and as many that it may write.
pub const MAX_ARGUMENTS: u32 = 128;
/// Samplers that a kernel may have.
pub const MAX_SAMPLERS: u32 = 128;

/// Can there be an image of a [`kind`] with this width, height, depth and number of layers? What the kind lacks is 1.
pub fn allow(kind: u32, [width, height, depth, layers]: [usize; 4]) -> bool {
    let (widest, highest) = match kind {
        kind::IMAGE_3D => (MAX_3D, MAX_3D),
        kind::IMAGE_1D_BUFFER => (MAX_BUFFER, 1),
        _ => (MAX_2D, MAX_2D),
    };
    let fits = |size: usize, most: usize| (1..=most).contains(&size);
    fits(width, widest) && fits(height, highest) && fits(depth, MAX_3D) && fits(layers, MAX_ARRAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_limits() {
        assert!(allow(kind::IMAGE_2D, [MAX_2D, MAX_2D, 1, 1]));
        assert!(!allow(kind::IMAGE_2D, [MAX_2D + 1, 1, 1, 1]));
        assert!(!allow(kind::IMAGE_2D, [1, 0, 1, 1]));
        assert!(!allow(kind::IMAGE_3D, [1, MAX_3D + 1, 1, 1]));
        assert!(allow(kind::IMAGE_1D_BUFFER, [MAX_BUFFER, 1, 1, 1]));
        assert!(!allow(kind::IMAGE_1D_ARRAY, [1, 1, 1, MAX_ARRAY + 1]));
    }
}
