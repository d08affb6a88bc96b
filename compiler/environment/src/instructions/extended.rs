//! OpExtInst: OpenCL.std (OpenCL Extended Instruction Set specification, section 2); debug information means nothing here.

use super::memory::leads_to;
use super::{Kind, Shape};
use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{FPRoundingMode, OpenclStd100Op as Std, StorageClass};
use spirv::{ExtendedSet, Id, Instruction, Type};

/// Operands and result of an instruction of OpenCL.std.
#[derive(Clone, Copy)]
enum Signature {
    /// So many floating-point operands of the result's type.
    Float(usize),
    /// The same, of three or four components.
    Cross,
    /// The same, and a pointer to the result's type.
    FloatAndPointer(usize),
    /// The same, and a pointer to as many 32-bit integers.
    FloatAndIntPointer(usize),
    /// A floating-point operand of the result's type, and as many 32-bit integers.
    FloatAndInt,
    /// Floating-point to 32-bit integers.
    Ilogb,
    /// Integers to floating-point numbers of that width.
    Nan,
    /// So many floating-point vectors to one number.
    Length(usize),
    /// So many integers of the result's type.
    Int(usize),
    /// So many 32-bit integers of the result's type.
    Int24(usize),
    /// Integers to integers twice as wide.
    Upsample,
    /// Three of the result's type.
    BitSelect,
    /// Two of the result's type, and integers of that width.
    Select,
    /// All else has a function of its own.
    Special,
}

fn signature(op: Std) -> Signature {
    use Signature::{
        BitSelect, Cross, Float, FloatAndInt, FloatAndIntPointer, FloatAndPointer, Ilogb, Int, Int24, Length, Nan, Select, Special,
        Upsample,
    };
    match op {
        Std::acos | Std::acosh | Std::acospi | Std::asin | Std::asinh | Std::asinpi | Std::atan | Std::atanh | Std::atanpi => Float(1),
        Std::cbrt | Std::ceil | Std::cos | Std::cosh | Std::cospi | Std::erfc | Std::erf | Std::exp | Std::exp2 | Std::exp10 => Float(1),
        Std::expm1 | Std::fabs | Std::floor | Std::lgamma | Std::log | Std::log2 | Std::log10 | Std::log1p | Std::logb => Float(1),
        Std::rint | Std::round | Std::rsqrt | Std::sin | Std::sinh | Std::sinpi | Std::sqrt | Std::tan | Std::tanh | Std::tanpi => Float(1),
        Std::tgamma | Std::trunc | Std::degrees | Std::radians | Std::sign | Std::normalize | Std::fast_normalize => Float(1),
        Std::half_cos | Std::half_exp | Std::half_exp2 | Std::half_exp10 | Std::half_log | Std::half_log2 | Std::half_log10 => Float(1),
        Std::half_recip | Std::half_rsqrt | Std::half_sin | Std::half_sqrt | Std::half_tan => Float(1),
        Std::native_cos | Std::native_exp | Std::native_exp2 | Std::native_exp10 | Std::native_log | Std::native_log2 => Float(1),
        Std::native_log10 | Std::native_recip | Std::native_rsqrt | Std::native_sin | Std::native_sqrt | Std::native_tan => Float(1),
        Std::atan2 | Std::atan2pi | Std::copysign | Std::fdim | Std::fmax | Std::fmin | Std::fmod | Std::hypot | Std::maxmag => Float(2),
        Std::minmag | Std::nextafter | Std::pow | Std::powr | Std::remainder | Std::half_divide | Std::half_powr => Float(2),
        Std::native_divide | Std::native_powr | Std::fmax_common | Std::fmin_common | Std::step => Float(2),
        Std::fma | Std::mad | Std::fclamp | Std::mix | Std::smoothstep => Float(3),
        Std::cross => Cross,
        Std::fract | Std::modf | Std::sincos => FloatAndPointer(1),
        Std::frexp | Std::lgamma_r => FloatAndIntPointer(1),
        Std::remquo => FloatAndIntPointer(2),
        Std::ldexp | Std::pown | Std::rootn => FloatAndInt,
        Std::ilogb => Ilogb,
        Std::nan => Nan,
        Std::length | Std::fast_length => Length(1),
        Std::distance | Std::fast_distance => Length(2),
        Std::s_abs | Std::u_abs | Std::clz | Std::ctz | Std::popcount => Int(1),
        Std::s_abs_diff | Std::u_abs_diff | Std::s_add_sat | Std::u_add_sat | Std::s_hadd | Std::u_hadd | Std::s_rhadd => Int(2),
        Std::u_rhadd | Std::s_max | Std::u_max | Std::s_min | Std::u_min | Std::s_mul_hi | Std::u_mul_hi | Std::rotate => Int(2),
        Std::s_sub_sat | Std::u_sub_sat => Int(2),
        Std::s_clamp | Std::u_clamp | Std::s_mad_hi | Std::u_mad_hi | Std::s_mad_sat | Std::u_mad_sat => Int(3),
        Std::s_mul24 | Std::u_mul24 => Int24(2),
        Std::s_mad24 | Std::u_mad24 => Int24(3),
        Std::s_upsample | Std::u_upsample => Upsample,
        Std::bitselect => BitSelect,
        Std::select => Select,
        Std::vloadn
        | Std::vstoren
        | Std::vload_half
        | Std::vload_halfn
        | Std::vstore_half
        | Std::vstore_half_r
        | Std::vstore_halfn
        | Std::vstore_halfn_r
        | Std::vloada_halfn
        | Std::vstorea_halfn
        | Std::vstorea_halfn_r
        | Std::shuffle
        | Std::shuffle2
        | Std::printf
        | Std::prefetch => Special,
    }
}

/// How many operands a special instruction has; `None`: printf's, as many as there are.
fn special_operands(op: Std) -> Option<usize> {
    match op {
        Std::printf => None,
        Std::vload_half | Std::prefetch | Std::shuffle => Some(2),
        Std::vstore_half_r | Std::vstore_halfn_r | Std::vstorea_halfn_r => Some(4),
        _ => Some(3),
    }
}

impl<'a> Validator<'a> {
    pub(super) fn extended(&mut self, instruction: &Instruction<'a>) {
        match self.module.extended_set(instruction.word(0)) {
            Some(ExtendedSet::OpenClStd) => {}
            Some(ExtendedSet::DebugInfo | ExtendedSet::NonSemantic) => return,
            None => return self.operand_error(instruction, format!("%{} is no extended instruction set", instruction.word(0))),
        }
        let Some(op) = Std::from_u32(instruction.word(1)) else {
            let detail = format!("OpenCL.std has no instruction {}", instruction.word(1));
            return self.report.error(&rules::EXTENDED_INSTRUCTION, instruction.index, detail);
        };
        let operands = &instruction.operands[2..];
        let signature = signature(op);
        let expected = match signature {
            Signature::Float(n) | Signature::Length(n) | Signature::Int(n) | Signature::Int24(n) => Some(n),
            Signature::FloatAndPointer(n) | Signature::FloatAndIntPointer(n) => Some(n + 1),
            Signature::Cross | Signature::FloatAndInt | Signature::Upsample => Some(2),
            Signature::Ilogb | Signature::Nan => Some(1),
            Signature::BitSelect | Signature::Select => Some(3),
            Signature::Special => special_operands(op),
        };
        if expected.map_or(operands.is_empty(), |expected| operands.len() != expected) {
            let detail = match expected {
                Some(expected) => format!("{op:?} takes {expected} operands, not {}", operands.len()),
                None => format!("{op:?} takes at least one operand"),
            };
            return self.report.error(&rules::EXTENDED_INSTRUCTION, instruction.index, detail);
        }
        match signature {
            Signature::Special => self.special(instruction, op, operands),
            _ => self.regular(instruction, signature),
        }
    }

    fn regular(&mut self, instruction: &Instruction<'a>, signature: Signature) {
        let result = instruction.result_type;
        let shape = self.shape(result);
        let word = |position: usize| instruction.word(position + 2);
        match signature {
            Signature::Float(n) => {
                self.result(instruction, shape.is_float(), "floating-point numbers");
                self.same_type(instruction, 2..2 + n, result);
            }
            Signature::Cross => {
                self.result(
                    instruction,
                    shape.is_float() && matches!(shape.count, 3 | 4),
                    "three or four floating-point numbers",
                );
                self.same_type(instruction, 2..4, result);
            }
            Signature::FloatAndPointer(n) => {
                self.result(instruction, shape.is_float(), "floating-point numbers");
                self.same_type(instruction, 2..2 + n, result);
                if let Some((class, pointee)) = self.pointer(instruction, word(n)) {
                    self.writable(instruction, class);
                    self.operand(instruction, leads_to(pointee, result), || {
                        "the pointer must be to the result's type".into()
                    });
                }
            }
            Signature::FloatAndIntPointer(n) => {
                self.result(instruction, shape.is_float(), "floating-point numbers");
                self.same_type(instruction, 2..2 + n, result);
                if let Some((class, pointee)) = self.pointer(instruction, word(n)) {
                    self.writable(instruction, class);
                    let wanted = Shape {
                        kind: Kind::Int(32),
                        ..shape
                    };
                    let good = pointee == 0 || self.shape(pointee) == wanted;
                    self.operand(instruction, good, || "the pointer must be to as many 32-bit integers".into());
                }
            }
            Signature::FloatAndInt => {
                self.result(instruction, shape.is_float(), "floating-point numbers");
                self.same_type(instruction, 2..3, result);
                let good = self.value_shape(word(1))
                    == Shape {
                        kind: Kind::Int(32),
                        ..shape
                    };
                self.operand(instruction, good, || "the second operand must be as many 32-bit integers".into());
            }
            Signature::Ilogb => {
                let operand = self.value_shape(word(0));
                self.operand(instruction, operand.is_float(), || {
                    "the operand must be floating-point numbers".into()
                });
                self.result(
                    instruction,
                    shape
                        == Shape {
                            kind: Kind::Int(32),
                            ..operand
                        },
                    "as many 32-bit integers",
                );
            }
            Signature::Nan => {
                let width = match shape.kind {
                    Kind::Float(width) => width,
                    _ => return self.result_error(instruction, "it must be floating-point numbers"),
                };
                let good = self.value_shape(word(0))
                    == Shape {
                        kind: Kind::Int(width),
                        ..shape
                    };
                self.operand(instruction, good, || format!("the operand must be as many {width}-bit integers"));
            }
            Signature::Length(n) => {
                let type_id = self.module.type_of(word(0));
                let good = self.shape(type_id).is_float();
                self.operand(instruction, good, || "the operands must be floating-point numbers".into());
                self.same_type(instruction, 2..2 + n, type_id);
                self.result(
                    instruction,
                    self.module.components(type_id).1 == result,
                    "the operands' component type",
                );
            }
            Signature::Int(n) => {
                self.result(instruction, shape.is_int(), "integers");
                self.same_type(instruction, 2..2 + n, result);
            }
            Signature::Int24(n) => {
                self.result(instruction, shape.kind == Kind::Int(32), "32-bit integers");
                self.same_type(instruction, 2..2 + n, result);
            }
            Signature::Upsample => {
                let type_id = self.module.type_of(word(0));
                let half = self.shape(type_id);
                let good = matches!((half.kind, shape.kind), (Kind::Int(half), Kind::Int(whole)) if whole == 2 * half);
                self.result(instruction, good && half.count == shape.count, "as many integers, twice as wide");
                self.same_type(instruction, 3..4, type_id);
            }
            Signature::BitSelect => {
                self.result(instruction, shape.is_int() || shape.is_float(), "numbers");
                self.same_type(instruction, 2..5, result);
            }
            Signature::Select => {
                self.result(instruction, shape.is_int() || shape.is_float(), "numbers");
                self.same_type(instruction, 2..4, result);
                let condition = self.value_shape(word(2));
                let good = matches!((condition.kind, shape.kind), (Kind::Int(a), Kind::Int(b) | Kind::Float(b)) if a == b);
                self.operand(instruction, good && condition.count == shape.count, || {
                    "c must be as many integers of that width".into()
                });
            }
            Signature::Special => {}
        }
    }

    /// The operands of loads and stores of vectors: an offset in elements and a pointer to `element`.
    fn vector_access(&mut self, instruction: &Instruction<'a>, offset: Id, pointer: Id, element: Kind, stores: bool) {
        let wanted = Shape {
            kind: Kind::Int(self.module.address_bits),
            count: 1,
        };
        self.operand(instruction, self.value_shape(offset) == wanted, || {
            "offset must be an integer of the address width".into()
        });
        if let Some((class, pointee)) = self.pointer(instruction, pointer) {
            let good = pointee == 0 || self.shape(pointee) == Shape { kind: element, count: 1 };
            let good = good || self.deviates(Deviation::VectorAccessPointee, instruction);
            self.operand(instruction, good, || {
                "the pointer must be to the vector's component type (half, for half vectors)".into()
            });
            if stores {
                self.writable(instruction, class);
            }
        }
    }

    fn special(&mut self, instruction: &Instruction<'a>, op: Std, operands: &'a [u32]) {
        let result = self.shape(instruction.result_type);
        let count = |n: u32| matches!(n, 2 | 3 | 4 | 8 | 16);
        let number = |shape: Shape| shape.is_int() || shape.is_float();
        let wide_float = |shape: Shape| matches!(shape.kind, Kind::Float(32 | 64) | Kind::Float(16));
        match op {
            Std::vloadn => {
                let good = number(result) && count(result.count) && operands[2] == result.count;
                self.result(instruction, good, "a vector of n numbers");
                self.vector_access(instruction, operands[0], operands[1], result.kind, false);
            }
            Std::vstoren => {
                let data = self.value_shape(operands[0]);
                self.operand(instruction, number(data) && count(data.count), || {
                    "data must be a vector of numbers".into()
                });
                self.vector_access(instruction, operands[1], operands[2], data.kind, true);
                self.void(instruction);
            }
            Std::vload_half => {
                self.result(instruction, wide_float(result) && result.is_scalar(), "a floating-point number");
                self.vector_access(instruction, operands[0], operands[1], Kind::Float(16), false);
            }
            Std::vload_halfn | Std::vloada_halfn => {
                let good = wide_float(result) && operands[2] == result.count && (count(result.count) || result.is_scalar());
                self.result(instruction, good, "n floating-point numbers");
                self.vector_access(instruction, operands[0], operands[1], Kind::Float(16), false);
            }
            Std::vstore_half | Std::vstore_half_r | Std::vstore_halfn | Std::vstore_halfn_r | Std::vstorea_halfn | Std::vstorea_halfn_r => {
                let data = self.value_shape(operands[0]);
                let scalar = matches!(op, Std::vstore_half | Std::vstore_half_r);
                let good = wide_float(data) && (data.is_scalar() || !scalar && count(data.count));
                self.operand(instruction, good, || "data must be floating-point numbers".into());
                self.vector_access(instruction, operands[1], operands[2], Kind::Float(16), true);
                if let Some(&mode) = operands.get(3)
                    && FPRoundingMode::from_u32(mode).is_none()
                {
                    self.operand_error(instruction, format!("there is no rounding mode {mode}"));
                }
                self.void(instruction);
            }
            Std::shuffle | Std::shuffle2 => self.lookup(instruction, operands, result),
            Std::printf => self.printf(instruction, operands),
            Std::prefetch => {
                let pointer = self.pointer(instruction, operands[0]);
                if let Some((class, pointee)) = pointer {
                    self.operand(instruction, class == StorageClass::CrossWorkgroup, || {
                        "the pointer must be to CrossWorkgroup".into()
                    });
                    let shape = self.shape(pointee);
                    self.operand(instruction, number(shape), || "the pointer must be to numbers".into());
                }
                let elements = self.value_shape(operands[1]);
                self.operand(instruction, elements.is_int() && elements.is_scalar(), || {
                    "num elements must be an integer".into()
                });
                self.void(instruction);
            }
            _ => {}
        }
    }

    fn void(&mut self, instruction: &Instruction<'a>) {
        self.result(instruction, *self.module.ty(instruction.result_type) == Type::Void, "OpTypeVoid");
    }

    /// shuffle and shuffle2: vectors of 2, 4, 8 or 16 components, and a mask of integers as wide.
    fn lookup(&mut self, instruction: &Instruction<'a>, operands: &[u32], result: Shape) {
        let count = |n: u32| matches!(n, 2 | 4 | 8 | 16);
        let type_id = self.module.type_of(operands[0]);
        let from = self.shape(type_id);
        let number = from.is_int() || from.is_float();
        self.operand(instruction, number && count(from.count), || {
            "x must be a vector of 2, 4, 8 or 16 numbers".into()
        });
        if operands.len() == 3 {
            self.same_type(instruction, 3..4, type_id);
        }
        let mask = self.value_shape(operands[operands.len() - 1]);
        let width = |kind: Kind| match kind {
            Kind::Int(width) | Kind::Float(width) => width,
            _ => 0,
        };
        let good = mask.is_int() && mask.count == result.count && width(mask.kind) == width(from.kind);
        self.operand(instruction, good, || {
            "the mask must be integers of that width, as many as the result's components".into()
        });
        self.result(
            instruction,
            result.kind == from.kind && count(result.count),
            "a vector of x's component type",
        );
    }
}
