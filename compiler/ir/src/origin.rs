//! Where instructions come from in the source, for checked mode's reports and for debuggers. Code does not depend on it, and passes need not keep
//! it: what is made of another instruction says so ([`Function::follow`](super::Function::follow)), and the rest comes from nowhere.

use super::entities::{Inst, Slot};
use super::variable::{FrameVariable, Variable};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A place in the source: 0 where it is not known; below [`Place::CHAINED`] the number of one of the module's places, plus 1; above it the
/// number of one of the function's chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place(pub u32);

impl Place {
    const CHAINED: u32 = 1 << 31;

    /// One of the module's places.
    pub const fn of_module(number: usize) -> Place {
        Place(number as u32 + 1)
    }

    /// It is known.
    pub const fn is_known(self) -> bool {
        self.0 != 0
    }
}

/// A line of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// The file's name, as the compiler was given it.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1; 0 where it is not known.
    pub column: u32,
    /// The function.
    pub function: Arc<str>,
}

/// Where the instructions and the private memory of a function come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// By instruction.
    pub places: SecondaryMap<Inst, Place>,
    /// Stores that are part of a copy of something as a whole: a struct, an array, a number of bytes. Checked mode does not take them for reads of
    /// each of its parts.
    pub copies: SecondaryMap<Inst, bool>,
    /// Slots that are variables of the source. Others are the compiler's own.
    pub variables: SecondaryMap<Slot, Option<Variable>>,
    /// Of a work-group's function: where its gangs have variables.
    pub frame: Vec<FrameVariable>,
    /// Places in functions that were inlined: (there, the call).
    chains: Vec<(Place, Place)>,
    /// Their numbers.
    numbers: FxHashMap<(Place, Place), u32>,
    /// Where instructions come from that are made now.
    pub(super) here: Place,
}

impl Origins {
    /// For a function that is made of this one: its places mean the same, and its instructions have none yet.
    pub fn of_successor(&self) -> Origins {
        Origins {
            places: SecondaryMap::new(),
            copies: SecondaryMap::new(),
            variables: self.variables.clone(),
            frame: self.frame.clone(),
            chains: self.chains.clone(),
            numbers: self.numbers.clone(),
            here: Place::default(),
        }
    }

    /// A place of `callee`, inlined at a call.
    pub fn inlined(&mut self, callee: &Origins, place: Place, call: Place) -> Place {
        if !place.is_known() {
            return call;
        }
        let (inner, call) = match callee.split(place) {
            (place, None) => (place, call),
            (inner, Some(outer)) => (inner, self.inlined(callee, outer, call)),
        };
        let chain = (inner, call);
        let chains = &mut self.chains;
        let number = *self.numbers.entry(chain).or_insert_with(|| {
            chains.push(chain);
            chains.len() as u32 - 1
        });
        Place(Place::CHAINED | number)
    }

    fn split(&self, place: Place) -> (Place, Option<Place>) {
        match place.0.checked_sub(Place::CHAINED) {
            None => (place, None),
            Some(number) => {
                let (inner, call) = self.chains[number as usize];
                (inner, Some(call))
            }
        }
    }

    /// The numbers of the module's places that a place stands for: where it is, then the calls that it was inlined by, the outermost last.
    pub fn trace(&self, place: Place) -> Vec<usize> {
        let (mut found, mut next) = (Vec::new(), Some(place));
        while let Some(place) = next {
            let (inner, call) = self.split(place);
            found.extend((inner.0 as usize).checked_sub(1));
            next = call;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_lead_from_the_innermost_place_to_the_outermost_call() {
        let place = |number| Place::of_module(number);
        let (leaf, mut middle, mut kernel) = (Origins::default(), Origins::default(), Origins::default());
        let in_middle = middle.inlined(&leaf, place(7), place(5));
        assert_eq!(middle.trace(in_middle), [7, 5]);
        let in_kernel = kernel.inlined(&middle, in_middle, place(3));
        assert_eq!(kernel.trace(in_kernel), [7, 5, 3]);
        assert_eq!(kernel.inlined(&middle, in_middle, place(3)), in_kernel);
        assert_eq!(kernel.inlined(&leaf, Place::default(), place(3)), place(3));
        assert_eq!(kernel.trace(Place::default()), [] as [usize; 0]);
    }
}
