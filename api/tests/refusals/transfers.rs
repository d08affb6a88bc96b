//! Commands on buffers and on shared memory: regions, pitches, patterns and maps.

use crate::*;
use api::transfer::Direction;

const ZERO: [usize; 3] = [0; 3];

/// A queue, and two buffers of 64 bytes.
struct Commands {
    queue: cl_command_queue,
    one: cl_mem,
    other: cl_mem,
    host: Box<[u64; 16]>,
}

impl Commands {
    fn new(context: cl_context, queue: cl_command_queue) -> Commands {
        let make = || memory::create_buffer(context, 0, 64, NONE).unwrap();
        Commands {
            queue,
            one: make(),
            other: make(),
            host: Box::default(),
        }
    }

    fn host(&self) -> HostPointer {
        HostPointer(self.host.as_ptr().cast_mut().cast())
    }

    fn linear<D: Direction>(&self, offset: usize, size: usize, host: HostPointer) -> Result<(), cl_int> {
        buffer::enqueue_read_or_write::<D>(self.queue, self.one, CL_TRUE, offset, size, host, 0, In::null(), Out::null())
    }

    /// Pitches: of the buffer, of the host.
    fn rect<D: Direction>(&self, origins: [In<usize>; 2], region: In<usize>, pitches: [usize; 4], host: HostPointer) -> Result<(), cl_int> {
        let ([in_buffer, in_host], [row, slice, host_row, host_slice]) = (origins, pitches);
        let (queue, one) = (self.queue, self.one);
        buffer::enqueue_read_or_write_rect::<D>(
            queue,
            one,
            CL_TRUE,
            in_buffer,
            in_host,
            region,
            row,
            slice,
            host_row,
            host_slice,
            host,
            0,
            In::null(),
            Out::null(),
        )
    }

    fn copy(&self, from: cl_mem, to: cl_mem, offsets: [usize; 2], size: usize) -> Result<(), cl_int> {
        buffer::enqueue_copy(self.queue, from, to, offsets[0], offsets[1], size, 0, In::null(), Out::null())
    }

    fn copy_rect(&self, from: cl_mem, to: cl_mem, origins: [[usize; 3]; 2], region: [usize; 3], pitches: [usize; 4]) -> Result<(), cl_int> {
        let [row, slice, to_row, to_slice] = pitches;
        let [source, target] = &origins;
        let (source, target, region) = (In::from_slice(source), In::from_slice(target), In::from_slice(&region));
        buffer::enqueue_copy_rect(
            self.queue,
            from,
            to,
            source,
            target,
            region,
            row,
            slice,
            to_row,
            to_slice,
            0,
            In::null(),
            Out::null(),
        )
    }

    fn fill(&self, pattern: In<u8>, pattern_size: usize, offset: usize, size: usize) -> Result<(), cl_int> {
        buffer::enqueue_fill(
            self.queue,
            self.one,
            pattern,
            pattern_size,
            offset,
            size,
            0,
            In::null(),
            Out::null(),
        )
    }

    fn map(&self, flags: cl_map_flags, offset: usize, size: usize) -> Result<*mut c_void, cl_int> {
        map::enqueue_map_buffer(self.queue, self.one, CL_TRUE, flags, offset, size, 0, In::null(), Out::null())
    }
}

/// Pitches that do not fit a region of 4 bytes, 2 rows and 2 slices: too short, too short, and no multiple.
const PITCHES: [[usize; 2]; 3] = [[3, 0], [4, 6], [4, 9]];

fn reads_or_writes<D: Direction>(commands: &Commands) {
    let nowhere = HostPointer(null_mut());
    let host = commands.host();
    let (zero, region, empty) = ([0; 3], [4, 2, 2], [4, 0, 2]);
    let (zero, region, empty) = (In::from_slice(&zero), In::from_slice(&region), In::from_slice(&empty));
    let tight = [0; 4];
    refused! {
        CL_INVALID_VALUE: commands.linear::<D>(0, 65, host);
        CL_INVALID_VALUE: commands.linear::<D>(64, 1, host);
        CL_INVALID_VALUE: commands.linear::<D>(usize::MAX, 2, host);
        CL_INVALID_VALUE: commands.linear::<D>(0, 4, nowhere);
        CL_INVALID_VALUE: commands.rect::<D>([In::null(), zero], region, tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([zero, In::null()], region, tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([zero, zero], In::null(), tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([zero, zero], region, tight, nowhere);
        CL_INVALID_VALUE: commands.rect::<D>([zero, zero], empty, tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([In::from_slice(&[49, 0, 0]), zero], region, tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([In::from_slice(&[0, 0, usize::MAX]), zero], region, tight, host);
        CL_INVALID_VALUE: commands.rect::<D>([zero, zero], region, [4, 60, 0, 0], host);
        CL_INVALID_VALUE: commands.rect::<D>([zero, zero], In::from_slice(&[4, usize::MAX, 2]), tight, host);
    }
    for [row, slice] in PITCHES {
        refused! {
            CL_INVALID_VALUE: commands.rect::<D>([zero, zero], region, [row, slice, 0, 0], host);
            CL_INVALID_VALUE: commands.rect::<D>([zero, zero], region, [0, 0, row, slice], host);
        }
    }
    assert_eq!(commands.linear::<D>(0, 64, host), Ok(()));
    assert_eq!(commands.rect::<D>([zero, zero], region, tight, host), Ok(()));
}

#[test]
fn regions_of_buffers() {
    let Fixture { context, queue, .. } = Fixture::new();
    let commands = Commands::new(context, queue);
    reads_or_writes::<Read>(&commands);
    reads_or_writes::<Write>(&commands);
    let Commands { one, other, .. } = commands;
    let part = |whole, origin: usize| {
        let region = [origin, 128];
        // SAFETY: a region of two sizes.
        let info = unsafe { In::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, info).unwrap()
    };
    let large = memory::create_buffer(context, 0, 4096, NONE).unwrap();
    let (first, same, next) = (part(large, 0), part(large, 0), part(large, 128));
    let (box_, wide) = ([4, 2, 2], [64, 1, 1]);
    refused! {
        CL_INVALID_VALUE: commands.copy(one, other, [1, 0], 64);
        CL_INVALID_VALUE: commands.copy(one, other, [0, 1], 64);
        CL_INVALID_VALUE: commands.copy(one, other, [usize::MAX, 0], 2);
        CL_MEM_COPY_OVERLAP: commands.copy(one, one, [0, 8], 16);
        CL_MEM_COPY_OVERLAP: commands.copy(first, same, [0, 8], 16);
        CL_MEM_COPY_OVERLAP: commands.copy(large, first, [8, 0], 16);
        CL_INVALID_VALUE: commands.copy_rect(one, other, [ZERO; 2], [4, 2, 0], [0; 4]);
        CL_INVALID_VALUE: commands.copy_rect(one, other, [[1, 0, 0], ZERO], wide, [0; 4]);
        CL_INVALID_VALUE: commands.copy_rect(one, other, [ZERO, [1, 0, 0]], wide, [0; 4]);
        CL_INVALID_VALUE: commands.copy_rect(one, one, [ZERO, [16, 0, 0]], box_, [4, 8, 8, 16]);
        CL_INVALID_VALUE: commands.copy_rect(one, one, [ZERO, [16, 0, 0]], box_, [4, 8, 4, 16]);
        CL_MEM_COPY_OVERLAP: commands.copy_rect(one, one, [ZERO, [2, 0, 0]], box_, [0; 4]);
        CL_MEM_COPY_OVERLAP: commands.copy_rect(first, same, [ZERO, [2, 0, 0]], box_, [0; 4]);
    }
    for [row, slice] in PITCHES {
        refused! {
            CL_INVALID_VALUE: commands.copy_rect(one, other, [ZERO; 2], box_, [row, slice, 0, 0]);
            CL_INVALID_VALUE: commands.copy_rect(one, other, [ZERO; 2], box_, [0, 0, row, slice]);
        }
    }
    assert_eq!(commands.copy(first, next, [0, 0], 128), Ok(()));
    assert_eq!(commands.copy_rect(one, other, [ZERO; 2], box_, [0; 4]), Ok(()));
    let pattern = [0; 256];
    let pattern = In::from_slice(&pattern);
    for (size, offset, bytes) in [
        (0, 0, 4),
        (3, 0, 3),
        (256, 0, 0),
        (4, 2, 4),
        (4, 0, 6),
        (1, 0, 65),
        (1, 64, 1),
        (1, usize::MAX, 2),
    ] {
        assert_eq!(
            commands.fill(pattern, size, offset, bytes),
            Err(CL_INVALID_VALUE),
            "{size} {offset} {bytes}"
        );
    }
    refused! {
        CL_INVALID_VALUE: commands.fill(In::null(), 4, 0, 4);
        CL_INVALID_VALUE: commands.map(CL_MAP_READ, 0, 0);
        CL_INVALID_VALUE: commands.map(CL_MAP_READ, 0, 65);
        CL_INVALID_VALUE: commands.map(CL_MAP_READ, usize::MAX, 2);
        CL_INVALID_VALUE: commands.map(1 << 20, 0, 4);
        CL_INVALID_VALUE: commands.map(CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4);
    }
    let mapped = commands.map(CL_MAP_WRITE, 16, 16).unwrap();
    for flags in [CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
        assert_eq!(commands.map(flags, 31, 1), Err(CL_INVALID_OPERATION));
    }
    let unmap = |object, pointer| map::enqueue_unmap_mem_object(queue, object, pointer, 0, In::null(), Out::null());
    let pipe = pipe::create_pipe(context, 0, 4, 4, In::null()).unwrap();
    refused! {
        CL_INVALID_VALUE: unmap(one, mapped.wrapping_byte_add(1));
        CL_INVALID_VALUE: unmap(other, mapped);
        CL_INVALID_MEM_OBJECT: unmap(pipe, mapped);
        CL_INVALID_MEM_OBJECT: unmap(context, mapped);
        CL_INVALID_MEM_OBJECT: map::enqueue_migrate_mem_objects(queue, 2, In::from_slice(&[one, context]), 0, 0, In::null(), Out::null());
    }
    assert_eq!(unmap(one, mapped), Ok(()));
    assert_eq!(unmap(one, mapped), Err(CL_INVALID_VALUE));
}

#[test]
fn pointers_to_shared_memory() {
    let Fixture { context, queue, .. } = Fixture::new();
    let start = svm::svm_alloc(context, 0, 512, 0).unwrap();
    let at = |offset: usize| start.wrapping_byte_add(offset);
    let pattern = [0; 256];
    let pattern = In::from_slice(&pattern);
    let copy = |to, from: *mut c_void, size| svm::enqueue_svm_memcpy(queue, CL_TRUE, to, from, size, 0, In::null(), Out::null());
    let copy_unified = |to, from: *mut c_void, size| unified::enqueue_memcpy(queue, CL_TRUE, to, from, size, 0, In::null(), Out::null());
    let fill = |to, pattern, bytes, size| svm::enqueue_svm_mem_fill(queue, to, pattern, bytes, size, 0, In::null(), Out::null());
    let fill_unified = |to, pattern, bytes, size| unified::enqueue_mem_fill(queue, to, pattern, bytes, size, 0, In::null(), Out::null());
    let map = |flags, pointer, size| svm::enqueue_svm_map(queue, CL_TRUE, flags, pointer, size, 0, In::null(), Out::null());
    let migrate = |pointers: In<*const c_void>, sizes, flags| {
        svm::enqueue_svm_migrate_mem(queue, 1, pointers, sizes, flags, 0, In::null(), Out::null())
    };
    let pointers = [at(0).cast_const()];
    refused! {
        CL_INVALID_VALUE: copy(NONE, at(0), 4);
        CL_INVALID_VALUE: copy(at(0), NONE, 4);
        CL_INVALID_VALUE: copy(at(0), NONE, 0);
        CL_MEM_COPY_OVERLAP: copy(at(8), at(0), 16);
        CL_INVALID_VALUE: copy_unified(NONE, at(0), 4);
        CL_INVALID_VALUE: copy_unified(at(0), NONE, 4);
        CL_MEM_COPY_OVERLAP: copy_unified(at(8), at(0), 16);
        CL_INVALID_VALUE: unified::enqueue_memset(queue, NONE, 1, 4, 0, In::null(), Out::null());
        CL_INVALID_VALUE: map(1 << 20, at(0), 4);
        CL_INVALID_VALUE: map(CL_MAP_READ, NONE, 4);
        CL_INVALID_VALUE: map(CL_MAP_READ, at(0), 0);
        CL_INVALID_VALUE: migrate(In::null(), In::null(), 0);
        CL_INVALID_VALUE: migrate(In::from_slice(&pointers), In::null(), 1 << 20);
        CL_INVALID_VALUE: migrate(In::from_slice(&pointers), In::from_slice(&[513]), 0);
        // Each function frees what its like has made.
        CL_INVALID_VALUE: unified::mem_free(context, at(0));
        CL_INVALID_VALUE: unified::mem_blocking_free(context, at(8));
    }
    for (to, pattern, bytes, size) in [
        (NONE, pattern, 1, 4),
        (NONE, pattern, 1, 0),
        (at(0), In::null(), 1, 4),
        (at(0), pattern, 0, 4),
        (at(0), pattern, 3, 3),
        (at(0), pattern, 256, 256),
        (at(2), pattern, 4, 4),
        (at(0), pattern, 4, 6),
    ] {
        assert_eq!(fill(to, pattern, bytes, size), Err(CL_INVALID_VALUE), "{to:?} {bytes} {size}");
        assert_eq!(
            fill_unified(to, pattern, bytes, size),
            Err(CL_INVALID_VALUE),
            "{to:?} {bytes} {size}"
        );
    }
    assert_eq!(copy(at(256), at(0), 256), Ok(()));
    assert_eq!(fill(at(0), pattern, 128, 512), Ok(()));
    assert_eq!(
        migrate(In::from_slice(&pointers), In::from_slice(&[512]), CL_MIGRATE_MEM_OBJECT_HOST),
        Ok(())
    );
    queue::finish(queue).unwrap();
    svm::svm_free(context, start);
    let shared = unified::host_mem_alloc(context, In::null(), 64, 0).unwrap();
    svm::svm_free(context, shared);
    assert_eq!(unified::mem_free(context, shared), Ok(()));
    assert_eq!(unified::mem_free(context, shared), Err(CL_INVALID_VALUE));
}

/// What the host must not have done to a buffer by a command.
#[test]
fn access_by_the_host() {
    let Fixture { context, queue, .. } = Fixture::new();
    let (origin, region) = (In::from_slice(&ZERO), In::from_slice(&[4, 4, 1]));
    for (flags, reads, writes) in [
        (CL_MEM_HOST_READ_ONLY, true, false),
        (CL_MEM_HOST_WRITE_ONLY, false, true),
        (CL_MEM_HOST_NO_ACCESS, false, false),
    ] {
        let mut commands = Commands::new(context, queue);
        commands.one = memory::create_buffer(context, flags, 64, NONE).unwrap();
        let expected = |allowed| if allowed { Ok(()) } else { Err(CL_INVALID_OPERATION) };
        let host = commands.host();
        assert_eq!(commands.linear::<Read>(0, 64, host), expected(reads));
        assert_eq!(commands.linear::<Write>(0, 64, host), expected(writes));
        assert_eq!(commands.rect::<Read>([origin, origin], region, [0; 4], host), expected(reads));
        assert_eq!(commands.rect::<Write>([origin, origin], region, [0; 4], host), expected(writes));
        for (flags, allowed) in [
            (CL_MAP_READ, reads),
            (CL_MAP_WRITE, writes),
            (CL_MAP_WRITE_INVALIDATE_REGION, writes),
            (CL_MAP_READ | CL_MAP_WRITE, false),
        ] {
            let mapped = commands.map(flags, 0, 64);
            assert_eq!(mapped.map(drop), expected(allowed));
            if let Ok(pointer) = mapped {
                map::enqueue_unmap_mem_object(queue, commands.one, pointer, 0, In::null(), Out::null()).unwrap();
            }
        }
    }
}
