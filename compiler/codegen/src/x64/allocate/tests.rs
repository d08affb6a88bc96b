//! Random functions on machines of few registers, looked at by regalloc2's checker; and moves, carried out.

use super::allocate;
use super::parallel_moves::{Move, Spare, in_order};
use crate::x64::function::Function;
use crate::x64::machine::{Cc, Kind, Label, RAX, RCX, RDX, gpr};
use crate::x64::target::Target;
use crate::x64::vcode::VCode;
use regalloc2::checker::Checker;
use regalloc2::{
    Allocation, Function as _, MachineEnv, Operand, OperandConstraint, OperandKind, OperandPos, Output, PReg, PRegSet, RegClass, SpillSlot,
    VReg,
};
use std::collections::HashMap;
use std::fmt::Write;

const CLASSES: [RegClass; 3] = [RegClass::Int, RegClass::Float, RegClass::Vector];

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Writes a function.
struct Writer {
    code: VCode,
    numbers: Numbers,
    /// Values that can be used here.
    known: Vec<VReg>,
    /// Instructions that are still to be written, about.
    left: usize,
}

impl Writer {
    fn any(&mut self, class: RegClass) -> VReg {
        let of_class: Vec<VReg> = self.known.iter().copied().filter(|reg| reg.class() == class).collect();
        // Old values and new ones.
        match self.numbers.below(3) {
            0 => of_class[of_class.len() - 1 - self.numbers.below(of_class.len().min(4))],
            _ => self.numbers.one_of(&of_class),
        }
    }

    fn operation(&mut self) {
        self.left = self.left.saturating_sub(1);
        let class = self.numbers.one_of(&CLASSES);
        let mut operands = Vec::new();
        for _ in 0..self.numbers.below(3) {
            let (class, numbers) = (self.numbers.one_of(&CLASSES), self.numbers.below(5));
            let reg = self.any(class);
            operands.push(match numbers {
                0 => Operand::new(reg, OperandConstraint::Any, OperandKind::Use, OperandPos::Early),
                1 => Operand::reg_use_at_end(reg),
                _ => Operand::reg_use(reg),
            });
        }
        let made = self.code.vreg(class);
        let mut clobbers = PRegSet::empty();
        match self.numbers.below(8) {
            0 | 1 => {
                let input = self.any(class);
                operands.push(Operand::reg_use(input));
                operands.push(Operand::reg_reuse_def(made, operands.len() - 1));
            }
            2 => {
                let (a, b) = (self.any(RegClass::Int), self.any(RegClass::Int));
                let (low, high) = (self.code.int(), self.code.int());
                operands = vec![
                    Operand::reg_fixed_use(a, RAX),
                    Operand::new(b, OperandConstraint::Any, OperandKind::Use, OperandPos::Early),
                    Operand::reg_fixed_def(low, RAX),
                    Operand::reg_fixed_def(high, RDX),
                    Operand::reg_def(made),
                ];
                self.known.extend([low, high]);
            }
            3 if self.numbers.below(3) == 0 => {
                let by = self.any(RegClass::Int);
                operands = vec![Operand::reg_fixed_use(by, RCX)];
                for number in [0, 1, 2] {
                    clobbers.add(gpr(number));
                    clobbers.add(PReg::new(number, RegClass::Float));
                    clobbers.add(PReg::new(number + 1, RegClass::Vector));
                }
                self.code.special(Kind::Start, &operands, clobbers);
                return;
            }
            _ => operands.push(Operand::reg_def(made)),
        }
        self.code.special(Kind::Start, &operands, clobbers);
        self.known.push(made);
    }

    /// Values for parameters of a block, as many of each class as it says.
    fn handed_over(&mut self, kinds: &[RegClass]) -> Vec<VReg> {
        kinds.iter().map(|&class| self.any(class)).collect()
    }

    fn enter(&mut self, block: Label, kinds: &[RegClass]) {
        let params: Vec<VReg> = kinds.iter().map(|&class| self.code.param(block, class)).collect();
        self.code.start(block);
        self.known.extend(params);
    }

    fn sequence(&mut self, depth: usize) {
        for _ in 0..1 + self.numbers.below(6) {
            if self.left == 0 {
                return;
            }
            match self.numbers.below(if depth > 4 { 6 } else { 9 }) {
                6 | 7 => self.choice(depth),
                8 => self.repetition(depth),
                _ => self.operation(),
            }
        }
    }

    fn kinds(&mut self) -> Vec<RegClass> {
        (0..self.numbers.below(5)).map(|_| self.numbers.one_of(&CLASSES)).collect()
    }

    fn choice(&mut self, depth: usize) {
        let (side, meet) = (self.code.block(), self.code.block());
        let other = self.code.block();
        if self.numbers.below(3) == 0 {
            self.code.set_cold(side);
        }
        let kinds = self.kinds();
        let straight = self.numbers.below(2) == 0;
        let args = self.handed_over(&kinds);
        match straight {
            true => self.code.branch(Cc::E, (side, &[]), (meet, &args)),
            false => self.code.branch(Cc::E, (side, &[]), (other, &[])),
        }
        let known = self.known.len();
        for block in [side, other] {
            if block == other && straight {
                continue;
            }
            self.code.start(block);
            self.sequence(depth + 1);
            let args = self.handed_over(&kinds);
            self.code.jump(meet, &args);
            self.known.truncate(known);
        }
        self.enter(meet, &kinds);
    }

    fn repetition(&mut self, depth: usize) {
        let (header, behind) = (self.code.block(), self.code.block());
        let kinds = self.kinds();
        let args = self.handed_over(&kinds);
        self.code.jump(header, &args);
        self.enter(header, &kinds);
        self.sequence(depth + 1);
        let args = self.handed_over(&kinds);
        self.code.branch(Cc::E, (header, &args), (behind, &[]));
        self.code.start(behind);
    }
}

fn random(seed: u64, length: usize) -> Function {
    let mut writer = Writer {
        code: VCode::new(Target::AVX2),
        numbers: Numbers(seed),
        known: Vec::new(),
        left: length,
    };
    let entry = writer.code.block();
    writer.code.start(entry);
    let arguments: Vec<VReg> = (0..3).map(|_| writer.code.int()).collect();
    let operands: Vec<Operand> = arguments
        .iter()
        .zip([RAX, RCX, RDX])
        .map(|(&reg, at)| Operand::reg_fixed_def(reg, at))
        .collect();
    writer.code.special(Kind::Start, &operands, PRegSet::empty());
    writer.known.extend(arguments);
    for class in [RegClass::Float, RegClass::Vector] {
        let reg = writer.code.vreg(class);
        writer.code.special(Kind::Start, &[Operand::reg_def(reg)], PRegSet::empty());
        writer.known.push(reg);
    }
    while writer.left > 0 {
        writer.sequence(0);
    }
    let result = writer.any(RegClass::Int);
    writer.code.ret(Some(result));
    writer.code.finish()
}

/// A machine of so many registers of each class.
fn machine(count: usize) -> MachineEnv {
    let set = |class: RegClass| {
        let mut set = PRegSet::empty();
        (0..count).for_each(|number| set.add(PReg::new(number, class)));
        set
    };
    MachineEnv {
        preferred_regs_by_class: CLASSES.map(set),
        non_preferred_regs_by_class: [PRegSet::empty(); 3],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

/// What came out, for people.
fn text(function: &Function, output: &Output) -> String {
    let mut text = String::new();
    for (number, block) in function.blocks.iter().enumerate() {
        let _ = writeln!(
            text,
            "block {number} {:?} cold {}, to {:?} with {:?}",
            block.params, block.cold, block.succs, block.args
        );
        for inst in block.insts.clone() {
            let inst = regalloc2::Inst::new(inst as usize);
            for (_, edit) in output.edits.iter().filter(|(point, _)| point.inst() == inst) {
                let _ = writeln!(text, "        {edit:?}");
            }
            let (operands, places) = (function.inst_operands(inst), output.inst_allocs(inst));
            let operands: Vec<String> = operands
                .iter()
                .zip(places)
                .map(|(operand, place)| format!("{operand} {place}"))
                .collect();
            let clobbers: Vec<PReg> = function.inst_clobbers(inst).into_iter().collect();
            let _ = writeln!(text, "    {}: {} {clobbers:?}", inst.index(), operands.join(", "));
        }
    }
    text
}

fn check(function: &Function, registers: usize) -> Output {
    let machine = machine(registers);
    let output = allocate(function, &machine).expect("there are enough registers");
    let mut checker = Checker::new(function, &machine);
    checker.prepare(&output);
    checker
        .run()
        .unwrap_or_else(|errors| panic!("{errors:?}\n{}", text(function, &output)));
    output
}

#[test]
fn random_functions_are_allocated_right() {
    for seed in 0..600 {
        let function = random(seed, 10 + seed as usize % 150);
        for registers in [7, 9, 12] {
            check(&function, registers);
        }
    }
}

/// Nothing is on the stack where there are registers enough; a long function takes no more of it than a short one.
#[test]
fn the_stack_is_used_for_what_does_not_fit() {
    let stack = |length, registers| check(&random(7, length), registers).num_spillslots;
    assert_eq!(stack(12, 30), 0);
    assert!(stack(400, 7) > 0);
}

/// Code that begins with a value and six others.
fn one_and_six() -> (VCode, VReg, Vec<VReg>) {
    let mut code = VCode::new(Target::AVX2);
    let entry = code.block();
    code.start(entry);
    let used = code.int();
    code.special(Kind::Start, &[Operand::reg_def(used)], PRegSet::empty());
    let others: Vec<VReg> = (0..6).map(|_| code.int()).collect();
    for &other in &others {
        code.special(Kind::Start, &[Operand::reg_def(other)], PRegSet::empty());
    }
    (code, used, others)
}

/// What is used in a loop is loaded in front of it, not in it.
#[test]
fn loops_keep_what_they_use_in_registers() {
    let (mut code, used, others) = one_and_six();
    let (body, behind) = (code.block(), code.block());
    // All others are wanted once more, while the value that the loop uses is on the stack.
    for &other in &others {
        code.special(Kind::Start, &[Operand::reg_use(other)], PRegSet::empty());
    }
    code.jump(body, &[]);
    code.start(body);
    code.special(Kind::Start, &[Operand::reg_use(used)], PRegSet::empty());
    code.branch(Cc::E, (body, &[]), (behind, &[]));
    code.start(behind);
    code.ret(None);
    let function = code.finish();
    let output = check(&function, 6);
    let start = function.blocks[1].insts.start as usize;
    assert!(!output.edits.is_empty());
    assert!(
        output.edits.iter().all(|(point, _)| point.inst().index() < start),
        "{:?}",
        output.edits
    );
}

/// Where a loop finds what it may read from the stack, while others are wanted in front of it, and once more behind it or in it as well.
fn read_in_a_loop(others_in_it: bool) -> Allocation {
    let (mut code, used, others) = one_and_six();
    let (body, behind) = (code.block(), code.block());
    let use_others = |code: &mut VCode| {
        for &other in &others {
            code.special(Kind::Start, &[Operand::reg_use(other)], PRegSet::empty());
        }
    };
    use_others(&mut code);
    code.jump(body, &[]);
    code.start(body);
    if others_in_it {
        use_others(&mut code);
    }
    code.special(Kind::Start, &[Operand::any_use(used)], PRegSet::empty());
    code.branch(Cc::E, (body, &[]), (behind, &[]));
    code.start(behind);
    use_others(&mut code);
    code.ret(None);
    let function = code.finish();
    let output = check(&function, 6);
    let branch = function.blocks[1].insts.end as usize - 1;
    output.inst_allocs(regalloc2::Inst::new(branch - 1))[0]
}

/// What a loop reads gets the register of something that is not wanted before the loop ends.
#[test]
fn loops_read_registers_rather_than_the_stack() {
    assert!(read_in_a_loop(false).is_reg());
    assert!(read_in_a_loop(true).is_stack());
}

/// Registers and slots that hold numbers.
struct Cells {
    free: Vec<Allocation>,
}

impl Spare for Cells {
    fn register(&mut self, not: &[Allocation]) -> Option<Allocation> {
        self.free.iter().copied().find(|register| !not.contains(register))
    }

    fn any_register(&mut self) -> Allocation {
        register(0)
    }

    fn slot(&mut self, number: usize) -> Allocation {
        Allocation::stack(SpillSlot::new(100 + number))
    }
}

fn register(number: usize) -> Allocation {
    Allocation::reg(gpr(number))
}

#[test]
fn moves_at_once_are_put_in_order() {
    let mut numbers = Numbers(1);
    let place = |number: usize| match number < 4 {
        true => register(number),
        false => Allocation::stack(SpillSlot::new(number - 4)),
    };
    for round in 0..2000 {
        let mut targets: Vec<usize> = (0..8).collect();
        let mut moves = Vec::new();
        for _ in 0..numbers.below(8) {
            let target = targets.swap_remove(numbers.below(targets.len()));
            moves.push(Move {
                from: place(numbers.below(8)),
                to: place(target),
            });
        }
        let free = if round % 2 == 0 { vec![register(9)] } else { Vec::new() };
        let before: HashMap<Allocation, usize> = (0..8).map(|number| (place(number), number)).collect();
        let mut now = before.clone();
        in_order(&moves, &mut Cells { free }, |one| {
            assert!(one.from.is_reg() || one.to.is_reg(), "from memory to memory");
            let value = now[&one.from];
            now.insert(one.to, value);
        });
        for number in (0..8).map(place) {
            let from = moves.iter().find(|one| one.to == number).map_or(number, |one| one.from);
            assert_eq!(now[&number], before[&from], "{moves:?}");
        }
    }
}
