//! The variants of a kernel that are kept, and which of them serves a launch.
//!
//! The first few local sizes have code of their own. Launches with others share variants that read the local size from the launch's record;
//! such a size gets code of its own once it is used more often than all others that share, and then the size that was not used for longest
//! loses its own. Each time more launches are asked for, so that a program that goes through many sizes again and again comes to an end of
//! compiling. After some kinds of shared variants, all other launches have those that assume next to nothing.

use crate::LaunchFacts;
use crate::kernel::{MAX_WORK_GROUP_SIZE, Variant};
use analysis::{GangShape, Layout};
use interface::{ArgumentFacts, LocalSize};
use smallvec::SmallVec;
use std::sync::Arc;

/// Local sizes that have code of their own at once. Shared code takes from 1.03 times as long (a vector addition) to 2.2 times (a loop over a
/// row, a reduction: gangs are not run several at once), but to compile a kernel takes as long as some hundred small launches.
const SIZES: usize = 16;

/// No more variants for one local size are kept; the one that was not used for longest goes first.
const OWN: usize = 40;

/// Shared variants that assume of launches what they have in common with the first that needed one.
const SHARED: usize = 16;

/// A size that shares gets code of its own when it leads the others by so many launches at first, and by twice as many each next time …
const LEAD: u32 = 16;
/// … up to so many, beside which compiling is nothing.
const MOST_LEAD: u32 = 1 << 14;

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

    /// The variant for whatever can differ between launches, but for what work-items are told of their gang and of the launch's dimensions.
    fn general(&self) -> Key {
        let most_items = MAX_WORK_GROUP_SIZE;
        Key {
            shape: GangShape {
                layout: Layout::Linear,
                ..self.shape
            },
            facts: LaunchFacts {
                local_size: LocalSize::Told {
                    most: [most_items; 3],
                    items: most_items,
                    multiple: 1,
                },
                full_groups: false,
                ends_overlap: [false; 3],
                zero_offset: false,
                aligned_offset: false,
                small_ids: false,
                small_objects: false,
                arguments: ArgumentFacts::default(),
                ..self.facts
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
#[derive(Debug)]
pub(crate) struct Variants {
    /// The most recently used last.
    kept: Vec<(Key, Arc<Variant>)>,
    /// Of the sizes that share: one, and how many launches it leads by. The size of more than half of the launches is found so, if there is one.
    rising: Option<([u64; 3], u32)>,
    /// By how many launches the next has to lead.
    lead: u32,
}

impl Default for Variants {
    fn default() -> Variants {
        Variants {
            kept: Vec::new(),
            rising: None,
            lead: LEAD,
        }
    }
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
        if let Some(found) = self.find(&shared) {
            return Choice::Kept(found);
        }
        if self.kept.len() - self.own().count() < SHARED {
            return Choice::ToCompile(shared);
        }
        let general = wanted.general();
        self.find(&general).map_or(Choice::ToCompile(general), Choice::Kept)
    }

    /// Keeps a variant, unless one like it was kept meanwhile; gives the one that is kept.
    pub fn keep(&mut self, key: Key, variant: Arc<Variant>) -> Arc<Variant> {
        if let Some(found) = self.find(&key) {
            return found;
        }
        if key.is_for_one_size() && self.own().count() >= OWN {
            self.drop_coldest();
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

    /// One for groups of this size, as launches ask for them.
    pub fn of_size(&self, size: [u64; 3]) -> Option<Arc<Variant>> {
        let is_for_them =
            |key: &Key| key.facts.local_size.exactly() == Some(size) && !key.facts.groups_of_one && key.facts.exchanged.is_none();
        self.kept
            .iter()
            .find(|(key, _)| is_for_them(key))
            .map(|(_, variant)| variant.clone())
    }

    /// The size is one of those with code of their own, or can be.
    fn has_own_code(&self, size: [u64; 3]) -> bool {
        let sizes = self.own_sizes();
        self.own().count() < OWN && (sizes.len() < SIZES || sizes.contains(&size))
    }

    /// The sizes of the variants for one size, with repetitions; the most recently used last.
    fn own(&self) -> impl DoubleEndedIterator<Item = [u64; 3]> {
        self.kept.iter().filter_map(|(key, _)| key.facts.local_size.exactly())
    }

    /// The same without repetitions, the most recently used first.
    fn own_sizes(&self) -> SmallVec<[[u64; 3]; SIZES]> {
        let mut sizes = SmallVec::new();
        for size in self.own().rev() {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        sizes
    }

    /// The variant for one size that was not used for longest.
    fn drop_coldest(&mut self) {
        if let Some(coldest) = self.kept.iter().position(|(key, _)| key.is_for_one_size()) {
            self.kept.remove(coldest);
        }
    }

    /// Counts a launch with a size that shares. True once it leads: the size that was not used for longest has made room for it.
    fn leads(&mut self, size: [u64; 3]) -> bool {
        self.rising = match self.rising {
            Some((leader, lead)) if leader == size => Some((size, lead + 1)),
            Some((leader, lead)) if lead > 0 => Some((leader, lead - 1)),
            _ => Some((size, 1)),
        };
        if self.rising != Some((size, self.lead)) {
            return false;
        }
        self.rising = None;
        self.lead = (2 * self.lead).min(MOST_LEAD);
        let sizes = self.own_sizes();
        match sizes.last() {
            Some(&coldest) if sizes.len() >= SIZES && coldest != size => {
                self.kept.retain(|(key, _)| key.facts.local_size.exactly() != Some(coldest));
            }
            _ => self.drop_coldest(),
        }
        true
    }
}
