//! A long run of random commands: several host threads, in-order and out-of-order queues, wait lists, markers, barriers, user events that
//! fail, blocking calls, callbacks. Each thread knows what each of its buffers must hold at the end of a round.

use crate::{Context, check, cl};
use cl_sys::*;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of a buffer.
const LENGTH: usize = 64;
const BUFFERS: usize = 6;
/// Commands between two looks at the results.
const ROUND: usize = 120;

const SOURCE: &str = "kernel void add(global int *a, global const int *b, int c) { size_t i = get_global_id(0); a[i] += b[i] * 3 + c; }";

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    pub commands: u64,
    /// Commands that failed, as they had to.
    pub failures: u64,
    pub callbacks: u64,
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// An event that commands may wait for, and whether it will have failed.
#[derive(Clone, Copy)]
struct Awaited {
    event: cl_event,
    fails: bool,
}

struct Worker<'a> {
    random: Random,
    queue: cl_command_queue,
    /// Commands need wait lists to be in order.
    out_of_order: bool,
    kernel: cl_kernel,
    context: &'a Context,
    buffers: Vec<cl_mem>,
    /// What each buffer will hold: the same number everywhere.
    values: Vec<i32>,
    /// The last command on each buffer.
    last: Vec<Option<Awaited>>,
    /// Every event of the round.
    events: Vec<Awaited>,
    /// User events that were not set yet.
    pending: Vec<Awaited>,
    done: Done,
    callbacks: Arc<AtomicU64>,
    called_for: u64,
}

/// Runs about so many commands on so many threads. Panics where anything is not as it must be.
pub fn run(threads: usize, commands: u64, seed: u64) -> Done {
    let context = Context::new();
    let program = context.program(SOURCE, "");
    let each = commands / threads as u64;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (context, program) = (&context, &program);
                scope.spawn(move || {
                    let kernel = program.kernel("add");
                    let mut worker = Worker::new(context, kernel.id, seed * 1000 + thread as u64, thread);
                    while worker.done.commands < each {
                        worker.round();
                    }
                    worker.end()
                })
            })
            .collect();
        let mut all = Done::default();
        for worker in workers {
            let done = worker.join().expect("the thread's results are right");
            all.commands += done.commands;
            all.failures += done.failures;
            all.callbacks += done.callbacks;
        }
        all
    })
}

impl<'a> Worker<'a> {
    fn new(context: &'a Context, kernel: cl_kernel, seed: u64, thread: usize) -> Worker<'a> {
        let out_of_order = thread % 2 == 1;
        let properties = if out_of_order { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } else { 0 };
        let mut status = 0;
        let queue = cl!(clCreateCommandQueue(context.id, context.device.id, properties, &mut status));
        check(status, "clCreateCommandQueue");
        let buffers: Vec<cl_mem> = (0..BUFFERS)
            .map(|_| {
                let zeros = [0_i32; LENGTH];
                let data = zeros.as_ptr().cast_mut().cast();
                let buffer = cl!(clCreateBuffer(context.id, CL_MEM_COPY_HOST_PTR, LENGTH * 4, data, &mut status));
                check(status, "clCreateBuffer");
                buffer
            })
            .collect();
        Worker {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            queue,
            out_of_order,
            kernel,
            context,
            buffers,
            values: vec![0; BUFFERS],
            last: vec![None; BUFFERS],
            events: Vec::new(),
            pending: Vec::new(),
            done: Done::default(),
            callbacks: Arc::default(),
            called_for: 0,
        }
    }

    fn round(&mut self) {
        for _ in 0..ROUND {
            match self.random.below(16) {
                0 => self.user_event(),
                1 => self.set_user_event(),
                2 => self.synchronize(),
                3 => self.blocking_read(),
                4..=6 => self.fill(),
                7..=9 => self.copy(),
                _ => self.kernel(),
            }
        }
        self.settle();
    }

    /// A wait list: what must have happened to the buffers, and now and then something else. And whether the command will fail.
    fn wait_list(&mut self, buffers: &[usize]) -> (Vec<cl_event>, bool) {
        let mut list = Vec::new();
        if self.out_of_order {
            // A buffer whose last command fails keeps its value; what comes next need not fail with it, but for order's sake it waits.
            list.extend(buffers.iter().filter_map(|&buffer| self.last[buffer]));
        }
        while !self.events.is_empty() && self.random.one_in(3) && list.len() < 6 {
            let other = self.events[self.random.below(self.events.len())];
            list.push(other);
        }
        let fails = list.iter().any(|awaited| awaited.fails);
        (list.into_iter().map(|awaited| awaited.event).collect(), fails)
    }

    /// What a command left behind.
    fn enqueued(&mut self, status: cl_int, event: cl_event, fails: bool, buffers: &[usize]) {
        check(status, "a command");
        let awaited = Awaited { event, fails };
        for &buffer in buffers {
            self.last[buffer] = Some(awaited);
        }
        self.events.push(awaited);
        self.done.commands += 1;
        self.done.failures += u64::from(fails);
        if self.random.one_in(8) {
            extern "C" fn called(_: cl_event, _: cl_int, count: *mut c_void) {
                // SAFETY: the count that was given with the callback, and a reference to it.
                let count = unsafe { Arc::from_raw(count.cast::<AtomicU64>()) };
                count.fetch_add(1, Ordering::AcqRel);
            }
            let count = Arc::into_raw(self.callbacks.clone()).cast_mut().cast();
            check(
                cl!(clSetEventCallback(event, CL_COMPLETE, Some(called), count)),
                "clSetEventCallback",
            );
            self.called_for += 1;
        }
    }

    fn fill(&mut self) {
        let buffer = self.random.below(BUFFERS);
        let (list, fails) = self.wait_list(&[buffer]);
        let value = self.random.next() as i32;
        let (count, list) = (list.len() as cl_uint, if list.is_empty() { Vec::new() } else { list });
        let mut event = null_mut();
        let pointer = if count == 0 { null() } else { list.as_ptr() };
        let pattern = std::ptr::from_ref(&value).cast();
        let status = cl!(clEnqueueFillBuffer(
            self.queue,
            self.buffers[buffer],
            pattern,
            4,
            0,
            LENGTH * 4,
            count,
            pointer,
            &mut event
        ));
        if !fails {
            self.values[buffer] = value;
        }
        self.enqueued(status, event, fails, &[buffer]);
    }

    fn copy(&mut self) {
        let (from, to) = (self.random.below(BUFFERS), self.random.below(BUFFERS));
        if from == to {
            return;
        }
        let (list, fails) = self.wait_list(&[from, to]);
        let mut event = null_mut();
        let pointer = if list.is_empty() { null() } else { list.as_ptr() };
        let status = cl!(clEnqueueCopyBuffer(
            self.queue,
            self.buffers[from],
            self.buffers[to],
            0,
            0,
            LENGTH * 4,
            list.len() as cl_uint,
            pointer,
            &mut event
        ));
        if !fails {
            self.values[to] = self.values[from];
        }
        self.enqueued(status, event, fails, &[from, to]);
    }

    fn kernel(&mut self) {
        let (target, source) = (self.random.below(BUFFERS), self.random.below(BUFFERS));
        if target == source {
            return;
        }
        let constant = self.random.below(1000) as i32;
        let (list, fails) = self.wait_list(&[target, source]);
        for (index, buffer) in [(0, target), (1, source)] {
            let memory = std::ptr::from_ref(&self.buffers[buffer]).cast();
            check(
                cl!(clSetKernelArg(self.kernel, index, size_of::<cl_mem>(), memory)),
                "clSetKernelArg",
            );
        }
        let value = std::ptr::from_ref(&constant).cast();
        check(cl!(clSetKernelArg(self.kernel, 2, 4, value)), "clSetKernelArg");
        let mut event = null_mut();
        let size = LENGTH;
        let pointer = if list.is_empty() { null() } else { list.as_ptr() };
        let status = cl!(clEnqueueNDRangeKernel(
            self.queue,
            self.kernel,
            1,
            null(),
            &size,
            null(),
            list.len() as cl_uint,
            pointer,
            &mut event
        ));
        if !fails {
            let before = self.values[target];
            self.values[target] = before.wrapping_add(self.values[source].wrapping_mul(3).wrapping_add(constant));
        }
        self.enqueued(status, event, fails, &[target, source]);
    }

    /// A marker or a barrier.
    fn synchronize(&mut self) {
        let (list, fails) = self.wait_list(&[]);
        let mut event = null_mut();
        let pointer = if list.is_empty() { null() } else { list.as_ptr() };
        let count = list.len() as cl_uint;
        // With an empty list both wait for all that came before, and are not failed by it.
        let status = if self.random.one_in(2) {
            cl!(clEnqueueMarkerWithWaitList(self.queue, count, pointer, &mut event))
        } else if fails {
            // A barrier that fails would fail all that waits for it in an out-of-order queue, however that is read.
            cl!(clEnqueueMarkerWithWaitList(self.queue, count, pointer, &mut event))
        } else {
            cl!(clEnqueueBarrierWithWaitList(self.queue, count, pointer, &mut event))
        };
        self.enqueued(status, event, fails, &[]);
    }

    fn user_event(&mut self) {
        let mut status = 0;
        let event = cl!(clCreateUserEvent(self.context.id, &mut status));
        check(status, "clCreateUserEvent");
        let awaited = Awaited {
            event,
            fails: self.random.one_in(6),
        };
        self.events.push(awaited);
        self.pending.push(awaited);
    }

    fn set_user_event(&mut self) {
        if !self.pending.is_empty() {
            let awaited = self.pending.swap_remove(self.random.below(self.pending.len()));
            let status = if awaited.fails { -7 } else { CL_COMPLETE };
            check(cl!(clSetUserEventStatus(awaited.event, status)), "clSetUserEventStatus");
        }
    }

    /// Nobody waits for what nobody will do.
    fn set_all_user_events(&mut self) {
        while !self.pending.is_empty() {
            self.set_user_event();
        }
    }

    fn blocking_read(&mut self) {
        self.set_all_user_events();
        let buffer = self.random.below(BUFFERS);
        if let Some(last) = self.last[buffer].filter(|_| self.out_of_order) {
            let status = cl!(clWaitForEvents(1, &last.event));
            let expected = if last.fails {
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
            } else {
                0
            };
            assert_eq!(status, expected, "clWaitForEvents");
        }
        self.compare(buffer);
        self.done.commands += 1;
    }

    fn compare(&self, buffer: usize) {
        let mut numbers = [0_i32; LENGTH];
        let data = numbers.as_mut_ptr().cast();
        let status = cl!(clEnqueueReadBuffer(
            self.queue,
            self.buffers[buffer],
            CL_TRUE,
            0,
            LENGTH * 4,
            data,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueReadBuffer");
        assert_eq!(numbers, [self.values[buffer]; LENGTH], "buffer {buffer}");
    }

    /// Ends the round: everything is done, and everything is as it must be.
    fn settle(&mut self) {
        self.set_all_user_events();
        check(cl!(clFinish(self.queue)), "clFinish");
        for awaited in self.events.drain(..) {
            let status = crate::Event(awaited.event).status();
            assert_eq!(status < 0, awaited.fails, "an event ended with {status}");
            assert!(status <= CL_COMPLETE, "an event has status {status} after clFinish");
        }
        self.last.fill(None);
        for buffer in 0..BUFFERS {
            self.compare(buffer);
        }
        while self.callbacks.load(Ordering::Acquire) < self.called_for {
            std::thread::yield_now();
        }
    }

    fn end(mut self) -> Done {
        self.settle();
        for buffer in self.buffers.drain(..) {
            check(cl!(clReleaseMemObject(buffer)), "clReleaseMemObject");
        }
        check(cl!(clReleaseCommandQueue(self.queue)), "clReleaseCommandQueue");
        self.done.callbacks = self.callbacks.load(Ordering::Acquire);
        self.done
    }
}

/// Bytes of memory that the process has touched and not given back.
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
