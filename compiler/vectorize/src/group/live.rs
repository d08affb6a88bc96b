//! Values that live across barriers. What is a gang's own waits in its frame ([`super::frame`]); what the group shares is carried in
//! registers from region to region.

use super::Writer;
use crate::regions::Marker;
use analysis::uniformity::Extent;
use cranelift_entity::SecondaryMap;
use ir::ssa::Variable;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

impl Writer<'_> {
    /// The group carries the value from region to region itself.
    pub(super) fn is_carried(&self, value: Value) -> bool {
        self.regions.in_step && self.gang.shared[value] <= Extent::Group
    }

    /// Which values are needed behind each marker but made before it.
    pub(super) fn find_live(&mut self) {
        let func = &self.gang.func;
        let home = func.homes(&func.layout);
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut marker_of: SecondaryMap<Block, Option<Marker>> = SecondaryMap::new();
        for (marker, &block) in self.regions.markers.iter().enumerate().skip(1) {
            marker_of[block] = Some(marker);
        }
        for &block in &func.layout {
            for succ in func.successors(block) {
                preds[succ].push(block);
            }
        }
        let mut uses: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
        for &block in &func.layout {
            for &inst in &func.block(block).insts {
                func.inst(inst).data.for_each_operand(|&value| {
                    if home[value] != Some(block) {
                        let blocks = uses.entry(value).or_default();
                        if blocks.last() != Some(&block) {
                            blocks.push(block);
                        }
                    }
                });
            }
        }
        // The last value that was looked for in each block, counted from 1.
        let mut seen = func.per_block(0);
        // From each use upwards to the definition: every marker on the way needs the value.
        for (number, (value, blocks)) in uses.into_iter().enumerate() {
            let mut work = blocks;
            while let Some(block) = work.pop() {
                if Some(block) == home[value] || std::mem::replace(&mut seen[block], number + 1) == number + 1 {
                    continue;
                }
                if let Some(marker) = marker_of[block] {
                    self.live[marker].push(value);
                    self.lasting[value] = true;
                }
                work.extend(preds[block].iter().copied());
            }
        }
        for live in &mut self.live {
            live.sort_unstable();
        }
        self.home = home;
    }

    /// What the region needs from before and does not make anew.
    pub(super) fn unchanged(&self, marker: Marker) -> Vec<Value> {
        let inside: FxHashSet<Block> = self.regions.regions[marker].blocks.iter().copied().collect();
        let stays = |value: &Value| self.home[*value].is_some_and(|home| !inside.contains(&home));
        self.live[marker].iter().copied().filter(stays).collect()
    }

    /// Hands what the group carries to the region behind `marker`. Only gangs that go on there do so: what a gang that has retired knew
    /// last is of an earlier iteration.
    pub(super) fn carry(&mut self, block: Block, marker: Marker) {
        for value in self.live[marker].clone() {
            if !self.spills.contains_key(&value) {
                let variable = self.carried_variable(value);
                let handed = self.use_value(value, block);
                self.ssa.define(variable, block, handed);
            }
        }
    }

    pub(super) fn carried_variable(&mut self, value: Value) -> Variable {
        if let Some(&variable) = self.carried.get(&value) {
            return variable;
        }
        let variable = self.ssa.variable(self.gang.func.ty(value));
        self.carried.insert(value, variable);
        variable
    }
}
