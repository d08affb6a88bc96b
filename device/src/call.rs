//! Calling a kernel's machine code so that debuggers find what it runs for.
//!
//! The records' addresses are left just above the kernel's frame ([`abi::LAUNCH_AT`], [`abi::WORKER_AT`]): the kernel itself may have them nowhere any
//! more. Like the change of stacks, the frame keeps the frame pointer and has unwind information.
//!
//! [`abi::LAUNCH_AT`]: crate::abi::LAUNCH_AT
//! [`abi::WORKER_AT`]: crate::abi::WORKER_AT

use crate::abi::{KernelEntry, LaunchRecord, WorkerRecord};

/// Calls `entry(launch, worker, first_x, end_x, y, z)`.
///
/// # Safety
/// That of [`KernelEntry`].
#[inline]
pub(crate) unsafe fn call(
    entry: KernelEntry,
    launch: *const LaunchRecord,
    worker: *mut WorkerRecord,
    [first_x, end_x, y, z]: [u64; 4],
) -> u32 {
    // SAFETY: as promised by the caller.
    unsafe { imp::call(launch, worker, first_x, end_x, y, z, entry) }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod imp {
    use super::*;

    // `entry` is the caller's only argument on the stack: above the return address and the frame pointer.
    #[cfg(target_arch = "x86_64")]
    core::arch::global_asm!(
        ".pushsection .text.brolga_call_kernel,\"ax\",@progbits",
        ".p2align 4",
        ".globl brolga_call_kernel",
        ".hidden brolga_call_kernel",
        ".type brolga_call_kernel,@function",
        "brolga_call_kernel:",
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rdi",
        "push rsi",
        "call qword ptr [rbp+16]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        ".size brolga_call_kernel, . - brolga_call_kernel",
        ".popsection",
    );

    #[cfg(target_arch = "aarch64")]
    core::arch::global_asm!(
        ".pushsection .text.brolga_call_kernel,\"ax\",@progbits",
        ".p2align 4",
        ".globl brolga_call_kernel",
        ".hidden brolga_call_kernel",
        ".type brolga_call_kernel,@function",
        "brolga_call_kernel:",
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "stp x1, x0, [sp, #-16]!",
        "blr x6",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
        ".size brolga_call_kernel, . - brolga_call_kernel",
        ".popsection",
    );

    unsafe extern "C" {
        #[link_name = "brolga_call_kernel"]
        pub(super) fn call(
            launch: *const LaunchRecord,
            worker: *mut WorkerRecord,
            first_x: u64,
            end_x: u64,
            y: u64,
            z: u64,
            entry: KernelEntry,
        ) -> u32;
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod imp {
    use super::*;

    pub(super) unsafe fn call(
        launch: *const LaunchRecord,
        worker: *mut WorkerRecord,
        first_x: u64,
        end_x: u64,
        y: u64,
        z: u64,
        entry: KernelEntry,
    ) -> u32 {
        // SAFETY: as promised by the caller.
        unsafe { entry(launch, worker, first_x, end_x, y, z) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{LAUNCH_AT, WORKER_AT};
    use std::cell::Cell;

    thread_local! {
        static GIVEN: Cell<[u64; 6]> = const { Cell::new([0; 6]) };
    }

    unsafe extern "C" fn note(launch: *const LaunchRecord, worker: *mut WorkerRecord, first_x: u64, end_x: u64, y: u64, z: u64) -> u32 {
        GIVEN.set([launch as u64, worker as u64, first_x, end_x, y, z]);
        7
    }

    #[test]
    fn a_kernel_gets_what_it_is_called_with() {
        // SAFETY: the function does nothing with its pointers.
        let trap = unsafe { call(note, 0x1000 as *const LaunchRecord, 0x2000 as *mut WorkerRecord, [3, 4, 5, 6]) };
        assert_eq!((trap, GIVEN.get()), (7, [0x1000, 0x2000, 3, 4, 5, 6]));
    }

    #[cfg(target_arch = "x86_64")]
    core::arch::global_asm!(
        ".pushsection .text.brolga_test_look,\"ax\",@progbits",
        "brolga_test_look:",
        // The canonical frame address is behind the return address.
        "lea r9, [rsp+8]",
        "mov rax, qword ptr [r9+{launch}]",
        "sub rax, rdi",
        "mov rcx, qword ptr [r9+{worker}]",
        "sub rcx, rsi",
        "or rax, rcx",
        "ret",
        ".popsection",
        launch = const LAUNCH_AT,
        worker = const WORKER_AT,
    );

    /// A kernel's frame: its return address is the last thing below what was left above it.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_records_lie_above_the_frame() {
        unsafe extern "C" {
            fn brolga_test_look(launch: *const LaunchRecord, worker: *mut WorkerRecord, first_x: u64, end_x: u64, y: u64, z: u64) -> u32;
        }
        // SAFETY: the function looks at its caller's frame only.
        let wrong = unsafe { call(brolga_test_look, 0x1000 as *const LaunchRecord, 0x2000 as *mut WorkerRecord, [0; 4]) };
        assert_eq!(wrong, 0);
    }
}
