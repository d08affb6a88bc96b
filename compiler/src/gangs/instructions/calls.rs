//! Calls: functions of the program take all lanes at once, functions of the driver one.

use crate::gangs::vectorize::Vectorizer;
use crate::ir::*;
use smallvec::SmallVec;

impl Vectorizer<'_> {
    /// Functions of the program have a parameter for the lanes that call them.
    pub(super) fn write_call(&mut self, callee: FuncRef, args: &[Value], result_types: &[Type], results: &[Value]) {
        let mut args: ValueList = args.iter().map(|&arg| self.vector(arg)).collect();
        if self.lanes > 1 {
            args.push(self.mask());
        }
        let result_types: SmallVec<[Type; 2]> = result_types.iter().map(|ty| ty.with_lanes(self.lanes)).collect();
        let call = self.builder().push(InstData::Call {
            callee,
            args,
            results: result_types,
        });
        for (index, &result) in results.iter().enumerate() {
            let value = self.func.inst(call).results[index];
            self.define(result, value);
        }
    }

    /// Driver functions are called a lane at a time, for active lanes only if they do more than compute.
    pub(super) fn write_call_runtime(&mut self, routine: Runtime, args: &[Value], results: &[Value]) {
        let once = self.lanes == 1 || routine.is_pure() && results.iter().all(|&result| self.uniformity.shape(result).is_uniform());
        if once {
            let args: ValueList = args.iter().map(|&arg| self.raw(arg)).collect();
            let call = self.builder().push(InstData::CallRuntime { routine, args });
            if let Some(&result) = results.first() {
                let value = self.func.result(call);
                self.define(result, value);
            }
            return;
        }
        let vectors: ValueList = args.iter().map(|&arg| self.vector(arg)).collect();
        let mask = if routine.is_pure() { None } else { Some(self.mask()) };
        let ty = results.first().map(|&result| self.src.ty(result).with_lanes(self.lanes));
        let mut gathered = ty.map(|ty| self.builder().constant(ty, 0));
        for lane in 0..self.lanes {
            let after = mask.map(|mask| self.enter_lane(mask, lane, &mut gathered));
            let args: ValueList = vectors.iter().map(|&vector| self.extract_lane(vector, lane)).collect();
            let call = self.builder().push(InstData::CallRuntime { routine, args });
            if let (Some(so_far), Some(ty)) = (gathered, ty) {
                let value = self.func.result(call);
                gathered = Some(self.builder().lane(LaneOp::Insert(lane), ty, &[so_far, value]));
            }
            if let Some(after) = after {
                self.leave_lane(after, &mut gathered);
            }
        }
        if let (Some(&result), Some(value)) = (results.first(), gathered) {
            self.define(result, value);
        }
    }

    /// Branches to a block that only runs when `lane` is active; gives the block where the ways meet.
    fn enter_lane(&mut self, mask: Value, lane: u16, gathered: &mut Option<Value>) -> Block {
        let active = self.extract_lane(mask, lane);
        let (inside, after) = (self.func.add_block(), self.func.add_block());
        if let Some(value) = gathered {
            let ty = self.func.ty(*value);
            self.func.add_param(after, ty);
        }
        let args: ValueList = gathered.iter().copied().collect();
        let from = self.here.block;
        self.builder().push(InstData::Branch {
            condition: active,
            targets: [BlockCall::new(inside, &[]), BlockCall { block: after, args }],
        });
        self.declare(inside, from);
        self.declare(after, from);
        self.continue_in(inside);
        after
    }

    fn leave_lane(&mut self, after: Block, gathered: &mut Option<Value>) {
        let args: ValueList = gathered.iter().copied().collect();
        let from = self.here.block;
        self.builder().push(InstData::Jump {
            target: BlockCall { block: after, args },
        });
        self.declare(after, from);
        self.continue_in(after);
        *gathered = self.func.block(after).params.first().copied();
    }
}
