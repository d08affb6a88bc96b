//! Short ways to write machine instructions.

use super::encode::{Imm, Op, Size};
use super::machine::{Amode, Cc, Kind, More, R, RmOf, Src};
use super::ops;
use super::vcode::VCode;
use ir::BinaryOp;
use regalloc2::{Operand, PRegSet, RegClass, VReg};

/// Operations on general registers with an immediate: the digit, and the form between registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Alu {
    Add,
    Or,
    And,
    Sub,
    Xor,
    Cmp,
}

impl Alu {
    /// What the machine does for an operation on integers.
    pub fn of(op: BinaryOp) -> Option<Alu> {
        Some(match op {
            BinaryOp::Add => Alu::Add,
            BinaryOp::Sub => Alu::Sub,
            BinaryOp::And => Alu::And,
            BinaryOp::Or => Alu::Or,
            BinaryOp::Xor => Alu::Xor,
            _ => return None,
        })
    }

    fn op(self) -> &'static Op {
        match self {
            Alu::Add => &ops::ADD,
            Alu::Or => &ops::OR,
            Alu::And => &ops::AND,
            Alu::Sub => &ops::SUB,
            Alu::Xor => &ops::XOR,
            Alu::Cmp => &ops::CMP,
        }
    }

    /// The form whose result is in memory.
    pub fn memory_op(self) -> &'static Op {
        match self {
            Alu::Add => &ops::ADD_RM,
            Alu::Or => &ops::OR_RM,
            Alu::And => &ops::AND_RM,
            Alu::Sub => &ops::SUB_RM,
            Alu::Xor | Alu::Cmp => &ops::XOR_RM,
        }
    }

    /// What stands for it in the forms with an immediate.
    pub fn digit(self) -> u8 {
        match self {
            Alu::Add => 0,
            Alu::Or => 1,
            Alu::And => 4,
            Alu::Sub => 5,
            Alu::Xor => 6,
            Alu::Cmp => 7,
        }
    }
}

/// Shifts of general registers by a constant or by cl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Shift {
    RotL = 0,
    RotR = 1,
    Shl = 4,
    Shr = 5,
    Sar = 7,
}

impl VCode {
    /// Vector result from one source.
    pub fn v2(&mut self, op: &'static Op, size: Size, src: impl Into<Src>) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Def(dst), R::No, RmOf::Src(src.into()), Imm::No);
        dst
    }

    /// Vector result from one source and an immediate.
    pub fn v2i(&mut self, op: &'static Op, size: Size, src: impl Into<Src>, imm: u8) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Def(dst), R::No, RmOf::Src(src.into()), Imm::I8(imm));
        dst
    }

    /// Vector result from two sources.
    pub fn v3(&mut self, op: &'static Op, size: Size, a: VReg, b: impl Into<Src>) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Def(dst), R::Use(a), RmOf::Src(b.into()), Imm::No);
        dst
    }

    /// Vector result from two sources and an immediate.
    pub fn v3i(&mut self, op: &'static Op, size: Size, a: VReg, b: impl Into<Src>, imm: u8) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Def(dst), R::Use(a), RmOf::Src(b.into()), Imm::I8(imm));
        dst
    }

    /// Vector result from three sources, the last in the immediate: the blends, `last ? b : a`.
    pub fn v4(&mut self, op: &'static Op, size: Size, a: VReg, b: impl Into<Src>, last: VReg) -> VReg {
        let dst = self.vec();
        let more = More {
            last: Some(last),
            ..More::default()
        };
        self.machine_with(op, size, R::Def(dst), R::Use(a), RmOf::Src(b.into()), Imm::No, more);
        dst
    }

    /// Vector result in the place of `acc`, from two more sources.
    pub fn v3_tied(&mut self, op: &'static Op, size: Size, acc: VReg, a: VReg, b: impl Into<Src>) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Tied(dst, acc), R::Use(a), RmOf::Src(b.into()), Imm::No);
        dst
    }

    /// Vector shift by an immediate: `op` with this digit.
    pub fn v_shift(&mut self, op: &'static Op, digit: u8, size: Size, a: VReg, by: u8) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Digit(digit), R::Def(dst), RmOf::Reg(a), Imm::I8(by));
        dst
    }

    /// Vector result in ModRM.rm.
    pub fn v_rm(&mut self, op: &'static Op, size: Size, a: VReg, imm: u8) -> VReg {
        let dst = self.vec();
        self.machine(op, size, R::Use(a), R::No, RmOf::Def(dst), Imm::I8(imm));
        dst
    }

    /// General result from a vector register, in ModRM.reg.
    pub fn v_to_int(&mut self, op: &'static Op, size: Size, a: VReg) -> VReg {
        let dst = self.int();
        self.machine(op, size, R::Def(dst), R::No, RmOf::Reg(a), Imm::No);
        dst
    }

    /// General result from a vector register, in ModRM.rm.
    pub fn v_to_int_rm(&mut self, op: &'static Op, size: Size, a: VReg, imm: Imm) -> VReg {
        let dst = self.int();
        self.machine(op, size, R::Use(a), R::No, RmOf::Def(dst), imm);
        dst
    }

    /// A register of zeros (all of it, whatever the size).
    pub fn zero(&mut self) -> VReg {
        self.idiom(RegClass::Float, &ops::VXORPS, Size::X, Imm::No)
    }

    /// A register of ones.
    pub fn ones(&mut self) -> VReg {
        if !self.target.masks {
            return self.idiom(RegClass::Float, &ops::VPCMPEQD, Size::Y, Imm::No);
        }
        // Machines don't know of this one that it needs nothing, and would wait for what the register was.
        let (zero, dst) = (self.zero(), self.vec());
        let operands = (R::Tied(dst, zero), R::Use(zero), RmOf::Src(Src::Reg(zero)));
        self.machine(
            &ops::VPTERNLOGD,
            self.target.vector,
            operands.0,
            operands.1,
            operands.2,
            Imm::I8(0xff),
        );
        dst
    }

    /// An operation on one register with itself whose result does not depend on it.
    pub fn idiom(&mut self, class: RegClass, op: &'static Op, size: Size, imm: Imm) -> VReg {
        use super::machine::{Field, Machine, RmField};
        let dst = self.vreg(class);
        let machine = Machine {
            op,
            plus: 0,
            size,
            reg: Field::At(0),
            vvvv: Field::At(0),
            rm: RmField::At(0),
            last: Field::No,
            imm,
            lock: false,
            mask: Field::No,
            zeroing: false,
            broadcast: false,
        };
        self.special(Kind::Machine(machine), &[Operand::reg_def(dst)], PRegSet::empty());
        dst
    }

    /// Stores a vector register.
    pub fn v_store(&mut self, op: &'static Op, size: Size, value: VReg, to: Amode) {
        self.machine(op, size, R::Use(value), R::No, RmOf::Mem(to), Imm::No);
    }

    /// The second 16 of a register's bytes to memory.
    pub fn v_store_quarter(&mut self, value: VReg, to: Amode) {
        self.machine(&ops::VEXTRACTI128_RM, Size::Y, R::Use(value), R::No, RmOf::Mem(to), Imm::I8(1));
    }

    /// The upper 32 of a register's 64 bytes to memory.
    pub fn v_store_half(&mut self, value: VReg, to: Amode) {
        self.machine(&ops::VEXTRACTI64X4_RM, Size::Z, R::Use(value), R::No, RmOf::Mem(to), Imm::I8(1));
    }

    /// A mask from memory.
    pub fn load_mask(&mut self, mem: Amode) -> VReg {
        let dst = self.mask();
        self.machine(&ops::KMOVQ, Size::X, R::Def(dst), R::No, RmOf::Mem(mem), Imm::No);
        dst
    }

    /// The low 32 or 64 bits of a general register in a vector register, zeros above.
    pub fn int_to_v(&mut self, size: Size, a: VReg) -> VReg {
        self.v2(&ops::VMOVD, size, a)
    }

    /// The low 32 or 64 bits of a vector register in a general register.
    pub fn v_low_to_int(&mut self, size: Size, a: VReg) -> VReg {
        self.v_to_int_rm(&ops::VMOVD_RM, size, a, Imm::No)
    }

    /// A constant in a general register.
    pub fn constant(&mut self, value: u64) -> VReg {
        let dst = self.int();
        self.special(Kind::Constant(value), &[Operand::reg_def(dst)], PRegSet::empty());
        dst
    }

    /// An address of the process in a general register.
    pub fn address(&mut self, value: u64) -> VReg {
        let dst = self.int();
        self.special(Kind::Address(value), &[Operand::reg_def(dst)], PRegSet::empty());
        dst
    }

    /// General result from one source.
    pub fn g2(&mut self, op: &'static Op, size: Size, src: impl Into<Src>) -> VReg {
        let dst = self.int();
        self.machine(op, size, R::Def(dst), R::No, RmOf::Src(src.into()), Imm::No);
        dst
    }

    /// `a op b` in general registers.
    pub fn alu(&mut self, op: Alu, size: Size, a: VReg, b: impl Into<Src>) -> VReg {
        let dst = self.int();
        self.machine(op.op(), size, R::Tied(dst, a), R::No, RmOf::Src(b.into()), Imm::No);
        dst
    }

    /// `a op constant` in general registers.
    pub fn alu_i(&mut self, op: Alu, size: Size, a: VReg, b: i64) -> VReg {
        let (op_i8, imm) = match (i8::try_from(b), i32::try_from(b)) {
            (Ok(byte), _) => (&ops::ALU_I8, Imm::I8(byte as u8)),
            (_, Ok(word)) => (&ops::ALU_I32, Imm::I32(word)),
            _ if size == Size::D => (&ops::ALU_I32, Imm::I32(b as i32)),
            _ => {
                let b = self.constant(b as u64);
                return self.alu(op, size, a, b);
            }
        };
        let dst = self.int();
        self.machine(op_i8, size, R::Digit(op.digit()), R::No, RmOf::Tied(dst, a), imm);
        dst
    }

    /// Sets the flags by `a - b`.
    pub fn cmp(&mut self, size: Size, a: VReg, b: impl Into<Src>) {
        self.machine(&ops::CMP, size, R::Use(a), R::No, RmOf::Src(b.into()), Imm::No);
    }

    /// Sets the flags by `a - constant`.
    pub fn cmp_i(&mut self, size: Size, a: VReg, b: i64) {
        match (i8::try_from(b), i32::try_from(b)) {
            (Ok(0), _) => self.test(size, a, a),
            (Ok(byte), _) => self.machine(
                &ops::ALU_I8,
                size,
                R::Digit(Alu::Cmp.digit()),
                R::No,
                RmOf::Src(Src::Reg(a)),
                Imm::I8(byte as u8),
            ),
            (_, Ok(word)) => self.machine(
                &ops::ALU_I32,
                size,
                R::Digit(Alu::Cmp.digit()),
                R::No,
                RmOf::Src(Src::Reg(a)),
                Imm::I32(word),
            ),
            _ => {
                let b = self.constant(b as u64);
                self.cmp(size, a, b);
            }
        }
    }

    /// Sets the flags by `a & b`.
    pub fn test(&mut self, size: Size, a: VReg, b: VReg) {
        self.machine(&ops::TEST, size, R::Use(b), R::No, RmOf::Reg(a), Imm::No);
    }

    /// Sets the flags by `a & constant`.
    pub fn test_i(&mut self, size: Size, a: VReg, b: i32) {
        self.machine(&ops::TEST_I32, size, R::Digit(0), R::No, RmOf::Reg(a), Imm::I32(b));
    }

    /// 1 where the flags say so, else 0.
    pub fn setcc(&mut self, cc: Cc) -> VReg {
        let byte = self.int();
        let more = More {
            plus: cc as u8,
            ..More::default()
        };
        self.machine_with(&ops::SETCC, Size::B, R::No, R::No, RmOf::Def(byte), Imm::No, more);
        self.g2(&ops::MOVZX8, Size::D, byte)
    }

    /// `a` where the flags say so, else `b`.
    pub fn cmov(&mut self, cc: Cc, size: Size, a: impl Into<Src>, b: VReg) -> VReg {
        let dst = self.int();
        let more = More {
            plus: cc as u8,
            ..More::default()
        };
        self.machine_with(&ops::CMOV, size, R::Tied(dst, b), R::No, RmOf::Src(a.into()), Imm::No, more);
        dst
    }

    /// An address in a register.
    pub fn lea(&mut self, mem: Amode) -> VReg {
        let dst = self.int();
        self.machine(&ops::LEA, Size::Q, R::Def(dst), R::No, RmOf::Mem(mem), Imm::No);
        dst
    }

    /// `a * constant`.
    pub fn imul_i(&mut self, size: Size, a: VReg, by: i32) -> VReg {
        let dst = self.int();
        self.machine(&ops::IMUL_I32, size, R::Def(dst), R::No, RmOf::Src(Src::Reg(a)), Imm::I32(by));
        dst
    }

    /// One of `not` (2) and `neg` (3).
    pub fn group3(&mut self, digit: u8, size: Size, a: VReg) -> VReg {
        let dst = self.int();
        self.machine(&ops::GROUP3, size, R::Digit(digit), R::No, RmOf::Tied(dst, a), Imm::No);
        dst
    }

    /// A shift or rotation by a constant.
    pub fn shift_i(&mut self, shift: Shift, size: Size, a: VReg, by: u8) -> VReg {
        let dst = self.int();
        self.machine(&ops::SHIFT_I8, size, R::Digit(shift as u8), R::No, RmOf::Tied(dst, a), Imm::I8(by));
        dst
    }

    /// A shift or rotation by cl.
    pub fn shift_cl(&mut self, shift: Shift, size: Size, a: VReg, by: VReg) -> VReg {
        let dst = self.int();
        let more = More {
            others: &[Operand::reg_fixed_use(by, super::machine::RCX)],
            ..More::default()
        };
        self.machine_with(
            &ops::SHIFT_CL,
            size,
            R::Digit(shift as u8),
            R::No,
            RmOf::Tied(dst, a),
            Imm::No,
            more,
        );
        dst
    }

    /// A shift by a register with BMI2: `shlx` and its kin.
    pub fn shift_x(&mut self, op: &'static Op, size: Size, a: VReg, by: VReg) -> VReg {
        let dst = self.int();
        self.machine(op, size, R::Def(dst), R::Use(by), RmOf::Src(Src::Reg(a)), Imm::No);
        dst
    }

    /// `~a & b`, with BMI1.
    pub fn and_not(&mut self, size: Size, a: VReg, b: VReg) -> VReg {
        let dst = self.int();
        self.machine(&ops::ANDN, size, R::Def(dst), R::Use(a), RmOf::Src(Src::Reg(b)), Imm::No);
        dst
    }

    /// The lowest bits of `a`, in the places of the bits that are on in `places`.
    pub fn deposit_bits(&mut self, a: VReg, places: VReg) -> VReg {
        let dst = self.int();
        self.machine(&ops::PDEP, Size::Q, R::Def(dst), R::Use(a), RmOf::Src(Src::Reg(places)), Imm::No);
        dst
    }

    /// `a & a - 1`, with BMI1.
    pub fn without_lowest_bit(&mut self, size: Size, a: VReg) -> VReg {
        let dst = self.int();
        self.machine(&ops::BLS, size, R::Digit(1), R::Def(dst), RmOf::Src(Src::Reg(a)), Imm::No);
        dst
    }

    /// Loads into a general register: bytes and words are zero-extended.
    pub fn load_int(&mut self, bytes: u32, mem: Amode) -> VReg {
        let (op, size) = match bytes {
            1 => (&ops::MOVZX8, Size::D),
            2 => (&ops::MOVZX16, Size::D),
            4 => (&ops::MOV, Size::D),
            _ => (&ops::MOV, Size::Q),
        };
        self.g2(op, size, mem)
    }

    /// Stores the low bytes of a general register.
    pub fn store_int(&mut self, bytes: u32, value: VReg, mem: Amode) {
        let (op, size) = match bytes {
            1 => (&ops::MOV_RM8, Size::B),
            2 => (&ops::MOV_RM, Size::W),
            4 => (&ops::MOV_RM, Size::D),
            _ => (&ops::MOV_RM, Size::Q),
        };
        self.machine(op, size, R::Use(value), R::No, RmOf::Mem(mem), Imm::No);
    }
}
