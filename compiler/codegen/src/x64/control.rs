//! Jumps, calls and traps.
//!
//! A function of the program is handed the worker's record in rdi; its arguments, and then its results, are in memory at the caller's stack
//! pointer, each part at the next multiple of its size.

use super::super::library::Evaluation;
use super::encode::Size;
use super::machine::{Amode, Base, Cc, Kind, Label, RAX, gpr};
use super::ops;
use super::parts::{Parts, Registers};
use super::registers::call_clobbers;
use super::selector::Selector;
use super::target::Target;
use device::abi::{Trap, WorkerRecord};
use ir::{BlockCall, Elem, FuncRef, InstData, Runtime, Type, Value};
use regalloc2::{Operand, PReg, PRegSet, RegClass, VReg};
use target::costs::CASES_IN_A_ROW;

/// Registers of the first arguments of C functions.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// Where the parts of values are in the memory of arguments; gives the number of bytes in all.
fn places(target: Target, types: impl Iterator<Item = Type>, mut each: impl FnMut(Type, u32)) -> u32 {
    let mut at = 0u32;
    for ty in types {
        let size = argument_size(target, ty).bytes();
        at = at.next_multiple_of(size);
        each(ty, at);
        at += size * target.canonical_count(ty) as u32;
    }
    at
}

/// What a part of an argument takes.
fn argument_size(target: Target, ty: Type) -> Size {
    if ty.is_vector() && !target.in_mask_register(ty) {
        target.part_size(ty.lanes, target.canonical_bytes(ty))
    } else {
        Size::Q
    }
}

impl Selector<'_> {
    /// Ends the current block.
    pub fn terminator(&mut self, data: &InstData) -> Result<(), String> {
        match data {
            InstData::Jump { target } => {
                let (block, args) = self.target(target);
                self.c.jump(block, &args);
            }
            InstData::Branch {
                condition,
                targets: [then, otherwise],
            } => {
                let (then, then_args) = self.target(then);
                let (otherwise, otherwise_args) = self.target(otherwise);
                let cc = self.condition(*condition);
                self.c.branch(cc, (then, &then_args), (otherwise, &otherwise_args));
            }
            InstData::Switch { value, cases, default } => self.switch(*value, cases, default),
            InstData::Return { values } => {
                if self.is_entry {
                    self.end_streams();
                    let result = self.scalar(values[0]);
                    self.c.ret(Some(result));
                } else {
                    let parts: Vec<Parts> = values.iter().map(|&value| self.canonical(value)).collect();
                    self.return_parts(&parts);
                }
            }
            InstData::Trap { reason } => self.trap(*reason),
            InstData::Unreachable => self.trap(Trap::Unreachable as u32),
            _ => return Err("can't be compiled".into()),
        }
        Ok(())
    }

    /// A value as it is passed to blocks and functions.
    fn canonical(&mut self, value: Value) -> Parts {
        let ty = self.func.ty(value);
        match ty.elem {
            Elem::Mask => self.get_mask(value, self.c.target.canonical_bytes(ty)),
            _ => self.get(value),
        }
    }

    fn target(&mut self, call: &BlockCall) -> (Label, Vec<VReg>) {
        let arguments = call.args.iter().flat_map(|&arg| self.canonical(arg).regs).collect();
        (self.block(call.block), arguments)
    }

    fn switch(&mut self, value: Value, cases: &[(u64, BlockCall)], default: &BlockCall) {
        let elem = self.func.ty(value).elem;
        let reg = self.scalar(value);
        let reg = self.zero_extended(elem, reg);
        let size = super::forms::int_size(elem);
        let mut sorted: Vec<(u64, (Label, Vec<VReg>))> = cases.iter().map(|(case, call)| (*case, self.target(call))).collect();
        sorted.sort_by_key(|(case, _)| *case);
        let default = self.target(default);
        self.search(reg, size, &sorted, &default);
    }

    /// A binary search among the cases.
    fn search(&mut self, value: VReg, size: Size, cases: &[(u64, (Label, Vec<VReg>))], default: &(Label, Vec<VReg>)) {
        if cases.is_empty() {
            return self.c.jump(default.0, &default.1);
        }
        let constant = |case: u64| {
            if size == Size::Q {
                case as i64
            } else {
                i64::from(case as u32 as i32)
            }
        };
        if cases.len() <= CASES_IN_A_ROW {
            for (index, (case, (block, args))) in cases.iter().enumerate() {
                self.c.cmp_i(size, value, constant(*case));
                if index + 1 == cases.len() {
                    return self.c.branch(Cc::E, (*block, args), (default.0, &default.1));
                }
                let next = self.c.block();
                self.c.branch(Cc::E, (*block, args), (next, &[]));
                self.continue_in(next);
            }
            return;
        }
        let (low, high) = cases.split_at(cases.len() / 2);
        let (below, above) = (self.c.block(), self.c.block());
        self.c.cmp_i(size, value, constant(high[0].0));
        self.c.branch(Cc::B, (below, &[]), (above, &[]));
        self.continue_in(below);
        self.search(value, size, low, default);
        self.continue_in(above);
        self.search(value, size, high, default);
    }

    /// Records the trap and leaves the function.
    fn trap(&mut self, reason: u32) {
        let field = Amode::reg(self.worker, core::mem::offset_of!(WorkerRecord, trap) as i32);
        let reason = self.c.constant(u64::from(reason));
        self.c.store_int(4, reason, field);
        if self.is_entry {
            self.end_streams();
            return self.c.ret(Some(reason));
        }
        let zeros: Vec<Parts> = self.func.results.iter().map(|&ty| self.constant(ty, 0)).collect();
        self.return_parts(&zeros);
    }

    fn return_parts(&mut self, parts: &[Parts]) {
        let func = self.func;
        let params = func.params().iter().map(|&param| func.ty(param));
        let mut results = Vec::new();
        places(self.c.target, params.chain(func.results.iter().copied()), |_, at| results.push(at));
        for (parts, &at) in parts.iter().zip(&results[func.params().len()..]) {
            self.store_argument(parts, Amode::new(Base::Incoming, at as i32));
        }
        self.c.ret(None);
    }

    fn store_argument(&mut self, parts: &Parts, at: Amode) {
        let size = argument_size(self.c.target, parts.ty);
        for (index, &reg) in parts.regs.iter().enumerate() {
            let to = self.plus(at, index as u32 * size.bytes());
            match reg.class() {
                RegClass::Int => self.c.store_int(8, reg, to),
                RegClass::Vector => self.c.v_store(&ops::KMOVQ_RM, Size::X, reg, to),
                _ if !parts.ty.is_vector() => self.c.v_store(&ops::VMOVSD_RM, Size::X, reg, to),
                _ => self.c.v_store(&ops::VMOVUPS_RM, size, reg, to),
            }
        }
    }

    fn load_argument(&mut self, ty: Type, at: Amode) -> Parts {
        let target = self.c.target;
        let size = argument_size(target, ty);
        let regs: Registers = (0..target.canonical_count(ty) as u32)
            .map(|index| {
                let from = self.plus(at, index * size.bytes());
                match target.class_of(ty) {
                    RegClass::Int => self.c.load_int(8, from),
                    RegClass::Vector => self.c.load_mask(from),
                    _ if !ty.is_vector() => self.c.v2(&ops::VMOVSD, Size::X, from),
                    _ => self.c.v2(&ops::VMOVUPS, size, from),
                }
            })
            .collect();
        Parts::new(ty, target.canonical_bytes(ty), regs)
    }

    /// The registers of a function's parameters.
    pub fn incoming_arguments(&mut self) -> Vec<VReg> {
        let func = self.func;
        let mut found = Vec::new();
        places(self.c.target, func.params().iter().map(|&param| func.ty(param)), |ty, at| {
            found.push((ty, at))
        });
        found
            .into_iter()
            .flat_map(|(ty, at)| self.load_argument(ty, Amode::new(Base::Incoming, at as i32)).regs)
            .collect()
    }

    /// Calls a function of the program.
    pub fn call(&mut self, callee: FuncRef, args: &[Value]) -> Result<Vec<Parts>, String> {
        let position = self.program.positions[&callee];
        let function = self.program.functions[position as usize];
        let params = function.params().iter().map(|&param| function.ty(param));
        if !params.clone().eq(args.iter().map(|&arg| self.func.ty(arg))) {
            return Err(format!("the arguments are not of the types that {} takes", function.name));
        }
        let mut found = Vec::new();
        let bytes = places(self.c.target, params.chain(function.results.iter().copied()), |ty, at| {
            found.push((ty, at))
        });
        self.c.outgoing_bytes = self.c.outgoing_bytes.max(bytes);
        for (&arg, &(_, at)) in args.iter().zip(&found) {
            let parts = self.canonical(arg);
            self.store_argument(&parts, Amode::new(Base::Outgoing, at as i32));
        }
        let worker = Operand::reg_fixed_use(self.worker, gpr(ARGUMENTS[0]));
        self.c.special(Kind::Call(position), &[worker], call_clobbers(self.c.target));
        Ok(found[args.len()..]
            .iter()
            .map(|&(ty, at)| self.load_argument(ty, Amode::new(Base::Outgoing, at as i32)))
            .collect())
    }

    /// Calls a function of the driver.
    pub fn call_runtime(&mut self, routine: Runtime, args: &[Value]) -> Result<Option<Parts>, String> {
        let address = routine.address() as u64;
        let (params, result) = routine.signature();
        if !params.iter().copied().eq(args.iter().map(|&arg| self.func.ty(arg))) {
            return Err(format!("the arguments are not of the types that {routine} takes"));
        }
        let arguments: Vec<(Type, VReg)> = args.iter().map(|&arg| (self.func.ty(arg), self.scalar(arg))).collect();
        let returned = self.call_address(address, &arguments, result);
        Ok(result.zip(returned).map(|(ty, value)| Parts::scalar(ty, value)))
    }

    /// Calls a C function of the process, which takes and gives integers and floats.
    pub fn call_address(&mut self, address: u64, args: &[(Type, VReg)], result: Option<Type>) -> Option<VReg> {
        let address = self.c.address(address);
        let mut operands = vec![Operand::reg_fixed_use(address, RAX)];
        let (mut ints, mut floats) = (0, 0);
        for &(ty, reg) in args {
            let place = match self.c.target.class_of(ty) {
                RegClass::Int => {
                    ints += 1;
                    gpr(ARGUMENTS[ints - 1])
                }
                class => {
                    floats += 1;
                    PReg::new(floats - 1, class)
                }
            };
            operands.push(Operand::reg_fixed_use(reg, place));
        }
        let mut clobbers: PRegSet = call_clobbers(self.c.target);
        let result = result.map(|ty| {
            let class = self.c.target.class_of(ty);
            let reg = self.c.vreg(class);
            let place = PReg::new(0, class);
            clobbers.remove(place);
            operands.push(Operand::reg_fixed_def(reg, place));
            reg
        });
        self.c.special(Kind::CallAddress, &operands, clobbers);
        result
    }

    /// Calls the meaning of an operation on one lane: `from` and `to` are the types of operands and result.
    pub fn evaluate(&mut self, evaluation: Evaluation, from: Elem, args: &[VReg], to: Elem) -> VReg {
        let mut arguments = vec![(Type::I64, self.c.constant(evaluation.code))];
        for &arg in args {
            let bits = match from {
                Elem::F32 => self.c.v_low_to_int(Size::D, arg),
                Elem::F64 => self.c.v_low_to_int(Size::Q, arg),
                _ => self.extended_to_64(from, false, arg),
            };
            arguments.push((Type::I64, bits));
        }
        let bits = self
            .call_address(evaluation.address, &arguments, Some(Type::I64))
            .expect("the function returns bits");
        match to {
            Elem::F32 => self.c.int_to_v(Size::D, bits),
            Elem::F64 => self.c.int_to_v(Size::Q, bits),
            _ => bits,
        }
    }
}
