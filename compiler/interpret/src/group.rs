//! A launch, work-group by work-group, and what the work-items of a group share.

use super::collective::{self, Part};
use super::gang::{Gang, Pause};
use super::memory::Bytes;
use super::order::ConvergenceOrder;
use super::{Config, Stop};
use cranelift_entity::{EntityRef, SecondaryMap};
use device::abi::{Found, LaunchRecord, WorkerRecord};
use ir::*;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// A function with what the interpreter needs to know of it.
pub(super) struct Code<'m> {
    pub(super) func: &'m Function,
    /// In which order lanes that went apart go on.
    pub(super) order: ConvergenceOrder,
    /// Where each slot is in the activation's private memory.
    pub(super) slot_offsets: SecondaryMap<Slot, u64>,
    pub(super) own_private_bytes: u64,
    /// With those of callees.
    private_bytes: u64,
}

impl<'m> Code<'m> {
    fn new(func: &'m Function) -> Code<'m> {
        let mut slot_offsets = SecondaryMap::new();
        let mut end = 0u64;
        for (slot, data) in func.slots.iter() {
            let offset = end.next_multiple_of(u64::from(data.align.max(1)));
            slot_offsets[slot] = offset;
            end = offset + u64::from(data.size);
        }
        let own_private_bytes = end.next_multiple_of(128);
        Code {
            func,
            order: ConvergenceOrder::new(func),
            slot_offsets,
            own_private_bytes,
            private_bytes: 0,
        }
    }
}

/// The functions that a kernel reaches.
struct Program<'m> {
    codes: HashMap<FuncRef, Code<'m>>,
}

impl<'m> Program<'m> {
    fn new(module: &'m Module, kernel: FuncRef) -> Result<Program<'m>, Stop> {
        let mut program = Program { codes: HashMap::new() };
        // Depth first, with a stack of its own; callees' needs are known when their caller is finished.
        let mut active: SecondaryMap<FuncRef, bool> = SecondaryMap::new();
        let mut stack = vec![(kernel, program.callees(module, kernel)?)];
        active[kernel] = true;
        while let Some((reference, callees)) = stack.last_mut() {
            let reference = *reference;
            if let Some(callee) = callees.pop() {
                if active[callee] {
                    return Err(Stop::Unsupported("the interpreter runs no recursive functions".into()));
                }
                if !program.codes.contains_key(&callee) {
                    active[callee] = true;
                    let callees = program.callees(module, callee)?;
                    stack.push((callee, callees));
                }
                continue;
            }
            active[reference] = false;
            let callees = module.functions[reference].callees();
            let below = callees
                .iter()
                .filter_map(|&callee| Some(program.codes.get(&callee)?.private_bytes))
                .max();
            if let Some(code) = program.codes.get_mut(&reference) {
                code.private_bytes = code.own_private_bytes + below.unwrap_or(0);
            }
            stack.pop();
        }
        Ok(program)
    }

    fn callees(&mut self, module: &'m Module, reference: FuncRef) -> Result<Vec<FuncRef>, Stop> {
        let func = module.functions.get(reference).filter(|func| !func.layout.is_empty());
        let func = func.ok_or_else(|| Stop::Unsupported(format!("{reference} has no body")))?;
        if func.level != Level::WorkItem {
            return Err(Stop::Unsupported(format!("@{} is not at the work-item level", func.name)));
        }
        self.codes.insert(reference, Code::new(func));
        Ok(func.callees())
    }
}

/// A work-group that is being run.
pub(super) struct Group<'a, 'm> {
    program: &'m Program<'m>,
    launch: &'a LaunchRecord,
    config: &'a Config<'a>,
    worker: *mut WorkerRecord,
    local_memory: u64,
    private_memory: u64,
    private_bytes: u64,
    id: [u64; 3],
    /// Its own size: smaller than the enqueued one at the end of the NDRange.
    size: [u64; 3],
    blocks: u64,
    trap: Option<(u32, u32)>,
}

/// Runs all work-groups of a launch, in order.
///
/// # Safety
/// Each access that the kernel makes must be to valid memory, and `launch.arguments` be the argument block that it expects.
pub unsafe fn run(module: &Module, kernel: FuncRef, launch: &LaunchRecord, config: &Config) -> Result<(), Stop> {
    if !(1..=64).contains(&config.gang_width) {
        return Err(Stop::Unsupported("a gang has 1 to 64 lanes".into()));
    }
    let program = Program::new(module, kernel)?;
    let private_bytes = program.codes.get(&kernel).map_or(0, |code| code.private_bytes);
    let items: u64 = launch.local_size.iter().product();
    let mut local = Bytes::new(config.local_bytes + items * private_bytes + 256);
    let mut scratch = Bytes::new(4096);
    let local_memory = local.address();
    let private_memory = (local_memory + config.local_bytes).next_multiple_of(128);
    let mut worker = WorkerRecord {
        local_memory: local_memory as *mut u8,
        private_memory: private_memory as *mut u8,
        arena_end: (private_memory + items * private_bytes) as *mut u8,
        scratch: scratch.address() as *mut u8,
        index: 0,
        trap: 0,
        trap_item: [0; 3],
        frame: 0,
        readable: Found::default(),
        writable: Found::default(),
    };
    let worker: *mut WorkerRecord = &mut worker;
    let mut blocks = 0;
    let [count_x, count_y, count_z] = launch.group_count;
    for z in 0..count_z {
        for y in 0..count_y {
            for x in 0..count_x {
                let id = [x, y, z];
                let left = |d: usize| launch.global_size[d] - id[d] * launch.local_size[d];
                let mut group = Group {
                    program: &program,
                    launch,
                    config,
                    worker,
                    local_memory,
                    private_memory,
                    private_bytes,
                    id,
                    size: [0, 1, 2].map(|d| launch.local_size[d].min(left(d))),
                    blocks,
                    trap: None,
                };
                group.run(kernel)?;
                blocks = group.blocks;
                if let Some((reason, item)) = group.trap {
                    launch.stop.store(1, Ordering::Relaxed);
                    let item = [0, 1, 2].map(|d| group.global_id(item)[d]);
                    return Err(Stop::Trap { reason, item });
                }
            }
        }
    }
    Ok(())
}

/// How many blocks a gang executes before others get their turn (which matters only where work-items wait for each other).
const TURN: u64 = 10_000;

impl<'a, 'm> Group<'a, 'm> {
    fn run(&mut self, kernel: FuncRef) -> Result<(), Stop> {
        let width = self.config.gang_width;
        let items = self.size.iter().product::<u64>() as u32;
        let code = self.code(kernel)?;
        let mut gangs: Vec<(Gang, Pause)> = (0..items.div_ceil(width))
            .map(|index| (Gang::new(index, width, width.min(items - index * width), code), Pause::Preempted))
            .collect();
        loop {
            let mut running = false;
            for (gang, pause) in &mut gangs {
                if *pause == Pause::Preempted {
                    *pause = gang.run(self, TURN)?;
                    running = true;
                }
            }
            if running {
                continue;
            }
            if gangs.iter().all(|(_, pause)| *pause == Pause::Finished) {
                return Ok(());
            }
            self.work_group_operations(&mut gangs);
            for (_, pause) in &mut gangs {
                if *pause != Pause::Finished {
                    *pause = Pause::Preempted;
                }
            }
        }
    }

    /// Gives each operation across the work-group, at which gangs stand, its results.
    fn work_group_operations(&self, gangs: &mut [(Gang, Pause)]) {
        let mut waiting: Vec<&mut Gang> = gangs
            .iter_mut()
            .filter(|(_, pause)| *pause == Pause::WorkGroup)
            .map(|(gang, _)| gang)
            .collect();
        // All gangs stand at the same operation, unless the kernel breaks the rules.
        while let Some((func, inst)) = waiting.first().and_then(|gang| gang.work_group_op()) {
            let same = |gang: &Gang| gang.work_group_op().is_some_and(|(f, i)| std::ptr::eq(f, func) && i == inst);
            let (here, rest): (Vec<&mut Gang>, Vec<&mut Gang>) = waiting.into_iter().partition(|gang| same(gang));
            let operands: Vec<_> = here.iter().map(|gang| gang.work_group_parts()).collect();
            let parts: Vec<Part> = operands.iter().flatten().map(|(_, id, args)| Part { id: *id, args }).collect();
            if let InstData::WorkGroup { op, args } = &func.inst(inst).data {
                let linear_id = |[x, y, z]: [u64; 3]| (z * self.size[1] + y) * self.size[0] + x;
                let results = collective::work_group(*op, func.ty(args[0]).elem, &parts, linear_id);
                let mut from = 0;
                for (gang, operands) in here.into_iter().zip(&operands) {
                    gang.set_results(&results[from..from + operands.len()]);
                    from += operands.len();
                }
            }
            waiting = rest;
        }
    }

    pub(super) fn code(&self, function: FuncRef) -> Result<&'m Code<'m>, Stop> {
        let code = self.program.codes.get(&function);
        code.ok_or_else(|| Stop::Unsupported(format!("{function} has no body")))
    }

    pub(super) fn count_block(&mut self) -> Result<(), Stop> {
        self.blocks += 1;
        match self.blocks > self.config.max_blocks {
            true => Err(Stop::Endless),
            false => Ok(()),
        }
    }

    pub(super) fn trap(&mut self, reason: u32, item: u32) {
        self.trap.get_or_insert((reason, item));
    }

    pub(super) fn private_address(&self, item: u32) -> u64 {
        self.private_memory + u64::from(item) * self.private_bytes
    }

    pub(super) fn global_address(&self, global: Global) -> Result<u64, Stop> {
        let address = self.config.globals.get(global.index()).copied();
        address.ok_or_else(|| Stop::Unsupported(format!("{global} has no memory")))
    }

    fn local_id(&self, item: u32) -> [u64; 3] {
        let (item, [x, y, _]) = (u64::from(item), self.size);
        [item % x, item / x % y, item / (x * y)]
    }

    fn global_id(&self, item: u32) -> [u64; 3] {
        let local = self.local_id(item);
        [0, 1, 2].map(|d| self.id[d] * self.launch.local_size[d] + local[d] + self.launch.global_offset[d])
    }

    pub(super) fn builtin(&self, builtin: Builtin, dimension: u8, item: u32) -> u64 {
        let launch = self.launch;
        let width = u64::from(self.config.gang_width);
        let d = usize::from(dimension.min(2));
        let items: u64 = self.size.iter().product();
        let enqueued: u64 = launch.local_size.iter().product();
        let linear = u64::from(item);
        match builtin {
            Builtin::WorkDim => u64::from(launch.work_dim),
            Builtin::GlobalSize => launch.global_size[d],
            Builtin::GlobalId => self.global_id(item)[d],
            Builtin::LocalSize => self.size[d],
            Builtin::EnqueuedLocalSize => launch.local_size[d],
            Builtin::LocalId => self.local_id(item)[d],
            Builtin::NumGroups => launch.group_count[d],
            Builtin::GroupId => self.id[d],
            Builtin::GlobalOffset => launch.global_offset[d],
            Builtin::GlobalLinearId => {
                let [x, y, z] = [0, 1, 2].map(|d| self.global_id(item)[d] - launch.global_offset[d]);
                (z * launch.global_size[1] + y) * launch.global_size[0] + x
            }
            Builtin::LocalLinearId => linear,
            Builtin::SubGroupSize => width.min(items - linear / width * width),
            Builtin::SubGroupMaxSize => width,
            Builtin::NumSubGroups => items.div_ceil(width),
            Builtin::NumEnqueuedSubGroups => enqueued.div_ceil(width),
            Builtin::SubGroupId => linear / width,
            Builtin::SubGroupLocalId => linear % width,
            Builtin::Arguments => launch.arguments as u64,
            Builtin::LocalMemory => self.local_memory,
            Builtin::Launch => launch as *const LaunchRecord as u64,
            Builtin::Worker => self.worker as u64,
            Builtin::Tallies => unreachable!("work-items have none before groups are formed"),
        }
    }
}
