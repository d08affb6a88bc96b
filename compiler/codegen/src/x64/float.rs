//! Float arithmetic on f32 and f64, scalars and vectors.

use super::encode::Size;
use super::forms::mask_compare_op;
use super::forms::{binary_form, of_type, predicate, rounding_mode};
use super::machine::{Cc, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Rounding, Runtime, Type, UnaryOp, Value};
use regalloc2::RegClass;

impl Selector<'_> {
    /// A unary operation on f32 or f64.
    pub fn float_unary(&mut self, op: UnaryOp, a: &Parts) -> Parts {
        let sign = 1u64 << (a.bytes * 8 - 1);
        match op {
            UnaryOp::FNeg => {
                let sign = self.splat_source(a.size(), a.bytes, sign);
                let size = a.size();
                self.map(a, |s, part| s.c.v3(&ops::VXORPS, size, part, sign))
            }
            UnaryOp::FAbs => {
                let rest = self.splat_source(a.size(), a.bytes, sign - 1);
                let size = a.size();
                self.map(a, |s, part| s.c.v3(&ops::VANDPS, size, part, rest))
            }
            UnaryOp::Sqrt if !a.ty.is_vector() => {
                let op = of_type(a.ty, [&ops::VSQRTPS, &ops::VSQRTPD, &ops::VSQRTSS, &ops::VSQRTSD]);
                self.map(a, |s, part| s.c.v3(op, Size::X, part, part))
            }
            UnaryOp::Sqrt => {
                let op = of_type(a.ty, [&ops::VSQRTPS, &ops::VSQRTPD, &ops::VSQRTSS, &ops::VSQRTSD]);
                self.map_op(op, a)
            }
            UnaryOp::Ceil => self.round(Rounding::Up, a),
            UnaryOp::Floor => self.round(Rounding::Down, a),
            UnaryOp::FTrunc => self.round(Rounding::Zero, a),
            _ => self.round(Rounding::Nearest, a),
        }
    }

    /// Rounds floats to integers.
    pub fn round(&mut self, rounding: Rounding, a: &Parts) -> Parts {
        let op = of_type(a.ty, [&ops::VROUNDPS, &ops::VROUNDPD, &ops::VROUNDSS, &ops::VROUNDSD]);
        let (size, mode, vector) = (a.size(), rounding_mode(rounding), a.ty.is_vector());
        self.map(a, |s, part| match vector {
            true => s.c.v2i(op, size, part, mode),
            false => s.c.v3i(op, size, part, part, mode),
        })
    }

    /// A binary operation on f32 or f64, or on vectors of f16 where the machine has it ([`binary_form`]).
    pub fn float_binary(&mut self, op: BinaryOp, a: &Parts, b: &Sources) -> Parts {
        use BinaryOp::*;
        let ty = a.ty;
        let Some(machine) = binary_form(op, ty) else {
            let b = self.in_registers(ty, b);
            if op == CopySign {
                return self.copy_signs(a.size(), a.bytes, a, &b);
            }
            if op == Scale && self.c.target.masks {
                return self.times_power(a, &b.sources());
            }
            let routine = Runtime::of_operation(op, ty.elem).expect("the runtime has what the machine has not");
            let (address, result) = (routine.address() as u64, Type::scalar(ty.elem));
            return self.each_lane(ty, &[a, &b], |s, args| {
                let args = [(result, args[0]), (result, args[1])];
                s.call_address(address, &args, Some(result)).expect("it returns a value")
            });
        };
        if !matches!(op, FMinNum | FMaxNum) {
            return self.zip_op(machine, a, b);
        }
        if self.c.target.masks && ty.is_vector() {
            let b = self.in_registers(ty, b);
            let chosen = self.zip_op(machine, a, &b.sources());
            let nan = self.compare_to_mask(mask_compare_op(ty), &b, &b.sources(), predicate::UNORD);
            return self.select_parts(&nan, a, &chosen);
        }
        let (size, parts) = (a.size(), a.regs.len());
        let mut regs = Registers::new();
        for at in (0..parts).step_by(2) {
            let end = (at + 2).min(parts);
            let ty = ty.with_lanes(ty.lanes * (end - at) as u16 / parts as u16);
            let b = self.in_registers(ty, &b[at..end].into());
            let a = Parts::new(ty, a.bytes, a.regs[at..end].iter().copied());
            let chosen = self.zip_op(machine, &a, &b.sources());
            regs.extend(match end - at {
                2 => self.unless_nan(size, &a, &b, chosen),
                _ => self.where_nan(size, &a, &b, &chosen),
            });
        }
        Parts::new(ty, a.bytes, regs)
    }

    /// `a` in lanes where `b` is no number, else what was chosen.
    fn where_nan(&mut self, size: Size, a: &Parts, b: &Parts, chosen: &Parts) -> Registers {
        (0..a.regs.len())
            .map(|part| {
                let nan = self.compared_floats(a.ty, size, b.regs[part], b.regs[part], predicate::UNORD);
                self.blend(size, a.bytes, nan, a.regs[part], chosen.regs[part])
            })
            .collect()
    }

    /// The same of two registers, where hardly any lane is no number: one comparison looks at both, and a branch. Two comparisons and blends are four
    /// instructions on some machines and eight on others.
    fn unless_nan(&mut self, size: Size, a: &Parts, b: &Parts, chosen: Parts) -> Registers {
        let nan = self.compared_floats(a.ty, size, b.regs[0], b.regs[1], predicate::UNORD);
        let bits = self.c.v_to_int(&ops::VMOVMSKPS, size, nan);
        self.c.test(Size::D, bits, bits);
        let [fast, slow, done] = self.fork(Cc::E);
        let results: Registers = chosen.regs.iter().map(|_| self.c.param(done, RegClass::Float)).collect();
        self.continue_in(fast);
        self.c.jump(done, &chosen.regs);
        self.continue_in(slow);
        let blended = self.where_nan(size, a, b, &chosen);
        self.c.jump(done, &blended);
        self.continue_in(done);
        results
    }

    /// Sources in registers. What several parts have from one place, such as a constant, is loaded once.
    pub fn in_registers(&mut self, ty: Type, sources: &Sources) -> Parts {
        let bytes = ty.elem.bytes();
        let size = if ty.is_vector() { self.part_size(ty.lanes, bytes) } else { Size::X };
        let mut regs = Registers::new();
        for (part, &source) in sources.iter().enumerate() {
            let before = part.checked_sub(1).filter(|&before| sources[before] == source);
            regs.push(match (before, source) {
                (Some(before), _) => regs[before],
                (None, Src::Reg(reg)) => reg,
                (None, Src::Broadcast(mem)) => self.broadcast(size, bytes, mem),
                (None, Src::Mem(mem)) => match (ty.is_vector(), ty.elem) {
                    (false, Elem::F32) => self.c.v2(&ops::VMOVSS, size, mem),
                    (false, _) => self.c.v2(&ops::VMOVSD, size, mem),
                    (true, _) => self.c.v2(&ops::VMOVUPS, size, mem),
                },
            });
        }
        Parts::new(ty, bytes, regs)
    }

    /// The magnitudes of `a` with the signs of `b`; lanes of any float type.
    pub fn copy_signs(&mut self, size: Size, bytes: u32, a: &Parts, b: &Parts) -> Parts {
        if self.c.target.masks && bytes >= 4 {
            let op = if bytes == 8 { &ops::VPTERNLOGQ } else { &ops::VPTERNLOGD };
            let sign = self.spread_source(size, bytes, 1 << (bytes * 8 - 1));
            return self.zip(a, b, |s, a, b| s.choose_bits(op, size, a, b, sign));
        }
        let sign = self.splat_bits(size, bytes, 1 << (bytes * 8 - 1));
        self.zip(a, b, |s, a, b| {
            let magnitude = s.c.v3(&ops::VANDNPS, size, sign, a);
            let sign = s.c.v3(&ops::VANDPS, size, sign, b);
            s.c.v3(&ops::VORPS, size, magnitude, sign)
        })
    }

    /// [`ir::InstData::Fma`].
    pub fn fma(&mut self, args: [Value; 3]) -> Parts {
        let ty = self.func.ty(args[0]);
        match ty.elem {
            _ if self.is_float_of_machine(ty) => {}
            Elem::F16 => {
                let [a, b, c] = args.map(|arg| self.get(arg));
                return self.half_fma(&a, &b, &c);
            }
            elem => {
                let [a, b, c] = args.map(|arg| self.get(arg));
                let evaluation = super::super::library::fma(elem);
                return self.each_lane(ty, &[&a, &b, &c], |s, args| s.evaluate(evaluation, elem, args, elem));
            }
        }
        let (args, signs) = self.without_signs(args);
        let mut factors = [args[0], args[1]];
        // The result takes the place of an operand that nobody needs any more: the addend, or else a factor.
        let last_use = |s: &Self, value: Value| s.is_last_use(value) && !s.is_in_memory(value);
        if self.is_in_memory(factors[0]) || (last_use(self, factors[1]) && !last_use(self, factors[0])) {
            factors.swap(0, 1);
        }
        let in_factor = match (self.is_in_memory(args[2]), self.is_in_memory(factors[1])) {
            // A factor that is still needed would be copied, and the other one loaded, too: the addend is loaded to where the result is to be.
            (true, true) => last_use(self, factors[0]),
            (true, false) => true,
            (false, _) => !last_use(self, args[2]) && last_use(self, factors[0]),
        };
        let [a, b, c] = [factors[0], factors[1], args[2]].map(|arg| self.sources(arg));
        let in_memory = |sources: &Sources| !matches!(sources[0], Src::Reg(_));
        let [form_132, form_213, form_231] = signs.ops();
        let (tied, other, last, form) = match (in_factor, in_memory(&b)) {
            (true, true) if !in_memory(&c) => (a, c, b, form_132),
            (true, _) => (a, b, c, form_213),
            (false, _) => (c, a, b, form_231),
        };
        let [ps, pd, ss, sd, ph] = form;
        let op = if ty.elem == Elem::F16 { ph } else { of_type(ty, [ps, pd, ss, sd]) };
        let (tied, other) = (self.in_registers(ty, &tied), self.in_registers(ty, &other));
        let size = tied.size();
        let regs: Registers = (0..tied.regs.len())
            .map(|part| self.c.v3_tied(op, size, tied.regs[part], other.regs[part], last[part]))
            .collect();
        Parts::new(ty, tied.bytes, regs)
    }

    /// The value is a constant or a load that may become part of an instruction.
    fn is_in_memory(&self, value: Value) -> bool {
        self.func.constant(value).is_some() || self.folded_loads.contains_key(&value)
    }
}
