//! Calls of what the compiler itself defines: `__builtin_…`; see [`super::gnu_atomics`] for `__atomic_…`.

use super::gnu_atomics::is_atomic;
use super::{Operand, Purpose};
use crate::hir::{Callee, Const, ExprKind, Intrinsic};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{AddressSpace, QualType, Quals, Scalar, TypeId};

/// What a `__builtin_` function is.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The value is its first argument's.
    Expect,
    ConstantP,
    Infinity(Scalar),
    Nan(Scalar),
    /// An intrinsic on numbers of one type, and what it gives.
    Numbers(Intrinsic, Scalar, usize, Gives),
    /// An intrinsic on a float of whatever type, which says something of it.
    Tests(Intrinsic),
    Assume,
    Stop(Intrinsic),
    Memory(Intrinsic),
    /// `__builtin_assume_aligned`
    Aligned,
    /// `__builtin_ffs`, `__builtin_parity` and the like.
    FindFirst(Scalar),
    Parity(Scalar),
    Prefetch,
    /// Memory of the function's own.
    Alloca,
}

/// What an intrinsic on numbers gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Same,
    Int,
}

/// What a name means after `__builtin_`.
fn meaning(name: &str) -> Option<Meaning> {
    use Intrinsic::*;
    use Meaning::*;
    let numbers = |intrinsic, scalar, count, gives| Some(Numbers(intrinsic, scalar, count, gives));
    let fixed = match name {
        "expect" | "expect_with_probability" => Expect,
        "constant_p" => ConstantP,
        "inff" | "huge_valf" => Infinity(Scalar::Float),
        "inf" | "huge_val" => Infinity(Scalar::Double),
        "nanf" => Nan(Scalar::Float),
        "nan" => Nan(Scalar::Double),
        "assume" => Meaning::Assume,
        "unreachable" => Stop(Unreachable),
        "trap" => Stop(Trap),
        "memcpy" => Memory(MemoryCopy),
        "memmove" => Memory(MemoryMove),
        "memset" => Memory(MemorySet),
        "assume_aligned" => Aligned,
        "prefetch" => Prefetch,
        "alloca" => Meaning::Alloca,
        "isnan" => Tests(IsNan),
        "isinf" | "isinf_sign" => Tests(IsInf),
        "isfinite" => Tests(IsFinite),
        "isnormal" => Tests(IsNormal),
        "signbit" | "signbitf" => Tests(SignBit),
        "bswap16" => return numbers(ByteSwap, Scalar::UShort, 1, Gives::Same),
        "bswap32" => return numbers(ByteSwap, Scalar::UInt, 1, Gives::Same),
        "bswap64" => return numbers(ByteSwap, Scalar::ULong, 1, Gives::Same),
        "bitreverse8" => return numbers(BitReverse, Scalar::UChar, 1, Gives::Same),
        "bitreverse16" => return numbers(BitReverse, Scalar::UShort, 1, Gives::Same),
        "bitreverse32" => return numbers(BitReverse, Scalar::UInt, 1, Gives::Same),
        "bitreverse64" => return numbers(BitReverse, Scalar::ULong, 1, Gives::Same),
        "rotateleft8" => return numbers(RotateLeft, Scalar::UChar, 2, Gives::Same),
        "rotateleft16" => return numbers(RotateLeft, Scalar::UShort, 2, Gives::Same),
        "rotateleft32" => return numbers(RotateLeft, Scalar::UInt, 2, Gives::Same),
        "rotateleft64" => return numbers(RotateLeft, Scalar::ULong, 2, Gives::Same),
        "rotateright8" => return numbers(RotateRight, Scalar::UChar, 2, Gives::Same),
        "rotateright16" => return numbers(RotateRight, Scalar::UShort, 2, Gives::Same),
        "rotateright32" => return numbers(RotateRight, Scalar::UInt, 2, Gives::Same),
        "rotateright64" => return numbers(RotateRight, Scalar::ULong, 2, Gives::Same),
        "abs" => return numbers(IntAbs, Scalar::Int, 1, Gives::Same),
        "labs" | "llabs" => return numbers(IntAbs, Scalar::Long, 1, Gives::Same),
        _ => return by_suffix(name),
    };
    Some(fixed)
}

/// Names that end in the type that they are for: `l` and `ll` of integers, `f` of floats.
fn by_suffix(name: &str) -> Option<Meaning> {
    use Intrinsic::*;
    let bits = |base: &str| match name.strip_prefix(base)? {
        "" => Some(Scalar::UInt),
        "l" | "ll" => Some(Scalar::ULong),
        "s" => Some(Scalar::UShort),
        _ => None,
    };
    for (base, intrinsic) in [("popcount", PopCount), ("clz", LeadingZeros), ("ctz", TrailingZeros)] {
        if let Some(scalar) = bits(base) {
            return Some(Meaning::Numbers(intrinsic, scalar, 1, Gives::Int));
        }
    }
    if let Some(scalar) = bits("ffs") {
        return Some(Meaning::FindFirst(scalar));
    }
    if let Some(scalar) = bits("parity") {
        return Some(Meaning::Parity(scalar));
    }
    let floats = [
        ("fabs", FloatAbs, 1),
        ("copysign", CopySign, 2),
        ("sqrt", Sqrt, 1),
        ("floor", Floor, 1),
        ("ceil", Ceil, 1),
        ("trunc", Trunc, 1),
        ("rint", Rint, 1),
        ("nearbyint", Rint, 1),
        ("round", Round, 1),
        ("fma", Fma, 3),
        ("fmin", FloatMin, 2),
        ("fmax", FloatMax, 2),
        ("exp2", Exp2, 1),
        ("log2", Log2, 1),
        ("exp", Exp, 1),
        ("log", Log, 1),
        ("log10", Log10, 1),
        ("sin", Sin, 1),
        ("cos", Cos, 1),
        ("pow", Pow, 2),
        ("fmod", FloatMod, 2),
    ];
    for (base, intrinsic, count) in floats {
        let scalar = match name.strip_prefix(base) {
            Some("") => Scalar::Double,
            Some("f") => Scalar::Float,
            _ => continue,
        };
        return Some(Meaning::Numbers(intrinsic, scalar, count, Gives::Same));
    }
    None
}

/// Does the compiler define a function of this name?
pub(crate) fn is_intrinsic(name: &str) -> bool {
    name.strip_prefix("__builtin_").is_some_and(|name| meaning(name).is_some()) || is_atomic(name)
}

impl Parser<'_> {
    /// Is there a built-in function of this name?
    pub(crate) fn is_builtin(&mut self, name: Symbol) -> bool {
        let text = self.text(name);
        !self.builtins.lookup(text, &mut self.program.types).is_empty()
    }

    pub(crate) fn call_intrinsic(&mut self, name: Symbol, arguments: &[Operand], loc: Loc) -> Operand {
        let text = self.text(name);
        if is_atomic(text) {
            return self.call_atomic(name, arguments, loc);
        }
        let Some(meaning) = text.strip_prefix("__builtin_").and_then(meaning) else {
            return self.wrong(loc);
        };
        let arguments: Vec<Operand> = arguments.iter().map(|&argument| self.rvalue(argument)).collect();
        if arguments.iter().any(Operand::is_error) {
            return self.wrong(loc);
        }
        let (least, most) = match meaning {
            Meaning::Expect => (2, 3),
            Meaning::ConstantP | Meaning::Nan(_) | Meaning::Tests(_) | Meaning::Assume | Meaning::FindFirst(_) | Meaning::Parity(_) => {
                (1, 1)
            }
            Meaning::Alloca => (1, 1),
            Meaning::Infinity(_) | Meaning::Stop(_) => (0, 0),
            Meaning::Numbers(_, _, count, _) => (count, count),
            Meaning::Memory(_) => (3, 3),
            Meaning::Aligned => (2, 3),
            Meaning::Prefetch => (1, 3),
        };
        if !self.has_between(arguments.len(), least, most, loc) {
            return self.wrong(loc);
        }
        match meaning {
            Meaning::Expect => self.convert_for(arguments[0], TypeId::LONG, Purpose::Passing),
            Meaning::ConstantP => {
                let known = self.as_const(arguments[0]).is_some();
                self.int(u64::from(known), TypeId::INT, loc)
            }
            Meaning::Infinity(scalar) => {
                let scalar = self.float_type(scalar);
                self.constant(Const::Float(f64::INFINITY), TypeId::scalar(scalar), loc)
            }
            Meaning::Nan(scalar) => {
                let scalar = self.float_type(scalar);
                self.constant(Const::Float(f64::NAN), TypeId::scalar(scalar), loc)
            }
            Meaning::Numbers(intrinsic, scalar, _, gives) => {
                let ty = TypeId::scalar(scalar);
                let value = self.intrinsic(intrinsic, &arguments, &vec![ty; arguments.len()], ty, loc);
                match gives {
                    Gives::Same => value,
                    Gives::Int => self.convert_for(value, TypeId::INT, Purpose::Passing),
                }
            }
            Meaning::Tests(intrinsic) => {
                let ty = arguments[0].ty.id;
                if !self.scalar_of(ty).is_some_and(Scalar::is_float) {
                    let message = format!(
                        "floating point classification requires argument of floating point type (passed in '{}')",
                        self.name_of_id(ty)
                    );
                    self.error(loc, &message);
                    return self.wrong(loc);
                }
                let result = self.intrinsic(intrinsic, &arguments, &[ty], TypeId::BOOL, loc);
                self.bool_to_int(result)
            }
            Meaning::Assume => {
                let condition = self.condition(arguments[0]);
                self.intrinsic(Intrinsic::Assume, &[condition], &[TypeId::BOOL], TypeId::VOID, loc)
            }
            Meaning::Stop(intrinsic) => self.intrinsic(intrinsic, &[], &[], TypeId::VOID, loc),
            Meaning::Memory(intrinsic) => self.memory(intrinsic, &arguments, loc),
            Meaning::Aligned => arguments[0],
            Meaning::Prefetch => {
                let id = self.id(arguments[0]);
                let ty = self.body.expr(id).ty;
                let value = self.operand_of(id, ty, loc);
                self.cast_value(crate::hir::CastKind::Void, value, TypeId::VOID)
            }
            Meaning::Alloca => {
                let pointer = self.types().pointer(QualType {
                    id: TypeId::VOID,
                    quals: Quals::default(),
                    space: AddressSpace::Private,
                });
                self.intrinsic(Intrinsic::Alloca, &arguments, &[TypeId::ULONG], pointer, loc)
            }
            Meaning::FindFirst(scalar) => {
                // The number of the lowest bit that is set, from 1; 0 if none is.
                let ty = TypeId::scalar(scalar);
                let value = self.convert_for(arguments[0], ty, Purpose::Passing);
                let (value, again) = self.saved(value);
                let zeros = self.intrinsic(Intrinsic::TrailingZeros, &[again], &[ty], ty, loc);
                let zeros = self.convert_for(zeros, TypeId::INT, Purpose::Passing);
                let one = self.int(1, TypeId::INT, loc);
                let number = self.arithmetic(crate::hir::ArithmeticOp::Add, zeros, one, loc);
                let none = self.int(0, TypeId::INT, loc);
                self.conditional(value, number, none, loc)
            }
            Meaning::Parity(scalar) => {
                let ty = TypeId::scalar(scalar);
                let count = self.intrinsic(Intrinsic::PopCount, &arguments, &[ty], ty, loc);
                let count = self.convert_for(count, TypeId::INT, Purpose::Passing);
                let one = self.int(1, TypeId::INT, loc);
                self.arithmetic(crate::hir::ArithmeticOp::And, count, one, loc)
            }
        }
    }

    /// Reports a number of arguments that is none of these.
    pub(super) fn has_between(&mut self, count: usize, least: usize, most: usize, loc: Loc) -> bool {
        if count < least || count > most {
            let few = if count < least { "few" } else { "many" };
            self.error(
                loc,
                &format!("too {few} arguments to function call, expected {least}, have {count}"),
            );
            return false;
        }
        true
    }

    /// Where there are no doubles, what would be one is a float.
    fn float_type(&self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Double if !self.lang.fp64 => Scalar::Float,
            scalar => scalar,
        }
    }

    /// A call of an intrinsic with its arguments as given types.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        params: &[TypeId],
        result: TypeId,
        loc: Loc,
    ) -> Operand {
        let mut list = Vec::new();
        for (&argument, &param) in arguments.iter().zip(params) {
            let argument = self.convert_for(argument, param, Purpose::Passing);
            if argument.is_error() {
                return argument;
            }
            let id = self.id(argument);
            list.push(id);
        }
        let list = self.body.add_list(&list);
        self.value(ExprKind::Call(Callee::Intrinsic(intrinsic), list), result, loc)
    }

    /// `__builtin_memcpy`, `_memmove` and `_memset`.
    fn memory(&mut self, intrinsic: Intrinsic, arguments: &[Operand], loc: Loc) -> Operand {
        let mut list = Vec::new();
        let pointers = if intrinsic == Intrinsic::MemorySet { 1 } else { 2 };
        for &pointer in &arguments[..pointers] {
            let Some(pointee) = self.types().pointee(pointer.ty.id) else {
                let message = format!("passing '{}' to parameter of incompatible type 'void *'", self.name_of(pointer.ty));
                self.error(loc, &message);
                return self.wrong(loc);
            };
            let space: AddressSpace = pointee.space;
            let bytes = self.types().pointer(QualType {
                id: TypeId::CHAR,
                quals: pointee.quals & (Quals::CONST | Quals::VOLATILE),
                space,
            });
            let pointer = self.cast_pointer(pointer, bytes);
            let id = self.id(pointer);
            list.push(id);
        }
        if intrinsic == Intrinsic::MemorySet {
            let byte = self.convert_for(arguments[1], TypeId::INT, Purpose::Passing);
            let id = self.id(byte);
            list.push(id);
        }
        let size = self.convert_for(arguments[2], TypeId::ULONG, Purpose::Passing);
        let size = self.id(size);
        list.push(size);
        let list = self.body.add_list(&list);
        self.value(ExprKind::Call(Callee::Intrinsic(intrinsic), list), TypeId::VOID, loc)
    }
}
