//! Buffers of plain data.

use crate::{Context, check, cl};
use cl_sys::*;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// Types that any bytes make a value of.
///
/// # Safety
/// Every bit pattern must be a value, without padding.
pub unsafe trait Plain: Copy + Default + PartialEq + std::fmt::Debug + 'static {}

macro_rules! plain {
    ($($type:ty),*) => { $(
        // SAFETY: numbers, and arrays of them.
        unsafe impl Plain for $type {}
        // SAFETY: as above.
        unsafe impl Plain for [$type; 2] {}
        // SAFETY: as above.
        unsafe impl Plain for [$type; 3] {}
        // SAFETY: as above.
        unsafe impl Plain for [$type; 4] {}
        // SAFETY: as above.
        unsafe impl Plain for [$type; 8] {}
        // SAFETY: as above.
        unsafe impl Plain for [$type; 16] {}
    )* };
}
plain!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

/// A buffer of `len` values.
#[derive(Debug)]
pub struct Buffer<'a, T> {
    pub id: cl_mem,
    pub len: usize,
    context: &'a Context,
    values: PhantomData<T>,
}

impl Context {
    /// A buffer with these values.
    #[track_caller]
    pub fn buffer<T: Plain>(&self, values: &[T]) -> Buffer<'_, T> {
        let mut status = 0;
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let id = cl!(clCreateBuffer(
            self.id,
            flags,
            size_of_val(values),
            values.as_ptr().cast_mut().cast(),
            &mut status
        ));
        check(status, "clCreateBuffer");
        Buffer {
            id,
            len: values.len(),
            context: self,
            values: PhantomData,
        }
    }

    /// A buffer of `len` default values.
    #[track_caller]
    pub fn zeros<T: Plain>(&self, len: usize) -> Buffer<'_, T> {
        self.buffer(&vec![T::default(); len])
    }
}

impl<T: Plain> Buffer<'_, T> {
    /// All values, after everything in the queue before.
    #[track_caller]
    pub fn read(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.len];
        let size = size_of_val(&values[..]);
        let to = values.as_mut_ptr().cast();
        let status = cl!(clEnqueueReadBuffer(
            self.context.queue,
            self.id,
            CL_TRUE,
            0,
            size,
            to,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueReadBuffer");
        values
    }

    /// Replaces all values.
    #[track_caller]
    pub fn write(&self, values: &[T]) {
        assert_eq!(values.len(), self.len);
        let from = values.as_ptr().cast();
        let status = cl!(clEnqueueWriteBuffer(
            self.context.queue,
            self.id,
            CL_TRUE,
            0,
            size_of_val(values),
            from,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueWriteBuffer");
    }
}

impl<T> Drop for Buffer<'_, T> {
    fn drop(&mut self) {
        cl!(clReleaseMemObject(self.id));
    }
}
