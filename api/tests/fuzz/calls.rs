//! A state machine over the host API: threads make, use, retain and release objects of all kinds in any order, with user events that come late,
//! handles that are released, of another kind, of another context, or none at all.
//!
//! What the machine keeps is what the specification asks of an application, and no more: nobody releases an object while another thread calls a
//! function on it (threads retain what they share), memory of the host outlives the commands that use it, and who waits for commands has set the
//! user events that they wait for. Whatever else happens, the driver must neither crash, nor hang, nor race, and in the end nothing may be left.

use super::random::Random;
use api::cl::*;
use api::command_buffer::{self, record};
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, Write, buffer, map};
use api::{
    context, event, handle, image, kernel, kernel_info, launch, memory, pipe, platform, program, queue, sampler, semaphore, svm, unified,
};
use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Calls of a seed's threads together, more or less.
pub const STEPS: usize = 600;
const THREADS: usize = 3;
const NONE: *mut c_void = null_mut();
const BYTES: usize = 4096;

type Manage = fn(*mut c_void) -> Result<(), cl_int>;
type Query = fn(*mut c_void, cl_uint, usize, Out<c_void>, Out<usize>) -> Result<(), cl_int>;

/// Kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
    Event,
    UserEvent,
    Sampler,
    Semaphore,
    CommandBuffer,
}

use Kind::*;

const KINDS: [Kind; 10] = [
    Context,
    Queue,
    Memory,
    Program,
    Kernel,
    Event,
    UserEvent,
    Sampler,
    Semaphore,
    CommandBuffer,
];

impl Kind {
    fn manage(self) -> (Manage, Manage) {
        match self {
            Context => (context::retain_context, context::release_context),
            Queue => (queue::retain_command_queue, queue::release_command_queue),
            Memory => (memory::retain_mem_object, memory::release_mem_object),
            Program => (program::retain_program, program::release_program),
            Kernel => (kernel::retain_kernel, kernel::release_kernel),
            Event | UserEvent => (event::retain_event, event::release_event),
            Sampler => (sampler::retain_sampler, sampler::release_sampler),
            Semaphore => (semaphore::retain_semaphore, semaphore::release_semaphore),
            CommandBuffer => (command_buffer::retain_command_buffer, command_buffer::release_command_buffer),
        }
    }

    /// Its query, and a number near those that it knows.
    fn query(self) -> (Query, cl_uint) {
        match self {
            Context => (context::get_context_info, CL_CONTEXT_REFERENCE_COUNT),
            Queue => (queue::get_command_queue_info, CL_QUEUE_CONTEXT),
            Memory => (memory::get_mem_object_info, CL_MEM_TYPE),
            Program => (program::get_program_info, CL_PROGRAM_REFERENCE_COUNT),
            Kernel => (kernel_info::get_kernel_info, CL_KERNEL_FUNCTION_NAME),
            Event | UserEvent => (event::get_event_info, CL_EVENT_COMMAND_QUEUE),
            Sampler => (sampler::get_sampler_info, CL_SAMPLER_REFERENCE_COUNT),
            Semaphore => (semaphore::get_semaphore_info, CL_SEMAPHORE_CONTEXT_KHR),
            CommandBuffer => (command_buffer::get_command_buffer_info, CL_COMMAND_BUFFER_QUEUES_KHR),
        }
    }
}

/// References released by anybody so far. A handle stays invalid until many have been: until then it can be used as one that was released, by a
/// thread that is alone: while one of several sleeps, the others release any number.
static RELEASED: AtomicUsize = AtomicUsize::new(0);
const STALE_FOR: usize = 200;

/// What a thread has.
struct Machine {
    random: Random,
    device: cl_device_id,
    alone: bool,
    /// References, one each.
    held: Vec<(Kind, *mut c_void)>,
    /// Handles of what was released, and when.
    stale: VecDeque<(Kind, *mut c_void, usize)>,
    /// All that was ever published to it, to see that nothing is left.
    seen: Vec<(Kind, *mut c_void)>,
    /// Host memory, a piece a command: two commands of one piece would race.
    host: Vec<u8>,
    host_used: usize,
    /// A semaphore's signal was enqueued, and no wait yet.
    signaled: Vec<*mut c_void>,
    calls: usize,
}

fn out<T>(place: &mut T) -> Out<c_void> {
    // SAFETY: a valid place.
    unsafe { Out::from_c(std::ptr::from_mut(place).cast()) }
}

fn text(text: &std::ffi::CStr) -> In<c_char> {
    // SAFETY: a string, which lives as long as the program.
    unsafe { In::from_c(text.as_ptr()) }
}

unsafe extern "C" fn event_told(_: cl_event, _: cl_int, _: *mut c_void) {}
unsafe extern "C" fn object_told(_: *mut c_void, _: *mut c_void) {}
unsafe extern "C" fn native(_: *mut c_void) {}

/// `k` writes and reads buffers, `i` reads an image.
const SOURCE: &std::ffi::CStr = c"kernel void k(global uint *r, global uint *p, uint n) { uint i = get_global_id(0); r[i % n] += p[(i + 1) % n]; }\n\
    kernel void i(global uint *r, read_only image2d_t m, sampler_t s, local uint *l) { l[get_local_id(0)] = read_imageui(m, s, (int2)(get_local_id(0), 0)).x; r[0] = l[0]; }";

impl Machine {
    fn add(&mut self, kind: Kind, made: Result<*mut c_void, cl_int>) {
        if let Ok(object) = made {
            self.held.push((kind, object));
            self.seen.push((kind, object));
        }
    }

    fn add_event(&mut self, event: cl_event) {
        if !event.is_null() {
            self.add(Event, Ok(event));
        }
    }

    /// A handle where one of a kind is due: mostly that.
    fn pick(&mut self, kind: Kind) -> *mut c_void {
        match self.random.below(40) {
            0 => NONE,
            1 => self.random.of(&[8_usize, 0x1000, usize::MAX - 63, self.device as usize + 8]) as *mut c_void,
            2 => self.device,
            3 if !self.held.is_empty() => self.held[self.random.below(self.held.len())].1,
            4 | 5 => self.pick_stale(kind).unwrap_or(NONE),
            _ => self.pick_live(kind).unwrap_or(NONE),
        }
    }

    fn pick_live(&mut self, kind: Kind) -> Option<*mut c_void> {
        let of_kind: Vec<*mut c_void> = self
            .held
            .iter()
            .filter(|(other, _)| *other == kind)
            .map(|(_, object)| *object)
            .collect();
        (!of_kind.is_empty()).then(|| self.random.of(&of_kind))
    }

    fn pick_stale(&mut self, kind: Kind) -> Option<*mut c_void> {
        if !self.alone {
            return None;
        }
        let now = RELEASED.load(Ordering::Relaxed);
        self.stale.retain(|(.., when)| now - when < STALE_FOR);
        let fits: Vec<*mut c_void> = self
            .stale
            .iter()
            .filter(|(other, ..)| *other == kind)
            .map(|(_, object, _)| *object)
            .collect();
        (!fits.is_empty()).then(|| self.random.of(&fits))
    }

    fn release(&mut self, place: usize) {
        let (kind, object) = self.held.swap_remove(place);
        let (_, release) = kind.manage();
        assert_eq!(release(object), Ok(()), "{kind:?}");
        let now = RELEASED.fetch_add(1, Ordering::Relaxed);
        self.calls += 1;
        self.signaled.retain(|semaphore| *semaphore != object);
        // Only what this thread alone had can be given away.
        if kind != Context && !self.held.iter().any(|(_, other)| *other == object) && !self.is_shared(object) {
            self.stale.push_back((kind, object, now));
        }
    }

    /// The first objects are everybody's.
    fn is_shared(&self, object: *mut c_void) -> bool {
        !self.seen.iter().any(|(_, own)| *own == object)
    }

    fn host(&mut self) -> HostPointer {
        if self.host_used + BYTES > self.host.len() {
            // The commands that use the old memory may still run: it is left to them.
            core::mem::forget(core::mem::replace(&mut self.host, vec![0; 64 * BYTES]));
            self.host_used = 0;
        }
        self.host_used += BYTES;
        HostPointer(self.host.as_mut_ptr().wrapping_add(self.host_used - BYTES))
    }

    fn wait_list(&mut self) -> Vec<cl_event> {
        let count = self.random.of(&[0, 0, 0, 1, 1, 2, 3]);
        (0..count)
            .map(|_| {
                let kind = self.random.of(&[Event, Event, UserEvent]);
                self.pick(kind)
            })
            .collect()
    }

    /// Sets the user events that this thread made: from now on it may wait.
    fn set_user_events(&mut self) {
        let events: Vec<*mut c_void> = self
            .held
            .iter()
            .filter(|(kind, _)| *kind == UserEvent)
            .map(|(_, event)| *event)
            .collect();
        for event in events {
            let status = self.random.of(&[CL_COMPLETE, CL_COMPLETE, CL_COMPLETE, -5]);
            let _ = event::set_user_event_status(event, status);
            self.calls += 1;
        }
    }

    fn blocking(&mut self) -> cl_bool {
        let blocks = self.random.once_in(8);
        if blocks {
            self.set_user_events();
        }
        blocks.into()
    }

    fn create(&mut self) {
        let random = &mut self.random;
        let flags = random.of(&[
            0,
            0,
            CL_MEM_READ_ONLY,
            CL_MEM_WRITE_ONLY,
            CL_MEM_HOST_NO_ACCESS,
            CL_MEM_COPY_HOST_PTR,
            CL_MEM_USE_HOST_PTR,
            1 << 40,
        ]);
        let size = random.of(&[0, 48, 64, BYTES, BYTES, BYTES, 1 << 60]);
        let kind = random.below(14);
        let context = self.pick(Context);
        let host = if flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0 {
            self.host().0.cast()
        } else {
            NONE
        };
        let size_there = size.min(BYTES);
        match kind {
            0..3 => {
                let size = if host.is_null() { size } else { size_there };
                self.add(Memory, memory::create_buffer(context, flags, size, host));
            }
            3 => {
                let (parent, part) = (self.pick(Memory), [self.random.of(&[0_usize, 0, 128, 64, BYTES]), 128]);
                // SAFETY: a region of two sizes.
                let part = unsafe { In::from_c(part.as_ptr().cast::<c_void>()) };
                self.add(Memory, memory::create_sub_buffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, part));
            }
            4 | 5 => {
                let format = cl_image_format {
                    image_channel_order: CL_RGBA,
                    image_channel_data_type: CL_UNSIGNED_INT8,
                };
                let width = self.random.of(&[0, 4, 16, 16, 1 << 20]);
                self.add(
                    Memory,
                    image::create_image_2d(context, flags & 7, In::from_slice(&[format]), width, 16, 0, NONE),
                );
            }
            6 => self.add(
                Sampler,
                sampler::create_sampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST),
            ),
            7 => {
                let properties = self
                    .random
                    .of(&[0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, 1 << 20]);
                let device = if self.random.once_in(20) { context } else { self.device };
                self.add(Queue, queue::create_command_queue(context, device, properties));
            }
            8..10 => self.add(UserEvent, event::create_user_event(context)),
            10 => {
                let packet = self.random.of(&[0, 4, 64]);
                self.add(Memory, pipe::create_pipe(context, 0, packet, 8, In::null()));
            }
            11 => {
                let properties = [CL_SEMAPHORE_TYPE_KHR as cl_properties, CL_SEMAPHORE_TYPE_BINARY_KHR, 0];
                self.add(
                    Semaphore,
                    semaphore::create_semaphore_with_properties(context, In::from_slice(&properties)),
                );
            }
            12 => {
                let queue = self.pick(Queue);
                let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, self.random.of(&[0, CL_COMMAND_BUFFER_MUTABLE_KHR]), 0];
                self.add(
                    CommandBuffer,
                    command_buffer::create_command_buffer(1, In::from_slice(&[queue]), In::from_slice(&flags)),
                );
            }
            _ => {
                let program = self.pick(Program);
                let name = self.random.of(&[c"k", c"k", c"i", c"other"]);
                self.add(Kernel, kernel::create_kernel(program, text(name)));
            }
        }
    }

    fn set_arguments(&mut self) {
        let kernel = self.pick(Kernel);
        if self.random.once_in(4) {
            let clone = kernel::clone_kernel(kernel);
            self.add(Kernel, clone);
        }
        for index in 0..4 {
            let kind = self.random.of(&[Memory, Memory, Memory, Sampler]);
            // NULL would be a valid argument, and a fault of the kernel's.
            let object = self.pick(kind);
            let object = (if object.is_null() { self.device } else { object } as usize).to_ne_bytes();
            let _ = match self.random.below(if index < 2 { 5 } else { 8 }) {
                0..5 => kernel::set_kernel_arg(kernel, index, 8, In::from_slice(&object)),
                5 => kernel::set_kernel_arg(kernel, index, 512, In::null()),
                _ => kernel::set_kernel_arg(kernel, index, 4, In::from_slice(&8_u32.to_ne_bytes())),
            };
            self.calls += 1;
        }
    }

    fn enqueue(&mut self) {
        let (queue, wait_list, blocking) = (self.pick(Queue), self.wait_list(), self.blocking());
        let list = if wait_list.is_empty() {
            In::null()
        } else {
            In::from_slice(&wait_list)
        };
        let count = wait_list.len() as cl_uint;
        let (a, b) = (self.pick(Memory), self.pick(Memory));
        let (offset, size) = (
            self.random.of(&[0, 0, 0, 64, BYTES]),
            self.random.of(&[16, 64, 64, 128, BYTES - 64, 0]),
        );
        let host = self.host();
        let mut event = NONE;
        let place = if self.random.once_in(3) {
            Out::null()
        } else {
            Out::from_mut(&mut event)
        };
        let (origin, region) = ([0, self.random.below(8), 0], [4, self.random.of(&[4, 8, 12]), 1]);
        let (origin, region) = (In::from_slice(&origin), In::from_slice(&region));
        let _ = match self.random.below(20) {
            0 => buffer::enqueue_read_or_write::<Read>(queue, a, blocking, offset, size, host, count, list, place),
            1 => buffer::enqueue_read_or_write::<Write>(queue, a, blocking, offset, size, host, count, list, place),
            2 => buffer::enqueue_copy(queue, a, b, offset, 0, size, count, list, place),
            3 | 4 => buffer::enqueue_fill(queue, a, In::from_slice(&[7; 16]), 16, offset, size, count, list, place),
            5 => image::enqueue_fill(queue, a, In::from_slice(&[1; 16]), origin, region, count, list, place),
            6 => image::enqueue_copy_buffer_to_image(queue, a, b, offset, origin, region, count, list, place),
            7 => image::enqueue_copy_image_to_buffer(queue, a, b, origin, region, offset, count, list, place),
            8 => image::enqueue_read_or_write::<Read>(queue, a, blocking, origin, region, 0, 0, host, count, list, place),
            9 => {
                let mapped = map::enqueue_map_buffer(queue, a, blocking, CL_MAP_WRITE, offset, size, count, list, place);
                mapped.and_then(|pointer| map::enqueue_unmap_mem_object(queue, a, pointer, 0, In::null(), Out::null()))
            }
            10 => map::enqueue_migrate_mem_objects(queue, 2, In::from_slice(&[a, b]), 0, count, list, place),
            11..15 => {
                let (kernel, global) = (self.pick(Kernel), [self.random.of(&[1_usize, 8, 8, 64, 0])]);
                let local = self.random.of(&[&[][..], &[], &[8], &[3], &[0]]);
                let local = if local.is_empty() { In::null() } else { In::from_slice(local) };
                launch::enqueue_nd_range_kernel(queue, kernel, 1, In::null(), In::from_slice(&global), local, count, list, place)
            }
            15 => launch::enqueue_native_kernel(queue, Some(native), In::null(), 0, 0, In::null(), In::null(), count, list, place),
            16 => queue::enqueue_marker_with_wait_list(queue, count, list, place),
            17 => queue::enqueue_barrier_with_wait_list(queue, count, list, place),
            18 => {
                let commands = self.pick(CommandBuffer);
                command_buffer::enqueue_command_buffer(0, In::null(), commands, count, list, place)
            }
            _ => self.share_memory(queue, (count, list), place),
        };
        self.add_event(event);
    }

    /// An allocation that commands fill, and the last one frees.
    fn share_memory(
        &mut self,
        queue: cl_command_queue,
        (count, list): (cl_uint, In<cl_event>),
        place: Out<cl_event>,
    ) -> Result<(), cl_int> {
        // The queue's context: allocations of another are not the queue's to fill and to free.
        let mut context = NONE;
        queue::get_command_queue_info(queue, CL_QUEUE_CONTEXT, 8, out(&mut context), Out::null())?;
        if self.random.once_in(3) {
            let pointer = unified::host_mem_alloc(context, In::null(), BYTES, 0)?;
            let mut kind: cl_uint = 0;
            unified::get_mem_alloc_info(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, 4, out(&mut kind), Out::null())?;
            return unified::mem_free(context, pointer);
        }
        let pointer = svm::svm_alloc(context, 0, BYTES, 0)?;
        let mut filled = NONE;
        let fill = svm::enqueue_svm_mem_fill(
            queue,
            pointer,
            In::from_slice(&[3]),
            1,
            BYTES,
            count,
            list,
            Out::from_mut(&mut filled),
        );
        if fill.is_err() {
            svm::svm_free(context, pointer);
            return fill;
        }
        let freed = svm::enqueue_svm_free(
            queue,
            1,
            In::from_slice(&[pointer]),
            None,
            NONE,
            1,
            In::from_slice(&[filled]),
            place,
        );
        self.add_event(filled);
        freed
    }

    fn record(&mut self) {
        let (commands, a, b) = (self.pick(CommandBuffer), self.pick(Memory), self.pick(Memory));
        let (none, queue) = (In::null(), NONE);
        for _ in 0..self.random.below(4) {
            let size = self.random.of(&[16, 64, BYTES, BYTES + 1]);
            let _ = match self.random.below(4) {
                0 => record::command_fill_buffer(
                    commands,
                    queue,
                    none,
                    a,
                    In::from_slice(&[1]),
                    1,
                    0,
                    size,
                    0,
                    In::null(),
                    Out::null(),
                    Out::null(),
                ),
                1 => record::command_copy_buffer(commands, queue, none, a, b, 0, 0, size, 0, In::null(), Out::null(), Out::null()),
                2 => record::command_barrier_with_wait_list(commands, queue, none, 0, In::null(), Out::null(), Out::null()),
                _ => {
                    let (kernel, mut command) = (self.pick(Kernel), NONE);
                    let global = [8_usize];
                    let global = In::from_slice(&global);
                    let place = if self.random.once_in(2) {
                        Out::from_mut(&mut command)
                    } else {
                        Out::null()
                    };
                    record::command_nd_range_kernel(
                        commands,
                        queue,
                        none,
                        kernel,
                        1,
                        In::null(),
                        global,
                        In::null(),
                        0,
                        In::null(),
                        Out::null(),
                        place,
                    )
                }
            };
            self.calls += 1;
        }
        if self.random.once_in(2) {
            let _ = command_buffer::finalize_command_buffer(commands);
        }
    }

    fn semaphores(&mut self) {
        let Some(semaphore) = self.pick_live(Semaphore) else { return };
        let queue = self.pick(Queue);
        let list = [semaphore];
        let list = In::from_slice(&list);
        if let Some(place) = self.signaled.iter().position(|signaled| *signaled == semaphore) {
            if semaphore::enqueue_wait_semaphores(queue, 1, list, In::null(), 0, In::null(), Out::null()).is_ok() {
                self.signaled.swap_remove(place);
            }
        } else if semaphore::enqueue_signal_semaphores(queue, 1, list, In::null(), 0, In::null(), Out::null()).is_ok() {
            self.signaled.push(semaphore);
        }
    }

    fn wait(&mut self) {
        match self.random.below(4) {
            0 => {
                let queue = self.pick(Queue);
                let _ = queue::flush(queue);
            }
            1 | 2 => {
                self.set_user_events();
                let queue = self.pick(Queue);
                let _ = queue::finish(queue);
            }
            _ => {
                self.set_user_events();
                let events: Vec<cl_event> = (0..self.random.below(3)).map(|_| self.pick(Event)).collect();
                let _ = event::wait_for_events(events.len() as cl_uint, In::from_slice(&events));
            }
        }
    }

    fn step(&mut self) {
        self.calls += 1;
        match self.random.below(40) {
            0..9 => self.create(),
            9..12 => self.set_arguments(),
            12..23 => self.enqueue(),
            23 | 24 => self.record(),
            25 => self.semaphores(),
            26 => self.wait(),
            27 | 28 => {
                let kind = self.random.of(&KINDS);
                let object = self.pick(kind);
                // A reference of what may be another kind's is none.
                if self.held.contains(&(kind, object)) && kind.manage().0(object).is_ok() {
                    self.held.push((kind, object));
                }
            }
            29..34 if !self.held.is_empty() => {
                let place = self.random.below(self.held.len());
                self.release(place);
            }
            34 => {
                // What is gone cannot be released again.
                let kind = self.random.of(&KINDS);
                if let Some(object) = self.pick_stale(kind) {
                    assert!(kind.manage().1(object).is_err(), "{kind:?} is released twice");
                }
            }
            35 => {
                let event = self.pick(UserEvent);
                let status = self.random.of(&[CL_COMPLETE, -1, 7]);
                let _ = event::set_user_event_status(event, status);
            }
            36 => {
                let kind = self.random.of(&[Event, UserEvent]);
                let (event, status) = (self.pick(kind), self.random.of(&[CL_COMPLETE, CL_RUNNING, 9]));
                let _ = event::set_event_callback(event, status, Some(event_told), NONE);
                let memory = self.pick(Memory);
                let _ = memory::set_mem_object_destructor_callback(memory, Some(object_told), NONE);
            }
            _ => {
                let kind = self.random.of(&KINDS);
                let (object, (query, first)) = (self.pick(kind), kind.query());
                let (name, size) = (first + self.random.below(16) as cl_uint, self.random.of(&[0, 4, 8, 64]));
                let (mut answer, mut length) = ([0_u8; 64], 0);
                let _ = query(object, name, size, out(&mut answer), Out::from_mut(&mut length));
            }
        }
    }

    /// Lets go of everything, in any order.
    fn end(&mut self) {
        self.set_user_events();
        while !self.held.is_empty() {
            let place = self.random.below(self.held.len());
            self.release(place);
        }
        // Commands may still use it.
        core::mem::forget(core::mem::take(&mut self.host));
    }
}

/// Handles go from thread to thread.
struct Shared(Vec<(Kind, *mut c_void)>, cl_device_id);
// SAFETY: handles are the driver's to check, on any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

fn shared() -> Shared {
    let (mut platform, mut device) = (NONE, NONE);
    api::platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
    platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
    let create = || context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
    let (own, foreign) = (create(), create());
    // Most calls are about one of the two.
    let mut all = vec![(Context, own), (Context, own), (Context, own), (Context, foreign)];
    context::retain_context(own).unwrap();
    context::retain_context(own).unwrap();
    for context in [own, own, foreign] {
        all.push((Memory, memory::create_buffer(context, 0, BYTES, NONE).unwrap()));
        all.push((Queue, queue::create_command_queue(context, device, 0).unwrap()));
    }
    all.push((
        Queue,
        queue::create_command_queue(own, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).unwrap(),
    ));
    if compiler::source::available() {
        let program = program::create_program_with_source(own, 1, In::from_slice(&[SOURCE.as_ptr()]), In::null()).unwrap();
        program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
        all.push((Program, program));
    }
    Shared(all, device)
}

pub fn run(seed: u64, skipped: &dyn Fn(usize) -> bool) -> usize {
    let shared = shared();
    let mut random = Random::new(seed);
    let threads = 1 + random.below(THREADS);
    // Each step has numbers of its own, whatever steps come before it.
    let steps: Vec<u64> = (0..STEPS).map(|_| random.word()).collect();
    let kept: Vec<u64> = steps
        .iter()
        .enumerate()
        .filter(|(step, _)| !skipped(*step))
        .map(|(_, &seed)| seed)
        .collect();
    let (mut seen, mut calls) = (Shared(Vec::new(), shared.1), 0);
    std::thread::scope(|scope| {
        let part = kept.len().div_ceil(threads).max(1);
        let running: Vec<_> = kept
            .chunks(part)
            .map(|seeds| {
                let shared = &shared;
                scope.spawn(move || {
                    for &(kind, object) in &shared.0 {
                        kind.manage().0(object).unwrap();
                    }
                    let mut machine = Machine {
                        random: Random::new(0),
                        device: shared.1,
                        alone: threads == 1,
                        held: shared.0.clone(),
                        stale: VecDeque::new(),
                        seen: Vec::new(),
                        host: Vec::new(),
                        host_used: 0,
                        signaled: Vec::new(),
                        calls: 0,
                    };
                    for &seed in seeds {
                        machine.random = Random::new(seed);
                        machine.step();
                    }
                    machine.end();
                    (Shared(machine.seen, machine.device), machine.calls)
                })
            })
            .collect();
        for thread in running {
            let (more, made) = thread.join().expect("a thread of the machine");
            seen.0.extend(more.0);
            calls += made;
        }
    });
    for (kind, object) in &shared.0 {
        kind.manage().1(*object).unwrap();
    }
    seen.0.extend(shared.0);
    nothing_is_left(&seen.0);
    calls
}

/// Every object goes when its last command has run and its last callback was called.
fn nothing_is_left(seen: &[(Kind, *mut c_void)]) {
    let until = Instant::now() + Duration::from_secs(60);
    let mut left = seen.to_vec();
    loop {
        left.retain(|&(_, object)| handle::is_taken(object));
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "left are {left:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
