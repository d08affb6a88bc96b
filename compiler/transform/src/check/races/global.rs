//! Words of buffers: a launch's own, which it tells the kernel with the extents of its arguments ([`interface::checks::Extent`]).
//!
//! What a kernel without barriers does is ordered for no two of its work-items. Where there are barriers, only work-items of different groups are
//! compared: what barriers order within a group is not followed in global memory.

use super::super::extents::Extents;
use super::super::objects::Root;
use super::{GROUP, ITEM, group};
use ir::*;
use rustc_hash::FxHashMap;

/// Where the words of buffers are.
pub struct Global {
    /// Work-items are apart whose words differ in these bits.
    pub apart: u64,
    me: Option<Value>,
    planes: FxHashMap<(Root, u64), Value>,
}

impl Global {
    pub fn new(func: &Function) -> Global {
        let ordered = func.insts().any(|inst| {
            matches!(
                func.inst(inst).data,
                InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::SubGroup { .. }
            )
        });
        Global {
            apart: if ordered { GROUP } else { GROUP | ITEM },
            me: None,
            planes: FxHashMap::default(),
        }
    }

    /// The work-item.
    pub fn me(&mut self, func: &mut Function, extents: &Extents) -> Value {
        *self.me.get_or_insert_with(|| {
            let mut b = extents.in_front(func);
            let group = group(&mut b);
            let number = b.binary_imm(BinaryOp::Add, group, 1);
            let number = b.binary_imm(BinaryOp::Shl, number, 32);
            let item = b.builtin(Builtin::LocalLinearId, 0);
            b.or(number, item)
        })
    }

    /// Where a plane of words of an object begins.
    pub fn start(&mut self, func: &mut Function, root: Root, plane: u64, extents: &mut Extents) -> Value {
        if let Some(&known) = self.planes.get(&(root, plane)) {
            return known;
        }
        let (start, bytes, _) = extents.words(func, root);
        let mut b = extents.in_front(func);
        let behind = b.binary_imm(BinaryOp::Mul, bytes, plane as i64);
        let start = b.add(start, behind);
        self.planes.insert((root, plane), start);
        start
    }
}
