//! What an entry point's execution modes, and the program's build options, say of floating-point arithmetic: rounding, subnormal numbers and
//! fast-math flags (SPV_KHR_float_controls, SPV_KHR_float_controls2, SPV_INTEL_float_controls2).
//!
//! Modes hold for all that the entry point calls, so that a function which kernels with other modes call is lowered once for each. Built-in
//! functions round as they always do (OpenCL C §7.4: they "are not affected by the prevailing rounding mode").

use super::conversion::float_to_float;
use super::function::{Lowering, Result, fast_math, relaxed};
use super::opencl_std::is_vector_memory;
use super::value::Val;
use builtins::{StdOp, rounded};
use interface::BuildOptions;
use ir::*;
use rspirv::spirv::{Capability, ExecutionMode, Op};
use spirv::{EntryPoint, ExtendedSet, Id, Instruction, Module, Type as SpirvType};

/// How numbers of one width are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FloatMode {
    /// Of arithmetic and conversions that say nothing else.
    pub rounding: Rounding,
    /// Subnormal operands and results are zeros.
    pub flush: bool,
    /// Flags of operations that nothing else is said of.
    pub flags: Flags,
}

/// The modes of an entry point, by width: 16, 32, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FloatModes {
    widths: [FloatMode; 3],
    /// Flags that build options give every operation.
    asked: Flags,
    /// Subnormal numbers are to be preserved, or are needed for rounding.
    pub need_subnormals: bool,
    /// No flag is taken, whoever gives it ([`BuildOptions::reproducible`]).
    strict: bool,
}

impl FloatModes {
    /// What holds where no mode says otherwise.
    pub(super) fn usual(options: &BuildOptions) -> FloatModes {
        let asked = asked_flags(options);
        let mode = FloatMode {
            rounding: Rounding::Nearest,
            flush: false,
            flags: if options.reproducible { asked } else { asked | Flags::CONTRACT },
        };
        FloatModes {
            widths: [mode; 3],
            asked,
            need_subnormals: false,
            strict: options.reproducible,
        }
    }

    /// Of an entry point of a module.
    pub(super) fn new(spirv: &Module, entry: &EntryPoint, options: &BuildOptions) -> FloatModes {
        let mut modes = FloatModes::usual(options);
        let asked = modes.asked;
        for mode in &entry.modes {
            let first = mode.operands.first().copied().unwrap_or(0);
            modes.need_subnormals |= matches!(
                mode.mode,
                ExecutionMode::DenormPreserve
                    | ExecutionMode::RoundingModeRTZ
                    | ExecutionMode::RoundingModeRTPINTEL
                    | ExecutionMode::RoundingModeRTNINTEL
            );
            let of_width = &mut modes.widths[position(first)];
            match mode.mode {
                ExecutionMode::ContractionOff => modes.widths.iter_mut().for_each(|mode| mode.flags -= Flags::CONTRACT - asked),
                ExecutionMode::FPFastMathDefault if !modes.strict => {
                    if let &SpirvType::Float { width, .. } = spirv.ty(first) {
                        let word = mode.operands.get(1).copied().unwrap_or(0);
                        modes.widths[position(width)].flags = fast_math(word) | asked;
                    }
                }
                ExecutionMode::RoundingModeRTE => of_width.rounding = Rounding::Nearest,
                ExecutionMode::RoundingModeRTZ => of_width.rounding = Rounding::Zero,
                ExecutionMode::RoundingModeRTPINTEL => of_width.rounding = Rounding::Up,
                ExecutionMode::RoundingModeRTNINTEL => of_width.rounding = Rounding::Down,
                ExecutionMode::DenormFlushToZero => of_width.flush = true,
                ExecutionMode::SignedZeroInfNanPreserve => of_width.flags -= Flags::NSZ | Flags::NNAN | Flags::NINF,
                _ => {}
            }
        }
        modes
    }

    /// All machines are to have the same results.
    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Of numbers of a width.
    pub(super) fn of(&self, width: u32) -> FloatMode {
        self.widths[position(width)]
    }

    fn flushes(&self) -> bool {
        self.widths.iter().any(|mode| mode.flush)
    }
}

/// Where the modes of a width are.
fn position(width: u32) -> usize {
    usize::from(width >= 32) + usize::from(width >= 64)
}

/// What build options allow.
fn asked_flags(options: &BuildOptions) -> Flags {
    let mut flags = Flags::empty();
    if options.mad_enable {
        flags |= Flags::CONTRACT;
    }
    if options.no_signed_zeros {
        flags |= Flags::NSZ;
    }
    if options.finite_math_only {
        flags |= Flags::NNAN | Flags::NINF;
    }
    if options.unsafe_math {
        flags |= Flags::NSZ | Flags::ARCP | Flags::CONTRACT | Flags::REASSOC | Flags::AFN;
    }
    if options.fast_relaxed_math {
        flags |= relaxed();
    }
    flags
}

impl<'m> Lowering<'_, 'm> {
    /// The rounding of an instruction that gives numbers of a format: its decoration's, or else the mode's.
    pub(super) fn rounding_of(&self, inst: &Instruction<'m>, elem: Elem) -> Result<Rounding> {
        Ok(self.rounding(inst)?.unwrap_or(self.program.modes.of(elem.bits()).rounding))
    }

    /// The flags of an operation on floats of a format that has FPFastMathMode, or has it not.
    pub(super) fn float_flags(&self, elem: Elem, decoration: Option<u32>) -> Flags {
        let (modes, replaces) = (&self.program.modes, self.spirv.has_capability(Capability::FloatControls2));
        match decoration {
            None => modes.of(elem.bits()).flags,
            Some(_) if modes.strict => Flags::empty(),
            Some(word) if replaces => fast_math(word) | modes.asked,
            Some(word) => fast_math(word) | modes.of(elem.bits()).flags,
        }
    }

    /// Lowers an instruction by `lower`. Where its numbers are of a width whose subnormals are flushed, these are zeros for it, and what it gives.
    pub(super) fn with_flushing(&mut self, inst: &Instruction<'m>, lower: impl FnOnce(&mut Self) -> Result<bool>) -> Result<bool> {
        if !self.program.modes.flushes() || !self.computes(inst) {
            return lower(self);
        }
        let mut given: Vec<(Id, Option<Val>)> = Vec::new();
        let first = if inst.op() == Op::ExtInst { 2 } else { 0 };
        for &id in inst.operands.get(first..).unwrap_or(&[]) {
            if self.is_flushed(self.spirv.type_of(id)) {
                let scalars = self.scalars(id)?;
                let scalars = scalars.iter().map(|&x| flush(&mut self.b(), x)).collect();
                given.push((id, self.replace(id, Some(Val::Scalars(scalars)))));
            }
        }
        let known = lower(self)?;
        for (id, before) in given.into_iter().rev() {
            self.replace(id, before);
        }
        if known && self.is_flushed(inst.result_type) {
            let scalars = self.scalars(inst.result)?;
            let scalars = scalars.iter().map(|&x| flush(&mut self.b(), x)).collect();
            self.define(inst, scalars);
        }
        Ok(known)
    }

    /// Numbers of the type, or of a vector type's components, are flushed.
    fn is_flushed(&self, type_id: Id) -> bool {
        let (_, component) = self.spirv.components(type_id);
        matches!(*self.spirv.ty(component), SpirvType::Float { width: width @ 16.., .. } if self.program.modes.of(width).flush)
    }

    /// Arithmetic, comparisons, conversions and mathematics; not what only moves bits.
    fn computes(&self, inst: &Instruction<'m>) -> bool {
        use Op::*;
        match inst.op() {
            ExtInst => {
                let mathematics = self.spirv.extended_set(inst.word(0)) == Some(ExtendedSet::OpenClStd);
                mathematics && StdOp::from_u32(inst.word(1)).is_some_and(is_mathematics)
            }
            FAdd | FSub | FMul | FDiv | FRem | FMod | VectorTimesScalar | Dot | FConvert | ConvertFToS | ConvertFToU => true,
            FOrdEqual
            | FUnordEqual
            | FOrdNotEqual
            | FUnordNotEqual
            | FOrdLessThan
            | FUnordLessThan
            | FOrdGreaterThan
            | FUnordGreaterThan
            | FOrdLessThanEqual
            | FUnordLessThanEqual
            | FOrdGreaterThanEqual
            | FUnordGreaterThanEqual => true,
            _ => false,
        }
    }
}

/// An operation on two floats, rounded as a mode says.
pub(super) fn float_binary(b: &mut Builder, rounding: Rounding, op: BinaryOp, x: Value, y: Value) -> Value {
    let elem = b.ty(x).elem;
    let rounds = matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv);
    if rounding == Rounding::Nearest || !rounds {
        return b.binary(op, x, y);
    }
    // Rounded twice in one direction is rounded once in it.
    let wide = if elem == Elem::F16 { Elem::F32 } else { elem };
    let [x, y] = [x, y].map(|value| float_to_float(b, wide, value, Rounding::Nearest));
    let value = rounded(b, op, rounding, x, y);
    float_to_float(b, elem, value, rounding)
}

/// Functions of OpenCL.std that compute, other than those that choose, move or look at bits.
fn is_mathematics(op: StdOp) -> bool {
    let moves = matches!(
        op,
        StdOp::fabs | StdOp::copysign | StdOp::nan | StdOp::select | StdOp::bitselect | StdOp::shuffle | StdOp::shuffle2
    );
    let memory = is_vector_memory(op) || matches!(op, StdOp::printf | StdOp::prefetch);
    !moves && !memory
}

/// A subnormal number becomes a zero of its sign.
fn flush(b: &mut Builder, x: Value) -> Value {
    let elem = b.ty(x).elem;
    let int = elem.as_int();
    let (sign, least_normal) = match elem {
        Elem::F16 => (1 << 15, 1 << 10),
        Elem::F32 => (1 << 31, 1 << 23),
        Elem::F64 => (i64::MIN, 1 << 52),
        _ => return x,
    };
    let bits = b.bitcast(int, x);
    let size = b.binary_imm(BinaryOp::And, bits, !sign);
    let small = b.icmp_imm(IntCc::Ult, size, least_normal);
    let zero = b.binary_imm(BinaryOp::And, bits, sign);
    let bits = b.select(small, zero, bits);
    b.bitcast(elem, bits)
}
