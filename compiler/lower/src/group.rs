//! Operations across a sub-group or work-group (SPIR-V specification, sections 3.52.21 and 3.52.24; SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote,
//! SPV_KHR_uniform_group_instructions, SPV_KHR_subgroup_rotate, SPV_INTEL_subgroups).

use super::Failure;
use super::arithmetic::{from_mask, resize_int};
use super::checked::needs_all;
use super::composite::select_component;
use super::function::{Lowering, Result};
use super::shape::{self, Leaf};
use super::value::{Pointer, Scalars};
use ir::*;
use rspirv::spirv::{GroupOperation, Op};
use spirv::{Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn group(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let op = inst.op();
        if needs_all(op) && self.scope(inst.word(0)) == Scope::SubGroup {
            self.check_converged();
        }
        if let Some(combine) = combination(op) {
            self.combine(inst, combine)?;
            return Ok(true);
        }
        match op {
            Op::GroupAll | Op::GroupAny => {
                let all = op == Op::GroupAll;
                let mask = self.scalar(inst.word(1))?;
                let result = match self.scope(inst.word(0)) {
                    Scope::SubGroup => self.b().sub_group(if all { SubGroupOp::All } else { SubGroupOp::Any }, &[mask]),
                    _ => self.work_group(if all { WorkGroupOp::All } else { WorkGroupOp::Any }, &[mask]),
                };
                self.define_scalar(inst, result);
            }
            Op::GroupBroadcast => self.group_broadcast(inst)?,
            Op::GroupNonUniformElect => {
                let result = self.b().sub_group(SubGroupOp::Elect, &[]);
                self.define_scalar(inst, result);
            }
            Op::GroupNonUniformAll | Op::SubgroupAllKHR => self.vote(inst, SubGroupOp::All)?,
            Op::GroupNonUniformAny | Op::SubgroupAnyKHR => self.vote(inst, SubGroupOp::Any)?,
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
                let values = self.scalars(last(inst, op == Op::GroupNonUniformAllEqual))?;
                let equal = values.iter().map(|&value| self.b().sub_group(SubGroupOp::AllEqual, &[value]));
                let equal: Scalars = equal.collect();
                let Some(all) = equal.into_iter().reduce(|x, y| self.b().and(x, y)) else {
                    return Err(Failure::Unsupported);
                };
                self.define_scalar(inst, all);
            }
            Op::GroupNonUniformBroadcast => {
                let lane = self.lane_operand(inst.word(2))?;
                self.exchange(inst, inst.word(1), SubGroupOp::Broadcast, Some(lane))?;
            }
            Op::SubgroupReadInvocationKHR => {
                let lane = self.lane_operand(inst.word(1))?;
                self.exchange(inst, inst.word(0), SubGroupOp::Broadcast, Some(lane))?;
            }
            Op::GroupNonUniformBroadcastFirst => self.exchange(inst, inst.word(1), SubGroupOp::BroadcastFirst, None)?,
            Op::SubgroupFirstInvocationKHR => self.exchange(inst, inst.word(0), SubGroupOp::BroadcastFirst, None)?,
            Op::GroupNonUniformBallot => self.ballot(inst, inst.word(1))?,
            Op::SubgroupBallotKHR => self.ballot(inst, inst.word(0))?,
            Op::GroupNonUniformInverseBallot => {
                let lane = self.builtin(Builtin::SubGroupLocalId, 0);
                self.ballot_bit(inst, inst.word(1), lane)?;
            }
            Op::GroupNonUniformBallotBitExtract => {
                let lane = self.lane_operand(inst.word(2))?;
                self.ballot_bit(inst, inst.word(1), lane)?;
            }
            Op::GroupNonUniformBallotBitCount => self.ballot_count(inst)?,
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let ballot = self.existing_bits(inst.word(1))?;
                let top = self.i32(31);
                let mut b = self.b();
                let position = if op == Op::GroupNonUniformBallotFindLSB {
                    b.unary(UnaryOp::Ctz, ballot)
                } else {
                    let zeros = b.unary(UnaryOp::Clz, ballot);
                    b.sub(top, zeros)
                };
                let elem = self.result_elem(inst)?;
                let position = resize_int(&mut self.b(), elem, position, false);
                self.define_scalar(inst, position);
            }
            Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor | Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                let operand = self.lane_operand(inst.word(2))?;
                let lane = self.relative_lane(op, operand);
                self.exchange(inst, inst.word(1), SubGroupOp::Shuffle, Some(lane))?;
            }
            Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => {
                let operand = self.lane_operand(inst.word(1))?;
                let lane = self.relative_lane(op, operand);
                self.exchange(inst, inst.word(0), SubGroupOp::Shuffle, Some(lane))?;
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => self.shuffle_two(inst)?,
            Op::GroupNonUniformRotateKHR => self.rotate(inst)?,
            Op::SubgroupBlockReadINTEL => self.block_read(inst)?,
            Op::SubgroupBlockWriteINTEL => self.block_write(inst)?,
            Op::GroupAsyncCopy => self.async_copy(inst)?,
            Op::GroupWaitEvents => {
                let scope = self.scope(inst.word(0));
                self.check_events(inst.word(1), inst.word(2))?;
                self.barrier(scope, Order::AcquireRelease, scope);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn work_group(&mut self, op: WorkGroupOp, args: &[Value]) -> Value {
        self.b().value(InstData::WorkGroup {
            op,
            args: ValueList::from_slice(args),
        })
    }

    /// An integer operand as the number of a lane.
    fn lane_operand(&mut self, id: Id) -> Result<Value> {
        let value = self.scalar(id)?;
        Ok(resize_int(&mut self.b(), Elem::I32, value, false))
    }

    fn vote(&mut self, inst: &Instruction<'m>, op: SubGroupOp) -> Result<()> {
        let mask = self.scalar(last(inst, matches!(inst.op(), Op::GroupNonUniformAll | Op::GroupNonUniformAny)))?;
        let result = self.b().sub_group(op, &[mask]);
        self.define_scalar(inst, result);
        Ok(())
    }

    /// Reductions and scans: scope, operation, value, and a cluster's size for clustered ones.
    fn combine(&mut self, inst: &Instruction<'m>, op: ReduceOp) -> Result<()> {
        let scope = self.scope(inst.word(0));
        let operation = GroupOperation::from_u32(inst.word(1)).ok_or(Failure::Unsupported)?;
        let values = self.scalars(inst.word(2))?;
        let mut results = Scalars::new();
        if scope == Scope::SubGroup {
            let sub_group_op = match operation {
                GroupOperation::Reduce => SubGroupOp::Reduce(op),
                GroupOperation::InclusiveScan => SubGroupOp::InclusiveScan(op),
                GroupOperation::ExclusiveScan => SubGroupOp::ExclusiveScan(op),
                GroupOperation::ClusteredReduce => {
                    let size = self
                        .literal(inst.word(3))
                        .filter(|size| size.is_power_of_two() && *size <= 128)
                        .ok_or(Failure::Unsupported)?;
                    SubGroupOp::ClusteredReduce(op, size as u8)
                }
                _ => return Err(Failure::Unsupported),
            };
            results.extend(values.iter().map(|&value| self.b().sub_group(sub_group_op, &[value])));
        } else {
            let work_group_op = match operation {
                GroupOperation::Reduce => WorkGroupOp::Reduce(op),
                GroupOperation::InclusiveScan => WorkGroupOp::InclusiveScan(op),
                GroupOperation::ExclusiveScan => WorkGroupOp::ExclusiveScan(op),
                _ => return Err(Failure::Unsupported),
            };
            results.extend(values.iter().map(|&value| self.work_group(work_group_op, &[value])));
        }
        self.define(inst, results);
        Ok(())
    }

    fn group_broadcast(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let id = self.scalars(inst.word(2))?;
        if self.scope(inst.word(0)) == Scope::SubGroup {
            let lane = resize_int(&mut self.b(), Elem::I32, id[0], false);
            return self.exchange(inst, inst.word(1), SubGroupOp::Broadcast, Some(lane));
        }
        let zero = self.i64(0);
        let mut place: Scalars = id.iter().map(|&id| resize_int(&mut self.b(), Elem::I64, id, false)).collect();
        place.resize(3, zero);
        self.by_value(inst, inst.word(1), |this, value| {
            this.work_group(WorkGroupOp::Broadcast, &[value, place[0], place[1], place[2]])
        })
    }

    /// Moves each component of a value between lanes.
    fn exchange(&mut self, inst: &Instruction<'m>, value: Id, op: SubGroupOp, lane: Option<Value>) -> Result<()> {
        self.by_value(inst, value, |this, value| match lane {
            Some(lane) => this.b().sub_group(op, &[value, lane]),
            None => this.b().sub_group(op, &[value]),
        })
    }

    /// Component by component, truth values as integers.
    fn by_value(&mut self, inst: &Instruction<'m>, value: Id, mut f: impl FnMut(&mut Self, Value) -> Value) -> Result<()> {
        let values = self.scalars(value)?;
        let mut results = Scalars::new();
        for &value in &values {
            results.push(if self.func.ty(value) == Type::MASK {
                let number = from_mask(&mut self.b(), value, Type::I32);
                let moved = f(self, number);
                self.b().icmp_imm(IntCc::Ne, moved, 0)
            } else {
                f(self, value)
            });
        }
        self.define(inst, results);
        Ok(())
    }

    fn relative_lane(&mut self, op: Op, operand: Value) -> Value {
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let mut b = self.b();
        match op {
            Op::GroupNonUniformShuffleXor | Op::SubgroupShuffleXorINTEL => b.xor(lane, operand),
            Op::GroupNonUniformShuffleUp => b.sub(lane, operand),
            Op::GroupNonUniformShuffleDown => b.add(lane, operand),
            _ => operand,
        }
    }

    /// SPV_INTEL_subgroups: two values side by side, of which each lane takes the one `delta` lanes up or down.
    fn shuffle_two(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let (first, second) = (self.scalars(inst.word(0))?, self.scalars(inst.word(1))?);
        let delta = self.lane_operand(inst.word(2))?;
        let (lane, size) = (self.builtin(Builtin::SubGroupLocalId, 0), self.builtin(Builtin::SubGroupMaxSize, 0));
        let b = &mut self.b();
        // The position in `first` followed by `second`.
        let position = if inst.op() == Op::SubgroupShuffleDownINTEL {
            b.add(lane, delta)
        } else {
            let own = b.add(lane, size);
            b.sub(own, delta)
        };
        let in_first = b.icmp(IntCc::Ult, position, size);
        let beyond = b.sub(position, size);
        let from = b.select(in_first, position, beyond);
        let mut results = Scalars::new();
        for (&first, &second) in first.iter().zip(&second) {
            let (x, y) = (
                b.sub_group(SubGroupOp::Shuffle, &[first, from]),
                b.sub_group(SubGroupOp::Shuffle, &[second, from]),
            );
            results.push(b.select(in_first, x, y));
        }
        self.define(inst, results);
        Ok(())
    }

    /// SPV_KHR_subgroup_rotate: within the whole group, or within clusters of consecutive work-items.
    fn rotate(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let sub_group = self.scope(inst.word(0)) == Scope::SubGroup;
        let delta = self.scalar(inst.word(2))?;
        let elem = if sub_group { Elem::I32 } else { Elem::I64 };
        let ty = Type::scalar(elem);
        let own = self.builtin(
            if sub_group {
                Builtin::SubGroupLocalId
            } else {
                Builtin::LocalLinearId
            },
            0,
        );
        let delta = resize_int(&mut self.b(), elem, delta, false);
        let sum = self.b().add(own, delta);
        let cluster = inst.operands.get(3).and_then(|&id| self.literal(id));
        let target = match cluster {
            Some(size) => {
                let mask = self.constant(ty, size.wrapping_sub(1));
                let mut b = self.b();
                // The cluster's first work-item, and the position in it.
                let outside = b.not(mask);
                let (first, position) = (b.and(own, outside), b.and(sum, mask));
                b.or(first, position)
            }
            None if sub_group => {
                let size = self.builtin(Builtin::SubGroupMaxSize, 0);
                self.b().binary(BinaryOp::URem, sum, size)
            }
            None => {
                let size = self.group_size();
                self.b().binary(BinaryOp::URem, sum, size)
            }
        };
        self.by_value(inst, inst.word(1), |this, value| match sub_group {
            true => this.b().sub_group(SubGroupOp::Shuffle, &[value, target]),
            false => this.work_group(WorkGroupOp::Shuffle, &[value, target]),
        })
    }

    /// Work-items in the group.
    pub(super) fn group_size(&mut self) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dimension| self.builtin(Builtin::LocalSize, dimension));
        let b = &mut self.b();
        let plane = b.mul(x, y);
        b.mul(plane, z)
    }

    // Ballots: 128 bits, of which gangs use the lowest 32 at most.

    fn ballot(&mut self, inst: &Instruction<'m>, mask: Id) -> Result<()> {
        let mask = self.scalar(mask)?;
        let bits = self.b().sub_group(SubGroupOp::Ballot, &[mask]);
        let zero = self.i32(0);
        let (count, _) = self.spirv.components(inst.result_type);
        let mut words = Scalars::from_slice(&[bits]);
        words.resize(count as usize, zero);
        self.define(inst, words);
        Ok(())
    }

    fn ballot_bit(&mut self, inst: &Instruction<'m>, ballot: Id, index: Value) -> Result<()> {
        let words = self.scalars(ballot)?;
        let b = &mut self.b();
        let word = b.binary_imm(BinaryOp::LShr, index, 5);
        let word = select_component(b, &words, word);
        let down = b.binary(BinaryOp::LShr, word, index);
        let bit = b.binary_imm(BinaryOp::And, down, 1);
        let set = b.icmp_imm(IntCc::Ne, bit, 0);
        self.define_scalar(inst, set);
        Ok(())
    }

    /// The bits of a ballot that are about lanes that exist.
    fn existing_bits(&mut self, ballot: Id) -> Result<Value> {
        let word = self.scalars(ballot)?[0];
        let size = self.builtin(Builtin::SubGroupMaxSize, 0);
        let (ones, width) = (self.i32(-1), self.i32(32));
        let b = &mut self.b();
        let unused = b.sub(width, size);
        let existing = b.binary(BinaryOp::LShr, ones, unused);
        Ok(b.and(word, existing))
    }

    fn ballot_count(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let bits = self.existing_bits(inst.word(2))?;
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let one = self.i32(1);
        let elem = self.result_elem(inst)?;
        let b = &mut self.b();
        let own = b.binary(BinaryOp::Shl, one, lane);
        let before = b.sub(own, one);
        let counted = match GroupOperation::from_u32(inst.word(1)) {
            Some(GroupOperation::Reduce) => bits,
            Some(GroupOperation::InclusiveScan) => {
                let up_to = b.or(before, own);
                b.and(bits, up_to)
            }
            Some(GroupOperation::ExclusiveScan) => b.and(bits, before),
            _ => return Err(Failure::Unsupported),
        };
        let count = b.unary(UnaryOp::Popcnt, counted);
        let count = resize_int(b, elem, count, false);
        self.define_scalar(inst, count);
        Ok(())
    }

    // Memory.

    /// Where a lane finds component `n` of a block: elements of all lanes stand side by side.
    fn block_place(&mut self, pointer: Pointer, component: u32, bytes: u64) -> Pointer {
        let lane = self.builtin(Builtin::SubGroupLocalId, 0);
        let index = if component == 0 {
            lane
        } else {
            let size = self.builtin(Builtin::SubGroupMaxSize, 0);
            let b = &mut self.b();
            let before = b.binary_imm(BinaryOp::Mul, size, i64::from(component));
            b.add(before, lane)
        };
        self.step(pointer, index, bytes)
    }

    fn block_read(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let pointer = self.pointer(inst.word(0))?;
        let (count, _) = self.spirv.components(inst.result_type);
        let elem = self.result_elem(inst)?;
        let mut results = Scalars::new();
        for component in 0..count {
            let place = self.block_place(pointer, component, u64::from(elem.bytes()));
            results.push(self.load_leaf(&Leaf { elem, offset: 0 }, &place, elem.bytes(), MemFlags::empty()));
        }
        self.define(inst, results);
        Ok(())
    }

    fn block_write(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let pointer = self.pointer(inst.word(0))?;
        let values = self.scalars(inst.word(1))?;
        for (component, &value) in values.iter().enumerate() {
            let elem = self.func.ty(value).elem;
            let place = self.block_place(pointer, component as u32, u64::from(elem.bytes()));
            self.store_leaf(&Leaf { elem, offset: 0 }, value, &place, elem.bytes(), MemFlags::empty());
        }
        Ok(())
    }

    /// Each work-item of the group copies its share; who waits for the event waits at a barrier.
    fn async_copy(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let (to, from) = (self.pointer(inst.word(1))?, self.pointer(inst.word(2))?);
        let (count, stride) = (self.scalar(inst.word(3))?, self.scalar(inst.word(4))?);
        let Some((_, element)) = self.spirv.value_type(inst.word(1)).pointer() else {
            return Err(Failure::Unsupported);
        };
        let size = shape::size(self.spirv, element)?;
        let (start, step) = if self.scope(inst.word(0)) == Scope::SubGroup {
            let (lane, lanes) = (self.builtin(Builtin::SubGroupLocalId, 0), self.builtin(Builtin::SubGroupSize, 0));
            let b = &mut self.b();
            (resize_int(b, Elem::I64, lane, false), resize_int(b, Elem::I64, lanes, false))
        } else {
            (self.builtin(Builtin::LocalLinearId, 0), self.group_size())
        };
        let b = &mut self.b();
        let (count, stride) = (resize_int(b, Elem::I64, count, false), resize_int(b, Elem::I64, stride, false));
        let unstrided = self.func.constant(stride) == Some(1);
        let to_local = to.space == Space::Local;
        self.count_loop(start, count, step, |this, index| {
            // The stride is global memory's.
            let far = if unstrided { index } else { this.b().mul(index, stride) };
            let (to_index, from_index) = if to_local { (index, far) } else { (far, index) };
            let (to, from) = (this.step(to, to_index, size), this.step(from, from_index, size));
            let value = this.load_plain(element, &from)?;
            this.store_plain(element, value, &to)
        })?;
        let event = self.scalar(inst.word(5))?;
        let event = self.check_event(event, true);
        self.define_scalar(inst, event);
        Ok(())
    }
}

/// The operand behind the scope, where there is a scope.
fn last(inst: &Instruction, scoped: bool) -> Id {
    inst.word(usize::from(scoped))
}

/// How the group operations combine values.
fn combination(op: Op) -> Option<ReduceOp> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => ReduceOp::Add,
        Op::GroupFAdd | Op::GroupNonUniformFAdd => ReduceOp::FAdd,
        Op::GroupFMin | Op::GroupNonUniformFMin => ReduceOp::FMin,
        Op::GroupUMin | Op::GroupNonUniformUMin => ReduceOp::UMin,
        Op::GroupSMin | Op::GroupNonUniformSMin => ReduceOp::SMin,
        Op::GroupFMax | Op::GroupNonUniformFMax => ReduceOp::FMax,
        Op::GroupUMax | Op::GroupNonUniformUMax => ReduceOp::UMax,
        Op::GroupSMax | Op::GroupNonUniformSMax => ReduceOp::SMax,
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => ReduceOp::Mul,
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => ReduceOp::FMul,
        Op::GroupBitwiseAndKHR | Op::GroupNonUniformBitwiseAnd | Op::GroupLogicalAndKHR | Op::GroupNonUniformLogicalAnd => ReduceOp::And,
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => ReduceOp::Or,
        Op::GroupBitwiseXorKHR | Op::GroupNonUniformBitwiseXor | Op::GroupLogicalXorKHR | Op::GroupNonUniformLogicalXor => ReduceOp::Xor,
        _ => return None,
    })
}
