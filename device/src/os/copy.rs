//! Reading memory that need not be there.

use std::io;

/// As many bytes from an address on, or `None` if they are not there to be read: the system is asked to copy them, which it refuses where an access would
/// end the process.
pub(crate) fn copy(from: usize, bytes: &mut [u8]) -> Option<&[u8]> {
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let remote = libc::iovec {
        iov_base: from as *mut core::ffi::c_void,
        iov_len: bytes.len(),
    };
    // SAFETY: our own memory to write to; what is read is the system's business.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    if read < 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT) {
        // The process may not call this function (a sandbox), or there is none (qemu's user mode).
        return copy_through_pipe(from, bytes);
    }
    (usize::try_from(read).ok()? == bytes.len()).then_some(&*bytes)
}

/// The same by writing to a pipe, which the system refuses for the same addresses. So few bytes find room in it.
fn copy_through_pipe(from: usize, bytes: &mut [u8]) -> Option<&[u8]> {
    let mut ends = [0; 2];
    // SAFETY: a place for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } < 0 {
        return None;
    }
    // SAFETY: descriptors of ours; what is read from is the system's business, what is written to is ours.
    let read = unsafe {
        let written = libc::write(ends[1], from as *const core::ffi::c_void, bytes.len());
        let read = match usize::try_from(written) {
            Ok(written) => libc::read(ends[0], bytes.as_mut_ptr().cast(), written),
            Err(_) => -1,
        };
        for end in ends {
            libc::close(end);
        }
        read
    };
    (usize::try_from(read).ok()? == bytes.len()).then_some(&*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_does_as_well() {
        let text = b"some text";
        let mut bytes = [0; 4];
        assert_eq!(copy_through_pipe(text.as_ptr() as usize, &mut bytes), Some(&b"some"[..]));
        for wrong in [0, 1, 0x4010_0000_0000_0000, usize::MAX - 2000] {
            assert_eq!(copy_through_pipe(wrong, &mut bytes), None, "{wrong:#x}");
        }
    }
}
