//! Types of what instructions give: the text does not say them, and they may follow from instructions that come later.

use super::{ParseError, Result};
use crate::*;
use std::collections::{HashMap, HashSet};

/// An instruction as it stands in the text: its results' types may depend on instructions that come later.
pub(super) struct Pending {
    pub line: usize,
    pub inst: Inst,
    pub results: ValueList,
}

/// Gives each instruction its results, as soon as the types of its operands are known. `unknown`: results without type yet.
pub(super) fn declare_results(
    func: &mut Function,
    pending: Vec<Pending>,
    mut unknown: HashMap<Value, usize>,
    blocks: &HashSet<Block>,
) -> Result<()> {
    let mut waiting: HashMap<Value, Vec<usize>> = HashMap::new();
    let mut ready: Vec<usize> = (0..pending.len()).rev().collect();
    let mut done = 0;
    while let Some(index) = ready.pop() {
        let Pending { line, inst, results } = &pending[index];
        let data = &func.inst(*inst).data;
        let fail = |message: String| Err(ParseError { line: *line, message });
        let mut missing = None;
        let mut undefined = None;
        data.for_each_operand(|value| match unknown.contains_key(value) {
            true => missing = missing.or(Some(*value)),
            false if !func.is_defined(*value) => undefined = undefined.or(Some(*value)),
            false => {}
        });
        if let Some(value) = undefined {
            return fail(format!("{value} is defined nowhere"));
        }
        if let Some(target) = data.targets().iter().find(|target| !blocks.contains(&target.block)) {
            return fail(format!("{} is not in the function", target.block));
        }
        if let (Some(value), false) = (missing, data.is_terminator()) {
            waiting.entry(value).or_default().push(index);
            continue;
        }
        let types = match operand_count_fits(data) {
            true => func.result_types(data),
            false => return fail("too few operands".into()),
        };
        if types.len() != results.len() {
            return fail(format!("the instruction has {} results, not {}", types.len(), results.len()));
        }
        for (&value, ty) in results.iter().zip(types) {
            func.declare_result(*inst, value, ty);
            unknown.remove(&value);
            // In the order of the text, as far as possible.
            ready.extend(waiting.remove(&value).unwrap_or_default().into_iter().rev());
        }
        done += 1;
    }
    match pending.get(done) {
        None => Ok(()),
        Some(_) => {
            let line = waiting.into_values().flatten().map(|index| pending[index].line).min().unwrap_or(0);
            Err(ParseError {
                line,
                message: "the result's type depends on itself".into(),
            })
        }
    }
}

/// The result's type is taken from the first operand.
fn operand_count_fits(data: &InstData) -> bool {
    match data {
        InstData::SubGroup { op, args } => *op == SubGroupOp::Elect || !args.is_empty(),
        InstData::WorkGroup { args, .. } => !args.is_empty(),
        _ => true,
    }
}
