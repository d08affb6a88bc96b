//! Calls: functions of the program take all lanes at once, functions of the driver one.

use crate::vectorize::Vectorizer;
use ir::*;
use smallvec::SmallVec;

impl Vectorizer<'_> {
    /// Functions of the program have a parameter for the lanes that call them.
    pub(super) fn write_call(&mut self, callee: FuncRef, args: &[Value], result_types: &[Type], results: &[Value]) {
        let mut args: ValueList = args.iter().map(|&arg| self.vector(arg)).collect();
        if self.lanes > 1 {
            args.push(self.mask());
        }
        let result_types: TypeList = result_types.iter().map(|ty| ty.with_lanes(self.lanes)).collect();
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

    /// Driver functions are called for one active lane after the other, in a loop: few operands need them, and a call for each lane would
    /// be most of a kernel's code.
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
        let args: SmallVec<[(Value, bool); 4]> = args
            .iter()
            .map(|&arg| match self.uniformity.shape(arg).is_uniform() {
                true => (self.raw(arg), true),
                false => (self.vector(arg), false),
            })
            .collect();
        let ty = results.first().map(|&result| self.src.ty(result).with_lanes(self.lanes));
        let mask = self.mask();
        let mut b = self.builder();
        let bits = b.lane(LaneOp::MaskBits, Type::I32, &[mask]);
        let empty = ty.map(|ty| b.constant(ty, 0));
        let (lane, iteration) = self.enter_lanes(bits, empty);
        let args: ValueList = args
            .iter()
            .map(|&(value, uniform)| if uniform { value } else { self.extract(value, lane) })
            .collect();
        let call = self.builder().push(InstData::CallRuntime { routine, args });
        let gathered = iteration.gathered.map(|gathered| {
            let value = self.func.result(call);
            self.insert(gathered, lane, value)
        });
        self.leave_lanes(&iteration, gathered);
        if let (Some(&result), Some(value)) = (results.first(), iteration.gathered) {
            self.define(result, value);
        }
    }

    /// Begins a loop through the lanes that have a bit in `bits`; gives the lane of this iteration. `empty` is what is gathered before the
    /// first.
    fn enter_lanes(&mut self, bits: Value, empty: Option<Value>) -> (Value, LaneIteration) {
        let from = self.here.block;
        let (header, body, after) = (self.func.add_block(), self.func.add_block(), self.func.add_block());
        let left = self.func.add_param(header, Type::I32);
        let gathered = empty.map(|value| {
            let ty = self.func.ty(value);
            self.func.add_param(header, ty)
        });
        let args: ValueList = [bits].into_iter().chain(empty).collect();
        self.builder().push(InstData::Jump {
            target: BlockCall { block: header, args },
        });
        self.declare(header, from);
        self.declare(header, body);
        self.continue_in(header);
        let condition = self.builder().icmp_imm(IntCc::Ne, left, 0);
        self.builder().push(InstData::Branch {
            condition,
            targets: [BlockCall::new(body, &[]), BlockCall::new(after, &[])],
        });
        self.declare(body, header);
        self.declare(after, header);
        self.continue_in(body);
        let lane = self.builder().unary(UnaryOp::Ctz, left);
        let iteration = LaneIteration {
            header,
            after,
            left,
            gathered,
        };
        (lane, iteration)
    }

    fn leave_lanes(&mut self, iteration: &LaneIteration, gathered: Option<Value>) {
        let mut b = self.builder();
        let lower = b.binary_imm(BinaryOp::Sub, iteration.left, 1);
        let left = b.binary(BinaryOp::And, iteration.left, lower);
        b.push(InstData::Jump {
            target: BlockCall {
                block: iteration.header,
                args: [left].into_iter().chain(gathered).collect(),
            },
        });
        self.continue_in(iteration.after);
    }
}

/// A loop through lanes, between its beginning and its end.
struct LaneIteration {
    header: Block,
    after: Block,
    /// Bits of this lane and of those that are still to come.
    left: Value,
    /// What the lanes before have had.
    gathered: Option<Value>,
}
