//! An entry's bytes: magic, checksum of all that follows, the key's length, key, value.

const MAGIC: &[u8; 8] = b"brolga1\n";
const HEADER: usize = 24;

/// The file's contents.
pub fn encode(key: &[u8], value: &[u8]) -> Vec<u8> {
    let body = [&(key.len() as u64).to_le_bytes()[..], key, value].concat();
    [&MAGIC[..], &hash(&body).to_le_bytes(), &body].concat()
}

/// The value, if the file is whole and its key is the one asked for.
pub fn decode(file: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let body = file.get(16..).filter(|_| file.starts_with(MAGIC))?;
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    if number(file.get(8..16)?)? != hash(body) || number(file.get(16..HEADER)?)? != key.len() as u64 {
        return None;
    }
    file[HEADER..].strip_prefix(key).map(<[u8]>::to_vec)
}

/// FNV-1a over 8-byte words with a final mix: finds damage, and spreads names. Not a defence against anybody.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
    }
    state = (state ^ (state >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    state ^ (state >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_anywhere_is_found() {
        let file = encode(b"key", b"some value");
        assert_eq!(decode(&file, b"key").as_deref(), Some(&b"some value"[..]));
        assert_eq!(decode(&file, b"kez"), None);
        assert_eq!(decode(&file, b"keysome"), None);
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged, b"key"), None, "bit {bit}");
        }
        for length in 0..file.len() {
            assert_eq!(decode(&file[..length], b"key"), None, "length {length}");
        }
    }
}
