//! Machine code with virtual registers: what the selector writes and the register allocator reads.
//!
//! In SSA form, with block parameters. Blocks are written one after the other; [`VCode::finish`] splits critical edges and puts cold
//! blocks last.

use super::encode::{Imm, Op, Size};
use super::target::Target;
use super::unused::unused_masks;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PReg, PRegSet, RegClass, VReg};
use smallvec::SmallVec;

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// Conditions of the flags, by their number in opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Cc {
    O = 0,
    No = 1,
    B = 2,
    Ae = 3,
    E = 4,
    Ne = 5,
    Be = 6,
    A = 7,
    P = 10,
    Np = 11,
    L = 12,
    Ge = 13,
    Le = 14,
    G = 15,
}

impl Cc {
    /// True where this is false.
    pub fn inverse(self) -> Cc {
        match self {
            Cc::O => Cc::No,
            Cc::No => Cc::O,
            Cc::B => Cc::Ae,
            Cc::Ae => Cc::B,
            Cc::E => Cc::Ne,
            Cc::Ne => Cc::E,
            Cc::Be => Cc::A,
            Cc::A => Cc::Be,
            Cc::P => Cc::Np,
            Cc::Np => Cc::P,
            Cc::L => Cc::Ge,
            Cc::Ge => Cc::L,
            Cc::Le => Cc::G,
            Cc::G => Cc::Le,
        }
    }
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Nothing.
    None,
    /// A register.
    Reg(VReg),
    /// The function's constants.
    Pool(u32),
    /// The function's buffer in its frame.
    Buffer,
    /// The place in the frame where callees find their arguments.
    Outgoing,
    /// The place where this function finds its arguments.
    Incoming,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amode {
    /// Base.
    pub base: Base,
    /// Index and the logarithm of its scale.
    pub index: Option<(VReg, u8)>,
    /// Displacement.
    pub disp: i32,
}

impl Amode {
    /// `base + disp`.
    pub fn new(base: Base, disp: i32) -> Amode {
        Amode { base, index: None, disp }
    }

    /// `reg + disp`.
    pub fn reg(reg: VReg, disp: i32) -> Amode {
        Amode::new(Base::Reg(reg), disp)
    }

    /// A lane of `bytes` bytes (1, 2, 4 or 8) of what is here; there must be no index yet.
    pub fn lane(self, lane: VReg, bytes: u32) -> Amode {
        Amode {
            index: Some((lane, bytes.ilog2() as u8)),
            ..self
        }
    }
}

/// A source that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// A register (or wherever the allocator keeps it).
    Reg(VReg),
    /// Memory.
    Mem(Amode),
    /// An element in memory for all lanes.
    Broadcast(Amode),
}

impl From<VReg> for Src {
    fn from(reg: VReg) -> Src {
        Src::Reg(reg)
    }
}

impl From<Amode> for Src {
    fn from(mem: Amode) -> Src {
        Src::Mem(mem)
    }
}

/// What the selector says of the operand in ModRM.reg, VEX.vvvv or the trailing register.
#[derive(Clone, Copy, Debug)]
pub enum R {
    /// Not there.
    No,
    /// Read.
    Use(VReg),
    /// Written.
    Def(VReg),
    /// The second is read, the first written in the same register.
    Tied(VReg, VReg),
    /// Part of the opcode.
    Digit(u8),
}

/// The same for ModRM.rm.
#[derive(Clone, Copy, Debug)]
pub enum RmOf {
    /// Read, from a register or memory.
    Src(Src),
    /// Read from a register.
    Reg(VReg),
    /// A register that is written.
    Def(VReg),
    /// The second is read, the first written in the same register.
    Tied(VReg, VReg),
    /// Memory that is read or written.
    Mem(Amode),
}

/// An operand of an instruction: its position among the allocator's operands, a digit, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Nothing.
    No,
    /// Operand so.
    At(u8),
    /// A digit.
    Digit(u8),
}

/// What a memory operand starts from, by operand.
#[derive(Clone, Copy, Debug)]
pub enum BaseField {
    /// Operand so.
    At(u8),
    /// No register of the allocator's.
    Fixed(Base),
}

/// ModRM.rm.
#[derive(Clone, Copy, Debug)]
pub enum RmField {
    /// Operand so: a register or a spill slot.
    At(u8),
    /// Memory.
    Mem {
        base: BaseField,
        index: Option<(u8, u8)>,
        disp: i32,
    },
}

/// An instruction of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub op: &'static Op,
    pub plus: u8,
    pub size: Size,
    pub reg: Field,
    pub vvvv: Field,
    pub rm: RmField,
    pub last: Field,
    pub imm: Imm,
    pub lock: bool,
    pub mask: Field,
    pub zeroing: bool,
    pub broadcast: bool,
}

/// What few instructions have.
#[derive(Clone, Copy, Debug, Default)]
pub struct More<'a> {
    /// A register in the immediate.
    pub last: Option<VReg>,
    /// Added to the opcode.
    pub plus: u8,
    /// With a lock prefix.
    pub lock: bool,
    /// Only where this mask is true.
    pub mask: Option<VReg>,
    /// The mask is cleared as the instruction goes on: what is left of it.
    pub left: Option<VReg>,
    /// Lanes that are off become 0.
    pub zeroing: bool,
    /// Operands that the encoding does not show.
    pub others: &'a [Operand],
}

/// What an instruction is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One instruction.
    Machine(Machine),
    /// A constant into operand 0.
    Constant(u64),
    /// An address of the process, which may differ from one compilation to the next, into operand 0.
    Address(u64),
    /// Registers have values from outside; no code.
    Start,
    /// `cdq` or `cqo`: the sign of rax into rdx.
    SignIntoRdx(Size),
    /// Bytes of operand 0 reversed.
    ByteSwap(Size),
    /// `mfence`.
    Fence,
    /// `sfence`.
    StoreFence,
    /// Calls a function of the program.
    Call(u32),
    /// Calls what operand 0, in rax, points to.
    CallAddress,
    /// Goes on in the block's only successor.
    Jump,
    /// Goes on in the first successor where the flags say so, else in the second.
    Branch(Cc),
    /// Leaves the function.
    Return,
}

/// An instruction with its operands' place in [`VCode::operands`].
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    pub kind: Kind,
    pub start: u32,
    pub count: u16,
    pub clobbers: PRegSet,
}

/// A way out of a block.
#[derive(Clone, Debug)]
pub struct Edge {
    pub to: Label,
    pub args: SmallVec<[VReg; 4]>,
}

#[derive(Clone, Debug, Default)]
struct BlockData {
    params: Vec<VReg>,
    insts: core::ops::Range<u32>,
    edges: SmallVec<[Edge; 2]>,
    cold: bool,
    written: bool,
}

/// Machine code of a function under construction.
#[derive(Debug)]
pub struct VCode {
    /// The machine.
    pub target: Target,
    insts: Vec<Inst>,
    operands: Vec<Operand>,
    blocks: Vec<BlockData>,
    order: Vec<Label>,
    current: Option<Label>,
    cold: bool,
    vregs: usize,
    /// Constants of the function.
    pub pool: Vec<u8>,
    /// Bytes of the buffer in the frame.
    pub buffer_bytes: u32,
    /// Bytes of arguments and results of callees.
    pub outgoing_bytes: u32,
}

/// A general register.
pub const fn gpr(number: usize) -> PReg {
    PReg::new(number, RegClass::Int)
}

/// rax.
pub const RAX: PReg = gpr(0);
/// rcx.
pub const RCX: PReg = gpr(1);
/// rdx.
pub const RDX: PReg = gpr(2);

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
            pool: Vec::new(),
            buffer_bytes: 0,
            outgoing_bytes: 0,
        }
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

    /// Instructions so far.
    pub fn len(&self) -> usize {
        self.insts.len()
    }

    fn push(&mut self, kind: Kind, operands: &[Operand], clobbers: PRegSet) {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.insts.push(Inst {
            kind,
            start,
            count: operands.len() as u16,
            clobbers,
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

    /// Puts blocks in their final order and splits critical edges.
    pub fn finish(mut self) -> Function {
        let handed_on = self
            .blocks
            .iter()
            .flat_map(|block| &block.edges)
            .flat_map(|edge| edge.args.iter().copied());
        let unused = unused_masks(&self.insts, &self.operands, self.vregs, handed_on);
        let written: Vec<Label> = self.order.clone();
        let (cold, mut order): (Vec<Label>, Vec<Label>) = written.into_iter().partition(|label| self.blocks[label.0 as usize].cold);
        order.extend(cold);
        let mut pred_counts = vec![0u32; self.blocks.len()];
        for label in &order {
            for edge in &self.blocks[label.0 as usize].edges {
                pred_counts[edge.to.0 as usize] += 1;
            }
        }
        let mut function = Function {
            target: self.target,
            insts: Vec::with_capacity(self.insts.len() + 16),
            operands: core::mem::take(&mut self.operands),
            blocks: Vec::with_capacity(order.len()),
            vregs: self.vregs,
            pool: self.pool,
            buffer_bytes: self.buffer_bytes,
            outgoing_bytes: self.outgoing_bytes,
        };
        // Numbers of the blocks in the new order: edge blocks stand right behind their blocks.
        let mut numbers = vec![u32::MAX; self.blocks.len()];
        let mut next = 0;
        for label in &order {
            numbers[label.0 as usize] = next;
            next += 1;
            let edges = &self.blocks[label.0 as usize].edges;
            if edges.len() > 1 {
                next += edges
                    .iter()
                    .filter(|edge| !edge.args.is_empty() || pred_counts[edge.to.0 as usize] > 1)
                    .count() as u32;
            }
        }
        for label in &order {
            let data = core::mem::take(&mut self.blocks[label.0 as usize]);
            let start = function.insts.len();
            let own = data.insts.start as usize..data.insts.end as usize;
            let used = own.filter(|&inst| !unused[inst]);
            function.insts.extend(used.map(|inst| self.insts[inst]));
            let own = function.blocks.len();
            function.blocks.push(Block {
                insts: start as u32..function.insts.len() as u32,
                params: data.params,
                succs: SmallVec::new(),
                preds: SmallVec::new(),
                args: Vec::new(),
            });
            let several = data.edges.len() > 1;
            for edge in data.edges {
                let target = regalloc2::Block::new(numbers[edge.to.0 as usize] as usize);
                if several && (!edge.args.is_empty() || pred_counts[edge.to.0 as usize] > 1) {
                    let between = function.blocks.len();
                    let start = function.insts.len() as u32;
                    function.insts.push(Inst {
                        kind: Kind::Jump,
                        start: 0,
                        count: 0,
                        clobbers: PRegSet::empty(),
                    });
                    function.blocks.push(Block {
                        insts: start..start + 1,
                        params: Vec::new(),
                        succs: SmallVec::from_iter([target]),
                        preds: SmallVec::new(),
                        args: vec![edge.args],
                    });
                    function.blocks[own].succs.push(regalloc2::Block::new(between));
                    function.blocks[own].args.push(SmallVec::new());
                } else {
                    function.blocks[own].succs.push(target);
                    function.blocks[own].args.push(edge.args);
                }
            }
        }
        for from in 0..function.blocks.len() {
            for to in function.blocks[from].succs.clone() {
                function.blocks[to.index()].preds.push(regalloc2::Block::new(from));
            }
        }
        if function.blocks.len() > MANY_BLOCKS {
            function.number_parameters_last();
        }
        function
    }
}

/// With more blocks it matters to the allocator in which order registers are numbered.
const MANY_BLOCKS: usize = 250;

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

/// A block in its final place.
#[derive(Debug)]
pub struct Block {
    pub insts: core::ops::Range<u32>,
    pub params: Vec<VReg>,
    pub succs: SmallVec<[regalloc2::Block; 2]>,
    pub preds: SmallVec<[regalloc2::Block; 2]>,
    pub args: Vec<SmallVec<[VReg; 4]>>,
}

/// Machine code of a function, ready for register allocation.
#[derive(Debug)]
pub struct Function {
    pub target: Target,
    pub insts: Vec<Inst>,
    pub operands: Vec<Operand>,
    pub blocks: Vec<Block>,
    pub vregs: usize,
    pub pool: Vec<u8>,
    pub buffer_bytes: u32,
    pub outgoing_bytes: u32,
}

impl Function {
    /// Gives the highest numbers to the blocks' parameters. At each block that a register lives through, regalloc2 looks at all parameters of
    /// lower numbers: with thousands of blocks that would take most of the time.
    fn number_parameters_last(&mut self) {
        let mut numbers = vec![0; self.vregs];
        let params = || self.blocks.iter().flat_map(|block| &block.params);
        params().for_each(|param| numbers[param.vreg()] = usize::MAX);
        let others = numbers.iter_mut().filter(|number| **number == 0);
        let first = others.enumerate().map(|(number, place)| *place = number).count();
        params().zip(first..).for_each(|(param, number)| numbers[param.vreg()] = number);
        let renumber = |reg: &mut VReg| *reg = VReg::new(numbers[reg.vreg()], reg.class());
        for block in &mut self.blocks {
            block.params.iter_mut().for_each(renumber);
            block.args.iter_mut().flatten().for_each(renumber);
        }
        for operand in &mut self.operands {
            let mut reg = operand.vreg();
            renumber(&mut reg);
            *operand = Operand::new(reg, operand.constraint(), operand.kind(), operand.pos());
        }
    }
}

impl regalloc2::Function for Function {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, block: regalloc2::Block) -> regalloc2::InstRange {
        let range = &self.blocks[block.index()].insts;
        regalloc2::InstRange::new(regalloc2::Inst::new(range.start as usize), regalloc2::Inst::new(range.end as usize))
    }

    fn block_succs(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].succs
    }

    fn block_preds(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].preds
    }

    fn block_params(&self, block: regalloc2::Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Return)
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Jump | Kind::Branch(_))
    }

    fn branch_blockparams(&self, block: regalloc2::Block, _: regalloc2::Inst, succ: usize) -> &[VReg] {
        &self.blocks[block.index()].args[succ]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        let inst = &self.insts[inst.index()];
        &self.operands[inst.start as usize..inst.start as usize + usize::from(inst.count)]
    }

    fn inst_clobbers(&self, inst: regalloc2::Inst) -> PRegSet {
        self.insts[inst.index()].clobbers
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Int | RegClass::Vector => 1,
            RegClass::Float => self.target.vector_bytes() as usize / 8,
        }
    }
}
