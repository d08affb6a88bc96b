//! Strings that a program names by address, which need not be the addresses of strings.

use std::io;

/// No string is longer.
const MOST: usize = 1 << 20;

/// So many bytes are read at once, and none beyond the next multiple of it: a page is a multiple.
const STEP: usize = 1024;

/// The bytes from an address on, up to a zero, or to a length. `None` if they are not there to be read: the system is asked to copy them, which it
/// refuses where an access would end the process.
pub(super) fn read(address: u64, length: Option<usize>) -> Option<Vec<u8>> {
    let most = length.unwrap_or(MOST).min(MOST);
    let mut text = Vec::new();
    let mut from = usize::try_from(address).ok().filter(|&address| address != 0)?;
    while text.len() < most {
        let mut bytes = [0_u8; STEP];
        let wanted = STEP - from % STEP;
        let got = copy(from, &mut bytes[..wanted])?;
        let zero = got.iter().position(|&byte| byte == 0);
        text.extend_from_slice(&got[..zero.unwrap_or(got.len())]);
        if zero.is_some() {
            break;
        }
        from = from.checked_add(wanted)?;
    }
    text.truncate(most);
    Some(text)
}

fn copy(from: usize, bytes: &mut [u8]) -> Option<&[u8]> {
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
    fn strings_are_read_and_nothing_else_is() {
        let long = vec![b'x'; 5000];
        let mut ended = long.clone();
        ended.push(0);
        assert_eq!(read(ended.as_ptr() as u64, None), Some(long));
        assert_eq!(read(ended.as_ptr() as u64 + 4990, None), Some(vec![b'x'; 10]));
        assert_eq!(read(ended.as_ptr() as u64, Some(3)), Some(b"xxx".to_vec()));
        for wrong in [0, 1, 5, 0x4010_0000_0000_0000, u64::MAX, u64::MAX - 2000] {
            assert_eq!(read(wrong, None), None, "{wrong:#x}");
        }
    }

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
