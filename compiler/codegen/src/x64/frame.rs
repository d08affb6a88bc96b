//! Call frame information of a function (DWARF 5, section 6.4; System V ABI for x86-64, section 3.6): how to walk from any of its instructions to
//! its caller's.

use cranelift_codegen::gimli::write::{CallFrameInstruction, CommonInformationEntry, FrameDescriptionEntry};
use cranelift_codegen::gimli::{Encoding, Format, Register, X86_64};

/// Where the frame of a function changes.
#[derive(Debug)]
pub struct Frame {
    /// The callee-saved registers that it pushes after the frame pointer.
    pub saved: Vec<u8>,
    /// The end of those pushes.
    pub pushed: u32,
    /// Its return instructions, of a byte each.
    pub returns: Vec<u32>,
}

/// After `push rbp`, and after `mov rbp, rsp`, with which every function starts.
const FRAME_POINTER_PUSHED: u32 = 1;
const FRAME_POINTER_SET: u32 = 4;

/// What is the same for all functions: they start with the return address on top of the stack.
pub fn common() -> CommonInformationEntry {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 1,
        address_size: 8,
    };
    let mut common = CommonInformationEntry::new(encoding, 1, -8, X86_64::RA);
    common.add_instruction(CallFrameInstruction::Cfa(X86_64::RSP, 8));
    common.add_instruction(CallFrameInstruction::Offset(X86_64::RA, -8));
    common
}

impl Frame {
    /// Adds what differs to a function's entry.
    pub fn describe(&self, entry: &mut FrameDescriptionEntry) {
        entry.add_instruction(FRAME_POINTER_PUSHED, CallFrameInstruction::CfaOffset(16));
        entry.add_instruction(FRAME_POINTER_PUSHED, CallFrameInstruction::Offset(X86_64::RBP, -16));
        entry.add_instruction(FRAME_POINTER_SET, CallFrameInstruction::CfaRegister(X86_64::RBP));
        for (position, &reg) in (0..).zip(&self.saved) {
            // The numbers of rbx and r12 to r15 are the machine's own.
            let place = CallFrameInstruction::Offset(Register(u16::from(reg)), -24 - 8 * position);
            entry.add_instruction(self.pushed, place);
        }
        for &at in &self.returns {
            entry.add_instruction(at, CallFrameInstruction::RememberState);
            entry.add_instruction(at, CallFrameInstruction::Cfa(X86_64::RSP, 8));
            entry.add_instruction(at, CallFrameInstruction::Restore(X86_64::RBP));
            entry.add_instruction(at + 1, CallFrameInstruction::RestoreState);
        }
    }
}
