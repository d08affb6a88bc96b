//! Entering and leaving kernel code: on a stack of ours, in the floating-point state that OpenCL C §7 expects, whoever's thread it is.
//!
//! The caller's floating-point state (rounding, flush-to-zero, unmasked traps, sticky flags) is put aside and given back. The frame
//! keeps the frame pointer and has unwind information, so that debuggers and profilers see through the change of stacks.

use core::ffi::c_void;

/// Calls `function(context)` on the stack that ends at `stack_top`: round to nearest, exceptions masked, subnormals on or (`flush_subnormals`) off.
///
/// # Safety
/// `stack_top` must be 16-byte aligned and have enough writable bytes below it for all that `function` does; nobody else may use that
/// stack meanwhile. `function` must be sound to call with `context` and must not unwind.
pub(crate) unsafe fn on_kernel_stack(
    stack_top: *mut u8,
    flush_subnormals: bool,
    function: unsafe extern "C" fn(*mut c_void),
    context: *mut c_void,
) {
    // SAFETY: as promised by the caller.
    unsafe { imp::enter(stack_top, flush_subnormals, function, context) }
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use core::ffi::c_void;

    // The control word of x87 is almost always the default one and then not touched; otherwise the whole x87 environment is saved,
    // because loading a control word with an unmasked exception pending would trap. (The instructions without wait don't.)
    core::arch::global_asm!(
        ".pushsection .text.brolga_enter_kernel,\"ax\",@progbits",
        ".p2align 4",
        ".globl brolga_enter_kernel",
        ".hidden brolga_enter_kernel",
        ".type brolga_enter_kernel,@function",
        "brolga_enter_kernel:",
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rbx",
        ".cfi_offset rbx, -24",
        "sub rsp, 56",
        // [rbp-12] MXCSR, [rbp-16] x87 control word, [rbp-48] x87 environment, [rbp-56] a constant
        "stmxcsr dword ptr [rbp-12]",
        "fnstcw word ptr [rbp-16]",
        "mov ebx, ecx",
        "mov dword ptr [rbp-56], r8d",
        "ldmxcsr dword ptr [rbp-56]",
        "cmp word ptr [rbp-16], 0x37f",
        "jne 3f",
        "2:",
        "mov rax, rsi",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rax",
        "test ebx, ebx",
        "je 4f",
        "vzeroupper",
        "4:",
        "cmp word ptr [rbp-16], 0x37f",
        "jne 6f",
        "5:",
        "ldmxcsr dword ptr [rbp-12]",
        "mov rbx, qword ptr [rbp-8]",
        "leave",
        ".cfi_remember_state",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_restore_state",
        "3:",
        "fnstenv [rbp-48]",
        "mov dword ptr [rbp-56], 0x37f",
        "fldcw word ptr [rbp-56]",
        "jmp 2b",
        "6:",
        "fldenv [rbp-48]",
        "jmp 5b",
        ".cfi_endproc",
        ".size brolga_enter_kernel, . - brolga_enter_kernel",
        ".popsection",
    );

    /// MXCSR: exceptions masked, round to nearest; and its bits that take subnormals for zeros, as operands and as results.
    const USUAL: u32 = 0x1f80;
    const FLUSH: u32 = 0x8040;

    unsafe extern "C" {
        fn brolga_enter_kernel(
            stack_top: *mut u8,
            function: unsafe extern "C" fn(*mut c_void),
            context: *mut c_void,
            has_avx: u32,
            mxcsr: u32,
        );
    }

    pub(super) unsafe fn enter(
        stack_top: *mut u8,
        flush_subnormals: bool,
        function: unsafe extern "C" fn(*mut c_void),
        context: *mut c_void,
    ) {
        let has_avx = std::arch::is_x86_feature_detected!("avx");
        let mxcsr = if flush_subnormals { USUAL | FLUSH } else { USUAL };
        // SAFETY: the caller's promise; the trampoline keeps the C calling convention.
        unsafe { brolga_enter_kernel(stack_top, function, context, u32::from(has_avx), mxcsr) }
    }
}

#[cfg(target_arch = "aarch64")]
mod imp {
    use core::ffi::c_void;

    core::arch::global_asm!(
        ".pushsection .text.brolga_enter_kernel,\"ax\",@progbits",
        ".p2align 4",
        ".globl brolga_enter_kernel",
        ".hidden brolga_enter_kernel",
        ".type brolga_enter_kernel,@function",
        "brolga_enter_kernel:",
        ".cfi_startproc",
        "stp x29, x30, [sp, #-32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "stp x19, x20, [sp, #16]",
        ".cfi_offset x19, -16",
        ".cfi_offset x20, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "mrs x19, fpcr",
        "mrs x20, fpsr",
        "msr fpcr, x3",
        "mov sp, x0",
        "mov x0, x2",
        "blr x1",
        "msr fpsr, x20",
        "msr fpcr, x19",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x19, x20, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x19",
        ".cfi_restore x20",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
        ".size brolga_enter_kernel, . - brolga_enter_kernel",
        ".popsection",
    );

    /// FPCR's FZ.
    const FLUSH: u64 = 1 << 24;

    unsafe extern "C" {
        fn brolga_enter_kernel(stack_top: *mut u8, function: unsafe extern "C" fn(*mut c_void), context: *mut c_void, fpcr: u64);
    }

    pub(super) unsafe fn enter(
        stack_top: *mut u8,
        flush_subnormals: bool,
        function: unsafe extern "C" fn(*mut c_void),
        context: *mut c_void,
    ) {
        let fpcr = if flush_subnormals { FLUSH } else { 0 };
        // SAFETY: the caller's promise; the trampoline keeps the C calling convention.
        unsafe { brolga_enter_kernel(stack_top, function, context, fpcr) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod imp {
    use core::ffi::c_void;

    /// Other machines run kernels on the thread's own stack, in the thread's own floating-point state.
    pub(super) unsafe fn enter(_: *mut u8, _: bool, function: unsafe extern "C" fn(*mut c_void), context: *mut c_void) {
        // SAFETY: the caller's promise.
        unsafe { function(context) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::Stack;

    fn enter(function: unsafe extern "C" fn(*mut c_void), context: *mut c_void) {
        enter_flushing(false, function, context);
    }

    fn enter_flushing(flush_subnormals: bool, function: unsafe extern "C" fn(*mut c_void), context: *mut c_void) {
        let mut stack = Stack::default();
        assert!(stack.reserve(64 << 10));
        // SAFETY: the stack has 64 KiB and a margin; the functions of these tests need less and don't unwind.
        unsafe { on_kernel_stack(stack.top().expect("reserved"), flush_subnormals, function, context) }
    }

    #[test]
    fn code_runs_on_the_other_stack() {
        unsafe extern "C" fn note_address(context: *mut c_void) {
            let here = 0u8;
            // SAFETY: the test passes a usize.
            unsafe { *context.cast::<usize>() = std::hint::black_box(&raw const here) as usize };
        }
        let mut stack = Stack::default();
        assert!(stack.reserve(1 << 16));
        let top = stack.top().expect("reserved");
        let mut address = 0usize;
        // SAFETY: a fresh stack, and a function that needs a few bytes of it.
        unsafe { on_kernel_stack(top, false, note_address, (&raw mut address).cast()) };
        assert!(address < top as usize && address > top as usize - (1 << 16));
    }

    /// Debuggers and profilers walk from kernel code to whoever launched it.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn frames_are_walked_across_the_change_of_stacks() {
        unsafe extern "C" fn walk(context: *mut c_void) {
            // SAFETY: the test passes a String.
            unsafe { *context.cast::<String>() = std::backtrace::Backtrace::force_capture().to_string() };
        }
        let mut frames = String::new();
        enter(walk, (&raw mut frames).cast());
        assert!(
            frames.contains("walk") && frames.contains("frames_are_walked_across_the_change_of_stacks"),
            "{frames}"
        );
    }

    #[cfg(target_arch = "x86_64")]
    mod floating_point {
        use super::*;
        use core::arch::asm;

        #[derive(Debug, Default, PartialEq, Clone, Copy)]
        struct State {
            mxcsr: u32,
            x87: u16,
            status: u16,
        }

        fn state() -> State {
            let mut state = State::default();
            // SAFETY: stores of three registers into three variables.
            unsafe {
                asm!("stmxcsr [{}]", "fnstcw [{}]", "fnstsw [{}]", in(reg) &raw mut state.mxcsr, in(reg) &raw mut state.x87,
                     in(reg) &raw mut state.status)
            };
            state
        }

        fn set(mxcsr: u32, x87: u16) {
            // SAFETY: the tests that change the state use no floating point until they have put it back.
            unsafe { asm!("ldmxcsr [{}]", "fldcw [{}]", in(reg) &raw const mxcsr, in(reg) &raw const x87) };
        }

        unsafe extern "C" fn note_state(context: *mut c_void) {
            // SAFETY: the test passes a State; x87's status is changed and cleared by its owner.
            unsafe {
                *context.cast::<State>() = state();
                // Leave flags behind, as kernel code does.
                asm!("divss {0}, {1}", inout(xmm_reg) 1.0f32 => _, in(xmm_reg) 0.0f32);
            }
        }

        #[test]
        fn a_strange_host_state_is_put_aside_and_given_back() {
            // Flush to zero, subnormals are zero, each rounding mode, all traps unmasked, sticky flags set.
            for mxcsr in [0x1f80, 0x1f80 | 0x8040, 0x3f80, 0x5f80, 0x7f80, 0x0000, 0x8040, 0x1fbf, 0x603f] {
                for x87 in [0x37f, 0x340, 0xf7f, 0x27f, 0xc00] {
                    let mut inside = State::default();
                    set(mxcsr, x87);
                    let before = state();
                    enter(note_state, (&raw mut inside).cast());
                    let after = state();
                    set(0x1f80, 0x37f);
                    assert_eq!((inside.mxcsr, inside.x87), (0x1f80, 0x37f));
                    assert_eq!(before, after);
                    assert_eq!(after.mxcsr, mxcsr);
                }
            }
        }

        #[test]
        fn subnormals_are_flushed_where_that_is_asked_for() {
            let mut inside = State::default();
            let before = state();
            enter_flushing(true, note_state, (&raw mut inside).cast());
            assert_eq!(before, state());
            assert_eq!(inside.mxcsr, 0x9fc0);
        }

        /// A flag that is raised and then unmasked traps at the next x87 instruction that waits: none of ours may be it.
        #[test]
        fn a_pending_x87_exception_stays_pending() {
            let mut inside = State::default();
            let (masked, unmasked) = (0x37fu16, 0x37bu16);
            // SAFETY: 1 / 0 with exceptions masked raises the flag only; unmasking makes it pending.
            unsafe {
                asm!("fld1", "fldz", "fdivp st(1), st", "fstp st(0)", "fldcw [{}]", in(reg) &raw const unmasked,
                     out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _, out("st(6)") _,
                     out("st(7)") _)
            };
            let before = state();
            enter(note_state, (&raw mut inside).cast());
            let after = state();
            // SAFETY: clears the pending exception before any instruction that waits.
            unsafe { asm!("fnclex", "fldcw [{}]", in(reg) &raw const masked) };
            assert_eq!(before, after);
            assert_eq!(before.status & 0x84, 0x84);
            assert_eq!(inside.x87, 0x37f);
        }
    }

    #[cfg(target_arch = "aarch64")]
    mod floating_point {
        use super::*;
        use core::arch::asm;

        const FLUSH: u64 = 1 << 24;

        /// FPCR and FPSR.
        fn state() -> (u64, u64) {
            let (control, status): (u64, u64);
            // SAFETY: reads two registers.
            unsafe { asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status) };
            (control, status)
        }

        fn set(control: u64, status: u64) {
            // SAFETY: the tests that change the state use no floating point until they have put it back.
            unsafe { asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) control, in(reg) status) };
        }

        unsafe extern "C" fn note_state(context: *mut c_void) {
            // SAFETY: the test passes two numbers.
            unsafe {
                *context.cast::<(u64, u64)>() = state();
                // Leave flags behind, as kernel code does.
                asm!("fdiv {0:s}, {0:s}, {1:s}", inout(vreg) 1.0f32 => _, in(vreg) 0.0f32);
            }
        }

        #[test]
        fn a_strange_host_state_is_put_aside_and_given_back() {
            const FLUSH_HALVES: u64 = 1 << 19;
            const DEFAULT_NAN: u64 = 1 << 25;
            // As it is, each rounding mode, flush to zero, NaNs without payload, traps (which few machines have), and sticky flags.
            for control in [0, 1 << 22, 2 << 22, 3 << 22, FLUSH, FLUSH_HALVES, DEFAULT_NAN, 0x1f << 8] {
                for status in [0, 0x1f] {
                    let mut inside = (u64::MAX, u64::MAX);
                    set(control, status);
                    let before = state();
                    enter(note_state, (&raw mut inside).cast());
                    let after = state();
                    set(0, 0);
                    assert_eq!(inside.0, 0);
                    assert_eq!(before, after);
                }
            }
        }

        #[test]
        fn subnormals_are_flushed_where_that_is_asked_for() {
            let mut inside = (0, 0);
            let before = state();
            enter_flushing(true, note_state, (&raw mut inside).cast());
            assert_eq!(before, state());
            assert_eq!(inside.0, FLUSH);
        }
    }
}
