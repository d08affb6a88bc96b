//! Commands: what waits for events, does something, and signals an event; and those that do little more than that.

use crate::error::{Result, entry, fail_if};
use crate::event::{Event, Signal};
use crate::handle::{self, Handle};
use crate::kernel::Kernel;
use crate::launch::Ready;
use crate::list::List;
use crate::pointer::{Address, In, Out, not_null};
use crate::ze::*;
use ::device::clock;
use std::sync::Arc;

/// A command.
pub struct Command {
    waits: Vec<Arc<Signal>>,
    signal: Option<Arc<Signal>>,
    work: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

impl Command {
    /// That does `work` once the events of a wait list are signaled.
    pub fn new(
        signal: Handle<Event>,
        count: u32,
        waits: Handles<Event>,
        work: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) -> Result<Command> {
        // ZE_RESULT_ERROR_INVALID_SIZE: (nullptr == phWaitEvents) && (0 < numWaitEvents)
        fail_if(waits.is_null() && count > 0, ZE_RESULT_ERROR_INVALID_SIZE)?;
        let waits = handle::all(waits.list(count as usize))?;
        Ok(Command {
            waits: waits.iter().map(|event| event.signal.clone()).collect(),
            signal: signal.optional()?.map(|event| event.signal.clone()),
            work: Box::new(work),
        })
    }

    /// Waits, works and signals, on whatever thread this is. The event is signaled also where the work fails: who waits for it has to come back.
    pub fn run(&self) -> Result<()> {
        for signal in &self.waits {
            signal.wait(u64::MAX)?;
        }
        let began = clock::now();
        let result = (self.work)();
        if let Some(signal) = &self.signal {
            signal.set(began, clock::now(), result);
        }
        result
    }
}

/// Does nothing.
fn nothing() -> Result<()> {
    Ok(())
}

/// Reads a value that commands before have left in memory.
fn read<T: Copy>(address: Address) -> Result<T> {
    // SAFETY: the application says that a `T` is there when the command runs.
    unsafe { In::at(address) }.get()
}

/// Writes a value for commands behind, or for the host.
fn write<T>(address: Address, value: T) -> Result<()> {
    // SAFETY: the application says that there is room for a `T` when the command runs.
    unsafe { Out::at(address) }.write(value)
}

fn in_each_dimension(count: ze_group_count_t) -> [u32; 3] {
    [count.groupCountX, count.groupCountY, count.groupCountZ]
}

entry! {
    /// zeCommandListAppendLaunchKernel
    pub fn zeCommandListAppendLaunchKernel(hCommandList: Handle<List>, hKernel: Handle<Kernel>, pLaunchFuncArgs: In<ze_group_count_t>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        list.check_launches()?;
        let kernel = hKernel.get()?;
        let groups = in_each_dimension(pLaunchFuncArgs.get()?);
        let ready = Ready::new(&kernel, &mut kernel.next.lock(), groups)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || ready.run())?)
    }

    /// zeCommandListAppendLaunchCooperativeKernel: ZE_RESULT_ERROR_INVALID_ARGUMENT for more groups than zeKernelSuggestMaxCooperativeGroupCount says.
    pub fn zeCommandListAppendLaunchCooperativeKernel(hCommandList: Handle<List>, hKernel: Handle<Kernel>, pLaunchFuncArgs: In<ze_group_count_t>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        list.check_launches()?;
        let kernel = hKernel.get()?;
        let groups = in_each_dimension(pLaunchFuncArgs.get()?);
        fail_if(groups.iter().any(|&count| count > 1), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        let ready = Ready::new(&kernel, &mut kernel.next.lock(), groups)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || ready.run())?)
    }

    /// zeCommandListAppendLaunchKernelIndirect: how many groups there are stands in memory when the command runs.
    pub fn zeCommandListAppendLaunchKernelIndirect(hCommandList: Handle<List>, hKernel: Handle<Kernel>, pLaunchArgumentsBuffer: Address, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        list.check_launches()?;
        let kernel = hKernel.get()?;
        not_null(pLaunchArgumentsBuffer)?;
        let next = kernel.next.lock().clone();
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || {
            Ready::new(&kernel, &mut next.clone(), in_each_dimension(read(pLaunchArgumentsBuffer)?))?.run()
        })?)
    }

    /// zeCommandListAppendLaunchMultipleKernelsIndirect: so do how many of the kernels are launched, and the groups of each.
    pub fn zeCommandListAppendLaunchMultipleKernelsIndirect(hCommandList: Handle<List>, numKernels: u32, phKernels: Handles<Kernel>, pCountBuffer: Address, pLaunchArgumentsBuffer: Address, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        list.check_launches()?;
        fail_if(phKernels.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        not_null(pCountBuffer)?;
        not_null(pLaunchArgumentsBuffer)?;
        let kernels = handle::all(phKernels.list(numKernels as usize))?;
        let kernels: Vec<_> = kernels
            .into_iter()
            .map(|kernel| {
                let next = kernel.next.lock().clone();
                (next, kernel)
            })
            .collect();
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || {
            let count: u32 = read(pCountBuffer)?;
            let mut place = pLaunchArgumentsBuffer;
            for (next, kernel) in kernels.iter().take(count as usize) {
                Ready::new(kernel, &mut next.clone(), in_each_dimension(read(place)?))?.run()?;
                place.0 += size_of::<ze_group_count_t>();
            }
            Ok(())
        })?)
    }

    /// zeCommandListAppendSignalEvent
    pub fn zeCommandListAppendSignalEvent(hCommandList: Handle<List>, hEvent: Handle<Event>) {
        let list = hCommandList.get()?;
        hEvent.check()?;
        list.append(Command::new(hEvent, 0, Handles::NULL, nothing)?)
    }

    /// zeCommandListAppendWaitOnEvents
    pub fn zeCommandListAppendWaitOnEvents(hCommandList: Handle<List>, numEvents: u32, phEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        fail_if(phEvents.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        list.append(Command::new(Handle::NULL, numEvents, phEvents, nothing)?)
    }

    /// zeCommandListAppendEventReset
    pub fn zeCommandListAppendEventReset(hCommandList: Handle<List>, hEvent: Handle<Event>) {
        let list = hCommandList.get()?;
        let signal = hEvent.get()?.signal.clone();
        list.append(Command::new(Handle::NULL, 0, Handles::NULL, move || {
            signal.reset();
            Ok(())
        })?)
    }

    /// zeCommandListAppendBarrier: commands run one after the other; what a barrier adds are its events.
    pub fn zeCommandListAppendBarrier(hCommandList: Handle<List>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        hCommandList.get()?.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, nothing)?)
    }

    /// zeCommandListAppendMemoryRangesBarrier: the same.
    pub fn zeCommandListAppendMemoryRangesBarrier(hCommandList: Handle<List>, numRanges: u32, pRangeSizes: In<usize>, pRanges: In<Address>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        fail_if(pRangeSizes.is_null() || pRanges.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        let _ = numRanges;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, nothing)?)
    }

    /// zeCommandListAppendWriteGlobalTimestamp
    pub fn zeCommandListAppendWriteGlobalTimestamp(hCommandList: Handle<List>, dstptr: Address, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        not_null(dstptr)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || write(dstptr, clock::now()))?)
    }

    /// zeCommandListAppendQueryKernelTimestamps: of events that are not signaled, zeros.
    pub fn zeCommandListAppendQueryKernelTimestamps(hCommandList: Handle<List>, numEvents: u32, phEvents: Handles<Event>, dstptr: Address, pOffsets: In<usize>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        fail_if(phEvents.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        not_null(dstptr)?;
        let events = handle::all(phEvents.list(numEvents as usize))?;
        let offsets = pOffsets.list(events.len());
        let results: Vec<_> = events
            .iter()
            .enumerate()
            .map(|(index, event)| {
                let offset = offsets.get(index).copied().unwrap_or(index * size_of::<ze_kernel_timestamp_result_t>());
                (event.signal.clone(), Address(dstptr.0 + offset))
            })
            .collect();
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || {
            let zero = ze_kernel_timestamp_data_t { kernelStart: 0, kernelEnd: 0 };
            let never = ze_kernel_timestamp_result_t { global: zero, context: zero };
            results.iter().try_for_each(|(signal, place)| write(*place, signal.times().unwrap_or(never)))
        })?)
    }
}
