//! Which memory an instruction may write, and whether a load can give something else than before.

use ir::*;

/// What an instruction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// Nothing.
    Nothing,
    /// Memory of this kind.
    Memory(Space, AliasSet),
    /// What other work-items see: all but private memory.
    Shared,
    /// Anything.
    Everything,
}

impl Touch {
    pub(super) fn of(data: &InstData) -> Touch {
        match data {
            InstData::Store { mem, .. } | InstData::StoreInterleaved { mem, .. } => Touch::Memory(mem.space, mem.alias),
            InstData::Copy { to_mem, .. } => Touch::Memory(to_mem.space, to_mem.alias),
            // An atomic may make visible what others wrote.
            InstData::AtomicLoad { mem, order, .. } if *order == Order::Relaxed => Touch::Memory(mem.space, mem.alias),
            InstData::AtomicStore { mem, order, .. } | InstData::AtomicRmw { mem, order, .. } | InstData::AtomicCas { mem, order, .. } => {
                match order {
                    Order::Relaxed => Touch::Memory(mem.space, mem.alias),
                    _ if mem.space == Space::Generic => Touch::Everything,
                    _ => Touch::Shared,
                }
            }
            InstData::AtomicLoad { .. } | InstData::Fence { .. } | InstData::Barrier { .. } | InstData::WorkGroup { .. } => Touch::Shared,
            InstData::Call { .. } => Touch::Everything,
            InstData::CallRuntime { routine, .. } if !routine.is_pure() => Touch::Everything,
            InstData::Image { op, .. } if op.is_write() => Touch::Memory(Space::Global, image::IMAGE_MEMORY),
            _ => Touch::Nothing,
        }
    }

    /// A load of such memory may give something else afterwards.
    pub(super) fn may_change(self, mem: &MemInfo) -> bool {
        match self {
            Touch::Nothing => false,
            Touch::Memory(space, alias) => mem.may_be_changed(space, alias),
            Touch::Shared => mem.space != Space::Private && mem.may_be_changed(Space::Generic, 0),
            Touch::Everything => mem.may_be_changed(Space::Generic, 0),
        }
    }
}

const SPACES: usize = 3;
const ALIAS_BUCKETS: usize = 8;

/// Numbers that change whenever memory of a kind may have been written.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryState {
    /// By space: the last write of any kind.
    any: [u64; SPACES],
    /// By space: the last write of which the alias set is not known.
    unknown: [u64; SPACES],
    /// By alias set (some share a number).
    aliases: [u64; ALIAS_BUCKETS],
    next: u64,
}

fn spaces(space: Space) -> &'static [usize] {
    match space {
        Space::Global => &[0],
        Space::Local => &[1],
        Space::Private => &[2],
        Space::Generic => &[0, 1, 2],
        Space::Constant => &[],
    }
}

impl MemoryState {
    pub(super) fn new() -> MemoryState {
        MemoryState {
            any: [0; SPACES],
            unknown: [0; SPACES],
            aliases: [0; ALIAS_BUCKETS],
            next: 1,
        }
    }

    pub(super) fn everything_changes(&mut self) {
        self.touch(Touch::Everything);
    }

    pub(super) fn touch(&mut self, touch: Touch) {
        let now = self.next;
        self.next += 1;
        match touch {
            Touch::Nothing => {}
            Touch::Memory(space, alias) => {
                spaces(space).iter().for_each(|&space| self.any[space] = now);
                match alias {
                    0 => spaces(space).iter().for_each(|&space| self.unknown[space] = now),
                    alias => self.aliases[usize::from(alias) % ALIAS_BUCKETS] = now,
                }
            }
            Touch::Shared => {
                self.touch(Touch::Memory(Space::Global, 0));
                self.touch(Touch::Memory(Space::Local, 0));
            }
            Touch::Everything => self.touch(Touch::Memory(Space::Generic, 0)),
        }
    }

    /// Stays the same as long as a load from this memory gives the same.
    pub(super) fn of(&self, mem: &MemInfo) -> u64 {
        if mem.flags.contains(MemFlags::INVARIANT) {
            return 0;
        }
        let spaces = spaces(mem.space).iter();
        match mem.alias {
            0 => spaces.map(|&space| self.any[space]).max().unwrap_or(0),
            alias => {
                let unknown = spaces.map(|&space| self.unknown[space]).max().unwrap_or(0);
                unknown.max(self.aliases[usize::from(alias) % ALIAS_BUCKETS])
            }
        }
    }
}
