//! A command keeps what it needs: every object may be released as soon as the command is enqueued. (§5.5.3, clReleaseMemObject: "After the memobj
//! reference count becomes zero and commands queued for execution on a command-queue(s) that use memobj have finished, the memory object is
//! deleted", and the like for all others.) That it is deleted too early is seen by its destructor callback, and under AddressSanitizer by the
//! access.

use super::*;
use api::command_buffer::record;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// What a test is told, and in which order.
#[derive(Debug, PartialEq)]
enum Told {
    Destroyed,
    Done,
}

unsafe extern "C" fn destroyed(_: *mut c_void, sender: *mut c_void) {
    // SAFETY: the sender that `Objects::watched` gave away.
    let sender = unsafe { Box::from_raw(sender.cast::<Sender<Told>>()) };
    let _ = sender.send(Told::Destroyed);
}

unsafe extern "C" fn done(_: cl_event, _: cl_int, sender: *mut c_void) {
    // SAFETY: the sender that `End::of` gave away.
    let sender = unsafe { Box::from_raw(sender.cast::<Sender<Told>>()) };
    let _ = sender.send(Told::Done);
}

fn given_away(sender: &Sender<Told>) -> *mut c_void {
    Box::into_raw(Box::new(sender.clone())).cast()
}

/// Objects of which each can be released, with a kernel that accesses a buffer and an image through a sampler.
struct Released {
    objects: Objects,
    sampler: cl_sampler,
    told: Receiver<Told>,
    sender: Sender<Told>,
}

impl Released {
    fn new() -> Released {
        let mut objects = Objects::new();
        let (sender, told) = channel();
        let Objects {
            context, ref mut given, ..
        } = objects;
        let source = c"kernel void k(global int *a, read_only image2d_t i, sampler_t s) {\n\
            int at = get_global_id(0); a[at] = (int)read_imageui(i, s, (int2)(at, 0)).x; }";
        program::release_program(objects.program).unwrap();
        kernel::release_kernel(given.kernel).unwrap();
        objects.program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
        program::build_program(objects.program, 0, In::null(), In::null(), None, NONE).unwrap();
        given.kernel = kernel::create_kernel(objects.program, text(c"k")).unwrap();
        let sampler = sampler::create_sampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST).unwrap();
        for (index, argument) in [given.buffer, given.image, sampler].into_iter().enumerate() {
            kernel::set_kernel_arg(
                given.kernel,
                index as cl_uint,
                8,
                In::from_slice(&(argument as usize).to_ne_bytes()),
            )
            .unwrap();
        }
        for object in [given.buffer, given.image] {
            memory::set_mem_object_destructor_callback(object, Some(destroyed), given_away(&sender)).unwrap();
        }
        semaphore::enqueue_signal_semaphores(
            given.queue,
            1,
            In::from_slice(&[given.semaphore]),
            In::null(),
            0,
            In::null(),
            Out::null(),
        )
        .unwrap();
        queue::finish(given.queue).unwrap();
        Released {
            objects,
            sampler,
            told,
            sender,
        }
    }

    /// Releases everything that holds memory of the device.
    fn release_memory(&self) {
        let given = &self.objects.given;
        memory::release_mem_object(given.buffer).unwrap();
        memory::release_mem_object(given.image).unwrap();
        sampler::release_sampler(self.sampler).unwrap();
        kernel::release_kernel(given.kernel).unwrap();
        program::release_program(self.objects.program).unwrap();
    }

    /// Releases what is left.
    fn release_rest(&self) {
        let given = &self.objects.given;
        semaphore::release_semaphore(given.semaphore).unwrap();
        command_buffer::release_command_buffer(given.command_buffer).unwrap();
        queue::release_command_queue(given.queue).unwrap();
        context::release_context(self.objects.context).unwrap();
    }

    /// Has the end of all that is enqueued by now told.
    fn tell_end(&self) {
        let mut marker = NONE;
        queue::enqueue_marker(self.objects.given.queue, Out::from_mut(&mut marker)).unwrap();
        event::set_event_callback(marker, CL_COMPLETE, Some(done), given_away(&self.sender)).unwrap();
        event::release_event(marker).unwrap();
    }

    /// Which things happen within a time that is long.
    fn next(&self, what: &str) -> Told {
        self.told
            .recv_timeout(Duration::from_secs(60))
            .unwrap_or_else(|_| panic!("{what}: nothing happens"))
    }
}

/// Enqueues a command behind a gate, releases all objects, opens the gate.
fn try_on(name: &str, keeps: usize, call: impl FnOnce(&Given) -> Result<(), cl_int>) {
    try_recorded(name, keeps, |_| Ok(()), |(), given| call(given), false);
}

/// The same for what is recorded first. Memory objects, kernel and program are released when it is recorded (`early`), or when it is enqueued.
fn try_recorded<T>(
    name: &str,
    keeps: usize,
    record: impl FnOnce(&Given) -> Result<T, cl_int>,
    call: impl FnOnce(T, &Given) -> Result<(), cl_int>,
    early: bool,
) {
    let all = Released::new();
    let recorded = record(&all.objects.given).unwrap_or_else(|code| panic!("{name}: {code}"));
    let gate = event::create_user_event(all.objects.context).unwrap();
    let gates = [gate];
    let given = Given {
        count: 1,
        list: In::from_slice(&gates),
        ..all.objects.given
    };
    if early {
        all.release_memory();
    }
    assert_eq!(call(recorded, &given), Ok(()), "{name}");
    all.tell_end();
    if !early {
        all.release_memory();
    }
    all.release_rest();
    let before: Vec<Told> = all.told.try_iter().collect();
    assert!(
        before.len() + keeps <= 2,
        "{name}: {} objects are gone before the command has run",
        before.len()
    );
    event::set_user_event_status(gate, CL_COMPLETE).unwrap();
    event::release_event(gate).unwrap();
    // All is told in the end: nothing is kept for ever.
    let mut left: Vec<Told> = (before.len()..3).map(|_| all.next(name)).collect();
    left.extend(before);
    assert_eq!(left.iter().filter(|told| **told == Told::Done).count(), 1, "{name}");
}

#[test]
fn a_command_keeps_what_it_needs() {
    for &(name, takes, _, call) in COMMANDS {
        let keeps = takes.iter().map(|takes| match takes {
            Takes::Buffer | Takes::Image => 1,
            Takes::Kernel => 2,
            _ => 0,
        });
        try_on(name, keeps.sum(), call);
    }
}

#[test]
fn native_kernels_keep_their_memory_objects() {
    unsafe extern "C" fn write(arguments: *mut c_void) {
        // SAFETY: the address of a buffer of 4096 bytes.
        unsafe { (*arguments.cast::<*mut u8>()).write_bytes(7, 4096) };
    }
    let call = |g: &Given| {
        let arguments = [0_u8; 8];
        let place = [arguments.as_ptr().cast::<c_void>()];
        launch::enqueue_native_kernel(
            g.queue,
            Some(write),
            In::from_slice(&arguments),
            8,
            1,
            In::from_slice(&[g.buffer]),
            In::from_slice(&place),
            g.count,
            g.list,
            Out::null(),
        )
    };
    try_on("clEnqueueNativeKernel", 1, call);
}

#[test]
fn shared_allocations_live_until_they_are_freed_or_their_context_goes() {
    // "clSVMFree does not wait": what the application frees is gone. What it leaves to its context, or frees by a command, waits for commands.
    let free = |g: &Given| {
        svm::enqueue_svm_mem_fill(g.queue, g.host, In::from_slice(&[1]), 1, 4096, g.count, g.list, Out::null())?;
        svm::enqueue_svm_free(g.queue, 1, In::from_slice(&[g.host]), None, NONE, 0, In::null(), Out::null())
    };
    try_on("clEnqueueSVMFree", 0, free);
    let keep = |g: &Given| {
        kernel::set_kernel_arg_svm_pointer(g.kernel, 0, g.host)?;
        launch::enqueue_nd_range_kernel(g.queue, g.kernel, 1, In::null(), region(), In::null(), g.count, g.list, Out::null())
    };
    try_on("clSetKernelArgSVMPointer", 1, keep);
}

type Record = fn(cl_command_buffer_khr, &Given) -> Result<(), cl_int>;

/// Every function that records a step, and how many objects the step keeps.
#[rustfmt::skip]
const STEPS: &[(&str, usize, Record)] = &[
    ("clCommandBarrierWithWaitListKHR", 0,
        |b, _| record::command_barrier_with_wait_list(b, NONE, In::null(), 0, In::null(), Out::null(), Out::null())),
    ("clCommandCopyBufferKHR", 1,
        |b, g| record::command_copy_buffer(b, NONE, In::null(), g.buffer, g.buffer, 0, 64, 64, 0, In::null(), Out::null(), Out::null())),
    ("clCommandCopyBufferRectKHR", 1,
        |b, g| record::command_copy_buffer_rect(b, NONE, In::null(), g.buffer, g.buffer, origin(), In::from_slice(&[0, 8, 0]), region(), 8, 0, 8, 0, 0, In::null(), Out::null(), Out::null())),
    ("clCommandFillBufferKHR", 1,
        |b, g| record::command_fill_buffer(b, NONE, In::null(), g.buffer, In::from_slice(&[1]), 1, 0, 4096, 0, In::null(), Out::null(), Out::null())),
    ("clCommandSVMMemcpyKHR", 0,
        |b, g| record::command_svm_memcpy(b, NONE, In::null(), g.host, g.host.wrapping_byte_add(64), 64, 0, In::null(), Out::null(), Out::null())),
    ("clCommandSVMMemFillKHR", 0,
        |b, g| record::command_svm_mem_fill(b, NONE, In::null(), g.host, In::from_slice(&[1]), 1, 64, 0, In::null(), Out::null(), Out::null())),
    ("clCommandCopyImageKHR", 1,
        |b, g| record::command_copy_image(b, NONE, In::null(), g.image, g.image, origin(), In::from_slice(&[4, 4, 0]), region(), 0, In::null(), Out::null(), Out::null())),
    ("clCommandCopyImageToBufferKHR", 2,
        |b, g| record::command_copy_image_to_buffer(b, NONE, In::null(), g.image, g.buffer, origin(), region(), 0, 0, In::null(), Out::null(), Out::null())),
    ("clCommandCopyBufferToImageKHR", 2,
        |b, g| record::command_copy_buffer_to_image(b, NONE, In::null(), g.buffer, g.image, 0, origin(), region(), 0, In::null(), Out::null(), Out::null())),
    ("clCommandFillImageKHR", 1,
        |b, g| record::command_fill_image(b, NONE, In::null(), g.image, In::from_slice(&[0; 16]), origin(), region(), 0, In::null(), Out::null(), Out::null())),
    ("clCommandNDRangeKernelKHR", 2,
        |b, g| record::command_nd_range_kernel(b, NONE, In::null(), g.kernel, 1, In::null(), region(), In::null(), 0, In::null(), Out::null(), Out::null())),
];

#[test]
fn a_step_keeps_what_it_needs() {
    for &(name, keeps, record) in STEPS {
        for early in [false, true] {
            let recorded = |g: &Given| {
                let buffer = command_buffer::create_command_buffer(1, In::from_slice(&[g.queue]), In::null())?;
                record(buffer, g)?;
                command_buffer::finalize_command_buffer(buffer)?;
                Ok(buffer)
            };
            let enqueued = |buffer: cl_command_buffer_khr, g: &Given| {
                command_buffer::enqueue_command_buffer(0, In::null(), buffer, g.count, g.list, Out::null())?;
                command_buffer::release_command_buffer(buffer)
            };
            try_recorded(name, keeps, recorded, enqueued, early);
        }
    }
}
