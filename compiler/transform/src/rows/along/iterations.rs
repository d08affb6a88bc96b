//! Writes as many iterations at once as vectors along a row hold.

use super::Along;
use crate::rows::dots::Dot;
use crate::rows::row::{Row, Walk};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Writes as many iterations as there are lanes.
pub(super) struct Iterations<'a> {
    pub of: &'a Along<'a>,
    /// What is before the loop over the lanes, at its beginning, and the loop along the row.
    pub blocks: [Block; 3],
    /// The lane's number.
    pub lane: Value,
    /// The first iteration's.
    pub counter: Value,
    /// What the loop's values are for all these iterations, and what is for all iterations alike.
    pub map: FxHashMap<Value, Value>,
    /// Which of the loop's values are the same in all iterations.
    pub same: FxHashSet<Value>,
}

impl Iterations<'_> {
    /// What an instruction of the loop does in these iterations.
    pub fn write(&mut self, func: &mut Function, inst: Inst) {
        let (mut data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
        let results = func.inst(inst).results.clone();
        let [head, lanes, along] = self.blocks;
        let is_same = self.is_same(func, inst);
        if is_same {
            self.same.extend(&results);
        }
        let is_condition = matches!(data, InstData::IntCompare { .. }) && !func.ty(results[0]).is_vector();
        match &mut data {
            _ if self.of.rows.counts(func, inst) || is_condition => return,
            // Made where it is needed.
            InstData::Const { .. } => return,
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => {
                let value = self.vector(func, args[0]);
                self.map.insert(results[0], value);
                return;
            }
            InstData::Load { .. } if is_same => {
                let copy = func.append(head, data, flags);
                let loaded = self.vector(func, func.result(copy));
                self.map.insert(results[0], loaded);
                return;
            }
            InstData::Load {
                address, mask, passthru, ..
            } => {
                self.place(func, inst, address);
                (*mask, *passthru) = (None, None);
            }
            InstData::Store { address, mask, value, .. } => {
                self.place(func, inst, address);
                *mask = None;
                *value = self.vector(func, *value);
            }
            _ => data.for_each_operand_mut(|value| *value = self.vector(func, *value)),
        }
        if let InstData::Load { ty, .. } | InstData::Convert { ty, .. } = &mut data {
            *ty = ty.with_lanes(self.of.lanes);
        }
        let copy = func.append(if is_same { lanes } else { along }, data, flags);
        self.map.extend(results.into_iter().zip(func.inst(copy).results.clone()));
    }

    /// It does the same in all iterations.
    fn is_same(&self, func: &Function, inst: Inst) -> bool {
        let data = &func.inst(inst).data;
        if !data.is_pure() {
            return matches!(self.of.walk(func, inst), Some(Walk::Stays));
        }
        data.all_operands(|value| !self.of.own.contains(value) || self.same.contains(value))
    }

    /// Where the lane's row is that an instruction goes along, or what is there for all lanes.
    fn place(&mut self, func: &mut Function, inst: Inst, address: &mut Address) {
        if let Some(Walk::Rows(row)) = self.of.walk(func, inst) {
            let base = self.of_lane(func, row.base);
            let plus = row.plus.map(|plus| self.of_lane(func, plus));
            address.base = Row { base, plus, ..row }.beginning(&mut Builder::new(func, self.blocks[1]));
        }
        address.index = Some(self.counter);
    }

    /// The lane's part of what the loop doesn't change.
    fn of_lane(&self, func: &mut Function, value: Value) -> Value {
        let ty = func.ty(value);
        if !ty.is_vector() {
            return value;
        }
        Builder::new(func, self.blocks[1]).lane(LaneOp::ExtractDynamic, ty.with_lanes(1), &[value, self.lane])
    }

    /// What a value is in these iterations.
    fn vector(&mut self, func: &mut Function, value: Value) -> Value {
        if let Some(&known) = self.map.get(&value) {
            return known;
        }
        let [head, lanes, along] = self.blocks;
        let (ty, width) = (func.ty(value).with_lanes(self.of.lanes), self.of.lanes);
        let made = if let Some(bits) = func.constant(value) {
            Builder::new(func, head).constant(ty, bits)
        } else if value == self.of.counter {
            let b = &mut Builder::new(func, along);
            let (first, numbers) = (b.splat(width, self.counter), b.lane(LaneOp::Iota, ty, &[]));
            b.add(first, numbers)
        } else if func.ty(value).is_vector() {
            match func.def_data(value) {
                Some(InstData::Lane { op: LaneOp::Splat, .. }) => value,
                _ => {
                    let own = self.of_lane(func, value);
                    Builder::new(func, lanes).splat(width, own)
                }
            }
        } else {
            Builder::new(func, head).splat(width, value)
        };
        self.map.insert(value, made);
        made
    }

    /// A sum of products of bytes after these iterations.
    pub fn dot(&mut self, func: &mut Function, dot: &Dot, sum: Value) -> Value {
        let [.., along] = self.blocks;
        let [a, b] = dot.loads.map(|inst| {
            let mut data = func.inst(inst).data.clone();
            if let InstData::Load {
                ty,
                address,
                mask,
                passthru,
                ..
            } = &mut data
            {
                self.place(func, inst, address);
                *ty = Type::I32.with_lanes(self.of.lanes);
                // It says which lanes go along their rows, and here is one of those.
                (*mask, *passthru) = (None, None);
            }
            Builder::new(func, along).value(data)
        });
        Builder::new(func, along).dot(dot.op, a, b, sum)
    }
}
