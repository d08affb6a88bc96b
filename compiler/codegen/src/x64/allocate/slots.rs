//! Places on the stack.

use super::liveness::Range;
use super::scan::Scan;
use crate::x64::function::Function;
use regalloc2::{Function as _, RegClass, SpillSlot};
use target::costs::effort::SLOTS_TRIED;

/// Where the values that are on the stack at some time are.
pub struct Slots {
    /// By value.
    of_value: Vec<Option<SpillSlot>>,
    /// How many words there are.
    pub words: usize,
}

impl Slots {
    pub fn of(&self, value: u32) -> SpillSlot {
        self.of_value[value as usize].unwrap_or(SpillSlot::invalid())
    }

    /// One more, for a moment.
    pub fn add(&mut self, size: usize) -> SpillSlot {
        let slot = self.words.next_multiple_of(size);
        self.words = slot + size;
        SpillSlot::new(slot)
    }
}

/// Places of one size.
#[derive(Default)]
struct Places {
    /// When each is taken, in order.
    taken: Vec<Vec<Range>>,
    /// Which one is tried first.
    next: usize,
}

/// Nothing of one list is in the other.
fn apart(taken: &[Range], ranges: &[Range]) -> bool {
    let mut taken = taken;
    for &(start, end) in ranges {
        taken = &taken[taken.partition_point(|range| range.1 <= start)..];
        match taken.first() {
            None => return true,
            Some(first) if first.0 < end => return false,
            Some(_) => {}
        }
    }
    true
}

impl Places {
    fn find(&mut self, ranges: &[Range]) -> usize {
        let count = self.taken.len();
        let tries = (0..count.min(SLOTS_TRIED)).map(|step| (self.next + step) % count);
        let found = tries.into_iter().find(|&place| apart(&self.taken[place], ranges));
        let place = found.unwrap_or(count);
        if place == count {
            self.taken.push(Vec::new());
        }
        self.next = place;
        let taken = &mut self.taken[place];
        for &range in ranges {
            let at = taken.partition_point(|other| other.0 < range.0);
            taken.insert(at, range);
        }
        place
    }
}

/// Gives each value that needs it a place. Classes do not share places: their moves are put in order one class after the other.
pub fn assign(function: &Function, scan: &Scan) -> Slots {
    let mut places: [Places; 3] = Default::default();
    let mut found = Vec::new();
    let values = scan.values.values.iter().enumerate();
    for (number, value) in values.filter(|&(number, _)| scan.spilled[number]) {
        let place = places[value.class as usize].find(scan.values.ranges(value));
        found.push((number, value.class, place));
    }
    // The largest come first, so that all are aligned.
    let mut words = 0;
    let mut starts = [0; 3];
    for class in [RegClass::Float, RegClass::Int, RegClass::Vector] {
        starts[class as usize] = words;
        words += places[class as usize].taken.len() * function.spillslot_size(class);
    }
    let mut of_value = vec![None; scan.values.values.len()];
    for (number, class, place) in found {
        let slot = starts[class as usize] + place * function.spillslot_size(class);
        of_value[number] = Some(SpillSlot::new(slot));
    }
    Slots { of_value, words }
}
