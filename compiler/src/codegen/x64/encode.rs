//! Machine instructions to bytes (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2).
//!
//! Two encodings are enough for all that the selector emits: the legacy one with REX for general registers, VEX for the rest. An
//! operation is a value ([`Op`]); how its operands are laid out (ModRM.reg, VEX.vvvv, ModRM.rm, a trailing immediate) is the same for all.

/// How an instruction starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Optional prefixes, REX, opcode.
    Legacy,
    /// VEX: three operands, vectors of 128 or 256 bits.
    Vex,
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
}

impl Size {
    /// Bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Size::B => 1,
            Size::W => 2,
            Size::D => 4,
            Size::Q => 8,
            Size::X => 16,
            Size::Y => 32,
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
            Rm::Reg(reg) => (0, reg >> 3),
            Rm::Mem(mem) => {
                let base = if let MemBase::Reg(reg) = mem.base { reg >> 3 } else { 0 };
                (mem.index.map_or(0, |(index, _)| index >> 3), base)
            }
        };
        match i.op.encoding {
            Encoding::Legacy => self.legacy_start(i, x, b),
            Encoding::Vex => self.vex_start(i, x, b),
        }
        self.bytes.push(i.op.code + i.plus);
        self.operands(i.reg & 7, i.rm, i.imm.bytes());
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
        }
    }

    fn vex_start(&mut self, i: &Instruction, x: u8, b: u8) {
        let pp = match i.op.prefix {
            Prefix::No => 0,
            Prefix::P66 => 1,
            Prefix::F3 => 2,
            Prefix::F2 => 3,
        };
        let long = u8::from(i.size == Size::Y) << 2;
        let last = (!i.vvvv & 15) << 3 | long | pp;
        let r = (!i.reg & 8) << 4;
        if x == 0 && b == 0 && wide(i) == 0 && i.op.map == Map::M0F {
            self.bytes.extend([0xc5, r | last]);
            return;
        }
        let map = match i.op.map {
            Map::One | Map::M0F => 1,
            Map::M38 => 2,
            Map::M3A => 3,
        };
        self.bytes
            .extend([0xc4, r | (x ^ 1) << 6 | (b ^ 1) << 5 | map, wide(i) << 7 | last]);
    }

    /// ModRM, SIB and displacement.
    fn operands(&mut self, reg: u8, rm: Rm, imm_bytes: u8) {
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
                let short = i8::try_from(mem.disp);
                let mode = match short {
                    Ok(0) if base != 5 => 0,
                    Ok(_) => 1,
                    Err(_) => 2,
                };
                if mem.index.is_some() || base == 4 {
                    self.bytes.extend([mode << 6 | reg << 3 | 4, sib_index | base]);
                } else {
                    self.bytes.push(mode << 6 | reg << 3 | base);
                }
                match (mode, short) {
                    (0, _) => {}
                    (1, Ok(short)) => self.bytes.push(short as u8),
                    _ => self.bytes.extend(mem.disp.to_le_bytes()),
                }
            }
        }
    }
}

fn wide(i: &Instruction) -> u8 {
    match i.op.wide {
        Wide::Zero => 0,
        Wide::One => 1,
        Wide::BySize => u8::from(i.size == Size::Q),
    }
}
