//! Instructions: an operation with its operands.

use super::dot::DotOp;
use super::entities::{Block, FuncRef, Global, Slot, Value};
use super::image::ImageOp;
use super::list::List;
use super::memory::{Address, MemInfo, Order, Scope};
use super::op::*;
use super::runtime::Runtime;
use super::types::Type;
use smallvec::{SmallVec, smallvec};

/// A few values.
pub type ValueList = List<Value>;

/// A few types.
pub type TypeList = List<Type>;

bitflags::bitflags! {
    /// What an instruction may assume or is allowed to do.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Flags: u16 {
        /// No signed wrap; of `trunc`: nothing is lost, and extended with its sign the result is what it was.
        const NSW = 1;
        /// No unsigned wrap.
        const NUW = 2;
        /// No NaN.
        const NNAN = 4;
        /// No infinity.
        const NINF = 8;
        /// The sign of zero does not matter.
        const NSZ = 16;
        /// Division may become multiplication by the reciprocal.
        const ARCP = 32;
        /// May be contracted with a neighbour (a * b + c to fma).
        const CONTRACT = 64;
        /// May be reordered as if exact.
        const REASSOC = 128;
        /// Approximate functions are good enough.
        const AFN = 256;
        /// With that: eleven bits of them are.
        const ROUGH = 512;
        /// Of a select: its condition hardly ever holds, so that what it then chooses is cold ([`crate::cold`]).
        const RARE = 1024;
        /// With `AFN`: an error of 2^-14 is good enough.
        const SHORT = 2048;
    }
}

impl Flags {
    /// Names in the text form, after a `!`.
    pub const NAMES: &[(Flags, &'static str)] = &[
        (Flags::NSW, "nsw"),
        (Flags::NUW, "nuw"),
        (Flags::NNAN, "nnan"),
        (Flags::NINF, "ninf"),
        (Flags::NSZ, "nsz"),
        (Flags::ARCP, "arcp"),
        (Flags::CONTRACT, "contract"),
        (Flags::REASSOC, "reassoc"),
        (Flags::AFN, "afn"),
        (Flags::ROUGH, "rough"),
        (Flags::RARE, "rare"),
        (Flags::SHORT, "short"),
    ];
}

/// A jump's target and the arguments for its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockCall {
    /// Where to.
    pub block: Block,
    /// One value for each of its parameters.
    pub args: ValueList,
}

impl BlockCall {
    /// A target with arguments.
    pub fn new(block: Block, args: &[Value]) -> BlockCall {
        BlockCall {
            block,
            args: ValueList::from_slice(args),
        }
    }
}

/// An instruction. Result types follow from the operands, except where a `ty` stands.
///
/// `mask`, where present, has a lane for each lane of the access; a lane where it is false does nothing (and gives the lane of
/// `passthru`, or an unspecified value).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstData {
    /// The same bits in each lane. A mask is 0 or 1.
    Const { ty: Type, bits: u64 },
    /// One operand.
    Unary { op: UnaryOp, arg: Value },
    /// Two operands.
    Binary { op: BinaryOp, args: [Value; 2] },
    /// `a * b + c`, rounded once.
    Fma { args: [Value; 3] },
    /// The dot product of two vectors of bytes, four in an `i32`, and `c`, cut off to 32 bits.
    Dot { op: DotOp, args: [Value; 3] },
    /// `mask ? a : b`, lane by lane (a scalar mask chooses whole values).
    Select { mask: Value, args: [Value; 2] },
    /// Integer (or mask, `Eq` and `Ne` only) comparison.
    IntCompare { cc: IntCc, args: [Value; 2] },
    /// Float comparison.
    FloatCompare { cc: FloatCc, args: [Value; 2] },
    /// Conversion to `ty`. `saturate` clamps what is out of range, and gives 0 for NaN.
    Convert {
        op: ConvertOp,
        ty: Type,
        arg: Value,
        rounding: Rounding,
        saturate: bool,
    },
    /// Operation on lanes; `ty` is the result's.
    Lane { op: LaneOp, ty: Type, args: ValueList },

    /// A built-in variable; `dimension` is 0 where it has none. Work-item level.
    Builtin { builtin: Builtin, dimension: u8 },
    /// Address of a private memory slot. Work-item level.
    SlotAddress { slot: Slot },
    /// Address of a program-scope variable.
    GlobalAddress { global: Global },
    /// Loads `ty`. See [`Address`] for what vectors mean.
    Load {
        ty: Type,
        address: Address,
        mask: Option<Value>,
        passthru: Option<Value>,
        mem: MemInfo,
    },
    /// Stores.
    Store {
        value: Value,
        address: Address,
        mask: Option<Value>,
        mem: MemInfo,
    },
    /// Loads `factor` vectors from consecutive records of `factor` elements: result `k` lane `i` is element `i * factor + k`.
    LoadInterleaved {
        ty: Type,
        factor: u8,
        address: Address,
        mask: Option<Value>,
        mem: MemInfo,
    },
    /// Stores consecutive records: the reverse.
    StoreInterleaved {
        values: ValueList,
        address: Address,
        mask: Option<Value>,
        mem: MemInfo,
    },
    /// Copies bytes between memory that does not overlap (or is the same). Scalar addresses.
    Copy {
        to: Value,
        from: Value,
        bytes: Value,
        to_mem: MemInfo,
        from_mem: MemInfo,
    },
    /// Atomic load of `ty`.
    AtomicLoad {
        ty: Type,
        address: Value,
        mask: Option<Value>,
        mem: MemInfo,
        order: Order,
        scope: Scope,
    },
    /// Atomic store.
    AtomicStore {
        value: Value,
        address: Value,
        mask: Option<Value>,
        mem: MemInfo,
        order: Order,
        scope: Scope,
    },
    /// Atomic read-modify-write; gives the old value.
    AtomicRmw {
        op: AtomicOp,
        value: Value,
        address: Value,
        mask: Option<Value>,
        mem: MemInfo,
        order: Order,
        scope: Scope,
    },
    /// Atomic compare and exchange; gives the old value.
    AtomicCas {
        expected: Value,
        desired: Value,
        address: Value,
        mask: Option<Value>,
        mem: MemInfo,
        order: Order,
        scope: Scope,
    },
    /// A memory fence.
    Fence { order: Order, scope: Scope },

    /// All work-items of the scope arrive before any goes on. Convergent. Work-item level. Retired work-items are not waited for.
    Barrier { execution: Scope, order: Order, memory: Scope },
    /// Across the gang. Convergent. Work-item level.
    SubGroup { op: SubGroupOp, args: ValueList },
    /// Across the work-group. Convergent. Work-item level.
    WorkGroup { op: WorkGroupOp, args: ValueList },

    /// Calls a function of the module. At the work-group level a vector function takes the mask as its last argument.
    Call {
        callee: FuncRef,
        args: ValueList,
        results: TypeList,
    },
    /// Calls a function of the driver (scalar operands at the work-group level).
    CallRuntime { routine: Runtime, args: ValueList },
    /// Reads or writes an image. Work-item level.
    Image { op: ImageOp, args: ValueList },

    /// Goes to a block.
    Jump { target: BlockCall },
    /// Goes to the first where `condition` (one mask) is true, else to the second.
    Branch { condition: Value, targets: [BlockCall; 2] },
    /// Goes where `value` (one integer) says: `(case, target)`, cases all different.
    Switch {
        value: Value,
        cases: Box<[(u64, BlockCall)]>,
        default: BlockCall,
    },
    /// Leaves the function.
    Return { values: ValueList },
    /// Ends the work-item with an error that the launch reports (a `device::abi::Trap` as a number).
    Trap { reason: u32 },
    /// Is never reached; a work-item that comes here retires.
    Unreachable,
}

macro_rules! visit_operands {
    ($self:ident, $visit:ident, $iter:ident $(, $mut:tt)?) => {
        match $self {
            InstData::Const { .. }
            | InstData::Builtin { .. }
            | InstData::SlotAddress { .. }
            | InstData::GlobalAddress { .. }
            | InstData::Fence { .. }
            | InstData::Barrier { .. }
            | InstData::Trap { .. }
            | InstData::Unreachable => {}
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } => $visit(arg),
            InstData::Binary { args, .. } | InstData::IntCompare { args, .. } | InstData::FloatCompare { args, .. } => {
                args.$iter().for_each($visit)
            }
            InstData::Fma { args } | InstData::Dot { args, .. } => args.$iter().for_each($visit),
            InstData::Select { mask, args } => {
                $visit(mask);
                args.$iter().for_each($visit);
            }
            InstData::Lane { args, .. }
            | InstData::SubGroup { args, .. }
            | InstData::WorkGroup { args, .. }
            | InstData::Call { args, .. }
            | InstData::CallRuntime { args, .. }
            | InstData::Image { args, .. } => args.$iter().for_each($visit),
            InstData::Load { address, mask, passthru, .. } => {
                $visit(& $($mut)? address.base);
                address.index.$iter().chain(mask.$iter()).chain(passthru.$iter()).for_each($visit);
            }
            InstData::LoadInterleaved { address, mask, .. } => {
                $visit(& $($mut)? address.base);
                address.index.$iter().chain(mask.$iter()).for_each($visit);
            }
            InstData::Store { value, address, mask, .. } => {
                $visit(value);
                $visit(& $($mut)? address.base);
                address.index.$iter().chain(mask.$iter()).for_each($visit);
            }
            InstData::StoreInterleaved { values, address, mask, .. } => {
                values.$iter().for_each(&mut $visit);
                $visit(& $($mut)? address.base);
                address.index.$iter().chain(mask.$iter()).for_each($visit);
            }
            InstData::Copy { to, from, bytes, .. } => {
                $visit(to);
                $visit(from);
                $visit(bytes);
            }
            InstData::AtomicLoad { address, mask, .. } => {
                $visit(address);
                mask.$iter().for_each($visit);
            }
            InstData::AtomicStore { value, address, mask, .. } | InstData::AtomicRmw { value, address, mask, .. } => {
                $visit(value);
                $visit(address);
                mask.$iter().for_each($visit);
            }
            InstData::AtomicCas { expected, desired, address, mask, .. } => {
                $visit(expected);
                $visit(desired);
                $visit(address);
                mask.$iter().for_each($visit);
            }
            InstData::Jump { target } => target.args.$iter().for_each($visit),
            InstData::Branch { condition, targets } => {
                $visit(condition);
                for target in targets {
                    target.args.$iter().for_each(&mut $visit);
                }
            }
            InstData::Switch { value, cases, default } => {
                $visit(value);
                for (_, target) in cases {
                    target.args.$iter().for_each(&mut $visit);
                }
                default.args.$iter().for_each($visit);
            }
            InstData::Return { values } => values.$iter().for_each($visit),
        }
    };
}

macro_rules! memory {
    ($self:ident) => {
        match $self {
            InstData::Load { mem, .. }
            | InstData::Store { mem, .. }
            | InstData::LoadInterleaved { mem, .. }
            | InstData::StoreInterleaved { mem, .. }
            | InstData::AtomicLoad { mem, .. }
            | InstData::AtomicStore { mem, .. }
            | InstData::AtomicRmw { mem, .. }
            | InstData::AtomicCas { mem, .. } => smallvec![mem],
            InstData::Copy { to_mem, from_mem, .. } => smallvec![to_mem, from_mem],
            _ => SmallVec::new(),
        }
    };
}

impl InstData {
    /// What it knows of the memory that it accesses.
    pub fn memory(&self) -> SmallVec<[&MemInfo; 2]> {
        memory!(self)
    }

    /// What it knows of the memory that it accesses, to be changed.
    pub fn memory_mut(&mut self) -> SmallVec<[&mut MemInfo; 2]> {
        memory!(self)
    }

    /// Where a load or store goes, of records too.
    pub fn address_mut(&mut self) -> Option<&mut Address> {
        match self {
            InstData::Load { address, .. }
            | InstData::Store { address, .. }
            | InstData::LoadInterleaved { address, .. }
            | InstData::StoreInterleaved { address, .. } => Some(address),
            _ => None,
        }
    }

    /// Calls `visit` with each operand, in a fixed order; arguments of jumps too.
    pub fn for_each_operand(&self, mut visit: impl FnMut(&Value)) {
        visit_operands!(self, visit, iter)
    }

    /// Something is so of one of its operands.
    pub fn any_operand(&self, mut is_so: impl FnMut(&Value) -> bool) -> bool {
        let mut any = false;
        self.for_each_operand(|value| any |= is_so(value));
        any
    }

    /// Something is so of all of its operands.
    pub fn all_operands(&self, mut is_so: impl FnMut(&Value) -> bool) -> bool {
        !self.any_operand(|value| !is_so(value))
    }

    /// Calls `visit` with each operand, to be replaced.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        visit_operands!(self, visit, iter_mut, mut)
    }

    /// Targets of a terminator.
    pub fn targets(&self) -> SmallVec<[&BlockCall; 2]> {
        match self {
            InstData::Jump { target } => SmallVec::from_slice(&[target]),
            InstData::Branch { targets: [a, b], .. } => SmallVec::from_slice(&[a, b]),
            InstData::Switch { cases, default, .. } => cases.iter().map(|(_, target)| target).chain([default]).collect(),
            _ => SmallVec::new(),
        }
    }

    /// Calls `visit` with each target of a terminator.
    pub fn for_each_target<'a>(&'a self, mut visit: impl FnMut(&'a BlockCall)) {
        match self {
            InstData::Jump { target } => visit(target),
            InstData::Branch { targets, .. } => targets.iter().for_each(visit),
            InstData::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| visit(target));
                visit(default);
            }
            _ => {}
        }
    }

    /// Targets of a terminator, to be changed.
    pub fn targets_mut(&mut self) -> SmallVec<[&mut BlockCall; 2]> {
        match self {
            InstData::Jump { target } => SmallVec::from_iter([target]),
            InstData::Branch { targets: [a, b], .. } => SmallVec::from_iter([a, b]),
            InstData::Switch { cases, default, .. } => cases.iter_mut().map(|(_, target)| target).chain([default]).collect(),
            _ => SmallVec::new(),
        }
    }

    /// Ends a block.
    pub const fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstData::Jump { .. }
                | InstData::Branch { .. }
                | InstData::Switch { .. }
                | InstData::Return { .. }
                | InstData::Trap { .. }
                | InstData::Unreachable
        )
    }

    /// The value that decides where a block goes on, of its branch or switch.
    pub const fn decider(&self) -> Option<Value> {
        match *self {
            InstData::Branch { condition, .. } => Some(condition),
            InstData::Switch { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Depends on which other work-items execute it too: must not be duplicated, sunk into or hoisted out of control flow.
    ///
    /// Calls are here because their callee may hold such an operation.
    pub const fn is_convergent(&self) -> bool {
        matches!(
            self,
            InstData::Barrier { .. } | InstData::SubGroup { .. } | InstData::WorkGroup { .. } | InstData::Call { .. }
        )
    }

    /// Changes something besides its results, or must stay where it is: never dropped though its results are unused.
    pub fn has_side_effects(&self) -> bool {
        match self {
            InstData::Store { .. }
            | InstData::StoreInterleaved { .. }
            | InstData::Copy { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. }
            | InstData::Fence { .. }
            | InstData::Barrier { .. }
            | InstData::Call { .. } => true,
            InstData::Load { mem, .. } | InstData::LoadInterleaved { mem, .. } => mem.flags.contains(super::memory::MemFlags::VOLATILE),
            InstData::CallRuntime { routine, .. } => !routine.is_pure(),
            InstData::Image { op, .. } => op.is_write(),
            _ => self.is_terminator(),
        }
    }

    /// Computes, or loads what may be loaded any number of times: nobody sees whether it is done once, twice or not at all.
    pub fn is_repeatable(&self) -> bool {
        self.is_pure() || matches!(self, InstData::Load { mem, .. } if !mem.is_volatile())
    }

    /// Reads memory that others may write.
    pub fn reads_memory(&self) -> bool {
        match self {
            InstData::Load { mem, .. } | InstData::LoadInterleaved { mem, .. } => !mem.flags.contains(super::memory::MemFlags::INVARIANT),
            InstData::Copy { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. }
            | InstData::Call { .. } => true,
            InstData::CallRuntime { routine, .. } => !routine.is_pure(),
            InstData::Image { op, .. } => !op.is_write() && !op.constant,
            _ => false,
        }
    }

    /// A function of its operands alone, safe to execute at any time: may be merged with an equal one, moved and repeated.
    pub const fn is_pure(&self) -> bool {
        match self {
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Dot { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Lane { .. }
            | InstData::Builtin { .. }
            | InstData::SlotAddress { .. }
            | InstData::GlobalAddress { .. } => true,
            InstData::CallRuntime { routine, .. } => routine.is_pure(),
            InstData::Image { op, .. } => op.is_pure(),
            _ => false,
        }
    }
}
