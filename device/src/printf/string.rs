//! Strings that a program names by address, which need not be the addresses of strings.

use crate::os::copy::copy;

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
