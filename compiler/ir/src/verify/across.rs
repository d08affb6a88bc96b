//! Operands of what looks across lanes and work-items.

use super::Verifier;
use crate::*;

impl Verifier<'_> {
    pub(super) fn lane_operation(&mut self, op: LaneOp, ty: Type, args: &[Value]) {
        let count = match op {
            LaneOp::Iota => 0,
            LaneOp::Splat | LaneOp::Extract(_) | LaneOp::MaskBits | LaneOp::BitsMask | LaneOp::AnyTrue | LaneOp::AllTrue => 1,
            _ => 2,
        };
        if !self.count(args, count) {
            return;
        }
        let arg = |n: usize| self.func.ty(args[n]);
        let expected: &[Type] = match op {
            LaneOp::Iota => {
                self.check(ty.elem.is_int(), "counts with integers");
                &[]
            }
            LaneOp::Splat => &[ty.with_lanes(1)],
            LaneOp::Extract(lane) => {
                self.check(lane < arg(0).lanes, format_args!("{} has no lane {lane}", arg(0)));
                &[arg(0).with_elem(ty.elem)]
            }
            LaneOp::ExtractDynamic => &[arg(0).with_elem(ty.elem), Type::I32],
            LaneOp::Insert(lane) => {
                self.check(lane < ty.lanes, format_args!("{ty} has no lane {lane}"));
                &[ty, ty.with_lanes(1)]
            }
            LaneOp::Permute => {
                self.check(arg(0).is_vector() == ty.is_vector(), format_args!("takes lanes of {}", arg(0)));
                let index = if arg(1).elem == Elem::I64 { Elem::I64 } else { Elem::I32 };
                &[arg(0).with_elem(ty.elem), ty.with_elem(index)]
            }
            LaneOp::MaskBits => {
                self.check(arg(0).lanes <= 32, "32 lanes at most");
                &[arg(0).as_mask()]
            }
            LaneOp::BitsMask => {
                self.check(ty.elem == Elem::Mask && ty.lanes <= 32, "gives a mask of 32 lanes at most");
                &[Type::I32]
            }
            LaneOp::AnyTrue | LaneOp::AllTrue => &[arg(0).as_mask()],
            LaneOp::Reduce(op) => {
                self.reduce(op, ty.elem);
                &[arg(0).with_elem(ty.elem), arg(0).as_mask()]
            }
            LaneOp::InclusiveScan(op) | LaneOp::ExclusiveScan(op) => {
                self.reduce(op, ty.elem);
                &[ty, ty.as_mask()]
            }
            LaneOp::Compress | LaneOp::Expand => &[ty, ty.as_mask()],
        };
        args.iter().zip(expected).for_each(|(&arg, &ty)| self.expect(arg, ty));
        let result = match op {
            LaneOp::Extract(_) | LaneOp::ExtractDynamic | LaneOp::Reduce(_) => ty.with_lanes(1),
            LaneOp::AnyTrue | LaneOp::AllTrue => Type::MASK,
            LaneOp::MaskBits => Type::I32,
            _ => ty,
        };
        self.check(ty == result, format_args!("gives {result}, not {ty}"));
    }

    pub(super) fn sub_group(&mut self, op: SubGroupOp, args: &[Value]) {
        let count = match op {
            SubGroupOp::Elect => 0,
            SubGroupOp::Broadcast | SubGroupOp::Shuffle => 2,
            _ => 1,
        };
        if !self.count(args, count) {
            return;
        }
        match op {
            SubGroupOp::All | SubGroupOp::Any | SubGroupOp::Ballot => self.expect(args[0], Type::MASK),
            SubGroupOp::Broadcast | SubGroupOp::Shuffle => self.expect(args[1], Type::I32),
            SubGroupOp::Reduce(op) | SubGroupOp::InclusiveScan(op) | SubGroupOp::ExclusiveScan(op) => {
                self.reduce(op, self.ty(args[0]).elem)
            }
            SubGroupOp::ClusteredReduce(op, size) => {
                self.reduce(op, self.ty(args[0]).elem);
                self.check(size.is_power_of_two(), format_args!("a cluster of {size} is no power of two"));
            }
            SubGroupOp::AllEqual | SubGroupOp::Elect | SubGroupOp::BroadcastFirst => {}
        }
    }

    pub(super) fn work_group(&mut self, op: WorkGroupOp, args: &[Value]) {
        let count = match op {
            WorkGroupOp::Broadcast => 4,
            WorkGroupOp::Shuffle => 2,
            _ => 1,
        };
        if !self.count(args, count) {
            return;
        }
        match op {
            WorkGroupOp::All | WorkGroupOp::Any => self.expect(args[0], Type::MASK),
            WorkGroupOp::Broadcast | WorkGroupOp::Shuffle => args[1..].iter().for_each(|&arg| self.expect(arg, Type::I64)),
            WorkGroupOp::Reduce(op) | WorkGroupOp::InclusiveScan(op) | WorkGroupOp::ExclusiveScan(op) => {
                self.reduce(op, self.ty(args[0]).elem)
            }
        }
    }
}
