//! The variants of a kernel that are kept, and which of them serves a launch.
//!
//! The first few local sizes have code of their own. Launches with others share variants that read the local size from the launch's record;
//! such a size gets code of its own once it is used more often than all others that share, and then the size that was not used for longest
//! loses its own.

use crate::LaunchFacts;
use crate::kernel::{MAX_WORK_GROUP_SIZE, Variant};
use analysis::GangShape;
use interface::LocalSize;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// No more variants of a kernel are kept; the one that was not used for longest goes first.
const KEPT: usize = 64;

/// Local sizes that have code of their own at once. Shared code takes from 1.03 times as long (a vector addition) to 2.2 times (a loop over a
/// row, a reduction: gangs are not run several at once), but to compile a kernel takes as long as some hundred small launches.
const SIZES: usize = 16;

/// A size that shares gets code of its own when it leads the others by so many launches.
const LEAD: u32 = 16;

/// What a variant is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Follows from the local size, which the facts need not tell.
    pub shape: GangShape,
    /// What it may assume.
    pub facts: LaunchFacts,
}

impl Key {
    /// The variant is for one local size.
    pub fn is_for_one_size(&self) -> bool {
        self.facts.local_size.exactly().is_some()
    }

    /// The variant that this launch shares with others.
    fn shared(&self, size: [u64; 3]) -> Key {
        let local_size = LocalSize::like(size, self.shape.width, MAX_WORK_GROUP_SIZE);
        Key {
            shape: self.shape,
            facts: LaunchFacts {
                local_size,
                ..self.facts.clone()
            },
        }
    }
}

/// What serves a launch.
pub(crate) enum Choice {
    Kept(Arc<Variant>),
    ToCompile(Key),
}

/// The variants of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Variants {
    /// The most recently used last.
    kept: Vec<(Key, Arc<Variant>)>,
    /// Of the sizes that share: one, and how many launches it leads by. The size of more than half of the launches is found so, if there is one.
    rising: Option<([u64; 3], u32)>,
}

impl Variants {
    /// Chooses for a launch.
    pub fn choose(&mut self, wanted: Key) -> Choice {
        if let Some(found) = self.find(&wanted) {
            return Choice::Kept(found);
        }
        let Some(size) = wanted.facts.local_size.exactly() else {
            return Choice::ToCompile(wanted);
        };
        // Larger groups are those that the driver cuts itself.
        let shares = size.iter().product::<u64>() <= MAX_WORK_GROUP_SIZE && !self.has_own_code(size) && !self.leads(size);
        if !shares {
            return Choice::ToCompile(wanted);
        }
        let shared = wanted.shared(size);
        self.find(&shared).map_or(Choice::ToCompile(shared), Choice::Kept)
    }

    /// Keeps a variant, unless one like it was kept meanwhile; gives the one that is kept.
    pub fn keep(&mut self, key: Key, variant: Arc<Variant>) -> Arc<Variant> {
        if let Some(found) = self.find(&key) {
            return found;
        }
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push((key, variant.clone()));
        variant
    }

    /// It becomes the most recently used.
    pub fn find(&mut self, wanted: &Key) -> Option<Arc<Variant>> {
        let position = self.kept.iter().rposition(|(known, _)| known == wanted)?;
        let last = self.kept.len() - 1;
        if position != last {
            self.kept[position..].rotate_left(1);
        }
        Some(self.kept[last].1.clone())
    }

    /// The size is one of those with code of their own, or can be.
    fn has_own_code(&self, size: [u64; 3]) -> bool {
        let mut known = FxHashSet::default();
        known.extend(self.own_sizes());
        known.contains(&size) || known.len() < SIZES
    }

    /// With repetitions, the most recently used last.
    fn own_sizes(&self) -> impl DoubleEndedIterator<Item = [u64; 3]> {
        self.kept.iter().filter_map(|(key, _)| key.facts.local_size.exactly())
    }

    /// Counts a launch with a size that shares. True once it leads: the size that was not used for longest has made room for it.
    fn leads(&mut self, size: [u64; 3]) -> bool {
        self.rising = match self.rising {
            Some((leader, lead)) if leader == size => Some((size, lead + 1)),
            Some((leader, lead)) if lead > 0 => Some((leader, lead - 1)),
            _ => Some((size, 1)),
        };
        if self.rising != Some((size, LEAD)) {
            return false;
        }
        self.rising = None;
        let mut latest = Vec::new();
        for own in self.own_sizes().rev() {
            if !latest.contains(&own) {
                latest.push(own);
            }
        }
        let coldest = latest.pop();
        self.kept
            .retain(|(key, _)| key.facts.local_size.exactly() != coldest || coldest.is_none());
        true
    }
}
