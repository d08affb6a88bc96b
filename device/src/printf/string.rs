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
        // The process may not call this function (a sandbox): what the program says of its strings has to be taken as true.
        // SAFETY: whoever calls printf vouches for its strings; reading ends at the zero, within a block of aligned bytes that has one readable byte.
        return Some(unsafe {
            let mut count = 0;
            while count < bytes.len() {
                bytes[count] = (from as *const u8).add(count).read();
                count += 1;
                if bytes[count - 1] == 0 {
                    break;
                }
            }
            &bytes[..count]
        });
    }
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
}
