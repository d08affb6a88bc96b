//! Identifiers of devices, drivers and kernels.

/// A name-based UUID of 16 bytes (version 8, as RFC 9562 has it for schemes of one's own).
pub fn uuid(name: &str) -> [u8; 16] {
    // FNV-1a, twice.
    let hash = |seed: u64| {
        name.bytes()
            .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_be_bytes());
    bytes[8..].copy_from_slice(&hash(0x9ae1_6a3b_2f90_404f).to_be_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}
