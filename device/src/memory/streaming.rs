//! Copying and filling past the caches, with non-temporal stores: for what is too big to stay in them anyway, it saves reading
//! each line of the destination before it is written.

/// Bytes of a step: two cache lines.
pub(super) const STEP: usize = 128;

/// Is there a streaming form on this machine?
pub(super) fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Copies `steps` steps past the caches.
///
/// # Safety
/// [`available`]; the destination must be 32-byte aligned; both ranges valid and disjoint.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
pub(super) unsafe fn copy(destination: *mut u8, source: *const u8, steps: usize) {
    use core::arch::x86_64::*;
    for step in 0..steps {
        // SAFETY: the caller's promise for each step.
        unsafe {
            let (to, from) = (
                destination.add(step * STEP).cast::<__m256i>(),
                source.add(step * STEP).cast::<__m256i>(),
            );
            _mm_prefetch::<_MM_HINT_NTA>(from.cast::<i8>().wrapping_add(4 * STEP));
            _mm_prefetch::<_MM_HINT_NTA>(from.cast::<i8>().wrapping_add(4 * STEP + 64));
            let (a, b) = (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)));
            let (c, d) = (_mm256_loadu_si256(from.add(2)), _mm256_loadu_si256(from.add(3)));
            _mm256_stream_si256(to, a);
            _mm256_stream_si256(to.add(1), b);
            _mm256_stream_si256(to.add(2), c);
            _mm256_stream_si256(to.add(3), d);
        }
    }
    // Streaming stores are weakly ordered: whoever is told of the end must see them.
    _mm_sfence();
}

/// Writes a block to `steps` steps past the caches.
///
/// # Safety
/// [`available`]; the destination must be 32-byte aligned and valid.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
pub(super) unsafe fn fill(destination: *mut u8, block: &[u8; STEP], steps: usize) {
    use core::arch::x86_64::*;
    // SAFETY: the block has four vectors.
    let [a, b, c, d] = [0, 1, 2, 3].map(|part| unsafe { _mm256_loadu_si256(block.as_ptr().cast::<__m256i>().add(part)) });
    for step in 0..steps {
        // SAFETY: the caller's promise for each step.
        unsafe {
            let to = destination.add(step * STEP).cast::<__m256i>();
            _mm256_stream_si256(to, a);
            _mm256_stream_si256(to.add(1), b);
            _mm256_stream_si256(to.add(2), c);
            _mm256_stream_si256(to.add(3), d);
        }
    }
    _mm_sfence();
}

/// Never called: [`available`] says no.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy(destination: *mut u8, source: *const u8, steps: usize) {
    // SAFETY: the caller's promise.
    unsafe { core::ptr::copy_nonoverlapping(source, destination, steps * STEP) }
}

/// Never called: [`available`] says no.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn fill(destination: *mut u8, block: &[u8; STEP], steps: usize) {
    for step in 0..steps {
        // SAFETY: the caller's promise.
        unsafe { core::ptr::copy_nonoverlapping(block.as_ptr(), destination.add(step * STEP), STEP) }
    }
}
