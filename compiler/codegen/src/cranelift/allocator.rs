//! Which of Cranelift's register allocators a function gets.

use super::target::Effort;
use cranelift_codegen::ir::{Function, Opcode, Value};
use cranelift_entity::SecondaryMap;
use target::costs::effort::BACKTRACKED;

/// What to allocate the registers of an optimized function by.
pub fn effort(function: &Function) -> Effort {
    match split_cost(function) {
        ..=BACKTRACKED => Effort::Full,
        _ => Effort::Quick,
    }
}

/// Where a value is live, and how often it is used. Instructions are numbered as they stand.
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
    uses: u64,
}

/// How many instructions the backtracking allocator looks at, if it splits each live range at each of its uses and looks for conflicts along
/// the whole range each time. That is what it comes to where more values are live than there are registers; and the optimizer brings that
/// about, since it computes once what is computed at many places, such as the addresses of a vector's lanes. Linear in a function's size where
/// values are used near their definitions, quadratic where they are live throughout.
fn split_cost(function: &Function) -> u64 {
    let dfg = &function.dfg;
    let nowhere = Range {
        first: u64::MAX,
        last: 0,
        uses: 0,
    };
    let mut ranges: SecondaryMap<Value, Range> = SecondaryMap::with_default(nowhere);
    ranges.resize(dfg.num_values());
    let mut at = 0;
    let mut extend = |value: Value, at, uses| {
        let range = &mut ranges[value];
        *range = Range {
            first: range.first.min(at),
            last: range.last.max(at),
            uses: range.uses + uses,
        };
    };
    for block in function.layout.blocks() {
        dfg.block_params(block).iter().for_each(|&value| extend(value, at, 0));
        for inst in function.layout.block_insts(block) {
            at += 1;
            dfg.inst_values(inst).for_each(|value| extend(value, at, 1));
            dfg.inst_results(inst).iter().for_each(|&value| extend(value, at, 0));
        }
    }
    // A constant is made again for each use.
    let is_constant = |value: Value| {
        let opcode = dfg.value_def(value).inst().map(|inst| dfg.insts[inst].opcode());
        matches!(opcode, Some(Opcode::Iconst | Opcode::F32const | Opcode::F64const | Opcode::Vconst))
    };
    let cost = |(value, range): (Value, &Range)| match range.uses > 0 && !is_constant(value) {
        true => range.uses * (range.last - range.first),
        false => 0,
    };
    ranges.iter().map(cost).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::{InstBuilder, types::I64};

    /// Sums, each of which uses the one before and one of `kept` values from the start of the function.
    fn sums(count: usize, kept: usize) -> Function {
        let mut function = Function::new();
        let block = function.dfg.make_block();
        let start: Vec<Value> = (0..kept.max(1)).map(|_| function.dfg.append_block_param(block, I64)).collect();
        let mut cursor = FuncCursor::new(&mut function);
        cursor.insert_block(block);
        let mut sum = start[0];
        for at in 0..count {
            let other = if kept == 0 { sum } else { start[at % kept] };
            sum = cursor.ins().iadd(sum, other);
        }
        cursor.ins().return_(&[]);
        function
    }

    #[test]
    fn what_lives_throughout_large_functions_is_allocated_quickly() {
        assert_eq!(effort(&sums(5_000, 32)), Effort::Full);
        assert_eq!(effort(&sums(30_000, 32)), Effort::Quick);
        // As large, but each value dies at the next instruction.
        assert_eq!(effort(&sums(30_000, 0)), Effort::Full);
    }

    #[test]
    fn constants_live_nowhere() {
        let mut function = Function::new();
        let block = function.dfg.make_block();
        let mut cursor = FuncCursor::new(&mut function);
        cursor.insert_block(block);
        let mut sum = cursor.ins().iconst(I64, 1);
        let constant = cursor.ins().iconst(I64, 2);
        for _ in 0..30_000 {
            sum = cursor.ins().iadd(sum, constant);
        }
        cursor.ins().return_(&[]);
        assert_eq!(effort(&function), Effort::Full);
    }
}
