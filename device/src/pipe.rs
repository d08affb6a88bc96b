//! Pipes: the memory that a pipe object is, and what kernels do with it (OpenCL API §5.4, OpenCL C §6.15.14).
//!
//! A pipe's memory is a header and behind it a ring of packets. Packets are reserved in the order of the ring, and become readable (or free
//! again) when every reservation before them has been committed: the header counts reservations that are open, and moves its mark when the
//! last one is closed. A kernel may write while another one reads.
//!
//! A reservation is a number: its first packet's place in the ring, and how many packets it has in the upper half; 0 is none.

use crate::lock::Lock;

/// Alignment of a pipe's memory.
pub const ALIGN: usize = 128;

/// Packets are copied by their bytes; the ring begins here.
const RING: usize = 128;

#[repr(C, align(128))]
struct Header {
    packet_size: u32,
    capacity: u32,
    marks: Lock<Marks>,
}

const _: () = assert!(size_of::<Header>() == RING && align_of::<Header>() == ALIGN);

/// Numbers of packets since the beginning: `freed <= taken <= readable <= reserved <= freed + capacity`.
#[derive(Default)]
struct Marks {
    /// Reserved by writers.
    reserved: u64,
    /// Committed by them.
    readable: u64,
    /// Reservations of theirs that are open.
    writers: u32,
    /// Reserved by readers.
    taken: u64,
    /// Committed by them: room for writers.
    freed: u64,
    /// Reservations of theirs that are open.
    readers: u32,
}

/// Bytes of memory for a pipe; none if that is more than there are addresses.
pub fn bytes(packet_size: u32, capacity: u32) -> Option<usize> {
    let ring = (packet_size as usize).checked_mul(capacity as usize)?;
    ring.checked_add(RING)
}

/// Makes memory an empty pipe.
///
/// # Safety
/// `memory` must have [`bytes`] bytes, be aligned to [`ALIGN`], and belong to the caller.
pub unsafe fn initialize(memory: *mut u8, packet_size: u32, capacity: u32) {
    let header = Header {
        packet_size,
        capacity,
        marks: Lock::new(Marks::default()),
    };
    // SAFETY: the caller's promise.
    unsafe { memory.cast::<Header>().write(header) };
}

/// Functions that kernels call, by name.
pub fn runtime_symbols() -> [(&'static str, *const u8); 10] {
    [
        ("pipe_read", read as *const u8),
        ("pipe_write", write as *const u8),
        ("pipe_reserve_read", reserve_read as *const u8),
        ("pipe_reserve_write", reserve_write as *const u8),
        ("pipe_reserved_read", reserved_read as *const u8),
        ("pipe_reserved_write", reserved_write as *const u8),
        ("pipe_commit_read", commit_read as *const u8),
        ("pipe_commit_write", commit_write as *const u8),
        ("pipe_packets", packets as *const u8),
        ("pipe_capacity", capacity as *const u8),
    ]
}

impl Header {
    /// Packets of a ring position on.
    fn reservation(&self, first: u64, count: u32) -> u64 {
        (first % u64::from(self.capacity)) | (u64::from(count) << 32)
    }

    /// Where a reservation's packet is, as an offset in the pipe's memory; none if it has no such packet.
    fn packet(&self, reservation: u64, index: u32) -> Option<usize> {
        let (first, count) = (reservation & 0xffff_ffff, reservation >> 32);
        if u64::from(index) >= count || count > u64::from(self.capacity) {
            return None;
        }
        let place = (first + u64::from(index)) % u64::from(self.capacity);
        Some(RING + place as usize * self.packet_size as usize)
    }

    fn reserve_write(&self, count: u32) -> u64 {
        let mut marks = self.marks.lock();
        let room = u64::from(self.capacity) - (marks.reserved - marks.freed);
        if count == 0 || u64::from(count) > room {
            return 0;
        }
        let first = marks.reserved;
        marks.reserved += u64::from(count);
        marks.writers += 1;
        self.reservation(first, count)
    }

    fn reserve_read(&self, count: u32) -> u64 {
        let mut marks = self.marks.lock();
        if count == 0 || u64::from(count) > marks.readable - marks.taken {
            return 0;
        }
        let first = marks.taken;
        marks.taken += u64::from(count);
        marks.readers += 1;
        self.reservation(first, count)
    }

    fn commit_write(&self) {
        let mut marks = self.marks.lock();
        marks.writers = marks.writers.saturating_sub(1);
        if marks.writers == 0 {
            marks.readable = marks.reserved;
        }
    }

    fn commit_read(&self) {
        let mut marks = self.marks.lock();
        marks.readers = marks.readers.saturating_sub(1);
        if marks.readers == 0 {
            marks.freed = marks.taken;
        }
    }

    /// Bytes that a kernel's packet and the pipe's have in common.
    fn copied(&self, size: u32) -> usize {
        size.min(self.packet_size) as usize
    }
}

// What kernels call. `pipe` is the memory that an argument of theirs points to, `packet` memory for `size` bytes: the kernel's type.
// SAFETY of all: kernels are run on the promise that their arguments are what the compiler says, and that pointers of theirs are valid.

extern "C" fn read(pipe: *const u8, packet: *mut u8, size: u32) -> i32 {
    let reservation = reserve_read(pipe, 1) as u64;
    if reservation == 0 {
        return -1;
    }
    let result = reserved_read(pipe, reservation, 0, packet, size);
    commit_read(pipe, reservation);
    result
}

extern "C" fn write(pipe: *mut u8, packet: *const u8, size: u32) -> i32 {
    let reservation = reserve_write(pipe, 1) as u64;
    if reservation == 0 {
        return -1;
    }
    let result = reserved_write(pipe, reservation, 0, packet, size);
    commit_write(pipe, reservation);
    result
}

extern "C" fn reserve_read(pipe: *const u8, count: u32) -> i64 {
    // SAFETY: above.
    unsafe { header(pipe) }.reserve_read(count) as i64
}

extern "C" fn reserve_write(pipe: *const u8, count: u32) -> i64 {
    // SAFETY: above.
    unsafe { header(pipe) }.reserve_write(count) as i64
}

extern "C" fn reserved_read(pipe: *const u8, reservation: u64, index: u32, packet: *mut u8, size: u32) -> i32 {
    // SAFETY: above.
    let header = unsafe { header(pipe) };
    let Some(place) = header.packet(reservation, index) else {
        return -1;
    };
    // SAFETY: above; the place is in the ring.
    unsafe { std::ptr::copy(pipe.add(place), packet, header.copied(size)) };
    0
}

extern "C" fn reserved_write(pipe: *mut u8, reservation: u64, index: u32, packet: *const u8, size: u32) -> i32 {
    // SAFETY: above.
    let header = unsafe { header(pipe) };
    let Some(place) = header.packet(reservation, index) else {
        return -1;
    };
    // SAFETY: above; the place is in the ring.
    unsafe { std::ptr::copy(packet, pipe.add(place), header.copied(size)) };
    0
}

extern "C" fn commit_read(pipe: *const u8, reservation: u64) {
    if reservation != 0 {
        // SAFETY: above.
        unsafe { header(pipe) }.commit_read();
    }
}

extern "C" fn commit_write(pipe: *const u8, reservation: u64) {
    if reservation != 0 {
        // SAFETY: above.
        unsafe { header(pipe) }.commit_write();
    }
}

extern "C" fn packets(pipe: *const u8) -> u32 {
    // SAFETY: above.
    let marks = unsafe { header(pipe) }.marks.lock();
    (marks.readable - marks.taken) as u32
}

extern "C" fn capacity(pipe: *const u8) -> u32 {
    // SAFETY: above.
    unsafe { header(pipe) }.capacity
}

/// # Safety
/// `pipe` must be memory that [`initialize`] made a pipe.
unsafe fn header<'a>(pipe: *const u8) -> &'a Header {
    // SAFETY: the caller's promise.
    unsafe { &*pipe.cast::<Header>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Memory([u8; 1024]);

    fn pipe(packet_size: u32, capacity: u32) -> Box<Memory> {
        let mut memory = Box::new(Memory([0; 1024]));
        assert!(bytes(packet_size, capacity).unwrap() <= 1024);
        // SAFETY: the memory is large enough and aligned.
        unsafe { initialize(memory.0.as_mut_ptr(), packet_size, capacity) };
        memory
    }

    fn put(memory: &mut Memory, value: u32) -> i32 {
        write(memory.0.as_mut_ptr(), value.to_ne_bytes().as_ptr(), 4)
    }

    fn get(memory: &Memory) -> Option<u32> {
        let mut bytes = [0; 4];
        (read(memory.0.as_ptr(), bytes.as_mut_ptr(), 4) == 0).then(|| u32::from_ne_bytes(bytes))
    }

    #[test]
    fn packets_come_out_as_they_went_in() {
        let mut memory = pipe(4, 3);
        assert_eq!(get(&memory), None);
        for round in 0..5 {
            assert_eq!(
                [
                    put(&mut memory, round),
                    put(&mut memory, round + 1),
                    put(&mut memory, round + 2),
                    put(&mut memory, 9)
                ],
                [0, 0, 0, -1]
            );
            assert_eq!(packets(memory.0.as_ptr()), 3);
            assert_eq!(
                [get(&memory), get(&memory), get(&memory), get(&memory)],
                [Some(round), Some(round + 1), Some(round + 2), None]
            );
        }
        assert_eq!(capacity(memory.0.as_ptr()), 3);
    }

    #[test]
    fn reservations_are_seen_when_all_are_committed() {
        let mut memory = pipe(4, 8);
        let at = memory.0.as_mut_ptr();
        let (first, second) = (reserve_write(at, 5) as u64, reserve_write(at, 3) as u64);
        assert!(first != 0 && second != 0 && reserve_write(at, 1) == 0);
        for index in 0..3 {
            assert_eq!(reserved_write(at, second, index, (20 + index).to_ne_bytes().as_ptr(), 4), 0);
        }
        assert_eq!(reserved_write(at, second, 3, at, 4), -1);
        commit_write(at, second);
        assert_eq!(packets(at), 0);
        for index in 0..5 {
            assert_eq!(reserved_write(at, first, index, (10 + index).to_ne_bytes().as_ptr(), 4), 0);
        }
        commit_write(at, first);
        assert_eq!(packets(at), 8);
        assert_eq!(reserve_read(at, 9), 0);
        let all = reserve_read(at, 8) as u64;
        let mut found = Vec::new();
        for index in 0..8 {
            let mut bytes = [0; 4];
            assert_eq!(reserved_read(at, all, index, bytes.as_mut_ptr(), 4), 0);
            found.push(u32::from_ne_bytes(bytes));
        }
        assert_eq!(found, [10, 11, 12, 13, 14, 20, 21, 22]);
        assert_eq!(reserve_write(at, 1), 0);
        commit_read(at, all);
        assert!(reserve_write(at, 8) != 0);
    }
}
