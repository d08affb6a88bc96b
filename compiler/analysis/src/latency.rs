//! Latencies of instructions, in cycles, by the machine's.

use crate::products::Digits;
use crate::uniformity::{Shape, Uniformity};
use ir::{BinaryOp, Block, ConvertOp, Function, InstData, UnaryOp, Value};
use rustc_hash::FxHashMap;
use target::Costs;
use target::costs::Latencies;

/// Each lane accesses memory at a place of its own.
pub fn is_scattered(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Load { address, .. } | InstData::Store { address, .. } => func.is_scattered(address),
        _ => false,
    }
}

/// Cycles until the result of an instruction is there, where lanes have places of their own: these go through memory to be used, and what is
/// loaded is put together again. Products of vectors take longer than sums, unless they become such at no cost.
pub fn latency_of(func: &Function, data: &InstData, costs: &Costs) -> u32 {
    let latencies = &costs.latency;
    let scattered = if is_scattered(func, data) { latencies.scattered } else { 0 };
    scattered + vector_product(func, data, costs).unwrap_or_else(|| latency(data, latencies))
}

fn vector_product(func: &Function, data: &InstData, costs: &Costs) -> Option<u32> {
    let &InstData::Binary {
        op: BinaryOp::Mul,
        args: [value, _],
    } = data
    else {
        return None;
    };
    let product = costs.latency.of_product(func.ty(value).elem.bits());
    let is_free = |digits: &Digits| digits.surplus(costs) <= 0.0;
    let digits = Digits::of(func, data).filter(is_free);
    func.ty(value)
        .is_vector()
        .then(|| digits.map_or(product, |digits| digits.latency(&costs.latency).min(product)))
}

/// Cycles until the result of an instruction is there, about.
pub fn latency(data: &InstData, latencies: &Latencies) -> u32 {
    match data {
        InstData::Const { .. } => 0,
        InstData::Fma { .. } | InstData::Dot { .. } => latencies.float,
        InstData::Binary { op, .. } => match op {
            BinaryOp::FDiv | BinaryOp::FRem => latencies.float_division,
            op if op.is_int_division() => latencies.integer_division,
            op if op.is_float() => latencies.float,
            _ => latencies.simple,
        },
        InstData::Unary { op: UnaryOp::Sqrt, .. } => latencies.square_root,
        InstData::Unary {
            op: UnaryOp::Nearest | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::FTrunc,
            ..
        } => latencies.rounding,
        InstData::Load { .. } | InstData::LoadInterleaved { .. } => latencies.load,
        InstData::FloatCompare { .. } => latencies.float_comparison,
        InstData::Lane { .. } => latencies.lane,
        InstData::Convert {
            op: ConvertOp::FPromote | ConvertOp::FDemote,
            ..
        } => latencies.float_conversion,
        _ => latencies.simple,
    }
}

/// Cycles until the result of an instruction of a work-item's function is there in a gang.
pub fn latency_of_lanes(func: &Function, uniformity: &Uniformity, data: &InstData, costs: &Costs) -> u32 {
    match *data {
        InstData::Binary {
            op: BinaryOp::Mul,
            args: [a, b],
        } if [a, b].iter().any(|&arg| uniformity.shape(arg) == Shape::Varying) => costs.latency.of_product(func.ty(a).elem.bits()),
        _ => latency(data, &costs.latency),
    }
}

/// Cycles of the longest chain of instructions from the start of a loop's iteration to its end, by way of these of its blocks, in reverse postorder.
pub fn chain(func: &Function, blocks: &[Block], header: Block, latency: impl Fn(&InstData) -> u32) -> u32 {
    // By value: cycles since the iteration began.
    let mut ready: FxHashMap<Value, u32> = FxHashMap::default();
    let mut longest = 0;
    for &block in blocks {
        for &inst in &func.block(block).insts {
            let node = func.inst(inst);
            let mut start = 0;
            node.data
                .for_each_operand(|value| start = start.max(ready.get(value).copied().unwrap_or(0)));
            let done = start + latency(&node.data);
            ready.extend(node.results.iter().map(|&result| (result, done)));
            longest = longest.max(done);
        }
        for call in func.terminator(block).targets().into_iter().filter(|call| call.block != header) {
            for (arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                let done = ready.get(arg).copied().unwrap_or(0);
                let known = ready.entry(param).or_insert(0);
                *known = done.max(*known);
            }
        }
    }
    longest
}
