//! What a value was made of.

/// Everything that a cached value depends on, as bytes. Parts are separated by their lengths, so that no two lists of parts give the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    bytes: Vec<u8>,
}

impl Key {
    /// A key for one kind of value. The driver's version is part of every key.
    pub fn new(kind: &str) -> Key {
        let mut key = Key { bytes: Vec::new() };
        key.add(kind.as_bytes());
        key.add(env!("CARGO_PKG_VERSION").as_bytes());
        key
    }

    /// Adds something that the value depends on.
    pub fn add(&mut self, part: &[u8]) {
        self.bytes.extend((part.len() as u64).to_le_bytes());
        self.bytes.extend(part);
    }

    /// All parts.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A name for the entry's file; different keys may share it.
    pub fn hash(&self) -> u64 {
        super::entry::hash(&self.bytes)
    }
}
