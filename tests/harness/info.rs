//! Info queries: size first, then value, and a value of the right size.

use cl_sys::*;

/// A query's answer, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info(pub Vec<u8>);

/// Runs a query function in two steps, as programs do.
pub fn info(query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Info, cl_int> {
    let mut size = 0;
    match query(0, std::ptr::null_mut(), &mut size) {
        CL_SUCCESS => {}
        error => return Err(error),
    }
    // Room behind the answer shows whether the driver writes more than it said.
    let mut bytes = vec![0xa5; size + 16];
    match query(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()) {
        CL_SUCCESS => {}
        error => return Err(error),
    }
    assert_eq!(bytes.split_off(size), [0xa5; 16], "the query wrote beyond its answer");
    Ok(Info(bytes))
}

impl Info {
    /// A string; it must end with a NUL, and have none before.
    pub fn text(&self) -> String {
        let (last, text) = self.0.split_last().expect("a string has at least a NUL");
        assert_eq!(*last, 0);
        assert!(!text.contains(&0), "a NUL inside");
        String::from_utf8(text.to_vec()).expect("UTF-8")
    }

    /// An unsigned number of 4 or 8 bytes.
    pub fn number(&self) -> u64 {
        match self.0.len() {
            4 => u32::from_ne_bytes(self.0[..].try_into().unwrap()).into(),
            8 => u64::from_ne_bytes(self.0[..].try_into().unwrap()),
            other => panic!("{other} bytes are no number"),
        }
    }

    /// An array of `size_t`.
    pub fn sizes(&self) -> Vec<u64> {
        assert_eq!(self.0.len() % 8, 0);
        self.0
            .chunks_exact(8)
            .map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap()))
            .collect()
    }
}
