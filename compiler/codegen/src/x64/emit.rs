//! Register allocation, and machine code from what comes out of it.
//!
//! The frame, from the stack pointer up: arguments and results of callees, the function's buffer, spilled registers; then, below the
//! frame pointer, the callee-saved registers that the function uses. The stack pointer is aligned to a vector register.

use super::allocate::allocate;
use super::encode::{Code, Imm, Instruction, Mem, MemBase, Op, Rm, Size};
use super::frame::Frame;
use super::function::Function;
use super::machine::{Base, BaseField, Cc, Field, Kind, Machine, RmField, gpr};
use super::ops;
use super::registers::{CALLEE_SAVED, environment};
use super::show;
use regalloc2::{Allocation, AllocationKind, Edit, Output, PRegSet, RegClass};
use std::sync::atomic::Ordering;

const RSP: u8 = 4;
const RBP: u8 = 5;

/// Where code needs an address that is settled later.
#[derive(Clone, Copy, Debug)]
pub enum Relocation {
    /// Four bytes at `at`, relative to their end: function so of the program.
    Call { at: usize, function: u32 },
}

/// A function's machine code.
#[derive(Debug)]
pub struct Emitted {
    /// Code, then constants.
    pub bytes: Vec<u8>,
    /// What is still open in it.
    pub relocations: Vec<Relocation>,
    /// Bytes of stack that it takes, the return address and callees not counted.
    pub frame: u64,
    /// How to walk it.
    pub walk: Frame,
    /// From which byte on it is made for which place in the source.
    pub places: Vec<(usize, ir::Place)>,
}

/// Allocates registers and writes the code. `text` gets it in a form for people.
pub fn emit(function: &Function, is_entry: bool, mut text: Option<&mut String>) -> Result<Emitted, String> {
    let environment = environment(function.target);
    let output = allocate(function, &environment)?;
    if cfg!(debug_assertions) && crate::CHECKS_ALLOCATION.load(Ordering::Relaxed) {
        let mut checker = regalloc2::checker::Checker::new(function, &environment);
        checker.prepare(&output);
        checker
            .run()
            .map_err(|errors| format!("the register allocator was wrong: {errors:?}"))?;
    }
    let mut emitter = Emitter::new(function, &output, is_entry);
    emitter.run(&mut text);
    Ok(emitter.finish())
}

struct Fixup {
    at: usize,
    to: usize,
}

struct Emitter<'a> {
    function: &'a Function,
    output: &'a Output,
    is_entry: bool,
    code: Code,
    /// Where each block starts; `usize::MAX` as long as it is open.
    starts: Vec<usize>,
    fixups: Vec<Fixup>,
    relocations: Vec<Relocation>,
    walk: Frame,
    places: Vec<(usize, ir::Place)>,
    buffer_at: i32,
    spills_at: i32,
    frame_bytes: u32,
}

impl<'a> Emitter<'a> {
    fn new(function: &'a Function, output: &'a Output, is_entry: bool) -> Emitter<'a> {
        let vector_bytes = function.target.vector_bytes();
        let align = |bytes: u32| bytes.next_multiple_of(vector_bytes);
        let buffer_at = align(function.outgoing_bytes);
        let spills_at = buffer_at + align(function.buffer_bytes);
        let frame_bytes = spills_at + align(8 * output.num_spillslots as u32);
        let mut used = PRegSet::empty();
        let mut note = |allocation: Allocation| {
            if let Some(reg) = allocation.as_reg() {
                used.add(reg);
            }
        };
        output.allocs.iter().copied().for_each(&mut note);
        for (_, Edit::Move { from, to }) in &output.edits {
            note(*from);
            note(*to);
        }
        for inst in &function.insts {
            used.union_from(inst.clobbers);
        }
        let saved: Vec<u8> = CALLEE_SAVED
            .into_iter()
            .filter(|&number| used.contains(gpr(usize::from(number))))
            .collect();
        // Where registers alone are on the stack, an odd number of them would leave it misaligned for callees.
        let calls = function
            .insts
            .iter()
            .any(|inst| matches!(inst.kind, Kind::Call(_) | Kind::CallAddress));
        let frame_bytes = match frame_bytes {
            0 if calls && saved.len() % 2 == 1 => vector_bytes,
            bytes => bytes,
        };
        Emitter {
            function,
            output,
            is_entry,
            code: Code::default(),
            starts: vec![usize::MAX; function.blocks.len()],
            fixups: Vec::new(),
            relocations: Vec::new(),
            walk: Frame {
                saved,
                pushed: 0,
                returns: Vec::new(),
            },
            places: Vec::new(),
            buffer_at: buffer_at as i32,
            spills_at: spills_at as i32,
            frame_bytes,
        }
    }

    fn run(&mut self, text: &mut Option<&mut String>) {
        self.prologue();
        let targets = self.targets();
        let mut edits = self.output.edits.iter().peekable();
        let mut order: Vec<usize> = (0..self.function.blocks.len()).filter(|&block| targets[block] == block).collect();
        if order.first() != Some(&0) {
            order.insert(0, 0);
        }
        for (position, &block) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            let data = &self.function.blocks[block];
            // Loops begin at a boundary. (Cold blocks come back to others from behind, too.)
            let comes_back = |pred: usize| pred >= block && self.function.blocks[pred].cold == data.cold;
            if data.preds.iter().any(|pred| comes_back(pred.index())) {
                self.align(32);
            }
            self.starts[block] = self.code.bytes.len();
            if let Some(text) = text {
                text.push_str(&format!("block{block}: ; {:#x}\n", self.code.bytes.len()));
            }
            // Blocks that are left out have no edits.
            for inst in data.insts.clone() {
                self.note_place(self.function.insts[inst as usize].place);
                let point = regalloc2::ProgPoint::before(regalloc2::Inst::new(inst as usize));
                while let Some((_, Edit::Move { from, to })) = edits.next_if(|(at, _)| *at <= point) {
                    self.move_allocation(*from, *to, text);
                }
                self.inst(inst as usize, block, next, &targets, text);
                let after = regalloc2::ProgPoint::after(regalloc2::Inst::new(inst as usize));
                while let Some((_, Edit::Move { from, to })) = edits.next_if(|(at, _)| *at <= after) {
                    self.move_allocation(*from, *to, text);
                }
            }
        }
        for fixup in core::mem::take(&mut self.fixups) {
            let distance = self.starts[fixup.to] as i64 - (fixup.at as i64 + 4);
            self.code.bytes[fixup.at..fixup.at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
    }

    /// Where a jump to each block ends up: empty blocks are left out.
    fn targets(&self) -> Vec<usize> {
        let blocks = &self.function.blocks;
        let mut empty = vec![false; blocks.len()];
        let mut edits = self.output.edits.iter().peekable();
        for (number, block) in blocks.iter().enumerate() {
            let last = block.insts.end as usize;
            let mut moves = 0;
            while edits.next_if(|(at, _)| at.inst().index() < last).is_some() {
                moves += 1;
            }
            let insts = &self.function.insts[block.insts.start as usize..last];
            let only = insts.iter().all(|inst| matches!(inst.kind, Kind::Start | Kind::Jump));
            empty[number] = number != 0 && only && moves == 0;
        }
        (0..blocks.len())
            .map(|start| {
                let mut at = start;
                // A loop of empty blocks stays where it is.
                for _ in 0..64 {
                    if !empty[at] {
                        return at;
                    }
                    at = blocks[at].succs[0].index();
                }
                start
            })
            .collect()
    }

    fn align(&mut self, to: usize) {
        const NOPS: [&[u8]; 9] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut missing = self.code.bytes.len().next_multiple_of(to) - self.code.bytes.len();
        while missing > 0 {
            let nop = NOPS[missing.min(NOPS.len()) - 1];
            self.code.bytes.extend_from_slice(nop);
            missing -= nop.len();
        }
    }

    fn plain(&mut self, op: &'static Op, size: Size, reg: u8, rm: Rm, imm: Imm, text: &mut Option<&mut String>) {
        let instruction = Instruction {
            op,
            plus: 0,
            size,
            reg,
            vvvv: 0,
            rm,
            imm,
            lock: false,
            mask: 0,
            zeroing: false,
            broadcast: false,
        };
        show::instruction(text, &instruction);
        self.code.put(&instruction);
    }

    fn prologue(&mut self) {
        let bytes = &mut self.code.bytes;
        // push rbp; mov rbp, rsp
        bytes.extend([0x55, 0x48, 0x89, 0xe5]);
        for &reg in &self.walk.saved {
            if reg >= 8 {
                bytes.push(0x41);
            }
            bytes.push(0x50 | reg & 7);
        }
        self.walk.pushed = bytes.len() as u32;
        if self.frame_bytes > 0 {
            // sub rsp, bytes; and rsp, -bytes of a vector
            self.plain(
                &ops::ALU_I32,
                Size::Q,
                5,
                Rm::Reg(RSP),
                Imm::I32(self.frame_bytes as i32),
                &mut None,
            );
            self.plain(
                &ops::ALU_I8,
                Size::Q,
                4,
                Rm::Reg(RSP),
                Imm::I8((self.function.target.vector_bytes() as i8).wrapping_neg() as u8),
                &mut None,
            );
        }
    }

    fn epilogue(&mut self) {
        if self.is_entry {
            self.code.bytes.extend([0xc5, 0xf8, 0x77]);
        }
        if self.frame_bytes > 0 && !self.walk.saved.is_empty() {
            let below = Mem {
                base: MemBase::Reg(RBP),
                index: None,
                disp: -8 * self.walk.saved.len() as i32,
            };
            self.plain(&ops::LEA, Size::Q, RSP, Rm::Mem(below), Imm::No, &mut None);
        }
        for &reg in self.walk.saved.iter().rev() {
            if reg >= 8 {
                self.code.bytes.push(0x41);
            }
            self.code.bytes.push(0x58 | reg & 7);
        }
        // leave, or pop rbp; ret
        let leave = if self.frame_bytes > 0 && self.walk.saved.is_empty() {
            0xc9
        } else {
            0x5d
        };
        self.code.bytes.push(leave);
        self.walk.returns.push(self.code.bytes.len() as u32);
        self.code.bytes.push(0xc3);
    }

    fn slot(&self, allocation: Allocation) -> Rm {
        let slot = allocation.as_stack().map_or(0, |slot| slot.index()) as i32;
        Rm::Mem(Mem {
            base: MemBase::Reg(RSP),
            index: None,
            disp: self.spills_at + 8 * slot,
        })
    }

    fn move_allocation(&mut self, from: Allocation, to: Allocation, text: &mut Option<&mut String>) {
        let class = [from, to].iter().find_map(|allocation| allocation.as_reg()).map(|reg| reg.class());
        let (load, store, between, size) = match class {
            Some(RegClass::Int) => (&ops::MOV, &ops::MOV_RM, &ops::MOV, Size::Q),
            Some(RegClass::Vector) => (&ops::KMOVQ, &ops::KMOVQ_RM, &ops::KMOVQ, Size::X),
            _ => (&ops::VMOVUPS, &ops::VMOVUPS_RM, &ops::VMOVAPS, self.function.target.vector),
        };
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => self.plain(between, size, to.hw_enc() as u8, Rm::Reg(from.hw_enc() as u8), Imm::No, text),
            (Some(from), None) => self.plain(store, size, from.hw_enc() as u8, self.slot(to), Imm::No, text),
            (None, Some(to)) => self.plain(load, size, to.hw_enc() as u8, self.slot(from), Imm::No, text),
            (None, None) => debug_assert!(false, "the allocator moves nothing from memory to memory"),
        }
    }

    fn note_place(&mut self, place: ir::Place) {
        if place.is_known() && self.places.last().is_none_or(|&(_, last)| last != place) {
            self.places.push((self.code.bytes.len(), place));
        }
    }

    fn inst(&mut self, number: usize, block: usize, next: Option<usize>, targets: &[usize], text: &mut Option<&mut String>) {
        let inst = self.function.insts[number];
        let allocs = self.output.inst_allocs(regalloc2::Inst::new(number));
        let reg = |operand: usize| allocs[operand].as_reg().map_or(0, |reg| reg.hw_enc() as u8);
        match inst.kind {
            Kind::Machine(machine) => {
                let instruction = self.resolve(&machine, allocs);
                show::instruction(text, &instruction);
                self.code.put(&instruction);
                return;
            }
            Kind::Constant(value) | Kind::Address(value) => self.constant(reg(0), value),
            Kind::Start => return,
            Kind::SignIntoRdx(size) => {
                if size == Size::Q {
                    self.code.bytes.push(0x48);
                }
                self.code.bytes.push(0x99);
            }
            Kind::ByteSwap(size) => {
                let reg = reg(1);
                let rex = u8::from(size == Size::Q) << 3 | reg >> 3;
                if rex != 0 {
                    self.code.bytes.push(0x40 | rex);
                }
                self.code.bytes.extend([0x0f, 0xc8 | reg & 7]);
            }
            Kind::Fence => self.code.bytes.extend([0x0f, 0xae, 0xf0]),
            Kind::StoreFence => self.code.bytes.extend([0x0f, 0xae, 0xf8]),
            Kind::Call(function) => {
                self.code.bytes.push(0xe8);
                let at = self.code.bytes.len();
                self.relocations.push(Relocation::Call { at, function });
                self.code.bytes.extend([0; 4]);
            }
            // vzeroupper; call rax
            Kind::CallAddress => self.code.bytes.extend([0xc5, 0xf8, 0x77, 0xff, 0xd0]),
            Kind::Jump => {
                let to = targets[self.function.blocks[block].succs[0].index()];
                if next != Some(to) {
                    self.jump(to);
                }
                show::jump(text, "jmp", to);
                return;
            }
            Kind::Branch(cc) => {
                let [then, otherwise] = [0, 1].map(|edge| targets[self.function.blocks[block].succs[edge].index()]);
                show::jump(text, &format!("j{cc:?} block{then} else"), otherwise);
                if next == Some(otherwise) {
                    self.jump_if(cc, then);
                } else if next == Some(then) {
                    self.jump_if(cc.inverse(), otherwise);
                } else {
                    self.jump_if(cc, then);
                    self.jump(otherwise);
                }
                return;
            }
            Kind::Return => self.epilogue(),
        }
        show::other(text, &inst.kind, allocs);
    }

    fn constant(&mut self, reg: u8, value: u64) {
        if let Ok(value) = u32::try_from(value) {
            if reg >= 8 {
                self.code.bytes.push(0x41);
            }
            self.code.bytes.push(0xb8 | reg & 7);
            self.code.bytes.extend(value.to_le_bytes());
        } else if let Ok(value) = i32::try_from(value as i64) {
            self.plain(&ops::MOV_I32, Size::Q, 0, Rm::Reg(reg), Imm::I32(value), &mut None);
        } else {
            self.code.bytes.extend([0x48 | reg >> 3, 0xb8 | reg & 7]);
            self.code.bytes.extend(value.to_le_bytes());
        }
    }

    fn jump(&mut self, to: usize) {
        self.jump_with(&[0xeb], &[0xe9], to);
    }

    fn jump_if(&mut self, cc: Cc, to: usize) {
        self.jump_with(&[0x70 | cc as u8], &[0x0f, 0x80 | cc as u8], to);
    }

    /// Backward jumps are short where they can be.
    fn jump_with(&mut self, short: &[u8], long: &[u8], to: usize) {
        let start = self.starts[to];
        if start != usize::MAX {
            let distance = start as i64 - (self.code.bytes.len() + short.len() + 1) as i64;
            if let Ok(distance) = i8::try_from(distance) {
                self.code.bytes.extend_from_slice(short);
                self.code.bytes.push(distance as u8);
                return;
            }
        }
        self.code.bytes.extend_from_slice(long);
        self.fixups.push(Fixup {
            at: self.code.bytes.len(),
            to,
        });
        self.code.bytes.extend([0; 4]);
    }

    /// The instruction with the registers that its operands got.
    fn resolve(&self, machine: &Machine, allocs: &[Allocation]) -> Instruction {
        let reg = |at: u8| allocs[usize::from(at)].as_reg().map_or(0, |reg| reg.hw_enc() as u8);
        let field = |field: Field| match field {
            Field::No => 0,
            Field::Digit(digit) => digit,
            Field::At(at) => reg(at),
        };
        let rm = match machine.rm {
            RmField::At(at) => match allocs[usize::from(at)].kind() {
                AllocationKind::Stack => self.slot(allocs[usize::from(at)]),
                _ => Rm::Reg(reg(at)),
            },
            RmField::Mem { base, index, disp } => {
                let index = index.map(|(at, scale)| (reg(at), scale));
                let on_frame = |number, start: i32| (MemBase::Reg(number), start + disp);
                let (base, disp) = match base {
                    BaseField::At(at) => (MemBase::Reg(reg(at)), disp),
                    BaseField::Fixed(base) => match base {
                        Base::Pool(offset) => (MemBase::Pool(offset), disp),
                        Base::Buffer => on_frame(RSP, self.buffer_at),
                        Base::Outgoing => on_frame(RSP, 0),
                        Base::Incoming => on_frame(RBP, 16),
                        Base::None | Base::Reg(_) => (MemBase::None, disp),
                    },
                };
                Rm::Mem(Mem { base, index, disp })
            }
        };
        let imm = match machine.last {
            Field::At(at) => Imm::I8(reg(at) << 4),
            _ => machine.imm,
        };
        Instruction {
            op: machine.op,
            plus: machine.plus,
            size: machine.size,
            reg: field(machine.reg),
            vvvv: field(machine.vvvv),
            rm,
            imm,
            lock: machine.lock,
            mask: field(machine.mask),
            zeroing: machine.zeroing,
            broadcast: machine.broadcast,
        }
    }

    fn finish(mut self) -> Emitted {
        let pool = &self.function.pool;
        if !pool.is_empty() {
            // Alignment by traps: nobody runs there.
            let start = self.code.bytes.len().next_multiple_of(self.function.target.vector_bytes() as usize);
            self.code.bytes.resize(start, 0xcc);
            self.code.bytes.extend_from_slice(pool);
            for used in &self.code.pool_uses {
                let distance = (start as i64 + i64::from(used.offset)) - (used.at as i64 + i64::from(used.to_end));
                self.code.bytes[used.at..used.at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
            }
        }
        Emitted {
            bytes: self.code.bytes,
            relocations: self.relocations,
            places: self.places,
            frame: u64::from(self.frame_bytes + self.function.target.vector_bytes()) + 8 * (self.walk.saved.len() as u64 + 2),
            walk: self.walk,
        }
    }
}
