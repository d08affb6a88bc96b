//! Where a command's bytes are.
//!
//! A place has no address of an object, but the object; the address is had from it when the bytes move. So a command that has its place (whatever
//! of it a closure captures) has what keeps the bytes.

use crate::checked::order::{self, Touch};
use crate::error::Result;
use crate::memory::Memory;
use crate::raw::HostPointer;
use crate::rect::Rect;
use ::device::memory::RectPlace;
use std::sync::Arc;

/// Rows of a region that are looked at one by one where the order of commands is checked.
const MOST_ROWS: usize = 64;

/// A region of a memory object, which it keeps alive, or of the application's memory.
#[derive(Debug)]
pub struct Place {
    whole: Whole,
    rect: Rect,
}

/// What a place is a region of.
#[derive(Debug)]
enum Whole {
    Object(Arc<Memory>),
    /// Memory that the application vouches for until the command has ended: its own, or a shared allocation, which lives until the application
    /// frees it, or its context goes.
    Host(HostPointer),
}

impl Place {
    /// A region that lies in an object.
    pub fn in_object(object: &Arc<Memory>, rect: Rect) -> Place {
        Place {
            whole: Whole::Object(object.clone()),
            rect,
        }
    }

    /// A region of memory that the application vouches for.
    pub fn in_host(base: HostPointer, rect: Rect) -> Place {
        Place {
            whole: Whole::Host(base),
            rect,
        }
    }

    fn base(&self) -> *mut u8 {
        match &self.whole {
            Whole::Object(object) => object.address().ptr(),
            Whole::Host(pointer) => pointer.ptr(),
        }
    }

    /// Its bytes, rows and slices.
    pub fn region(&self) -> [usize; 3] {
        self.rect.region()
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.rect.bytes()
    }

    /// Where its bytes are, as long as there is the place.
    pub fn pointers(&self) -> RectPlace<*mut u8> {
        self.rect.place(self.base())
    }

    /// What a command that reads or writes it accesses of an object, where the order of commands is looked at. None of many rows that are apart, between which others may lie.
    pub fn touches(&self, writes: bool) -> Vec<Touch> {
        let Whole::Object(object) = &self.whole else { return Vec::new() };
        if !order::wanted() {
            return Vec::new();
        }
        let name = || if writes { "its target" } else { "its source" }.to_owned();
        let rows = self.rect.rows(self.base() as usize, MOST_ROWS);
        rows.into_iter().map(|row| Touch::new(object, row, writes, name())).collect()
    }

    /// CL_INVALID_OPERATION if it is a place of an immutable memory object.
    pub fn check_mutable(&self) -> Result<()> {
        match &self.whole {
            Whole::Object(object) => object.check_mutable(),
            Whole::Host(_) => Ok(()),
        }
    }

    /// Do two places of the same size share bytes?
    pub fn overlaps(&self, other: &Place) -> bool {
        self.rect.overlaps(self.base(), &other.rect, other.base())
    }

    /// Are two places of the same size the same bytes, in the same order?
    pub fn is(&self, other: &Place) -> bool {
        self.rect.start_in(self.base()) == other.rect.start_in(other.base()) && self.rect.has_pitches_of(&other.rect)
    }
}
