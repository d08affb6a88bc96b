//! Which gangs at once share most: those beside each other, below each other, or some of both.
//!
//! ```c
//! for (int k = 0; k < n; k++)
//!     sum += a[y * n + k] * b[k * n + x];
//! ```
//!
//! Gangs of a row share `a`'s number, gangs below each other `b`'s vector. Eight gangs in a row load eight vectors and a number for eight products; four rows of two
//! load two vectors and four numbers. (Register tiling: Wolf, Lam: A Data Locality Optimizing Algorithm, 1991.)

use super::bunch::Bunch;
use crate::vectorize::GangFunction;
use analysis::uniformity::Extent;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops, reverse_postorder};
use ir::*;
use target::costs::interleaving::{INSTRUCTION, LESS, VECTOR_LOAD};

/// The bunch that does least in loops; the first, if no other does much less.
pub(super) fn most(gang: &GangFunction, bunches: &[Bunch]) -> Option<Bunch> {
    let (&first, others) = bunches.split_first()?;
    if others.is_empty() {
        return Some(first);
    }
    let shared = Shared::new(gang, first);
    // (They come with as many beside each other as possible first: of two that do the same the later one keeps to fewer lines.)
    let best = others.iter().copied().min_by_key(|&bunch| (shared.work(bunch), bunch.columns))?;
    let limit = if first.rows == 1 { LESS } else { 1.0 };
    let pays = shared.work(best) as f32 <= limit * shared.work(first) as f32;
    Some(if pays { best } else { first })
}

bitflags::bitflags! {
    /// What a value of a gang depends on.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct On: u8 {
        /// Where the gang is in its row.
        const COLUMN = 1;
        /// Which row it is in.
        const ROW = 2;
    }
}

/// What is done in loops for each column, for each row, and for each gang of a bunch.
#[derive(Default)]
struct Shared {
    a_column: u32,
    a_row: u32,
    a_gang: u32,
}

impl Shared {
    fn new(gang: &GangFunction, bunch: Bunch) -> Shared {
        let func = &gang.func;
        let mut on: SecondaryMap<Value, On> = SecondaryMap::new();
        let mut shared = Shared::default();
        let loops = Loops::new(&Cfg::new(func));
        // In reverse postorder all operands but arguments of back edges are known before their users, and parameters are taken to be each gang's own.
        for &block in &reverse_postorder(func) {
            for &param in &func.block(block).params {
                on[param] = match gang.shared[param] <= Extent::Group {
                    true => On::empty(),
                    false => On::all(),
                };
            }
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                let mut own = match *data {
                    InstData::Builtin {
                        builtin: Builtin::LocalId,
                        dimension,
                    } if usize::from(dimension) == bunch.along => On::COLUMN,
                    InstData::Builtin {
                        builtin: Builtin::LocalId,
                        dimension,
                    } if usize::from(dimension) == bunch.below => On::ROW,
                    _ => On::empty(),
                };
                data.for_each_operand(|&operand| own |= on[operand]);
                for &result in &func.inst(inst).results {
                    on[result] = own;
                }
                if loops.innermost[block].is_none() || data.is_terminator() {
                    continue;
                }
                let is_vector = func.inst(inst).results.iter().any(|&result| func.ty(result).is_vector());
                let work = match data {
                    InstData::Load { .. } if is_vector => VECTOR_LOAD,
                    InstData::Load { .. } | InstData::Store { .. } => INSTRUCTION,
                    // What is spread over all lanes is an operand, and scalars are addresses, which are counted along.
                    InstData::Lane { op: LaneOp::Splat, .. } | InstData::Const { .. } => continue,
                    _ if is_vector => INSTRUCTION,
                    _ => continue,
                };
                match own {
                    On::COLUMN => shared.a_column += work,
                    On::ROW => shared.a_row += work,
                    _ if own == On::all() => shared.a_gang += work,
                    _ => {}
                }
            }
        }
        shared
    }

    fn work(&self, bunch: Bunch) -> u32 {
        self.a_column * bunch.columns + self.a_row * bunch.rows + self.a_gang * bunch.columns * bunch.rows
    }
}
