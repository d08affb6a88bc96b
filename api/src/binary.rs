//! Program binaries: CL_PROGRAM_BINARIES and clCreateProgramWithBinary (§5.8.1).
//!
//! A binary is what a program needs to be there again without its source: its SPIR-V modules and how they were built. Machine code is
//! made of it anew, in milliseconds, on whatever processor it then is.

use crate::cl::*;

/// The contents of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// CL_PROGRAM_BINARY_TYPE
    pub binary_type: cl_program_binary_type,
    /// CL_PROGRAM_BUILD_OPTIONS
    pub options: String,
    /// Every work-group of its kernels must have the same size.
    pub uniform_groups: bool,
    /// SPIR-V.
    pub modules: Vec<Vec<u8>>,
}

const MAGIC: [u8; 8] = *b"BROLGA\x00\x01";

impl Binary {
    /// The bytes: magic, checksum of the rest, type, uniformity, and with a length before each the options and the modules.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(self.binary_type.to_le_bytes());
        body.extend(u32::from(self.uniform_groups).to_le_bytes());
        for part in std::iter::once(self.options.as_bytes()).chain(self.modules.iter().map(Vec::as_slice)) {
            body.extend((part.len() as u64).to_le_bytes());
            body.extend(part);
        }
        [&MAGIC[..], &checksum(&body).to_le_bytes(), &body].concat()
    }

    /// Reads bytes back; `None` if they are not, or not quite, what [`Binary::encode`] made.
    pub fn decode(bytes: &[u8]) -> Option<Binary> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (sum, body) = rest.split_first_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return None;
        }
        let (binary_type, body) = body.split_first_chunk::<4>()?;
        let (uniform, mut body) = body.split_first_chunk::<4>()?;
        let mut parts = Vec::new();
        while !body.is_empty() {
            let (length, rest) = body.split_first_chunk::<8>()?;
            let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            parts.push(part.to_vec());
            body = rest;
        }
        let mut parts = parts.into_iter();
        Some(Binary {
            binary_type: u32::from_le_bytes(*binary_type),
            uniform_groups: u32::from_le_bytes(*uniform) != 0,
            options: String::from_utf8(parts.next()?).ok()?,
            modules: parts.collect(),
        })
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_comes_back_whole_or_not_at_all() {
        let binary = Binary {
            binary_type: CL_PROGRAM_BINARY_TYPE_EXECUTABLE as u32,
            options: "-cl-mad-enable".into(),
            uniform_groups: true,
            modules: vec![vec![1, 2, 3], vec![], vec![4]],
        };
        let bytes = binary.encode();
        assert_eq!(Binary::decode(&bytes), Some(binary));
        for end in 0..bytes.len() {
            assert_eq!(Binary::decode(&bytes[..end]), None);
        }
        for place in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[place] ^= 0x40;
            assert_eq!(Binary::decode(&wrong), None);
        }
    }
}
