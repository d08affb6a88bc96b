//! Machine instructions with virtual registers: what [`super::vcode`] has a list of.

use super::encode::{Imm, Op, Size};
use regalloc2::{Operand, PReg, PRegSet, RegClass, VReg};

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

    /// So many bytes behind what is here.
    pub fn behind(self, bytes: i32) -> Amode {
        Amode {
            disp: self.disp + bytes,
            ..self
        }
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
    /// What it is made for, in the source.
    pub place: ir::Place,
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
