//! Machine code for people (`BROLGA_DEBUG=asm`).

use super::encode::{Encoding, Imm, Instruction, Mem, MemBase, Rm, Size};
use super::machine::Kind;
use regalloc2::Allocation;

const NAMES: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
];

fn register(size: Size, number: u8) -> String {
    let name = NAMES[usize::from(number & 15)];
    match size {
        Size::Q => name.into(),
        Size::X => format!("xmm{number}"),
        Size::Y => format!("ymm{number}"),
        Size::Z => format!("zmm{number}"),
        _ if number >= 8 => format!("{name}d"),
        _ => name.replacen('r', "e", 1),
    }
}

fn memory(mem: &Mem) -> String {
    let mut text = String::from("[");
    match mem.base {
        MemBase::Reg(reg) => text.push_str(NAMES[usize::from(reg & 15)]),
        MemBase::None => text.push('0'),
        MemBase::Pool(offset) => text.push_str(&format!("constants+{offset:#x}")),
    }
    if let Some((index, scale)) = mem.index {
        text.push_str(&format!("+{}*{}", NAMES[usize::from(index & 15)], 1 << scale));
    }
    if mem.disp != 0 {
        text.push_str(&format!("{:+}", mem.disp));
    }
    text + "]"
}

/// An instruction.
pub fn instruction(text: &mut Option<&mut String>, i: &Instruction) {
    let Some(text) = text else { return };
    let rm = match &i.rm {
        Rm::Reg(reg) => register(i.size, *reg),
        Rm::Mem(mem) => memory(mem),
    };
    let lock = if i.lock { "lock " } else { "" };
    let plus = if i.plus == 0 { String::new() } else { format!(".{}", i.plus) };
    text.push_str(&format!("    {lock}{}{plus} {}", i.op.name, register(i.size, i.reg)));
    if i.mask != 0 {
        text.push_str(&format!(" {{k{}}}{}", i.mask, if i.zeroing { "{z}" } else { "" }));
    }
    if i.op.encoding != Encoding::Legacy {
        text.push_str(&format!(", {}", register(i.size, i.vvvv)));
    }
    text.push_str(&format!(", {rm}{}", if i.broadcast { " for all lanes" } else { "" }));
    match i.imm {
        Imm::No => {}
        Imm::I8(imm) => text.push_str(&format!(", {imm:#x}")),
        Imm::I16(imm) => text.push_str(&format!(", {imm:#x}")),
        Imm::I32(imm) => text.push_str(&format!(", {imm}")),
    }
    text.push('\n');
}

/// A jump.
pub fn jump(text: &mut Option<&mut String>, what: &str, to: usize) {
    if let Some(text) = text {
        text.push_str(&format!("    {what} block{to}\n"));
    }
}

/// Anything else.
pub fn other(text: &mut Option<&mut String>, kind: &Kind, allocs: &[Allocation]) {
    if let Some(text) = text {
        let operands: Vec<String> = allocs.iter().map(ToString::to_string).collect();
        text.push_str(&format!("    {kind:?} {}\n", operands.join(", ")));
    }
}
