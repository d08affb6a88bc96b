//! A launch of the host's, and all that come of it.

use super::events::{COMPLETE, Events, SUBMITTED};
use super::*;
use crate::clock;
use crate::launch::{LaunchOutcome, run_in};
use crate::live::written;
use crate::lock::Lock;
use smallvec::SmallVec;
use std::sync::Arc;

/// The host's launch among [`State::nodes`].
const ROOT: u32 = 0;

/// The block of a marker: there is nothing to launch.
const MARKER: u32 = u32::MAX;

/// A launch from the host and those that kernels enqueue, directly or not.
pub struct Family<'a> {
    blocks: &'a dyn Blocks,
    default: Option<Arc<Queue>>,
    others: SmallVec<[Arc<Queue>; 2]>,
    state: Lock<State>,
}

/// Why a family's launches were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A launch of a block ended like this.
    Launch(u32, LaunchOutcome),
    /// A launch of a block could not be made.
    Refused(u32),
    /// So many launches wait for user events that nobody will complete.
    Stuck(usize),
}

struct State {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// What can start, the next one at the end.
    ready: Vec<u32>,
    events: Events,
    failure: Option<Failure>,
}

/// A launch that was asked for.
#[derive(Default)]
struct Node {
    block: u32,
    range: Range,
    arguments: ArgumentBlock,
    local: SmallVec<[u32; 2]>,
    /// Events, and the launch that asked for it, that have not ended.
    waits: u32,
    /// An event that it waits for has failed: it won't run.
    is_cancelled: bool,
    awaited: SmallVec<[u32; 2]>,
    event: Option<u32>,
    /// The nearest launch above it with an event, or the root: whose completeness depends on it.
    owner: u32,
    /// Itself, and those that it is the owner of, as far as they are not complete.
    pending: u32,
    /// What starts when it has ended.
    held: Vec<u32>,
    /// The address of its queue, which the family has, and what it takes there; nothing, if the node is free.
    queue: u64,
    bytes: u64,
}

impl Node {
    fn leave_queue(&mut self) {
        let bytes = core::mem::take(&mut self.bytes);
        if bytes != 0 {
            // SAFETY: the node is a family's, which found its queue among those that it keeps.
            unsafe { &*(self.queue as *const Queue) }.give_back(bytes);
        }
    }
}

/// Words of a note of what a kernel enqueues, without lists and captured bytes: all words, block and hold, queue, event, range, four lengths.
const NOTE: usize = 18;

impl<'a> Family<'a> {
    /// The family of a launch that is to come. `queues` are those that the launch is given.
    pub fn new(blocks: &'a dyn Blocks, default: Option<Arc<Queue>>, queues: impl IntoIterator<Item = Arc<Queue>>) -> Family<'a> {
        let root = Node {
            pending: 1,
            ..Node::default()
        };
        Family {
            blocks,
            default,
            others: queues.into_iter().collect(),
            state: Lock::new(State {
                nodes: vec![root],
                free: Vec::new(),
                ready: Vec::new(),
                events: Events::new(),
                failure: None,
            }),
        }
    }

    /// Runs the launch, and all that come of it.
    pub fn run(&self, launch: &Launch) -> Result<LaunchOutcome, Failure> {
        let outcome = run_in(launch, Some((self, ROOT)));
        if outcome == LaunchOutcome::Complete {
            self.state.lock().end(ROOT, [0; 2], COMPLETE);
            while let Some(number) = self.next() {
                self.run_node(number);
            }
        }
        let mut state = self.state.lock();
        // What is left waits no more.
        let mut left = 0;
        for node in &mut state.nodes {
            left += usize::from(node.bytes != 0);
            node.leave_queue();
        }
        match state.failure {
            Some(failure) => Err(failure),
            None if outcome == LaunchOutcome::Complete && left != 0 => Err(Failure::Stuck(left)),
            None => Ok(outcome),
        }
    }

    fn next(&self) -> Option<u32> {
        let mut state = self.state.lock();
        match state.failure {
            Some(_) => None,
            None => state.ready.pop(),
        }
    }

    fn run_node(&self, number: u32) {
        let mut state = self.state.lock();
        let node = &mut state.nodes[number as usize];
        let (block, range, wants_times) = (node.block, node.range, node.event.is_some());
        if block == MARKER || node.is_cancelled || range.global.contains(&0) {
            let status = if node.is_cancelled { CANCELLED } else { COMPLETE };
            return state.end(number, [clock::now(); 2], status);
        }
        let (arguments, local) = (core::mem::take(&mut node.arguments), core::mem::take(&mut node.local));
        drop(state);
        let now = || if wants_times { clock::now() } else { 0 };
        let began = now();
        let launch = self.blocks.launch(block, &range, arguments, &local);
        let outcome = launch.as_ref().map(|launch| run_in(launch, Some((self, number))));
        let times = [began, now()];
        if let Some(launch) = &launch {
            self.blocks.ended(block, &range, launch);
        }
        let mut state = self.state.lock();
        if let Some(launch) = launch {
            state.nodes[number as usize].arguments = launch.arguments;
        }
        match outcome {
            Some(LaunchOutcome::Complete) => state.end(number, times, COMPLETE),
            Some(outcome) => state.failure = state.failure.or(Some(Failure::Launch(block, outcome))),
            None => state.failure = state.failure.or(Some(Failure::Refused(block))),
        }
    }

    fn queue(&self, address: u64) -> Option<&Queue> {
        let mut all = self.default.iter().chain(&self.others);
        all.find(|queue| queue.address() == address).map(|queue| &**queue)
    }

    /// Answers a request. What is to be launched is noted in `asked`.
    ///
    /// # Safety
    /// The words must be those of the request.
    pub(super) unsafe fn serve(&self, request: Request, words: *const u64, asked: &mut Vec<u64>) -> u64 {
        // SAFETY: the caller's promise.
        let word = |at: usize| unsafe { words.add(at).read() };
        match request {
            Request::Enqueue => {
                // SAFETY: the request has its fixed words, and as many sizes as it says.
                let words = unsafe { core::slice::from_raw_parts(words, 21 + word(20) as usize) };
                // SAFETY: the caller's promise.
                let code = unsafe { self.enqueue(words, asked) };
                code_word(code, word(3))
            }
            Request::Marker => {
                // SAFETY: the caller's promise.
                let code = unsafe {
                    self.add(
                        MARKER,
                        word(0),
                        true,
                        &Range::default(),
                        [word(2), word(3), word(4)],
                        [0; 3],
                        &[],
                        asked,
                    )
                };
                code_word(code, word(1))
            }
            Request::DefaultQueue => self.default.as_ref().map_or(0, |queue| queue.address()),
            Request::CreateEvent => {
                let events = &mut self.state.lock().events;
                events.add(1, true).map_or(0, |index| events.handle(index))
            }
            Request::IsValid => u64::from(self.state.lock().events.find(word(0)).is_some()),
            Request::Retain | Request::Release | Request::SetStatus | Request::Profile => {
                let mut state = self.state.lock();
                let Some(index) = state.events.find(word(0)) else { return 0 };
                match request {
                    Request::Retain => state.events.retain(index),
                    Request::Release => state.events.release(index),
                    Request::SetStatus => {
                        let status = word(1) as i32;
                        if state.events.is_open(index) && status <= COMPLETE {
                            state.complete(index, [0; 2], status);
                        }
                    }
                    _ => {
                        state.events.get(index).wanted_at = word(2);
                        if state.events.get(index).status != SUBMITTED {
                            state.events.tell_times(index);
                        }
                    }
                }
                0
            }
            Request::SubGroupCount | Request::MaxSubGroupSize => {
                // SAFETY: the caller's promise.
                let range = Range::read(unsafe { core::slice::from_raw_parts(words.add(1), 10) });
                self.blocks.ask(request, word(0) as u32, &range, 0).into()
            }
            Request::LocalSizeForSubGroups => self.blocks.ask(request, word(0) as u32, &Range::default(), word(1)).into(),
            Request::WorkGroupSize | Request::PreferredMultiple | Request::MaxSubGroups => {
                self.blocks.ask(request, word(0) as u32, &Range::default(), 0).into()
            }
        }
    }

    /// # Safety
    /// The words must be those of [`Request::Enqueue`].
    unsafe fn enqueue(&self, words: &[u64], asked: &mut Vec<u64>) -> i32 {
        let (flags, block) = (words[1], words[2] as u32);
        if flags > 2 {
            return CLK_ENQUEUE_FAILURE;
        }
        let range = Range::read(&words[4..14]);
        let local: SmallVec<[u32; 8]> = words[21..].iter().map(|&size| size as u32).collect();
        if local.contains(&0) {
            return CLK_INVALID_ARG_SIZE;
        }
        let code = self.blocks.check(block, &range, &local);
        if code != CLK_SUCCESS {
            return code;
        }
        let events = [words[14], words[15], words[16]];
        // SAFETY: the caller's promise.
        unsafe {
            self.add(
                block,
                words[0],
                flags != 0,
                &range,
                events,
                [words[17], words[18], words[19]],
                &local,
                asked,
            )
        }
    }

    /// Notes a launch, or a marker. `events` are how many it waits for, where these are, and where its own is wanted; `captured` where the bytes are, how many,
    /// and their alignment.
    ///
    /// # Safety
    /// Lists and bytes must be there.
    #[allow(clippy::too_many_arguments)]
    unsafe fn add(
        &self,
        block: u32,
        queue: u64,
        is_held: bool,
        range: &Range,
        [count, list, own]: [u64; 3],
        [captured, size, align]: [u64; 3],
        local: &[u32],
        asked: &mut Vec<u64>,
    ) -> i32 {
        let Some(queue) = self.queue(queue) else { return CLK_INVALID_QUEUE };
        if (count == 0) != (list == 0) {
            return CLK_INVALID_EVENT_WAIT_LIST;
        }
        let bytes = (size_of::<Node>() as u64 + size + 8 * local.len() as u64 + 128).next_multiple_of(64);
        if !queue.take(bytes) {
            return CLK_DEVICE_QUEUE_FULL;
        }
        let refuse = |code: i32| {
            queue.give_back(bytes);
            code
        };
        let mut awaited: SmallVec<[u32; 8]> = SmallVec::new();
        let mut event = 0;
        if count != 0 || own != 0 {
            let events = &mut self.state.lock().events;
            for at in 0..count as usize {
                // SAFETY: the caller's promise.
                let handle = unsafe { (list as *const u64).add(at).read_unaligned() };
                match events.find(handle) {
                    Some(index) => awaited.push(index),
                    None => return refuse(CLK_INVALID_EVENT_WAIT_LIST),
                }
            }
            if own != 0 {
                // The kernel holds it, and the launch.
                let Some(index) = events.add(2, false) else {
                    return refuse(CLK_EVENT_ALLOCATION_FAILURE);
                };
                // SAFETY: the caller's promise.
                unsafe { (own as *mut u64).write_unaligned(events.handle(index)) };
                written::set(own as *const u8, size_of::<u64>());
                event = u64::from(index + 1);
            }
            awaited.iter().for_each(|&index| events.retain(index));
        }
        let words = size.div_ceil(8) as usize;
        let local_range = range.local.unwrap_or_default();
        let total = NOTE + awaited.len() + local.len() + words;
        asked.extend([
            total as u64,
            u64::from(block) | u64::from(is_held) << 32,
            queue.address(),
            event,
            range.work_dim.into(),
        ]);
        asked.extend(range.offset.into_iter().chain(range.global).chain(local_range));
        asked.extend([awaited.len() as u64, local.len() as u64, size, bytes | align.clamp(1, 128) << 56]);
        asked.extend(awaited.iter().chain(local).map(|&number| u64::from(number)));
        let at = asked.len();
        asked.resize(at + words, 0);
        if size != 0 {
            // SAFETY: the caller's promise; there are as many bytes from `at` on.
            unsafe { core::ptr::copy_nonoverlapping(captured as *const u8, asked[at..].as_mut_ptr().cast(), size as usize) };
        }
        CLK_SUCCESS
    }

    /// Takes over what the groups of a launch have asked for.
    pub(crate) fn take(&self, parent: u32, asked: &mut Vec<u64>) {
        let mut state = self.state.lock();
        let mut rest = &asked[..];
        let first = state.ready.len();
        while let Some(&total) = rest.first() {
            let (note, after) = rest.split_at(total as usize);
            let room = if note[1] as u32 == MARKER {
                8
            } else {
                self.blocks.argument_bytes(note[1] as u32)
            };
            state.add(parent, note, room);
            rest = after;
        }
        // The first is to start first.
        state.ready[first..].reverse();
        asked.clear();
    }
}

fn code_word(code: i32, details: u64) -> u64 {
    let code = if code != CLK_SUCCESS && details == 0 {
        CLK_ENQUEUE_FAILURE
    } else {
        code
    };
    u64::from(code as u32)
}

/// The status of a launch whose wait list has failed: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
const CANCELLED: i32 = -14;

impl State {
    /// Makes a node of a note, with so many bytes for arguments.
    fn add(&mut self, parent: u32, note: &[u64], room: usize) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(Node::default());
            self.nodes.len() as u32 - 1
        });
        let (waits, local) = (note[14] as usize, note[15] as usize);
        let (size, align) = (note[16] as usize, (note[17] >> 56) as usize);
        let is_held = note[1] >> 32 != 0;
        let above = &self.nodes[parent as usize];
        let owner = if parent == ROOT || above.event.is_some() {
            parent
        } else {
            above.owner
        };
        self.nodes[owner as usize].pending += 1;
        let node = &mut self.nodes[number as usize];
        node.block = note[1] as u32;
        node.range = Range::read(&note[4..14]);
        node.waits = u32::from(is_held);
        node.is_cancelled = false;
        node.event = (note[3] as u32).checked_sub(1);
        node.owner = owner;
        node.pending = 1;
        node.queue = note[2];
        node.bytes = note[17] << 8 >> 8;
        node.local.clear();
        node.local.extend(note[NOTE + waits..][..local].iter().map(|&size| size as u32));
        let captured = room.next_multiple_of(align);
        node.arguments.reset(captured + size);
        let address = node.arguments.as_ptr() as u64 + captured as u64;
        // The block was made with room for both.
        let bytes = &note[NOTE + waits + local..];
        // SAFETY: plain words are plain bytes; there are `size` of them.
        let bytes = unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), size) };
        let fits = node.arguments.put(0, &address.to_ne_bytes()) && node.arguments.put(captured, bytes);
        debug_assert!(fits);
        for &index in &note[NOTE..][..waits] {
            let index = index as u32;
            let event = self.events.get(index);
            match event.status {
                SUBMITTED => {
                    event.waiters.push(number);
                    self.nodes[number as usize].waits += 1;
                }
                status => self.nodes[number as usize].is_cancelled |= status < COMPLETE,
            }
            self.nodes[number as usize].awaited.push(index);
        }
        if is_held {
            self.nodes[parent as usize].held.push(number);
        } else if self.nodes[number as usize].waits == 0 {
            self.ready.push(number);
        }
    }

    /// An event is over.
    fn complete(&mut self, index: u32, times: [u64; 2], status: i32) {
        let event = self.events.get(index);
        event.status = status;
        event.times = times;
        event.complete = clock::now();
        let mut waiters = core::mem::take(&mut event.waiters);
        self.events.tell_times(index);
        for &waiter in &waiters {
            self.nodes[waiter as usize].is_cancelled |= status < COMPLETE;
            self.end_wait(waiter);
        }
        waiters.clear();
        self.events.get(index).waiters = waiters;
    }

    fn end_wait(&mut self, number: u32) {
        let node = &mut self.nodes[number as usize];
        node.waits -= 1;
        if node.waits == 0 {
            self.ready.push(number);
        }
    }

    /// A launch has ended: what waited for that may start, and it is complete if all that came of it is.
    fn end(&mut self, number: u32, times: [u64; 2], status: i32) {
        let mut held = core::mem::take(&mut self.nodes[number as usize].held);
        held.iter().rev().for_each(|&child| self.end_wait(child));
        held.clear();
        let node = &mut self.nodes[number as usize];
        node.held = held;
        if let Some(event) = node.event {
            let event = self.events.get(event);
            event.times = times;
            // What is told when all that came of it is complete.
            event.status = if status < COMPLETE { status } else { SUBMITTED };
        }
        self.be_less(number);
    }

    /// One thing less that a launch's completeness depends on.
    fn be_less(&mut self, mut number: u32) {
        loop {
            let node = &mut self.nodes[number as usize];
            node.pending -= 1;
            if node.pending != 0 || number == ROOT {
                return;
            }
            let owner = node.owner;
            let awaited = core::mem::take(&mut node.awaited);
            awaited.iter().for_each(|&event| self.events.release(event));
            if let Some(index) = self.nodes[number as usize].event.take() {
                let event = self.events.get(index);
                let (times, status) = (event.times, event.status);
                self.complete(index, times, if status == SUBMITTED { COMPLETE } else { status });
                self.events.release(index);
            }
            self.nodes[number as usize].leave_queue();
            self.free.push(number);
            number = owner;
        }
    }
}
