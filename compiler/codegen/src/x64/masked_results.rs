//! Choices between a result and something else, `mask ? a + b : c`, as one instruction: under AVX-512 an operation leaves the lanes that its mask
//! has not as they are in the register it writes to. And so for masks: a comparison under a mask is true nowhere else.
//!
//! What chooses comes behind what it chooses from: the operation moves to its place. It waits for its mask then, which has to be there as early as its
//! operands are, for all that is known of the block.

use super::encode::{Op, Tuple};
use super::machine::{Base, BaseField, Field, Inst, Kind, Machine, RmField};
use super::ops;
use super::vcode::VCode;
use regalloc2::{Operand, OperandConstraint, OperandKind, RegClass, VReg};

/// Of these the results' lanes are not those that the encoding tells of, which masks go by.
const OTHER_LANES: [&Op; 8] = [
    &ops::VPACKSSDW,
    &ops::VPACKUSDW,
    &ops::VGF2P8AFFINEQB,
    &ops::VCVTPD2PS,
    &ops::VCVTTPD2DQ,
    &ops::VCVTTPD2UDQ,
    &ops::VCVTQQ2PS,
    &ops::VCVTUQQ2PS,
];

/// They take a cycle, as choosing does: it doesn't matter when the mask is there.
const SHORT: [&Op; 22] = [
    &ops::VPADDD,
    &ops::VPADDQ,
    &ops::VPSUBD,
    &ops::VPSUBQ,
    &ops::VPMINSD,
    &ops::VPMINUD,
    &ops::VPMAXSD,
    &ops::VPMAXUD,
    &ops::VPABSD,
    &ops::VPAND,
    &ops::VPANDN,
    &ops::VPOR,
    &ops::VPXOR,
    &ops::VPANDQ,
    &ops::VPORQ,
    &ops::VPXORQ,
    &ops::VPSHIFTD_I8,
    &ops::VPSHIFTQ_I8,
    &ops::VPSRAQ_I8,
    &ops::VPSLLVD,
    &ops::VPSRLVD,
    &ops::VPSRAVD,
];

/// Those of bytes and of words of 16 bits, of which the encoding does not tell; they take a cycle, too.
const BYTES: [&Op; 11] = [
    &ops::VPADDB,
    &ops::VPSUBB,
    &ops::VPMINSB,
    &ops::VPMINUB,
    &ops::VPMAXSB,
    &ops::VPMAXUB,
    &ops::VPADDSB,
    &ops::VPADDUSB,
    &ops::VPSUBSB,
    &ops::VPSUBUSB,
    &ops::VPABSB,
];
const WORDS: [&Op; 11] = [
    &ops::VPADDW,
    &ops::VPSUBW,
    &ops::VPMINSW,
    &ops::VPMINUW,
    &ops::VPMAXSW,
    &ops::VPMAXUW,
    &ops::VPADDSW,
    &ops::VPADDUSW,
    &ops::VPSUBSW,
    &ops::VPSUBUSW,
    &ops::VPABSW,
];

const COMPARISONS: [&Op; 10] = [
    &ops::VPCMPD,
    &ops::VPCMPUD,
    &ops::VPCMPQ,
    &ops::VPCMPUQ,
    &ops::VCMPPS_K,
    &ops::VCMPPD_K,
    &ops::VPTESTMD,
    &ops::VPTESTMQ,
    &ops::VPTESTNMD,
    &ops::VPTESTNMQ,
];

fn is_one_of(op: &Op, all: &[&'static Op]) -> bool {
    all.iter().any(|&other| std::ptr::eq(op, other))
}

/// What others are taken to take, as those of floats do.
const LONG: u32 = 4;

/// An instruction by its number in the function, and what it is.
#[derive(Clone, Copy)]
struct Made {
    at: usize,
    machine: Machine,
    /// When its operands are there, and its result, in cycles from the block's begin on, if nothing but operands is waited for.
    begins: u32,
    ends: u32,
}

impl VCode {
    /// Rewrites. By instruction, whether it has moved to another.
    pub(super) fn merge_masked_results(&mut self) -> Vec<bool> {
        let mut moved = vec![false; self.insts.len()];
        if !self.target.masks {
            return moved;
        }
        let mut uses = vec![0u32; self.vregs];
        let handed_on = self.blocks.iter().flat_map(|block| &block.edges).flat_map(|edge| &edge.args);
        handed_on.for_each(|reg| uses[reg.vreg()] += 1);
        for operand in self.insts.iter().flat_map(|inst| self.operands_of(inst)) {
            uses[operand.vreg().vreg()] += u32::from(operand.kind() == OperandKind::Use);
        }
        let mut makers: Vec<Option<Made>> = vec![None; self.vregs];
        for block in self.order.clone() {
            let range = self.blocks[block.0 as usize].insts.clone();
            for at in range.start as usize..range.end as usize {
                let Kind::Machine(machine) = self.insts[at].kind else { continue };
                let start = range.start as usize;
                let made = |reg: VReg| makers[reg.vreg()].filter(|made: &Made| made.at >= start);
                if let Some(from) = self.merge(at, &machine, &uses, made) {
                    moved[from] = true;
                    // It makes and reads nothing where it was.
                    self.insts[from].count = 0;
                }
                let inst = self.insts[at];
                let Kind::Machine(machine) = inst.kind else { continue };
                let operands = self.operands_of(&inst);
                let uses = operands.iter().filter(|operand| operand.kind() == OperandKind::Use);
                let times = uses.filter_map(|operand| makers[operand.vreg().vreg()].filter(|made| made.at >= start));
                let begins = times.map(|made| made.ends).max().unwrap_or(0);
                let is_short = [&SHORT[..], &BYTES, &WORDS].iter().any(|all| is_one_of(machine.op, all));
                let ends = begins + if is_short { 1 } else { LONG };
                for operand in operands.iter().filter(|operand| operand.kind() == OperandKind::Def) {
                    makers[operand.vreg().vreg()] = Some(Made { at, machine, begins, ends });
                }
            }
        }
        moved
    }

    fn operands_of(&self, inst: &Inst) -> &[Operand] {
        &self.operands[inst.start as usize..inst.start as usize + usize::from(inst.count)]
    }

    /// Has the instruction do what another did, and gives that one's number. `made` says what made a register in the same block.
    fn merge(&mut self, at: usize, machine: &Machine, uses: &[u32], made: impl Fn(VReg) -> Option<Made>) -> Option<usize> {
        let operands = self.operands_of(&self.insts[at]).to_vec();
        let reg_of = |field: Field| match field {
            Field::At(number) => Some(operands[usize::from(number)].vreg()),
            _ => None,
        };
        let rm = match machine.rm {
            RmField::At(number) => operands[usize::from(number)].vreg(),
            RmField::Mem { .. } => return None,
        };
        let dst = reg_of(machine.reg)?;
        let alone = |reg: VReg| made(reg).filter(|made| uses[reg.vreg()] == 1 && self.may_move(made));
        if std::ptr::eq(machine.op, &ops::KANDQ) {
            let other = reg_of(machine.vvvv)?;
            // One after the other they take longer than at once: the mask is from before.
            let (of, mask) = [(rm, other), (other, rm)].into_iter().find(|&(of, mask)| {
                let is_comparison = alone(of).is_some_and(|made| is_one_of(made.machine.op, &COMPARISONS));
                is_comparison && made(mask).is_none()
            })?;
            return self.put_under_mask(at, alone(of)?, dst, None, mask);
        }
        let bytes = match machine.op {
            op if std::ptr::eq(op, &ops::VPBLENDMB) => 1,
            op if std::ptr::eq(op, &ops::VPBLENDMW) => 2,
            op if std::ptr::eq(op, &ops::VPBLENDMD) => 4,
            op if std::ptr::eq(op, &ops::VPBLENDMQ) => 8,
            _ => return None,
        };
        let (mask, rest) = (reg_of(machine.mask)?, reg_of(machine.vvvv)?);
        let result = alone(rm).filter(|_| !machine.zeroing)?;
        let op = result.machine.op;
        let lanes = match op.tuple {
            Tuple::Full4 => 4,
            Tuple::Full8 => 8,
            _ if is_one_of(op, &BYTES) => 1,
            _ if is_one_of(op, &WORDS) => 2,
            _ => return None,
        };
        let fits = lanes == bytes && result.machine.size == machine.size && !is_one_of(op, &OTHER_LANES);
        let in_time = lanes < 4 || is_one_of(op, &SHORT) || made(mask).is_none_or(|mask| mask.ends <= result.begins);
        if !fits || !in_time {
            return None;
        }
        self.put_under_mask(at, result, dst, Some(rest), mask)
    }

    /// Nothing but what it reads and makes in registers tells where it is.
    fn may_move(&self, made: &Made) -> bool {
        let in_registers = match made.machine.rm {
            RmField::At(_) => true,
            RmField::Mem { base, index, .. } => index.is_none() && matches!(base, BaseField::Fixed(Base::Pool(_))),
        };
        let inst = &self.insts[made.at];
        let operands = self.operands_of(inst);
        let defs = operands.iter().filter(|operand| operand.kind() == OperandKind::Def).count();
        in_registers && made.machine.mask == Field::No && defs == 1
    }

    /// Has the instruction here do what another did, into `dst`, where a mask is true; lanes that are off are those of `rest`.
    fn put_under_mask(&mut self, at: usize, made: Made, dst: VReg, rest: Option<VReg>, mask: VReg) -> Option<usize> {
        let mut operands = self.operands_of(&self.insts[made.at]).to_vec();
        let mut machine = made.machine;
        let position = operands.iter().position(|operand| operand.kind() == OperandKind::Def)?;
        let own = |field: Field| field == Field::At(position as u8);
        match (operands[position].constraint(), rest) {
            // It writes to what it reads: lanes that are off are those.
            (OperandConstraint::Reuse(from), rest) => {
                if Some(operands[from].vreg()) != rest {
                    return None;
                }
                operands[position] = Operand::reg_reuse_def(dst, from);
            }
            (_, None) => operands[position] = Operand::reg_def(dst),
            (_, Some(rest)) => {
                let result = Field::At(operands.len() as u8);
                operands[position] = Operand::reg_use(rest);
                operands.push(Operand::reg_reuse_def(dst, position));
                match (own(machine.reg), own(machine.vvvv)) {
                    (true, _) => machine.reg = result,
                    (_, true) => machine.vvvv = result,
                    _ => return None,
                }
            }
        }
        debug_assert_eq!(mask.class(), RegClass::Vector, "masks are in registers of their own");
        machine.mask = Field::At(operands.len() as u8);
        operands.push(Operand::reg_use(mask));
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(&operands);
        let inst = &mut self.insts[at];
        (inst.kind, inst.start, inst.count) = (Kind::Machine(machine), start, operands.len() as u16);
        Some(made.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::super::tests::code_for;

    fn code_of(body: &str) -> String {
        let text = format!(
            "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
             v6 = load.i32x16 global align 4 [v0]\n  v7 = load.i32x16 global align 4 [v1]\n  v8 = icmp.ult v6, v7\n  \
             v20 = load.f32x16 global align 4 [v2]\n  v21 = fadd v20, v20\n  jump block1(v6, v8, v21)\n\
             block1(v9: i32x16, v10: maskx16, v22: f32x16):\n{body}  store v16, global align 4 [v2]\n  v17 = const.i32 0\n  return v17\n}}"
        );
        code_for(Target::AVX512, &text)
    }

    #[test]
    fn choices_from_results_are_masks() {
        let merged = code_of("  v15 = add v9, v9\n  v16 = select v10, v15, v9\n");
        assert!(merged.contains("vpaddd") && !merged.contains("vpblend"), "{merged}");
        let kept = code_of("  v15 = add v9, v9\n  v14 = select v10, v15, v9\n  v16 = add v14, v15\n");
        assert!(kept.contains("vpblendmd"), "it is wanted as it is: {kept}");
        let accumulated = code_of("  v15 = fma v22, v22, v22\n  v16 = select v10, v15, v22\n");
        assert!(accumulated.contains("vfmadd") && !accumulated.contains("vpblend"), "{accumulated}");
        let late = code_of("  v14 = icmp.ne v9, v9\n  v13 = icmp.slt v9, v6\n  v15 = fmul v22, v22\n  v16 = select v13, v15, v22\n");
        assert!(late.contains("vpblendmd"), "it is there before the mask: {late}");
        let early = code_of("  v13 = icmp.slt v9, v6\n  v14 = fmul v22, v22\n  v15 = fmul v14, v14\n  v16 = select v13, v15, v22\n");
        assert!(!early.contains("vpblend"), "the mask is there before its operands: {early}");
    }

    #[test]
    fn short_lanes_have_masks_too() {
        for (ty, bits) in [("i8x32", "b"), ("i16x32", "w")] {
            let text = format!(
                "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
                 v6 = load.{ty} global align 4 [v0]\n  v7 = load.{ty} global align 4 [v1]\n  v8 = icmp.ult v6, v7\n  \
                 v9 = add v6, v7\n  v10 = select v8, v9, v6\n  store v10, global align 4 [v2]\n  v17 = const.i32 0\n  return v17\n}}"
            );
            let merged = code_for(Target::AVX512, &text);
            assert!(merged.contains(&format!("vpadd{bits}")) && !merged.contains("vpblend"), "{merged}");
            let long = code_for(Target::AVX512, &text.replace("add v6, v7", "mul v6, v7"));
            assert!(long.contains("vpblend"), "it takes longer: {long}");
        }
    }

    #[test]
    fn comparisons_are_made_where_a_mask_is_true() {
        let joined = code_of("  v14 = icmp.slt v9, v7\n  v15 = and v10, v14\n  v16 = select v15, v6, v9\n");
        assert!(!joined.contains("kand") && joined.matches("vpcmp").count() == 2, "{joined}");
        let beside = code_of("  v13 = icmp.slt v9, v7\n  v14 = icmp.ne v9, v6\n  v15 = and v13, v14\n  v16 = select v15, v6, v9\n");
        assert!(beside.contains("kand"), "both are new: {beside}");
    }
}
