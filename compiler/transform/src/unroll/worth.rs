//! Which loops are worth their copies.

use super::{Counted, Known, Search};
use ir::*;
use rustc_hash::FxHashSet;
use target::costs::code_size::{BEFORE_FOLDING, FUNCTION, IMAGE_ACCESS, UNROLLED, UNROLLED_TO_VALUES};

impl Search<'_> {
    /// The loop is to be unrolled: `size`, the function's number of instructions, grows by that.
    pub(super) fn pays(&self, index: usize, counted: &Counted, size: &mut usize) -> bool {
        let (func, blocks) = (self.func, &self.loops.loops[index].blocks);
        let copied = (counted.iterations - 1) * blocks.iter().map(|&block| func.block(block).insts.len()).sum::<usize>();
        let budget = if self.indexes_an_array(blocks) {
            UNROLLED_TO_VALUES
        } else {
            UNROLLED
        };
        // What the counter alone says is gone from the copies: it counts, and tells where, and that the loop goes on.
        let left = || (counted.iterations - 1) * self.known_and_left(index, counted.counters.iter().copied().collect()).1;
        let is_small = *size + copied <= FUNCTION && (copied <= budget || left() <= budget);
        let pays = (is_small || (*size + copied <= BEFORE_FOLDING && self.is_mostly_known(index, counted))) && may_be_copied(func, blocks);
        *size += if pays { copied } else { 0 };
        pays
    }

    /// Does the loop access a variable of the work-item's own at a place that is not known?
    fn indexes_an_array(&self, blocks: &[Block]) -> bool {
        let func = self.func;
        func.insts_of(blocks)
            .filter_map(|inst| func.access(inst))
            .any(|Access { address, .. }| {
                let indexed = address.index.is_some_and(|index| func.constant(index).is_none());
                self.places
                    .place(address.base)
                    .is_some_and(|place| place.offset.is_none() || indexed)
            })
    }

    /// Most arithmetic on floats in the loop depends on its counter alone, and on those of loops around it that hold nothing else:
    /// the cosines of a transform's coefficients. Once these are all unrolled it is constants.
    fn is_mostly_known(&self, index: usize, counted: &Counted) -> bool {
        let mut counters: FxHashSet<Value> = counted.counters.iter().copied().collect();
        let (mut outermost, mut iterations) = (index, counted.iterations);
        loop {
            let (known, left) = self.known_and_left(outermost, counters.clone());
            if left * iterations > UNROLLED_TO_VALUES {
                return false;
            }
            if known >= left {
                return true;
            }
            let Some(parent) = self.loops.loops[outermost].parent else {
                return false;
            };
            let (Some(around), [_]) = (self.counted(parent, &Known::default()), self.within[parent].as_slice()) else {
                return false;
            };
            counters.extend(around.counters);
            outermost = parent;
            iterations *= around.iterations;
        }
    }

    /// How many instructions on floats in a loop depend on some `known` values alone, and how many of all kinds depend on others.
    ///
    /// Where ways meet a value counts as known if one of the ways hands on what is: the test of a special case is known too, most likely.
    fn known_and_left(&self, index: usize, mut known: FxHashSet<Value>) -> (usize, usize) {
        let func = self.func;
        let is_header = |block| {
            let innermost = self.loops.innermost[block].map(|index| &self.loops.loops[index as usize]);
            innermost.is_some_and(|natural| natural.header == block)
        };
        let (mut floats, mut left) = (0, 0);
        for &block in &self.loops.loops[index].blocks {
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                let is_known = |known: &FxHashSet<Value>, value: &Value| known.contains(value) || func.constant(*value).is_some();
                for target in data.targets().into_iter().filter(|target| !is_header(target.block)) {
                    for (&param, arg) in func.block(target.block).params.iter().zip(&target.args) {
                        if is_known(&known, arg) {
                            known.insert(param);
                        }
                    }
                }
                let (mut operands, mut unknown) = (0, 0);
                data.for_each_operand(|value| {
                    operands += 1;
                    unknown += usize::from(!is_known(&known, value));
                });
                let can_be_computed = data.is_pure() && !matches!(data, InstData::CallRuntime { .. });
                if can_be_computed && operands > 0 && unknown == 0 {
                    let results = &func.inst(inst).results;
                    floats += results.iter().filter(|&&value| func.ty(value).elem.is_float()).count();
                    known.extend(results.iter().copied());
                } else {
                    left += match data {
                        InstData::Image { .. } => IMAGE_ACCESS,
                        InstData::Const { .. } => 0,
                        data => usize::from(!data.is_terminator()),
                    };
                }
            }
        }
        (floats, left)
    }
}

/// Barriers of the work-group cut a kernel into pieces, each a loop over its gangs: a loop around them stays one.
fn may_be_copied(func: &Function, blocks: &[Block]) -> bool {
    !func.insts_of(blocks).any(|inst| match func.inst(inst).data {
        InstData::Barrier { execution, .. } => execution != Scope::SubGroup,
        InstData::WorkGroup { .. } | InstData::Call { .. } => true,
        _ => false,
    })
}
