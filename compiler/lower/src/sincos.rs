//! The sine and the cosine of one number are computed together: they have most of the work in common.

use super::Failure;
use super::function::{Lowering, Result};
use super::opencl_std::component_of;
use super::value::Scalars;
use builtins::StdOp;
use core::ops::Range;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use spirv::{ExtendedSet, Id, Module};

/// Which function it is: the sine 0, the cosine 1.
fn position(op: StdOp) -> Option<usize> {
    match op {
        StdOp::sin | StdOp::native_sin | StdOp::half_sin => Some(0),
        StdOp::cos | StdOp::native_cos | StdOp::half_cos => Some(1),
        _ => None,
    }
}

/// In a block: numbers that have their sine and their cosine taken, with both once they are computed.
#[derive(Debug, Default)]
pub(super) struct SinesAndCosines {
    of: FxHashMap<Id, Option<[Scalars; 2]>>,
}

impl SinesAndCosines {
    /// Those of a block.
    pub fn find(spirv: &Module, block: Range<u32>) -> SinesAndCosines {
        let mut taken: FxHashMap<Id, [bool; 2]> = FxHashMap::default();
        for inst in spirv.instructions(block).filter(|inst| inst.op() == Op::ExtInst) {
            if spirv.extended_set(inst.word(0)) == Some(ExtendedSet::OpenClStd)
                && let Some(position) = StdOp::from_u32(inst.word(1)).and_then(position)
            {
                taken.entry(inst.word(2)).or_default()[position] = true;
            }
        }
        let both = taken.into_iter().filter(|&(_, taken)| taken == [true; 2]);
        SinesAndCosines {
            of: both.map(|(number, _)| (number, None)).collect(),
        }
    }
}

impl Lowering<'_, '_> {
    /// The sine or the cosine of a number of which the block wants both.
    pub(super) fn one_of_both(&mut self, op: StdOp, operands: &[Id]) -> Result<Option<Scalars>> {
        let (Some(position), &[number]) = (position(op), operands) else {
            return Ok(None);
        };
        match self.sines_and_cosines.of.get(&number) {
            None => return Ok(None),
            Some(Some(both)) => return Ok(Some(both[position].clone())),
            Some(None) => {}
        }
        let args = [self.scalars(number)?];
        let mut both = [Scalars::new(), Scalars::new()];
        for component in 0..args[0].len() {
            let args = component_of(&args, component)?;
            let [sine, cosine] = *self.scalar_function(StdOp::sincos, &args)?.as_slice() else {
                return Err(Failure::Unsupported);
            };
            both[0].push(sine);
            both[1].push(cosine);
        }
        let result = both[position].clone();
        self.sines_and_cosines.of.insert(number, Some(both));
        Ok(Some(result))
    }
}
