//! What a loop takes as vectors, and lane by lane.

use crate::recurrence;
use analysis::GangFacts;
use analysis::strides::{Access, Strides};
use analysis::uniformity::{Shape, Uniformity};
use ir::cfg::Loops;
use ir::*;
use target::Registers;

/// Turns of an inner loop in one of the loop around it, about.
const TURNS: f32 = 8.0;
/// Instructions of a vector loop that has a mask for the lanes that are left.
const MASKS: f32 = 8.0;
/// Instructions that a machine does at once: code full of gathers and masks, and scalars.
const AT_ONCE: [f32; 2] = [2.0, 3.0];
/// So much of the turns of the last lane that leaves a loop the lanes need on average.
const USED: f32 = 0.75;
/// So much of what a turn waits for itself is left when the machine does something else meanwhile.
const WAITED: f32 = 0.7;
/// What is gained must be worth changing from vectors to scalars and back.
const MARGIN: f32 = 1.2;

pub(super) struct Costs<'a> {
    pub func: &'a Function,
    pub loops: &'a Loops,
    pub uniformity: &'a Uniformity,
    pub strides: &'a Strides,
    pub tree: &'a DominatorTree,
    pub facts: &'a GangFacts,
    pub registers: Registers,
}

impl Costs<'_> {
    /// The loop takes less lane by lane than as vectors.
    pub fn are_lower(&self, index: usize) -> bool {
        let natural = &self.loops.loops[index];
        let (mut vectors, mut scalars, mut gathers) = (MASKS, 0.0, false);
        for &block in &natural.blocks {
            let turns = TURNS.powi((self.loops.depth(block) - natural.depth) as i32);
            // Vectors come to all blocks, a lane to those of its way.
            let always = natural.latches.iter().all(|&latch| self.tree.dominates(block, latch));
            let often = if always || turns > 1.0 { 1.0 } else { 0.5 };
            for &inst in &self.func.block(block).insts {
                gathers |= self.is_gather(inst);
                vectors += turns * self.vector(inst);
                scalars += turns * often * self.scalar(inst);
            }
        }
        let (turn, chases) = recurrence::longest(self.func, self.loops, index, |inst| self.is_gather(inst) && self.may_be_far(inst));
        let lanes = USED * self.facts.width as f32;
        gathers && !chases && MARGIN * lanes * f32::max(scalars / AT_ONCE[1], WAITED * turn as f32) < vectors / AT_ONCE[0]
    }

    fn access(&self, inst: Inst) -> Option<(Access, Type)> {
        let (address, mem, ty) = match &self.func.inst(inst).data {
            InstData::Load { address, mem, ty, .. } => (address, mem, *ty),
            InstData::Store { address, mem, value, .. } => (address, mem, self.func.ty(*value)),
            _ => return None,
        };
        let access = (address, *mem, ty.elem.bytes());
        Some((self.strides.access(self.func, self.uniformity, self.facts, access), ty))
    }

    fn is_gather(&self, inst: Inst) -> bool {
        matches!(self.access(inst), Some((Access::Scattered, _)))
    }

    /// It reads memory that need not be in the nearest cache, as private and local memory are.
    fn may_be_far(&self, inst: Inst) -> bool {
        match &self.func.inst(inst).data {
            InstData::Load { mem, .. } => !matches!(mem.space, Space::Private | Space::Local),
            _ => false,
        }
    }

    /// Instructions for a gang, about.
    fn vector(&self, inst: Inst) -> f32 {
        let (width, node) = (self.facts.width as f32, self.func.inst(inst));
        let registers = |ty: Type| (ty.elem.bytes() as f32 * width / self.registers.bytes as f32).max(1.0);
        let varies = |value: Value| self.uniformity.shape(value) == Shape::Varying;
        if let Some((access, ty)) = self.access(inst) {
            return match access {
                Access::One => 1.0,
                Access::Consecutive | Access::ConsecutiveWhereActive => registers(ty) + 1.0,
                // The longest vectors have gathers that take about a cycle a lane; of shorter elements they gather what is around them.
                Access::Scattered if self.registers.bytes == 64 => 2.0 * width + if ty.elem.bytes() < 4 { 8.0 } else { 0.0 },
                Access::Scattered if ty.elem.bytes() < 4 => 4.0 * width,
                Access::Scattered => 2.5 * width,
            };
        }
        match &node.data {
            InstData::Const { .. } | InstData::Jump { .. } => 0.0,
            InstData::Branch { condition, .. } if varies(*condition) => 4.0,
            InstData::Switch { value, cases, .. } if varies(*value) => 4.0 * cases.len() as f32,
            InstData::IntCompare { args: [a, _], .. } | InstData::FloatCompare { args: [a, _], .. } if varies(node.results[0]) => {
                registers(self.func.ty(*a))
            }
            data => match node.results.first() {
                Some(&result) if varies(result) => registers(self.func.ty(result)) * weight(data),
                _ => 1.0,
            },
        }
    }

    /// Instructions for a lane, about. The machine's loads extend and scale what they take.
    fn scalar(&self, inst: Inst) -> f32 {
        match &self.func.inst(inst).data {
            InstData::Const { .. } | InstData::Jump { .. } => 0.0,
            // A comparison and its branch are one.
            InstData::IntCompare { .. } => 0.0,
            InstData::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                ..
            } => 0.5,
            InstData::Switch { cases, .. } => cases.len() as f32,
            data => weight(data),
        }
    }
}

fn weight(data: &InstData) -> f32 {
    match data {
        InstData::Binary {
            op: BinaryOp::FDiv | BinaryOp::FRem,
            ..
        }
        | InstData::Unary { op: UnaryOp::Sqrt, .. } => 6.0,
        InstData::Binary { op, .. } if op.is_int_division() => 16.0,
        _ => 1.0,
    }
}
