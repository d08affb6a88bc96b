//! Threads in modelled time. Each has a stack and a clock; whichever clock is least goes on. All of it happens on one thread of the system.

use crate::model::Machine;
use generator::{Gn, LocalGenerator, Scope, done};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// Words of stack that a thread has.
const STACK: usize = 16 << 10;

type Yield = Scope<'static, 'static, (), ()>;

struct Thread {
    /// Its own time, in picoseconds.
    clock: u64,
    core: usize,
    /// Where it is left, once it has begun.
    scope: *mut Yield,
    body: Option<LocalGenerator<'static, (), ()>>,
    over: bool,
}

/// A line of cache: who has it, and until when it is on its way.
#[derive(Default)]
struct Line {
    /// The core that wrote it last, or read it first.
    owner: Option<usize>,
    /// A bit a core that can read it.
    readers: Vec<u64>,
    free: u64,
}

impl Line {
    fn is_read_by(&self, core: usize) -> bool {
        self.readers.get(core / 64).is_some_and(|word| word >> (core % 64) & 1 != 0)
    }

    fn is_for_itself(&self, core: usize) -> bool {
        self.is_read_by(core) && self.readers.iter().map(|word| word.count_ones()).sum::<u32>() == 1
    }

    fn add_reader(&mut self, core: usize) {
        if self.readers.len() <= core / 64 {
            self.readers.resize(core / 64 + 1, 0);
        }
        self.readers[core / 64] |= 1 << (core % 64);
    }
}

struct Simulation {
    machine: Machine,
    threads: Vec<Thread>,
    /// How many threads each core has that do not sleep.
    awake: Vec<u64>,
    /// Threads that can go on, by their clocks, and among equals in the order in which they came.
    ready: BinaryHeap<Reverse<(u64, u64, usize)>>,
    entered: u64,
    current: usize,
    lines: HashMap<usize, Line>,
    /// Who sleeps on a word.
    sleepers: HashMap<usize, VecDeque<usize>>,
    /// Who waits for the end of a thread.
    waiting: HashMap<usize, Vec<usize>>,
}

thread_local! {
    static NOW: RefCell<Option<Simulation>> = const { RefCell::new(None) };
}

fn with<R>(f: impl FnOnce(&mut Simulation) -> R) -> R {
    NOW.with_borrow_mut(|now| f(now.as_mut().expect("within a simulation")))
}

/// How a word is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Load,
    Store,
    Update,
}

impl Simulation {
    fn enter(&mut self, thread: usize) {
        self.entered += 1;
        self.ready.push(Reverse((self.threads[thread].clock, self.entered, thread)));
    }

    fn spawn(&mut self, clock: u64, body: Box<dyn FnOnce()>) -> usize {
        let number = self.threads.len();
        let core = self.place(number % self.machine.cores.len());
        let run = move |mut scope: Scope<'_, '_, (), ()>| {
            let here = (&raw mut scope).cast::<Yield>();
            with(|now| now.threads[number].scope = here);
            body();
            done!()
        };
        self.threads.push(Thread {
            clock,
            core,
            scope: std::ptr::null_mut(),
            body: Some(Gn::new_scoped_opt_local(STACK, run)),
            over: false,
        });
        self.enter(number);
        number
    }

    /// A core for a thread that wakes: the one that it had, or, if that has another now, the first that has none.
    fn place(&mut self, core: usize) -> usize {
        let free = |core: &usize| self.awake[*core] == 0;
        let core = Some(core).filter(free).or_else(|| (0..self.awake.len()).find(free)).unwrap_or(core);
        self.awake[core] += 1;
        core
    }

    /// When the current thread has done an access.
    fn access(&mut self, address: usize, access: Access) -> u64 {
        let Simulation {
            machine, threads, lines, ..
        } = self;
        let Thread { clock, core, .. } = threads[self.current];
        let line = lines.entry(address / 64).or_default();
        let mine = match access {
            Access::Load => line.is_read_by(core),
            Access::Store | Access::Update => line.is_for_itself(core),
        };
        let local = if access == Access::Update { machine.locked } else { machine.hit };
        if mine {
            return clock.max(line.free) + local;
        }
        // A line that nobody has comes from memory.
        let time = line.owner.map_or(machine.within_socket, |owner| {
            machine.distance(owner, core).max(machine.within_cluster)
        });
        let was_written = line.owner.is_some_and(|owner| line.is_for_itself(owner));
        let began = clock.max(line.free);
        if access == Access::Load {
            // Readers of what nobody writes do not wait for each other.
            if was_written {
                line.free = began + time;
            }
            line.owner.get_or_insert(core);
            line.add_reader(core);
            return began + time;
        }
        line.free = began + time;
        line.owner = Some(core);
        line.readers.clear();
        line.add_reader(core);
        match access {
            // It waits in the store buffer; the thread does not.
            Access::Store => clock + machine.hit,
            _ => began + time + local,
        }
    }
}

/// Gives way to threads whose clocks are behind this one's.
fn give_way() {
    let scope = with(|now| {
        let thread = &now.threads[now.current];
        let (clock, scope) = (thread.clock, thread.scope);
        match now.ready.peek() {
            Some(&Reverse((first, ..))) if first < clock => {
                now.enter(now.current);
                Some(scope)
            }
            _ => None,
        }
    });
    if let Some(scope) = scope {
        leave(scope);
    }
}

fn leave(scope: *mut Yield) {
    // SAFETY: the scope is on the stack of the thread that runs, which is the one that leaves.
    unsafe { (*scope).yield_with(()) };
}

/// Counts an access of the current thread to a word, once no other thread's clock is behind its own.
pub(crate) fn access(address: usize, access: Access) {
    give_way();
    with(|now| {
        let clock = now.access(address, access);
        now.threads[now.current].clock = clock;
    });
}

/// Time passes for the current thread.
pub(crate) fn pass(time: u64) {
    with(|now| now.threads[now.current].clock += time);
}

/// Time passes by what the machine says.
pub(crate) fn pass_by(time: impl FnOnce(&Machine) -> u64) {
    with(|now| now.threads[now.current].clock += time(&now.machine));
}

/// The current thread works for so long as a core of full speed would. Returns when it began and when it ended.
pub(crate) fn work(time: u64) -> (u64, u64) {
    with(|now| {
        let Thread { clock, core, .. } = now.threads[now.current];
        // Threads of one core share it.
        let end = now.machine.end_of(core, clock, time * now.awake[core]);
        now.threads[now.current].clock = end;
        (clock, end)
    })
}

/// The current thread's clock.
pub(crate) fn clock() -> u64 {
    with(|now| now.threads[now.current].clock)
}

/// The current thread's number.
pub(crate) fn this() -> usize {
    with(|now| now.current)
}

pub(crate) fn cores() -> usize {
    with(|now| now.machine.cores.len())
}

/// Starts a thread.
pub(crate) fn spawn(body: Box<dyn FnOnce()>) -> usize {
    give_way();
    with(|now| {
        let thread = &mut now.threads[now.current];
        thread.clock += now.machine.start;
        let clock = thread.clock + now.machine.start_latency;
        now.spawn(clock, body)
    })
}

pub(crate) fn is_over(thread: usize) -> bool {
    with(|now| now.threads[thread].over)
}

/// Waits for the end of a thread.
pub(crate) fn join(thread: usize) {
    give_way();
    while !is_over(thread) {
        let scope = with(|now| {
            let this = now.current;
            now.waiting.entry(thread).or_default().push(this);
            now.threads[this].scope
        });
        leave(scope);
    }
}

/// Sleeps on a word if `asleep` says so once no other thread's clock is behind this one's.
pub(crate) fn sleep_if(address: usize, asleep: impl FnOnce() -> bool) {
    pass_by(|machine| machine.call);
    give_way();
    if asleep() {
        let scope = with(|now| {
            let this = now.current;
            now.sleepers.entry(address).or_default().push_back(this);
            now.awake[now.threads[this].core] -= 1;
            now.threads[this].scope
        });
        leave(scope);
    }
}

/// Wakes up to so many who sleep on a word.
pub(crate) fn wake(address: usize, count: usize) {
    pass_by(|machine| machine.call);
    give_way();
    with(|now| {
        for _ in 0..count {
            let Some(sleeper) = now.sleepers.get_mut(&address).and_then(VecDeque::pop_front) else {
                return;
            };
            let this = &mut now.threads[now.current];
            this.clock += now.machine.wake;
            let clock = this.clock + now.machine.wake_latency;
            now.threads[sleeper].clock = clock;
            now.threads[sleeper].core = now.place(now.threads[sleeper].core);
            now.enter(sleeper);
        }
    });
}

/// Runs `body` as the first thread of a machine, and whatever it starts, until all are over. Panics if threads wait for ever.
pub(crate) fn run(machine: &Machine, body: impl FnOnce() + 'static) {
    NOW.with_borrow_mut(|now| {
        assert!(now.is_none(), "one simulation at a time");
        let simulation = now.insert(Simulation {
            machine: machine.clone(),
            threads: Vec::new(),
            awake: vec![0; machine.cores.len()],
            ready: BinaryHeap::new(),
            entered: 0,
            current: 0,
            lines: HashMap::new(),
            sleepers: HashMap::new(),
            waiting: HashMap::new(),
        });
        simulation.spawn(0, Box::new(body));
    });
    loop {
        let next = with(|now| {
            let Reverse((.., thread)) = now.ready.pop()?;
            now.current = thread;
            Some((thread, now.threads[thread].body.take()?))
        });
        let Some((thread, mut body)) = next else { break };
        body.resume();
        with(|now| {
            if !body.is_done() {
                now.threads[thread].body = Some(body);
                return;
            }
            now.threads[thread].over = true;
            now.awake[now.threads[thread].core] -= 1;
            let clock = now.threads[thread].clock;
            for waiter in now.waiting.remove(&thread).unwrap_or_default() {
                now.threads[waiter].clock = now.threads[waiter].clock.max(clock) + now.machine.wake_latency;
                now.enter(waiter);
            }
        });
    }
    let over = with(|now| now.threads.iter().all(|thread| thread.over));
    let simulation = NOW.take();
    if !over {
        // Their stacks would be unwound, and find no simulation.
        std::mem::forget(simulation);
        panic!("threads wait for ever");
    }
}
