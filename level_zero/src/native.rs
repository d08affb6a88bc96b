//! Native binaries: what zeModuleGetNativeBinary gives and zeModuleCreate takes back. Machine code is made for launches and not kept; the binary has all
//! that it is made of: the modules as they came, the values of their constants, and the flags.

use crate::module::Part;

/// What a binary begins with, and ze_device_module_properties_t.nativeKernelSupported.
pub const FORMAT: [u8; 16] = *b"Brolga modules 1";

/// A binary of the parts of a module.
pub fn encode(parts: &[Part]) -> Vec<u8> {
    let mut bytes = FORMAT.to_vec();
    put_number(&mut bytes, parts.len());
    for part in parts {
        put(&mut bytes, &part.il);
        put(&mut bytes, part.flags.as_bytes());
        put_number(&mut bytes, part.constants.len());
        for (id, value) in &part.constants {
            put(&mut bytes, &id.to_le_bytes());
            put(&mut bytes, value);
        }
    }
    bytes
}

/// The parts in a binary; `None` if it is none of this driver's.
pub fn decode(bytes: &[u8]) -> Option<Vec<Part>> {
    let mut rest = bytes.strip_prefix(&FORMAT)?;
    let parts = number(&mut rest)?;
    (0..parts)
        .map(|_| {
            let il = take(&mut rest)?.to_vec();
            let flags = String::from_utf8(take(&mut rest)?.to_vec()).ok()?;
            let count = number(&mut rest)?;
            let constant = |_| Some((u32::from_le_bytes(take(&mut rest)?.try_into().ok()?), take(&mut rest)?.to_vec()));
            let constants = (0..count).map(constant).collect::<Option<_>>()?;
            Some(Part { il, flags, constants })
        })
        .collect()
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    put_number(bytes, part.len());
    bytes.extend(part);
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    u64::from_le_bytes(*number).try_into().ok()
}

fn take<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = number(rest)?;
    let (part, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_read_back_and_others_refused() {
        let part = Part {
            il: vec![3, 2, 35, 7],
            flags: "-ze-opt-disable".into(),
            constants: vec![(7, vec![1, 0, 0, 0])],
        };
        let bytes = encode(std::slice::from_ref(&part));
        assert_eq!(decode(&bytes), Some(vec![part]));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None);
        }
        assert_eq!(decode(b"\x7fELF"), None);
    }
}
