//! A function by itself, as `brolga opt` and tests have it: what its instructions tell of the kernel that it is.

use super::run;
use interface::checks::Extent;
use interface::{ArgumentInfo, ArgumentKind, Checks, KernelInfo, TypeQualifiers};
use ir::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Puts the usual guards into a function. What it loads from the argument block and uses as addresses are its buffers; the launch tells their sizes
/// behind its arguments. True if something is checked.
pub fn run_alone(func: &mut Function, module: &Module) -> bool {
    let mut info = KernelInfo::default();
    let mut buffers = BTreeSet::new();
    for inst in func.insts() {
        let address = match func.inst(inst).data {
            InstData::Load { ref address, .. } | InstData::Store { ref address, .. } => address.base,
            InstData::AtomicLoad { address, .. }
            | InstData::AtomicStore { address, .. }
            | InstData::AtomicRmw { address, .. }
            | InstData::AtomicCas { address, .. } => address,
            _ => continue,
        };
        buffers.extend(func.argument(address));
    }
    for &result in func.insts().flat_map(|inst| &func.inst(inst).results) {
        if let Some(offset) = func.argument(result) {
            info.argument_bytes = info.argument_bytes.max(offset as u64 + u64::from(func.ty(result).bytes()));
        }
    }
    for offset in buffers {
        let extent = info.argument_bytes.next_multiple_of(8);
        info.argument_bytes = extent + Extent::BYTES;
        info.arguments.push(ArgumentInfo {
            name: String::new(),
            type_name: String::new(),
            kind: ArgumentKind::GlobalPointer { constant: false },
            size: 8,
            align: 8,
            offset: offset as u64,
            qualifiers: TypeQualifiers::default(),
            is_only_read: false,
            max_bytes: None,
            extent: Some(extent),
        });
    }
    !run(func, &mut FxHashMap::default(), module, &info, Checks::usual())
        .sites
        .is_empty()
}
