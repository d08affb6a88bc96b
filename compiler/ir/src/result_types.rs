//! Types of what instructions give, which follow from the operation and its operands.

use super::function::Function;
use super::inst::{InstData, TypeList};
use super::op::SubGroupOp;
use super::types::Type;
use core::iter::repeat_n;

impl Function {
    /// Types of the results that an instruction has.
    pub fn result_types(&self, data: &InstData) -> TypeList {
        let one = |ty: Type| TypeList::from_slice(&[ty]);
        match data {
            InstData::Const { ty, .. } | InstData::Load { ty, .. } | InstData::AtomicLoad { ty, .. } => one(*ty),
            InstData::Convert { ty, .. } | InstData::Lane { ty, .. } => one(*ty),
            InstData::LoadInterleaved { ty, factor, .. } => repeat_n(*ty, usize::from(*factor)).collect(),
            InstData::Unary { arg, .. } => one(self.ty(*arg)),
            InstData::Binary { args, .. } => one(self.ty(args[0])),
            InstData::Fma { args } | InstData::Dot { args, .. } => one(self.ty(args[0])),
            InstData::Select { args, .. } => one(self.ty(args[0])),
            InstData::IntCompare { args, .. } | InstData::FloatCompare { args, .. } => one(self.ty(args[0]).as_mask()),
            InstData::Builtin { builtin, .. } => one(builtin.ty()),
            InstData::SlotAddress { .. } | InstData::GlobalAddress { .. } => one(Type::I64),
            InstData::AtomicRmw { value, .. } => one(self.ty(*value)),
            InstData::AtomicCas { expected, .. } => one(self.ty(*expected)),
            InstData::SubGroup { op, args } => one(op.result_type(|n| self.ty(args[n]))),
            InstData::WorkGroup { args, .. } => one(self.ty(args[0])),
            InstData::Call { results, .. } => results.clone(),
            InstData::CallRuntime { routine, .. } => routine.signature().1.into_iter().collect(),
            InstData::Image { op, .. } => op.results(),
            InstData::Store { .. }
            | InstData::StoreInterleaved { .. }
            | InstData::Copy { .. }
            | InstData::AtomicStore { .. }
            | InstData::Fence { .. }
            | InstData::Barrier { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Switch { .. }
            | InstData::Return { .. }
            | InstData::Trap { .. }
            | InstData::Unreachable => TypeList::new(),
        }
    }
}

impl SubGroupOp {
    /// The result's type, given the operands'.
    fn result_type(self, arg: impl Fn(usize) -> Type) -> Type {
        use SubGroupOp::*;
        match self {
            All | Any | Elect | AllEqual => Type::MASK,
            Ballot => Type::I32,
            Broadcast | BroadcastFirst | Shuffle | Reduce(_) | InclusiveScan(_) | ExclusiveScan(_) | ClusteredReduce(..) => arg(0),
        }
    }
}
