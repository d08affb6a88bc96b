//! Information queries: every clGet…Info makes an [`Info`] of the parameter asked for, and [`Info::answer`] does the rest.

use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::raw::Out;
use core::ffi::c_void;
use smallvec::SmallVec;

/// Values without padding or invariants: their bytes are what the application gets.
///
/// # Safety
/// All bytes of a value must be initialized.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),* $(,)?) => {
        $(
            // SAFETY: an integer, a pointer, or a record of such without padding.
            unsafe impl Plain for $type {}
        )*
    };
}

plain!(
    u8,
    i32,
    u32,
    i64,
    u64,
    usize,
    isize,
    *mut c_void,
    *const c_void,
    cl_name_version,
    cl_device_integer_dot_product_acceleration_properties,
    cl_device_pci_bus_info_khr,
);

// SAFETY: arrays have no padding between their elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The answer to a query: the bytes of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info(SmallVec<[u8; 32]>);

impl Info {
    /// One value.
    pub fn of<T: Plain>(value: T) -> Info {
        Info::list(&[value])
    }

    /// A `cl_bool`.
    pub fn boolean(value: bool) -> Info {
        Info::of::<cl_bool>(value.into())
    }

    /// An array.
    pub fn list<T: Plain>(values: &[T]) -> Info {
        // SAFETY: `Plain` values are bytes throughout.
        let bytes = unsafe { core::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        Info(SmallVec::from_slice(bytes))
    }

    /// A string, with the NUL that ends it.
    pub fn text(text: &str) -> Info {
        let mut bytes = SmallVec::from_slice(text.as_bytes());
        bytes.push(0);
        Info(bytes)
    }

    /// No value at all: a size of zero.
    pub fn nothing() -> Info {
        Info(SmallVec::new())
    }

    /// Gives the value to the application: copies it to `param_value`, if that is not NULL, and its size to `param_value_size_ret`.
    pub fn answer(&self, param_value_size: usize, param_value: Out<c_void>, param_value_size_ret: Out<usize>) -> Result<()> {
        // CL_INVALID_VALUE if the size in bytes specified by param_value_size is < size of the return type and param_value is not NULL.
        fail_if(!param_value.is_null() && param_value_size < self.0.len(), CL_INVALID_VALUE)?;
        if !param_value.is_null() {
            // SAFETY: `param_value` has room for `param_value_size` bytes, and the value is no longer than that.
            unsafe { core::ptr::copy_nonoverlapping(self.0.as_ptr(), param_value.as_ptr().cast::<u8>(), self.0.len()) };
        }
        param_value_size_ret.write(self.0.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::FromC;

    fn place<T>(place: &mut T) -> Out<c_void> {
        // SAFETY: a valid place.
        unsafe { Out::from_c(core::ptr::from_mut(place).cast()) }
    }

    #[test]
    fn a_value_fits_or_is_refused() {
        let mut size = 0;
        Info::text("abc").answer(0, Out::null(), Out::from_mut(&mut size)).unwrap();
        assert_eq!(size, 4);
        let mut value = [9_u8; 6];
        Info::text("abc").answer(6, place(&mut value), Out::null()).unwrap();
        assert_eq!(&value, b"abc\0\x09\x09");
        assert_eq!(Info::text("abcd").answer(4, place(&mut value), Out::null()), Err(CL_INVALID_VALUE));
        assert_eq!(&value, b"abc\0\x09\x09");
    }

    #[test]
    fn sizes_are_those_of_the_types() {
        for (info, expected) in [
            (Info::of(1_u32), 4),
            (Info::of(1_usize), 8),
            (Info::list(&[1_u64, 2]), 16),
            (Info::nothing(), 0),
            (Info::boolean(true), 4),
        ] {
            let mut size = 99;
            info.answer(0, Out::null(), Out::from_mut(&mut size)).unwrap();
            assert_eq!(size, expected);
        }
    }
}
