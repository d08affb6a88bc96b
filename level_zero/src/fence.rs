//! Fences: what tells that lists which were executed together have ended.

use crate::error::{entry, fail_if};
use crate::event::Signal;
use crate::handle::{Handle, publish};
use crate::pointer::{In, Out};
use crate::queue::Queue;
use crate::ze::*;
use std::sync::Arc;

/// A fence.
pub struct Fence {
    /// Its queue.
    pub queue: Arc<Queue>,
    /// What it tells.
    pub signal: Arc<Signal>,
}

entry! {
    /// zeFenceCreate
    pub fn zeFenceCreate(hCommandQueue: Handle<Queue>, desc: In<ze_fence_desc_t>, phFence: Out<Handle<Fence>>) {
        let queue = hCommandQueue.get()?;
        let desc = desc.get()?;
        phFence.check()?;
        fail_if(desc.flags & !ZE_FENCE_FLAG_SIGNALED != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        let signal: Arc<Signal> = Arc::default();
        if desc.flags & ZE_FENCE_FLAG_SIGNALED != 0 {
            signal.set(0, 0, Ok(()));
        }
        phFence.write(publish(Arc::new(Fence { queue, signal })))
    }

    /// zeFenceDestroy
    pub fn zeFenceDestroy(hFence: Handle<Fence>) {
        hFence.destroy().map(drop)
    }

    /// zeFenceHostSynchronize
    pub fn zeFenceHostSynchronize(hFence: Handle<Fence>, timeout: u64) {
        hFence.get()?.signal.end(timeout)
    }

    /// zeFenceQueryStatus
    pub fn zeFenceQueryStatus(hFence: Handle<Fence>) {
        hFence.get()?.signal.end(0)
    }

    /// zeFenceReset
    pub fn zeFenceReset(hFence: Handle<Fence>) {
        hFence.get()?.signal.reset();
        Ok(())
    }
}
