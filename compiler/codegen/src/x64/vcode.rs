//! Machine code under construction: what the selector writes.
//!
//! In SSA form, with block parameters. Blocks are written one after the other; [`VCode::finish`] splits critical edges and puts cold
//! blocks last.

use super::encode::{Imm, Op, Size};
use super::machine::{Base, BaseField, Cc, Field, Inst, Kind, Label, Machine, More, R, RAX, RmField, RmOf, Src};
use super::target::Target;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PRegSet, RegClass, VReg};
use smallvec::SmallVec;

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct Edge {
    pub to: Label,
    pub args: SmallVec<[VReg; 4]>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct BlockData {
    pub params: Vec<VReg>,
    pub insts: core::ops::Range<u32>,
    pub edges: SmallVec<[Edge; 2]>,
    pub cold: bool,
    written: bool,
}

/// Machine code of a function under construction.
#[derive(Debug)]
pub struct VCode {
    /// The machine.
    pub target: Target,
    pub(super) insts: Vec<Inst>,
    pub(super) operands: Vec<Operand>,
    pub(super) blocks: Vec<BlockData>,
    pub(super) order: Vec<Label>,
    current: Option<Label>,
    cold: bool,
    pub(super) vregs: usize,
    /// What instructions are made for now, in the source.
    pub place: ir::Place,
    /// Constants of the function.
    pub pool: Vec<u8>,
    /// Bytes of the buffer in the frame.
    pub buffer_bytes: u32,
    /// Bytes of arguments and results of callees.
    pub outgoing_bytes: u32,
}

/// Of an instruction, about.
const OPERANDS: usize = 3;

impl VCode {
    /// Nothing yet.
    pub fn new(target: Target) -> VCode {
        VCode {
            target,
            insts: Vec::new(),
            operands: Vec::new(),
            blocks: Vec::new(),
            order: Vec::new(),
            current: None,
            cold: false,
            vregs: 0,
            place: ir::Place::default(),
            pool: Vec::new(),
            buffer_bytes: 0,
            outgoing_bytes: 0,
        }
    }

    /// Makes room for so many instructions.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.operands.reserve(insts * OPERANDS);
    }

    /// A new register of a class.
    pub fn vreg(&mut self, class: RegClass) -> VReg {
        self.vregs += 1;
        VReg::new(self.vregs - 1, class)
    }

    /// A new general register.
    pub fn int(&mut self) -> VReg {
        self.vreg(RegClass::Int)
    }

    /// A new vector register.
    pub fn vec(&mut self) -> VReg {
        self.vreg(RegClass::Float)
    }

    /// A new mask register.
    pub fn mask(&mut self) -> VReg {
        self.vreg(RegClass::Vector)
    }

    /// A new block, not written yet. It is cold if the current one is.
    pub fn block(&mut self) -> Label {
        self.blocks.push(BlockData {
            cold: self.cold,
            ..BlockData::default()
        });
        Label(self.blocks.len() as u32 - 1)
    }

    /// A new parameter of a block.
    pub fn param(&mut self, block: Label, class: RegClass) -> VReg {
        let reg = self.vreg(class);
        self.blocks[block.0 as usize].params.push(reg);
        reg
    }

    /// The block is hardly ever executed.
    pub fn set_cold(&mut self, block: Label) {
        self.blocks[block.0 as usize].cold = true;
    }

    /// Goes on in a block, which must not have been written yet. The current one must have ended.
    pub fn start(&mut self, block: Label) {
        debug_assert!(self.current.is_none(), "the current block has no end");
        let at = self.insts.len() as u32;
        let data = &mut self.blocks[block.0 as usize];
        debug_assert!(!data.written, "a block is written twice");
        data.written = true;
        data.insts = at..at;
        self.cold = data.cold;
        self.order.push(block);
        self.current = Some(block);
    }

    fn push(&mut self, kind: Kind, operands: &[Operand], clobbers: PRegSet) {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.insts.push(Inst {
            kind,
            start,
            count: operands.len() as u16,
            clobbers,
            place: self.place,
        });
    }

    fn end(&mut self, kind: Kind, operands: &[Operand], edges: SmallVec<[Edge; 2]>) {
        self.push(kind, operands, PRegSet::empty());
        let block = self.current.take();
        debug_assert!(block.is_some(), "code outside of a block");
        if let Some(block) = block {
            let data = &mut self.blocks[block.0 as usize];
            data.insts.end = self.insts.len() as u32;
            data.edges = edges;
        }
    }

    /// Ends the block: goes on in another.
    pub fn jump(&mut self, to: Label, args: &[VReg]) {
        let args = SmallVec::from_slice(args);
        self.end(Kind::Jump, &[], SmallVec::from_iter([Edge { to, args }]));
    }

    /// Ends the block: goes on in the first of two where the flags say so.
    pub fn branch(&mut self, cc: Cc, then: (Label, &[VReg]), otherwise: (Label, &[VReg])) {
        let edges = [then, otherwise].map(|(to, args)| Edge {
            to,
            args: SmallVec::from_slice(args),
        });
        self.end(Kind::Branch(cc), &[], SmallVec::from_iter(edges));
    }

    /// Ends the block: leaves the function, with a result in rax if there is one.
    pub fn ret(&mut self, result: Option<VReg>) {
        let operands: SmallVec<[Operand; 1]> = result.map(|reg| Operand::reg_fixed_use(reg, RAX)).into_iter().collect();
        self.end(Kind::Return, &operands, SmallVec::new());
    }

    /// An instruction that is no plain machine instruction.
    pub fn special(&mut self, kind: Kind, operands: &[Operand], clobbers: PRegSet) {
        self.push(kind, operands, clobbers);
    }

    /// A machine instruction.
    pub fn machine(&mut self, op: &'static Op, size: Size, reg: R, vvvv: R, rm: RmOf, imm: Imm) {
        self.machine_with(op, size, reg, vvvv, rm, imm, More::default());
    }

    /// A machine instruction with all that there is.
    #[expect(clippy::too_many_arguments, reason = "the fields of an instruction")]
    pub fn machine_with(&mut self, op: &'static Op, size: Size, reg: R, vvvv: R, rm: RmOf, imm: Imm, more: More) {
        let mut operands: SmallVec<[Operand; 8]> = SmallVec::new();
        let mut field = |r: R| match r {
            R::No => Field::No,
            R::Digit(digit) => Field::Digit(digit),
            R::Use(reg) => at(&mut operands, Operand::reg_use(reg)),
            R::Def(reg) => at(&mut operands, Operand::reg_def(reg)),
            R::Tied(def, input) => tied(&mut operands, def, input),
        };
        let (reg, vvvv) = (field(reg), field(vvvv));
        let last = more.last.map_or(Field::No, |last| field(R::Use(last)));
        let mask = match (more.mask, more.left) {
            (Some(mask), Some(left)) => field(R::Tied(left, mask)),
            (Some(mask), None) => field(R::Use(mask)),
            _ => Field::No,
        };
        let broadcast = matches!(rm, RmOf::Src(Src::Broadcast(_)));
        let rm = match rm {
            RmOf::Src(Src::Reg(reg)) => RmField::At(push(
                &mut operands,
                Operand::new(reg, OperandConstraint::Any, OperandKind::Use, OperandPos::Early),
            )),
            RmOf::Reg(reg) => RmField::At(push(&mut operands, Operand::reg_use(reg))),
            RmOf::Def(reg) => RmField::At(push(&mut operands, Operand::reg_def(reg))),
            RmOf::Tied(def, input) => match tied(&mut operands, def, input) {
                Field::At(at) => RmField::At(at),
                _ => unreachable!("a tied operand is an operand"),
            },
            RmOf::Src(Src::Mem(mem) | Src::Broadcast(mem)) | RmOf::Mem(mem) => {
                let base = match mem.base {
                    Base::Reg(reg) => BaseField::At(push(&mut operands, Operand::reg_use(reg))),
                    other => BaseField::Fixed(other),
                };
                // The index of a gather must not be where its results are.
                let index = mem.index.map(|(reg, scale)| {
                    let operand = match reg.class() {
                        RegClass::Int => Operand::reg_use(reg),
                        _ => Operand::reg_use_at_end(reg),
                    };
                    (push(&mut operands, operand), scale)
                });
                RmField::Mem {
                    base,
                    index,
                    disp: mem.disp,
                }
            }
        };
        operands.extend_from_slice(more.others);
        let machine = Machine {
            op,
            plus: more.plus,
            size,
            reg,
            vvvv,
            rm,
            last,
            imm,
            lock: more.lock,
            mask,
            zeroing: more.zeroing,
            broadcast,
        };
        self.push(Kind::Machine(machine), &operands, PRegSet::empty());
    }
}

fn push(operands: &mut SmallVec<[Operand; 8]>, operand: Operand) -> u8 {
    operands.push(operand);
    operands.len() as u8 - 1
}

fn at(operands: &mut SmallVec<[Operand; 8]>, operand: Operand) -> Field {
    Field::At(push(operands, operand))
}

fn tied(operands: &mut SmallVec<[Operand; 8]>, def: VReg, input: VReg) -> Field {
    let from = push(operands, Operand::reg_use(input));
    at(operands, Operand::reg_reuse_def(def, usize::from(from)))
}
