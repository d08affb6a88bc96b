//! Operations across the active lanes of a gang, and across all work-items of a work-group.

use ir::eval;
use ir::*;

/// What one work-item brings to an operation, in the order of lanes or of local linear ids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// Lane, or local linear id.
    pub(super) id: u32,
    /// Its operands' bits.
    pub(super) args: &'a [u64],
}

/// The result for each of the active lanes. `elem` is the type of the first operand.
pub(super) fn sub_group(op: SubGroupOp, elem: Elem, parts: &[Part]) -> Vec<u64> {
    let all_the_same = |bits: u64| vec![bits; parts.len()];
    match op {
        SubGroupOp::All => all_the_same(u64::from(parts.iter().all(|part| part.args[0] != 0))),
        SubGroupOp::Any => all_the_same(u64::from(parts.iter().any(|part| part.args[0] != 0))),
        SubGroupOp::AllEqual => {
            let equal = |a: u64, b: u64| match elem.is_float() {
                true => eval::float_compare(FloatCc::Oeq, elem, a, b),
                false => a == b,
            };
            all_the_same(u64::from(parts.iter().all(|part| equal(part.args[0], parts[0].args[0]))))
        }
        SubGroupOp::Ballot => {
            let voters = parts.iter().filter(|part| part.args[0] != 0 && part.id < 32);
            all_the_same(voters.fold(0, |bits, part| bits | 1 << part.id))
        }
        SubGroupOp::Elect => (0..parts.len()).map(|index| u64::from(index == 0)).collect(),
        SubGroupOp::BroadcastFirst => all_the_same(parts[0].args[0]),
        SubGroupOp::Broadcast | SubGroupOp::Shuffle => parts.iter().map(|part| of(parts, part.args[1])).collect(),
        SubGroupOp::Reduce(op) => all_the_same(reduce(op, elem, parts)),
        SubGroupOp::InclusiveScan(op) => scan(op, elem, parts, true),
        SubGroupOp::ExclusiveScan(op) => scan(op, elem, parts, false),
        SubGroupOp::ClusteredReduce(op, size) => {
            let mut results = Vec::with_capacity(parts.len());
            let size = u32::from(size).max(1);
            for cluster in parts.chunk_by(|a, b| a.id / size == b.id / size) {
                let bits = reduce(op, elem, cluster);
                results.extend(cluster.iter().map(|_| bits));
            }
            results
        }
    }
}

/// The result for each work-item that takes part. `linear_id` makes a local linear id of a local id.
pub(super) fn work_group(op: WorkGroupOp, elem: Elem, parts: &[Part], linear_id: impl Fn([u64; 3]) -> u64) -> Vec<u64> {
    let all_the_same = |bits: u64| vec![bits; parts.len()];
    match op {
        WorkGroupOp::All => all_the_same(u64::from(parts.iter().all(|part| part.args[0] != 0))),
        WorkGroupOp::Any => all_the_same(u64::from(parts.iter().any(|part| part.args[0] != 0))),
        WorkGroupOp::Broadcast => {
            let from = |part: &Part| linear_id([part.args[1], part.args[2], part.args[3]]);
            parts.iter().map(|part| of(parts, from(part))).collect()
        }
        WorkGroupOp::Shuffle => parts.iter().map(|part| of(parts, part.args[1])).collect(),
        WorkGroupOp::Reduce(op) => all_the_same(reduce(op, elem, parts)),
        WorkGroupOp::InclusiveScan(op) => scan(op, elem, parts, true),
        WorkGroupOp::ExclusiveScan(op) => scan(op, elem, parts, false),
    }
}

/// The value of another work-item; 0 if that does not take part.
fn of(parts: &[Part], id: u64) -> u64 {
    parts.iter().find(|part| u64::from(part.id) == id).map_or(0, |part| part.args[0])
}

fn reduce(op: ReduceOp, elem: Elem, parts: &[Part]) -> u64 {
    let values = parts.iter().map(|part| part.args[0]);
    values
        .reduce(|a, b| eval::binary(op.binary(), elem, a, b))
        .unwrap_or(op.identity(elem))
}

fn scan(op: ReduceOp, elem: Elem, parts: &[Part], inclusive: bool) -> Vec<u64> {
    let mut results = Vec::with_capacity(parts.len());
    let mut sum = None;
    for part in parts {
        let before = sum;
        let value = part.args[0];
        sum = Some(sum.map_or(value, |sum| eval::binary(op.binary(), elem, sum, value)));
        let result = if inclusive { sum } else { before };
        results.push(result.unwrap_or(op.identity(elem)));
    }
    results
}
