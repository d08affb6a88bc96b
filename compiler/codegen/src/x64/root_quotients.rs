//! Quotients by square roots, made of the machine's estimate of inverses where a block waits for the unit that divides.
//!
//! AVX estimates the inverses of floats to 11 bits, but not those of subnormal numbers, nor inverses that are subnormal. A root is neither, so the
//! estimate and two terms of the series give its inverse within a unit, in six operations of the units that multiply. A quotient keeps the
//! unit that divides for five cycles (and a root as long), while others go on: so it depends on the block which of the two is less.

use super::estimates::{MINUS, PLUS};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, Elem, Flags, Inst, InstData, Type, UnaryOp, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Cycles that a quotient or a root of eight floats keeps the unit busy, on processors of AMD and Intel since 2017: five or six.
const DIVISION: usize = 5;
/// The same of four doubles: eight or nine.
const DIVISION_OF_DOUBLES: usize = 8;

/// Instructions on vectors that wait for their operands while later ones are computed: those of Skylake, which has the fewest.
const WINDOW: f32 = 97.0;

/// What a processor has to do for a block.
#[derive(Clone, Copy, Default)]
struct Load {
    /// Cycles of the unit that divides.
    dividing: usize,
    /// Operations of the two units that multiply.
    multiplied: usize,
    /// Operations of all three or four units for vectors.
    all: usize,
    /// Cycles of the longest chain of operations.
    chain: usize,
}

impl Load {
    /// Cycles that it takes. Units are never all busy while operations wait, nor are they all that these wait for, so both together take longer than either.
    fn cycles(self) -> f32 {
        let [dividing, multiplied, all] = [self.dividing, self.multiplied, self.all].map(|count| count as f32);
        let busy = dividing.max(multiplied / 2.0).max(all / 3.0);
        let waits = self.chain as f32 * all / (all + WINDOW);
        busy.hypot(waits)
    }
}

/// What an operation asks of a processor, for a register of lanes.
#[derive(Clone, Copy)]
struct Cost {
    dividing: usize,
    multiplied: usize,
    all: usize,
    latency: usize,
}

impl Selector<'_> {
    /// Looks for quotients by roots that need not be exact, and decides whether they are made of estimates.
    pub fn find_root_quotients(&mut self, insts: &[Inst]) {
        self.root_quotients.clear();
        if self.c.target.masks {
            return;
        }
        let found: SmallVec<[Value; 4]> = insts.iter().filter_map(|&inst| self.approximate_root_quotient(inst)).collect();
        if found.is_empty() {
            return;
        }
        let [exact, estimated] = [false, true].map(|estimated| self.load_of(insts, if estimated { &found } else { &[] }));
        // An eighth is the least that pays.
        if estimated.cycles() * 8.0 <= exact.cycles() * 7.0 {
            self.root_quotients = found;
        }
    }

    /// What a block asks of a processor if these quotients of it are made of estimates.
    fn load_of(&self, insts: &[Inst], estimated: &[Value]) -> Load {
        let mut load = Load::default();
        // When each value of the block is there, as far as its own operations go.
        let mut ready: FxHashMap<Value, usize> = FxHashMap::default();
        for &inst in insts {
            let node = self.func.inst(inst);
            let Some(&result) = node.results.first().filter(|&&result| self.func.ty(result).is_vector()) else {
                continue;
            };
            let ty = self.func.ty(result);
            let Some(cost) = self.cost_of(&node.data, ty, estimated.contains(&result)) else {
                continue;
            };
            let mut at = 0;
            node.data
                .for_each_operand(|operand| at = at.max(ready.get(operand).copied().unwrap_or(0)));
            ready.insert(result, at + cost.latency);
            let parts = self.c.target.part_count(ty.lanes, ty.elem.bytes());
            load.dividing += cost.dividing * parts;
            load.multiplied += cost.multiplied * parts;
            load.all += cost.all * parts;
            load.chain = load.chain.max(at + cost.latency);
        }
        load
    }

    fn cost_of(&self, data: &InstData, ty: Type, estimated: bool) -> Option<Cost> {
        let cost = |dividing, multiplied, all, latency| {
            Some(Cost {
                dividing,
                multiplied,
                all,
                latency,
            })
        };
        let division = if ty.elem == Elem::F64 { DIVISION_OF_DOUBLES } else { DIVISION };
        match data {
            // The estimate, three products with sums, a comparison and a choice.
            InstData::Binary { op: BinaryOp::FDiv, .. } if estimated => cost(0, 3, 6, 22),
            InstData::Binary { op: BinaryOp::FDiv, .. } => cost(division, 0, 1, 12),
            InstData::Unary { op: UnaryOp::Sqrt, .. } => cost(division, 0, 1, 15),
            InstData::Binary { op: BinaryOp::FMul, .. } | InstData::Fma { .. } => cost(0, 1, 1, 4),
            InstData::Binary {
                op: BinaryOp::FAdd | BinaryOp::FSub,
                ..
            } => cost(0, usize::from(!self.c.target.adds_apart), 1, 4),
            InstData::FloatCompare { .. } | InstData::Convert { .. } => cost(0, 0, 1, 4),
            InstData::Binary { .. } | InstData::Unary { .. } | InstData::Select { .. } | InstData::IntCompare { .. } => cost(0, 0, 1, 1),
            _ => None,
        }
    }

    /// The result of a quotient by a root that may be approximate.
    fn approximate_root_quotient(&self, inst: Inst) -> Option<Value> {
        let node = self.func.inst(inst);
        let InstData::Binary {
            op: BinaryOp::FDiv,
            args: [_, root],
        } = node.data
        else {
            return None;
        };
        let is_estimated = node.flags.contains(Flags::AFN) && !node.flags.contains(Flags::ROUGH) && self.c.target.estimates;
        let of_floats = self.func.ty(root).elem == Elem::F32 && self.root_of(root).is_some();
        (is_estimated && of_floats && !self.passed_over.contains(&root)).then(|| node.results[0])
    }

    /// A quotient by a root, within a unit or two.
    pub fn root_quotient(&mut self, [dividend, root]: [Value; 2]) -> Parts {
        let inverse = self.inverse_of_root(root);
        if self.func.constant(dividend) == Some(1f32.to_bits().into()) {
            return inverse;
        }
        let ty = self.func.ty(dividend);
        let dividend = self.sources(dividend);
        let regs: Registers = (0..inverse.regs.len())
            .map(|part| self.c.v3(&ops::VMULPS, inverse.size(), inverse.regs[part], dividend[part]))
            .collect();
        Parts::new(ty, inverse.bytes, regs)
    }

    /// r (1 + e + e^2) for e = 1 - y r.
    fn inverse_of_root(&mut self, root: Value) -> Parts {
        let y = self.get(root);
        let (ty, size): (Type, _) = (y.ty, y.size());
        let one = self.splat_bits(size, y.bytes, 1f32.to_bits().into());
        self.map(&y, |s, y| {
            let inverse = s.c.v2(&ops::VRCPPS, size, y);
            let error = s.fused(ty, MINUS, y, inverse, one);
            let series = s.fused(ty, PLUS, error, error, error);
            let refined = s.fused(ty, PLUS, inverse, series, inverse);
            s.where_number(size, refined, inverse)
        })
    }
}
