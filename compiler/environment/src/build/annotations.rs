//! Names and decorations, gathered before anything else: types need CPacked, constants need SpecId.

use super::Builder;
use crate::rules;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use spirv::{Binary, DecorationRecord, Id};

impl Builder<'_> {
    pub(super) fn collect_annotations(&mut self, binary: &Binary) {
        let mut groups: FxHashMap<Id, Vec<u32>> = FxHashMap::default();
        let mut records = Vec::new();
        for instruction in binary.instructions() {
            let target = instruction.word(0);
            let index = instruction.index;
            match instruction.op() {
                Op::Function => break,
                Op::Name => self.module.names.push((target, 0, index)),
                Op::MemberName => self.module.names.push((target, instruction.word(1).saturating_add(1), index)),
                Op::DecorationGroup => {
                    groups.insert(instruction.result, Vec::new());
                }
                Op::Decorate | Op::DecorateId | Op::DecorateString => {
                    records.push(DecorationRecord {
                        target,
                        member: 0,
                        instruction: index,
                    });
                }
                Op::MemberDecorate | Op::MemberDecorateString => {
                    records.push(DecorationRecord {
                        target,
                        member: instruction.word(1).saturating_add(1),
                        instruction: index,
                    });
                }
                _ => {}
            }
        }
        if !groups.is_empty() {
            self.apply_groups(binary, &mut groups, &mut records);
        }
        records.sort_unstable();
        records.dedup();
        self.module.decorations = records;
        self.module.names.sort_unstable();
        // Of several names, the first counts.
        self.module.names.dedup_by_key(|&mut (id, member, _)| (id, member));
    }

    fn apply_groups(&mut self, binary: &Binary, groups: &mut FxHashMap<Id, Vec<u32>>, records: &mut Vec<DecorationRecord>) {
        for record in records.iter().filter(|r| r.member == 0) {
            if let Some(decorations) = groups.get_mut(&record.target) {
                decorations.push(record.instruction);
            }
        }
        // A group of many decorations on many targets would be quadratic: so many nobody has.
        let mut budget = 16 * binary.len() as usize + 1024;
        for instruction in binary.instructions().take_while(|i| i.op() != Op::Function) {
            let stride = match instruction.op() {
                Op::GroupDecorate => 1,
                Op::GroupMemberDecorate => 2,
                _ => continue,
            };
            let Some(decorations) = groups.get(&instruction.word(0)) else {
                self.report.error(
                    &rules::DECORATION_GROUP,
                    instruction.index,
                    format!("%{} is none", instruction.word(0)),
                );
                continue;
            };
            for target in instruction.operands[1..].chunks_exact(stride) {
                budget = budget.saturating_sub(decorations.len());
                if budget == 0 {
                    return self
                        .report
                        .error(&rules::DECORATION_GROUP, instruction.index, "groups decorate too many targets");
                }
                let member = target.get(1).map_or(0, |member| member.saturating_add(1));
                records.extend(decorations.iter().map(|&instruction| DecorationRecord {
                    target: target[0],
                    member,
                    instruction,
                }));
            }
        }
    }
}
