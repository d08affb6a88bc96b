//! What a row of the table says.

use crate::types::Scalar;
use rspirv::spirv::{BuiltIn, GroupOperation, Op, OpenclStd100Op as StdOp};

/// A built-in function, or a family of overloads that differ in types alone.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// A `#` stands for 2, 3, 4, 8 and 16, in the signature too.
    pub name: &'static str,
    /// Result and parameters: see [`super::signature`].
    pub signature: &'static str,
    /// What `gentype` is made of.
    pub bases: &'static [Scalar],
    /// How many lanes `gentype` has.
    pub lanes: &'static [u8],
    /// Where there is such a function: alternatives between `|`, each a list of extensions, features and versions (`2.0` is at least this) between `&`.
    /// Empty is everywhere.
    pub when: &'static str,
    /// What a call becomes.
    pub emit: Emit,
}

/// What a call becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// An instruction of OpenCL.std with the arguments as its operands.
    Std(StdOp),
    /// An instruction of OpenCL.std for signed integers, and one for others, as the first argument says.
    Signed(StdOp, StdOp),
    /// An instruction of OpenCL.std for signed integers, one for others, and one for floats.
    Number(StdOp, StdOp, StdOp),
    /// A core instruction with the arguments as its operands.
    Op(Op),
    /// A core instruction for signed integers, and one for others.
    OpSigned(Op, Op),
    /// `read`s a variable that SPIR-V fills in; of one with three components, the component that the argument says, and the number where it is 3 or more.
    Variable(BuiltIn),
    Component(BuiltIn, u64),
    /// A relational instruction, whose result becomes 1, or -1 in vectors.
    Relational(Op),
    /// `isnotequal` and `islessgreater`, and others that a relational instruction and its operands in another order or negated are.
    AnyAll(Op),
    /// The scalar, or OpDot.
    Dot,
    Upsample,
    /// `vloadn`, `vload_halfn` and `vloada_halfn`: the number of lanes is the last operand, unless it is 1.
    VectorLoad(StdOp),
    /// `vstoren`.
    VectorStore,
    /// `vstore_half` and its kin: the instructions without and with a rounding mode, and the mode in the name.
    HalfStore(StdOp, StdOp, Option<Rounding>),
    /// `convert_T`: the result's type says to what.
    Convert {
        rounding: Option<Rounding>,
        saturate: bool,
    },
    /// `barrier` and `work_group_barrier`, `sub_group_barrier`.
    Barrier(Group),
    /// `mem_fence` and its kin, which have the order in their names.
    Fence(u32),
    /// `atomic_work_item_fence`
    FenceExplicit,
    /// `intel_work_group_barrier_arrive` and `_wait`.
    SplitBarrier(Op),
    /// An atomic function of OpenCL C 1.x: pointer, then the operand, if there is one.
    Atomic(Op),
    AtomicSigned(Op, Op),
    /// `atomic_cmpxchg`
    AtomicExchangeIf,
    /// A C11 function: pointer, operands, and, if it is an `_explicit` one, an order and a scope at the end. The instruction for signed integers, for others,
    /// and for floats.
    C11(C11),
    /// `async_work_group_copy` (1 is the stride) and `async_work_group_strided_copy`.
    AsyncCopy,
    WaitEvents,
    /// `async_work_group_copy_2D2D` and `_3D3D`.
    AsyncCopyRect(u8),
    CopyFence,
    /// A collective function: OpGroupAll and others, with a scope.
    Group(Group, Op),
    /// Reductions and scans: for signed integers, for others, for floats.
    GroupArithmetic(Group, GroupOperation, [Op; 3]),
    /// `work_group_broadcast`, whose two or three ids are one operand.
    GroupBroadcast(Group),
    /// An OpGroupNonUniform instruction with the arguments as operands.
    NonUniform(Op),
    /// OpGroupNonUniformBallotBitCount with an operation.
    BallotCount(GroupOperation),
    /// Reductions and scans among those that are active.
    NonUniformArithmetic(GroupOperation, [Op; 3]),
    /// Reductions with `int` as a boolean.
    NonUniformLogical(GroupOperation, Op),
    /// An instruction of SPV_INTEL_subgroups with the arguments as operands.
    Intel(Op),
    /// A sub-group's product of matrices: K Dim, and the Matrix Multiply Accumulate Operands.
    MatrixMad(u32, u32),
    /// The same of two sub-groups, each of which has half of the first matrix's rows.
    SplitMatrixMad(u32, u32),
    /// Block reads and writes: of a buffer, of an image.
    Block {
        buffer: Op,
        image: Op,
    },
    /// `bitfield_extract_*`, `bit_reverse` and others of SPV_KHR_bit_instructions.
    Bits(Op),
    /// `dot`, `dot_acc_sat` of integers; whether the operands are packed in a word.
    IntegerDot {
        op: Op,
        packed: bool,
    },
    Clock {
        scope: Group,
        parts: bool,
    },
    ReadImage,
    WriteImage,
    ImageQuery(ImageQuery),
    /// `to_global` and its kin.
    ToSpace,
    GetFence,
    Printf,
    /// Pipes: the instruction, and (for collective functions) the group.
    Pipe(Op, Option<Group>),
    /// An instruction about queues and events of the device, with the arguments as its operands.
    Device(Op),
    /// An instruction with a block among its operands: `enqueue_kernel`, and questions about blocks.
    Enqueue(Op),
    /// `ndrange_1D` and others, by their dimensions.
    NdRange(u64),
}

/// A rounding mode in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Rounding {
    Rte = 0,
    Rtz = 1,
    Rtp = 2,
    Rtn = 3,
}

/// Who takes part in a collective function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Device,
    Work,
    Sub,
}

/// C11's atomic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum C11 {
    Init,
    Load,
    Store,
    Exchange,
    /// Compare and exchange, strong or weak.
    CompareExchange,
    /// For signed integers, for others, for floats.
    Fetch([Op; 3]),
    FlagTestAndSet,
    FlagClear,
}

/// What is asked of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageQuery {
    Width,
    Height,
    Depth,
    /// `int2` or `int4`
    Dim,
    ArraySize,
    DataType,
    Order,
    Levels,
    Samples,
}

pub const FLOATS: &[Scalar] = &[Scalar::Float, Scalar::Double, Scalar::Half];
pub const FLOAT: &[Scalar] = &[Scalar::Float];
pub const INTEGERS: &[Scalar] = &[
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Char,
    Scalar::UChar,
];
pub const SIGNED: &[Scalar] = &[Scalar::Int, Scalar::Long, Scalar::Short, Scalar::Char];
pub const UNSIGNED: &[Scalar] = &[Scalar::UInt, Scalar::ULong, Scalar::UShort, Scalar::UChar];
pub const WORDS: &[Scalar] = &[Scalar::Int, Scalar::UInt];
pub const WIDE: &[Scalar] = &[Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong];
pub const NUMBERS: &[Scalar] = &[
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Char,
    Scalar::UChar,
    Scalar::Float,
    Scalar::Double,
    Scalar::Half,
];
/// What the core's collective functions take.
pub const COLLECTIVE: &[Scalar] = &[
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Float,
    Scalar::Double,
    Scalar::Half,
];
/// What they take besides that with cl_khr_subgroup_extended_types.
pub const SMALL: &[Scalar] = &[Scalar::Short, Scalar::UShort, Scalar::Char, Scalar::UChar];
/// No `gentype`.
pub const NONE: &[Scalar] = &[Scalar::Int];

pub const ALL: &[u8] = &[1, 2, 3, 4, 8, 16];
pub const ONE: &[u8] = &[1];
pub const VECTORS: &[u8] = &[2, 3, 4, 8, 16];
pub const UP_TO_4: &[u8] = &[1, 2, 3, 4];

impl Row {
    /// A function whose name and types are written out.
    pub const fn new(name: &'static str, signature: &'static str, when: &'static str, emit: Emit) -> Row {
        Row::of(name, signature, NONE, ONE, when, emit)
    }

    pub const fn of(
        name: &'static str,
        signature: &'static str,
        bases: &'static [Scalar],
        lanes: &'static [u8],
        when: &'static str,
        emit: Emit,
    ) -> Row {
        Row {
            name,
            signature,
            bases,
            lanes,
            when,
            emit,
        }
    }

    /// Must a call stay where it is among branches?
    pub fn is_convergent(&self) -> bool {
        matches!(
            self.emit,
            Emit::Barrier(_)
                | Emit::SplitBarrier(_)
                | Emit::AsyncCopy
                | Emit::AsyncCopyRect(_)
                | Emit::CopyFence
                | Emit::WaitEvents
                | Emit::Group(..)
                | Emit::GroupArithmetic(..)
                | Emit::GroupBroadcast(_)
                | Emit::NonUniform(_)
                | Emit::BallotCount(_)
                | Emit::NonUniformArithmetic(..)
                | Emit::NonUniformLogical(..)
                | Emit::Intel(_)
                | Emit::MatrixMad(..)
                | Emit::SplitMatrixMad(..)
                | Emit::Block { .. }
                | Emit::Pipe(_, Some(_))
        )
    }

    /// Does a call depend on its arguments' values alone, and do nothing else?
    pub fn is_const(&self) -> bool {
        let pointer = self.signature.contains('*');
        !pointer
            && matches!(
                self.emit,
                Emit::Std(_)
                    | Emit::Signed(..)
                    | Emit::Number(..)
                    | Emit::Op(_)
                    | Emit::OpSigned(..)
                    | Emit::Variable(_)
                    | Emit::Component(..)
                    | Emit::Relational(_)
                    | Emit::AnyAll(_)
                    | Emit::Dot
                    | Emit::Upsample
                    | Emit::Convert { .. }
                    | Emit::Bits(_)
                    | Emit::IntegerDot { .. }
                    | Emit::ImageQuery(_)
                    | Emit::GetFence
            )
    }
}
