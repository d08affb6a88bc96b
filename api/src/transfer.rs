//! Moving bytes: what the commands on buffers, images and shared memory come down to, whichever pages of the specification they are from.
//!
//! A command that reads, writes or copies has two [`Place`]s, one that fills has one. What is said of a place (which bytes, of what, within
//! which bounds) is checked where the place is made; here bytes move.

pub mod buffer;
pub mod map;
mod place;

pub use place::Place;

use crate::cl::*;
use crate::destination::Destination;
use crate::error::{Result, fail_if};
use crate::queue::Cost;
use crate::raw::In;
use ::device::memory;

/// Bytes that are copied sooner than a thread wakes.
const SMALL_BYTES: usize = 32 << 10;

/// What a command that touches `bytes` bytes costs.
pub fn cost_of(bytes: usize, blocking: cl_bool) -> Cost {
    match bytes {
        _ if blocking != CL_FALSE => Cost::Blocking,
        0..=SMALL_BYTES => Cost::Small,
        _ => Cost::Large,
    }
}

/// Which way a command moves data between a memory object and the application's memory: [`Read`] or [`Write`].
pub trait Direction {
    /// What is so for a read, and what for a write.
    fn choose<T>(read: T, write: T) -> T;

    /// An object's place and the application's, in the order from, to.
    fn order(object: Place, host: Place) -> (Place, Place);

    /// The host access flag that forbids it.
    fn forbidding() -> cl_mem_flags {
        Self::choose(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY)
    }
}

/// From a memory object to the application's memory.
#[derive(Debug)]
pub struct Read;

/// From the application's memory to a memory object.
#[derive(Debug)]
pub struct Write;

impl Direction for Read {
    fn choose<T>(read: T, _: T) -> T {
        read
    }

    fn order(object: Place, host: Place) -> (Place, Place) {
        (object, host)
    }
}

impl Direction for Write {
    fn choose<T>(_: T, write: T) -> T {
        write
    }

    fn order(object: Place, host: Place) -> (Place, Place) {
        (host, object)
    }
}

/// A command that copies from one place to another of the same size.
pub fn copy(destination: Destination, command: cl_command_type, from: Place, to: Place, blocking: cl_bool) -> Result<()> {
    to.check_mutable()?;
    let workers = destination.device().compute_units() as usize;
    let cost = cost_of(from.bytes(), blocking);
    let touches = [from.touches(false), to.touches(true)].concat();
    destination.take(command, cost, touches, move || {
        // The application may name an object's own memory (CL_MEM_USE_HOST_PTR) as the other place.
        if !from.is(&to) {
            let region = from.region();
            // SAFETY: a place lies in an object that lives, or the application vouches for it and leaves it alone until the command has
            // ended; it does, too, for that a host place does not overlap the object's.
            unsafe { memory::copy_rect(to.pointers(), from.pointers().readable(), region, workers) };
        }
        Ok(())
    })
}

/// What a place is filled with: 1 to 128 bytes, a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    bytes: [u8; 128],
    size: usize,
}

impl Pattern {
    /// The pattern of clEnqueueFillBuffer and its kin.
    pub fn new(pattern: In<u8>, pattern_size: usize) -> Result<Pattern> {
        // CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of {1, 2, 4, 8, 16, 32, 64, 128}.
        fail_if(!pattern_size.is_power_of_two() || pattern_size > 128, CL_INVALID_VALUE)?;
        Ok(Pattern::of(pattern.bytes(pattern_size).ok_or(CL_INVALID_VALUE)?))
    }

    /// Bytes as a pattern.
    pub fn of(pattern: &[u8]) -> Pattern {
        let mut bytes = [0; 128];
        let size = pattern.len().min(bytes.len());
        bytes[..size].copy_from_slice(&pattern[..size]);
        Pattern { bytes, size }
    }
}

/// A command that fills a place.
pub fn fill(destination: Destination, command: cl_command_type, place: Place, pattern: Pattern) -> Result<()> {
    place.check_mutable()?;
    let workers = destination.device().compute_units() as usize;
    let cost = cost_of(place.bytes(), CL_FALSE);
    destination.take(command, cost, place.touches(true), move || {
        let region = place.region();
        // SAFETY: a place lies in an object that lives, or the application vouches for it and leaves it alone until the command has ended.
        unsafe { memory::fill_rect(place.pointers(), &pattern.bytes[..pattern.size], region, workers) };
        Ok(())
    })
}

const _: () = assert!(crate::machine::MEMORY_ALIGNMENT == memory::BASE_ALIGN);
