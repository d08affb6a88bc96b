//! Events and their pools: what commands, and the host, wait for.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, entry, fail_if};
use crate::handle::{self, Handle, publish};
use crate::pointer::{In, Out};
use crate::work::{deadline, left_until};
use crate::ze::*;
use ::device::lock::{Condvar, Lock};
use std::sync::Arc;

/// A pool of events.
pub struct Pool {
    context: Arc<Context>,
    flags: u32,
    places: Vec<Arc<Signal>>,
}

/// An event: a place of its pool.
pub struct Event {
    pool: Arc<Pool>,
    /// What it tells.
    pub signal: Arc<Signal>,
    signal_scope: u32,
    wait_scope: u32,
}

/// Whether something has happened, and when.
#[derive(Default)]
pub struct Signal {
    state: Lock<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct State {
    signaled: bool,
    /// Of what signaled it.
    failure: Option<ze_result_t>,
    /// When the command that signaled it began and ended.
    times: [u64; 2],
}

impl Signal {
    /// It has happened, from `began` to `ended`, and came to this end.
    pub fn set(&self, began: u64, ended: u64, result: Result<()>) {
        *self.state.lock() = State {
            signaled: true,
            failure: result.err(),
            times: [began, ended],
        };
        self.changed.notify_all();
    }

    /// It has not happened (any more).
    pub fn reset(&self) {
        *self.state.lock() = State::default();
    }

    /// Waits for it, no longer than so many nanoseconds: ZE_RESULT_NOT_READY if it does not happen, and what failed if that signaled it.
    pub fn end(&self, timeout: u64) -> Result<()> {
        self.wait(timeout)?;
        self.state.lock().failure.map_or(Ok(()), Err)
    }

    /// Waits for it, whatever came of it.
    pub fn wait(&self, timeout: u64) -> Result<()> {
        let until = deadline(timeout);
        let mut state = self.state.lock();
        while !state.signaled {
            match left_until(until)? {
                Some(left) => self.changed.wait_for(&mut state, left),
                None => self.changed.wait(&mut state),
            }
        }
        Ok(())
    }

    /// When it happened: ZE_RESULT_NOT_READY if it has not.
    pub fn times(&self) -> Result<ze_kernel_timestamp_result_t> {
        let state = *self.state.lock();
        fail_if(!state.signaled, ZE_RESULT_NOT_READY)?;
        let [kernelStart, kernelEnd] = state.times;
        let data = ze_kernel_timestamp_data_t { kernelStart, kernelEnd };
        // There is one clock.
        Ok(ze_kernel_timestamp_result_t {
            global: data,
            context: data,
        })
    }
}

/// Events of such pools have times.
const TIMED: u32 = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;

impl Event {
    /// When it happened: ZE_RESULT_ERROR_INVALID_ARGUMENT unless its pool has one of some flags ("[t]he application must ensure the event was created
    /// from an event pool that was created using" it), ZE_RESULT_NOT_READY if it has not happened.
    fn times(&self, flags: u32) -> Result<ze_kernel_timestamp_result_t> {
        fail_if(self.pool.flags & flags == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        self.signal.times()
    }
}

/// Flags of pools: host visible, of other processes, with timestamps, with mapped timestamps.
const POOL_FLAGS: u32 = 0xf;
/// Scopes of events: sub-device, device, host.
const SCOPES: u32 = 0x7;

entry! {
    /// zeEventPoolCreate
    pub fn zeEventPoolCreate(hContext: Handle<Context>, desc: In<ze_event_pool_desc_t>, numDevices: u32, phDevices: Handles<Device>, phEventPool: Out<Handle<Pool>>) {
        let context = hContext.get()?;
        let desc = desc.get()?;
        phEventPool.check()?;
        fail_if(desc.flags & !POOL_FLAGS != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        // ZE_RESULT_ERROR_INVALID_SIZE: 0 == desc->count, (nullptr == phDevices) && (0 < numDevices)
        fail_if(desc.count == 0 || phDevices.is_null() && numDevices > 0, ZE_RESULT_ERROR_INVALID_SIZE)?;
        handle::all(phDevices.list(numDevices as usize))?;
        // No handle of this driver means anything in another process.
        fail_if(desc.flags & ZE_EVENT_POOL_FLAG_IPC != 0, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)?;
        let places = (0..desc.count).map(|_| Arc::default()).collect();
        phEventPool.write(publish(Arc::new(Pool { context, flags: desc.flags, places })))
    }

    /// zeEventPoolDestroy
    pub fn zeEventPoolDestroy(hEventPool: Handle<Pool>) {
        hEventPool.destroy().map(drop)
    }

    /// zeEventPoolGetContextHandle
    pub fn zeEventPoolGetContextHandle(hEventPool: Handle<Pool>, phContext: Out<Handle<Context>>) {
        phContext.write(Handle::of(&hEventPool.get()?.context))
    }

    /// zeEventPoolGetFlags
    pub fn zeEventPoolGetFlags(hEventPool: Handle<Pool>, pFlags: Out<u32>) {
        pFlags.write(hEventPool.get()?.flags)
    }

    /// zeEventCreate
    pub fn zeEventCreate(hEventPool: Handle<Pool>, desc: In<ze_event_desc_t>, phEvent: Out<Handle<Event>>) {
        let pool = hEventPool.get()?;
        let desc = desc.get()?;
        phEvent.check()?;
        fail_if((desc.signal | desc.wait) & !SCOPES != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        // ZE_RESULT_ERROR_INVALID_ARGUMENT: "index of the event within the pool; must be less-than the count specified during pool creation".
        let signal = pool.places.get(desc.index as usize).ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?.clone();
        signal.reset();
        let event = Event { pool, signal, signal_scope: desc.signal, wait_scope: desc.wait };
        phEvent.write(publish(Arc::new(event)))
    }

    /// zeEventDestroy
    pub fn zeEventDestroy(hEvent: Handle<Event>) {
        hEvent.destroy().map(drop)
    }

    /// zeEventGetEventPool
    pub fn zeEventGetEventPool(hEvent: Handle<Event>, phEventPool: Out<Handle<Pool>>) {
        phEventPool.write(Handle::of(&hEvent.get()?.pool))
    }

    /// zeEventGetSignalScope
    pub fn zeEventGetSignalScope(hEvent: Handle<Event>, pSignalScope: Out<u32>) {
        pSignalScope.write(hEvent.get()?.signal_scope)
    }

    /// zeEventGetWaitScope
    pub fn zeEventGetWaitScope(hEvent: Handle<Event>, pWaitScope: Out<u32>) {
        pWaitScope.write(hEvent.get()?.wait_scope)
    }

    /// zeEventHostSignal
    pub fn zeEventHostSignal(hEvent: Handle<Event>) {
        let now = ::device::clock::now();
        hEvent.get()?.signal.set(now, now, Ok(()));
        Ok(())
    }

    /// zeEventHostSynchronize
    pub fn zeEventHostSynchronize(hEvent: Handle<Event>, timeout: u64) {
        hEvent.get()?.signal.end(timeout)
    }

    /// zeEventQueryStatus
    pub fn zeEventQueryStatus(hEvent: Handle<Event>) {
        hEvent.get()?.signal.end(0)
    }

    /// zeEventHostReset
    pub fn zeEventHostReset(hEvent: Handle<Event>) {
        hEvent.get()?.signal.reset();
        Ok(())
    }

    /// zeEventQueryKernelTimestamp
    pub fn zeEventQueryKernelTimestamp(hEvent: Handle<Event>, dstptr: Out<ze_kernel_timestamp_result_t>) {
        let event = hEvent.get()?;
        dstptr.check()?;
        dstptr.write(event.times(TIMED)?)
    }

    /// zeEventQueryTimestampsExp: one result, as a command runs on one device.
    pub fn zeEventQueryTimestampsExp(hEvent: Handle<Event>, hDevice: Handle<Device>, pCount: Out<u32>, pTimestamps: Out<ze_kernel_timestamp_result_t>) {
        let event = hEvent.get()?;
        hDevice.check()?;
        if pCount.read()? > 0 && !pTimestamps.is_null() {
            pTimestamps.write(event.times(TIMED)?)?;
        }
        pCount.write(1)
    }

    /// zeEventQueryKernelTimestampsExt: one result. "The destination memory will be unmodified if the event has not been signaled."
    pub fn zeEventQueryKernelTimestampsExt(hEvent: Handle<Event>, hDevice: Handle<Device>, pCount: Out<u32>, pResults: Out<ze_event_query_kernel_timestamps_results_ext_properties_t>) {
        let event = hEvent.get()?;
        hDevice.check()?;
        let room = pCount.read()?;
        if room > 0 && !pResults.is_null() {
            let results = pResults.read()?;
            if !results.pKernelTimestampsBuffer.is_null() {
                results.pKernelTimestampsBuffer.write(event.times(TIMED)?)?;
            }
            if !results.pSynchronizedTimestampsBuffer.is_null() {
                // Clocks of device and host are one.
                results.pSynchronizedTimestampsBuffer.write(event.times(ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP)?)?;
            }
        }
        pCount.write(1)
    }
}
