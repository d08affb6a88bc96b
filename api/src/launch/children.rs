//! What launches need whose kernels enqueue others: the blocks of their program, and code for these (`device::enqueue`).

use super::ready::equip;
use super::{check_local_size, choose_local_size};
use crate::checked;
use crate::device::Device;
use crate::device_queue;
use crate::error;
use crate::kernel::Kernel;
use crate::kernel_info::local_size_for;
use ::device::enqueue::{self, Failure, Family, Queue, Range, Request};
use ::device::launch::{Launch, LaunchOutcome};
use ::device::lock::Lock;
use ::device::memory::ArgumentBlock;
use compiler::checks::Extent;
use compiler::groups::Groups;
use compiler::nd_range::NdRange;
use compiler::prepared::{Prepared, place_behind};
use compiler::{ArgumentFacts, ArgumentInfo};
use smallvec::SmallVec;
use std::sync::Arc;
use vendors::limits;

/// No more code than for so many shapes of launches is kept at hand for a block.
const SHAPES: usize = 16;

/// Blocks of a program, as kernels.
#[derive(Debug)]
pub struct Blocks(Vec<Block>);

#[derive(Debug)]
struct Block {
    kernel: Kernel,
    prepared: Lock<SmallVec<[Arc<Prepared>; 4]>>,
}

impl Blocks {
    /// From the program's blocks, in their order.
    pub fn new(kernels: impl Iterator<Item = Kernel>) -> Blocks {
        let block = |kernel| Block {
            kernel,
            prepared: Lock::default(),
        };
        Blocks(kernels.map(block).collect())
    }
}

/// What a launch brings for those that come of it.
pub struct Kin {
    device: Arc<Device>,
    default: Option<Arc<Queue>>,
    queues: SmallVec<[Arc<Queue>; 2]>,
}

impl Kin {
    /// `None` for a kernel that enqueues nothing. `queues` are its arguments.
    pub fn of(kernel: &Kernel, device: &Arc<Device>, queues: &SmallVec<[Arc<Queue>; 2]>) -> Option<Kin> {
        kernel.info().enqueues.then(|| Kin {
            device: device.clone(),
            default: device_queue::default_of(kernel.context(), device).map(|default| default.queue.clone()),
            queues: queues.clone(),
        })
    }

    /// Runs a kernel's launch, and all that come of it: how that ended, and what came of the checks of what it enqueued.
    pub fn run(&self, kernel: &Kernel, launch: &Launch) -> (Result<LaunchOutcome, (&'static str, String)>, error::Result<()>) {
        let blocks = OnDevice {
            blocks: kernel.blocks(),
            device: &self.device,
            checked: Lock::new(Ok(())),
        };
        let name = |block: u32| &blocks.block(block).kernel.info().name;
        let family = Family::new(&blocks, self.default.clone(), self.queues.iter().cloned());
        let outcome = family.run(launch).map_err(|failure| match failure {
            Failure::Launch(block, LaunchOutcome::Trapped { trap, item }) => {
                let item = format!("work-item {item:?} of '{}', which it enqueued, was stopped ({trap:?})", name(block));
                (trap.cause(), item)
            }
            Failure::Launch(block, _) => (
                "there is no memory for the work-groups of what it enqueued; smaller work-groups need less",
                name(block).clone(),
            ),
            Failure::Refused(block) => ("what it enqueued could not be compiled", name(block).clone()),
            Failure::Stuck(count) => (
                "what it enqueued waits for user events that nobody completes (set_user_event_status)",
                format!("{count} launches did not start"),
            ),
        });
        (outcome, *blocks.checked.lock())
    }
}

/// The blocks on a device.
struct OnDevice<'a> {
    blocks: &'a Blocks,
    device: &'a Device,
    /// What came of their checks.
    checked: Lock<error::Result<()>>,
}

impl OnDevice<'_> {
    fn block(&self, number: u32) -> &Block {
        // Lowering has numbered them.
        &self.blocks.0[number as usize]
    }

    fn range(&self, kernel: &Kernel, range: &Range) -> NdRange {
        let chosen = || choose_local_size(kernel, self.device, range.work_dim as usize, range.global);
        NdRange {
            work_dim: range.work_dim,
            offset: range.offset,
            global: range.global,
            local: range.local.unwrap_or_else(chosen),
            is_chosen: range.local.is_none(),
        }
    }
}

impl enqueue::Blocks for OnDevice<'_> {
    fn check(&self, block: u32, range: &Range, local: &[u32]) -> i32 {
        let kernel = &self.block(block).kernel;
        let too_far = |axis: usize| range.offset[axis].checked_add(range.global[axis]).is_none();
        if !(1..=3).contains(&range.work_dim) || (0..3).any(too_far) {
            return enqueue::CLK_INVALID_NDRANGE;
        }
        if let Some(sizes) = range.local {
            let uniform = range.global.iter().zip(&sizes).all(|(global, local)| global.is_multiple_of(*local));
            if check_local_size(kernel, sizes).is_err() || kernel.uniform_groups && !uniform {
                return enqueue::CLK_INVALID_NDRANGE;
            }
        }
        let arguments = &kernel.info().arguments;
        if arguments.len() != 1 + local.len() {
            return enqueue::CLK_INVALID_ARG_SIZE;
        }
        let sizes = arguments[1..].iter().zip(local);
        let end = sizes.fold(kernel.info().local_bytes, |end, (argument, &bytes)| {
            place_behind(end, argument.align, bytes.into(), 0).1
        });
        match end > limits::LOCAL_MEMORY {
            true => enqueue::CLK_OUT_OF_RESOURCES,
            false => enqueue::CLK_SUCCESS,
        }
    }

    fn argument_bytes(&self, block: u32) -> usize {
        self.block(block).kernel.info().argument_bytes as usize
    }

    fn launch(&self, block: u32, range: &Range, mut arguments: ArgumentBlock, local: &[u32]) -> Option<Launch> {
        let Block { kernel, prepared } = self.block(block);
        let range = self.range(kernel, range);
        let groups = Groups::of(&kernel.code, self.device.compute_units(), &range, &[], || false);
        let as_run = groups.divide(&range);
        let facts = groups.facts(&range, kernel.context().stop_word(), false, ArgumentFacts::default());
        let mut known = prepared.lock();
        let at = known.iter().position(|known| known.is_for(&facts));
        let mut last = at.map(|at| known[at].clone());
        let found = Prepared::get(&kernel.code, &mut last, facts, &as_run).ok()?;
        match at {
            Some(at) if Arc::ptr_eq(&known[at], &found) => {}
            Some(at) => known[at] = found.clone(),
            None => {
                known.truncate(SHAPES - 1);
                known.insert(0, found.clone());
            }
        }
        drop(known);
        let (mut end, shadows) = (found.local_bytes(), kernel.code.shadows());
        let [captured, others @ ..] = kernel.info().arguments.as_slice() else {
            return None;
        };
        let start = arguments.as_slice().first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
        let bytes = (arguments.as_ptr() as u64 + arguments.as_slice().len() as u64).saturating_sub(start);
        let mut fits = put_extent(&mut arguments, captured, bytes);
        for (argument, &bytes) in others.iter().zip(local) {
            let start;
            (start, end) = place_behind(end, argument.align, bytes.into(), shadows);
            fits &= arguments.put(argument.offset as usize, &start.to_ne_bytes());
            fits &= put_extent(&mut arguments, argument, bytes.into());
        }
        if !fits {
            return None;
        }
        // SAFETY: the family has laid out the arguments as the block's kernel has them, and keeps what they lead to; `found` is kept by the launch.
        let mut launch = unsafe { found.launch(arguments, &as_run) };
        launch.local_bytes = end;
        equip(&mut launch, kernel);
        launch.max_workers = self.device.compute_units() as usize;
        launch.keep = Some(found);
        Some(launch)
    }

    fn ended(&self, block: u32, range: &Range, launch: &Launch) {
        // Most launches have no checks, and the local size is not worked out for them.
        if launch.findings.is_none() {
            return;
        }
        let kernel = &self.block(block).kernel;
        let local = self.range(kernel, range).local;
        if let Err(code) = checked::report(kernel, launch, local, &[]) {
            *self.checked.lock() = Err(code);
        }
    }

    fn ask(&self, question: Request, block: u32, range: &Range, number: u64) -> u32 {
        let kernel = &self.block(block).kernel;
        let width = |local: [u64; 3]| u64::from(kernel.code.gang_width(local)).max(1);
        let most = kernel.code.max_work_group_size();
        let answer = match question {
            Request::PreferredMultiple => kernel.code.preferred_multiple().into(),
            Request::LocalSizeForSubGroups => local_size_for(kernel, number as usize)[0] as u64,
            Request::MaxSubGroups => kernel.code.max_sub_groups(),
            Request::SubGroupCount | Request::MaxSubGroupSize => {
                if self.check_sizes(block, range) {
                    let local = self.range(kernel, range).local;
                    match question {
                        Request::MaxSubGroupSize => width(local),
                        _ => local.iter().product::<u64>().div_ceil(width(local)),
                    }
                } else {
                    0
                }
            }
            _ => most,
        };
        answer as u32
    }
}

/// Tells code with checks how large what an argument points to is. Says whether that fits.
fn put_extent(block: &mut ArgumentBlock, argument: &ArgumentInfo, bytes: u64) -> bool {
    let place = argument.extent;
    place.is_none_or(|place| block.put(place as usize, &Extent::of(bytes).to_bytes()))
}

impl OnDevice<'_> {
    /// Could a launch have such sizes?
    fn check_sizes(&self, block: u32, range: &Range) -> bool {
        let kernel = &self.block(block).kernel;
        (1..=3).contains(&range.work_dim) && range.local.is_none_or(|local| check_local_size(kernel, local).is_ok())
    }
}
