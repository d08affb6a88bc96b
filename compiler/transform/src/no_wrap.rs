//! Tells code which indices don't wrap in the launches that it is made for.
//!
//! See [`analysis::no_wrap`]. Sums, products and differences get the flag, and extensions and comparisons without a sign become such with a sign, which other
//! passes know best: whether an index is written as `int` or as `uint` makes no difference.

use analysis::no_wrap::{NoWrap, RootKind};
use ir::*;

/// Rewrites for a launch in which those hold ([`interface::ArgumentFacts::no_wrap`]). True if something changed.
pub fn run(func: &mut Function, found: &NoWrap, holds: u64) -> bool {
    let mut changed = false;
    for (root, insts) in found.known(holds) {
        for inst in insts {
            func.inst_mut(inst).flags |= Flags::NSW;
        }
        match root.kind {
            RootKind::Index => {}
            RootKind::Extension(inst) => {
                if let InstData::Convert { op, .. } = &mut func.inst_mut(inst).data {
                    *op = ConvertOp::SExt;
                }
            }
            RootKind::Comparison(inst) => {
                if let InstData::IntCompare { cc, .. } = &mut func.inst_mut(inst).data {
                    *cc = cc.with_sign();
                }
            }
        }
        changed = true;
    }
    changed
}
