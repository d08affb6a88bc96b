//! Cooperative matrices (SPV_KHR_cooperative_matrix), spread over sub-groups of [`SUB_GROUP_SIZE`] work-items.
//!
//! Elements are numbered row by row. Element `e` is a work-item's component `e / SUB_GROUP_SIZE`, and the work-item is lane `e % SUB_GROUP_SIZE`: of a
//! matrix with 16 columns, a work-item has a column, and what it does to its components is done to whole rows by vectors. Bytes that are multiplied are
//! numbered by fours ([`order`]). From here on a matrix is its
//! components in a work-item, scalars like those of an array. What looks across lanes are sub-group operations, so that vectorization, the interpreter
//! and every back end need to know nothing of matrices.

mod bounds;
mod load_store;
mod order;
mod product;
mod sub_group_product;

use super::function::{Lowering, Result};
use super::value::Scalars;
use super::{Failure, shape};
use ir::*;
use order::Place;
use rspirv::spirv::Op;
use spirv::{Id, Instruction, MatrixType, Module, newer};
use vendors::matrices::SUB_GROUP_SIZE;

/// Lanes of a sub-group.
const LANES: u32 = SUB_GROUP_SIZE;

/// The size of sub-groups that an instruction is for, if it loads, stores or multiplies matrices; else 0.
pub(super) fn sub_group_size(spirv: &Module, inst: &Instruction) -> u32 {
    match inst.op() {
        Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixMulAddKHR => LANES,
        newer::LOAD_CHECKED | newer::STORE_CHECKED | newer::CONSTRUCT_CHECKED | newer::ELEMENT_COORDINATE => LANES,
        newer::JOINT_LOAD | newer::JOINT_STORE => LANES,
        op if newer::is_joint_product(op) => LANES,
        Op::SubgroupMatrixMultiplyAccumulateINTEL => sub_group_product::operand(spirv, inst.word(1)).map_or(0, |a| a.sub_group_size()),
        _ => 0,
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn matrix(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::CooperativeMatrixLengthKHR => {
                let length = self.matrix_type(inst.word(0))?.length;
                let length = self.i32(length as i32);
                self.define_scalar(inst, length);
            }
            Op::CooperativeMatrixLoadKHR => {
                self.check_converged();
                let memory = self.matrix_memory(inst, inst.result_type, [1, 2, 3])?;
                self.matrix_load(inst, memory)?;
            }
            Op::CooperativeMatrixStoreKHR => {
                self.check_converged();
                let memory = self.matrix_memory(inst, self.spirv.type_of(inst.word(1)), [2, 3, 4])?;
                self.matrix_store(inst.word(1), memory)?;
            }
            newer::LOAD_CHECKED => {
                self.check_converged();
                let memory = self.matrix_memory(inst, inst.result_type, [3, 6, 7])?;
                let memory = self.bounded(inst, memory, [1, 4])?;
                self.matrix_load(inst, memory)?;
            }
            newer::STORE_CHECKED => {
                self.check_converged();
                let memory = self.matrix_memory(inst, self.spirv.type_of(inst.word(3)), [4, 7, 8])?;
                let memory = self.bounded(inst, memory, [1, 5])?;
                self.matrix_store(inst.word(3), memory)?;
            }
            newer::JOINT_LOAD => {
                self.check_converged();
                let memory = self.matrix_memory(inst, inst.result_type, [2, 1, 4])?;
                self.matrix_load(inst, memory)?;
            }
            newer::JOINT_STORE => {
                self.check_converged();
                let memory = self.matrix_memory(inst, self.spirv.type_of(inst.word(1)), [3, 2, 5])?;
                self.matrix_store(inst.word(1), memory)?;
            }
            newer::JOINT_LENGTH => {
                // A type, or a matrix of it.
                let id = inst.word(0);
                let type_id = if self.spirv.matrix(id).is_some() {
                    id
                } else {
                    self.spirv.type_of(id)
                };
                let length = self.matrix_type(type_id)?.length;
                let elem = shape::scalar(self.spirv.ty(inst.result_type)).ok_or(Failure::Unsupported)?;
                let length = self.constant(Type::scalar(elem), length.into());
                self.define_scalar(inst, length);
            }
            newer::CONSTRUCT_CHECKED => {
                self.check_converged();
                self.matrix_construct(inst)?;
            }
            newer::ELEMENT_COORDINATE => self.matrix_coordinate(inst)?,
            // A hint.
            newer::PREFETCH => {}
            op if op == Op::CooperativeMatrixMulAddKHR || newer::is_joint_product(op) => {
                self.check_converged();
                self.matrix_product(inst)?;
            }
            Op::SubgroupMatrixMultiplyAccumulateINTEL => {
                self.check_converged();
                self.sub_group_product(inst)?;
            }
            Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF | Op::UConvert | Op::SConvert => {
                return self.matrix_conversion(inst);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A conversion between bytes and other types, whose elements are in another order.
    fn matrix_conversion(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let types = [self.spirv.type_of(inst.word(0)), inst.result_type].map(|type_id| self.spirv.matrix(type_id).copied());
        let [Some(from), Some(to)] = types else { return Ok(false) };
        let (from, to) = (self.matrix_order(&from), self.matrix_order(&to));
        if from == to {
            return Ok(false);
        }
        let done = self.conversion(inst)?;
        let converted = self.scalars(inst.result)?;
        let reordered = self.reorder(&converted, from, to);
        self.define(inst, reordered);
        Ok(done)
    }

    fn matrix_type(&self, type_id: Id) -> Result<MatrixType> {
        self.spirv.matrix(type_id).copied().ok_or(Failure::Unsupported)
    }

    /// For each lane, the element of a matrix that is at the lane's place.
    fn fetch(&mut self, matrix: &Scalars, places: &[Place]) -> Value {
        let first = places[0];
        let component = |place: Place| matrix[place.component as usize];
        if places.iter().all(|&place| place == first) {
            let lane = self.i32(first.lane as i32);
            return self.b().sub_group(SubGroupOp::Broadcast, &[component(first), lane]);
        }
        let own = |(lane, place): (usize, &Place)| place.component == first.component && place.lane == lane as u32;
        if places.iter().enumerate().all(own) {
            return component(first);
        }
        let from = self.lane_table(places.iter().map(|place| place.lane));
        let mut sources: Vec<u32> = places.iter().map(|place| place.component).collect();
        sources.sort_unstable();
        sources.dedup();
        let moved: Vec<Value> = sources
            .iter()
            .map(|&source| self.b().sub_group(SubGroupOp::Shuffle, &[matrix[source as usize], from]))
            .collect();
        if let [value] = moved[..] {
            return value;
        }
        let position = |place: &Place| sources.iter().position(|&source| source == place.component).unwrap_or(0) as u32;
        let which = self.lane_table(places.iter().map(position));
        let b = &mut self.b();
        let mut result = moved[0];
        for (position, &value) in moved.iter().enumerate().skip(1) {
            let here = b.icmp_imm(IntCc::Eq, which, position as i64);
            result = b.select(here, value, result);
        }
        result
    }

    /// A number below 16 for each lane: an `i32`.
    fn lane_table(&mut self, numbers: impl Iterator<Item = u32>) -> Value {
        let digits = numbers
            .enumerate()
            .fold(0u64, |digits, (lane, number)| digits | u64::from(number) << (4 * lane));
        let (digits, lane) = (self.constant(Type::I64, digits), self.builtin(Builtin::SubGroupLocalId, 0));
        let b = &mut self.b();
        let lane = b.convert(ConvertOp::ZExt, Elem::I64, lane);
        let by = b.binary_imm(BinaryOp::Shl, lane, 2);
        let down = b.binary(BinaryOp::LShr, digits, by);
        let digit = b.convert(ConvertOp::Trunc, Elem::I32, down);
        b.binary_imm(BinaryOp::And, digit, 15)
    }
}
