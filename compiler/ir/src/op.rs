//! The operations of the IR, as plain enumerations with their names in the text form.
//!
//! All arithmetic is total: no operation traps, whatever its operands. Where the source languages leave a result open (division by
//! zero, a conversion out of range) it is *some* value of the type.

use super::named::named;
use super::types::{Elem, Type};

named! {
    /// One operand, result of the same type. `Not` takes masks too. `Clz` and `Ctz` of 0 are the width. `Nearest` rounds halves to even.
    #[allow(missing_docs)]
    pub enum UnaryOp {
        Neg = "neg",
        Not = "not",
        Abs = "abs",
        Clz = "clz",
        Ctz = "ctz",
        Popcnt = "popcnt",
        BitReverse = "bitrev",
        ByteSwap = "bswap",
        FNeg = "fneg",
        FAbs = "fabs",
        Sqrt = "sqrt",
        Ceil = "ceil",
        Floor = "floor",
        FTrunc = "ftrunc",
        Nearest = "nearest",
    }
}

named! {
    /// Two operands of one type, result of the same. Shifts and rotates take the amount modulo the width. `And`, `Or` and `Xor` take masks too.
    /// `SRem` has the sign of the dividend. `FMinNum`/`FMaxNum` are IEEE 754-2008 minNum/maxNum (a NaN loses);
    /// `FMin(a, b)` is `a < b ? a : b` and `FMax(a, b)` is `a > b ? a : b`, as x86 does it. `FRem` is C's fmod.
    ///
    /// `Scale(x, n)` is x times 2 to the whole number below n, rounded once; where n is a NaN, it is some value. Where n is infinite, it is
    /// 0 or infinite, with the sign of x if that is a number; but some value if x is 0 or infinite, or the machine has no instruction for it. A magnitude is 2^e times a
    /// number f that is less than `limit` and at least half of it: `Fraction(x, limit)` is f, and `Exponent(x, limit)` is e, for limits from 1 to 2.
    /// Of 0 and of infinity the exponents are infinite, and the fractions as that of 1. Fractions of negative numbers are NaNs, and exponents of NaNs. With
    /// `ninf` they are asked of positive finite numbers only, and with `afn` subnormal numbers may count as 0, or as what their bits look like.
    #[allow(missing_docs)]
    pub enum BinaryOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        UDiv = "udiv",
        SDiv = "sdiv",
        URem = "urem",
        SRem = "srem",
        And = "and",
        Or = "or",
        Xor = "xor",
        Shl = "shl",
        LShr = "lshr",
        AShr = "ashr",
        RotL = "rotl",
        RotR = "rotr",
        UMulHi = "umulhi",
        SMulHi = "smulhi",
        UMin = "umin",
        UMax = "umax",
        SMin = "smin",
        SMax = "smax",
        UAddSat = "uaddsat",
        SAddSat = "saddsat",
        USubSat = "usubsat",
        SSubSat = "ssubsat",
        FAdd = "fadd",
        FSub = "fsub",
        FMul = "fmul",
        FDiv = "fdiv",
        FRem = "frem",
        FMinNum = "fminnum",
        FMaxNum = "fmaxnum",
        FMin = "fmin",
        FMax = "fmax",
        CopySign = "copysign",
        Scale = "scale",
        Fraction = "fraction",
        Exponent = "exponent",
    }
}

impl BinaryOp {
    /// `op(a, b) == op(b, a)`.
    pub const fn is_commutative(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            Add | Mul | And | Or | Xor | UMulHi | SMulHi | UMin | UMax | SMin | SMax | UAddSat | SAddSat | FAdd | FMul | FMinNum | FMaxNum
        )
    }

    /// `UDiv`, `SDiv`, `URem`, `SRem`.
    pub const fn is_int_division(self) -> bool {
        matches!(self, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
    }

    /// Works on floats.
    pub const fn is_float(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            FAdd | FSub | FMul | FDiv | FRem | FMinNum | FMaxNum | FMin | FMax | CopySign | Scale | Fraction | Exponent
        )
    }
}

impl UnaryOp {
    /// Works on floats.
    pub const fn is_float(self) -> bool {
        use UnaryOp::*;
        matches!(self, FNeg | FAbs | Sqrt | Ceil | Floor | FTrunc | Nearest)
    }
}

named! {
    /// Integer comparisons.
    #[allow(missing_docs)]
    pub enum IntCc {
        Eq = "eq",
        Ne = "ne",
        Slt = "slt",
        Sle = "sle",
        Sgt = "sgt",
        Sge = "sge",
        Ult = "ult",
        Ule = "ule",
        Ugt = "ugt",
        Uge = "uge",
    }
}

named! {
    /// Float comparisons: `O…` is false and `U…` is true where an operand is NaN.
    #[allow(missing_docs)]
    pub enum FloatCc {
        Oeq = "oeq",
        One = "one",
        Olt = "olt",
        Ole = "ole",
        Ogt = "ogt",
        Oge = "oge",
        Ord = "ord",
        Uno = "uno",
        Ueq = "ueq",
        Une = "une",
        Ult = "ult",
        Ule = "ule",
        Ugt = "ugt",
        Uge = "uge",
    }
}

named! {
    /// Conversions between element types, lane by lane.
    ///
    /// `Trunc`, `ZExt`, `SExt` are between integers of different widths; `FPromote` and `FDemote` between floats (f16 and bf16 convert
    /// through f32 only); `FToS`, `FToU`, `SToF`, `UToF` between floats and integers of any width; `Bitcast` between types of one width.
    /// `MaskToInt` gives 0 or all ones; `IntToMask` is true where the integer is not 0.
    #[allow(missing_docs)]
    pub enum ConvertOp {
        Trunc = "trunc",
        ZExt = "zext",
        SExt = "sext",
        FPromote = "fpromote",
        FDemote = "fdemote",
        FToS = "ftos",
        FToU = "ftou",
        SToF = "stof",
        UToF = "utof",
        Bitcast = "bitcast",
        MaskToInt = "masktoint",
        IntToMask = "inttomask",
    }
}

named! {
    /// Rounding of conversions. `FToS` and `FToU` round to an integer this way first (`Zero` is C's conversion).
    pub enum Rounding {
        /// To the nearest, ties to even.
        Nearest = "rte",
        /// Toward zero.
        Zero = "rtz",
        /// Toward positive infinity.
        Up = "rtp",
        /// Toward negative infinity.
        Down = "rtn",
    }
}

named! {
    /// How lanes or work-items are combined. `And`, `Or`, `Xor` take masks too; `FMin` and `FMax` are minNum and maxNum.
    #[allow(missing_docs)]
    pub enum ReduceOp {
        Add = "add",
        Mul = "mul",
        UMin = "umin",
        UMax = "umax",
        SMin = "smin",
        SMax = "smax",
        And = "and",
        Or = "or",
        Xor = "xor",
        FAdd = "fadd",
        FMul = "fmul",
        FMin = "fmin",
        FMax = "fmax",
    }
}

impl ReduceOp {
    /// The binary operation that it repeats.
    pub const fn binary(self) -> BinaryOp {
        match self {
            ReduceOp::Add => BinaryOp::Add,
            ReduceOp::Mul => BinaryOp::Mul,
            ReduceOp::UMin => BinaryOp::UMin,
            ReduceOp::UMax => BinaryOp::UMax,
            ReduceOp::SMin => BinaryOp::SMin,
            ReduceOp::SMax => BinaryOp::SMax,
            ReduceOp::And => BinaryOp::And,
            ReduceOp::Or => BinaryOp::Or,
            ReduceOp::Xor => BinaryOp::Xor,
            ReduceOp::FAdd => BinaryOp::FAdd,
            ReduceOp::FMul => BinaryOp::FMul,
            ReduceOp::FMin => BinaryOp::FMinNum,
            ReduceOp::FMax => BinaryOp::FMaxNum,
        }
    }

    /// The bits of the value that changes nothing.
    pub const fn identity(self, elem: Elem) -> u64 {
        let ones = elem.bit_mask();
        let sign = ones ^ (ones >> 1);
        match self {
            ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor | ReduceOp::UMax => 0,
            ReduceOp::Mul => 1,
            ReduceOp::UMin | ReduceOp::And => ones,
            ReduceOp::SMin => ones >> 1,
            ReduceOp::SMax => sign,
            ReduceOp::FAdd => sign, // -0.0
            ReduceOp::FMul => one_bits(elem),
            ReduceOp::FMin => infinity_bits(elem),
            ReduceOp::FMax => infinity_bits(elem) | sign,
        }
    }
}

/// The bits of 1.0.
pub const fn one_bits(elem: Elem) -> u64 {
    match elem {
        Elem::F16 => 0x3c00,
        Elem::BF16 => 0x3f80,
        Elem::F32 => 0x3f80_0000,
        Elem::F64 => 0x3ff0_0000_0000_0000,
        _ => 1,
    }
}

/// The bits of positive infinity.
pub const fn infinity_bits(elem: Elem) -> u64 {
    match elem {
        Elem::F16 => 0x7c00,
        Elem::BF16 => 0x7f80,
        Elem::F32 => 0x7f80_0000,
        Elem::F64 => 0x7ff0_0000_0000_0000,
        _ => 0,
    }
}

/// The bits of what is no number, and does not signal.
pub const fn quiet_nan_bits(elem: Elem) -> u64 {
    let infinity = infinity_bits(elem);
    infinity | infinity >> 1
}

named! {
    /// What an atomic read-modify-write does.
    #[allow(missing_docs)]
    pub enum AtomicOp {
        Exchange = "xchg",
        Add = "add",
        Sub = "sub",
        And = "and",
        Or = "or",
        Xor = "xor",
        SMin = "smin",
        SMax = "smax",
        UMin = "umin",
        UMax = "umax",
        FAdd = "fadd",
        FMin = "fmin",
        FMax = "fmax",
    }
}

impl AtomicOp {
    /// The binary operation on what is in memory and the operand that gives what is written; none for `Exchange`, which writes the operand.
    pub const fn binary(self) -> Option<BinaryOp> {
        Some(match self {
            AtomicOp::Exchange => return None,
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::SMin => BinaryOp::SMin,
            AtomicOp::SMax => BinaryOp::SMax,
            AtomicOp::UMin => BinaryOp::UMin,
            AtomicOp::UMax => BinaryOp::UMax,
            AtomicOp::FAdd => BinaryOp::FAdd,
            AtomicOp::FMin => BinaryOp::FMinNum,
            AtomicOp::FMax => BinaryOp::FMaxNum,
        })
    }
}

impl AtomicOp {
    /// How operands of several are put together so that one operation does as much, if that gives the same to the last bit.
    pub const fn reduction(self) -> Option<ReduceOp> {
        Some(match self {
            AtomicOp::Add | AtomicOp::Sub => ReduceOp::Add,
            AtomicOp::And => ReduceOp::And,
            AtomicOp::Or => ReduceOp::Or,
            AtomicOp::Xor => ReduceOp::Xor,
            AtomicOp::SMin => ReduceOp::SMin,
            AtomicOp::SMax => ReduceOp::SMax,
            AtomicOp::UMin => ReduceOp::UMin,
            AtomicOp::UMax => ReduceOp::UMax,
            AtomicOp::Exchange | AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => return None,
        })
    }
}

named! {
    /// What a work-item can ask about itself and its launch (OpenCL SPIR-V environment §2.9), and the roots of its memory.
    #[allow(missing_docs)]
    pub enum Builtin {
        WorkDim = "work_dim",
        GlobalSize = "global_size",
        GlobalId = "global_id",
        LocalSize = "local_size",
        EnqueuedLocalSize = "enqueued_local_size",
        LocalId = "local_id",
        NumGroups = "num_groups",
        GroupId = "group_id",
        GlobalOffset = "global_offset",
        GlobalLinearId = "global_linear_id",
        LocalLinearId = "local_linear_id",
        SubGroupSize = "sub_group_size",
        SubGroupMaxSize = "sub_group_max_size",
        NumSubGroups = "num_sub_groups",
        NumEnqueuedSubGroups = "num_enqueued_sub_groups",
        SubGroupId = "sub_group_id",
        SubGroupLocalId = "sub_group_local_id",
        /// Address of the argument block.
        Arguments = "arguments",
        /// Address of the work-group's local memory.
        LocalMemory = "local_memory",
        /// Address of the `LaunchRecord`.
        Launch = "launch",
        /// Address of the `WorkerRecord`.
        Worker = "worker",
        /// Address of what stands for the first bytes of buffers (`vectorize::atomic_privatization`).
        Tallies = "tallies",
    }
}

impl Builtin {
    /// `i32` for counts within a group's gangs and the dimension count, `i64` for sizes, ids and addresses.
    pub const fn ty(self) -> Type {
        match self {
            Builtin::WorkDim
            | Builtin::SubGroupSize
            | Builtin::SubGroupMaxSize
            | Builtin::NumSubGroups
            | Builtin::NumEnqueuedSubGroups
            | Builtin::SubGroupId
            | Builtin::SubGroupLocalId => Type::I32,
            _ => Type::I64,
        }
    }

    /// Tells how the work-group is cut into sub-groups, or where in one the work-item is.
    pub const fn is_of_sub_groups(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            SubGroupSize | SubGroupMaxSize | NumSubGroups | NumEnqueuedSubGroups | SubGroupId | SubGroupLocalId
        )
    }

    /// Tells how the launch is cut into work-groups, or where in one the work-item is.
    pub const fn is_of_groups(self) -> bool {
        use Builtin::*;
        matches!(self, LocalSize | EnqueuedLocalSize | LocalId | NumGroups | GroupId | LocalLinearId)
    }

    /// Takes a dimension 0 to 2.
    pub const fn has_dimension(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            GlobalSize | GlobalId | LocalSize | EnqueuedLocalSize | LocalId | NumGroups | GroupId | GlobalOffset
        )
    }
}

/// Operations across the active lanes of a gang, at the work-item level. Convergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubGroupOp {
    /// mask → mask: true in all active lanes.
    All,
    /// mask → mask: true in some active lane.
    Any,
    /// any type → mask: the same bits (for floats: the same value) in all active lanes.
    AllEqual,
    /// mask → i32: bit `i` is lane `i`'s mask, 0 for lanes that are not active.
    Ballot,
    /// → mask: true in the lowest active lane only.
    Elect,
    /// (value, lane: i32) → value of that lane; the lane is the same for all.
    Broadcast,
    /// value → value of the lowest active lane.
    BroadcastFirst,
    /// (value, lane: i32) → value of that lane; undefined where that lane is not active or does not exist.
    Shuffle,
    /// Combination of all active lanes.
    Reduce(ReduceOp),
    /// Combination of the active lanes up to and including one's own.
    InclusiveScan(ReduceOp),
    /// Combination of the active lanes before one's own; the identity in the first.
    ExclusiveScan(ReduceOp),
    /// Combination within clusters of so many consecutive lanes (a power of two).
    ClusteredReduce(ReduceOp, u8),
}

/// Operations across all work-items of a work-group, at the work-item level. Convergent. A pass turns them into sub-group operations,
/// local memory and barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkGroupOp {
    /// mask → mask.
    All,
    /// mask → mask.
    Any,
    /// (value, local id x, y, z: i64) → value of that work-item.
    Broadcast,
    /// (value, local linear id: i64) → value of that work-item (which may differ from one to the next).
    Shuffle,
    /// Combination of all.
    Reduce(ReduceOp),
    /// In the order of local linear ids.
    InclusiveScan(ReduceOp),
    /// In the order of local linear ids, identity first.
    ExclusiveScan(ReduceOp),
}

/// Operations on lanes, at the work-group level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneOp {
    /// scalar → the same in each lane.
    Splat,
    /// (): lane `i` holds integer `i`.
    Iota,
    /// vector → scalar: lane `n`.
    Extract(u16),
    /// (vector, i32) → scalar: that lane, index modulo lanes.
    ExtractDynamic,
    /// (vector, scalar) → vector with lane `n` replaced.
    Insert(u16),
    /// (vector, i32 or i64 vector) → lane `i` is lane `index[i]` of the vector, index modulo its lanes, of which there are as many as indices or not.
    Permute,
    /// mask vector → i32 scalar: bit `i` is lane `i`.
    MaskBits,
    /// i32 scalar → mask vector: lane `i` is bit `i`.
    BitsMask,
    /// mask vector → mask scalar: some lane is true.
    AnyTrue,
    /// mask vector → mask scalar: all lanes are true.
    AllTrue,
    /// (vector, mask vector) → scalar: combination of the lanes where the mask is true; the identity where none is.
    Reduce(ReduceOp),
    /// (vector, mask vector) → vector: combination up to and including one's own, masked lanes only.
    InclusiveScan(ReduceOp),
    /// (vector, mask vector) → vector: combination before one's own.
    ExclusiveScan(ReduceOp),
    /// (vector, mask vector): the lanes where the mask is true move to the front; the rest is undefined.
    Compress,
    /// (vector, mask vector): the first lanes go where the mask is true; the rest is undefined.
    Expand,
}
