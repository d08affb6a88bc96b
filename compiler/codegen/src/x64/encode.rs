//! Machine instructions to bytes (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2).
//!
//! Three encodings are enough for all that the selector emits: the legacy one with REX for general registers, VEX for the rest, and EVEX
//! where VEX can't say it: 512 bits, registers from 16 on, masks, broadcasts of memory. An operation is a value ([`Op`]); how its operands
//! are laid out (ModRM.reg, VEX.vvvv, ModRM.rm, a trailing immediate) is the same for all.

/// How an instruction starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Optional prefixes, REX, opcode.
    Legacy,
    /// VEX: three operands, vectors of 128 or 256 bits; or EVEX where that is needed and the operation has such a form.
    Vex,
    /// EVEX only.
    Evex,
}

/// What an instruction touches of memory under EVEX: short displacements count in this unit. It also says W, and what can be broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuple {
    /// There is no EVEX form.
    No,
    /// The whole register, or one element of 2 bytes for all.
    Full2,
    /// The same with 4 bytes.
    Full4,
    /// With 8 bytes; W is 1.
    Full8,
    /// The whole register.
    FullMem,
    /// The same, W is 1.
    FullMem8,
    /// Half a register, or one element of 4 bytes.
    Half4,
    /// Half a register.
    HalfMem,
    /// A quarter of one.
    QuarterMem,
    /// An eighth.
    EighthMem,
    /// A byte.
    Scalar1,
    /// Two bytes.
    Scalar2,
    /// Four bytes.
    Scalar4,
    /// Eight bytes; W is 1.
    Scalar8,
    /// What the operands' size says.
    BySize,
    /// Two elements of four bytes.
    Pair4,
    /// 16 bytes.
    Quad4,
    /// 16 bytes; W is 1.
    Quad8,
    /// 32 bytes; W is 1.
    Octo4,
}

impl Tuple {
    fn wide(self) -> bool {
        matches!(self, Tuple::Full8 | Tuple::FullMem8 | Tuple::Scalar8 | Tuple::Quad8 | Tuple::Octo4)
    }

    /// Bytes of the element that can be broadcast from memory.
    pub fn broadcast(self) -> Option<u32> {
        match self {
            Tuple::Full2 => Some(2),
            Tuple::Full4 | Tuple::Half4 => Some(4),
            Tuple::Full8 => Some(8),
            _ => None,
        }
    }

    /// The unit of short displacements.
    fn unit(self, size: Size, broadcast: bool) -> u32 {
        match self {
            Tuple::Full2 if broadcast => 2,
            Tuple::Full4 | Tuple::Half4 if broadcast => 4,
            Tuple::Full8 if broadcast => 8,
            Tuple::No | Tuple::Scalar1 => 1,
            Tuple::Full2 | Tuple::Full4 | Tuple::Full8 | Tuple::FullMem | Tuple::FullMem8 | Tuple::BySize => size.bytes(),
            Tuple::Half4 | Tuple::HalfMem => size.bytes() / 2,
            Tuple::QuarterMem => size.bytes() / 4,
            Tuple::EighthMem => size.bytes() / 8,
            Tuple::Scalar2 => 2,
            Tuple::Scalar4 => 4,
            Tuple::Scalar8 | Tuple::Pair4 => 8,
            Tuple::Quad4 | Tuple::Quad8 => 16,
            Tuple::Octo4 => 32,
        }
    }
}

/// The mandatory prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// None.
    No,
    /// 66.
    P66,
    /// F3.
    F3,
    /// F2.
    F2,
}

/// The opcode map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// One byte.
    One,
    /// 0F.
    M0F,
    /// 0F 38.
    M38,
    /// 0F 3A.
    M3A,
    /// The fifth, of EVEX alone.
    Fifth,
    /// The sixth, of EVEX alone.
    Sixth,
}

/// REX.W or VEX.W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// 0, or ignored.
    Zero,
    /// 1.
    One,
    /// 1 where the operands have 64 bits.
    BySize,
}

/// An operation of the machine.
#[derive(Debug)]
pub struct Op {
    /// Its mnemonic.
    pub name: &'static str,
    /// How it is encoded.
    pub encoding: Encoding,
    /// Mandatory prefix.
    pub prefix: Prefix,
    /// Opcode map.
    pub map: Map,
    /// The W bit.
    pub wide: Wide,
    /// Opcode.
    pub code: u8,
    /// What it is under EVEX.
    pub tuple: Tuple,
}

/// Size of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// 8 bits of a general register.
    B,
    /// 16 bits of a general register.
    W,
    /// 32 bits of a general register.
    D,
    /// 64 bits of a general register.
    Q,
    /// A vector register of 128 bits, or a scalar in one.
    X,
    /// A vector register of 256 bits.
    Y,
    /// A vector register of 512 bits.
    Z,
}

impl Size {
    /// Half a vector register, or the shortest one.
    pub fn half(self) -> Size {
        if self == Size::Z { Size::Y } else { Size::X }
    }

    /// Bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Size::B => 1,
            Size::W => 2,
            Size::D => 4,
            Size::Q => 8,
            Size::X => 16,
            Size::Y => 32,
            Size::Z => 64,
        }
    }
}

/// What follows the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// Nothing.
    No,
    /// A byte.
    I8(u8),
    /// Two bytes.
    I16(u16),
    /// Four bytes.
    I32(i32),
}

impl Imm {
    fn bytes(self) -> u8 {
        match self {
            Imm::No => 0,
            Imm::I8(_) => 1,
            Imm::I16(_) => 2,
            Imm::I32(_) => 4,
        }
    }
}

/// Where a memory operand starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemBase {
    /// A general register.
    Reg(u8),
    /// Nothing: the address is index and displacement.
    None,
    /// The constants of the function: so many bytes from their start.
    Pool(u32),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// Base.
    pub base: MemBase,
    /// Index (general, or for gathers a vector register) and the logarithm of its scale.
    pub index: Option<(u8, u8)>,
    /// Displacement.
    pub disp: i32,
}

/// The ModRM.rm operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rm {
    /// A register.
    Reg(u8),
    /// Memory.
    Mem(Mem),
}

/// One instruction with machine registers.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The operation.
    pub op: &'static Op,
    /// Added to the opcode: a condition.
    pub plus: u8,
    /// Size of the operands.
    pub size: Size,
    /// ModRM.reg: a register or a digit.
    pub reg: u8,
    /// VEX.vvvv; 0 where there is none.
    pub vvvv: u8,
    /// ModRM.rm.
    pub rm: Rm,
    /// The immediate.
    pub imm: Imm,
    /// With a lock prefix.
    pub lock: bool,
    /// The register of the mask, 0 for none.
    pub mask: u8,
    /// Lanes that are off become 0, not what they were.
    pub zeroing: bool,
    /// Memory is one element for all lanes.
    pub broadcast: bool,
}

impl Instruction {
    /// VEX can't say it.
    pub fn needs_evex(&self) -> bool {
        let far = self.reg > 15 || self.vvvv > 15 || matches!(self.rm, Rm::Reg(16..));
        self.op.encoding == Encoding::Evex
            || (self.op.encoding == Encoding::Vex && (self.size == Size::Z || far || self.mask != 0 || self.broadcast))
    }
}

/// Where code refers to a constant.
#[derive(Clone, Copy, Debug)]
pub struct PoolUse {
    /// Position of the displacement.
    pub at: usize,
    /// Bytes from the displacement's start to the instruction's end.
    pub to_end: u8,
    /// Offset of the constant.
    pub offset: u32,
}

/// Bytes of code.
#[derive(Debug, Default)]
pub struct Code {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// References to constants.
    pub pool_uses: Vec<PoolUse>,
}

impl Code {
    /// Appends an instruction.
    pub fn put(&mut self, i: &Instruction) {
        let (x, b) = match i.rm {
            Rm::Reg(reg) => (reg >> 4, reg >> 3 & 1),
            Rm::Mem(mem) => {
                let base = if let MemBase::Reg(reg) = mem.base { reg >> 3 } else { 0 };
                (mem.index.map_or(0, |(index, _)| index >> 3 & 1), base)
            }
        };
        let mut unit = 1;
        if i.needs_evex() {
            debug_assert!(i.op.tuple != Tuple::No, "{} has no EVEX form", i.op.name);
            debug_assert!(!i.broadcast || i.op.tuple.broadcast().is_some(), "{} can't broadcast", i.op.name);
            unit = i.op.tuple.unit(i.size, i.broadcast) as i32;
            self.evex_start(i, x, b);
        } else if i.op.encoding == Encoding::Vex {
            self.vex_start(i, x, b);
        } else {
            self.legacy_start(i, x, b);
        }
        self.bytes.push(i.op.code + i.plus);
        self.operands(i.reg & 7, i.rm, i.imm.bytes(), unit);
        match i.imm {
            Imm::No => {}
            Imm::I8(byte) => self.bytes.push(byte),
            Imm::I16(word) => self.bytes.extend(word.to_le_bytes()),
            Imm::I32(word) => self.bytes.extend(word.to_le_bytes()),
        }
    }

    fn legacy_start(&mut self, i: &Instruction, x: u8, b: u8) {
        if i.lock {
            self.bytes.push(0xf0);
        }
        if i.size == Size::W || i.op.prefix == Prefix::P66 {
            self.bytes.push(0x66);
        }
        match i.op.prefix {
            Prefix::F2 => self.bytes.push(0xf2),
            Prefix::F3 => self.bytes.push(0xf3),
            _ => {}
        }
        let rex = wide(i) << 3 | (i.reg >> 3 & 1) << 2 | x << 1 | b;
        // Without REX, 4 to 7 would be the second bytes of the first four registers.
        let high = |reg: u8| (4..8).contains(&reg);
        let extends_byte = i.op.map == Map::M0F && matches!(i.op.code, 0xb6 | 0xbe);
        let bytes =
            (i.size == Size::B && high(i.reg)) || ((i.size == Size::B || extends_byte) && matches!(i.rm, Rm::Reg(reg) if high(reg)));
        if rex != 0 || bytes {
            self.bytes.push(0x40 | rex);
        }
        match i.op.map {
            Map::One => {}
            Map::M0F => self.bytes.push(0x0f),
            Map::M38 => self.bytes.extend([0x0f, 0x38]),
            Map::M3A => self.bytes.extend([0x0f, 0x3a]),
            Map::Fifth | Map::Sixth => debug_assert!(false, "{} has no legacy form", i.op.name),
        }
    }

    fn vex_start(&mut self, i: &Instruction, x: u8, b: u8) {
        let pp = mandatory_prefix(i);
        let long = u8::from(i.size == Size::Y) << 2;
        let last = (!i.vvvv & 15) << 3 | long | pp;
        let r = (!i.reg & 8) << 4;
        if x == 0 && b == 0 && wide(i) == 0 && i.op.map == Map::M0F {
            self.bytes.extend([0xc5, r | last]);
            return;
        }
        self.bytes
            .extend([0xc4, r | (x ^ 1) << 6 | (b ^ 1) << 5 | map(i), wide(i) << 7 | last]);
    }

    fn evex_start(&mut self, i: &Instruction, x: u8, b: u8) {
        let w = match i.op.wide {
            Wide::BySize => wide(i),
            _ => u8::from(i.op.tuple.wide()),
        };
        // Vectors of indices have their highest bit where the second operand's is.
        let index = match i.rm {
            Rm::Mem(Mem {
                index: Some((index, _)), ..
            }) => index >> 4,
            _ => 0,
        };
        let length = match i.size {
            Size::Z => 2,
            Size::Y => 1,
            _ => 0,
        };
        let not = |bit: u8| bit & 1 ^ 1;
        self.bytes.extend([
            0x62,
            not(i.reg >> 3) << 7 | not(x) << 6 | not(b) << 5 | not(i.reg >> 4) << 4 | map(i),
            w << 7 | (!i.vvvv & 15) << 3 | 4 | mandatory_prefix(i),
            u8::from(i.zeroing) << 7 | length << 5 | u8::from(i.broadcast) << 4 | not(i.vvvv >> 4 | index) << 3 | i.mask,
        ]);
    }

    /// ModRM, SIB and displacement; a displacement of one byte counts in `unit`.
    fn operands(&mut self, reg: u8, rm: Rm, imm_bytes: u8, unit: i32) {
        let mem = match rm {
            Rm::Reg(rm) => return self.bytes.push(0xc0 | reg << 3 | rm & 7),
            Rm::Mem(mem) => mem,
        };
        let sib_index = mem.index.map_or(4 << 3, |(index, scale)| scale << 6 | (index & 7) << 3);
        match mem.base {
            MemBase::Pool(offset) => {
                self.bytes.push(reg << 3 | 5);
                self.pool_uses.push(PoolUse {
                    at: self.bytes.len(),
                    to_end: 4 + imm_bytes,
                    offset: offset.wrapping_add_signed(mem.disp),
                });
                self.bytes.extend([0; 4]);
            }
            MemBase::None => {
                self.bytes.extend([reg << 3 | 4, sib_index | 5]);
                self.bytes.extend(mem.disp.to_le_bytes());
            }
            MemBase::Reg(base) => {
                let base = base & 7;
                let short = (mem.disp % unit == 0).then(|| i8::try_from(mem.disp / unit).ok()).flatten();
                let mode = match short {
                    Some(0) if base != 5 => 0,
                    Some(_) => 1,
                    None => 2,
                };
                if mem.index.is_some() || base == 4 {
                    self.bytes.extend([mode << 6 | reg << 3 | 4, sib_index | base]);
                } else {
                    self.bytes.push(mode << 6 | reg << 3 | base);
                }
                match (mode, short) {
                    (0, _) => {}
                    (1, Some(short)) => self.bytes.push(short as u8),
                    _ => self.bytes.extend(mem.disp.to_le_bytes()),
                }
            }
        }
    }
}

fn map(i: &Instruction) -> u8 {
    match i.op.map {
        Map::One | Map::M0F => 1,
        Map::M38 => 2,
        Map::M3A => 3,
        Map::Fifth => 5,
        Map::Sixth => 6,
    }
}

fn mandatory_prefix(i: &Instruction) -> u8 {
    match i.op.prefix {
        Prefix::No => 0,
        Prefix::P66 => 1,
        Prefix::F3 => 2,
        Prefix::F2 => 3,
    }
}

fn wide(i: &Instruction) -> u8 {
    match i.op.wide {
        Wide::Zero => 0,
        Wide::One => 1,
        Wide::BySize => u8::from(i.size == Size::Q),
    }
}
