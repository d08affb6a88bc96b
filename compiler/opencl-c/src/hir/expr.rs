//! Values and places.

use super::{Const, FunctionId, GlobalId, List, LocalId, StmtId};
use crate::Loc;
use crate::builtins::BuiltinId;
use crate::types::{QualType, TypeId};
use bitflags::bitflags;

/// A value: an index into [`super::Body::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(pub u32);

/// A place: an index into [`super::Body::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceId(pub u32);

bitflags! {
    /// What the program allows or promises of an operation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct ValueFlags: u8 {
        /// A sum, difference, product or negation of signed integers that by C's rules does not overflow.
        const NO_SIGNED_WRAP = 1;
        /// A floating-point operation that may become one with another: `#pragma OPENCL FP_CONTRACT` is on.
        const CONTRACT = 2;
    }
}

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Never an array or a function, whose places become pointers.
    pub ty: TypeId,
    pub flags: ValueFlags,
    pub loc: Loc,
}

/// How a value is computed. Operands are evaluated before, from left to right, where nothing else is said.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(Const),
    /// What is at a place. Of a bit-field, the integer; of some lanes of a vector, these.
    Load(PlaceId),
    /// A pointer to a place: neither a bit-field nor lanes of a vector (but one lane may be pointed to). Of an array, to the whole of it.
    AddressOf(PlaceId),
    /// A pointer to the first element of an array.
    Decay(PlaceId),
    /// A pointer to a function.
    FunctionAddress(FunctionId),
    Cast(Cast),
    /// `-`: of integers or floats, lane by lane. Has the operand's type.
    Negate(ExprId),
    /// `~`: of integers, lane by lane.
    Complement(ExprId),
    /// `!` of a `bool`.
    Not(ExprId),
    /// Both operands and the result have one type; lane by lane. Of shifts, the amount is of that type too and may be anything: its low bits count.
    Arithmetic(ArithmeticOp, ExprId, ExprId),
    /// Operands have one type: scalars, pointers of one type (by address), vectors, or opaque types that can be compared. The result of scalars is a
    /// `bool`; of vectors, signed integers as wide as the operands' lanes, -1 or 0 each.
    Compare(CompareOp, ExprId, ExprId),
    /// `&&` of `bool`s: the second is evaluated only if the first is true.
    And(ExprId, ExprId),
    /// `||` of `bool`s: the second is evaluated only if the first is false.
    Or(ExprId, ExprId),
    /// `?:` on a `bool`: one of the two is evaluated. The type may be `void` or a struct.
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `?:` on a vector of integers: both are evaluated, and each lane is of `then` where the condition's highest bit is set.
    Select {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// A pointer moved by a number of what it points to, which is a `long`; away from it, if `back`. What it points to with size 0 or `void` counts as 1 byte.
    PointerAdd {
        pointer: ExprId,
        index: ExprId,
        back: bool,
    },
    /// How many of what they point to (of `size` bytes) lie between two pointers: a `long`.
    PointerDifference {
        left: ExprId,
        right: ExprId,
        size: u64,
    },
    /// Stores a value, and is that value. A place of several lanes takes a vector.
    Assign(PlaceId, ExprId),
    /// Compound assignment, `++` and `--`. The place is evaluated, then the operand, then the place is read; `value` is what is stored, and has in it
    /// [`ExprKind::UpdateOld`] for what was read and [`ExprKind::UpdateOperand`] for the operand's value, which mean this update, the innermost around them.
    /// `place` and `operand` don't contain them as this update's, but may as those of an update around this one.
    Update {
        place: PlaceId,
        operand: Option<ExprId>,
        value: ExprId,
        result: UpdateResult,
    },
    UpdateOld,
    UpdateOperand,
    /// The first is evaluated, its value dropped; the second's is the value.
    Comma(ExprId, ExprId),
    Call(Callee, List),
    /// A vector of the parts one after another: scalars and vectors of the result's element type, as many lanes as it has together.
    Compose(List),
    /// Lanes of one vector, or of two put together, by number; `None` is any value. One lane gives a scalar.
    Shuffle {
        first: ExprId,
        second: Option<ExprId>,
        lanes: Box<[Option<u8>]>,
    },
    /// A lane of a vector, by a number that may be anything.
    ExtractDynamic(ExprId, ExprId),
    /// A member of a struct or union that is a value, such as a call's result.
    Member(ExprId, u32),
    /// A statement expression: the block is executed, and its value is that of the last expression, if it isn't `void`, evaluated after the block's other
    /// statements.
    Statements(StmtId, Option<ExprId>),
    /// Executes the statement, which initializes a compound literal's variable, and is the value of the expression.
    Initialize(StmtId, ExprId),
    /// A block: its function, and what it captures. Calls of blocks are calls of their functions; this is what is left where one is not called.
    Block(FunctionId, List),
    /// The value of something that was wrong.
    Error,
}

/// What an update is the value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateResult {
    /// What is stored.
    New,
    /// What was there: `x++`.
    Old,
}

/// Operators with a result of the operands' type. Whether they are signed, or floating, is for the type to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
}

/// Relational operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A conversion: to the type of the expression that it is.
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    pub kind: CastKind,
    pub value: ExprId,
}

/// Kinds of conversion. Those between arithmetic types work lane by lane too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// Between integers: to fewer bits, or to more as the operand's sign says, or the same bits with another sign. Not to `bool`.
    Integer,
    /// From `bool` (scalar): 0 or 1.
    BoolToArithmetic,
    /// From integers to floats.
    IntToFloat,
    /// From floats to integers, toward zero.
    FloatToInt,
    /// Between floats.
    Float,
    /// A scalar (not a pointer) is it zero? To `bool`.
    ToBool,
    /// A pointer (or a block, or an opaque object): is it null? To `bool`.
    PointerToBool,
    /// A scalar of the vector's element type, in all lanes.
    Splat,
    /// The same bits: `as_type`, vectors of one size; a vector of three is as large as one of four.
    Bits,
    /// Between pointers in one address space.
    Pointer,
    /// To a pointer in another address space; what it points to may change too.
    AddressSpace,
    PointerToInt,
    IntToPointer,
    /// To `void`.
    Void,
    /// From an integer to a sampler.
    IntToSampler,
    /// From zero to an opaque type: an event, a queue.
    ZeroToOpaque,
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    Function(FunctionId),
    /// A built-in function of OpenCL C. The arguments have the types of its parameters; those of variadic ones follow, promoted.
    Builtin(BuiltinId),
    /// A function through a pointer.
    Indirect(ExprId),
    Intrinsic(Intrinsic),
}

/// What the compiler itself defines: `__builtin_…`. Arguments and results have the types that are said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic {
    /// One integer: how many bits are set, as an integer of the same type.
    PopCount,
    /// Leading zeros of an integer of any width.
    LeadingZeros,
    /// Trailing zeros of an integer of any width.
    TrailingZeros,
    ByteSwap,
    BitReverse,
    RotateLeft,
    RotateRight,
    /// A `bool` that is true: nothing comes of it otherwise.
    Assume,
    Unreachable,
    Trap,
    /// A number of bytes (`ulong`); gives a pointer to so many in private memory, which last until the function returns.
    Alloca,
    /// To, from (pointers to `char` in their spaces), and a number of bytes (`ulong`); gives nothing.
    MemoryCopy,
    /// As `MemoryCopy`, where the two may overlap.
    MemoryMove,
    /// To, a byte (`int`), and a number of bytes (`ulong`).
    MemorySet,
    /// Reads one float; gives a `bool`.
    IsNan,
    IsInf,
    IsFinite,
    IsNormal,
    SignBit,
    /// The float without its sign.
    FloatAbs,
    /// The first float with the second's sign.
    CopySign,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Round,
    Fma,
    FloatMin,
    FloatMax,
    Exp2,
    Log2,
    Exp,
    Log,
    Log10,
    Sin,
    Cos,
    Pow,
    FloatMod,
    /// An integer without its sign.
    IntAbs,
    Atomic(Atomic),
}

/// What GNU's atomic functions do. Arguments: a pointer to the object, the operands, of its type, then an order (`memory_order`), and a scope
/// (`memory_scope`) if it is not the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// A store before anybody else sees the object; it has no order.
    Init,
    Load,
    Store,
    Exchange,
    /// Gives what the object was.
    Fetch(AtomicOp),
    /// Operands: a pointer to what is expected, which gets what was found, and the value to store. Orders: if the two are equal, and if not. Gives a `bool`.
    CompareExchange,
    /// Operands: what is expected, and the value to store. Gives what was found.
    CompareSwap,
    /// Has no object and no operands.
    Fence,
}

/// What an object becomes by an atomic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// A place: what can be loaded from and, if its type isn't `const`, stored to.
#[derive(Clone, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    /// The type of the object, its qualifiers and where it is.
    pub ty: QualType,
    /// In bytes: what is known of its address. 0 where it has none of its own: a bit-field, or lanes.
    pub align: u64,
    pub loc: Loc,
}

/// Which place it is. What it has in it is evaluated once.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// What a pointer points to.
    Deref(ExprId),
    /// A member of a struct or a union.
    Member(PlaceId, u32),
    /// An element of an array; the number is a `long`.
    Element(PlaceId, ExprId),
    /// Lanes of a vector, by their numbers: one gives a place of the scalar. To store to several, each is there once.
    Lanes(PlaceId, Box<[u8]>),
    /// A lane of a vector, by a number that may be anything: a `long`.
    Lane(PlaceId, ExprId),
    /// A compound literal's variable, after the statement that initializes it.
    Literal(StmtId, LocalId),
    /// An object that holds a value, such as a struct that a call returns, for as long as the statement.
    Temporary(ExprId),
    /// What was wrong.
    Error,
}
